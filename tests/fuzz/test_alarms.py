"""Alarms that campaigns on right passes raised and that were faults of ours: each stays mended."""

from __future__ import annotations

import pytest

from convergence.fuzz.check import LLVM, Limits, check

STACK = """
define i32 @main() convergent {
entry:
  %slot = alloca i32
  %all = call token @llvm.experimental.convergence.entry()
  %one = call i32 @helper(i32 0)
  %lane = call i32 @getSubgroupLocalInvocationId()
  %some = icmp eq i32 %lane, 0
  br i1 %some, label %again, label %out
again:
  %elected = call i1 @subgroupElect() [ "convergencectrl"(token %all) ]
  %wide = zext i1 %elected to i32
  store i32 %wide, ptr %slot
  %two = call i32 @helper(i32 3)
  br label %out
out:
  ret i32 0
}
define internal i32 @helper(i32 %x) {
  %slot = alloca i32
  %some = call token @llvm.experimental.convergence.anchor()
  store i32 %x, ptr %slot
  %a = load i32, ptr %slot
  %r = call i32 @subgroupAdd.seen(i32 %a) [ "convergencectrl"(token %some) ]
  ret i32 0
}
declare i1 @subgroupElect() convergent nounwind willreturn memory(none)
declare i32 @subgroupAdd.seen(i32) convergent nounwind willreturn
declare i32 @getSubgroupLocalInvocationId() nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.anchor()
"""
"""A store of a value that an exchange still owes must not hold up another stack object: the anchor could
otherwise not group a thread's second event with another's first, and without the slots it can."""


@pytest.mark.parametrize(("text", "pipeline"), [(STACK, "sroa<preserve-cfg>")], ids=["stack"])
def test_it_stays_mended(text: str, pipeline: str) -> None:
    found = check(text, "main", pipeline, LLVM(), Limits(threads=2, max_executions=400))
    assert found.kind == "equal", found.words
