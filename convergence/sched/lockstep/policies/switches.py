"""``switch`` as compares, after *Unstructured Branches*: "lowered down to a sequence of if/else statements
(using a divide and conquer approach a switch/case can be dispatched in log(n) complexity)".

The cases are sorted by value. A node of the tree compares with the middle value and goes left or right; a
leaf compares for equality and goes to its case or to the default.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

from ....ir.instructions import Switch
from ....ir.operands import Int
from ..facts import Facts

Node = tuple[int, int]
"""The cases from the first number to before the second that a compare still has to tell apart."""


class SwitchTree:
    """The compares of one ``switch``; ``targets`` are the cases' blocks, sorted by value."""

    def __init__(self, facts: Facts, switch: Switch) -> None:
        index = facts.cfg.index
        self.default = index[switch.default]
        sorted_cases = sorted(switch.cases, key=_value)
        self.targets: tuple[int, ...] = tuple(index[block] for _, block in sorted_cases)

    @cached_property
    def paths(self) -> tuple[frozenset[Node], ...]:
        """By case, the compares on the way to it."""
        return tuple(frozenset(path(len(self.targets), case)) for case in range(len(self.targets)))

    @property
    def deepest(self) -> int:
        """Compares that one lane needs at most."""
        return max(map(len, self.paths), default=0)

    def compares(self, reached: Collection[int]) -> int:
        """Compares that a wave needs whose lanes go to these blocks: it runs each one that some lane
        needs. Masks do not say which case of a block a lane had, so it is the fewest that fit."""
        visited: set[Node] = set()
        for block in sorted(set(reached) - {self.default}, key=self.targets.count):
            visited |= self._cheapest((case for case, t in enumerate(self.targets) if t == block), visited)
        if self.default in reached and self.targets:
            visited |= self._cheapest(range(len(self.targets)), visited)
        return len(visited)

    def _cheapest(self, cases: Iterable[int], visited: set[Node]) -> frozenset[Node]:
        return min((self.paths[case] for case in cases), key=lambda p: len(p - visited))


def path(count: int, case: int) -> Sequence[Node]:
    """The compares that lead to ``case`` of ``count``, the root's first.

    >>> path(8, 5)
    [(0, 8), (4, 8), (4, 6), (5, 6)]
    """
    low, high = 0, count
    found = [(low, high)]
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if case < middle else (middle, high)
        found.append((low, high))
    return found


def _value(case: tuple[object, str]) -> int:
    value = case[0]
    assert isinstance(value, Int)
    bits = getattr(value.type, "bits", 64)
    return value.value & ((1 << bits) - 1)  # as unsigned numbers; -1 and its pattern are one value
