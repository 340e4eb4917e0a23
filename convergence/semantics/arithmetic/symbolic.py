"""Asking z3, which takes SIGINT from Python for as long as it thinks, and says so in its answer alone."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from threading import RLock
from typing import TYPE_CHECKING, Any, cast

import z3

from .. import NotModelled, Undefined
from ..values import Bits, Composite, Pointer, RuntimeValue, Truth, Value
from . import ConcreteDomain, ConcreteWidth

if TYPE_CHECKING:
    from .host_floats import ConcreteFloats

# ----------------------------------------------------------------------------------------------------------
# IEEE numbers as z3 terms, as bit patterns: known operands are left to the concrete domain.
# ----------------------------------------------------------------------------------------------------------

_SORTS = {"half": (5, 11), "bfloat": (8, 8), "float": (8, 24), "double": (11, 53)}


def _all_numbers(*parts: Any) -> bool:
    return not any(isinstance(part, z3.ExprRef) for part in parts)


class SymbolicFloats:
    """Numbers of one format. Every NaN result is the canonical one, as in the concrete domain."""

    def __init__(self, kind: str, concrete: ConcreteFloats, folded: Callable[[Any], Any]) -> None:
        self.kind = kind
        self.width: int = concrete.width
        self.nan: Bits = concrete.nan
        self._concrete = concrete
        self._folded = folded

    @property
    def _sort(self) -> Any:
        if self.kind not in _SORTS:
            raise NotModelled(f"symbolic {self.kind}")
        return z3.FPSort(*_SORTS[self.kind])

    def _number(self, a: Bits) -> Any:
        bits = a if isinstance(a, z3.BitVecRef) else z3.BitVecVal(a, self.width)
        return z3.fpBVToFP(bits, self._sort)

    def _bits(self, number: Any) -> Any:
        return self._folded(
            z3.If(z3.fpIsNaN(number), z3.BitVecVal(self.nan, self.width), z3.fpToIEEEBV(number))
        )

    def _do(self, name: str, term: Callable[..., Any], *operands: Bits) -> Bits:
        if _all_numbers(*operands):
            return getattr(self._concrete, name)(*operands)
        return self._bits(term(*(self._number(o) for o in operands)))

    def _ask(self, name: str, term: Callable[..., Any], *operands: Bits) -> Truth:
        if _all_numbers(*operands):
            return getattr(self._concrete, name)(*operands)
        return self._folded(term(*(self._number(o) for o in operands)))

    def add(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("add", lambda x, y: z3.fpAdd(z3.RNE(), x, y), a, b)

    def sub(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("sub", lambda x, y: z3.fpSub(z3.RNE(), x, y), a, b)

    def mul(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("mul", lambda x, y: z3.fpMul(z3.RNE(), x, y), a, b)

    def div(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("div", lambda x, y: z3.fpDiv(z3.RNE(), x, y), a, b)

    def rem(self, a: Bits, b: Bits, /) -> Bits:
        """From IEEE's remainder of the magnitudes, which may be negative: one divisor more, exactly."""

        def remainder(x: Any, y: Any) -> Any:
            nearest = z3.fpRem(z3.fpAbs(x), z3.fpAbs(y))
            rest = z3.If(z3.fpLT(nearest, 0), z3.fpAdd(z3.RNE(), nearest, z3.fpAbs(y)), z3.fpAbs(nearest))
            return z3.If(z3.fpIsNegative(x), z3.fpNeg(rest), rest)

        return self._do("rem", remainder, a, b)

    def fma(self, a: Bits, b: Bits, c: Bits, /) -> Bits:
        return self._do("fma", lambda x, y, z: z3.fpFMA(z3.RNE(), x, y, z), a, b, c)

    def sqrt(self, a: Bits, /) -> Bits:
        return self._do("sqrt", lambda x: z3.fpSqrt(z3.RNE(), x), a)

    def is_nan(self, a: Bits, /) -> Truth:
        return self._ask("is_nan", z3.fpIsNaN, a)

    def is_signaling(self, a: Bits, /) -> Truth:
        if _all_numbers(a):
            return self._concrete.is_signaling(a)
        quiet = self._sort.sbits() - 2
        return self._folded(z3.And(z3.fpIsNaN(self._number(a)), z3.Extract(quiet, quiet, a) == 0))

    def is_inf(self, a: Bits, /) -> Truth:
        return self._ask("is_inf", z3.fpIsInf, a)

    def is_zero(self, a: Bits, /) -> Truth:
        return self._ask("is_zero", z3.fpIsZero, a)

    def is_subnormal(self, a: Bits, /) -> Truth:
        return self._ask("is_subnormal", z3.fpIsSubnormal, a)

    def is_negative(self, a: Bits, /) -> Truth:
        """The sign bit, NaNs included."""
        if _all_numbers(a):
            return self._concrete.is_negative(a)
        return self._folded(z3.Extract(self.width - 1, self.width - 1, a) == 1)

    def equal(self, a: Bits, b: Bits, /) -> Truth:
        return self._ask("equal", z3.fpEQ, a, b)

    def less(self, a: Bits, b: Bits, /) -> Truth:
        return self._ask("less", z3.fpLT, a, b)

    def rounded(self, mode: str) -> Callable[[Bits], Bits]:
        concrete = self._concrete.rounded(mode)
        towards = {"down": z3.RTN, "up": z3.RTP, "zero": z3.RTZ, "even": z3.RNE, "away": z3.RNA}[mode]()
        return lambda a: (
            concrete(a) if _all_numbers(a) else self._bits(z3.fpRoundToIntegral(towards, self._number(a)))
        )

    def from_int(self, width: int, signed: bool) -> Callable[[Bits], Bits]:
        concrete = self._concrete.from_int(width, signed)
        convert = z3.fpSignedToFP if signed else z3.fpUnsignedToFP
        return lambda a: concrete(a) if _all_numbers(a) else self._bits(convert(z3.RNE(), a, self._sort))

    def to_int(self, width: int, signed: bool) -> Callable[[Bits], tuple[Bits, Truth]]:
        concrete = self._concrete.to_int(width, signed)

        def convert(a: Bits) -> tuple[Bits, Truth]:
            if _all_numbers(a):
                return concrete(a)
            number = self._number(a)
            whole = z3.fpRoundToIntegral(z3.RTZ(), number)
            low, high = (-(1 << (width - 1)), 1 << (width - 1)) if signed else (0, 1 << width)
            exact = z3.fpToReal(whole)
            finite = z3.Not(z3.Or(z3.fpIsNaN(number), z3.fpIsInf(number)))
            fits = z3.And(finite, exact >= low, exact < high)
            to = z3.fpToSBV if signed else z3.fpToUBV
            return self._folded(to(z3.RTZ(), number, z3.BitVecSort(width))), self._folded(fits)

        return convert

    def convert(self, kind: str) -> Callable[[Bits], Bits]:
        concrete = self._concrete.convert(kind)

        def change(a: Bits) -> Bits:
            if _all_numbers(a):
                return concrete(a)
            if kind not in _SORTS:
                raise NotModelled(f"symbolic {kind}")
            target = z3.fpFPToFP(z3.RNE(), self._number(a), z3.FPSort(*_SORTS[kind]))
            width = sum(_SORTS[kind])
            return self._folded(
                z3.If(z3.fpIsNaN(target), z3.BitVecVal(concrete(self.nan), width), z3.fpToIEEEBV(target))
            )

        return change

    @property
    def _wide(self) -> Any:
        """A format in which every number of ours is normal, and times each power of two that matters."""
        return z3.FPSort(self._sort.ebits() + 3, self._sort.sbits())

    def ldexp(self, width: int) -> Callable[[Bits, Bits], Bits]:
        """Times a power of two in the wide format, which is exact; rounded once, into ours."""
        concrete = self._concrete.ldexp(width)

        def scale(a: Bits, power: Bits) -> Bits:
            if _all_numbers(a, power):
                return concrete(a, power)
            wide = self._wide
            exponent, fraction = wide.ebits(), wide.sbits() - 1
            limit = (1 << self._sort.ebits()) + 2 * wide.sbits()  # beyond any two numbers' distance
            room = max(width, exponent) + 1
            n = power if isinstance(power, z3.BitVecRef) else z3.BitVecVal(power, width)
            n = z3.SignExt(room - width, n)
            n = z3.If(n > limit, limit, z3.If(n < -limit, -limit, n))
            field = z3.Extract(exponent - 1, 0, n) + ((1 << (exponent - 1)) - 1)
            factor = z3.fpBVToFP(z3.Concat(z3.BitVecVal(0, 1), field, z3.BitVecVal(0, fraction)), wide)
            product = z3.fpMul(z3.RNE(), z3.fpFPToFP(z3.RNE(), self._number(a), wide), factor)
            return self._bits(z3.fpFPToFP(z3.RNE(), product, self._sort))

        return scale

    def frexp(self, width: int) -> Callable[[Bits], tuple[Bits, Bits]]:
        """The parts of the number in the wide format, where no number is subnormal."""
        concrete = self._concrete.frexp(width)

        def split(a: Bits) -> tuple[Bits, Bits]:
            if _all_numbers(a):
                return concrete(a)
            wide, number = self._wide, self._number(a)
            exponent, fraction = wide.ebits(), wide.sbits() - 1
            half = (1 << (exponent - 1)) - 2  # the field of numbers in [1/2, 1)
            bits = z3.fpToIEEEBV(z3.fpFPToFP(z3.RNE(), number, wide))
            sign = z3.Extract(exponent + fraction, exponent + fraction, bits)
            parts = z3.Concat(sign, z3.BitVecVal(half, exponent), z3.Extract(fraction - 1, 0, bits))
            scaled = z3.fpFPToFP(z3.RNE(), z3.fpBVToFP(parts, wide), self._sort)
            power = z3.Extract(exponent + fraction - 1, fraction, bits) - half
            power = z3.Extract(width - 1, 0, z3.SignExt(max(0, width - exponent), power))
            whole = z3.Or(z3.fpIsNaN(number), z3.fpIsInf(number), z3.fpIsZero(number))
            return self._bits(z3.If(whole, number, scaled)), self._folded(z3.If(whole, 0, power))

        return split

    def function(self, name: str) -> Callable[..., Bits]:
        concrete = self._concrete.function(name)

        def call(*operands: Bits) -> Bits:
            if _all_numbers(*operands):
                return concrete(*operands)
            raise NotModelled(f"{name} of symbolic operands")

        return call


_ONE = RLock()


@contextmanager
def one_thread() -> Iterator[None]:
    """What asks z3 does it in here, from its first term to its last: z3 has one context for all terms, which
    serves one thread at a time. Other threads wait."""
    with _ONE:
        _collectors_may_drop_terms()
        yield


@cache
def _collectors_may_drop_terms() -> None:
    """Python's collector of garbage runs in whatever thread allocates."""
    z3.Z3_enable_concurrent_dec_ref(z3.main_ctx().ref())


def check(solver: z3.Solver, *assumptions: Any, seconds: float | None = None) -> z3.CheckSatResult:
    """``solver.check``, for so many ``seconds`` at most. An interrupt is handed back to Python.

    :raises KeyboardInterrupt: if the answer was cut short by one
    """
    if seconds is not None:
        solver.set("timeout", max(1, int(seconds * 1000)))
    answer = solver.check(*assumptions)
    if answer == z3.unknown:
        reason = solver.reason_unknown()
        # z3 takes SIGINT for itself; some of its parts then say what they say of a time-out, too
        if reason == "interrupted from keyboard" or (reason == "canceled" and seconds is None):
            signal.raise_signal(signal.SIGINT)
            raise KeyboardInterrupt
    return answer


# -- The symbolic domain: bit-vectors and truth values are z3 terms wherever they are not known
# What is known stays a Python int or bool and is computed by the concrete domain, so that terms hold only
# what depends on an unknown. z3 is imported here and in ``sched`` alone.

Decide = Callable[[Truth], bool]
"""Answers an unknown truth value for the path that is being followed, and remembers the answer."""


def all_numbers(*parts: Any) -> bool:
    """Whether none of these is a term."""
    return not any(isinstance(part, z3.ExprRef) for part in parts)


def bit_vector(bits: Bits, width: int) -> z3.BitVecRef:
    """Bits as a term."""
    return bits if isinstance(bits, z3.BitVecRef) else z3.BitVecVal(bits, width)


def boolean(truth: Truth) -> z3.BoolRef:
    """A truth value as a term."""
    return truth if isinstance(truth, z3.BoolRef) else z3.BoolVal(bool(truth))


def folded(term: Any) -> Any:
    """A term without its constants: an int or bool where it has one value."""
    term = z3.simplify(term)
    if z3.is_bv_value(term):
        return term.as_long()
    if z3.is_true(term):
        return True
    return False if z3.is_false(term) else term


class Folding:
    """:func:`folded`, each term once: z3 orders the operands of what commutes by when they were made, so a
    term that is folded anew may come out as another one. A walk that follows the same answers again then
    asks another question, and takes the next answer for its own (it did: a thread branched on poison that
    was none)."""

    def __init__(self) -> None:
        self._of: dict[int, tuple[Any, Any]] = {}

    def __call__(self, term: Any) -> Any:
        known = self._of.get(term.get_id())
        if known is None:  # the term is kept, so that no other gets its number
            known = self._of[term.get_id()] = term, folded(term)
        return known[1]


class SymbolicWidth:
    """Bit-vectors of one width: :class:`ConcreteWidth` where all operands are known, else terms."""

    def __init__(self, width: int, folding: Folding) -> None:
        self.width = width
        self._concrete = ConcreteWidth(width)
        self._folded = folding

    def constant(self, value: int) -> Bits:
        return self._concrete.constant(value)

    def _do(self, name: str, term: Callable[..., Any], *operands: Bits) -> Any:
        if all_numbers(*operands):
            return getattr(self._concrete, name)(*operands)
        return self._folded(term(*(bit_vector(o, self.width) for o in operands)))

    def add(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("add", lambda x, y: x + y, a, b)

    def sub(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("sub", lambda x, y: x - y, a, b)

    def mul(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("mul", lambda x, y: x * y, a, b)

    def udiv(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("udiv", z3.UDiv, a, b)

    def urem(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("urem", z3.URem, a, b)

    def sdiv(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("sdiv", lambda x, y: x / y, a, b)

    def srem(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("srem", z3.SRem, a, b)

    def neg(self, a: Bits, /) -> Bits:
        return self._do("neg", lambda x: -x, a)

    def and_(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("and_", lambda x, y: x & y, a, b)

    def or_(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("or_", lambda x, y: x | y, a, b)

    def xor(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("xor", lambda x, y: x ^ y, a, b)

    def not_(self, a: Bits, /) -> Bits:
        return self._do("not_", lambda x: ~x, a)

    def shl(self, a: Bits, b: Bits, /) -> Bits:
        """By a known number it is a multiplication, as which z3 tells it equal to sums and products."""
        if isinstance(b, int):
            factor = 1 << b if b < self.width else 0  # such a shift is poison: nobody looks at its bits
            return self._do("shl", lambda x, y: x * z3.BitVecVal(factor, self.width), a, b)
        return self._do("shl", lambda x, y: x << y, a, b)

    def lshr(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("lshr", z3.LShR, a, b)

    def ashr(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("ashr", lambda x, y: x >> y, a, b)

    def eq(self, a: Bits, b: Bits, /) -> Truth:
        return self._do("eq", lambda x, y: x == y, a, b)

    def ne(self, a: Bits, b: Bits, /) -> Truth:
        return self._do("ne", lambda x, y: x != y, a, b)

    def ult(self, a: Bits, b: Bits, /) -> Truth:
        return self._do("ult", z3.ULT, a, b)

    def ule(self, a: Bits, b: Bits, /) -> Truth:
        return self._do("ule", z3.ULE, a, b)

    def slt(self, a: Bits, b: Bits, /) -> Truth:
        return self._do("slt", lambda x, y: x < y, a, b)

    def sle(self, a: Bits, b: Bits, /) -> Truth:
        return self._do("sle", lambda x, y: x <= y, a, b)

    def uadd_overflows(self, a: Bits, b: Bits, /) -> Truth:
        return self._do("uadd_overflows", lambda x, y: z3.Not(z3.BVAddNoOverflow(x, y, False)), a, b)

    def sadd_overflows(self, a: Bits, b: Bits, /) -> Truth:
        return self._wide("sadd_overflows", lambda x, y: x + y, 1, a, b)

    def usub_overflows(self, a: Bits, b: Bits, /) -> Truth:
        return self._do("usub_overflows", z3.ULT, a, b)

    def ssub_overflows(self, a: Bits, b: Bits, /) -> Truth:
        return self._wide("ssub_overflows", lambda x, y: x - y, 1, a, b)

    def umul_overflows(self, a: Bits, b: Bits, /) -> Truth:
        return self._do("umul_overflows", lambda x, y: z3.Not(z3.BVMulNoOverflow(x, y, False)), a, b)

    def smul_overflows(self, a: Bits, b: Bits, /) -> Truth:
        return self._wide("smul_overflows", lambda x, y: x * y, self.width, a, b)

    def _wide(self, name: str, operation: Callable[[Any, Any], Any], more: int, a: Bits, b: Bits) -> Truth:
        """Whether a signed result, computed with ``more`` bits, does not fit."""
        width = self.width

        def overflows(x: z3.BitVecRef, y: z3.BitVecRef) -> z3.BoolRef:
            exact = operation(z3.SignExt(more, x), z3.SignExt(more, y))
            return cast(z3.BoolRef, exact != z3.SignExt(more, z3.Extract(width - 1, 0, exact)))

        return self._do(name, overflows, a, b)

    def ctpop(self, a: Bits, /) -> Bits:
        def count(x: z3.BitVecRef) -> Any:
            total: Any = z3.BitVecVal(0, self.width)
            for i in range(self.width):
                total = total + _resized(z3.Extract(i, i, x), self.width)
            return total

        return self._do("ctpop", count, a)

    def ctlz(self, a: Bits, /) -> Bits:
        return self._do("ctlz", lambda x: self._zeros(x, range(self.width)), a)

    def cttz(self, a: Bits, /) -> Bits:
        return self._do("cttz", lambda x: self._zeros(x, reversed(range(self.width))), a)

    def _zeros(self, x: z3.BitVecRef, order: Any) -> Any:
        """The zero bits before the first one; ``order`` goes from the last place looked at to the first."""
        count: Any = z3.BitVecVal(self.width, self.width)
        for i in order:
            before = self.width - 1 - i if isinstance(order, range) else i
            count = z3.If(z3.Extract(i, i, x) == 1, z3.BitVecVal(before, self.width), count)
        return count


def _resized(bit: Any, width: int) -> Any:
    return bit if width == 1 else z3.ZeroExt(width - 1, bit)


class SymbolicDomain:
    """Terms where values are not known. ``decide`` answers what the path depends on."""

    true = True
    false = False

    def __init__(self, decide: Decide) -> None:
        self.decide = decide
        self._concrete = ConcreteDomain()
        self.folded = Folding()
        self._widths: dict[int, SymbolicWidth] = {}
        self._floats: dict[str, SymbolicFloats] = {}

    def width(self, width: int) -> SymbolicWidth:
        entry = self._widths.get(width)
        if entry is None:
            entry = self._widths[width] = SymbolicWidth(width, self.folded)
        return entry

    def floats(self, kind: str) -> SymbolicFloats:
        entry = self._floats.get(kind)
        if entry is None:
            entry = self._floats[kind] = SymbolicFloats(kind, self._concrete.floats(kind), self.folded)
        return entry

    def both(self, a: Truth, b: Truth, /) -> Truth:
        if a is False or b is False:
            return False
        if a is True:
            return b
        return a if b is True else self.folded(z3.And(a, b))

    def either(self, a: Truth, b: Truth, /) -> Truth:
        if a is True or b is True:
            return True
        if a is False:
            return b
        return a if b is False else self.folded(z3.Or(a, b))

    def negate(self, a: Truth, /) -> Truth:
        return not a if isinstance(a, bool) else self.folded(z3.Not(a))

    def ite(self, condition: Truth, then: Bits, otherwise: Bits, /) -> Bits:
        if isinstance(condition, bool):
            return then if condition else otherwise
        if all_numbers(then, otherwise) and then == otherwise:
            return then
        term = then if isinstance(then, z3.BitVecRef) else otherwise
        if not isinstance(term, z3.BitVecRef):
            # two known results of unknown width: the path decides
            return then if self.decide(condition) else otherwise
        return self.folded(
            z3.If(condition, bit_vector(then, term.size()), bit_vector(otherwise, term.size()))
        )

    def choose(self, condition: Truth, then: RuntimeValue, otherwise: RuntimeValue, /) -> RuntimeValue:
        if not isinstance(condition, bool):
            mixed = self._mixed(condition, then, otherwise)
            if mixed is not None:
                return mixed
            condition = self.decide(condition)
        return then if condition else otherwise

    def _mixed(
        self, condition: z3.BoolRef, then: RuntimeValue, otherwise: RuntimeValue
    ) -> RuntimeValue | None:
        """Both in one term, where their kinds allow; ``None``: the path has to decide."""
        if isinstance(then, Composite) and isinstance(otherwise, Composite):
            parts = [
                self._mixed(condition, a, b) for a, b in zip(then.elements, otherwise.elements, strict=True)
            ]
            done = tuple(p for p in parts if p is not None)
            return Composite(done) if len(done) == len(parts) else None
        if type(then) is not Value or type(otherwise) is not Value:
            return then if then == otherwise and not isinstance(then, Pointer) else None
        if all_numbers(then.bits, otherwise.bits) and then.bits != otherwise.bits:
            return None
        return Value(
            self.ite(condition, then.bits, otherwise.bits),
            self.folded(z3.If(condition, boolean(then.poison), boolean(otherwise.poison))),
        )

    def bit(self, truth: Truth, /) -> Bits:
        if isinstance(truth, bool):
            return int(truth)
        return self.folded(z3.If(truth, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)))

    def truth(self, bit: Bits, /) -> Truth:
        return bool(bit) if all_numbers(bit) else self.folded(bit == 1)

    def zext(self, source: int, target: int) -> Callable[[Bits], Bits]:
        return lambda a: (
            a if all_numbers(a) or source == target else self.folded(z3.ZeroExt(target - source, a))
        )

    def sext(self, source: int, target: int) -> Callable[[Bits], Bits]:
        concrete = self._concrete.sext(source, target)
        return lambda a: concrete(a) if all_numbers(a) else self.folded(z3.SignExt(target - source, a))

    def trunc(self, source: int, target: int) -> Callable[[Bits], Bits]:
        return self.extract(target - 1, 0)

    def extract(self, high: int, low: int) -> Callable[[Bits], Bits]:
        concrete = self._concrete.extract(high, low)
        return lambda a: concrete(a) if all_numbers(a) else self.folded(z3.Extract(high, low, a))

    def concat(self, parts: Sequence[Bits], widths: Sequence[int]) -> Bits:
        if all_numbers(*parts):
            return self._concrete.concat(parts, widths)
        terms = [bit_vector(part, width) for part, width in zip(parts, widths, strict=True)]
        return terms[0] if len(terms) == 1 else self.folded(z3.Concat(*reversed(terms)))

    def require(self, condition: Truth, reason: str, section: str, /) -> None:
        holds = condition if isinstance(condition, bool) else self.decide(condition)
        if not holds:
            raise Undefined(reason, section)

    def concrete(self, bits: Bits, what: str, guess: int | None = None, /) -> int:
        if isinstance(bits, int):
            return bits
        raise NotModelled(what)
