"""What the machines for structured code share: a linear order in which every loop is one stretch.

A lane that does not take part waits further down in that order. The latch of a loop is a place at the end of
its stretch: lanes that go round wait there until none is left in the body, then all go back to the header.
So lanes that leave a loop wait for the whole loop, and code behind several exits runs after it.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping

from ..naming import Loop, loops_by_latch
from ..policy import Mask, Policy, Refused
from .orders import contiguous


class Structured(Policy):
    """``places``: blocks and, as ``~n``, the latch of loop n, in order; ``at``: the lanes at each place."""

    def begin(self, mask: Mask) -> None:
        if irreducible := self.facts.irreducible:
            entries = " and ".join(f"%{name}" for name in irreducible)
            raise Refused(f"the control flow is irreducible: a cycle is entered at {entries}")
        self.loops = self.structure()
        self.places: list[int] = []
        left = list(reversed([*enumerate(self.loops)]))  # inner loops end first
        seen: set[int] = set()
        for block in self.order({loop.body for loop in self.loops}):
            self.places.append(block)
            seen.add(block)
            for number, loop in [item for item in left if item[1].body <= seen]:
                self.places.append(~number)
                left.remove((number, loop))
        self.place = {item: at for at, item in enumerate(self.places)}
        self.latch_of = {(b, loop.header): n for n, loop in enumerate(self.loops) for b in loop.latches}
        self.at: dict[int, Mask] = {0: mask}

    def structure(self) -> tuple[Loop, ...]:
        """The loops, outer ones before inner ones."""
        return loops_by_latch(self.facts, merged=self.options.latches == "merged")

    def order(self, together: Collection[frozenset[int]]) -> tuple[int, ...]:
        """The blocks from first to last, each of the sets of blocks as one stretch."""
        return contiguous(self.facts, together)

    def pick(self) -> tuple[int, Mask] | None:
        while self.at:
            lowest = min(self.at)
            mask, item = self.at.pop(lowest), self.places[lowest]
            if item >= 0:
                self.enters(item)
                return item, mask
            self.goes_round(self.loops[~item], mask)
        return None

    def goes_round(self, loop: Loop, mask: Mask) -> None:
        """All lanes that stay in the loop go back to its header together."""
        self.put(self.place[loop.header], mask)

    def put(self, place: int, mask: Mask) -> None:
        self.at[place] = self.at.get(place, 0) | mask

    def after(self, block: int, targets: Mapping[int, Mask], gone: Mask) -> None:
        if len(self.facts.cfg.successors[block]) > 1:
            self.branches(block)
        for target, mask in targets.items():
            loop = self.latch_of.get((block, target))
            self.put(self.place[target if loop is None else ~loop], mask)

    def enters(self, block: int) -> None:
        """What the machine does at the block's head."""

    def branches(self, block: int) -> None:
        """What it does for a branch with several successors."""

    def leaves_a_loop(self, block: int) -> bool:
        """Whether the branch at the block's end is a loop's: one side goes round or leaves."""
        cfg = self.facts.cfg
        return any(
            block in loop.body and any(s not in loop.body or s == loop.header for s in cfg.successors[block])
            for loop in self.loops
        )

    def joins(self, block: int) -> bool:
        """Whether lanes from several forward edges meet at the block."""
        return sum((p, block) not in self.latch_of for p in self.facts.cfg.predecessors[block]) > 1

    def state(self) -> Hashable:
        return tuple(sorted(self.at.items()))
