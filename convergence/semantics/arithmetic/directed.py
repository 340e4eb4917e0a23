"""IEEE-754 arithmetic rounded in one direction, on bit patterns of any format: exact, then one step.

The nearest number (:mod:`ieee754`) is the one below or the one above the exact result; which of them is asked
for decides whether it is right or its neighbour is. PTX's ``.rz .rm .rp``, OCML's ``_rtz _rtn _rtp``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from . import ieee754 as exact
from .ieee754 import Class, Format, Number, decode

MODES = ("zero", "down", "up")
NEAREST: Mapping[str, Callable[..., int]] = {
    "add": exact.add, "sub": exact.sub, "mul": exact.mul, "div": exact.div, "fma": exact.fma,
    "sqrt": exact.sqrt,
}  # fmt: skip


def _value(x: Number) -> Fraction:
    return Fraction(-x.significand if x.sign else x.significand) * Fraction(2) ** x.exponent


def _error(operation: str, nearest: Number, x: list[Number]) -> int:
    """The sign of a finite nearest number less the exact result."""
    values = [_value(n) for n in x]
    if operation == "sqrt":
        difference = _value(nearest) ** 2 - values[0]
    else:
        results: Mapping[str, Callable[[], Fraction]] = {
            "add": lambda: values[0] + values[1],
            "sub": lambda: values[0] - values[1],
            "mul": lambda: values[0] * values[1],
            "div": lambda: values[0] / values[1],
            "fma": lambda: values[0] * values[1] + values[2],
        }
        difference = _value(nearest) - results[operation]()
    return (difference > 0) - (difference < 0)


def _zero_sum(operation: str, x: list[Number]) -> bool:
    """Whether two terms cancel, or are zeros, of which one is negative: then the direction gives the sign."""
    match operation:
        case "add":
            first, second = x[0].sign, x[1].sign
        case "sub":
            first, second = x[0].sign, 1 - x[1].sign
        case "fma":
            first, second = x[0].sign ^ x[1].sign, x[2].sign
        case _:
            return False
    return first != second


def directed(f: Format, operation: str, mode: str, *operands: int) -> int:
    """The result of an operation of :data:`NEAREST`, rounded in the direction ``mode`` of :data:`MODES`."""
    nearest = NEAREST[operation](f, *operands)
    x = [decode(f, a) for a in operands]
    result = decode(f, nearest)
    if result.form is Class.NAN or any(n.form is not Class.FINITE for n in x):
        return nearest
    if result.form is Class.INFINITE:
        if operation == "div" and not x[1].significand:
            return nearest
        error = -1 if result.sign else 1
    else:
        error = _error(operation, result, x)
        if not result.significand and not error and mode == "down" and _zero_sum(operation, x):
            return f.sign_bit
    wanted = {"down": -1, "up": 1, "zero": 1 if nearest & f.sign_bit else -1}[mode]
    if not result.significand and result.form is Class.FINITE and error and mode == "zero":
        return nearest
    if not error or error != -wanted:
        return nearest
    return _step(f, nearest, wanted)


def _step(f: Format, a: int, direction: int) -> int:
    """The next number up or down, of what is no NaN."""
    magnitude, negative = a & (f.sign_bit - 1), bool(a & f.sign_bit)
    if not magnitude:
        return 1 if direction > 0 else f.sign_bit | 1
    return a + (direction if not negative else -direction)
