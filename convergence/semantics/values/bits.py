"""A first-class value as one bit-vector, and back (LangRef, *bitcast .. to*, *Vector Type*).

The poison mask has a one for each poison bit. Vectors are packed without padding; lane 0 lies in
the lowest bits on little-endian targets, in the highest on big-endian ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...ir.resources import is_handle
from ...ir.types import IntType, PointerType, StructType, Type, VectorType
from ..arithmetic.domain import Domain
from .context import Context
from .datalayout import Layout
from .value import Bits, Composite, Pointer, RuntimeValue, Value, elements, scalar

ToBits = Callable[[RuntimeValue], tuple[Bits, Bits]]
FromBits = Callable[[Bits, Bits], RuntimeValue]


def to_bits(type_: Type, layout: Layout, domain: Domain) -> ToBits:
    """Staged: a scalar or vector value to (bits, poison mask)."""
    if isinstance(type_, VectorType):
        lane = to_bits(type_.element, layout, domain)
        widths = (layout.bits(type_.element),) * type_.count

        def vector(value: RuntimeValue) -> tuple[Bits, Bits]:
            lanes = [lane(element) for element in elements(value)]
            if layout.big_endian:
                lanes.reverse()
            bits = domain.concat([b for b, _ in lanes], widths)
            return bits, domain.concat([mask for _, mask in lanes], widths)

        return vector
    width = domain.width(layout.bits(type_))
    none, all_ = width.constant(0), width.constant(-1)

    def single(value: RuntimeValue) -> tuple[Bits, Bits]:
        value = scalar(value)
        return value.bits, domain.ite(value.poison, all_, none)

    return single


def from_bits(type_: Type, layout: Layout, domain: Domain) -> FromBits:
    """Staged: (bits, poison mask) to a scalar or vector value; a scalar with a poison bit is poison.

    A pointer made so may point to whatever lies at its address, as by ``inttoptr``.
    """
    if isinstance(type_, VectorType):
        lane = from_bits(type_.element, layout, domain)
        size = layout.bits(type_.element)
        cuts = [domain.extract((i + 1) * size - 1, i * size) for i in range(type_.count)]
        if layout.big_endian:
            cuts.reverse()
        return lambda bits, mask: Composite(tuple(lane(cut(bits), cut(mask)) for cut in cuts))
    width = domain.width(layout.bits(type_))
    none = width.constant(0)
    if isinstance(type_, PointerType) or is_handle(type_):
        return lambda bits, mask: Pointer(bits, None, width.ne(mask, none))
    return lambda bits, mask: Value(bits, width.ne(mask, none))


# ----------------------------------------------------------------------------------------------------------
# Elements of matrices in registers: words that hold several of them, vectors, or one each.
# ----------------------------------------------------------------------------------------------------------


def result_registers(type_: Type) -> list[Type]:
    """The registers that a result is: those of a struct, or one."""
    return list(type_.elements) if isinstance(type_, StructType) else [type_]


def registers_holding(types: Sequence[Type], bits: int, layout: Layout) -> tuple[int, int]:
    """How many of the first registers of these types so many bits take; and how many bits are left over, or,
    as a negative number, free."""
    count = 0
    while bits > 0 and count < len(types):
        bits -= layout.bits(types[count])
        count += 1
    return count, bits


def register_parts(type_: Type, bits: int) -> list[Type]:
    """The types of the elements of so many bits that a register holds."""
    if isinstance(type_, VectorType):
        return [type_.element] * type_.count
    if isinstance(type_, IntType) and type_.bits > bits:
        return [IntType(bits)] * (type_.bits // bits)
    return [type_]


def from_registers(
    values: Sequence[RuntimeValue], types: Sequence[Type], bits: int, context: Context
) -> Iterator[Value]:
    """The elements of so many bits that lie in registers, from the lowest bit on."""
    d = context.domain
    for value, type_ in zip(values, types, strict=True):
        parts = elements(value) if isinstance(type_, VectorType) else (value,)
        part_type = type_.element if isinstance(type_, VectorType) else type_
        width = context.layout.bits(part_type)
        w = d.width(width)
        for part in map(scalar, parts):
            for at in range(0, width, bits):
                shifted = w.lshr(part.bits, w.constant(at)) if at else part.bits
                yield Value(d.trunc(width, bits)(shifted) if bits < width else shifted, part.poison)


def in_registers(values: Sequence[Value], type_: Type, bits: int, d: Domain) -> RuntimeValue:
    """Elements of so many bits as a result: one register, a vector, or a struct of registers or vectors."""
    if isinstance(type_, StructType):
        per = len(values) // len(type_.elements)
        parts = (values[n * per : (n + 1) * per] for n in range(len(type_.elements)))
        return Composite(
            tuple(in_registers(p, t, bits, d) for p, t in zip(parts, type_.elements, strict=True))
        )
    if isinstance(type_, VectorType):
        return Composite(tuple(values))
    bad = values[0].poison
    for value in values[1:]:
        bad = d.either(bad, value.poison)
    words = [value.bits for value in values]
    return Value(words[0] if len(words) == 1 else d.concat(words, [bits] * len(words)), bad)
