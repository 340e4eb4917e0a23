"""Every example is run, and does what its CHECK lines say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from convergence.cli.plumbing.examples import CheckRefused
from convergence.rules import Rule

from .runlines import UnknownCommandError, run, run_lines

ROOT = Path(__file__).resolve().parents[2]
SHELF = ROOT / "examples_ll"
EXAMPLES = sorted([*SHELF.rglob("*.ll"), *SHELF.rglob("*.spvasm")])


def name(path: Path) -> str:
    return path.relative_to(SHELF).as_posix()


@pytest.mark.parametrize("example", EXAMPLES, ids=name)
def test_example(example: Path) -> None:
    """All RUN lines of the file pass, there is one at least, and one of them runs this file."""
    lines = run_lines(example.read_text(encoding="utf-8"))
    assert any("convcheck" in line and "%s" in line for line in lines), "no RUN line runs this file"
    for line in lines:
        assert (failure := run(line, example)) is None, failure


@pytest.mark.parametrize("example", EXAMPLES, ids=name)
def test_every_check_prefix_is_used(example: Path) -> None:
    """A CHECK line whose prefix no RUN line names is checked by nobody."""
    text = example.read_text(encoding="utf-8")
    used = {"CHECK"} if re.search(r"FileCheck(?!.*--check-prefix)", text) else set()
    used |= {p for words in re.findall(r"--check-prefix(?:es)?[= ](\S+)", text) for p in words.split(",")}
    written = {
        re.sub(r"-(NEXT|NOT|DAG|SAME|EMPTY|LABEL|COUNT-\d+)$", "", prefix)
        for prefix in re.findall(r"^;\s*([A-Z][A-Z0-9_-]*):", text, re.MULTILINE)
    }
    assert written - {"RUN", "CONVCHECK", "LITMUS", "COM", "NOTE", "TODO"} == used


def test_there_are_examples() -> None:
    shelves = {path.parent.name for path in EXAMPLES}
    assert {"alignments", "langref"} <= shelves


CAN_BE_BROKEN = {Rule.D_EQ, Rule.D_ANCHOR, Rule.D_ORDER, Rule.D_MEM, Rule.D_SYNC, Rule.D_CAUSE, Rule.D_DEP}
"""Dynamic rules that keep executions out which all others would let in."""


def test_every_rule_has_its_examples() -> None:
    """(That each S- and W-rule's files keep or break it, and it alone, is in ``tests/verifier``.)"""
    kinds: dict[str, set[str]] = {rule.id: set() for rule in Rule}
    for path in (SHELF / "rules").glob("*.*"):
        kinds[path.name.split(".")[0]].add(path.name.split(".")[-2])
    for rule in Rule:
        match rule.id[0]:
            case "S":
                wanted = {"good", "bad"}
            case "W":
                wanted = {"warns"}
            case _:
                wanted = {"shows", "excludes"} if rule in CAN_BE_BROKEN else {"shows"}
        assert kinds[rule.id] == wanted, rule.id


def test_lit_runs_them_too() -> None:
    """lit itself, with the substitutions of lit.cfg.py, on the smallest shelf."""
    shelf = SHELF / "alignments"
    ran = subprocess.run(
        [sys.executable, "-c", "from lit.main import main; main()", "-j2", "-v", str(shelf)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"Passed: {len(list(shelf.glob('*.ll')))}" in ran.stdout


@pytest.mark.parametrize(
    ("line", "failure"),
    [
        ("convcheck verify %s | FileCheck %s", None),
        ("not convcheck verify %s", "exit code 0"),
        ("convcheck verify %s | FileCheck %s --check-prefix=OTHER", "exit code 1"),
        ("convcheck verify %s | not FileCheck %s --check-prefix=OTHER", None),
        ("not convcheck verify %s.none 2>&1 | FileCheck %s --check-prefix=NONE", None),
        ("convcheck nonsense", "exit code 2"),
    ],
)
def test_the_runner_can_fail(tmp_path: Path, line: str, failure: str | None) -> None:
    file = tmp_path / "a.ll"
    checks = "; CHECK: {{^}}ok: 1 function\n; OTHER: nothing says this\n; NONE: No such file\n"
    file.write_text(checks + "define void @f() {\n  ret void\n}\n")
    said = run(line, file)
    assert said is None if failure is None else said is not None and said.startswith(failure), said


@pytest.mark.parametrize(
    "line",
    [
        "opt %s",
        "convcheck verify %s && convcheck verify %s",
        "convcheck verify %t",
        "convcheck verify %s > x",
    ],
)
def test_the_runner_refuses_what_it_does_not_know(tmp_path: Path, line: str) -> None:
    file = tmp_path / "a.ll"
    file.write_text("define void @f() {\n  ret void\n}\n")
    with pytest.raises(UnknownCommandError):
        run(line, file)


def test_run_lines_go_on_after_a_backslash() -> None:
    assert [line.split() for line in run_lines("; RUN: a \\\n; RUN:   | b\n; RUN: c\n")] == [
        ["a", "|", "b"],
        ["c"],
    ]
    with pytest.raises(CheckRefused, match="goes on"):
        run_lines("; RUN: a \\\n")
