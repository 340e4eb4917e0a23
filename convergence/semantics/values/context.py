"""Values of a program: what preparing an instruction may look at, constants, bits of first-class values, and
values as the user writes them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ...frozen import dataclass
from ...ir import (
    Aggregate,
    ArrayType,
    BlockAddress,
    Bytes,
    ConstantExpression,
    Float,
    FloatType,
    Global,
    GlobalWrapper,
    InlineAsm,
    Int,
    IntType,
    Local,
    MetadataOperand,
    Operand,
    Packed,
    PointerType,
    PtrAuth,
    Simple,
    SimpleType,
    Splat,
    StructType,
    Type,
    VectorType,
    is_handle,
)
from .. import NotModelled, UsageError
from . import NULL, Bits, Composite, Pointer, RuntimeValue, Undef, UndefPointer, Value, elements, scalar
from .datalayout import Layout, refuse_large_type

if TYPE_CHECKING:
    from ...ir.module import Module
    from ..arithmetic.domain import Domain

# ----------------------------------------------------------------------------------------------------------
# What preparing an instruction may look at, and the shapes of what it prepares.
# ----------------------------------------------------------------------------------------------------------


def _no_block_addresses(function: str, block: str) -> Value:
    raise NotModelled(f"blockaddress(@{function}, %{block})")


Frozen = Callable[[], Callable[[int], int]]
"""Called for a ``freeze`` of the text; the answer is called with an element's number."""


@dataclass(frozen=True, slots=True)
class Context:
    """A module under one domain: ``address_of`` maps a global's or function's name to its pointer.
    ``frozen`` is asked once for each ``freeze`` of the text for what says which value a poison or undef in
    an element of so many becomes there, as a bit pattern: 0 without."""

    module: Module
    domain: Domain
    layout: Layout
    address_of: Callable[[str], Value]
    address_of_block: Callable[[str, str], Value] = _no_block_addresses
    frozen: Frozen | None = None


Evaluate = Callable[..., RuntimeValue]
"""Called with the operand values positionally; may raise Undefined or NotModelled."""


# ----------------------------------------------------------------------------------------------------------
# A first-class value as one bit-vector, and back (LangRef, *bitcast .. to*, *Vector Type*).
#
# The poison mask has a one for each poison bit. Vectors are packed without padding; lane 0 lies in
# the lowest bits on little-endian targets, in the highest on big-endian ones.
# ----------------------------------------------------------------------------------------------------------


ToBits = Callable[[RuntimeValue], tuple[Bits, Bits]]
FromBits = Callable[[Bits, Bits], RuntimeValue]


def to_bits(type_: Type, layout: Layout, domain: Domain) -> ToBits:
    """Staged: a scalar or vector value to (bits, poison mask)."""
    if isinstance(type_, VectorType):
        lane = to_bits(type_.element, layout, domain)
        widths = (layout.bits(type_.element),) * type_.count

        def vector(value: RuntimeValue) -> tuple[Bits, Bits]:
            lanes = [lane(element) for element in elements(value)]
            if layout.big_endian:
                lanes.reverse()
            bits = domain.concat([b for b, _ in lanes], widths)
            return bits, domain.concat([mask for _, mask in lanes], widths)

        return vector
    width = domain.width(layout.bits(type_))
    none, all_ = width.constant(0), width.constant(-1)

    def single(value: RuntimeValue) -> tuple[Bits, Bits]:
        value = scalar(value)
        return value.bits, domain.ite(value.poison, all_, none)

    return single


def from_bits(type_: Type, layout: Layout, domain: Domain) -> FromBits:
    """Staged: (bits, poison mask) to a scalar or vector value; a scalar with a poison bit is poison.

    A pointer made so may point to whatever lies at its address, as by ``inttoptr``.
    """
    if isinstance(type_, VectorType):
        lane = from_bits(type_.element, layout, domain)
        size = layout.bits(type_.element)
        cuts = [domain.extract((i + 1) * size - 1, i * size) for i in range(type_.count)]
        if layout.big_endian:
            cuts.reverse()
        return lambda bits, mask: Composite(tuple(lane(cut(bits), cut(mask)) for cut in cuts))
    width = domain.width(layout.bits(type_))
    none = width.constant(0)
    if isinstance(type_, PointerType) or is_handle(type_):
        return lambda bits, mask: Pointer(bits, None, width.ne(mask, none))
    return lambda bits, mask: Value(bits, width.ne(mask, none))


# ----------------------------------------------------------------------------------------------------------
# Elements of matrices in registers: words that hold several of them, vectors, or one each.
# ----------------------------------------------------------------------------------------------------------


def result_registers(type_: Type) -> list[Type]:
    """The registers that a result is: those of a struct, or one."""
    return list(type_.elements) if isinstance(type_, StructType) else [type_]


def registers_holding(types: Sequence[Type], bits: int, layout: Layout) -> tuple[int, int]:
    """How many of the first registers of these types so many bits take; and how many bits are left over, or,
    as a negative number, free."""
    count = 0
    while bits > 0 and count < len(types):
        bits -= layout.bits(types[count])
        count += 1
    return count, bits


def register_parts(type_: Type, bits: int) -> list[Type]:
    """The types of the elements of so many bits that a register holds."""
    if isinstance(type_, VectorType):
        return [type_.element] * type_.count
    if isinstance(type_, IntType) and type_.bits > bits:
        return [IntType(bits)] * (type_.bits // bits)
    return [type_]


def from_registers(
    values: Sequence[RuntimeValue], types: Sequence[Type], bits: int, context: Context
) -> Iterator[Value]:
    """The elements of so many bits that lie in registers, from the lowest bit on."""
    d = context.domain
    for value, type_ in zip(values, types, strict=True):
        parts = elements(value) if isinstance(type_, VectorType) else (value,)
        part_type = type_.element if isinstance(type_, VectorType) else type_
        width = context.layout.bits(part_type)
        w = d.width(width)
        for part in map(scalar, parts):
            for at in range(0, width, bits):
                shifted = w.lshr(part.bits, w.constant(at)) if at else part.bits
                yield Value(d.trunc(width, bits)(shifted) if bits < width else shifted, part.poison)


def in_registers(values: Sequence[Value], type_: Type, bits: int, d: Domain) -> RuntimeValue:
    """Elements of so many bits as a result: one register, a vector, or a struct of registers or vectors."""
    if isinstance(type_, StructType):
        per = len(values) // len(type_.elements)
        parts = (values[n * per : (n + 1) * per] for n in range(len(type_.elements)))
        return Composite(
            tuple(in_registers(p, t, bits, d) for p, t in zip(parts, type_.elements, strict=True))
        )
    if isinstance(type_, VectorType):
        return Composite(tuple(values))
    bad = values[0].poison
    for value in values[1:]:
        bad = d.either(bad, value.poison)
    words = [value.bits for value in values]
    return Value(words[0] if len(words) == 1 else d.concat(words, [bits] * len(words)), bad)


# ----------------------------------------------------------------------------------------------------------
# Constants as runtime values (LangRef, *Constants*).
# ----------------------------------------------------------------------------------------------------------


# ----------------------------------------------------------------------------------------------------------
# Values that a type determines: zero, poison, undef (LangRef, *Simple Constants*, *Poison Values*).
# ----------------------------------------------------------------------------------------------------------


def _is_address(type_: Type) -> bool:
    """Whether its values are addresses: pointers, and handles of resources."""
    return isinstance(type_, PointerType) or is_handle(type_)


Leaf = Callable[[Type], Value]


def fill(type_: Type, layout: Layout, leaf: Leaf) -> RuntimeValue:
    """A value of the type with ``leaf(type)`` at every scalar. NotModelled for one that is too large."""
    refuse_large_type(type_, layout)
    return _filled(type_, layout, leaf)


def _filled(type_: Type, layout: Layout, leaf: Leaf) -> RuntimeValue:
    type_ = layout.resolve(type_)
    match type_:
        case VectorType(scalable=True):
            raise NotModelled("scalable vectors")
        case VectorType(count, element) | ArrayType(count, element):
            return Composite((_filled(element, layout, leaf),) * count)
        case StructType(parts):
            return Composite(tuple(_filled(part, layout, leaf) for part in parts))
        case _:
            return leaf(type_)


def zero(type_: Type, layout: Layout, domain: Domain) -> RuntimeValue:
    """``zeroinitializer``."""

    def leaf(scalar: Type) -> Value:
        bits = domain.width(layout.bits(scalar)).constant(0)
        return Pointer(bits, NULL, domain.false) if _is_address(scalar) else Value(bits, domain.false)

    return fill(type_, layout, leaf)


def poison(type_: Type, layout: Layout, domain: Domain) -> RuntimeValue:
    """``poison``, in every element."""

    def leaf(scalar: Type) -> Value:
        bits = domain.width(layout.bits(scalar)).constant(0)
        return Pointer(bits, NULL, domain.true) if _is_address(scalar) else Value(bits, domain.true)

    return fill(type_, layout, leaf)


def undef(type_: Type, layout: Layout, domain: Domain) -> RuntimeValue:
    """``undef``: the fixed choice 0, marked as a choice, in every element."""

    def leaf(scalar: Type) -> Value:
        bits = domain.width(layout.bits(scalar)).constant(0)
        if _is_address(scalar):
            return UndefPointer(bits, NULL, domain.false)
        return Undef(bits, domain.false)

    return fill(type_, layout, leaf)


Expression = Callable[[ConstantExpression, Context], RuntimeValue]


def constant_value(operand: Operand, context: Context, expression: Expression) -> RuntimeValue:
    """The value of an operand that is no local; ``expression`` evaluates constant expressions.

    NotModelled for what has no value here (inline assembly, signed pointers, scalable vectors).
    """
    d, layout = context.domain, context.layout
    match operand:
        case Int(type_, value):
            return Value(d.width(layout.bits(type_)).constant(value), d.false)
        case Float(type_, bits):
            return Value(d.width(layout.bits(type_)).constant(bits), d.false)
        case Simple():
            return _simple(operand, context)
        case Bytes(_, data):
            byte = d.width(8)
            return Composite(tuple(Value(byte.constant(b), d.false) for b in data))
        case Packed():
            return Composite(tuple(constant_value(part, context, expression) for part in operand.parts()))
        case Aggregate(_, parts):
            return Composite(tuple(constant_value(part, context, expression) for part in parts))
        case Splat(type_, element):
            if not isinstance(type_, VectorType | ArrayType) or getattr(type_, "scalable", False):
                raise NotModelled("scalable vectors")
            return Composite((constant_value(element, context, expression),) * type_.count)
        case Global(name) | GlobalWrapper(_, name):
            return context.address_of(name)
        case BlockAddress(function, block):
            return context.address_of_block(function, block)
        case ConstantExpression():
            return expression(operand, context)
        case MetadataOperand():
            return Value(d.width(1).constant(0), d.false)  # never computed with: intrinsics read the operand
        case PtrAuth():
            raise NotModelled("ptrauth constants")
        case InlineAsm():
            raise NotModelled("inline assembly")
        case Local(_, name):
            raise AssertionError(f"%{name} is no constant")


def _simple(operand: Simple, context: Context) -> RuntimeValue:
    """null, zeroinitializer and none are zero; undef and poison as their types say."""
    d, layout = context.domain, context.layout
    if isinstance(operand.type, SimpleType):  # token none, label
        return Value(d.width(1).constant(0), d.false)
    match operand.kind:
        case "undef":
            return undef(operand.type, layout, d)
        case "poison":
            return poison(operand.type, layout, d)
        case _:
            return zero(operand.type, layout, d)


# ----------------------------------------------------------------------------------------------------------
# Values as the user writes them.
# ----------------------------------------------------------------------------------------------------------


Given = int | float | str | Sequence["Given"] | Value | Composite
"""A number, also as ``"-0.0"``, ``"inf"``, ``"-inf"``, ``"nan"``; ``"@g"`` or ``"@g+4"`` (bytes), which an
integer as wide as an address may be, too; ``"null"``, ``"poison"`` or ``"undef"``; a list for a vector,
array or struct, where ``"..."`` at the end of an array's says that it goes on so."""


def value_of(value: Given, type_: Type, context: Context, what: str) -> RuntimeValue:
    """A given value as a value of a type. Raises UsageError, which says ``what`` was given, and
    NotModelled for a value that is too large."""
    if isinstance(value, Value | Composite):
        return value
    layout, domain = context.layout, context.domain
    refuse_large_type(type_, layout)
    type_ = layout.resolve(type_)
    match type_, value:
        case _, "poison":
            return poison(type_, layout, domain)
        case _, "undef":
            return undef(type_, layout, domain)
        case ArrayType(count), [*parts, "..."] if parts:
            return value_of([parts[n % len(parts)] for n in range(count)], type_, context, what)
        case ((VectorType() | ArrayType() | StructType()), [*parts]):
            types = type_.elements if isinstance(type_, StructType) else (type_.element,) * type_.count
            if len(types) != len(parts):
                raise UsageError(f"{what} has {len(types)} elements, {len(parts)} are given")
            return Composite(tuple(value_of(p, t, context, what) for p, t in zip(parts, types, strict=True)))
        case IntType(bits), bool() | int():
            if not -(1 << (bits - 1)) <= int(value) < 1 << bits:
                raise UsageError(f"{what} is an i{bits}: {value} does not fit")
            return Value(domain.width(bits).constant(int(value)), domain.false)
        case FloatType(kind), bool() | int() | float() | "-0.0" | "inf" | "-inf" | "nan":
            double: int = struct.unpack("<Q", struct.pack("<d", float(value)))[0]
            return Value(
                domain.floats("double").convert(kind)(double) if kind != "double" else double, domain.false
            )
        case PointerType(), "null" | 0:
            return Pointer(domain.width(layout.bits(type_)).constant(0), NULL, domain.false)
        case ((PointerType(8) | VectorType(4, IntType(32))), str()) if value.startswith("@"):
            return _resource(value_of(value, PointerType(1), context, what), type_, context)
        case PointerType(), str() if value.startswith("@"):
            return _address(value[1:], type_, context, what)
        case IntType(), str() if value.startswith("@") and type_.bits == layout.bits(PointerType()):
            return Value(scalar(_address(value[1:], PointerType(), context, what)).bits, domain.false)
    raise UsageError(f"{what}: {value!r} is no value of its type")


def _address(name: str, type_: PointerType, context: Context, what: str) -> RuntimeValue:
    """The address of an object, or so many bytes behind its start."""
    try:
        return context.address_of(name)
    except NotModelled:
        start, plus, offset = name.rpartition("+")
        if not plus or not offset.isdecimal():
            raise UsageError(f"{what}: there is no @{name} to point to") from None
    pointer = _address(start, type_, context, what)
    assert isinstance(pointer, Value)
    width = context.domain.width(context.layout.bits(type_))
    return Pointer(
        width.add(pointer.bits, width.constant(int(offset))), pointer.provenance, context.domain.false
    )


def _resource(pointer: RuntimeValue, type_: Type, context: Context) -> RuntimeValue:
    """AMDGPU's buffer resource for all of the object that a pointer points to."""
    assert isinstance(pointer, Value) and pointer.provenance is not None
    bits = pointer.bits | pointer.provenance.size << 64
    if isinstance(type_, PointerType):
        return Pointer(context.domain.width(128).constant(bits), pointer.provenance, context.domain.false)
    word = context.domain.width(32)
    words = (Value(word.constant(bits >> at), context.domain.false) for at in range(0, 128, 32))
    return Composite(tuple(words))
