"""The data layout: sizes, alignments and offsets (LangRef, *Data Layout*)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...ir.types import (
    PTR,
    ArrayType,
    FloatType,
    IntType,
    NamedType,
    PointerType,
    SimpleType,
    StructType,
    TargetType,
    Type,
    VectorType,
)
from ..errors import NotModelled

FLOAT_BITS = {
    "half": 16, "bfloat": 16, "float": 32, "double": 64, "fp128": 128, "x86_fp80": 80, "ppc_fp128": 128,
}  # fmt: skip


OPAQUE_HANDLES = ("spirv.", "dx.")
"""Target types that LLVM lays out as a pointer: handles of resources, which only target operations look
into."""


@dataclass(frozen=True, slots=True)
class PointerLayout:
    """Widths and alignments (ABI, preferred) of pointers of one address space, in bits."""

    bits: int
    align: tuple[int, int]
    index: int


def align_up(value: int, alignment: int) -> int:
    """The least multiple of ``alignment`` that is at least ``value``."""
    return -(-value // alignment) * alignment


def _numbers(words: list[str], count: int) -> list[int]:
    """The words as numbers; what is missing at the end repeats the last one."""
    numbers = [int(word) for word in words[:count]]
    return numbers + numbers[-1:] * (count - len(numbers))


def _power_of_two(value: int) -> int:
    return 1 << max(0, value - 1).bit_length()


@dataclass(frozen=True)
class Layout:
    """Answers for one module. Sizes and alignments are in bytes unless a name says bits.

    Opaque, scalable and target types have no size: NotModelled.
    """

    text: str | None = None
    types: Mapping[str, Type | None] = field(default_factory=dict)
    big_endian: bool = field(init=False, default=False)
    pointers: dict[int, PointerLayout] = field(init=False, default_factory=dict)
    names: dict[str, int] = field(init=False, default_factory=dict)
    _aligned: dict[tuple[str, int], tuple[int, int]] = field(init=False, default_factory=dict)
    _sizes: dict[Type, int] = field(init=False, default_factory=dict, compare=False, repr=False)
    _offsets: dict[StructType, tuple[int, ...]] = field(
        init=False, default_factory=dict, compare=False, repr=False
    )

    _aligns: dict[tuple[StructType, int], int] = field(
        init=False, default_factory=dict, compare=False, repr=False
    )

    def __post_init__(self) -> None:
        self.pointers[0] = PointerLayout(64, (64, 64), 64)
        same = {"i": (8, 16, 32), "f": (16, 32, 64, 128), "v": (64, 128)}
        self._aligned.update({(kind, n): (n, n) for kind, widths in same.items() for n in widths})
        self._aligned.update({("i", 1): (8, 8), ("i", 64): (32, 64), ("a", 0): (8, 64)})
        for item in (self.text or "").split("-"):
            self._specify(item)

    def _specify(self, item: str) -> None:
        """One specification of the layout string; what has no influence on sizes and addresses is skipped."""
        head, *rest = item.split(":")
        if head in ("E", "e"):
            object.__setattr__(self, "big_endian", head == "E")
        elif head[:1] == "p" and rest:
            digits = head.lstrip("pue").partition("(")  # `pu`, `pe`: unstable, external representation
            space = int(digits[0] or 0)
            bits, abi, preferred, index = _numbers(rest, 4)
            self.pointers[space] = PointerLayout(bits, (abi, preferred), index if len(rest) > 3 else bits)
            if "(" in head:
                self.names[head.partition("(")[2].rstrip(")")] = space
        elif head[:1] in ("i", "f", "v") and head[1:].isdigit() and rest:
            abi, preferred = _numbers(rest, 2)
            self._aligned[head[0], int(head[1:])] = abi, preferred
        elif head[:1] == "a" and rest:
            abi, preferred = _numbers(rest, 2)
            self._aligned["a", 0] = max(8, abi), max(8, preferred)
        elif head[:1] in ("A", "G", "P") and head[1:].isdigit():
            self.names[head[0]] = int(head[1:])

    # -- pointers -----------------------------------------------------------------------------------

    def space(self, address_space: int | str | None) -> int:
        """The number of an address space; unnamed symbolic ones are 0."""
        return address_space if isinstance(address_space, int) else self.names.get(address_space or "", 0)

    def pointer(self, type_: PointerType) -> PointerLayout:
        """The layout of a pointer type; address spaces without one have that of 0."""
        return self.pointers.get(self.space(type_.address_space)) or self.pointers[0]

    # -- sizes --------------------------------------------------------------------------------------

    def resolve(self, type_: Type) -> Type:
        """The type with a name at its head replaced by its body."""
        while isinstance(type_, NamedType):
            body = self.types.get(type_.name)
            if body is None:
                raise NotModelled(f"a value of the opaque type %{type_.name}")
            type_ = body
        return type_

    def bits(self, type_: Type) -> int:
        """Width in bits of a scalar's or vector's value."""
        match type_:
            case IntType(bits):
                return bits
            case FloatType(kind):
                return FLOAT_BITS[kind]
            case PointerType():
                return self.pointer(type_).bits
            case TargetType(name) if name.startswith(OPAQUE_HANDLES):
                return self.pointers[0].bits
            case VectorType(count, element, False):
                return count * self.bits(element)
            case VectorType():
                raise NotModelled("scalable vectors")
            case _:
                return 8 * self.size(type_)

    def store_size(self, type_: Type) -> int:
        """Bytes that a store of the type writes."""
        return -(-self.bits(type_) // 8)

    def size(self, type_: Type) -> int:
        """Allocation size: from one array element to the next."""
        known = self._sizes.get(type_)
        if known is None:
            known = self._sizes[type_] = self._size(self.resolve(type_))
        return known

    def _size(self, type_: Type) -> int:
        match type_:
            case ArrayType(count, element):
                return count * self.size(element)
            case StructType():
                return self.offsets(type_)[-1]
            case TargetType(name) if name.startswith(OPAQUE_HANDLES):
                return self.size(PTR)
            case SimpleType(kind) | TargetType(kind):
                raise NotModelled(f"the size of type {kind}")
            case _:
                return align_up(self.store_size(type_), self.align(type_))

    def offsets(self, struct: StructType) -> tuple[int, ...]:
        """Where each element starts, and the struct's allocation size as one more number."""
        known = self._offsets.get(struct)
        if known is None:
            at, starts = 0, []
            for element in struct.elements:
                if not struct.packed:
                    at = align_up(at, self.align(element))
                starts.append(at)
                at += self.size(element)
            known = self._offsets[struct] = (*starts, align_up(at, self.align(struct)))
        return known

    # -- alignments ---------------------------------------------------------------------------------

    def align(self, type_: Type) -> int:
        """ABI alignment: of accesses that do not say another one."""
        return self._align(type_, 0)

    def preferred_align(self, type_: Type) -> int:
        """Preferred alignment: of objects that do not say another one."""
        return self._align(type_, 1)

    def _align(self, type_: Type, which: int) -> int:
        type_ = self.resolve(type_)
        match type_:
            case IntType(bits):
                return max(8, self._integer(bits)[which]) // 8
            case FloatType():
                bits = self.bits(type_)
                fallback = 8 * _power_of_two(-(-bits // 8))
                return self._aligned.get(("f", bits), (fallback, fallback))[which] // 8
            case PointerType():
                return max(1, self.pointer(type_).align[which] // 8)
            case TargetType():
                return self._align(PTR, which)
            case VectorType():
                fallback = 8 * _power_of_two(self.store_size(type_))
                return max(1, self._aligned.get(("v", self.bits(type_)), (fallback, fallback))[which] // 8)
            case ArrayType(_, element):
                return self._align(element, which)
            case StructType(parts, packed):
                known = self._aligns.get((type_, which))
                if known is None:
                    known = 1 if packed and not which else self._aligned["a", 0][which] // 8
                    if not packed:
                        known = max([known, *(self.align(part) for part in parts)])
                    self._aligns[type_, which] = known
                return known
            case _:
                return 1

    def _integer(self, bits: int) -> tuple[int, int]:
        """An integer width without a rule takes that of the next larger width, else of the largest."""
        known = sorted(width for kind, width in self._aligned if kind == "i")
        return self._aligned["i", next((w for w in known if w >= bits), known[-1])]
