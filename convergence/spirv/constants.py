"""SPIR-V's types, with the LLVM types of their values and where their parts lie in memory; and its
constants.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from ..frozen import dataclass
from .instruction import (
    LiteralTypes,
    NotCovered,
    NotSpecialized,
    NotSPIRV,
    SPIRVInstruction,
    decode,
    literal,
    words_of,
)

# ----------------------------------------------------------------------------------------------------------
# SPIR-V's types, the LLVM types of their values, and where their parts lie in memory.
#
# SPIR-V, *Type-Declaration Instructions*, *Decoration* (Offset, ArrayStride, MatrixStride). A type that
# says no offsets has LLVM's: each part at the next multiple of its alignment, vectors rounded up to a power
# of two, which is OpenCL C's layout, too.
# ----------------------------------------------------------------------------------------------------------


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


def is_shared(type_: Type) -> bool:
    """Whether among the bytes of a value some may be another's: padding of a structure that says where its
    members lie, in which a member of a structure around it may lie (Vulkan, *Block Layout*, *scalar*)."""
    match type_:
        case Array(element):
            return is_shared(element)
        case Struct(_, members):
            explicit = bool(type_.offsets) and None not in type_.offsets
            filled = sum(stop - start for start, stop in occupied(type_)) if explicit else size(type_)
            return filled != size(type_) or any(map(is_shared, members))
        case _:
            return False


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


# ----------------------------------------------------------------------------------------------------------
# Constants and specialization constants (SPIR-V, *Constant-Creation Instructions*), with their defaults.
#
# A value is its bits, as a number without a sign, or a tuple of values; ``None`` is undefined. A composite
# that is zero in each part is ``NULL``, and no tuple: its type says in a word how many parts there are, and
# they may be more than there is memory for.
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Null:
    """Zero in each part of a composite."""


NULL = Null()
Value = int | tuple["Value", ...] | Null | None
LARGEST = 1 << 20
"""Parts of a constant that are spelled one by one, and bytes of an initializer that are."""


def composite(parts: Iterable[Value]) -> Value:
    """The value of a composite with these parts."""
    values = tuple(parts)
    return NULL if all(value in (0, NULL) for value in values) else values


class Constants:
    """The values of constants, by id."""

    def __init__(self, types: Mapping[str, Type], constants: Iterable[SPIRVInstruction]) -> None:
        self._types = types
        self.values: dict[str, Value] = {}
        self.types: dict[str, Type] = {}
        self._spelled: dict[str, int] = {}
        """How many parts of a constant are spelled one by one."""
        for i in constants:
            if i.result is not None and i.type is not None and i.op != "OpConstantSampler":
                self.types[i.result] = types[i.type]
                self.values[i.result] = self._placed(i, types[i.type])
                self._spelled[i.result] = self._length(i, types[i.type], self.values[i.result])

    def number(self, id_: str) -> int | None:
        """The number that a constant is, if it is one."""
        value = self.values.get(id_)
        return value if isinstance(value, int) else None

    def _placed(self, i: SPIRVInstruction, type_: Type) -> Value:
        """The value of a constant; what is wrong with its parts is said with its place."""
        try:
            return self._value(i, type_)
        except NotSPIRV as error:
            if error.line is not None:
                raise
            raise NotSPIRV(f"{i.place}: {error.message}", i.line) from None
        except NoLayout as error:
            raise NotCovered(f"{i.place}: {error}", i.line) from None
        except (IndexError, TypeError, ValueError):  # what functions that fold take is what SPIR-V asks for
            raise NotSPIRV(f"{i.place}: operands that it does not take", i.line) from None

    def _length(self, i: SPIRVInstruction, type_: Type, value: Value) -> int:
        """How many parts of a value are spelled: a few constants, each many times in the next, are many.

        :raises NotCovered: where they are too many
        """
        if not isinstance(value, tuple):
            return 1
        parts = sum(self._spelled.get(operand, 0) for operand in i.operands if isinstance(operand, str))
        if i.op.endswith("ReplicateEXT"):
            parts *= count_of(type_)
        length = max(parts, len(value))
        if length > LARGEST:
            raise NotCovered(f"{i.place}: a constant of {length} parts", i.line)
        return length

    def _value(self, i: SPIRVInstruction, type_: Type) -> Value:
        match i.op.removeprefix("OpSpec").removeprefix("Op"):
            case "ConstantTrue":
                return 1
            case "ConstantFalse":
                return 0
            case "Constant":
                return i.number(0)
            case "ConstantComposite" | "ConstantCompositeReplicateEXT":
                parts = count_of(type_)
                if not i.op.endswith("ReplicateEXT") and not len(i.operands) == parts:
                    raise NotSPIRV(f"{len(i.operands)} constituents of a type that has {parts}")
                value = composite(self._constant(i, n) for n in range(len(i.operands)))
                if i.op.endswith("ReplicateEXT") and isinstance(value, tuple):
                    return value * _few(parts)
                return value
            case "ConstantNull":
                return zero(type_)
            case "Undef":
                return None
            case "ConstantOp":
                return self._folded(i, type_)
            case _:
                raise NotCovered(i.place, i.line)

    def _constant(self, i: SPIRVInstruction, at: int) -> Value:
        """The value of an operand, which is a constant that stands before."""
        if i.id(at) not in self.values:
            raise NotSPIRV(f"{i.place}: {i.operands[at]} is no constant that stands before it", i.line)
        return self.values[i.id(at)]

    def _folded(self, i: SPIRVInstruction, type_: Type) -> Value:
        op = i.id(0)
        if op == "CompositeExtract":
            value, whole = self._constant(i, 1), self.types[i.id(1)]
            for at in range(2, len(i.operands)):
                value, whole = _extracted(whole, value, i.number(at)), element(whole, i.number(at))
            return value
        if op == "CompositeInsert":
            places = [i.number(n) for n in range(3, len(i.operands))]
            return _inserted(type_, self._constant(i, 2), places, self._constant(i, 1))
        if op == "VectorShuffle":
            elements = [e for n in (1, 2) for e in _values(self.types[i.id(n)], self._constant(i, n))]
            return composite(
                elements[n] if isinstance(n, int) and n < len(elements) else None for n in i.operands[3:]
            )
        operands = [i.id(n) for n in range(1, len(i.operands))]
        values = [self._constant(i, n) for n in range(1, len(i.operands))]
        scalar = type_.element if isinstance(type_, Vector) else type_
        source = self.types[operands[0 if op.startswith("Shift") else -1]]
        from_ = source.element if isinstance(source, Vector) else source
        function: Callable[..., int | None] | None = None
        if isinstance(scalar, Bool | SPIRVInt) and isinstance(from_, Bool | SPIRVInt):
            function = _FOLDS.get(op)
        elif op == "FConvert" and isinstance(scalar, SPIRVFloat) and isinstance(from_, SPIRVFloat):
            function = None if scalar.brain or from_.brain else partial(_converted, scalar.bits)
        if function is None:
            raise NotCovered(f"{i.place} with {op}", i.line)
        assert isinstance(scalar, Bool | SPIRVInt | SPIRVFloat) and isinstance(
            from_, Bool | SPIRVInt | SPIRVFloat
        )
        width = _width(from_)
        mask = (1 << _width(scalar)) - 1

        def fold(folded_operands: list[Value]) -> Value:
            numbers = [v for v in folded_operands if isinstance(v, int)]
            if len(numbers) != len(folded_operands):
                return None
            result = function(width, *numbers)
            return None if result is None else result & mask

        if isinstance(type_, Vector):
            rows = [(v,) * type_.count if isinstance(v, int) else _values(type_, v) for v in values]
            return composite(fold(list(row)) for row in zip(*rows, strict=True))
        return fold(values)


def _few(count: int) -> int:
    """:raises NoLayout: for more parts than are spelled one by one"""
    if count > LARGEST:
        raise NoLayout(f"a constant of {count} parts")
    return count


def _values(type_: Type, value: Value) -> tuple[Value, ...]:
    """The parts of a composite, one by one."""
    if isinstance(value, tuple):
        return value
    parts = range(_few(count_of(type_)))
    return tuple(None if value is None else zero(element(type_, n)) for n in parts)


def _extracted(type_: Type, value: Value, at: int) -> Value:
    """A part of a composite."""
    if at >= count_of(type_):
        raise NotSPIRV(f"part {at} of {count_of(type_)}")
    if isinstance(value, tuple):
        return value[at]
    return None if value is None else zero(element(type_, at))


def _inserted(type_: Type, whole: Value, places: list[int], part: Value) -> Value:
    """A composite with another part at the place that the indices lead to."""
    if not places:
        return part
    first, *rest = places
    inner = _inserted(element(type_, first), _extracted(type_, whole, first), rest, part)
    parts = _values(type_, whole)
    return composite((*parts[:first], inner, *parts[first + 1 :]))


def _width(type_: Bool | SPIRVInt | SPIRVFloat) -> int:
    return 1 if isinstance(type_, Bool) else type_.bits


def count_of(type_: Type) -> int:
    """How many parts a composite has; 1 of what is none."""
    match type_:
        case Vector(_, count) | Matrix(_, count):
            return count
        case Array(_, length):
            return length or 0
        case Struct(_, members):
            return len(members)
        case _:
            return 1


def element(type_: Type, at: int) -> Type:
    """The type of a part of a composite."""
    match type_:
        case Vector(inner) | Matrix(inner) | Array(inner):
            return inner
        case Struct(_, members):
            if at >= len(members):
                raise NotSPIRV(f"member {at} of a structure of {len(members)}")
            return members[at]
        case _:
            raise NotSPIRV("an index into what is no composite")


def zero(type_: Type) -> Value:
    """What OpConstantNull is."""
    return NULL if isinstance(type_, Vector | Matrix | Array | Struct) else 0


def signed(width: int, value: int) -> int:
    """The number with a sign that bits are."""
    return value - (1 << width) if value >> (width - 1) & 1 else value


def _quotient(width: int, a: int, b: int) -> int | None:
    x, y = signed(width, a), signed(width, b)
    if y == 0 or (y == -1 and x == -(1 << width - 1)):
        return None
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def _remainder(width: int, a: int, b: int) -> int | None:
    """OpSRem: the sign of the first operand."""
    q = _quotient(width, a, b)
    return None if q is None else signed(width, a) - q * signed(width, b)


def _modulo(width: int, a: int, b: int) -> int | None:
    """OpSMod: the sign of the second operand."""
    return None if _quotient(width, a, b) is None else signed(width, a) % signed(width, b)


def _converted(to: int, width: int, bits: int) -> int:
    """OpFConvert: to the nearest, of two the even one; what is too large is infinite."""
    (value,) = struct.unpack(_FLOATS[width], bits.to_bytes(width // 8, "little"))
    try:
        data = struct.pack(_FLOATS[to], value)
    except OverflowError:
        data = struct.pack(_FLOATS[to], math.copysign(math.inf, value))
    return int.from_bytes(data, "little")


_FOLDS: Mapping[str, Callable[..., int | None]] = {
    "SConvert": signed,
    "UConvert": lambda w, a: a,
    "SNegate": lambda w, a: -a,
    "Not": lambda w, a: ~a,
    "LogicalNot": lambda w, a: 1 - a,
    "IAdd": lambda w, a, b: a + b,
    "ISub": lambda w, a, b: a - b,
    "IMul": lambda w, a, b: a * b,
    "UDiv": lambda w, a, b: a // b if b else None,
    "UMod": lambda w, a, b: a % b if b else None,
    "SDiv": _quotient,
    "SRem": _remainder,
    "SMod": _modulo,
    "ShiftLeftLogical": lambda w, a, b: a << b if b < w else None,
    "ShiftRightLogical": lambda w, a, b: a >> b if b < w else None,
    "ShiftRightArithmetic": lambda w, a, b: signed(w, a) >> b if b < w else None,
    "BitwiseAnd": lambda w, a, b: a & b,
    "BitwiseOr": lambda w, a, b: a | b,
    "BitwiseXor": lambda w, a, b: a ^ b,
    "LogicalAnd": lambda w, a, b: a & b,
    "LogicalOr": lambda w, a, b: a | b,
    "LogicalEqual": lambda w, a, b: int(a == b),
    "LogicalNotEqual": lambda w, a, b: int(a != b),
    "IEqual": lambda w, a, b: int(a == b),
    "INotEqual": lambda w, a, b: int(a != b),
    "ULessThan": lambda w, a, b: int(a < b),
    "ULessThanEqual": lambda w, a, b: int(a <= b),
    "UGreaterThan": lambda w, a, b: int(a > b),
    "UGreaterThanEqual": lambda w, a, b: int(a >= b),
    "SLessThan": lambda w, a, b: int(signed(w, a) < signed(w, b)),
    "SLessThanEqual": lambda w, a, b: int(signed(w, a) <= signed(w, b)),
    "SGreaterThan": lambda w, a, b: int(signed(w, a) > signed(w, b)),
    "SGreaterThanEqual": lambda w, a, b: int(signed(w, a) >= signed(w, b)),
    "Select": lambda w, c, a, b: a if c else b,
}
"""What OpSpecConstantOp may do, of the width of its last operand, of a shift's first one, and the operands'
bits; ``None`` where the result is undefined."""


# -- As LLVM writes them


def spelled(type_: Type, value: Value) -> str:
    """A constant in LLVM IR, without its type."""
    if value is None:
        return "undef"
    if isinstance(value, int):
        match type_:
            case Bool():
                return "true" if value else "false"
            case SPIRVInt(bits, is_signed):
                return str(signed(bits, value) if is_signed else value)
            case SPIRVFloat(bits, brain):
                return float_text(value, bits, brain)
            case SPIRVPointer():
                return "null"
            case _:
                raise NotSPIRV("a constant that is no value of its type")
    if isinstance(value, Null):
        return "zeroinitializer"
    inner = ", ".join(typed(element(type_, n), v) for n, v in enumerate(value))
    match type_:
        case Vector():
            return f"<{inner}>"
        case Struct():
            return f"{{ {inner} }}"
        case _:
            return f"[{inner}]"


def typed(type_: Type, value: Value) -> str:
    """A constant in LLVM IR, with its type."""
    return f"{llvm(type_)} {spelled(type_, value)}"


def _bytes(type_: Type, value: Value) -> str:
    """A composite that is bytes in memory: zero where its parts lie, and undefined between them."""
    if value is None:
        return f"{memory(type_)} undef"
    if not isinstance(value, Null):
        raise NoLayout("an initializer with a layout of its own")
    if size(type_) > LARGEST:
        raise NoLayout(f"an initializer of {size(type_)} bytes with a layout of its own")
    return zeroed(size(type_), occupied(type_))


def zeroed(count: int, places: Iterable[tuple[int, int]]) -> str:
    """So many bytes, of which those at ``places`` are 0 and the others are not known, with their type."""
    zero_bytes = {n for start, end in places for n in range(start, end)}
    if len(zero_bytes) == count:
        return f"[{count} x i8] zeroinitializer"
    if not zero_bytes:
        return f"[{count} x i8] undef"
    return f"[{count} x i8] [{', '.join('i8 0' if n in zero_bytes else 'i8 undef' for n in range(count))}]"


def in_memory(type_: Type, value: Value) -> str:
    """A variable's initializer, for the type that :func:`~convergence.spirv.constants.memory` gives; bools
    are bytes.

    :raises NoLayout: for a value other than zero whose parts lie elsewhere than LLVM puts them
    """
    if are_bytes(type_):
        return _bytes(type_, value)
    match type_:
        case Bool():
            return f"i8 {value or 0}"
        case Vector(Bool(), count) if isinstance(value, tuple):
            return f"[{count} x i8] [{', '.join(f'i8 {v or 0}' for v in value)}]"
        case Vector() | Array() if value is None or isinstance(value, Null):
            return f"{memory(type_)} {spelled(type_, value)}"  # not of bools, which are bytes here
        case Array(inner, length) if isinstance(value, tuple):
            parts = [in_memory(inner, v) for v in value]
            return f"[{length or 0} x {memory(inner)}] [{', '.join(parts)}]"
        case _:
            return typed(type_, value)


_FLOATS = {16: "<e", 32: "<f", 64: "<d"}


def float_text(bits: int, width: int, brain: bool = False) -> str:
    """A float by its bits: a decimal number where that is exact, else LLVM's form of bits."""
    if brain:
        return f"0xR{bits:04X}"
    (value,) = struct.unpack(_FLOATS[width], bits.to_bytes(width // 8, "little"))
    short = f"{value:e}"
    if value == value and abs(value) != float("inf") and float(short) == value:
        return short
    if width == 16:
        return f"0xH{bits:04X}"
    if width == 32 and value != value:
        wide = (bits >> 31) << 63 | 0x7FF << 52 | (bits & 0x7FFFFF) << 29
        return f"0x{wide:016X}"
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


# ----------------------------------------------------------------------------------------------------------
# Specialization constants with values that a user chooses, in place of their defaults.
#
# SPIR-V, *Specialization*: each has a number, SpecId, by which an API sets it. What is chosen takes the
# place of the default before anything else looks at the module: sizes of arrays and of the workgroup follow
# from it.
# ----------------------------------------------------------------------------------------------------------

Chosen = Mapping[int, int]
"""By SpecId: the bits of the value; of a bool 1 or 0."""
_BOOLS = {"true": 1, "false": 0, "1": 1, "0": 0}
_OPCODES = {1: 48, 0: 49}  # OpSpecConstantTrue, OpSpecConstantFalse


def specialized_values(instructions: Iterable[SPIRVInstruction], values: Mapping[str, str]) -> Chosen:
    """What ``values`` say: by SpecId, OpName or id, a number as disassembly has it, or true or false.

    :raises NotSpecialized: for a constant that there is not, and for what is no value of its type
    """
    types, constants = LiteralTypes(), dict[str, SPIRVInstruction]()
    numbers, names = dict[str, int](), dict[str, str]()
    for i in instructions:
        if i.op == "OpDecorate" and i.operands[1:2] == ("SpecId",):
            numbers[i.id(0)] = i.number(2)
        elif i.op == "OpName":
            names[i.id(0)] = i.text(1)
        elif i.op in ("OpSpecConstant", "OpSpecConstantTrue", "OpSpecConstantFalse"):
            if i.result in numbers:
                constants[i.result] = i
        elif i.op == "OpFunction":
            break
        if i.result is not None:
            types.note(i)
    bits = dict[int, int]()
    for name, word in values.items():
        ids = [id_ for id_ in constants if name in _names(id_, numbers[id_], names.get(id_))]
        if not ids:
            raise no_constant(name, (_specialization_name(numbers[id_], names.get(id_)) for id_ in constants))
        for id_ in ids:
            bits[numbers[id_]] = _bits(name, word, constants[id_], types)
    return bits


def no_constant(name: str, others: Iterable[str]) -> NotSpecialized:
    """That no constant is called so, with what the others are called."""
    there = ", ".join(dict.fromkeys(others))
    known = f"there are: {there}" if there else "the module has none"
    return NotSpecialized(f"no specialization constant is called {name}; {known}")


def _names(id_: str, number: int, name: str | None) -> tuple[str | None, ...]:
    """What a constant is called. A number alone is a SpecId, and no id."""
    own = () if id_[1:].isdecimal() else (id_[1:],)
    return str(number), name, id_, *own


def _specialization_name(number: int, name: str | None) -> str:
    return f"{number} ({name})" if name else str(number)


def _bits(name: str, word: str, constant: SPIRVInstruction, types: LiteralTypes) -> int:
    kind = None if constant.op != "OpSpecConstant" else types.of(constant.type)
    return specialized_bits(name, word, kind)


def specialized_bits(name: str, word: str, kind: tuple[str, int, bool] | None) -> int:
    """The bits of a value as people write it, of a constant's kind, width and sign; of a bool, which is
    ``None``, 1 or 0.

    :raises NotSpecialized: for what is no value of its type
    """
    if kind is None:
        if word.lower() not in _BOOLS:
            raise NotSpecialized(f"{name} is true or false, and not {word}")
        return _BOOLS[word.lower()]
    try:
        bits = literal(word, kind)
        fits = kind[0] != "int" or -(1 << kind[1] - 1) <= int(word, 0) < 1 << kind[1]
    except ValueError:
        raise NotSpecialized(f"{name} is a number, and not {word}") from None
    if not fits:
        raise NotSpecialized(f"{word} does not fit {name}, which has {kind[1]} bits")
    return bits


def specialized(instructions: Iterable[SPIRVInstruction], values: Chosen) -> tuple[SPIRVInstruction, ...]:
    """The instructions, with what was chosen for defaults."""
    kept = tuple(instructions)
    if not values:
        return kept
    numbers = _numbers(kept)
    return tuple(
        i if (bits := values.get(numbers.get(i.result or "", -1))) is None else _with(i, bits) for i in kept
    )


def _numbers(instructions: Iterable[SPIRVInstruction]) -> Mapping[str, int]:
    """The SpecIds, by id."""
    return {
        i.id(0): i.number(2) for i in instructions if i.op == "OpDecorate" and i.operands[1:2] == ("SpecId",)
    }


def _with(i: SPIRVInstruction, bits: int) -> SPIRVInstruction:
    if i.op == "OpSpecConstant":
        return i._replace(operands=(bits,))
    return i._replace(op="OpSpecConstantTrue" if bits else "OpSpecConstantFalse")


def specialized_binary(data: bytes, values: Chosen) -> bytes:
    """A binary, with what was chosen for defaults: what a driver is given."""
    if not values:
        return data
    instructions = tuple(decode(data))
    numbers, words = _numbers(instructions), list(words_of(data))
    for i in instructions:
        bits = values.get(numbers.get(i.result or "", -1))
        if bits is None:
            continue
        at = i.offset // 4
        if i.op == "OpSpecConstant":
            words[at + 3] = bits & 0xFFFFFFFF
            if words[at] >> 16 == 5:
                words[at + 4] = bits >> 32
        else:
            words[at] = words[at] & ~0xFFFF | _OPCODES[bits]
    order = "<" if data[0] == 0x03 else ">"
    return struct.pack(f"{order}{len(words)}I", *words)
