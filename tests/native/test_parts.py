"""Parts of a launch group at an exchange: code of their own for masks of lanes that come often.

covers: semantics.native.scheduler, semantics.native.workgroups
"""

from __future__ import annotations

from collections import Counter

import pytest

import convergence as cc
from convergence.semantics.machine.program import EngineKind
from convergence.semantics.machine.run import Run
from convergence.semantics.native import workgroups
from convergence.semantics.native.scheduler import PartTable

TEXT = """
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @subgroupAdd(i32) convergent
declare i32 @subgroupShuffleXor(i32, i32) convergent
declare i32 @llvm.amdgcn.mov.dpp.i32(i32, i32, i32, i32, i1) convergent
declare <4 x i32> @subgroupBallot(i1) convergent
define i32 @f(i32 %n) convergent {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %after ]
  %s = phi i32 [ 1, %entry ], [ %s3, %after ]
  %turn = and i32 %i, 3
  %kind = and i32 %t, 3
  %mine = icmp ule i32 %kind, %turn
  br i1 %mine, label %some, label %after
some:
  %x = add i32 %s, %t
  OPERATION
  %y = mul i32 %r, 3
  %s2 = add i32 %y, %i
  br label %after
after:
  %s3 = phi i32 [ %s, %loop ], [ %s2, %some ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %s3
}
"""
BALLOT = """%odd = trunc i32 %x to i1
  %b = call <4 x i32> @subgroupBallot(i1 %odd)
  %r = extractelement <4 x i32> %b, i32 0"""
OPERATIONS = {
    "reduction": "%r = call i32 @subgroupAdd(i32 %x)",
    "shuffle": "%h = call i32 @subgroupShuffleXor(i32 %x, i32 4)\n  %r = freeze i32 %h",
    "dpp": "%r = call i32 @llvm.amdgcn.mov.dpp.i32(i32 %x, i32 177, i32 15, i32 15, i1 true)",
    "ballot": BALLOT,
}


def ran(operation: str, engine: EngineKind = "native") -> Run:
    module = cc.parse(TEXT.replace("OPERATION", OPERATIONS[operation]))
    return cc.run(module, threads=20, arguments={"n": 48}, subgroup_size=8, engine=engine)


def masks(run: Run) -> Counter[tuple[int, int]]:
    """How often the reference was asked what a part of a group gets, by stop and mask."""
    assert run.machine.whole is not None
    return run.machine.whole.prepared().asks


def asks(run: Run) -> int:
    return sum(masks(run).values())


@pytest.mark.parametrize("operation", OPERATIONS)
def test_masks_that_come_often_get_code(operation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last group has four threads of eight: its masks are other ones, or mean others."""
    reference, asked = ran(operation, "reference"), ran(operation)
    monkeypatch.setattr(workgroups, "ASKS", 2)
    compiled = ran(operation)
    assert reference.outcome == asked.outcome == compiled.outcome
    assert reference.rules == compiled.rules
    assert asks(asked) == 108 and asks(compiled) == 2 * len({*masks(compiled)}) == 12


def test_a_table_that_is_full() -> None:
    table = PartTable(1)
    for mask in range(1, 3 * PartTable.ENTRIES):
        table.add(1, mask, mask)
    table.add(1, 1, 2)
    assert 2 * PartTable.ENTRIES > len(table) > PartTable.ENTRIES // 2
