"""LangRef, *Vector Operations*, *Aggregate Operations* and *Other Operations*."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import TYPE_CHECKING

from ...frozen import dataclass
from ...ir import Aggregate, ArrayType, Int, Operand, Simple, Splat, StructType, Type, VectorType
from .. import NotModelled
from ..values import Bits, Composite, Pointer, RuntimeValue, Truth, Value, elements, scalar
from ..values.context import Context, Evaluate, poison
from .lifting import (
    Check,
    checked_result,
    element_type,
    float_kind,
    forbidden,
    int_width,
    lanewise,
    scalar_bits,
    strict2,
)

if TYPE_CHECKING:
    from ...ir import instructions as ir
    from ..arithmetic.domain import Domain, Floats, Width

# ----------------------------------------------------------------------------------------------------------
# LangRef, *Vector Operations*.
# ----------------------------------------------------------------------------------------------------------


def fixed_vector(operand: Operand) -> VectorType:
    """An operand's type, which must be a vector of known length."""
    if not isinstance(operand.type, VectorType) or operand.type.scalable:
        raise NotModelled("scalable vectors")
    return operand.type


def prepare_extractelement(instruction: ir.ExtractElement, context: Context) -> Evaluate:
    """The lane; poison if the index is not less than the vector's length, or poison."""
    type_, d = fixed_vector(instruction.vector), context.domain
    w = d.width(int_width(instruction.index.type))
    nothing = poison(type_.element, context.layout, d)
    lanes = [w.constant(i) for i in range(min(type_.count, 1 << w.width))]

    def evaluate(vector: Composite, index: Value) -> RuntimeValue:
        result = nothing
        for lane, element in zip(lanes, vector.elements, strict=False):
            result = d.choose(w.eq(index.bits, lane), element, result)
        return d.choose(index.poison, nothing, result)

    return evaluate


def prepare_insertelement(instruction: ir.InsertElement, context: Context) -> Evaluate:
    """The vector with one lane replaced; all lanes are poison if the index is out of range, or poison."""
    type_, d = fixed_vector(instruction.vector), context.domain
    w = d.width(int_width(instruction.index.type))
    nothing = elements(poison(type_, context.layout, d))
    lanes = [w.constant(i) for i in range(min(type_.count, 1 << w.width))]
    unreachable = type_.count - len(lanes)  # lanes whose number the index type cannot hold
    last = w.constant(len(lanes) - 1)

    def evaluate(vector: Composite, element: RuntimeValue, index: Value) -> Composite:
        lost = d.either(index.poison, w.ult(last, index.bits))
        hits = [w.eq(index.bits, lane) for lane in lanes] + [d.false] * unreachable
        return Composite(
            tuple(
                d.choose(lost, bad, d.choose(hit, element, old))
                for hit, old, bad in zip(hits, vector.elements, nothing, strict=True)
            )
        )

    return evaluate


def shuffle_mask(mask: Operand) -> tuple[int | None, ...]:
    """The mask's lane numbers; ``None`` for poison and undef elements."""
    match mask:
        case Aggregate(_, parts):
            return tuple(part.value if isinstance(part, Int) else _same(part) for part in parts)
        case Splat(_, Int(_, lane)):
            return (lane,) * fixed_vector(mask).count
        case _:
            return (_same(mask),) * fixed_vector(mask).count


def _same(element: Operand) -> int | None:
    """Lane 0 for zeroinitializer, none for poison and undef."""
    return 0 if isinstance(element, Simple) and element.kind == "zeroinitializer" else None


def prepare_shufflevector(instruction: ir.ShuffleVector, context: Context) -> Evaluate:
    """Lanes of the two vectors side by side, as the mask numbers them; poison where the mask is."""
    type_ = fixed_vector(instruction.first)
    mask = shuffle_mask(instruction.mask)
    nothing = poison(type_.element, context.layout, context.domain)

    def evaluate(first: Composite, second: Composite) -> Composite:
        lanes = first.elements + second.elements
        return Composite(tuple(nothing if lane is None else lanes[lane] for lane in mask))

    return evaluate


# -- LangRef, *Aggregate Operations*


def prepare_extractvalue(instruction: ir.ExtractValue, context: Context) -> Evaluate:
    """The element of a struct or array that the indices name."""
    indices = instruction.indices

    def evaluate(aggregate: RuntimeValue) -> RuntimeValue:
        for index in indices:
            aggregate = elements(aggregate)[index]
        return aggregate

    return evaluate


def inserted(aggregate: RuntimeValue, element: RuntimeValue, indices: tuple[int, ...]) -> RuntimeValue:
    """The aggregate with the element that the indices name replaced."""
    if not indices:
        return element
    first, *rest = indices
    parts = elements(aggregate)
    replaced = inserted(parts[first], element, tuple(rest))
    return Composite((*parts[:first], replaced, *parts[first + 1 :]))


def prepare_insertvalue(instruction: ir.InsertValue, context: Context) -> Evaluate:
    """The struct or array with the element that the indices name replaced."""
    indices = instruction.indices
    return lambda aggregate, element: inserted(aggregate, element, indices)


# ----------------------------------------------------------------------------------------------------------
# LangRef, *Other Operations*: icmp, fcmp, select, freeze. (phi and call are the machine's.)
# ----------------------------------------------------------------------------------------------------------


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
