"""--grid and --workgroup on the command line, in files, and in JSON.

covers: cli.plumbing.options
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from convergence.report.schemas import schema
from tests.cli.cli_harness import convcheck

KERNEL = """; CONVCHECK: DEFAULTS
@last = addrspace(3) global i32 poison
define i32 @k() convergent {
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %me = call i32 @llvm.amdgcn.workitem.id.x()
  %sum = add i32 %group, %me
  %first = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %sum)
  ret i32 RESULT
}
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readfirstlane.i32(i32) convergent
"""


def kernel(folder: Path, defaults: str = "", result: str = "%first") -> Path:
    path = folder / f"{result[1:]}.ll"
    path.write_text(KERNEL.replace("DEFAULTS", defaults).replace("RESULT", result), encoding="utf-8")
    return path


def answer(command: str, *arguments: str | Path) -> dict[str, Any]:
    done = convcheck(command, *arguments, "--format", "json")
    found: dict[str, Any] = json.loads(done.out)
    Draft202012Validator(schema(command)).validate(found)
    return found


@pytest.mark.parametrize(
    ("defaults", "options", "threads", "grid", "workgroup"),
    [
        ("--threads 4", [], 4, [1, 1, 1], [4, 1, 1]),
        ("--threads 4", ["--grid", "2", "--workgroup", "3"], 6, [2, 1, 1], [3, 1, 1]),
        ("--threads 4", ["--grid", "2"], 2, [2, 1, 1], [1, 1, 1]),
        ("--grid 2 --workgroup 3,1,2", [], 12, [2, 1, 1], [3, 1, 2]),
        ("--grid 2 --workgroup 3,1,2", ["--workgroup", "2"], 4, [2, 1, 1], [2, 1, 1]),
        ("--grid 2 --workgroup 3,1,2", ["--threads", "5"], 5, [1, 1, 1], [5, 1, 1]),
    ],
)
@pytest.mark.parametrize("command", ["run", "enumerate"])
def test_the_command_line_wins_over_the_file(
    command: str,
    tmp_path: Path,
    defaults: str,
    options: list[str],
    threads: int,
    grid: list[int],
    workgroup: list[int],
) -> None:
    found = answer(command, kernel(tmp_path, defaults), *options)
    assert (found["threads"], found["grid"], found["workgroup"]) == (threads, grid, workgroup)


def test_machines_and_refinements_say_their_grid(tmp_path: Path) -> None:
    source, target = kernel(tmp_path), kernel(tmp_path, result="%group")
    shape = ["--grid", "2", "--workgroup", "2,2"]
    simulated = answer("simulate", source, *shape, "--policy", "ipdom")
    assert (simulated["grid"], simulated["workgroup"]) == ([2, 1, 1], [2, 2, 1])
    example = answer("refine", source, target, *shape)["counterexample"]
    assert (example["threads"], example["grid"], example["workgroup"]) == (8, [2, 1, 1], [2, 2, 1])
    assert "--grid 2 --workgroup 2,2" in convcheck("refine", source, target, *shape).out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--grid", "0"], "one to three positive numbers are wanted"),
        (["--grid", "1,2,3,4"], "one to three positive numbers are wanted"),
        (["--workgroup", "4x4"], "one to three positive numbers are wanted"),
        (["--workgroup", "6", "--subgroup-size", "4"], "a workgroup of 6 threads is no multiple of"),
        (["--threads", "4", "--grid", "2"], "contradicts --grid 2"),
        (["--grid", "1000000,1000000", "--workgroup", "1024"], "threads: their state takes"),
    ],
)
def test_what_cannot_be_launched_is_a_usage_error(tmp_path: Path, options: list[str], words: str) -> None:
    done = convcheck("run", kernel(tmp_path), *options)
    assert done.code == 2
    assert words in done.err
    assert done.err.strip().count("\n") <= 3  # click's own begin with two lines of usage


def test_a_large_launch_has_no_picture(tmp_path: Path) -> None:
    done = convcheck("run", kernel(tmp_path), "--grid", "400", "--workgroup", "1")
    assert done.code == 0
    assert "no picture: 400 threads in 400 launch groups would need 160000 places" in done.out
    assert "Thread 0:" not in done.out


@pytest.mark.parametrize(
    "size",
    ['"hlsl.numthreads"="2,2,1"', '"amdgpu-flat-work-group-size"="4,64"', '"nvvm.reqntid"="8"', ""],
)
def test_a_part_of_a_workgroup_runs(tmp_path: Path, size: str) -> None:
    """The launch of a counterexample is one for every command that executes, as it is printed."""
    body = "define void @k(ptr addrspace(1) %o, i32 %x) SIZE {\n  store i32 VALUE, ptr addrspace(1) %o\n"
    files = [tmp_path / name for name in ("a.ll", "b.ll")]
    for file, value in zip(files, ("%x", "7"), strict=True):
        file.write_text(
            body.replace("SIZE", size).replace("VALUE", value) + "  ret void\n}\n", encoding="utf-8"
        )
    done = convcheck("refine", *files)
    lines = [line.split() for line in done.out.split("\n\n")[1].splitlines()[1:]]
    launch = [word for line in lines for word in line]
    assert ("--partial" in launch) == bool(size)
    for command in ("run", "enumerate", "explore", "simulate"):
        more = ["-o", str(tmp_path / "page.html")] if command == "explore" else []
        assert convcheck(command, files[0], *launch, *more).code == 0
    if size:
        launch.remove("--partial")
        refused = convcheck("run", files[0], *launch)
        assert refused.code == 2 and "(--partial runs the first of it)" in refused.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--partial"], "--partial goes with --threads N"),
        (["--partial", "--threads", "9"], "a workgroup of 9 threads: @k has hlsl.numthreads 2,2,1"),
        (["--partial", "--threads", "2", "--workgroup", "2"], "--partial goes with --threads N"),
    ],
)
def test_a_part_is_fewer_threads(tmp_path: Path, options: list[str], words: str) -> None:
    file = tmp_path / "k.ll"
    file.write_text('define void @k() "hlsl.numthreads"="2,2,1" {\n  ret void\n}\n', encoding="utf-8")
    done = convcheck("run", file, *options)
    assert done.code == 2 and words in done.err
