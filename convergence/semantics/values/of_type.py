"""Values that a type determines: zero, poison, undef (LangRef, *Simple Constants*, *Poison Values*)."""

from __future__ import annotations

from collections.abc import Callable

from ...ir.resources import is_handle
from ...ir.types import ArrayType, PointerType, StructType, Type, VectorType
from ..arithmetic.domain import Domain
from ..errors import NotModelled
from .datalayout import Layout
from .limits import refuse_large_type
from .value import NULL, Composite, Pointer, RuntimeValue, Undef, UndefPointer, Value


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
