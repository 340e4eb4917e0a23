"""Convergence-before kept up to date, against a plain closure.

covers: semantics.convergence.rules
"""

from __future__ import annotations

import random

import pytest

from convergence.alignment import StaticInstance
from convergence.semantics import IllegalExecution
from convergence.semantics.convergence import ChosenLabel, Keys
from convergence.semantics.convergence.rules import ConvergenceBefore


def closure(edges: set[tuple[int, int]], size: int) -> set[tuple[int, int]]:
    before = set(edges)
    for middle in range(size):
        before |= {(a, d) for a, b in before if b == middle for c, d in before if c == middle}
    return before


@pytest.mark.parametrize("seed", range(60))
def test_random_walks_through_classes(seed: int) -> None:
    """Threads visit classes in random order; the numbering stays topological until a cycle closes."""
    rng = random.Random(seed)
    keys, order = Keys(), ConvergenceBefore()
    classes = [keys.free(StaticInstance("f", 0), ChosenLabel(n)) for n in range(8)]
    last = dict.fromkeys(range(3), -1)
    edges: set[tuple[int, int]] = set()
    for _ in range(25):
        thread, key = rng.randrange(3), rng.choice(classes)
        node = order.node_of.get(key, len(order.keys))
        new = edges | ({(last[thread], node)} if last[thread] >= 0 else set())
        cyclic = any(a == b for a, b in closure(new, 8))
        if cyclic:
            with pytest.raises(IllegalExecution):
                order.execute(last[thread], key, thread)
            break
        last[thread] = order.execute(last[thread], key, thread)
        edges = new
        before = closure(edges, 8)
        assert len(set(order.rank)) == len(order.rank)
        for a in range(len(order.keys)):
            for b in range(len(order.keys)):
                assert order.precedes(a, b) == (a == b or (a, b) in before)
            assert order.later(a) == {a} | {d for c, d in before if c == a}
            assert order.has_earlier(a) == any(d == a for _, d in before)


def test_looking_back_stops_where_it_is_told() -> None:
    keys, order = Keys(), ConvergenceBefore()
    a, b, c = (keys.free(StaticInstance("f", 0), ChosenLabel(n)) for n in range(3))
    node = -1
    for key in (a, b, c):
        node = order.execute(node, key, 0)
    assert set(order.earlier([node], lambda key: False)) == {a, b, c}
    assert set(order.earlier([node], lambda key: key is b)) == {c}
