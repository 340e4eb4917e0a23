"""Inputs that are refused before LLVM or the grammar see them, each with one clear line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate

from ..source import Source, Span
from .errors import NotLLVM

DEEPEST = 1000
"""Brackets open at once that are read; compilers nest some ten. LLVM's reader recurses, too."""

_OPEN, _CLOSE = b"([{<", b")]}>"
_OTHERS = bytes(c for c in range(256) if c not in _OPEN + _CLOSE)
_STEPS = [1 if c in _OPEN else -1 for c in range(256)]
_ROUNDS = 10
_TOKEN = re.compile(r'"[^"]*+"|;[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/|[(\[{<]|[)\]}>]')
_OLD_POINTER = re.compile(
    r'(?:;[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/|"[^"]*+"(?![ \t]*\*))'
    r'|((?<![-a-zA-Z$._0-9])(?:%[-a-zA-Z$._0-9]+|i[0-9]+|half|bfloat|float|double|x86_fp80|fp128|ppc_fp128|"[^"]*+")'
    r"[ \t]*\*|[]})>][ \t]*\*)"
)


def refuse_unreadable(text: str) -> None:
    """Raise ``NotLLVM`` for a zero byte, too deep nesting, or typed pointers."""
    at = text.find("\0")
    if at >= 0:
        raise _refused(text, at, "a zero character: this is no text")
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise _refused(text, error.start, "a surrogate: this is no Unicode text") from None
    refuse_deep_nesting(text)
    if "*" in text:
        refuse_typed_pointers(text)


def refuse_typed_pointers(text: str) -> None:
    """``i32*`` and the like: LLVM has had only ``ptr`` since version 17, and reads the rest halfway."""
    if not any(map(_old_pointer, _starred(text))):
        return
    found = _old_pointer(text)
    if found is not None:
        what = f" `{found[1]}`" if found[1][0] in "%ihbfdxp" else ""
        message = (
            f"typed pointer{what}: this is IR from before LLVM 17, which has only opaque pointers (`ptr`); "
            "have an LLVM between 14 and 16 convert it first"
        )
        raise _refused(text, found.start(1), message)


def _starred(text: str) -> Iterator[str]:
    """The lines that hold a star."""
    at = text.find("*")
    while at >= 0:
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        yield text[text.rfind("\n", 0, at) + 1 : end]
        at = text.find("*", end)


def _old_pointer(text: str) -> re.Match[str] | None:
    """The first typed pointer outside strings and comments."""
    return next((found for found in _OLD_POINTER.finditer(text) if found[1] is not None), None)


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
