"""What global variables hold at the launch, on the command line: ``--global``, notes, JSON, and waves.

covers: cli.plumbing.options, report.refine_formats, report.run
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from convergence.report.schemas import schema
from tests.cli.cli_harness import convcheck

TEXT = """
target triple = "nvptx64-nvidia-cuda"
@scale = external global i32
@table = external constant [40 x i32]
@own = external thread_local global i32
@"odd name" = external global ptr
@buffer = global [2 x i32] [i32 6, i32 7]
declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
define i32 @src(i32 %x) convergent {
  %token = call token @llvm.experimental.convergence.entry()
  %scale = load i32, ptr @scale
  %mine = load i32, ptr @own
  %y = mul i32 %scale, %mine
  %sum = call i32 @subgroupAdd(i32 %y) [ "convergencectrl"(token %token) ]
  store i32 %sum, ptr @own
  %at = getelementptr i32, ptr @table, i32 %x
  %z = load i32, ptr %at
  ret i32 %z
}
define i32 @tgt(i32 %x) convergent {
  %token = call token @llvm.experimental.convergence.entry()
  %mine = load i32, ptr @own
  %sum = call i32 @subgroupAdd(i32 %mine) [ "convergencectrl"(token %token) ]
  store i32 %sum, ptr @own
  %at = getelementptr i32, ptr @table, i32 %x
  %z = load i32, ptr %at
  ret i32 %z
}
define i32 @follows() {
  %p = load ptr, ptr @"odd name"
  %x = load i32, ptr %p
  ret i32 %x
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (path := tmp_path / "globals.ll").write_text(TEXT)
    return path


def answer(command: str, *arguments: str | Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(convcheck(command, "--format", "json", *arguments).out)
    Draft202012Validator(schema(command)).validate(value)
    return value


GIVEN = [
    "--global",
    "@scale=2",
    "--global",
    "@own=3,4",
    "--global",
    "table=[10,20,30,...]",
    "--arg",
    "%x=4,5",
]


@pytest.mark.parametrize("command", ["run", "enumerate", "simulate"])
def test_given_contents(command: str, file: Path) -> None:
    policy = ["--policy", "ipdom"] if command == "simulate" else []
    found = answer(command, "--function", "@src", "--threads", "2", *GIVEN, *policy, file)
    outcome = {
        "run": lambda: found["outcome"], "enumerate": lambda: found["outcomes"][0],
        "simulate": lambda: found["policies"][0]["outcome"],
    }[command]()  # fmt: skip
    assert [thread["return"] for thread in outcome["threads"]] == [20, 30]
    assert [thread["memory"] for thread in outcome["threads"]] == [{"@own": 14}, {"@own": 14}]
    assert outcome["memory"]["@scale"] == 2
    assert found["wave"] == {"size": 32, "lanes": [2]}
    assert found["notes"] == ["2 of the 32 lanes of a wave run"]


def test_what_was_taken_is_named(file: Path) -> None:
    found = answer("run", "--function", "@src", "--arg", "%x=0", "--global", "@table=[1,...]", file)
    taken = [note.split()[1] for note in found["notes"] if "is an input" in note]
    assert taken == ["@scale", "@own"]


def test_pointers_and_quoted_names(file: Path) -> None:
    ran = convcheck("run", "--function", "@follows", "--global", '@"odd name"=@buffer', file)
    assert "Thread 0 returned 6" in ran.out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("@scale", "write @NAME=VALUE"),
        ("@scale=1,2", "shared by all threads"),
        ("@none=1", "there is no global variable @none"),
        ("@own=1,2,3", "3 values are given for 2 threads"),
        ("@table=[1,2]", "has 40 elements, 2 are given"),
        ("@scale=absent", "@scale is not extern_weak: it is there"),
    ],
)
def test_what_does_not_fit(given: str, message: str, file: Path) -> None:
    ran = convcheck("run", "--function", "@src", "--threads", "2", "--arg", "%x=0", "--global", given, file)
    assert ran.code == 2
    assert message in ran.err


def test_a_counterexample_says_what_they_hold(file: Path) -> None:
    found = answer("refine", file, "--max-launches", "60")
    assert found["verdict"] == "wrong"
    example = found["counterexample"]
    assert example["globals"].keys() == {"@own", "@scale", "@table"}
    assert len(example["globals"]["@own"]) == example["threads"]
    assert example["wave"] == {"size": 32, "lanes": [example["threads"]]}
    assert "a wave has 32 lanes, of which launches ran fewer" in found["notes"]
    shown = convcheck("refine", file, "--max-launches", "60").out
    lines = [line.strip() for line in shown.splitlines() if "--global" in line or "--arg" in line]
    words = [word for line in lines for word in line.split(" ", 1)]
    again = answer("run", "--function", "@src", "--threads", str(example["threads"]), *words, file)
    for key in ("return", "memory"):
        mine, shown_there = again["outcome"]["threads"], example["source"]["outcome"]["threads"]
        assert [thread[key] for thread in mine] == [thread[key] for thread in shown_there]


def test_a_file_s_own_contents(file: Path) -> None:
    file.write_text("; CONVCHECK: --global @scale=1\n" + TEXT)
    ran = convcheck("refine", file, "--max-launches", "60")
    assert ran.out.startswith("equal")
    assert "note: the file gives values for @scale; no others were tried" in ran.out
    assert convcheck("refine", file, "--max-launches", "60", "--global", "@scale=2").code == 1
