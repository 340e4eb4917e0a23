"""A counterexample is made smaller only among the inputs that were given or assumed."""

from __future__ import annotations

import pytest

import convergence as cc
from convergence.refine import parse_assumption
from convergence.report.refine import launch

HEAD = """
declare void @meet(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
"""

LOOP = """
define void @f(i32 %n) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  br label %B
B:
  %i = phi i32 [ 0, %A ], [ %j, %B ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  call void @meet(i32 %i) [ "convergencectrl"(token %h) ]
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %B, label %C
C:
  ret void
}
"""

PEELED = """
define void @f(i32 %n) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  %one = icmp sle i32 %n, 1
  br i1 %one, label %once, label %B
once:
  call void @meet(i32 0) [ "convergencectrl"(token %t) ]
  br label %C
B:
  %i = phi i32 [ 0, %A ], [ %j, %B ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  call void @meet(i32 %i) [ "convergencectrl"(token %h) ]
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %B, label %C
C:
  ret void
}
"""


@pytest.mark.parametrize(("words", "low"), [("range:%n=1..4", 1), ("range:%n=-3..7", -3)])
def test_an_assumed_range_holds_for_the_smallest_counterexample(words: str, low: int) -> None:
    found = cc.refine(cc.parse(HEAD + LOOP), cc.parse(HEAD + PEELED), assume=[parse_assumption(words)])
    assert found.verdict == "wrong"
    assert found.counterexample is not None
    assert found.counterexample.threads == 2
    values = found.counterexample.arguments["n"]
    assert all(isinstance(v, int) and v >= low for v in values)
    assert sorted(isinstance(v, int) and v > 1 for v in values) == [False, True]


def test_outside_the_assumption_there_is_no_counterexample() -> None:
    found = cc.refine(
        cc.parse(HEAD + LOOP), cc.parse(HEAD + PEELED), assume=[parse_assumption("range:%n=2..4")]
    )
    assert found.verdict == "equal"


def test_threads_that_were_asked_for_stay() -> None:
    found = cc.refine(cc.parse(HEAD + LOOP), cc.parse(HEAD + PEELED), threads=3)
    assert found.counterexample is not None
    assert found.counterexample.threads == 3


def test_buffers_of_a_counterexample_can_be_given_again() -> None:
    """What a pointer points to is among the launch's options; ``run`` shows the source's outcome with it."""
    text = """
declare i32 @subgroupAdd(i32) convergent
define i32 @src(i32 %x, ptr %in) convergent {
  %a = load i32, ptr %in
  %y = add i32 %a, %x
  %s = call i32 @subgroupAdd(i32 %y)
  ret i32 %s
}
define i32 @tgt(i32 %x, ptr %in) convergent {
  %a = load i32, ptr %in
  %y = add i32 %a, %x
  ret i32 %y
}
"""
    found = cc.refine(cc.parse(text), cc.parse(text), function="src", target_function="tgt", max_launches=20)
    example = found.counterexample
    assert example is not None and len(example.buffers["%in"][1]) == 64
    options = [line.split()[1] for line in launch(example) if line.startswith("  --buffer")]
    assert [option.partition(":")[0] for option in options] == ["%in=i32[64]"]
    again = cc.run(
        cc.parse(text), function="src", threads=example.threads,
        arguments={"x": example.arguments["x"]}, buffers={"in": options[0].partition("=")[2]},
    )  # fmt: skip
    assert [t.value for t in again.outcome.threads] == [t.value for t in example.source.outcome.threads]
