"""How a name, or whatever else comes from an input, is shown: the one place that decides, for all renderers.

A name in LLVM IR may hold any byte. What could move a terminal's cursor, end a line, turn the direction of
writing, or break XML, is shown as ``·``; JSON, which is for programs, keeps all but bytes that are no UTF-8.
"""

from __future__ import annotations

import re

_CONTROLS = r"\x00-\x09\x0b-\x1f\x7f-\x9f"
_LINE_ENDS = r"\u2028\u2029"
_DIRECTIONS = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_NO_CHARACTERS = r"\ud800-\udfff\ufffe\uffff"
_OF_ONE_LINE = re.compile(f"[\n{_CONTROLS}{_LINE_ENDS}{_DIRECTIONS}{_NO_CHARACTERS}]")
_OF_LINES = re.compile(f"[{_CONTROLS}{_LINE_ENDS}{_DIRECTIONS}{_NO_CHARACTERS}]")
_SURROGATE = re.compile("[\ud800-\udfff]")
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


def markup(text: str) -> str:
    """Text inside an element of XML or HTML.

    >>> markup("<b>\\x00")
    '&lt;b&gt;·'
    """
    return printable_lines(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


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
