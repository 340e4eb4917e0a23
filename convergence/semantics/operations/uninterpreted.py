"""Stand-ins for what declared functions without a model return (D-CALL).

The result is an uninterpreted value of the callee, the own thread, and the operands (of the whole
group by thread for a convergent call); with side effects also of the group, or, for a call that is
not convergent, of how many calls went before. Equal arguments give equal values, in every run and
on every machine; different ones give different values but for collisions of a 64-bit hash.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import blake2b

from ...ir.types import ArrayType, FloatType, IntType, PointerType, SimpleType, StructType, Type, VectorType
from ..errors import NotModelled
from ..values.context import Context
from ..values.display import Json
from ..values.limits import refuse_large_type
from ..values.value import OUTSIDE, Composite, Pointer, Provenance, RuntimeValue, Value

_ENCODER = json.JSONEncoder(separators=(",", ":"))


def stand_in(callee: str, arguments: Json, type_: Type, context: Context) -> RuntimeValue | None:
    """The value of ``callee`` for these arguments, as a value of ``type_``; ``None`` for void."""
    return _stand_in(callee, arguments, type_, context, _hash)


def constant_stand_in(number: int) -> Callable[[str, Json, Type, Context], RuntimeValue | None]:
    """Stand-ins of which all numbers are one; addresses are as above."""

    def of(callee: str, arguments: Json, type_: Type, context: Context) -> RuntimeValue | None:
        return _stand_in(callee, arguments, type_, context, lambda _: number)

    return of


Numbering = Callable[[str], int]
"""The number of a scalar, of what it is a result of, and where it is in that, as text."""


def _stand_in(
    callee: str, arguments: Json, type_: Type, context: Context, numbering: Numbering
) -> RuntimeValue | None:
    if isinstance(type_, SimpleType) and type_.kind == "void":
        return None
    refuse_large_type(type_, context.layout)
    text = _ENCODER.encode([callee, arguments])
    return _value(text, type_, context, callee, numbering)


def _value(text: str, type_: Type, context: Context, callee: str, numbering: Numbering) -> RuntimeValue:
    type_ = context.layout.resolve(type_)
    match type_:
        case ArrayType(count, element) | VectorType(count, element, False):
            return Composite(
                tuple(_value(f"{text}[{i}]", element, context, callee, numbering) for i in range(count))
            )
        case StructType(parts):
            return Composite(
                tuple(_value(f"{text}.{i}", part, context, callee, numbering) for i, part in enumerate(parts))
            )
        case IntType(bits):
            return Value(context.domain.width(bits).constant(numbering(text)), context.domain.false)
        case FloatType(kind):
            small = numbering(text) % 4096  # an exact number in every format
            return Value(context.domain.floats(kind).from_int(16, False)(small), context.domain.false)
        case PointerType():
            width = context.domain.width(context.layout.bits(type_))
            address = width.constant(_hash(text) >> 20 << 4)
            provenance = Provenance(OUTSIDE, address, 0, f"a result of @{callee} ({_hash(text):016x})")
            return Pointer(address, provenance, context.domain.false)
        case _:
            raise NotModelled(f"a stand-in of type {type_} for the result of @{callee}")


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")
