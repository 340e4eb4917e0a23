"""OpenCL C's mangled names as data: ``_Z5clampDv4_fS_S_`` is ``clamp(float4, float4, float4)``.

Itanium C++ ABI, *Mangling*: the part that clang uses for OpenCL's and SPIR-V's functions: built-in types,
vectors, pointers with address spaces and qualifiers, ``_Atomic``, named types, and substitutions.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..frozen import dataclass

SCALARS = {
    "v": ("void", 0, False), "b": ("bool", 8, False),
    "c": ("char", 8, True), "a": ("char", 8, True), "h": ("uchar", 8, False),
    "s": ("short", 16, True), "t": ("ushort", 16, False),
    "i": ("int", 32, True), "j": ("uint", 32, False),
    "l": ("long", 64, True), "m": ("ulong", 64, False),
    "x": ("long", 64, True), "y": ("ulong", 64, False),
    "Dh": ("half", 16, True), "DF16_": ("half", 16, True), "DF16b": ("bfloat", 16, True),
    "f": ("float", 32, True), "d": ("double", 64, True),
}  # fmt: skip
"""Built-in types: OpenCL C's name, bits, and whether they have a sign. ``x`` and ``y`` are C++'s
``long long`` and ``unsigned long long``, which HLSL's 64-bit integers are."""
_SPACES = {"U8CLglobal": 1, "U10CLconstant": 2, "U7CLlocal": 3, "U9CLgeneric": 4, "U9CLprivate": 0}
"""Address spaces by name, where the target has no numbers for them: SPIR's."""
_SPACE = "U3AS[0-9]|U4AS[0-9]{2}|" + "|".join(_SPACES)
_FLOATS = frozenset({"half", "bfloat", "float", "double"})


@dataclass(frozen=True, slots=True)
class MangledType:
    """A parameter's type: ``name`` is OpenCL C's, of the element for a vector, of what a pointer points to.

    ``lanes`` is 1 for what is no vector. ``pointer`` says whether it is a pointer; ``address_space`` of which
    and ``qualifiers`` are the pointee's: ``const``, ``volatile``, ``restrict``, ``atomic``.
    """

    name: str
    bits: int = 0
    signed: bool = False
    lanes: int = 1
    pointer: bool = False
    address_space: int = 0
    qualifiers: frozenset[str] = frozenset()

    @property
    def is_float(self) -> bool:
        return self.name in _FLOATS

    @property
    def is_integer(self) -> bool:
        return not self.is_float and self.bits > 0 and not self.pointer

    def __str__(self) -> str:
        lanes = str(self.lanes) if self.lanes > 1 else ""
        return self.name + lanes + ("*" if self.pointer else "")


@dataclass(frozen=True, slots=True)
class MangledName:
    """A function's name and its parameters' types; none for ``(void)``."""

    name: str
    parameters: tuple[MangledType, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.parameters))})"


class _Unreadable(Exception):
    """Not of the part of the mangling that is read here."""


class _Reader:
    """``unnamed_space``: what pointers point to is in an address space that is not in the name, since it is
    number 0 of the target; it can be substituted all the same."""

    def __init__(self, text: str, unnamed_space: bool) -> None:
        self.text = text
        self.at = 2
        self.unnamed_space = unnamed_space
        self.substitutions: list[MangledType] = []

    def take(self, pattern: str) -> re.Match[str] | None:
        match = re.compile(pattern).match(self.text, self.at)
        if match is not None:
            self.at = match.end()
        return match

    def source_name(self) -> str:
        length = self.take(r"[1-9]\d*")
        if length is None:
            raise _Unreadable
        name = self.text[self.at : self.at + int(length[0])]
        if len(name) != int(length[0]):
            raise _Unreadable
        self.at += len(name)
        return name

    def type(self) -> MangledType:
        """One type; what may be substituted later is remembered."""
        if (back := self.take(r"S([0-9A-Z]*)_")) is not None:
            place = int(back[1], 36) + 1 if back[1] else 0
            if place >= len(self.substitutions):
                raise _Unreadable
            return self.substitutions[place]
        if self.take("P") is not None:
            qualified = re.compile(f"{_SPACE}|[rVK]").match(self.text, self.at) is not None
            target = self.type()
            if self.unnamed_space and not qualified:
                self.remember(target)
            if target.pointer:
                return self.remember(MangledType("pointer", pointer=True, qualifiers=target.qualifiers))
            return self.remember(_with(target, pointer=True))
        if (words := self.take(f"({_SPACE})?([rVK]*)")) is not None and words[0]:
            return self.remember(_qualified(self.type(), words[1], words[2]))
        if self.take("U7_Atomic") is not None:
            inner = self.type()
            return self.remember(_with(inner, qualifiers=inner.qualifiers | {"atomic"}))
        if (count := self.take(r"Dv(\d+)_")) is not None:
            return self.remember(_with(self.type(), lanes=int(count[1])))
        if (scalar := self.take("DF16_|DF16b|Dh|[vbcahstijlmxyfd]")) is not None:
            return MangledType(*SCALARS[scalar[0]])
        return self.remember(MangledType(self.source_name()))

    def remember(self, type_: MangledType) -> MangledType:
        self.substitutions.append(type_)
        return type_


def _with(type_: MangledType, **changed: object) -> MangledType:
    fields = {name: getattr(type_, name) for name in MangledType.__slots__}
    return MangledType(**(fields | changed))


def _qualified(type_: MangledType, space: str | None, letters: str) -> MangledType:
    words = {"r": "restrict", "V": "volatile", "K": "const"}
    number = type_.address_space
    if space is not None:
        number = _SPACES[space] if space in _SPACES else int(space[4:])
    return _with(
        type_, address_space=number, qualifiers=type_.qualifiers | {words[letter] for letter in letters}
    )


@lru_cache(maxsize=4096)
def demangled(name: str) -> MangledName | None:
    """A mangled name as data; ``None`` for what is not mangled, or not as OpenCL C's functions are."""
    if not name.startswith("_Z"):
        return None
    for unnamed_space in (False, True):
        reader = _Reader(name, unnamed_space)
        try:
            function, parameters = reader.source_name(), []
            while reader.at < len(name):
                parameters.append(reader.type())
        except _Unreadable:
            continue
        if not parameters:
            return None
        nothing = [p.name for p in parameters] == ["void"] and not parameters[0].pointer
        return MangledName(function, () if nothing else tuple(parameters))
    return None
