"""The symbolic ``Floats``: bit patterns as z3 bit-vectors, arithmetic by z3's theory of floating point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from . import floats as exact
from .floats import FORMATS, Format
from .values import NotModelled

Term = Any

_MODES = {"down": z3.RTN, "up": z3.RTP, "zero": z3.RTZ, "even": z3.RNE, "away": z3.RNA}


def _sort(format_: Format) -> Term:
    return z3.FPSort(format_.exponent_bits, format_.precision)


class Z3Floats:
    """Numbers of one IEEE format."""

    def __init__(self, format_: Format) -> None:
        self.format = format_
        self.kind = format_.kind
        self.width = format_.width
        self._sort = _sort(format_)
        self.nan: Term = z3.BitVecVal(format_.nan, self.width)

    def _number(self, bits: Term) -> Term:
        return z3.fpBVToFP(bits, self._sort)

    def _pattern(self, number: Term, format_: Format | None = None) -> Term:
        """Back to bits; every NaN is the canonical one."""
        format_ = format_ or self.format
        return z3.If(z3.fpIsNaN(number), z3.BitVecVal(format_.nan, format_.width), z3.fpToIEEEBV(number))

    def add(self, a: Term, b: Term, /) -> Term:
        return self._pattern(z3.fpAdd(z3.RNE(), self._number(a), self._number(b)))

    def sub(self, a: Term, b: Term, /) -> Term:
        return self._pattern(z3.fpSub(z3.RNE(), self._number(a), self._number(b)))

    def mul(self, a: Term, b: Term, /) -> Term:
        return self._pattern(z3.fpMul(z3.RNE(), self._number(a), self._number(b)))

    def div(self, a: Term, b: Term, /) -> Term:
        return self._pattern(z3.fpDiv(z3.RNE(), self._number(a), self._number(b)))

    def rem(self, a: Term, b: Term, /) -> Term:
        """From IEEE's remainder of the magnitudes, which may be negative: one divisor more, exactly."""
        x, y = z3.fpAbs(self._number(a)), z3.fpAbs(self._number(b))
        nearest = z3.fpRem(x, y)
        rest = z3.If(z3.fpIsNegative(nearest), z3.fpAdd(z3.RNE(), nearest, y), nearest)
        rest = z3.If(z3.fpIsZero(nearest), z3.fpPlusZero(self._sort), rest)
        sign = a & self.format.sign_bit
        return z3.If(z3.fpIsNaN(rest), self.nan, z3.fpToIEEEBV(rest) | sign)

    def fma(self, a: Term, b: Term, c: Term, /) -> Term:
        return self._pattern(z3.fpFMA(z3.RNE(), self._number(a), self._number(b), self._number(c)))

    def sqrt(self, a: Term, /) -> Term:
        return self._pattern(z3.fpSqrt(z3.RNE(), self._number(a)))

    def is_nan(self, a: Term, /) -> Term:
        return z3.fpIsNaN(self._number(a))

    def is_signaling(self, a: Term, /) -> Term:
        quiet = self.format.fraction_bits - 1
        return z3.And(self.is_nan(a), z3.Extract(quiet, quiet, a) == 0)

    def is_inf(self, a: Term, /) -> Term:
        return z3.fpIsInf(self._number(a))

    def is_zero(self, a: Term, /) -> Term:
        return z3.fpIsZero(self._number(a))

    def is_subnormal(self, a: Term, /) -> Term:
        return z3.fpIsSubnormal(self._number(a))

    def is_negative(self, a: Term, /) -> Term:
        return z3.Extract(self.width - 1, self.width - 1, a) == 1

    def equal(self, a: Term, b: Term, /) -> Term:
        return z3.fpEQ(self._number(a), self._number(b))

    def less(self, a: Term, b: Term, /) -> Term:
        return z3.fpLT(self._number(a), self._number(b))

    def rounded(self, mode: str) -> Callable[[Term], Term]:
        rounding = _MODES[mode]
        return lambda a: self._pattern(z3.fpRoundToIntegral(rounding(), self._number(a)))

    def from_int(self, width: int, signed: bool) -> Callable[[Term], Term]:
        convert = z3.fpSignedToFP if signed else z3.fpUnsignedToFP
        return lambda a: self._pattern(convert(z3.RNE(), a, self._sort))

    def _constant(self, value: int) -> Term:
        return self._number(z3.BitVecVal(exact.from_integer(self.format, value), self.width))

    def to_int(self, width: int, signed: bool) -> Callable[[Term], tuple[Term, Term]]:
        """The bounds are powers of two: exact in the format, or infinite where every finite number fits."""
        low, high = (-(1 << (width - 1)), 1 << (width - 1)) if signed else (0, 1 << width)
        least, limit, sort = self._constant(low), self._constant(high), z3.BitVecSort(width)
        convert = z3.fpToSBV if signed else z3.fpToUBV

        def to_int(a: Term) -> tuple[Term, Term]:
            whole = z3.fpRoundToIntegral(z3.RTZ(), self._number(a))
            finite = z3.Not(z3.Or(z3.fpIsNaN(whole), z3.fpIsInf(whole)))
            return convert(z3.RTZ(), whole, sort), z3.And(
                finite, z3.fpLEQ(least, whole), z3.fpLT(whole, limit)
            )

        return to_int

    def ldexp(self, width: int) -> Callable[[Term, Term], Term]:
        raise NotModelled("symbolic ldexp")

    def frexp(self, width: int) -> Callable[[Term], tuple[Term, Term]]:
        raise NotModelled("symbolic frexp")

    def convert(self, kind: str) -> Callable[[Term], Term]:
        target = FORMATS.get(kind)
        if target is None or target.explicit:
            raise NotModelled(f"symbolic arithmetic on {kind}")
        sort = _sort(target)
        return lambda a: self._pattern(z3.fpFPToFP(z3.RNE(), self._number(a), sort), target)

    def function(self, name: str) -> Callable[..., Term]:
        raise NotModelled(f"symbolic {name}")
