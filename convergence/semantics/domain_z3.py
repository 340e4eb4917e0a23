"""The symbolic domain: bit-vectors and truth values are z3 terms. The only place in ``semantics`` that
knows z3.

Truth values that are known stay Python bools, so that what is certain needs no solver. Undefined
behaviour that depends on unknowns is collected in ``requirements``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import z3

from .floats import FORMATS
from .floats_z3 import Z3Floats
from .values import (
    Composite,
    NotModelled,
    Pointer,
    RuntimeValue,
    Undef,
    Undefined,
    UndefPointer,
    Value,
    scalar,
)

Term = Any
"""A z3 term (z3 carries no types)."""


class Requirement(NamedTuple):
    """A condition without which behaviour is undefined, for this reason, by this section of the LangRef."""

    condition: Term
    reason: str
    section: str


def _wide(extend: Callable[[int, Term], Term], n: int, a: Term, b: Term) -> tuple[Term, Term]:
    return extend(n, a), extend(n, b)


class Z3Width:
    """z3 bit-vectors of one width."""

    def __init__(self, width: int) -> None:
        self.width = width

    def constant(self, value: int) -> Term:
        return z3.BitVecVal(value, self.width)

    def add(self, a: Term, b: Term, /) -> Term:
        return a + b

    def sub(self, a: Term, b: Term, /) -> Term:
        return a - b

    def mul(self, a: Term, b: Term, /) -> Term:
        return a * b

    def udiv(self, a: Term, b: Term, /) -> Term:
        return z3.UDiv(a, b)

    def urem(self, a: Term, b: Term, /) -> Term:
        return z3.URem(a, b)

    def sdiv(self, a: Term, b: Term, /) -> Term:
        return a / b

    def srem(self, a: Term, b: Term, /) -> Term:
        return z3.SRem(a, b)

    def neg(self, a: Term, /) -> Term:
        return -a

    def and_(self, a: Term, b: Term, /) -> Term:
        return a & b

    def or_(self, a: Term, b: Term, /) -> Term:
        return a | b

    def xor(self, a: Term, b: Term, /) -> Term:
        return a ^ b

    def not_(self, a: Term, /) -> Term:
        return ~a

    def shl(self, a: Term, b: Term, /) -> Term:
        return a << b

    def lshr(self, a: Term, b: Term, /) -> Term:
        return z3.LShR(a, b)

    def ashr(self, a: Term, b: Term, /) -> Term:
        return a >> b

    def eq(self, a: Term, b: Term, /) -> Term:
        return a == b

    def ne(self, a: Term, b: Term, /) -> Term:
        return a != b

    def ult(self, a: Term, b: Term, /) -> Term:
        return z3.ULT(a, b)

    def ule(self, a: Term, b: Term, /) -> Term:
        return z3.ULE(a, b)

    def slt(self, a: Term, b: Term, /) -> Term:
        return a < b

    def sle(self, a: Term, b: Term, /) -> Term:
        return a <= b

    def uadd_overflows(self, a: Term, b: Term, /) -> Term:
        return z3.ULT(a + b, a)

    def usub_overflows(self, a: Term, b: Term, /) -> Term:
        return z3.ULT(a, b)

    def umul_overflows(self, a: Term, b: Term, /) -> Term:
        x, y = _wide(z3.ZeroExt, self.width, a, b)
        return x * y != z3.ZeroExt(self.width, a * b)

    def sadd_overflows(self, a: Term, b: Term, /) -> Term:
        x, y = _wide(z3.SignExt, 1, a, b)
        return x + y != z3.SignExt(1, a + b)

    def ssub_overflows(self, a: Term, b: Term, /) -> Term:
        x, y = _wide(z3.SignExt, 1, a, b)
        return x - y != z3.SignExt(1, a - b)

    def smul_overflows(self, a: Term, b: Term, /) -> Term:
        x, y = _wide(z3.SignExt, self.width, a, b)
        return x * y != z3.SignExt(self.width, a * b)

    def _bits(self, a: Term) -> list[Term]:
        return [z3.Extract(i, i, a) for i in range(self.width)]

    def ctpop(self, a: Term, /) -> Term:
        if self.width == 1:
            return a
        return z3.Sum(*(z3.ZeroExt(self.width - 1, bit) for bit in self._bits(a)))

    def _first_one(self, bits: list[Term]) -> Term:
        """The index of the first one in the list, else the width."""
        found = self.constant(self.width)
        for index, bit in reversed(list(enumerate(bits))):
            found = z3.If(bit == 1, self.constant(index), found)
        return found

    def ctlz(self, a: Term, /) -> Term:
        return self._first_one(self._bits(a)[::-1])

    def cttz(self, a: Term, /) -> Term:
        return self._first_one(self._bits(a))


class Z3Domain:
    """Values are terms over whatever variables their makers used."""

    true = True
    false = False

    def __init__(self) -> None:
        self.requirements: list[Requirement] = []
        self._widths: dict[int, Z3Width] = {}

    def width(self, width: int) -> Z3Width:
        return self._widths.setdefault(width, Z3Width(width))

    def floats(self, kind: str) -> Z3Floats:
        if kind not in FORMATS or FORMATS[kind].explicit:
            raise NotModelled(f"symbolic arithmetic on {kind}")
        return Z3Floats(FORMATS[kind])

    def both(self, a: Term, b: Term, /) -> Term:
        if a is False or b is False:
            return False
        return b if a is True else a if b is True else z3.And(a, b)

    def either(self, a: Term, b: Term, /) -> Term:
        if a is True or b is True:
            return True
        return b if a is False else a if b is False else z3.Or(a, b)

    def negate(self, a: Term, /) -> Term:
        return not a if isinstance(a, bool) else z3.Not(a)

    def ite(self, condition: Term, then: Term, otherwise: Term, /) -> Term:
        if isinstance(condition, bool):
            return then if condition else otherwise
        return z3.If(condition, then, otherwise)

    def choose(self, condition: Term, then: RuntimeValue, otherwise: RuntimeValue, /) -> RuntimeValue:
        if isinstance(condition, bool):
            return then if condition else otherwise
        if isinstance(then, Composite):
            assert isinstance(otherwise, Composite)
            pairs = zip(then.elements, otherwise.elements, strict=True)
            return Composite(tuple(self.choose(condition, a, b) for a, b in pairs))
        return self._choose_scalar(condition, then, scalar(otherwise))

    def _choose_scalar(self, condition: Term, then: Value, otherwise: Value) -> Value:
        """Pointers to different objects give one that may point to whatever lies at its address."""
        bits = z3.If(condition, then.bits, otherwise.bits)
        poison = self.either(
            self.both(condition, then.poison), self.both(z3.Not(condition), otherwise.poison)
        )
        undef = then.undef and otherwise.undef
        if isinstance(then, Pointer):
            provenance = then.provenance if then.provenance == otherwise.provenance else None
            return (UndefPointer if undef else Pointer)(bits, provenance, poison)
        return (Undef if undef else Value)(bits, poison)

    def bit(self, truth: Term, /) -> Term:
        if isinstance(truth, bool):
            return z3.BitVecVal(int(truth), 1)
        return z3.If(truth, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))

    def truth(self, bit: Term, /) -> Term:
        return bit == 1

    def zext(self, source: int, target: int) -> Callable[[Term], Term]:
        return lambda a: z3.ZeroExt(target - source, a) if target > source else a

    def sext(self, source: int, target: int) -> Callable[[Term], Term]:
        return lambda a: z3.SignExt(target - source, a) if target > source else a

    def trunc(self, source: int, target: int) -> Callable[[Term], Term]:
        return lambda a: z3.Extract(target - 1, 0, a) if target < source else a

    def extract(self, high: int, low: int) -> Callable[[Term], Term]:
        return lambda a: z3.Extract(high, low, a)

    def concat(self, parts: Sequence[Term], widths: Sequence[int]) -> Term:
        return z3.Concat(*reversed(parts)) if len(parts) > 1 else parts[0]

    def require(self, condition: Term, reason: str, section: str, /) -> None:
        """Collects what is not known to hold; raises Undefined for what is known not to."""
        if not isinstance(condition, bool):
            condition = z3.simplify(condition)
            if z3.is_true(condition) or z3.is_false(condition):
                condition = z3.is_true(condition)
        if condition is False:
            raise Undefined(reason, section)
        if condition is not True:
            self.requirements.append(Requirement(condition, reason, section))

    def concrete(self, bits: Term, what: str, /) -> int:
        known = z3.simplify(bits)
        if not z3.is_bv_value(known):
            raise NotModelled(what)
        return int(known.as_long())
