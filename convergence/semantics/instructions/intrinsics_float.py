"""LangRef, *Standard C/C++ Library Intrinsics* (floating-point), *Floating-Point Test*, *Saturating
Conversion*.

``sin``, ``exp``, ``pow`` and their kin are the host's libm in double, rounded to the format: not correctly
rounded. ``fmuladd`` rounds twice, which LangRef leaves open; ``fma`` rounds once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...ir import instructions as ir
from ...ir.types import VectorType
from ..arithmetic.domain import Domain, Floats, Width
from ..values.context import Context, Evaluate
from ..values.value import Bits, Composite, Truth, Value, scalar
from . import fast_math as minmax
from .fast_math import guarded
from .intrinsics_integer import Build, argument, argument_type
from .lifting import float_kind, int_width, lanewise, strict1, strict2, strict3


def unary(operation: Callable[[Floats, Width, Domain], Callable[[Bits], Bits]]) -> Build:
    """One float to another of its type."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        type_, d = argument_type(call), context.domain
        kind = float_kind(type_)
        f = d.floats(kind)
        lane = strict1(d, operation(f, d.width(f.width), d))
        return lanewise(type_, guarded(call.fast_math, kind, d, lane))

    return build


def float_binary(operation: Callable[[Floats, Width, Domain], Callable[[Bits, Bits], Bits]]) -> Build:
    """Two floats of one type to a third."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        type_, d = argument_type(call), context.domain
        kind = float_kind(type_)
        f = d.floats(kind)
        two = strict2(d, operation(f, d.width(f.width), d))
        return lanewise(type_, guarded(call.fast_math, kind, d, two))

    return build


def ternary(operation: Callable[[Floats], Callable[[Bits, Bits, Bits], Bits]]) -> Build:
    """Three floats of one type to a fourth."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        type_, d = argument_type(call), context.domain
        kind = float_kind(type_)
        three = strict3(d, operation(d.floats(kind)))
        return lanewise(type_, guarded(call.fast_math, kind, d, three))

    return build


def _magnitude(w: Width) -> Bits:
    return w.constant((1 << (w.width - 1)) - 1)


def _copysign(f: Floats, w: Width, d: Domain) -> Callable[[Bits, Bits], Bits]:
    """The first operand's magnitude with the second one's sign."""
    low, sign = _magnitude(w), w.constant(1 << (w.width - 1))
    return lambda a, b: w.or_(w.and_(a, low), w.and_(b, sign))


def _by_host(name: str) -> Callable[[Floats, Width, Domain], Callable[..., Bits]]:
    return lambda f, w, d: f.function(name)


def powi(call: ir.CallSite, context: Context) -> Evaluate:
    """An integer power by repeated squaring; the order of multiplications is unspecified. LLVM's
    *InstCombine* gives vectors of exponents, too."""
    type_, d = argument_type(call), context.domain
    f, n = d.floats(float_kind(type_)), int_width(argument_type(call, 1))
    one = f.from_int(2, False)(d.width(2).constant(1))

    def power(base: Bits, exponent: int) -> Bits:
        result, left = one, abs(exponent)
        while left:
            if left & 1:
                result = f.mul(result, base)
            base, left = f.mul(base, base), left >> 1
        return f.div(one, result) if exponent < 0 else result

    def evaluate(base: Value, exponent: Value) -> Value:
        bits = d.concrete(exponent.bits, "powi with a symbolic exponent")
        signed = bits - (1 << n) if bits >> (n - 1) else bits
        return Value(power(base.bits, signed), d.either(base.poison, exponent.poison))

    if not isinstance(type_, VectorType):
        return evaluate
    if isinstance(argument_type(call, 1), VectorType):
        return lanewise(type_, evaluate)
    return lambda bases, exponent: Composite(tuple(evaluate(scalar(b), exponent) for b in bases.elements))


def ldexp(call: ir.CallSite, context: Context) -> Evaluate:
    """The first operand times two to the power of the second."""
    type_, d = argument_type(call), context.domain
    scale = d.floats(float_kind(type_)).ldexp(int_width(argument_type(call, 1)))
    return lanewise(type_, strict2(d, scale))


def _pairs(call: ir.CallSite, evaluate: Callable[[Value], Composite]) -> Evaluate:
    """A pair, or for a vector operand a pair of vectors."""
    if not isinstance(argument_type(call), VectorType):
        return evaluate

    def lanes(a: Composite) -> Composite:
        pairs = [evaluate(scalar(x)) for x in a.elements]
        return Composite(tuple(Composite(tuple(pair.elements[k] for pair in pairs)) for k in (0, 1)))

    return lanes


def frexp(call: ir.CallSite, context: Context) -> Evaluate:
    """A fraction in [1/2, 1) and the exponent of two; the exponent of NaN and infinity is 0 here
    (unspecified)."""
    result, d = call.type.result, context.domain
    width = int_width(getattr(result, "elements")[1])  # noqa: B009 -- the verifier makes it a struct
    split = d.floats(float_kind(argument_type(call))).frexp(width)

    def evaluate(a: Value) -> Composite:
        fraction, exponent = split(a.bits)
        return Composite((Value(fraction, a.poison), Value(exponent, a.poison)))

    return _pairs(call, evaluate)


def modf(call: ir.CallSite, context: Context) -> Evaluate:
    """Fractional and integral part, both with the operand's sign."""
    d = context.domain
    f = d.floats(float_kind(argument_type(call)))
    w, whole = d.width(f.width), f.rounded("zero")
    signed = _copysign(f, w, d)

    def evaluate(a: Value) -> Composite:
        integral = whole(a.bits)
        fraction = d.ite(f.is_inf(a.bits), w.constant(0), f.sub(a.bits, integral))
        fraction = d.ite(f.is_nan(a.bits), f.nan, signed(fraction, a.bits))
        return Composite((Value(fraction, a.poison), Value(integral, a.poison)))

    return _pairs(call, evaluate)


def sincos(call: ir.CallSite, context: Context) -> Evaluate:
    f = context.domain.floats(float_kind(argument_type(call)))
    sin, cos = f.function("sin"), f.function("cos")
    return _pairs(call, lambda a: Composite((Value(sin(a.bits), a.poison), Value(cos(a.bits), a.poison))))


def to_integer(mode: str) -> Build:
    """lround, lrint, ...: rounded, then as an integer; 0 here if it does not fit (unspecified)."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        type_, d = argument_type(call), context.domain
        f, n = d.floats(float_kind(type_)), int_width(call.type.result)
        rounded, convert, none = f.rounded(mode), f.to_int(n, True), d.width(n).constant(0)

        def evaluate(a: Bits) -> Bits:
            bits, fits = convert(rounded(a))
            return d.ite(fits, bits, none)

        return lanewise(type_, strict1(d, evaluate))

    return build


def saturating(signed: bool) -> Build:
    """fptosi.sat, fptoui.sat: towards zero; the nearest integer of the type if it does not fit, 0 for a
    NaN."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        type_, d = argument_type(call), context.domain
        f, n = d.floats(float_kind(type_)), int_width(call.type.result)
        w, convert = d.width(n), f.to_int(n, signed)
        none = w.constant(0)
        least = w.constant(1 << (n - 1)) if signed else none
        most = w.constant((1 << (n - 1)) - 1) if signed else w.constant(-1)

        def evaluate(a: Bits) -> Bits:
            bits, fits = convert(a)
            extreme = d.ite(f.is_negative(a), least, most)
            return d.ite(fits, bits, d.ite(f.is_nan(a), none, extreme))

        return lanewise(type_, strict1(d, evaluate))

    return build


def classes(f: Floats, d: Domain) -> Callable[[Bits], list[Truth]]:
    """Whether a number is in each of: snan, qnan, -inf, -normal, -subnormal, -0, +0, +subnormal, +normal,
    +inf."""

    def classify(a: Bits) -> list[Truth]:
        nan, signaling, negative = f.is_nan(a), f.is_signaling(a), f.is_negative(a)
        special = d.either(d.either(nan, f.is_inf(a)), d.either(f.is_zero(a), f.is_subnormal(a)))
        magnitudes = [f.is_inf(a), d.negate(special), f.is_subnormal(a), f.is_zero(a)]
        below = [d.both(negative, m) for m in magnitudes]
        above = [d.both(d.negate(negative), m) for m in reversed(magnitudes)]
        return [signaling, d.both(nan, d.negate(signaling)), *below, *above]

    return classify


def is_fpclass(call: ir.CallSite, context: Context) -> Evaluate:
    """Whether the operand is in one of the classes of the mask."""
    type_, d = argument_type(call), context.domain
    of = classes(d.floats(float_kind(type_)), d)
    mask = getattr(argument(call, 1), "value", 0)

    def test(a: Bits) -> Bits:
        result = d.false
        for number, member in enumerate(of(a)):
            if mask >> number & 1:
                result = d.either(result, member)
        return d.bit(result)

    by_lane = lanewise(type_, strict1(d, test))
    return lambda a, _: by_lane(a)


_MODES = {
    "floor": "down", "ceil": "up", "trunc": "zero", "rint": "even", "nearbyint": "even", "roundeven": "even",
    "round": "away",
}  # fmt: skip
_FUNCTIONS = (
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "exp2", "exp10", "log",
    "log2", "log10",
)  # fmt: skip


def _rounding(mode: str) -> Build:
    return unary(lambda f, w, d: f.rounded(mode))


def _minmax(name: str) -> Build:
    return float_binary(lambda f, w, d: minmax.floating(name, d, f))


FLOATING: Mapping[str, Build] = {
    "llvm.fabs": unary(lambda f, w, d: lambda a: w.and_(a, _magnitude(w))),
    "llvm.copysign": float_binary(_copysign),
    "llvm.sqrt": unary(lambda f, w, d: f.sqrt),
    "llvm.canonicalize": unary(lambda f, w, d: lambda a: d.ite(f.is_nan(a), f.nan, a)),
    "llvm.arithmetic.fence": unary(lambda f, w, d: lambda a: a),
    "llvm.fma": ternary(lambda f: f.fma),
    "llvm.fmuladd": ternary(lambda f: lambda a, b, c: f.add(f.mul(a, b), c)),
    **{f"llvm.{name}": _rounding(mode) for name, mode in _MODES.items()},
    **{f"llvm.{name}": _minmax(name) for name in minmax.FLOATING},
    **{f"llvm.{name}": unary(_by_host(name)) for name in _FUNCTIONS},
    "llvm.pow": float_binary(_by_host("pow")),
    "llvm.atan2": float_binary(_by_host("atan2")),
    "llvm.powi": powi,
    "llvm.ldexp": ldexp,
    "llvm.frexp": frexp,
    "llvm.modf": modf,
    "llvm.sincos": sincos,
    "llvm.lround": to_integer("away"),
    "llvm.llround": to_integer("away"),
    "llvm.lrint": to_integer("even"),
    "llvm.llrint": to_integer("even"),
    "llvm.fptosi.sat": saturating(signed=True),
    "llvm.fptoui.sat": saturating(signed=False),
    "llvm.is.fpclass": is_fpclass,
}
