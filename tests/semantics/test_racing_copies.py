"""Copies that race: what a copy writes it has not read (semantics.md, *Races*).

covers: semantics.memory.races, semantics.environments.watched
"""

from __future__ import annotations

import pytest

import convergence as cc

TEXT = """
@from = global [4 x i32] [i32 5, i32 6, i32 7, i32 8]
@to = global [4 x i32] zeroinitializer
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @f(i32 %x) {
  BEFORE
  call void @llvm.memcpy.p0.p0.i64(ptr @to, ptr @from, i64 8, i1 false)
  ret void
}
"""


def held(before: str) -> tuple[object, tuple[str, ...]]:
    """What the target of a copy by two threads holds, and what raced."""
    module = cc.parse(TEXT.replace("BEFORE", before))
    run = cc.run(module, threads=2, arguments={"x": [1, 2]})
    outcomes = cc.enumerate(module, threads=2, arguments={"x": [1, 2]}).outcomes
    assert str(run.outcome.memory["@to"]) in {str(o.outcome.memory["@to"]) for o in outcomes}
    return run.outcome.memory["@to"], tuple(sorted({race.variable for race in run.races}))


@pytest.mark.parametrize(
    ("before", "first", "names"),
    [
        ("", 5, ("@to",)),
        ("store i32 9, ptr @to", 5, ("@to",)),
        ("store i32 %x, ptr @from", "undef", ("@from", "@to")),
    ],
)
def test_a_copy_reads_where_it_copies_from(before: str, first: object, names: tuple[str, ...]) -> None:
    contents, raced = held(before)
    assert isinstance(contents, list)
    assert (contents[0], raced) == (first, names)


PASSED = """
@shared = global i32 5
define i32 @f(ptr byval(i32) align 4 %p) {
  %v = load i32, ptr %p
  ret i32 %v
}
define i32 @k(i32 %x) {
  WRITE
  %r = call i32 @f(ptr byval(i32) align 4 @shared)
  ret i32 %r
}
"""


@pytest.mark.parametrize(
    "write", ["store i32 %x, ptr @shared", "%o = atomicrmw add ptr @shared, i32 %x monotonic"]
)
def test_what_a_byval_argument_copies_races_like_any_other_read(write: str) -> None:
    module = cc.parse(PASSED.replace("WRITE", write))
    run = cc.run(module, threads=2, function="@k", arguments={"x": [0, 2]})
    assert [t["return"] for t in run.to_dict()["outcome"]["threads"]] == ["undef", "undef"]
    assert "byval" in str(run.races)
    for quick in (True, False):
        found = cc.enumerate(module, quick=quick, threads=2, function="@k", arguments={"x": [0, 2]})
        returned = [[t["return"] for t in outcome["threads"]] for outcome in found.to_dict()["outcomes"]]
        assert returned and all(values == ["undef", "undef"] for values in returned)
