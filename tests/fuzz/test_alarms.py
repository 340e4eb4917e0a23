"""Alarms that campaigns on right passes raised and that were faults of ours: each stays mended.

covers: fuzz.campaign
"""

from __future__ import annotations

import pytest

from convergence.fuzz.campaign import LLVM, CheckLimits, check

STACK = """
define i32 @main(i32 %x) convergent {
entry:
  %a.slot = alloca i32
  %entry.token = call token @llvm.experimental.convergence.entry()
  %h = call i32 @helper(i32 0, i32 0)
  store i32 0, ptr %a.slot
  %a.4 = load i32, ptr %a.slot
  %s = and i32 %a.4, 3
  switch i32 %s, label %case.1 [i32 0, label %case]
case:
  %r.3 = call i1 @subgroupElect() [ "convergencectrl"(token %entry.token) ]
  %t.4 = zext i1 %r.3 to i32
  store i32 %t.4, ptr %a.slot
  %a.5 = load i32, ptr %a.slot
  %h.1 = call i32 @helper(i32 0, i32 3)
  ret i32 0
case.1:
  br label %esac
esac:
  ret i32 0
}
define internal i32 @helper(i32 %fuel, i32 %x) nounwind {
entry:
  %a.slot = alloca i32
  %b.slot = alloca i32
  %anchor = call token @llvm.experimental.convergence.anchor()
  store i32 %x, ptr %a.slot
  br label %counted
counted:
  %a = load i32, ptr %a.slot
  br label %left
left:
  %r = call i32 @subgroupAdd.seen(i32 %a) [ "convergencectrl"(token %anchor) ]
  store i32 %r, ptr %b.slot
  ret i32 0
}
declare i1 @subgroupElect() convergent nounwind willreturn memory(none)
declare i32 @subgroupAdd.seen(i32 %0) convergent nounwind willreturn
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.anchor()

"""
"""A store of a value that an exchange still owes must not hold up another stack object: the anchor could
otherwise not group a thread's second event with another's first, and without the slots it can."""


GLOBAL = """
@out = global [512 x i32] zeroinitializer
define void @main() convergent {
entry:
  %place = getelementptr i32, ptr @out, i32 0
  store i32 1, ptr %place
  ret void
}
"""
"""LLVM relies on 16 bytes for a large global variable that asks for no alignment."""


@pytest.mark.parametrize(
    ("text", "pipeline"), [(STACK, "sroa<preserve-cfg>"), (GLOBAL, "instcombine")], ids=["stack", "global"]
)
def test_it_stays_mended(text: str, pipeline: str) -> None:
    found = check(text, "main", pipeline, LLVM(), CheckLimits(max_launches=5, max_executions=60))
    assert found.kind.answer in ("equal", "refines", "unknown"), found.words
