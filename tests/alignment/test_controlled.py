"""The controlled maximal relation against its definition: a least fixpoint over pairs.

covers: alignment
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from types import SimpleNamespace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from convergence.alignment import (
    BlockFacts,
    Columns,
    DynamicInstance,
    Execution,
    _ControlledFrame,
    _Relation,
    block_facts,
    controlled_maximal,
    facts_of,
    lay_out,
    order,
)

from .programs import NESTED, apart, execute, module

Case = tuple[tuple[str, ...], tuple[str, ...]]
"""A function's blocks, and a walk per thread."""
Node = tuple[int, int]
"""A thread and the number of one of its visits."""


@st.composite
def graphs(draw: st.DrawFn, operations: tuple[str, ...] = ("x",)) -> Case:
    """A function's blocks with random edges, reducible or not, and random walks through it."""
    size = draw(st.integers(2, 6))
    names = "ABCDEF"[:size]
    successors = [
        draw(
            st.lists(st.sampled_from(names[1:]), min_size=0 if n == size - 1 else 1, max_size=2, unique=True)
        )
        for n in range(size)
    ]
    lines = tuple(
        f"{name}: {draw(st.sampled_from(operations))} -> {' '.join(successors[n])}"
        for n, name in enumerate(names)
    )
    paths = []
    for _ in range(draw(st.integers(2, 3))):
        at, path = 0, [names[0]]
        while successors[at] and len(path) < 12:
            at = names.index(draw(st.sampled_from(successors[at])))
            path.append(names[at])
        paths.append(" ".join(path))
    return lines, tuple(paths)


def derivable(
    execution: Execution, facts: Mapping[str, BlockFacts], given_classes: Mapping[Node, int]
) -> set[tuple[Node, Node]]:
    """Pairs of visits in the least relation, straight from the text; operations' classes are given."""
    nodes = [(t, n) for t, row in enumerate(execution.visits) for n in range(len(row))]
    visit = {(t, n): execution.visits[t][n] for t, n in nodes}
    same = {
        (a, b) for a in nodes for b in nodes if a != b and given_classes.get(a, a) == given_classes.get(b, b)
    }

    def closure() -> dict[Node, set[Node]]:
        after = {a: {b for b in nodes if b[0] == a[0] and b[1] > a[1]} for a in nodes}
        changed = True
        while changed:
            changed = False
            for a in nodes:
                new = set(after[a])
                for b in after[a]:
                    new |= after[b] | {d for c, d in same if c == b}
                for c, d in same:
                    if c == a:
                        new |= after[d]
                if new != after[a]:
                    after[a], changed = new, True
        return after

    while True:
        after = closure()

        def preceded(x: Node, y: Node, after: dict[Node, set[Node]] = after) -> bool:
            """Every instance of a header around x that precedes x is convergence-before y."""
            around = facts[visit[x].block].cycles
            return all(
                y in after[x[0], n]
                for n in range(x[1])
                if facts[visit[x[0], n].block].heads in around
                and facts[visit[x[0], n].block].heads is not None
            )

        new = {
            (a, b)
            for a, b in combinations(nodes, 2)
            if a[0] != b[0]
            and visit[a].block == visit[b].block
            and a not in given_classes
            and b not in given_classes
            and (a, b) not in same
            and preceded(a, b)
            and preceded(b, a)
        }
        if not new:
            return same
        same |= new | {(b, a) for a, b in new}


@given(graphs())
@settings(max_examples=200, deadline=None)
def test_without_operations_it_is_the_least_fixpoint(case: Case) -> None:
    lines, paths = case
    program = module(f=lines)
    execution = execute(program, "f", paths)
    facts = block_facts(program, program.functions["f"])
    classes = controlled_maximal(execution, facts_of(program))
    expected = derivable(execution, facts, {})
    nodes = [(t, n) for t, row in enumerate(classes) for n in range(len(row))]
    for a, b in combinations(nodes, 2):
        assert (classes[a[0]][a[1]] == classes[b[0]][b[1]]) == ((a, b) in expected), (a, b)


@given(graphs(operations=("x", "x", "t=anchor", "s=sum")), st.data())
@settings(max_examples=200, deadline=None)
def test_with_free_operations_it_derives_only_what_follows_and_closes_no_cycle(
    case: Case, data: st.DataObject
) -> None:
    lines, paths = case
    lines = tuple(line.replace("t=", f"t{n}=").replace("s=", f"s{n}=") for n, line in enumerate(lines))
    program = module(f=lines)
    labels: dict[DynamicInstance, int] = {}
    execution = execute(
        program, "f", paths, lambda i: labels.setdefault(i, i.nth + data.draw(st.integers(0, 1)) * 2 + i.nth)
    )
    if not isinstance(order(execution), Columns):
        return
    facts = block_facts(program, program.functions["f"])
    classes = controlled_maximal(execution, facts_of(program))
    given_classes = {
        (t, n): classes[t][n]
        for t, row in enumerate(execution.visits)
        for n, visit in enumerate(row)
        if visit.operations
    }
    derived = derivable(execution, facts, given_classes)
    nodes = [(t, n) for t, row in enumerate(classes) for n in range(len(row))]
    for a, b in combinations(nodes, 2):
        if classes[a[0]][a[1]] == classes[b[0]][b[1]]:
            assert (a, b) in derived or _through_others(a, b, derived)
    columns = lay_out(execution, classes)
    for row in columns:
        assert list(row) == sorted(set(row))
    for a, b in combinations(nodes, 2):
        assert (columns[a[0]][a[1]] == columns[b[0]][b[1]]) == (classes[a[0]][a[1]] == classes[b[0]][b[1]])


def _through_others(a: Node, b: Node, derived: set[tuple[Node, Node]]) -> bool:
    """The definition's relation need not be transitive; ours is: one thread in between is enough."""
    return any((a, c) in derived and (c, b) in derived for c in {p for p, _ in derived})


def test_blocks_in_a_region_follow_its_token() -> None:
    """B lies in the region of the split anchor's token, D does not."""
    program = module(f=("A: t=anchor -> B", "B: x -> C", "C: s=sum[t] -> D", "D:"))
    execution = execute(program, "f", ("A B C D", "A B C D"), apart({0: 0, 1: 1}))
    rows = controlled_maximal(execution, facts_of(program))
    assert [a == b for a, b in zip(*rows, strict=True)] == [False, False, False, True]


def test_facts_of_the_nested_loop() -> None:
    program = module(f=NESTED)
    facts = block_facts(program, program.functions["f"])
    assert {
        name: (len(f.cycles), f.heads is not None, f.tokens, f.operations) for name, f in facts.items()
    } == {
        "A": (0, False, (), 1),
        "O": (1, True, (0,), 1),
        "B": (2, True, (0, 2), 2),
        "C": (1, False, (0,), 0),
        "D": (0, False, (), 0),
    }


def frames(*last: dict[int, tuple[int, int]]) -> list[_ControlledFrame]:
    """Activations in cycle 2, which lies in cycle 1, with the meeting points that they passed last."""
    result = []
    for points in last:
        frame = _ControlledFrame("f", None, 0)
        frame.cycles, frame.last = (1, 2), dict(points)
        result.append(frame)
    return result


def test_the_last_meeting_point_is_the_latest_one() -> None:
    (frame,) = frames({1: (1, 30), 2: (5, 20)})
    assert [frame.meeting_point(cycles) for cycles in ((1, 2), (1,), (3,))] == [20, 30, None]


def test_who_meets_agrees_about_the_outermost_cycle_in_which_they_differ() -> None:
    nothing: Any = SimpleNamespace(visits=(), converged=SimpleNamespace(classes=()))
    relation = _Relation(nothing, lambda _: {})
    inner = frames({1: (1, 30), 2: (2, 20)}, {1: (1, 30), 2: (3, 21)})
    relation.agree(inner)
    assert [frame.last[1] for frame in inner] == [(1, 30)] * 2
    assert inner[0].last[2] == inner[1].last[2] != (2, 20)
    outer = frames({1: (1, 30)}, {1: (2, 31)})
    relation.agree(outer)
    assert outer[0].last == outer[1].last and outer[0].last.keys() == {1}
