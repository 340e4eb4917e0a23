"""Tokens are lark's: the same kinds at the same places, whatever clings together.

covers: parser.driver
"""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lark.exceptions import UnexpectedCharacters

from convergence.parser.builder import TERMINALS
from convergence.parser.driver import END, STRANGE, Lexer, Spellings, kind_of, load, mentions
from convergence.parser.names import string
from tests.parser.reading import DATA, lark
from tests.parser.test_robustness import mutate

TABLES = load()
PIECES = st.sampled_from(
    ["%x", '%"a b"', "@f", '@"q"', "$c", '"s"', '"l":', "l:", "1.5e+3", "-7", "+1.0", "0xK3F", "s0x1", "i32",
     "i32x", "add", "addx", "ptr", "tail", "!5", '!"m"', "!name", "! ", "!{", "#3", "#dbg_value", "^1", "...",
     'c"x"', "(", ")", ",", "=", "|", "*", "; c \" {\n", "/* \" */", " ", "\n", "\t", '"', "/", "x", ":"]
)  # fmt: skip


def ours(text: str) -> list[tuple[str, int, int]]:
    """Kind, beginning and end of each token up to the first character that begins none."""
    lexer = Lexer(text, Spellings(TABLES, TERMINALS))
    tokens = lexer.exact(0, len(text))
    made = []
    for at, (kind, _) in enumerate(tokens.tokens):
        if kind == STRANGE or TABLES.terminals[kind] == END:
            break
        made.append((TABLES.terminals[kind], tokens.start(at), tokens.ends[at]))
        assert tokens.spelled(at) == text[tokens.start(at) : tokens.ends[at]]
    return made


def larks(text: str) -> list[tuple[str, int, int]]:
    made = []
    try:
        for token in lark().lex(text):
            assert token.start_pos is not None and token.end_pos is not None
            made.append((str(token.type), token.start_pos, token.end_pos))
    except UnexpectedCharacters:
        pass
    return made


@settings(max_examples=600, derandomize=True, deadline=None)
@given(st.lists(PIECES, max_size=12))
def test_any_pieces(pieces: list[str]) -> None:
    assert ours("".join(pieces)) == larks("".join(pieces))


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("path", DATA, ids=lambda path: str(path.stem))
def test_mutated_files(path: object, seed: int) -> None:
    text = mutate(path.read_text(), random.Random(seed))  # type: ignore[attr-defined]
    assert ours(text) == larks(text)


@pytest.mark.parametrize("path", DATA, ids=lambda path: str(path.stem))
def test_kinds(path: object) -> None:
    """The characters that stand for kinds stand for the tokens' kinds."""
    text = path.read_text()  # type: ignore[attr-defined]
    lexer = Lexer(text, Spellings(TABLES, TERMINALS))
    tokens = lexer.tokens(0, len(text))
    assert [kind_of(mark) for mark in lexer.kinds(tokens)] == [kind for kind, _ in tokens.tokens]


WORDS = st.sampled_from(
    ["@f", '@"q r"', '@"a\\62"', "#3", '"s"', '"t\\6Fken"', "token", "tokens", "%token", "convergent",
     "token:", "convergence", '%"@f"', 'c"token"', '!"@f"', "; token @f", '; "', "/* @f */", '/* " */', "(",
     "x", '"l":']
)  # fmt: skip


@settings(max_examples=600, derandomize=True, deadline=None)
@given(st.lists(WORDS, max_size=12), st.integers(0, 3))
def test_mentions_are_tokens(words: list[str], skipped: int) -> None:
    """What a body mentions is what its tokens are, but for strings, which may be parts of tokens."""
    text = "\n".join([*words, ""])
    start = len("\n".join([*words[:skipped], ""])) if skipped < len(words) else 0
    lexer = Lexer(text, Spellings(TABLES, TERMINALS))
    tokens = lexer.exact(start, len(text))
    expected: Counter[str] = Counter()
    for at, (kind, value) in enumerate(tokens.tokens):
        match TABLES.terminals[kind], tokens.spelled(at):
            case "GLOBAL", _:
                expected[f"@{value.name}"] += 1
            case "GROUP", spelled:
                expected[spelled] += 1
            case "STRING", spelled:
                expected[f'"{string(spelled).decode()}"'] += 1
            case _, "token" | "convergent" as spelled:
                expected[spelled] += 1
    found = Counter(mentions(text, start, len(text)))
    assert {key: n for key, n in found.items() if key[0] != '"'} == {
        key: n for key, n in expected.items() if key[0] != '"'
    }
    assert expected <= found
