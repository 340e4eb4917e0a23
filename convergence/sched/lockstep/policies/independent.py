"""``independent``: every lane alone, each in its turn. The null machine: no two lanes ever run together."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping

from ..policy import Mask, Policy, lanes


class Independent(Policy):
    """Each lane's block; the lane that waited longest runs next."""

    name = "independent"
    concurrent = True

    def begin(self, mask: Mask) -> None:
        self.waiting = deque((0, 1 << lane) for lane in lanes(mask))

    def pick(self) -> tuple[int, Mask] | None:
        return self.waiting.popleft() if self.waiting else None

    def after(self, block: int, targets: Mapping[int, Mask], gone: Mask) -> None:
        self.waiting.extend(targets.items())

    def state(self) -> Hashable:
        return tuple(self.waiting)
