"""Where control flow is shown to be uniform: all threads of the invocation group take the same way.

SPIR-V, *Control Flow*: control flow is uniform at the entry point, until a branch sends threads different
ways, and again at the merge block of a construct that was entered uniformly and that all threads leave by
that block. This analysis is static and errs on one side: what it calls uniform is; what it does not may be.

- A value is uniform if it is a constant, the same input for all (push constants, uniform buffers and those
  that nobody writes, at uniform places, the workgroup's number, sizes), or computed from uniform values; a
  variable of a function is if only uniform values are stored to it, in uniform control flow. A parameter is
  if each call gives it a uniform value, and what a function returns if each of its returns gives one in
  uniform control flow. What is loaded from memory that threads write is not.
- A construct is divergent inside if its header's branch is; a loop is if a divergent branch leaves or
  continues it. Where threads leave by another way than the merge block, what lies between is divergent;
  behind a return in divergent control flow, so is the rest of the function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from ..frozen import dataclass
from .arithmetic import CONVERGENT
from .constants import SPIRVInt, SPIRVPointer
from .instruction import SPIRVInstruction
from .module import SPIRVBlock, SPIRVFunction, SPIRVModule
from .structured import Construct, ConstructTree, structure

_SAME_INPUTS = frozenset(
    ("WorkgroupId", "NumWorkgroups", "WorkgroupSize", "GlobalSize", "EnqueuedWorkgroupSize", "WorkDim",
     "GlobalOffset", "NumSubgroups", "SubgroupMaxSize", "NumEnqueuedSubgroups")
)  # fmt: skip
"""Built-ins that are the same in all threads of a workgroup."""
_OF_SUBGROUP = frozenset(("SubgroupId", "SubgroupSize"))
_READ_ONLY = frozenset(("PushConstant", "UniformConstant"))
_CHAINS = frozenset(
    ("OpAccessChain", "OpInBoundsAccessChain", "OpPtrAccessChain", "OpInBoundsPtrAccessChain", "OpCopyObject")
)
_LEAVING = frozenset(("OpReturn", "OpReturnValue", "OpKill", "OpTerminateInvocation"))


@dataclass(frozen=True, slots=True)
class UniformControlFlow:
    """The blocks of each function, by id, in which control flow may not be uniform; and, by function and
    block, the lines from which on it may not be, behind a call of a function that threads leave apart
    (``parted``). ``branches``: the lines, by function, of branches that may send threads different ways."""

    divergent: Mapping[str, frozenset[str]]
    tails: Mapping[tuple[str, str], int]
    parted: frozenset[str]
    branches: Mapping[str, tuple[int, ...]]

    def holds(self, function: str, label: str, line: int) -> bool:
        """Whether control flow is shown to be uniform at a line of a block."""
        tail = self.tails.get((function, label))
        return label not in self.divergent[function] and (tail is None or line <= tail)


def uniformity(module: SPIRVModule, of_subgroup: bool) -> UniformControlFlow:
    """The analysis; ``of_subgroup``: the invocation group is the subgroup (SubgroupUniformControlFlowKHR)."""
    bodies = {body.id: body for body in module.functions if body.blocks}
    same = unwritten_buffers(module)
    calls = _Calls(parameters=_unknown_parameters(module), results=frozenset(imported(module)))
    while True:
        results = {id_: _Function(module, body, of_subgroup, same, calls) for id_, body in bodies.items()}
        more = calls.grown(results.values())
        if more == calls:
            return UniformControlFlow(
                {id_: frozenset(r.blocks) for id_, r in results.items()},
                {(id_, label): line for id_, r in results.items() for label, line in r.tails.items()},
                calls.parted,
                {id_: r.uneven_branches() for id_, r in results.items()},
            )
        calls = more


_READING = frozenset(("OpLoad", "OpArrayLength", "OpAtomicLoad"))


_ANYTHING = frozenset(("OpImageRead", "OpReadClockKHR"))
"""What may give each thread something else: images that others write to, clocks."""


def unwritten_buffers(module: SPIRVModule) -> frozenset[str]:
    """The storage buffers, by id, that no function writes to: their pointers are only loaded from, however
    far they are followed. A launch gives each binding an object of its own, so that nobody writes there
    through another one; variables of one binding are one buffer. With addresses as numbers nothing is
    known."""
    if "PhysicalStorageBufferAddresses" in module.capabilities:
        return frozenset()
    buffers = {v.result for v in module.variables if v.result is not None and _is_storage(module, v.result)}
    written: set[str] = set()
    for body in module.functions:
        instructions = [i for block in body.blocks for i in (*block.instructions, block.terminator)]
        roots: dict[str, str] = {id_: id_ for id_ in buffers}
        for i in instructions:
            if i.op in _CHAINS and i.result is not None and i.id(0) in roots:
                roots[i.result] = roots[i.id(0)]
        for i in instructions:  # a phi may name what stands behind it
            named = [str(o) for o in i.operands if o in roots]
            reads = i.op in _READING or i.result in roots or (i.op == "OpCopyMemory" and i.id(0) not in roots)
            if named and not reads:
                written |= {roots[o] for o in named}
    bindings = {_binding(module, id_) for id_ in written}
    return frozenset(id_ for id_ in buffers if id_ not in written and _binding(module, id_) not in bindings)


def _is_storage(module: SPIRVModule, id_: str) -> bool:
    """Whether a variable is a storage buffer, or an array of them."""
    type_ = module.types[module.types_of[id_]]
    return isinstance(type_, SPIRVPointer) and module.is_storage(type_)


def _binding(module: SPIRVModule, id_: str) -> tuple[object, ...]:
    """Where a buffer is bound: set and binding, or the variable's own id."""
    binding = module.decoration(id_, "Binding")
    return (id_,) if binding is None else (module.decoration(id_, "DescriptorSet"), binding)


def imported(module: SPIRVModule) -> set[str]:
    """The functions that have no body."""
    return {body.id for body in module.functions if not body.blocks}


def _unknown_parameters(module: SPIRVModule) -> frozenset[str]:
    """The parameters of functions that somebody else may call: those that are exported. A kernel's are the
    same for all threads."""
    entries = {e.function for e in module.entry_points}
    return frozenset(
        id_
        for body in module.functions
        if body.id not in entries and module.decoration(body.id, "LinkageAttributes") is not None
        for id_, _ in body.parameters
    )


@dataclass(frozen=True, slots=True)
class _Calls:
    """What is known of functions from their callers and callees, each time more: those ``called`` in control
    flow that may not be uniform, and those that threads leave apart (``parted``); the ``parameters`` and
    ``results``, by function, that may not be uniform; and the parameters through which a function may write
    what is not (``variables``)."""

    called: frozenset[str] = frozenset()
    parted: frozenset[str] = frozenset()
    parameters: frozenset[str] = frozenset()
    results: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()

    def grown(self, functions: Iterable[_Function]) -> _Calls:
        """What the analysis of all functions adds."""
        called, parted = set(self.called), set(self.parted)
        parameters, results, written = set(self.parameters), set(self.results), set(self.variables)
        for f in functions:
            parted |= {f.body.id} if f.leaves_apart else set()
            written |= {id_ for id_, _ in f.body.parameters if id_ in f.variables}
            for block in f.body.blocks:
                if block.label not in f.shape.reachable:
                    continue
                last = block.terminator
                if last.op == "OpReturnValue" and (
                    f.is_uneven(last.id(0)) or f.is_divergent(block.label, last.line)
                ):
                    results.add(f.body.id)
                for i in block.instructions:
                    if i.op == "OpFunctionCall":
                        called |= {i.id(0)} if f.is_divergent(block.label, i.line) else set()
                        own = f.parameters_of.get(i.id(0), ())
                        roots = [f.root(i.id(n)) for n in range(1, len(i.operands))]
                        parameters |= {
                            id_
                            for n, id_ in enumerate(own, 1)
                            if f.is_uneven(i.id(n)) or roots.count(f.root(i.id(n))) > 1
                        }
        return _Calls(*map(frozenset, (called, parted, parameters, results, written)))


class _Function:
    """One function: grows ``values`` and ``blocks``, what is divergent, until nothing is added."""

    def __init__(
        self,
        module: SPIRVModule,
        body: SPIRVFunction,
        of_subgroup: bool,
        unwritten: frozenset[str],
        calls: _Calls,
    ) -> None:
        self.module, self.body, self.of_subgroup, self.calls = module, body, of_subgroup, calls
        self.unwritten = unwritten
        self.parameters_of = {
            f.id: tuple(id_ for id_, _ in f.parameters) for f in module.functions if f.blocks
        }
        self.tails: dict[str, int] = {}
        self.leaves_apart = False
        self.shape: ConstructTree = structure(body)
        self.blocks: set[str] = set(self.shape.reachable) if body.id in calls.called else set()
        self.values: set[str] = set()
        self.variables: set[str] = set()
        self.roots: dict[str, str] = {}
        for id_, type_ in body.parameters:
            if id_ in calls.parameters:
                self.values.add(id_)
                self.variables |= {id_} if isinstance(type_, SPIRVPointer) else set()
        before = -1
        while before != (before := len(self.blocks) + len(self.values) + len(self.variables)):
            for block in body.blocks:
                if block.label in self.shape.reachable:
                    self._block(block)

    def is_uneven(self, id_: str) -> bool:
        """Whether a value, or what a pointer to a variable of a function points to, may not be uniform."""
        return id_ in self.values or self.root(id_) in self.variables

    def is_divergent(self, label: str, line: int) -> bool:
        """Whether control flow may not be uniform at a line of a block."""
        tail = self.tails.get(label)
        return label in self.blocks or (tail is not None and line > tail)

    def _block(self, block: SPIRVBlock) -> None:
        for i in block.instructions:
            self._instruction(i, block)
        terminator = block.terminator
        parts = terminator.op in ("OpBranchConditional", "OpSwitch") and terminator.id(0) in self.values
        if parts and (self.module.is_kernel or block.label not in self._covered()):
            self._rest(block.label)  # no construct says where those meet again
        if parts and block.label in self.shape.headed:
            header = self.shape.headed[block.label]
            if not header.is_loop:
                self.blocks |= set(self._inside(header))
        if block.label in self.tails:
            self._rest_of_construct(block.label)
        if not (parts or block.label in self.blocks):
            return
        around = self.shape.headed.get(block.label) if parts else self.shape.of.get(block.label)
        for target in block.successors:
            left = self._construct_left(around or self.shape.of.get(block.label), target, parts)
            if left is not None:
                self.blocks |= set(self._inside(left))
        if terminator.op in _LEAVING:
            self.leaves_apart = True
            outermost = self.shape.of.get(block.label)
            while outermost is not None and outermost.outer is not None:
                outermost = outermost.outer
            if outermost is not None:
                self._rest(outermost.header)

    def uneven_branches(self) -> tuple[int, ...]:
        """The lines of the branches that may send threads different ways."""
        ends = (block.terminator for block in self.body.blocks if block.label in self.shape.reachable)
        return tuple(
            t.line for t in ends if t.op in ("OpBranchConditional", "OpSwitch") and t.id(0) in self.values
        )

    def _covered(self) -> set[str]:
        """Blocks whose branch a construct is about: headers, and those in a construct."""
        return {label for label, around in self.shape.of.items() if around is not None} | set(
            self.shape.headed
        )

    def _inside(self, construct: Construct) -> Iterable[str]:
        return (
            label
            for label, innermost in self.shape.of.items()
            if innermost is not None and construct in innermost.around()
        )

    def _construct_left(self, around: Construct | None, target: str, parts: bool) -> Construct | None:
        """The construct around a branch that it leaves, or continues, past one that it lies in. A selection
        that is left by its own merge block is none. ``parts``: only some of the threads go there."""
        for depth, construct in enumerate(() if around is None else around.around()):
            if construct.is_loop and target in (construct.merge, construct.continue_target):
                goes_on = depth == 0 and target == construct.continue_target and not parts
                return None if goes_on else construct
            if not construct.is_loop and target == construct.merge:
                return construct if depth else None
        return None

    def _rest(self, label: str) -> None:
        """All that can be reached from a block is divergent: some have left before."""
        self.blocks |= self._behind(label)

    def _rest_of_construct(self, label: str) -> None:
        """Threads part in a block, and nobody leaves: they are together again behind the construct around."""
        around = self.shape.of.get(label)
        behind = self._behind(label)
        self.blocks |= (
            behind if around is None or self.module.is_kernel else behind & set(self._inside(around))
        )

    def _behind(self, label: str) -> set[str]:
        """What can be reached from a block."""
        work = [label]
        names: set[str] = set()
        while work:
            for label in self.shape.blocks[work.pop()].successors:
                if label not in names:
                    names.add(label)
                    work.append(label)
        return names

    # -- Values

    def _instruction(self, i: SPIRVInstruction, block: SPIRVBlock) -> None:
        uniform_here = not self.is_divergent(block.label, i.line)
        match i.op:
            case "OpStore" | "OpCopyMemory":
                root = self.root(i.id(0))
                ids = {o for o in i.operands if isinstance(o, str)}
                if (
                    not uniform_here
                    or ids & self.values
                    or (i.op == "OpCopyMemory" and not self._same(i.id(1)))
                ):
                    self.variables.add(root)
            case "OpFunctionCall":
                parameters = self.parameters_of.get(i.id(0))
                for n, argument in enumerate(i.operands[1:]):
                    if parameters is None or parameters[n] in self.calls.variables or not uniform_here:
                        self.variables.add(self.root(str(argument)))
                if i.id(0) in self.calls.parted:
                    self.tails.setdefault(block.label, i.line)
                if i.id(0) in self.calls.results or not uniform_here:
                    self._mark(i)
            case "OpLoad":
                if i.id(0) in self.values or not self._same(i.id(0)):
                    self._mark(i)
            case "OpPhi":
                values = {i.id(n) for n in range(0, len(i.operands), 2)}
                before = {i.id(n) for n in range(1, len(i.operands), 2)}
                if values & self.values or (len(values) > 1 and any(map(self._parted, before))):
                    self._mark(i)
            case op if op in CONVERGENT:
                shared = self.of_subgroup and uniform_here and self._is_shared(i)
                if not shared and i.result is not None:
                    self._mark(i)
            case op if op.startswith("OpAtomic") or op in _ANYTHING:
                self._mark(i)
            case op:
                if op in _CHAINS and i.result is not None:
                    self.roots[i.result] = self.root(i.id(0))
                if any(o in self.values for o in i.operands if isinstance(o, str)):
                    self._mark(i)

    def _mark(self, i: SPIRVInstruction) -> None:
        if i.result is not None:
            self.values.add(i.result)

    def _parted(self, label: str) -> bool:
        """Whether threads come from a block apart."""
        block = self.shape.blocks.get(label)
        if block is None or label not in self.shape.reachable:
            return False
        t = block.terminator
        divergent = t.op in ("OpBranchConditional", "OpSwitch") and t.id(0) in self.values
        return label in self.blocks or divergent

    def root(self, pointer: str) -> str:
        """The variable or parameter that a pointer points into."""
        return self.roots.get(pointer, pointer)

    def _same(self, pointer: str) -> bool:
        """Whether a load at a uniform place gives all threads the same."""
        root = self.root(pointer)
        type_id = self.module.types_of.get(root)
        type_ = self.module.types.get(type_id or "")
        if not isinstance(type_, SPIRVPointer):
            return False
        builtin = self.module.decoration(root, "BuiltIn")
        if builtin is not None:
            known = _SAME_INPUTS | _OF_SUBGROUP if self.of_subgroup else _SAME_INPUTS
            return str(builtin[0]) in known
        match type_.storage:
            case "Function":
                return root not in self.variables
            case "Uniform" | "StorageBuffer" if self.module.is_storage(type_):
                return self.module.is_read_only(root, type_) or root in self.unwritten
            case "Uniform":
                return True
            case storage:
                return storage in _READ_ONLY

    def _is_shared(self, i: SPIRVInstruction) -> bool:
        """Whether an operation gives all of the subgroup the same."""
        if "Reduce" in i.operands:
            return True
        name = i.op.removeprefix("OpGroupNonUniform").removeprefix("OpGroup").removeprefix("OpSubgroup")
        return name.startswith(
            ("All", "Any", "Broadcast", "Ballot", "FirstInvocation", "ReadInvocation")
        ) and (not name.startswith("BallotBit"))


# ----------------------------------------------------------------------------------------------------------
# Where a function's invocations can have come by one way only, so that they go on together.
#
# SPIR-V, 2.2.5, *Dynamic Instance*: invocations continue to execute the same dynamic instances as long as
# they follow the same control-flow path.
# ----------------------------------------------------------------------------------------------------------

Parts = Callable[[str, int | None], bool]
"""Whether threads leave each other in a block (at a call), before a line of it if one is given."""


def on_one_path(
    shape: ConstructTree, first: str, label: str, line: int, uniform: Callable[[str], bool], parts: Parts
) -> bool:
    """Whether all that come to a line of a block took one way since control flow was uniform: each block on
    it has one predecessor, and of a loop that it goes round in each iteration takes one way through the
    block. Cases that several values lead to are left out: an OpSwitch may part them. ``uniform``: whether
    control flow is, at a block's end."""
    before = _predecessors(shape)
    block = label
    end: int | None = line
    while True:
        if parts(block, end):
            return False
        if block == first or (block != label and uniform(block)):
            return uniform(block)
        sources = before.get(block, [])
        back = [b for b in sources if shape.dominates(block, b)]
        if back:
            if len(back) != 1 or not _goes_round(before, block, back[0], label, parts):
                return False
            sources = [b for b in sources if b not in back]
        if len(sources) != 1 or several_values(shape, sources[0], block):
            return False
        block, end = sources[0], None


def _goes_round(before: dict[str, list[str]], header: str, latch: str, label: str, parts: Parts) -> bool:
    """Whether one way leads from a loop's header to its latch, through the block ``label``."""
    block, through = latch, False
    while True:
        through = through or block == label
        if parts(block, None):
            return False
        if block == header:
            return through
        sources = before.get(block, [])
        if len(sources) != 1:
            return False
        block = sources[0]


def _predecessors(shape: ConstructTree) -> dict[str, list[str]]:
    before: dict[str, list[str]] = {}
    for label in shape.reachable:
        for target in dict.fromkeys(shape.blocks[label].successors):
            before.setdefault(target, []).append(label)
    return before


def edges(block: SPIRVBlock, target: str) -> int:
    """How many of a block's branches lead to another: of a switch one for each value, of a condition one for
    each of its values. SPIR-V's phis name a block once, and LLVM's once for each branch."""
    t = block.terminator
    match t.op:
        case "OpSwitch":
            return [t.id(1), *(t.id(n) for n in range(3, len(t.operands), 2))].count(target)
        case "OpBranchConditional":
            return [t.id(1), t.id(2)].count(target)
        case _:
            return int(target in block.successors)


def several_values(shape: ConstructTree, source: str, target: str) -> bool:
    """Whether a switch leads to a block by its default or by more than one value."""
    block = shape.blocks[source]
    t = block.terminator
    return t.op == "OpSwitch" and (t.id(1) == target or edges(block, target) > 1)


# ----------------------------------------------------------------------------------------------------------
# Which values an integer may have, as far as constants in a function show.
#
# An OpSwitch whose selector has few values sends threads with one value to a case that the text would let
# several lead to: the default of a selector of one bit, say, or of one that a compiler made to remember by
# which way a loop was left.
# ----------------------------------------------------------------------------------------------------------

MOST = 16
"""Values that are looked at one by one."""
Values = frozenset[int] | None
"""Bits, as numbers without a sign; ``None``: any."""
_ANY: Values = None


@dataclass(frozen=True, slots=True)
class Selectors:
    """A function's instructions by result, and what is stored to each of its variables that nothing but loads
    and stores name: ``None`` to others."""

    module: SPIRVModule
    definitions: Mapping[str, SPIRVInstruction]
    stored: Mapping[str, tuple[str, ...] | None]
    numbers: Callable[[str], int | None]

    def values(self, id_: str) -> Values:
        """The values that an integer may have. One that nothing defined has none: to branch on it is
        undefined."""
        numbers: set[int] = set()
        names: set[str] = set()
        work = [id_]
        while work:
            at = work.pop()
            if at in names:
                continue
            names.add(at)
            number = self.numbers(at)
            i = self.definitions.get(at)
            if number is not None:
                numbers.add(number)
            elif i is None:
                return _ANY
            elif (sources := self._sources(i)) is not None:
                work += sources
            elif (few := self._computed(i)) is not None:
                numbers |= few
            else:
                return _ANY
            if len(numbers) > MOST:
                return _ANY
        return frozenset(numbers)

    def _sources(self, i: SPIRVInstruction) -> tuple[str, ...] | None:
        """Whose values the result has one of."""
        match i.op:
            case "OpPhi":
                return tuple(i.id(n) for n in range(0, len(i.operands), 2))
            case "OpSelect":
                return i.id(1), i.id(2)
            case "OpCopyObject":
                return (i.id(0),)
            case "OpLoad":
                return self.stored.get(i.id(0))
            case "OpUndef":
                return ()
            case _:
                return None

    def _computed(self, i: SPIRVInstruction) -> Values:
        """Few values whatever the operands are: of a mask, of a remainder."""
        type_ = self.module.types.get(i.type or "")
        if not isinstance(type_, SPIRVInt) or i.op not in ("OpBitwiseAnd", "OpUMod"):
            return _ANY
        constants = [n for n in map(self.numbers, (i.id(0), i.id(1))) if n is not None]
        if i.op == "OpBitwiseAnd" and constants:
            return _submasks(constants[0])
        if i.op == "OpUMod" and (bound := self.numbers(i.id(1))) is not None and 0 < bound <= MOST:
            return frozenset(range(bound))
        return _ANY


def _submasks(mask: int) -> Values:
    if 1 << mask.bit_count() > MOST:
        return _ANY
    masks, at = {0}, mask
    while at:
        masks.add(at)
        at = at - 1 & mask
    return frozenset(masks)


def selectors(module: SPIRVModule, body: SPIRVFunction, numbers: Callable[[str], int | None]) -> Selectors:
    """The analysis of a function; ``numbers`` gives constants."""
    by_block: dict[str, SPIRVInstruction] = {}
    stored: dict[str, list[str] | None] = {}
    inside = [i for block in body.blocks for i in block.instructions]
    for i in inside:
        if i.result is not None:
            by_block[i.result] = i
        if i.op == "OpVariable" and i.result is not None:
            stored[i.result] = [i.id(1)] if len(i.operands) > 1 else []
    for i in inside:
        for at, named in _named(i):
            values = stored.get(named)
            if named not in stored or values is None:
                continue
            if i.op == "OpStore" and at == 0:
                values.append(i.id(1))
            elif not (i.op == "OpLoad" and at == 0):
                stored[named] = None
    return Selectors(
        module, by_block, {id_: None if v is None else tuple(v) for id_, v in stored.items()}, numbers
    )


def _named(i: SPIRVInstruction) -> Iterator[tuple[int, str]]:
    """The ids among the operands, with their places; a variable's initializer names none of the others."""
    if i.op != "OpVariable":
        yield from ((at, o) for at, o in enumerate(i.operands) if isinstance(o, str) and o[:1] == "%")
