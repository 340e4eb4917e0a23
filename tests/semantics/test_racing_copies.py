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
