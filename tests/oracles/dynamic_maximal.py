"""LLVM's *Maximal Convergence* (*Convergence And Uniformity*), twice: from the text, and fast.

``X1`` and ``X2`` of different threads are converged if for every cycle ``C`` with header ``H`` that
contains ``X``, every instance of ``H`` that precedes ``X1`` is convergence-before ``X2``, and vice
versa; the *least* relation closed under that (semantics.md, D-FREE). In a called frame the calls
must be converged too, and headers count per frame. What controlled operations and anchors do is
given; nodes of functions with tokens are not related here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations

from .dynamic_traces import Node, Trace
from .programs import Function, Program

At = tuple[int, int]
"""A dynamic instance: (thread, position in its trace)."""


# -- LLVM's cycle terminology -----------------------------------------------------------------------


def _preorder(function: Function) -> dict[str, int]:
    """Blocks numbered by a depth-first search that takes successors in text order."""
    order: dict[str, int] = {}

    def visit(name: str) -> None:
        if name not in order:
            order[name] = len(order)
            for successor in function.block[name].successors:
                visit(successor)

    visit(function.blocks[0].name)
    return order


def cycles(function: Function) -> list[tuple[str, frozenset[str]]]:
    """Every cycle as (header, its blocks), outer cycles first."""
    order = _preorder(function)
    found: list[tuple[str, frozenset[str]]] = []

    def reached(start: str, within: frozenset[str]) -> set[str]:
        """What can be reached from ``start`` by one edge or more inside ``within``."""
        seen: set[str] = set()
        todo = [start]
        while todo:
            for successor in function.block[todo.pop()].successors:
                if successor in within and successor not in seen:
                    seen.add(successor)
                    todo.append(successor)
        return seen

    def search(within: frozenset[str]) -> None:
        reach = {b: reached(b, within) for b in within}
        regions = {frozenset(c for c in reach[b] if b in reach[c]) for b in within if b in reach[b]}
        for region in sorted(regions, key=lambda r: min(order[b] for b in r)):
            header = min(region, key=order.__getitem__)
            found.append((header, region))
            search(region - {header})

    search(frozenset(order))
    return found


def headers_around(program: Program) -> dict[tuple[str, str], frozenset[str]]:
    """(function, block) -> the headers of the cycles that contain the block."""
    return {
        (f.name, b.name): frozenset(h for h, members in found if b.name in members)
        for f in program.functions
        for found in [cycles(f)]
        for b in f.blocks
    }


# -- from the text ----------------------------------------------------------------------------------


def maximal_from_the_text(
    program: Program,
    traces: list[Trace],
    together: Callable[[int, int], bool],
    given: Iterable[Iterable[At]],
) -> set[tuple[At, At]]:
    """All related pairs of instances, one at a time, by graph search; for small cases.

    ``together``: whether two threads are in one launch group. ``given``: classes of instances in
    functions with tokens. The first instruction of a block stands for the block as a node.
    """
    around = headers_around(program)
    nodes: dict[At, Node] = {(t, p): n for t, trace in enumerate(traces) for p, n in enumerate(trace.nodes)}
    related: set[tuple[At, At]] = {(a, b) for members in given for a in members for b in members if a != b}

    def before(first: At, second: At) -> bool:
        """``first`` → ``second``: some path over ≡ and program order uses program order."""
        seen: set[tuple[At, bool]] = set()
        todo = [(first, False)]
        while todo:
            at, moved = todo.pop()
            if (at, moved) in seen:
                continue
            seen.add((at, moved))
            thread, position = at
            if position + 1 < len(traces[thread].nodes):
                todo.append(((thread, position + 1), True))
            todo += [(b, moved) for a, b in related if a == at]
        return (second, True) in seen

    def headers_preceding(at: At) -> list[At]:
        thread, position = at
        node = nodes[at]
        return [
            (thread, p)
            for p in range(position)
            for h in [nodes[thread, p]]
            if h.frame == node.frame and h.first and h.block in around[node.function, node.block]
        ]

    def callers_related(a: At, b: At) -> bool:
        call_a = traces[a[0]].frames[nodes[a].frame].call
        call_b = traces[b[0]].frames[nodes[b].frame].call
        if call_a is None or call_b is None:
            return call_a is call_b and together(a[0], b[0])
        return ((a[0], call_a), (b[0], call_b)) in related

    candidates = [
        (a, b)
        for a, b in combinations(nodes, 2)
        if a[0] != b[0]
        and nodes[a].site == nodes[b].site
        and not program.function[nodes[a].function].is_controlled
    ]
    grew = True
    while grew:
        grew = False
        for a, b in candidates:
            if (
                (a, b) not in related
                and callers_related(a, b)
                and all(before(h, b) for h in headers_preceding(a))
                and all(before(h, a) for h in headers_preceding(b))
            ):
                related |= {(a, b), (b, a)}
                grew = True
    return related


# -- fast -------------------------------------------------------------------------------------------


class _Class:
    """A class: its position in each thread (-1: none), and what is convergence-before it.

    ``before[t]`` is the last position of thread ``t`` from which a path of → leads here.
    """

    __slots__ = ("at", "before")

    def __init__(self, at: list[int], before: list[int]) -> None:
        self.at = at
        self.before = before


class Maximal:
    """The same least relation over growing traces: it only grows when traces do.

    All header instances that precede an instance lie on one thread, so the last one stands for all.
    """

    def __init__(self, program: Program, threads: int, together: Callable[[int, int], bool]) -> None:
        self.program = program
        self.around = headers_around(program)
        self.free = {f.name for f in program.functions if not f.is_controlled}
        self.together = together
        self.threads = threads
        self.classes: list[list[_Class]] = [[] for _ in range(threads)]
        self.traces: list[Trace | None] = [None] * threads
        self.last_header: list[list[int]] = [[] for _ in range(threads)]
        self.by_site: dict[tuple[str, int], list[At]] = {}
        self.consistent = True
        self._queue: dict[At, None] = {}  # first in, first out, each once

    def copy(self) -> Maximal:
        new = object.__new__(Maximal)
        new.program, new.around, new.free = self.program, self.around, self.free
        new.together, new.threads, new.consistent = self.together, self.threads, self.consistent
        copies: dict[int, _Class] = {}
        new.classes = []
        for row in self.classes:
            new_row = []
            for c in row:
                if id(c) not in copies:
                    copies[id(c)] = _Class(c.at.copy(), c.before.copy())
                new_row.append(copies[id(c)])
            new.classes.append(new_row)
        new.traces = list(self.traces)
        new.last_header = [list(r) for r in self.last_header]
        new.by_site = {k: list(v) for k, v in self.by_site.items()}
        new._queue = dict(self._queue)
        return new

    def extend(self, thread: int, trace: Trace) -> None:
        """``thread`` has run on to ``trace``."""
        row, last = self.classes[thread], self.last_header[thread]
        for position in range(len(row), len(trace.nodes)):
            node = trace.nodes[position]
            at = [-1] * self.threads
            at[thread] = position
            row.append(_Class(at, [-1] * self.threads))
            latest = -1
            if node.function in self.free:
                headers = self.around[node.function, node.block]
                for p in range(position - 1, -1, -1):
                    n = trace.nodes[p]
                    if n.frame == node.frame and n.first and n.block in headers:
                        latest = p
                        break
                self.by_site.setdefault(node.site, []).append((thread, position))
            last.append(latest)
            self._queue[thread, position] = None
        self.traces[thread] = trace

    def merge(self, a: At, b: At) -> None:
        """``a`` ≡ ``b``, as given or as derived."""
        one, two = self.classes[a[0]][a[1]], self.classes[b[0]][b[1]]
        if one is two:
            return
        for thread, position in enumerate(two.at):
            if position >= 0:
                if one.at[thread] >= 0:
                    self.consistent = False  # two instances of one thread: D-EQ
                    return
                one.at[thread] = position
                self.classes[thread][position] = one
        one.before = [max(p, q) for p, q in zip(one.before, two.before, strict=True)]
        self._touched(one)
        for thread, position in enumerate(one.at):
            trace = self.traces[thread]
            if position >= 0 and trace is not None:
                for number, frame in enumerate(trace.frames):
                    if frame.call == position:
                        for p, n in enumerate(trace.nodes):
                            if n.frame == number:
                                self._queue[thread, p] = None

    def _touched(self, changed: _Class) -> None:
        for thread, position in enumerate(changed.at):
            if position >= 0:
                self._queue[thread, position] = None
                if position + 1 < len(self.classes[thread]):
                    self._queue[thread, position + 1] = None

    def derive(self) -> None:
        """Close under the rule."""
        while self._queue and self.consistent:
            thread, position = next(iter(self._queue))
            del self._queue[thread, position]
            here = self.classes[thread][position]
            before = here.before
            if position:
                earlier = self.classes[thread][position - 1]
                before = [max(p) for p in zip(before, earlier.before, earlier.at, strict=True)]
            if before != here.before:
                here.before = before
                self._touched(here)
            self._relate(thread, position)

    def _relate(self, thread: int, position: int) -> None:
        trace = self.traces[thread]
        assert trace is not None
        node = trace.nodes[position]
        if node.function not in self.free:
            return
        mine = self.classes[thread][position]
        call = trace.frames[node.frame].call
        header = self.last_header[thread][position]
        for other, place in self.by_site[node.site]:
            if mine.at[other] >= 0:
                continue
            other_trace = self.traces[other]
            assert other_trace is not None
            other_call = other_trace.frames[other_trace.nodes[place].frame].call
            if call is None or other_call is None:
                if call is not other_call or not self.together(thread, other):
                    continue
            elif self.classes[thread][call] is not self.classes[other][other_call]:
                continue
            theirs = self.classes[other][place]
            if theirs.before[thread] >= header and mine.before[other] >= self.last_header[other][place]:
                self.merge((thread, position), (other, place))
                mine = self.classes[thread][position]
                if not self.consistent:
                    return

    def mates(self, at: At) -> frozenset[At]:
        """The class of an instance."""
        return frozenset((t, p) for t, p in enumerate(self.classes[at[0]][at[1]].at) if p >= 0)
