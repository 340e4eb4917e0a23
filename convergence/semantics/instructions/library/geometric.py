"""Functions of whole vectors of floats (OpenCL C, *Geometric Functions*; GLSL.std.450; HLSL).

Sums of products are taken in the order of the elements, each operation rounded once, which the languages
leave open. A scalar is a vector of one element.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ....ir import instructions as ir
from ...values.context import Context, Evaluate
from ...values.value import RuntimeValue, Value
from ..fast_math import checked_result
from ..intrinsics_integer import Build
from ..lifting import float_kind
from .kit import Lifted, components, gathered, numbers_of, parameter_types

Vector = Sequence[Value]
OfVectors = Callable[[Lifted], Callable[..., Vector]]
"""Staged: from operands' elements to the result's."""


def of_vectors(function: OfVectors) -> Build:
    """A function of whole vectors; nnan and ninf hold for the operands and the result."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        parameters, result, d = parameter_types(call), call.type.result, context.domain
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
