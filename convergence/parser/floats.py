"""Floating-point constants: spellings to bit patterns and back (LangRef, *Simple Constants*).

A decimal or a plain ``0x`` literal is an IEEE double whatever its type, which is then converted;
the other types have hexadecimal forms of their own: ``0xH`` half, ``0xR`` bfloat, ``0xK`` x86_fp80,
``0xL`` fp128, ``0xM`` ppc_fp128.
"""

from __future__ import annotations

import struct

FORMATS = {"half": (5, 10), "bfloat": (8, 7), "float": (8, 23), "double": (11, 52)}
"""Width of exponent and fraction of the IEEE formats that convert."""

PREFIXES = {
    "half": ("0xH", 4),
    "bfloat": ("0xR", 4),
    "x86_fp80": ("0xK", 20),
    "fp128": ("0xL", 32),
    "ppc_fp128": ("0xM", 32),
}
_KINDS = {prefix[-1]: kind for kind, (prefix, _) in PREFIXES.items()}


def _swap_words(bits: int) -> int:
    """LLVM writes the 64-bit words of ``0xL`` and ``0xM`` low word first."""
    return (bits & (1 << 64) - 1) << 64 | bits >> 64


def float_bits(literal: str, kind: str) -> int:
    """The bit pattern of a literal in the floating-point type ``kind``."""
    if literal.startswith("0x"):
        if (own := _KINDS.get(literal[2])) is not None:
            bits = int(literal[3:], 16)
            bits = _swap_words(bits) if own in ("fp128", "ppc_fp128") else bits
            if own != kind:
                raise ValueError(f"a literal of {own} for {kind}")
            return bits
        bits = int(literal[2:], 16)
    else:
        bits = struct.unpack("<Q", struct.pack("<d", float(literal)))[0]
    return bits if kind == "double" else converted(bits, "double", kind)


def spelled_float(bits: int, kind: str) -> str:
    """The canonical literal, always hexadecimal, for a bit pattern in type ``kind``."""
    if kind == "double":
        return f"0x{bits:016X}"
    if kind == "float":
        return f"0x{converted(bits, 'float', 'double'):016X}"
    prefix, digits = PREFIXES[kind]
    if kind in ("fp128", "ppc_fp128"):
        bits = _swap_words(bits)
    return f"{prefix}{bits:0{digits}X}"


def _unpack(bits: int, exponent_width: int, fraction_width: int) -> tuple[int, int, int]:
    return (
        bits >> (exponent_width + fraction_width),
        bits >> fraction_width & (1 << exponent_width) - 1,
        bits & (1 << fraction_width) - 1,
    )


def converted(bits: int, source: str, target: str) -> int:
    """A bit pattern in another type; the same in its own. Payloads of NaNs are kept from their high end, as
    LLVM does."""
    if target not in FORMATS:
        raise ValueError(f"a decimal literal for {target}")
    if source == target:
        return bits
    exponent_width, fraction_width = FORMATS[source]
    sign, exponent, fraction = _unpack(bits, exponent_width, fraction_width)
    new_exponent_width, new_fraction_width = FORMATS[target]
    bias = (1 << exponent_width - 1) - 1
    new_bias = (1 << new_exponent_width - 1) - 1
    if exponent == (1 << exponent_width) - 1:
        new_exponent = (1 << new_exponent_width) - 1
        shift = new_fraction_width - fraction_width
        new_fraction = fraction << shift if shift >= 0 else fraction >> -shift
        if fraction and not new_fraction:
            new_fraction = 1 << new_fraction_width - 1
    elif exponent == 0 and fraction == 0:
        new_exponent = new_fraction = 0
    else:
        # The value is significand * 2**scale.
        significand = fraction | (1 << fraction_width if exponent else 0)
        scale = max(exponent, 1) - bias - fraction_width
        new_exponent, new_fraction = _round(
            significand, scale, new_bias, new_exponent_width, new_fraction_width
        )
    return sign << new_exponent_width + new_fraction_width | new_exponent << new_fraction_width | new_fraction


def _round(
    significand: int, scale: int, bias: int, exponent_width: int, fraction_width: int
) -> tuple[int, int]:
    """Exponent field and fraction of ``significand * 2**scale``, rounded to nearest even."""
    top = significand.bit_length() - 1
    exponent = top + scale + bias
    keep = fraction_width if exponent > 0 else fraction_width - 1 + exponent
    drop = top - keep
    if drop > 0:
        rest = significand & (1 << drop) - 1
        significand >>= drop
        half = 1 << drop - 1
        significand += rest > half or (rest == half and significand & 1)
    else:
        significand <<= -drop
    field = significand + (max(exponent - 1, 0) << fraction_width) if exponent > 0 else significand
    if field >> fraction_width >= (1 << exponent_width) - 1:
        return (1 << exponent_width) - 1, 0
    return field >> fraction_width, field & (1 << fraction_width) - 1
