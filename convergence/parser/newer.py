"""Floating-point constants as LLVM 23 spells them, in the spelling of LLVM 22.

LLVM 23 prints ``f0x3F22F983`` for a bit pattern, ``+inf``, ``+qnan``, ``+nan(0x3F)`` and ``+snan(0x1)`` for
what is no number (LangRef, *Simple Constants*), and decimals that are only near to a ``float``, as all that
read them round alike. The type of such a constant is the last floating-point type that its line names before
it.
"""

from __future__ import annotations

import re

from .floats import FORMATS, converted, float_bits, spelled_float

_NEW = re.compile(r"(?<![\w%@$.\"-])(?:f0x[0-9A-Fa-f]+|[-+](?:inf|qnan|s?nan\(0x[0-9A-Fa-f]+\)))(?![\w(.])")
_PARTS = ("f0x", "+inf", "-inf", "nan")
"""Of which each such constant has one: most texts have none, which is quicker to see than by the pattern."""
_PIECE = re.compile(
    r'"[^"]*"|;[^\n]*'
    rf"|(?P<type>\b(?:{'|'.join(FORMATS)})\b)|(?P<line>\n)"
    rf"|(?P<new>{_NEW.pattern})"
    r"|(?P<decimal>(?<![\w%@$.\"-])[-+]?[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)?)"
)


def respelled(text: str) -> str:
    """The text with such constants in the older spelling; the text itself where there are none."""
    if not any(part in text for part in _PARTS) or _NEW.search(text) is None:
        return text
    kind: str | None = None

    def replaced(match: re.Match[str]) -> str:
        nonlocal kind
        if match["type"]:
            kind = match["type"]
        elif match["line"]:
            kind = None
        elif kind is not None and match["new"]:
            return _older(match["new"], kind)
        elif kind is not None and match["decimal"]:
            return _rounded(match["decimal"], kind)
        return match[0]

    return _PIECE.sub(replaced, text)


def _older(literal: str, kind: str) -> str:
    """A constant that LLVM 22 does not know; as it is where it does not fit the type."""
    exponent, fraction = FORMATS[kind]
    size = 1 + exponent + fraction
    if literal.startswith("f0x"):
        digits = literal[3:]
        return spelled_float(int(digits, 16), kind) if 4 * len(digits) == size else literal
    quiet = 1 << (fraction - 1)
    infinity = ((1 << exponent) - 1) << fraction
    name, _, payload = literal[1:].rstrip(")").partition("(")
    rest = int(payload, 16) if payload else 0
    bits = {"inf": infinity, "qnan": infinity | quiet, "nan": infinity | quiet | rest}.get(
        name, infinity | rest
    )
    return spelled_float(bits | (literal[0] == "-") << (size - 1), kind)


def _rounded(literal: str, kind: str) -> str:
    """A decimal, which LLVM 22 takes only where the type has that very number."""
    bits = float_bits(literal, kind)
    return (
        literal
        if converted(bits, kind, "double") == float_bits(literal, "double")
        else spelled_float(bits, kind)
    )
