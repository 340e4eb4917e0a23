"""Fast-math flags (LangRef, *Fast-Math Flags*).

``nnan`` and ``ninf`` make a result poison; the others (``nsz arcp contract afn reassoc``) allow other results
than the exact one, and the exact one is always among those allowed: here they have no effect.
"""

from __future__ import annotations

from collections.abc import Callable

from ...ir.types import Type
from ..arithmetic.domain import Domain
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
