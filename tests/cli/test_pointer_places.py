"""Arguments that are places in buffers, and counterexamples in which each thread has places of its own.

covers: semantics.machine.bindings
"""

from __future__ import annotations

import shlex
from pathlib import Path

from tests.cli.cli_harness import convcheck

SOURCE = """
define void @f(ptr %p, ptr %q, i32 %x) convergent {
  %t = call token @llvm.experimental.convergence.entry()
  %v = load i32, ptr %p
  %s = add i32 %v, %x
  %r = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %s) [ "convergencectrl"(token %t) ]
  %m = mul i32 %r, 2
  store i32 %m, ptr %p
  %next = getelementptr i32, ptr %q, i32 1
  %w = load i32, ptr %next
  %sum = add i32 %w, %m
  store i32 %sum, ptr %next
  ret void
}
declare token @llvm.experimental.convergence.entry()
declare i32 @llvm.amdgcn.readfirstlane.i32(i32) convergent
"""


def test_the_counterexample_runs_as_it_is_printed(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.ll", "b.ll")]
    for file, text in zip(files, (SOURCE, SOURCE.replace("mul i32 %r", "mul i32 %s")), strict=True):
        file.write_text(text)
    answer = convcheck("refine", *files, "--max-launches", "4").out
    options = shlex.split("\n".join(line for line in answer.splitlines() if line.startswith("  --")))
    assert "%p=@%p,@%p+128" in options
    shown = [convcheck("run", file, *options, "--show", "%p").out for file in files]
    assert shown[0] != shown[1]
    assert not any("race" in text for text in shown)
    outcomes = [convcheck("enumerate", file, *options).out.splitlines()[-1] for file in files]
    assert outcomes == ["Alignments: 1 (complete)   Outcomes: 1"] * 2


def test_an_argument_beside_a_buffer_is_a_place_in_one(tmp_path: Path) -> None:
    file = tmp_path / "a.ll"
    file.write_text(SOURCE)
    buffers = ["--buffer", "%p=i32[8]:1,...", "--buffer", "%q=i32[8]", "--arg", "%x=0"]
    crossed = convcheck("run", file, *buffers, "--threads", "2", "--arg", "%p=@%q,@%p+16", "--show", "%p")
    assert "%p = i32[8]: 1, 1, 1, 1, 0, 1, 1, 1" in crossed.out
    wrong = convcheck("run", file, *buffers, "--arg", "%p=3")
    assert (wrong.code, "%p is given an argument and a buffer" in wrong.err) == (2, True)
