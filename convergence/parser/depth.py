"""How deeply a text nests its brackets: LLVM's reader recurses, and overflows the process's stack."""

from __future__ import annotations

import re
from itertools import accumulate, count
from operator import sub

from .errors import NotLLVM

DEEPEST = 1000
"""Brackets open at once that are still read. LLVM's own reader fails at some ten thousand."""

_OPEN, _CLOSE = b"([{<", b")]}>"
_STEPS = bytes(2 if c in _OPEN else 0 for c in range(256))  # one more than what a bracket adds
_OTHERS = bytes(c for c in range(256) if c not in _OPEN + _CLOSE)
_TOKEN = re.compile(r'"[^"]*"|;[^\n]*|[(\[{<]|[)\]}>]')


def refuse_deep_nesting(text: str) -> None:
    """Raise ``NotLLVM`` if more than :data:`DEEPEST` brackets are open at one place."""
    brackets = text.encode("utf-8", "replace").translate(_STEPS, _OTHERS)
    if len(brackets) <= DEEPEST:
        return
    # A first look at C speed, which takes brackets in strings and comments for real ones.
    depths = list(map(sub, accumulate(brackets), count(1)))
    if max(depths) - min(0, min(depths)) > DEEPEST // 2:
        _look_closely(text)


def _look_closely(text: str) -> None:
    depth = 0
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in "([{<":
            depth += 1
            if depth > DEEPEST:
                line = text.count("\n", 0, token.start()) + 1
                column = token.start() - text.rfind("\n", 0, token.start())
                raise NotLLVM(f"nested too deeply: more than {DEEPEST} open brackets", line, column)
        elif sign in ")]}>":
            depth = max(0, depth - 1)
