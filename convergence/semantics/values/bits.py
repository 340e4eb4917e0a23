"""A first-class value as one bit-vector, and back (LangRef, *bitcast .. to*, *Vector Type*).

The poison mask has a one for each poison bit. Vectors are packed without padding; lane 0 lies in
the lowest bits on little-endian targets, in the highest on big-endian ones.
"""

from __future__ import annotations

from collections.abc import Callable

from ...ir.resources import is_handle
from ...ir.types import PointerType, Type, VectorType
from ..arithmetic.domain import Domain
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
