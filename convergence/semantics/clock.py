"""The one clock of what runs: when to end, for time is up or the user asks.

Whatever may take long asks it between two steps. A clock that was begun is handed on, so that all that a
command does ends together.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from ..frozen import dataclass
from ..interruption import notice
from .errors import INTERRUPTED, Bound, BoundHit, BoundKind


@dataclass(frozen=True, slots=True)
class Clock:
    """Ends at ``deadline``, as ``time.monotonic`` counts; ``timeout`` is what that was in seconds at first,
    by which it is named. ``None``: never. ``cpu``: the seconds are those of this process's processor time, so
    that they do not depend on what else the machine does."""

    timeout: float | None = None
    deadline: float | None = None
    cpu: bool = False

    @property
    def now(self) -> float:
        """The time, as the deadline counts."""
        return time.process_time() if self.cpu else time.monotonic()

    def hit(self) -> Bound | None:
        """What ended, if something did."""
        if notice():
            return INTERRUPTED
        if self.deadline is not None and self.now > self.deadline:
            return self.over
        return None

    @property
    def remaining(self) -> float | None:
        """Seconds until the deadline, at least 0; ``None`` where there is none."""
        return None if self.deadline is None else max(0.0, self.deadline - self.now)

    @property
    def over(self) -> Bound:
        """The seconds as a bound, for whom somebody else told that they are over."""
        return Bound(BoundKind.TIMEOUT, self.timeout)

    def share(self, of: int) -> Clock:
        """The clock of the first of ``of`` that are to have as much of the seconds left, one after the other:
        what the first leaves is for those after it."""
        if self.deadline is None:
            return self
        now = self.now
        return replace(self, deadline=now + max(0.0, self.deadline - now) / of)

    def spared(self, seconds: float) -> Clock:
        """The clock with so many seconds from now at least, for what the answer needs."""
        if self.deadline is None:
            return self
        return replace(self, deadline=max(self.deadline, self.now + seconds))

    def check(self) -> None:
        """Raises BoundHit if it ended."""
        if notice():
            raise BoundHit(INTERRUPTED)
        if self.deadline is not None and self.now > self.deadline:
            raise BoundHit(self.over)


NEVER = Clock()

Tell = Callable[[Callable[[], int], int, str], None]
"""Told how far a run is, often: how many are done, which is asked only where somebody looks, of how many, and
of what."""


def clock_of(timeout: float | None, deadline: float | None = None, cpu: bool = False) -> Clock:
    """The clock for so many seconds from now, or one that was begun elsewhere."""
    clock = Clock(timeout, deadline, cpu)
    if timeout is not None and deadline is None:
        clock = replace(clock, deadline=clock.now + timeout)
    return clock
