"""Identifiers, strings and words as LLVM spells them (LangRef, *Identifiers*, *String constants*).

A name is kept without its sigil and unescaped. Bytes that are no UTF-8 stay in a name as Python's
surrogate escapes. A quoted name of digits only, ``%"5"``, keeps its quotes, for ``%5`` is a number.
"""

from __future__ import annotations

import re

from ..ir.instructions import Words
from ..ir.types import quoted, spelled

_ESCAPE = re.compile(rb"\\([0-9a-fA-F]{2}|\\)")
_NUMBER = re.compile(r"[0-9]+")


def _unescape_one(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return b"\\" if code == b"\\" else bytes((int(code, 16),))


def unescape(text: str) -> bytes:
    r"""The bytes that the inside of a quoted string stands for.

    >>> unescape(r"a\22\\b")
    b'a"\\b'
    """
    data = text.encode("utf-8", "surrogateescape")
    return _ESCAPE.sub(_unescape_one, data) if b"\\" in data else data


def string(text: str) -> bytes:
    """The bytes of ``"..."``, quotes included in ``text``."""
    return unescape(text[1:-1])


def normal_string(text: str) -> str:
    """A quoted string in its canonical spelling."""
    return text if "\\" not in text and text.isascii() and text.isprintable() else quoted(string(text))


def name(text: str) -> str:
    """The name that ``text`` (without sigil) spells, quotes and escapes resolved."""
    if not text.startswith('"'):
        return text
    plain = string(text).decode("utf-8", "surrogateescape")
    return f'"{plain}"' if _NUMBER.fullmatch(plain) else plain


_METADATA_NAME = re.compile(rb"\\([0-9a-fA-F]{2})")
_METADATA_PLAIN = re.compile(rb"[^-a-zA-Z$._0-9]")


def metadata_name(text: str) -> str:
    """The name that ``!name`` spells (without the ``!``); its escapes need no quotes."""
    if "\\" not in text:
        return text
    data = text.encode("utf-8", "surrogateescape")
    return _METADATA_NAME.sub(lambda m: bytes((int(m[1], 16),)), data).decode("utf-8", "surrogateescape")


def spelled_metadata_name(plain: str) -> str:
    """A metadata name as the text spells it, without ``!``; a leading digit is escaped."""
    data = plain.encode("utf-8", "surrogateescape")
    text = _METADATA_PLAIN.sub(lambda m: b"\\%02x" % m[0][0], data).decode("ascii")
    return f"\\{ord(text[0]):02x}{text[1:]}" if text[:1].isdigit() and not text.isdigit() else text


_DIGITS = 4000
"""Python converts no longer decimal strings in one step."""


def integer(text: str) -> int:
    """An integer literal's value. ``s0x`` is negative in LLVM whenever it is not zero: it takes the
    topmost one-bit for the sign."""
    if text.startswith("u0x"):
        return int(text[3:], 16)
    if text.startswith("s0x"):
        value = int(text[3:], 16)
        return value - (1 << value.bit_length()) if value else 0
    if len(text) <= _DIGITS:
        return int(text)
    if text[0] == "-":
        return -integer(text[1:])
    half = len(text) // 2
    power: int = 10 ** (len(text) - half)
    return integer(text[:half]) * power + integer(text[half:])


def spelled_integer(value: int) -> str:
    """An integer's literal: decimal, or hexadecimal where that would be very long."""
    if value.bit_length() < 3 * _DIGITS:
        return str(value)
    if value >= 0:
        return f"u0x{value:X}"
    return f"s0x{value + (1 << (-value - 1).bit_length() + 1):X}"


TOKEN = re.compile(
    r"""(?P<space>(?:[ \t\r\n\0]+|;[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)+)
    |[%@$]?"[^"]*"
    |[%@$!#^]?[-a-zA-Z$._0-9]+:?
    |.""",
    re.VERBOSE | re.DOTALL,
)
_NO_SPACE_AFTER = frozenset("([{<=!")
_NO_SPACE_BEFORE = frozenset(")]}>,(=")


def tokens(text: str) -> list[str]:
    """The tokens of a piece of IR, spaces and comments left out, names and strings canonical."""
    names = []
    for match in TOKEN.finditer(text):
        if match.lastgroup == "space":
            continue
        token = match[0]
        if '"' in token:
            sigil = "" if token[0] == '"' else token[0]
            body = token[len(sigil) :]
            token = sigil + (spelled(name(body)) if sigil else normal_string(body))
        names.append(token)
    return names


def normal_words(text: str) -> str:
    """A word with its arguments in its canonical spelling, whatever its spaces and comments were.

    >>> normal_words("memory( argmem:read ,inaccessiblemem: none )")
    'memory(argmem: read, inaccessiblemem: none)'
    """
    out: list[str] = []
    previous = "("
    for token in tokens(text):
        tight = previous in _NO_SPACE_AFTER or token in _NO_SPACE_BEFORE
        if not tight or (token == "(" and previous[-1] in ",:"):
            out.append(" ")
        out.append(token)
        previous = token
    return "".join(out)


# -- the place that a word belongs to (LangRef, *Calling Conventions*, *Fast-Math Flags*) ----------

FAST_MATH = frozenset({"fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"})
_CONVENTION = re.compile(
    r"(?:cc ?[0-9]+|ccc|[a-z0-9_]*cc|riscv_vls_cc\(.*\)"
    r"|(?:amdgpu|spir|ptx|x86|arm|aarch64|msp430|avr|riscv|m68k|intel|swift|cfguard)_[a-z0-9_]+)"
)
_VISIBLE = frozenset(
    {
        "private",
        "internal",
        "weak",
        "weak_odr",
        "linkonce",
        "linkonce_odr",
        "available_externally",
        "appending",
        "common",
        "external",
        "extern_weak",
        "default",
        "hidden",
        "protected",
        "dllimport",
        "dllexport",
        "dso_local",
        "dso_preemptable",
        "thread_local",
        "unnamed_addr",
        "local_unnamed_addr",
        "externally_initialized",
    }
)


def is_convention(word: str) -> bool:
    """Whether a word names a calling convention; LLVM adds them often, all in these shapes."""
    return _CONVENTION.fullmatch(word) is not None


def convention_words(word: str) -> Words:
    """``cc 10`` is two words, every other convention one."""
    return tuple(word.split()) if word.startswith("cc ") else (word,)


def is_linkage_word(word: str) -> bool:
    """Linkage, visibility, preemption, DLL storage class, thread-local model, unnamed_addr."""
    return word in _VISIBLE or word.startswith("thread_local(")


def call_words(words: Words) -> tuple[Words, Words, Words]:
    """The words before a call's type: fast-math flags, calling convention, return attributes."""
    fast = tuple(w for w in words if w in FAST_MATH)
    convention = tuple(x for w in words if is_convention(w) for x in convention_words(w))
    return fast, convention, tuple(w for w in words if w not in FAST_MATH and not is_convention(w))


def header_words(words: Words) -> tuple[Words, Words, Words]:
    """The words before a function's return type: linkage and kin, convention, return attributes."""
    linkage = tuple(w for w in words if is_linkage_word(w))
    rest = [w for w in words if not is_linkage_word(w)]
    convention = tuple(x for w in rest if is_convention(w) for x in convention_words(w))
    return linkage, convention, tuple(w for w in rest if not is_convention(w))
