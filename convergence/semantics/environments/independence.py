"""Values that are computed from others and do not depend on them: ``and i32 %r, 0`` is 0, whatever ``%r`` is.

Dependence of the text (D-DEP) has such a value wait for ``%r``. LLVM's passes see that it need not, and then
the target has executions that the source has only if dependence is read as it is meant: a value depends on
another one if that can change it. A computation is followed back through computations of integers, to what
is none; it does not depend on such an operand if z3 finds no two values of it, with all others the same,
that give different results. What it cannot show, within its limits, depends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from ...frozen import dataclass
from ...ir import instructions as ir
from ...ir.operands import Local, Operand
from ...ir.types import IntType
from ..errors import NotModelled, Undefined
from ..instructions import constant, operands, prepare
from ..threads.translation import Translation
from ..values.context import Context
from ..values.value import Value

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
        question = _Question(sampled.nodes, name, leaves, self._translation.context)
        free = [n for n in sampled.free if not question.changes(n)]
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


class _Question:
    """The computation as z3's terms."""

    def __init__(
        self, nodes: Mapping[str, Node], name: str, leaves: Sequence[Local], context: Context
    ) -> None:
        try:
            from ..arithmetic.symbolic import SymbolicDomain
        except ImportError:  # without z3 nobody can say that it does not depend
            raise _Depends from None
        import z3

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
