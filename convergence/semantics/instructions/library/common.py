"""Functions of scalar floats that several languages share (OpenCL C, *Common Functions*; HLSL; GLSL.std.450).

Each is the formula of its definition, every operation rounded once; what a definition leaves to the
implementation (``fma`` or not) is written out here as separate operations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

from ...values.value import Bits
from .. import fast_math as minmax
from .kit import Numbers, Operation

FloatFunction = Callable[[Numbers], Operation]


def minmax_of(name: str) -> FloatFunction:
    """LLVM's ``minnum`` and its kin."""
    return lambda n: minmax.floating(name, n.d, n.f)


def clamp(n: Numbers) -> Operation:
    """``min(max(x, low), high)``; a NaN gives ``low``, as with C's ``fmax``."""
    low_of, high_of = minmax_of("maxnum")(n), minmax_of("minnum")(n)
    return lambda x, low, high: high_of(low_of(x, low), high)


def saturate(n: Numbers) -> Operation:
    """Clamped to [0, 1]; a NaN gives 0."""
    bounded, zero, one = clamp(n), n.constant(0), n.constant(1)
    return lambda x: bounded(x, zero, one)


def mix(n: Numbers) -> Operation:
    """``x + (y - x) * a``."""
    f = n.f
    return lambda x, y, a: f.add(x, f.mul(f.sub(y, x), a))


def blend(n: Numbers) -> Operation:
    """``x * (1 - a) + y * a`` (GLSL.std.450, *FMix*): of an infinity and a number an infinity, where
    :func:`mix` has NaN, and exactly ``y`` for an ``a`` of 1."""
    f, one = n.f, n.constant(1)
    return lambda x, y, a: f.add(f.mul(x, f.sub(one, a)), f.mul(y, a))


def step(n: Numbers) -> Operation:
    """0 if ``x < edge``, else 1."""
    zero, one = n.constant(0), n.constant(1)
    return lambda edge, x: n.d.ite(n.f.less(x, edge), zero, one)


def smoothstep(n: Numbers) -> Operation:
    """``t * t * (3 - 2 * t)`` for ``t = clamp((x - low) / (high - low), 0, 1)``."""
    f, bounded, two, three = n.f, saturate(n), n.constant(2), n.constant(3)

    def evaluate(low: Bits, high: Bits, x: Bits) -> Bits:
        t = bounded(f.div(f.sub(x, low), f.sub(high, low)))
        return f.mul(f.mul(t, t), f.sub(three, f.mul(two, t)))

    return evaluate


def sign(n: Numbers) -> Operation:
    """1, -1, or the zero itself; +0 of a NaN."""
    f, d = n.f, n.d
    one, minus, zero = n.constant(1), n.constant(-1), n.constant(0)

    def evaluate(x: Bits) -> Bits:
        signed = d.ite(f.is_zero(x), x, d.ite(f.is_negative(x), minus, one))
        return d.ite(f.is_nan(x), zero, signed)

    return evaluate


def scaled_by(factor: float | Fraction) -> FloatFunction:
    """Times a constant, itself rounded to the format."""

    def function(n: Numbers) -> Operation:
        by = n.constant(factor)
        return lambda x: n.f.mul(x, by)

    return function


degrees = scaled_by(Fraction(180) / Fraction(math.pi))
radians = scaled_by(Fraction(math.pi) / 180)


def reciprocal(n: Numbers) -> Operation:
    one = n.constant(1)
    return lambda x: n.f.div(one, x)


def rsqrt(n: Numbers) -> Operation:
    """``1 / sqrt(x)``, both rounded."""
    one = n.constant(1)
    return lambda x: n.f.div(one, n.f.sqrt(x))


def frac(n: Numbers) -> Operation:
    """``x - floor(x)``, without a bound: 1 for negative numbers that are small enough (HLSL, GLSL)."""
    floor = n.f.rounded("down")
    return lambda x: n.f.sub(x, floor(x))


def below_one(n: Numbers) -> Bits:
    """The greatest number below 1."""
    return n.w.sub(n.constant(1), n.w.constant(1))


def fract(n: Numbers) -> Operation:
    """``fmin(x - floor(x), below one)`` (OpenCL C, *fract*; AMD's ``v_fract``); of an infinity its zero."""
    d, f, floor, top = n.d, n.f, n.f.rounded("down"), below_one(n)

    def evaluate(x: Bits) -> Bits:
        rest = f.sub(x, floor(x))
        rest = d.ite(f.less(rest, top), rest, top)
        return n.quieted(x, d.ite(f.is_inf(x), n.w.and_(x, n.sign_bit), rest))

    return evaluate


def fdim(n: Numbers) -> Operation:
    """``x - y`` if ``x > y``, else +0; a NaN of one."""
    d, f, zero = n.d, n.f, n.constant(0)

    def evaluate(x: Bits, y: Bits) -> Bits:
        positive = d.ite(f.less(y, x), f.sub(x, y), zero)
        return n.quieted(x, n.quieted(y, positive))

    return evaluate


def mad(n: Numbers) -> Operation:
    """``a * b + c``, rounded twice (``fma`` is allowed, too)."""
    return lambda a, b, c: n.f.add(n.f.mul(a, b), c)


def fabs(n: Numbers) -> Operation:
    return n.magnitude


def copysign(n: Numbers) -> Operation:
    return n.signed_like


def larger_magnitude(larger: bool) -> FloatFunction:
    """``maxmag``, ``minmag``: the one with the larger or smaller magnitude; else ``fmax`` or ``fmin``."""

    def function(n: Numbers) -> Operation:
        d, less, other = n.d, n.f.less, minmax_of("maxnum" if larger else "minnum")(n)

        def evaluate(x: Bits, y: Bits) -> Bits:
            a, b = n.magnitude(x), n.magnitude(y)
            first, second = (less(b, a), less(a, b)) if larger else (less(a, b), less(b, a))
            return d.ite(first, x, d.ite(second, y, other(x, y)))

        return evaluate

    return function


def nextafter(n: Numbers) -> Operation:
    """The next number from ``x`` towards ``y``; ``y`` where they are equal; a NaN of one."""
    d, f, w = n.d, n.f, n.w
    one = w.constant(1)

    def evaluate(x: Bits, y: Bits) -> Bits:
        away = d.ite(f.less(x, y), d.negate(f.is_negative(x)), f.is_negative(x))
        moved = d.ite(away, w.add(x, one), w.sub(x, one))
        moved = d.ite(f.is_zero(x), w.or_(one, w.and_(y, n.sign_bit)), moved)
        return n.quieted(x, n.quieted(y, d.ite(f.equal(x, y), y, moved)))

    return evaluate


def remainder(n: Numbers) -> Operation:
    """IEEE's remainder: ``x - y * k`` for the integer ``k`` nearest to ``x / y``, ties to even."""
    return lambda x, y: remquo(n)(x, y)[0]


def remquo(n: Numbers) -> Callable[[Bits, Bits], tuple[Bits, Bits]]:
    """The remainder, and the low 7 bits of the quotient ``k`` as an ``i32`` with its sign."""
    d, f, w = n.d, n.f, n.w
    i = d.width(32)
    zero = i.constant(0)

    def evaluate(x: Bits, y: Bits) -> tuple[Bits, Bits]:
        a, b = n.magnitude(x), n.magnitude(y)
        low, digits = a, zero
        for power in range(7, -1, -1):  # the low digits of the quotient, by exact remainders
            step_ = _times(n, b, power)
            low = d.ite(f.is_inf(step_), low, f.rem(low, step_))
            if power:
                below = _times(n, b, power - 1)
                digit = d.both(n.at_most(below, low), d.negate(f.is_inf(below)))
                digits = d.ite(digit, i.or_(digits, i.constant(1 << (power - 1))), digits)
        odd = i.ne(i.and_(digits, i.constant(1)), zero)
        other = f.sub(b, low)  # exact where it decides: Sterbenz, and below that it is larger for certain
        up = d.either(f.less(other, low), d.both(f.equal(other, low), odd))
        rest = d.ite(up, n.negated(other), low)
        digits = d.ite(up, i.add(digits, i.constant(1)), digits)
        negative = w.ne(w.and_(w.xor(x, y), n.sign_bit), w.constant(0))
        quotient = i.and_(digits, i.constant(127))
        quotient = d.ite(negative, i.neg(quotient), quotient)
        signed = d.ite(f.is_negative(x), n.negated(rest), rest)
        bad = d.either(d.either(f.is_nan(x), f.is_nan(y)), d.either(f.is_inf(x), f.is_zero(y)))
        infinite = d.both(f.is_inf(y), d.negate(bad))
        rest = d.ite(bad, f.nan, d.ite(infinite, x, signed))
        return rest, d.ite(d.either(bad, infinite), zero, quotient)

    return evaluate


def _times(n: Numbers, b: Bits, power: int) -> Bits:
    """A number times a power of two; infinity where that is too large."""
    return n.f.mul(b, n.constant(Fraction(2) ** power))


ROUNDING: Mapping[str, str] = {
    "floor": "down", "ceil": "up", "trunc": "zero", "rint": "even", "nearbyint": "even", "roundeven": "even",
    "round": "away",
}  # fmt: skip
"""Rounding to an integral value, by C's names."""


def rounded(mode: str) -> FloatFunction:
    return lambda n: n.f.rounded(mode)


def by_name(name: str, count: int = 1) -> FloatFunction:
    """``sin``, ``exp``, ...: best effort, not correctly rounded (:meth:`Floats.function`)."""

    def function(n: Numbers) -> Operation:
        of = n.f.function(name)
        fixed: Mapping[int, Operation] = {
            1: lambda a: of(a),
            2: lambda a, b: of(a, b),
            3: lambda a, b, c: of(a, b, c),
            4: lambda a, b, c, d: of(a, b, c, d),
        }
        return fixed[count]

    return function
