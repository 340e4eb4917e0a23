"""From functions on bits to functions on values: poison propagation and vector lanes.

LangRef, *Poison Values*: an instruction returns poison if an operand is poison, unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...ir.types import FloatType, IntType, PointerType, Type, VectorType
from ..arithmetic.domain import Domain
from ..errors import NotModelled, Undefined
from ..values.context import Context, Evaluate
from ..values.datalayout import Layout
from ..values.value import Bits, Composite, Pointer, RuntimeValue, Truth, Value

Check = Callable[..., Truth]
"""On the operands' bits: whether a flag's promise is broken, so that the result is poison."""


def strict1(domain: Domain, operation: Callable[[Bits], Bits], checks: Sequence[Check] = ()) -> Evaluate:
    """One scalar operand; poison if it is, or if a check says so."""
    if not checks:
        return lambda a: Value(operation(a.bits), a.poison)
    either = domain.either

    def checked(a: Value) -> Value:
        poison = a.poison
        for broken in checks:
            poison = either(poison, broken(a.bits))
        return Value(operation(a.bits), poison)

    return checked


def strict2(
    domain: Domain, operation: Callable[[Bits, Bits], Bits], checks: Sequence[Check] = ()
) -> Evaluate:
    """Two scalar operands; poison if one of them is, or if a check says so."""
    either = domain.either
    if not checks:

        def plain(a: Value, b: Value) -> Value:
            return Value(operation(a.bits, b.bits), either(a.poison, b.poison))

        return plain
    if len(checks) == 1:
        broken = checks[0]

        def checked(a: Value, b: Value) -> Value:
            x, y = a.bits, b.bits
            return Value(operation(x, y), either(either(a.poison, b.poison), broken(x, y)))

        return checked

    def checked_all(a: Value, b: Value) -> Value:
        poison = either(a.poison, b.poison)
        for broken in checks:
            poison = either(poison, broken(a.bits, b.bits))
        return Value(operation(a.bits, b.bits), poison)

    return checked_all


def strict3(domain: Domain, operation: Callable[[Bits, Bits, Bits], Bits]) -> Evaluate:
    """Three scalar operands; poison if one of them is."""
    either = domain.either

    def evaluate(a: Value, b: Value, c: Value) -> Value:
        poison = either(either(a.poison, b.poison), c.poison)
        return Value(operation(a.bits, b.bits, c.bits), poison)

    return evaluate


def lanewise(type_: Type, evaluate: Evaluate) -> Evaluate:
    """The same on scalars, or in each lane of operands of vector type ``type_``."""
    if not isinstance(type_, VectorType):
        return evaluate

    def lanes(*operands: Composite) -> Composite:
        return Composite(tuple(map(evaluate, *(operand.elements for operand in operands))))

    return lanes


def element_type(type_: Type) -> Type:
    """A vector's element type, or the type itself; scalable vectors are NotModelled."""
    if isinstance(type_, VectorType):
        if type_.scalable:
            raise NotModelled("scalable vectors")
        return type_.element
    return type_


def int_width(type_: Type) -> int:
    """The width of an integer or of a vector's integer elements."""
    element = element_type(type_)
    if not isinstance(element, IntType):
        raise NotModelled(f"an integer operation on {element}")
    return element.bits


def float_kind(type_: Type) -> str:
    """The format of a float or of a vector's float elements."""
    element = element_type(type_)
    if not isinstance(element, FloatType):
        raise NotModelled(f"a floating-point operation on {element}")
    return element.kind


def is_float(type_: Type) -> bool:
    return isinstance(type_.element if isinstance(type_, VectorType) else type_, FloatType)


def scalar_bits(type_: Type, layout: Layout) -> int:
    """The width of an integer, float or pointer, or of a vector's elements."""
    return layout.bits(element_type(type_))


def made(element: Type, bits: Bits, poison: Truth) -> Value:
    """A scalar of the type; a pointer made so may point to whatever lies at its address."""
    return Pointer(bits, None, poison) if isinstance(element, PointerType) else Value(bits, poison)


def failing(problem: NotModelled | Undefined) -> Evaluate:
    """What is found out when an instruction is prepared counts only when a thread reaches it."""

    def fail(*operands: RuntimeValue) -> RuntimeValue:
        raise problem

    return fail


def deferred(prepare: Callable[[Context], Evaluate], context: Context) -> Evaluate:
    """Prepare; what that raises is raised at each call instead."""
    try:
        return prepare(context)
    except (NotModelled, Undefined) as problem:
        return failing(problem)
