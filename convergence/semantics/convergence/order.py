"""Convergence-before while the run goes on (D-ORDER): a choice that would close a cycle is not offered.

Nodes are classes of instances (one key each), edges program order. A topological numbering is kept
up to date by Pearce and Kelly's algorithm (*A dynamic topological sort algorithm for directed
acyclic graphs*, JEA 2006): an edge that agrees with it costs nothing, another one only what lies between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ...rules import Rule
from ..errors import IllegalExecution
from .keys import Key


class ConvergenceBefore:
    """``keys`` the key of each node; ``rank`` its topological number; edges in both directions."""

    __slots__ = ("_after", "_before", "keys", "node_of", "rank")

    def __init__(self) -> None:
        self.keys: list[Key] = []
        self.node_of: dict[Key, int] = {}
        self.rank: list[int] = []
        self._after: list[set[int]] = []
        self._before: list[set[int]] = []

    def execute(self, last: int, key: Key, thread: int) -> int:
        """A thread whose latest class is ``last`` (-1: none) executes an instance of class ``key``;
        its node. Raises IllegalExecution when convergence-before has a cycle now."""
        node = self.node_of.get(key)
        if node is None:
            node = self.node_of[key] = len(self.keys)
            self.keys.append(key)
            self.rank.append(node)
            self._after.append(set())
            self._before.append(set())
        if last >= 0 and node not in self._after[last] and not self._add(last, node):
            raise IllegalExecution(
                Rule.D_ORDER,
                f"thread {thread} closes a cycle in convergence-before: no columns fit this relation",
            )
        return node

    def precedes(self, early: int, late: int) -> bool:
        """Whether class ``early`` is convergence-before class ``late``, or the same."""
        if early == late:
            return True
        limit = self.rank[late]
        return self.rank[early] < limit and any(
            n == late for n in self._walk([early], self._after, lambda r: r <= limit)
        )

    def has_earlier(self, node: int) -> bool:
        """Whether any other class is convergence-before this one."""
        return bool(self._before[node])

    def behind(self, nodes: Iterable[int], stop: Callable[[Key], bool]) -> set[int]:
        """The classes that some of ``nodes`` are before, along paths of classes that ``stop`` does not
        accept."""
        behind: set[int] = set()
        work = list(nodes)
        while work:
            for following in self._after[work.pop()]:
                if following not in behind and not stop(self.keys[following]):
                    behind.add(following)
                    work.append(following)
        return behind

    def at_or_before(self, node: int) -> set[int]:
        """A class and all that are convergence-before it."""
        return set(self._walk([node], self._before, lambda r: True))

    def later(self, node: int) -> set[int]:
        """A class and all that it is convergence-before."""
        return set(self._walk([node], self._after, lambda r: True))

    def earlier(self, nodes: Iterable[int], stop: Callable[[Key], bool]) -> Iterator[Key]:
        """The classes at or before ``nodes``, not looking behind those that ``stop`` accepts."""
        numbers: set[int] = set()
        work = list(nodes)
        while work:
            node = work.pop()
            if node in numbers or stop(self.keys[node]):
                continue
            numbers.add(node)
            yield self.keys[node]
            work.extend(self._before[node])

    def _walk(self, start: list[int], edges: list[set[int]], near: Callable[[int], bool]) -> Iterator[int]:
        visited = set(start)
        work = list(start)
        while work:
            node = work.pop()
            yield node
            for following in edges[node]:
                if following not in visited and near(self.rank[following]):
                    visited.add(following)
                    work.append(following)

    def _add(self, early: int, late: int) -> bool:
        """Adds an edge and renumbers; False, and nothing is changed, if it would close a cycle."""
        rank = self.rank
        low, high = rank[late], rank[early]
        if high > low:
            forward = list(self._walk([late], self._after, lambda r: r <= high))
            if early in forward:
                return False
            backward = list(self._walk([early], self._before, lambda r: r >= low))
            moved = sorted(backward, key=rank.__getitem__) + sorted(forward, key=rank.__getitem__)
            for node, number in zip(moved, sorted(rank[n] for n in moved), strict=True):
                rank[node] = number
        elif early == late:
            return False
        self._after[early].add(late)
        self._before[late].add(early)
        return True


class Unordered(ConvergenceBefore):
    """No columns: program order is no dependence (D-DEP), so no relation closes a cycle here.

    What D-DEP asks for is kept by a machine that waits for what it depends on, and for nothing else.
    """

    __slots__ = ()

    def execute(self, last: int, key: Key, thread: int) -> int:
        return -1
