"""From text to tokens (LangRef, *Identifiers* and what stands between them).

One compiled expression cuts the text; it knows which characters cling together, and no words. What a piece is
follows from the terminals of ``llvm.lark`` and is worked out once for each spelling.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Any, NamedTuple

from .names import name, string
from .tables import END, Tables

COMMENT = r";[^\n]*+|/\*(?:[^*]++|\*(?!/))*\*/"
_BEFORE = rf"[ \t\r\n\0]*+(?:(?:{COMMENT})[ \t\r\n\0]*+)*+"
_CUT = re.compile(_BEFORE + r'(?:[-+a-zA-Z$._0-9%@!#^:\\]++(?:"[^"]*+":?)?+|"[^"]*+":?|[^ \t\r\n\0]|\Z)')
"""A piece with the spaces and comments before it: mostly one token, at times several; at the end, nothing."""
_SKIP = re.compile(_BEFORE)

STRANGE, SEVERAL = -1, -2
"""Kinds of pieces that are no token: a character that begins none, several tokens in a row."""

Token = tuple[int, Any]
"""Its kind, a number in ``Tables.terminals``, and what it means, which the terminal's method says."""


class Tokens(NamedTuple):
    """``pieces[i]`` is the spelling of ``tokens[i]`` with what stands before it; it ends at ``ends[i]``."""

    tokens: list[Token]
    pieces: list[str]
    ends: list[int]

    def start(self, at: int) -> int:
        """Where token ``at`` begins in the text."""
        piece = self.pieces[at]
        return self.ends[at] - len(piece) + _skipped(piece)

    def begins_line(self, at: int) -> bool:
        """Whether only blanks stand before token ``at`` in its line."""
        piece = self.pieces[at]
        return "\n" in piece[: _skipped(piece)]

    def spelled(self, at: int) -> str:
        """Token ``at`` alone; of what is none its first character."""
        piece = self.pieces[at]
        begin = _skipped(piece)
        return piece[begin : begin + 1] if self.tokens[at][0] == STRANGE else piece[begin:]


def _skipped(piece: str) -> int:
    """How long is what stands before a piece's token."""
    match = _SKIP.match(piece)
    assert match is not None
    return match.end()


class _Kinds(dict[str, Token]):
    """What each piece is. ``values`` are the methods for terminals, by name."""

    def __init__(self, tables: Tables, values: Mapping[str, Callable[[str], Any]]) -> None:
        number = {name: at for at, name in enumerate(tables.terminals)}
        self.exact = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in tables.patterns))
        self.end = number[END]
        self.words = {word: (number[name], values.get(name, str)) for word, name in tables.words.items()}
        self.others = {
            name: (number[name], values.get(name, str)) for name, _ in tables.patterns if name in number
        }

    def __missing__(self, piece: str) -> Token:
        text = piece[_skipped(piece) :]
        kind = self.token(text) if text else (self.end, "")
        self[piece] = kind
        return kind

    def token(self, text: str) -> Token:
        known = self.words.get(text)
        if known is None:
            match = self.exact.match(text)
            if match is None:
                return STRANGE, text
            if match.end() != len(text):
                return SEVERAL, text
            assert match.lastgroup is not None
            known = self.others[match.lastgroup]
        kind, value = known
        return kind, value(text)


LINE = 0x1000
"""Added to a kind in ``Lexer.kinds`` where the token is the first of its line."""
LINES = re.compile(f"(?s:.)[^{chr(LINE)}-{chr(2 * LINE)}]*+")
"""A line of kinds."""


class _Marks(dict[str, str]):
    """The character that stands for a piece's kind."""

    def __init__(self, kinds: _Kinds) -> None:
        self.kinds = kinds

    def __missing__(self, piece: str) -> str:
        line = LINE if "\n" in piece[: _skipped(piece)] else 0
        mark = self[piece] = chr(self.kinds[piece][0] + 32 + line)
        return mark


def kind_of(mark: str) -> int:
    """The kind that a character of ``Lexer.kinds`` stands for."""
    return (ord(mark) & LINE - 1) - 32


class Lexer:
    """Cuts pieces of one text; equal spellings share one value."""

    def __init__(self, text: str, tables: Tables, values: Mapping[str, Callable[[str], Any]]) -> None:
        self.text = text
        self._kinds = _Kinds(tables, values)
        self._marks = _Marks(self._kinds)

    def tokens(self, start: int, end: int) -> Tokens:
        """The tokens of ``text[start:end]`` and one for its end; pieces that are none keep their place."""
        pieces = self._pieces(start, end)
        tokens = list(map(self._kinds.__getitem__, pieces))
        ends = list(accumulate(map(len, pieces), initial=start))
        del ends[0]
        return Tokens(tokens, pieces, ends)

    def _pieces(self, start: int, end: int) -> list[str]:
        pieces = _CUT.findall(self.text, start, end)
        if len(pieces) > 1 and self._kinds[pieces[-2]][0] == self._kinds.end:
            pieces.pop()  # spaces at the end, and then nothing
        return pieces

    def kinds(self, tokens: Tokens) -> str:
        """The tokens' kinds as characters."""
        return "".join(map(self._marks.__getitem__, tokens.pieces))

    def exact(self, start: int, end: int) -> Tokens:
        """The same where tokens follow each other without a space: each is a piece of its own."""
        kinds, match = self._kinds, self._kinds.exact.match
        pieces: list[str] = []
        for piece in self._pieces(start, end):
            if kinds[piece][0] != SEVERAL:
                pieces.append(piece)
                continue
            begin, at = 0, _skipped(piece)
            while at < len(piece):
                token = match(piece, at)
                at = at + 1 if token is None else token.end()
                pieces.append(piece[begin:at])
                begin = at
        ends = list(accumulate(map(len, pieces), initial=start))
        del ends[0]
        return Tokens([kinds[piece] for piece in pieces], pieces, ends)


# -- what a body mentions, without reading it -----------------------------------------------------

_HIDING = re.compile(rf'"[^"]*+"|{COMMENT}')
_SYMBOL = frozenset("-$._%@!#0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_PLAIN = [("@", "@[-a-zA-Z$._0-9]++"), ("#", "#[0-9]++")]
_PLAIN += [(word, f"{word}(?![-a-zA-Z$._0-9:])") for word in ("token", "convergent")]
_MENTIONS = [(beginning, re.compile(pattern)) for beginning, pattern in _PLAIN]


def mentions(text: str, start: int, end: int) -> Mapping[str, int]:
    """How often some tokens stand in ``text[start:end]``: globals as ``@name``, attribute groups as ``#3``,
    strings as ``"text"``, all unescaped, and the words ``token`` and ``convergent``."""
    counts: dict[str, int] = {}
    begins: list[int] = []  # of strings and comments, in which nothing is mentioned
    stops: list[int] = []
    lines = text.find('"', start, end) < 0 and text.find("/*", start, end) < 0
    if not lines:
        for span in _HIDING.finditer(text, start, end):
            at = span.start()
            begins.append(at)
            stops.append(span.end())
            if text[at] == '"':
                key = f"@{name(span[0])}" if text[at - 1 : at] == "@" else f'"{_plain(span[0])}"'
                counts[key] = counts.get(key, 0) + 1
    for beginning, expression in _MENTIONS:
        if text.find(beginning, start, end) < 0:
            continue
        for span in expression.finditer(text, start, end):
            at = span.start()
            if lines:  # a semicolon begins a comment
                hidden = text.find(";", max(start, text.rfind("\n", start, at)), at) >= 0
            else:
                before = bisect(begins, at)
                hidden = before > 0 and at < stops[before - 1]
            if not hidden and (beginning in "@#" or text[at - 1 : at] not in _SYMBOL):
                counts[span[0]] = counts.get(span[0], 0) + 1
    return counts


def _plain(spelled: str) -> str:
    return string(spelled).decode("utf-8", "surrogateescape") if "\\" in spelled else spelled[1:-1]
