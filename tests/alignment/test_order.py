"""D-ORDER as a decision: columns, or the cycle that forbids them.

covers: alignment
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convergence.alignment import (
    BlockVisit,
    Columns,
    ConvergedWith,
    DynamicInstance,
    Execution,
    OrderCycle,
    StaticInstance,
    order,
    program_order,
)

from .programs import NATURAL, NATURAL_PATHS, UNCONTROLLED, execute, module


def instance(thread: int, site: int, nth: int = 1) -> DynamicInstance:
    return DynamicInstance(thread, StaticInstance("f", site), nth)


def straight(traces: Sequence[Sequence[int]], classes: Iterable[Iterable[tuple[int, int]]]) -> Execution:
    """An execution of one visit per thread, from sites per thread and classes of (thread, place)."""
    rows = []
    for thread, sites in enumerate(traces):
        seen: dict[int, int] = {}
        operations = []
        for site in sites:
            seen[site] = seen.get(site, 0) + 1
            operations.append(instance(thread, site, seen[site]))
        rows.append((BlockVisit(0, None, "f", "A", tuple(operations)),))
    groups = {frozenset(rows[t][0].operations[place] for t, place in group) for group in classes}
    return Execution(tuple(rows), ConvergedWith(frozenset(groups)))


def test_columns_of_the_natural_loop() -> None:
    got = order(execute(module(f=NATURAL), "f", NATURAL_PATHS))
    assert isinstance(got, Columns)
    by_thread = [[(c, m.site.index, m.nth) for m, c in got.column.items() if m.thread == t] for t in (0, 1)]
    assert [sorted(row) for row in by_thread] == [
        [(1, 0, 1), (2, 2, 1), (3, 3, 1), (4, 2, 2), (5, 3, 2)],
    ] * 2


def test_ties_go_to_the_lowest_thread() -> None:
    got = order(straight([[0, 1], [2, 3], [4, 1]], [[(0, 1), (2, 1)]]))
    assert isinstance(got, Columns)
    assert [sorted(group) for group in got.classes] == [
        [instance(0, 0)],
        [instance(1, 2)],
        [instance(1, 3)],
        [instance(2, 4)],
        [instance(0, 1), instance(2, 1)],
    ]


def test_crossed_classes_are_a_cycle() -> None:
    got = order(straight([[0, 5, 5], [0, 5, 5]], [[(0, 0), (1, 0)], [(0, 1), (1, 2)], [(0, 2), (1, 1)]]))
    assert isinstance(got, OrderCycle)
    assert got.steps == (
        (instance(0, 5, 1), instance(0, 5, 2)),
        (instance(1, 5, 1), instance(1, 5, 2)),
    )
    assert got.before == (frozenset({instance(0, 0), instance(1, 0)}),)


def test_a_class_with_two_instances_of_one_thread_is_a_cycle() -> None:
    got = order(straight([[5, 5]], [[(0, 0), (0, 1)]]))
    assert isinstance(got, OrderCycle)
    assert got.steps == ((instance(0, 5, 1), instance(0, 5, 2)),)


def test_an_instance_that_nobody_executed_is_our_mistake() -> None:
    execution = straight([[0]], [])
    with pytest.raises(ValueError, match="no thread executed"):
        order(Execution(execution.visits, ConvergedWith(frozenset({frozenset({instance(0, 9)})}))))


@given(
    st.lists(st.lists(st.integers(0, 2), max_size=5), min_size=1, max_size=4),
    st.data(),
)
@settings(max_examples=300, deadline=None)
def test_against_the_definition(traces: list[list[int]], data: st.DataObject) -> None:
    """Columns iff the transitive closure over classes is irreflexive; a cycle is a cycle indeed."""
    labels = [[data.draw(st.integers(0, 3)) for _ in sites] for sites in traces]
    groups: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for thread, sites in enumerate(traces):
        used = set()
        for place, site in enumerate(sites):
            key = (site, labels[thread][place])
            if key in used:
                key = (site, 100 + 10 * thread + place)
            used.add(key)
            groups.setdefault(key, []).append((thread, place))
    execution = straight(traces, groups.values())
    class_of = execution.converged.class_of()
    edges = {
        (class_of[p], class_of[q]) for (visit,) in execution.visits for p, q in pairwise(visit.operations)
    }
    while more := {(a, d) for a, b in edges for c, d in edges if b == c} - edges:
        edges |= more
    got = order(execution)
    if any(a == b for a, b in edges):
        assert isinstance(got, OrderCycle)
        for (p, q), (following, _) in zip(got.steps, got.steps[1:] + got.steps[:1], strict=True):
            operations = execution.visits[p.thread][0].operations
            assert operations.index(p) < operations.index(q)
            assert class_of[q] == class_of[following]
    else:
        assert isinstance(got, Columns)
        for a, b in edges:
            assert got.column[min(a)] < got.column[min(b)]
        assert all(len({got.column[m] for m in group}) == 1 for group in execution.converged.classes)
        assert sorted(set(got.column.values())) == list(range(1, len(execution.converged.classes) + 1))


def test_program_order_goes_into_the_callee_and_back() -> None:
    def visit(
        frame: int, caller: int | None, function: str, block: str, sites: list[int], call: int | None = None
    ) -> BlockVisit:
        return BlockVisit(
            frame,
            caller,
            function,
            block,
            tuple(DynamicInstance(0, StaticInstance(function, s), 1) for s in sites),
            None if call is None else StaticInstance("f", call),
        )

    visits = (
        visit(0, None, "f", "A", [0, 1, 4, 5]),
        visit(1, 0, "g", "X", [0], call=1),
        visit(2, 1, "h", "P", [0], call=0)._replace(call=StaticInstance("g", 1)),
        visit(1, 0, "g", "Y", [2, 3]),
        visit(3, 0, "g", "X", [0], call=4),
        visit(0, None, "f", "B", [6]),
    )
    told = [
        f"{visits[s.visit].block}{'' if s.operation is None else s.operation.site.index}"
        for s in program_order(visits)
    ]
    assert " ".join(told) == "A A0 A1 X X0 P P0 Y Y2 Y3 A4 X X0 A5 B B6"


def test_columns_do_not_depend_on_the_order_of_the_classes() -> None:
    execution = execute(module(f=UNCONTROLLED), "f", NATURAL_PATHS)
    classes = sorted(execution.converged.classes, key=sorted)
    backwards = Execution(execution.visits, ConvergedWith(frozenset(reversed(classes))))
    assert order(execution) == order(backwards)
