"""Crossing uses: the uses of a token that a closed path passes without passing its definition.

All closed-path rules speak of them only. In a closed path blocks are the nodes, so a use whose block
also holds the definition never crosses. Let D be the definition's block, U the use's.

A closed path through U that avoids D exists iff U lies on an edge inside the strongly connected
component S of U in the CFG without D. Where D dominates U (always, in valid reachable code), S is
the largest cycle of *any* cycle hierarchy that contains U but not D: D dominates all of S, so by
LLVM's *Cycle Terminology* (*Closed Paths and Cycles*, 2) some cycle contains S and not D; each such
cycle is strongly connected without D, so it lies in S. That makes the usual question one look-up.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from .facts import Crossing, FunctionFacts, Use
from .paths import reach


def crossings(facts: FunctionFacts) -> tuple[Crossing, ...]:
    """The crossing uses of a function in text order."""
    if facts.crossings is None:
        candidates = (crossing(facts, use) for use in facts.uses)
        facts.crossings = tuple(item for item in candidates if item is not None)
    return facts.crossings


def crossing(facts: FunctionFacts, use: Use) -> Crossing | None:
    """How a use crosses, or ``None`` if every closed path through it passes the definition."""
    if use.block == use.home:
        return None
    if facts.is_reachable(use.block) and use.is_dominated:
        forest = facts.cycles
        cycle = forest.outermost_without(use.block, use.home)
        if cycle is None:
            return None
        return Crossing(use, lambda block: forest.contains(cycle, block), cycle.index, cycle)
    component = _component(facts, use)
    if use.block not in component:
        return None
    return Crossing(use, component.__contains__, ("component", min(component)), None)


def _component(facts: FunctionFacts, use: Use) -> set[int]:
    """The strongly connected component of the use in the CFG without the definition, empty without an
    edge inside; found from scratch, for uses that break S-DOM or are unreachable."""
    cfg = facts.cfg
    alike = cfg.reachable[use.block]  # no closed path leaves the unreachable blocks and returns

    def allowed(block: int) -> bool:
        return block != use.home and cfg.reachable[block] == alike

    after = reach(cfg.successors, use.block, allowed)
    return reach(cfg.predecessors, use.block, after.__contains__) if use.block in after else set()


def heart_fault(facts: FunctionFacts, item: Crossing) -> int | None:
    """A predecessor of the use, in its component, that the use does not dominate; ``None`` if the use
    dominates every block of every closed path of S-HEART-DOM.

    If U does not dominate some block of S, an entry path to that block and on, inside S, to U reaches
    U's last predecessor there without passing U. So one look at the predecessors decides.
    """
    if item.cycle is not None and item.cycle.is_reducible and item.cycle.header == item.block:
        return None
    return next(
        (
            block
            for block in facts.cfg.predecessors[item.block]
            if item.inside(block) and not facts.dominators.dominates(item.block, block)
        ),
        None,
    )


class ByPlace:
    """Crossing uses sorted by the cycles that they are in, so that those inside of one are a slice."""

    def __init__(self, facts: FunctionFacts, items: Iterable[Crossing]) -> None:
        self._rank = facts.cycles.rank
        self._span = facts.cycles.span
        regular = [item for item in items if facts.is_reachable(item.block)]
        self._items = sorted(regular, key=lambda item: self._rank(item.block))
        self._ranks = [self._rank(item.block) for item in self._items]
        self._elsewhere = [item for item in items if not facts.is_reachable(item.block)]
        self._run_ends = [0] * len(self._items)  # where the run of uses of one token ends
        for at in range(len(self._items) - 1, -1, -1):
            same = at + 1 < len(self._items) and self._items[at].use.token == self._items[at + 1].use.token
            self._run_ends[at] = self._run_ends[at + 1] if same else at + 1

    def inside(self, item: Crossing) -> Iterator[Crossing]:
        """Those that are inside the item's component and use another token."""
        at, end = 0, len(self._items)
        if item.cycle is not None:
            first, last = self._span(item.cycle)
            at, end = bisect_left(self._ranks, first), bisect_left(self._ranks, last)
        while at < end:
            other = self._items[at]
            if other.use.token == item.use.token:
                at = self._run_ends[at]
                continue
            if item.inside(other.block):
                yield other
            at += 1
        for other in self._elsewhere:
            if other.use.token != item.use.token and item.inside(other.block):
                yield other
