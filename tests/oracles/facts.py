"""Dominance, closed paths and convergence regions of a function, each straight from its definition.

Sources: LLVM's *Cycle Terminology* (closed path) and *Convergent Operation Semantics* (region), read as the
project's definition of the static rules reads them. Nothing here is clever: every simple closed path is
enumerated, dominance is reachability with a point taken out, a region is found point by point.

Readings where the definitions leave room:

* a token is what a control intrinsic defines: an operand that comes from elsewhere breaks S-PRODUCER and is
  no use for the rules about dominance, paths and regions;
* where S-BUNDLE is broken there is no telling which token is used, so that nothing more is asked of it;
* an instruction reads its operands at a point before the one where it defines its result: a loop is not in
  the region of its own token with the token that it uses, nor does its own token become live with its read;
* a region is never badly nested in itself. (In reachable code that goes without saying.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from .model import CONTROL, Function, Item


class Violation(NamedTuple):
    """A broken rule, where (block, position in it; the call of a terminator counts as last), which token."""

    rule: str
    block: int
    position: int
    token: str | None = None


class Point(NamedTuple):
    """A program point: the ``offset``-th of its block."""

    block: int
    offset: int


class Use(NamedTuple):
    """The convergencectrl operand of the item at (block, position) is ``token``."""

    block: int
    position: int
    token: str


@dataclass(frozen=True)
class Facts:
    """What the rules ask about one function, each thing by its definition."""

    function: Function

    @cached_property
    def items(self) -> list[tuple[int, int, Item]]:
        """Every item with its block and its position in the block."""
        blocks = enumerate(self.function.blocks)
        return [(b, p, item) for b, block in blocks for p, item in enumerate(block.all_items)]

    @cached_property
    def definitions(self) -> dict[str, tuple[int, int]]:
        """Where each token of a control intrinsic is defined."""
        return {i.token: (b, p) for b, p, i in self.items if i.kind in CONTROL and i.token is not None}

    @cached_property
    def uses(self) -> list[Use]:
        """Every use of a token that a control intrinsic defines."""
        known = self.definitions
        return [Use(b, p, i.uses) for b, p, i in self.items if i.uses is not None and i.uses in known]

    def item(self, block: int, position: int) -> Item:
        return self.function.blocks[block].all_items[position]

    # Blocks.

    @cached_property
    def successors(self) -> list[list[int]]:
        return [sorted(set(block.targets)) for block in self.function.blocks]

    def reached(self, without: int | None = None) -> set[int]:
        """The blocks that the entry block reaches on paths that avoid one block."""
        if without == 0:
            return set()
        seen, todo = {0}, [0]
        while todo:
            for target in self.successors[todo.pop()]:
                if target != without and target not in seen:
                    seen.add(target)
                    todo.append(target)
        return seen

    @cached_property
    def reachable(self) -> set[int]:
        return self.reached()

    @cached_property
    def dominated(self) -> list[set[int]]:
        """For each block the blocks it dominates: itself, what is cut off without it, what is unreachable."""
        every = set(range(len(self.function.blocks)))
        return [(every - self.reached(without=b)) | {b} for b in range(len(self.function.blocks))]

    @cached_property
    def closed_paths(self) -> set[frozenset[int]]:
        """The node sets of all closed paths: distinct nodes, back to the first; a self loop is one."""
        found: set[frozenset[int]] = set()

        def walk(first: int, path: list[int]) -> None:
            for target in self.successors[path[-1]]:
                if target == first:
                    found.add(frozenset(path))
                elif target > first and target not in path:
                    path.append(target)
                    walk(first, path)
                    path.pop()

        for first in range(len(self.function.blocks)):
            walk(first, [first])
        return found

    # Program points. An item is two of them: where it reads its operands, then where it defines its result;
    # one more point per block is the terminator.

    def reads(self, block: int, position: int) -> Point:
        return Point(block, 2 * position)

    def defines(self, block: int, position: int) -> Point:
        return Point(block, 2 * position + 1)

    @cached_property
    def point_successors(self) -> dict[Point, list[Point]]:
        result = {}
        for b, block in enumerate(self.function.blocks):
            end = 2 * len(block.all_items)
            for k in range(end):
                result[Point(b, k)] = [Point(b, k + 1)]
            result[Point(b, end)] = [Point(target, 0) for target in self.successors[b]]
        return result

    @cached_property
    def point_predecessors(self) -> dict[Point, list[Point]]:
        result: dict[Point, list[Point]] = {point: [] for point in self.point_successors}
        for point, targets in self.point_successors.items():
            for target in targets:
                result[target].append(point)
        return result

    def points_without(self, removed: Point | None) -> set[Point]:
        """The points that the first point of the function reaches when one point is taken out."""
        start = Point(0, 0)
        if removed == start:
            return set()
        seen, todo = {start}, [start]
        while todo:
            for target in self.point_successors[todo.pop()]:
                if target != removed and target not in seen:
                    seen.add(target)
                    todo.append(target)
        return seen

    @cached_property
    def live_points(self) -> set[Point]:
        return self.points_without(None)

    def dominated_by(self, definition: Point) -> set[Point]:
        """The points that a definition dominates, itself included: those that are cut off without it, and all
        that are unreachable but for those above it in its own block."""
        unreachable = set(self.point_successors) - self.live_points
        cut_off = self.live_points - self.points_without(definition)
        above = {p for p in unreachable if p.block == definition.block and p.offset < definition.offset}
        return (cut_off | unreachable) - above

    @cached_property
    def dominated_points(self) -> dict[str, set[Point]]:
        """For each token the points that its definition dominates."""
        return {token: self.dominated_by(self.defines(*place)) for token, place in self.definitions.items()}

    def region(self, token: str) -> set[Point]:
        """The convergence region: points that the definition dominates and from which some path reaches
        a use of the token without passing the definition again."""
        definition = self.defines(*self.definitions[token])
        uses = [self.reads(use.block, use.position) for use in self.uses if use.token == token]
        live, todo = set(uses), list(uses)
        while todo:
            point = todo.pop()
            if point == definition:
                continue  # what comes before would pass the definition
            for before in self.point_predecessors[point]:
                if before not in live:
                    live.add(before)
                    todo.append(before)
        return live & self.dominated_points[token]

    @cached_property
    def nesting(self) -> list[tuple[set[Point], list[Violation]]]:
        """Each region with the uses in it whose token's definition is not in it."""
        result = []
        for token in self.definitions:
            region = self.region(token)
            broken = [
                Violation("S-NEST", use.block, use.position, use.token)
                for use in self.uses
                if use.token != token
                and self.reads(use.block, use.position) in region
                and self.defines(*self.definitions[use.token]) not in region
            ]
            result.append((region, broken))
        return result
