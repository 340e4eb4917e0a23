"""A shared variable that only one side has keeps, on the other, what it began with."""

from __future__ import annotations

import pytest

import convergence as cc
from convergence.refine.sides.observable import MemoryMismatch

WRITES = """
@k = global i32 START
define i32 @f(i32 %x) {
  store atomic i32 1, ptr @k monotonic, align 4
  ret i32 %x
}
"""
SILENT = """
define i32 @f(i32 %x) {
  %y = add i32 %x, 0
  ret i32 %y
}
"""


@pytest.mark.parametrize(("start", "verdict"), [("0", "wrong"), ("1", "equal")])
def test_a_write_to_a_variable_that_the_target_lacks_is_missed(start: str, verdict: str) -> None:
    found = cc.refine(cc.parse(WRITES.replace("START", start)), cc.parse(SILENT))
    assert found.verdict == verdict
    if verdict == "wrong":
        assert found.counterexample is not None
        assert found.counterexample.difference == MemoryMismatch("@k", 1, 0)


def test_a_variable_that_nobody_wrote_may_go() -> None:
    assert cc.refine(cc.parse("@unused = global i32 7\n" + SILENT), cc.parse(SILENT)).verdict == "equal"
