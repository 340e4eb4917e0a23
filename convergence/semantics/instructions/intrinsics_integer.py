"""LangRef, *Standard C/C++ Library Intrinsics* (integer), *Bit Manipulation*, *Arithmetic with Overflow*,
*Saturation*."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...ir import instructions as ir
from ...ir.operands import Int, Operand
from ...ir.types import Type, VectorType
from ..arithmetic.domain import Domain, Width
from ..values.context import Context, Evaluate
from ..values.value import Bits, Composite, RuntimeValue, Truth, Value, scalar
from . import fast_math as minmax
from .binary import too_far
from .lifting import int_width, lanewise, strict1, strict2, strict3

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
