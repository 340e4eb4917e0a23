"""Common one-line statements without the grammar (speed only; see ``fast_values``).

A function's body is read statement by statement: one expression finds the result and the opcode,
a second one, chosen by the opcode, the rest. Any statement that has another shape is handed, alone,
to the grammar; if that fails, the whole body is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..ir.instructions import Instruction
from ..source import Span
from .fast_builders import TABLE, Builder, debug_record
from .fast_patterns import DEBUG, END, HEAD, NEXT, SKIP
from .fast_types import NotFast, plain_name
from .fast_values import Interner
from .resolve import Label


def _skip(text: str, at: int, end: int) -> int:
    """The next offset that holds neither space nor comment."""
    found = SKIP.match(text, at, end)
    assert found is not None
    return found.end()


Item = Label | Instruction
Match = Callable[[str, int, int], "re.Match[str] | None"]


class Statements:
    """Reads bodies of ``text``; ``grammar`` reads a piece of it, between two offsets, by the grammar.

    An opcode's expression is compiled when the opcode is first met: starting up is most of the time
    that a small file takes.
    """

    def __init__(self, text: str, interner: Interner, grammar: Callable[[int, int], list[Item]]) -> None:
        self.text = text
        self.interner = interner
        self.grammar = grammar
        self._ready: dict[str, tuple[Match, Builder]] = {}

    def _prepare(self, opcode: str) -> tuple[Match, Builder]:
        if opcode[0] == "#":
            pattern, build = DEBUG, debug_record(opcode[1:])
        elif opcode in TABLE:
            pattern, build = TABLE[opcode]
        else:
            raise NotFast(opcode)
        made = self._ready[opcode] = re.compile(pattern + END, re.ASCII).match, build
        return made

    def items(self, start: int, end: int) -> list[Item]:
        """The labels and instructions of the body ``text[start:end]``."""
        text, interner, ready = self.text, self.interner, self._ready
        items: list[Item] = []
        add, head = items.append, HEAD.match
        at = start
        while True:
            found = head(text, at, end)
            if found is None:
                at = _skip(text, at, end)
                if at == end or text.startswith("uselistorder", at):
                    return items
                stop = self._next(at, end)
                items += self.grammar(at, stop)
                at = stop
                continue
            label, result, opcode = found.groups()
            if label is not None:
                add(Label(plain_name(label), Span(found.start(1), found.end())))
                at = found.end()
                continue
            begin = found.start(3)
            if result is not None:
                begin, result = found.start(2) - 1, plain_name(result)
            try:
                match, build = ready.get(opcode) or self._prepare(opcode)
                rest = match(text, found.end(), end)
                if rest is None:
                    raise NotFast
                add(build(interner, rest, result, Span(begin, rest.end(rest.re.groups))))
                at = rest.end()
            except NotFast:
                stop = self._next(found.end(), end)
                items += self.grammar(begin, stop)
                at = stop

    def _next(self, at: int, end: int) -> int:
        """Where the statement that holds offset ``at`` ends, as far as its lines tell."""
        found = NEXT.search(self.text, at, end)
        return end if found is None else found.start()
