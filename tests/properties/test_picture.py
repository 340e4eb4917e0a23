"""Pictures of runs of generated programs: what semantics.md §5 says of every picture.

A longer campaign: ``CONVCHECK_CASES=2000 python -m pytest tests/properties/test_picture.py``.
"""

from __future__ import annotations

import os
from itertools import combinations, islice
from random import Random

import pytest

from convergence.alignment import (
    Columns,
    DynamicInstance,
    StaticInstance,
    controlled_maximal,
    facts_of,
    lay_out,
    left_out,
    order,
    picture,
)
from convergence.ir.module import Module
from convergence.semantics import Returned
from convergence.semantics.machine import executions
from convergence.semantics.machine.run import Run
from tests.oracles.programs_generate import random_case

from .test_dynamic_run import KINDS, Both

CASES = int(os.environ.get("CONVCHECK_CASES", "24"))
PAIRED = 600
"""Visits of which all pairs are looked at; of a longer execution so many are drawn."""
FIRST = int(os.environ.get("CONVCHECK_SEED", "0"))


def check(module: Module, done: Run) -> None:
    """All that can be said of the picture of a run that ended."""
    execution = done.execution
    function = done.machine.launch.function
    classes = controlled_maximal(execution, facts_of(module))
    columns = lay_out(execution, classes)
    visits = [(t, n) for t, row in enumerate(execution.visits) for n in range(len(row))]
    column = {(t, n): columns[t][n] for t, n in visits}
    class_of = execution.converged.class_of()

    for t in range(len(execution.visits)):
        assert list(columns[t]) == sorted(set(columns[t])), "columns grow along a thread"
    compared = visits if len(visits) <= PAIRED else Random(0).sample(visits, PAIRED)
    for a, b in combinations(compared, 2):
        one, other = execution.visits[a[0]][a[1]], execution.visits[b[0]][b[1]]
        if column[a] == column[b]:
            assert (one.function, one.block) == (other.function, other.block)
            assert execution.launch_groups[a[0]] == execution.launch_groups[b[0]]
        if one.operations and other.operations:
            together = [class_of[p] for p in one.operations] == [class_of[q] for q in other.operations]
            assert (column[a] == column[b]) == together, "a column iff all operations are converged"
        same_class = classes[a[0]][a[1]] == classes[b[0]][b[1]]
        assert same_class or column[a] != column[b]
        assert column[a] == column[b] or not same_class or crosses_activations(done), "no cycle to avoid"

    assert isinstance(order(execution), Columns)
    for all_blocks in (False, True):
        hidden = frozenset() if all_blocks else left_out(module.functions[function])
        rows = picture(execution, module, function, all_blocks)
        for t, row in enumerate(rows):
            walked = [v.block for v in execution.visits[t] if v.frame == 0 and v.block not in hidden]
            assert [block for block in row.split() if block != "-"] == walked
        assert len({len(row.split()) for row in rows}) == 1
        for one_column in zip(*(row.split() for row in rows), strict=True):
            assert len(set(one_column) - {"-"}) == 1, "one column holds one class"


def crosses_activations(done: Run) -> bool:
    """Whether a free choice paired operations of activations that were not entered together: then
    visits of one block in activations that were can stand on both sides of it."""
    class_of = done.execution.converged.class_of()
    stacks_of: dict[DynamicInstance, tuple[object, ...]] = {}
    for row in done.execution.visits:
        stacks: dict[int, tuple[object, ...]] = {}
        called: dict[tuple[int, StaticInstance], object] = {}
        for visit in row:
            if visit.frame not in stacks:
                outer = () if visit.caller is None else stacks[visit.caller]
                by = None
                if visit.caller is not None and visit.call is not None:
                    by = called.get((visit.caller, visit.call), visit.frame)
                stacks[visit.frame] = (*outer, by)
            for operation in visit.operations:
                stacks_of[operation] = stacks[visit.frame]
                called[visit.frame, operation.site] = class_of[operation]
    return any(len({stacks_of[m] for m in group}) > 1 for group in done.execution.converged.classes)


@pytest.mark.parametrize("kind", KINDS)
def test_pictures(kind: str) -> None:
    shape, mode = KINDS[kind]
    for seed in range(FIRST, FIRST + CASES):
        case = random_case(seed, shape)
        for size in (None, 2):
            both = Both(case, mode, size)
            done = both.run()
            if isinstance(done.ending, Returned):
                check(both.module, done)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "any" in kind or kind in {"anchors", "mixed"}])
def test_pictures_of_all_choices(kind: str) -> None:
    """Not only the largest groups: whatever free labels pair has a picture."""
    shape, mode = KINDS[kind]
    drawn = 0
    for seed in range(FIRST, FIRST + CASES // 4):
        both = Both(random_case(seed, shape), mode)
        for done, _ in islice(executions(both.run), 30):
            if isinstance(done.ending, Returned):
                check(both.module, done)
                drawn += 1
    assert drawn > CASES // 4
