"""Happens-before among accesses to shared memory, and data races (LangRef, *Memory Model*).

Happens-before is program order and what a release gives to an acquire that reads it; an exchange
orders no memory (D-CAUSE). A read that races is undef, which this engine has no values for: it says so.
"""

from __future__ import annotations

from collections import defaultdict

from ...semantics.instructions import Access
from .candidates import Reading
from .time import overlap

Clock = dict[int, int]
"""Per thread, how many of its accesses happen before."""

_ACQUIRES = frozenset({"acquire", "acq_rel", "seq_cst"})
_RELEASES = frozenset({"release", "acq_rel", "seq_cst"})


class Happens:
    """The accesses of one execution so far, in the order of their times. Fences are not looked at, which
    finds more races than there are and never fewer."""

    def __init__(self) -> None:
        self._clocks: defaultdict[int, Clock] = defaultdict(dict)
        self._released: dict[tuple[int, int, int], Clock] = {}
        self._done: list[tuple[Reading, bool, int]] = []

    def races(self, reading: Reading, access: Access) -> bool:
        """Performs an access: whether it races with one before it, not both being atomic."""
        shape, clock = access.shape, self._clocks[reading.thread]
        nth = clock[reading.thread] = clock.get(reading.thread, 0) + 1
        if shape.atomic and shape.reads and shape.ordering in _ACQUIRES:
            for place in reading.touches:
                _join(clock, self._released.get(place, {}))
        raced = any(
            other.thread != reading.thread
            and (other.writes or reading.writes)
            and not (atomic and shape.atomic)
            and at > clock.get(other.thread, 0)
            and overlap(other, reading)
            for other, atomic, at in self._done
        )
        self._done.append((reading, shape.atomic, nth))
        if shape.writes:
            for place in reading.touches:
                given = dict(self._released.get(place, {})) if shape.atomic and shape.reads else {}
                if shape.ordering in _RELEASES:
                    _join(given, clock)
                self._released[place] = given
        return raced


def _join(clock: Clock, other: Clock) -> None:
    for thread, nth in other.items():
        clock[thread] = max(nth, clock.get(thread, 0))
