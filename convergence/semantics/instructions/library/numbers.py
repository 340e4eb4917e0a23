"""Numbers that several languages share: integer functions, conversions with a rounding mode, floats of 8
bits and fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ....frozen import dataclass
from ...arithmetic.domain import Domain, Unary, Width
from .kit import Numbers, Operation, numbers_of

if TYPE_CHECKING:
    from ...values import Bits, Truth

# ----------------------------------------------------------------------------------------------------------
# Integer functions that several languages share (OpenCL C, *Integer Functions*; HLSL; PTX; AMD's ISA).
# ----------------------------------------------------------------------------------------------------------

IntegerFunction = Callable[[Width, Domain], Operation]


def extension(d: Domain, source: int, target: int, signed: bool) -> Operation:
    """To at least as many bits."""
    if source == target:
        return lambda a: a
    return d.sext(source, target) if signed else d.zext(source, target)


def resize(d: Domain, source: int, target: int, signed: bool = False) -> Operation:
    """To any number of bits: extended, or the low ones."""
    return d.trunc(source, target) if source > target else extension(d, source, target, signed)


def in_wide(
    operation: Callable[[Width], Operation], bits: int, signed: bool, low: int = 0
) -> IntegerFunction:
    """An operation on operands with ``bits`` more bits; the result's bits from ``low`` on."""

    def function(w: Width, d: Domain) -> Operation:
        wide = d.width(w.width + bits)
        widen, do = extension(d, w.width, wide.width, signed), operation(wide)
        cut = d.extract(low + w.width - 1, low)
        return lambda *operands: cut(do(*map(widen, operands)))

    return function


def mul_hi(signed: bool) -> IntegerFunction:
    """The high half of the product."""

    def function(w: Width, d: Domain) -> Operation:
        return in_wide(lambda wide: wide.mul, w.width, signed, w.width)(w, d)

    return function


def mad_hi(signed: bool) -> IntegerFunction:
    """The high half of ``a * b``, plus ``c``."""

    def function(w: Width, d: Domain) -> Operation:
        high = mul_hi(signed)(w, d)
        return lambda a, b, c: w.add(high(a, b), c)

    return function


def halving_add(signed: bool, up: bool = False) -> IntegerFunction:
    """``(a + b) >> 1`` without overflow; ``up``: ``(a + b + 1) >> 1``."""

    def of(wide: Width) -> Operation:
        one = wide.constant(1)
        if up:
            return lambda a, b: wide.add(wide.add(a, b), one)
        return wide.add

    return in_wide(of, 1, signed, 1)


def saturating(operation: str, signed: bool) -> IntegerFunction:
    """``add``, ``sub``: the nearest number to the exact result."""

    def function(w: Width, d: Domain) -> Operation:
        add = operation == "add"
        compute = w.add if add else w.sub
        least, most = w.constant(1 << (w.width - 1)), w.constant((1 << (w.width - 1)) - 1)
        if signed:
            wraps = w.sadd_overflows if add else w.ssub_overflows
            none = w.constant(0)
            return lambda a, b: d.ite(wraps(a, b), d.ite(w.slt(a, none), least, most), compute(a, b))
        wraps, bound = (w.uadd_overflows, -1) if add else (w.usub_overflows, 0)
        limit = w.constant(bound)
        return lambda a, b: d.ite(wraps(a, b), limit, compute(a, b))

    return function


def mad_saturating(signed: bool) -> IntegerFunction:
    """The nearest number to ``a * b + c``."""

    def function(w: Width, d: Domain) -> Operation:
        n = w.width
        wide = d.width(2 * n + 1)
        widen, cut = extension(d, n, wide.width, signed), d.trunc(wide.width, n)
        low = wide.constant(-(1 << (n - 1)) if signed else 0)
        high = wide.constant((1 << (n - 1)) - 1 if signed else (1 << n) - 1)
        less = wide.slt if signed else wide.ult

        def evaluate(a: Bits, b: Bits, c: Bits) -> Bits:
            exact = wide.add(wide.mul(widen(a), widen(b)), widen(c))
            exact = d.ite(less(high, exact), high, exact)
            return cut(d.ite(less(exact, low), low, exact) if signed else exact)

        return evaluate

    return function


def clamp(signed: bool) -> IntegerFunction:
    """``min(max(x, low), high)``."""

    def function(w: Width, d: Domain) -> Operation:
        less = w.slt if signed else w.ult

        def evaluate(x: Bits, low: Bits, high: Bits) -> Bits:
            x = d.ite(less(x, low), low, x)
            return d.ite(less(high, x), high, x)

        return evaluate

    return function


def absolute(w: Width, d: Domain) -> Operation:
    """The magnitude modulo 2^n."""
    none = w.constant(0)
    return lambda a: d.ite(w.slt(a, none), w.neg(a), a)


def difference(signed: bool) -> IntegerFunction:
    """``|a - b|``, without overflow as an unsigned number."""

    def function(w: Width, d: Domain) -> Operation:
        less = w.slt if signed else w.ult
        return lambda a, b: d.ite(less(a, b), w.sub(b, a), w.sub(a, b))

    return function


def mad(w: Width, d: Domain) -> Operation:
    """``a * b + c`` modulo 2^n."""
    return lambda a, b, c: w.add(w.mul(a, b), c)


def rotate(w: Width, d: Domain) -> Operation:
    """To the left, by a distance modulo the width."""
    size = w.constant(w.width)

    def evaluate(a: Bits, by: Bits) -> Bits:
        by = w.urem(by, size)
        return w.or_(w.shl(a, by), w.lshr(a, w.sub(size, by)))

    return evaluate


def low_bits(bits: int, signed: bool) -> IntegerFunction:
    """An operand's low ``bits``, extended again."""

    def function(w: Width, d: Domain) -> Operation:
        cut, widen = d.trunc(w.width, bits), extension(d, bits, w.width, signed)
        return lambda a: widen(cut(a))

    return function


def mul24(signed: bool) -> IntegerFunction:
    """The low bits of the product of the low 24 bits."""

    def function(w: Width, d: Domain) -> Operation:
        low = low_bits(24, signed)(w, d)
        return lambda a, b: w.mul(low(a), low(b))

    return function


def mul24_hi(signed: bool) -> IntegerFunction:
    """Bits 32 to 47 of the product of the low 24 bits, extended."""

    def function(w: Width, d: Domain) -> Operation:
        cut, widen, wide = d.trunc(w.width, 24), extension(d, 24, 48, signed), d.width(48)
        high, back = d.extract(47, 32), extension(d, 16, w.width, signed)
        return lambda a, b: back(high(wide.mul(widen(cut(a)), widen(cut(b)))))

    return function


def mad24(signed: bool) -> IntegerFunction:
    def function(w: Width, d: Domain) -> Operation:
        product = mul24(signed)(w, d)
        return lambda a, b, c: w.add(product(a, b), c)

    return function


def reversed_bits(w: Width, d: Domain) -> Operation:
    """The bits in reverse order."""
    cuts = [d.extract(at, at) for at in range(w.width)][::-1]
    widths = (1,) * w.width
    return lambda a: d.concat([cut(a) for cut in cuts], widths)


def bit_select(w: Width, d: Domain) -> Operation:
    """Each bit of ``b`` where ``c`` has a one, else of ``a``."""
    return lambda a, b, c: w.or_(w.and_(b, c), w.and_(a, w.not_(c)))


def field(signed: bool) -> IntegerFunction:
    """``count`` bits from ``offset`` on, extended; the caller sees to it that both fit."""

    def function(w: Width, d: Domain) -> Operation:
        size, none = w.constant(w.width), w.constant(0)
        down = w.ashr if signed else w.lshr

        def evaluate(a: Bits, offset: Bits, count: Bits) -> Bits:
            top = w.shl(a, w.sub(w.sub(size, count), offset))
            return d.ite(w.eq(count, none), none, down(top, w.sub(size, count)))

        return evaluate

    return function


# -- Places of bits


def lowest_one(w: Width, d: Domain, result: Width) -> Operation:
    """Where the lowest one stands, counted from bit 0; -1 if there is none."""
    none, missing = w.constant(0), result.constant(-1)
    to = resize(d, w.width, result.width)
    return lambda a: d.ite(w.eq(a, none), missing, to(w.cttz(a)))


def highest_one(w: Width, d: Domain, result: Width, from_top: bool) -> Operation:
    """Where the highest one stands, counted from bit 0 or from the top; -1 if there is none."""
    none, missing, last = w.constant(0), result.constant(-1), result.constant(w.width - 1)
    to = resize(d, w.width, result.width)

    def evaluate(a: Bits) -> Bits:
        above = to(w.ctlz(a))
        return d.ite(w.eq(a, none), missing, above if from_top else result.sub(last, above))

    return evaluate


def highest_difference(w: Width, d: Domain, result: Width, from_top: bool) -> Operation:
    """Where the highest bit that differs from the sign stands; -1 if there is none."""
    of, none = highest_one(w, d, result, from_top), w.constant(0)
    return lambda a: of(d.ite(w.slt(a, none), w.not_(a), a))


# -- Packed bytes and halves


def dot_packed(bits: int, first: bool, second: bool) -> Callable[[Width, Domain], Callable[..., Bits]]:
    """The exact sum, of 64 bits, of products of the parts of two words: so many bits each, signed or not."""

    def function(w: Width, d: Domain) -> Callable[..., Bits]:
        wide = d.width(64)
        cuts = [d.extract(at + bits - 1, at) for at in range(0, w.width, bits)]
        widen, widen_other = extension(d, bits, 64, first), extension(d, bits, 64, second)

        def evaluate(a: Bits, b: Bits) -> Bits:
            total = wide.constant(0)
            for cut in cuts:
                total = wide.add(total, wide.mul(widen(cut(a)), widen_other(cut(b))))
            return total

        return evaluate

    return function


def clamped(d: Domain, bits: int, signed: bool) -> Operation:
    """From 64 bits to the nearest number of so many."""
    wide, cut = d.width(64), d.trunc(64, bits)
    low = wide.constant(-(1 << (bits - 1)) if signed else 0)
    high = wide.constant((1 << (bits - 1)) - 1 if signed else (1 << bits) - 1)
    less = wide.slt  # also of sums of unsigned numbers, which are far below 2^63

    def evaluate(a: Bits) -> Bits:
        a = d.ite(less(high, a), high, a)
        return cut(d.ite(less(a, low), low, a))

    return evaluate


def packed_sum(
    bits: int, signed: tuple[bool, bool], accumulator_signed: bool, saturate: bool
) -> IntegerFunction:
    """A dot product of packed parts plus an accumulator, modulo 2^32 or the nearest number."""

    def function(width: Width, d: Domain) -> Operation:
        total, wide = dot_packed(bits, *signed)(width, d), d.width(64)
        widen = extension(d, width.width, 64, accumulator_signed)
        cut = clamped(d, width.width, accumulator_signed) if saturate else d.trunc(64, width.width)
        return lambda a, b, c: cut(wide.add(total(a, b), widen(c)))

    return function


# ----------------------------------------------------------------------------------------------------------
# Conversions with a rounding mode: OpenCL's ``_rte _rtz _rtp _rtn``.
#
# A directed mode is made of the nearest number and one step back where that went too far.
# ----------------------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------------------
# Floats of 8 bits and fewer, and TF32: what GPUs convert to and from, and do not calculate with.
#
# OCP, *8-bit Floating Point Specification (OFP8)* and *Microscaling Formats (MX)*; PTX ISA, *Alternate
# Floating-Point Data Formats* and *cvt*; of AMD's ``FNUZ`` formats LLVM's ``APFloat``. Every number of
# these formats is a half or a float, too, so that a conversion to one of those is exact.
# ----------------------------------------------------------------------------------------------------------


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
