"""LangRef, *Unary Operations* and *Binary Operations*."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from .. import NotModelled
from ..values import Bits, Truth, Value
from .lifting import Check, float_kind, guarded, int_width, lanewise, strict1, strict2

if TYPE_CHECKING:
    from ...ir import instructions as ir
    from ..arithmetic.domain import Domain, Floats, Width
    from ..values.context import Context, Evaluate

Flags = tuple[str, ...]


def promised(flags: Flags, **checks: Check) -> list[Check]:
    """The checks of the flags that are there."""
    return [check for flag, check in checks.items() if flag in flags]


# -- LangRef, *Bitwise Binary Operations*


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


# -- LangRef, *Binary Operations* and *Unary Operations*


def add(w: Width, d: Domain, flags: Flags) -> Evaluate:
    """The sum modulo 2^n; poison if it wraps and nuw or nsw say that it does not."""
    return strict2(d, w.add, promised(flags, nuw=w.uadd_overflows, nsw=w.sadd_overflows))


def sub(w: Width, d: Domain, flags: Flags) -> Evaluate:
    """The difference modulo 2^n; poison if it wraps and nuw or nsw say that it does not."""
    return strict2(d, w.sub, promised(flags, nuw=w.usub_overflows, nsw=w.ssub_overflows))


def mul(w: Width, d: Domain, flags: Flags) -> Evaluate:
    """The product modulo 2^n; poison if it wraps and nuw or nsw say that it does not."""
    return strict2(d, w.mul, promised(flags, nuw=w.umul_overflows, nsw=w.smul_overflows))


def _dividing(w: Width, d: Domain, opcode: str) -> Callable[[Value, Value], None]:
    """Division by zero, or by poison, is undefined behaviour."""
    none = w.constant(0)
    section = f"'{opcode}' Instruction"

    def check(a: Value, b: Value) -> None:
        d.require(d.negate(b.poison), "division by poison", section)
        d.require(w.ne(b.bits, none), "division by zero", section)

    return check


def _signed_dividing(w: Width, d: Domain, opcode: str) -> Callable[[Value, Value], None]:
    """Overflow, of the least value by -1, is undefined behaviour; so is a poison dividend by -1."""
    least, minus_one = w.constant(1 << (w.width - 1)), w.constant(-1)
    by_nonzero = _dividing(w, d, opcode)

    def check(a: Value, b: Value) -> None:
        by_nonzero(a, b)
        fits = d.either(w.ne(b.bits, minus_one), d.both(d.negate(a.poison), w.ne(a.bits, least)))
        d.require(fits, "overflow in signed division", f"'{opcode}' Instruction")

    return check


def _division(check: Callable[[Value, Value], None], divide: Evaluate) -> Evaluate:
    def evaluate(a: Value, b: Value) -> Value:
        check(a, b)
        result = divide(a, b)
        assert isinstance(result, Value)
        return result

    return evaluate


def _inexact(w: Width, divide: Callable[[Bits, Bits], Bits]) -> Check:
    """exact: poison unless the quotient times the divisor is the dividend."""
    return lambda a, b: w.ne(w.mul(divide(a, b), b), a)


def udiv(w: Width, d: Domain, flags: Flags) -> Evaluate:
    """The unsigned quotient."""
    return _division(_dividing(w, d, "udiv"), strict2(d, w.udiv, promised(flags, exact=_inexact(w, w.udiv))))


def sdiv(w: Width, d: Domain, flags: Flags) -> Evaluate:
    """The signed quotient, rounded towards zero."""
    divide = strict2(d, w.sdiv, promised(flags, exact=_inexact(w, w.sdiv)))
    return _division(_signed_dividing(w, d, "sdiv"), divide)


def urem(w: Width, d: Domain, flags: Flags) -> Evaluate:
    """The unsigned remainder."""
    return _division(_dividing(w, d, "urem"), strict2(d, w.urem))


def srem(w: Width, d: Domain, flags: Flags) -> Evaluate:
    """The remainder of sdiv, with the dividend's sign; undefined where sdiv overflows."""
    return _division(_signed_dividing(w, d, "srem"), strict2(d, w.srem))


INTEGER: Mapping[str, Callable[[Width, Domain, Flags], Evaluate]] = {
    "add": add, "sub": sub, "mul": mul, "udiv": udiv, "sdiv": sdiv, "urem": urem, "srem": srem, **BITWISE,
}  # fmt: skip

FLOATING: Mapping[str, Callable[[Floats], Callable[[Bits, Bits], Bits]]] = {
    "fadd": lambda f: f.add,
    "fsub": lambda f: f.sub,
    "fmul": lambda f: f.mul,
    "fdiv": lambda f: f.div,
    "frem": lambda f: f.rem,
}


def prepare_binary(instruction: ir.Binary, context: Context) -> Evaluate:
    """A two-operand instruction, integer or floating-point, on scalars or lane by lane."""
    type_, d = instruction.lhs.type, context.domain
    opcode, flags = instruction.opcode, instruction.flags
    if (integer := INTEGER.get(opcode)) is not None:
        return lanewise(type_, integer(d.width(int_width(type_)), d, flags))
    floating = FLOATING.get(opcode)
    if floating is None:
        raise NotModelled(f"instruction {opcode}")
    kind = float_kind(type_)
    return lanewise(type_, guarded(flags, kind, d, strict2(d, floating(d.floats(kind)))))


def sign_bit(w: Width) -> Bits:
    """The bit pattern with only the sign bit set."""
    return w.constant(1 << (w.width - 1))


def prepare_fneg(instruction: ir.FNeg, context: Context) -> Evaluate:
    """The operand with its sign bit flipped, NaNs included."""
    type_, d = instruction.value.type, context.domain
    kind = float_kind(type_)
    w = d.width(d.floats(kind).width)
    sign = sign_bit(w)
    flip = strict1(d, lambda a: w.xor(a, sign))
    return lanewise(type_, guarded(instruction.flags, kind, d, flip))
