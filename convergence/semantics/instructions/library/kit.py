"""What library functions are written with, and functions of floats that several languages share."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from inspect import signature
from typing import TYPE_CHECKING

from ....frozen import dataclass
from ....ir import FloatType, IntType, Type, VectorType
from ... import NotModelled
from ...arithmetic import ieee754
from ...values import Bits, Composite, RuntimeValue, Truth, Value, scalar
from .. import lifting as minmax
from ..lifting import element_type, float_kind, forbidden, int_width, made

if TYPE_CHECKING:
    from ....ir import instructions as ir
    from ...arithmetic.domain import Domain, Floats, Width
    from ...values.context import Context, Evaluate
    from ...values.datalayout import Layout
    from ..intrinsics_values import Build

# ----------------------------------------------------------------------------------------------------------
# What library functions are written with: one function of bits, at scalars or in each lane of vectors.
#
# A function is staged: asked once per call site, with the element types of the operands and of the result
# (:class:`Site`), it gives a function of the operands' bits, by a :class:`Domain`. Poison in, poison out.
# ----------------------------------------------------------------------------------------------------------

Operation = Callable[..., Bits]
"""From the operands' bits to the result's."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """IEEE numbers of one format, with the bit-vectors that hold them and the domain of both."""

    d: Domain
    f: Floats
    w: Width

    def constant(self, value: float | Fraction) -> Bits:
        """The format's nearest number to a finite one."""
        return self.w.constant(_nearest(self.f.kind, Fraction(value)))

    @property
    def infinity(self) -> Bits:
        return self.w.constant(_format(self.f.kind).infinity)

    @property
    def sign_bit(self) -> Bits:
        return self.w.constant(1 << (self.w.width - 1))

    @property
    def magnitude_bits(self) -> Bits:
        """All bits but the sign."""
        return self.w.constant((1 << (self.w.width - 1)) - 1)

    def magnitude(self, a: Bits) -> Bits:
        return self.w.and_(a, self.magnitude_bits)

    def negated(self, a: Bits) -> Bits:
        return self.w.xor(a, self.sign_bit)

    def signed_like(self, a: Bits, b: Bits) -> Bits:
        """The magnitude of ``a`` with the sign of ``b``."""
        return self.w.or_(self.magnitude(a), self.w.and_(b, self.sign_bit))

    def at_most(self, a: Bits, b: Bits) -> Truth:
        """Ordered less or equal."""
        return self.d.either(self.f.less(a, b), self.f.equal(a, b))

    def quieted(self, a: Bits, otherwise: Bits) -> Bits:
        """The canonical NaN if ``a`` is a NaN, else ``otherwise``."""
        return self.d.ite(self.f.is_nan(a), self.f.nan, otherwise)


def numbers_of(d: Domain, kind: str) -> Numbers:
    f = d.floats(kind)
    return Numbers(d, f, d.width(f.width))


def _format(kind: str) -> ieee754.Format:
    if kind not in ieee754.FORMATS:
        raise NotModelled(f"arithmetic on {kind}")
    return ieee754.FORMATS[kind]


def _nearest(kind: str, value: Fraction) -> int:
    format_ = _format(kind)
    shift = 2 * format_.precision + 3 + max(0, value.denominator.bit_length() - value.numerator.bit_length())
    significand, rest = divmod(abs(value.numerator) << shift, value.denominator)
    return ieee754.encode(format_, int(value < 0), significand, -shift, bool(rest))


@dataclass(frozen=True, slots=True)
class Site:
    """What a function is asked for: the element types of the operands and of the result; whether the result
    is a vector; where the name says so, which operands are signed."""

    d: Domain
    layout: Layout
    operands: tuple[Type, ...]
    result: Type
    vector: bool = False
    signed: tuple[bool, ...] = ()

    def numbers(self, index: int = 0) -> Numbers:
        """The format of an operand; NotModelled for one that is no float."""
        return numbers_of(self.d, float_kind(self.operands[index]))

    @property
    def results(self) -> Numbers:
        """The format of the result; NotModelled for one that is no float."""
        return numbers_of(self.d, float_kind(self.result))

    def width(self, index: int = 0) -> Width:
        """The bit-vectors of an operand; NotModelled for one that is no integer."""
        return self.d.width(int_width(self.operands[index]))

    @property
    def result_width(self) -> Width:
        """The bit-vectors of the result; NotModelled for one that is no integer."""
        return self.d.width(int_width(self.result))

    def is_float(self, index: int = 0) -> bool:
        return isinstance(self.operands[index], FloatType)

    def is_signed(self, index: int = 0) -> bool:
        return self.signed[index]


Function = Callable[[Site], Operation]
"""A library function, staged."""


def site_of(
    parameters: Sequence[Type], result: Type, context: Context, signed: tuple[bool, ...] = ()
) -> Site:
    """The call site with these types; NotModelled for scalable vectors."""
    return Site(
        context.domain,
        context.layout,
        tuple(element_type(t) for t in parameters),
        element_type(result),
        isinstance(result, VectorType),
        signed,
    )


def strict(operation: Operation, site: Site, flags: tuple[str, ...] = ()) -> Evaluate:
    """Scalars: poison if an operand is, or if nnan or ninf forbid an operand or the result."""
    either, result = site.d.either, site.result
    forbids = [
        forbidden(flags, t.kind, site.d) if flags and isinstance(t, FloatType) else None
        for t in (*site.operands, result)
    ]

    def evaluate(*operands: Value) -> Value:
        poison = operands[0].poison
        for operand in operands[1:]:
            poison = either(poison, operand.poison)
        return made(result, operation(*(operand.bits for operand in operands)), poison)

    if not any(forbids):
        return evaluate

    def guarded(*operands: Value) -> Value:
        value = scalar(evaluate(*operands))
        poison = value.poison
        for excluded, operand in zip(forbids, (*operands, value), strict=True):
            if excluded is not None:
                poison = either(poison, excluded(operand.bits))
        return Value(value.bits, poison)

    return guarded


def lanes(parameters: Sequence[Type], evaluate: Evaluate) -> Evaluate:
    """In each lane where an operand is a vector; what is a scalar then is the same in every lane."""
    count = {t.count for t in parameters if isinstance(t, VectorType)}
    if not count:
        return evaluate
    if len(count) > 1:
        raise NotModelled("operands of different lengths")
    (length,) = count
    vectors = [isinstance(t, VectorType) for t in parameters]

    def each(*operands: RuntimeValue) -> RuntimeValue:
        columns = [
            o.elements if vector and isinstance(o, Composite) else (o,) * length
            for o, vector in zip(operands, vectors, strict=True)
        ]
        return Composite(tuple(map(evaluate, *columns)))

    return each


def parameter_types(call: ir.CallSite) -> tuple[Type, ...]:
    return tuple(argument.value.type for argument in call.arguments)


def taking(operation: Operation, count: int) -> Operation:
    """The operation; NotModelled if it does not take so many operands: a declaration may say anything."""
    known = signature(operation).parameters.values()
    if len(known) != count and not any(p.kind is p.VAR_POSITIONAL for p in known):
        raise NotModelled(f"a library function with {count} operands, which has {len(known)}")
    return operation


def require_result(site: Site, type_: Type) -> None:
    """NotModelled where a function does not give this type: C++ may have one of the same name and operands,
    and the name does not say what that gives."""
    if site.result != type_:
        raise NotModelled(f"a library function of {site.operands[0]} with {site.result}")


def elementwise(function: Function) -> Build:
    """A function of scalars, in each lane of vectors."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        parameters = parameter_types(call)
        if not parameters:
            raise NotModelled("a library function without operands")
        site = site_of(parameters, call.type.result, context)
        operation = taking(function(site), len(parameters))
        return lanes(parameters, strict(operation, site, call.fast_math))

    return build


# -- Functions of floats and of integers of one type


def floats(function: Callable[[Numbers], Operation]) -> Function:
    """All operands and the result are of the first operand's format."""
    return lambda site: function(_of_one_type(site).numbers())


def integers(function: Callable[[Width, Domain], Operation]) -> Function:
    """All operands and the result are of the first operand's width."""

    def of(site: Site) -> Operation:
        _of_one_type(site)
        return function(site.width(), site.d)

    return of


def _of_one_type(site: Site) -> Site:
    for type_ in (*site.operands[1:], site.result):
        if type_ != site.operands[0]:
            raise NotModelled(f"a library function of {site.operands[0]} with {type_}")
    return site


# -- Scalars with their poison, for functions of whole vectors


@dataclass(frozen=True, slots=True)
class Lifted:
    """A format's operations on scalars with their poison: poison if an operand is."""

    n: Numbers

    def of(self, operation: Operation, *operands: Value) -> Value:
        poison = operands[0].poison
        for operand in operands[1:]:
            poison = self.n.d.either(poison, operand.poison)
        return Value(operation(*(operand.bits for operand in operands)), poison)

    def add(self, a: Value, b: Value) -> Value:
        return self.of(self.n.f.add, a, b)

    def sub(self, a: Value, b: Value) -> Value:
        return self.of(self.n.f.sub, a, b)

    def mul(self, a: Value, b: Value) -> Value:
        return self.of(self.n.f.mul, a, b)

    def div(self, a: Value, b: Value) -> Value:
        return self.of(self.n.f.div, a, b)

    def sqrt(self, a: Value) -> Value:
        return self.of(self.n.f.sqrt, a)

    def constant(self, value: float) -> Value:
        return Value(self.n.constant(value), self.n.d.false)

    def choose(self, condition: Truth, poison: Truth, then: Value, otherwise: Value) -> Value:
        """One of two numbers; poison if the condition is or the chosen one."""
        d = self.n.d
        chosen = scalar(d.choose(condition, then, otherwise))
        return Value(chosen.bits, d.either(poison, chosen.poison))


def components(value: RuntimeValue) -> tuple[Value, ...]:
    """The elements of a vector, or the scalar itself."""
    return tuple(map(scalar, value.elements)) if isinstance(value, Composite) else (value,)


def gathered(values: Sequence[Value], type_: Type) -> RuntimeValue:
    """A vector of these elements, or the scalar if the type is none."""
    return Composite(tuple(values)) if isinstance(type_, VectorType) else values[0]


def is_integer(type_: Type) -> bool:
    return isinstance(element_type(type_), IntType)


# -- What several libraries have under names of their own


def flushed(n: Numbers) -> Operation:
    """A subnormal number becomes a zero of its sign."""
    return lambda a: n.d.ite(n.f.is_subnormal(a), n.w.and_(a, n.sign_bit), a)


def half_word(high: bool) -> Function:
    """The upper or the lower 32 of 64 bits."""
    return lambda site: site.d.extract(63, 32) if high else site.d.extract(31, 0)


def joined(site: Site) -> Operation:
    """A word of twice the width, from its lower half and its upper one."""
    n = site.width().width
    return lambda low, high: site.d.concat([low, high], [n, n])


def canonical_nan(site: Site) -> Operation:
    """The canonical NaN: the payload is not kept."""
    return lambda code: site.results.f.nan


# ----------------------------------------------------------------------------------------------------------
# Functions of scalar floats that several languages share (OpenCL C, *Common Functions*; HLSL;
# GLSL.std.450).
#
# Each is the formula of its definition, every operation rounded once; what a definition leaves to the
# implementation (``fma`` or not) is written out here as separate operations.
# ----------------------------------------------------------------------------------------------------------


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
