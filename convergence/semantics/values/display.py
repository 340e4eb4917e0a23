"""Runtime values as plain data, for answers: no addresses, integers as integers, poison by its name."""

from __future__ import annotations

import struct
from collections.abc import Callable

from ...ir.resources import is_handle
from ...ir.types import (
    ArrayType,
    FloatType,
    IntType,
    PointerType,
    SimpleType,
    StructType,
    TargetType,
    Type,
    VectorType,
)
from .datalayout import Layout
from .pending import Unknown
from .value import Composite, Provenance, Value

ObjectAt = Callable[[int], Provenance | None]
"""The object that lies at an address, if one does."""


def plain(value: object, type_: Type, layout: Layout, object_at: ObjectAt | None = None) -> Json:
    """A value of a type: signed integers (``i1`` as 0 or 1), floats, pointers as ``"@g+4"``, lists for
    aggregates; ``"poison"``, ``"undef"`` and ``"unknown"`` for what has no value; ``None`` for void.

    A pointer that an integer became is named by the object that ``object_at`` has at its address, as any
    other pointer there: which integers and pointers an address went through is seen by nobody. A pointer
    into an object is a :class:`Place`."""
    if value.__class__ is Value and type_.__class__ is IntType:  # most values
        if value.poison is not False:
            return "poison"
        return "undef" if value.undef else _signed(value.bits, type_.bits)
    if value is None or isinstance(type_, SimpleType):
        return None
    if isinstance(value, Unknown):
        return "unknown"
    type_ = layout.resolve(type_)
    if isinstance(value, Composite):
        return [plain(v, t, layout, object_at) for v, t in zip(value.elements, _parts(type_), strict=True)]
    assert isinstance(value, Value)
    if value.poison is not False:
        return "poison"
    if value.undef:
        return "undef"
    match type_:
        case IntType(bits):
            return _signed(value.bits, bits)
        case FloatType(kind):
            return _float(kind, value.bits)
        case PointerType():
            return _pointer(value, object_at)
        case TargetType() if is_handle(type_):
            return _pointer(value, object_at)
        case _:
            return int(value.bits)


def _signed(number: int, bits: int) -> int:
    return number - (1 << bits) if bits > 1 and number >> (bits - 1) else number


def _parts(type_: Type) -> tuple[Type, ...]:
    match type_:
        case ArrayType(count, element) | VectorType(count, element):
            return (element,) * count
        case StructType(parts):
            return parts
        case _:
            raise AssertionError(f"{type_} has no elements")


_FORMATS = {"half": ("<H", "<e"), "float": ("<I", "<f"), "double": ("<Q", "<d")}


def _float(kind: str, bits: int) -> Json:
    """The number that a bit pattern spells; strings for infinities, NaN and the wide formats."""
    if kind == "bfloat":
        kind, bits = "float", bits << 16
    if kind not in _FORMATS:
        return f"{kind} {bits:#x}"
    integer, number = _FORMATS[kind]
    result: float = struct.unpack(number, struct.pack(integer, bits))[0]
    if result != result:
        return "nan"
    if result in (float("inf"), float("-inf")):
        return "inf" if result > 0 else "-inf"
    return result


def _pointer(value: Value, object_at: ObjectAt | None) -> str:
    """The object that a pointer is based on, and how far into it it points."""
    provenance = value.provenance
    if provenance is None and value.bits and object_at is not None:
        provenance = object_at(value.bits)
    if provenance is None or provenance.name == "null":
        return "null" if value.bits == 0 else f"address {value.bits:#x}"
    return Place(provenance.name, value.bits - provenance.base)


class Place(str):
    """An address as plain data: so many bytes into the object of that name (``"@g+4"``)."""

    object: str
    offset: int

    def __new__(cls, object_: str, offset: int) -> Place:
        place = super().__new__(cls, object_ + (f"{offset:+d}" if offset else ""))
        place.object, place.offset = object_, offset
        return place

    def __getnewargs__(self) -> tuple[str, int]:  # type: ignore[override]  # what copies are made of
        return self.object, self.offset


Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
