"""How a frame's registers lie in memory where native code runs: the words of each scalar, packed and
unpacked.

A scalar has the words of its bits, 64 each, lowest first, and one word behind them: bit 0 says poison, and
what is above it is a pointer's provenance, by its number in the table of objects. Vectors, arrays and structs
are their scalars in order. What native code never holds has no place: undef, tokens, values to come.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from ...frozen import dataclass
from ...ir.resources import is_handle
from ...ir.types import ArrayType, FloatType, IntType, PointerType, StructType, TargetType, Type, VectorType
from ..arithmetic.emitting import EmittedLines, EmittingDomain, NotNative, int_text, truth_text
from ..memory.packed import ProvenanceNumbers
from ..values.datalayout import DEPTH, Layout
from ..values.value import Composite, Pointer, Value
from .translation import ABSENT

WORD = (1 << 64) - 1
LARGEST = 64
"""Scalars of one register at most: more of them stay in the reference."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """``bits`` wide, from word ``at`` on; ``meta`` is the word behind its bits."""

    bits: int
    pointer: bool
    at: int
    meta: int


@dataclass(frozen=True, slots=True)
class Parts:
    """A vector, array or struct."""

    parts: tuple[Place, ...]


Place = Scalar | Parts


class RegisterFile:
    """The places of a function's registers, from the word ``first`` on: ``places`` by register, ``words``
    with those before."""

    def __init__(self, types: Mapping[int, Type], layout: Layout, first: int = 0) -> None:
        self._layout = layout
        self.words = first
        self.places: dict[int, Place] = {}
        for slot, type_ in types.items():
            before = self.words
            measure = layout.measure(type_)
            small = measure.depth <= DEPTH and measure.elements <= LARGEST
            place = self._placed(type_) if small else None
            if place is None:
                self.words = before
            else:
                self.places[slot] = place

    def _scalar(self, type_: Type, pointer: bool) -> Scalar:
        bits, at = self._layout.bits(type_), self.words
        self.words = at + (bits + 63) // 64 + 1
        return Scalar(bits, pointer, at, self.words - 1)

    def _placed(self, type_: Type) -> Place | None:
        type_ = self._layout.resolve(type_)
        match type_:
            case IntType() | FloatType():
                return self._scalar(type_, False)
            case PointerType():
                return self._scalar(type_, True)
            case TargetType() if is_handle(type_):
                return self._scalar(type_, True)
            case VectorType(count, element, False) | ArrayType(count, element) if count <= LARGEST:
                parts = [self._placed(element) for _ in range(count)]
            case StructType(elements) if len(elements) <= LARGEST:
                parts = [self._placed(element) for element in elements]
            case _:
                return None
        parts_there = tuple(part for part in parts if part is not None)
        return Parts(parts_there) if len(parts_there) == len(parts) else None


def scalars(place: Place) -> Iterator[Scalar]:
    """All scalars of a place, depth first."""
    if isinstance(place, Scalar):
        yield place
    else:
        for part in place.parts:
            yield from scalars(part)


def pack(place: Place, value: Any, words: array[int] | memoryview[int], numbers: ProvenanceNumbers) -> bool:
    """Puts a register's contents into its words; False for what native code does not hold."""
    if place.__class__ is Parts:
        if value.__class__ is not Composite:
            return False
        return all(
            pack(part, element, words, numbers)
            for part, element in zip(place.parts, value.elements, strict=True)
        )
    assert isinstance(place, Scalar)
    if place.pointer:
        if value.__class__ is not Pointer:
            return False
        number = numbers.number(value.provenance)
        if number is None:
            return False
        words[place.meta] = number << 1 | value.poison
    elif value.__class__ is Value:
        words[place.meta] = value.poison
    else:
        return False
    bits = value.bits
    if bits >> place.bits:  # wider than its type: a fault elsewhere, which the reference goes on with
        return False
    if place.bits <= 64:
        words[place.at] = bits
    else:
        for at in range(place.at, place.meta):
            words[at] = bits & WORD
            bits >>= 64
    return True


def unpack(place: Place, words: array[int] | memoryview[int], numbers: ProvenanceNumbers) -> Any:
    """A register's contents from its words."""
    if place.__class__ is Parts:
        return Composite(tuple([unpack(part, words, numbers) for part in place.parts]))
    assert isinstance(place, Scalar)
    meta = words[place.meta]
    if place.bits <= 64:
        bits = words[place.at]
    else:
        bits = 0
        for at in range(place.meta - 1, place.at - 1, -1):
            bits = bits << 64 | words[at]
    if place.pointer:
        return Pointer(bits, numbers.provenance(meta >> 1), bool(meta & 1))
    return Value(bits, bool(meta & 1))


# ----------------------------------------------------------------------------------------------------------
# Emitted code that reads and writes the homes of registers: bits in ``%aN``, poison in ``%pN``, and of
# pointers the number of what they are based on in ``%nN``.
#
# The numbers are those above; whoever emits a function declares the places.
# ----------------------------------------------------------------------------------------------------------


def load_home(home: Place, lines: EmittedLines, domain: EmittingDomain) -> Any:
    """The value in a register's home, of the domain that emits ``lines``."""
    if isinstance(home, Parts):
        return Composite(tuple([load_home(part, lines, domain) for part in home.parts]))
    bits = lines.value(home.bits, f"load i{home.bits}, ptr %a{home.at}")
    poison = lines.value(1, f"load i1, ptr %p{home.at}")
    if not home.pointer:
        return Value(bits, poison)
    return Pointer(bits, domain.provenance(lines.value(32, f"load i32, ptr %n{home.at}")), poison)


def store_home(home: Place, value: Any, lines: EmittedLines, domain: EmittingDomain) -> None:
    """Puts a value into a register's home. Raises NotNative for undef, which registers do not hold."""
    if isinstance(home, Parts):
        for part, element in zip(home.parts, value.elements, strict=True):
            store_home(part, element, lines, domain)
        return
    if value.__class__ is not (Pointer if home.pointer else Value):
        raise NotNative("undef")
    lines.line(f"store i{home.bits} {int_text(value.bits)}, ptr %a{home.at}")
    lines.line(f"store i1 {truth_text(value.poison)}, ptr %p{home.at}")
    if home.pointer:
        lines.line(f"store i32 {int_text(domain.object_number(value))}, ptr %n{home.at}")


class RegisterOwner(Protocol):
    """Who emits loads and stores of registers, by their slots."""

    def load(self, slot: int) -> Any: ...

    def store(self, slot: int, value: Any) -> None: ...


class SegmentRegisters:
    """The registers while a segment is emitted: what is known of them in this stretch, else loads."""

    def __init__(self, owner: RegisterOwner) -> None:
        self.owner = owner
        self.values: dict[int, Any] = {}

    def __getitem__(self, slot: int) -> Any:
        if slot == 0:
            return ABSENT
        known = self.values.get(slot)
        if known is None:
            known = self.values[slot] = self.owner.load(slot)
        return known

    def __setitem__(self, slot: int, value: Any) -> None:
        self.owner.store(slot, value)
        self.values[slot] = value
