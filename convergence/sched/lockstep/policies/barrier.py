"""``barrier``: Volta and later: convergence barriers under independent thread scheduling.

A branch adds its lanes to the barrier of its immediate post-dominator (BSSY; executed again in a loop it
adds lanes). There lanes wait until all that take part have come (BSYNC). Lanes that end take part no more
(BREAK). Groups that a branch parted run in turns, and nothing but a barrier brings them together.

With ``yields``, a lane that goes round a loop yields: BSYNC does not wait for it any longer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping

from ..facts import EXIT
from ..policy import Mask, Policy


class Barrier(Policy):
    """``groups`` run in turns; ``members`` and ``arrived`` are, by block, who takes part in its barrier and
    who waits there."""

    name = "barrier"
    concurrent = True

    def begin(self, mask: Mask) -> None:
        self.groups = deque([(0, mask)])
        self.members: dict[int, Mask] = {}
        self.arrived: dict[int, Mask] = {}

    def pick(self) -> tuple[int, Mask] | None:
        return self.groups.popleft() if self.groups else None

    def after(self, block: int, targets: Mapping[int, Mask], gone: Mask) -> None:
        meet = self.facts.post_dominator[block]
        if len(self.facts.cfg.successors[block]) > 1 and meet != EXIT:
            self.did("BSSY")
            self.members[meet] = self.members.get(meet, 0) | sum(targets.values())
        if gone:
            self._break(gone)
        back = {latch_header for latch_header in self.facts.back_edges if latch_header[0] == block}
        for target, mask in targets.items():
            if self.options.yields and (block, target) in back:
                self.did("YIELD")
                self._break(mask)
            if mask & self.members.get(target, 0):
                self.did("BSYNC")
                self.arrived[target] = self.arrived.get(target, 0) | mask
            else:
                self.groups.append((target, mask))
        self._sync()

    def _break(self, mask: Mask) -> None:
        """These lanes take part in no barrier any more."""
        for block in self.members:
            if self.members[block] & mask:
                self.did("BREAK")
                self.members[block] &= ~mask

    def _sync(self) -> None:
        """Lanes whose barrier is complete go on together."""
        for block in sorted(self.arrived):
            arrived = self.arrived[block]
            if not self.members.get(block, 0) & ~arrived:
                del self.arrived[block]
                self.members.pop(block, None)
                self.groups.append((block, arrived))

    def state(self) -> Hashable:
        return tuple(self.groups), tuple(sorted(self.members.items())), tuple(sorted(self.arrived.items()))
