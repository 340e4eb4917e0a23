"""Conversions with a rounding mode: OpenCL's ``_rte _rtz _rtp _rtn``.

A directed mode is made of the nearest number and one step back where that went too far.
"""

from __future__ import annotations

from ...arithmetic.domain import Domain
from ...values.value import Bits, Truth
from .kit import Numbers, Operation, numbers_of

MODES = {"rte": "even", "rtz": "zero", "rtp": "up", "rtn": "down"}
"""OpenCL's names for what :meth:`Floats.rounded` does."""


def below(n: Numbers, a: Bits) -> Bits:
    """The next number towards negative infinity, of what is no NaN and not -infinity."""
    one = n.w.constant(1)
    least = n.w.constant((1 << (n.w.width - 1)) | 1)
    moved = n.d.ite(n.f.is_negative(a), n.w.add(a, one), n.w.sub(a, one))
    return n.d.ite(n.f.is_zero(a), least, moved)


def above(n: Numbers, a: Bits) -> Bits:
    return n.negated(below(n, n.negated(a)))


def directed(n: Numbers, mode: str, nearest: Bits, too_high: Truth, too_low: Truth, negative: Truth) -> Bits:
    """The nearest number or its neighbour, by where the exact one lies, which is ``negative`` or not."""
    d = n.d
    down = d.ite(too_high, below(n, nearest), nearest)
    up = d.ite(too_low, above(n, nearest), nearest)
    match mode:
        case "rtn":
            return down
        case "rtp":
            return up
        case "rtz":
            return d.ite(negative, up, down)
        case _:
            return nearest


def float_to_float(d: Domain, source: str, target: str, mode: str) -> Operation:
    """To another format; to a wider one it is exact."""
    wide, narrow = numbers_of(d, source), numbers_of(d, target)
    if source == target:
        return lambda a: wide.quieted(a, a)
    to, back = wide.f.convert(target), narrow.f.convert(source)
    if mode == "rte" or narrow.w.width > wide.w.width:
        return to

    def evaluate(a: Bits) -> Bits:
        nearest = to(a)
        again = back(nearest)
        changed = directed(
            narrow, mode, nearest, wide.f.less(a, again), wide.f.less(again, a), wide.f.is_negative(a)
        )
        signed = narrow.d.ite(wide.f.is_negative(a), narrow.negated(narrow.magnitude(changed)), changed)
        return narrow.d.ite(wide.f.is_nan(a), nearest, signed)

    return evaluate


def float_to_int(n: Numbers, bits: int, signed: bool, mode: str, nan: int = 0) -> Operation:
    """To an integer in that direction; to the nearest of the width if it does not fit, ``nan`` of a NaN."""
    d, w = n.d, n.d.width(bits)
    whole, convert = n.f.rounded(MODES[mode]), n.f.to_int(bits, signed)
    least, of_nan = w.constant(1 << (bits - 1) if signed else 0), w.constant(nan)
    most = w.constant((1 << (bits - 1)) - 1) if signed else w.constant(-1)

    def evaluate(a: Bits) -> Bits:
        value, inside = convert(whole(a))
        extreme = d.ite(n.f.is_negative(a), least, most)
        return d.ite(inside, value, d.ite(n.f.is_nan(a), of_nan, extreme))

    return evaluate


def int_to_float(d: Domain, bits: int, signed: bool, target: str, mode: str) -> Operation:
    """From an integer."""
    n = numbers_of(d, target)
    nearest_of = n.f.from_int(bits, signed)
    if mode == "rte":
        return nearest_of
    wide = d.width(bits + 2)
    back, widen = n.f.to_int(bits + 2, True), d.sext(bits, bits + 2) if signed else d.zext(bits, bits + 2)
    none = wide.constant(0)

    def evaluate(a: Bits) -> Bits:
        nearest, exact = nearest_of(a), widen(a)
        again, inside = back(nearest)
        beyond = d.negate(inside)  # an infinity
        negative = wide.slt(exact, none)
        high = d.either(d.both(inside, wide.slt(exact, again)), d.both(beyond, d.negate(negative)))
        low = d.either(d.both(inside, wide.slt(again, exact)), d.both(beyond, negative))
        return directed(n, mode, nearest, high, low, negative)

    return evaluate
