"""The device libraries of HIP and CUDA, where their bitcode is not linked in: OCML, OCKL and libdevice.

AMD's *ROCm-Device-Libs* (OCML: ``__ocml_sin_f32``, ``__ocml_native_exp_f32``, ``__ocml_add_rtz_f64``);
NVIDIA's *libdevice User's Guide* (``__nv_sinf``, ``__nv_fast_expf``, ``__nv_fadd_rz``, ``__nv_popc``). What
IEEE-754 defines is exactly rounded, in other directions than to nearest of known numbers; the rest is best
effort (:meth:`Floats.function`). Norms of arrays and SIMD in a word have no model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from .. import fast_math as minmax
from ..intrinsics_integer import Build
from ..intrinsics_memory import BuildAccess
from . import common, integers, mathematics, nvvm, rounding
from .common import FloatFunction
from .kit import (
    Function,
    Numbers,
    Operation,
    Site,
    canonical_nan,
    elementwise,
    floats,
    half_word,
    numbers_of,
)
from .kit import integers as of_integers
from .outputs import outputs_of

# -- What both have


def _reciprocal_of(name: str, count: int) -> FloatFunction:
    def function(n: Numbers) -> Operation:
        inverse, of = common.reciprocal(n), common.by_name(name, count)(n)
        fixed: Mapping[int, Operation] = {
            2: lambda a, b: inverse(of(a, b)),
            3: lambda a, b, c: inverse(of(a, b, c)),
            4: lambda a, b, c, d: inverse(of(a, b, c, d)),
        }
        return fixed[count]

    return function


def _truth(holds: Callable[[Numbers], Operation]) -> Function:
    """1 or 0."""

    def function(site: Site) -> Operation:
        test, result = holds(site.numbers()), site.result_width
        one, zero = result.constant(1), result.constant(0)
        return lambda a: site.d.ite(test(a), one, zero)

    return function


_SPECIAL = ("normcdf", "normcdfinv", "erfinv", "erfcx", "erfcinv", "j0", "j1", "y0", "y1", "i0", "i1")


def _of_order(name: str) -> Function:
    """``jn``, ``yn``: the order is an integer, and the first operand; in double."""

    def function(site: Site) -> Operation:
        n, double = site.numbers(1), numbers_of(site.d, "double")
        widen, narrow = n.f.convert("double"), double.f.convert(n.f.kind)
        number, do = double.f.from_int(site.width().width, True), double.f.function(name)
        return lambda order, x: narrow(do(number(order), widen(x)))

    return function


BY_C_NAMES: Mapping[str, Function] = {
    **{name: floats(function) for name, (_, function) in mathematics.FLOATING.items()},
    **{name: floats(common.by_name(name)) for name in _SPECIAL},
    **{name: floats(common.by_name(name, count)) for name, count in (("len3", 3), ("len4", 4))},
    **{
        f"r{name}": floats(_reciprocal_of(name, count))
        for name, count in (("len3", 3), ("len4", 4), ("hypot", 2))
    },
    **{name: _truth(holds) for name, holds in mathematics.TESTS.items()},
    "jn": _of_order("jn"),
    "yn": _of_order("yn"),
    "ldexp": mathematics.ldexp,
    "scalbn": mathematics.ldexp,
    "pown": mathematics.pown,
    "powi": mathematics.pown,
    "rootn": mathematics.rootn,
    "ilogb": mathematics.ilogb,
    "nan": canonical_nan,
    "saturate": floats(common.saturate),
    "fdivide": floats(lambda n: n.f.div),
}
"""By C's names, or those of one of them."""


# -- OCML

_OCML_NAMES = {"max": "fmax", "min": "fmin", "ncdf": "normcdf", "ncdfinv": "normcdfinv", "fmuladd": "mad"}
_OCML = re.compile(r"__ocml_(?:native_)?(\w+?)_(?:2f16|f16|f32|f64)")
_DIRECTED = re.compile(r"(add|sub|mul|div|fma|sqrt)_(rte|rtz|rtp|rtn)")


def _ocml(name: str) -> Function | None:
    if (directed := _DIRECTED.fullmatch(name)) is not None:
        return floats(nvvm.rounded_operation(directed[1], rounding.MODES[directed[2]]))
    return BY_C_NAMES.get(_OCML_NAMES.get(name, name))


def _to_half(mode: str) -> Function:
    return lambda site: rounding.float_to_float(site.d, site.numbers().f.kind, "half", mode)


_OCML_CONVERSIONS: Mapping[str, Function] = {
    f"__ocml_cvt{mode}_f16_f32": _to_half(mode) for mode in ("rtn", "rtp", "rtz")
}


# -- libdevice

_NV_NAMES = {
    "norm3d": "len3", "norm4d": "len4", "rnorm3d": "rlen3", "rnorm4d": "rlen4",
    "cyl_bessel_i0": "i0", "cyl_bessel_i1": "i1",
}  # fmt: skip
_NV_MODES = {"rn": "rte", "rz": "rtz", "ru": "rtp", "rd": "rtn"}
_NV_DIRECTED = re.compile(r"[fd]?(add|sub|mul|div|rcp|sqrt|rsqrt)_(rn|rz|ru|rd)")
_NV_FMA = re.compile(r"fmaf?(?:_ieee)?_(rn|rz|ru|rd)")
_NV_CONVERSION = re.compile(r"(float|double|int|uint|ll|ull)2(float|double|int|uint|ll|ull)_(rn|rz|ru|rd)")
_NV_INTEGER = {"int": (32, True), "uint": (32, False), "ll": (64, True), "ull": (64, False)}
_NV_REINTERPRETED = frozenset({
    "float_as_int", "float_as_uint", "int_as_float", "uint_as_float", "double_as_longlong",
    "longlong_as_double",
})  # fmt: skip


def _first_set(site: Site) -> Operation:
    """``ffs``: the place of the lowest one, from 1; 0 if there is none."""
    place, result = integers.lowest_one(site.width(), site.d, site.result_width), site.result_width
    one = result.constant(1)
    return lambda a: result.add(place(a), one)


def _count(name: str) -> Function:
    """Ones, or leading zeros, as a word."""

    def function(site: Site) -> Operation:
        w, result = site.width(), site.result_width
        of = w.ctpop if name == "popc" else w.ctlz
        to = integers.resize(site.d, w.width, result.width)
        return lambda a: to(of(a))

    return function


def _larger(signed: bool, larger: bool) -> integers.IntegerFunction:
    return minmax.INTEGER[("s" if signed else "u") + ("max" if larger else "min")]


def _double_of_words(site: Site) -> Operation:
    """``hiloint2double(high, low)``."""
    return lambda high, low: site.d.concat([low, high], [32, 32])


def _number_of_half(site: Site) -> Operation:
    return site.d.floats("half").convert("float")


def _half_of_number(site: Site) -> Operation:
    return site.numbers().f.convert("half")


def _to_whole(mode: str) -> Function:
    """``llrint``, ``llround``: rounded, then as an integer, the nearest one if it does not fit."""

    def function(site: Site) -> Operation:
        n = site.numbers()
        whole = n.f.rounded(mode)
        convert = rounding.float_to_int(n, site.result_width.width, True, "rtz")
        return lambda a: convert(whole(a))

    return function


_NV_INTEGERS: Mapping[str, Function] = {
    **{name: of_integers(integers.absolute) for name in ("abs", "llabs")},
    **{f"{p}{op}": of_integers(_larger("u" not in p, op == "max"))
        for p in ("", "u", "ll", "ull") for op in ("max", "min")},
    **{name: of_integers(integers.mul_hi(name[0] != "u"))
        for name in ("mulhi", "umulhi", "mul64hi", "umul64hi")},
    "mul24": of_integers(integers.mul24(True)), "umul24": of_integers(integers.mul24(False)),
    "hadd": of_integers(integers.halving_add(True)), "uhadd": of_integers(integers.halving_add(False)),
    "rhadd": of_integers(integers.halving_add(True, up=True)),
    "urhadd": of_integers(integers.halving_add(False, up=True)),
    "sad": nvvm.sad(True), "usad": nvvm.sad(False),
    **{f"{name}{end}": _count(name) for name in ("popc", "clz") for end in ("", "ll")},
    "ffs": _first_set, "ffsll": _first_set,
    "brev": of_integers(integers.reversed_bits), "brevll": of_integers(integers.reversed_bits),
    "byte_perm": of_integers(nvvm.permute),
    "double2hiint": half_word(True), "double2loint": half_word(False), "hiloint2double": _double_of_words,
    "half2float": _number_of_half, "float2half_rn": _half_of_number,
    "llrint": _to_whole("even"), "llround": _to_whole("away"),
    **dict.fromkeys(_NV_REINTERPRETED, lambda site: lambda a: a),
}  # fmt: skip


def _nv_conversion(source: str, target: str, mode: str) -> Function:
    mode = _NV_MODES[mode]
    kinds = {"float": "float", "double": "double"}
    if source in kinds and target in kinds:
        return lambda site: rounding.float_to_float(site.d, source, target, mode)
    if source in kinds:
        bits, signed = _NV_INTEGER[target]
        nan = 0 if bits == 32 and source == "float" else 1 << (bits - 1)
        return lambda site: rounding.float_to_int(site.numbers(), bits, signed, mode, nan)
    width, sign = _NV_INTEGER[source]
    return lambda site: rounding.int_to_float(site.d, width, sign, target, mode)


def _nv(name: str) -> Function | None:
    if (cast := _NV_CONVERSION.fullmatch(name)) is not None:
        return _nv_conversion(cast[1], cast[2], cast[3])
    if (fma := _NV_FMA.fullmatch(name)) is not None:
        return floats(nvvm.rounded_operation("fma", rounding.MODES[_NV_MODES[fma[1]]]))
    if (directed := _NV_DIRECTED.fullmatch(name)) is not None:
        if directed[1] == "rsqrt":
            return floats(common.rsqrt)
        return floats(nvvm.rounded_operation(directed[1], rounding.MODES[_NV_MODES[directed[2]]]))
    for plain in _plain_names(name):
        entry = _NV_INTEGERS.get(plain) or BY_C_NAMES.get(_NV_NAMES.get(plain, plain))
        if entry is not None:
            return entry
    return None


def _plain_names(name: str) -> tuple[str, ...]:
    """C's names that a name may stand for: without ``fast_``, and an ``f`` or ``d`` that says the format."""
    name = name.removeprefix("fast_")
    tests = name.startswith(("is", "signbit"))
    return (name, name[:-1]) if name.endswith("f") or (tests and name.endswith("d")) else (name,)


_OCKL_DOT = re.compile(r"__ockl_(fdot2|[su]dot[248])")
"""OCKL's names of AMDGPU's dot products."""


def library_of_device(name: str) -> Build | None:
    """The model of a function of one of these libraries that touches no memory; ``None`` if there is none."""
    if (dot := _OCKL_DOT.fullmatch(name)) is not None:
        from .amdgcn import AMDGCN

        return AMDGCN[f"llvm.amdgcn.{dot[1]}"]
    function: Function | None = _OCML_CONVERSIONS.get(name)
    if (ocml := _OCML.fullmatch(name)) is not None and function is None:
        function = _ocml(ocml[1])
    elif name.startswith("__nv_"):
        function = _nv(name.removeprefix("__nv_"))
    return None if function is None else elementwise(function)


def access_of_device(name: str) -> BuildAccess | None:
    """The model of a function that writes results behind pointers; ``None`` if it is none."""
    if (ocml := _OCML.fullmatch(name)) is not None:
        return outputs_of(ocml[1], 1)
    if name.startswith("__nv_"):
        for plain in _plain_names(name.removeprefix("__nv_")):
            if (access := outputs_of(plain, 1)) is not None:
                return access
    return None
