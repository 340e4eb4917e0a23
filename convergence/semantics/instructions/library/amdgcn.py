"""Arithmetic of AMDGPU: ``llvm.amdgcn.*`` that touch neither memory nor other lanes.

LLVM's *IntrinsicsAMDGPU.td* and *AMDGPUInstCombineIntrinsic.cpp*; AMD's instruction set references (GCN3,
Vega, RDNA3). ``rcp``, ``rsq`` and ``sqrt`` are exactly rounded here, though the hardware may be one unit in
the last place away; ``sin``, ``cos``, ``log``, ``exp2`` and ``tanh`` are best effort
(:meth:`Floats.function`). The mode is that of kernels: IEEE, and denormals are kept but where an instruction
does not know them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from ....ir import VectorType
from ....ir.targets import processor_of
from ... import NotModelled
from ...values import Bits, Composite, RuntimeValue, Truth, Value, scalar
from ...values.context import zero
from .. import lifting as minmax
from ..conversion import addrspacecast
from ..intrinsics_values import Build, argument_type, classes, flag, immediate
from ..lifting import float_kind, int_width
from . import kit as common
from . import numbers as integers
from . import numbers as rounding
from . import numbers as small_floats
from .kit import (
    Function,
    Numbers,
    Operation,
    Site,
    components,
    elementwise,
    floats,
    flushed,
    numbers_of,
    parameter_types,
)
from .kit import integers as of_integers

if TYPE_CHECKING:
    from ....ir import instructions as ir
    from ...arithmetic.domain import Domain, Width
    from ...values.context import Context, Evaluate
    from .numbers import SmallFormat

# -- Floats


def median(n: Numbers) -> Operation:
    """The middle one of three; the least of the others if one is a NaN."""
    d, f = n.d, n.f
    largest, smallest = minmax.floating("maxnum", d, f), minmax.floating("minnum", d, f)

    def evaluate(a: Bits, b: Bits, c: Bits) -> Bits:
        top = largest(largest(a, b), c)
        rest = d.ite(f.equal(top, b), largest(a, c), largest(a, b))
        middle = d.ite(f.equal(top, a), largest(b, c), rest)
        nan = d.either(d.either(f.is_nan(a), f.is_nan(b)), f.is_nan(c))
        return d.ite(nan, smallest(smallest(a, b), c), middle)

    return evaluate


def _legacy_mul(n: Numbers) -> Operation:
    """The product, but +0 if a factor is a zero, whatever the other one is."""
    d, f, zero = n.d, n.f, n.constant(0)
    return lambda a, b: d.ite(d.either(f.is_zero(a), f.is_zero(b)), zero, f.mul(a, b))


def _legacy_fma(n: Numbers) -> Operation:
    """``fma``, with a product of +0 if a factor is a zero."""
    d, f, zero = n.d, n.f, n.constant(0)
    return lambda a, b, c: d.ite(d.either(f.is_zero(a), f.is_zero(b)), f.add(zero, c), f.fma(a, b, c))


def _mad_flushing(n: Numbers) -> Operation:
    """``a * b + c``, rounded twice; subnormal operands and results are zeros."""
    flush, f = flushed(n), n.f
    return lambda a, b, c: flush(f.add(flush(f.mul(flush(a), flush(b))), flush(c)))


def _keeps_denormals(n: Numbers) -> bool:
    return n.f.kind != "float"


def _logarithm(n: Numbers) -> Operation:
    """``log2``; of a single-precision denormal as of zero."""
    of, flush = n.f.function("log2"), flushed(n)
    return of if _keeps_denormals(n) else lambda a: of(flush(a))


def _power(n: Numbers) -> Operation:
    """``exp2``; a single-precision denormal result is zero."""
    of, flush = n.f.function("exp2"), flushed(n)
    return of if _keeps_denormals(n) else lambda a: flush(of(a))


def _turns(name: str, outside: float) -> Callable[[Numbers], Operation]:
    """The sine or cosine of so many whole turns, zeros being positive; a constant beyond 256 turns."""

    def function(n: Numbers) -> Operation:
        of, limit, beyond, zero = n.f.function(name), n.constant(256), n.constant(outside), n.constant(0)

        def evaluate(a: Bits) -> Bits:
            far = n.d.both(n.f.less(limit, n.magnitude(a)), n.d.negate(n.f.is_inf(a)))
            result = of(n.f.add(a, a))
            return n.d.ite(far, beyond, n.d.ite(n.f.is_zero(result), zero, result))

        return evaluate

    return function


def _bounded(of: Callable[[Numbers], Operation]) -> Callable[[Numbers], Operation]:
    """An infinite result becomes the greatest finite number of its sign."""

    def function(n: Numbers) -> Operation:
        do = of(n)
        most = n.w.sub(n.infinity, n.w.constant(1))

        def evaluate(a: Bits) -> Bits:
            result = do(a)
            return n.d.ite(n.f.is_inf(result), n.signed_like(most, result), result)

        return evaluate

    return function


def _fract(n: Numbers) -> Operation:
    """``x - floor(x)``, at most the greatest number below 1; a NaN of an infinity."""
    rest_of, top = common.frac(n), common.below_one(n)

    def evaluate(a: Bits) -> Bits:
        rest = rest_of(a)
        return n.d.ite(n.f.less(top, rest), top, rest)

    return evaluate


def _mantissa(site: Site) -> Operation:
    """The fraction of ``frexp``; infinities and NaNs as they are."""
    n = site.numbers()
    split = n.f.frexp(32)
    return lambda a: split(a)[0]


def _exponent(site: Site) -> Operation:
    """The exponent of ``frexp``; 0 of infinities and NaNs."""
    n, d, w = site.numbers(), site.d, site.result_width
    split, none = n.f.frexp(w.width), w.constant(0)
    return lambda a: d.ite(d.either(n.f.is_nan(a), n.f.is_inf(a)), none, split(a)[1])


def _class(site: Site) -> Operation:
    """Whether the number is in one of the classes of the mask, which are those of ``llvm.is.fpclass``."""
    n, d, w = site.numbers(), site.d, site.width(1)
    of, none = classes(n.f, d), w.constant(0)

    def evaluate(a: Bits, mask: Bits) -> Bits:
        result = d.false
        for number, member in enumerate(of(a)):
            tested = w.ne(w.and_(mask, w.constant(1 << number)), none)
            result = d.either(result, d.both(tested, member))
        return d.bit(result)

    return evaluate


_SCALING = {"float": (96, 64, 23), "double": (768, 128, 53)}
"""By format: how much larger a numerator's exponent is where quotients may overflow; by which power of two
operands are scaled; up to which biased exponent a numerator is tiny."""


def _div_scale(call: ir.CallSite, context: Context) -> Evaluate:
    """The numerator, or the denominator, scaled so that the steps of a division neither overflow nor lose
    digits; and whether ``div.fmas`` has to scale the quotient back.

    AMD's pseudocode; where *both* a reciprocal and the quotient would be denormal it is read as scaling the
    denominator down (up it would be infinite). What it leaves open is the operand itself.
    """
    kind = float_kind(argument_type(call))
    if kind not in _SCALING:
        raise NotModelled(f"div.scale of {kind}")
    apart, by, tiny = _SCALING[kind]
    d, n, numerator = context.domain, numbers_of(context.domain, kind), flag(call, 2)
    f, w, scale, one = n.f, d.width(32), n.f.ldexp(32), n.constant(1)
    fraction = {"float": 23, "double": 52}[kind]
    biased, widen = d.extract(n.w.width - 2, fraction), d.zext(n.w.width - 1 - fraction, 32)
    up, down = w.constant(by), w.constant(-by)

    def evaluate(top: Value, bottom: Value, _: Value) -> Composite:
        a, b = top.bits, bottom.bits
        own = a if numerator else b
        larger, smaller = scale(own, up), scale(own, down)
        tops, bottoms = widen(biased(a)), widen(biased(b))
        overflows = d.negate(w.slt(w.sub(tops, bottoms), w.constant(apart)))
        slow, denormal = f.is_subnormal(f.div(one, b)), f.is_subnormal(f.div(a, b))
        result = d.ite(w.ule(tops, w.constant(tiny)), larger, own)
        result = d.ite(denormal, larger if numerator else own, result)
        result = d.ite(slow, d.ite(denormal, own if numerator else smaller, smaller), result)
        result = d.ite(f.is_subnormal(b), larger, result)
        result = d.ite(overflows, own if numerator else larger, result)
        zero = d.either(f.is_zero(a), f.is_zero(b))
        scaled = d.either(overflows, d.both(denormal, d.negate(f.is_subnormal(b))))
        poison = d.either(top.poison, bottom.poison)
        flagged = d.both(scaled, d.negate(zero))
        return Composite((Value(d.ite(zero, f.nan, result), poison), Value(d.bit(flagged), poison)))

    return evaluate


_VANISHING = {"float": -150, "double": -1075}
"""By format: how much smaller a numerator's exponent is where quotients vanish."""


def _div_fmas(site: Site) -> Operation:
    """``fma(a, b, c)``, times two to the power of 64 (128 for doubles) if the flag holds: up where ``c``
    is at least 2, else down."""
    n, d = site.numbers(), site.d
    w = d.width(32)
    scale, by = n.f.ldexp(32), 128 if n.f.kind == "double" else 64
    up, down, two = w.constant(by), w.constant(-by), n.constant(2)

    def evaluate(a: Bits, b: Bits, c: Bits, scaled: Bits) -> Bits:
        exact = n.f.fma(a, b, c)
        large = n.at_most(two, n.magnitude(c))
        return d.ite(d.truth(scaled), scale(exact, d.ite(large, up, down)), exact)

    return evaluate


def _div_fixup(site: Site) -> Operation:
    """The quotient ``a`` of ``c / b``, with its sign; what is special of ``c / b`` instead. A NaN was too
    large."""
    n, d = site.numbers(), site.d
    f, nan, infinity, zero = n.f, n.f.nan, n.infinity, n.constant(0)
    split, w = f.frexp(32), d.width(32)
    vanishing = _VANISHING.get(f.kind)

    def evaluate(a: Bits, b: Bits, c: Bits) -> Bits:
        by_zero, of_zero, by_infinity, of_infinity = f.is_zero(b), f.is_zero(c), f.is_inf(b), f.is_inf(c)
        invalid = d.either(d.both(by_zero, of_zero), d.both(by_infinity, of_infinity))
        invalid = d.either(invalid, d.either(f.is_nan(b), f.is_nan(c)))
        quotient = d.ite(f.is_nan(a), infinity, n.magnitude(a))
        if vanishing is not None:
            apart = w.sub(split(c)[1], split(b)[1])
            quotient = d.ite(w.slt(apart, w.constant(vanishing)), zero, quotient)
        quotient = d.ite(d.either(by_infinity, of_zero), zero, quotient)
        quotient = d.ite(d.either(by_zero, of_infinity), infinity, quotient)
        signed = n.w.or_(n.magnitude(quotient), n.w.and_(n.w.xor(b, c), n.sign_bit))
        return d.ite(invalid, nan, signed)

    return evaluate


def _cube(of: str) -> Callable[[Numbers], Operation]:
    """The face of a cube that a direction points to, the coordinates on it, and twice the major axis."""

    def function(n: Numbers) -> Operation:
        d, f, two, zero = n.d, n.f, n.constant(2), n.constant(0)
        faces = [n.constant(k) for k in range(6)]

        def evaluate(x: Bits, y: Bits, z: Bits) -> Bits:
            ax, ay, az = n.magnitude(x), n.magnitude(y), n.magnitude(z)
            along_z = d.both(n.at_most(ax, az), n.at_most(ay, az))
            along_y = n.at_most(ax, ay)

            def by_axis(of_z: Bits, of_y: Bits, of_x: Bits) -> Bits:
                return d.ite(along_z, of_z, d.ite(along_y, of_y, of_x))

            def by_sign(a: Bits, below: Bits, above: Bits) -> Bits:
                return d.ite(f.less(a, zero), below, above)

            match of:
                case "id":
                    return by_axis(
                        by_sign(z, faces[5], faces[4]),
                        by_sign(y, faces[3], faces[2]),
                        by_sign(x, faces[1], faces[0]),
                    )
                case "sc":
                    return by_axis(by_sign(z, n.negated(x), x), x, by_sign(x, z, n.negated(z)))
                case "tc":
                    return by_axis(n.negated(y), by_sign(y, n.negated(z), z), n.negated(y))
                case _:
                    return f.mul(two, by_axis(z, y, x))

        return evaluate

    return function


_TURN_BITS = 1201
"""How many bits of 2/pi the hardware has."""


@cache
def two_by_pi(bits: int) -> int:
    """So many bits of 2/pi behind the point, by Machin's formula."""
    guard = bits + 64
    one = 1 << guard

    def arctan_of_inverse(n: int) -> int:
        total = term = one // n
        k = 1
        while term:
            term //= -n * n
            total += term // (2 * k + 1)
            k += 1
        return total

    quarter = 4 * arctan_of_inverse(5) - arctan_of_inverse(239)  # pi / 4
    return (one << guard) // (2 * quarter) >> (guard - bits)


def _turns_of_segment(site: Site) -> Operation:
    """``trig.preop``: 53 bits of 2/pi, from 53 times the segment on, farther for large operands, with their
    weight."""
    n, d = site.numbers(), site.d
    if n.f.kind != "double":
        raise NotModelled(f"trig.preop of {n.f.kind}")
    wide, w = d.width(_TURN_BITS), d.width(32)
    digits = wide.constant(two_by_pi(_TURN_BITS))
    top, widen = d.extract(_TURN_BITS - 1, _TURN_BITS - 53), d.zext(32, _TURN_BITS)
    number, scale = n.f.from_int(53, False), n.f.ldexp(32)
    biased, to_word = d.extract(62, 52), d.zext(11, 32)

    def evaluate(a: Bits, segment: Bits) -> Bits:
        exponent = to_word(biased(a))
        beyond = d.ite(w.ult(w.constant(1077), exponent), w.sub(exponent, w.constant(1077)), w.constant(0))
        shift = w.add(w.mul(w.and_(segment, w.constant(31)), w.constant(53)), beyond)
        power = w.sub(w.constant(-53), shift)
        power = d.ite(w.ult(exponent, w.constant(1968)), power, w.add(power, w.constant(128)))
        return n.quieted(a, scale(number(top(wide.shl(digits, widen(shift)))), power))

    return evaluate


# -- Conversions to pairs


def _pair(of: Callable[[Context, ir.CallSite], Operation]) -> Build:
    """Two scalars, each converted, as a vector of two."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        if not isinstance(call.type.result, VectorType):
            raise NotModelled(f"a pair as {call.type.result}")
        convert = of(context, call)
        return lambda a, b: Composite((Value(convert(a.bits), a.poison), Value(convert(b.bits), b.poison)))

    return build


def _towards_zero(context: Context, call: ir.CallSite) -> Operation:
    return rounding.float_to_float(context.domain, "float", "half", "rtz")


def _normalized(signed: bool) -> Build:
    """[-1, 1] or [0, 1] as integers of 16 bits, to nearest; 0 of a NaN."""

    def of(context: Context, call: ir.CallSite) -> Operation:
        n = numbers_of(context.domain, float_kind(argument_type(call)))
        bounded, low, high = common.clamp(n), n.constant(-1 if signed else 0), n.constant(1)
        factor = n.constant(32767 if signed else 65535)
        convert, none = rounding.float_to_int(n, 16, signed, "rte"), n.constant(0)
        return lambda a: convert(n.d.ite(n.f.is_nan(a), none, n.f.mul(bounded(a, low, high), factor)))

    return _pair(of)


def saturated_to(bits: int, from_signed: bool, to_signed: bool) -> Function:
    """The nearest integer of so many bits."""

    def function(site: Site) -> Operation:
        d, n = site.d, site.width().width
        wide = max(n, bits) + 1
        widen, w = integers.extension(d, n, wide, from_signed), d.width(wide)
        low = w.constant(-(1 << (bits - 1)) if to_signed else 0)
        high = w.constant((1 << (bits - 1)) - 1 if to_signed else (1 << bits) - 1)
        bound, cut = integers.clamp(True)(w, d), d.trunc(wide, bits)
        return lambda a: cut(bound(widen(a), low, high))

    return function


def _packed_words(signed: bool) -> Build:
    """``cvt.pk.i16``, ``cvt.pk.u16``: two words, saturated."""

    def of(context: Context, call: ir.CallSite) -> Operation:
        site = Site(context.domain, context.layout, parameter_types(call), call.type.result)
        return saturated_to(16, signed, signed)(site)

    return _pair(of)


def _shifted_bytes(signed: bool) -> Function:
    """``ashr.pk``: two words shifted to the right, saturated to bytes, side by side."""

    def function(site: Site) -> Operation:
        w, d = site.width(), site.d
        byte = saturated_to(8, True, signed)(site)

        def evaluate(a: Bits, b: Bits, by: Bits) -> Bits:
            distance = w.and_(by, w.constant(31))
            return d.concat([byte(w.ashr(a, distance)), byte(w.ashr(b, distance))], [8, 8])

        return evaluate

    return function


def _nibble(site: Site) -> Operation:
    """``cvt.off.f32.i4``: the low four bits, signed, in sixteenths."""
    n = site.results
    cut, number, by = site.d.trunc(site.width().width, 4), n.f.from_int(4, True), n.constant(1 / 16)
    return lambda a: n.f.mul(number(cut(a)), by)


# -- Floats of 8 bits

_FNUZ = re.compile(r"gfx94\w+")
_OCP = re.compile(r"gfx950|gfx1[12]\w*-?\w*")


def _codes(name: str, context: Context) -> SmallFormat:
    """``fp8`` and ``bf8`` as the processor has them: gfx940 to gfx942 without infinities and with one zero,
    all later ones as OCP does. NotModelled where the module does not say which it is for."""
    ocp = {"fp8": "e4m3", "bf8": "e5m2"}[name]
    processor = processor_of(context.module) or "a module without one target-cpu"
    if _FNUZ.fullmatch(processor):
        return small_floats.FORMATS[f"{ocp}fnuz"]
    if _OCP.fullmatch(processor):
        return small_floats.FORMATS[ocp]
    raise NotModelled(f"the format of {name}, which {processor} does not say")


def _from_byte(name: str) -> Build:
    """``cvt.f32.fp8``, ``cvt.f16.bf8``: the byte of a word that the immediate names."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        n = numbers_of(context.domain, float_kind(call.type.result))
        convert = small_floats.widened(n, _codes(name, context))
        cut = small_floats.code_parts(n.d, 32)[immediate(call, 1) & 3]
        return lambda word, _: Value(convert(cut(word.bits)), word.poison)

    return build


def _from_bytes(name: str) -> Build:
    """``cvt.pk.f32.fp8``: both bytes of the lower half of a word, or with the flag of the upper one;
    ``cvt.pk.f16.fp8``: both bytes of a half word."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        n, width = numbers_of(context.domain, float_kind(call.type.result)), int_width(argument_type(call))
        convert = small_floats.widened(n, _codes(name, context))
        first = 2 if len(call.arguments) > 1 and flag(call, 1) else 0
        cuts = small_floats.code_parts(n.d, width)[first : first + 2]
        return lambda word, *_: Composite(tuple(Value(convert(cut(word.bits)), word.poison) for cut in cuts))

    return build


def _to_bytes(name: str) -> Build:
    """``cvt.pk.fp8.f32``: two numbers, the first one below, in the lower half of a word, or with the flag in
    the upper one; the other half is the third operand's. ``cvt.pk.fp8.f16``: a vector of two as a half word.
    What is too large is no number, or an infinity: the mode in which it saturates (``FP16_OVFL``) is off."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        d = context.domain
        n = numbers_of(d, float_kind(argument_type(call)))
        convert = small_floats.narrowed(n, _codes(name, context), False)
        if len(call.arguments) == 1:

            def vector(value: RuntimeValue) -> Value:
                low, high = components(value)
                codes = [convert(x.bits) for x in (low, high)]
                return Value(d.concat(codes, [8, 8]), d.either(low.poison, high.poison))

            return vector
        halves, upper = [d.extract(15, 0), d.extract(31, 16)], flag(call, 3)

        def evaluate(a: Value, b: Value, old: Value, _: Value) -> Value:
            pair = d.concat([convert(a.bits), convert(b.bits)], [8, 8])
            parts = [halves[0](old.bits), pair] if upper else [pair, halves[1](old.bits)]
            bad = d.either(d.either(a.poison, b.poison), old.poison)
            return Value(d.concat(parts, [16, 16]), bad)

        return evaluate

    return build


def _code_dot(first: str, second: str) -> Build:
    """``dot4.f32``: four products of codes, added to a third operand one after the other."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        n = numbers_of(context.domain, "float")
        wide = [small_floats.widened(n, _codes(name, context)) for name in (first, second)]
        cuts = small_floats.code_parts(n.d, 32)

        def total(a: Bits, b: Bits, c: Bits) -> Bits:
            for cut in cuts:
                c = n.f.fma(wide[0](cut(a)), wide[1](cut(b)), c)
            return c

        return elementwise(lambda site: total)(call, context)

    return build


_CODES: Mapping[str, Build] = {
    **{f"cvt.{kind}.{name}": _from_byte(name) for kind in ("f32", "f16") for name in ("fp8", "bf8")},
    **{f"cvt.pk.{kind}.{name}": _from_bytes(name) for kind in ("f32", "f16") for name in ("fp8", "bf8")},
    **{f"cvt.pk.{name}.{kind}": _to_bytes(name) for kind in ("f32", "f16") for name in ("fp8", "bf8")},
    **{f"dot4.f32.{a}.{b}": _code_dot(a, b) for a in ("fp8", "bf8") for b in ("fp8", "bf8")},
}

# -- Bits


def bitfield(signed: bool) -> Function:
    """``ubfe``, ``sbfe``: ``width`` bits from ``offset`` on, both modulo the size; what is beyond the highest
    bit is left away."""

    def function(site: Site) -> Operation:
        w, d = site.width(), site.d
        size, low = w.constant(w.width), w.constant(w.width - 1)
        none, down = w.constant(0), w.ashr if signed else w.lshr
        at, many = site.width(1).width, site.width(2).width
        to, of = integers.resize(d, at, w.width), integers.resize(d, many, w.width)

        def evaluate(a: Bits, offset: Bits, count: Bits) -> Bits:
            start, length = w.and_(to(offset), low), w.and_(of(count), low)
            end = w.add(start, length)
            left = w.sub(size, end)
            inside = down(w.shl(a, left), w.sub(size, length))
            result = d.ite(w.ult(end, size), inside, down(a, start))
            return d.ite(w.eq(length, none), none, result)

        return evaluate

    return function


def _truth_table(call: ir.CallSite, context: Context) -> Evaluate:
    """``bitop3``: each bit by the table's bit of that number, the first operand's bit being worth 4."""
    table = immediate(call, 3)

    def function(site: Site) -> Operation:
        w = site.width()

        def evaluate(a: Bits, b: Bits, c: Bits, _: Bits) -> Bits:
            result = w.constant(0)
            for number in range(8):
                if table >> number & 1:
                    parts = [x if number >> k & 1 else w.not_(x) for x, k in ((a, 2), (b, 1), (c, 0))]
                    result = w.or_(result, w.and_(w.and_(parts[0], parts[1]), parts[2]))
            return result

        return evaluate

    return elementwise(function)(call, context)


def _random_step(w: Width, d: Domain) -> Operation:
    """``prng.b32``: a step of a shift register: to the left, xor 197 if a one was shifted out."""
    one, taps, none = w.constant(1), w.constant(197), w.constant(0)
    return lambda a: w.xor(w.shl(a, one), d.ite(w.slt(a, none), taps, none))


def _permuted(w: Width, d: Domain) -> Operation:
    """``perm``: each byte by its selector: of the second word 0 to 3, of the first 4 to 7; 8 to 11 copy the
    sign of a byte with an odd number, 12 is 0, and what is above is 255."""
    byte = d.width(8)
    cuts = [d.extract(8 * k + 7, 8 * k) for k in range(4)]
    spread = d.sext(1, 8)
    top = d.extract(7, 7)

    def evaluate(a: Bits, b: Bits, selectors: Bits) -> Bits:
        data = [cut(b) for cut in cuts] + [cut(a) for cut in cuts]
        signs = [spread(top(data[k])) for k in (1, 3, 5, 7)]
        known = [*data, *signs, byte.constant(0)]

        def picked(selector: Bits) -> Bits:
            result = byte.constant(255)
            for number, value in enumerate(known):
                result = d.ite(byte.eq(selector, byte.constant(number)), value, result)
            return result

        return d.concat([picked(cut(selectors)) for cut in cuts], [8] * 4)

    return evaluate


def aligned_bytes(w: Width, d: Domain) -> Operation:
    """Two words side by side, shifted to the right by bytes; the low word."""
    wide, three = d.width(64), w.constant(3)
    widen, cut, eight = d.zext(32, 64), d.trunc(64, 32), wide.constant(8)

    def evaluate(high: Bits, low: Bits, by: Bits) -> Bits:
        return cut(wide.lshr(d.concat([low, high], [32, 32]), wide.mul(widen(w.and_(by, three)), eight)))

    return evaluate


def pixel_average(w: Width, d: Domain) -> Operation:
    """``lerp``: of each byte ``(a + b + (c & 1)) >> 1``."""
    nine = d.width(9)
    cuts = [d.extract(8 * k + 7, 8 * k) for k in range(4)]
    widen, half, one = d.zext(8, 9), d.extract(8, 1), nine.constant(1)

    def evaluate(a: Bits, b: Bits, c: Bits) -> Bits:
        sums = (
            nine.add(nine.add(widen(cut(a)), widen(cut(b))), nine.and_(widen(cut(c)), one)) for cut in cuts
        )
        return d.concat([half(total) for total in sums], [8] * 4)

    return evaluate


# -- Sums of absolute differences


def _differences(d: Domain, bits: int, masked: bool) -> Callable[[Bits, Bits, Bits], Bits]:
    """A word's parts against another's, added to a third operand of 32 bits; ``masked``: only where the
    second one's part is not 0."""
    part, w = d.width(bits), d.width(32)
    cuts = [d.extract(at + bits - 1, at) for at in range(0, 32, bits)]
    widen, apart = d.zext(bits, 32), integers.difference(False)(part, d)

    def evaluate(a: Bits, b: Bits, total: Bits) -> Bits:
        for cut in cuts:
            x, y = cut(a), cut(b)
            distance = widen(apart(x, y))
            if masked:
                distance = d.ite(part.eq(y, part.constant(0)), w.constant(0), distance)
            total = w.add(total, distance)
        return total

    return evaluate


def absolute_differences(bits: int = 8, masked: bool = False, high: bool = False) -> Function:
    """``high``: the sum is taken times 65,536."""

    def function(site: Site) -> Operation:
        w, of = site.width(), _differences(site.d, bits, masked)
        if not high:
            return of
        none, sixteen = w.constant(0), w.constant(16)
        return lambda a, b, c: w.add(w.shl(of(a, b, none), sixteen), c)

    return function


def sliding_differences(masked: bool) -> Function:
    """``qsad``: four sums, of words that begin at each byte of the first operand, modulo 2^16."""

    def function(site: Site) -> Operation:
        d, of = site.d, _differences(site.d, 8, masked)
        windows = [d.extract(8 * k + 31, 8 * k) for k in range(4)]
        parts = [d.extract(16 * k + 15, 16 * k) for k in range(4)]
        widen, cut = d.zext(16, 32), d.trunc(32, 16)
        return lambda a, b, c: d.concat(
            [cut(of(window(a), b, widen(part(c)))) for window, part in zip(windows, parts, strict=True)],
            [16] * 4,
        )

    return function


def _sliding_words(call: ir.CallSite, context: Context) -> Evaluate:
    """``mqsad.u32``: the same, masked, added to the words of a vector."""
    d, either = context.domain, context.domain.either
    of, windows = _differences(d, 8, True), [d.extract(8 * k + 31, 8 * k) for k in range(4)]

    def evaluate(a: Value, b: Value, c: RuntimeValue) -> Composite:
        poison = either(a.poison, b.poison)
        return Composite(
            tuple(
                Value(of(window(a.bits), b.bits, x.bits), either(poison, x.poison))
                for window, x in zip(windows, components(c), strict=True)
            )
        )

    return evaluate


# -- Dot products


def _float_dot(call: ir.CallSite, context: Context) -> Evaluate:
    """``fdot2``: ``fma`` by ``fma`` onto the accumulator, in its format; the last operand says whether the
    result is clamped to [0, 1]."""
    d = context.domain
    source, target = float_kind(argument_type(call)), float_kind(call.type.result)
    n, convert = numbers_of(d, target), d.floats(source).convert(target)
    clamps, clamp = len(call.arguments) > 3 and flag(call, 3), common.saturate(n)

    def evaluate(a: RuntimeValue, b: RuntimeValue, c: Value, *_: Value) -> Value:
        total, poison = c.bits, c.poison
        for x, y in zip(components(a), components(b), strict=True):
            total = n.f.fma(convert(x.bits), convert(y.bits), total)
            poison = d.either(poison, d.either(x.poison, y.poison))
        return Value(clamp(total) if clamps else total, poison)

    return evaluate


def _integer_dot(bits: int, signed: bool) -> Build:
    """``sdot``, ``udot``: products of parts of words, or of a vector's elements, and an accumulator; the last
    operand says whether the sum saturates."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        return _dots(call, context, bits, (signed, signed), signed, 0)

    return build


def _mixed_dot(bits: int) -> Build:
    """``sudot``: a flag before each of the words says whether it is signed; the sum is."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        return _dots(call, context, bits, (flag(call, 0), flag(call, 2)), True, 1)

    return build


def _dots(
    call: ir.CallSite, context: Context, bits: int, signs: tuple[bool, bool], signed: bool, flags: int
) -> Evaluate:
    d = context.domain
    wide, widen = d.width(64), d.sext(32, 64) if signed else d.zext(32, 64)
    cut = integers.clamped(d, 32, signed) if flag(call, len(call.arguments) - 1) else d.trunc(64, 32)
    extend = [integers.extension(d, bits, 64, sign) for sign in signs]
    pieces = [d.extract(at + bits - 1, at) for at in range(0, 32, bits)]

    def parts(value: RuntimeValue) -> list[Bits]:
        if isinstance(value, Composite):
            return [x.bits for x in components(value)]
        return [piece(value.bits) for piece in pieces]

    def evaluate(*operands: RuntimeValue) -> Value:
        a, b, c = (operands[1], operands[3], operands[4]) if flags else operands[:3]
        poison: Truth = d.false
        for x in (*components(a), *components(b), scalar(c)):
            poison = d.either(poison, x.poison)
        total = widen(scalar(c).bits)
        for x, y in zip(parts(a), parts(b), strict=True):
            total = wide.add(total, wide.mul(extend[0](x), extend[1](y)))
        return Value(cut(total), poison)

    return evaluate


# -- Products of 24 bits


def _mul24(signed: bool) -> Function:
    """The low bits of the product of the low 24 bits, as wide as the result."""

    def function(site: Site) -> Operation:
        d, n, result = site.d, site.width().width, site.result_width
        cut = d.trunc(n, 24)
        widen = integers.extension(d, 24, result.width, signed)
        return lambda a, b: result.mul(widen(cut(a)), widen(cut(b)))

    return function


def _cast(call: ir.CallSite, context: Context) -> Evaluate:
    """``addrspacecast.nonnull``."""
    return addrspacecast(argument_type(call), call.type.result, (), context)


def _place(site: Site) -> Operation:
    """``sffbh``: how many bits lie above the highest that differs from the sign; -1 of 0 and -1."""
    return integers.highest_difference(site.width(), site.d, site.result_width, True)


_NAMES: Mapping[str, Build] = {
    "fmed3": elementwise(floats(median)),
    "fmul.legacy": elementwise(floats(_legacy_mul)),
    "fma.legacy": elementwise(floats(_legacy_fma)),
    "fmad.ftz": elementwise(floats(_mad_flushing)),
    "rcp": elementwise(floats(common.reciprocal)),
    "rsq": elementwise(floats(common.rsqrt)),
    "rsq.clamp": elementwise(floats(_bounded(common.rsqrt))),
    "sqrt": elementwise(floats(lambda n: n.f.sqrt)),
    "log": elementwise(floats(_logarithm)),
    "log.clamp": elementwise(floats(_bounded(_logarithm))),
    "exp2": elementwise(floats(_power)),
    "tanh": elementwise(floats(common.by_name("tanh"))),
    "sin": elementwise(floats(_turns("sinpi", 0))),
    "cos": elementwise(floats(_turns("cospi", 1))),
    "fract": elementwise(floats(_fract)),
    "frexp.mant": elementwise(_mantissa),
    "frexp.exp": elementwise(_exponent),
    "class": elementwise(_class),
    "div.scale": _div_scale,
    "div.fmas": elementwise(_div_fmas),
    "div.fixup": elementwise(_div_fixup),
    **{f"cube{name}": elementwise(floats(_cube(name))) for name in ("id", "sc", "tc", "ma")},
    "trig.preop": elementwise(_turns_of_segment),
    "cvt.pkrtz": _pair(_towards_zero),
    "cvt.pknorm.i16": _normalized(True),
    "cvt.pknorm.u16": _normalized(False),
    "cvt.pk.i16": _packed_words(True),
    "cvt.pk.u16": _packed_words(False),
    "cvt.off.f32.i4": elementwise(_nibble),
    **_CODES,
    "ashr.pk.i8.i32": elementwise(_shifted_bytes(True)),
    "ashr.pk.u8.i32": elementwise(_shifted_bytes(False)),
    "ubfe": elementwise(bitfield(False)),
    "sbfe": elementwise(bitfield(True)),
    "bitop3": _truth_table,
    "prng.b32": elementwise(of_integers(_random_step)),
    "perm": elementwise(of_integers(_permuted)),
    "alignbyte": elementwise(of_integers(aligned_bytes)),
    "lerp": elementwise(of_integers(pixel_average)),
    "sad.u8": elementwise(absolute_differences()),
    "sad.u16": elementwise(absolute_differences(bits=16)),
    "sad.hi.u8": elementwise(absolute_differences(high=True)),
    "msad.u8": elementwise(absolute_differences(masked=True)),
    "qsad.pk.u16.u8": elementwise(sliding_differences(False)),
    "mqsad.pk.u16.u8": elementwise(sliding_differences(True)),
    "mqsad.u32.u8": _sliding_words,
    "fdot2": _float_dot,
    "sdot2": _integer_dot(16, True),
    "udot2": _integer_dot(16, False),
    "sdot4": _integer_dot(8, True),
    "udot4": _integer_dot(8, False),
    "sdot8": _integer_dot(4, True),
    "udot8": _integer_dot(4, False),
    "sudot4": _mixed_dot(8),
    "sudot8": _mixed_dot(4),
    "mul.i24": elementwise(_mul24(True)),
    "mul.u24": elementwise(_mul24(False)),
    "mulhi.i24": elementwise(of_integers(integers.mul24_hi(True))),
    "mulhi.u24": elementwise(of_integers(integers.mul24_hi(False))),
    "sffbh": elementwise(_place),
    "addrspacecast.nonnull": _cast,
}

AMDGCN: Mapping[str, Build] = {f"llvm.amdgcn.{name}": build for name, build in _NAMES.items()}
"""By name, without type suffix."""


def no_printf_buffer(call: ir.CallSite, context: Context) -> Evaluate:
    """``__printf_alloc(bytes)`` (LLVM's *AMDGPUPrintfRuntimeBinding.cpp*): room in the buffer that the host
    prints when the kernel has ended, or null where it is full. Here it always is: nothing is printed."""
    null = zero(call.type.result, context.layout, context.domain)
    return lambda *operands: null
