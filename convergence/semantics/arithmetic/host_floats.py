"""Floats as bit patterns, as fast as Python's own allow; and functions of the host's mathematics."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from struct import Struct

from .. import NotModelled
from . import ieee754 as exact
from . import ieee754 as formats
from .ieee754 import Class, Format, Number, decode

# ----------------------------------------------------------------------------------------------------------
# The concrete ``Floats``: exact for every format, and the host's arithmetic for float and double.
#
# The host computes in IEEE double; rounding that once more to float is exact for one operation,
# since 53 bits are at least twice 24 and two more.
# ----------------------------------------------------------------------------------------------------------

# ----------------------------------------------------------------------------------------------------------
# IEEE-754 arithmetic rounded in one direction, on bit patterns of any format: exact, then one step.
#
# The nearest number (:mod:`.ieee754`) is the one below or the one above the exact result; which of them is
# asked for decides whether it is right or its neighbour is. PTX's ``.rz .rm .rp``, OCML's ``_rtz _rtn
# _rtp``.
# ----------------------------------------------------------------------------------------------------------

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


_DOUBLE, _BITS64, _SINGLE, _BITS32 = Struct("<d"), Struct("<Q"), Struct("<f"), Struct("<I")


def _log(value: float, log: Callable[[float], float]) -> float:
    return -math.inf if value == 0 else log(value)


def _tgamma(x: float) -> float:
    if x == 0:
        return math.copysign(math.inf, x)
    try:
        return math.gamma(x)
    except OverflowError:
        return math.copysign(math.inf, x) if abs(x) < 1 else math.inf


def _lgamma(x: float) -> float:
    return math.inf if x <= 0 and x == math.floor(x) else math.lgamma(x)


def _atanh(x: float) -> float:
    return math.copysign(math.inf, x) if abs(x) == 1 else math.atanh(x)


def _log1p(x: float) -> float:
    return -math.inf if x == -1 else math.log1p(x)


def _half_turns(x: float) -> tuple[float, int]:
    """``x`` less the nearest half, and that half's number modulo 4: exact, and small enough for a series."""
    rest = math.fmod(x, 2.0)
    quarter = round(2 * rest)
    return rest - quarter / 2, quarter % 4


def _sinpi(x: float) -> float:
    rest, quarter = _half_turns(x)
    if rest == 0 and quarter % 2 == 0:
        return math.copysign(0.0, x)
    sine, cosine = math.sin(math.pi * rest), math.cos(math.pi * rest)
    return (sine, cosine, -sine, -cosine)[quarter]


def _cospi(x: float) -> float:
    rest, quarter = _half_turns(x)
    if rest == 0 and quarter % 2 == 1:
        return 0.0
    sine, cosine = math.sin(math.pi * rest), math.cos(math.pi * rest)
    return (cosine, -sine, -cosine, sine)[quarter]


def _tanpi(x: float) -> float:
    cosine = _cospi(x)
    if cosine == 0:
        return math.copysign(math.inf, _sinpi(x)) if not math.isinf(x) else math.nan
    return _sinpi(x) / cosine


def _normcdf(x: float) -> float:
    """The standard normal distribution function."""
    return math.erfc(-x / math.sqrt(2)) / 2


def _quantile(p: float) -> float:
    from statistics import NormalDist  # which few programs need, and which takes its time

    return NormalDist().inv_cdf(p)


def _normcdfinv(p: float) -> float:
    if p in (0, 1):
        return math.copysign(math.inf, p - 0.5)
    return _quantile(p) if 0 < p < 1 else math.nan


def _erfinv(x: float) -> float:
    if x == 0 or abs(x) == 1:
        return x if x == 0 else math.copysign(math.inf, x)
    if not abs(x) < 1:
        return math.nan
    root = _quantile((x + 1) / 2) / math.sqrt(2)
    for _ in range(2):  # Newton's steps, for what x + 1 lost
        root -= (math.erf(root) - x) * math.sqrt(math.pi) / 2 * math.exp(root * root)
    return root


def _powr(x: float, y: float) -> float:
    """``exp(y * log(x))``, for ``x >= 0``."""
    odd = x < 0 or (x == 0 and y == 0) or (math.isinf(x) and y == 0) or (x == 1 and math.isinf(y))
    if odd or math.isnan(x) or math.isnan(y):
        return math.nan
    return math.inf if x == 0 and y < 0 else math.pow(abs(x), y)


def _rootn(x: float, n: float) -> float:
    """``x ** (1 / n)`` for an integer ``n``; of a negative number where ``n`` is odd."""
    odd = n % 2 == 1
    if n == 0 or (x < 0 and not odd):
        return math.nan
    if x == 0:
        bound = 0.0 if n > 0 else math.inf
        return math.copysign(bound, x) if odd else bound
    return math.copysign(math.pow(abs(x), 1 / n), x)


def _special(name: str, *order: int) -> Callable[..., float]:
    """One of the special functions, which few programs need."""

    def function(*operands: float) -> float:
        from . import ieee754 as special

        result: float = getattr(special, name)(*order, *operands)
        return result

    return function


FUNCTIONS: dict[str, Callable[..., float]] = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos,
    "atan": math.atan, "atan2": math.atan2, "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh,
    "exp": math.exp, "exp2": getattr(math, "exp2", lambda x: 2.0**x), "exp10": lambda x: 10.0**x,
    "pow": math.pow,
    "log": lambda x: _log(x, math.log), "log2": lambda x: _log(x, math.log2),
    "log10": lambda x: _log(x, math.log10),
}  # fmt: skip
"""Best effort: the host's libm in double, rounded to the format; not correctly rounded. LLVM has these."""
LIBRARY: dict[str, Callable[..., float]] = {
    "asinh": math.asinh, "acosh": math.acosh, "atanh": _atanh, "expm1": math.expm1, "log1p": _log1p,
    "cbrt": math.cbrt, "erf": math.erf, "erfc": math.erfc,
}  # fmt: skip
"""The same, of other functions that C has."""
MADE: dict[str, Callable[..., float]] = {
    "tgamma": _tgamma, "lgamma": _lgamma, "hypot": math.hypot, "len3": math.hypot, "len4": math.hypot,
    "normcdf": _normcdf, "normcdfinv": _normcdfinv, "erfinv": _erfinv, "powr": _powr, "rootn": _rootn,
    "j0": _special("bessel_j", 0), "j1": _special("bessel_j", 1), "jn": _special("bessel_j"),
    "y0": _special("bessel_y", 0), "y1": _special("bessel_y", 1), "yn": _special("bessel_y"),
    "i0": _special("bessel_i", 0), "i1": _special("bessel_i", 1),
    "erfcx": _special("erfcx"), "erfcinv": _special("erfcinv"),
    "sinpi": _sinpi, "cospi": _cospi, "tanpi": _tanpi,
    "asinpi": lambda x: math.asin(x) / math.pi, "acospi": lambda x: math.acos(x) / math.pi,
    "atanpi": lambda x: math.atan(x) / math.pi, "atan2pi": lambda y, x: math.atan2(y, x) / math.pi,
}  # fmt: skip
"""Best effort, too: made by Python of several of the host's."""


def call_host(function: Callable[..., float], arguments: list[float]) -> float:
    """A libm function with C's answers where Python raises."""
    try:
        return function(*arguments)
    except OverflowError:
        odd = function is math.pow and arguments[1] % 2 == 1
        odd = odd or function is FUNCTIONS["sinh"]
        return -math.inf if odd and arguments[0] < 0 else math.inf
    except (ValueError, ZeroDivisionError):
        if function is math.pow and arguments[0] == 0 and arguments[1] < 0:
            odd = arguments[1] % 2 == 1
            return math.copysign(math.inf, arguments[0]) if odd else math.inf
        return math.nan


class ConcreteFloats:
    """Numbers of one format as Python ints; exact, by :mod:`.ieee754`."""

    def __init__(self, format_: formats.Format) -> None:
        self.format = format_
        self.kind = format_.kind
        self.width = format_.width
        self.nan = format_.nan
        self._magnitude = format_.sign_bit - 1
        self._infinity = format_.infinity

    def add(self, a: int, b: int, /) -> int:
        return exact.add(self.format, a, b)

    def sub(self, a: int, b: int, /) -> int:
        return exact.sub(self.format, a, b)

    def mul(self, a: int, b: int, /) -> int:
        return exact.mul(self.format, a, b)

    def div(self, a: int, b: int, /) -> int:
        return exact.div(self.format, a, b)

    def rem(self, a: int, b: int, /) -> int:
        return exact.rem(self.format, a, b)

    def fma(self, a: int, b: int, c: int, /) -> int:
        return exact.fma(self.format, a, b, c)

    def sqrt(self, a: int, /) -> int:
        return exact.sqrt(self.format, a)

    def is_nan(self, a: int, /) -> bool:
        return formats.is_nan(self.format, a)

    def is_signaling(self, a: int, /) -> bool:
        return formats.is_signaling(self.format, a)

    def is_inf(self, a: int, /) -> bool:
        return a & self._magnitude == self._infinity

    def is_zero(self, a: int, /) -> bool:
        return not a & self._magnitude

    def is_subnormal(self, a: int, /) -> bool:
        return 0 < a & self._magnitude < 1 << self.format.fraction_bits

    def is_negative(self, a: int, /) -> bool:
        return a > self._magnitude

    def equal(self, a: int, b: int, /) -> bool:
        return formats.equal(self.format, a, b)

    def less(self, a: int, b: int, /) -> bool:
        return formats.less(self.format, a, b)

    def rounded(self, mode: str) -> Callable[[int], int]:
        return lambda a: exact.round_to_integral(self.format, mode, a)

    def from_int(self, width: int, signed: bool) -> Callable[[int], int]:
        sign = 1 << (width - 1)
        if signed:
            return lambda a: exact.from_integer(self.format, (a ^ sign) - sign)
        return lambda a: exact.from_integer(self.format, a)

    def to_int(self, width: int, signed: bool) -> Callable[[int], tuple[int, bool]]:
        low, high = (-(1 << (width - 1)), 1 << (width - 1)) if signed else (0, 1 << width)
        mask = (1 << width) - 1

        def to_int(a: int) -> tuple[int, bool]:
            value = exact.to_integer(self.format, a)
            return (0, False) if value is None else (value & mask, low <= value < high)

        return to_int

    def ldexp(self, width: int) -> Callable[[int, int], int]:
        sign = 1 << (width - 1)
        return lambda a, n: exact.ldexp(self.format, a, (n ^ sign) - sign)

    def frexp(self, width: int) -> Callable[[int], tuple[int, int]]:
        mask = (1 << width) - 1

        def frexp(a: int) -> tuple[int, int]:
            fraction, exponent = exact.frexp(self.format, a)
            return fraction, exponent & mask

        return frexp

    def convert(self, kind: str) -> Callable[[int], int]:
        target = formats.FORMATS.get(kind)
        if target is None:
            raise NotModelled(f"arithmetic on {kind}")
        return lambda a: exact.convert(self.format, target, a)

    def function(self, name: str) -> Callable[..., int]:
        operation, _, mode = name.partition(".")
        if operation in NEAREST and mode in MODES:
            return lambda *operands: directed(self.format, operation, mode, *operands)
        function = FUNCTIONS.get(name) or LIBRARY.get(name) or MADE.get(name)
        if function is None or self.width > 64:
            raise NotModelled(f"{name} on {self.kind}")
        double = formats.FORMATS["double"]

        def evaluate(*operands: int) -> int:
            wide = (exact.convert(self.format, double, a) for a in operands)
            result = call_host(function, [_DOUBLE.unpack(_BITS64.pack(a))[0] for a in wide])
            return exact.convert(double, self.format, _BITS64.unpack(_DOUBLE.pack(result))[0])

        return evaluate


class _Host(ConcreteFloats):
    """Formats that the host has: the four operations, remainder, root and comparisons by the host."""

    _number: Struct
    _pattern: Struct

    def _pack(self, value: float) -> int:
        if value != value:
            return self.nan
        try:
            bits: int = self._pattern.unpack(self._number.pack(value))[0]
        except OverflowError:  # a double that rounds to an infinite float
            bits = self._infinity if value > 0 else self._infinity | self.format.sign_bit
        return bits

    def _unpack(self, bits: int) -> float:
        value: float = self._number.unpack(self._pattern.pack(bits))[0]
        return value

    def add(self, a: int, b: int, /) -> int:
        return self._pack(self._unpack(a) + self._unpack(b))

    def sub(self, a: int, b: int, /) -> int:
        return self._pack(self._unpack(a) - self._unpack(b))

    def mul(self, a: int, b: int, /) -> int:
        return self._pack(self._unpack(a) * self._unpack(b))

    def div(self, a: int, b: int, /) -> int:
        if not b & self._magnitude:
            return exact.div(self.format, a, b)
        return self._pack(self._unpack(a) / self._unpack(b))

    def is_nan(self, a: int, /) -> bool:
        return a & self._magnitude > self._infinity

    def equal(self, a: int, b: int, /) -> bool:
        return self._unpack(a) == self._unpack(b)

    def less(self, a: int, b: int, /) -> bool:
        return self._unpack(a) < self._unpack(b)


class _Single(_Host):
    _number, _pattern = _SINGLE, _BITS32


class _Double(_Host):
    _number, _pattern = _DOUBLE, _BITS64


_HOSTS: dict[str, type[ConcreteFloats]] = {"float": _Single, "double": _Double}


def concrete_floats(kind: str) -> ConcreteFloats:
    """The concrete arithmetic of a format; NotModelled for ``ppc_fp128``, which is no IEEE format."""
    format_ = formats.FORMATS.get(kind)
    if format_ is None:
        raise NotModelled(f"arithmetic on {kind}")
    return _HOSTS.get(kind, ConcreteFloats)(format_)
