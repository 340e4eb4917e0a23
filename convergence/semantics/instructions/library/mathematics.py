"""Math functions of one format's numbers, by C's names, for all languages and device libraries.

What IEEE-754 defines is exactly rounded: ``fma``, ``sqrt``, rounding, remainders, ``ldexp``, ``nextafter``,
minima. The rest (``sin``, ``exp``, ``pow``, ...) is the host's in double, rounded to the format: best effort,
not correctly rounded (:meth:`Floats.function`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...values.value import Bits, Truth
from ..intrinsics_float import classes
from . import common
from .common import FloatFunction
from .kit import Function, Numbers, Operation, Site, numbers_of

_ONE = (
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp",
    "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "cbrt", "erf", "erfc", "tgamma", "lgamma",
    "sinpi", "cospi", "tanpi", "asinpi", "acospi", "atanpi",
)  # fmt: skip
_TWO = ("pow", "powr", "atan2", "atan2pi", "hypot")


def logb(n: Numbers) -> Operation:
    """The exponent as a number: -infinity of zero, infinity of an infinity."""
    d, f = n.d, n.f
    split, number = f.frexp(32), f.from_int(32, True)
    w, infinity = d.width(32), n.infinity

    def evaluate(a: Bits) -> Bits:
        finite = number(w.sub(split(a)[1], w.constant(1)))
        special = d.ite(f.is_zero(a), n.negated(infinity), d.ite(f.is_inf(a), infinity, finite))
        return n.quieted(a, special)

    return evaluate


def ilogb(site: Site) -> Operation:
    """The exponent as an integer; of zero the least, of an infinity and of a NaN the greatest integer
    (OpenCL C leaves which of them to the implementation for a NaN)."""
    n, d, w = site.numbers(), site.d, site.result_width
    split = n.f.frexp(w.width)
    least, most = w.constant(1 << (w.width - 1)), w.constant((1 << (w.width - 1)) - 1)

    def evaluate(a: Bits) -> Bits:
        special = d.either(n.f.is_nan(a), n.f.is_inf(a))
        finite = w.sub(split(a)[1], w.constant(1))
        return d.ite(special, most, d.ite(n.f.is_zero(a), least, finite))

    return evaluate


def ldexp(site: Site) -> Operation:
    """Times two to the power of a signed integer."""
    return site.numbers().f.ldexp(site.width(1).width)


def _with_integer(name: str) -> Function:
    """A function of a number and an integer, in double."""

    def function(site: Site) -> Operation:
        n, double = site.numbers(), numbers_of(site.d, "double")
        widen, narrow = n.f.convert("double"), double.f.convert(n.f.kind)
        number, do = double.f.from_int(site.width(1).width, True), double.f.function(name)
        return lambda x, y: narrow(do(widen(x), number(y)))

    return function


pown = _with_integer("pow")
rootn = _with_integer("rootn")


def rcbrt(n: Numbers) -> Operation:
    """``1 / cbrt(x)``."""
    one, root = n.constant(1), n.f.function("cbrt")
    return lambda x: n.f.div(one, root(x))


def _finite(n: Numbers) -> Operation:
    return lambda a: n.d.negate(n.d.either(n.f.is_nan(a), n.f.is_inf(a)))


def _normal(n: Numbers) -> Operation:
    of = classes(n.f, n.d)

    def evaluate(a: Bits) -> Truth:
        result = of(a)
        return n.d.either(result[3], result[8])

    return evaluate


TESTS: Mapping[str, Callable[[Numbers], Callable[[Bits], Truth]]] = {
    "isnan": lambda n: n.f.is_nan,
    "isinf": lambda n: n.f.is_inf,
    "isfinite": _finite,
    "finite": _finite,
    "isnormal": _normal,
    "signbit": lambda n: n.f.is_negative,
}
"""What may be asked of a number."""

FLOATING: Mapping[str, tuple[int, FloatFunction]] = {
    **{name: (1, common.by_name(name)) for name in _ONE},
    **{name: (2, common.by_name(name, 2)) for name in _TWO},
    **{name: (1, common.rounded(mode)) for name, mode in common.ROUNDING.items()},
    "sqrt": (1, lambda n: n.f.sqrt),
    "rsqrt": (1, common.rsqrt),
    "rcbrt": (1, rcbrt),
    "fabs": (1, common.fabs),
    "copysign": (2, common.copysign),
    "fma": (3, lambda n: n.f.fma),
    "mad": (3, common.mad),
    "fmax": (2, common.minmax_of("maxnum")),
    "fmin": (2, common.minmax_of("minnum")),
    "maxmag": (2, common.larger_magnitude(True)),
    "minmag": (2, common.larger_magnitude(False)),
    "fdim": (2, common.fdim),
    "fmod": (2, lambda n: n.f.rem),
    "remainder": (2, common.remainder),
    "nextafter": (2, common.nextafter),
    "logb": (1, logb),
}
"""Functions of numbers of one format that give one of it: how many, and which."""
