"""The emitting domain: bit-vectors and truth values are SSA values of LLVM IR where only the run knows them.

What is known when an instruction is prepared stays a Python int or bool and is computed by the concrete
domain, so that poison that cannot be costs nothing. What the reference would refuse or end with, and what
cannot be emitted, is handed back to it: by a guard at run time, or by :class:`.emission.NotNative` at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..values.value import NULL, OUTSIDE, Bits, Composite, Pointer, Provenance, RuntimeValue, Truth, Value
from .concrete import ConcreteDomain, ConcreteWidth
from .emission import EmittedLines, KnownBits, NotNative, Term, int_text, unknown
from .emitting_floats import EmittingFloats, emitting_floats

WIDEST = 1024
"""Bits of the widest integer that is emitted."""
WIDEST_DIVIDED = 64
"""Bits of the widest integer that is divided: wider ones need a run-time library that may not be there."""
ANYWHERE_NUMBER, NULL_NUMBER = 0, 1
"""The numbers of objects that stand for no provenance, and for that of ``null``."""
_NUMBER_BITS = 32


def refuse(condition: object) -> None:
    """A guard for where nothing may need one: what is known to fail, and what is not known, is not native."""
    raise NotNative("an operation that may be undefined")


class EmittingWidth:
    """Bit-vectors of one width: :class:`ConcreteWidth` where all operands are known, else SSA values."""

    def __init__(self, width: int, code: EmittedLines) -> None:
        if width > WIDEST:
            raise NotNative(f"an integer of {width} bits")
        self.width = width
        self._code = code
        self._concrete = ConcreteWidth(width)

    def constant(self, value: Any) -> Bits:
        """An int of any sign modulo 2^n; an SSA value of another width is cut, or extended by zeros."""
        if isinstance(value, Term):
            return resized(self._code, value, self.width)
        return KnownBits(self._concrete.constant(value), self.width)

    def _known_bits(self, name: str, *operands: Bits) -> Bits:
        return KnownBits(getattr(self._concrete, name)(*operands), self.width)

    def _do(self, opcode: str, a: Bits, b: Bits) -> Term:
        return self._code.value(self.width, f"{opcode} i{self.width} {int_text(a)}, {int_text(b)}")

    def _compare(self, predicate: str, a: Bits, b: Bits) -> Term:
        return self._code.value(1, f"icmp {predicate} i{self.width} {int_text(a)}, {int_text(b)}")

    def _select(self, condition: Truth, then: Bits, otherwise: Bits) -> Bits:
        choice = selected(self._code, condition, then, otherwise, self.width)
        return choice if isinstance(choice, Term) else KnownBits(choice, self.width)

    def add(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("add", a, b) if unknown(a, b) else self._known_bits("add", a, b)

    def sub(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("sub", a, b) if unknown(a, b) else self._known_bits("sub", a, b)

    def mul(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("mul", a, b) if unknown(a, b) else self._known_bits("mul", a, b)

    def _divisor(self, b: Bits, signed: bool) -> tuple[Truth, Bits]:
        """Whether division by this is defined to LLVM whatever the dividend, and a divisor by which it is."""
        if self.width > WIDEST_DIVIDED:
            raise NotNative(f"division of i{self.width}")
        if not isinstance(b, Term):
            safe = b != 0 and not (signed and b == self._concrete.constant(-1))
            return safe, b if safe else 1
        safe = self._compare("ne", b, 0)
        if signed:
            less_one = self._compare("ne", b, self._concrete.constant(-1))
            safe = self._code.value(1, f"and i1 {safe}, {less_one}")
        return safe, self._select(safe, b, 1)

    def udiv(self, a: Bits, b: Bits, /) -> Bits:
        if not unknown(a, b):
            return self._known_bits("udiv", a, b)
        safe, divisor = self._divisor(b, False)
        return self._select(safe, self._do("udiv", a, divisor), 0)

    def urem(self, a: Bits, b: Bits, /) -> Bits:
        if not unknown(a, b):
            return self._known_bits("urem", a, b)
        safe, divisor = self._divisor(b, False)
        return self._select(safe, self._do("urem", a, divisor), a)

    def sdiv(self, a: Bits, b: Bits, /) -> Bits:
        """By -1 it is the negation, by 0 it is 0."""
        if not unknown(a, b):
            return self._known_bits("sdiv", a, b)
        if self.width == 1:  # to LLVM each such division overflows
            return self.and_(a, b)
        safe, divisor = self._divisor(b, True)
        if safe is True:
            return self._do("sdiv", a, divisor)
        otherwise = self._select(self.eq(b, self.constant(0)), 0, self.neg(a))
        return self._select(safe, self._do("sdiv", a, divisor), otherwise)

    def srem(self, a: Bits, b: Bits, /) -> Bits:
        """By -1 it is 0, by 0 the dividend."""
        if not unknown(a, b):
            return self._known_bits("srem", a, b)
        if self.width == 1:
            return self.and_(a, self.not_(b))
        safe, divisor = self._divisor(b, True)
        if safe is True:
            return self._do("srem", a, divisor)
        otherwise = self._select(self.eq(b, self.constant(0)), a, 0)
        return self._select(safe, self._do("srem", a, divisor), otherwise)

    def neg(self, a: Bits, /) -> Bits:
        return self._do("sub", 0, a) if isinstance(a, Term) else self._known_bits("neg", a)

    def and_(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("and", a, b) if unknown(a, b) else self._known_bits("and_", a, b)

    def or_(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("or", a, b) if unknown(a, b) else self._known_bits("or_", a, b)

    def xor(self, a: Bits, b: Bits, /) -> Bits:
        return self._do("xor", a, b) if unknown(a, b) else self._known_bits("xor", a, b)

    def not_(self, a: Bits, /) -> Bits:
        return self._do("xor", a, -1) if isinstance(a, Term) else self._known_bits("not_", a)

    def _shift(self, opcode: str, name: str, a: Bits, b: Bits) -> Bits:
        """Zero where the distance is the width or more."""
        if not unknown(a, b):
            return self._known_bits(name, a, b)
        if not isinstance(b, Term):
            return self._do(opcode, a, b) if b < self.width else self.constant(0)
        if self.width == 1:
            return self._do("and", a, self.not_(b))
        near = self._compare("ult", b, self.width)
        return self._select(near, self._do(opcode, a, self._select(near, b, 0)), 0)

    def shl(self, a: Bits, b: Bits, /) -> Bits:
        return self._shift("shl", "shl", a, b)

    def lshr(self, a: Bits, b: Bits, /) -> Bits:
        return self._shift("lshr", "lshr", a, b)

    def ashr(self, a: Bits, b: Bits, /) -> Bits:
        if not unknown(a, b):
            return self._known_bits("ashr", a, b)
        last = self.width - 1
        if self.width == 1:
            return a
        if not isinstance(b, Term):
            return self._do("ashr", a, min(b, last))
        return self._do("ashr", a, self._select(self._compare("ult", b, last), b, last))

    def eq(self, a: Bits, b: Bits, /) -> Truth:
        return self._compare("eq", a, b) if unknown(a, b) else a == b

    def ne(self, a: Bits, b: Bits, /) -> Truth:
        return self._compare("ne", a, b) if unknown(a, b) else a != b

    def ult(self, a: Bits, b: Bits, /) -> Truth:
        return self._compare("ult", a, b) if unknown(a, b) else a < b

    def ule(self, a: Bits, b: Bits, /) -> Truth:
        return self._compare("ule", a, b) if unknown(a, b) else a <= b

    def slt(self, a: Bits, b: Bits, /) -> Truth:
        return self._compare("slt", a, b) if unknown(a, b) else self._concrete.slt(a, b)

    def sle(self, a: Bits, b: Bits, /) -> Truth:
        return self._compare("sle", a, b) if unknown(a, b) else self._concrete.sle(a, b)

    def _overflows(self, name: str, a: Bits, b: Bits) -> Term:
        width = self.width
        operands = [(f"i{width}", int_text(a)), (f"i{width}", int_text(b))]
        pair = f"{{ i{width}, i1 }}"
        both = self._code.typed(self._code.call(pair, f"llvm.{name}.with.overflow.i{width}", operands))
        return self._code.value(1, f"extractvalue {pair} {both}, 1")

    def uadd_overflows(self, a: Bits, b: Bits, /) -> Truth:
        return self._overflows("uadd", a, b) if unknown(a, b) else self._concrete.uadd_overflows(a, b)

    def sadd_overflows(self, a: Bits, b: Bits, /) -> Truth:
        return self._overflows("sadd", a, b) if unknown(a, b) else self._concrete.sadd_overflows(a, b)

    def usub_overflows(self, a: Bits, b: Bits, /) -> Truth:
        return self._compare("ult", a, b) if unknown(a, b) else self._concrete.usub_overflows(a, b)

    def ssub_overflows(self, a: Bits, b: Bits, /) -> Truth:
        return self._overflows("ssub", a, b) if unknown(a, b) else self._concrete.ssub_overflows(a, b)

    def umul_overflows(self, a: Bits, b: Bits, /) -> Truth:
        if not unknown(a, b):
            return self._concrete.umul_overflows(a, b)
        return self._overflows("umul", a, b) if self.width <= 64 else self._wide_product("zext", a, b)

    def smul_overflows(self, a: Bits, b: Bits, /) -> Truth:
        if not unknown(a, b):
            return self._concrete.smul_overflows(a, b)
        return self._overflows("smul", a, b) if self.width <= 64 else self._wide_product("sext", a, b)

    def _wide_product(self, extend: str, a: Bits, b: Bits) -> Term:
        """Whether the product, computed in twice the width, does not fit."""
        code, n, m = self._code, self.width, 2 * self.width
        if m > WIDEST:
            raise NotNative(f"the whole product of i{n}")
        x, y = (code.typed(f"{extend} i{n} {int_text(o)} to i{m}") for o in (a, b))
        product = code.typed(f"mul i{m} {x}, {y}")
        low = code.typed(f"trunc i{m} {product} to i{n}")
        back = code.typed(f"{extend} i{n} {low} to i{m}")
        return code.value(1, f"icmp ne i{m} {back}, {product}")

    def _count(self, name: str, a: Term, flag: bool) -> Term:
        operands = [(f"i{self.width}", str(a)), *([("i1", "false")] if flag else [])]
        return self._code.value(
            self.width, self._code.call(f"i{self.width}", f"llvm.{name}.i{self.width}", operands)
        )

    def ctpop(self, a: Bits, /) -> Bits:
        return self._count("ctpop", a, False) if isinstance(a, Term) else self._known_bits("ctpop", a)

    def ctlz(self, a: Bits, /) -> Bits:
        return self._count("ctlz", a, True) if isinstance(a, Term) else self._known_bits("ctlz", a)

    def cttz(self, a: Bits, /) -> Bits:
        return self._count("cttz", a, True) if isinstance(a, Term) else self._known_bits("cttz", a)


def truth_text(truth: Truth) -> str:
    """A truth value as an operand of type ``i1``."""
    return truth.name if isinstance(truth, Term) else "true" if truth else "false"


def resized(code: EmittedLines, term: Term, width: int) -> Term:
    """A term cut, or with zeros in front."""
    if term.width == width:
        return term
    opcode = "zext" if term.width < width else "trunc"
    return code.value(width, f"{opcode} i{term.width} {term} to i{width}")


def selected(code: EmittedLines, condition: Truth, then: Bits, otherwise: Bits, width: int) -> Bits:
    """If-then-else on bits."""
    if not isinstance(condition, Term):
        return then if condition else otherwise
    if then is otherwise or (not unknown(then, otherwise) and then == otherwise):
        return then
    return code.value(
        width, f"select i1 {condition}, i{width} {int_text(then)}, i{width} {int_text(otherwise)}"
    )


Guard = Callable[[Truth], None]
"""Emits: go on if this holds, else hand the instruction back to the reference."""
Field = Callable[[Bits], Bits]
"""From an object's number to one of its fields, as an ``i64``."""


class EmittedProvenance:
    """The object that a pointer is based on, by its ``number`` in the table of objects.

    It is like a :class:`Provenance` to instruction functions: its truth is emitted as a guard that the
    pointer is based on some object (others are handed back), its base, size and room as loads from the table.
    """

    __slots__ = ("_domain", "number")

    def __init__(self, domain: EmittingDomain, number: Term) -> None:
        self._domain = domain
        self.number = number

    def __bool__(self) -> bool:
        d = self._domain
        d.guard(d.width(_NUMBER_BITS).ne(self.number, ANYWHERE_NUMBER))
        return True

    @property
    def base(self) -> Bits:
        return self._domain.base_of(self.number)

    @property
    def size(self) -> Bits:
        return self._domain.size_of(self.number)

    @property
    def room(self) -> Bits:
        return self._domain.room_of(self.number)

    def __getattr__(self, name: str) -> Any:
        raise NotNative(f"the {name} of the object that a pointer is based on")

    def __eq__(self, other: object) -> bool:
        if isinstance(other, EmittedProvenance) and other.number is self.number:
            return True
        raise NotNative("a decision on the object that a pointer is based on")

    def __hash__(self) -> int:
        return hash(self.number)


def _no_number(provenance: Provenance) -> int:
    raise NotNative(f"a pointer to {provenance.name}")


def _no_field(number: Bits) -> Bits:
    raise NotNative("the bounds of an object")


class EmittingDomain:
    """SSA values where only the run knows.

    ``guard`` hands back unless its condition holds; ``number_of`` gives the number of an object that is
    known when code is made; ``base_of``, ``size_of`` and ``room_of`` ask the table.
    """

    true = True
    false = False

    def __init__(
        self,
        code: EmittedLines,
        guard: Guard = refuse,
        number_of: Callable[[Provenance], int] = _no_number,
        base_of: Field = _no_field,
        size_of: Field = _no_field,
        room_of: Field = _no_field,
    ) -> None:
        self.code = code
        self.base_of = base_of
        self.size_of = size_of
        self.room_of = room_of
        self._guard = guard
        self._number_of = number_of
        self._concrete = ConcreteDomain()
        self._widths: dict[int, EmittingWidth] = {}
        self._floats: dict[str, EmittingFloats] = {}

    def width(self, width: int) -> EmittingWidth:
        known = self._widths.get(width)
        if known is None:
            known = self._widths[width] = EmittingWidth(width, self.code)
        return known

    def floats(self, kind: str) -> EmittingFloats:
        known = self._floats.get(kind)
        if known is None:
            known = self._floats[kind] = emitting_floats(self.code, self._concrete.floats(kind))
        return known

    # -- truth values -------------------------------------------------------------------------------

    def both(self, a: Truth, b: Truth, /) -> Truth:
        if a is False or b is False:
            return False
        if a is True:
            return b
        return a if b is True or a is b else self.code.value(1, f"and i1 {a}, {b}")

    def either(self, a: Truth, b: Truth, /) -> Truth:
        if a is True or b is True:
            return True
        if a is False:
            return b
        return a if b is False or a is b else self.code.value(1, f"or i1 {a}, {b}")

    def negate(self, a: Truth, /) -> Truth:
        return self.code.value(1, f"xor i1 {a}, true") if isinstance(a, Term) else not a

    def bit(self, truth: Truth, /) -> Bits:
        return truth if isinstance(truth, Term) else KnownBits(int(truth), 1)

    def truth(self, bit: Bits, /) -> Truth:
        return bit if isinstance(bit, Term) else bool(bit)

    # -- choices ------------------------------------------------------------------------------------

    def ite(self, condition: Truth, then: Bits, otherwise: Bits, /) -> Bits:
        if not isinstance(condition, Term):
            return then if condition else otherwise
        width = getattr(then, "width", None) or getattr(otherwise, "width", None)
        if width is None:
            raise NotNative("a choice between numbers of unknown width")
        return selected(self.code, condition, then, otherwise, width)

    def choose(self, condition: Truth, then: RuntimeValue, otherwise: RuntimeValue, /) -> RuntimeValue:
        if not isinstance(condition, Term):
            return then if condition else otherwise
        if isinstance(then, Composite) and isinstance(otherwise, Composite):
            pairs = zip(then.elements, otherwise.elements, strict=True)
            return Composite(tuple(self.choose(condition, a, b) for a, b in pairs))
        assert isinstance(then, Value) and isinstance(otherwise, Value)
        if then.undef or otherwise.undef:
            raise NotNative("a choice of undef")
        bits = self.ite(condition, then.bits, otherwise.bits)
        poison = self._mixed(condition, then.poison, otherwise.poison)
        if not isinstance(then, Pointer):
            return Value(bits, poison)
        return Pointer(bits, self._mixed_provenance(condition, then, otherwise), poison)

    def _mixed(self, condition: Term, then: Truth, otherwise: Truth) -> Truth:
        if not unknown(then, otherwise) and then == otherwise:
            return then
        if then is otherwise:
            return then
        return self.code.value(1, f"select i1 {condition}, i1 {truth_text(then)}, i1 {truth_text(otherwise)}")

    def _mixed_provenance(self, condition: Term, then: Value, otherwise: Value) -> Any:
        if then.provenance is otherwise.provenance:
            return then.provenance
        first, second = self.object_number(then), self.object_number(otherwise)
        return self.provenance(selected(self.code, condition, first, second, _NUMBER_BITS))

    # -- pointers -----------------------------------------------------------------------------------

    def object_number(self, pointer: Value) -> Bits:
        """The number of the object that a pointer is based on, an ``i32``."""
        provenance: Any = pointer.provenance
        if isinstance(provenance, EmittedProvenance):
            return provenance.number
        if provenance is None:
            return KnownBits(ANYWHERE_NUMBER, _NUMBER_BITS)
        if provenance == NULL:
            return KnownBits(NULL_NUMBER, _NUMBER_BITS)
        if provenance.id == OUTSIDE:
            raise NotNative("a pointer out of the program")
        return KnownBits(self._number_of(provenance), _NUMBER_BITS)

    def provenance(self, number: Bits) -> Any:
        """What a pointer is based on, from the object's number: what instruction functions take for a
        :class:`Provenance`."""
        if isinstance(number, Term):
            return EmittedProvenance(self, number)
        if number == ANYWHERE_NUMBER:
            return None
        if number == NULL_NUMBER:
            return NULL
        raise NotNative("an object that is known by its number alone")

    # -- widths -------------------------------------------------------------------------------------

    def _resize(self, opcode: str, target: int) -> Callable[[Bits], Bits]:
        if target > WIDEST:
            raise NotNative(f"an integer of {target} bits")
        return lambda a: self.code.value(target, f"{opcode} i{a.width} {a} to i{target}")

    def zext(self, source: int, target: int) -> Callable[[Bits], Bits]:
        if source == target:
            return lambda a: a
        extend = self._resize("zext", target)
        return lambda a: extend(a) if isinstance(a, Term) else KnownBits(a, target)

    def sext(self, source: int, target: int) -> Callable[[Bits], Bits]:
        if source == target:
            return lambda a: a
        extend, concrete = self._resize("sext", target), self._concrete.sext(source, target)
        return lambda a: extend(a) if isinstance(a, Term) else KnownBits(concrete(a), target)

    def trunc(self, source: int, target: int) -> Callable[[Bits], Bits]:
        return self.extract(target - 1, 0)

    def extract(self, high: int, low: int) -> Callable[[Bits], Bits]:
        width = high - low + 1
        concrete, cut = self._concrete.extract(high, low), self._resize("trunc", width)

        def extract(a: Bits) -> Bits:
            if not isinstance(a, Term):
                return KnownBits(concrete(a), width)
            if low:
                a = self.code.value(a.width, f"lshr i{a.width} {a}, {low}")
            return a if a.width == width else cut(a)

        return extract

    def concat(self, parts: Sequence[Bits], widths: Sequence[int]) -> Bits:
        total = sum(widths)
        if not unknown(*parts):
            return KnownBits(self._concrete.concat(parts, widths), total)
        w, at = self.width(total), 0
        whole: Bits = w.constant(0)
        for part, width in zip(parts, widths, strict=True):
            wide = self.zext(width, total)(part)
            whole, at = w.or_(whole, w.shl(wide, at)) if at else wide, at + width
        return whole

    # -- what is handed back ------------------------------------------------------------------------

    def guard(self, condition: Truth) -> None:
        """Hand the instruction back to the reference unless the condition holds."""
        if isinstance(condition, Term):
            self._guard(condition)
        elif not condition:
            raise NotNative("an instruction that never goes on by itself")

    def require(self, condition: Truth, reason: str, section: str, /) -> None:
        """The reference says what is undefined, and where."""
        self.guard(condition)

    def concrete(self, bits: Bits, what: str, guess: int | None = None, /) -> int:
        if not isinstance(bits, Term):
            return int(bits)
        if guess is None:
            raise NotNative(what)
        width = self.width(bits.width)
        known = int(width.constant(guess))
        self.guard(width.eq(bits, known))
        return known
