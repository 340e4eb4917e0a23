"""Which token is innermost where: the live token with the deepest definition, at each use.

One pass over the tokens, deepest definition first. A token's region is walked backwards from its uses to
its definition; each point is owned by the first token that comes to it. A region that is met on the
way is left by one jump to its definition: going backwards, nothing else leads out of it, and what is
inside already has a deeper owner. Jumps are compressed (union-find), so the whole is about linear in
blocks, edges and uses, however deep the nest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from .facts import FunctionFacts, Use


def innermost_live(facts: FunctionFacts, tokens: Mapping[str, list[Use]]) -> Iterator[tuple[Use, str]]:
    """Each use with the name of the innermost token that is live at it, for the given tokens only.

    All uses must be reachable and dominated by their definitions.
    """
    if not any(tokens.values()):
        return
    net = _Net(facts, tokens)
    enter = facts.dominators.enter
    deepest_first = sorted(
        (token for token, uses in tokens.items() if uses),
        key=lambda token: (
            -enter[facts.definitions[token].point.block],
            -facts.definitions[token].point.position,
        ),
    )
    for token in deepest_first:
        net.claim(token, tokens[token])
    for uses in tokens.values():
        for use in uses:
            yield use, net.owner[net.node[use.point]]


class _Net:
    """Nodes are the points at block starts and before each definition or use; edges lead backwards."""

    def __init__(self, facts: FunctionFacts, tokens: Mapping[str, list[Use]]) -> None:
        cfg = facts.cfg
        points = {use.point for uses in tokens.values() for use in uses}
        self.definition = {token: facts.definitions[token].point for token in tokens}
        points.update(self.definition.values())
        within: dict[int, list[int]] = defaultdict(list)
        for point in points:
            within[point.block].append(point.position)
        self.node: dict[tuple[int, int], int] = {}
        size = len(cfg)  # nodes 0 .. size-1 are the block starts
        last = list(range(size))
        self.back: list[tuple[int, ...] | list[int]] = [()] * size
        for block, positions in within.items():
            for position in sorted(positions):
                node = len(self.back)
                self.back.append((last[block],))
                self.node[block, position] = node
                last[block] = node
        for block in cfg.rpo:
            self.back[block] = [last[p] for p in cfg.predecessors[block] if cfg.reachable[p]]
        self.owner: list[str] = [""] * len(self.back)
        self.jump = list(range(len(self.back)))

    def _find(self, node: int) -> int:
        root = node
        while self.jump[root] != root:
            root = self.jump[root]
        while self.jump[node] != root:
            self.jump[node], node = root, self.jump[node]
        return root

    def claim(self, token: str, uses: list[Use]) -> None:
        """Make the token the owner of all points of its region that have none yet."""
        home = self.node[self.definition[token]]
        todo = [self.node[use.point] for use in uses]
        while todo:
            node = self._find(todo.pop())
            if node == home:
                continue
            self.owner[node] = token
            self.jump[node] = home
            todo.extend(before for before in self.back[node] if before != home)
