"""Integer functions that several languages share (OpenCL C, *Integer Functions*; HLSL; PTX; AMD's ISA)."""

from __future__ import annotations

from collections.abc import Callable

from ...arithmetic.domain import Domain, Width
from ...values.value import Bits
from .kit import Operation

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
