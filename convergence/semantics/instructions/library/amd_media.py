"""AMD's functions of pixels for OpenCL C, of which each lane of a vector is one call.

*cl_amd_media_ops* and *cl_amd_media_ops2* (Khronos's registry of extensions). ``amd_pack``, whose rounding
they leave open, has no model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ....ir import instructions as ir
from ...arithmetic.domain import Domain, Width
from ...values.context import Context, Evaluate
from ...values.value import Bits, RuntimeValue, Value, scalar
from .. import fast_math as minmax
from . import integers
from .amdgcn import (
    absolute_differences,
    aligned_bytes,
    bitfield,
    median,
    pixel_average,
    sliding_differences,
)
from .kit import Function, Operation, Site, components, floats
from .kit import integers as of_integers


def _bit_align(w: Width, d: Domain) -> Operation:
    """Two words side by side, shifted to the right; the low word."""
    wide, widen, cut, low = d.width(64), d.zext(32, 64), d.trunc(64, 32), w.constant(31)
    return lambda a, b, by: cut(wide.lshr(d.concat([b, a], [32, 32]), widen(w.and_(by, low))))


def _bit_mask(w: Width, d: Domain) -> Operation:
    """So many ones, from a place on, both modulo 32."""
    one, low = w.constant(1), w.constant(31)
    return lambda count, at: w.shl(w.sub(w.shl(one, w.and_(count, low)), one), w.and_(at, low))


def _difference(w: Width, d: Domain) -> Operation:
    """How far two words are apart, and a third one."""
    apart = integers.difference(False)(w, d)
    return lambda a, b, c: w.add(apart(a, b), c)


def _unpacked(number: int) -> Function:
    """A byte of a word as a number."""

    def function(site: Site) -> Operation:
        cut, convert = site.d.extract(8 * number + 7, 8 * number), site.results.f.from_int(8, False)
        return lambda a: convert(cut(a))

    return function


def _field(site: Site) -> Operation:
    """Bits of a word, with its sign if it has one."""
    return bitfield(site.is_signed(0))(site)


def _of_three(name: str) -> Function:
    """The least, the greatest or the middle one of three numbers."""

    def of_floats(site: Site) -> Operation:
        if name == "median":
            return floats(median)(site)
        n = site.numbers()
        pick = minmax.floating("minnum" if name == "min" else "maxnum", n.d, n.f)
        return lambda a, b, c: pick(pick(a, b), c)

    def of_words(site: Site) -> Operation:
        w, d = site.width(), site.d
        least = minmax.INTEGER["smin" if site.is_signed(0) else "umin"](w, d)
        greatest = minmax.INTEGER["smax" if site.is_signed(0) else "umax"](w, d)
        if name == "median":
            return lambda a, b, c: greatest(least(a, b), least(greatest(a, b), c))
        pick = least if name == "min" else greatest
        return lambda a, b, c: pick(pick(a, b), c)

    return lambda site: (of_floats if site.is_float() else of_words)(site)


MEDIA: Mapping[str, tuple[int, Function]] = {
    "amd_bitalign": (3, of_integers(_bit_align)),
    "amd_bytealign": (3, of_integers(aligned_bytes)),
    "amd_lerp": (3, of_integers(pixel_average)),
    "amd_sad": (3, absolute_differences()),
    "amd_sadhi": (3, absolute_differences(high=True)),
    "amd_sadw": (3, absolute_differences(bits=16)),
    "amd_sadd": (3, of_integers(_difference)),
    "amd_msad": (3, absolute_differences(masked=True)),
    "amd_qsad": (3, sliding_differences(False)),
    "amd_mqsad": (3, sliding_differences(True)),
    "amd_bfm": (2, of_integers(_bit_mask)),
    "amd_bfe": (3, _field),
    **{f"amd_unpack{n}": (1, _unpacked(n)) for n in range(4)},
    **{f"amd_{name}3": (3, _of_three(name)) for name in ("min", "max", "median")},
}
"""Operands and function."""


def sum_of_differences(call: ir.CallSite, context: Context) -> Evaluate:
    """``amd_sad4``: the differences of all bytes of two vectors of words, added to a word."""
    d = context.domain
    word = call.type.result
    of: Callable[..., Bits] = absolute_differences()(Site(d, context.layout, (word,), word))

    def evaluate(a: RuntimeValue, b: RuntimeValue, c: RuntimeValue) -> Value:
        total, bad = scalar(c).bits, scalar(c).poison
        for x, y in zip(components(a), components(b), strict=True):
            total, bad = of(x.bits, y.bits, total), d.either(bad, d.either(x.poison, y.poison))
        return Value(total, bad)

    return evaluate
