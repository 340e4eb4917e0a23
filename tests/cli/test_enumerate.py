"""``convcheck enumerate`` end to end: answers, forms, exit codes, bounds, progress.

covers: report.enumerate
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import convergence as cc
from convergence.report.schemas import schema
from tests.cli.cli_harness import BAD, GOOD, ROOT, convcheck, ll, one_line
from tests.cli.test_interrupts import processor

ALIGNMENTS = ROOT / "examples_ll" / "alignments"
ANCHOR = GOOD.replace("entry", "anchor").replace(") convergent {", ") {")
ENDLESS = "define void @f() {\n  br label %A\nA:\n  br label %A\n}\n"


def enumerate_json(*arguments: str | Path) -> dict[str, Any]:
    ran = convcheck("enumerate", "--format", "json", *arguments)
    assert ran.err == ""
    value: dict[str, Any] = json.loads(ran.out)
    Draft202012Validator(schema("enumerate")).validate(value)
    return value


def test_the_answer_in_full() -> None:
    ran = convcheck("enumerate", ALIGNMENTS / "natural-anchor.ll")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "Alignment 1:\nThread 0: A B - B C D\nThread 1: A B C B C D\n"
        "%sum.b (@subgroupAdd):\n  threads 0, 1 #1: 11\n  threads 0, 1 #2: 11\nOutcome: 1\n\n"
        "Alignment 2:\nThread 0: A B B C - - - - - D\nThread 1: - - - - A B C B C D\n"
        "%sum.b (@subgroupAdd):\n  thread 0 #1: 1\n  thread 1 #1: 10\n  thread 0 #2: 1\n  thread 1 #2: 10\n"
        "Outcome: 2\n\n"
        "Outcome 1:\nThreads 0, 1 returned 1111\n\n"
        "Outcome 2:\nThread 0 returned 101\nThread 1 returned 1010\n\n"
        "Alignments: 2 (complete)   Outcomes: 2\n"
    )


def test_quiet_is_the_last_line() -> None:
    ran = convcheck("enumerate", "-q", "--uncontrolled", "any", ALIGNMENTS / "uncontrolled.ll")
    assert ran.out == "Alignments: 6 (complete)   Outcomes: 6\n"


def test_json(tmp_path: Path) -> None:
    value = enumerate_json(ALIGNMENTS / "uncontrolled.ll", "--uncontrolled", "any")
    assert (value["engine"], value["complete"], value["bound"]) == ("operational", True, None)
    assert len(value["alignments"]) == len(value["outcomes"]) == 6
    assert value["alignments"][0]["picture"] == ["A B - B C D", "A B C B C D"]
    assert sorted(n for a in value["alignments"] for n in a["outcomes"]) == list(range(6))
    groups = value["alignments"][0]["operations"][0]["groups"]
    assert [g["results"] for g in groups] == [{"0": 11, "1": 11}] * 2
    endless = enumerate_json(ll(tmp_path, ENDLESS), "--max-steps", "100")
    assert (endless["complete"], endless["bound"], endless["alignments"]) == (False, "--max-steps 100", [])
    assert enumerate_json(ALIGNMENTS / "natural.ll", "-q")["alignments"]


def test_exit_codes(tmp_path: Path) -> None:
    endless = ll(tmp_path, ENDLESS)
    ran = convcheck("enumerate", endless)
    assert ran.code == 1
    assert "Endless: thread 0 goes round for ever" in ran.out
    assert ran.out.endswith("Alignments: 0 (complete)   Outcomes: 1\n")
    ran = convcheck("enumerate", "--max-steps", "100", endless)
    assert (ran.code, ran.out) == (3, "Alignments: 0 (not complete: --max-steps 100)   Outcomes: 0\n")
    undefined = ll(tmp_path, "define void @f() {\n  unreachable\n}\n", "b.ll")
    ran = convcheck("enumerate", undefined)
    assert ran.code == 1
    assert "Undefined behaviour in thread 0: unreachable was reached" in ran.out
    ran = convcheck("enumerate", ll(tmp_path, BAD, "c.ll"), "--arg", "%x=1")
    assert ran.code == 1
    assert "S-CYCLE-USE" in ran.out
    assert "nothing was run" in ran.out
    ran = convcheck("enumerate", ll(tmp_path, GOOD, "d.ll"))
    assert (ran.code, ran.out) == (2, "")
    assert "argument %x has no value" in ran.err
    ran = convcheck("enumerate", "--function", "@nowhere", endless)
    assert (ran.code, ran.out) == (2, "")
    assert one_line(ran.err)


def test_what_a_file_says(tmp_path: Path) -> None:
    path = ll(tmp_path, "; CONVCHECK: --threads 3 --arg %x=1\n" + ANCHOR)
    assert convcheck("enumerate", "-q", path).out == "Alignments: 5 (complete)   Outcomes: 5\n"
    assert convcheck("enumerate", "-q", path, "--threads", "2").out.startswith("Alignments: 2 ")
    ran = convcheck("enumerate", "-q", path, "--max-executions", "2")
    assert ran.out == "Alignments: 2 (not complete: --max-executions 2)   Outcomes: 2\n"
    assert ran.code == 3
    ran = convcheck("enumerate", "-q", path, "--seed", "1", "--max-executions", "50")
    assert "(not complete: --seed 1: 50 executions at random)" in ran.out
    assert ran.code == 3


def test_usage() -> None:
    path = ALIGNMENTS / "natural.ll"
    ran = convcheck("enumerate", path, "--seed", "1", "--engine", "axiomatic")
    assert ran.code == 2
    assert "--seed is for the operational engine" in ran.err
    assert convcheck("enumerate", path, "--engine", "neither").code == 2
    assert convcheck("enumerate", path, "--max-executions", "0").code == 2


def test_nothing_is_written_on_standard_error_that_is_no_terminal(tmp_path: Path) -> None:
    path = ll(tmp_path, ANCHOR)
    ran = convcheck("enumerate", "-q", path, "--threads", "7", "--arg", "%x=1")
    assert (ran.out, ran.err) == ("Alignments: 877 (complete)   Outcomes: 576\n", "")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at a process in /proc")
def test_an_interrupt_prints_what_there_is(tmp_path: Path) -> None:
    path = ll(tmp_path, ANCHOR)
    # a test run in the background may have been started with SIGINT ignored, and hands that on
    start = (
        "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "runpy.run_module('convergence', run_name='__main__')"
    )
    with subprocess.Popen(
        [sys.executable, "-c", start, "enumerate", "-q", "--threads", "16", "--arg", "%x=1", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
    ) as child:
        try:
            limit = time.monotonic() + 60
            while processor(child.pid) < 3 and time.monotonic() < limit:  # long enough for the first ones
                time.sleep(0.1)
            child.send_signal(signal.SIGINT)
            out, err = child.communicate(timeout=60)
        finally:
            child.kill()
    assert child.returncode == 3, err
    assert "(not complete: interrupted)" in out
    assert "Traceback" not in err


def test_engines_that_differ_say_what_each_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both answers, in one document where one is asked for; what has no form for two keeps to the message."""
    file = ALIGNMENTS / "natural-anchor.ll"
    paths = ["A B B C D", "A B C B C D"]
    module = cc.parse(file.read_text())
    answer = cc.enumerate(module, engine="axiomatic", threads=2, arguments={"x": [1, 10]}, paths=paths)
    monkeypatch.setattr(
        "convergence.sched.constraints.search.enumerate_axiomatic",
        lambda *_, **__: replace(answer, alignments=answer.alignments[:1], outcomes=answer.outcomes[:1]),
    )
    asked = ("enumerate", "--engine", "both", file)
    ran = convcheck(*asked)
    assert ran.code == 4 and "the operational and the axiomatic engine disagree: this is a bug" in ran.err
    assert "Alignments: operational 2, 1 of them alone" in ran.out
    ran = convcheck(*asked, "--format", "json")
    value = json.loads(ran.out)
    Draft202012Validator(schema("enumerate")).validate(value)
    other = value["disagreement"]
    assert (value["engine"], other["engine"], ran.code) == ("operational", "axiomatic", 4)
    assert [len(side["alignments"]) for side in (value, other)] == [2, 1]
    ran = convcheck(*asked, "--format", "svg")
    assert ran.out == "" and "Outcomes: operational 2, 1 of them alone" in ran.err
