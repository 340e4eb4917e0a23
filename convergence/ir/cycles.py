"""Cycles as LLVM's *Cycle Terminology* defines them: a forest that a depth-first search fixes.

A cycle is a maximal strongly connected region with an edge inside; its header is its first block
in the search; its children are the cycles of what remains without the header. For reducible CFGs
every search gives the natural loops. Only blocks that the entry reaches are in cycles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from enum import Enum

from ..frozen import dataclass
from .cfg import Cfg, depth_first


class Order(Enum):
    """Which successor the depth-first search takes first.

    ``TEXT`` is convcheck's default (semantics.md, D-FREE). ``REVERSED`` takes the last successor
    first: that is what LLVM's ``GenericCycleInfo`` does (seen with ``opt -passes='print<cycles>'``).
    """

    TEXT = "text"
    REVERSED = "reversed"


@dataclass(frozen=True, slots=True)
class Cycle:
    """One cycle; ``parent`` and ``children`` are indices into ``Cycles.all``; ``depth`` counts from 1.

    ``entries`` are the blocks that can be reached from the function's entry without another block
    of the cycle, the header first.
    """

    index: int
    header: int
    entries: tuple[int, ...]
    parent: int | None
    children: tuple[int, ...]
    depth: int

    @property
    def is_reducible(self) -> bool:
        return len(self.entries) == 1


@dataclass(frozen=True, slots=True)
class Cycles:
    """The forest. ``all`` lists parents before their children; ``of`` is each block's smallest
    cycle as an index into ``all``, -1 for none."""

    all: tuple[Cycle, ...]
    of: tuple[int, ...]
    _enter: tuple[int, ...] = field(repr=False)
    _leave: tuple[int, ...] = field(repr=False)
    _layout: tuple[int, ...] = field(repr=False)
    _starts: tuple[int, ...] = field(repr=False)
    _jump: tuple[int, ...] = field(repr=False)

    def innermost(self, block: int) -> Cycle | None:
        """The smallest cycle that contains a block."""
        at = self.of[block]
        return self.all[at] if at >= 0 else None

    def contains(self, cycle: Cycle, block: int) -> bool:
        """Whether a block is in a cycle, nested cycles included."""
        at = self.of[block]
        return at >= 0 and self._enter[cycle.index] <= self._enter[at] < self._leave[cycle.index]

    def blocks(self, cycle: Cycle) -> tuple[int, ...]:
        """All blocks of a cycle, nested cycles included, the header first."""
        first, last = self._enter[cycle.index], self._leave[cycle.index]
        return self._layout[self._starts[first] : self._starts[last]]

    def rank(self, block: int) -> int:
        """A number for sorting blocks: those of a cycle have the numbers of its ``span``. -1: in no cycle."""
        at = self.of[block]
        return self._enter[at] if at >= 0 else -1

    def span(self, cycle: Cycle) -> tuple[int, int]:
        """The half-open range of the ranks of a cycle's blocks."""
        return self._enter[cycle.index], self._leave[cycle.index]

    def parent(self, cycle: Cycle) -> Cycle | None:
        return None if cycle.parent is None else self.all[cycle.parent]

    def around(self, block: int) -> Iterator[Cycle]:
        """The cycles that contain a block, smallest first."""
        cycle = self.innermost(block)
        while cycle is not None:
            yield cycle
            cycle = self.parent(cycle)

    def top_level(self) -> Iterator[Cycle]:
        return (cycle for cycle in self.all if cycle.parent is None)

    def outermost_without(self, block: int, avoided: int) -> Cycle | None:
        """The largest cycle that contains ``block`` but not ``avoided``, in O(log depth)."""
        at = self.of[block]
        if at < 0 or self.contains(self.all[at], avoided):
            return None
        while True:
            if not self.contains(self.all[self._jump[at]], avoided) and self._jump[at] != at:
                at = self._jump[at]
                continue
            above = self.all[at].parent
            if above is None or self.contains(self.all[above], avoided):
                return self.all[at]
            at = above


def cycles(cfg: Cfg, order: Order = Order.TEXT) -> Cycles:
    """The cycles of a CFG for one depth-first search, after Havlak, as LLVM finds them: candidates for
    headers last to first in preorder, each taking up the blocks from which its back edges come."""
    if not len(cfg):
        return Cycles((), (), (), (), (), (0,), ())
    preorder, postorder = (
        (cfg.preorder, tuple(reversed(cfg.rpo)))
        if order is Order.TEXT
        else depth_first(cfg.successors, backwards=True)
    )
    search = _Search(cfg, preorder, postorder)
    for block in reversed(preorder):
        search.try_header(block)
    return search.finish(preorder)


class _Search:
    """The state of one computation; cycles are named by their headers until the end."""

    def __init__(self, cfg: Cfg, preorder: Sequence[int], postorder: Sequence[int]):
        self.predecessors = cfg.predecessors
        self.start = [-1] * len(cfg)
        self.finish_time = [-1] * len(cfg)
        for at, block in enumerate(preorder):
            self.start[block] = at
        for at, block in enumerate(postorder):
            self.finish_time[block] = at
        self.owner = [-1] * len(cfg)  # header of the smallest cycle so far
        self.outer = list(range(len(cfg)))  # union-find over headers, towards the outermost cycle
        self.parent: dict[int, int] = {}
        self.entries: dict[int, list[int]] = {}

    def outermost(self, header: int) -> int:
        root = header
        while self.outer[root] != root:
            root = self.outer[root]
        while self.outer[header] != root:
            self.outer[header], header = root, self.outer[header]
        return root

    def try_header(self, header: int) -> None:
        """Make a cycle of all blocks that reach a back edge to ``header`` below it in the search tree."""
        start, finish = self.start[header], self.finish_time[header]

        def below(block: int) -> bool:
            return self.start[block] >= start and self.finish_time[block] <= finish

        todo = [p for p in self.predecessors[header] if below(p)]
        if not todo:
            return
        self.owner[header] = header
        self.entries[header] = [header]
        while todo:
            block = todo.pop()
            if block == header:
                continue
            if self.owner[block] < 0:
                self.owner[block] = header
                taken = [block]
            else:
                child = self.outermost(self.owner[block])
                if child == header:
                    continue
                self.parent[child] = header
                self.outer[child] = header
                taken = self.entries[child]
            for joined in taken:
                is_entry = False
                for p in self.predecessors[joined]:
                    if self.start[p] < 0:
                        continue  # an unreachable predecessor makes no entry
                    if below(p):
                        todo.append(p)
                    else:
                        is_entry = True
                if is_entry:
                    self.entries[header].append(joined)

    def finish(self, preorder: Sequence[int]) -> Cycles:
        headers = [block for block in preorder if block in self.entries]  # parents come first
        index = {header: at for at, header in enumerate(headers)}
        children: list[list[int]] = [[] for _ in headers]
        depth, jump = [1] * len(headers), list(range(len(headers)))
        for at, header in enumerate(headers):
            if header in self.parent:
                above = index[self.parent[header]]
                children[above].append(at)
                depth[at] = depth[above] + 1
                far = jump[above]  # skew-binary jumps: two equal jumps merge into one
                equal = depth[above] - depth[far] == depth[far] - depth[jump[far]]
                jump[at] = jump[far] if equal and far != above else above
        enter, leave = _number(children, [at for at, h in enumerate(headers) if h not in self.parent])
        of = tuple(index[owner] if owner >= 0 else -1 for owner in self.owner)
        inside = sorted((b for b in preorder if of[b] >= 0), key=lambda b: enter[of[b]])
        starts = [0] * (len(headers) + 1)
        for block in inside:
            starts[enter[of[block]] + 1] += 1
        for at in range(len(headers)):
            starts[at + 1] += starts[at]
        all_cycles = tuple(
            Cycle(
                at,
                header,
                tuple(self.entries[header]),
                index[self.parent[header]] if header in self.parent else None,
                tuple(children[at]),
                depth[at],
            )
            for at, header in enumerate(headers)
        )
        return Cycles(all_cycles, of, tuple(enter), tuple(leave), tuple(inside), tuple(starts), tuple(jump))


def _number(children: list[list[int]], roots: list[int]) -> tuple[list[int], list[int]]:
    """Preorder intervals of the forest."""
    enter, leave, clock = [-1] * len(children), [0] * len(children), 0
    stack = list(reversed(roots))
    while stack:
        at = stack[-1]
        if enter[at] < 0:
            enter[at] = clock
            clock += 1
            stack.extend(reversed(children[at]))
        else:
            leave[at] = clock
            stack.pop()
    return enter, leave
