"""The search for closed paths in one function: it keeps what it found, and knows when to stop."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable

from ..diagnostics import Witness
from .facts import Crossing, FunctionFacts, Use
from .paths import Closed, Effort, Inside, closed_path_through, shortest_closed_path, shortest_path

__all__ = ["Closed", "Search"]


class Search:
    """Finds closed paths of one function, and offers those that it found again where they serve.

    A loop of thousands of blocks with thousands of misplaced uses has as many paths of that length. So
    there is an ``allowance`` of block visits for all witnesses of a function; after that the paths that
    are known to exist are left empty.
    """

    def __init__(self, facts: FunctionFacts) -> None:
        self.facts = facts
        self.edges = facts.cfg.successors
        self.effort = Effort(400_000)
        self.allowance = Effort(2_000_000)
        self._known: dict[Hashable, list[tuple[tuple[int, ...], frozenset[int]]]] = defaultdict(list)
        self._pairs: dict[tuple[int, int], Closed | None] = {}
        self._witnesses: dict[tuple[int, ...], Witness] = {}

    @property
    def is_tired(self) -> bool:
        """Whether the allowance is used up: what is found from now on need not be the best."""
        return self.allowance.left <= 0

    def witness(self, closed: Closed, use: Use) -> Witness:
        """A closed path or walk as the witness of a violation by ``use``; one for equal paths."""
        if not closed.blocks:
            return Witness("instruction", (self.facts.block_name(use.block),))
        if closed.blocks not in self._witnesses:
            kind = "closed-path" if closed.is_path else "closed-walk"
            self._witnesses[closed.blocks] = Witness(kind, self.facts.names(closed.blocks))
        return self._witnesses[closed.blocks]

    def _keep(self, item: Crossing, path: tuple[int, ...]) -> tuple[int, ...]:
        known = self._known[item.use.token, item.key]
        known.insert(0, (path, frozenset(path)))
        del known[3:]
        return path

    def known(self, item: Crossing, *blocks: int, avoided: int = -1) -> tuple[int, ...] | None:
        """A path found before for the item's token and component that passes its block and these."""
        for path, members in self._known[item.use.token, item.key]:
            if item.block in members and all(b in members for b in blocks) and avoided not in members:
                self.allowance.left -= len(path)
                return path
        return None

    def through(self, item: Crossing) -> tuple[int, ...]:
        """A closed path through a crossing use without the definition: there is one."""
        if self.is_tired:
            return ()
        if (path := self.known(item)) is not None:
            return path
        path = shortest_closed_path(self.edges, item.block, item.inside, self.allowance)
        assert path is not None
        return self._keep(item, path)

    def around(self, item: Crossing, last: int) -> tuple[int, ...]:
        """A closed path through the use and a block that it does not dominate, such as ``last``."""
        if self.is_tired:
            return ()
        if item.cycle is not None and item.cycle.is_reducible:  # a use elsewhere does not dominate the header
            if (path := self.known(item, item.cycle.header)) is not None:
                return path
        path = shortest_path(self.edges, item.block, last, item.inside, self.allowance)
        assert path is not None
        return self._keep(item, path)

    def shared(self, one: Crossing, two: Crossing) -> Closed | None:
        """A closed path through two crossing uses without either definition.

        Their components must contain each other's block.
        """
        if (path := self.known(one, two.block, avoided=two.use.home)) is not None:
            return Closed(path, True)
        if self.is_tired and one.cycle is not None and two.cycle is not None:
            return Closed((), one.block == two.block)  # the smaller cycle is at least a closed walk
        homes = (one.use.home, two.use.home)
        inside: Inside = lambda b: b not in homes and one.inside(b) and two.inside(b)  # noqa: E731
        if one.block == two.block:
            path = shortest_closed_path(self.edges, one.block, inside, self.allowance)
            return None if path is None else Closed(self._keep(one, path), True)
        pair = (min(id(one), id(two)), max(id(one), id(two)))
        if pair not in self._pairs:
            efforts = (self.effort, self.allowance)
            closed = closed_path_through(self.edges, one.block, two.block, inside, *efforts)
            self._pairs[pair] = closed
            if closed is not None and closed.is_path:
                self._keep(one, closed.blocks)
        return self._pairs[pair]
