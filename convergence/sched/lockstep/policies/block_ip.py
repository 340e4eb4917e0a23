"""``block-ip``: Gen's linearised CFG, a block number per lane (seed 002, *Linearizing the control flow
graph*).

"At the beginning of each block, we compare the blockIP register with the ID of the block. The lane is going
to be activated if its blockIP is smaller than the ID of the block" (or equal: it is then that block's own).
Backward branches are taken if any lane wants ("anyh"); forward branches if all lanes are beyond the next
block ("allh"), to the next JOIN point, where a block that no lane enters jumps on. So the lowest block
number that some lane has runs next; lanes with higher numbers wait. Any CFG will do, and the block order
decides who meets whom.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cached_property

from ....ir.instructions import IndirectBr, Invoke, Resume, Switch
from ..facts import Facts
from ..policy import Mask, Policy, Refused
from .orders import contiguous

LARGEST = (1 << 16) - 1
"""Block numbers are "a short (16 bits) for each lane"; the last one is the return block's."""


class BlockIp(Policy):
    """``ips``: the lanes that have each block number. ``at``: the number of the block that runs."""

    name = "block-ip"
    seed = "002"

    def begin(self, mask: Mask) -> None:
        refused = self.facts.lacks_model(IndirectBr, Invoke, Resume)
        if refused is not None:
            raise Refused(f"block-ip has no {refused}: exceptions and jump tables are not supported")
        if len(self.order) >= LARGEST:
            raise Refused(f"block-ip numbers blocks with 16 bits: {len(self.order)} blocks are too many")
        self.ips: dict[int, Mask] = {self.number[0]: mask}
        self.at = 0
        self.jumped = False

    @cached_property
    def order(self) -> tuple[int, ...]:
        return linearised(self.facts, self.options.block_order)

    @cached_property
    def number(self) -> Mapping[int, int]:
        return {block: n for n, block in enumerate(self.order)}

    @cached_property
    def joins(self) -> frozenset[int]:
        return join_points(self.facts, self.order)

    def pick(self) -> tuple[int, Mask] | None:
        if not self.ips:
            return None
        lowest = min(self.ips)
        while self.at < lowest:  # blocks that no lane enters
            if self.options.no_jumps:
                self.at += 1
                self.did("cmp.blockip")
                return self.order[self.at - 1], 0
            if self.jumped and self.at in self.joins:
                self.did("cmp.blockip", "jmpi.join")
            self.at += 1
        self.at = lowest
        self.jumped = False
        self.did("cmp.blockip")
        return self.order[lowest], self.ips[lowest]

    def after(self, block: int, targets: Mapping[int, Mask], gone: Mask) -> None:
        here = self.number[block]
        self.ips.pop(here, None)
        for target, mask in targets.items():
            number = self.number[target]
            self.ips[number] = self.ips.get(number, 0) | mask
            self.did("mov.blockip")
        self._compares(block)
        back = [n for t in targets if (n := self.number[t]) <= here]
        if back:
            self.did("jmpi.anyh")
            self.at = min(back)
        else:
            self.at = here + 1
            if self.ips and min(self.ips) > self.at:
                self.did("cmp.blockip", "jmpi.allh")
                self.jumped = True

    def _compares(self, block: int) -> None:
        """A switch is "lowered down to a sequence of if/else statements (using a divide and conquer
        approach)": as many compares as halving the sorted cases takes."""
        terminator = self.facts.terminators[block]
        if isinstance(terminator, Switch):
            for _ in range(compares(len(terminator.cases))):
                self.did("cmp.switch")

    def state(self) -> Hashable:
        return self.at, self.jumped, tuple(sorted(self.ips.items()))


def compares(cases: int) -> int:
    """Compares that one value of a switch needs at most: binary search for the case, then the test for it.

    >>> [compares(n) for n in (0, 1, 2, 4, 8)]
    [0, 1, 2, 3, 4]
    """
    return cases.bit_length()


def linearised(facts: Facts, order: str) -> tuple[int, ...]:
    """The blocks in the machine's order: as the text has them, in LLVM's reverse postorder (which can put
    an exit before a latch), or topologically with each loop's blocks kept together."""
    if order == "layout":
        return tuple(b for b in range(len(facts.cfg)) if facts.cfg.reachable[b])
    return facts.cfg.rpo if order == "rpo" else contiguous(facts)


def join_points(facts: Facts, order: tuple[int, ...]) -> frozenset[int]:
    """The block numbers where a jump that passes over blocks has to stop, as lanes may be waiting there:
    "Instead of jumping from block 2 to block 5, we jump from block 2 to block 4"; block 4 is the JOIN point.

    These are the targets of forward edges that skip a block.
    """
    number = {block: n for n, block in enumerate(order)}
    return frozenset(number[s] for b in order for s in facts.cfg.successors[b] if number[s] > number[b] + 1)
