"""A module's text cut into top-level entities, in one linear pass and without parsing them.

Strings, comments and brackets are respected. LLVM prints an entity a line and closes a body with
``}`` in the first column; that shape is found by two searches, any other by counting brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .errors import Unsupported

SPACE = r"(?:[ \t\r\n\0]++|;[^\n]*+|/\*(?:[^*]++|\*(?!/))*\*/)*+"
_NAME = r'(?:[-a-zA-Z$._0-9]++|"[^"]*+")'
_SIGILS = rf"[@%]{_NAME}|![-a-zA-Z$._0-9\\]++|\^[0-9]++"
_DEFINED = rf"(?:{_SIGILS}|\${_NAME}|source_filename)"
_WORDS = rf"(?:attributes|target|module){SPACE}(?:\#|datalayout\b|triple\b|asm\b)"
_STARTER = rf"(?:define\b|declare\b|uselistorder(?:_bb)?\b|{_DEFINED}{SPACE}=|{_WORDS}|\Z)"
_SKIP = re.compile(SPACE)
_AT_STARTER = re.compile(SPACE + _STARTER)
_INNER = r'(?:[^"\n;{}]++|"[^"\n]*+")*'
_LINE = rf'(?:[^"\n;{{}}]++|"[^"\n]*+"|\{{{_INNER}(?:\{{{_INNER}\}}{_INNER})*\}})'
_ONE_LINE = re.compile(rf"({_LINE}+)(?:;[^\n]*+)?\n(?={SPACE}{_STARTER})")
_HEADER_LINE = re.compile(rf"define\b{_LINE}*\{{(?=[ \t\r]*+(?:;[^\n]*+)?\n)")
_ANOTHER = re.compile(
    rf"(?:(?<![-a-zA-Z$._0-9%@!])(?:define\b|declare\b|uselistorder|{_WORDS})"
    rf"|(?:{_SIGILS}|(?<![-a-zA-Z$._0-9@%!\\])(?:\${_NAME}|source_filename)){SPACE}=)"
)
_QUOTE_IN_COMMENT = re.compile(r';[^\n]*"')
_BRACE = re.compile(r"[{}]")
_PIECE = re.compile(
    r'"[^"]*+"|;[^\n]*+|/\*(?:[^*]++|\*(?!/))*\*/'
    r"|![-a-zA-Z$._0-9\\]*+|[@%^]?[^\"\s;/()[\]{}<>@%!^]++|.|\n"
)


class Cut(NamedTuple):
    """One top-level entity ``text[start:end]``; a definition's body is ``text[body:end - 1]``, the
    inside of its braces, and ``body`` is -1 for all others."""

    start: int
    end: int
    body: int = -1


def split(text: str) -> Iterator[Cut]:
    """The top-level entities of a module, in the text's order."""
    at, length = 0, len(text)
    skip, one_line = _SKIP.match, _ONE_LINE.match
    while True:
        position = skip(text, at)
        assert position is not None
        at = position.end()
        if at == length:
            return
        if text.startswith("define", at):
            cut = _printed_definition(text, at) or _definition(text, at)
        else:
            line = one_line(text, at)
            if line is None or _ANOTHER.search(text, at + 1, line.end(1)):
                cut = _entity(text, at)
            else:
                cut = Cut(at, _trimmed(text, line.end(1)))
        yield cut
        at = cut.end


def _trimmed(text: str, end: int) -> int:
    """``end`` moved before the spaces that precede it."""
    while text[end - 1] in " \t\r":
        end -= 1
    return end


def _printed_definition(text: str, start: int) -> Cut | None:
    """A definition as LLVM prints it, ``None`` if it might be something else."""
    header = _HEADER_LINE.match(text, start)
    if header is None or _ANOTHER.search(text, start + 1, header.end()):
        return None
    body = header.end()
    end = text.find("\n}", body)
    if end < 0 or text.find("/*", body, end) >= 0:
        return None
    braces = text.find("{", body, end) >= 0 or text.find("}", body, end) >= 0
    if text.find('"', body, end) >= 0:
        if braces or text.count('"', body, end) % 2 or _QUOTE_IN_COMMENT.search(text, body, end):
            return None
    elif braces:
        if text.find(";", body, end) >= 0:
            return None
        depth = 0
        for brace in _BRACE.finditer(text, body, end):
            depth += 1 if brace[0] == "{" else -1
            if depth < 0:
                return None
        if depth:
            return None
    return Cut(start, end + 2, body) if _AT_STARTER.match(text, end + 2) else None


def _definition(text: str, start: int) -> Cut:
    """A definition of any shape: its body is the braces after which another entity begins."""
    depth, opened = 0, -1
    for piece in _PIECE.finditer(text, start):
        token = piece[0]
        if token == "{":
            if depth == 0:
                opened = piece.end()
            depth += 1
        elif token in "([<":
            depth += 1
        elif token in ")]}>" and depth:
            depth -= 1
            if token == "}" and depth == 0 and _AT_STARTER.match(text, piece.end()):
                return Cut(start, piece.end(), opened)
    raise Unsupported("a definition without an end", start)


def _entity(text: str, start: int) -> Cut:
    """Any other entity: it ends where, outside brackets, another one begins."""
    depth = 0
    end = start
    for piece in _PIECE.finditer(text, start):
        token = piece[0]
        if token[0] == ";" or token.startswith("/*") or token.isspace():
            continue
        if depth == 0 and end > start and _AT_STARTER.match(text, piece.start()):
            break
        end = piece.end()
        if token in "([{<":
            depth += 1
        elif token in ")]}>":
            depth = max(0, depth - 1)
    return Cut(start, end)


_COMMENT = re.compile(r'"[^"]*+"|;[^\n]*+|/\*(?:[^*]++|\*(?!/))*\*/')
_DIRECTIVE = re.compile(r";+[ \t]*CONVCHECK:[ \t]*([^\n]*)")


def directives(text: str) -> list[tuple[str, int]]:
    """What follows ``; CONVCHECK:`` in each such comment, and where; in strings there are none."""
    if "CONVCHECK:" not in text:
        return []
    matches = (
        _DIRECTIVE.match(text, piece.start()) for piece in _COMMENT.finditer(text) if piece[0][0] == ";"
    )
    return [(match[1].rstrip(), match.start(1)) for match in matches if match is not None]
