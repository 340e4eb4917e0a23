"""How a frame's registers lie in memory where native code runs: the words of each scalar, packed and
unpacked.

A scalar has the words of its bits, 64 each, lowest first, and one word behind them: bit 0 says poison, and
what is above it is a pointer's provenance, by its number in the table of objects. Vectors, arrays and structs
are their scalars in order. What native code never holds has no place: undef, tokens, values to come.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from typing import Any

from ...frozen import dataclass
from ...ir.resources import is_handle
from ...ir.types import ArrayType, FloatType, IntType, PointerType, StructType, TargetType, Type, VectorType
from ..memory.packed import ProvenanceNumbers
from ..values.datalayout import Layout
from ..values.limits import DEPTH
from ..values.value import Composite, Pointer, Value

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
