"""The LALR driver: walks the tables of ``llvm.lark`` over tokens and calls the builder's methods at once.

Nothing is made but what the methods make: no trees, and no stack of Python's, so that nesting costs memory
only. A test holds it equal to lark's own parser of the same grammar.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from .builder import TERMINALS, Builder, Entity, Items
from .errors import Unsupported
from .lexer import LINES, SEVERAL, Lexer, Token, Tokens, kind_of
from .tables import ACCEPT, FUSED, Production, Tables

# ----------------------------------------------------------------------------------------------------------
# Derivations remembered by shape (speed only: a driver without them does the same; tests/parser compares).
#
# Which productions a piece of text goes through depends on the kinds of its tokens and on nothing else, and
# programs use few sequences of kinds over and over. So a sequence that was met before is not parsed again:
# its derivation is one expression over the builder's methods, compiled when the sequence has come back a few
# times.
# ----------------------------------------------------------------------------------------------------------

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


class _SeveralInOneError(Exception):
    """A piece holds more than one token."""


class _NotByLinesError(Exception):
    """A line of a body is not exactly one item."""


Method = Callable[..., Any]
_NOTHING, _ONE, _MANY, _SAME, _APPEND, _LIST, _GATHER, _PLACED = range(8)
"""How the value of a production is made of those on top of the stack."""
_Step = tuple[int, int, int, Any, Any]
"""Length, symbol, one of the above, the children's places, and the method."""


class Driver:
    """Reads pieces of one text. Without ``shapes`` every derivation is made anew."""

    def __init__(self, text: str, tables: Tables, builder: Builder, shapes: Shapes | None = None) -> None:
        self.tables = tables
        self.builder = builder
        self.lexer = Lexer(text, tables, TERMINALS)
        self._shapes = shapes
        self._steps: list[_Step | None] = [None] * len(tables.productions)
        self._end: Token = len(tables.terminals) - 1, ""

    def read(self, start: str, begin: int, end: int) -> Any:
        """The value of ``text[begin:end]`` as the start symbol ``start``.

        :raises Unsupported: at the token that does not fit, or the rule that its method refuses
        """
        tokens = self.lexer.tokens(begin, end)
        if self._shapes is not None:
            try:
                return self._items(tokens) if start == "body" else self._whole(start, tokens)
            except Exception:  # the plain way finds it, too, and says where
                pass
        try:
            return self._run(start, tokens)
        except _SeveralInOneError:
            return self._run(start, self.lexer.exact(begin, end))

    def _unexpected(self, tokens: Tokens, at: int) -> Unsupported:
        """That a token does not fit. A word that begins its line and is no opcode was read as an attribute of
        the line before: then that word does not fit, and not what stands behind it."""
        word = self.tables.terminals.index("WORD")
        if (
            at
            and tokens.tokens[at - 1][0] == word
            and tokens.begins_line(at - 1)
            and not tokens.begins_line(at)
        ):
            at -= 1
        spelled = tokens.spelled(at)
        message = f"cannot read {spelled!r} here" if spelled else "cannot read on at the end"
        return Unsupported(message, tokens.start(at))

    # -- by shapes

    def _whole(self, start: str, tokens: Tokens) -> Any:
        """All tokens as one remembered derivation."""
        if len(tokens.tokens) > LONGEST:
            return self._run(start, tokens)
        shapes = self._shapes
        assert shapes is not None
        kinds = self.lexer.kinds(tokens)[: len(tokens.tokens) - 1]
        make = shapes.ready.get((start, kinds, ""))
        if make is None:
            shapes.meet((start, kinds, ""), [*map(kind_of, kinds)], self._end[0])
            return self._run(start, tokens)
        return make(self.builder, tokens, 0, *[value for _, value in tokens.tokens[:-1]])

    def _items(self, stream: Tokens) -> Items:
        """A body, line by line; as a whole where a line is not exactly one item."""
        shapes, builder = self._shapes, self.builder
        assert shapes is not None
        ready = shapes.ready
        values = [value for _, value in stream.tokens]
        lines = LINES.findall(self.lexer.kinds(stream))
        items: list[Any] = []
        first = 0
        line = lines[0]
        for following in lines[1:]:
            end = first + len(line)
            make = ready.get(("body", line, following[0]))
            if make is not None:
                items.append(make(builder, stream, first, *values[first:end]))
            else:
                kinds = [*map(kind_of, line)]
                if not shapes.meet(("body", line, following[0]), kinds, kind_of(following[0])):
                    raise _NotByLinesError
                tokens = [*stream.tokens[first:end], self._end]
                part = Tokens(tokens, stream.pieces[first : end + 1], stream.ends[first : end + 1])
                body: Items = self._run("body", part)
                items += body.items
                items += [Entity("use_list_orders", "", order) for order in body.use_list_orders]
            first, line = end, following
        if len(line) > 1:
            raise _NotByLinesError
        return self.builder.body(*items)

    # -- by the tables

    def _run(self, start: str, stream: Tokens) -> Any:
        state = self.tables.starts[start]
        rows, gotos, steps = self.tables.rows, self.tables.gotos, self._steps
        tokens = stream.tokens
        states: list[int] = [state]
        values: list[Any] = []
        marks: list[int] = []  # the token at which each value begins
        row = rows[state]
        at = length = 0
        try:
            for at, (kind, value) in enumerate(tokens):
                while True:
                    action = row.get(kind)
                    if action is None:
                        if kind == SEVERAL:
                            raise _SeveralInOneError
                        raise self._unexpected(stream, at)
                    if action >= 0:
                        if action == ACCEPT:
                            return values[-1]
                        values.append(value)
                        marks.append(at)
                        if action < FUSED:
                            states.append(action)
                            row = rows[action]
                            break
                        states.append(0)
                        production = action - FUSED
                        shifted = True
                    else:
                        production = ~action
                        shifted = False
                    while True:
                        length, symbol, way, places, method = steps[production] or self._step(production)
                        if way == _MANY:
                            built = method(*places(values))
                        elif way == _ONE:
                            built = method(values[places])
                        elif way == _NOTHING:
                            built = method()
                        elif way == _SAME:
                            built = values[places]
                        elif way == _APPEND:
                            built = values[-length]
                            built.append(values[places])
                        elif way == _LIST:
                            built = _gathered(values, places)
                        elif way == _GATHER:
                            built = method(*_gathered(values, places))
                        else:
                            first, last = marks[-length], at if shifted else at - 1
                            built = method(stream.start(first), stream.ends[last], *places(values))
                        if length:
                            del values[-length:], states[-length:]
                            if length > 1:
                                del marks[1 - length :]
                        else:
                            marks.append(at)
                        values.append(built)
                        target = gotos[states[-1]][symbol]
                        if target >= 0:
                            states.append(target)
                            row = rows[target]
                            break
                        states.append(0)
                        production = ~target
                    if shifted:
                        break
        except (Unsupported, _SeveralInOneError):
            raise
        except Exception as error:  # what LLVM takes and the builder does not expect
            place = stream.start(marks[-length] if length else at)
            raise Unsupported(f"cannot make sense of it: {error}", place) from None
        raise AssertionError("the tokens have an end")

    def _step(self, number: int) -> _Step:
        """A production in the form that the loop wants, made when it is first met."""
        production = self.tables.productions[number]
        step = self._steps[number] = self._made_step(production)
        return step

    def _made_step(self, production: Production) -> _Step:
        rule, symbol, length, children, kind, placed = production
        places = [at for at, _ in children]
        if kind == "same":
            return length, symbol, _SAME, places[0], None
        if kind == "list":
            if len(children) == 2 and children[0] == (-length, True) and not children[1][1]:
                return length, symbol, _APPEND, places[1], None
            return length, symbol, _LIST, children, None
        method = getattr(self.builder, rule)
        if any(is_list for _, is_list in children):
            if placed:
                return length, symbol, _PLACED, lambda values: _gathered(values, children), method
            return length, symbol, _GATHER, children, method
        if placed:
            return length, symbol, _PLACED, lambda values: [values[at] for at in places], method
        if not places:
            return length, symbol, _NOTHING, None, method
        if len(places) == 1:
            return length, symbol, _ONE, places[0], method
        return length, symbol, _MANY, itemgetter(*places), method


def _gathered(values: list[Any], children: tuple[tuple[int, bool], ...]) -> list[Any]:
    """The children on the stack as one list; a list among them that comes first is taken, not copied."""
    gathered: list[Any] = []
    for at, is_list in children:
        if not is_list:
            gathered.append(values[at])
        elif gathered:
            gathered += values[at]
        else:
            gathered = values[at]
    return gathered
