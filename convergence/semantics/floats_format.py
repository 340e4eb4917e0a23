"""IEEE-754 formats: what a bit pattern stands for, the nearest pattern to a value, comparisons."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class Class(Enum):
    """What a bit pattern stands for."""

    NAN = 0
    INFINITE = 1
    FINITE = 2


class Number(NamedTuple):
    """``(-1) ** sign * significand * 2 ** exponent`` when finite; else the class and the sign count."""

    form: Class
    sign: int
    significand: int = 0
    exponent: int = 0


@dataclass(frozen=True)
class Format:
    """A binary interchange format, or x87's 80 bits, whose leading significand bit is ``explicit``."""

    kind: str
    exponent_bits: int
    fraction_bits: int
    explicit: bool = False

    @property
    def precision(self) -> int:
        return self.fraction_bits + 1

    @property
    def stored_bits(self) -> int:
        """Bits of the significand field."""
        return self.fraction_bits + self.explicit

    @property
    def width(self) -> int:
        return 1 + self.exponent_bits + self.stored_bits

    @property
    def top(self) -> int:
        """The biased exponent of infinities and NaNs."""
        return (1 << self.exponent_bits) - 1

    @property
    def lowest(self) -> int:
        """The exponent of the least subnormal number."""
        return 2 - (1 << (self.exponent_bits - 1)) - self.fraction_bits

    @property
    def infinity(self) -> int:
        return self.top << self.stored_bits | (self.explicit << self.fraction_bits)

    @property
    def nan(self) -> int:
        """The canonical quiet NaN: positive, only the quiet bit set."""
        return self.infinity | 1 << (self.fraction_bits - 1)

    @property
    def sign_bit(self) -> int:
        return 1 << (self.width - 1)


FORMATS = {
    f.kind: f
    for f in (
        Format("half", 5, 10),
        Format("bfloat", 8, 7),
        Format("float", 8, 23),
        Format("double", 11, 52),
        Format("fp128", 15, 112),
        Format("x86_fp80", 15, 63, True),
    )
}


def decode(f: Format, bits: int) -> Number:
    """What a bit pattern stands for; x87's invalid encodings are NaNs."""
    sign = bits >> (f.width - 1)
    biased = bits >> f.stored_bits & f.top
    field = bits & ((1 << f.stored_bits) - 1)
    fraction = field & ((1 << f.fraction_bits) - 1)
    leading = field >> f.fraction_bits if f.explicit else int(biased != 0)
    if f.explicit and biased and not leading:
        return Number(Class.NAN, sign)
    if biased == f.top:
        return Number(Class.NAN if fraction else Class.INFINITE, sign)
    return Number(Class.FINITE, sign, leading << f.fraction_bits | fraction, f.lowest + max(biased, 1) - 1)


def signed_infinity(f: Format, sign: int) -> int:
    return f.infinity | (f.sign_bit if sign else 0)


def encode(f: Format, sign: int, significand: int, exponent: int, sticky: bool = False) -> int:
    """The nearest number to ``significand * 2 ** exponent``, plus a little if ``sticky``.

    With ``sticky`` the significand must have at least two bits more than the format keeps.
    """
    lowest = max(exponent + significand.bit_length() - f.precision, f.lowest)
    shift = lowest - exponent
    if shift <= 0:
        kept = significand << -shift
    else:
        kept, rest = significand >> shift, significand & ((1 << shift) - 1)
        half = 1 << (shift - 1)
        if rest > half or (rest == half and (sticky or kept & 1)):
            kept += 1
            if kept.bit_length() > f.precision:
                kept, lowest = kept >> 1, lowest + 1
    biased = lowest - f.lowest + 1 if kept >> f.fraction_bits else 0
    if biased >= f.top:
        return signed_infinity(f, sign)
    field = kept if f.explicit else kept & ((1 << f.fraction_bits) - 1)
    return (sign << (f.width - 1)) | biased << f.stored_bits | field


def is_nan(f: Format, a: int) -> bool:
    return decode(f, a).form is Class.NAN


def is_signaling(f: Format, a: int) -> bool:
    """A NaN whose quiet bit is clear."""
    return is_nan(f, a) and not a >> (f.fraction_bits - 1) & 1


def _order(f: Format, a: int) -> int:
    """A key that orders all numbers that are no NaN; both zeros have key 0."""
    magnitude = a & (f.sign_bit - 1)
    return -magnitude if a & f.sign_bit else magnitude


def equal(f: Format, a: int, b: int) -> bool:
    """IEEE equality: false on NaN, zeros are equal."""
    return not is_nan(f, a) and not is_nan(f, b) and _order(f, a) == _order(f, b)


def less(f: Format, a: int, b: int) -> bool:
    """IEEE less-than: false on NaN."""
    return not is_nan(f, a) and not is_nan(f, b) and _order(f, a) < _order(f, b)
