"""Buffers: numbers in a row, their element types, and how words, arrays and files have them."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from math import isfinite, prod
from typing import TYPE_CHECKING, Any, BinaryIO

from ...frozen import dataclass
from ...ir import ArrayType, FloatType, IntType, Type, VectorType
from ...ir.module import Module, is_thread_local
from ...ir.resources import of_binding, variable_of
from ...packages import required
from .. import NotModelled, UsageError, alternatives
from ..arithmetic import ConcreteDomain
from ..memory.allocations import Memory, PackedNumbers
from ..memory.globals import object_type
from ..values.datalayout import layout_of

if TYPE_CHECKING:
    import numpy

    from ..values.context import Context

    Array = numpy.ndarray[Any, Any]

# ----------------------------------------------------------------------------------------------------------
# Element types of buffers, by the names that people give them: ``i32``, ``u8``, ``f16``, ``float32``.
#
# Signed and unsigned integers are one type of LLVM IR; the sign says how numbers are shown and saved. numpy
# has no bfloat16: an array of ``bf16`` is one of its bit patterns, as unsigned 16-bit integers.
# ----------------------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------------------
# Buffers: numbers in a row, as words, arrays and files have them, and as an object holds them at the end.
#
# Where a launch puts them is :mod:`.bindings`' matter.
# ----------------------------------------------------------------------------------------------------------


LARGEST = 1 << 30
"""Bytes of all buffers of a launch together."""
CELL = 8
"""Bytes of our memory for one byte of a buffer."""
NUMBER = 170
"""Bytes of our memory for a number that a buffer holds at the launch, besides its cells."""


@dataclass(frozen=True, slots=True)
class Record:
    """What an array of structures is to numpy: the ``dtype`` of one, and the shape of the array."""

    dtype: Any
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Buffer:
    """Numbers of one type; ``data`` is little-endian, ``None`` for zeros only, or where it holds nothing that
    anybody wrote (``undefined``). Structures are bytes, with the ``record`` that says what they are."""

    element: Element
    shape: tuple[int, ...]
    data: bytes | None = None
    record: Record | None = None
    undefined: bool = False

    @property
    def count(self) -> int:
        """How many numbers it holds."""
        return prod(self.shape)

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return self.count * self.element.size


@dataclass(frozen=True, slots=True)
class BufferFile:
    """A buffer as a ``.npy`` file has it; what the file must hold, where that was said."""

    path: str
    element: Element | None = None
    shape: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class SameBuffer:
    """The buffer of another parameter, from so many bytes behind its start on."""

    name: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class PlacedBuffer:
    """A buffer of a launch: the ``variable`` that it is in the program, and how it is looked at."""

    variable: str
    element: Element
    shape: tuple[int, ...]
    record: Record | None = None

    @property
    def words(self) -> str:
        """Its type and shape, as the command line takes them."""
        return f"{self.element.name}[{','.join(map(str, self.shape))}]"


# -- How large they may be


def needed(element: Element, count: int, numbers: bool) -> int:
    """Bytes of our memory for a buffer, of zeros or of other ``numbers``."""
    return CELL * element.size * count + (NUMBER * count if numbers else 0)


def require_room(total: int, needed: int) -> None:
    """Raises UsageError for buffers of so many bytes, which need so many of our memory, if there are not."""
    if total > LARGEST:
        raise UsageError(f"the buffers have {total} bytes together: more than {LARGEST} are not modelled")
    there = _free_memory()
    if there is not None and needed > there:
        wanted_room, free = (f"{bytes_ / (1 << 30):.1f} GiB" for bytes_ in (needed, there))
        raise UsageError(f"the buffers take {wanted_room} of memory, of which {free} are free")


def _free_memory() -> int | None:
    """Bytes of memory that this machine can still give, if it says so."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None


ADDRESSED = "+"
"""How the name of a buffer begins that is bound nowhere: what the launch is given holds its address."""
UNDEFINED = "undef"
"""The word for a buffer that nobody has written to."""

# -- In words: i32[64], f32[16]:0,1,2,..., @data.npy, %other

_TYPE = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9]*)\s*\[(?P<shape>[0-9,\s]*)\]\s*(?::(?P<rest>.*))?\Z", re.S)


def buffer_in_words(text: str) -> Buffer | BufferFile | SameBuffer:
    """``i32[64]`` (zeros), ``i32[64]:undef``, ``f32[16]:0,1,2,...``, ``i32[]:5,7``, ``@data.npy``,
    ``f32[16]:@data.npy``, or ``%a``, ``%a+4`` (bytes). Raises UsageError."""
    text = text.strip()
    if text.startswith("@") and len(text) > 1:
        return BufferFile(text[1:])
    if text.startswith("%") and len(text) > 1:
        name, plus, offset = text[1:].rpartition("+")
        return SameBuffer(name, int(offset)) if plus and name and offset.isdecimal() else SameBuffer(text[1:])
    match = _TYPE.match(text)
    if match is None:
        raise UsageError(f"{text!r} is no buffer: write i32[64], f32[4]:0,1,2,... or @data.npy")
    element = element_named(match["name"])
    if element is None:
        raise UsageError(f"{match['name']!r} is no element type of buffers: there are {', '.join(ELEMENTS)}")
    sizes = [part.strip() for part in match["shape"].split(",")]
    rest = None if match["rest"] is None else match["rest"].strip()
    if sizes == [""] and rest:
        shape = None
    elif all(part.isdecimal() for part in sizes):
        shape = tuple(map(int, sizes))
    else:
        raise UsageError(f"{text!r}: how many elements?")
    if rest is None or rest == UNDEFINED:
        if shape is None:
            raise UsageError("how many elements? [] takes as many as there are values")
        return Buffer(element, shape, undefined=rest is not None)
    if rest.startswith("@") and len(rest) > 1:
        return BufferFile(rest[1:], element, shape)
    if shape is not None:
        require_room(prod(shape) * element.size, needed(element, prod(shape), True))
    numbers = _numbers(rest, element, None if shape is None else prod(shape))
    return _packed(element, (len(numbers),) if shape is None else shape, numbers)


def _numbers(text: str, element: Element, count: int | None) -> Sequence[float]:
    """Numbers between commas; behind ``...`` the one number again, or the progression goes on."""
    words = [word.strip() for word in text.split(",")]
    goes_on = words[-1] == "..."
    numbers = [_number(word, element) for word in words[: len(words) - goes_on]]
    if not goes_on:
        if count is not None and len(numbers) != count:
            raise UsageError(
                f"{len(numbers)} values are given for {count} elements; end with ,... to go on as they begin"
            )
        return numbers
    if count is None:
        raise UsageError("how many elements? [] takes as many as there are values, and ... has no end")
    if len(numbers) > count:
        raise UsageError(f"{len(numbers)} values are given for {count} elements")
    if not numbers:
        raise UsageError("... goes on with what stands before it")
    step = numbers[1] - numbers[0] if len(numbers) > 1 else 0
    if any(after - before != step for before, after in pairwise(numbers)):
        raise UsageError("... goes on with one value, or with a progression as 0,1,2,...")
    if step == 0:  # -0.0 + 0 would be 0.0
        return [numbers[0]] * count
    return [numbers[0] + n * step for n in range(count)]


_INTEGER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)\Z")
_HEXADECIMAL = re.compile(r"[-+]?0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][-+]?[0-9]+\Z")
"""A float as C writes it, exactly."""


def _number(word: str, element: Element) -> float:
    if _INTEGER.match(word):
        whole = int(word, 10 if word.lstrip("+-").isdecimal() else 0)
        return -0.0 if element.floating and whole == 0 and word.startswith("-") else whole
    try:
        number = float.fromhex(word) if _HEXADECIMAL.match(word) else float(word)
    except OverflowError:
        raise UsageError(f"{word} is no value of {element.name}") from None
    except ValueError:
        raise UsageError(f"{word!r} is no number" if word else "a value is missing") from None
    if not element.floating:
        raise UsageError(f"{word} is no value of {element.name}")
    return number


def _packed(element: Element, shape: tuple[int, ...], numbers: Sequence[float]) -> Buffer:
    parts: dict[str, bytes] = {}
    for number in numbers:
        if (word := repr(number)) not in parts:
            bits = element.bits(number)
            if bits is None:
                raise UsageError(f"{number} does not fit {element.name}")
            parts[word] = bits.to_bytes(element.size, "little")
    data = b"".join([parts[repr(number)] for number in numbers])
    return Buffer(element, shape, data if any(data) else None)


# -- numpy's arrays, in memory and in files


def buffer_like(array: object, what: str = "a buffer") -> Buffer:
    """A buffer with an array's numbers. Raises UsageError for an array of anything else."""
    numpy = required("numpy", "a buffer as an array")

    if not isinstance(array, numpy.ndarray | numpy.generic):
        kind = type(array).__name__
        raise UsageError(f"{what}: a numpy array is wanted, or words such as 'i32[64]', not a {kind}")
    numbers = numpy.asarray(array)
    if numbers.dtype.names is not None and not numbers.dtype.hasobject:
        return _structures(numbers)
    if numbers.dtype.name == "bfloat16":
        element: Element | None = ELEMENTS["bf16"]
        numbers = numbers.view(numpy.uint16)
    else:
        element = element_like(f"{numbers.dtype.kind}{numbers.dtype.itemsize}")
    if element is None:
        raise UsageError(f"{what}: numbers of dtype {numbers.dtype} are none that a buffer holds")
    data = numpy.ascontiguousarray(numbers).astype(element.dtype, copy=False).tobytes()
    return Buffer(element, tuple(numbers.shape), data if any(data) else None)


def _structures(array: Array) -> Buffer:
    """An array of structures, field by field as numpy lays them out."""
    dtype = array.dtype.newbyteorder("<")
    data = array.astype(dtype, copy=False).tobytes()
    return Buffer(ELEMENTS["u8"], (len(data),), data, Record(dtype, tuple(array.shape)))


def buffer_in(file: BufferFile) -> Buffer:
    """What a ``.npy`` file holds. Raises UsageError for a file that is none, and for one that holds something
    else than was said."""
    numpy = required("numpy", "a buffer as an array")

    path = file.path
    try:
        with open(path, "rb") as stream:
            if _holds_objects(stream):
                raise UsageError(f"{path}: it holds Python objects, which are not loaded")
            stream.seek(0)
            array = numpy.load(stream, allow_pickle=False)
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    except MemoryError:
        raise UsageError(f"{path}: larger than the memory that there is") from None
    except (ValueError, EOFError, SyntaxError, TypeError):
        raise UsageError(f"{path}: not a .npy file that is whole") from None
    buffer = buffer_like(array, path)
    if file.element is not None and file.element != buffer.element:
        buffer = _seen_as(buffer, file.element, path)
    if file.shape is not None:
        if prod(file.shape) != buffer.count:
            raise UsageError(f"{path}: it has {buffer.count} elements, {prod(file.shape)} are wanted")
        buffer = replace(buffer, shape=file.shape)
    return buffer


def _holds_objects(stream: BinaryIO) -> bool:
    """Whether a ``.npy`` file, by its header, holds Python objects. Raises ValueError for another file."""
    npy = required("numpy.lib.format", "a .npy file")

    read = npy.read_array_header_1_0 if npy.read_magic(stream) == (1, 0) else npy.read_array_header_2_0
    return bool(read(stream)[2].hasobject)


def _seen_as(buffer: Buffer, wanted: Element, path: str) -> Buffer:
    """The same bytes as the wanted type, which says more than numpy's type: bf16 is kept as its bits."""
    alike = wanted.size == buffer.element.size and wanted.floating == buffer.element.floating
    if alike and wanted.name != "bf16" and buffer.element.name != "bf16":
        return replace(buffer, element=wanted)  # another sign
    if wanted.name == "bf16" and buffer.element.name == "u16":
        return replace(buffer, element=wanted)
    raise UsageError(f"{path}: it holds {buffer.element.name}, not {wanted.name}")


def array_of(numbers: PackedNumbers, placed: PlacedBuffer) -> Array:
    """Numbers as a new array; zero stands for what has none."""
    numpy = required("numpy", "a buffer as an array")

    if placed.record is not None:  # of a constant buffer there may be more, up to the end of a row
        record = placed.record
        size = prod(record.shape) * record.dtype.itemsize
        array: Array = numpy.frombuffer(numbers.data[:size], dtype=record.dtype).reshape(record.shape).copy()
        return array
    whole: Array = numpy.frombuffer(numbers.data, dtype=placed.element.dtype)
    return whole.reshape(placed.shape).copy()


def resolved(value: object, what: str) -> Buffer | SameBuffer:
    """A buffer from whatever says what it is. Raises UsageError."""
    match value:
        case Buffer() | SameBuffer():
            return value
        case BufferFile() | str():
            try:
                described = buffer_in_words(value) if isinstance(value, str) else value
                return buffer_in(described) if isinstance(described, BufferFile) else described
            except UsageError as error:
                raise UsageError(f"{what}: {error}") from None
        case _:
            return buffer_like(value, what)


# -- What they hold when a run is over


@dataclass(frozen=True, slots=True)
class BufferContents:
    """What a buffer holds at the end, as it was ``placed``."""

    name: str
    placed: PlacedBuffer
    numbers: PackedNumbers

    @property
    def array(self) -> Array:
        """As a new numpy array; zero stands for poison and undef."""
        return array_of(self.numbers, self.placed)

    @property
    def values(self) -> tuple[int | float | str, ...]:
        """The numbers; ``"poison"`` and ``"undef"`` where there is none."""
        numbers, element, size = self.numbers, self.placed.element, self.placed.element.size
        return tuple(
            "poison" if n in numbers.poison
            else "undef" if n in numbers.undef
            else element.number(int.from_bytes(numbers.data[n * size : (n + 1) * size], "little"))
            for n in range(len(numbers.data) // size)
        )  # fmt: skip

    @property
    def missing(self) -> int:
        """How many elements have no number."""
        return len(self.numbers.poison) + len(self.numbers.undef)


def contents_of(name: str, placed: PlacedBuffer, context: Context, memory: Memory) -> BufferContents:
    """What the object of a buffer holds."""
    provenance = context.address_of(placed.variable).provenance
    assert provenance is not None
    allocation, count = memory.allocations[provenance.id], prod(placed.shape)
    numbers = allocation.numbers(placed.element.type, count, memory.layout, memory.domain)
    return BufferContents(name, placed, numbers)


def shown_contents(name: str, placed: PlacedBuffer, shown: object) -> BufferContents:
    """What a buffer holds, from how an outcome shows it. Raises UsageError for what is shown by a digest."""
    values, element = [*_leaves(shown)], placed.element
    if len(values) != prod(placed.shape):
        raise UsageError(f"{name}: {prod(placed.shape)} elements are more than an outcome has")
    data, poison, undef = bytearray(), set[int](), set[int]()
    for index, number in enumerate(values):
        if number == "poison":
            poison.add(index)
        elif number == "undef":
            undef.add(index)
        missing = number in ("poison", "undef")
        bits = 0 if missing else element.bits(float(number) if element.floating else int(number))
        data += (bits or 0).to_bytes(element.size, "little")
    return BufferContents(name, placed, PackedNumbers(bytes(data), frozenset(poison), frozenset(undef)))


def _leaves(shown: Any) -> Iterator[Any]:
    """The numbers of arrays of arrays, in a row."""
    if isinstance(shown, list):
        for part in shown:
            yield from _leaves(part)
    else:
        yield shown


COERCED = ".coerce"
"""How the names end that clang gives to HIP's pointers, which it puts into the global address space."""


def buffer_placed(module: Module, known: Mapping[str, PlacedBuffer], name: str) -> tuple[str, PlacedBuffer]:
    """How a buffer is called and looked at, by the name of its parameter (``%x`` or ``x``) or register, or a
    variable of the module (``@g``), or that of one by its address (``+x``). HIP's pointers go by clang's
    names, too. Raises UsageError for what is none."""
    if name not in known:
        name = next((key for key in of_binding(name) if variable_of(key) in module.globals), name)
    if name not in known and variable_of(name) in module.globals:
        return name, placed_variable(module, variable_of(name))
    shown = name if name in known or name[:1] in ("@", ADDRESSED) else f"%{name.removeprefix('%')}"
    placed = known.get(shown)
    if placed is None and shown.removesuffix(COERCED) in known:
        shown = shown.removesuffix(COERCED)
        placed = known[shown]
    if placed is None and not shown.startswith("@"):
        there = ", ".join(known) or "none"
        raise UsageError(f"{shown} was given no buffer; these were: {there}")
    return shown, placed_variable(module, shown[1:]) if placed is None else placed


def save(array: Array, path: str) -> None:
    """Write what a buffer holds to a ``.npy`` file of that very name; zero stands for poison and undef.
    Raises UsageError if that cannot be done."""
    numpy = required("numpy", "a buffer as an array")

    try:
        with open(path, "wb") as stream:
            numpy.save(stream, array, allow_pickle=False)
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or str(error)).lower()}") from None


def placed_variable(module: Module, name: str) -> PlacedBuffer:
    """A variable that is an array of numbers, or of vectors of them without padding, as a buffer of its own
    type. Raises UsageError for another."""
    variable = module.globals.get(name)
    if variable is None:
        known = alternatives(f"@{name}", (f"@{n}" for n in module.globals))
        raise UsageError(f"there is no global variable @{name}{known}")
    shape: list[int] = []
    layout = layout_of(module)
    type_ = object_type(variable, layout)
    try:
        type_ = layout.resolve(type_)
        while isinstance(type_, ArrayType):
            shape.append(type_.count)
            type_ = layout.resolve(type_.element)
        if isinstance(type_, VectorType) and layout.size(type_) == type_.count * layout.size(type_.element):
            shape.append(type_.count)
            type_ = type_.element
    except NotModelled:
        pass
    element = element_of(type_)
    if element is None or is_thread_local(variable):
        raise UsageError(f"@{name} is {variable.type}, no array of numbers that all threads share")
    return PlacedBuffer(name, element, tuple(shape) or (1,))
