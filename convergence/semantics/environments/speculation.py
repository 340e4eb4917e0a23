"""What does not depend on a value to come: computations that are the same for any, and code behind the
join of a branch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from ...alignment import StaticInstance
from ...frozen import dataclass
from ...ir import IntType, Local, Operand
from ...ir import instructions as ir
from ...ir.calls import callee_name
from ...ir.instructions import operands
from ...rules import Rule
from .. import IllegalExecution, NotModelled, Undefined
from ..instructions import prepare, prepare_access
from ..instructions.expressions import constant
from ..threads.translation import Translation, carries_tokens, decided
from ..values import Pending, Unknown, Value, settled

if TYPE_CHECKING:
    from ...ir.module import Block, Function, Module
    from ..threads import CodeBlock, Frame, Registers
    from ..values.context import Context

# ----------------------------------------------------------------------------------------------------------
# Values that are computed from others and do not depend on them: ``and i32 %r, 0`` is 0, whatever ``%r``
# is.
#
# Dependence of the text (D-DEP) has such a value wait for ``%r``. LLVM's passes see that it need not, and
# then the target has executions that the source has only if dependence is read as it is meant: a value
# depends on another one if that can change it. A computation is followed back through computations of
# integers, to what is none; it does not depend on such an operand if z3 finds no two values of it, with all
# others the same, that give different results. What it cannot show, within its limits, depends.
# ----------------------------------------------------------------------------------------------------------

LARGEST = 24
"""Computations that one is followed back through, at most."""
SAMPLES = 12
"""Values with which a dependence is looked for before the solver is asked."""
MILLISECONDS = 300
"""What the solver has for one question."""
_WIDEST = 64

Evaluate = Callable[..., Any]
Node = tuple[ir.Instruction, tuple[Operand, ...]]


@dataclass(frozen=True, slots=True)
class ReducedComputation:
    """A computation without the operands that cannot change it: of the values in the registers ``slots``.
    ``without`` are the registers of the others."""

    evaluate: Evaluate
    slots: tuple[int, ...]
    without: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _SampledComputation:
    """The computations behind a result, what they are computed from, what gives the result of the values of
    these, and the places of those that changed it for no values that were tried."""

    nodes: Mapping[str, Node]
    leaves: Sequence[Local]
    evaluate: Callable[[Sequence[Any]], Any]
    free: Sequence[int]


class _Depends(Exception):
    """Nothing can be shown."""


class Independence:
    """What the computations of one function do not depend on, found out when it is asked, and kept."""

    def __init__(self, translation: Translation) -> None:
        self._translation = translation
        self._definitions = {i.result: i for i in translation.function.instructions if i.result is not None}
        self._known: dict[str, ReducedComputation | None] = {}
        self._sampled: dict[str, _SampledComputation | None] = {}
        self._by_slot = {slot: name for name, slot in translation.code.slots.items()}

    def of(self, slot: int) -> ReducedComputation | None:
        """The computation whose result is in a register; ``None`` if it depends on all its operands."""
        name = self._by_slot.get(slot)
        if name is None:
            return None
        if name not in self._known:
            try:
                self._known[name] = self._reduced(name)
            except (_Depends, NotModelled, Undefined):
                self._known[name] = None
        return self._known[name]

    def suspects(self, slot: int) -> tuple[int, ...]:
        """The registers of the operands that may prove unable to change the computation whose result is in a
        register: no values that were tried show that they can. Those of :meth:`of` are among them, and this
        asks no solver."""
        name = self._by_slot.get(slot)
        sampled = None if name is None else self._sample(name)
        if sampled is None:
            return ()
        slots = self._translation.code.slots
        return tuple(slots[sampled.leaves[n].name] for n in sampled.free)

    def _sample(self, name: str) -> _SampledComputation | None:
        if name not in self._sampled:
            try:
                self._sampled[name] = self._without_solver(name)
            except (_Depends, NotModelled, Undefined):
                self._sampled[name] = None
        return self._sampled[name]

    def _without_solver(self, name: str) -> _SampledComputation:
        nodes, leaves = self._back(name)
        plain = _compute(nodes, name, leaves, self._translation.context)
        types = [leaf.type for leaf in leaves]
        free = [n for n in range(len(leaves)) if not _changes(plain, types, n)]
        return _SampledComputation(nodes, leaves, plain, free)

    def _reduced(self, name: str) -> ReducedComputation | None:
        sampled = self._sample(name)
        if sampled is None or not sampled.free:
            return None
        leaves, plain = sampled.leaves, sampled.evaluate
        free = _irrelevant(sampled, name, self._translation.context)
        if not free:
            return None
        code = self._translation.code
        kept = [n for n in range(len(leaves)) if n not in free]

        def evaluate(*values: Value) -> Any:
            leaves_values: list[Any] = [Value(0, False)] * len(leaves)
            for place, value in zip(kept, values, strict=True):
                leaves_values[place] = value
            return plain(leaves_values)

        registers = [code.slots[leaf.name] for leaf in leaves]
        return ReducedComputation(
            evaluate, tuple(registers[n] for n in kept), tuple(registers[n] for n in free)
        )

    def _back(self, name: str) -> tuple[dict[str, Node], list[Local]]:
        """The computations behind a result, operands first, and what they are computed from."""
        nodes: dict[str, Node] = {}
        leaves: dict[str, Local] = {}

        def follow(operand: Operand) -> None:
            if not isinstance(operand.type, IntType) or operand.type.bits > _WIDEST:
                raise _Depends
            if not isinstance(operand, Local) or operand.name in nodes or operand.name in leaves:
                return
            entry = self._definitions.get(operand.name)
            if entry is None or not isinstance(entry, _COMPUTES) or len(nodes) >= LARGEST:
                leaves[operand.name] = operand
                return
            parts = operands(entry)
            for part in parts:
                follow(part)
            nodes[operand.name] = entry, parts

        entry = self._definitions.get(name)  # a parameter's promise is kept in its own register
        if not isinstance(entry, _COMPUTES):
            raise _Depends
        parts = operands(entry)
        for part in parts:
            follow(part)
        nodes[name] = entry, parts
        return nodes, list(leaves.values())


_COMPUTES = (ir.Binary, ir.ICmp, ir.Select, ir.Conversion)


def _compute(
    nodes: Mapping[str, Node], name: str, leaves: Sequence[Local], context: Context
) -> Callable[[Sequence[Any]], Any]:
    """The result from the values of the leaves, over the context's arithmetic."""
    steps: list[tuple[str, Evaluate, list[Any]]] = []
    names = [leaf.name for leaf in leaves]
    for result, (instruction, parts) in nodes.items():
        evaluate = prepare(instruction, context)
        if evaluate is None:
            raise _Depends
        sources: list[Any] = []
        for part in parts:
            if isinstance(part, Local):
                sources.append(part.name)
            else:
                value = constant(part, context)
                if not isinstance(value, Value) or value.poison is not False or value.undef:
                    raise _Depends
                sources.append(value)
        steps.append((result, evaluate, sources))

    def compute(values: Sequence[Any]) -> Any:
        known: dict[str, Any] = dict(zip(names, values, strict=True))
        for result, evaluate, sources in steps:
            known[result] = evaluate(*[known[s] if isinstance(s, str) else s for s in sources])
        return known[name]

    return compute


def _changes(compute: Callable[[Sequence[Any]], Any], types: Sequence[Any], place: int) -> bool:
    """Whether some values show that the result depends on the leaf at a place."""
    random = Random(place)

    def draw(bits: int) -> Value:
        special = (0, 1, 2, (1 << bits) - 1, 1 << (bits - 1), random.getrandbits(bits))
        return Value(random.choice(special) % (1 << bits), False)

    for _ in range(SAMPLES):
        operands = [draw(type_.bits) for type_ in types]
        result = compute(operands)
        operands[place] = draw(types[place].bits)
        other = compute(operands)
        if not (
            isinstance(result, Value) and isinstance(other, Value)
        ):  # a vector, made of an integer's bits
            raise _Depends
        if (result.bits, result.poison) != (other.bits, other.poison):
            return True
    return False


def _irrelevant(sampled: _SampledComputation, name: str, context: Context) -> list[int]:
    """The places of the free leaves on which the computation is proved not to depend."""
    try:
        from ..arithmetic.symbolic import one_thread
    except ImportError:  # without z3 nobody can say that it does not depend
        raise _Depends from None
    with one_thread():
        question = _Question(sampled.nodes, name, sampled.leaves, context)
        return [n for n in sampled.free if not question.changes(n)]


class _Question:
    """The computation as z3's terms."""

    def __init__(
        self, nodes: Mapping[str, Node], name: str, leaves: Sequence[Local], context: Context
    ) -> None:
        import z3

        from ..arithmetic.symbolic import SymbolicDomain

        def undecided(condition: Any) -> bool:
            raise _Depends

        self._compute = _compute(nodes, name, leaves, replace(context, domain=SymbolicDomain(undecided)))
        self._leaves: list[Any] = []
        self._replacements: list[Any] = []
        for leaf in leaves:
            assert isinstance(leaf.type, IntType)
            self._leaves.append(Value(z3.BitVec(f"{leaf.name}", leaf.type.bits), False))
            self._replacements.append(Value(z3.BitVec(f"another {leaf.name}", leaf.type.bits), False))

    def changes(self, place: int) -> bool:
        """Whether the leaf at a place may change the result, as far as it is known."""
        import z3

        operands = list(self._leaves)
        result = self._compute(operands)
        operands[place] = self._replacements[place]
        other = self._compute(operands)
        solver = z3.Solver()
        solver.set("timeout", MILLISECONDS)
        differ = [result.bits != other.bits, result.poison != other.poison]
        terms = [z3.BoolVal(term) if isinstance(term, bool) else term for term in differ]
        solver.add(z3.Or(*terms))
        return bool(solver.check() != z3.unsat)


# ----------------------------------------------------------------------------------------------------------
# Branches over computations only: what comes after their join does not depend on them.
#
# Under D-DEP an operation depends on a branch that decides whether it is executed, or which value it is
# given; not on one that it merely follows. So a thread that cannot decide a branch yet goes on behind the
# join, where nothing but computations lies between: the values of the join's phis are to come. Its trace
# does not have the blocks between: such executions are for their outcomes.
# ----------------------------------------------------------------------------------------------------------


MOST = 12
"""Blocks between a branch and its join, at most."""

Computation = tuple[Callable[..., Any], tuple[int, ...], int]
"""What is evaluated, the registers of its operands, the register of its result."""


@dataclass(frozen=True, slots=True)
class Inside:
    """A block: its computations, and where it goes on: to the first target if the value in a register is
    true, else to the second; always to the first for register -1."""

    name: str
    computations: tuple[Computation, ...]
    condition: int
    targets: tuple[str, str]
    where: StaticInstance


@dataclass(frozen=True, slots=True)
class BranchRegion:
    """What lies between a branch and its ``join``. ``moves`` is what following an edge copies from register
    to register, ``results`` the registers of the join's phis."""

    branch: Inside
    join: CodeBlock
    blocks: Mapping[str, Inside]
    moves: Mapping[tuple[str, str], tuple[tuple[int, int], ...]]
    results: tuple[int, ...]

    def pass_over(self, unsettled: list[list[Pending]], thread: int, frame: Frame) -> None:
        """Leaves the values of the join's phis to come. ``unsettled`` is the machine's, by thread."""
        whole = _Run(self, unsettled, thread).follow(self.branch, list(frame.registers))
        waiting = unsettled[thread]
        waiting.append(whole)
        for place, slot in enumerate(self.results):
            frame.registers[slot] = part = Pending(self.branch.where, _Part(place), (whole,))
            waiting.append(part)


@dataclass(frozen=True, slots=True)
class _Part:
    """One of the values that a region gives."""

    place: int

    def __call__(self, values: tuple[Any, ...]) -> Any:
        return values[self.place]


@dataclass(frozen=True, slots=True)
class _Run:
    """A thread's way through a region, as far as its branches can be decided; on a copy of the registers."""

    region: BranchRegion
    unsettled: list[list[Pending]]
    thread: int

    def follow(self, block: Inside, registers: Registers) -> Any:
        """From the end of a block to the join: the values of its phis, or, at a branch whose value is to
        come, all of them to come."""
        while True:
            target = block.targets[0]
            if block.condition >= 0:
                value = settled(registers[block.condition])
                if value.__class__ is Pending:
                    return Pending(block.where, Continuation(self, block, registers), (value,))
                decided(value, "br")
                target = block.targets[0 if value.bits else 1]
            moves = self.region.moves[block.name, target]
            values = [registers[source] for source, _ in moves]
            for (_, slot), moved in zip(moves, values, strict=True):
                registers[slot] = moved
            if target == self.region.join.name:
                return tuple(registers[slot] for slot in self.region.results)
            block = self.region.blocks[target]
            for computation in block.computations:
                self._compute(computation, block.where, registers)

    def _compute(self, computation: Computation, where: StaticInstance, registers: Registers) -> None:
        evaluate, slots, slot = computation
        values = [settled(registers[s]) for s in slots]
        unknown = next((v for v in values if v.__class__ is Unknown), None)
        value: Any = unknown
        if unknown is None and any(v.__class__ is Pending for v in values):
            value = Pending(where, evaluate, tuple(values))
            self.unsettled[self.thread].append(value)
        elif unknown is None:
            value = evaluate(*values)
        if slot >= 0:
            registers[slot] = value


@dataclass(frozen=True, slots=True)
class Continuation:
    """What goes on when a branch's value has come."""

    run: _Run
    block: Inside
    registers: Registers

    def __call__(self, value: Any) -> Any:
        self.registers[self.block.condition] = value
        return self.run.follow(self.block, self.registers)


# -- which branches -----------------------------------------------------------------------------------


def region_of(translation: Translation, block: Block) -> BranchRegion | None:
    """The region of a block's conditional branch; ``None`` if there is no join near by, or something but
    computations on the way: a loop, a call, an access, the header of a cycle that is counted, a phi of
    tokens."""
    code = translation.code
    number = {name: n for n, name in enumerate(b.name for b in translation.function.blocks)}
    start = _inside(translation, block, number, True)
    if start is None:
        return None
    known: dict[str, Inside | None] = {}

    def inside(name: str) -> Inside | None:
        if name not in known:
            code_block = translation.function.blocks[number[name]]
            plain = (
                not code.blocks[number[name]].heads and name != block.name and not carries_tokens(code_block)
            )
            known[name] = _inside(translation, code_block, number, False) if plain else None
        return known[name]

    candidates = list(dict.fromkeys(start.targets))
    for join in candidates:  # grows: breadth first, so that the nearest join comes first
        blocks = between(start, join, inside)
        if blocks is not None:
            if carries_tokens(translation.function.blocks[number[join]]):
                return None
            return _region(translation, start, join, blocks, number)
        following = inside(join)
        if following is not None and len(candidates) < MOST:
            candidates += [t for t in dict.fromkeys(following.targets) if t not in candidates]
    return None


def between(start: Inside, join: str, inside: Callable[[str], Inside | None]) -> dict[str, Inside] | None:
    """The blocks on the ways from a branch to ``join``; ``None`` if one does not lead there, without a
    circle, over computations only."""
    insides: dict[str, Inside] = {}
    way = join, inside, insides, set[str]()
    return insides if all(_leads(target, *way) for target in dict.fromkeys(start.targets)) else None


def _leads(
    name: str,
    join: str,
    inside: Callable[[str], Inside | None],
    insides: dict[str, Inside],
    under_way: set[str],
) -> bool:
    if name == join or (name in insides and name not in under_way):
        return True
    block = inside(name)
    if block is None or name in under_way or len(insides) >= MOST:
        return False
    insides[name] = block
    under_way.add(name)
    way = join, inside, insides, under_way
    leads = all(_leads(target, *way) for target in dict.fromkeys(block.targets))
    under_way.discard(name)
    return leads


def _inside(translation: Translation, block: Block, number: Mapping[str, int], branch: bool) -> Inside | None:
    """A block as a part of a region; of the ``branch`` only its end."""
    match block.terminator:
        case ir.Br(target):
            condition, targets = -1, (target, target)
        case ir.CondBr(value, then, otherwise):
            condition, targets = translation.slot(value), (then, otherwise)
        case _:
            return None
    node = translation.code.graph.nodes[number[block.name]]
    where = StaticInstance(translation.code.name, node.first + len(block.instructions) - 1)
    computations: list[Computation] = []
    for instruction in () if branch else block.instructions:
        if instruction is block.terminator or isinstance(instruction, ir.Phi | ir.DebugRecord):
            continue
        computation = _computation(translation, instruction)
        if computation is None:
            return None
        computations.append(computation)
    return Inside(block.name, tuple(computations), condition, targets, where)


def _computation(translation: Translation, instruction: ir.Instruction) -> Computation | None:
    if isinstance(instruction, ir.CallSite | ir.Alloca):
        return None
    context = translation.program.context
    try:
        if prepare_access(instruction, context) is not None:
            return None
        evaluate = translation.evaluate(instruction)
        if evaluate is None:
            return None
        return evaluate, translation.slots(operands(instruction)), translation.result(instruction)
    except (NotModelled, Undefined):
        return None


def _region(
    translation: Translation,
    start: Inside,
    join: str,
    blocks: dict[str, Inside],
    number: Mapping[str, int],
) -> BranchRegion | None:
    moves = {}
    try:
        for block in (start, *blocks.values()):
            for target in block.targets:
                moves[block.name, target] = translation.copies(block.name, target)
    except (NotModelled, Undefined):
        return None
    phis = [
        translation.result(i)
        for i in translation.function.blocks[number[join]].instructions
        if isinstance(i, ir.Phi)
    ]
    return BranchRegion(start, translation.code.blocks[number[join]], blocks, moves, tuple(phis))


# -- Branches over operations: a thread goes on as if it knew the way, so that others need not wait for it
# As for branches over computations, what stands behind the join of a branch is free of it under D-DEP. Where
# operations lie between, a thread supposes a way (a choice) and walks on. What it does before the join
# happens only when the branch's value has come; a run in which that says otherwise is none.


@dataclass(frozen=True, slots=True)
class Supposed:
    """A way that a thread supposed: in which activation, up to which block, until which value comes."""

    frame: Frame
    join: CodeBlock
    value: Pending


@dataclass(frozen=True, slots=True)
class WayCheck:
    """What a branch's value is held against when it comes."""

    way: bool

    def __call__(self, value: Any) -> None:
        decided(value, "br")
        if bool(value.bits) is not self.way:
            raise IllegalExecution(Rule.D_CAUSE, "a branch went another way than was supposed", repeats=True)


def depending(where: StaticInstance, value: Any, on: Pending) -> Pending:
    """``value``, which is there only when ``on`` is: a phi's, which a branch has chosen."""
    return Pending(where, last, (on, value))


def last(*values: Any) -> Any:
    return values[-1]


# -- which branches -----------------------------------------------------------------------------------


def join_of(translation: Translation, block: Block) -> CodeBlock | None:
    """The join of a block's conditional branch; ``None`` if there is none near by, or a loop, the header of
    a cycle that is counted, or what touches memory on the way, or if a phi takes a token there."""
    code, blocks = translation.code, translation.function.blocks
    number = {b.name: n for n, b in enumerate(blocks)}
    start = _shape_of(block)
    if start is None:
        return None

    def inside(name: str) -> Inside | None:
        code_block = blocks[number[name]]
        plain = name != block.name and not code.blocks[number[name]].heads
        if not plain or touches_memory(code_block.instructions, translation.program.module):
            return None
        return _shape_of(code_block)

    candidates = list(dict.fromkeys(start.targets))
    for join in candidates:
        if between(start, join, inside) is not None:
            return None if carries_tokens(blocks[number[join]]) else code.blocks[number[join]]
        following = inside(join)
        if following is not None:
            candidates += [t for t in dict.fromkeys(following.targets) if t not in candidates]
    return None


def _shape_of(block: Block) -> Inside | None:
    nowhere = StaticInstance("", 0)
    match block.terminator:
        case ir.Br(target):
            return Inside(block.name, (), -1, (target, target), nowhere)
        case ir.CondBr(_, then, otherwise):
            return Inside(block.name, (), 0, (then, otherwise), nowhere)
        case _:
            return None


_PLAIN = (
    ir.Br, ir.CondBr, ir.Ret, ir.Switch, ir.Phi, ir.DebugRecord, ir.Binary, ir.ICmp, ir.Select, ir.Conversion,
    ir.Freeze,
)  # fmt: skip


def touches_memory(
    instructions: Iterable[ir.Instruction], module: Module, callers: tuple[str, ...] = ()
) -> bool:
    """Whether there is anything but plain computations, control flow, and direct calls of functions that are
    declared, or defined and do no more than that."""
    functions: Mapping[str, Function] = module.functions
    for instruction in instructions:
        if isinstance(instruction, _PLAIN):
            continue
        name = callee_name(instruction) if isinstance(instruction, ir.CallSite) else None
        callee = None if name is None else functions.get(name)
        if callee is None or callee.name in callers or callee.name.startswith("llvm.mem"):
            return True
        inner = (*callers, callee.name)
        if not callee.is_declaration and touches_memory(callee.instructions, module, inner):
            return True
    return False
