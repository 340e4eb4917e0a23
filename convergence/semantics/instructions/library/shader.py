"""Arithmetic of the SPIR-V and DirectX backends: ``llvm.spv.*`` and ``llvm.dx.*``.

LLVM's *IntrinsicsSPIRV.td*, *IntrinsicsDirectX.td* and *DXILIntrinsicExpansion.cpp*; SPIR-V's extended
instruction set GLSL.std.450; HLSL's reference, *Intrinsic Functions*. What both have under one name means the
same but for ``firstbit*high``, which DXIL counts from the top, and ``normalize``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ....ir import StructType, VectorType
from ... import NotModelled
from ...values import Bits, Composite, RuntimeValue, Value, scalar
from ..intrinsics_values import Build, argument_type
from ..lifting import float_kind, int_width, strict2
from . import kit as common
from . import mathematics as geometric
from . import numbers as integers
from .kit import (
    Function,
    Operation,
    Site,
    components,
    elementwise,
    floats,
    joined,
    numbers_of,
    parameter_types,
)
from .kit import integers as of_integers

if TYPE_CHECKING:
    from ....ir import instructions as ir
    from ...values.context import Context, Evaluate


def _sign(site: Site) -> Operation:
    """Whether it is above zero, less whether it is below, as an integer."""
    d, result = site.d, site.result_width
    one, none, minus = result.constant(1), result.constant(0), result.constant(-1)
    if site.is_float():
        n = site.numbers()
        zero, less = n.constant(0), n.f.less
    else:
        w = site.width()
        zero, less = w.constant(0), w.slt
    return lambda a: d.ite(less(zero, a), one, d.ite(less(a, zero), minus, none))


def _test(name: str) -> Function:
    """``isnan``, ``isinf``: a truth value."""

    def function(site: Site) -> Operation:
        n = site.numbers()
        holds = n.f.is_nan if name == "isnan" else n.f.is_inf
        return lambda a: site.d.bit(holds(a))

    return function


def _firstbitlow(site: Site) -> Operation:
    return integers.lowest_one(site.width(), site.d, site.result_width)


def _firstbithigh(signed: bool, from_top: bool) -> Build:
    of = integers.highest_difference if signed else integers.highest_one
    return elementwise(lambda site: of(site.width(), site.d, site.result_width, from_top))


def _half_of_word(site: Site) -> Operation:
    """The low half of a word as a half-precision number, in single precision."""
    low = site.d.trunc(site.width().width, 16)
    convert = site.d.floats("half").convert(float_kind(site.result))
    return lambda a: convert(low(a))


def _word_of_half(site: Site) -> Operation:
    """A number in half precision, in the low half of a word."""
    convert = site.numbers().f.convert("half")
    widen = site.d.zext(16, site.result_width.width)
    return lambda a: widen(convert(a))


def _split(call: ir.CallSite, context: Context) -> Evaluate:
    """``splitdouble``: the low and the high word of each double, as a pair."""
    if not isinstance(call.type.result, StructType):
        raise NotModelled("splitdouble without a pair as its result")
    d, vector = context.domain, isinstance(argument_type(call), VectorType)
    cuts = (d.extract(31, 0), d.extract(63, 32))

    def evaluate(value: RuntimeValue) -> Composite:
        parts = [[Value(cut(x.bits), x.poison) for x in components(value)] for cut in cuts]
        return Composite(tuple(Composite(tuple(p)) if vector else p[0] for p in parts))

    return evaluate


def integer_dot(call: ir.CallSite, context: Context) -> Evaluate:
    """``sdot``, ``udot``: the sum of products modulo 2^n."""
    d = context.domain
    w = d.width(int_width(argument_type(call)))
    add, mul = strict2(d, w.add), strict2(d, w.mul)

    def evaluate(a: RuntimeValue, b: RuntimeValue) -> RuntimeValue:
        products = [mul(x, y) for x, y in zip(components(a), components(b), strict=True)]
        total = products[0]
        for product in products[1:]:
            total = add(total, product)
        return total

    return evaluate


def _dot_of_scalars(call: ir.CallSite, context: Context) -> Evaluate:
    """``dot2``, ``dot3``, ``dot4``: two vectors, element by element."""
    half = len(parameter_types(call)) // 2
    dot = geometric.of_vectors(geometric.dot)(call, context)
    return lambda *o: dot(Composite(tuple(o[:half])), Composite(tuple(o[half:])))


def _dot2add(call: ir.CallSite, context: Context) -> Evaluate:
    """``acc + (a.x * b.x + a.y * b.y)`` of halves: exact products, in single precision."""
    single = numbers_of(context.domain, "float")
    widen, f, d = context.domain.floats("half").convert("float"), single.f, context.domain

    def evaluate(*operands: Value) -> Value:
        poison = d.false
        for operand in operands:
            poison = d.either(poison, operand.poison)
        acc, ax, ay, bx, by = (scalar(operand).bits for operand in operands)
        total = f.add(f.mul(widen(ax), widen(bx)), f.mul(widen(ay), widen(by)))
        return Value(f.add(acc, total), poison)

    return evaluate


def _dot4add(signed: bool) -> Function:
    """``dot4add(acc, a, b)`` of packed bytes, modulo 2^32."""

    def function(site: Site) -> Operation:
        total = integers.packed_sum(8, (signed, signed), signed, False)(site.width(), site.d)

        def evaluate(acc: Bits, a: Bits, b: Bits) -> Bits:
            return total(a, b, acc)

        return evaluate

    return function


def _unpack_half2(call: ir.CallSite, context: Context) -> Evaluate:
    """The two halves of a word, as a vector of floats."""
    result = call.type.result
    if not isinstance(result, VectorType) or result.count != 2:
        raise NotModelled(f"unpackhalf2x16 to {result}")
    convert = context.domain.floats("half").convert(float_kind(result))
    cuts = (context.domain.extract(15, 0), context.domain.extract(31, 16))
    return lambda a: Composite(tuple(Value(convert(cut(a.bits)), a.poison) for cut in cuts))


_BOTH: Mapping[str, Build] = {
    "sign": elementwise(_sign),
    "frac": elementwise(floats(common.frac)),
    "saturate": elementwise(floats(common.saturate)),
    "nclamp": elementwise(floats(common.clamp)),
    "uclamp": elementwise(of_integers(integers.clamp(False))),
    "sclamp": elementwise(of_integers(integers.clamp(True))),
    "step": elementwise(floats(common.step)),
    "smoothstep": elementwise(floats(common.smoothstep)),
    "degrees": elementwise(floats(common.degrees)),
    "radians": elementwise(floats(common.radians)),
    "rsqrt": elementwise(floats(common.rsqrt)),
    "isnan": elementwise(_test("isnan")),
    "isinf": elementwise(_test("isinf")),
    "firstbitlow": elementwise(_firstbitlow),
    "fdot": geometric.of_vectors(geometric.dot),
    "sdot": integer_dot,
    "udot": integer_dot,
    "dot4add.i8packed": elementwise(_dot4add(True)),
    "dot4add.u8packed": elementwise(_dot4add(False)),
    "length": geometric.of_vectors(geometric.length),
    "distance": geometric.of_vectors(geometric.distance),
    "cross": geometric.of_vectors(geometric.cross),
    "reflect": geometric.of_vectors(geometric.reflect),
    "refract": geometric.of_vectors(geometric.refract),
    "faceforward": geometric.of_vectors(geometric.faceforward),
}

SHADER: Mapping[str, Build] = {
    **{f"llvm.{target}.{name}": build for target in ("spv", "dx") for name, build in _BOTH.items()},
    "llvm.spv.lerp": elementwise(floats(common.blend)),
    "llvm.dx.lerp": elementwise(floats(common.mix)),
    "llvm.spv.firstbituhigh": _firstbithigh(False, False),
    "llvm.spv.firstbitshigh": _firstbithigh(True, False),
    "llvm.dx.firstbituhigh": _firstbithigh(False, True),
    "llvm.dx.firstbitshigh": _firstbithigh(True, True),
    "llvm.spv.normalize": geometric.of_vectors(geometric.normalize),
    "llvm.dx.normalize": geometric.of_vectors(geometric.normalize_by_root),
    "llvm.spv.unpackhalf2x16": _unpack_half2,
    "llvm.dx.dot2": _dot_of_scalars,
    "llvm.dx.dot3": _dot_of_scalars,
    "llvm.dx.dot4": _dot_of_scalars,
    "llvm.dx.dot2add": _dot2add,
    "llvm.dx.imad": elementwise(of_integers(integers.mad)),
    "llvm.dx.umad": elementwise(of_integers(integers.mad)),
    "llvm.dx.asdouble": elementwise(joined),
    "llvm.dx.splitdouble": _split,
    "llvm.dx.legacyf16tof32": elementwise(_half_of_word),
    "llvm.dx.legacyf32tof16": elementwise(_word_of_half),
}  # fmt: skip
"""By name, without type suffix."""
