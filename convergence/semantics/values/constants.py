"""Constants as runtime values (LangRef, *Constants*)."""

from __future__ import annotations

from collections.abc import Callable

from ...ir.operands import (
    Aggregate,
    BlockAddress,
    Bytes,
    ConstantExpression,
    Float,
    Global,
    GlobalWrapper,
    InlineAsm,
    Int,
    Local,
    MetadataOperand,
    Operand,
    Packed,
    PtrAuth,
    Simple,
    Splat,
)
from ...ir.resources import is_handle
from ...ir.types import ArrayType, PointerType, SimpleType, StructType, Type, VectorType
from ..arithmetic.domain import Domain
from ..errors import NotModelled
from .context import Context
from .datalayout import Layout
from .limits import refuse_large_type
from .value import NULL, Composite, Pointer, RuntimeValue, Undef, UndefPointer, Value

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
