"""LangRef, *Bitwise Binary Operations*."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..context import Evaluate
from ..domain import Domain, Width
from ..values import Bits, Truth
from .lifting import Check, strict2

Flags = tuple[str, ...]


def too_far(w: Width) -> Check:
    """A shift by the bit width or more gives poison."""
    limit = w.constant(w.width)
    if w.width == 1:  # i1 cannot hold its own width: only a shift by 0 is short enough
        none = w.constant(0)
        return lambda a, b: w.ne(b, none)
    return lambda a, b: w.ule(limit, b)


def shl(w: Width, d: Domain, flags: Flags) -> Evaluate:
    """To the left, zeros in. nuw: poison if a one is shifted out; nsw: if a bit other than the result's
    sign is."""
    checks = [too_far(w)]

    def loses_ones(a: Bits, b: Bits) -> Truth:
        return w.ne(w.lshr(w.shl(a, b), b), a)

    def loses_sign(a: Bits, b: Bits) -> Truth:
        return w.ne(w.ashr(w.shl(a, b), b), a)

    checks += [loses_ones] if "nuw" in flags else []
    checks += [loses_sign] if "nsw" in flags else []
    return strict2(d, w.shl, checks)


def _loses_ones(w: Width, shift: Callable[[Bits, Bits], Bits]) -> Check:
    """exact: poison if a one is shifted out."""
    return lambda a, b: w.ne(w.shl(shift(a, b), b), a)


def lshr(w: Width, d: Domain, flags: Flags) -> Evaluate:
    """To the right, zeros in."""
    return strict2(d, w.lshr, [too_far(w), *([_loses_ones(w, w.lshr)] if "exact" in flags else [])])


def ashr(w: Width, d: Domain, flags: Flags) -> Evaluate:
    """To the right, copies of the sign in."""
    return strict2(d, w.ashr, [too_far(w), *([_loses_ones(w, w.ashr)] if "exact" in flags else [])])


def and_(w: Width, d: Domain, flags: Flags) -> Evaluate:
    return strict2(d, w.and_)


def or_(w: Width, d: Domain, flags: Flags) -> Evaluate:
    """disjoint: poison if a bit is set in both operands."""
    none = w.constant(0)
    return strict2(d, w.or_, [lambda a, b: w.ne(w.and_(a, b), none)] if "disjoint" in flags else [])


def xor(w: Width, d: Domain, flags: Flags) -> Evaluate:
    return strict2(d, w.xor)


BITWISE: Mapping[str, Callable[[Width, Domain, Flags], Evaluate]] = {
    "shl": shl, "lshr": lshr, "ashr": ashr, "and": and_, "or": or_, "xor": xor,
}  # fmt: skip
