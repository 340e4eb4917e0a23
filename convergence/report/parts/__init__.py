"""What several commands' answers are made of: groups, keys, endings, excerpts, SVG, HTML.

Here: text of answers, that is names made printable, diagnostics as data, JSON documents, and source excerpts.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...diagnostics import Diagnostic, Severity, SpanLabel
from ...frozen import Json, dataclass
from ...source import Source, Span

if TYPE_CHECKING:
    from ...ir.module import Module

# ----------------------------------------------------------------------------------------------------------
# How a name, or whatever else comes from an input, is shown: the one place that decides, for all renderers.
#
# A name in LLVM IR may hold any byte. What could move a terminal's cursor, end a line, turn the direction
# of writing, or break XML, is shown as ``·``; JSON, which is for programs, keeps all but bytes that are no
# UTF-8.
# ----------------------------------------------------------------------------------------------------------

_CONTROLS = r"\x00-\x09\x0b-\x1f\x7f-\x9f"
_LINE_ENDS = r"\u2028\u2029"
_DIRECTIONS = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_NO_CHARACTERS = r"\ud800-\udfff\ufffe\uffff"
_OF_ONE_LINE = re.compile(f"[\n{_CONTROLS}{_LINE_ENDS}{_DIRECTIONS}{_NO_CHARACTERS}]")
_OF_LINES = re.compile(f"[{_CONTROLS}{_LINE_ENDS}{_DIRECTIONS}{_NO_CHARACTERS}]")
_ESCAPED = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u([dD][89a-fA-F]..)|.)")


def printable(text: str) -> str:
    """Text on one line, without what could move a terminal's cursor or turn its direction.

    >>> printable("a\\x1b[31m\\nb")
    'a·[31m·b'
    """
    return _OF_ONE_LINE.sub("·", text)


def printable_lines(text: str) -> str:
    """The same for text of several lines."""
    return _OF_LINES.sub("·", text)


_PLAIN_NAME = re.compile(r"[-a-zA-Z$._0-9]+\Z")


def block_name(name: str) -> str:
    """A block's name as a person reads it: quoted when it has unusual characters."""
    return name if _PLAIN_NAME.match(name) else '"' + printable(name) + '"'


def markup(text: str) -> str:
    """Text inside an element of XML or HTML.

    >>> markup("<b>\\x00")
    '&lt;b&gt;·'
    """
    return printable_lines(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def page(title: str, body: str) -> str:
    """A page of HTML of its own: a title (text), and what stands under it (markup)."""
    title = markup(title)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
        f"<body><h1>{title}</h1>{body}</body></html>\n"
    )


def attribute(text: str) -> str:
    """An attribute's value, with its quotes.

    >>> attribute('a"b')
    '"a&quot;b"'
    """
    return '"' + markup(printable(text)).replace('"', "&quot;") + '"'


def valid_json(text: str) -> str:
    r"""JSON in ASCII without lone surrogates, which strict readers refuse: Python keeps in them the bytes of
    a name that are no UTF-8, and here they are spelled as LLVM does, ``\xx``.

    >>> print(valid_json('"a\\udcff \\\\udcff \\ud83d\\ude00"'))
    "a\\FF \\udcff \ud83d\ude00"
    """
    if "\\ud" not in text:
        return text
    return _ESCAPED.sub(_without_lone_surrogate, text)


def _without_lone_surrogate(match: re.Match[str]) -> str:
    lone: str | None = match[1]
    if lone is None:
        return match[0]
    return rf"\\{int(lone, 16) - 0xDC00:02X}" if lone[:2].lower() == "dc" else r"\ufffd"


# ----------------------------------------------------------------------------------------------------------
# What ``verify`` found in one file: the value that every renderer of diagnostics takes.
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VerifiedFile:
    """One input file.

    ``name`` is the file as the user wrote it. ``module`` is ``None`` when the file could not be read as
    LLVM IR. ``error`` is then, or when LLVM's own verifier refuses the file for another reason than our
    rules, the one line that says why. ``note`` is something to know about the positions, if anything.
    """

    name: str
    module: Module | None
    diagnostics: tuple[Diagnostic, ...] = ()
    error: str | None = None
    note: str | None = None

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity is Severity.ERROR)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity is Severity.WARNING)


def count(number: int, noun: str) -> str:
    """``1 error``, ``2 errors``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def summary(files: Sequence[VerifiedFile]) -> str:
    """The line that ends ``verify``: how many errors and warnings, in how many functions and files."""
    errors = sum(len(f.errors) for f in files)
    warnings = sum(len(f.warnings) for f in files)
    unread = sum(f.error is not None for f in files)
    counts = [count(errors, "error")] if errors else []
    counts += [count(warnings, "warning")] if warnings else []
    counts_in_words = ", ".join(counts)
    if counts_in_words:
        functions = len({(f.name, d.function) for f in files for d in f.diagnostics})
        counts_in_words += f" in {count(functions, 'function')} of {count(len(files), 'file')}"
    if unread:
        refused = f"{count(unread, 'file')} could not be taken as LLVM IR"
        return f"{counts_in_words}; {refused}" if counts_in_words else refused
    if errors:
        return counts_in_words
    defined = sum(len(f.module.definitions()) for f in files if f.module is not None)
    held = f"ok: {count(defined, 'function')} of {count(len(files), 'file')}"
    return f"{held}, {count(warnings, 'warning')}" if warnings else held


# ----------------------------------------------------------------------------------------------------------
# The machine-readable form of diagnostics (``convcheck/1``): stable key order, one object.
# ----------------------------------------------------------------------------------------------------------


SCHEMA = "convcheck/1"


def dump(value: Mapping[str, Json]) -> str:
    """The text of one JSON object, indented, ended by a newline; the keys keep their order."""
    return valid_json(_indented(value, "\n")) + "\n"


def _indented(value: Any, margin: str) -> str:
    """What ``json.dumps`` with ``indent=2`` gives, faster: contents of memory are long lists of numbers.
    ``margin`` is what a line that ends it begins with."""
    inner = margin + "  "
    if isinstance(value, dict) and value:
        return f"{{{inner}{f',{inner}'.join(_items(value, inner))}{margin}}}"
    if isinstance(value, list | tuple) and value:
        numbers = all(type(item) is int for item in value)
        items = map(repr, value) if numbers else [_indented(item, inner) for item in value]
        return f"[{inner}{f',{inner}'.join(items)}{margin}]"
    return json.dumps(value)


def _items(value: Mapping[str, Any], inner: str) -> list[str]:
    return [f"{json.dumps(name)}: {_indented(item, inner)}" for name, item in value.items()]


def line(value: Mapping[str, Json]) -> str:
    """The text of one JSON object on one line, for ``--format jsonl``."""
    return valid_json(json.dumps(value, separators=(",", ":"))) + "\n"


def _start(source: Source | None, span: Span) -> tuple[int, int]:
    if source is None or span.start < 0:
        return 1, 1
    return source.position(span.start)


def _end(source: Source | None, span: Span) -> tuple[int, int]:
    if source is None or span.start < 0:
        return 1, 1
    return source.position(span.end)


def diagnostic_data(source: Source | None, value: Diagnostic) -> dict[str, Json]:
    """One diagnostic. ``line`` and ``column`` count from 1 in characters; ``end_column`` is one past the
    last. What no text spells stands at 1:1."""
    line, column = _start(source, value.span)
    end_line, end_column = _end(source, value.span)
    witness: Json = None
    if value.witness is not None:
        witness = {"kind": value.witness.kind, "blocks": list(value.witness.blocks)}
    return {
        "rule": value.rule.id,
        "severity": value.severity.value,
        "function": "@" + value.function,
        "line": line,
        "column": column,
        "message": value.message,
        "witness": witness,
        "llvm": value.llvm_text,
        "end_line": end_line,
        "end_column": end_column,
        "labels": [_label(source, label) for label in value.labels],
        "help": value.help,
        "difference": None if value.difference is None else value.difference.value,
    }


def _label(source: Source | None, value: SpanLabel) -> dict[str, Json]:
    line, column = _start(source, value.span)
    return {"line": line, "column": column, "message": value.message}


# ----------------------------------------------------------------------------------------------------------
# Source excerpts: the lines that spans cover, with a gutter and markers below them.
#
# Columns are display cells: tabs go to the next multiple of four, East Asian wide characters take two cells,
# combining characters none, control characters show as a middle dot, and a long line is cut around its marks.
# ----------------------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------------------
# Colour for terminals: plain ANSI, or nothing at all.
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Style:
    """How to dress words. With ``color`` off every method returns its text unchanged."""

    color: bool = False

    def _wrap(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and text else text

    def severity(self, severity: Severity, text: str) -> str:
        return self._wrap("1;31" if severity is Severity.ERROR else "1;35", text)

    def strong(self, text: str) -> str:
        return self._wrap("1", text)

    def gutter(self, text: str) -> str:
        return self._wrap("34", text)

    def secondary(self, text: str) -> str:
        return self._wrap("36", text)

    def good(self, text: str) -> str:
        return self._wrap("32", text)


PLAIN = Style()


# ----------------------------------------------------------------------------------------------------------
# HTML that stands inside other pages: notebooks' outputs and the documentation.
#
# Styles are attributes of their elements, for notebooks take style sheets out; colours are readable on light
# and on dark paper. Everything that comes from a program is escaped.
# ----------------------------------------------------------------------------------------------------------

_MONO = "font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace"
_PRE = f"{_MONO};font-size:13px;line-height:1.35;white-space:pre;overflow-x:auto;margin:.3em 0"
_ANSI = re.compile(r"\x1b\[([0-9;]*)m")
_DRESS = {
    "1;31": "font-weight:bold;color:#d32f2f",
    "1;35": "font-weight:bold;color:#ab47bc",
    "1": "font-weight:bold",
    "34": "color:#1e88e5",
    "36": "color:#00897b",
    "32": "color:#2e7d32",
}
"""The codes of :class:`Style`, in CSS."""


def dressed(text: str) -> str:
    """A terminal's text as HTML: escaped, its colours as spans.

    >>> dressed("\\x1b[1ma<b\\x1b[0m c")
    '<span style="font-weight:bold">a&lt;b</span> c'
    """
    parts, open_span, at = [], False, 0
    for match in _ANSI.finditer(text):
        parts.append(markup(text[at : match.start()]))
        at = match.end()
        if open_span:
            parts.append("</span>")
        dress = _DRESS.get(match[1])
        open_span = dress is not None
        if dress is not None:
            parts.append(f'<span style="{dress}">')
    return "".join(parts) + markup(text[at:]) + ("</span>" if open_span else "")


def pre(text: str) -> str:
    """Lines as they are, with a terminal's colours."""
    return raw_pre(dressed(text.rstrip("\n")))


def raw_pre(inner: str) -> str:
    """Lines that are HTML already."""
    return f'<pre style="{_PRE}">{inner}</pre>'


def details(summary: str, inner: str, is_open: bool = False) -> str:
    """What opens at a click or a key."""
    state = ' open="open"' if is_open else ""
    return f"<details{state}><summary>{markup(summary)}</summary>{inner}</details>"


def paragraph(text: str, strong: bool = False) -> str:
    weight = ";font-weight:bold" if strong else ""
    return f'<p style="margin:.4em 0{weight}">{markup(text)}</p>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with a head; cells are text."""
    cell = 'style="text-align:left;padding:2px 10px 2px 0"'
    heads = "".join(f'<th scope="col" {cell}>{markup(name)}</th>' for name in head)
    body = "".join(
        "<tr>" + "".join(f"<td {cell}>{markup(value)}</td>" for value in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def figure(svg: str) -> str:
    """An SVG that scrolls sideways where it is too wide."""
    return f'<div style="overflow-x:auto">{svg}</div>'


def box(*parts: str) -> str:
    """One value's HTML."""
    return f'<div class="convcheck-shown">{"".join(parts)}</div>'


def prefix(text: str) -> str:
    """A prefix for ids that only pictures of the same contents share: ids must differ within a page."""
    from hashlib import sha256

    return "cc" + sha256(text.encode("utf-8", "replace")).hexdigest()[:10]
