"""What the machines whose code works on masks do, without code: lanes wait at places of one line.

The line holds the blocks so that edges go forwards, but for those that close a loop; a loop is one stretch of
it, with a place at its end where lanes that go round wait for each other. The lowest place runs next. All of
it is worked out here from bare edges, by the definitions: dominance by leaving a block out, loops by who
reaches a latch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

Block = int
Mask = int


@dataclass(frozen=True)
class Round:
    """A loop: the edges from ``latches`` to ``header`` close it, ``body`` is what it may run."""

    header: Block
    latches: frozenset[Block]
    body: frozenset[Block]


class NoLine(Exception):
    """Some cycle is entered at several blocks."""


def reached(successors: Sequence[Iterable[Block]], start: Block, without: Block | None = None) -> set[Block]:
    """What can be reached from a block, itself included, on paths that leave a block out."""
    seen: set[Block] = set()
    work = [start] if start != without else []
    while work:
        block = work.pop()
        if block not in seen:
            seen.add(block)
            work += [s for s in successors[block] if s != without]
    return seen


class Line:
    """The line of a function; block 0 is its entry. ``merged``: a header has one loop, not one a latch.

    ``places``: in order, each a block, or the end of loop n as ``~n``. Raises NoLine.
    """

    def __init__(self, successors: Sequence[Sequence[Block]], merged: bool) -> None:
        self.successors = successors
        self.blocks = reached(successors, 0)
        self.back = {(b, s) for b in self.blocks for s in successors[b] if self._dominates(s, b)}
        if not self._forward_edges_close_nothing():
            raise NoLine
        self.rounds = self._rounds(merged)
        self.places = list(self._places())
        self.place = {item: at for at, item in enumerate(self.places)}
        self.end_of = {(b, r.header): ~n for n, r in enumerate(self.rounds) for b in r.latches}

    def _dominates(self, a: Block, b: Block) -> bool:
        return b not in reached(self.successors, 0, without=a)

    def _forward_edges_close_nothing(self) -> bool:
        forwards = [[s for s in row if (b, s) not in self.back] for b, row in enumerate(self.successors)]
        return not any(b in reached(forwards, s) for b in self.blocks for s in forwards[b])

    def _rounds(self, merged: bool) -> list[Round]:
        """Outer loops first. The loops of one header lie in each other: the one of fewest blocks inside."""
        found = []
        for header in sorted({s for _, s in self.back}):
            latches = [b for b in sorted(self.blocks) if (b, header) in self.back]
            if merged:
                found.append(Round(header, frozenset(latches), self._body(header, latches)))
                continue
            latches.sort(key=lambda latch: len(self._body(header, [latch])))
            for last, latch in enumerate(latches):
                found.append(Round(header, frozenset([latch]), self._body(header, latches[: last + 1])))
        outer_first = sorted(enumerate(found), key=lambda item: (-len(item[1].body), -item[0]))
        return [loop for _, loop in outer_first]

    def _body(self, header: Block, latches: Sequence[Block]) -> frozenset[Block]:
        """The header, and what reaches a latch without it."""
        inside = {b for b in self.blocks if reached(self.successors, b, without=header) & set(latches)}
        return frozenset(inside | {header})

    def _places(self) -> Iterator[int]:
        """A loop ends behind the last of its blocks; of several that end there, the inner one first."""
        ending = dict(reversed([*enumerate(self.rounds)]))
        seen: set[Block] = set()
        for block in self._order(frozenset(self.blocks), None):
            yield block
            seen.add(block)
            for number in [n for n, loop in ending.items() if loop.body <= seen]:
                del ending[number]
                yield ~number

    def _order(self, blocks: frozenset[Block], header: Block | None) -> list[Block]:
        """These blocks in the line: the outermost loops among them stay together, and what could come first
        does so as the walk below has it."""
        loops = {loop.body for loop in self.rounds if loop.body < blocks}
        stretches = [body for body in loops if not any(body < other for other in loops)]
        stretches += [frozenset([b]) for b in blocks if not any(b in body for body in stretches)]
        line: list[Block] = []
        while stretches:
            ready = [s for s in stretches if not any(self._leads(o, s, header) for o in stretches if o != s)]
            first = min(ready, key=lambda s: min(map(self._walk().index, s)))
            stretches.remove(first)
            entered = min(first, key=self._walk().index)
            line += first if len(first) == 1 else self._order(first, entered)
        return line

    def _leads(self, one: frozenset[Block], other: frozenset[Block], header: Block | None) -> bool:
        """Whether an edge goes from one stretch to the other, back edges to ``header`` left out."""
        return any(s in other and s != header for b in one for s in self.successors[b])

    def _walk(self) -> list[Block]:
        """The blocks as a walk in depth leaves them that takes the last successor first, backwards."""
        left: list[Block] = []
        seen: set[Block] = set()

        def visit(block: Block) -> None:
            seen.add(block)
            for successor in reversed(self.successors[block]):
                if successor not in seen:
                    visit(successor)
            left.append(block)

        visit(0)
        return left[::-1]


class Waiting:
    """Lanes at the places of a line, as one activation goes on; ``mask`` enters."""

    def __init__(self, line: Line, mask: Mask) -> None:
        self.line = line
        self.at: dict[int, Mask] = {line.place[0]: mask}

    def pick(self) -> tuple[Block, Mask] | None:
        """The next block and who runs it; ``None`` when nobody is left."""
        while self.at:
            lowest = min(self.at)
            mask, item = self.at.pop(lowest), self.line.places[lowest]
            if item >= 0:
                return item, mask
            self._put(self.line.rounds[~item].header, mask)
        return None

    def goes_on(self, block: Block, targets: Mapping[Block, Mask]) -> None:
        """The lanes that ran a block go to the blocks that they chose."""
        for target, mask in targets.items():
            self._put(self.line.end_of.get((block, target), target), mask)

    def _put(self, item: int, mask: Mask) -> None:
        place = self.line.place[item]
        self.at[place] = self.at.get(place, 0) | mask
