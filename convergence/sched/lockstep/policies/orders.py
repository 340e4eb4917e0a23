"""Topological orders that keep loops together."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..facts import Facts


def contiguous(
    facts: Facts, together: Collection[frozenset[int]] = (), ties: Sequence[int] | None = None
) -> tuple[int, ...]:
    """The reachable blocks so that forward edges go forwards and each cycle's blocks are next to each other;
    ties as in ``ties``, by default reverse postorder. ``together`` are further sets of blocks to keep
    together, nested in each other or apart, each entered through one block."""
    rank = {block: at for at, block in enumerate(facts.cfg.rpo if ties is None else ties)}
    sets = {frozenset(facts.cycles.blocks(c)) for c in facts.cycles.all} | set(together)
    return tuple(_ordered(facts, frozenset(facts.cfg.rpo), None, sets, rank))


def _ordered(
    facts: Facts, blocks: frozenset[int], header: int | None, sets: set[frozenset[int]], rank: dict[int, int]
) -> list[int]:
    """One level: outermost sets inside ``blocks`` are one node each; edges to ``header`` do not count."""
    inner = [s for s in sets if s < blocks]
    outermost = [s for s in inner if not any(s < other for other in inner)]
    node_of = {b: min(s, key=rank.__getitem__) for s in outermost for b in s}
    for block in blocks:
        node_of.setdefault(block, block)
    members = {n: frozenset(b for b in blocks if node_of[b] == n) for n in node_of.values()}
    following: dict[int, set[int]] = {n: set() for n in members}
    for block in blocks:
        for successor in facts.cfg.successors[block]:
            if successor in blocks and successor != header and node_of[successor] != node_of[block]:
                following[node_of[block]].add(node_of[successor])
    pending = {n: sum(n in f for f in following.values()) for n in members}
    result: list[int] = []
    while pending:
        free = [n for n in pending if not pending[n]] or list(pending)
        node = min(free, key=rank.__getitem__)
        del pending[node]
        for successor in following[node]:
            if successor in pending:
                pending[successor] -= 1
        inside = members[node]
        result += [node] if len(inside) == 1 else _ordered(facts, inside, node, sets, rank)
    return result
