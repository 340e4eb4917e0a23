"""``update_convcheck_checks``: CHECK lines from RUN lines; twice is once; nothing is guessed.

covers: cli.plumbing.examples, cli.plumbing.options
"""

from __future__ import annotations

import shutil
from pathlib import Path

import click.testing
import pytest

from convergence.cli import update_checks
from convergence.cli.plumbing.examples import NOTE, CheckRefused, run_lines
from convergence.cli.update_checks import settle
from tests.examples.runlines import run
from tests.examples.runlines import run_lines as example_lines

ROOT = Path(__file__).resolve().parents[2]
SHELF = ROOT / "examples_ll"
MADE = [path for path in sorted(SHELF.rglob("*.ll")) if NOTE in path.read_text(encoding="utf-8").splitlines()]


def called(*arguments: str | Path) -> click.testing.Result:
    return click.testing.CliRunner().invoke(update_checks.command, [str(a) for a in arguments])


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """A file whose output holds its own line numbers, for the check lines move them."""
    path = tmp_path / "a.ll"
    text = (SHELF / "rules" / "S-NEST.bad.ll").read_text(encoding="utf-8")
    path.write_text("\n".join(line for line in text.splitlines() if "CHECK" not in line) + "\n")
    return path


def test_the_lines_pass_and_stay(example: Path) -> None:
    assert settle(example)
    text = example.read_text()
    assert "; CHECK-NEXT: {{^}}1 error in 1 function of 1 file{{$}}" in text
    for line in example_lines(text):
        assert run(line, example) is None
    assert not settle(example), "twice is once"
    assert example.read_text() == text


def test_the_lines_fail_when_the_program_changes(example: Path) -> None:
    settle(example)
    text = example.read_text()
    example.write_text(text.replace("(token %inner)", "(token %outer)"))
    (line,) = example_lines(text)
    assert run(line, example) is not None
    assert settle(example)


@pytest.mark.parametrize("name", ["alignments/natural-anchor.ll", "langref/divergent-break.ll"])
def test_several_prefixes(tmp_path: Path, name: str) -> None:
    path = tmp_path / "b.ll"
    shutil.copy(SHELF / name, path)
    assert settle(path)
    text = path.read_text()
    for line in example_lines(text):
        assert run(line, path) is None
    assert not settle(path)


def test_brackets_in_the_output_are_no_patterns(tmp_path: Path) -> None:
    path = tmp_path / "c.ll"
    path.write_text(
        "; RUN: convcheck run --trace %s | FileCheck %s\n"
        'define i32 @"a[[b]]{{c}}"() {\n"[[x]]":\n  ret i32 0\n}\n'
    )
    assert settle(path)
    assert run(example_lines(path.read_text())[0], path) is None


def test_our_own_shelf_is_up_to_date() -> None:
    assert MADE, "some examples are made by the script"
    done = called("--check", "--update-only", *MADE)
    assert (done.exit_code, done.output) == (0, "")


def test_the_command(example: Path) -> None:
    before = example.read_text()
    assert called("-u", example).exit_code == 0
    assert example.read_text() == before, "not made by the script"
    stale = called("--check", example)
    assert stale.exit_code == 1 and "not up to date" in stale.output
    assert example.read_text() == before
    assert "updated" in called(example).output
    again = called("--check", "-u", example)
    assert (again.exit_code, again.output) == (0, "")
    assert called().exit_code == 2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("; RUN: opt %s | FileCheck %s\n", "not understood: opt"),
        ("; RUN: convcheck run %s | grep x | FileCheck %s\n", "not understood"),
        ("; RUN: convcheck run %s\n", "no RUN line ends in FileCheck"),
        ("define void @f() {\n", "no RUN line"),
        ("; RUN: convcheck run %s | FileCheck %s\n; RUN: convcheck run %s | FileCheck %s\n", "two RUN lines"),
        ("; RUN: convcheck run %s | FileCheck %s --check-prefixes=A,B\n", "one prefix"),
        ("; RUN: convcheck run %s | FileCheck %s --match-full-lines\n", "--match-full-lines is not"),
        ("; RUN: convcheck run %s \\\n", "goes on"),
    ],
)
def test_what_is_not_understood_is_refused_and_left_alone(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(CheckRefused, match=why):
        run_lines(text)
    path = tmp_path / "d.ll"
    path.write_text(text)
    done = called(path)
    assert done.exit_code == 2 and path.read_text() == text


def test_a_file_that_never_settles_is_left_as_it_was(example: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = iter(range(100))
    monkeypatch.setattr(update_checks, "_printed", lambda line, path: f"{next(rounds)}\n")
    before = example.read_text()
    with pytest.raises(CheckRefused, match="after each of 5 rounds"):
        settle(example)
    assert example.read_text() == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("run --function @nobody %s", "there is no definition of @nobody"),
        ("verify -q -o {folder}/kept.txt %s", "prints nothing to check"),
    ],
)
def test_a_command_that_prints_nothing_is_named(tmp_path: Path, arguments: str, said: str) -> None:
    path = tmp_path / "a.ll"
    text = f"; RUN: convcheck {arguments.format(folder=tmp_path)} | FileCheck %s\n"
    text += "define void @f() {\n  ret void\n}\n"
    path.write_text(text)
    ran = called(path)
    assert ran.exit_code == 2
    assert said in ran.output
    assert path.read_text() == text
