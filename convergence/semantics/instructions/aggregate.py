"""LangRef, *Vector Operations*."""

from __future__ import annotations

from ...ir import instructions as ir
from ...ir.operands import Aggregate, Int, Operand, Simple, Splat
from ...ir.types import VectorType
from ..errors import NotModelled
from ..values.constants import poison
from ..values.context import Context, Evaluate
from ..values.value import Composite, RuntimeValue, Value, elements
from .lifting import int_width


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
