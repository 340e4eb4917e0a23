"""Data races (LangRef, *Memory Model for Concurrent Operations*): what happens before what, what races read.

Happens-before is program order and what a release gives to the acquire that reads it, by vector clocks.
An exchange among threads orders no memory (D-CAUSE), so it is no part of it. A read that may see a
write which is not ordered with it, one of the two not atomic, gives undef, whichever comes first in
the total order of accesses: a race that is seen only afterwards has the execution run again. Only a
write that may depend on what the read gave leaves it as it was: it does not cause itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from ..instructions import Access, Touch

Clock = dict[int, int]
"""Per thread, how many of its accesses are meant: the first so many."""

_ACQUIRES = frozenset({"acquire", "acq_rel", "seq_cst"})
_RELEASES = frozenset({"release", "acq_rel", "seq_cst"})


class Read(NamedTuple):
    """The ``nth`` access of a thread, from 1."""

    thread: int
    nth: int


class RaceFound(Exception):
    """A read that was performed already has a race: run again, and let it give undef."""

    def __init__(self, reads: frozenset[Read]) -> None:
        super().__init__("a race was found after its read")
        self.reads = reads


class _Seen(NamedTuple):
    """An access to a byte, with all that its thread may know by then."""

    thread: int
    nth: int
    atomic: bool
    causes: Clock


@dataclass(slots=True)
class _Byte:
    """Writes that no later one hides, and reads since then."""

    writes: list[_Seen] = field(default_factory=list)
    reads: list[_Seen] = field(default_factory=list)


class RaceDetector:
    """The accesses of one run so far. ``undefined`` are the reads that are known to race; with ``again``
    the run is to be made again when there are more."""

    def __init__(self, threads: int, undefined: frozenset[Read] = frozenset()) -> None:
        self.undefined = undefined
        self.again = False
        self._before: list[Clock] = [{} for _ in range(threads)]  # happens-before
        self._causes: list[Clock] = [
            {} for _ in range(threads)
        ]  # whose values it may depend on, by exchanges, too
        self._to_acquire: list[Clock] = [{} for _ in range(threads)]
        self._fenced: list[Clock | None] = [None] * threads
        self._released: dict[tuple[int, int], Clock] = {}
        self._bytes: dict[tuple[int, int], _Byte] = {}

    def exchanged(self, threads: list[int]) -> None:
        """Threads got results that depend on each other's operands and arrivals."""
        together: Clock = {}
        for thread in threads:
            _join(together, self._causes[thread])
        for thread in threads:
            _join(self._causes[thread], together)

    def performed(self, thread: int, access: Access, touches: tuple[Touch, ...]) -> tuple[bool, bool]:
        """An access is performed: whether it races, and whether it reads undef for that.

        Raises RaceFound if a read before it does, and the run can be made again.
        """
        shape = access.shape
        before, causes = self._before[thread], self._causes[thread]
        nth = before[thread] = causes[thread] = before.get(thread, 0) + 1
        if shape.kind == "fence":
            self._fence(thread, shape.ordering)
            return False, False
        if shape.atomic and shape.reads:
            self._acquire(thread, shape.ordering, touches)
        races, late = False, set()
        known = dict(causes)
        for touch in touches:
            for at in range(touch.start, touch.stop):
                byte = self._bytes.setdefault((touch.object, at), _Byte())
                unordered = [w for w in byte.writes if w.nth > before.get(w.thread, 0)]
                races = races or any(not (w.atomic and shape.atomic) for w in unordered)
                if not touch.write and len(byte.writes) - len(unordered) > 1:
                    races = races or not all(w.atomic for w in byte.writes)
                if shape.reads:  # what gives undef tells nothing
                    for other in byte.writes:
                        if other not in unordered or (other.atomic and shape.atomic):
                            _join(causes, other.causes)
                mine = _Seen(thread, nth, shape.atomic, causes)
                if touch.write:
                    for read in byte.reads:
                        if read.nth > before.get(read.thread, 0) and not (read.atomic and shape.atomic):
                            races = True
                            if read.nth > known.get(read.thread, 0):
                                late.add(Read(read.thread, read.nth))
                    byte.writes = [*unordered, mine]
                    byte.reads = [r for r in byte.reads if r.nth > before.get(r.thread, 0)]
                if shape.reads:
                    byte.reads.append(mine)
        self._causes[thread] = dict(causes)
        if self.again and late - self.undefined:
            raise RaceFound(self.undefined | late)
        if shape.writes:
            self._release(thread, shape.ordering, shape.reads, touches)
        return races, shape.reads and (races or Read(thread, nth) in self.undefined)

    def _fence(self, thread: int, ordering: str | None) -> None:
        if ordering in _ACQUIRES:
            _join(self._before[thread], self._to_acquire[thread])
        if ordering in _RELEASES:
            self._fenced[thread] = dict(self._before[thread])

    def _acquire(self, thread: int, ordering: str | None, touches: tuple[Touch, ...]) -> None:
        for touch in touches:
            released = self._released.get((touch.object, touch.start))
            if released is not None:
                _join(self._before[thread] if ordering in _ACQUIRES else self._to_acquire[thread], released)

    def _release(self, thread: int, ordering: str | None, modifies: bool, touches: tuple[Touch, ...]) -> None:
        """What a later acquire of this write gets; a read-modify-write hands on what it read."""
        atomic = ordering not in (None, "not_atomic")
        for touch in touches:
            place = (touch.object, touch.start)
            given = dict(self._released.get(place, {})) if modifies and atomic else {}
            if ordering in _RELEASES:
                _join(given, self._before[thread])
            elif atomic and self._fenced[thread] is not None:
                _join(given, self._fenced[thread] or {})
            self._released[place] = given


def _join(clock: Clock, other: Clock) -> None:
    """What either clock means."""
    for thread, nth in other.items():
        if nth > clock.get(thread, 0):
            clock[thread] = nth
