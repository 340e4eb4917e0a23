"""Element types of buffers, by the names that people give them: ``i32``, ``u8``, ``f16``, ``float32``.

Signed and unsigned integers are one type of LLVM IR; the sign says how numbers are shown and saved. numpy
has no bfloat16: an array of ``bf16`` is one of its bit patterns, as unsigned 16-bit integers.
"""

from __future__ import annotations

import struct
from contextlib import suppress
from math import isfinite

from ...frozen import dataclass
from ...ir.types import FloatType, IntType, Type
from ..arithmetic.concrete import ConcreteDomain


@dataclass(frozen=True, slots=True)
class Element:
    """``name`` as answers show it, ``type`` in LLVM IR, ``size`` in bytes, ``dtype`` of numpy's arrays,
    whether integers are shown with a sign."""

    name: str
    type: Type
    size: int
    dtype: str
    signed: bool = True

    @property
    def floating(self) -> bool:
        """Whether its values are floating-point numbers."""
        return isinstance(self.type, FloatType)

    def bits(self, number: float) -> int | None:
        """A number's bit pattern, rounded once to the nearest; ``None`` for one that does not fit."""
        if isinstance(self.type, IntType):
            width, whole = self.type.bits, int(number)
            fits = whole == number and -(1 << (width - 1)) <= whole < 1 << width
            return whole & ((1 << width) - 1) if fits else None
        assert isinstance(self.type, FloatType)
        with suppress(OverflowError):  # what rounds to infinity, or is no double at all
            if self.name != "bf16" and isfinite(number):
                packed = struct.pack(f"<{_LETTERS[self.size]}", float(number))
                return int.from_bytes(packed, "little")
        try:
            double: int = struct.unpack("<Q", struct.pack("<d", float(number)))[0]
        except OverflowError:
            return None
        kind = self.type.kind
        return double if kind == "double" else int(ConcreteDomain().floats("double").convert(kind)(double))

    def number(self, bits: int) -> int | float:
        """The number that a bit pattern is."""
        if isinstance(self.type, IntType):
            width = self.type.bits
            return bits - (1 << width) if self.signed and bits >> (width - 1) else bits
        if self.name == "bf16":
            return float(struct.unpack("<f", struct.pack("<I", bits << 16))[0])
        return float(struct.unpack(f"<{_LETTERS[self.size]}", bits.to_bytes(self.size, "little"))[0])

    def spelled(self, number: float) -> str:
        """A number of this type, in as few digits as tell it from its neighbours."""
        if not self.floating:
            return str(number)
        if number != number or number in (float("inf"), float("-inf")):
            return "nan" if number != number else "inf" if number > 0 else "-inf"
        for digits in range(1, 17):
            shorter = float(f"{number:.{digits}g}")
            if self.bits(shorter) == self.bits(number):
                return repr(shorter)
        return repr(float(number))


_LETTERS = {2: "e", 4: "f", 8: "d"}
_INTEGERS = [
    Element(f"{sign}{width}", IntType(width), width // 8, f"<{letter}{width // 8}", sign == "i")
    for sign, letter in (("i", "i"), ("u", "u"))
    for width in (8, 16, 32, 64)
]
_FLOATS = [
    Element("f16", FloatType("half"), 2, "<f2"),
    Element("bf16", FloatType("bfloat"), 2, "<u2"),
    Element("f32", FloatType("float"), 4, "<f4"),
    Element("f64", FloatType("double"), 8, "<f8"),
]
ELEMENTS = {element.name: element for element in (*_INTEGERS, *_FLOATS)}
"""The types by their own names."""
_SYNONYMS = {
    **{f"int{width}": f"i{width}" for width in (8, 16, 32, 64)},
    **{f"uint{width}": f"u{width}" for width in (8, 16, 32, 64)},
    **{f"float{width}": f"f{width}" for width in (16, 32, 64)},
    "half": "f16", "bfloat": "bf16", "bfloat16": "bf16", "float": "f32", "double": "f64",
}  # fmt: skip


def element_named(name: str) -> Element | None:
    """The type of a name, one of numpy's or LLVM's among them."""
    return ELEMENTS.get(_SYNONYMS.get(name, name))


def element_of(type_: Type) -> Element | None:
    """The element type that is this type in LLVM IR, signed; ``None`` for one that no buffer has."""
    return next((element for element in ELEMENTS.values() if element.type == type_), None)


def element_like(dtype: str) -> Element | None:
    """The element type of one of numpy's, as ``kind`` and bytes: ``i4``, ``u1``, ``f8``; ``b1`` counts as
    bytes."""
    wanted = "<u1" if dtype == "b1" else f"<{dtype}"
    return next((e for e in ELEMENTS.values() if e.dtype == wanted and e.name != "bf16"), None)
