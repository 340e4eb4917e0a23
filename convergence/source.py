"""Text positions: the only module that knows lines and columns.

Everything else holds a :class:`Span`, a pair of character offsets into one :class:`Source`.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import field
from functools import lru_cache
from typing import NamedTuple

from .frozen import dataclass


class Span(NamedTuple):
    """Half-open range of character offsets ``[start, end)`` in one source text."""

    start: int
    end: int


NOWHERE = Span(-1, -1)
"""The span of something that no text spells, such as an undeclared intrinsic."""


class Position(NamedTuple):
    """A place as people count: line and column, both from 1; a column is a character."""

    line: int
    column: int


@lru_cache(maxsize=8)
def _lines(text: str) -> list[str]:
    return text.split("\n")


@dataclass(frozen=True, slots=True)
class Origin:
    """The ``text`` that another one was made of, and for each line of that one the line here, from 1 (0:
    none)."""

    text: str = field(repr=False)
    lines: tuple[int, ...] = field(repr=False)

    def line(self, number: int) -> int:
        """The line here that a line of the other text, from 1, comes from; else that of the next one that
        comes from one."""
        for at in range(number - 1, len(self.lines)):
            if self.lines[at]:
                return self.lines[at]
        return 1


@dataclass(frozen=True, slots=True)
class Source:
    """One input text and the name that messages give it. With an ``origin`` positions and lines are those of
    the text that it was made of: a place is the instruction there.

    >>> Source("a.ll", "define\\n  void").position(9)
    Position(line=2, column=3)
    """

    name: str
    text: str = field(repr=False)
    origin: Origin | None = field(default=None, repr=False, compare=False)
    _line_starts: list[int] = field(default_factory=list, repr=False, compare=False)

    def _starts(self) -> list[int]:
        if not self._line_starts:
            starts, at = [0], self.text.find("\n")
            while at != -1:
                starts.append(at + 1)
                at = self.text.find("\n", at + 1)
            self._line_starts.extend(starts)
        return self._line_starts

    def position(self, offset: int) -> Position:
        """Line and column of a character offset; offsets past the end give the end."""
        offset = max(0, min(offset, len(self.text)))
        starts = self._starts()
        line = bisect_right(starts, offset)
        if self.origin is not None:
            return self._position(self.origin, offset, line)
        return Position(line, offset - starts[line - 1] + 1)

    def _position(self, origin: Origin, offset: int, line: int) -> Position:
        """Where the instruction begins that a line comes from, or, behind the first word of that line, where
        it ends."""
        start = self._starts()[line - 1]
        before = self.text[start:offset]
        number = origin.line(line)
        text = _lines(origin.text)[number - 1]
        begins = len(text) - len(text.lstrip())
        if not before.strip():
            return Position(number, begins + 1)
        return Position(number, len(text.partition(" ; ")[0].rstrip()) + 1)

    def offset(self, line: int, column: int) -> int:
        """The character offset of a line and column, both from 1; past the end it is the end."""
        starts = self._starts()
        if not 1 <= line <= len(starts):
            return len(self.text)
        return min(starts[line - 1] + column - 1, len(self.text))

    def line(self, number: int) -> str:
        """The text of line ``number`` (from 1), without its newline; ``""`` past the end."""
        if self.origin is not None:
            lines = _lines(self.origin.text)
            return lines[number - 1].rstrip("\r") if 1 <= number <= len(lines) else ""
        starts = self._starts()
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r")

    def excerpt(self, span: Span) -> str:
        """The text that a span covers."""
        return self.text[span.start : span.end]
