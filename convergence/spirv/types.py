"""SPIR-V's types, the LLVM types of their values, and where their parts lie in memory.

SPIR-V, *Type-Declaration Instructions*, *Decoration* (Offset, ArrayStride, MatrixStride). A type that says
no offsets has LLVM's: each part at the next multiple of its alignment, vectors rounded up to a power of two,
which is OpenCL C's layout, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..frozen import dataclass


@dataclass(frozen=True, slots=True)
class Void:
    """No value."""


@dataclass(frozen=True, slots=True)
class Bool:
    """True or false: a value is an ``i1``, in memory it is a byte."""


@dataclass(frozen=True, slots=True)
class SPIRVInt:
    """An integer; the sign is of interest to nothing but conversions of literals."""

    bits: int
    signed: bool = False


@dataclass(frozen=True, slots=True)
class SPIRVFloat:
    """A float of ``bits``; ``brain`` is bfloat."""

    bits: int
    brain: bool = False


@dataclass(frozen=True, slots=True)
class Vector:
    """``count`` scalars."""

    element: Bool | SPIRVInt | SPIRVFloat | SPIRVPointer
    count: int


@dataclass(frozen=True, slots=True)
class Matrix:
    """``count`` columns."""

    column: Vector
    count: int


@dataclass(frozen=True, slots=True)
class Array:
    """``length`` elements, each ``stride`` bytes behind the one before it where that is said; a runtime array
    has no length."""

    element: Type
    length: int | None
    stride: int | None = None


@dataclass(frozen=True, slots=True)
class MatrixLayout:
    """Where the parts of a matrix in memory lie: its columns, or with ``rows`` its rows, are each ``stride``
    bytes behind the one before. It says the same of an array of matrices, and of a column that is taken of
    rows, whose elements are so many bytes apart."""

    stride: int
    rows: bool = False


@dataclass(frozen=True, slots=True)
class Struct:
    """Members at ``offsets``, where these are said; ``layouts`` of those that are matrices. ``id`` tells
    structures apart."""

    id: str
    members: tuple[Type, ...]
    offsets: tuple[int | None, ...] = ()
    layouts: tuple[MatrixLayout | None, ...] = ()

    def layout(self, member: int) -> MatrixLayout | None:
        """How a member that is a matrix, or an array of them, is laid out, where that is said."""
        return self.layouts[member] if self.layouts else None


@dataclass(frozen=True, slots=True)
class SPIRVPointer:
    """To what the id ``pointee`` names, as types may be recursive; ``stride`` is its ArrayStride, ``size``
    the bytes of an address (SPIR-V, *Addressing Model*)."""

    storage: str
    pointee: str
    stride: int | None = None
    size: int = 8


@dataclass(frozen=True, slots=True)
class SPIRVFunctionType:
    """Parameters and result."""

    result: Type
    parameters: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Image:
    """An image of one sample a texel, whose texels are of the type ``sampled``, by the words of OpTypeImage;
    ``writable``: a storage image. As a value it is known by what it is bound to."""

    sampled: SPIRVInt | SPIRVFloat
    dim: str
    arrayed: bool
    format: str
    writable: bool


@dataclass(frozen=True, slots=True)
class Opaque:
    """A type that is not modelled, by the opcode that declares it: values may be named, not used."""

    op: str


Scalar = Bool | SPIRVInt | SPIRVFloat | SPIRVPointer
Type = (
    Void
    | Bool
    | SPIRVInt
    | SPIRVFloat
    | Vector
    | Matrix
    | Array
    | Struct
    | SPIRVPointer
    | SPIRVFunctionType
    | Image
    | Opaque
)


SPACES = {
    "Function": 0, "CrossWorkgroup": 1, "UniformConstant": 2, "Workgroup": 3, "Generic": 4, "Input": 7,
    "Output": 8, "CodeSectionINTEL": 9, "Private": 10, "StorageBuffer": 11, "Uniform": 12, "PushConstant": 13,
    "PhysicalStorageBuffer": 1, "Image": 11,
}  # fmt: skip
"""LLVM's address spaces, by storage class, as its SPIR-V backend numbers them."""


class NoLayout(Exception):
    """A type has no place in memory, or none that is modelled; the message says which."""


def llvm(type_: Type) -> str:
    """The LLVM type of a value.

    :raises NoLayout: for a type whose values are not modelled
    """
    match type_:
        case Void():
            return "void"
        case Bool():
            return "i1"
        case SPIRVInt(bits):
            return f"i{bits}"
        case SPIRVFloat(bits, brain):
            return "bfloat" if brain else {16: "half", 32: "float", 64: "double"}[bits]
        case Vector(element, count):
            return f"<{count} x {llvm(element)}>"
        case Matrix(column, count):
            return f"[{count} x {llvm(column)}]"
        case Array(element, length):
            return f"[{length or 0} x {llvm(element)}]"
        case Struct(_, members):
            return "{ " + ", ".join(map(llvm, members)) + " }" if members else "{}"
        case SPIRVPointer(storage):
            space = SPACES.get(storage)
            if space is None:
                raise NoLayout(f"the storage class {storage}")
            return f"ptr addrspace({space})" if space else "ptr"
        case SPIRVFunctionType():
            return "ptr"
        case Image():
            raise NoLayout("OpTypeImage")
        case Opaque(op):
            raise NoLayout(op)


# -- Memory


def _power(number: int) -> int:
    return 1 << (number - 1).bit_length()


def align(type_: Type) -> int:
    """The alignment in bytes that LLVM gives the type in memory."""
    match type_:
        case Bool():
            return 1
        case SPIRVInt(bits) | SPIRVFloat(bits):
            return max(1, bits // 8)
        case SPIRVPointer():
            return type_.size
        case Vector(Bool()):
            return 1
        case Vector(element, count):
            return align(element) * _power(count)
        case Matrix(column):
            return align(column)
        case Array(element):
            return align(element)
        case Struct(_, members):
            return max(map(align, members), default=1)
        case Image():
            raise NoLayout("OpTypeImage")
        case Opaque(op):
            raise NoLayout(op)
        case _:
            raise NoLayout(type(type_).__name__)


def size(type_: Type) -> int:
    """Bytes from one element of an array of the type to the next, where nothing else is said; of a runtime
    array none."""
    match type_:
        case Vector(Bool(), count):
            return count
        case Matrix(column, count):
            return count * size(column)
        case Array(_, length):
            return (length or 0) * stride(type_)
        case Struct(_, members):
            ends = [
                at + extent(m, type_.layout(n))
                for n, (at, m) in enumerate(zip(offsets(type_), members, strict=True))
            ]
            return _up(max(ends, default=0), align(type_))
        case _:
            return align(type_)


def extent(type_: Type, layout: MatrixLayout | None = None) -> int:
    """Bytes that a value takes: those of a vector are not rounded up."""
    match type_:
        case Vector(element, count):
            return size(element) * count
        case Matrix(column, count) if layout is not None:
            number, other = (column.count, count) if layout.rows else (count, column.count)
            return (number - 1) * layout.stride + other * size(column.element)
        case _:
            return size(type_)


def stride(type_: Array) -> int:
    """Bytes from one element to the next."""
    return size(type_.element) if type_.stride is None else type_.stride


def _up(number: int, multiple: int) -> int:
    return -(-number // multiple) * multiple


def offsets(type_: Struct) -> tuple[int, ...]:
    """Where members lie."""
    explicit = type_.offsets
    if explicit and None not in explicit:
        return tuple(o for o in explicit if o is not None)
    return _natural_offsets(type_)


def _natural_offsets(type_: Struct) -> tuple[int, ...]:
    offsets, at = [], 0
    for member in type_.members:
        at = _up(at, align(member))
        offsets.append(at)
        at += size(member)
    return tuple(offsets)


def column_step(type_: Matrix, layout: MatrixLayout | None) -> int:
    """Bytes from one column to the next: of rows, from one element to the next."""
    if layout is None:
        return size(type_.column)
    return size(type_.column.element) if layout.rows else layout.stride


def occupied(type_: Type, at: int = 0) -> Iterator[tuple[int, int]]:
    """The bytes that a value takes, each part's beginning and end, from ``at`` on; others are padding."""
    match type_:
        case Array(element, length):
            for n in range(length or 0):
                yield from occupied(element, at + n * stride(type_))
        case Struct(_, members):
            for n, (start, member) in enumerate(zip(offsets(type_), members, strict=True)):
                if type_.layout(n) is None:
                    yield from occupied(member, at + start)
                else:
                    yield at + start, at + start + extent(member, type_.layout(n))
        case _:
            yield at, at + extent(type_)


def is_natural(type_: Type) -> bool:
    """Whether all parts lie where LLVM puts them, so that a value is loaded as one."""
    match type_:
        case Bool() | Vector(Bool()):
            return False
        case Array(element):
            return stride(type_) == size(element) and is_natural(element)
        case Struct(_, members):
            return (
                offsets(type_) == _natural_offsets(type_)
                and all(map(is_natural, members))
                and all(is_natural_matrix(_matrix(m), type_.layout(n)) for n, m in enumerate(members))
            )
        case _:
            return True


def is_natural_matrix(type_: Type, layout: MatrixLayout | None) -> bool:
    """Whether a matrix lies where LLVM puts its columns; what is no matrix does."""
    if layout is None or not isinstance(type_, Matrix):
        return True
    return not layout.rows and layout.stride == size(type_.column)


def _matrix(type_: Type) -> Type:
    """The matrix that a member is an array of, or the member."""
    while isinstance(type_, Array):
        type_ = type_.element
    return type_


def are_bytes(type_: Type) -> bool:
    """Whether a composite is bytes in memory, as its parts lie elsewhere than LLVM puts them."""
    match type_:
        case Array(element):
            return stride(type_) != size(element)
        case Struct():
            return not is_natural(type_)
        case _:
            return False


def memory(type_: Type) -> str:
    """The LLVM type of a variable that holds the type: bytes where LLVM's layout is another one."""
    if are_bytes(type_):
        return f"[{size(type_)} x i8]"
    match type_:
        case Bool():
            return "i8"
        case Vector(Bool(), count):
            return f"[{count} x i8]"
        case Array(element, length):
            return f"[{length or 0} x {memory(element)}]"
        case _:
            return llvm(type_)
