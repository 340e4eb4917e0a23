"""Arithmetic of NVPTX: ``llvm.nvvm.*`` that touch neither memory nor other lanes.

LLVM's *IntrinsicsNVVM.td* and *User Guide for NVPTX Back-end*; PTX ISA, *Integer Arithmetic Instructions*,
*Floating Point Instructions*, *Data Movement and Conversion Instructions*. A name is an operation and its
modifiers: ``ftz`` makes zeros of denormal operands and results, ``sat`` clamps to [0, 1], ``relu`` from below
to 0. ``rn`` and what has no direction are exactly rounded; ``rz``, ``rm`` and ``rp`` are, too, of known
numbers. What is ``approx`` or ``full`` is best effort: the rounded quotient or root, the host's functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ....ir import Bytes, ConstantExpression, FloatType, Global, Operand
from ....ir.calls import callee_name
from ... import NotModelled
from ...values import Bits, Composite, RuntimeValue, Value, scalar
from .. import lifting as minmax
from ..intrinsics_values import Build, flag
from ..lifting import float_kind, int_width
from . import kit as common
from . import numbers as integers
from . import numbers as rounding
from . import numbers as small_floats
from .kit import (
    FloatFunction,
    Function,
    Numbers,
    Operation,
    Site,
    components,
    elementwise,
    floats,
    flushed,
    half_word,
    joined,
    numbers_of,
    parameter_types,
)
from .kit import integers as of_integers

if TYPE_CHECKING:
    from ....ir import instructions as ir
    from ...arithmetic.domain import Domain, Width
    from ...values.context import Context, Evaluate

# -- Floats: an operation and its modifiers

DIRECTIONS = {"rn": "even", "rz": "zero", "rm": "down", "rp": "up"}
"""PTX's rounding modes, by the names of :meth:`Floats.rounded`."""
_TO_OPENCL = {"rn": "rte", "rz": "rtz", "rm": "rtn", "rp": "rtp"}


def rounded_operation(name: str, direction: str) -> FloatFunction:
    """``add``, ``sub``, ``mul``, ``div``, ``fma``, ``sqrt`` or ``rcp``, rounded in a direction."""

    def function(n: Numbers) -> Operation:
        if direction == "even":
            nearest: Mapping[str, Operation] = {
                "add": n.f.add, "sub": n.f.sub, "mul": n.f.mul, "div": n.f.div, "fma": n.f.fma,
                "sqrt": n.f.sqrt, "rcp": common.reciprocal(n),
            }  # fmt: skip
            return nearest[name]
        if name == "rcp":
            quotient, one = n.f.function(f"div.{direction}"), n.constant(1)
            return lambda a: quotient(one, a)
        return common.by_name(f"{name}.{direction}", {"fma": 3, "sqrt": 1}.get(name, 2))(n)

    return function


def _minmax(larger: bool, nan: bool, by_magnitude: bool) -> FloatFunction:
    """``nan``: a NaN if one is; ``by_magnitude``: of the magnitudes, with the signs' product."""
    name = ("max" if larger else "min") + ("imum" if nan else "num")

    def function(n: Numbers) -> Operation:
        pick = minmax.floating(name, n.d, n.f)
        if not by_magnitude:
            return pick

        def evaluate(a: Bits, b: Bits) -> Bits:
            result = pick(n.magnitude(a), n.magnitude(b))
            signed = n.w.or_(result, n.w.and_(n.w.xor(a, b), n.sign_bit))
            return n.d.ite(n.f.is_nan(result), n.f.nan, signed)

        return evaluate

    return function


def _relu(n: Numbers) -> Operation:
    """What is negative becomes +0."""
    zero = n.constant(0)
    return lambda a: n.d.ite(n.d.both(n.f.is_negative(a), n.d.negate(n.f.is_nan(a))), zero, a)


_PLAIN: Mapping[str, FloatFunction] = {
    "ex2": common.by_name("exp2"), "lg2": common.by_name("log2"), "sin": common.by_name("sin"),
    "cos": common.by_name("cos"), "rsqrt": common.rsqrt, "sqrt": lambda n: n.f.sqrt,
    "rcp": common.reciprocal, "div": lambda n: n.f.div,
    "floor": common.rounded("down"), "ceil": common.rounded("up"), "trunc": common.rounded("zero"),
    "round": common.rounded("even"), "fabs": common.fabs, "neg": lambda n: n.negated,
    "saturate": common.saturate,
}  # fmt: skip
"""Without a rounding mode, or with ``approx`` or ``full``."""
_WITH_MODE = frozenset({"add", "sub", "mul", "div", "fma", "sqrt", "rcp"})
_KINDS = frozenset({"f", "d", "f16", "f16x2", "bf16", "bf16x2"})
_ENDS = _KINDS | {"f32", "f64", "v2f16", "v2bf16"}


def _float_function(op: str, words: list[str]) -> FloatFunction | None:
    """The operation with these modifiers; ``None`` if there is none."""
    modes = [w for w in words if w in DIRECTIONS]
    rest = {w for w in words if w not in DIRECTIONS} - {"approx", "full"}
    core: FloatFunction | None = None
    if op in ("fmin", "fmax") and not modes:
        core = _minmax(op == "fmax", "nan" in rest, {"xorsign", "abs"} <= rest)
        rest -= {"nan", "xorsign", "abs"}
    elif modes and op in _WITH_MODE:
        core = rounded_operation(op, DIRECTIONS[modes[0]])
    elif not modes:
        core = _PLAIN.get(op)
    if core is None or len(modes) > 1 or not rest <= {"ftz", "sat", "relu"}:
        return None
    return _modified(core, rest)


def _modified(core: FloatFunction, modifiers: set[str]) -> FloatFunction:
    if not modifiers:
        return core

    def function(n: Numbers) -> Operation:
        do, ftz = core(n), flushed(n)
        behind = [
            make(n)
            for word, make in (("ftz", flushed), ("sat", common.saturate), ("relu", _relu))
            if word in modifiers
        ]

        def evaluate(*operands: Bits) -> Bits:
            result = do(*(map(ftz, operands) if "ftz" in modifiers else operands))
            for change in behind:
                result = change(result)
            return result

        return evaluate

    return function


# -- Conversions

_INTEGER = {"i": (32, True), "ui": (32, False), "ll": (64, True), "ull": (64, False)}
_FLOAT = {"f": "float", "d": "double"}


def _conversion(op: str, words: list[str]) -> Build | None:
    """``f2i.rn``, ``ull2d.rz``, ``d2f.rm``, ...: with a rounding mode, and ``ftz`` for single precision."""
    source, _, target = op.partition("2")
    modes = [w for w in words if w in DIRECTIONS]
    if len(modes) != 1 or not set(words) - set(modes) <= {"ftz"}:
        return None
    mode, ftz = _TO_OPENCL[modes[0]], "ftz" in words
    if source in _FLOAT and target in _INTEGER:
        bits, signed = _INTEGER[target]

        def to_integer(site: Site) -> Operation:
            n = site.numbers()
            nan = 0 if bits == 32 and source == "f" else 1 << (bits - 1)  # PTX ISA, *cvt*
            convert, before = rounding.float_to_int(n, bits, signed, mode, nan), flushed(n)
            return (lambda a: convert(before(a))) if ftz else convert

        return elementwise(to_integer)
    if source in _INTEGER and target in _FLOAT:
        width, sign = _INTEGER[source]
        return elementwise(lambda site: rounding.int_to_float(site.d, width, sign, _FLOAT[target], mode))
    if (source, target) == ("d", "f"):

        def narrow(site: Site) -> Operation:
            convert, behind = rounding.float_to_float(site.d, "double", "float", mode), flushed(site.results)
            return (lambda a: behind(convert(a))) if ftz else convert

        return elementwise(narrow)
    return None


def _half_bits(ftz: bool) -> Function:
    """``f2h.rn``, ``bf2h.rn``: a number in half precision, as its bits."""

    def function(site: Site) -> Operation:
        n = site.numbers()
        convert, before = n.f.convert("half"), flushed(n)
        return (lambda a: convert(before(a))) if ftz else convert

    return function


def _narrowing(site: Site, target: str, words: set[str]) -> Operation:
    """To a small format; ``satfinite``: what is too large becomes the greatest finite number."""
    n = numbers_of(site.d, target)
    convert = rounding.float_to_float(site.d, "float", target, "rtz" if "rz" in words else "rte")
    most, relu = n.w.sub(n.infinity, n.w.constant(1)), _relu(n)

    def evaluate(a: Bits) -> Bits:
        result = convert(a)
        if "satfinite" in words:
            result = n.d.ite(n.f.is_inf(result), n.signed_like(most, result), result)
        return relu(result) if "relu" in words else result

    return evaluate


_SMALL = {"f2bf16": "bfloat", "f2f16": "half", "ff2bf16x2": "bfloat", "ff2f16x2": "half"}


def _small(op: str, words: list[str]) -> Build | None:
    """``f2f16.rn``, and ``ff2f16x2.rn`` of two numbers, of which the first one is the high element."""
    modifiers = set(words)
    if len(modifiers & {"rn", "rz"}) != 1 or not modifiers <= {"rn", "rz", "relu", "satfinite"}:
        return None
    if op.startswith("f2"):
        return elementwise(lambda site: _narrowing(site, _SMALL[op], modifiers))

    def pair(call: ir.CallSite, context: Context) -> Evaluate:
        if float_kind(call.type.result) != _SMALL[op]:
            raise NotModelled(f"{op} to {call.type.result}")
        site = Site(context.domain, context.layout, parameter_types(call), FloatType(_SMALL[op]))
        convert = _narrowing(site, _SMALL[op], modifiers)
        return lambda high, low: Composite(tuple(Value(convert(x.bits), x.poison) for x in (low, high)))

    return pair


def _alternate(parts: list[str]) -> Build | None:
    """Conversions of floats of 8 bits and fewer: ``ff.to.e4m3x2.rn``, ``f16x2.to.e5m2x2.rn.relu``,
    ``e2m1x2.to.f16x2.rn``, ``ue8m0x2.to.bf16x2``. Of two floats the first one becomes the upper code; too
    large numbers saturate, whether the name says so or not."""
    if len(parts) < 3 or parts[1] != "to":
        return None
    source, target, words = parts[0], parts[2], parts[3:]
    if (source, target, words) == ("ue8m0x2", "bf16x2", []):
        return _from_codes("ue8m0", "bfloat", False)
    if words[:1] != ["rn"] or not set(words[1:]) <= {"relu", "satfinite"}:
        return None
    relu = "relu" in words
    if target == "f16x2" and source.removesuffix("x2") in small_floats.FORMATS:
        return _from_codes(source.removesuffix("x2"), "half", relu)
    if source in ("ff", "f16x2") and target.removesuffix("x2") in small_floats.FORMATS:
        return _to_codes(target.removesuffix("x2"), source == "ff", relu)
    return None


def _code_bits(name: str) -> int:
    """How far apart two codes are: only those of four bits share a byte."""
    return 4 if name == "e2m1" else 8


def _from_codes(name: str, kind: str, relu: bool) -> Build:
    """Two codes as a vector of numbers."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        d, n = context.domain, numbers_of(context.domain, kind)
        if kind == "bfloat":
            convert = small_floats.power_of_two(numbers_of(d, "float"), kind)
        else:
            convert = small_floats.widened(n, small_floats.FORMATS[name])
        cuts, positive = small_floats.code_parts(d, 16, _code_bits(name)), _relu(n)

        def evaluate(word: Value) -> Composite:
            numbers = [convert(cut(word.bits)) for cut in cuts[:2]]
            return Composite(tuple(Value(positive(x) if relu else x, word.poison) for x in numbers))

        return evaluate

    return build


def _to_codes(name: str, apart: bool, relu: bool) -> Build:
    """Two floats, or a vector of two halves, as codes in a word."""
    bits = _code_bits(name)

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        d = context.domain
        n = numbers_of(d, "float" if apart else "half")
        convert = small_floats.narrowed(n, small_floats.FORMATS[name], True, relu)
        cut, rest = d.extract(bits - 1, 0), d.width(16 - 2 * bits).constant(0) if bits < 8 else None

        def evaluate(*operands: RuntimeValue) -> Value:
            low, high = reversed(tuple(map(scalar, operands))) if apart else components(operands[0])
            codes, widths = [cut(convert(x.bits)) for x in (low, high)], [bits, bits]
            if rest is not None:
                codes, widths = [*codes, rest], [*widths, 16 - 2 * bits]
            return Value(d.concat(codes, widths), d.either(low.poison, high.poison))

        return evaluate

    return build


def _to_tf32(words: list[str]) -> Build | None:
    """``f2tf32.rn``, ``.rna``, ``.rz``: a float with a shorter fraction, as its bits."""
    mode, *modifiers = words or [""]
    if mode not in ("rn", "rna", "rz") or not set(modifiers) <= {"relu", "satfinite"}:
        return None
    return elementwise(
        lambda site: small_floats.tf32(site.numbers(), mode, "satfinite" in modifiers, "relu" in modifiers)
    )


# -- Integers


def sad(signed: bool) -> Function:
    """The absolute difference of two numbers, plus a third one."""

    def function(site: Site) -> Operation:
        w = site.width()
        apart = integers.difference(signed)(w, site.d)
        return lambda a, b, c: w.add(apart(a, b), c)

    return function


def permute(w: Width, d: Domain) -> Operation:
    """``prmt``: each byte of the result by four bits: which of the eight bytes of both words, the first one's
    being 0 to 3; with the highest bit set its sign, eight times."""
    nibble = d.width(4)
    cuts = [d.extract(8 * k + 7, 8 * k) for k in range(4)]
    selects = [d.extract(4 * k + 3, 4 * k) for k in range(4)]
    spread, top, low = d.sext(1, 8), d.extract(7, 7), nibble.constant(7)

    def evaluate(a: Bits, b: Bits, selectors: Bits) -> Bits:
        data = [cut(a) for cut in cuts] + [cut(b) for cut in cuts]

        def picked(selector: Bits) -> Bits:
            result = data[0]
            for number, value in enumerate(data):
                place = nibble.constant(number)
                result = d.ite(nibble.eq(nibble.and_(selector, low), place), value, result)
            return d.ite(nibble.ult(low, selector), spread(top(result)), result)

        return d.concat([picked(select(selectors)) for select in selects], [8] * 4)

    return evaluate


_PERMUTATIONS = {
    "f4e": ((3, 2, 1, 0), (4, 3, 2, 1), (5, 4, 3, 2), (6, 5, 4, 3)),
    "b4e": ((5, 6, 7, 0), (6, 7, 0, 1), (7, 0, 1, 2), (0, 1, 2, 3)),
    "rc8": ((0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, 3)),
    "ecl": ((3, 2, 1, 0), (3, 2, 1, 1), (3, 2, 2, 2), (3, 3, 3, 3)),
    "ecr": ((0, 0, 0, 0), (1, 1, 1, 0), (2, 2, 1, 0), (3, 2, 1, 0)),
    "rc16": ((1, 0, 1, 0), (3, 2, 3, 2), (1, 0, 1, 0), (3, 2, 3, 2)),
}
"""PTX ISA, *prmt*: by the low two bits of the last operand, the bytes of the result, the highest first."""


def _permute_mode(mode: str) -> Function:
    def function(site: Site) -> Operation:
        w, d = site.width(), site.d
        cuts, three = [d.extract(8 * k + 7, 8 * k) for k in range(4)], w.constant(3)

        def evaluate(*operands: Bits) -> Bits:
            *words, selector = operands
            data = [cut(word) for word in words for cut in cuts]
            result = w.constant(0)
            for number, order in enumerate(_PERMUTATIONS[mode]):
                word = d.concat([data[place] for place in reversed(order)], [8] * 4)
                result = d.ite(w.eq(w.and_(selector, three), w.constant(number)), word, result)
            return result

        return evaluate

    return function


def _funnel(left: bool) -> Function:
    """``fshl.clamp``, ``fshr.clamp``: two words side by side, shifted by at most the width."""

    def function(site: Site) -> Operation:
        w, d = site.width(), site.d
        n = w.width
        wide, widen = d.width(2 * n), d.zext(n, 2 * n)
        size, high, low = w.constant(n), d.extract(2 * n - 1, n), d.extract(n - 1, 0)

        def evaluate(a: Bits, b: Bits, by: Bits) -> Bits:
            both, distance = d.concat([b, a], [n, n]), widen(d.ite(w.ult(size, by), size, by))
            return high(wide.shl(both, distance)) if left else low(wide.lshr(both, distance))

        return evaluate

    return function


def _leading(signed: bool) -> Build:
    """``flo``: where the highest one stands, of a signed negative number the highest zero; with the flag how
    far it is from the top; -1 if there is none."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        of = integers.highest_difference if signed else integers.highest_one

        def function(site: Site) -> Operation:
            place = of(site.width(), site.d, site.result_width, flag(call, 1))
            return lambda a, _: place(a)

        return elementwise(function)(call, context)

    return build


def _bounded(w: Width, d: Domain, wraps: bool) -> Operation:
    """A number of bits: modulo 32, or at most 32."""
    size, low = w.constant(32), w.constant(31)
    return (lambda a: w.and_(a, low)) if wraps else (lambda a: d.ite(w.ult(size, a), size, a))


def _extended(signed: bool, wraps: bool) -> Function:
    """``sext``, ``zext``: so many low bits, extended."""

    def function(site: Site) -> Operation:
        w, d = site.width(), site.d
        count, take, none = _bounded(w, d, wraps), integers.field(signed)(w, d), w.constant(0)
        return lambda a, bits: take(a, none, count(bits))

    return function


def _bit_mask(wraps: bool) -> Function:
    """``bmsk``: so many ones, from a place on."""

    def function(site: Site) -> Operation:
        w, d = site.width(), site.d
        bound, all_ = _bounded(w, d, wraps), w.constant(-1)
        return lambda at, count: w.shl(w.not_(w.shl(all_, bound(count))), bound(at))

    return function


def _dot4(first: bool, second: bool) -> Function:
    """``idp4a``: the products of four bytes, and a third word."""

    def function(site: Site) -> Operation:
        return integers.packed_sum(8, (first, second), True, False)(site.width(), site.d)

    return function


def _dot2(first: bool, second: bool) -> Build:
    """``idp2a``: two halves of a word times two bytes of the other, the high ones if the flag says so."""

    def build(call: ir.CallSite, context: Context) -> Evaluate:
        at = 16 if flag(call, 2) else 0

        def function(site: Site) -> Operation:
            d, w = site.d, site.width()
            halves = [d.extract(15, 0), d.extract(31, 16)]
            bytes_ = [d.extract(at + 7, at), d.extract(at + 15, at + 8)]
            widen, widen_byte = integers.extension(d, 16, 32, first), integers.extension(d, 8, 32, second)

            def evaluate(a: Bits, b: Bits, _: Bits, c: Bits) -> Bits:
                for half, byte in zip(halves, bytes_, strict=True):
                    c = w.add(c, w.mul(widen(half(a)), widen_byte(byte(b))))
                return c

            return evaluate

        return elementwise(function)(call, context)

    return build


_NAMES: Mapping[str, Build] = {
    **{f"mulhi.{'' if s else 'u'}{t}": elementwise(of_integers(integers.mul_hi(s)))
        for s in (True, False) for t in ("s", "i", "ll")},
    **{f"mul24.{'' if s else 'u'}i": elementwise(of_integers(integers.mul24(s))) for s in (True, False)},
    **{f"sad.{'' if s else 'u'}{t}": elementwise(sad(s)) for s in (True, False) for t in ("s", "i", "ll")},
    "prmt": elementwise(of_integers(permute)),
    **{f"prmt.{mode}": elementwise(_permute_mode(mode)) for mode in _PERMUTATIONS},
    **{f"fsh{side}.clamp": elementwise(_funnel(side == "l")) for side in ("l", "r")},
    "flo.s": _leading(True),
    "flo.u": _leading(False),
    **{f"{e}ext.{mode}": elementwise(_extended(e == "s", mode == "wrap"))
        for e in "sz" for mode in ("wrap", "clamp")},
    **{f"bmsk.{mode}": elementwise(_bit_mask(mode == "wrap")) for mode in ("wrap", "clamp")},
    **{f"idp4a.{a}.{b}": elementwise(_dot4(a == "s", b == "s")) for a in "su" for b in "su"},
    **{f"idp2a.{a}.{b}": _dot2(a == "s", b == "s") for a in "su" for b in "su"},
    "lohi.i2d": elementwise(joined),
    "d2i.lo": elementwise(half_word(False)),
    "d2i.hi": elementwise(half_word(True)),
    **{f"{s}2h.rn{ftz}": elementwise(_half_bits(bool(ftz))) for s in ("f", "bf") for ftz in ("", ".ftz")},
}  # fmt: skip


def nvvm_function(name: str) -> Build | None:
    """The model of ``llvm.nvvm.`` and this; ``None`` if there is none."""
    parts = name.removeprefix("llvm.nvvm.").split(".")
    for cut in (len(parts), len(parts) - 1):
        if (entry := _NAMES.get(".".join(parts[:cut]))) is not None and (
            cut == len(parts) or parts[-1] in ("i32", "i64")
        ):
            return entry
    op, *words = parts
    if op in _SMALL:
        return _small(op, words)
    if op == "f2tf32":
        return _to_tf32(words)
    if (alternate := _alternate(parts)) is not None:
        return alternate
    if (conversion := _conversion(op, words)) is not None:
        return conversion
    while words and words[-1] in _ENDS:
        words.pop()
    function = _float_function(op, words)
    return None if function is None else elementwise(floats(function))


# -- What the compiler is asked


_FLUSHES, _PROCESSOR = "__CUDA_FTZ", "__CUDA_ARCH"


def reflected(call: ir.CallSite, context: Context) -> Evaluate:
    """``__nvvm_reflect(name)``, which LLVM replaces (*NVVMReflect*): whether denormals are flushed, as the
    module flag ``nvvm-reflect-ftz`` says; 0 of every other name. Of the processor it says nothing."""
    operand: Operand = call.arguments[0].value
    while isinstance(operand, ConstantExpression) and operand.opcode in ("addrspacecast", "bitcast"):
        operand = operand.operands[0]
    variable = context.module.globals.get(operand.name) if isinstance(operand, Global) else None
    content = None if variable is None else variable.initializer
    if not isinstance(content, Bytes):
        raise NotModelled(f"@{callee_name(call)} of what is no constant string")
    name = content.data.rstrip(b"\0").decode(errors="replace")
    if name == _PROCESSOR:
        raise NotModelled(f"@{callee_name(call)} of {name}")
    flag = (context.module.flag("nvvm-reflect-ftz") or 0) if name == _FLUSHES else 0
    result = Value(context.domain.width(int_width(call.type.result)).constant(flag), context.domain.false)
    return lambda *operands: result
