"""The LALR tables of ``llvm.lark`` as plain data, made ahead: reading needs neither lark nor its start-up.

``make tables`` (``python -m convergence.parser.tables``) writes ``llvm_tables.bin`` anew after a change of
the grammar; a test says when it was forgotten. What lark computes is kept as it is, but for two things that
every LALR generator does: a state in which every token calls for the same reduction is not looked at again,
and a reduction that changes nothing, by a rule that only stands for its one child, is not made.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lark import Lark

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
        for name, (action, target) in table.states[state].items():
            if name in number:
                row[number[name]] = target if action is Shift else ~rules[target]
            else:
                goto[symbols[name]] = target
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
