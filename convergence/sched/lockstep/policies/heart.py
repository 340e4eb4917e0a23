"""``heart`` and ``independent``: lanes with program counters of their own, held together by tokens, or
not at all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping

from ..policy import Mask, Policy, lanes

# ----------------------------------------------------------------------------------------------------------
# ``heart``: the tokens say who runs an operation together; it runs when no other lane can still come to it.
#
# The machine of the *Convergence control RFC* ("we count heartbeats of the loop"). Between operations lanes
# may run in any groups; at one with a key (semantics.md §2, *Keys*) the executor holds them until every live
# lane that can come with the same key is there. So this policy only says which block goes first: the earliest
# in reverse postorder, so that lanes wait for those behind them, but none is passed over for ever.
# ----------------------------------------------------------------------------------------------------------

PATIENCE = 64
"""Picks after which those that waited longest go first: a lane that spins lets others go on."""


class Heart(Policy):
    """The lanes at each block, in order of arrival of the first of them."""

    name = "heart"
    traceable = True
    concurrent = True
    holds = True

    def begin(self, mask: Mask) -> None:
        self.rank = {block: at for at, block in enumerate(self.facts.cfg.rpo)}
        self.at: dict[int, Mask] = {0: mask}
        self.passed: dict[int, int] = {0: 0}

    def pick(self) -> tuple[int, Mask] | None:
        if not self.at:
            return None
        block = min(self.at, key=self.rank.__getitem__)
        if self.passed[oldest := max(self.passed, key=self.passed.__getitem__)] >= PATIENCE:
            block = oldest
        del self.passed[block]
        for other in self.passed:
            self.passed[other] += 1
        return block, self.at.pop(block)

    def after(self, block: int, targets: Mapping[int, Mask], gone: Mask) -> None:
        for target, mask in targets.items():
            self.at[target] = self.at.get(target, 0) | mask
            self.passed.setdefault(target, 0)

    def state(self) -> Hashable:
        return tuple(self.at.items()), tuple(self.passed.items())


# ----------------------------------------------------------------------------------------------------------
# ``independent``: every lane alone, each in its turn. The null machine: no two lanes ever run together.
# ----------------------------------------------------------------------------------------------------------


class Independent(Policy):
    """Each lane's block; the lane that waited longest runs next."""

    name = "independent"
    concurrent = True
    alone = True

    def begin(self, mask: Mask) -> None:
        self.waiting = deque((0, 1 << lane) for lane in lanes(mask))

    def pick(self) -> tuple[int, Mask] | None:
        return self.waiting.popleft() if self.waiting else None

    def after(self, block: int, targets: Mapping[int, Mask], gone: Mask) -> None:
        self.waiting.extend(targets.items())

    def state(self) -> Hashable:
        return tuple(self.waiting)
