"""A counterexample is made smaller only among the inputs that were given or assumed."""

from __future__ import annotations

import pytest

import convergence as cc
from convergence.refine import parse_assumption

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
