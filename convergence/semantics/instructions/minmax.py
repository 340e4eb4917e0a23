"""Minimum and maximum of integers and floats (LangRef, *llvm.smax* ..., *llvm.minnum* ..., *llvm.minimum*
...)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..arithmetic.domain import Domain, Floats, Width
from ..values.value import Bits, Truth

Operation = Callable[[Bits, Bits], Bits]

INTEGER: Mapping[str, Callable[[Width, Domain], Operation]] = {
    "smin": lambda w, d: lambda a, b: d.ite(w.slt(a, b), a, b),
    "smax": lambda w, d: lambda a, b: d.ite(w.slt(b, a), a, b),
    "umin": lambda w, d: lambda a, b: d.ite(w.ult(a, b), a, b),
    "umax": lambda w, d: lambda a, b: d.ite(w.ult(b, a), a, b),
}


def _smaller(d: Domain, f: Floats) -> Callable[[Bits, Bits], Truth]:
    """Whether a number comes first, -0.0 before +0.0."""
    return lambda a, b: d.either(f.less(a, b), d.both(f.equal(a, b), f.is_negative(a)))


def floating(name: str, d: Domain, f: Floats) -> Operation:
    """``minimum``, ``maximum``: a NaN if one operand is. ``min/maxnum``, ``min/maximumnum``: then the other
    one.

    -0.0 is less than +0.0 (for minnum and maxnum either order would do). Signaling NaNs count as quiet ones.
    """
    smaller = _smaller(d, f)
    if name.startswith("max"):

        def pick(a: Bits, b: Bits) -> Bits:
            return d.ite(smaller(a, b), b, a)
    else:

        def pick(a: Bits, b: Bits) -> Bits:
            return d.ite(smaller(a, b), a, b)

    def propagating(a: Bits, b: Bits) -> Bits:
        return d.ite(d.either(f.is_nan(a), f.is_nan(b)), f.nan, pick(a, b))

    def ignoring(a: Bits, b: Bits) -> Bits:
        of_b = d.ite(f.is_nan(b), f.nan, b)
        return d.ite(f.is_nan(a), of_b, d.ite(f.is_nan(b), a, pick(a, b)))

    return propagating if name in ("minimum", "maximum") else ignoring


FLOATING = ("minnum", "maxnum", "minimum", "maximum", "minimumnum", "maximumnum")
