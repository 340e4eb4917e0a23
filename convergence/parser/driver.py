"""The LALR parser of ``llvm.lark``: its tables as plain data, text to tokens, and the walk over both."""

from __future__ import annotations

import json
import re
import zlib
from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .builder import TERMINALS, Builder, Entity, Items
from .llvm import Unsupported
from .names import name, string

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lark import Lark

# ----------------------------------------------------------------------------------------------------------
# The LALR tables of ``llvm.lark`` as plain data, made ahead: reading needs neither lark nor its start-up.
#
# ``make tables`` (``python -m convergence.parser.driver``) writes ``llvm_tables.bin`` anew after a change of
# the grammar; a test says when it was forgotten. What lark computes is kept as it is, but for two things that
# every LALR generator does: a state in which every token calls for the same reduction is not looked at again,
# and a reduction that changes nothing, by a rule that only stands for its one child, is not made.
# ----------------------------------------------------------------------------------------------------------

HERE = Path(__file__).parent
GRAMMAR = HERE / "llvm.lark"
TABLES = HERE / "llvm_tables.bin"
STARTS = ["module", "definition_header", "body", "type"]
END = "$END"

Action = int
"""What a state does at a token. ``n >= FUSED``: shift, then reduce by production ``n - FUSED``; ``0 <= n``:
shift to state ``n``; ``n < 0``: reduce by production ``~n``. After a reduction ``n < 0`` is the next one."""
FUSED = 1 << 20
ACCEPT = FUSED - 1
"""The action at the end of the text where a start symbol is complete."""


class Production(NamedTuple):
    """One alternative of a rule.

    ``rule`` is its name, or its alias; ``symbol`` numbers the nonterminal that it makes, ``length`` counts
    the symbols that it is made of. ``children`` are those that the tree keeps, as (place from the top of the
    stack, so -1 is the last; whether it is a list of children). ``kind`` is ``call`` for a method of the
    builder, ``same`` for the value of its one child, ``list`` for children that the rule around it takes in.
    ``placed`` says that the method wants the place of the rule's text: the offsets of its beginning and end,
    before the children.
    """

    rule: str
    symbol: int
    length: int
    children: tuple[tuple[int, bool], ...]
    kind: str
    placed: bool


class Tables(NamedTuple):
    """``rows[s]`` is what state ``s`` does by terminal, ``gotos[s]`` where it goes by nonterminal."""

    terminals: list[str]
    patterns: list[tuple[str, str]]
    words: dict[str, str]
    starts: dict[str, int]
    rows: list[dict[int, Action]]
    gotos: list[dict[int, Action]]
    productions: list[Production]


def grammar_of_lark(grammar: str) -> Lark:
    """Lark's own parser for a grammar's text."""
    from lark import Lark

    return Lark(
        grammar,
        parser="lalr",
        lexer="basic",
        start=STARTS,
        propagate_positions=True,
        maybe_placeholders=False,
    )


def build(grammar: str, methods: Mapping[str, bool]) -> Tables:
    """The tables of a grammar, for a builder with ``methods``: whether each wants its place."""
    from lark.parsers.lalr_analysis import Shift

    grammar_tables = grammar_of_lark(grammar)
    table: Any = grammar_tables.parser.parser.parser.parse_table
    scanner = grammar_tables.parser.lexer.scanner
    words = {
        word.pattern.value: word.name
        for known in grammar_tables.parser.lexer.callback.values()
        for word in known.scanner.terminals
    }
    terminals = [t.name for t in grammar_tables.terminals if t.name not in grammar_tables.ignore_tokens] + [
        END
    ]
    number = {name: at for at, name in enumerate(terminals)}
    symbols = {
        name: at for at, name in enumerate(sorted({rule.origin.name for rule in grammar_tables.rules}))
    }
    lists = _lists(grammar_tables.rules)
    rules = {rule: at for at, rule in enumerate(grammar_tables.rules)}
    productions = [_production(rule, symbols, lists, methods) for rule in grammar_tables.rules]

    rows: list[dict[int, Action]] = []
    gotos: list[dict[int, Action]] = []
    order = sorted(table.states)
    assert order == list(range(len(order)))
    for state in order:
        row: dict[int, Action] = {}
        goto: dict[int, Action] = {}
        for symbol, (action, target) in table.states[state].items():
            if symbol in number:
                row[number[symbol]] = target if action is Shift else ~rules[target]
            else:
                goto[symbols[symbol]] = target
        rows.append(row)
        gotos.append(goto)
    for end in table.end_states.values():
        rows[end] = {number[END]: ACCEPT}

    ends = set(table.end_states.values())
    only = [
        _only(row) if not goto and state not in ends else None
        for state, (row, goto) in enumerate(zip(rows, gotos, strict=True))
    ]
    for row, goto in zip(rows, gotos, strict=True):
        for shifts, tokens in ((row, True), (goto, False)):
            for symbol, action in shifts.items():
                target = action
                while 0 <= target < ACCEPT and (reduction := only[target]) is not None:
                    production = productions[reduction]
                    if _is_nothing(production):
                        target = goto[production.symbol]
                    else:
                        target = FUSED + reduction if tokens else ~reduction
                shifts[symbol] = target
    starts = [table.start_states[name] for name in STARTS]
    new = {old: at for at, old in enumerate(_reached(rows, gotos, starts))}

    def moved(shifts: dict[int, Action]) -> dict[int, Action]:
        return {s: new[a] if 0 <= a < ACCEPT else a for s, a in sorted(shifts.items())}

    return Tables(
        terminals,
        [(terminal.name, terminal.pattern.to_regexp()) for terminal in scanner.terminals],
        words,
        {name: new[table.start_states[name]] for name in STARTS},
        [moved(rows[old]) for old in new],
        [moved(gotos[old]) for old in new],
        productions,
    )


def _kept_symbols(rule: Any) -> list[tuple[int, Any]]:
    """The symbols of a rule that lark's trees keep, each with its place from the top of the stack."""
    size = len(rule.expansion)
    return [
        (at - size, symbol)
        for at, symbol in enumerate(rule.expansion)
        if rule.options.keep_all_tokens or not (symbol.is_term and symbol.filter_out)
    ]


def _is_inlined(name: str) -> bool:
    return name.startswith("_")


def _lists(rules: list[Any]) -> frozenset[str]:
    """The inlined nonterminals that do not always stand for exactly one child."""
    names: set[str] = set()
    while True:
        more = {
            rule.origin.name
            for rule in rules
            if _is_inlined(rule.origin.name)
            and (
                len(_kept_symbols(rule)) != 1
                or any(not s.is_term and s.name in names for _, s in _kept_symbols(rule))
            )
        }
        if more == names:
            return frozenset(names)
        names = more


def _production(
    rule: Any, symbols: dict[str, int], lists: frozenset[str], methods: Mapping[str, bool]
) -> Production:
    origin = rule.origin.name
    name = str(rule.alias or origin)
    children = tuple((at, not s.is_term and s.name in lists) for at, s in _kept_symbols(rule))
    if _is_inlined(name):
        kind = "list" if origin in lists else "same"
    elif name in methods:
        kind = "call"
    else:
        kind = "same"
        if [is_list for _, is_list in children] != [False]:
            raise ValueError(f"the builder has no method for the rule {name}, which has not one child")
    placed = kind == "call" and methods[name]
    return Production(name, symbols[origin], len(rule.expansion), children, kind, placed)


def _is_nothing(production: Production) -> bool:
    """Whether a reduction leaves the value as it is."""
    match production:
        case Production(length=1, children=((-1, False),), kind="same"):
            return True
        case Production(length=1, children=((-1, True),), kind="list"):
            return True
        case _:
            return False


def _only(row: dict[int, Action]) -> int | None:
    """The production by which a state reduces whatever the token is."""
    actions = set(row.values())
    action = actions.pop() if len(actions) == 1 else 0
    return ~action if action < 0 else None


def _reached(rows: list[dict[int, Action]], gotos: list[dict[int, Action]], starts: list[int]) -> list[int]:
    """The states that are left, in an order that the grammar alone decides."""
    order = list(starts)
    visited = set(starts)
    for state in order:  # which grows
        for shifts in (rows[state], gotos[state]):
            for _, target in sorted(shifts.items()):
                if 0 <= target < ACCEPT and target not in visited:
                    visited.add(target)
                    order.append(target)
    return order


# -- the file -------------------------------------------------------------------------------------


def pack(tables: Tables) -> bytes:
    """Tables as bytes; equal rows are written once."""
    shared: dict[tuple[int, ...], int] = {}

    def number(row: dict[int, Action]) -> int:
        return shared.setdefault(tuple(x for pair in row.items() for x in pair), len(shared))

    rows = [number(row) for row in tables.rows]
    gotos = [number(row) for row in tables.gotos]
    data = {**tables._asdict(), "rows": rows, "gotos": gotos, "shared": list(shared)}
    return zlib.compress(json.dumps(data, separators=(",", ":")).encode(), 9)


def unpack(packed: bytes) -> Tables:
    """The tables that ``pack`` wrote."""
    data = json.loads(zlib.decompress(packed))
    shared = [dict(zip(row[::2], row[1::2], strict=True)) for row in data.pop("shared")]
    data["rows"] = [shared[at] for at in data["rows"]]
    data["gotos"] = [shared[at] for at in data["gotos"]]
    data["patterns"] = [(name, pattern) for name, pattern in data["patterns"]]
    data["productions"] = [
        Production(rule, symbol, length, tuple(map(tuple, children)), kind, placed)
        for rule, symbol, length, children, kind, placed in data["productions"]
    ]
    return Tables(**data)


def load() -> Tables:
    """The committed tables."""
    return unpack(TABLES.read_bytes())


def main() -> None:
    from .builder import Builder

    TABLES.write_bytes(pack(build(GRAMMAR.read_text(encoding="utf-8"), Builder.METHODS)))


if __name__ == "__main__":
    main()


# ----------------------------------------------------------------------------------------------------------
# From text to tokens (LangRef, *Identifiers* and what stands between them).
#
# One compiled expression cuts the text; it knows which characters cling together, and no words. What a
# piece is follows from the terminals of ``llvm.lark`` and is worked out once for each spelling.
# ----------------------------------------------------------------------------------------------------------


COMMENT = r";[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*\*/"
_BEFORE = rf"[ \t\r\n\0]*+(?:(?:{COMMENT})[ \t\r\n\0]*+)*+"
_CUT = re.compile(_BEFORE + r'(?:[-+a-zA-Z$._0-9%@!#^:\\]++(?:"[^"]*+":?)?+|"[^"]*+":?|[^ \t\r\n\0]|\Z)')
"""A piece with the spaces and comments before it: mostly one token, at times several; at the end, nothing."""
_SKIP = re.compile(_BEFORE)

STRANGE, SEVERAL = -1, -2
"""Kinds of pieces that are no token: a character that begins none, several tokens in a row."""

Token = tuple[int, Any]
"""Its kind, a number in ``Tables.terminals``, and what it means, which the terminal's method says."""


class Tokens(NamedTuple):
    """``pieces[i]`` is the spelling of ``tokens[i]`` with what stands before it; it ends at ``ends[i]``.
    ``sizes`` are how long tokens are without that, by their pieces."""

    tokens: list[Token]
    pieces: list[str]
    ends: list[int]
    sizes: Mapping[str, int]

    def start(self, at: int) -> int:
        """Where token ``at`` begins in the text."""
        return self.ends[at] - self.sizes[self.pieces[at]]

    def begins_line(self, at: int) -> bool:
        """Whether only blanks stand before token ``at`` in its line."""
        piece = self.pieces[at]
        return "\n" in piece[: _skipped(piece)]

    def spelled(self, at: int) -> str:
        """Token ``at`` alone; of what is none its first character."""
        piece = self.pieces[at]
        begin = _skipped(piece)
        return piece[begin : begin + 1] if self.tokens[at][0] == STRANGE else piece[begin:]


def _skipped(piece: str) -> int:
    """How long is what stands before a piece's token."""
    match = _SKIP.match(piece)
    assert match is not None
    return match.end()


LINE = 0x1000
"""Added to a kind in ``Lexer.kinds`` where the token is the first of its line."""
LINES = re.compile(f"(?s:.)[^{chr(LINE)}-{chr(2 * LINE)}]*+")
"""A line of kinds."""
SPELLINGS, LONG = 8_000, 80
"""Pieces that are remembered from one text to the next, and characters of one at most."""


class Spellings(dict[str, tuple[Token, str, int]]):
    """What each piece is, the character that stands for its kind, and how long its token is: by its spelling
    alone, so that texts may share it. ``values`` are the methods for terminals, by name."""

    def __init__(self, tables: Tables, values: Mapping[str, Callable[[str], Any]]) -> None:
        number = {name: at for at, name in enumerate(tables.terminals)}
        self.exact = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in tables.patterns))
        self.end = number[END]
        self.words = {word: (number[name], values.get(name, str)) for word, name in tables.words.items()}
        self.others = {
            name: (number[name], values.get(name, str)) for name, _ in tables.patterns if name in number
        }

    def __missing__(self, piece: str) -> tuple[Token, str, int]:
        skipped = _skipped(piece)
        text = piece[skipped:]
        token = self.token(text) if text else (self.end, "")
        line = LINE if "\n" in piece[:skipped] else 0
        known = token, chr(token[0] + 32 + line), len(text)
        if len(piece) <= LONG:
            if len(self) >= SPELLINGS:
                self.clear()
            self[piece] = known
        return known

    def token(self, text: str) -> Token:
        known = self.words.get(text)
        if known is None:
            match = self.exact.match(text)
            if match is None:
                return STRANGE, text
            if match.end() != len(text):
                return SEVERAL, text
            assert match.lastgroup is not None
            known = self.others[match.lastgroup]
        kind, value = known
        return kind, value(text)


class _Kinds(dict[str, Token]):
    """What each piece of one text is; ``marks`` are the characters that stand for the pieces' kinds,
    ``sizes`` how long their tokens are."""

    def __init__(self, spellings: Spellings) -> None:
        self.spellings = spellings
        self.marks: dict[str, str] = {}
        self.sizes: dict[str, int] = {}

    def __missing__(self, piece: str) -> Token:
        token, self.marks[piece], self.sizes[piece] = self.spellings[piece]
        self[piece] = token
        return token


def kind_of(mark: str) -> int:
    """The kind that a character of ``Lexer.kinds`` stands for."""
    return (ord(mark) & LINE - 1) - 32


class Lexer:
    """Cuts pieces of one text; equal spellings share one value."""

    def __init__(self, text: str, spellings: Spellings) -> None:
        self.text = text
        self._spellings = spellings
        self._kinds = _Kinds(spellings)

    def tokens(self, start: int, end: int) -> Tokens:
        """The tokens of ``text[start:end]`` and one for its end; pieces that are none keep their place."""
        pieces = self._pieces(start, end)
        tokens = list(map(self._kinds.__getitem__, pieces))
        ends = list(accumulate(map(len, pieces), initial=start))
        del ends[0]
        return Tokens(tokens, pieces, ends, self._kinds.sizes)

    def _pieces(self, start: int, end: int) -> list[str]:
        pieces = _CUT.findall(self.text, start, end)
        if len(pieces) > 1 and self._kinds[pieces[-2]][0] == self._spellings.end:
            pieces.pop()  # spaces at the end, and then nothing
        return pieces

    def kinds(self, tokens: Tokens) -> str:
        """The kinds of its tokens as characters."""
        return "".join(map(self._kinds.marks.__getitem__, tokens.pieces))

    def exact(self, start: int, end: int) -> Tokens:
        """The same where tokens follow each other without a space: each is a piece of its own."""
        kinds, match = self._kinds, self._spellings.exact.match
        pieces: list[str] = []
        for piece in self._pieces(start, end):
            if kinds[piece][0] != SEVERAL:
                pieces.append(piece)
                continue
            begin, at = 0, _skipped(piece)
            while at < len(piece):
                token = match(piece, at)
                at = at + 1 if token is None else token.end()
                pieces.append(piece[begin:at])
                begin = at
        ends = list(accumulate(map(len, pieces), initial=start))
        del ends[0]
        return Tokens([kinds[piece] for piece in pieces], pieces, ends, kinds.sizes)


# -- what a body mentions, without reading it -----------------------------------------------------

_HIDING = re.compile(rf'"[^"]*+"|{COMMENT}')
_SYMBOL = frozenset("-$._%@!#0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_PLAIN = [("@", "@[-a-zA-Z$._0-9]++"), ("#", "#[0-9]++")]
_PLAIN += [(word, f"{word}(?![-a-zA-Z$._0-9:])") for word in ("token", "convergent")]
_MENTIONS = [(beginning, re.compile(pattern)) for beginning, pattern in _PLAIN]


def mentions(text: str, start: int, end: int) -> Mapping[str, int]:
    """How often some tokens stand in ``text[start:end]``: globals as ``@name``, attribute groups as ``#3``,
    strings as ``"text"``, all unescaped, and the words ``token`` and ``convergent``."""
    counts: dict[str, int] = {}
    begins: list[int] = []  # of strings and comments, in which nothing is mentioned
    stops: list[int] = []
    lines = text.find('"', start, end) < 0 and text.find("/*", start, end) < 0
    if not lines:
        for span in _HIDING.finditer(text, start, end):
            at = span.start()
            begins.append(at)
            stops.append(span.end())
            if text[at] == '"':
                key = f"@{name(span[0])}" if text[at - 1 : at] == "@" else f'"{_plain(span[0])}"'
                counts[key] = counts.get(key, 0) + 1
    for beginning, expression in _MENTIONS:
        if text.find(beginning, start, end) < 0:
            continue
        for span in expression.finditer(text, start, end):
            at = span.start()
            if lines:  # a semicolon begins a comment
                hidden = text.find(";", max(start, text.rfind("\n", start, at)), at) >= 0
            else:
                before = bisect(begins, at)
                hidden = before > 0 and at < stops[before - 1]
            if not hidden and (beginning in "@#" or text[at - 1 : at] not in _SYMBOL):
                counts[span[0]] = counts.get(span[0], 0) + 1
    return counts


def _plain(spelled: str) -> str:
    return string(spelled).decode("utf-8", "surrogateescape") if "\\" in spelled else spelled[1:-1]


# ----------------------------------------------------------------------------------------------------------
# The LALR driver: walks the tables of ``llvm.lark`` over tokens and calls the builder's methods at once.
#
# Nothing is made but what the methods make: no trees, and no stack of Python's, so that nesting costs
# memory only. A test holds it equal to lark's own parser of the same grammar.
# ----------------------------------------------------------------------------------------------------------


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
        self.spellings = Spellings(tables, TERMINALS)
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
        self.lexer = Lexer(text, Spellings(tables, TERMINALS) if shapes is None else shapes.spellings)
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
                pieces, ends = stream.pieces[first : end + 1], stream.ends[first : end + 1]
                part = Tokens(tokens, pieces, ends, stream.sizes)
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
