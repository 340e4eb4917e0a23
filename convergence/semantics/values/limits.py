"""How large a value may be: what a program says in a line can take more memory and time than there is.

A type or constant beyond a limit is not modelled, by name, when a thread reaches it. Memory may hold more: an
object's bytes are made when they are first looked at, and have a limit of their own
(:data:`convergence.semantics.memory.allocations.MAXIMUM`). Inside the limits functions on values may recurse.
"""

from __future__ import annotations

from ...ir.operands import Aggregate, ConstantExpression, Int, Operand, Splat
from ...ir.types import IntType, Type
from ..errors import NotModelled
from .datalayout import Layout

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
