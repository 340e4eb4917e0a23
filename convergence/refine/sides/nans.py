"""Which NaN an operation gives: LangRef (*Behavior of Floating-Point NaN values*) leaves open its sign, its
payload, and mostly whether it is quiet. A run gives one of them, and a pass may take another.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...ir import instructions as ir
from ...ir.calls import callee_name
from ...ir.module import Function
from ...ir.types import FloatType, Type, VectorType
from .observable import refined

_FORMATS = {"half": (16, 10), "bfloat": (16, 7), "float": (32, 23), "double": (64, 52)}
"""Bits of a number, and of its significand."""
_WORD = 32
_KEEPS_BITS = ("llvm.fabs.", "llvm.copysign.")
"""What only changes signs, and says which."""


def computed_formats(functions: Iterable[Function]) -> frozenset[str]:
    """The formats of floating-point numbers that functions compute, and do not only move."""
    return frozenset(
        kind for function in functions for i in function.instructions if (kind := _computed(i)) is not None
    )


def _computed(instruction: ir.Instruction) -> str | None:
    match instruction:
        case ir.Binary():
            return _format(instruction.lhs.type)
        case ir.AtomicRMW():
            return None if instruction.operation == "xchg" else _format(instruction.value.type)
        case ir.Conversion(opcode="fpext" | "fptrunc"):
            return _format(instruction.to)
        case ir.CallSite() if not (callee_name(instruction) or "").startswith(_KEEPS_BITS):
            return _format(instruction.type.result)
        case _:
            return None


def _format(type_: Type) -> str | None:
    scalar = type_.element if isinstance(type_, VectorType) else type_
    return scalar.kind if isinstance(scalar, FloatType) and scalar.kind in _FORMATS else None


def differ_in_nans(source: object, target: object, formats: frozenset[str]) -> bool:
    """Whether two objects hold the same numbers, but for some that are NaNs of these formats in both,
    whichever. A double may lie in two words, the high one behind the low one."""
    if isinstance(source, list) and isinstance(target, list) and len(source) == len(target):
        places = [n for n, (a, b) in enumerate(zip(source, target, strict=True)) if not refined(a, b)]
        return bool(places) and all(_nans_at(source, target, n, formats) for n in places)
    return _both(source, target, formats)


def _nans_at(source: list[object], target: list[object], at: int, formats: frozenset[str]) -> bool:
    if _both(source[at], target[at], formats):
        return True
    if "double" not in formats:
        return False
    return any(
        all(_is_high_word(side[n]) for side in (source, target)) for n in (at, at + 1) if n < len(source)
    )


def _both(source: object, target: object, formats: frozenset[str]) -> bool:
    return any(_is_nan(source, kind) and _is_nan(target, kind) for kind in formats)


def _is_nan(number: object, kind: str) -> bool:
    bits, significand = _FORMATS[kind]
    if not isinstance(number, int) or not -(1 << bits - 1) <= number < 1 << bits:
        return False
    exponent = (1 << bits - 1) - (1 << significand)
    return number & exponent == exponent and number & (1 << significand) - 1 != 0


def _is_high_word(number: object) -> bool:
    """Whether it may be the high word of a double that is a NaN."""
    return (
        isinstance(number, int)
        and -(1 << _WORD - 1) <= number < 1 << _WORD
        and number & 0x7FF00000 == 0x7FF00000
    )
