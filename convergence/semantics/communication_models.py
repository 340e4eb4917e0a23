"""Subgroup operations as pure functions of {lane: operands} (D-THREAD).

A model says which participants' operands each result reads; a result is poison if one of those is.
A lane number outside the group gives poison. Vectors are taken element by element.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..ir.types import FloatType, IntType, SimpleType, Type, VectorType
from .context import Context
from .exchanges import Callee, Exchanging, Model, Operands, PerThread, Place, Prepare, Subgroup
from .values import Composite, RuntimeValue, Value, any_poison, scalar
from .values_of_types import poison

Combine = Callable[[Value, Value], Value]
"""One step of a reduction, on scalars that are not poison."""


# -- scalars -----------------------------------------------------------------------------------------


def integer(number: int, bits: int) -> Value:
    """``number`` as an ``i<bits>``."""
    return Value(number & ((1 << bits) - 1), False)


def is_true(value: RuntimeValue) -> bool:
    """Whether an ``i1`` that is not poison, or a number used as truth value, is not zero."""
    return bool(scalar(value).bits)


def width_of(type_: Type) -> int | None:
    """The width of an integer type, else ``None``."""
    return type_.bits if isinstance(type_, IntType) else None


def is_void(type_: Type) -> bool:
    return isinstance(type_, SimpleType) and type_.kind == "void"


def element_type(type_: Type) -> Type:
    """A vector's element type, any other type itself."""
    return type_.element if isinstance(type_, VectorType) else type_


# -- combining ---------------------------------------------------------------------------------------


def combine(
    operation: str, type_: Type, context: Context, signed: bool = True
) -> tuple[Combine, Value] | None:
    """``add``, ``mul``, ``min``, ``max``, ``and``, ``or``, ``xor``, ``sub`` on one scalar type, with
    the neutral element; ``None`` where the type has no such operation."""
    if isinstance(type_, IntType):
        return _integers(operation, type_.bits, context, signed)
    if isinstance(type_, FloatType):
        return _floats(operation, type_.kind, context)
    return None


def _integers(operation: str, bits: int, context: Context, signed: bool) -> tuple[Combine, Value] | None:
    w = context.domain.width(bits)
    less = w.slt if signed else w.ult
    ones = (1 << bits) - 1
    lowest, highest = (1 << (bits - 1), ones >> 1) if signed else (0, ones)
    table: Mapping[str, tuple[Callable[[int, int], int], int]] = {
        "add": (w.add, 0),
        "sub": (w.sub, 0),
        "mul": (w.mul, 1 & ones),
        "and": (w.and_, ones),
        "or": (w.or_, 0),
        "xor": (w.xor, 0),
        "min": (lambda a, b: a if less(a, b) else b, highest),
        "max": (lambda a, b: b if less(a, b) else a, lowest),
    }
    if operation not in table:
        return None
    function, neutral = table[operation]
    return (lambda a, b: Value(function(a.bits, b.bits), False)), Value(neutral, False)


def _floats(operation: str, kind: str, context: Context) -> tuple[Combine, Value] | None:
    f = context.domain.floats(kind)
    one = f.from_int(8, False)(1)
    infinity = f.div(one, 0)
    negative = f.div(f.sub(0, one), 0)
    minus_zero = 1 << (f.width - 1)

    def least(a: int, b: int) -> int:
        """The number of the two if one is NaN, else the smaller (minNum)."""
        if f.is_nan(a):
            return b
        return a if f.is_nan(b) or f.less(a, b) else b

    def greatest(a: int, b: int) -> int:
        if f.is_nan(a):
            return b
        return a if f.is_nan(b) or f.less(b, a) else b

    table: Mapping[str, tuple[Callable[[int, int], int], int]] = {
        "add": (f.add, minus_zero),
        "sub": (f.sub, minus_zero),
        "mul": (f.mul, one),
        "min": (least, infinity),
        "max": (greatest, negative),
    }
    if operation not in table:
        return None
    function, neutral = table[operation]
    return (lambda a, b: Value(function(a.bits, b.bits), False)), Value(neutral, False)


def elementwise(step: Combine) -> Callable[[RuntimeValue, RuntimeValue], RuntimeValue]:
    """A step on scalars, carried to vectors; poison if an operand is."""

    def both(a: RuntimeValue, b: RuntimeValue) -> RuntimeValue:
        if isinstance(a, Composite) and isinstance(b, Composite):
            return Composite(tuple(both(x, y) for x, y in zip(a.elements, b.elements, strict=True)))
        x, y = scalar(a), scalar(b)
        return x if x.poison else y if y.poison else step(x, y)

    return both


# -- reductions and scans ----------------------------------------------------------------------------


def _steps(
    callee: Callee, operation: str, signed: bool
) -> tuple[Callable[..., RuntimeValue], RuntimeValue] | None:
    """The combining function for a call ``T f(T, ...)`` and its neutral element as a ``T``."""
    parameters = callee.type.parameters
    if not parameters or parameters[0] != callee.type.result:
        return None
    type_ = parameters[0]
    found = combine(operation, element_type(type_), callee.context, signed)
    if found is None:
        return None
    step, neutral = found
    whole: RuntimeValue = Composite((neutral,) * type_.count) if isinstance(type_, VectorType) else neutral
    return elementwise(step), whole


def reduction(operation: str, signed: bool = True) -> Prepare:
    """Every lane gets all operands of the group combined, in lane order."""

    def prepare(callee: Callee) -> Model | None:
        found = _steps(callee, operation, signed)
        if found is None:
            return None
        step, _ = found

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            lanes = sorted(group)
            total = group[lanes[0]][0]
            for lane in lanes[1:]:
                total = step(total, group[lane][0])
            return dict.fromkeys(lanes, total)

        return Exchanging(together)

    return prepare


def scan(operation: str, inclusive: bool, signed: bool = True) -> Prepare:
    """Every lane gets the operands of the group's lower lanes combined, its own included or not."""

    def prepare(callee: Callee) -> Model | None:
        found = _steps(callee, operation, signed)
        if found is None:
            return None
        step, neutral = found

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            results: dict[int, RuntimeValue] = {}
            total: RuntimeValue | None = None
            for lane in sorted(group):
                own = group[lane][0]
                with_own = own if total is None else step(total, own)
                results[lane] = with_own if inclusive else neutral if total is None else total
                total = with_own
            return results

        return Exchanging(together)

    return prepare


# -- votes -------------------------------------------------------------------------------------------


def ballot_bits(value: int, type_: Type) -> RuntimeValue | None:
    """A lane mask as an integer, or as a vector of 32-bit words, the lowest lanes first."""
    if isinstance(type_, IntType):
        return integer(value, type_.bits)
    if isinstance(type_, VectorType) and (bits := width_of(type_.element)) is not None:
        return Composite(tuple(integer(value >> (bits * i), bits) for i in range(type_.count)))
    return None


def ballot(predicate: int | None = 0) -> Prepare:
    """The mask of lanes in the group whose operand ``predicate`` is true; all lanes for ``None``."""

    def prepare(callee: Callee) -> Model | None:
        result = callee.type.result
        if ballot_bits(0, result) is None or (predicate is not None and not callee.type.parameters):
            return None

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            if predicate is not None and any(any_poison(v[predicate]) for v in group.values()):
                bad = poison(result, callee.context.layout, callee.context.domain)
                return dict.fromkeys(group, bad)
            mask = sum(1 << lane for lane, v in group.items() if predicate is None or is_true(v[predicate]))
            value = ballot_bits(mask, result)
            assert value is not None
            return dict.fromkeys(group, value)

        return Exchanging(together)

    return prepare


def vote(decide: Callable[[Sequence[bool]], int], predicate: int = 0) -> Prepare:
    """Every lane gets what the group's truth values decide, as an integer 0 or 1."""

    def prepare(callee: Callee) -> Model | None:
        bits = width_of(callee.type.result)
        if bits is None or len(callee.type.parameters) <= predicate:
            return None
        width = bits

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            values = [v[predicate] for v in group.values()]
            if any(any_poison(v) for v in values):
                return dict.fromkeys(group, Value(0, True))
            return dict.fromkeys(group, integer(int(decide([is_true(v) for v in values])), width))

        return Exchanging(together)

    return prepare


def all_equal(operand: int = 0) -> Prepare:
    """Whether the operand is the same in the whole group."""

    def prepare(callee: Callee) -> Model | None:
        bits = width_of(callee.type.result)
        if bits is None or len(callee.type.parameters) <= operand:
            return None
        width = bits

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            values = [v[operand] for v in group.values()]
            if any(any_poison(v) for v in values):
                return dict.fromkeys(group, Value(0, True))
            return dict.fromkeys(group, integer(int(all(v == values[0] for v in values)), width))

        return Exchanging(together)

    return prepare


def elect(callee: Callee) -> Model | None:
    """True in the group's lowest lane only."""
    bits = width_of(callee.type.result)
    if bits is None:
        return None
    width = bits

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        first = min(group)
        return {lane: integer(int(lane == first), width) for lane in group}

    return Exchanging(together)


# -- moving values between lanes ----------------------------------------------------------------------


Source = Callable[[int, Operands, Mapping[int, Operands], Subgroup], int | None]
"""The lane that a lane reads, by its operands; ``None``: its number is poison."""


def moving(source: Source, value: int = 0, own_if_absent: bool = False) -> Prepare:
    """Every lane gets operand ``value`` of the lane that ``source`` names; poison if it is not in
    the group, or its own operand where the target says so."""

    def prepare(callee: Callee) -> Model | None:
        parameters, result = callee.type.parameters, callee.type.result
        if len(parameters) <= value or parameters[value] != result:
            return None
        bad = poison(result, callee.context.layout, callee.context.domain)

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            results: dict[int, RuntimeValue] = {}
            for lane, operands in group.items():
                target = source(lane, operands, group, subgroup)
                if target is not None and target in group:
                    results[lane] = group[target][value]
                else:
                    results[lane] = operands[value] if own_if_absent and target is not None else bad
            return results

        return Exchanging(together)

    return prepare


def first_lane(lane: int, operands: Operands, group: Mapping[int, Operands], subgroup: Subgroup) -> int:
    return min(group)


def lane_in(position: int) -> Source:
    """The lane whose number is an operand."""

    def source(
        lane: int, operands: Operands, group: Mapping[int, Operands], subgroup: Subgroup
    ) -> int | None:
        number = scalar(operands[position])
        return None if number.poison else number.bits

    return source


def lane_by(position: int, function: Callable[[int, int], int]) -> Source:
    """The lane at a distance, or under a mask, that is an operand: ``function(own lane, operand)``."""

    def source(
        lane: int, operands: Operands, group: Mapping[int, Operands], subgroup: Subgroup
    ) -> int | None:
        number = scalar(operands[position])
        return None if number.poison else function(lane, number.bits)

    return source


# -- barriers and what a thread knows of itself ------------------------------------------------------


def barrier(callee: Callee) -> Model | None:
    """Threads wait for their group; nothing is exchanged. It is no memory barrier by itself (D-CAUSE)."""
    if not is_void(callee.type.result):
        return None
    return Exchanging(lambda group, subgroup: {}, effect=True)


def about(function: Callable[[Place], int]) -> Prepare:
    """A number that a thread knows about itself, in whatever integer type the call returns."""

    def prepare(callee: Callee) -> Model | None:
        bits = width_of(callee.type.result)
        if bits is None:
            return None
        width = bits
        return PerThread(lambda place, *operands: integer(function(place), width))

    return prepare


def thread_coordinate(function: Callable[[Place], int]) -> Prepare:
    """A thread's number in one dimension: threads are launched along x, so y and z are constant.

    The dimension is an operand (0 for x) where the call has one.
    """

    def prepare(callee: Callee) -> Model | None:
        bits = width_of(callee.type.result)
        if bits is None:
            return None
        width = bits

        def alone(place: Place, *operands: RuntimeValue) -> RuntimeValue:
            if operands and scalar(operands[0]).poison:
                return Value(0, True)
            dimension = scalar(operands[0]).bits if operands else 0
            return integer(function(place) if dimension == 0 else 0, width)

        return PerThread(alone)

    return prepare
