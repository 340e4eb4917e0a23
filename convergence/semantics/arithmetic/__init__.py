"""One protocol for bit-vectors, truth values and IEEE numbers; its domains: Python integers, z3 terms.

Here: the concrete domain, whose bit-vectors are Python ints, truth values are bools.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from .. import Undefined

if TYPE_CHECKING:
    from ..values import RuntimeValue
    from .host_floats import ConcreteFloats


class ConcreteWidth:
    """Python ints in ``range(2 ** width)``."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._mask = (1 << width) - 1
        self._sign = 1 << (width - 1)

    def constant(self, value: int) -> int:
        return value & self._mask

    def _signed(self, a: int) -> int:
        return (a ^ self._sign) - self._sign

    def add(self, a: int, b: int, /) -> int:
        return (a + b) & self._mask

    def sub(self, a: int, b: int, /) -> int:
        return (a - b) & self._mask

    def mul(self, a: int, b: int, /) -> int:
        return (a * b) & self._mask

    def udiv(self, a: int, b: int, /) -> int:
        return a // b if b else 0

    def urem(self, a: int, b: int, /) -> int:
        return a % b if b else a

    def sdiv(self, a: int, b: int, /) -> int:
        if not b:
            return 0
        x, y = self._signed(a), self._signed(b)
        quotient = abs(x) // abs(y)
        return (quotient if (x < 0) == (y < 0) else -quotient) & self._mask

    def srem(self, a: int, b: int, /) -> int:
        if not b:
            return a
        x, y = self._signed(a), self._signed(b)
        rest = abs(x) % abs(y)
        return (-rest if x < 0 else rest) & self._mask

    def neg(self, a: int, /) -> int:
        return -a & self._mask

    and_ = staticmethod(operator.and_)
    or_ = staticmethod(operator.or_)
    xor = staticmethod(operator.xor)
    eq = staticmethod(operator.eq)
    ne = staticmethod(operator.ne)
    ult = staticmethod(operator.lt)
    ule = staticmethod(operator.le)

    def not_(self, a: int, /) -> int:
        return a ^ self._mask

    def shl(self, a: int, b: int, /) -> int:
        return a << b & self._mask if b < self.width else 0

    def lshr(self, a: int, b: int, /) -> int:
        return a >> b if b < self.width else 0

    def ashr(self, a: int, b: int, /) -> int:
        return self._signed(a) >> min(b, self.width) & self._mask

    def slt(self, a: int, b: int, /) -> bool:
        return a ^ self._sign < b ^ self._sign

    def sle(self, a: int, b: int, /) -> bool:
        return a ^ self._sign <= b ^ self._sign

    def uadd_overflows(self, a: int, b: int, /) -> bool:
        return a + b > self._mask

    def usub_overflows(self, a: int, b: int, /) -> bool:
        return a < b

    def umul_overflows(self, a: int, b: int, /) -> bool:
        return a * b > self._mask

    def sadd_overflows(self, a: int, b: int, /) -> bool:
        sign = self._sign
        return not -sign <= (a ^ sign) + (b ^ sign) - sign - sign < sign

    def ssub_overflows(self, a: int, b: int, /) -> bool:
        sign = self._sign
        return not -sign <= (a ^ sign) - (b ^ sign) < sign

    def smul_overflows(self, a: int, b: int, /) -> bool:
        sign = self._sign
        return not -sign <= ((a ^ sign) - sign) * ((b ^ sign) - sign) < sign

    def ctpop(self, a: int, /) -> int:
        return a.bit_count() & self._mask

    def ctlz(self, a: int, /) -> int:
        return (self.width - a.bit_length()) & self._mask

    def cttz(self, a: int, /) -> int:
        return ((a & -a).bit_length() - 1 if a else self.width) & self._mask


@lru_cache(1_024)
def _width(width: int) -> ConcreteWidth:
    return ConcreteWidth(width)


class ConcreteDomain:
    """One value for everything; choices are made by Python's own ``if``."""

    true = True
    false = False

    def __init__(self) -> None:
        self._floats: dict[str, ConcreteFloats] = {}

    def width(self, width: int) -> ConcreteWidth:
        return _width(width)

    def floats(self, kind: str) -> ConcreteFloats:
        from .host_floats import concrete_floats

        known = self._floats.get(kind)
        if known is None:
            known = self._floats[kind] = concrete_floats(kind)
        return known

    both = staticmethod(operator.and_)
    either = staticmethod(operator.or_)
    negate = staticmethod(operator.not_)
    bit = staticmethod(int)
    truth = staticmethod(bool)

    def ite(self, condition: bool, then: int, otherwise: int, /) -> int:
        return then if condition else otherwise

    def choose(self, condition: bool, then: RuntimeValue, otherwise: RuntimeValue, /) -> RuntimeValue:
        return then if condition else otherwise

    def zext(self, source: int, target: int) -> Callable[[int], int]:
        return lambda a: a

    def sext(self, source: int, target: int) -> Callable[[int], int]:
        sign, mask = 1 << (source - 1), (1 << target) - 1
        return lambda a: ((a ^ sign) - sign) & mask

    def trunc(self, source: int, target: int) -> Callable[[int], int]:
        mask = (1 << target) - 1
        return lambda a: a & mask

    def extract(self, high: int, low: int) -> Callable[[int], int]:
        mask = (1 << (high - low + 1)) - 1
        return lambda a: a >> low & mask

    def concat(self, parts: Sequence[int], widths: Sequence[int]) -> int:
        total = at = 0
        for part, width in zip(parts, widths, strict=True):
            total |= part << at
            at += width
        return total

    def require(self, condition: bool, reason: str, section: str, /) -> None:
        if not condition:
            raise Undefined(reason, section)

    def concrete(self, bits: int, what: str, guess: int | None = None, /) -> int:
        return bits
