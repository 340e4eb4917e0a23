"""The domain that emits LLVM IR: the text of a function in the making, IEEE numbers in it, bit-vectors as
SSA values.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from struct import pack
from typing import Any

from ..values import NULL, OUTSIDE, Bits, Composite, Pointer, Provenance, RuntimeValue, Truth, Value
from . import ConcreteDomain, ConcreteWidth
from .host_floats import FUNCTIONS, LIBRARY, ConcreteFloats, call_host, concrete_floats

# ----------------------------------------------------------------------------------------------------------
# LLVM IR in the making, as text: the body of one function, line by line.
#
# Text, as llvmlite's own builder takes ten times as long, and the first answer must not wait. What is
# written here is always defined to LLVM: no operation on it may be poison or undefined behaviour, whatever
# the operands (the program's own poison is a value beside the bits). So LLVM's optimizer may take it as it
# stands.
# ----------------------------------------------------------------------------------------------------------


class NotNative(Exception):
    """``feature`` cannot be emitted: the instruction is left to the reference. Stays in the native engine."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.feature = what


class KnownBits(int):
    """A constant of a known width: as ``int``, but two of them say how wide a choice between them is."""

    width: int

    def __new__(cls, value: int, width: int) -> KnownBits:
        known = super().__new__(cls, value)
        known.width = width
        return known


class Term:
    """An SSA value of type ``i<width>``; its text is its name.

    ``number`` is the same as a floating-point SSA value, up to a NaN's payload, where there is one: its type
    and name.
    """

    __slots__ = ("name", "number", "width")

    def __init__(self, name: str, width: int, number: tuple[str, str] | None = None) -> None:
        self.name = name
        self.width = width
        self.number = number

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"i{self.width} {self.name}"

    def _unknown(self, *others: object) -> Any:
        raise NotNative("a decision on a value that only the run knows")

    __bool__ = __int__ = __index__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _unknown
    __hash__ = _unknown


class EmittedLines:
    """The lines of one function body; ``block`` is the label of the basic block that is being filled.

    ``declarations`` are the functions that the body calls, by name; ``symbols`` are the addresses of those
    that are no intrinsics.
    """

    def __init__(self, block: str = "entry") -> None:
        self.lines: list[str] = [f"{block}:"]
        self.block = block
        self.declarations: dict[str, str] = {}
        self.symbols: dict[str, int] = {}
        self._count = 0

    def fresh(self) -> str:
        """A name that no value has yet."""
        self._count += 1
        return f"%v{self._count}"

    def line(self, text: str) -> None:
        """An instruction without a result."""
        self.lines.append(f"  {text}")

    def typed(self, text: str) -> str:
        """An instruction's result, of whatever type: its name."""
        name = self.fresh()
        self.lines.append(f"  {name} = {text}")
        return name

    def value(self, width: int, text: str) -> Term:
        """An instruction's result, of type ``i<width>``."""
        return Term(self.typed(text), width)

    def new_label(self, hint: str) -> str:
        """A label that no block has yet."""
        self._count += 1
        return f"{hint}.{self._count}"

    def label(self, name: str) -> None:
        """A new basic block begins; the one before has its terminator."""
        self.lines.append(f"{name}:")
        self.block = name

    def call(self, result: str, name: str, operands: Sequence[tuple[str, str]], attributes: str = "") -> str:
        """The text of a call of a declared function: operands as types and names."""
        if name not in self.declarations:
            types = ", ".join(type_ for type_, _ in operands)
            self.declarations[name] = f"declare {result} @{name}({types}) {attributes}".rstrip()
        return f"call {result} @{name}({', '.join(f'{t} {v}' for t, v in operands)})"


def unknown(*parts: Any) -> bool:
    """Whether one of these is an SSA value."""
    return any(isinstance(part, Term) for part in parts)


def int_text(bits: Any) -> str:
    """Bits as an operand of an integer type."""
    return bits.name if isinstance(bits, Term) else str(int(bits))


# ----------------------------------------------------------------------------------------------------------
# IEEE numbers in emitted code, as bit patterns: bit for bit what :mod:`.host_floats` computes.
#
# The host computes in float and double. The other formats are computed in a wider one and rounded once
# more. That is exact for one operation where the wider precision is at least twice the narrower and two
# more (half and bfloat in float; Figueroa, *When is double rounding innocuous?*); elsewhere the first
# rounding is to odd, after which a second one to nearest gives the nearest number (Boldo and Melquiond,
# *Emulation of FMA and correctly rounded sums*). Conversions of half and bfloat are made of integer
# operations, as hosts and run-time libraries differ in what they have.
# ----------------------------------------------------------------------------------------------------------


# ----------------------------------------------------------------------------------------------------------
# The host's libm for emitted code: the same functions that the concrete domain calls through Python.
#
# A function is given only if it agrees with Python's on operands of every kind; what Python does around it
# (its exceptions) is undone by the concrete domain, so that C's answers are left on both ways.
# ----------------------------------------------------------------------------------------------------------

SYMBOL = "convcheck.libm."
"""Before a function's name in emitted code: under its own name LLVM would take what it knows of C's library
and change calls into other ones, which round otherwise."""
_NAMES: Mapping[str, tuple[str, int]] = {
    **{name: (name, 2 if name in ("pow", "atan2") else 1) for name in (*FUNCTIONS, *LIBRARY)},
    "fmod": ("fmod", 2), "exp10": ("pow", 2),
}  # fmt: skip
"""The function in C that is called for a function, and how many operands it has. Python computes ``exp10`` as
a power of ten."""
_SAMPLES = (
    0.0, -0.0, 0.5, -0.75, 1.0, -1.0, 1.5, 2.0, -2.0, 3.0, 0.1, -0.3, 10.0, 21.7, -33.3, 700.5, -745.2, 1e5,
    1e22, 3.5e-5, 1e-300, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, -1e300, math.pi, math.e,
    math.inf, -math.inf, math.nan,
)  # fmt: skip


def _same(a: float, b: float) -> bool:
    return (a != a and b != b) or pack("<d", a) == pack("<d", b)


def _reference(name: str) -> Callable[..., float]:
    return math.fmod if name == "fmod" else (FUNCTIONS.get(name) or LIBRARY[name])


@cache
def address(name: str) -> int | None:
    """Where the function is that emitted code calls for ``name``; ``None`` where it is not found, or is not
    the one that Python calls."""
    if name not in _NAMES:
        return None
    symbol, count = _NAMES[name]
    try:
        function = getattr(ctypes.CDLL(None), symbol)
    except (AttributeError, OSError, TypeError):
        return None
    function.restype, function.argtypes = ctypes.c_double, (ctypes.c_double,) * count
    reference = _reference(name)
    operands = [(a, b) for a in _SAMPLES for b in _SAMPLES] if count == 2 else [(a,) for a in _SAMPLES]
    if name == "exp10":
        operands = [(a,) for a in _SAMPLES]
    for sample in operands:
        arguments = (10.0, *sample) if name == "exp10" else sample
        if not _same(function(*arguments), call_host(reference, list(sample))):
            return None
    return ctypes.cast(function, ctypes.c_void_p).value


def c_name(name: str) -> tuple[str, int]:
    """The function in C, and its number of operands."""
    return _NAMES[name]


_WIDEST_INTEGER = 64
"""Bits of the widest integer that is converted: wider ones need a run-time library."""


class _Lines:
    """Operations on SSA values by their names, one line each."""

    def __init__(self, code: EmittedLines) -> None:
        self.code = code

    def do(self, text: str) -> str:
        return self.code.typed(text)

    def select(self, condition: str, type_: str, then: str, otherwise: str) -> str:
        return self.do(f"select i1 {condition}, {type_} {then}, {type_} {otherwise}")

    def intrinsic(self, name: str, type_: str, *operands: str) -> str:
        suffix = {"float": "f32", "double": "f64"}[type_]
        return self.do(self.code.call(type_, f"llvm.{name}.{suffix}", [(type_, o) for o in operands]))

    # -- between formats, by names of float, double and integer values ------------------------------

    def narrowed_to_odd(self, double: str) -> str:
        """A double as a float, rounded to odd: cut towards zero, the last bit set if something was cut off.
        Infinities stay, NaNs stay NaNs."""
        nearest = self.do(f"fptrunc double {double} to float")
        back = self.do(f"fpext float {nearest} to double")
        bits = self.do(f"bitcast float {nearest} to i32")
        size, whole = self.intrinsic("fabs", "double", back), self.intrinsic("fabs", "double", double)
        beyond = self.do(f"fcmp ogt double {size}, {whole}")
        less = self.do(f"zext i1 {beyond} to i32")
        cut = self.do(f"sub i32 {bits}, {less}")
        inexact = self.do(f"fcmp one double {size}, {whole}")
        sticky = self.do(f"zext i1 {inexact} to i32")
        return self.do(f"bitcast i32 {self.do(f'or i32 {cut}, {sticky}')} to float")

    def half_of(self, single: str) -> str:
        """The nearest half to a float, as an ``i16``; of a NaN anything."""
        bits = self.do(f"bitcast float {single} to i32")
        magnitude = self.do(f"and i32 {bits}, 2147483647")
        sign = self.do(f"and i32 {self.do(f'lshr i32 {bits}, 16')}, 32768")
        last = self.do(f"and i32 {self.do(f'lshr i32 {magnitude}, 13')}, 1")
        rounded = self.do(f"add i32 {self.do(f'add i32 {magnitude}, 4095')}, {last}")
        normal = self.do(f"sub i32 {self.do(f'lshr i32 {rounded}, 13')}, {112 << 10}")
        # below 2^-14 the sum with 1/2, whose last place is a subnormal half's, rounds as wanted
        size = self.do(f"bitcast i32 {magnitude} to float")
        pushed = self.do(f"bitcast float {self.do(f'fadd float {size}, 5.0e-01')} to i32")
        subnormal = self.do(f"sub i32 {pushed}, {126 << 23}")
        small = self.do(f"icmp ult i32 {magnitude}, {113 << 23}")
        large = self.do(f"icmp uge i32 {magnitude}, {143 << 23}")
        kept = self.select(small, "i32", subnormal, self.select(large, "i32", str(0x7C00), normal))
        return self.do(f"trunc i32 {self.do(f'or i32 {kept}, {sign}')} to i16")

    def of_half(self, bits: str) -> str:
        """A half, an ``i16``, as a float."""
        wide = self.do(f"zext i16 {bits} to i32")
        magnitude = self.do(f"and i32 {wide}, 32767")
        sign = self.do(f"shl i32 {self.do(f'and i32 {wide}, 32768')}, 16")
        shifted = self.do(f"shl i32 {magnitude}, 13")
        normal = self.do(f"add i32 {shifted}, {112 << 23}")
        special = self.do(f"or i32 {shifted}, {255 << 23}")
        scaled = self.do(f"fmul float {self.do(f'uitofp i32 {magnitude} to float')}, 0x3E70000000000000")
        subnormal = self.do(f"bitcast float {scaled} to i32")
        small = self.do(f"icmp ult i32 {magnitude}, {1 << 10}")
        large = self.do(f"icmp uge i32 {magnitude}, {31 << 10}")
        kept = self.select(small, "i32", subnormal, self.select(large, "i32", special, normal))
        return self.do(f"bitcast i32 {self.do(f'or i32 {kept}, {sign}')} to float")

    def bfloat_of(self, single: str) -> str:
        """The nearest bfloat to a float, as an ``i16``; of a NaN anything."""
        bits = self.do(f"bitcast float {single} to i32")
        last = self.do(f"and i32 {self.do(f'lshr i32 {bits}, 16')}, 1")
        rounded = self.do(f"add i32 {self.do(f'add i32 {bits}, 32767')}, {last}")
        return self.do(f"trunc i32 {self.do(f'lshr i32 {rounded}, 16')} to i16")

    def of_bfloat(self, bits: str) -> str:
        """A bfloat, an ``i16``, as a float."""
        wide = self.do(f"zext i16 {bits} to i32")
        return self.do(f"bitcast i32 {self.do(f'shl i32 {wide}, 16')} to float")


class EmittingFloats:
    """Numbers of one format, which are computed in the host's ``host`` format."""

    host: str
    """``float`` or ``double``: LLVM's name."""

    def __init__(self, code: EmittedLines, concrete: ConcreteFloats) -> None:
        self.kind: str = concrete.kind
        self.width: int = concrete.width
        self.nan: Bits = KnownBits(concrete.nan, concrete.width)
        self._concrete = concrete
        self._code = code
        self._lines = _Lines(code)
        self._sign = 1 << (concrete.width - 1)
        self._infinity = concrete.format.infinity

    # -- to the host's format and back --------------------------------------------------------------

    def _number(self, a: Bits) -> str:
        """A bit pattern as a number of the host's format, exactly."""
        raise NotImplementedError

    def _pattern(self, number: str) -> str:
        """The nearest pattern to a number of the host's format; of a NaN anything."""
        raise NotImplementedError

    def _double(self, a: Bits) -> str:
        """A bit pattern as a double, exactly."""
        number = self._number(a)
        return number if self.host == "double" else self._lines.do(f"fpext float {number} to double")

    def _quiet(self, a: Bits) -> str:
        """A bit pattern as a double; of a NaN a quiet one, as ``pow`` tells them apart."""
        number = self._double(a)
        nan = self._lines.do(f"fcmp uno double {number}, {number}")
        return self._lines.select(nan, "double", "0x7FF8000000000000", number)

    def _of_double(self, number: str) -> str:
        """The nearest pattern to a double; of a NaN anything."""
        raise NotImplementedError

    def _canonical(self, pattern: str, type_: str, number: str) -> Term:
        """The pattern that was made of a number, or the canonical NaN."""
        nan = self._lines.do(f"fcmp uno {type_} {number}, {number}")
        bits = self._lines.select(nan, f"i{self.width}", str(int(self.nan)), pattern)
        return Term(bits, self.width, self._raw(type_, number))

    def _raw(self, type_: str, number: str) -> tuple[str, str] | None:
        """The number itself, if its format is this one."""
        return None

    def _rounded(self, number: str) -> Term:
        return self._canonical(self._pattern(number), self.host, number)

    def _rounded_double(self, number: str) -> Term:
        return self._canonical(self._of_double(number), "double", number)

    # -- arithmetic ---------------------------------------------------------------------------------

    def _known_bits(self, name: str, *operands: Bits) -> Bits:
        return KnownBits(getattr(self._concrete, name)(*operands), self.width)

    def _binary(self, opcode: str, name: str, a: Bits, b: Bits) -> Bits:
        if not unknown(a, b):
            return self._known_bits(name, a, b)
        return self._rounded(self._lines.do(f"{opcode} {self.host} {self._number(a)}, {self._number(b)}"))

    def add(self, a: Bits, b: Bits, /) -> Bits:
        return self._binary("fadd", "add", a, b)

    def sub(self, a: Bits, b: Bits, /) -> Bits:
        return self._binary("fsub", "sub", a, b)

    def mul(self, a: Bits, b: Bits, /) -> Bits:
        return self._binary("fmul", "mul", a, b)

    def div(self, a: Bits, b: Bits, /) -> Bits:
        return self._binary("fdiv", "div", a, b)

    def _libm(self, name: str, *operands: str) -> str:
        """libm's function on doubles, if it is the one that the concrete domain calls."""
        where = address(name)
        if where is None:
            raise NotNative(f"{name}, which is another one here")
        symbol, _ = c_name(name)
        if name == "exp10":
            operands = ("1.0e+01", *operands)
        self._code.symbols[SYMBOL + symbol] = where
        typed = [("double", o) for o in operands]
        # what it does beside computing, setting errno, nobody sees
        return self._lines.do(
            self._code.call("double", f'"{SYMBOL}{symbol}"', typed, "nounwind willreturn memory(none)")
        )

    def rem(self, a: Bits, b: Bits, /) -> Bits:
        """The remainder of doubles is exact, and has no more digits than the operands."""
        if not unknown(a, b):
            return self._known_bits("rem", a, b)
        return self._rounded_double(self._libm("fmod", self._double(a), self._double(b)))

    def fma(self, a: Bits, b: Bits, c: Bits, /) -> Bits:
        if not unknown(a, b, c):
            return self._known_bits("fma", a, b, c)
        return self._fused(a, b, c)

    def _fused(self, a: Bits, b: Bits, c: Bits) -> Bits:
        operands = (self._number(a), self._number(b), self._number(c))
        return self._rounded(self._lines.intrinsic("fma", self.host, *operands))

    def sqrt(self, a: Bits, /) -> Bits:
        if not isinstance(a, Term):
            return self._known_bits("sqrt", a)
        return self._rounded(self._lines.intrinsic("sqrt", self.host, self._number(a)))

    # -- questions ----------------------------------------------------------------------------------

    def _integer(self, a: Term) -> tuple[str, str]:
        """The type of patterns, and the magnitude of one."""
        type_ = f"i{self.width}"
        return type_, self._lines.do(f"and {type_} {a}, {self._sign - 1}")

    def _ask(self, text: str) -> Term:
        return self._code.value(1, text)

    def is_nan(self, a: Bits, /) -> Truth:
        if not isinstance(a, Term):
            return self._concrete.is_nan(a)
        if a.number is not None:
            return self._ask(f"fcmp uno {a.number[0]} {a.number[1]}, {a.number[1]}")
        type_, magnitude = self._integer(a)
        return self._ask(f"icmp ugt {type_} {magnitude}, {self._infinity}")

    def is_signaling(self, a: Bits, /) -> Truth:
        if not isinstance(a, Term):
            return self._concrete.is_signaling(a)
        type_, magnitude = self._integer(a)
        below = self._lines.do(f"sub {type_} {magnitude}, {self._infinity + 1}")
        return self._ask(f"icmp ult {type_} {below}, {int(self.nan) - self._infinity - 1}")

    def is_inf(self, a: Bits, /) -> Truth:
        if not isinstance(a, Term):
            return self._concrete.is_inf(a)
        type_, magnitude = self._integer(a)
        return self._ask(f"icmp eq {type_} {magnitude}, {self._infinity}")

    def is_zero(self, a: Bits, /) -> Truth:
        if not isinstance(a, Term):
            return self._concrete.is_zero(a)
        type_, magnitude = self._integer(a)
        return self._ask(f"icmp eq {type_} {magnitude}, 0")

    def is_subnormal(self, a: Bits, /) -> Truth:
        if not isinstance(a, Term):
            return self._concrete.is_subnormal(a)
        type_, magnitude = self._integer(a)
        below = self._lines.do(f"sub {type_} {magnitude}, 1")
        return self._ask(f"icmp ult {type_} {below}, {(1 << self._concrete.format.fraction_bits) - 1}")

    def is_negative(self, a: Bits, /) -> Truth:
        if not isinstance(a, Term):
            return self._concrete.is_negative(a)
        return self._ask(f"icmp slt i{self.width} {a}, 0")

    def equal(self, a: Bits, b: Bits, /) -> Truth:
        if not unknown(a, b):
            return self._concrete.equal(a, b)
        return self._ask(f"fcmp oeq {self.host} {self._number(a)}, {self._number(b)}")

    def less(self, a: Bits, b: Bits, /) -> Truth:
        if not unknown(a, b):
            return self._concrete.less(a, b)
        return self._ask(f"fcmp olt {self.host} {self._number(a)}, {self._number(b)}")

    # -- conversions --------------------------------------------------------------------------------

    def rounded(self, mode: str) -> Callable[[Bits], Bits]:
        concrete = self._concrete.rounded(mode)
        name = {"down": "floor", "up": "ceil", "zero": "trunc", "even": "roundeven", "away": "round"}[mode]

        def rounded(a: Bits) -> Bits:
            if not isinstance(a, Term):
                return KnownBits(concrete(a), self.width)
            return self._rounded(self._lines.intrinsic(name, self.host, self._number(a)))

        return rounded

    def from_int(self, width: int, signed: bool) -> Callable[[Bits], Bits]:
        concrete, lines = self._concrete.from_int(width, signed), self._lines
        if width > _WIDEST_INTEGER:
            raise NotNative(f"a conversion of i{width} to {self.kind}")

        def from_int(a: Bits) -> Bits:
            if not isinstance(a, Term):
                return KnownBits(concrete(a), self.width)
            wide = str(a)
            if width < _WIDEST_INTEGER:
                wide = lines.do(f"{'sext' if signed else 'zext'} i{width} {a} to i64")
            return self._of_integer(wide, signed or width < _WIDEST_INTEGER)

        return from_int

    def _of_integer(self, integer: str, signed: bool) -> Term:
        """The nearest number to an ``i64``."""
        opcode = "sitofp" if signed else "uitofp"
        return self._rounded(self._lines.do(f"{opcode} i64 {integer} to {self.host}"))

    def to_int(self, width: int, signed: bool) -> Callable[[Bits], tuple[Bits, Truth]]:
        concrete, lines = self._concrete.to_int(width, signed), self._lines
        if width > _WIDEST_INTEGER:
            raise NotNative(f"a conversion of {self.kind} to i{width}")
        low, high = (-(1 << (width - 1)), 1 << (width - 1)) if signed else (0, 1 << width)
        opcode = "fptosi" if signed or width < _WIDEST_INTEGER else "fptoui"

        def to_int(a: Bits) -> tuple[Bits, Truth]:
            if not isinstance(a, Term):
                value, fits = concrete(a)
                return KnownBits(value, width), fits
            whole = lines.intrinsic("trunc", "double", self._double(a))
            above = lines.do(f"fcmp oge double {whole}, {_double_text(low)}")
            below = lines.do(f"fcmp olt double {whole}, {_double_text(high)}")
            inside = self._ask(f"and i1 {above}, {below}")
            safe = lines.select(str(inside), "double", whole, "0.0")
            integer = lines.do(f"{opcode} double {safe} to i64")
            if width < _WIDEST_INTEGER:
                integer = lines.do(f"trunc i64 {integer} to i{width}")
            return Term(integer, width), inside

        return to_int

    def convert(self, kind: str) -> Callable[[Bits], Bits]:
        concrete = self._concrete.convert(kind)
        if kind not in _FORMATS:
            raise NotNative(f"arithmetic on {kind}")
        target = _FORMATS[kind](self._code, concrete_floats(kind))

        def convert(a: Bits) -> Bits:
            if not isinstance(a, Term):
                return KnownBits(concrete(a), target.width)
            if self.host == target.host:
                return target._rounded(self._number(a))
            return target._rounded_double(self._double(a))

        return convert

    def ldexp(self, width: int) -> Callable[[Bits, Bits], Bits]:
        concrete, lines = self._concrete.ldexp(width), self._lines
        if width > _WIDEST_INTEGER:
            raise NotNative(f"ldexp with a power of i{width}")

        def ldexp(a: Bits, n: Bits) -> Bits:
            if not unknown(a, n):
                return KnownBits(concrete(a, n), self.width)
            power = int_text(n) if isinstance(n, Term) else str((n ^ 1 << (width - 1)) - (1 << (width - 1)))
            if width < _WIDEST_INTEGER and isinstance(n, Term):
                power = lines.do(f"sext i{width} {n} to i64")
            return self._rounded_double(self._scaled(self._double(a), power))

        return ldexp

    def _scaled(self, number: str, power: str) -> str:
        """A double times two to the power of an ``i64``, rounded once at the most: each product but the last
        is exact, or infinite, or so small that the last one is zero or rounds it up from nothing."""
        lines = self._lines

        def clamped(value: str, limit: int) -> str:
            low = lines.do(lines.code.call("i64", "llvm.smax.i64", [("i64", value), ("i64", str(-limit))]))
            return lines.do(lines.code.call("i64", "llvm.smin.i64", [("i64", low), ("i64", str(limit))]))

        power = clamped(power, 4000)
        # steps up by 2^1023, or down by 2^(53-1022): the last one is below 2^-53, or the first are exact
        for _ in range(2):
            up = lines.do(f"icmp sgt i64 {power}, 1023")
            down = lines.do(f"icmp slt i64 {power}, -1022")
            factor = lines.select(up, "double", _double_text(2.0**1023), "1.0")
            factor = lines.select(down, "double", _double_text(2.0**-969), factor)
            step = lines.select(up, "i64", "-1023", "0")
            step = lines.select(down, "i64", "969", step)
            number = lines.do(f"fmul double {number}, {factor}")
            power = lines.do(f"add i64 {power}, {step}")
        power = lines.do(lines.code.call("i64", "llvm.smax.i64", [("i64", power), ("i64", "-1022")]))
        power = lines.do(lines.code.call("i64", "llvm.smin.i64", [("i64", power), ("i64", "1023")]))
        exponent = lines.do(f"shl i64 {lines.do(f'add i64 {power}, 1023')}, 52")
        return lines.do(f"fmul double {number}, {lines.do(f'bitcast i64 {exponent} to double')}")

    def frexp(self, width: int) -> Callable[[Bits], tuple[Bits, Bits]]:
        concrete, lines = self._concrete.frexp(width), self._lines
        if width > _WIDEST_INTEGER:
            raise NotNative(f"frexp with an exponent of i{width}")

        def frexp(a: Bits) -> tuple[Bits, Bits]:
            if not isinstance(a, Term):
                known, exponent = concrete(a)
                return KnownBits(known, self.width), KnownBits(exponent, width)
            number = self._double(a)
            size = lines.intrinsic("fabs", "double", number)
            small = lines.do(f"fcmp olt double {size}, {_double_text(2.0**-1022)}")
            factor = lines.select(small, "double", _double_text(2.0**54), "1.0")
            bits = lines.do(f"bitcast double {lines.do(f'fmul double {number}, {factor}')} to i64")
            biased = lines.do(f"and i64 {lines.do(f'lshr i64 {bits}, 52')}, 2047")
            bias = lines.select(small, "i64", "1076", "1022")
            unbiased = lines.do(f"sub i64 {biased}, {bias}")
            field = lines.do(f"and i64 {bits}, {~(2047 << 52)}")
            inside = lines.do(f"bitcast i64 {lines.do(f'or i64 {field}, {1022 << 52}')} to double")
            zero = lines.do(f"fcmp oeq double {number}, 0.0")
            finite = lines.do(f"fcmp olt double {size}, 0x7FF0000000000000")
            split = lines.do(f"and i1 {finite}, {lines.do(f'xor i1 {zero}, true')}")
            fraction = self._rounded_double(lines.select(split, "double", inside, number))
            power = lines.select(split, "i64", unbiased, "0")
            if width < _WIDEST_INTEGER:
                power = lines.do(f"trunc i64 {power} to i{width}")
            return fraction, Term(power, width)

        return frexp

    def function(self, name: str) -> Callable[..., Bits]:
        concrete = self._concrete.function(name)
        if address(name) is None:
            raise NotNative(f"{name}, which is another one here")

        def evaluate(*operands: Bits) -> Bits:
            if not unknown(*operands):
                return KnownBits(concrete(*operands), self.width)
            return self._rounded_double(self._libm(name, *(self._quiet(o) for o in operands)))

        return evaluate


def _double_text(value: float) -> str:
    """A double as LLVM reads it."""
    return f"0x{pack('>d', float(value)).hex().upper()}"


class _Native(EmittingFloats):
    """float and double: the host's own."""

    def _number(self, a: Bits) -> str:
        if isinstance(a, Term) and a.number is not None and a.number[0] == self.host:
            return a.number[1]
        return self._lines.do(f"bitcast i{self.width} {int_text(a)} to {self.host}")

    def _pattern(self, number: str) -> str:
        return self._lines.do(f"bitcast {self.host} {number} to i{self.width}")

    def _raw(self, type_: str, number: str) -> tuple[str, str] | None:
        return (type_, number) if type_ == self.host else None


class _Single(_Native):
    host = "float"

    def _of_double(self, number: str) -> str:
        return self._pattern(self._lines.do(f"fptrunc double {number} to float"))


class _Double(_Native):
    host = "double"

    def _of_double(self, number: str) -> str:
        return self._pattern(number)


class _Narrow(EmittingFloats):
    """Formats of 16 bits, in float."""

    host = "float"

    def _of_double(self, number: str) -> str:
        return self._pattern(self._lines.narrowed_to_odd(number))

    def _fused(self, a: Bits, b: Bits, c: Bits) -> Bits:
        """The product is exact in double. The sum is rounded to odd: by what was cut off, which is exact."""
        lines = self._lines
        product = lines.do(f"fmul double {self._double(a)}, {self._double(b)}")
        other = self._double(c)
        total = lines.do(f"fadd double {product}, {other}")
        back = lines.do(f"fsub double {total}, {product}")
        lost = lines.do(f"fsub double {product}, {lines.do(f'fsub double {total}, {back}')}")
        missed = lines.do(f"fsub double {other}, {back}")
        rest = lines.do(f"fadd double {lost}, {missed}")
        inexact = lines.do(f"fcmp one double {rest}, 0.0")
        direction = lines.intrinsic("copysign", "double", "1.0", rest)
        inward = lines.do(f"fcmp olt double {lines.do(f'fmul double {direction}, {total}')}, 0.0")
        bits = lines.do(f"bitcast double {total} to i64")
        beyond = lines.do(f"zext i1 {lines.do(f'and i1 {inexact}, {inward}')} to i64")
        sticky = lines.do(f"zext i1 {inexact} to i64")
        odd = lines.do(f"or i64 {lines.do(f'sub i64 {bits}, {beyond}')}, {sticky}")
        return self._rounded_double(lines.do(f"bitcast i64 {odd} to double"))

    def _of_integer(self, integer: str, signed: bool) -> Term:
        """By way of a double: the bits that it cannot hold are one sticky bit."""
        lines = self._lines
        size = integer
        if signed:
            size = lines.do(lines.code.call("i64", "llvm.abs.i64", [("i64", integer), ("i1", "false")]))
        low = lines.do(f"and i64 {size}, 2047")
        sticky = lines.select(lines.do(f"icmp ne i64 {low}, 0"), "i64", "2048", "0")
        cut = lines.do(f"or i64 {lines.do(f'and i64 {size}, -2048')}, {sticky}")
        large = lines.do(f"icmp uge i64 {size}, {1 << 53}")
        exact = lines.do(f"uitofp i64 {lines.select(large, 'i64', cut, size)} to double")
        if signed:
            negative = lines.do(f"icmp slt i64 {integer}, 0")
            exact = lines.select(negative, "double", lines.do(f"fneg double {exact}"), exact)
        return self._rounded_double(exact)


class _Half(_Narrow):
    def _number(self, a: Bits) -> str:
        return self._lines.of_half(int_text(a))

    def _pattern(self, number: str) -> str:
        return self._lines.half_of(number)


class _BFloat(_Narrow):
    def _number(self, a: Bits) -> str:
        return self._lines.of_bfloat(int_text(a))

    def _pattern(self, number: str) -> str:
        return self._lines.bfloat_of(number)


_FORMATS: dict[str, type[EmittingFloats]] = {
    "half": _Half, "bfloat": _BFloat, "float": _Single, "double": _Double,
}  # fmt: skip


def emitting_floats(code: EmittedLines, concrete: ConcreteFloats) -> EmittingFloats:
    """The emitted arithmetic of a format that the host has, or that fits in one which it has."""
    floats = _FORMATS.get(concrete.kind)
    if floats is None:
        raise NotNative(f"arithmetic on {concrete.kind}")
    return floats(code, concrete)


# ----------------------------------------------------------------------------------------------------------
# The emitting domain: bit-vectors and truth values are SSA values of LLVM IR where only the run knows them.
#
# What is known when an instruction is prepared stays a Python int or bool and is computed by the concrete
# domain, so that poison that cannot be costs nothing. What the reference would refuse or end with, and what
# cannot be emitted, is handed back to it: by a guard at run time, or by :class:`NotNative` at
# once.
# ----------------------------------------------------------------------------------------------------------


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
