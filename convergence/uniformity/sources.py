"""What an instruction's output is by its meaning: always uniform, divergent by itself, or as its operands
are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum

from ..frozen import dataclass
from ..ir import instructions as ir
from ..ir.calls import callee_name, control, is_convergent, scalar_outputs
from ..ir.module import Function, Module, Parameter
from ..ir.operands import GlobalWrapper, InlineAsm, Int, Local, Operand
from ..ir.targets import convention_of, passes_one_value
from ..ir.types import PointerType, Type
from ..ir.workgroups import metadata_numbers, wave_size
from ..semantics.instructions.operands import operands
from ..semantics.operations.effects import effects_of

# ----------------------------------------------------------------------------------------------------------
# What a target says of uniformity: whose arguments are uniform, and which memory is each thread's own.
#
# The sources: LLVM's *User Guide for AMDGPU Backend* (*Address Spaces*, *Calling Conventions*), *User Guide
# for NVPTX Back-end*, *User Guide for SPIR-V Target*; the CUDA and OpenCL rules that a kernel's arguments
# are the same for all threads of a launch.
# ----------------------------------------------------------------------------------------------------------


class TargetFamily(Enum):
    """The targets that the rules tell apart; ``OTHER`` for a triple that is none of theirs, or none at
    all."""

    AMDGPU = "amdgcn"
    NVPTX = "nvptx"
    SPIRV = "spirv"
    DIRECTX = "dxil"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Target:
    """``own`` are address spaces whose objects each thread has for itself, generic ones that may point to
    them included; ``constant`` those that nobody writes."""

    family: TargetFamily
    own: frozenset[int]
    constant: frozenset[int]

    def uniform_argument(self, module: Module, function: Function, parameter: Parameter) -> bool:
        """Whether a parameter has the same value in all threads that are launched, or call, together."""
        words = module.resolve(parameter.attributes)
        nvptx = self.family is TargetFamily.NVPTX
        return passes_one_value(convention_of(function.convention), words, nvptx)


_TARGETS = {
    TargetFamily.AMDGPU: Target(TargetFamily.AMDGPU, frozenset((0, 5)), frozenset((4, 6))),
    TargetFamily.NVPTX: Target(TargetFamily.NVPTX, frozenset((0, 5)), frozenset((4, 101))),
    TargetFamily.SPIRV: Target(TargetFamily.SPIRV, frozenset((0, 4, 10)), frozenset((2,))),
    TargetFamily.DIRECTX: Target(TargetFamily.DIRECTX, frozenset((0,)), frozenset()),
    TargetFamily.OTHER: Target(TargetFamily.OTHER, frozenset((0, 4, 5)), frozenset()),
}


def target_of(triple: str | None) -> Target:
    """The target that a triple names."""
    architecture = (triple or "").partition("-")[0]
    if architecture.startswith(("amdgcn", "amdgpu")):
        return _TARGETS[TargetFamily.AMDGPU]
    if architecture.startswith("nvptx"):
        return _TARGETS[TargetFamily.NVPTX]
    if architecture.startswith("spir"):
        return _TARGETS[TargetFamily.SPIRV]
    if architecture.startswith("dxil"):
        return _TARGETS[TargetFamily.DIRECTX]
    return _TARGETS[TargetFamily.OTHER]


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


# ----------------------------------------------------------------------------------------------------------
# Numbers of work-items without what tells the lanes of a wave from each other (LLVM's *User Guide for AMDGPU
# Backend*, ``reqd_work_group_size``; LLVM 22, ``GCNTTIImpl::isAlwaysUniform``).
#
# The lanes of a wave are consecutive work-items, x counting fastest. If x does not begin anew within a wave,
# the bits of x above those of the lane are the same in all its lanes; if x fills whole waves, y and z are.
# ----------------------------------------------------------------------------------------------------------

_NUMBER = "llvm.amdgcn.workitem.id."
_LARGEST_WAVE = 64
_DEPTH = 6
"""Operands of operands that are looked at for zeros."""


@dataclass(frozen=True, slots=True)
class WaveNumbers:
    """Of one kernel whose workgroups have ``size`` work-items along x, y and z, in waves of ``wave`` lanes at
    most: ``definitions`` by name."""

    size: tuple[int, int, int]
    wave: int
    definitions: Mapping[str, ir.Instruction]

    @property
    def runs_on(self) -> bool:
        """Whether x does not begin anew within a wave."""
        x, y, z = self.size
        return (y == 1 and z == 1) or _power_of_two(x)

    def same_in_wave(self, instruction: ir.Instruction) -> bool:
        """Whether the number that is asked for is the same in all lanes of a wave."""
        name = callee_name(instruction) if isinstance(instruction, ir.CallSite) else None
        if name is None or not name.startswith(_NUMBER):
            return False
        axis = "xyz".find(name.removeprefix(_NUMBER))
        if axis < 0:
            return False
        filled = _power_of_two(self.size[0]) and self.size[0] >= self.wave
        return self.size[axis] == 1 or (axis > 0 and filled)

    def unread(self, instruction: ir.Instruction) -> frozenset[str]:
        """The number x among the operands of an instruction that keeps none of the lane's bits of it."""
        if not self.runs_on or not isinstance(instruction, ir.Binary):
            return frozenset()
        bits = self.wave.bit_length() - 1
        match instruction:
            case ir.Binary(opcode="lshr" | "ashr", lhs=Local(name=name), rhs=Int(value=count)):
                if self.is_x(name) and count >= bits:
                    return frozenset((name,))
            case ir.Binary(opcode="and", lhs=lhs, rhs=rhs):
                for number, mask in ((lhs, rhs), (rhs, lhs)):
                    if isinstance(number, Local) and self.is_x(number.name) and self.zeros(mask) >= bits:
                        return frozenset((number.name,))
        return frozenset()

    def is_x(self, name: str) -> bool:
        entry = self.definitions.get(name)
        return isinstance(entry, ir.CallSite) and callee_name(entry) == _NUMBER + "x"

    def zeros(self, value: Operand, depth: int = _DEPTH) -> int:
        """How many of the lowest bits are certainly zero."""
        if isinstance(value, Int):
            return 64 if value.value == 0 else (value.value & -value.value).bit_length() - 1
        entry = self.definitions.get(value.name) if isinstance(value, Local) else None
        if entry is None or depth == 0:
            return 0
        of = [self.zeros(operand, depth - 1) for operand in operands(entry)]
        match entry:
            case ir.Binary(opcode="shl", rhs=Int(value=count)):
                return of[0] + count
            case ir.Binary(opcode="shl"):
                return of[0]
            case ir.Binary(opcode="and"):
                return max(of)
            case ir.Binary(opcode="or" | "xor" | "add" | "sub"):
                return min(of)
            case ir.Binary(opcode="mul"):
                return sum(of)
            case ir.Conversion(opcode="zext" | "sext" | "trunc"):
                return of[0]
            case ir.Select():
                return min(of[1:])
            case _:
                return 0


def wave_numbers(module: Module, function: Function, target: Target) -> WaveNumbers | None:
    """``None`` where the target counts otherwise, or the size of a workgroup is not known."""
    if target.family is not TargetFamily.AMDGPU:
        return None
    sizes = metadata_numbers(module, function, "reqd_work_group_size")
    if len(sizes) != 3:
        return None
    x, y, z = sizes
    definitions = {i.result: i for i in function.instructions if i.result is not None}
    return WaveNumbers((x, y, z), wave_size(module, function) or _LARGEST_WAVE, definitions)


def _power_of_two(number: int) -> bool:
    return number & (number - 1) == 0
