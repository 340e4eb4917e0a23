"""Fast-math flags (LangRef, *Fast-Math Flags*).

``nnan`` and ``ninf`` make a result poison; the others (``nsz arcp contract afn reassoc``) allow other results
than the exact one, and the exact one is always among those allowed: here they have no effect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...ir.instructions import Binary, CallSite, Conversion, FCmp, FNeg, Instruction, Phi, Select
from ...ir.types import Type
from ..arithmetic.domain import Domain, Floats, Width
from ..values.context import Evaluate
from ..values.value import Bits, Truth, Value
from .lifting import float_kind, is_float, lanewise


def forbidden(flags: tuple[str, ...], kind: str, domain: Domain) -> Callable[[Bits], Truth] | None:
    """Whether the flags exclude a number of the format; ``None`` if they exclude none."""
    floats = domain.floats(kind)
    nan, inf = "nnan" in flags or "fast" in flags, "ninf" in flags or "fast" in flags
    if nan and inf:
        return lambda a: domain.either(floats.is_nan(a), floats.is_inf(a))
    return floats.is_nan if nan else floats.is_inf if inf else None


def guarded(flags: tuple[str, ...], kind: str, domain: Domain, evaluate: Evaluate) -> Evaluate:
    """nnan, ninf: if an argument or the result is a NaN, or an infinity, the result is poison."""
    excluded = forbidden(flags, kind, domain)
    if excluded is None:
        return evaluate
    either = domain.either

    def checked(*operands: Value) -> Value:
        result = evaluate(*operands)
        assert isinstance(result, Value)
        poison = either(result.poison, excluded(result.bits))
        for operand in operands:
            poison = either(poison, excluded(operand.bits))
        return Value(result.bits, poison)

    return checked


def checked_result(flags: tuple[str, ...], type_: Type, domain: Domain) -> Evaluate | None:
    """What nnan and ninf do to a value that is passed on (phi, select, call); ``None``: nothing."""
    if not flags or not is_float(type_):
        return None
    excluded = forbidden(flags, float_kind(type_), domain)
    if excluded is None:
        return None

    def check(value: Value) -> Value:
        return Value(value.bits, domain.either(value.poison, excluded(value.bits)))

    return lanewise(type_, check)


RELAXED = frozenset({"fast", "nsz", "reassoc", "contract", "arcp", "afn"})
"""The flags that allow other results."""


def is_relaxed(instruction: Instruction) -> bool:
    """Whether flags allow other results than the exact one."""
    match instruction:
        case FNeg(flags=flags) | Binary(flags=flags) | FCmp(flags=flags) | Conversion(flags=flags):
            return not RELAXED.isdisjoint(flags)
        case Phi(flags=flags) | Select(flags=flags) | CallSite(fast_math=flags):
            return not RELAXED.isdisjoint(flags)
        case _:
            return False


# -- Minimum and maximum of integers and floats (LangRef, *llvm.smax* ..., *llvm.minnum* ..., *llvm.minimum*


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
