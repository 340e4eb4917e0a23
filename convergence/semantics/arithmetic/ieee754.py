"""IEEE-754 formats, exactly: what a bit pattern stands for and the nearest one to a value; and special
functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import Enum
from math import isqrt
from typing import NamedTuple

from ...frozen import dataclass

# ----------------------------------------------------------------------------------------------------------
# IEEE-754 formats: what a bit pattern stands for, the nearest pattern to a value, comparisons.
# ----------------------------------------------------------------------------------------------------------


class Class(Enum):
    """What a bit pattern stands for."""

    NAN = 0
    INFINITE = 1
    FINITE = 2


class Number(NamedTuple):
    """``(-1) ** sign * significand * 2 ** exponent`` when finite; else the class and the sign count."""

    form: Class
    sign: int
    significand: int = 0
    exponent: int = 0


@dataclass(frozen=True)
class Format:
    """A binary interchange format, or x87's 80 bits, whose leading significand bit is ``explicit``."""

    kind: str
    exponent_bits: int
    fraction_bits: int
    explicit: bool = False

    @property
    def precision(self) -> int:
        return self.fraction_bits + 1

    @property
    def stored_bits(self) -> int:
        """Bits of the significand field."""
        return self.fraction_bits + self.explicit

    @property
    def width(self) -> int:
        return 1 + self.exponent_bits + self.stored_bits

    @property
    def top(self) -> int:
        """The biased exponent of infinities and NaNs."""
        return (1 << self.exponent_bits) - 1

    @property
    def lowest(self) -> int:
        """The exponent of the least subnormal number."""
        return 2 - (1 << (self.exponent_bits - 1)) - self.fraction_bits

    @property
    def infinity(self) -> int:
        return self.top << self.stored_bits | (self.explicit << self.fraction_bits)

    @property
    def nan(self) -> int:
        """The canonical quiet NaN: positive, only the quiet bit set."""
        return self.infinity | 1 << (self.fraction_bits - 1)

    @property
    def sign_bit(self) -> int:
        return 1 << (self.width - 1)


FORMATS = {
    f.kind: f
    for f in (
        Format("half", 5, 10),
        Format("bfloat", 8, 7),
        Format("float", 8, 23),
        Format("double", 11, 52),
        Format("fp128", 15, 112),
        Format("x86_fp80", 15, 63, True),
    )
}


def decode(f: Format, bits: int) -> Number:
    """What a bit pattern stands for; x87's invalid encodings are NaNs."""
    sign = bits >> (f.width - 1)
    biased = bits >> f.stored_bits & f.top
    field = bits & ((1 << f.stored_bits) - 1)
    fraction = field & ((1 << f.fraction_bits) - 1)
    leading = field >> f.fraction_bits if f.explicit else int(biased != 0)
    if f.explicit and biased and not leading:
        return Number(Class.NAN, sign)
    if biased == f.top:
        return Number(Class.NAN if fraction else Class.INFINITE, sign)
    return Number(Class.FINITE, sign, leading << f.fraction_bits | fraction, f.lowest + max(biased, 1) - 1)


def signed_infinity(f: Format, sign: int) -> int:
    return f.infinity | (f.sign_bit if sign else 0)


def encode(f: Format, sign: int, significand: int, exponent: int, sticky: bool = False) -> int:
    """The nearest number to ``significand * 2 ** exponent``, plus a little if ``sticky``.

    With ``sticky`` the significand must have at least two bits more than the format keeps.
    """
    lowest = max(exponent + significand.bit_length() - f.precision, f.lowest)
    shift = lowest - exponent
    if shift <= 0:
        kept = significand << -shift
    else:
        kept, rest = significand >> shift, significand & ((1 << shift) - 1)
        half = 1 << (shift - 1)
        if rest > half or (rest == half and (sticky or kept & 1)):
            kept += 1
            if kept.bit_length() > f.precision:
                kept, lowest = kept >> 1, lowest + 1
    biased = lowest - f.lowest + 1 if kept >> f.fraction_bits else 0
    if biased >= f.top:
        return signed_infinity(f, sign)
    field = kept if f.explicit else kept & ((1 << f.fraction_bits) - 1)
    return (sign << (f.width - 1)) | biased << f.stored_bits | field


def is_nan(f: Format, a: int) -> bool:
    return decode(f, a).form is Class.NAN


def is_signaling(f: Format, a: int) -> bool:
    """A NaN whose quiet bit is clear."""
    return is_nan(f, a) and not a >> (f.fraction_bits - 1) & 1


def _order(f: Format, a: int) -> int:
    """A key that orders all numbers that are no NaN; both zeros have key 0."""
    magnitude = a & (f.sign_bit - 1)
    return -magnitude if a & f.sign_bit else magnitude


def equal(f: Format, a: int, b: int) -> bool:
    """IEEE equality: false on NaN, zeros are equal."""
    return not is_nan(f, a) and not is_nan(f, b) and _order(f, a) == _order(f, b)


def less(f: Format, a: int, b: int) -> bool:
    """IEEE less-than: false on NaN."""
    return not is_nan(f, a) and not is_nan(f, b) and _order(f, a) < _order(f, b)


# -- IEEE-754 arithmetic on bit patterns, exactly rounded with big integers, for any format
# Every function takes and gives unsigned bit patterns of one :class:`Format`; the value is computed
# exactly and rounded once, to nearest, ties to even. A NaN result is the canonical quiet NaN.


def _signed(x: Number) -> int:
    return -x.significand if x.sign else x.significand


def _sum(f: Format, x: Number, y: Number) -> int:
    """The sum of two finite numbers; an exact zero is positive unless both are negative."""
    exponent = min(x.exponent, y.exponent)
    total = (_signed(x) << (x.exponent - exponent)) + (_signed(y) << (y.exponent - exponent))
    sign = x.sign & y.sign if total == 0 else int(total < 0)
    return encode(f, sign, abs(total), exponent)


def _add(f: Format, x: Number, y: Number) -> int:
    if x.form is Class.NAN or y.form is Class.NAN:
        return f.nan
    if x.form is Class.INFINITE or y.form is Class.INFINITE:
        if x.form is y.form and x.sign != y.sign:
            return f.nan
        return signed_infinity(f, x.sign if x.form is Class.INFINITE else y.sign)
    return _sum(f, x, y)


def add(f: Format, a: int, b: int) -> int:
    return _add(f, decode(f, a), decode(f, b))


def sub(f: Format, a: int, b: int) -> int:
    return _add(f, decode(f, a), decode(f, b ^ f.sign_bit))


def _product(x: Number, y: Number) -> Number:
    """The exact product."""
    sign = x.sign ^ y.sign
    if x.form is Class.NAN or y.form is Class.NAN:
        return Number(Class.NAN, 0)
    if x.form is Class.INFINITE or y.form is Class.INFINITE:
        zero = (x.form is Class.FINITE and not x.significand) or (
            y.form is Class.FINITE and not y.significand
        )
        return Number(Class.NAN, 0) if zero else Number(Class.INFINITE, sign)
    return Number(Class.FINITE, sign, x.significand * y.significand, x.exponent + y.exponent)


def mul(f: Format, a: int, b: int) -> int:
    product = _product(decode(f, a), decode(f, b))
    match product.form:
        case Class.NAN:
            return f.nan
        case Class.INFINITE:
            return signed_infinity(f, product.sign)
        case Class.FINITE:
            return encode(f, product.sign, product.significand, product.exponent)


def fma(f: Format, a: int, b: int, c: int) -> int:
    """``a * b + c``, rounded once."""
    return _add(f, _product(decode(f, a), decode(f, b)), decode(f, c))


def div(f: Format, a: int, b: int) -> int:
    x, y = decode(f, a), decode(f, b)
    sign = x.sign ^ y.sign
    if x.form is Class.NAN or y.form is Class.NAN:
        return f.nan
    if x.form is Class.INFINITE:
        return f.nan if y.form is Class.INFINITE else signed_infinity(f, sign)
    if y.form is Class.INFINITE:
        return encode(f, sign, 0, 0)
    if not y.significand:
        return signed_infinity(f, sign) if x.significand else f.nan
    shift = max(0, f.precision + 3 + y.significand.bit_length() - x.significand.bit_length())
    quotient, rest = divmod(x.significand << shift, y.significand)
    return encode(f, sign, quotient, x.exponent - y.exponent - shift, bool(rest))


def rem(f: Format, a: int, b: int) -> int:
    """C's fmod: the exact remainder of truncated division, with the dividend's sign."""
    x, y = decode(f, a), decode(f, b)
    if x.form is not Class.FINITE or y.form is Class.NAN:
        return f.nan
    if y.form is Class.INFINITE:
        return a
    if not y.significand:
        return f.nan
    exponent = min(x.exponent, y.exponent)
    rest = (x.significand << (x.exponent - exponent)) % (y.significand << (y.exponent - exponent))
    return encode(f, x.sign, rest, exponent)


def sqrt(f: Format, a: int) -> int:
    x = decode(f, a)
    if x.form is Class.NAN or (x.sign and (x.form is Class.INFINITE or x.significand)):
        return f.nan
    if x.form is Class.INFINITE or not x.significand:
        return a
    shift = max(0, 2 * (f.precision + 3) - x.significand.bit_length())
    shift += (x.exponent - shift) & 1
    root = isqrt(x.significand << shift)
    sticky = root * root != x.significand << shift
    return encode(f, 0, root, (x.exponent - shift) // 2, sticky)


def _integral(x: Number, mode: str) -> int:
    """A finite number's magnitude rounded to an integer; ``mode``: down, up, zero, even or away."""
    if x.exponent >= 0:
        return x.significand << x.exponent
    whole = x.significand >> -x.exponent
    rest = x.significand - (whole << -x.exponent)
    half = 1 << (-x.exponent - 1)
    up = {
        "down": bool(x.sign and rest),
        "up": bool(not x.sign and rest),
        "zero": False,
        "even": rest > half or (rest == half and bool(whole & 1)),
        "away": rest >= half,
    }[mode]
    return whole + up


def round_to_integral(f: Format, mode: str, a: int) -> int:
    """The nearby integral value, sign kept; NaNs become canonical."""
    x = decode(f, a)
    if x.form is Class.NAN:
        return f.nan
    if x.form is Class.INFINITE:
        return a
    return encode(f, x.sign, _integral(x, mode), 0)


def to_integer(f: Format, a: int) -> int | None:
    """The integer towards zero; ``None`` for NaN and infinities."""
    x = decode(f, a)
    if x.form is not Class.FINITE:
        return None
    magnitude = _integral(x, "zero")
    return -magnitude if x.sign else magnitude


def from_integer(f: Format, value: int) -> int:
    """The nearest number; zero is positive."""
    return encode(f, int(value < 0), abs(value), 0)


def ldexp(f: Format, a: int, power: int) -> int:
    """``a * 2 ** power``, rounded."""
    x = decode(f, a)
    if x.form is Class.NAN:
        return f.nan
    if x.form is Class.INFINITE or not x.significand:
        return a
    limit = 4 << f.exponent_bits  # beyond any two numbers' distance
    return encode(f, x.sign, x.significand, x.exponent + max(-limit, min(power, limit)))


def frexp(f: Format, a: int) -> tuple[int, int]:
    """A fraction in [1/2, 1) and the power of two that gives ``a``; (a, 0) for zeros, infinities and NaNs."""
    x = decode(f, a)
    if x.form is not Class.FINITE or not x.significand:
        return (f.nan if x.form is Class.NAN else a), 0
    length = x.significand.bit_length()
    return encode(f, x.sign, x.significand, -length), x.exponent + length


def convert(source: Format, target: Format, a: int) -> int:
    """The nearest number of another format."""
    x = decode(source, a)
    match x.form:
        case Class.NAN:
            return target.nan
        case Class.INFINITE:
            return signed_infinity(target, x.sign)
        case Class.FINITE:
            return encode(target, x.sign, x.significand, x.exponent)


# ----------------------------------------------------------------------------------------------------------
# Bessel's functions and two relatives of the error function, in double: best effort.
#
# Abramowitz and Stegun, *Handbook of Mathematical Functions*: 9.1.18 and 9.6.16 (integrals over a whole
# turn, which the trapezoidal rule gives to all digits), 9.1.89 (Neumann's series), 9.2.5 and 9.2.6
# (Hankel's expansions), 7.1.14 (a continued fraction).
# ----------------------------------------------------------------------------------------------------------


_FAR = 25.0
"""From here on Hankel's expansions of low orders have all digits."""
_EULER = 0.5772156649015329


def _turn(points: int, of: Callable[[float], float]) -> float:
    """The mean over a whole turn."""
    return math.fsum(of(2 * math.pi * k / points) for k in range(points)) / points


def _hankel(order: int, x: float) -> tuple[float, float]:
    """J and Y of a low order, far out."""
    mu, term, p, q = 4.0 * order * order, 1.0, 1.0, 0.0
    for k in range(1, 60):
        factor = (mu - (2 * k - 1) ** 2) / (k * 8 * x)
        if abs(factor) >= 1:
            break
        term *= factor
        sign = -1 if k // 2 % 2 else 1
        if k % 2:
            q += sign * term
        else:
            p += sign * term
    angle, size = x - (order / 2 + 0.25) * math.pi, math.sqrt(2 / (math.pi * x))
    sine, cosine = math.sin(angle), math.cos(angle)
    return size * (p * cosine - q * sine), size * (p * sine + q * cosine)


def bessel_j(order: float, x: float) -> float:
    """Of the first kind, of an order that is an integer."""
    n = int(order)
    if math.isnan(x) or math.isinf(x):
        return math.nan if math.isnan(x) else 0.0
    if x == 0:
        return 0.0 if n else 1.0
    sign = -1.0 if (n < 0) != (x < 0) and n % 2 else 1.0
    n, x = abs(n), abs(x)
    if x > max(_FAR, float(n * n)):
        return sign * _hankel(n, x)[0]
    if x > 10_000:
        return math.nan
    points = int(x) + n + 80
    return sign * _turn(points, lambda angle: math.cos(n * angle - x * math.sin(angle)))


def _first_y(order: int, x: float) -> float:
    """Y of order 0 or 1, near zero; that of order 1 is the other one's slope, downwards."""
    j = [bessel_j(k, x) for k in range(2 * (int(x) // 2 + 30) + 2)]
    terms, logarithm = range(1, len(j) // 2), math.log(x / 2) + _EULER
    if order == 0:
        series = math.fsum((-1) ** (k + 1) * j[2 * k] / k for k in terms)
        return 2 / math.pi * (logarithm * j[0] + 2 * series)
    series = math.fsum((-1) ** (k + 1) * (j[2 * k - 1] - j[2 * k + 1]) / k for k in terms)
    return 2 / math.pi * (logarithm * j[1] - j[0] / x - series)


def bessel_y(order: float, x: float) -> float:
    """Of the second kind, of an order that is an integer: the recurrence from orders 0 and 1."""
    n = int(order)
    if math.isnan(x) or x < 0:
        return math.nan
    sign = -1.0 if n < 0 and n % 2 else 1.0
    if x == 0 or math.isinf(x):
        return 0.0 if x else -sign * math.inf
    below, here = ((_hankel(k, x)[1] if x > _FAR else _first_y(k, x)) for k in (0, 1))
    if n == 0:
        return below
    for k in range(1, abs(n)):
        below, here = here, 2 * k / x * here - below
        if math.isinf(here):
            break
    return sign * here


def bessel_i(order: float, x: float) -> float:
    """Modified, of the first kind, of an order that is an integer."""
    n = abs(int(order))
    if math.isnan(x) or math.isinf(x):
        return math.nan if math.isnan(x) else math.copysign(x, x if n % 2 else 1.0)
    size = abs(x)
    if n and not size:
        return x
    points = 2 * n + 60 + int(10 * math.sqrt(size))
    if points > 100_000:
        return math.copysign(math.inf, x if n % 2 else 1.0)
    mean = _turn(points, lambda angle: math.exp(size * (math.cos(angle) - 1)) * math.cos(n * angle))
    half = math.exp(size / 2)
    return math.copysign(half * mean * half, x if n % 2 else 1.0)


def erfcx(x: float) -> float:
    """``exp(x * x) * erfc(x)``."""
    if x < 5:
        return math.exp(x * x) * math.erfc(x)
    rest = 0.0
    for k in range(60, 0, -1):
        rest = k / 2 / (x + rest)
    return 1 / (x + rest) / math.sqrt(math.pi)


def erfcinv(y: float) -> float:
    """The number of which ``erfc`` is this: Newton's steps from the normal distribution's quantile."""
    from statistics import NormalDist  # which few programs need, and which takes its time

    if y in (0, 2):
        return math.copysign(math.inf, 1 - y)
    if not 0 < y < 2:
        return math.nan
    root = -NormalDist().inv_cdf(y / 2) / math.sqrt(2)
    for _ in range(2):
        root += (math.erfc(root) - y) * math.sqrt(math.pi) / 2 * math.exp(root * root)
    return root
