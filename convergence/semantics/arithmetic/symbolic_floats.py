"""IEEE numbers as z3 terms, as bit patterns: known operands are left to the concrete domain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from ..errors import NotModelled
from ..values.value import Bits, Truth
from .host_floats import ConcreteFloats

_SORTS = {"half": (5, 11), "bfloat": (8, 8), "float": (8, 24), "double": (11, 53)}


def _all_numbers(*parts: Any) -> bool:
    return not any(isinstance(part, z3.ExprRef) for part in parts)


class SymbolicFloats:
    """Numbers of one format. Every NaN result is the canonical one, as in the concrete domain."""

    def __init__(self, kind: str, concrete: ConcreteFloats, folded: Callable[[Any], Any]) -> None:
        self.kind = kind
        self.width: int = concrete.width
        self.nan: Bits = concrete.nan
        self._concrete = concrete
        self._folded = folded

    @property
    def _sort(self) -> Any:
        if self.kind not in _SORTS:
            raise NotModelled(f"symbolic {self.kind}")
        return z3.FPSort(*_SORTS[self.kind])

    def _number(self, a: Bits) -> Any:
        bits = a if isinstance(a, z3.BitVecRef) else z3.BitVecVal(a, self.width)
        return z3.fpBVToFP(bits, self._sort)

    def _bits(self, number: Any) -> Any:
        return self._folded(
            z3.If(z3.fpIsNaN(number), z3.BitVecVal(self.nan, self.width), z3.fpToIEEEBV(number))
        )

    def _do(self, name: str, term: Callable[..., Any], *operands: Bits) -> Bits:
        if _all_numbers(*operands):
            return getattr(self._concrete, name)(*operands)
        return self._bits(term(*(self._number(o) for o in operands)))

    def _ask(self, name: str, term: Callable[..., Any], *operands: Bits) -> Truth:
        if _all_numbers(*operands):
            return getattr(self._concrete, name)(*operands)
        return self._folded(term(*(self._number(o) for o in operands)))

    def add(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("add", lambda x, y: z3.fpAdd(z3.RNE(), x, y), a, b)

    def sub(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("sub", lambda x, y: z3.fpSub(z3.RNE(), x, y), a, b)

    def mul(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("mul", lambda x, y: z3.fpMul(z3.RNE(), x, y), a, b)

    def div(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("div", lambda x, y: z3.fpDiv(z3.RNE(), x, y), a, b)

    def rem(self, a: Bits, b: Bits, /) -> Bits:
        """From IEEE's remainder of the magnitudes, which may be negative: one divisor more, exactly."""

        def remainder(x: Any, y: Any) -> Any:
            nearest = z3.fpRem(z3.fpAbs(x), z3.fpAbs(y))
            rest = z3.If(z3.fpLT(nearest, 0), z3.fpAdd(z3.RNE(), nearest, z3.fpAbs(y)), z3.fpAbs(nearest))
            return z3.If(z3.fpIsNegative(x), z3.fpNeg(rest), rest)

        return self._do("rem", remainder, a, b)

    def fma(self, a: Bits, b: Bits, c: Bits, /) -> Bits:
        return self._do("fma", lambda x, y, z: z3.fpFMA(z3.RNE(), x, y, z), a, b, c)

    def sqrt(self, a: Bits, /) -> Bits:
        return self._do("sqrt", lambda x: z3.fpSqrt(z3.RNE(), x), a)

    def is_nan(self, a: Bits, /) -> Truth:
        return self._ask("is_nan", z3.fpIsNaN, a)

    def is_signaling(self, a: Bits, /) -> Truth:
        if _all_numbers(a):
            return self._concrete.is_signaling(a)
        quiet = self._sort.sbits() - 2
        return self._folded(z3.And(z3.fpIsNaN(self._number(a)), z3.Extract(quiet, quiet, a) == 0))

    def is_inf(self, a: Bits, /) -> Truth:
        return self._ask("is_inf", z3.fpIsInf, a)

    def is_zero(self, a: Bits, /) -> Truth:
        return self._ask("is_zero", z3.fpIsZero, a)

    def is_subnormal(self, a: Bits, /) -> Truth:
        return self._ask("is_subnormal", z3.fpIsSubnormal, a)

    def is_negative(self, a: Bits, /) -> Truth:
        """The sign bit, NaNs included."""
        if _all_numbers(a):
            return self._concrete.is_negative(a)
        return self._folded(z3.Extract(self.width - 1, self.width - 1, a) == 1)

    def equal(self, a: Bits, b: Bits, /) -> Truth:
        return self._ask("equal", z3.fpEQ, a, b)

    def less(self, a: Bits, b: Bits, /) -> Truth:
        return self._ask("less", z3.fpLT, a, b)

    def rounded(self, mode: str) -> Callable[[Bits], Bits]:
        concrete = self._concrete.rounded(mode)
        towards = {"down": z3.RTN, "up": z3.RTP, "zero": z3.RTZ, "even": z3.RNE, "away": z3.RNA}[mode]()
        return lambda a: (
            concrete(a) if _all_numbers(a) else self._bits(z3.fpRoundToIntegral(towards, self._number(a)))
        )

    def from_int(self, width: int, signed: bool) -> Callable[[Bits], Bits]:
        concrete = self._concrete.from_int(width, signed)
        convert = z3.fpSignedToFP if signed else z3.fpUnsignedToFP
        return lambda a: concrete(a) if _all_numbers(a) else self._bits(convert(z3.RNE(), a, self._sort))

    def to_int(self, width: int, signed: bool) -> Callable[[Bits], tuple[Bits, Truth]]:
        concrete = self._concrete.to_int(width, signed)

        def convert(a: Bits) -> tuple[Bits, Truth]:
            if _all_numbers(a):
                return concrete(a)
            number = self._number(a)
            whole = z3.fpRoundToIntegral(z3.RTZ(), number)
            low, high = (-(1 << (width - 1)), 1 << (width - 1)) if signed else (0, 1 << width)
            exact = z3.fpToReal(whole)
            finite = z3.Not(z3.Or(z3.fpIsNaN(number), z3.fpIsInf(number)))
            fits = z3.And(finite, exact >= low, exact < high)
            to = z3.fpToSBV if signed else z3.fpToUBV
            return self._folded(to(z3.RTZ(), number, z3.BitVecSort(width))), self._folded(fits)

        return convert

    def convert(self, kind: str) -> Callable[[Bits], Bits]:
        concrete = self._concrete.convert(kind)

        def change(a: Bits) -> Bits:
            if _all_numbers(a):
                return concrete(a)
            if kind not in _SORTS:
                raise NotModelled(f"symbolic {kind}")
            target = z3.fpFPToFP(z3.RNE(), self._number(a), z3.FPSort(*_SORTS[kind]))
            width = sum(_SORTS[kind])
            return self._folded(
                z3.If(z3.fpIsNaN(target), z3.BitVecVal(concrete(self.nan), width), z3.fpToIEEEBV(target))
            )

        return change

    @property
    def _wide(self) -> Any:
        """A format in which every number of ours is normal, and times each power of two that matters."""
        return z3.FPSort(self._sort.ebits() + 3, self._sort.sbits())

    def ldexp(self, width: int) -> Callable[[Bits, Bits], Bits]:
        """Times a power of two in the wide format, which is exact; rounded once, into ours."""
        concrete = self._concrete.ldexp(width)

        def scale(a: Bits, power: Bits) -> Bits:
            if _all_numbers(a, power):
                return concrete(a, power)
            wide = self._wide
            exponent, fraction = wide.ebits(), wide.sbits() - 1
            limit = (1 << self._sort.ebits()) + 2 * wide.sbits()  # beyond any two numbers' distance
            room = max(width, exponent) + 1
            n = power if isinstance(power, z3.BitVecRef) else z3.BitVecVal(power, width)
            n = z3.SignExt(room - width, n)
            n = z3.If(n > limit, limit, z3.If(n < -limit, -limit, n))
            field = z3.Extract(exponent - 1, 0, n) + ((1 << (exponent - 1)) - 1)
            factor = z3.fpBVToFP(z3.Concat(z3.BitVecVal(0, 1), field, z3.BitVecVal(0, fraction)), wide)
            product = z3.fpMul(z3.RNE(), z3.fpFPToFP(z3.RNE(), self._number(a), wide), factor)
            return self._bits(z3.fpFPToFP(z3.RNE(), product, self._sort))

        return scale

    def frexp(self, width: int) -> Callable[[Bits], tuple[Bits, Bits]]:
        """The parts of the number in the wide format, where no number is subnormal."""
        concrete = self._concrete.frexp(width)

        def split(a: Bits) -> tuple[Bits, Bits]:
            if _all_numbers(a):
                return concrete(a)
            wide, number = self._wide, self._number(a)
            exponent, fraction = wide.ebits(), wide.sbits() - 1
            half = (1 << (exponent - 1)) - 2  # the field of numbers in [1/2, 1)
            bits = z3.fpToIEEEBV(z3.fpFPToFP(z3.RNE(), number, wide))
            sign = z3.Extract(exponent + fraction, exponent + fraction, bits)
            parts = z3.Concat(sign, z3.BitVecVal(half, exponent), z3.Extract(fraction - 1, 0, bits))
            scaled = z3.fpFPToFP(z3.RNE(), z3.fpBVToFP(parts, wide), self._sort)
            power = z3.Extract(exponent + fraction - 1, fraction, bits) - half
            power = z3.Extract(width - 1, 0, z3.SignExt(max(0, width - exponent), power))
            whole = z3.Or(z3.fpIsNaN(number), z3.fpIsInf(number), z3.fpIsZero(number))
            return self._bits(z3.If(whole, number, scaled)), self._folded(z3.If(whole, 0, power))

        return split

    def function(self, name: str) -> Callable[..., Bits]:
        concrete = self._concrete.function(name)

        def call(*operands: Bits) -> Bits:
            if _all_numbers(*operands):
                return concrete(*operands)
            raise NotModelled(f"{name} of symbolic operands")

        return call
