"""IEEE numbers in emitted code, as bit patterns: bit for bit what :mod:`.host_floats` computes.

The host computes in float and double. The other formats are computed in a wider one and rounded once more.
That is exact for one operation where the wider precision is at least twice the narrower and two more (half
and bfloat in float; Figueroa, *When is double rounding innocuous?*); elsewhere the first rounding is to odd,
after which a second one to nearest gives the nearest number (Boldo and Melquiond, *Emulation of FMA and
correctly rounded sums*). Conversions of half and bfloat are made of integer operations, as hosts and
run-time libraries differ in what they have.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping
from functools import cache
from struct import pack

from ..values.value import Bits, Truth
from .emission import EmittedLines, KnownBits, NotNative, Term, int_text, unknown
from .host_floats import FUNCTIONS, LIBRARY, ConcreteFloats, call_host, concrete_floats

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
