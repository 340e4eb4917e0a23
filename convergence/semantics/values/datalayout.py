"""The data layout: sizes, alignments and offsets (LangRef, *Data Layout*)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ...ir import (
    PADDING,
    PTR,
    Aggregate,
    ArrayType,
    ConstantExpression,
    FloatType,
    FunctionType,
    Int,
    IntType,
    NamedType,
    Operand,
    PointerType,
    SimpleType,
    Splat,
    StructType,
    TargetType,
    Type,
    VectorType,
    is_handle,
)
from .. import NotModelled

if TYPE_CHECKING:
    from ...ir.module import Module

FLOAT_BITS = {
    "half": 16, "bfloat": 16, "float": 32, "double": 64, "fp128": 128, "x86_fp80": 80, "ppc_fp128": 128,
}  # fmt: skip

NAMED_BARRIER = 16
"""Bytes of AMDGPU's named barrier, and its alignment (LLVM's *User Guide for AMDGPU Backend*, *Target Types*:
``amdgcn.named.barrier``): four words, which only operations on the barrier look at."""


@dataclass(frozen=True, slots=True)
class PointerLayout:
    """Widths and alignments (ABI, preferred) of pointers of one address space, in bits."""

    bits: int
    align: tuple[int, int]
    index: int


class Measure(NamedTuple):
    """What is to be known of a type.

    ``size`` and ``aligns`` (ABI, preferred) are in bytes. ``elements`` counts scalars and empty parts,
    ``depth`` vectors, arrays and structs inside each other; ``bits`` is the sum of the scalars' widths, and
    ``widest`` the largest. ``problem`` says why values of the type have no size.
    """

    size: int
    aligns: tuple[int, int]
    elements: int
    depth: int
    bits: int
    problem: str | None = None
    widest: int = 0


def align_up(value: int, alignment: int) -> int:
    """The least multiple of ``alignment`` that is at least ``value``."""
    return -(-value // alignment) * alignment


def _numbers(words: list[str], count: int) -> list[int]:
    """The words as numbers; what is missing at the end repeats the last one."""
    numbers = [int(word) for word in words[:count]]
    return numbers + numbers[-1:] * (count - len(numbers))


def _power_of_two(value: int) -> int:
    return 1 << max(0, value - 1).bit_length()


_SAME = {"i": (8, 16, 32), "f": (16, 32, 64, 128), "v": (64, 128)}
_ALIGNED: Mapping[tuple[str, int], tuple[int, int]] = {
    **{(kind, n): (n, n) for kind, widths in _SAME.items() for n in widths},
    ("i", 1): (8, 8), ("i", 64): (32, 64), ("a", 0): (8, 64),
}  # fmt: skip
"""Alignments in bits, the least and the preferred one, where a layout string says nothing else."""


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
    _measures: dict[int, tuple[Type, Measure]] = field(
        init=False, default_factory=dict, compare=False, repr=False
    )
    _offsets: dict[int, tuple[StructType, tuple[int, ...]]] = field(
        init=False, default_factory=dict, compare=False, repr=False
    )

    _aligns: dict[tuple[StructType, int], int] = field(
        init=False, default_factory=dict, compare=False, repr=False
    )

    def __post_init__(self) -> None:
        self.pointers[0] = PointerLayout(64, (64, 64), 64)
        self._aligned.update(_ALIGNED)
        for item in self.text.split("-") if self.text else ():
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
                raise NotModelled(f"a value of the opaque type {type_}")
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
            case TargetType(name, _, (size, *_)) if name in PADDING:
                return 8 * size
            case TargetType("dx.Layout", _, (size, *_)):
                return 8 * size
            case TargetType("amdgcn.named.barrier"):
                return 8 * NAMED_BARRIER
            case TargetType() if is_handle(type_):
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
        return self._sized(type_).size

    def offsets(self, struct: StructType) -> tuple[int, ...]:
        """Where each element starts, and the struct's allocation size as one more number."""
        known = self._offsets.get(id(struct))
        if known is None:
            known = self._offsets[id(struct)] = struct, self._placed(struct, self.align(struct))
        return known[1]

    def _placed(self, struct: StructType, align: int) -> tuple[int, ...]:
        at, starts = 0, []
        for element in struct.elements:
            if not struct.packed:
                at = align_up(at, self.align(element))
            starts.append(at)
            at += self.size(element)
        return (*starts, align_up(at, align))

    # -- measures: of all parts before the whole, without recursion ---------------------------------

    def measure(self, type_: Type) -> Measure:
        """All that is to be known of a type; of types with named or nested parts, parts first."""
        known = self._measures.get(id(type_))
        return known[1] if known is not None else self._measured(type_)

    def _sized(self, type_: Type) -> Measure:
        measure = self.measure(type_)
        if measure.problem is not None:
            raise NotModelled(measure.problem)
        return measure

    def _measured(self, type_: Type) -> Measure:
        """Types are told apart by identity: to hash or compare them would recurse into their parts."""
        measures, todo, begun = self._measures, [type_], set[int]()
        while todo:
            top = todo[-1]
            if id(top) in measures:
                todo.pop()
                continue
            missing = [p for p in self._parts(top) if id(p) not in measures]
            if not missing or id(top) in begun:
                measures[id(top)] = top, self._whole(top, bool(missing))
            else:
                begun.add(id(top))
                todo += missing
        return measures[id(type_)][1]

    def _parts(self, type_: Type) -> tuple[Type, ...]:
        match type_:
            case NamedType(name):
                body = self.types.get(name)
                return () if body is None else (body,)
            case ArrayType(_, element) | VectorType(_, element):
                return (element,)
            case StructType(elements):
                return elements
            case _:
                return ()

    def _whole(self, type_: Type, endless: bool) -> Measure:
        """The measure of a type whose parts are measured, unless it is among its own parts."""
        if endless:
            return Measure(0, (1, 1), 1, 1, 0, problem="a type that contains itself")
        parts = [self._measures[id(part)][1] for part in self._parts(type_)]
        problem = next((part.problem for part in parts if part.problem is not None), None)
        depth = max((part.depth for part in parts), default=0)
        widest = max((part.widest for part in parts), default=0)
        try:
            aligns = self._align(type_, 0), self._align(type_, 1)
            size = 0 if problem is not None else self._size(type_, aligns[0])
        except NotModelled as unknown:
            aligns, size, problem = (1, 1), 0, problem or unknown.feature
        match type_:
            case NamedType():
                return parts[0] if parts else Measure(size, aligns, 1, 0, 0, problem)
            case ArrayType(count) | VectorType(count):
                (part,) = parts
                elements, bits = count * max(1, part.elements), count * part.bits
                return Measure(size, aligns, elements, depth + 1, bits, problem, widest)
            case StructType():
                elements = sum(max(1, part.elements) for part in parts)
                return Measure(size, aligns, elements, depth + 1, sum(p.bits for p in parts), problem, widest)
            case _:
                bits = self.bits(type_) if problem is None else 0
                return Measure(size, aligns, 1, 0, bits, problem, bits)

    def _size(self, type_: Type, align: int) -> int:
        match type_:
            case ArrayType(count, element):
                return count * self.size(element)
            case StructType():
                return self._placed(type_, align)[-1]
            case TargetType("dx.Padding" | "spirv.Padding" | "dx.Layout"):
                return self.bits(type_) // 8
            case TargetType("amdgcn.named.barrier"):
                return NAMED_BARRIER
            case TargetType() if is_handle(type_):
                return self.size(PTR)
            case SimpleType() | TargetType():
                raise NotModelled(f"the size of type {type_}")
            case FunctionType():
                raise NotModelled("the size of a function")
            case NamedType():
                raise NotModelled(f"a value of the opaque type {type_}")
            case _:
                return align_up(self.store_size(type_), align)

    # -- alignments ---------------------------------------------------------------------------------

    def align(self, type_: Type) -> int:
        """ABI alignment: of accesses that do not say another one."""
        return self.measure(type_).aligns[0]

    def preferred_align(self, type_: Type) -> int:
        """Preferred alignment: of objects that do not say another one."""
        return self.measure(type_).aligns[1]

    def _align(self, type_: Type, which: int) -> int:
        match type_:
            case IntType(bits):
                return max(8, self._integer(bits)[which]) // 8
            case FloatType():
                bits = self.bits(type_)
                fallback = 8 * _power_of_two(-(-bits // 8))
                return self._aligned.get(("f", bits), (fallback, fallback))[which] // 8
            case PointerType():
                return max(1, self.pointer(type_).align[which] // 8)
            case TargetType("dx.Padding" | "spirv.Padding" | "dx.Layout"):
                return 1
            case TargetType("amdgcn.named.barrier"):
                return NAMED_BARRIER
            case TargetType():
                return self._align(PTR, which)
            case VectorType():
                fallback = 8 * _power_of_two(self.store_size(type_))
                return max(1, self._aligned.get(("v", self.bits(type_)), (fallback, fallback))[which] // 8)
            case ArrayType(_, element):
                return self.measure(element).aligns[which]
            case StructType(parts, packed):
                least = 1 if packed and not which else self._aligned["a", 0][which] // 8
                return least if packed else max([least, *(self.align(part) for part in parts)])
            case _:
                return 1

    def _integer(self, bits: int) -> tuple[int, int]:
        """An integer width without a rule takes that of the next larger width, else of the largest."""
        known = sorted(width for kind, width in self._aligned if kind == "i")
        return self._aligned["i", next((w for w in known if w >= bits), known[-1])]


_AMDGPU = "p7:160:256:256:32-p8:128:128:128:48"
"""AMDGPU's pointers into buffers and its buffer resources, which no other target has."""


def layout_of(module: Module) -> Layout:
    """The layout of a module. One for AMDGPU that says nothing of it has that target's buffer resources."""
    resources = module.datalayout is None and (module.triple or "").startswith(("amdgcn", "amdgpu"))
    return Layout(_AMDGPU if resources else module.datalayout, module.types)


# ----------------------------------------------------------------------------------------------------------
# How large a value may be: what a program says in a line can take more memory and time than there is.
#
# A type or constant beyond a limit is not modelled, by name, when a thread reaches it. Memory may hold
# more: an object's bytes are made when they are first looked at, and have a limit of their own
# (:data:`convergence.semantics.memory.allocations.MAXIMUM`). Inside the limits functions on values may
# recurse.
# ----------------------------------------------------------------------------------------------------------


WIDEST = 4096
"""Bits of an integer."""
ELEMENTS = 1 << 16
"""Scalars of a vector, array or struct, those of its parts counted."""
BITS = 1 << 23
"""Bits of all of a value's scalars together."""
ACCESS = 1 << 20
"""Bytes that one memory intrinsic touches."""
DEPTH = 100
"""Vectors, arrays, structs or constant expressions inside each other; what compilers make nests some ten."""


def refuse_large_type(type_: Type, layout: Layout) -> None:
    """Raises NotModelled if values of the type are beyond a limit."""
    if type_.__class__ is IntType and type_.bits <= WIDEST:  # most types
        return
    measure = layout.measure(type_)
    if measure.depth > DEPTH:
        raise NotModelled(f"a value nested {measure.depth} levels deep")
    if measure.elements > ELEMENTS:
        raise NotModelled(f"a value of {measure.elements} elements")
    if measure.widest > WIDEST:
        raise NotModelled(f"an integer of {measure.widest} bits")
    if measure.bits > BITS:
        raise NotModelled(f"a value of {measure.bits} bits")


def refuse_large_constant(operand: Operand, layout: Layout) -> None:
    """Raises NotModelled if a constant is beyond a limit; a look at its parts without recursion."""
    refuse_large_type(operand.type, layout)
    if isinstance(operand, Int):  # most constants
        return
    level: list[Operand] = [operand]
    for _ in range(DEPTH + 1):
        level = [part for whole in level for part in _parts(whole)]
        if not level:
            return
    raise NotModelled(f"a constant nested more than {DEPTH} levels deep")


def _parts(operand: Operand) -> tuple[Operand, ...]:
    match operand:
        case Aggregate(_, parts) | ConstantExpression(operands=parts):
            return parts
        case Splat(_, element):
            return (element,)
        case _:
            return ()
