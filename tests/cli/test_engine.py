"""``convcheck run --engine``: the same answer by each, which one it was, and what is said when they differ.

covers: report.run, semantics.machine.tally
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from convergence.report.schemas import schema
from convergence.semantics.arithmetic.emitting import EmittingWidth
from tests.cli.cli_harness import convcheck

LOOP = """
; CONVCHECK: --engine operational
@sum = global i32 0
define i32 @f(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %old = load i32, ptr @sum
  %new = add i32 %old, %i
  store i32 %new, ptr @sum
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %out
out:
  ret i32 %new
}
"""


def answered(*words: str | Path) -> dict[str, Any]:
    ran = convcheck("run", "--format", "json", *words)
    assert (ran.code, ran.err) == (0, "")
    value: dict[str, Any] = json.loads(ran.out)
    Draft202012Validator(schema("run")).validate(value)
    return value


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "loop.ll"
    path.write_text(LOOP)
    return path


def test_each_engine_gives_the_same_answer(loop: Path) -> None:
    """``auto`` begins natively only when a run is long; which engine it was is said."""
    answers = {
        engine: answered(loop, "--arg", "%n=9000", "--engine", engine)
        for engine in ("reference", "native", "attended", "auto", "both")
    }
    said = {engine: value.pop("engine") for engine, value in answers.items()}
    assert all(value == answers["reference"] for value in answers.values())
    assert said["reference"] == {"used": "reference"}
    steps = answers["native"]["steps"]
    assert steps == said["native"]["instructions"] > said["attended"]["instructions"] > steps * 9 // 10
    assert steps // 2 > said["auto"]["instructions"] > 0 == said["attended"]["unattended"]
    assert answered(loop, "--arg", "%n=9")["engine"] == {"used": "reference"}
    assert {(h["function"], h["instruction"]) for h in said["attended"]["handed_back"]} >= {("@f", "ret")}
    ran = convcheck("run", loop, "--arg", "%n=100", "--engine", "attended", "-v")
    assert "Engine: native, " in ran.out and "handed back 1 times: ret in @f" in ran.out


def test_what_a_clock_ended_is_not_compared(tmp_path: Path) -> None:
    (file := tmp_path / "long.ll").write_text(LOOP)
    launch = ("--arg", "%n=100000000", "--max-steps", "400000000")
    ran = convcheck("run", "-q", file, *launch, "--engine", "both", "--timeout", "1")
    assert ran.code == 3 and not ran.err and not [*tmp_path.glob("convcheck-engines-*")]
    assert "the engines were not compared: the time of one of them was over" in ran.out


def test_engines_that_differ_leave_what_shows_it(loop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EmittingWidth, "add", EmittingWidth.sub)
    ran = convcheck("run", loop, "--arg", "%n=50", "--engine", "both", "--max-steps", "5000")
    assert ran.code == 4
    (file,) = loop.parent.glob("convcheck-engines-*.txt")
    assert (
        f"the engines differ, which is a bug in convcheck: please report it with the file {file.name}"
        in ran.err
    )
    assert "; The engines differ. " in file.read_text() and LOOP in file.read_text()
