"""How native code is entered and left: bounds, deadlines and interrupts inside native loops, what is handed
back, and who may run natively at all."""

from __future__ import annotations

import time

import pytest

import convergence as cc
from convergence.parser import parse
from convergence.semantics import BoundKind, OutOfBound, UndefinedBehaviour
from convergence.semantics.machine import machine
from convergence.semantics.machine.tally import Tally
from convergence.semantics.native import engine

FOREVER = """
define i64 @f(i64 %x) {
entry:
  br label %head
head:
  %i = phi i64 [ %x, %entry ], [ %next, %head ]
  %next = add i64 %i, 1
  %more = icmp ne i64 %next, %x
  br i1 %more, label %head, label %out
out:
  ret i64 %i
}
"""
DIVISION = """
define i32 @f(i32 %x) {
entry:
  br label %head
head:
  %i = phi i32 [ 40, %entry ], [ %next, %head ]
  %q = udiv i32 %x, %i
  %next = sub i32 %i, 1
  %more = icmp sge i32 %next, 0
  br i1 %more, label %head, label %out
out:
  ret i32 %q
}
"""


def test_a_time_limit_ends_a_native_loop() -> None:
    begin = time.monotonic()
    run = cc.run(parse(FOREVER), arguments={"x": 5}, engine="native", max_steps=10**15, timeout=0.5)
    assert isinstance(run.ending, OutOfBound) and run.ending.bound.kind is BoundKind.TIMEOUT
    assert time.monotonic() - begin < 10
    assert run.engine is not None and run.engine.instructions > run.steps // 2


@pytest.mark.parametrize("bound", [1, 300, 301, 9_999, 10_001, 54_321])
def test_a_bound_on_instructions_is_the_reference_s(bound: int) -> None:
    steps = {
        cc.run(parse(FOREVER), arguments={"x": 5}, threads=3, engine=name, max_steps=bound).steps
        for name in ("reference", "native", "auto")
    }
    assert len(steps) == 1


def test_undefined_behaviour_is_told_by_the_reference() -> None:
    """The guard of a division fails after 40 rounds: place, reason and steps are the reference's."""
    runs = [cc.run(parse(DIVISION), arguments={"x": 5}, engine=name) for name in ("reference", "native")]
    endings = [run.ending for run in runs]
    assert isinstance(endings[0], UndefinedBehaviour) and endings[0] == endings[1]
    assert runs[0].steps == runs[1].steps
    tally = runs[1].engine
    assert tally is not None
    assert tally.handed_back == [(("f", "udiv", "a guard failed"), 1)]


def test_auto_begins_when_a_run_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    module = parse(DIVISION.replace("sge i32 %next, 0", "sge i32 %next, 1"))
    assert cc.run(module, arguments={"x": 5}).engine is None
    monkeypatch.setattr(machine, "LONG", 400)
    monkeypatch.setattr(machine, "PRICE", 1)
    whole = cc.run(module, arguments={"x": 5}, threads=5).engine
    assert whole is not None and whole.unattended == 1
    monkeypatch.setattr(machine.Machine, "may_run_unattended", lambda self: False)
    assert cc.run(module, arguments={"x": 5}, threads=5).engine == Tally()
    monkeypatch.setattr(engine, "PRICE", 1)
    run = cc.run(module, arguments={"x": 5}, threads=5)
    assert run.engine is not None and 0 < run.engine.instructions < run.steps


def test_what_has_paths_runs_in_the_reference() -> None:
    run = cc.run(parse(FOREVER), paths=[["entry", "head", "out"]], engine="native")
    assert run.engine is None


CALLS = """
declare i32 @subgroupAdd(i32) convergent
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define i32 @vote(i32 %x) convergent {
  %a = add i32 %x, 1
  %s = call i32 @subgroupAdd(i32 %a)
  %b = mul i32 %s, 3
  ret i32 %b
}
define i32 @f(i32 %n) convergent {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ %t, %entry ], [ %s3, %loop ]
  %s1 = mul i32 %s, 5
  %x = call i32 @vote(i32 %s1)
  %s2 = xor i32 %s1, %i
  %s3 = add i32 %s2, %x
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %s3
}
"""


def test_who_comes_back_from_code_that_was_dropped_has_his_registers() -> None:
    """@vote is too short to be worth it: it is dropped while threads are in it, whose callers' registers are
    still where native code left them."""
    module = cc.parse(CALLS)
    run, other = (
        cc.run(module, threads=3, arguments={"n": 100}, engine=engine) for engine in ("reference", "attended")
    )
    assert run.ending == other.ending and run.outcome == other.outcome
    assert other.engine is not None and other.engine.instructions < other.steps // 3
