"""From text to tokens (LangRef, *Identifiers* and what stands between them).

One compiled expression cuts the text; it knows which characters cling together, and no words. What a piece is
follows from the terminals of ``llvm.lark`` and is worked out once for each spelling.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Any, NamedTuple

from .names import name, string
from .tables import END, Tables

SPACES = " \t\r\n\0"
COMMENT = r";[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/"
_CUT = re.compile(
    rf'[ \t\r\n\0]*+(?:[-+a-zA-Z$._0-9%@!#^:\\]++(?:"[^"]*+":?)?+|"[^"]*+":?|{COMMENT}|[^ \t\r\n\0]|\Z)'
)
"""A piece with the spaces before it: mostly one token, at times several or a comment; at the end, nothing."""

IGNORED, STRANGE, SEVERAL = -1, -2, -3
"""Kinds of pieces that are no token: a comment, a character that begins none, several tokens in a row."""

Token = tuple[int, Any]
"""Its kind, a number in ``Tables.terminals``, and what it means, which the terminal's method says."""


class Tokens(NamedTuple):
    """``pieces[i]`` is the spelling of ``tokens[i]`` with the spaces before it; it ends at ``ends[i]``."""

    tokens: list[Token]
    pieces: list[str]
    ends: list[int]

    def start(self, at: int) -> int:
        """Where token ``at`` begins in the text."""
        return self.ends[at] - len(self.pieces[at].lstrip(SPACES))


class _Kinds(dict[str, Token]):
    """What each piece is. ``values`` are the methods for terminals, by name."""

    def __init__(self, tables: Tables, values: Mapping[str, Callable[[str], Any]]) -> None:
        number = {name: at for at, name in enumerate(tables.terminals)}
        self.exact = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in tables.patterns))
        self.end = number[END]
        self.words = {word: (number[name], values.get(name, str)) for word, name in tables.words.items()}
        self.others = {
            name: (IGNORED if name in tables.ignored else number[name], values.get(name, str))
            for name, _ in tables.patterns
        }

    def __missing__(self, piece: str) -> Token:
        text = piece.lstrip(SPACES)
        made = self.token(text) if text else (self.end, "")
        self[piece] = made
        return made

    def token(self, text: str) -> Token:
        known = self.words.get(text)
        if known is None:
            found = self.exact.match(text)
            if found is None:
                return STRANGE, text
            if found.end() != len(text):
                return SEVERAL, text
            assert found.lastgroup is not None
            known = self.others[found.lastgroup]
        kind, value = known
        return kind, value(text)


class Lexer:
    """Cuts pieces of one text; equal spellings share one value."""

    def __init__(self, text: str, tables: Tables, values: Mapping[str, Callable[[str], Any]]) -> None:
        self.text = text
        self._kinds = _Kinds(tables, values)

    def tokens(self, start: int, end: int) -> Tokens:
        """The tokens of ``text[start:end]`` and one for its end; pieces that are none keep their place."""
        pieces = _CUT.findall(self.text, start, end)
        tokens = list(map(self._kinds.__getitem__, pieces))
        ends = list(accumulate(map(len, pieces), initial=start))
        del ends[0]
        return Tokens(tokens, pieces, ends)

    def exact(self, start: int, end: int) -> Tokens:
        """The same where tokens follow each other without a space: each is a piece of its own."""
        kinds, match = self._kinds, self._kinds.exact.match
        pieces: list[str] = []
        for piece in _CUT.findall(self.text, start, end):
            if kinds[piece][0] != SEVERAL:
                pieces.append(piece)
                continue
            text = piece.lstrip(SPACES)
            space, at = piece[: len(piece) - len(text)], 0
            while at < len(text):
                found = match(text, at)
                stop = at + 1 if found is None else found.end()
                pieces.append(space + text[at:stop])
                space, at = "", stop
        ends = list(accumulate(map(len, pieces), initial=start))
        del ends[0]
        return Tokens([kinds[piece] for piece in pieces], pieces, ends)


# -- what a body mentions, without reading it -----------------------------------------------------

_GLOBAL, _GROUP, _WORD = r"@[-a-zA-Z$._0-9]++", r"#[0-9]++", r"(?<![-a-zA-Z$._0-9%@!#]){}(?![-a-zA-Z$._0-9:])"
_WORDS = ("token", "convergent")
_PLAIN = [("@", re.compile(_GLOBAL)), ("#", re.compile(_GROUP))]
_PLAIN += [(word, re.compile(_WORD.format(word))) for word in _WORDS]
_ANY = re.compile(rf'{_GLOBAL}|{_GROUP}|@?"[^"]*+"|{COMMENT}|{_WORD.format("(?:token|convergent)")}')


def mentions(text: str, start: int, end: int) -> Mapping[str, int]:
    """How often some tokens stand in ``text[start:end]``: globals as ``@name``, attribute groups as ``#3``,
    strings as ``"text"``, all unescaped, and the words ``token`` and ``convergent``."""
    made: dict[str, int] = {}
    if text.find('"', start, end) >= 0 or text.find("/*", start, end) >= 0:
        for piece in _ANY.findall(text, start, end):
            if piece[0] in ";/":
                continue
            if '"' in piece:
                body = piece.lstrip("@")
                plain = string(body).decode("utf-8", "surrogateescape")
                piece = f'"{plain}"' if piece[0] == '"' else f"@{name(body)}"
            made[piece] = made.get(piece, 0) + 1
        return made
    for beginning, expression in _PLAIN:  # a comment ends its line, and nothing else has a semicolon
        if text.find(beginning, start, end) >= 0:
            for found in expression.finditer(text, start, end):
                at = found.start()
                if text.find(";", text.rfind("\n", start, at) + 1 or start, at) < 0:
                    made[found[0]] = made.get(found[0], 0) + 1
    return made
