"""Data first, words in ``report``: nothing below it decides by what a message says.

A literal that reads like a message (several words, or an option's name) has no business in a comparison or in
a question to a string. What other programs print is all that they say: ``passes`` reads LLVM's complaints.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "convergence"
MAKE_OR_READ_WORDS = {"report", "cli", "parser", "passes"}
NOT_OURS = {"interrupted from keyboard"}
"""z3's own word for it, which has no other."""
QUESTIONS = {
    "startswith", "endswith", "removeprefix", "removesuffix", "replace", "split", "partition", "find",
    "index", "count",
}  # fmt: skip
MESSAGE = re.compile(r"--\w|\w[,:;]? \w")


def decisions(source: str) -> Iterator[tuple[int, str]]:
    """Line and literal of each decision by words in a module's text."""
    tree = ast.parse(source)
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        for operand in _operands(node):
            for said in _literals(operand, constants):
                if MESSAGE.search(said) and said not in NOT_OURS:
                    yield operand.lineno, said


def _operands(node: ast.AST) -> list[ast.expr]:
    """What a string is compared with or asked about here."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name)) if name in QUESTIONS:
            return node.args
        case ast.Compare():
            return [node.left, *node.comparators]
        case ast.MatchValue():
            return [node.value]
        case _:
            return []


def _literals(operand: ast.expr, constants: Mapping[str, ast.expr]) -> Iterator[str]:
    """The texts of an operand: literals, collections and formatted texts of them, constants of the module."""
    match operand:
        case ast.Constant(value=str() as said):
            yield said
        case ast.Tuple() | ast.List() | ast.Set():
            for element in operand.elts:
                yield from _literals(element, constants)
        case ast.JoinedStr():
            yield "".join(p.value if isinstance(p, ast.Constant) else "0" for p in operand.values)  # type: ignore[misc]  # its constants are texts
        case ast.Name(id=name) if name in constants:
            yield from _literals(constants[name], {})
        case _:
            return


def test_nothing_below_the_reports_reads_words() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{line}: {said!r}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.relative_to(PACKAGE).parts[0] not in MAKE_OR_READ_WORDS
        for line, said in decisions(path.read_text())
    ]
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        'bound.startswith("--timeout")',
        'LEFT_OUT = ("--max-steps", "threads that race in memory")\nbound.startswith(LEFT_OUT)',
        'why == "not modelled: a data race"',
        '"are in the way" in words',
        'words.replace("the one", "thread 0")',
        'what in ("undef was taken as 0", "none")',
        'bound == f"--max-steps {steps}"',
        'match words:\n  case "call depth":\n    pass',
    ],
)
def test_a_decision_by_words_is_seen(text: str) -> None:
    assert list(decisions(text))


@pytest.mark.parametrize(
    "text", ['name.startswith("llvm.")', 'kind == "wrong"', 'raise Undefined("a read of x", "Loads")']
)
def test_other_texts_are_none(text: str) -> None:
    assert not list(decisions(text))
