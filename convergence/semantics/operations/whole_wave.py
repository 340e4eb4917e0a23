"""AMDGPU's whole wave mode: what the lanes compute that take no part (``IntrinsicsAMDGPU.td``, *wwm*, *wqm*).

``strict.wwm(x)`` gives ``x`` as if all lanes of the wave had computed it, ``strict.wqm(x)`` as if all lanes
of each quad had of which one takes part. So such a call is one exchange over the *expression* that defines
``x``: pure instructions, numbers that a lane knows of itself, exchanges of the call's own block, and
``set.inactive(value, other)``, which is ``other`` in a lane that takes no part. The expression ends at
*leaves*, which each lane of the group brings along:

- a constant, or an argument that is uniform by what it is, an ``inreg`` or a kernel's one, is the same in all
  lanes;
- of anything else (a load, a phi, an argument, an exchange or ``set.inactive`` of another block) nobody can
  say in IR what a lane that takes no part holds. If a result depends on that, it is not modelled.

``wqm`` and ``softwqm`` give their operand: they say which lanes compute it, helper lanes among them, and
those are threads of the launch where there are any (semantics.md, §7).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...ir import Local, Operand
from ...ir import instructions as ir
from ...ir.calls import callee_name
from ...ir.instructions import operands
from .. import NotModelled, Undefined
from ..instructions import prepare
from ..instructions.intrinsics import prepare_intrinsic
from ..values import Composite, RuntimeValue, Value, scalars
from . import Alone, Callee, Exchanging, Operands, PerThread, Subgroup, ThreadPlace, Together

if TYPE_CHECKING:
    from ...ir.module import Function
    from ..arithmetic.domain import Domain
    from ..values.context import Context, Evaluate
    from .table import Table

SET_INACTIVE = ("llvm.amdgcn.set.inactive.", "llvm.amdgcn.set.inactive.chain.arg.")
_KERNELS = frozenset(("amdgpu_kernel", "spir_kernel"))


def whole_wave_lanes(name: str) -> Callable[[Mapping[int, Operands], Subgroup], list[int]] | None:
    """Which lanes compute what a call of this function gives; ``None`` for any other function."""
    if name.startswith(("llvm.amdgcn.strict.wwm.", "llvm.amdgcn.wwm.")):
        return lambda group, subgroup: sorted({*range(subgroup.size), *group})
    if name.startswith("llvm.amdgcn.strict.wqm."):
        return lambda group, subgroup: sorted({(lane & ~3) + i for lane in group for i in range(4)})
    return None


# -- the expression -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Leaf:
    """The operand at this place of what the lanes bring along; ``uniform``: the same in every lane."""

    place: int
    uniform: bool


@dataclass(frozen=True, slots=True)
class Pure:
    """A function of nodes, lane by lane."""

    evaluate: Evaluate
    operands: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OwnNumber:
    """What a lane knows of itself, with nodes as operands."""

    alone: Alone
    operands: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WaveExchange:
    """An exchange among all lanes that compute."""

    together: Together
    operands: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Inactive:
    """``value`` in lanes that take part, ``inactive`` elsewhere."""

    value: int
    inactive: int


Node = Leaf | Pure | OwnNumber | WaveExchange | Inactive
Lanes = Mapping[int, RuntimeValue | None]
"""By lane; ``None`` where nobody can say."""


@dataclass(slots=True)
class Expression:
    """The nodes of an expression, each behind its operands, and its leaves."""

    nodes: list[Node] = field(default_factory=list)
    leaves: list[Operand] = field(default_factory=list)

    def add(self, node: Node) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def leaf(self, operand: Operand, uniform: bool) -> int:
        self.leaves.append(operand)
        return self.add(Leaf(len(self.leaves) - 1, uniform))


class _Reader:
    """Reads the expression that defines an operand of a call."""

    def __init__(self, function: Function, call: ir.CallSite, context: Context, table: Table) -> None:
        self.context, self.table, self.expression = context, table, Expression()
        self.defined = {i.result: i for i in function.instructions if i.result is not None}
        kernel = not _KERNELS.isdisjoint(function.convention)
        self.uniform = {p.name for p in function.parameters if kernel or "inreg" in p.attributes}
        own = next(b for b in function.blocks if any(i is call for i in b.instructions))
        self.here = {i.result for i in own.instructions if i.result is not None}

    def read(self, top: Operand) -> int:
        """The number of the node for an operand; those below it come first."""
        numbers: dict[str, int] = {}
        work: list[Operand] = [top]
        while work:
            operand = work[-1]
            if not isinstance(operand, Local) or operand.name in numbers:
                work.pop()
                continue
            parts = self._parts(operand.name)
            open_ = [p for p in parts or () if isinstance(p, Local) and p.name not in numbers]
            if open_:
                work += open_
                continue
            work.pop()
            numbers[operand.name] = self._node(operand, parts, numbers)
        return self._number(top, numbers)

    def _number(self, operand: Operand, numbers: Mapping[str, int]) -> int:
        return numbers[operand.name] if isinstance(operand, Local) else self.expression.leaf(operand, True)

    def _parts(self, name: str) -> tuple[Operand, ...] | None:
        """The operands of an inner node; ``None`` for a leaf."""
        instruction = self.defined.get(name)
        if instruction is None or self._kind(instruction) is None:
            return None
        return operands(instruction)

    def _kind(self, instruction: ir.Instruction) -> object:
        """What an inner node does; ``None`` for a leaf."""
        evaluate = prepare(instruction, self.context)
        if evaluate is not None or not isinstance(instruction, ir.Call):
            return evaluate
        name = callee_name(instruction)
        function = None if name is None else self.context.module.functions.get(name)
        if name is None or function is None or not function.is_declaration:
            return None
        if name.startswith(SET_INACTIVE):
            return SET_INACTIVE if instruction.result in self.here else None
        if (evaluate := prepare_intrinsic(instruction, self.context)) is not None:
            return evaluate
        model = self.table.model(Callee.of(name, instruction, self.context))
        if isinstance(model, Exchanging) and (model.effect or instruction.result not in self.here):
            return None
        return model

    def _node(self, operand: Local, parts: tuple[Operand, ...] | None, places: Mapping[str, int]) -> int:
        if parts is None:
            return self.expression.leaf(operand, operand.name in self.uniform)
        numbers = tuple(self._number(part, places) for part in parts)
        kind = self._kind(self.defined[operand.name])
        match kind:
            case PerThread(alone):
                return self.expression.add(OwnNumber(alone, numbers))
            case Exchanging(together):
                return self.expression.add(WaveExchange(together, numbers))
            case _ if kind is SET_INACTIVE:
                return self.expression.add(Inactive(*numbers))
            case _:
                assert callable(kind)
                return self.expression.add(Pure(kind, numbers))


# -- computing it ------------------------------------------------------------------------------------------


def _settled_values(values: list[RuntimeValue | None]) -> list[RuntimeValue] | None:
    known = [v for v in values if v is not None]
    return known if len(known) == len(values) else None


def _poison_free(value: RuntimeValue, domain: Domain) -> bool:
    """NotModelled where that is not known."""
    parts = [part.poison for part in scalars(value)]
    if any(part is not domain.false and part is not domain.true for part in parts):
        raise NotModelled("what may be poison in whole wave mode")
    return all(part is domain.false for part in parts)


class _Computation:
    """The nodes' values in all lanes that compute, for one group."""

    def __init__(
        self, group: Mapping[int, Operands], subgroup: Subgroup, lanes: list[int], context: Context
    ) -> None:
        self.group, self.subgroup, self.lanes, self.context = group, subgroup, lanes, context
        self.values: list[Lanes] = []

    def node(self, node: Node) -> Lanes:
        match node:
            case Leaf(place, uniform):
                any_lane = self.group[min(self.group)][place] if uniform else None
                return {x: self.group[x][place] if x in self.group else any_lane for x in self.lanes}
            case Pure(evaluate, numbers):
                return {x: self._alone(evaluate, self._operands(numbers, x)) for x in self.lanes}
            case OwnNumber(alone, numbers):
                return {
                    x: None if (v := self._operands(numbers, x)) is None else alone(self._place(x), *v)
                    for x in self.lanes
                }
            case WaveExchange(together, numbers):
                return self._exchanged(together, numbers)
            case Inactive(value, other):
                return {x: self.values[value if x in self.group else other][x] for x in self.lanes}

    def _operands(self, numbers: tuple[int, ...], lane: int) -> list[RuntimeValue] | None:
        return _settled_values([self.values[number][lane] for number in numbers])

    def _place(self, lane: int) -> ThreadPlace:
        return ThreadPlace(self.subgroup.first + lane, lane, self.subgroup)

    def _alone(self, evaluate: Evaluate, operands: list[RuntimeValue] | None) -> RuntimeValue | None:
        try:
            return None if operands is None else evaluate(*operands)
        except Undefined:  # of a lane that takes no part: it has no result to speak of
            return None

    def _exchanged(self, together: Together, numbers: tuple[int, ...]) -> Lanes:
        """A lane whose operands nobody can say brings poison: then what is poison may be anything."""
        operands = {lane: self._operands(numbers, lane) for lane in self.lanes}
        unknown = [lane for lane, v in operands.items() if v is None]
        if len(unknown) == len(operands):
            return dict.fromkeys(self.lanes)
        some = next(v for v in operands.values() if v is not None)
        bad = tuple(self._spoilt(v) for v in some)
        results = together({x: bad if v is None else tuple(v) for x, v in operands.items()}, self.subgroup)
        if not unknown:
            return results
        d = self.context.domain
        return {
            x: results[x] if operands[x] is not None and _poison_free(results[x], d) else None
            for x in self.lanes
        }

    def _spoilt(self, value: RuntimeValue) -> RuntimeValue:
        if isinstance(value, Composite):
            return Composite(tuple(self._spoilt(v) for v in value.elements))
        return Value(value.bits, self.context.domain.true)


def whole_wave(
    function: Function, call: ir.CallSite, name: str, context: Context, table: Table
) -> tuple[tuple[Operand, ...], Exchanging]:
    """What each lane brings to a call of such a function (:func:`whole_wave_lanes`), and the exchange over
    it."""
    which = whole_wave_lanes(name)
    assert which is not None
    reader = _Reader(function, call, context, table)
    top = reader.read(call.arguments[0].value)
    nodes = tuple(reader.expression.nodes)

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        computation = _Computation(group, subgroup, which(group, subgroup), context)
        for node in nodes:
            computation.values.append(computation.node(node))
        results = {lane: computation.values[top][lane] for lane in group}
        known = {lane: value for lane, value in results.items() if value is not None}
        if len(known) < len(results):
            raise NotModelled(f"what lanes hold that take no part, which @{name} depends on")
        return known

    return tuple(reader.expression.leaves), Exchanging(together)
