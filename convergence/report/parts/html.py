"""Colour for terminals: plain ANSI, or nothing at all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256

from ...diagnostics import Severity
from ...frozen import dataclass
from .documents import markup


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


# -- HTML that stands inside other pages: notebooks' outputs and the documentation
# Styles are attributes of their elements, for notebooks take style sheets out; colours are readable on
# light and on dark paper. Everything that comes from a program is escaped.

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


def picture(svg: str) -> str:
    """An SVG that scrolls sideways where it is too wide."""
    return f'<div style="overflow-x:auto">{svg}</div>'


def box(*parts: str) -> str:
    """One value's HTML."""
    return f'<div class="convcheck-shown">{"".join(parts)}</div>'


def prefix(text: str) -> str:
    """A prefix for ids that only pictures of the same contents share: ids must differ within a page."""
    return "cc" + sha256(text.encode("utf-8", "replace")).hexdigest()[:10]
