"""The acceptance of the whole project (semantics.md §5): two programs, two pictures, their sums."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convergence.cli import invoke

SHELF = Path(__file__).resolve().parents[2] / "examples_ll" / "alignments"

NATURAL = ["A B - B C D", "A B C B C D"]
NESTED = ["A B B C - - D", "A B - C B C D"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert invoke(["run", *arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("file", "options", "picture"),
    [
        ("natural.ll", [], NATURAL),
        ("natural.ll", ["--all-blocks"], NATURAL),
        ("natural-anchor.ll", [], NATURAL),
        ("nested.ll", [], NESTED),
        ("nested.ll", ["--all-blocks"], ["A O B B C - - - D", "A O B - C O B C D"]),
        ("nested-anchor.ll", [], NESTED),
        ("uncontrolled.ll", [], NATURAL),
        ("uncontrolled.ll", ["--uncontrolled", "none"], ["A B B C - - - - D", "A - - - B C B C D"]),
    ],
)
def test_pictures(
    capsys: pytest.CaptureFixture[str], file: str, options: list[str], picture: list[str]
) -> None:
    """The text begins with the rows, to the letter; JSON has the same."""
    path = str(SHELF / file)
    rows = [f"Thread {number}: {row}" for number, row in enumerate(picture)]
    assert run(capsys, *options, path).splitlines()[:2] == rows
    assert json.loads(run(capsys, *options, "--format", "json", path))["alignment"]["picture"] == picture


@pytest.mark.parametrize(
    ("file", "sums"),
    [
        ("natural.ll", [{"0": 11, "1": 11}, {"0": 11, "1": 11}]),
        ("nested.ll", [{"0": 11, "1": 11}, {"0": 1}, {"1": 10}]),
    ],
)
def test_sums_for_operands_1_and_10(
    capsys: pytest.CaptureFixture[str], file: str, sums: list[dict[str, int]]
) -> None:
    answer: dict[str, Any] = json.loads(run(capsys, "--format", "json", str(SHELF / file)))
    (operation,) = (o for o in answer["alignment"]["operations"] if o["operation"] == "%sum.b")
    assert operation["callee"] == "@subgroupAdd"
    assert [group["results"] for group in operation["groups"]] == sums


def test_the_command_line_wins_over_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    """Both threads on one path: nobody waits for anybody."""
    path = ["--path", "A B C D", "--path", "A B C D"]
    out = run(capsys, *path, str(SHELF / "natural.ll"))
    assert out.splitlines()[:2] == ["Thread 0: A B C D", "Thread 1: A B C D"]
