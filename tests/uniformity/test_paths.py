"""Where threads that part meet again: looked for up to the block by which all paths go on, and beyond it.

covers: uniformity.analysis
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergence.ir.cfg import Cfg, Cycle, Order, cycles, dominators, graph
from convergence.uniformity.analysis import diverged_paths

CUTS: tuple[Callable[[Cycle], bool], ...] = (lambda cycle: True, lambda cycle: cycle.is_reducible)


@st.composite
def cfgs(draw: st.DrawFn) -> Cfg:
    """Up to twelve blocks, whose edges go near or anywhere; the entry has no predecessor."""
    size = draw(st.integers(2, 12))
    near = draw(st.booleans())
    edges = []
    for block in range(size):
        low, high = (max(1, block - 3), min(size - 1, block + 3)) if near else (1, size - 1)
        targets = st.lists(st.integers(low, max(low, high)), max_size=3, unique=True)
        edges.append(tuple(draw(targets)))
    return graph([f"b{number}" for number in range(size)], edges)


def _agree(cfg: Cfg, order: Order) -> None:
    forest = cycles(cfg, order)
    for branch in range(len(cfg)):
        if cfg.reachable[branch] and len(cfg.successors[branch]) > 1:
            for cut in CUTS:
                assert diverged_paths(cfg, forest, branch, cut) == diverged_paths(
                    cfg, forest, branch, cut, local=False
                )


@given(cfgs(), st.sampled_from(Order))
def test_nothing_is_missed_behind_the_meeting_block(cfg: Cfg, order: Order) -> None:
    _agree(cfg, order)


KEPT = (
    [(4, 2), (), (3, 1), (2,), ()],
    [(3, 5), (5, 2), (4, 6), (3, 5), (3,), (4, 2), ()],
    [(1,), (2,), (1, 3), (5, 1), (2,), (4, 7), (), (9,), (5,), (11,), (), (12,), ()],
    [(1,), (3,), (3,), (4, 6, 5), (5,), (3,), (6,), (10, 9, 6), (10, 6), (6,), (8, 11), (10, 12), (), ()],
)
"""Where the header of a cycle around the branch leads to a block that was visited before."""


@pytest.mark.parametrize("edges", KEPT)
@pytest.mark.parametrize("order", Order)
def test_counterexamples(edges: list[tuple[int, ...]], order: Order) -> None:
    _agree(graph([""] * len(edges), edges), order)


@pytest.mark.parametrize("rounds", [False, True])
def test_ifs_in_a_row_are_looked_at_one_by_one(rounds: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each branch meets behind its own two sides, also within a loop: no more blocks are looked at where
    more follow."""
    count = 40
    edges: list[tuple[int, ...]] = []
    for at in range(0, 3 * count, 3):
        edges += [(at + 1, at + 2), (at + 2,), (at + 3,)]
    edges += [(0 if rounds else 3 * count + 1,)]
    edges = [(1,), *(tuple(target + 1 for target in targets) for targets in edges), ()]
    if rounds:
        edges[-2] = (1, len(edges) - 1)
    sizes: list[int] = []

    def counted(cfg: Cfg) -> object:
        sizes.append(len(cfg))
        return dominators(cfg)

    monkeypatch.setattr("convergence.uniformity.analysis.dominators", counted)
    cfg = graph([""] * len(edges), edges)
    forest = cycles(cfg)
    for branch in range(4, 3 * count, 3):
        paths = diverged_paths(cfg, forest, branch)
        assert paths.joins == {branch + 2: (branch, branch + 1)}
    assert set(sizes) == {3}
