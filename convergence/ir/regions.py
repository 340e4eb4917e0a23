"""Convergence regions (COS, *Convergence Regions*; semantics.md §4), at instruction granularity.

The region of a token T is where T is live: the points that its definition dominates and from which
a use can be reached without passing the definition again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..frozen import dataclass
from .cfg import Cfg, Dominators, Point


@dataclass(frozen=True, slots=True)
class Region:
    """The region of the token that the instruction at ``definition`` produces.

    ``spans`` maps a block to the half-open range of positions whose points lie in the region. The
    point of a position is *before* its instruction, where that reads its operands; it defines its
    result at the next point. So the last use is inside, the definition's own operand is not. A block
    that the region leaves at its end has the position after its last instruction too.
    """

    definition: Point
    spans: Mapping[int, tuple[int, int]]

    def contains(self, point: Point) -> bool:
        """Whether a point lies in the region."""
        first, last = self.spans.get(point.block, (0, 0))
        return first <= point.position < last

    def contains_definition(self, definition: Point) -> bool:
        """Whether the region contains a token's definition; it contains its own."""
        behind = Point(definition.block, definition.position + 1)
        return definition == self.definition or self.contains(behind)

    @property
    def blocks(self) -> tuple[int, ...]:
        """The blocks that lie in the region wholly or partly, in text order."""
        return tuple(sorted(self.spans))


def convergence_region(cfg: Cfg, tree: Dominators, definition: Point, uses: Iterable[Point]) -> Region:
    """The region of the token defined at ``definition`` and used at ``uses``; linear in its size."""
    home = definition.block
    last: dict[int, int] = {}  # per block the position of the last use that counts from its start
    live_in: set[int] = set()
    after: list[int] = []  # uses in the home block that come after the definition
    todo: list[int] = []
    for use in uses:
        if use.block == home and use.position > definition.position:
            after.append(use.position)
        else:
            last[use.block] = max(last.get(use.block, -1), use.position)
            todo.append(use.block)
    live_out: set[int] = set()
    while todo:
        block = todo.pop()
        if block in live_in:
            continue
        live_in.add(block)
        for predecessor in cfg.predecessors[block]:
            live_out.add(predecessor)
            if predecessor != home:
                todo.append(predecessor)
    spans: dict[int, tuple[int, int]] = {}
    for block in live_in:
        if block != home and tree.dominates(home, block):
            spans[block] = (0, cfg.lengths[block] + 1 if block in live_out else last[block] + 1)
    if home in live_out:
        spans[home] = (definition.position + 1, cfg.lengths[home] + 1)
    elif after:
        spans[home] = (definition.position + 1, max(after) + 1)
    return Region(definition, spans)
