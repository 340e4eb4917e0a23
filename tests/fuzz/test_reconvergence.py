"""The tokens of clang's tokenisation give structured maximal reconvergence: groups, results, memory."""

from __future__ import annotations

from random import Random

import pytest

import convergence as cc
from convergence.fuzz.reconvergence import (
    Ballot,
    Break,
    If,
    LaneCondition,
    LoopStatement,
    Statement,
    text_of,
    tree,
)
from tests.fuzz.structured import structured

X = [[0, 1, 2, 3], [5, 2, 7, 0], [1, 1, 4, 6, 3]]


def _compare(statements: tuple[Statement, ...], x: list[int], memory: bool) -> int:
    expected = structured(statements, x)
    module = cc.parse(text_of(statements, memory))
    run = cc.run(module, function="main", threads=len(x), arguments={"x": x})
    found = sorted(
        (int(g.operation.removeprefix("%ballot")), sorted((m.thread, m.nth) for m in g.members))
        for g in run.groups
        if not g.control
    )
    assert found == sorted((site, sorted(members)) for site, members in expected.groups)
    returned = [t.value for t in run.outcome.threads]
    assert returned == [v["acc"] if v["acc"] < 1 << 31 else v["acc"] - (1 << 32) for v in expected.variables]
    stored = run.outcome.memory["@out"]
    assert [int(v) & 0xFFFFFFFF for v in stored] == expected.out  # type: ignore[union-attr, arg-type]
    return len(found)


@pytest.mark.parametrize("seed", range(60))
def test_tokens_reconverge_as_the_source_says(seed: int) -> None:
    statements = tree(Random(seed))
    for x in X[: 1 + seed % 3]:
        _compare(statements, x, seed % 5 == 0)


def test_the_programs_diverge() -> None:
    """Most have a group that is neither everybody nor one lane alone; so agreement says something."""
    sizes = []
    for seed in range(80):
        run = structured(tree(Random(seed)), X[0])
        sizes.append({len(members) for _, members in run.groups})
    assert sum(bool(s & {2, 3}) for s in sizes) > 40


def test_a_break_block_uses_the_token_of_the_loop_that_it_left() -> None:
    """Lanes that break in different iterations do not meet in the break's ballot."""
    odd = LaneCondition("lane", 3, 2)
    first = (If(odd, (Ballot(1, odd, True), Break()), ()),)
    body = (If(LaneCondition("i0", 3, 1), first, (Ballot(2, odd, True), Break())),)
    program: tuple[Statement, ...] = (LoopStatement("for", "i0", 3, None, body), Ballot(3, odd, True))
    assert _compare(program, [0, 0, 0, 0], False) == 3
    assert [sorted(m) for _, m in structured(program, [0, 0, 0, 0]).groups] == [
        [(0, 1), (1, 1)],
        [(2, 1), (3, 1)],
        [(0, 1), (1, 1), (2, 1), (3, 1)],
    ]
