"""Intrinsics of values: integers, floats and vectors (LangRef, *Standard C/C++ Library Intrinsics* and
its kin).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ...ir import FloatType, Int, Operand, Type, VectorType
from ...ir import instructions as ir
from .. import NotModelled
from ..values import Bits, Composite, RuntimeValue, Truth, Value, scalar
from ..values.context import Context, Evaluate, poison
from . import lifting as minmax
from .binary import too_far
from .lifting import float_kind, guarded, int_width, lanewise, strict1, strict2, strict3

if TYPE_CHECKING:
    from ..arithmetic.domain import Domain, Floats, Width

# ----------------------------------------------------------------------------------------------------------
# LangRef, *Standard C/C++ Library Intrinsics* (integer), *Bit Manipulation*, *Arithmetic with Overflow*,
# *Saturation*.
# ----------------------------------------------------------------------------------------------------------

Build = Callable[[ir.CallSite, Context], Evaluate]


def argument_type(call: ir.CallSite, index: int = 0) -> Type:
    return call.arguments[index].value.type


def argument(call: ir.CallSite, index: int) -> Operand:
    return call.arguments[index].value


def flag(call: ir.CallSite, index: int) -> bool:
    """An ``immarg`` of type i1."""
    operand = argument(call, index)
    return isinstance(operand, Int) and operand.value & 1 == 1


def integer_binary(operation: Callable[[Width, Domain], Callable[[Bits, Bits], Bits]]) -> Build:
    """Two integers of one type to a third."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        type_, d = argument_type(call), context.domain
        return lanewise(type_, strict2(d, operation(d.width(int_width(type_)), d)))

    return build


def _with_flag(type_: Type, evaluate: Evaluate) -> Evaluate:
    """The operation without its last operand, an ``immarg``."""
    by_lane = lanewise(type_, evaluate)
    return lambda *operands: by_lane(*operands[:-1])


def abs_(call: ir.CallSite, context: Context) -> Evaluate:
    """The magnitude; of the least value itself, or poison if the flag says so."""
    type_, d = argument_type(call), context.domain
    w = d.width(int_width(type_))
    none, least = w.constant(0), w.constant(1 << (w.width - 1))
    checks = [lambda a: w.eq(a, least)] if flag(call, 1) else []
    return _with_flag(type_, strict1(d, lambda a: d.ite(w.slt(a, none), w.neg(a), a), checks))


def ctpop(call: ir.CallSite, context: Context) -> Evaluate:
    """The number of ones."""
    type_, d = argument_type(call), context.domain
    return lanewise(type_, strict1(d, d.width(int_width(type_)).ctpop))


def zeros(leading: bool) -> Build:
    """ctlz, cttz: the number of leading or trailing zeros; of 0 the width, or poison if the flag says so."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        type_, d = argument_type(call), context.domain
        w = d.width(int_width(type_))
        none = w.constant(0)
        checks = [lambda a: w.eq(a, none)] if flag(call, 1) else []
        return _with_flag(type_, strict1(d, w.ctlz if leading else w.cttz, checks))

    return build


def reversal(unit: int) -> Build:
    """bswap, bitreverse: pieces of ``unit`` bits in reverse order."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        type_, d = argument_type(call), context.domain
        cuts = [d.extract(at + unit - 1, at) for at in range(0, int_width(type_), unit)][::-1]
        widths = (unit,) * len(cuts)
        return lanewise(type_, strict1(d, lambda a: d.concat([cut(a) for cut in cuts], widths)))

    return build


def funnel(left: bool) -> Build:
    """fshl, fshr: two integers side by side, shifted by the third modulo the width; the high or the low
    half."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        type_, d = argument_type(call), context.domain
        w = d.width(int_width(type_))
        size = w.constant(w.width)

        def distance(c: Bits) -> Bits:
            return w.constant(0) if w.width == 1 else w.urem(c, size)

        def fshl(a: Bits, b: Bits, c: Bits) -> Bits:
            by = distance(c)
            rest = w.lshr(w.lshr(b, w.constant(1)), w.sub(w.sub(size, w.constant(1)), by))
            return w.or_(w.shl(a, by), rest) if w.width > 1 else a

        def fshr(a: Bits, b: Bits, c: Bits) -> Bits:
            by = distance(c)
            rest = w.shl(w.shl(a, w.constant(1)), w.sub(w.sub(size, w.constant(1)), by))
            return w.or_(w.lshr(b, by), rest) if w.width > 1 else b

        return lanewise(type_, strict3(d, fshl if left else fshr))

    return build


def _pairwise(type_: Type, evaluate: Callable[[Value, Value], Composite]) -> Evaluate:
    """Lane by lane; a pair of vectors, not a vector of pairs."""
    if not isinstance(type_, VectorType):
        return evaluate

    def lanes(a: Composite, b: Composite) -> RuntimeValue:
        pairs = [evaluate(scalar(x), scalar(y)) for x, y in zip(a.elements, b.elements, strict=True)]
        return Composite(tuple(Composite(tuple(pair.elements[k] for pair in pairs)) for k in (0, 1)))

    int_width(type_)
    return lanes


def overflowing(operation: Callable[[Width], tuple[Callable[..., Bits], Callable[..., Truth]]]) -> Build:
    """*.with.overflow: the wrapped result, and whether it wrapped."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        type_, d = argument_type(call), context.domain
        compute, wraps = operation(d.width(int_width(type_)))

        def evaluate(a: Value, b: Value) -> Composite:
            poison = d.either(a.poison, b.poison)
            overflow = d.bit(wraps(a.bits, b.bits))
            return Composite((Value(compute(a.bits, b.bits), poison), Value(overflow, poison)))

        return _pairwise(type_, evaluate)

    return build


def _saturating_signed(
    w: Width, d: Domain, compute: Callable[..., Bits], wraps: Callable[..., Truth]
) -> Callable[[Bits, Bits], Bits]:
    """On overflow the extreme on the side of the first operand's sign."""
    none, least, most = w.constant(0), w.constant(1 << (w.width - 1)), w.constant((1 << (w.width - 1)) - 1)
    return lambda a, b: d.ite(wraps(a, b), d.ite(w.slt(a, none), least, most), compute(a, b))


def _saturating_unsigned(
    w: Width, d: Domain, compute: Callable[..., Bits], wraps: Callable[..., Truth], bound: int
) -> Callable[[Bits, Bits], Bits]:
    limit = w.constant(bound)
    return lambda a, b: d.ite(wraps(a, b), limit, compute(a, b))


def shift_saturating(signed: bool) -> Build:
    """ushl.sat, sshl.sat: the extreme if bits are lost; poison if shifted by the width or more."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        type_, d = argument_type(call), context.domain
        w = d.width(int_width(type_))
        back = w.ashr if signed else w.lshr

        def lost(a: Bits, b: Bits) -> Truth:
            return w.ne(back(w.shl(a, b), b), a)

        if signed:
            operation = _saturating_signed(w, d, w.shl, lost)
        else:
            operation = _saturating_unsigned(w, d, w.shl, lost, -1)
        return lanewise(type_, strict2(d, operation, [too_far(w)]))

    return build


def compare(signed: bool) -> Build:
    """scmp, ucmp: -1, 0 or 1 for less, equal, greater."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        type_, d = argument_type(call), context.domain
        w, result = d.width(int_width(type_)), d.width(int_width(call.type.result))
        less = w.slt if signed else w.ult
        down, same, up = (result.constant(k) for k in (-1, 0, 1))
        return lanewise(type_, strict2(d, lambda a, b: d.ite(less(a, b), down, d.ite(w.eq(a, b), same, up))))

    return build


INTEGER: Mapping[str, Build] = {
    "llvm.abs": abs_,
    "llvm.ctpop": ctpop,
    "llvm.ctlz": zeros(leading=True),
    "llvm.cttz": zeros(leading=False),
    "llvm.bswap": reversal(8),
    "llvm.bitreverse": reversal(1),
    "llvm.fshl": funnel(left=True),
    "llvm.fshr": funnel(left=False),
    **{f"llvm.{name}": integer_binary(operation) for name, operation in minmax.INTEGER.items()},
    "llvm.uadd.with.overflow": overflowing(lambda w: (w.add, w.uadd_overflows)),
    "llvm.sadd.with.overflow": overflowing(lambda w: (w.add, w.sadd_overflows)),
    "llvm.usub.with.overflow": overflowing(lambda w: (w.sub, w.usub_overflows)),
    "llvm.ssub.with.overflow": overflowing(lambda w: (w.sub, w.ssub_overflows)),
    "llvm.umul.with.overflow": overflowing(lambda w: (w.mul, w.umul_overflows)),
    "llvm.smul.with.overflow": overflowing(lambda w: (w.mul, w.smul_overflows)),
    "llvm.uadd.sat": integer_binary(lambda w, d: _saturating_unsigned(w, d, w.add, w.uadd_overflows, -1)),
    "llvm.usub.sat": integer_binary(lambda w, d: _saturating_unsigned(w, d, w.sub, w.usub_overflows, 0)),
    "llvm.sadd.sat": integer_binary(lambda w, d: _saturating_signed(w, d, w.add, w.sadd_overflows)),
    "llvm.ssub.sat": integer_binary(lambda w, d: _saturating_signed(w, d, w.sub, w.ssub_overflows)),
    "llvm.ushl.sat": shift_saturating(signed=False),
    "llvm.sshl.sat": shift_saturating(signed=True),
    "llvm.scmp": compare(signed=True),
    "llvm.ucmp": compare(signed=False),
}


# ----------------------------------------------------------------------------------------------------------
# LangRef, *Standard C/C++ Library Intrinsics* (floating-point), *Floating-Point Test*, *Saturating
# Conversion*.
#
# ``sin``, ``exp``, ``pow`` and their kin are the host's libm in double, rounded to the format: not
# correctly rounded. ``fmuladd`` rounds twice, which LangRef leaves open; ``fma`` rounds once.
# ----------------------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------------------
# LangRef, *Vector Reduction Intrinsics*, *Vector Manipulation Intrinsics* and *Matrix Intrinsics*, for
# vectors of known length.
# ----------------------------------------------------------------------------------------------------------


def vector_type(type_: Type) -> VectorType:
    if not isinstance(type_, VectorType) or type_.scalable:
        raise NotModelled("scalable vectors")
    return type_


def immediate(call: ir.CallSite, index: int) -> int:
    """An ``immarg``, as written."""
    operand = argument(call, index)
    if not isinstance(operand, Int):
        raise NotModelled("an immediate argument that is no constant")
    return operand.value


def _fold(combine: Evaluate) -> Evaluate:
    """From the first lane on, in order."""

    def evaluate(vector: Composite) -> RuntimeValue:
        first, *rest = vector.elements
        for element in rest:
            first = combine(first, element)
        return first

    return evaluate


def integer_reduction(operation: Callable[[Width, Domain], Callable[[Bits, Bits], Bits]]) -> Build:
    """All lanes combined; poison if one of them is."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        d = context.domain
        w = d.width(int_width(argument_type(call)))
        return _fold(strict2(d, operation(w, d)))

    return build


def float_reduction(name: str) -> Build:
    """fadd, fmul: from the start value on, in lane order (which reassoc would leave open); fmax and kin:
    all lanes."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        d = context.domain
        kind = float_kind(argument_type(call, len(call.arguments) - 1))
        f = d.floats(kind)
        if name in ("fadd", "fmul"):
            combine = guarded(call.fast_math, kind, d, strict2(d, f.add if name == "fadd" else f.mul))
            fold = _fold(combine)
            return lambda start, vector: fold(Composite((start, *vector.elements)))
        operation = {"fmax": "maxnum", "fmin": "minnum", "fmaximum": "maximum", "fminimum": "minimum"}[name]
        return _fold(guarded(call.fast_math, kind, d, strict2(d, minmax.floating(operation, d, f))))

    return build


def insert(call: ir.CallSite, context: Context) -> Evaluate:
    """The first vector with the second one in its place from the index on; poison if it does not fit."""
    whole, part, at = (
        vector_type(argument_type(call)),
        vector_type(argument_type(call, 1)),
        immediate(call, 2),
    )
    if at + part.count > whole.count:
        nothing = poison(whole, context.layout, context.domain)
        return lambda *operands: nothing
    return lambda a, b, _: Composite((*a.elements[:at], *b.elements, *a.elements[at + part.count :]))


def extract(call: ir.CallSite, context: Context) -> Evaluate:
    """As many lanes as the result has, from the index on; poison if there are not so many."""
    whole, part, at = vector_type(argument_type(call)), vector_type(call.type.result), immediate(call, 1)
    if at + part.count > whole.count:
        nothing = poison(part, context.layout, context.domain)
        return lambda *operands: nothing
    return lambda a, _: Composite(a.elements[at : at + part.count])


def splice(call: ir.CallSite, context: Context) -> Evaluate:
    """Lanes of both side by side from the index on; a negative index counts from the first one's end."""
    count, at = vector_type(argument_type(call)).count, immediate(call, 2)
    start = at if at >= 0 else count + at
    return lambda a, b, _: Composite((a.elements + b.elements)[start : start + count])


def splice_by(right: bool) -> Build:
    """``llvm.vector.splice.left`` and ``right``, which LLVM 22 has in the place of a signed index."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        """Lanes of both side by side, from the one of that number on (``right``: from so many before the
        second one on); poison where the number is larger than a vector."""
        type_, d = vector_type(argument_type(call)), context.domain
        count, offset = type_.count, argument(call, 2)
        nothing = poison(type_, context.layout, d)
        w = d.width(int_width(argument_type(call, 2)))

        def lanes(a: Composite, b: Composite, by: int) -> RuntimeValue:
            if not 0 <= by <= count:
                return nothing
            start = count - by if right else by
            return Composite((a.elements + b.elements)[start : start + count])

        def evaluate(a: Composite, b: Composite, by: Value) -> RuntimeValue:
            selection = nothing
            for number in range(count + 1):
                selection = d.choose(w.eq(by.bits, w.constant(number)), lanes(a, b, number), selection)
            return d.choose(by.poison, nothing, selection)

        if isinstance(offset, Int):
            number = offset.value
            return lambda a, b, _: lanes(a, b, number)
        return evaluate

    return build


def interleave(ways: int) -> Build:
    def build(call: ir.CallSite, context: Context) -> Evaluate:
        """Lane 0 of each operand, lane 1 of each, and so on."""
        vector_type(call.type.result)

        def evaluate(*vectors: Composite) -> Composite:
            return Composite(
                tuple(lane for lanes in zip(*(v.elements for v in vectors), strict=True) for lane in lanes)
            )

        return evaluate

    return build


def deinterleave(ways: int) -> Build:
    def build(call: ir.CallSite, context: Context) -> Evaluate:
        """Every ``ways``-th lane, from each of the first ones on."""
        vector_type(argument_type(call))
        return lambda a: Composite(tuple(Composite(a.elements[k::ways]) for k in range(ways)))

    return build


def reverse(call: ir.CallSite, context: Context) -> Evaluate:
    vector_type(call.type.result)
    return lambda a: Composite(a.elements[::-1])


def stepvector(call: ir.CallSite, context: Context) -> Evaluate:
    """0, 1, 2, ..., each modulo 2^n."""
    type_, d = vector_type(call.type.result), context.domain
    w = d.width(int_width(type_))
    steps = Composite(tuple(Value(w.constant(i), d.false) for i in range(type_.count)))
    return lambda: steps


def active_lane_mask(call: ir.CallSite, context: Context) -> Evaluate:
    """Lane i: whether base + i is less than the limit, without wrapping."""
    type_, d = vector_type(call.type.result), context.domain
    n = int_width(argument_type(call))
    wide, widen = d.width(n + type_.count.bit_length()), d.zext(n, n + type_.count.bit_length())
    lanes = [wide.constant(i) for i in range(type_.count)]

    def evaluate(base: Value, limit: Value) -> Composite:
        start, end = widen(base.bits), widen(limit.bits)
        bad = d.either(base.poison, limit.poison)
        return Composite(tuple(Value(d.bit(wide.ult(wide.add(start, i), end)), bad) for i in lanes))

    return evaluate


def cttz_elts(call: ir.CallSite, context: Context) -> Evaluate:
    """The number of lanes before the first one that is not zero; of none the vector's length, or poison
    if the flag says so."""
    type_, d = vector_type(argument_type(call)), context.domain
    lane, result = d.width(int_width(type_)), d.width(int_width(call.type.result))
    none, strict = lane.constant(0), flag(call, 1)

    def evaluate(vector: Composite, _: Value) -> Value:
        lanes = [scalar(e) for e in vector.elements]
        count, empty, poison = result.constant(len(lanes)), d.true, d.false
        for i in reversed(range(len(lanes))):
            here = lane.ne(lanes[i].bits, none)
            count = d.ite(here, result.constant(i), count)
            empty, poison = d.both(empty, d.negate(here)), d.either(poison, lanes[i].poison)
        return Value(count, d.either(poison, empty) if strict else poison)

    return evaluate


def partial_reduce_add(call: ir.CallSite, context: Context) -> Evaluate:
    """The second vector's lanes added to the first one's, each lane number modulo the first one's length
    (LangRef leaves open which lanes are added where)."""
    type_, d = vector_type(argument_type(call)), context.domain
    add = strict2(d, d.width(int_width(type_)).add)

    def evaluate(start: Composite, vector: Composite) -> Composite:
        sums = list(start.elements)
        for i, element in enumerate(vector.elements):
            sums[i % len(sums)] = add(sums[i % len(sums)], element)
        return Composite(tuple(sums))

    return evaluate


def _positive(call: ir.CallSite, index: int) -> int:
    """How many rows or columns a matrix has."""
    number = immediate(call, index)
    if number < 1:
        raise NotModelled(f"a matrix of {number} rows or columns")
    return number


def _matrix(call: ir.CallSite, type_: Type, rows: int, columns: int) -> VectorType:
    """The vector whose elements are those of a matrix, column by column."""
    vector = vector_type(type_)
    if vector.count != rows * columns:
        raise NotModelled(f"a matrix of {rows} rows and {columns} columns as {vector}")
    return vector


def matrix_shape(call: ir.CallSite, index: int, type_: Type) -> tuple[int, int]:
    """Rows and columns, which the immediate at ``index`` and the next one say of a vector. NotModelled where
    it has not so many elements."""
    rows, columns = _positive(call, index), _positive(call, index + 1)
    _matrix(call, type_, rows, columns)
    return rows, columns


def transpose(call: ir.CallSite, context: Context) -> Evaluate:
    """A matrix, whose columns lie one behind the other, with rows for columns."""
    rows, columns = matrix_shape(call, 1, argument_type(call))
    order = [column * rows + row for row in range(rows) for column in range(columns)]
    return lambda matrix, *_: Composite(tuple(matrix.elements[at] for at in order))


def matrix_product(call: ir.CallSite, context: Context) -> Evaluate:
    """The product of two matrices whose columns lie one behind the other; each sum by growing numbers of the
    inner dimension, each product and each sum rounded (LangRef leaves open how)."""
    d, type_ = context.domain, vector_type(call.type.result)
    rows, inner, columns = (_positive(call, index) for index in (2, 3, 4))
    _matrix(call, argument_type(call), rows, inner)
    _matrix(call, argument_type(call, 1), inner, columns)
    _matrix(call, type_, rows, columns)
    if isinstance(type_.element, FloatType):
        f, kind = d.floats(type_.element.kind), type_.element.kind
        add, multiply = (guarded(call.fast_math, kind, d, strict2(d, o)) for o in (f.add, f.mul))
    else:
        w = d.width(int_width(type_))
        add, multiply = strict2(d, w.add), strict2(d, w.mul)

    def evaluate(a: Composite, b: Composite, *_: Value) -> Composite:
        def element(row: int, column: int) -> RuntimeValue:
            total: RuntimeValue | None = None
            for k in range(inner):
                product = multiply(a.elements[k * rows + row], b.elements[column * inner + k])
                total = product if total is None else add(total, product)
            assert total is not None
            return total

        return Composite(tuple(element(row, column) for column in range(columns) for row in range(rows)))

    return evaluate


_INTEGER = {
    "add": lambda w, d: w.add, "mul": lambda w, d: w.mul, "and": lambda w, d: w.and_, "or": lambda w,
    d: w.or_,
    "xor": lambda w, d: w.xor, **minmax.INTEGER,
}  # fmt: skip
_FLOAT = ("fadd", "fmul", "fmax", "fmin", "fmaximum", "fminimum")

VECTOR: Mapping[str, Build] = {
    **{f"llvm.vector.reduce.{name}": integer_reduction(operation) for name, operation in _INTEGER.items()},
    **{f"llvm.vector.reduce.{name}": float_reduction(name) for name in _FLOAT},
    "llvm.vector.insert": insert,
    "llvm.vector.extract": extract,
    "llvm.vector.splice": splice,
    "llvm.vector.splice.left": splice_by(right=False),
    "llvm.vector.splice.right": splice_by(right=True),
    "llvm.vector.reverse": reverse,
    **{f"llvm.vector.interleave{n}": interleave(n) for n in range(2, 9)},
    **{f"llvm.vector.deinterleave{n}": deinterleave(n) for n in range(2, 9)},
    "llvm.stepvector": stepvector,
    "llvm.experimental.stepvector": stepvector,
    "llvm.experimental.vector.reverse": reverse,
    "llvm.experimental.vector.splice": splice,
    "llvm.experimental.cttz.elts": cttz_elts,
    "llvm.experimental.vector.partial.reduce.add": partial_reduce_add,
    "llvm.vector.partial.reduce.add": partial_reduce_add,
    "llvm.get.active.lane.mask": active_lane_mask,
    "llvm.matrix.transpose": transpose,
    "llvm.matrix.multiply": matrix_product,
}
