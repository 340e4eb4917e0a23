"""An object's contents in raw memory, which native code and the reference share.

:class:`PackedCells` stands where a list of pieces stands, and behaves like it; native code reads and writes
the same bytes by their addresses, and leaves what is unusual to the reference. Each byte of an object has a
byte of data and a shadow, a bit set of what is known of it; pointers have, in each four bytes, the number of
the object that they are based on. :class:`ObjectTable` says, by that number, where an object's bytes are.
"""

from __future__ import annotations

import ctypes
import gc
import mmap
from collections.abc import Hashable, Iterable, Iterator, Mapping
from copy import copy
from typing import Any, Literal, NamedTuple, Protocol, Self, SupportsIndex, overload

from ...ir import Type, VectorType
from ..values import NULL, Pointer, Provenance, RuntimeValue, Value
from . import UNINITIALISED, ZERO, Piece, TypedCells, UnknownPiece
from .synchronisation import Encounters, Words, storage_of, storage_offset

UNSET = 0
"""Shadow of a byte that was never written."""
PLAIN = 0b001
"""Of a byte of plain data: the bit that says that the data byte is what a load of numbers sees."""
ZEROED = 0b011
"""Of a byte that shows :data:`..memory.ZERO`, which is also a part of the null pointer."""
ASIDE = 0b100
"""Of a byte whose piece is kept aside, as no data byte can say what it is: undef, a vector of which a part is
poison."""
POISONED = 0b100000
"""Of a byte of poison, of whatever type it was: its data byte is zero."""
POINTER4, POINTER8 = 0x41, 0x81
"""Of a byte of a pointer of four or eight bytes, at a multiple of its size: all of it is there."""
_POINTERS = {POINTER4: 4, POINTER8: 8}

_BYTES = tuple([Piece(0, 0, 8, Value(byte)) for byte in range(256)])
"""What a byte of plain data is, wherever it is."""
_POISON = Piece(0, 0, 8, Value(0, True))
"""What a byte of poison is."""

_SIMPLE = bytes((UNSET, PLAIN, ZEROED, POISONED))
"""Shadows of bytes that are no part of a pointer and whose piece is not kept aside."""
_SEEN = bytes(255 if shadow == PLAIN else 0 for shadow in range(256))
"""Which bits of a data byte say something, by its shadow."""

ANYWHERE_NUMBER, NULL_NUMBER = 0, 1
"""The numbers of no provenance, and of that of ``null``."""


class ProvenanceNumbers(Protocol):
    """Numbers for what pointers are based on: 0 is nothing (one that may point to whatever lies at its
    address)."""

    def number(self, provenance: Provenance | None) -> int | None: ...
    def provenance(self, number: int) -> Provenance | None: ...


_WORDS: Mapping[int, Literal["B", "H", "I", "Q"]] = {1: "B", 2: "H", 4: "I", 8: "Q"}
"""Numbers by their size, as ``memoryview`` names them."""
_SHOWN = bytes([ZEROED, PLAIN, *range(2, 256)])
"""What the shadow says of a number that is zero, and of another one."""


class PackedCells(TypedCells):
    """A list of pieces, one a byte, in raw memory. A piece that is read need not be the one that was written,
    but shows the same."""

    __slots__ = ("_aside", "_data", "_numbering", "_numbers", "_pieces", "_raw", "_shadow", "address", "size")

    def __init__(self, size: int, numbering: ProvenanceNumbers) -> None:
        super().__init__()
        room = (size + 7) // 8 * 8
        self.size = size
        self._numbering = numbering
        self._raw = bytearray(3 * room + 8)
        buffer = (ctypes.c_char * len(self._raw)).from_buffer(self._raw)
        self.address = ctypes.addressof(buffer)
        """Where the data begins; the shadow follows a multiple of eight bytes later, then the numbers."""
        whole = memoryview(self._raw)
        self._data = whole[:size]
        self._shadow = whole[room : room + size]
        self._numbers = whole[2 * room : 3 * room].cast("I")
        self._aside: dict[int, Piece] = {}
        self._pieces: dict[int, Piece] = {}

    @property
    def shadow_address(self) -> int:
        return self.address + (self.size + 7) // 8 * 8

    @property
    def numbers_address(self) -> int:
        return self.address + 2 * ((self.size + 7) // 8 * 8)

    # -- as a list ----------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Piece]:
        return map(self._piece, range(self.size))

    @overload
    def __getitem__(self, key: SupportsIndex) -> Piece: ...
    @overload
    def __getitem__(self, key: slice) -> list[Piece]: ...
    def __getitem__(self, key: Any) -> Any:
        if key.__class__ is slice:
            return [*map(self._piece, range(*key.indices(self.size)))]
        index = int(key)
        if index < 0:
            index += self.size
        if not 0 <= index < self.size:
            raise IndexError("a byte outside its object")
        return self._piece(index)

    def __contains__(self, piece: object) -> bool:
        return any(own is piece for own in self)

    def count(self, piece: Piece) -> int:
        return sum(own is piece for own in self)

    def copy(self) -> Self:
        """What the bytes are now, in other memory."""
        other = type(self)(self.size, self._numbering)
        other._raw[:] = self._raw
        other._aside.update(self._aside)
        other._pieces.update(self._pieces)
        return other

    @property
    def numbers_only(self) -> Hashable:
        shadow = self._shadow.tobytes()
        if shadow.translate(None, _SIMPLE):
            return None
        seen = int.from_bytes(shadow.translate(_SEEN), "little")
        return shadow, int.from_bytes(self._data, "little") & seen

    def changed(self, raw: bytearray) -> PackedCells | None:
        """As many bytes that native code has in ``raw``, which began as these and of which no piece was put
        aside since; ``None`` where they are the same still."""
        if raw == self._raw:
            return None
        other = self.copy()
        other._raw[:] = raw
        return other

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PackedCells):
            same = self._raw == other._raw
            return same and (ASIDE not in self._shadow.tobytes() or [*self] == [*other])
        return [*self] == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr([*self])

    # -- reading ------------------------------------------------------------------------------------

    def _piece(self, at: int) -> Piece:
        match self._shadow[at]:
            case 0b001:
                return _BYTES[self._data[at]]
            case 0b011:
                return ZERO
            case 0:
                return UNINITIALISED
            case 0b100:
                return self._aside[at]
            case 0b100000:
                return _POISON
            case pointer:
                size = _POINTERS[pointer]
                return self._pointer(at // size * size, size)

    def _pointer(self, start: int, size: int) -> Piece:
        """The pointer that begins here: one piece as long as it stays the same one."""
        bits = int.from_bytes(self._data[start : start + size], "little")
        provenance = self._numbering.provenance(self._numbers[start // 4])
        known = self._pieces.get(start)
        if known is not None and known.size == size:
            if known.value.bits == bits and known.value.provenance is provenance:
                return known
        piece = self._pieces[start] = Piece(start, size, -8 * size, Pointer(bits, provenance))
        return piece

    def read_value(self, type_: Type, kind: int, size: int, at: int) -> RuntimeValue | None:
        if kind < 0:
            if self._shadow[at] in _POINTERS and at % size == 0 and _POINTERS[self._shadow[at]] == size:
                return self._pointer(at, size).value
            return None
        data = None if isinstance(type_, VectorType) else self.plain_bytes(at, at + size)
        return None if data is None else Value(int.from_bytes(data, "little") & ((1 << kind) - 1))

    def plain_bytes(self, start: int, stop: int) -> bytes | None:
        """Bytes as loads of numbers see them; ``None`` if they see something else in one of them."""
        shadow = self._shadow[start:stop].tobytes()
        if UNSET in shadow or ASIDE in shadow or POISONED in shadow:
            return None
        return self._data[start:stop].tobytes()

    # -- writing ------------------------------------------------------------------------------------

    def write_value(self, type_: Type, kind: int, size: int, at: int, value: RuntimeValue) -> bool:
        if value.__class__ is not Value or value.poison is not False or kind < 0:
            return False
        end = at + size
        self._spare(at)
        self._spare(end)
        self._data[at:end] = value.bits.to_bytes(size, "little")
        self._shadow[at:end] = bytes([PLAIN]) * size
        return True

    def fill(self, piece: Piece) -> None:
        """All bytes show one piece."""
        if self.size:
            self._write(0, self.size, piece)

    def set_numbers(self, data: bytes, size: int) -> None:
        """Numbers of ``size`` bytes each, side by side from the first byte on; those that are zero show
        :data:`..memory.ZERO`."""
        self._data[: len(data)] = data
        some: Iterable[bool]
        if size in _WORDS:
            some = map(bool, memoryview(data).cast(_WORDS[size]))
        else:
            some = (any(data[at : at + size]) for at in range(0, len(data), size))
        shown = bytes(some).translate(_SHOWN)
        shadow = bytearray(len(data))
        for at in range(size):
            shadow[at::size] = shown
        self._shadow[: len(data)] = shadow

    @overload
    def __setitem__(self, key: SupportsIndex, value: Piece) -> None: ...
    @overload
    def __setitem__(self, key: slice, value: Iterable[Piece]) -> None: ...
    def __setitem__(self, key: Any, value: Any) -> None:
        if key.__class__ is not slice:
            index = int(key)
            key, value = slice(index, index + 1), [value]
        start, stop, _ = key.indices(self.size)
        pieces = value if isinstance(value, list) else list(value)
        if len(pieces) != stop - start:
            raise ValueError("as many pieces as bytes")
        if not pieces:
            return
        self._spare(start)
        self._spare(stop)
        first = pieces[0]
        if pieces.count(first) == len(pieces):
            self._write(start, stop, first)
            return
        at = start
        while at < stop:
            piece, end = pieces[at - start], at + 1
            while end < stop and pieces[end - start] is piece:
                end += 1
            self._write(at, end, piece)
            at = end

    def _spare(self, at: int) -> None:
        """A pointer that begins before this byte and goes on in it is not all there any more: its piece is
        kept aside."""
        size = _POINTERS.get(self._shadow[at], 0) if at < self.size else 0
        if not size or at % size == 0:
            return
        start = at // size * size
        piece = self._pointer(start, size)
        for byte in range(start, start + size):
            self._aside[byte] = piece
            self._shadow[byte] = ASIDE

    def _write(self, start: int, stop: int, piece: Piece) -> None:
        """These bytes show one piece."""
        count = stop - start
        if piece is ZERO or piece is UNINITIALISED:
            self._data[start:stop] = bytes(count)
            self._shadow[start:stop] = bytes([ZEROED if piece is ZERO else UNSET]) * count
            return
        if isinstance(piece, UnknownPiece):
            for at in range(start, stop):
                self._aside[at] = piece
            self._shadow[start:stop] = bytes([ASIDE]) * count
            return
        value = piece.value
        if value.poison is True and piece.mask is None and value.__class__ in (Value, Pointer):
            self._data[start:stop] = bytes(count)
            self._shadow[start:stop] = bytes([POISONED]) * count
            return
        if value.__class__ is Value and value.poison is False and not piece.mask and piece.kind > 0:
            if not piece.size:
                data = bytes([value.bits]) * count
            else:
                whole = value.bits.to_bytes(piece.size, "little")
                data = whole[start - piece.start : stop - piece.start]
            self._data[start:stop] = data
            self._shadow[start:stop] = bytes([PLAIN]) * count
            return
        if value.__class__ is Pointer and value.poison is False and piece.mask is None:
            if (
                piece.start == start
                and piece.size == count
                and piece.kind == -8 * count
                and not start % count
            ):
                number = self._numbering.number(value.provenance)
                if number is not None and count in (4, 8):
                    self._data[start:stop] = value.bits.to_bytes(count, "little")
                    self._shadow[start:stop] = bytes([POINTER4 if count == 4 else POINTER8]) * count
                    self._numbers[start // 4] = number
                    self._pieces[start] = piece
                    return
        for at in range(start, stop):
            self._aside[at] = piece
        self._shadow[start:stop] = bytes([ASIDE]) * count


# -- Where the bytes of objects are

ROW = 128
"""Bytes of an object's row in the table, of which not all are used."""
BASE, SIZE, DATA, SHADOW, NUMBERS, FLAGS, OWNER, STEP, WORDS, STORAGE, ROOM = range(0, 88, 8)
"""Offsets in a row: the object's address, its size in bytes; the host's addresses of its data, shadow and
pointers' numbers; what may be done natively; whose stack it is on (-1: nobody's); and, of a variable of which
each workgroup has an instance of its own, the bytes from a workgroup's row to the next one's (the first of
them follows the variable's), else 0. Of an object whose threads may meet, the host's address of their words
(:mod:`.synchronisation`), else 0, and where its class of storage stands. And how many bytes behind its
beginning an address may lie to be in its bounds."""
READABLE, WRITABLE, RELAXED = 1, 2, 4
"""Flags: native code may read, and write; and accesses need not be aligned."""
_ROWS = 1 << 20
"""Objects of one run that can have rows; the reference alone knows those beyond."""


def _memory() -> mmap.mmap:
    """Room for all rows; the system gives pages as they are written. Where it has no more, there may be that
    of runs which are over and are in cycles. Raises OSError where there is none either."""
    try:
        return mmap.mmap(-1, _ROWS * ROW)
    except OSError:
        gc.collect()
        return mmap.mmap(-1, _ROWS * ROW)


class Packable(Protocol):
    """What the table looks at of an allocation."""

    provenance: Provenance
    owner: int | None
    address_space: int
    constant: bool
    thread_local: bool
    assumed: bool
    relaxed: bool
    alive: bool
    cells: list[Piece] | None


class ObjectPlaces(NamedTuple):
    """The host's addresses of an object's words, data, shadow and pointers' numbers; how many bytes it has,
    and its own address."""

    words: int
    data: int
    shadow: int
    numbers: int
    size: int
    base: int


class ObjectTable:
    """The objects of one run, by number: 0 is no object, 1 that of ``null``; numbers are given once.

    An object's row says that native code may use it only as long as it lives and its contents are packed.
    """

    def __init__(self) -> None:
        self._memory = _memory()
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        self._words = memoryview(self._memory).cast("q")
        self._numbers: dict[int, int] = {NULL.id: NULL_NUMBER}
        self._objects: list[Provenance | None] = [None, NULL]
        self.encounters: Encounters | None = None
        """What threads find out about each other, where there are several."""
        self._words_of: dict[int, tuple[Words, bytearray]] = {}
        self._own: list[object] = []
        """What has to live as long as native code looks there."""

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self._objects)

    def places(self, allocation: Packable) -> ObjectPlaces | None:
        """Where a shared object is whose words are noted; ``None`` for others."""
        at, noted = self._numbers.get(allocation.provenance.id, 0) * ROW // 8, self.words(allocation)
        if noted is None or not self._words[at + FLAGS // 8] & WRITABLE:
            return None
        data, shadow, numbers = (self._words[at + field // 8] for field in (DATA, SHADOW, NUMBERS))
        return ObjectPlaces(noted.address, data, shadow, numbers, noted.size, self._words[at])

    def beside(self, shared: Iterable[Packable], rows: int) -> tuple[ObjectTable, list[ObjectPlaces]]:
        """Another table of as many objects, in which the ``shared`` ones have contents of their own, as they
        are now, and nobody is noted yet; and where these are."""
        other = copy(self)
        other._memory = mmap.mmap(-1, _ROWS * ROW)
        other.address = ctypes.addressof(ctypes.c_char.from_buffer(other._memory))
        other._words = memoryview(other._memory).cast("q")
        other._objects, other._words_of, other._own = self._objects[:rows], {}, []
        count = rows * ROW // 8
        other._words[:count] = self._words[:count]
        places = []
        for allocation in shared:
            cells = allocation.cells
            assert isinstance(cells, PackedCells)
            own, words = cells.copy(), mmap.mmap(-1, max(1, 16 * len(cells)))
            other._own += own, words
            at = self._numbers[allocation.provenance.id] * ROW // 8
            where = ctypes.addressof(ctypes.c_char.from_buffer(words))
            for field, address in (
                (DATA, own.address), (SHADOW, own.shadow_address), (NUMBERS, own.numbers_address),
                (WORDS, where),
            ):  # fmt: skip
                other._words[at + field // 8] = address
            base = allocation.provenance.base
            places.append(
                ObjectPlaces(where, own.address, own.shadow_address, own.numbers_address, len(cells), base)
            )
        return other, places

    def reserve(self, sizes: list[int]) -> list[bytearray]:
        """Rows for objects that native code itself makes and ends, whose room this is: as long as it is
        kept they can be used."""
        numbers = []
        for number, size in enumerate(sizes, len(self._objects)):
            room = (size + 7) // 8 * 8
            raw = bytearray(3 * room + 8)
            address = ctypes.addressof((ctypes.c_char * len(raw)).from_buffer(raw))
            at = number * ROW // 8
            self._words[at + SIZE // 8] = self._words[at + ROOM // 8] = size
            for field, part in (DATA, 0), (SHADOW, room), (NUMBERS, 2 * room):
                self._words[at + field // 8] = address + part
            numbers.append(raw)
        self._objects += [None] * len(sizes)
        return numbers

    def instantiate(self, variable: Packable, first: int, count: int) -> None:
        """So many reserved rows from ``first`` on are threads' own instances of a ``thread_local`` variable:
        all have its address, and nobody else touches them."""
        at = self._numbers[variable.provenance.id] * ROW // 8
        flags = READABLE if variable.constant else READABLE | WRITABLE
        for number in range(first, first + count):
            row = number * ROW // 8
            self._words[row + BASE // 8] = self._words[at + BASE // 8]
            self._words[row + ROOM // 8] = self._words[at + ROOM // 8]
            self._words[row + OWNER // 8], self._words[row + FLAGS // 8] = -1, flags

    def words(self, allocation: Packable) -> Words | None:
        """Where it is noted who touched a shared object's bytes; ``None`` where that does not matter."""
        known = self._words_of.get(allocation.provenance.id)
        return None if known is None else known[0]

    def _make_words(self, allocation: Packable, at: int) -> None:
        identity, size = allocation.provenance.id, allocation.provenance.size
        shared = allocation.owner is None and not allocation.constant
        if self.encounters is None or not shared or identity in self._words_of:
            return
        raw = bytearray(16 * size)
        address = ctypes.addressof((ctypes.c_char * max(1, len(raw))).from_buffer(raw)) if raw else 0
        words = Words(size, address, storage_offset(storage_of(allocation.address_space)))
        self._words_of[identity] = words, raw
        self._words[at + WORDS // 8], self._words[at + STORAGE // 8] = words.address, words.storage

    def number(self, provenance: Provenance | None) -> int | None:
        """The number of what a pointer is based on; ``None``: it has none."""
        return ANYWHERE_NUMBER if provenance is None else self._numbers.get(provenance.id)

    def provenance(self, number: int) -> Provenance | None:
        """What a number stands for."""
        return self._objects[number]

    def owner(self, number: int) -> int | None:
        """Whose stack an object is on, or was."""
        owner: int = self._words[(number * ROW + OWNER) // 8]
        return None if owner < 0 else owner

    def flags(self, number: int) -> int:
        """What native code may do with an object."""
        flags: int = self._words[(number * ROW + FLAGS) // 8]
        return flags

    def add(self, allocation: Packable, instances: int = 0) -> None:
        """A row for a new object, and rows for a variable's ``instances``, one for each workgroup."""
        number = len(self._objects)
        if number + instances >= _ROWS:
            return
        provenance = allocation.provenance
        self._objects.append(provenance)
        self._numbers[provenance.id] = number
        at = number * ROW // 8
        owner = -1 if allocation.owner is None else allocation.owner
        self._words[at], self._words[at + 1] = provenance.base, provenance.size
        self._words[at + ROOM // 8] = provenance.room
        self._words[at + OWNER // 8] = owner
        if instances:
            self._words[at + STEP // 8] = ROW
            self._objects += [None] * instances
        else:
            self.update(allocation)

    def bind(self, variable: Packable, workgroup: int, instance: Packable) -> None:
        """A workgroup's instance of a variable is there."""
        first = self._numbers.get(variable.provenance.id)
        if first is None:
            return
        number, provenance = first + 1 + workgroup, instance.provenance
        self._objects[number], self._numbers[provenance.id] = provenance, number
        at = number * ROW // 8
        self._words[at], self._words[at + 1] = provenance.base, provenance.size
        self._words[at + ROOM // 8] = provenance.room
        self._words[at + OWNER // 8] = -1

    def update(self, allocation: Packable) -> None:
        """The object's contents were made or lost, or it lives or does not."""
        number = self._numbers.get(allocation.provenance.id)
        if number is None:
            return
        cells, at = allocation.cells, number * ROW // 8
        if not (allocation.alive and not allocation.assumed and isinstance(cells, PackedCells)):
            self._words[at + FLAGS // 8] = 0
            return
        self._words[at + DATA // 8] = cells.address
        self._words[at + SHADOW // 8] = cells.shadow_address
        self._words[at + NUMBERS // 8] = cells.numbers_address
        if allocation.thread_local:  # what each thread's own instance begins with
            self._words[at + FLAGS // 8] = 0
            return
        self._make_words(allocation, at)
        flags = READABLE if allocation.constant else READABLE | WRITABLE
        self._words[at + FLAGS // 8] = flags | RELAXED if allocation.relaxed else flags

    def filled(self, size: int, piece: Piece) -> PackedCells:
        """Contents that show one piece, which has no place."""
        packed = PackedCells(size, self)
        packed.fill(piece)
        return packed

    def pack(self, cells: list[Piece]) -> PackedCells:
        """The same contents in raw memory."""
        packed = PackedCells(len(cells), self)
        packed[0 : len(cells)] = cells
        return packed

    def release(self, provenance: Provenance) -> None:
        """The object is gone; its number stays."""
        number = self._numbers.get(provenance.id)
        if number is not None:
            self._words[(number * ROW + FLAGS) // 8] = 0
