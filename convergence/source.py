"""Text positions: the only module that knows lines and columns.

Everything else holds a :class:`Span`, a pair of character offsets into one :class:`Source`.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import field
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


@dataclass(frozen=True, slots=True)
class Source:
    """One input text and the name that messages give it.

    >>> Source("a.ll", "define\\n  void").position(9)
    Position(line=2, column=3)
    """

    name: str
    text: str = field(repr=False)
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
        return Position(line, offset - starts[line - 1] + 1)

    def offset(self, line: int, column: int) -> int:
        """The character offset of a line and column, both from 1; past the end it is the end."""
        starts = self._starts()
        if not 1 <= line <= len(starts):
            return len(self.text)
        return min(starts[line - 1] + column - 1, len(self.text))

    def line(self, number: int) -> str:
        """The text of line ``number`` (from 1), without its newline; ``""`` past the end."""
        starts = self._starts()
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r")

    def excerpt(self, span: Span) -> str:
        """The text that a span covers."""
        return self.text[span.start : span.end]
