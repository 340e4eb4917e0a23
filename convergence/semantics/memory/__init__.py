"""Bytes: allocations, typed views, accesses as data, globals at the launch, data races.

Here: typed views of an allocation's bytes, reading and writing values (LangRef, *load*, *store*).

Extra bits of a type that is no whole number of bytes are written as zero and not looked at by a load. Bytes
that were never written read as undef; a scalar with a poison bit reads as poison; a pointer comes back with
its provenance only from all of its own bytes in order, else it points to whatever lies at its address.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ...ir import ArrayType, PointerType, StructType, Type, VectorType, is_handle
from .. import NotModelled
from ..values import Bits, Composite, Pointer, RuntimeValue, Undef, UndefPointer, Value, elements
from ..values.context import from_bits, to_bits, undef, zero
from ..values.datalayout import Layout, refuse_large_type

if TYPE_CHECKING:
    from ..arithmetic.domain import Domain

Read = Callable[[list["Piece"], int], RuntimeValue]
Write = Callable[[list["Piece"], int, RuntimeValue], None]


class Touch(NamedTuple):
    """Bytes ``start`` up to ``stop`` of the object with this identity, read or written."""

    object: int
    start: int
    stop: int
    write: bool


def conflict(mine: Sequence[Touch], theirs: Sequence[Touch]) -> bool:
    """Whether two accesses do not commute: they touch a byte in common, and one of them writes it."""
    return any(
        a.object == b.object and a.start < b.stop and b.start < a.stop and (a.write or b.write)
        for a in mine
        for b in theirs
    )


class Piece:
    """``size`` bytes that were stored at once, byte 0 at offset ``start`` of the allocation.

    ``kind`` is the value's width in bits, negative for pointers. A packed vector has its bits and
    poison ``mask`` here, a scalar its value. Pieces are never changed; a cell may show only a part.
    """

    __slots__ = ("kind", "mask", "size", "start", "value")

    def __init__(self, start: int, size: int, kind: int, value: Value, mask: Bits = None) -> None:
        self.start = start
        self.size = size
        self.kind = kind
        self.value = value
        self.mask = mask

    def moved(self, distance: int) -> Piece:
        """The same bytes, as they stand after a copy to another place."""
        return Piece(self.start + distance, self.size, self.kind, self.value, self.mask)


UNINITIALISED = Piece(0, 0, 0, Undef(0))
"""Stands in every cell that was never written; it has no place."""
ZERO = Piece(0, 0, 0, Value(0))
"""Stands in every cell of a zero-initialised object; it has no place. A byte of any other value that stands
in many cells has none either (:func:`filled`): its size is 0 and its kind 8."""


class UnknownPiece(Piece):
    """Stands in a cell that holds something of which nobody here knows what: whoever looks at it says so, and
    whoever copies it does not look. It has no place."""

    __slots__ = ("feature",)

    def __init__(self, feature: str) -> None:
        self.start, self.size, self.kind, self.mask = 0, 0, 8, None
        self.feature = feature

    @property
    def value(self) -> Value:  # type: ignore[override]
        """Nothing. Raises NotModelled."""
        raise NotModelled(self.feature)


class TypedCells(list[Piece]):
    """Cells that are no list of pieces, but stand where one stands (the base class holds nothing): they may
    know by themselves how a scalar, or a vector whose lanes are no whole bytes, is read and written."""

    __slots__ = ()

    @property
    def numbers_only(self) -> Hashable:
        """All that the bytes show, if they are numbers, poison, or were never written, by something that is
        equal exactly where they show the same; ``None`` if it is not known so."""
        return None

    def read_value(self, type_: Type, kind: int, size: int, at: int) -> RuntimeValue | None:
        """The value, of a :class:`Piece`'s kind; ``None``: it is put together from pieces."""
        return None

    def write_value(self, type_: Type, kind: int, size: int, at: int, value: RuntimeValue) -> bool:
        """Whether the value was written; else it is as pieces."""
        return False


class MovableCells:
    """Stands where a list of pieces stands that are copied: whoever has it knows how they are moved."""

    def moved(self, distance: Any) -> Any:
        raise NotImplementedError


def moved_cells(cells: list[Piece], distance: int) -> list[Piece]:
    """Cells as they stand after a copy to a place ``distance`` bytes further up."""
    if isinstance(cells, MovableCells):
        return cells.moved(distance)  # type: ignore[no-any-return]
    twins: dict[int, Piece] = {}
    return [
        c if not c.size else twins.get(id(c)) or twins.setdefault(id(c), c.moved(distance)) for c in cells
    ]


def filled(length: int, byte: Value) -> list[Piece]:
    """Cells that all show one byte."""
    if type(byte) is Value and isinstance(byte.bits, int) and not byte.bits and byte.poison is False:
        return [ZERO] * length
    return [Piece(0, 0, 8, byte)] * length


def byte_of(piece: Piece, at: int, layout: Layout, domain: Domain) -> tuple[Bits, Bits]:
    """The byte that a cell at offset ``at`` shows, and its poison mask."""
    byte = domain.width(8)
    if not piece.kind:
        return byte.constant(0), byte.constant(0)
    if not piece.size:
        return piece.value.bits, domain.ite(piece.value.poison, byte.constant(-1), byte.constant(0))
    index = at - piece.start
    if layout.big_endian:
        index = piece.size - 1 - index
    whole, width = 8 * piece.size, abs(piece.kind)
    widen, cut = domain.zext(width, whole), domain.extract(8 * index + 7, 8 * index)
    if piece.mask is None:
        none, all_ = byte.constant(0), byte.constant(-1)
        return cut(widen(piece.value.bits)), domain.ite(piece.value.poison, all_, none)
    return cut(widen(piece.value.bits)), cut(widen(piece.mask))


def _bytes(cells: list[Piece], at: int, size: int, layout: Layout, domain: Domain) -> tuple[Bits, Bits]:
    """``size`` bytes as one number in the target's byte order, and their poison mask."""
    parts = [byte_of(cells[i], i, layout, domain) for i in range(at, at + size)]
    if layout.big_endian:
        parts.reverse()
    widths = (8,) * size
    bits, mask = (domain.concat([part[k] for part in parts], widths) for k in (0, 1))
    return bits, mask


def _marked_undef(value: RuntimeValue) -> RuntimeValue:
    if isinstance(value, Composite):
        return Composite(tuple(map(_marked_undef, value.elements)))
    if isinstance(value, Pointer):
        return UndefPointer(value.bits, value.provenance, value.poison)
    return Undef(value.bits, value.poison)


class Typed(NamedTuple):
    """How values of one type are read from and written to cells, and how many bytes they take."""

    size: int
    read: Read
    write: Write


def typed(type_: Type, layout: Layout, domain: Domain) -> Typed:
    """Staged access to values of a type. NotModelled if the type has no size, or its values are too large."""
    refuse_large_type(type_, layout)
    return _typed(type_, layout, domain, {})


def _typed(type_: Type, layout: Layout, domain: Domain, known: dict[int, Typed]) -> Typed:
    """The same; ``known`` has the types that are parts of one type, by identity, as there may be many."""
    entry = known.get(id(type_))
    if entry is None:
        entry = known[id(type_)] = _make(layout.resolve(type_), layout, domain, known)
    return entry


def _make(type_: Type, layout: Layout, domain: Domain, known: dict[int, Typed]) -> Typed:
    match type_:
        case StructType(parts):
            placed = [
                (at, _typed(part, layout, domain, known))
                for at, part in zip(layout.offsets(type_), parts, strict=False)
            ]
            return _sequence(layout.size(type_), placed)
        case ArrayType(count, element):
            stride, element_bytes = layout.size(element), _typed(element, layout, domain, known)
            return _sequence(count * stride, [(i * stride, element_bytes) for i in range(count)])
        case VectorType(count, element, False) if layout.bits(element) % 8 == 0:
            stride, element_bytes = layout.bits(element) // 8, _typed(element, layout, domain, known)
            size = layout.store_size(type_)
            return _sequence(
                size,
                [(i * stride, Typed(stride, element_bytes.read, element_bytes.write)) for i in range(count)],
            )
        case _:
            return _packed(type_, layout, domain)


def _sequence(size: int, placed: list[tuple[int, Typed]]) -> Typed:
    """Element by element; what lies between elements is padding: a store leaves it uninitialised."""
    padded = sum(part.size for _, part in placed) != size

    def read(cells: list[Piece], at: int) -> RuntimeValue:
        return Composite(tuple(part.read(cells, at + offset) for offset, part in placed))

    def write(cells: list[Piece], at: int, value: RuntimeValue) -> None:
        if padded:
            cells[at : at + size] = [UNINITIALISED] * size
        for (offset, part), element in zip(placed, elements(value), strict=True):
            part.write(cells, at + offset, element)

    return Typed(size, read, write)


def _packed(type_: Type, layout: Layout, domain: Domain) -> Typed:
    """A scalar, or a vector whose lanes are no whole bytes: one piece."""
    width, size = layout.bits(type_), layout.store_size(type_)
    vector = isinstance(type_, VectorType)
    kind = -width if isinstance(type_, PointerType) or is_handle(type_) else width
    cut = domain.trunc(8 * size, width)
    split, join = to_bits(type_, layout, domain), from_bits(type_, layout, domain)
    nothing, unset = zero(type_, layout, domain), undef(type_, layout, domain)

    def assemble(cells: list[Piece], at: int) -> RuntimeValue:
        first, shown = cells[at], cells[at : at + size]
        if not first.kind and shown.count(first) == size:
            return nothing if first is ZERO else unset
        if not first.size and kind == 8 and not vector:
            return first.value
        if not vector and all(
            c.kind == kind and c.start == at and c.value is first.value and c.mask is None for c in shown
        ):
            return first.value
        bits, mask = _bytes(cells, at, size, layout, domain)
        value = join(cut(bits), cut(mask))
        return _marked_undef(value) if any(c.value.undef for c in shown) else value

    def read(cells: list[Piece], at: int) -> RuntimeValue:
        if cells.__class__ is not list:
            known = cast("TypedCells", cells).read_value(type_, kind, size, at)
            if known is not None:
                return known
        piece = cells[at]
        if piece.kind == kind and piece.start == at and piece.mask is None and not vector:
            if size == 1 or cells[at : at + size].count(piece) == size:
                return piece.value
        return assemble(cells, at)

    def write(cells: list[Piece], at: int, value: RuntimeValue) -> None:
        assert isinstance(value, Value)
        if cells.__class__ is not list and cast("TypedCells", cells).write_value(
            type_, kind, size, at, value
        ):
            return
        cells[at : at + size] = [Piece(at, size, kind, value)] * size

    def write_vector(cells: list[Piece], at: int, value: RuntimeValue) -> None:
        if cells.__class__ is not list and cast("TypedCells", cells).write_value(
            type_, kind, size, at, value
        ):
            return
        bits, mask = split(value)
        cells[at : at + size] = [Piece(at, size, kind, Value(bits), mask)] * size

    return Typed(size, read, write_vector if vector else write)
