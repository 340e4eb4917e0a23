"""``--buffer``, ``--show`` and ``--save``, on the command line and in files.

covers: cli.plumbing.options, report.run
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from convergence.report.schemas import schema
from tests.cli.cli_harness import ROOT, convcheck

TEXT = """
; CONVCHECK: --threads 2 --arg %i=0,1 --buffer %in=f32[2]:0.1,...
; CONVCHECK: --buffer "%odd name=f32[2]" --show "%odd name"
define void @k(ptr addrspace(1) %in, ptr addrspace(1) %"odd name", i32 %i) {
  %p = getelementptr float, ptr addrspace(1) %in, i32 %i
  %v = load float, ptr addrspace(1) %p
  %w = fadd float %v, 1.0
  %q = getelementptr float, ptr addrspace(1) %"odd name", i32 %i
  store float %w, ptr addrspace(1) %q
  ret void
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (path := tmp_path / "kernel.ll").write_text(TEXT)
    return path


def test_a_file_says_what_is_given_and_the_command_line_says_it_better(file: Path) -> None:
    done = convcheck("run", file)
    assert done.code == 0 and "%odd name = f32[2]: 1.1, 1.1\n" in done.out
    assert "Memory:" not in done.out, "what is shown is not shown twice"
    done = convcheck("run", file, "--buffer", "%in=f32[2]:3,5", "--show", "%in", "-q")
    assert done.out == "%in = f32[2]: 3.0, 5.0\n", "-q leaves only what is shown"


def test_arrays_come_from_files_and_go_to_files(file: Path, tmp_path: Path) -> None:
    given = np.array([1.5, -2.5], np.float32)
    np.save(tmp_path / "in.npy", given)
    out = tmp_path / "out.npy"
    done = convcheck("run", file, "--buffer", f"%in=@{tmp_path / 'in.npy'}", "--save", f"%odd name={out}")
    assert done.code == 0, done.err
    assert (np.load(out) == given + 1).all() and np.load(out).dtype == np.float32
    beside = convcheck("run", file, "--save", f"%odd name={tmp_path / 'none' / 'out.npy'}")
    assert beside.code == 2 and "no such file" in beside.err


def test_json_keeps_its_schema(file: Path) -> None:
    done = convcheck("run", file, "--buffer", "%in=f32[1,2]:inf,nan", "--show", "%in", "--format", "json")
    answer = json.loads(done.out)
    Draft202012Validator(schema("run")).validate(answer)
    assert answer["buffers"] == {"%in": {"type": "f32", "shape": [1, 2], "values": ["inf", "nan"]}}


@pytest.mark.parametrize("command", ["run", "enumerate", "simulate", "explore", "refine"])
def test_every_command_launches_with_buffers(command: str, file: Path, tmp_path: Path) -> None:
    more = [file] if command == "refine" else ["-o", tmp_path / "page.html"] if command == "explore" else []
    done = convcheck(command, file, *more)
    assert done.code == 0, done.out + done.err
    wrong = convcheck(command, file, *more, "--buffer", "%none=i32[4]")
    if command != "refine":  # which gives the same text no launch
        assert wrong.code == 2 and "@k has no parameter %none" in wrong.err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("%in", "write %NAME=VALUE"),
        ("%in=", "write %NAME=i32[64]"),
        ("%in=f32", "'f32' is no buffer"),
        ("%in=@none.npy", "none.npy: no such file"),
        ("%in=f32[9999999999]", "more than 1073741824 are not modelled"),
        ("%i=i32[1]", "%i is no pointer but i32"),
    ],
)
def test_bad_input_is_one_clear_line(words: str, why: str, file: Path) -> None:
    done = convcheck("run", file, "--buffer", words)
    assert done.code == 2 and why in done.err and done.out == ""
    assert sum("kernel.ll" in line or "Error" in line for line in done.err.splitlines()) == 1


def test_machines_show_what_buffers_hold(file: Path, tmp_path: Path) -> None:
    ran = convcheck("simulate", file, "--policy", "ipdom", "--policy", "heart", "--show", "%in")
    shown = [line for line in ran.out.splitlines() if " = f32" in line]
    assert shown == [f"{machine}: %in = f32[2]: 0.1, 0.1" for machine in ("ipdom", "heart")]
    saved = tmp_path / "out.npy"
    one = ("simulate", file, "--policy", "ipdom", "--save", f"%odd name={saved}")
    answer = json.loads(convcheck(*one, "--format", "json").out)
    Draft202012Validator(schema("simulate")).validate(answer)
    assert answer["policies"][0]["buffers"]["%odd name"]["values"] == np.load(saved).tolist()
    ran = convcheck("simulate", file, "--save", f"%in={saved}")
    assert ran.code == 2 and "--save goes with one machine: --policy NAME" in ran.err


def test_numpy_is_imported_only_where_an_array_is(file: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from convergence.cli import invoke; invoke(sys.argv[1:]); print('numpy' in sys.modules)"
    )
    for more, wanted in ([], "False"), (["--save", f"%in={tmp_path / 'o.npy'}"], "True"):
        words = [sys.executable, "-c", code, "run", str(file), *more]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == wanted


RACING = """define void @k(ptr %shared, ptr %out) {
  %me = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %other = sub i32 1, %me
  %own = getelementptr i32, ptr %shared, i32 %me
  %its = getelementptr i32, ptr %shared, i32 %other
  store i32 7, ptr %own
  %seen = load i32, ptr %its
  %sum = add i32 %seen, 1
  %to = getelementptr i32, ptr %out, i32 %me
  store i32 %sum, ptr %to
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"""


def test_a_race_behind_what_is_shown_is_said_even_quietly(tmp_path: Path) -> None:
    (path := tmp_path / "kernel.ll").write_text(RACING)
    words = ("--workgroup", "2", "--buffer", "%shared=i32[2]", "--buffer", "%out=i32[2]", "-q", path)
    said = convcheck("run", *words, "--show", "%out")
    assert said.code == 0
    first, empty, *races = said.out.splitlines()
    assert first.startswith("%out = i32[2]: ") and not empty
    assert races and all(line.startswith("note: race on %shared: ") for line in races)
    assert "race" not in convcheck("run", *words).out, "and nowhere else"


RACE = """
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define void @f(ptr %out, ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %o = atomicrmw add ptr %out, i32 -1 monotonic
  %q = getelementptr float, ptr %x, i32 %t
  %f = sitofp i32 %o to float
  %half = fmul float %f, 0.5
  store float %half, ptr %q
  ret void
}
"""


@pytest.mark.parametrize("engine", ["operational", "axiomatic"])
def test_each_outcome_shows_its_buffers(engine: str, tmp_path: Path) -> None:
    (file := tmp_path / "race.ll").write_text(RACE)
    launch = ["--threads", "2", "--buffer", "%out=i32[1]", "--buffer", "%x=f32[3]:7,7,7", "--engine", engine]
    done = convcheck("enumerate", file, *launch, "--show", "%x", "-q", "--save", f"%x={tmp_path / 'x.npy'}")
    rows = [[0.0, -0.5, 7.0], [-0.5, 0.0, 7.0]]
    assert sorted(done.out.split("\n\n")[:2]) == [
        f"%x = f32[3]: {', '.join(map(str, row))}" for row in sorted(rows)
    ]
    saved = np.load(tmp_path / "x.npy")
    assert saved.dtype == np.float32 and sorted(saved.tolist()) == sorted(rows)
    done = convcheck("enumerate", file, *launch, "--show", "%out", "--format", "json")
    answer = json.loads(done.out)
    Draft202012Validator(schema("enumerate")).validate(answer)
    held = [outcome["buffers"] for outcome in answer["outcomes"]]
    assert held == [{"%out": {"type": "i32", "shape": [1], "values": [-2]}}] * 2
    done = convcheck("enumerate", file, *launch, "--show", "%none")
    assert done.code == 2 and "%none was given no buffer" in done.err
