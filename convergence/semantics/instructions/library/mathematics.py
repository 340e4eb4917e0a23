"""Mathematics for all languages and device libraries: functions of numbers by C's names, and of vectors
of floats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ... import NotModelled
from ...values import Bits, RuntimeValue, Truth, Value
from ..intrinsics_values import Build, classes
from ..lifting import checked_result, element_type, float_kind
from . import kit as common
from .kit import (
    FloatFunction,
    Function,
    Lifted,
    Numbers,
    Operation,
    Site,
    components,
    gathered,
    numbers_of,
    parameter_types,
)

if TYPE_CHECKING:
    from ....ir import instructions as ir
    from ...values.context import Context, Evaluate

# ----------------------------------------------------------------------------------------------------------
# Math functions of one format's numbers, by C's names, for all languages and device libraries.
#
# What IEEE-754 defines is exactly rounded: ``fma``, ``sqrt``, rounding, remainders, ``ldexp``,
# ``nextafter``, minima. The rest (``sin``, ``exp``, ``pow``, ...) is the host's in double, rounded to the
# format: best effort, not correctly rounded (:meth:`Floats.function`).
# ----------------------------------------------------------------------------------------------------------

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


# ----------------------------------------------------------------------------------------------------------
# Functions of whole vectors of floats (OpenCL C, *Geometric Functions*; GLSL.std.450; HLSL).
#
# Sums of products are taken in the order of the elements, each operation rounded once, which the languages
# leave open. A scalar is a vector of one element.
# ----------------------------------------------------------------------------------------------------------


Vector = Sequence[Value]
OfVectors = Callable[[Lifted], Callable[..., Vector]]
"""Staged: from operands' elements to the result's."""


def of_vectors(function: OfVectors) -> Build:
    """A function of whole vectors; nnan and ninf hold for the operands and the result."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        parameters, result, d = parameter_types(call), call.type.result, context.domain
        if len({element_type(type_) for type_ in (*parameters, result)}) > 1:
            raise NotModelled("a function of vectors of different numbers")
        evaluate = function(Lifted(numbers_of(d, float_kind(parameters[0]))))
        checks = [checked_result(call.fast_math, t, d) for t in (*parameters, result)]

        def whole(*operands: RuntimeValue) -> RuntimeValue:
            kept = (o if check is None else check(o) for o, check in zip(operands, checks, strict=False))
            value = gathered(evaluate(*map(components, kept)), result)
            return value if checks[-1] is None else checks[-1](value)

        return whole

    return build


def dot_of(n: Lifted, a: Vector, b: Vector) -> Value:
    total = n.mul(a[0], b[0])
    for x, y in zip(a[1:], b[1:], strict=True):
        total = n.add(total, n.mul(x, y))
    return total


def length_of(n: Lifted, a: Vector) -> Value:
    """``sqrt(dot(a, a))``; a scalar's magnitude."""
    if len(a) == 1:
        return n.of(n.n.magnitude, a[0])
    return n.sqrt(dot_of(n, a, a))


def dot(n: Lifted) -> Callable[..., Vector]:
    return lambda a, b: [dot_of(n, a, b)]


def length(n: Lifted) -> Callable[..., Vector]:
    return lambda a: [length_of(n, a)]


def distance(n: Lifted) -> Callable[..., Vector]:
    return lambda a, b: [length_of(n, [n.sub(x, y) for x, y in zip(a, b, strict=True)])]


def normalize(n: Lifted) -> Callable[..., Vector]:
    """``a / length(a)``."""

    def evaluate(a: Vector) -> Vector:
        by = length_of(n, a)
        return [n.div(x, by) for x in a]

    return evaluate


def normalize_kept(n: Lifted) -> Callable[..., Vector]:
    """``a / length(a)``; a vector of zeros stays as it is (OpenCL C)."""
    plain = normalize(n)

    def evaluate(a: Vector) -> Vector:
        by = length_of(n, a)
        zero = n.n.f.is_zero(by.bits)
        return [n.choose(zero, by.poison, x, y) for x, y in zip(a, plain(a), strict=True)]

    return evaluate


def normalize_by_root(n: Lifted) -> Callable[..., Vector]:
    """``a * rsqrt(dot(a, a))``, as DXIL has it."""

    def evaluate(a: Vector) -> Vector:
        by = n.div(n.constant(1), n.sqrt(dot_of(n, a, a)))
        return [n.mul(x, by) for x in a]

    return evaluate


def cross(n: Lifted) -> Callable[..., Vector]:
    """The cross product of the first three elements; a fourth is 0."""

    def evaluate(a: Vector, b: Vector) -> Vector:
        turns = ((1, 2), (2, 0), (0, 1))
        product = [n.sub(n.mul(a[i], b[j]), n.mul(a[j], b[i])) for i, j in turns]
        return product + [n.constant(0)] * (len(a) - 3)

    return evaluate


def faceforward(n: Lifted) -> Callable[..., Vector]:
    """The first one if ``dot(reference, incident) < 0``, else its opposite."""

    def evaluate(normal: Vector, incident: Vector, reference: Vector) -> Vector:
        facing = dot_of(n, reference, incident)
        front = n.n.f.less(facing.bits, n.n.constant(0))
        opposite = [n.of(n.n.negated, x) for x in normal]
        return [n.choose(front, facing.poison, x, y) for x, y in zip(normal, opposite, strict=True)]

    return evaluate


def reflect(n: Lifted) -> Callable[..., Vector]:
    """``i - 2 * dot(normal, i) * normal``."""

    def evaluate(incident: Vector, normal: Vector) -> Vector:
        twice = n.mul(n.constant(2), dot_of(n, normal, incident))
        return [n.sub(i, n.mul(twice, x)) for i, x in zip(incident, normal, strict=True)]

    return evaluate


def refract(n: Lifted) -> Callable[..., Vector]:
    """``eta * i - (eta * dot(normal, i) + sqrt(k)) * normal`` for
    ``k = 1 - eta² * (1 - dot(normal, i)²)``; 0 if ``k < 0``."""

    def evaluate(incident: Vector, normal: Vector, ratio: Vector) -> Vector:
        eta, zero, one = ratio[0], n.constant(0), n.constant(1)
        cosine = dot_of(n, normal, incident)
        k = n.sub(one, n.mul(n.mul(eta, eta), n.sub(one, n.mul(cosine, cosine))))
        by = n.add(n.mul(eta, cosine), n.sqrt(k))
        total = n.n.f.less(k.bits, zero.bits)
        bent = [n.sub(n.mul(eta, i), n.mul(by, x)) for i, x in zip(incident, normal, strict=True)]
        return [n.choose(total, k.poison, zero, x) for x in bent]

    return evaluate


def through_double(function: OfVectors, grows: bool = True) -> OfVectors:
    """In double, where squares of smaller formats do not overflow, then rounded. Doubles are divided by a
    power of two first, so that theirs do not; where the result ``grows`` with the operands, it is multiplied
    again."""

    def function_of(n: Lifted) -> Callable[..., Vector]:
        kind = n.n.f.kind
        if kind == "double":
            return _scaled(n, function(n), grows)
        if kind in ("fp128", "x86_fp80"):
            return function(n)
        wide = Lifted(numbers_of(n.n.d, "double"))
        widen, narrow, do = n.n.f.convert("double"), wide.n.f.convert(kind), function(wide)
        return lambda *operands: [
            n.of(narrow, x) for x in do(*([n.of(widen, x) for x in operand] for operand in operands))
        ]

    return function_of


_EXPONENT = 32
"""Bits of an integer that is an exponent."""


def _scaled(n: Lifted, do: Callable[..., Vector], grows: bool) -> Callable[..., Vector]:
    """A function of vectors whose elements are below 1, and one at least 1/2, if they are finite."""
    d, f, w = n.n.d, n.n.f, n.n.d.width(_EXPONENT)
    split, ldexp = f.frexp(_EXPONENT), f.ldexp(_EXPONENT)

    def evaluate(*operands: Vector) -> Vector:
        largest = n.n.constant(0)
        for x in (x for operand in operands for x in operand):
            magnitude = n.n.magnitude(x.bits)
            largest = d.ite(f.less(largest, magnitude), magnitude, largest)
        _, exponent = split(largest)
        down = w.neg(exponent)
        results = do(*([Value(ldexp(x.bits, down), x.poison) for x in operand] for operand in operands))
        return [Value(ldexp(x.bits, exponent), x.poison) for x in results] if grows else results

    return evaluate
