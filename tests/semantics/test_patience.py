"""Runs whose reads race, and which do not end where such reads give undef.

covers: semantics.machine.run
"""

from __future__ import annotations

import pytest

import convergence as cc
from convergence.semantics import Returned
from convergence.semantics.machine import run as runs

HEAD = """
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
@count = global i32 0
define i32 @f() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"""
TAGGED = f"""{HEAD}
  %tag = shl i32 %t, 27
  br label %try
try:
  %round = phi i32 [ 0, %entry ], [ %next, %try ]
  %next = add i32 %round, 1
  %was = load volatile i32, ptr @count
  %bare = and i32 %was, 134217727
  %more = add i32 %bare, 1
  %mine = or i32 %more, %tag
  store volatile i32 %mine, ptr @count
  %now = load volatile i32, ptr @count
  %kept = icmp eq i32 %now, %mine
  br i1 %kept, label %done, label %try
done:
  ret i32 %next
}}
"""
"""Each thread stores what no other one does until it reads that: a counter from before there were atomics."""
PLAIN = TAGGED.replace("volatile ", "")


@pytest.fixture
def bounds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The bounds within which runs are watched."""
    seen: list[int] = []
    patience = runs._patience

    def noted(steps: int, most: int) -> list[int]:
        given = list(patience(steps, most))
        seen.extend(given)
        return given

    monkeypatch.setattr(runs, "_patience", noted)
    return seen


def test_a_loop_that_waits_for_its_own_store_shows_its_race(bounds: list[int]) -> None:
    """It was said that nobody had looked, after ten million instructions; few are enough."""
    run = cc.run(cc.parse(PLAIN), threads=2, engine="reference")
    assert isinstance(run.ending, Returned)
    assert {race.variable for race in run.races} == {"@count"} and run.unwatched and not run.is_only
    (note,) = (note for note in run.notes if "race" in note)
    assert "accesses to @count race" in note and "was not seen to its end" in note
    assert bounds[0] < 1_000_000 < bounds[1]


def test_both_bounds_may_be_the_same() -> None:
    """A run that was given few instructions is watched for as many."""
    assert list(runs._patience(10, 500)) == [500]
    assert list(runs._patience(10, 1_000_000)) == [100_020, 1_000_000]
    run = cc.run(cc.parse(PLAIN), threads=2, engine="reference", max_steps=2_000)
    assert run.races and run.unwatched


def test_a_loop_that_waits_for_its_own_volatile_store_ends() -> None:
    """What it reads is no undef."""
    run = cc.run(cc.parse(TAGGED), threads=2, engine="reference")
    assert isinstance(run.ending, Returned) and run.unwatched is None
    assert {race.variable for race in run.races} == {"@count"}
    assert any("such a read is undef, if it is not volatile" in note for note in run.notes)  # stores race
