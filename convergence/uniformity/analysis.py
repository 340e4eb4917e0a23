"""Uniformity of a function's values, statically: by what instructions and targets say, and where threads
part and meet.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import cached_property
from heapq import heapify, heappop, heappush

from ..frozen import dataclass
from ..ir import GlobalWrapper, InlineAsm, Int, Local, Operand, PointerType, Simple, Type
from ..ir import instructions as ir
from ..ir.calls import (
    CONTROL_BUNDLE,
    Control,
    callee_name,
    control,
    is_convergent,
    scalar_outputs,
    token_used,
)
from ..ir.cfg import (
    Cfg,
    Cycle,
    Cycles,
    Order,
    Point,
    Region,
    build_cfg,
    convergence_region,
    cycles,
    dominators,
    graph,
)
from ..ir.instructions import operands
from ..ir.module import Function, Module, Parameter
from ..ir.targets import convention_of, metadata_numbers, passes_one_value, wave_size
from ..rules import Rule
from ..semantics.operations import effects_of
from ..source import NOWHERE
from .result import AssumedCycle, BranchUniformity, Cause, FunctionUniformity, ValueUniformity, Verdict

# ----------------------------------------------------------------------------------------------------------
# What an instruction's output is by its meaning: always uniform, divergent by itself, or as its operands
# are.
# ----------------------------------------------------------------------------------------------------------

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


# ----------------------------------------------------------------------------------------------------------
# Uniformity of a function's values, statically (CAU, *Static Uniformity Analysis*).
#
# All is uniform at first; what is divergent by itself makes its users divergent, branches part threads, and
# parted threads bring different values to where they meet, until nothing changes. So the answer is the
# least set of divergent values and branches that is closed under the rules U-.
# ----------------------------------------------------------------------------------------------------------


# ----------------------------------------------------------------------------------------------------------
# Where threads that part at a branch meet again (CAU: *Disjoint paths*, *Join node*, *Divergent Cycle
# Exits*).
#
# Two threads that are converged at a branch and take different successors go on until they are converged
# again. Of the two, at most one passes the header of a cycle around the branch before that: were both to
# pass it, they would be converged there. So such a header is where a path leaves this iteration: whoever
# passes it goes round, and leaves the cycle, if it does, in a later one, by any exit. In that graph, in
# which a header of a cycle around the branch leads to the exits of its cycle, a block is a *join* iff two
# paths from the branch to it have nothing else in common. By Menger's theorem that is so iff no block but
# the branch dominates it, as seen from the branch, and edges lead to it from more than one block that it
# does not dominate itself.
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DivergedPaths:
    """From one branch: ``joins`` maps each join to the predecessors by which threads may arrive there;
    ``exits`` are (cycle, target): a thread leaves the cycle for that block in an iteration in which another
    one stays in it."""

    joins: Mapping[int, tuple[int, ...]]
    exits: tuple[tuple[int, int], ...]


def exit_edges(cfg: Cfg, forest: Cycles, cycle: Cycle) -> tuple[tuple[int, int], ...]:
    """The edges that leave a cycle."""
    return tuple(
        (block, successor)
        for block in forest.blocks(cycle)
        for successor in cfg.successors[block]
        if not forest.contains(cycle, successor)
    )


def diverged_paths(
    cfg: Cfg,
    forest: Cycles,
    branch: int,
    cut: Callable[[Cycle], bool] = lambda cycle: True,
    local: bool = True,
) -> DivergedPaths:
    """Joins and divergent exits of a branch; headers of the cycles that ``cut`` names lead to their exits.
    ``local``: nothing is looked at behind a block by which all paths go on (:func:`_meeting_block`)."""
    around = [cycle for cycle in forest.around(branch) if cut(cycle)]
    leaving = {cycle.header: exit_edges(cfg, forest, cycle) for cycle in around}
    again = len(cfg)  # stands for the branch's own block, reached anew
    meeting: int | None = None

    def edges(node: int) -> tuple[int, ...]:
        if node == meeting:
            return ()
        block = branch if node == again else node
        if node != branch and block in leaving:
            targets: tuple[int, ...] = tuple(dict.fromkeys(target for _, target in leaving[block]))
        else:
            targets = () if node == again else cfg.successors[node]
        return tuple(again if target == branch else target for target in targets)

    meeting = _meeting_block(cfg, forest, branch, around, edges) if local else None
    order, number, todo = [branch], {branch: 0}, [branch]
    while todo:
        for successor in edges(todo.pop()):
            if successor not in number:
                number[successor] = len(order)
                order.append(successor)
                todo.append(successor)
    graph_of_numbers = graph([""] * len(order), [tuple(number[s] for s in edges(node)) for node in order])
    idom = dominators(graph_of_numbers).idom
    label: list[int] = [-1] * len(order)
    for at in graph_of_numbers.rpo[1:]:
        label[at] = at if idom[at] == 0 else label[idom[at]]

    joins: dict[int, tuple[int, ...]] = {}
    for at in range(1, len(order)):
        # who comes by a block that the join dominates was there before: that is no other path to it
        coming = [p for p in graph_of_numbers.predecessors[at] if p == 0 or label[p] != at]
        if idom[at] == 0 and len(coming) > 1:
            block = branch if order[at] == again else order[at]
            arrivals: set[int] = set()
            for predecessor in (order[p] for p in coming):
                source = branch if predecessor == again else predecessor
                if predecessor != branch and source in leaving:
                    arrivals.update(u for u, target in leaving[source] if target == block)
                else:
                    arrivals.add(source)
            joins[block] = tuple(sorted(arrivals))

    exits: dict[tuple[int, int], None] = {}
    for cycle in around:
        header = number.get(again if cycle.header == branch else cycle.header)
        if header is None and meeting is not None and meeting < again and forest.contains(cycle, meeting):
            header = number[meeting]  # behind which the header is, so that it has its label
        if header is None:
            continue
        for at, node in enumerate(order):
            inside = branch if node == again else node
            if at == header or not forest.contains(cycle, inside):
                continue
            for target in edges(node):
                outside = branch if target == again else target
                if not forest.contains(cycle, outside) and (at == 0 or label[at] != label[header]):
                    exits[cycle.index, outside] = None
    return DivergedPaths(dict(sorted(joins.items())), tuple(exits))


def _meeting_block(
    cfg: Cfg, forest: Cycles, branch: int, around: Sequence[Cycle], edges: Callable[[int], Sequence[int]]
) -> int | None:
    """A block, or ``len(cfg)`` for the branch's own, by which alone all paths from the branch go on that do
    not end before; ``None`` where there is none that is known to be one.

    It is what is left to visit when all that was visited before leads nowhere else. Then it dominates, as
    seen from the branch, whatever is behind it, so that no join is there; and an exit is not divergent
    there, as the header of its cycle is behind it, too. What is behind must not lead back: all edges to a
    block that was visited must come from blocks that were. (Where all cycles have one entry, edges from
    outside a cycle around the branch to its header do not come from behind: they come from the entry, or
    by the header of a cycle around, which leads out of that.)"""
    again, place = len(cfg), (*cfg.place, -1)
    headers = {again if cycle.header == branch else cycle.header: cycle for cycle in around}
    reducible = not around or forest.is_reducible
    # by block, the headers that lead there out of their cycles
    left: defaultdict[int, set[int]] = defaultdict(set)
    for header in headers:
        for target in edges(header):
            left[target].add(header)

    def before(node: int) -> set[int]:
        """From where edges lead to a block."""
        cycle = headers.get(node) if reducible else None
        return left[node].union(
            source
            for source in cfg.predecessors[branch if node == again else node]
            if cfg.reachable[source]
            and source not in headers
            and (cycle is None or forest.contains(cycle, source))
        )

    visited = {branch}
    known = {branch, *edges(branch)}
    heap = [(place[node], node) for node in known - visited]
    heapify(heap)
    missing: set[int] = set()
    while heap:
        _, node = heappop(heap)
        if not heap and not missing:
            return node
        visited.add(node)
        missing.discard(node)
        missing |= before(node) - visited
        for successor in edges(node):
            if successor not in known:
                known.add(successor)
                heappush(heap, (place[successor], successor))
    return None


def analyse(
    module: Module, function: Function, target: Target, dfs: Order = Order.TEXT
) -> FunctionUniformity:
    """One function's uniformity."""
    analysis = _Analysis(module, function, target, dfs)
    analysis.run()
    return analysis.result()


class _Analysis:
    """``divergent`` values, ``branches`` (by block) and ``outside`` (by value and cycle), each with its
    cause.

    ``home``     where each value is defined: block and position; parameters have none
    ``users``    by value: block and position of each user; a phi uses a value where an edge leaves
    ``reached``  by cycle: the blocks outside to which threads come that left it in different iterations
    ``assumed``  cycles that are not m-converged, with the branch and the join that show it
    """

    def __init__(self, module: Module, function: Function, target: Target, dfs: Order) -> None:
        self.module, self.function, self.target = module, function, target
        self.cfg = build_cfg(function)
        self.forest = cycles(self.cfg, dfs)
        self.blocks = function.blocks
        self.divergent: dict[str, Cause] = {}
        self.branches: dict[int, Cause] = {}
        self.outside: dict[str, dict[int, Cause]] = {}
        self.reached: dict[int, dict[int, Cause]] = {}
        self.assumed: list[tuple[Cycle, int, int]] = []
        self.paths: dict[int, DivergedPaths] = {}
        self.todo: deque[str | int] = deque()
        self.home: dict[str, Point] = {}
        self.users: defaultdict[str, list[Point]] = defaultdict(list)
        self.fixed: set[str] = set()  # always uniform
        self.defined: defaultdict[int, list[str]] = defaultdict(list)
        for number, block in enumerate(self.blocks):
            if not self.cfg.reachable[number]:
                continue
            for position, instruction in enumerate(block.instructions):
                point = Point(number, position)
                if instruction.result is not None:
                    self.home[instruction.result] = point
                    self.defined[number].append(instruction.result)
                for name in dict.fromkeys(_names(_operands(instruction))):
                    self.users[name].append(point)

    @cached_property
    def tree(self):  # type: ignore[no-untyped-def]
        return dominators(self.cfg)

    @cached_property
    def irreducible(self) -> bool:
        return not self.forest.is_reducible

    # -- The least fixed point

    def run(self) -> None:
        self.u_argument()
        self.begin()
        self.u_undef()
        self.u_token()
        while self.todo:
            item = self.todo.popleft()
            if isinstance(item, int):
                self.parts(item)
            else:
                self.u_data(item)

    def begin(self) -> None:
        """What each instruction says of its own output (U-SOURCE, U-ALWAYS, U-LOAD)."""
        for number, block in enumerate(self.blocks):
            if not self.cfg.reachable[number]:
                continue
            for position, instruction in enumerate(block.instructions):
                kind = nature(self.module, self.target, instruction)
                name = instruction.result
                if isinstance(instruction, ir.CallBr):
                    self.mark_branch(number, Cause(Rule.U_SOURCE))
                if name is None:
                    continue
                match kind:
                    case Nature.ALWAYS:
                        self.fixed.add(name)
                    case Nature.SOURCE if self.numbers is not None and self.numbers.same_in_wave(instruction):
                        self.fixed.add(name)
                    case Nature.SOURCE:
                        rule = Rule.U_LOAD if isinstance(instruction, ir.Load) else Rule.U_SOURCE
                        self.mark(name, Cause(rule))
                    case Nature.MEMORY:
                        if self.written_before(Point(number, position)):
                            self.mark(name, Cause(Rule.U_LOAD))
                    case Nature.OPERANDS | Nature.INDEX:
                        pass

    def unread(self, instruction: ir.Instruction) -> frozenset[str]:
        """Operands whose differences do not show in what an instruction gives (U-ALWAYS)."""
        if nature(self.module, self.target, instruction) is Nature.INDEX:
            *others, lane = operands(instruction)
            return frozenset(_names(others)) - frozenset(_names((lane,)))
        if isinstance(instruction, ir.ExtractValue) and self.target.family is TargetFamily.AMDGPU:
            if isinstance(instruction.aggregate, Local) and instruction.aggregate.name in self.home:
                at = self.home[instruction.aggregate.name]
                if uniform_part(self.blocks[at.block].instructions[at.position], instruction):
                    return frozenset((instruction.aggregate.name,))
        return frozenset() if self.numbers is None else self.numbers.unread(instruction)

    @cached_property
    def numbers(self) -> WaveNumbers | None:
        """What is known of the numbers of work-items, where waves of AMDGPU count them."""
        return wave_numbers(self.module, self.function, self.target)

    def mark(self, name: str, cause: Cause) -> None:
        if name not in self.divergent and name not in self.fixed:
            self.divergent[name] = cause
            self.todo.append(name)

    def mark_branch(self, block: int, cause: Cause) -> None:
        if block not in self.branches and len(self.cfg.successors[block]) > 1:
            self.branches[block] = cause
            self.todo.append(block)

    def mark_user(self, at: Point, cause: Cause) -> None:
        """What uses a value that differs there is divergent, be it a value or a branch."""
        instruction = self.blocks[at.block].instructions[at.position]
        if instruction.result is not None:
            if cause.value is not None and cause.value in self.unread(instruction):
                return
            self.mark(instruction.result, cause)
        if self.cfg.lengths[at.block] == at.position + 1:
            self.mark_branch(at.block, cause)

    # -- The rules

    def u_argument(self) -> None:
        """A parameter is uniform if the calling convention passes one value to all threads."""
        for parameter in self.function.parameters:
            if not self.target.uniform_argument(self.module, self.function, parameter):
                self.mark(parameter.name, Cause(Rule.U_ARGUMENT))

    def u_data(self, name: str) -> None:
        """What is computed from a divergent value is divergent, and so is a branch on one."""
        for at in self.users[name]:
            self.mark_user(at, Cause(Rule.U_DATA, value=name))

    def parts(self, branch: int) -> None:
        """Threads that are converged part at a branch: what differs where they meet, and behind cycles."""
        paths = diverged_paths(self.cfg, self.forest, branch)
        self.paths[branch] = paths
        if self.irreducible:
            self.u_cycle(branch)
        for join, arrivals in paths.joins.items():
            self.u_join(branch, join, arrivals)
        for cycle, target in paths.exits:
            self.u_exit(branch, self.forest.all[cycle], target)

    def u_join(self, branch: int, join: int, arrivals: tuple[int, ...]) -> None:
        """A phi in a join of a divergent branch is divergent, unless all threads bring it one value."""
        names = {self.cfg.names[block] for block in arrivals}
        for phi in self.blocks[join].instructions:
            if not isinstance(phi, ir.Phi):
                break
            brought = dict.fromkeys(value for value, block in phi.incoming if block in names)
            if phi.result is None or len(brought) <= 1:
                continue
            undefined = sum(map(_undefined, brought))
            rule = Rule.U_UNDEF if undefined and len(brought) - undefined == 1 else Rule.U_JOIN
            self.mark(phi.result, Cause(rule, branch=self.cfg.names[branch]))

    def u_undef(self) -> None:
        """Undef and poison in one thread are not the same as a value in another, and what freeze makes of
        them is divergent. (Phis that mix them are found where threads meet, by :meth:`u_join`.)"""
        frozen = [i for b in self.blocks for i in b.instructions if isinstance(i, ir.Freeze)]
        if not frozen:
            return
        undefined = {
            instruction.result
            for block in self.blocks
            for instruction in block.instructions
            if instruction.result is not None and any(map(_undefined, _operands(instruction)))
        }
        work = deque(undefined)
        while work:
            for at in self.users[work.popleft()]:
                result = self.blocks[at.block].instructions[at.position].result
                if result is not None and result not in undefined:
                    undefined.add(result)
                    work.append(result)
        for instruction in frozen:
            if instruction.result in undefined and instruction.result is not None:
                self.mark(instruction.result, Cause(Rule.U_UNDEF))

    def u_exit(self, branch: int, cycle: Cycle, target: int) -> None:
        """A value that is defined in a cycle is divergent where it is used outside, if threads leave the
        cycle in different iterations and come there."""
        reached = self.reached.setdefault(cycle.index, {})
        cause = Cause(Rule.U_EXIT, branch=self.cfg.names[branch], cycle=self.cfg.names[cycle.header])
        new, work = set(), [target]
        while work:
            block = work.pop()
            if block not in reached and not self.forest.contains(cycle, block):
                reached[block] = cause
                new.add(block)
                work += self.cfg.successors[block]
        if not new:
            return
        for block in self.forest.blocks(cycle):
            for name in self.defined[block]:
                for at in self.users[name]:
                    if at.block in new:
                        self.outside.setdefault(name, {}).setdefault(cycle.index, cause)
                        how = Cause(Rule.U_EXIT, name, cause.branch, cause.cycle)
                        self.mark_user(at, how)

    def u_cycle(self, branch: int) -> None:
        """What changes in an irreducible cycle is divergent, if the cycle is not m-converged."""
        paths = diverged_paths(self.cfg, self.forest, branch, lambda cycle: cycle.is_reducible)
        for join, arrivals in paths.joins.items():
            cycle = self.entered_apart(branch, join, arrivals)
            if cycle is None or any(self.holds(other, cycle) for other, _, _ in self.assumed):
                continue
            self.assumed.append((cycle, branch, join))
            name = self.cfg.names
            self.changes_in(cycle, Cause(Rule.U_CYCLE, branch=name[branch], cycle=name[cycle.header]))

    def changes_in(self, cycle: Cycle, cause: Cause) -> None:
        """Marks what a cycle defines, but for what is computed of constants and of values from outside: that
        is the same in each iteration, so it does not matter who is converged in which."""
        blocks = self.forest.blocks(cycle)
        names = {name for block in blocks for name in self.defined[block]}
        fixed: set[str] = set()
        pending = True
        while pending:
            pending = False
            for block in blocks:
                for instruction in self.blocks[block].instructions:
                    name = instruction.result
                    if name is None or name in fixed or not isinstance(instruction, _COMPUTES):
                        continue
                    if all(used in fixed or used not in names for used in _names(operands(instruction))):
                        fixed.add(name)
                        pending = True
        for name in sorted(names - fixed, key=lambda name: self.home[name]):
            self.mark(name, cause)

    def holds(self, cycle: Cycle, inner: Cycle) -> bool:
        return self.forest.contains(cycle, inner.header) and cycle.depth <= inner.depth

    def entered_apart(self, branch: int, join: int, arrivals: tuple[int, ...]) -> Cycle | None:
        """The largest cycle around ``join`` whose convergence the branch makes a matter of the hierarchy
        (CAU, *Diverged Entry Criterion* as simplified there, and *Diverged Paths reaching a Cycle*). Threads
        that come to the header of a reducible cycle from outside were in the cycle around that meanwhile, so
        the question is that one's; those that did not leave the cycle passed no other entry."""
        around = list(self.forest.around(join))
        apart = [cycle for cycle in around if not self.forest.contains(cycle, branch)]
        common = [cycle for cycle in around if self.forest.contains(cycle, branch)]
        strictly = self.strictly
        if common and not strictly(branch, join):
            worst = None
            for cycle in common:
                inside = all(self.forest.contains(cycle, block) for block in arrivals)
                if cycle.is_reducible and join == cycle.header and not inside:
                    continue
                if cycle.is_reducible or strictly(cycle.header, join):
                    break
                worst = cycle
            if worst is not None:
                return worst
        if apart and not apart[-1].is_reducible:
            return apart[-1]
        return None

    def strictly(self, a: int, b: int) -> bool:
        return a != b and bool(self.tree.dominates(a, b))

    def u_token(self) -> None:
        """What is the same only for threads with converged instances of an anchor is divergent outside that
        token's region, a branch on it parts threads, and what changes in a cycle with an anchor is
        divergent. (An anchor may bring threads together that are in different iterations.)"""
        regions = self.anchors()
        if not regions:
            return
        for at, call in self.calls():
            around = list(self.forest.around(at.block))
            if around and control(call) is Control.ANCHOR:
                header = self.cfg.names[around[-1].header]
                self.changes_in(around[-1], Cause(Rule.U_TOKEN, cycle=header))
        bound: dict[str, frozenset[str]] = {}
        chains = {name: self.rooted(name) for name in regions}
        work = deque(
            (instruction.result, chains[token.name])
            for _, instruction in self.calls()
            if instruction.result is not None
            and (token := token_used(instruction)) is not None
            and control(instruction) is None
            and chains.get(token.name)
        )
        while work:
            name, anchors = work.popleft()
            old = bound.get(name, frozenset())
            if anchors <= old:
                continue
            bound[name] = old | anchors
            for at in self.users[name]:
                instruction = self.blocks[at.block].instructions[at.position]
                cause = Cause(Rule.U_TOKEN, value=name)
                if not all(regions[anchor].contains(at) for anchor in bound[name]):
                    self.mark_user(at, cause)
                elif len(self.cfg.successors[at.block]) > 1 and at.position + 1 == self.cfg.lengths[at.block]:
                    self.mark_branch(at.block, cause)
                if instruction.result is not None and instruction.result not in self.fixed:
                    work.append((instruction.result, bound[name]))

    def calls(self) -> Iterable[tuple[Point, ir.CallSite]]:
        for number, block in enumerate(self.blocks):
            if self.cfg.reachable[number]:
                for position, instruction in enumerate(block.instructions):
                    if isinstance(instruction, ir.CallSite):
                        yield Point(number, position), instruction

    def anchors(self) -> Mapping[str, Region]:
        """The region of each token whose instances not all threads that meet have in common."""
        if not any(control(call) is Control.ANCHOR for _, call in self.calls()):
            return {}
        uses: defaultdict[str, list[Point]] = defaultdict(list)
        definitions: dict[str, Point] = {}
        for at, call in self.calls():
            if control(call) is not None and call.result is not None:
                definitions[call.result] = at
            if (token := token_used(call)) is not None:
                uses[token.name].append(at)
        return {
            name: convergence_region(self.cfg, self.tree, at, uses[name]) for name, at in definitions.items()
        }

    def rooted(self, token: str) -> frozenset[str]:
        """The anchor that a token goes back to, if it goes back to one."""
        met: set[str] = set()
        while token not in met and token in self.home:
            met.add(token)
            at = self.home[token]
            call = self.blocks[at.block].instructions[at.position]
            if control(call) is Control.ANCHOR:
                return frozenset((token,))
            outer = token_used(call)
            if outer is None:
                break
            token = outer.name
        return frozenset()

    # -- Memory

    def written_before(self, load: Point) -> bool:
        """Whether something that may write shared memory can come before a load in a thread."""
        if load.block in self._behind_writes:
            return True
        return any(at.position < load.position for at in self._writes if at.block == load.block)

    @cached_property
    def _writes(self) -> tuple[Point, ...]:
        return tuple(
            Point(number, position)
            for number, block in enumerate(self.blocks)
            if self.cfg.reachable[number]
            for position, instruction in enumerate(block.instructions)
            if writes(self.module, instruction, self.target)
        )

    @cached_property
    def _behind_writes(self) -> frozenset[int]:
        numbers: set[int] = set()
        work = [successor for at in self._writes for successor in self.cfg.successors[at.block]]
        while work:
            block = work.pop()
            if block not in numbers:
                numbers.add(block)
                work += self.cfg.successors[block]
        return frozenset(numbers)

    # -- The answer

    def result(self) -> FunctionUniformity:
        names = self.cfg.names
        values: dict[str, ValueUniformity] = {}
        for parameter in self.function.parameters:
            values[parameter.name] = self.value(parameter.name, None)
        for number, block in enumerate(self.blocks):
            for instruction in block.instructions:
                if instruction.result is not None and control(instruction) is None:
                    value = self.value(instruction.result, number, instruction)
                    values[instruction.result] = value
        branches = {
            names[number]: BranchUniformity(
                names[number],
                self.branch_verdict(number),
                self.branches.get(number),
                tuple(names[join] for join in self.paths[number].joins) if number in self.paths else (),
                tuple((names[self.forest.all[c].header], names[t]) for c, t in self.paths[number].exits)
                if number in self.paths
                else (),
                block.terminator.span,
            )
            for number, block in enumerate(self.blocks)
            if len(self.cfg.successors[number]) > 1
        }
        assumed = tuple(
            AssumedCycle(
                names[cycle.header],
                tuple(names[b] for b in self.forest.blocks(cycle)),
                names[branch],
                names[join],
            )
            for cycle, branch, join in self.assumed
        )
        return FunctionUniformity(self.function.name, values, branches, assumed)

    def branch_verdict(self, number: int) -> Verdict:
        if not self.cfg.reachable[number]:
            return Verdict.UNREACHABLE
        return Verdict.DIVERGENT if number in self.branches else Verdict.UNIFORM

    def value(
        self, name: str, block: int | None, instruction: ir.Instruction | None = None
    ) -> ValueUniformity:
        where = None if block is None else self.cfg.names[block]
        span = NOWHERE if instruction is None else instruction.span
        if block is not None and not self.cfg.reachable[block]:
            return ValueUniformity(name, where, Verdict.UNREACHABLE, span=span)
        if name in self.divergent:
            return ValueUniformity(name, where, Verdict.DIVERGENT, self.divergent[name], span=span)
        outside = self.outside.get(name, {})
        if not outside:
            return ValueUniformity(name, where, Verdict.UNIFORM, span=span)
        headers = tuple(self.cfg.names[self.forest.all[c].header] for c in sorted(outside))
        return ValueUniformity(
            name, where, Verdict.OUTSIDE, None, headers, next(iter(outside.values())), span
        )


_COMPUTES = ir.Binary | ir.FNeg | ir.ICmp | ir.FCmp | ir.Conversion | ir.Select | ir.GetElementPtr
"""Instructions that are functions of their operands and of nothing else."""


def _operands(instruction: ir.Instruction) -> Iterable[Operand]:
    """What an instruction computes with: a phi all that it may take, a call also its callee and its
    bundles."""
    if isinstance(instruction, ir.Phi):
        return [value for value, _ in instruction.incoming]
    if isinstance(instruction, ir.CallSite):
        bundled = [value for b in instruction.bundles if b.tag != CONTROL_BUNDLE for value in b.inputs]
        return [instruction.callee, *operands(instruction), *bundled]
    return operands(instruction)


def _undefined(value: Operand) -> bool:
    return isinstance(value, Simple) and value.kind in ("undef", "poison")


def _names(values: Iterable[Operand]) -> Iterable[str]:
    return (value.name for value in values if isinstance(value, Local))
