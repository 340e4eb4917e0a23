"""Derivations remembered by shape (speed only: a driver without them does the same; tests/parser compares).

Which productions a piece of text goes through depends on the kinds of its tokens and on nothing else, and
programs use few sequences of kinds over and over. So a sequence that was met before is not parsed again: its
derivation is one expression over the builder's methods, compiled when the sequence has come back a few times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .tables import ACCEPT, FUSED, Production, Tables

LONGEST = 48
"""Tokens of a sequence that is remembered; longer ones mostly come once."""
_MOST = 4000
"""Sequences that are remembered."""
_OFTEN = 3
"""Times that a sequence is parsed before it is compiled."""

Make = Callable[..., Any]
"""A sequence's value: from the builder, all tokens, the number of its first, and what its tokens mean."""


class Shapes:
    """What was met of one grammar, by start symbol, kinds, and the kind of the token after them."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.ready: dict[tuple[str, str, str], Make] = {}
        self._numbers: dict[tuple[str, str, str], int] = {}

    def meet(self, key: tuple[str, str, str], kinds: Sequence[int], following: int) -> bool:
        """Take note of a sequence that is not ready; whether it derives from its start symbol, or in a body
        is exactly one item, whatever stands behind the token that follows."""
        met = self._numbers.get(key, 0)
        if met < 0 or len(kinds) > LONGEST:
            return False
        if 0 < met < _OFTEN:
            self._numbers[key] = met + 1
            return True
        expression = derivation(self.tables, key[0], kinds, following)
        if expression is None:
            self._numbers[key] = -1
            return False
        if met:
            names = "".join(f", a{at}" for at in range(len(kinds)))
            self.ready[key] = eval(f"lambda builder, tokens, first{names}: {expression}", {})
        elif len(self._numbers) < _MOST:
            self._numbers[key] = 1
        return True


def derivation(tables: Tables, start: str, kinds: Sequence[int], following: int) -> str | None:
    """The value of a sequence of tokens as an expression over their values, ``None`` if it has none."""
    rows, gotos, productions = tables.rows, tables.gotos, tables.productions
    states = [tables.starts[start]]
    values: list[Any] = []  # an expression, or a list of them
    marks: list[int] = []
    for at, kind in enumerate((*kinds, following)):
        shifted = False
        while not shifted:
            action = rows[states[-1]].get(kind)
            if action is None or (action == ACCEPT and at < len(kinds)):
                return None
            if action == ACCEPT:
                return str(values[-1])
            if action >= 0:
                if at == len(kinds):
                    return _item(values) if start == "body" else None
                values.append(f"a{at}")
                marks.append(at)
                shifted = True
                states.append(action)
                if action < FUSED:
                    continue
            number = action - FUSED if shifted else ~action
            while True:
                production = productions[number]
                if production.rule == start == "body":
                    return _item(values)
                length = production.length
                mark = marks[-length] if length else at
                value = _value(production, values, mark, at if shifted else at - 1)
                if length:
                    del values[-length:], states[-length:], marks[-length:]
                values.append(value)
                marks.append(mark)
                target = gotos[states[-1]][production.symbol]
                states.append(target)
                if target >= 0:
                    break
                number = ~target
    return None


def _item(values: list[Any]) -> str | None:
    """The one item of a body that is on the stack."""
    match values:
        case [[str(item)]]:
            return item
        case _:
            return None


def _value(production: Production, values: list[Any], first: int, last: int) -> Any:
    """What a production makes of the values on the stack, as an expression or a list of them."""
    children: list[str] = []
    for at, is_list in production.children:
        children += values[at] if is_list else [values[at]]
    if production.kind == "same":
        return children[0]
    if production.kind == "list":
        return children
    if production.placed:
        children[:0] = f"tokens.start(first + {first})", f"tokens.ends[first + {last}]"
    return f"builder.{production.rule}({', '.join(children)})"
