"""LangRef, *Other Operations*: icmp, fcmp, select, freeze. (phi and call are the machine's.)"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count

from ...frozen import dataclass
from ...ir import instructions as ir
from ...ir.types import ArrayType, StructType, Type, VectorType
from ..arithmetic.domain import Domain, Floats, Width
from ..errors import NotModelled
from ..values.constants import poison
from ..values.context import Context, Evaluate
from ..values.value import Bits, Composite, Pointer, RuntimeValue, Truth, Value, elements, scalar
from .fast_math import checked_result, forbidden
from .lifting import Check, element_type, float_kind, lanewise, scalar_bits, strict2

Compare = Callable[[Bits, Bits], Truth]

INTEGER_PREDICATES: Mapping[str, Callable[[Width], Compare]] = {
    "eq": lambda w: w.eq,
    "ne": lambda w: w.ne,
    "ult": lambda w: w.ult,
    "ule": lambda w: w.ule,
    "ugt": lambda w: lambda a, b: w.ult(b, a),
    "uge": lambda w: lambda a, b: w.ule(b, a),
    "slt": lambda w: w.slt,
    "sle": lambda w: w.sle,
    "sgt": lambda w: lambda a, b: w.slt(b, a),
    "sge": lambda w: lambda a, b: w.sle(b, a),
}


def prepare_icmp(instruction: ir.ICmp, context: Context) -> Evaluate:
    """Integers, or pointers by their addresses. samesign: poison if the operands' signs differ."""
    d, type_ = context.domain, instruction.lhs.type
    w = d.width(scalar_bits(type_, context.layout))
    predicate = INTEGER_PREDICATES.get(instruction.predicate)
    if predicate is None:
        raise NotModelled(f"icmp {instruction.predicate}")
    compare, bit = predicate(w), d.bit
    checks: list[Check] = []
    if "samesign" in instruction.flags:
        none = w.constant(0)
        checks = [lambda a, b: w.slt(w.xor(a, b), none)]
    return lanewise(type_, strict2(d, lambda a, b: bit(compare(a, b)), checks))


def _ordered(d: Domain, f: Floats) -> Compare:
    return lambda a, b: d.negate(d.either(f.is_nan(a), f.is_nan(b)))


def float_compare(predicate: str, d: Domain, f: Floats) -> Compare:
    """``oxx``: both are numbers and they compare so; ``uxx``: one is a NaN or they compare so."""

    def less_or_equal(a: Bits, b: Bits) -> Truth:
        return d.either(f.less(a, b), f.equal(a, b))

    ordered = _ordered(d, f)
    relations: dict[str, Compare] = {
        "eq": f.equal,
        "lt": f.less,
        "le": less_or_equal,
        "gt": lambda a, b: f.less(b, a),
        "ge": lambda a, b: less_or_equal(b, a),
        "ne": lambda a, b: d.either(f.less(a, b), f.less(b, a)),
    }
    match predicate[:1], predicate[1:]:
        case _, "rd":
            return ordered
        case _, "no":
            return lambda a, b: d.negate(ordered(a, b))
        case "f", _:
            return lambda a, b: d.false
        case "t", _:
            return lambda a, b: d.true
        case "o", relation if relation in relations:
            return relations[relation]
        case "u", relation if relation in relations:
            compare = relations[relation]
            return lambda a, b: d.either(d.negate(ordered(a, b)), compare(a, b))
        case _:
            raise NotModelled(f"fcmp {predicate}")


def prepare_fcmp(instruction: ir.FCmp, context: Context) -> Evaluate:
    """Numbers by value, zeros equal. nnan, ninf: poison if an operand is a NaN, or an infinity."""
    d, type_ = context.domain, instruction.lhs.type
    kind = float_kind(type_)
    compare, bit = float_compare(instruction.predicate, d, d.floats(kind)), d.bit
    excluded = forbidden(instruction.flags, kind, d)
    checks: list[Check] = []
    if excluded is not None:
        checks = [lambda a, b: excluded(a), lambda a, b: excluded(b)]
    return lanewise(type_, strict2(d, lambda a, b: bit(compare(a, b)), checks))


def _poisoned(value: RuntimeValue, condition: Truth, d: Domain) -> RuntimeValue:
    """The value, with every scalar poison where the condition holds."""
    if condition is False:
        return value
    if isinstance(value, Composite):
        return Composite(tuple(_poisoned(e, condition, d) for e in value.elements))
    spoiled = d.either(value.poison, condition)
    return (
        Pointer(value.bits, value.provenance, spoiled)
        if isinstance(value, Pointer)
        else Value(value.bits, spoiled)
    )


def prepare_select(instruction: ir.Select, context: Context) -> Evaluate:
    """The chosen value, whatever the other is; poison if the condition is. A vector condition chooses by
    lane.

    nnan, ninf apply to the value that is chosen.
    """
    d = context.domain

    def choose(condition: Value, then: RuntimeValue, otherwise: RuntimeValue) -> RuntimeValue:
        return _poisoned(d.choose(d.truth(condition.bits), then, otherwise), condition.poison, d)

    by_lane = isinstance(instruction.condition.type, VectorType)
    element_type(instruction.condition.type)
    evaluate: Evaluate = lanewise(instruction.condition.type, choose) if by_lane else choose
    check = checked_result(instruction.flags, instruction.then.type, d)
    return evaluate if check is None else lambda *operands: check(evaluate(*operands))


def prepare_freeze(instruction: ir.Freeze, context: Context) -> Evaluate:
    """Poison and undef become some fixed value, here 0 and null, or what the environment says; all else
    passes. By element."""
    d, frozen = context.domain, context.frozen
    fixed = poison(instruction.value.type, context.layout, d)

    def freeze(value: RuntimeValue, default: RuntimeValue) -> RuntimeValue:
        if isinstance(value, Composite):
            return Composite(tuple(map(freeze, value.elements, elements(default))))
        chosen = scalar(default)
        bits = d.ite(value.poison, chosen.bits, value.bits)
        if not isinstance(value, Pointer):
            return Value(bits, d.false)
        provenance = chosen.provenance if value.poison is True else value.provenance
        return Pointer(bits, provenance, d.false)

    if frozen is None:
        return lambda value: freeze(value, fixed)
    chosen_bits, leaves = frozen(), _leaves(instruction.value.type, context, count())

    def choose(value: RuntimeValue, default: RuntimeValue, leaf: Leaves) -> RuntimeValue:
        if isinstance(value, Composite):
            assert isinstance(leaf, tuple)
            return Composite(tuple(map(choose, value.elements, elements(default), leaf)))
        if value.poison is True or value.undef:
            assert isinstance(leaf, _Leaf)
            bits = d.width(leaf.bits).constant(chosen_bits(leaf.number))
            if not isinstance(value, Pointer):
                return Value(bits, d.false)
            return Pointer(bits, scalar(default).provenance, d.false)
        return freeze(value, default)

    return lambda value: choose(value, fixed, leaves)


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A scalar in a value: its ``bits``, and its place among the value's scalars."""

    bits: int
    number: int


Leaves = _Leaf | tuple["Leaves", ...]
"""A scalar, or those of each element."""


def _leaves(type_: Type, context: Context, numbers: Iterator[int]) -> Leaves:
    type_ = context.layout.resolve(type_)
    match type_:
        case VectorType(length, element) | ArrayType(length, element):
            return tuple(_leaves(element, context, numbers) for _ in range(length))
        case StructType(parts):
            return tuple(_leaves(part, context, numbers) for part in parts)
        case _:
            return _Leaf(context.layout.bits(type_), next(numbers))
