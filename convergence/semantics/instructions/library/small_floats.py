"""Floats of 8 bits and fewer, and TF32: what GPUs convert to and from, and do not calculate with.

OCP, *8-bit Floating Point Specification (OFP8)* and *Microscaling Formats (MX)*; PTX ISA, *Alternate
Floating-Point Data Formats* and *cvt*; of AMD's ``FNUZ`` formats LLVM's ``APFloat``. Every number of these
formats is a half or a float, too, so that a conversion to one of those is exact.
"""

from __future__ import annotations

from collections.abc import Mapping

from ....frozen import dataclass
from ...arithmetic.domain import Domain, Unary
from ...values.value import Bits, Truth
from .kit import Numbers, Operation

CODE = 8
"""Bits of a code, of which a format of fewer leaves the upper ones zero."""
_EXPONENT = 32
"""Bits of an integer that is an exponent."""


@dataclass(frozen=True, slots=True)
class SmallFormat:
    """A sign, then ``exponent`` bits with a ``bias``, then ``fraction`` bits. ``largest`` is the code of the
    greatest number, ``infinity`` and ``nan`` are the first codes of such, ``None`` where there is none;
    ``one_zero``: the code of a negative zero is the only NaN."""

    exponent: int
    fraction: int
    bias: int
    largest: int
    infinity: int | None = None
    nan: int | None = None
    one_zero: bool = False

    @property
    def sign(self) -> int:
        """The code's bit that is the sign."""
        return 1 << (self.exponent + self.fraction)

    @property
    def not_a_number(self) -> int | None:
        """The code that a conversion gives for a NaN: of many that with all bits, as NVIDIA's are."""
        if self.one_zero:
            return self.sign
        return None if self.nan is None else self.sign - 1


FORMATS: Mapping[str, SmallFormat] = {
    "e4m3": SmallFormat(4, 3, 7, 0x7E, nan=0x7F),
    "e5m2": SmallFormat(5, 2, 15, 0x7B, infinity=0x7C, nan=0x7D),
    "e2m3": SmallFormat(2, 3, 1, 0x1F),
    "e3m2": SmallFormat(3, 2, 3, 0x1F),
    "e2m1": SmallFormat(2, 1, 1, 0x07),
    "e4m3fnuz": SmallFormat(4, 3, 8, 0x7F, one_zero=True),
    "e5m2fnuz": SmallFormat(5, 2, 16, 0x7F, one_zero=True),
}


def widened(n: Numbers, small: SmallFormat) -> Unary:
    """From a code to the number in a greater format."""
    d, code, wide = n.d, n.d.width(CODE), n.d.width(_EXPONENT)
    widen, ldexp, number = d.zext(CODE, _EXPONENT), n.f.ldexp(_EXPONENT), n.f.from_int(CODE, False)
    below, hidden = code.constant((1 << small.fraction) - 1), code.constant(1 << small.fraction)
    unit = wide.constant(-small.bias - small.fraction)
    sign, none, one = code.constant(small.sign), code.constant(0), code.constant(1)

    def evaluate(a: Bits) -> Bits:
        magnitude = code.and_(a, code.constant(small.sign - 1))
        exponent, fraction = code.lshr(magnitude, code.constant(small.fraction)), code.and_(magnitude, below)
        tiny = code.eq(exponent, none)
        significand = d.ite(tiny, fraction, code.or_(fraction, hidden))
        power = wide.add(widen(d.ite(tiny, one, exponent)), unit)
        result = ldexp(number(significand), power)
        if small.infinity is not None:
            result = d.ite(code.eq(magnitude, code.constant(small.infinity)), n.infinity, result)
        negative = code.ne(code.and_(a, sign), none)
        result = d.ite(negative, n.negated(result), result)
        if small.one_zero:
            return d.ite(code.eq(code.and_(a, code.constant(2 * small.sign - 1)), sign), n.f.nan, result)
        if small.nan is not None:
            return d.ite(code.ule(code.constant(small.nan), magnitude), n.f.nan, result)
        return result

    return evaluate


def narrowed(n: Numbers, small: SmallFormat, saturates: bool, relu: bool = False) -> Unary:
    """From a number to the nearest code, ties to even. What is too large becomes the greatest number if it
    ``saturates``, and so does a NaN where there is none; else an infinity, or a NaN. ``relu``: what is
    negative becomes zero."""
    d, code, wide = n.d, n.d.width(CODE), n.d.width(_EXPONENT)
    split, ldexp, even = n.f.frexp(_EXPONENT), n.f.ldexp(_EXPONENT), n.f.rounded("even")
    to_integer, cut = n.f.to_int(_EXPONENT, False), d.trunc(_EXPONENT, CODE)
    least, digits = wide.constant(1 - small.bias), wide.constant(small.fraction)
    largest, sign = code.constant(small.largest), code.constant(small.sign)
    nan = code.constant(small.largest if small.not_a_number is None else small.not_a_number)
    beyond = nan if small.infinity is None else code.constant(small.infinity)

    def evaluate(a: Bits) -> Bits:
        magnitude = n.magnitude(a)
        _, exponent = split(magnitude)
        exponent = wide.sub(exponent, wide.constant(1))  # frexp's fraction is below 1
        exponent = d.ite(d.either(n.f.is_zero(a), wide.slt(exponent, least)), least, exponent)
        units, _ = to_integer(even(ldexp(magnitude, wide.sub(digits, exponent))))
        place = wide.add(wide.shl(wide.sub(exponent, least), digits), units)
        too_large: Truth = d.either(n.f.is_inf(a), wide.ult(wide.constant(small.largest), place))
        result = d.ite(too_large, largest if saturates else beyond, cut(place))
        negative = n.f.is_negative(a)
        if relu:
            result = d.ite(negative, code.constant(0), result)
        else:
            signed = code.or_(result, sign)
            if small.one_zero:
                signed = d.ite(code.eq(result, code.constant(0)), result, signed)
            result = d.ite(negative, signed, result)
        return d.ite(n.f.is_nan(a), nan, result)

    return evaluate


def power_of_two(n: Numbers, to: str) -> Unary:
    """E8M0: a code is the exponent of a power of two, with a bias of 127; the last one is a NaN. ``n`` is
    single precision, ``to`` a format that has as great numbers."""
    d, code, wide = n.d, n.d.width(CODE), n.d.width(_EXPONENT)
    widen, ldexp, one, convert = d.zext(CODE, _EXPONENT), n.f.ldexp(_EXPONENT), n.constant(1), n.f.convert(to)
    nan = d.floats(to).nan

    def evaluate(a: Bits) -> Bits:
        power = wide.sub(widen(a), wide.constant(127))
        return d.ite(code.eq(a, code.constant(0xFF)), nan, convert(ldexp(one, power)))

    return evaluate


_LOST = 13
"""Bits of a float's fraction that TF32 does not have."""


def tf32(n: Numbers, mode: str, saturates: bool, relu: bool) -> Operation:
    """A float with a fraction of ten bits, in the upper bits of a word, by PTX's mode ``rn``, ``rna`` or
    ``rz``. What is too large becomes an infinity, or the greatest number if it ``saturates``."""
    d, w = n.d, n.w
    low = w.constant((1 << _LOST) - 1)
    half = w.constant(1 << (_LOST - 1))
    largest = w.and_(w.sub(n.infinity, w.constant(1)), w.not_(low))
    nan = w.constant((1 << (w.width - 1)) - 1)

    def evaluate(a: Bits) -> Bits:
        magnitude = n.magnitude(a)
        match mode:
            case "rz":
                nearest = magnitude
            case "rna":
                nearest = w.add(magnitude, half)
            case _:
                odd = w.and_(w.lshr(magnitude, w.constant(_LOST)), w.constant(1))
                nearest = w.add(magnitude, w.add(w.sub(half, w.constant(1)), odd))
        nearest = w.and_(nearest, w.not_(low))
        if saturates:
            nearest = d.ite(w.ule(n.infinity, nearest), largest, nearest)
        elif mode != "rz":
            nearest = d.ite(n.f.is_inf(a), n.infinity, nearest)
        negative = n.f.is_negative(a)
        signed = w.constant(0) if relu else n.negated(nearest)
        return d.ite(n.f.is_nan(a), nan, d.ite(negative, signed, nearest))

    return evaluate


def code_parts(d: Domain, width: int, bits: int = CODE) -> list[Unary]:
    """How a word of so many bits is cut into its codes of ``bits``, the lowest one first, each as eight
    bits."""
    cuts = [d.extract(at + bits - 1, at) for at in range(0, width, bits)]
    if bits == CODE:
        return cuts
    widen = d.zext(bits, CODE)
    return [lambda a, cut=cut: widen(cut(a)) for cut in cuts]  # type: ignore[misc]
