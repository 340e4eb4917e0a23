"""What an instruction's output is by its meaning: always uniform, divergent by itself, or as its operands
are."""

from __future__ import annotations

import re
from enum import Enum

from ..ir import instructions as ir
from ..ir.calls import callee_name, control, is_convergent, scalar_outputs
from ..ir.module import Module
from ..ir.operands import GlobalWrapper, InlineAsm
from ..ir.types import PointerType, Type
from ..semantics.operations.effects import effects_of
from .target import Target, TargetFamily


class Nature(Enum):
    """What an instruction says of its own output."""

    SOURCE = "divergent"
    ALWAYS = "uniform"
    OPERANDS = "as its operands"
    MEMORY = "as its address and what is there"
    INDEX = "as its last operand, a lane's number"


_SOURCES = re.compile(
    r"llvm\.amdgcn\.(workitem\.id\.[xyz]|mbcnt\.(lo|hi)|interp\..*|lds\.param\.load|lds\.direct\.load|live\.mask"
    r"|ps\.live|dead(\..*)?)"
    r"|llvm\.r600\.read\.tidig\.[xyz]"
    r"|llvm\.nvvm\.read\.ptx\.sreg\.(tid\.[xyzw]|laneid|lanemask\.\w+|clock(64|\.hi)?|globaltimer(\.lo)?)"
    r"|llvm\.(spv|dx)\.(thread\.id(\.in\.group)?|flattened\.thread\.id\.in\.group|wave\.get\.lane\.index"
    r"|subgroup\.local\.invocation\.id|global\.invocation\.id|position)(\..*)?"
    r"|_Z\d+get_(global|local|sub_group_local)(_linear)?_(id|local_id)\w*"
    r"|_Z\d+__spirv_BuiltIn(GlobalInvocationId|LocalInvocationId|LocalInvocationIndex|SubgroupLocalInvocationId"
    r"|GlobalLinearId)\w*"
)
"""Functions that tell a thread from others, whatever they are given."""

_ALWAYS = re.compile(
    r"llvm\.amdgcn\.(readfirstlane|ballot|icmp|fcmp|if\.break|s\.\w[\w.]*|wave\.reduce\.\w+|wqm\.vote"
    r"|wave\.id|wavefrontsize|cluster\.\w+(\.\w+)*|workgroup\.id\.[xyz]|groupstaticsize|dispatch\.(ptr|id)"
    r"|queue\.ptr|implicitarg\.ptr|kernarg\.segment\.ptr|implicit\.buffer\.ptr)(\.\w+)*"
    r"|llvm\.nvvm\.(vote\.(any|all|uni|ballot)(\.sync)?|redux\.sync\.\w+|activemask"
    r"|read\.ptx\.sreg\.(ntid|ctaid|nctaid|nclusterid|clusterid|cluster_\w+|gridid|warpsize|warpid|nwarpid)"
    r"(\.\w+)?"
    r"|barrier0\.(popc|and|or)|barrier\.cta\.red\.\w+(\.\w+)*)(\.\w+)*"
    r"|llvm\.(spv|dx)\.(wave\.(any|all|ballot|reduce\.\w+|active\.\w+|all\.equal|get\.lane\.count)|group\.id"
    r"|subgroup\.(size|max\.size|id))(\..*)?"
    r"|subgroup(Add|Mul|Min|Max|And|Or|Xor|All|Any|AllEqual|Ballot|BroadcastFirst)"
)
"""Functions whose result all members of the group get alike. Those that read no other thread's operand, such
as the number of the workgroup, are alike for the whole wave."""


_BY_LANE = frozenset(
    f"llvm.amdgcn.readlane{suffix}" for suffix in ("", ".i32", ".i64", ".f32", ".f64", ".i16", ".p0")
)
"""They read the operand of the lane that the last operand names: the same one if that is uniform."""


def nature(module: Module, target: Target, instruction: ir.Instruction) -> Nature:
    """What an instruction's meaning says of its output, by the rules U-SOURCE, U-ALWAYS and U-LOAD."""
    match instruction:
        case ir.Load():
            return u_load(module, target, instruction)
        case ir.AtomicRMW() | ir.CmpXchg() | ir.VAArg() | ir.LandingPad():
            return Nature.SOURCE
        case ir.CallSite():
            if control(instruction) is not None:
                return Nature.OPERANDS
            if callee_name(instruction) in _BY_LANE:
                return Nature.INDEX
            scalar = target.family is TargetFamily.AMDGPU and all(scalar_outputs(instruction) or (False,))
            return Nature.ALWAYS if scalar or u_always(instruction) else u_source(module, instruction)
        case _:
            return Nature.OPERANDS


def u_always(call: ir.CallSite) -> bool:
    """An operation that gives all converged threads one result is uniform, whatever its operands are."""
    name = callee_name(call)
    return name is not None and _ALWAYS.fullmatch(name) is not None


def uniform_part(instruction: ir.Instruction, part: ir.ExtractValue) -> bool:
    """Whether a part of what an instruction gives has one value in the wave: a scalar register's, or the mask
    that ``llvm.amdgcn.if`` or ``else`` saves."""
    if not isinstance(instruction, ir.CallSite) or len(part.indices) != 1:
        return False
    name = callee_name(instruction)
    if name is not None and _SAVES.fullmatch(name) is not None:
        return part.indices == (1,)
    outputs = scalar_outputs(instruction)
    return part.indices[0] < len(outputs) and outputs[part.indices[0]]


_SAVES = re.compile(r"llvm\.amdgcn\.(if|else)(\.\w+)*")


def u_source(module: Module, call: ir.CallSite) -> Nature:
    """What tells a thread from others is divergent: its number, what only it can see, and what nobody
    knows."""
    name = callee_name(call)
    if isinstance(call.callee, InlineAsm | GlobalWrapper) or name is None or _SOURCES.fullmatch(name):
        return Nature.SOURCE
    if "nodivergencesource" in (*module.resolve(call.attributes), *module.function_attributes(name)):
        return Nature.OPERANDS
    if name not in module.intrinsics or is_convergent(module, call):
        return Nature.SOURCE
    effects = effects_of((*module.function_attributes(name), *module.resolve(call.attributes)))
    if effects.writes:
        return Nature.SOURCE
    return Nature.MEMORY if effects.reads else Nature.OPERANDS


def u_load(module: Module, target: Target, load: ir.Load) -> Nature:
    """A load is uniform if its address is, from memory that threads share, and nothing it may see is written
    before it."""
    if load.ordering is not None or load.volatile or space(load.pointer.type) in target.own:
        return Nature.SOURCE
    if space(load.pointer.type) in target.constant or "invariant.load" in dict(load.attachments):
        return Nature.OPERANDS
    return Nature.MEMORY


def writes(module: Module, instruction: ir.Instruction, target: Target) -> bool:
    """Whether an instruction may write, or make seen what another thread wrote, in memory that threads
    share."""
    match instruction:
        case ir.Store(pointer=pointer):
            return space(pointer.type) not in target.own - _GENERIC
        case ir.AtomicRMW() | ir.CmpXchg() | ir.Fence() | ir.VAArg():
            return True
        case ir.Load(ordering=ordering, volatile=volatile):
            return ordering is not None or volatile
        case ir.CallSite():
            name = callee_name(instruction)
            if control(instruction) is not None:
                return False
            known = () if name is None else module.function_attributes(name)
            return effects_of((*known, *module.resolve(instruction.attributes))).writes
        case _:
            return False


_GENERIC = frozenset((0, 4))
"""Address spaces whose pointers may go to shared memory although they may go to a thread's own."""


def space(type_: Type) -> int:
    """A pointer's address space; 0 for what has none or has it by name."""
    number = type_.address_space if isinstance(type_, PointerType) else 0
    return number if isinstance(number, int) else 0
