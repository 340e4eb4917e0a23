"""What no verifier looked at may be in no SSA form: a value whose definition was not executed is named as
not modelled where a thread comes to it, by whatever runs the program.

covers: semantics.threads.compile, semantics.threads.translation, ir.cfg
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import convergence as cc
from convergence.ir.cfg import is_no_ssa
from tests.cli.cli_harness import ROOT

UNEXECUTED = "a use of a value whose definition was not executed"
DECLARED = """@g = global i32 0
declare i32 @subgroupAdd(i32) convergent
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
define i32 @callee(i32 %x) {
  ret i32 0
}
"""
BEHIND = """
never:
  %r = add i32 1, 2
  %i = icmp eq i32 %r, 2
  %q = getelementptr i8, ptr @g, i32 0
  ret i32 %r
}
"""
USES = {
    "ret": "  ret i32 %r",
    "store": "  store i32 %r, ptr @g\n  ret i32 0",
    "phi": "  br label %B\nB:\n  %z = phi i32 [ %r, %A ]\n  ret i32 %z",
    "phi that nobody needs": "  br label %B\nB:\n  %z = phi i32 [ %r, %A ]\n  ret i32 0",
    "branch": "  br i1 %i, label %B, label %C\nB:\n  ret i32 0\nC:\n  ret i32 1",
    "select": "  %t = select i1 true, i32 %r, i32 1\n  ret i32 %t",
    "select of the other": "  %t = select i1 false, i32 %r, i32 1\n  ret i32 %t",
    "aggregate": "  %t = insertvalue {i32, i32} zeroinitializer, i32 %r, 0\n"
    "  %u = extractvalue {i32, i32} %t, 0\n  ret i32 %u",
    "vector": "  %t = insertelement <2 x i32> zeroinitializer, i32 %r, i32 0\n"
    "  %u = extractelement <2 x i32> %t, i32 0\n  ret i32 %u",
    "call": "  %t = call i32 @callee(i32 %r)\n  ret i32 %t",
    "callee": "  %t = call i32 %q(i32 1)\n  ret i32 %t",
    "exchange": "  %t = call i32 @subgroupAdd(i32 %r)\n  ret i32 %t",
    "first lane": "  %t = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %r)\n  ret i32 %t",
    "side that was not taken": "  br i1 %c, label %B, label %C\nB:\n  %s = add i32 1, 2\n  br label %C\n"
    "C:\n  ret i32 %s",
}  # fmt: skip
RUNS: dict[str, Callable[..., Any]] = {
    "run": cc.run,
    "native": lambda module, **launch: cc.run(module, engine="native", **launch),
    "enumerate": cc.enumerate,
    "axiomatic": lambda module, **launch: cc.enumerate(module, engine="axiomatic", **launch),
    "simulate": cc.simulate,
    "allows": lambda module, **launch: cc.allows(module, state="0:return=1", **launch),
}


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize("use", USES)
def test_a_use_whose_definition_was_not_executed_is_named(use: str, runs: str) -> None:
    module = cc.parse(DECLARED + "define i32 @f(i1 %c) convergent {\nA:\n" + USES[use] + BEHIND)
    launch = {"function": "f", "arguments": {"c": 0}, "threads": 2}
    assert f"ot modelled: {UNEXECUTED}" in str(RUNS[runs](module, **launch))


def test_the_side_that_was_taken_has_its_value() -> None:
    text = DECLARED + "define i32 @f(i1 %c) convergent {\nA:\n" + USES["side that was not taken"] + BEHIND
    assert cc.run(cc.parse(text), function="f", arguments={"c": 1}).outcome.threads[0].value == 3


LACKING = """
define i32 @f(i32 %n) {
A:
  br label %B
B:
  %i = phi i32 [ 0, %A ]
  %c = icmp slt i32 %n, 3
  br i1 %c, label %B, label %C
C:
  ret i32 %i
}
"""


@pytest.mark.parametrize("runs", ["run", "native", "enumerate", "axiomatic", "simulate"])
def test_an_edge_for_which_a_phi_has_no_value_is_named(runs: str) -> None:
    module = cc.parse(LACKING)
    words = "ot modelled: a phi that has no value for %B, from which it is entered"
    assert words in str(RUNS[runs](module, arguments={"n": 1}))
    assert words not in str(RUNS[runs](module, arguments={"n": 3}))


IRREDUCIBLE = """
declare i32 @subgroupAdd(i32) convergent
define i32 @f(i32 %n) convergent {
A:
  switch i32 %n, label %C [ i32 0, label %B ]
B:
  %s = call i32 @subgroupAdd(i32 1)
  br label %C
C:
  %p = phi i32 [ 0, %A ], [ %s, %B ]
  switch i32 %n, label %C [ i32 0, label %B ]
}
"""


def test_infer_names_a_phi_that_has_no_value_for_an_edge() -> None:
    with pytest.raises(cc.CannotTransform, match="%p has no value for %C, from which %C is entered"):
        cc.infer(cc.parse(IRREDUCIBLE))
    cc.infer(cc.parse(IRREDUCIBLE.replace("[ %s, %B ]", "[ %s, %B ], [ 1, %C ]")))


@pytest.mark.parametrize("shelf", ["rules", "alignments", "kernels"])
def test_what_llvm_accepts_is_in_ssa_form(shelf: str) -> None:
    files: list[Path] = sorted((ROOT / "examples_ll" / shelf).glob("*.ll"))[:60]
    assert files
    for file in files:
        assert not any(is_no_ssa(function) for function in cc.parse_file(file).definitions()), file
