"""What is refused before LLVM or the grammar see it, and what can be wrong with an input, as exceptions
that say where.
"""

from __future__ import annotations

import re
from itertools import accumulate

from ..source import Source, Span

# ----------------------------------------------------------------------------------------------------------
# What can be wrong with an input, as exceptions that say where.
# ----------------------------------------------------------------------------------------------------------


class NotLLVM(Exception):
    """The input is not LLVM IR. ``message`` is LLVM's own where it was LLVM that said so.

    ``line`` and ``column`` count from 1 and ``span`` covers the place; all three are ``None``
    where the fault has no place.
    """

    def __init__(
        self, message: str, line: int | None = None, column: int | None = None, span: Span | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.span = span


class Unsupported(Exception):
    """LLVM accepts the input but convcheck cannot read it. ``offset`` is the place in the text."""

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.line: int | None = None
        self.column: int | None = None

    def locate(self, source: Source) -> Unsupported:
        """The same, with line and column."""
        if self.offset is not None:
            self.line, self.column = source.position(self.offset)
        return self


# ----------------------------------------------------------------------------------------------------------
# Inputs that are refused before LLVM or the grammar see them, each with one clear line.
# ----------------------------------------------------------------------------------------------------------


DEEPEST = 1000
"""Brackets open at once that are read; compilers nest some ten. LLVM's reader recurses, too."""

_OPEN, _CLOSE = b"([{<", b")]}>"
_OTHERS = bytes(c for c in range(256) if c not in _OPEN + _CLOSE)
_STEPS = [1 if c in _OPEN else -1 for c in range(256)]
_ROUNDS = 10
_TOKEN = re.compile(r'"[^"]*+"|;[^\n]*+|/\*(?:[^*]++|\*(?!/))*\*/|[(\[{<]|[)\]}>]')
_STAR = re.compile(r'"[^"]*+"|;[^\n]*+|/\*(?:[^*]++|\*(?!/))*\*/|\*')


def refuse_unreadable(text: str) -> None:
    """Raise ``NotLLVM`` for a zero byte, or too deep nesting."""
    at = text.find("\0")
    if at >= 0:
        raise _refused(text, at, "a zero character: this is no text")
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise _refused(text, error.start, "a surrogate: this is no Unicode text") from None
    refuse_deep_nesting(text)


def typed_pointer(text: str) -> int | None:
    """Where the star of the first typed pointer stands: outside strings and comments there is no other."""
    if "*" not in text:
        return None
    return next((star.start() for star in _STAR.finditer(text) if star[0] == "*"), None)


def refuse_deep_nesting(text: str) -> None:
    """More than :data:`DEEPEST` brackets open at one place."""
    brackets = text.encode("utf-8", "surrogateescape").translate(None, _OTHERS)
    if len(brackets) <= DEEPEST:
        return
    # A first look at C speed: innermost pairs removed a few times, then the sum of what is left.
    # Brackets in strings and comments, and angles that are no brackets, are taken for real ones.
    for _ in range(_ROUNDS):
        for pair in (b"()", b"[]", b"{}", b"<>"):
            brackets = brackets.replace(pair, b"")
    depths = list(accumulate(map(_STEPS.__getitem__, brackets), initial=0))
    if max(depths) - min(depths) + _ROUNDS <= DEEPEST:
        return
    depth = 0
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in "([{<":
            depth += 1
            if depth > DEEPEST:
                raise _refused(text, token.start(), f"nested too deeply: more than {DEEPEST} open brackets")
        elif sign in ")]}>":
            depth = max(0, depth - 1)


def _refused(text: str, at: int, message: str) -> NotLLVM:
    line, column = Source("", text).position(at)
    return NotLLVM(message, line, column, Span(at, at + 1))
