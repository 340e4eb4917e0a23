"""Reductions and scans as pure functions of {lane: operands}, and the scalars below all models.

All arithmetic goes through the context's domain, so that a model computes on terms as it does on
numbers; only the group itself is always known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...ir.types import FloatType, IntType, SimpleType, Type, VectorType
from ..arithmetic.domain import Domain
from ..values.context import Context
from ..values.value import Bits, Composite, RuntimeValue, Truth, Value, scalar, scalars
from .model import Callee, Exchanging, Model, Operands, Prepare, Subgroup

Combine = Callable[[Value, Value], Value]
"""One step of a reduction, on scalars; poison if one of them is."""


# -- scalars -----------------------------------------------------------------------------------------


def integer(number: int, bits: int) -> Value:
    """``number`` as an ``i<bits>``."""
    return Value(number & ((1 << bits) - 1), False)


def width_of(type_: Type) -> int | None:
    """The width of an integer type, else ``None``."""
    return type_.bits if isinstance(type_, IntType) else None


def is_void(type_: Type) -> bool:
    return isinstance(type_, SimpleType) and type_.kind == "void"


def element_type(type_: Type) -> Type:
    """A vector's element type, any other type itself."""
    return type_.element if isinstance(type_, VectorType) else type_


def truth_of(value: RuntimeValue, type_: Type, domain: Domain) -> Truth:
    """Whether a number is not zero; a float's sign does not count, and a NaN is not zero."""
    if isinstance(type_, FloatType):
        return domain.negate(domain.floats(type_.kind).is_zero(scalar(value).bits))
    bits = width_of(type_) or 1
    if bits == 1:
        return domain.truth(scalar(value).bits)
    return domain.width(bits).ne(scalar(value).bits, 0)


def some_poison(values: Sequence[RuntimeValue], domain: Domain) -> Truth:
    """Whether a scalar of these values is poison."""
    result = domain.false
    for value in values:
        for part in scalars(value):
            result = domain.either(result, part.poison)
    return result


def with_poison(value: RuntimeValue, bad: Truth, domain: Domain) -> RuntimeValue:
    """The value, poison also if ``bad``."""
    if isinstance(value, Composite):
        return Composite(tuple(with_poison(v, bad, domain) for v in value.elements))
    return Value(scalar(value).bits, domain.either(scalar(value).poison, bad))


# -- combining ---------------------------------------------------------------------------------------


def combine(
    operation: str, type_: Type, context: Context, signed: bool = True
) -> tuple[Combine, Value] | None:
    """``add``, ``mul``, ``min``, ``max``, ``and``, ``or``, ``xor`` on one scalar type, with the neutral
    element; ``None`` where the type has no such operation."""
    if isinstance(type_, IntType):
        table = _integers(type_.bits, context.domain, signed)
    elif isinstance(type_, FloatType):
        table = _floats(type_.kind, context.domain)
    else:
        return None
    if operation not in table:
        return None
    function, neutral = table[operation]
    either = context.domain.either

    def step(a: Value, b: Value) -> Value:
        return Value(function(a.bits, b.bits), either(a.poison, b.poison))

    return step, Value(neutral, context.domain.false)


Table = Mapping[str, tuple[Callable[[Bits, Bits], Bits], int]]
"""By operation: how bits are combined, and the neutral element."""


def _integers(bits: int, domain: Domain, signed: bool) -> Table:
    w, ite = domain.width(bits), domain.ite
    less = w.slt if signed else w.ult
    ones = (1 << bits) - 1
    lowest, highest = (1 << (bits - 1), ones >> 1) if signed else (0, ones)
    return {
        "add": (w.add, 0),
        "mul": (w.mul, 1 & ones),
        "and": (w.and_, ones),
        "or": (w.or_, 0),
        "xor": (w.xor, 0),
        "min": (lambda a, b: ite(less(b, a), b, a), highest),
        "max": (lambda a, b: ite(less(a, b), b, a), lowest),
    }


def _floats(kind: str, domain: Domain) -> Table:
    """``min`` and ``max`` give the number of the two if one is NaN (minNum)."""
    f, ite, either = domain.floats(kind), domain.ite, domain.either
    one = f.from_int(8, False)(1)
    infinity = f.div(one, 0)
    negative = f.div(f.sub(0, one), 0)
    return {
        "add": (f.add, 0),  # what SPIR-V and OpenCL give before the first lane; -0.0 would be neutral
        "mul": (f.mul, one),
        "min": (lambda a, b: ite(either(f.is_nan(a), f.less(b, a)), b, a), infinity),
        "max": (lambda a, b: ite(either(f.is_nan(a), f.less(a, b)), b, a), negative),
    }


def elementwise(step: Combine) -> Callable[[RuntimeValue, RuntimeValue], RuntimeValue]:
    """A step on scalars, carried to vectors."""

    def both(a: RuntimeValue, b: RuntimeValue) -> RuntimeValue:
        if isinstance(a, Composite) and isinstance(b, Composite):
            return Composite(tuple(both(x, y) for x, y in zip(a.elements, b.elements, strict=True)))
        return step(scalar(a), scalar(b))

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
    pair_step = combine(operation, element_type(type_), callee.context, signed)
    if pair_step is None:
        return None
    step, neutral = pair_step
    whole: RuntimeValue = Composite((neutral,) * type_.count) if isinstance(type_, VectorType) else neutral
    return elementwise(step), whole


def reduction(operation: str, signed: bool = True) -> Prepare:
    """Every lane gets all operands of the group combined, in lane order."""

    def prepare(callee: Callee) -> Model | None:
        steps = _steps(callee, operation, signed)
        if steps is None:
            return None
        step, _ = steps

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
        steps = _steps(callee, operation, signed)
        if steps is None:
            return None
        step, neutral = steps

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
