"""Many numbers of one type into an object's cells, and out of them: what buffers hold.

The two functions are each other's inverse but for what has no number: :class:`PackedNumbers` says where
that is.
"""

from __future__ import annotations

from ...collector import uncollected
from ...frozen import dataclass
from ...ir.operands import Packed
from ...ir.types import Type
from ..arithmetic.domain import Domain
from ..values.datalayout import Layout
from ..values.value import Value
from .bytes import ZERO, Piece, typed
from .packed import ObjectTable, PackedCells


@dataclass(frozen=True, slots=True)
class PackedNumbers:
    """Bit patterns in a row, little-endian in ``data``; zero stands for what has no number, the elements
    that are ``poison`` or ``undef``, by their index."""

    data: bytes
    poison: frozenset[int] = frozenset()
    undef: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class PackedInitializer:
    """Numbers that an object holds from its first byte on."""

    numbers: Packed
    layout: Layout
    domain: Domain

    def cells(self) -> list[Piece]:
        """The object's cells; numbers that are zero are as in an object of zeros."""
        element, data = self.numbers.type.element, self.numbers.data
        size, width = self.layout.store_size(element), self.layout.bits(element)
        make, false = self.domain.width(width).constant, self.domain.false
        cells: list[Piece] = []
        with uncollected():
            for at in range(0, len(data), size):
                bits = int.from_bytes(data[at : at + size], "little")
                cells += [Piece(at, size, width, Value(make(bits), false)) if bits else ZERO] * size
        return cells

    def packed(self, table: ObjectTable) -> PackedCells:
        """The same in raw memory."""
        cells = PackedCells(len(self.numbers.data), table)
        cells.set_numbers(self.numbers.data, self.layout.store_size(self.numbers.type.element))
        return cells


def numbers_in(
    cells: list[Piece], element: Type, count: int, layout: Layout, domain: Domain, start: int = 0
) -> PackedNumbers:
    """The first ``count`` numbers of a type in cells, from byte ``start``."""
    size, read = layout.store_size(element), typed(element, layout, domain).read
    data, zeros = bytearray(size * count), [ZERO] * size
    poison, undef = set[int](), set[int]()
    if isinstance(cells, PackedCells) and layout.bits(element) == 8 * size:
        whole = cells.plain_bytes(start, start + size * count)
        if whole is not None:
            return PackedNumbers(whole)
    width = layout.bits(element)
    for index in range(count):
        at = start + index * size
        shown, first = cells[at : at + size], cells[at]
        if first is ZERO and shown == zeros:
            continue
        plain = (
            first.kind == width and first.start == at and first.mask is None and shown.count(first) == size
        )
        value = first.value if plain else read(cells, at)
        assert isinstance(value, Value)
        if value.poison is not False:
            poison.add(index)
        elif value.undef:
            undef.add(index)
        else:
            data[index * size : (index + 1) * size] = int(value.bits).to_bytes(size, "little")
    return PackedNumbers(bytes(data), frozenset(poison), frozenset(undef))
