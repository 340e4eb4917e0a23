"""Source excerpts: the lines that spans cover, with a gutter and markers below them.

Columns are display cells: tabs go to the next multiple of four, East Asian wide characters take two cells,
combining characters none, control characters show as a middle dot, and a long line is cut around its marks.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from ...frozen import dataclass
from ...source import Source, Span

TAB = 4
WIDTH = 120  # cells of source that an excerpt line shows at most
LINES = 4  # a longer span shows its first and last line only


@dataclass(frozen=True, slots=True)
class Mark:
    """A span to underline: with ``^`` if primary, else with ``-``; ``message`` follows the underline."""

    span: Span
    message: str = ""
    primary: bool = True


@dataclass(frozen=True, slots=True)
class ExcerptRow:
    """One line of an excerpt: ``number`` is the source line (``None`` on marker rows), ``kind`` one of
    ``source``, ``primary``, ``secondary`` and ``gap``."""

    number: int | None
    text: str
    kind: str


def cells(character: str, column: int) -> str:
    """What a character shows as when it starts at display ``column``."""
    if character == "\t":
        return " " * (TAB - column % TAB)
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn"):
        return "·"
    return character


def width(character: str) -> int:
    """Display cells of a printable character."""
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def layout(line: str) -> tuple[list[str], list[int]]:
    """Each character as shown, and the display column where each starts (one more: the line's end)."""
    shown: list[str] = []
    starts: list[int] = []
    column = 0
    for character in line:
        starts.append(column)
        if " " <= character <= "~":
            shown.append(character)
            column += 1
            continue
        text = cells(character, column)
        shown.append(text)
        column += len(text) if character == "\t" else width(text)
    starts.append(column)
    return shown, starts


def _underlines(source: Source, mark: Mark) -> list[tuple[int, int, int]]:
    """The (line, first character, one past the last) pieces of a span, from 0 within each line."""
    first = source.position(mark.span.start)
    last = source.position(max(mark.span.start, mark.span.end - 1))
    if first.line == last.line:
        return [(first.line, first.column - 1, max(last.column, first.column))]
    pieces = []
    for number in range(first.line, last.line + 1):
        if last.line - first.line >= LINES and first.line < number < last.line:
            continue
        text = source.line(number)
        start = first.column - 1 if number == first.line else len(text) - len(text.lstrip())
        end = last.column if number == last.line else len(text.rstrip())
        if end > start:
            pieces.append((number, start, end))
    return pieces or [(first.line, first.column - 1, first.column)]


def _cut(line: str, start: int, end: int) -> tuple[int, int]:
    """The characters of a long line to show so that the marks from ``start`` on are seen."""
    if len(line) <= WIDTH:
        return 0, len(line)
    low = max(0, min(start - WIDTH // 4, len(line) - WIDTH))
    return low, min(len(line), low + WIDTH)


def excerpt(source: Source, marks: Sequence[Mark]) -> list[ExcerptRow]:
    """The lines that the marks touch, in order, each followed by its marker rows; ``...`` where lines are
    left out between them. Marks without a place (``NOWHERE``) are dropped."""
    pieces: dict[int, list[tuple[int, int, Mark, bool]]] = {}
    for mark in marks:
        if mark.span.start < 0:
            continue
        underlines = _underlines(source, mark)
        for at, (number, start, end) in enumerate(underlines):
            final = at == len(underlines) - 1
            pieces.setdefault(number, []).append((start, end, mark, final))
    rows: list[ExcerptRow] = []
    previous: int | None = None
    for number in sorted(pieces):
        if previous is not None and number > previous + 1:
            rows.append(ExcerptRow(None, "...", "gap"))
        previous = number
        rows += _line_rows(number, source.line(number), pieces[number])
    return rows


def _line_rows(number: int, line: str, pieces: list[tuple[int, int, Mark, bool]]) -> list[ExcerptRow]:
    low, high = _cut(line, min(p[0] for p in pieces), max(p[1] for p in pieces))
    shown, starts = layout(line[low:high])
    before, after = "…" if low else "", "…" if high < len(line) else ""
    rows = [ExcerptRow(number, before + "".join(shown) + after, "source")]
    for start, end, mark, final in sorted(pieces, key=lambda p: (not p[2].primary, p[0])):
        first = starts[min(max(start - low, 0), len(starts) - 1)] + len(before)
        last = starts[min(max(end - low, 0), len(starts) - 1)] + len(before)
        line_of_marks = " " * first + ("^" if mark.primary else "-") * max(1, last - first)
        message = f" {mark.message}" if mark.message and final else ""
        rows.append(ExcerptRow(None, line_of_marks + message, "primary" if mark.primary else "secondary"))
    return rows
