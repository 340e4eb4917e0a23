"""Data races (semantics.md, §2, *Synchronisation*): what happens before what, what races, and what races
read.

Happens-before is, for each storage class, program order and what a release gives to the acquire that meets
it, through memory or through a barrier, by vector clocks. A read that races gives undef, whichever comes
first in the total order of accesses: a race that is seen only afterwards has the execution run again. Only a
write that may depend on what the read gave leaves it as it was: it does not cause itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ...alignment.instances import StaticInstance
from .accesses import Access
from .allocations import Memory
from .bytes import Touch
from .synchronisation import (
    ACQUIRES,
    RELEASES,
    BarrierInstance,
    Clock,
    IssuedFence,
    Scope,
    Stamp,
    Storage,
    join,
    joined,
    scope_of,
    storage_of,
)


class Read(NamedTuple):
    """The ``nth`` access of a thread, from 1."""

    thread: int
    nth: int


class RaceFound(Exception):
    """A read that was performed already has a race: run again, and let it give undef."""

    def __init__(self, reads: frozenset[Read]) -> None:
        super().__init__("a race was found after its read")
        self.reads = reads


@dataclass(frozen=True, slots=True)
class RacingAccess:
    """One of two accesses that race."""

    thread: int
    site: StaticInstance
    kind: str
    atomic: bool


@dataclass(frozen=True, slots=True)
class Race:
    """Two accesses of different threads, the earlier one first, to common bytes of ``variable`` (its name as
    messages have it), of which one writes, not both atomic, and that nothing orders."""

    variable: str
    first: RacingAccess
    second: RacingAccess


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """An access to a byte; ``known`` is what its thread may depend on by then, besides its own."""

    thread: int
    nth: int
    atomic: bool
    known: Clock
    site: StaticInstance
    kind: str


@dataclass(slots=True)
class _Byte:
    """Writes that no later one hides, and reads that no write behind them hides."""

    writes: list[_Seen] = field(default_factory=list)
    reads: list[_Seen] = field(default_factory=list)


class _Given(NamedTuple):
    """What an atomic write hands to who reads it: from which kind of release, and met in which class of
    memory. As a key of what was handed on."""

    scope: Scope
    launch: int
    storage: Storage
    through: Storage


_Gifts = dict[_Given, Clock]


class RaceDetector:
    """The accesses of one run so far, as they are performed.

    ``undefined`` are the reads that are known to race; with ``again`` the run is to be made again when there
    are more. ``races`` is every race that was met, once for each two static instances and variable.
    ``synchronised``: whether something ordered two accesses of different threads to a byte, of which one
    writes. ``launches`` is the number of each thread's launch group.
    """

    def __init__(
        self, memory: Memory, launches: Sequence[int], undefined: frozenset[Read] = frozenset()
    ) -> None:
        self.undefined = undefined
        self.again = False
        self.races: dict[Race, None] = {}
        self.synchronised = False
        self._memory = memory
        self._launches = launches
        self._nth = [0] * len(launches)
        self._before: list[dict[Storage, Clock]] = [{s: {} for s in Storage} for _ in launches]
        self._causes: list[Clock] = [{} for _ in launches]  # whose values it may depend on, by exchanges, too
        self._to_acquire: list[_Gifts] = [{} for _ in launches]
        self._fenced: list[dict[tuple[Scope, Storage, bool], Stamp]] = [{} for _ in launches]
        self._written: dict[tuple[int, int], _Gifts] = {}
        self._bytes: dict[tuple[int, int], _Byte] = {}
        self._joint: dict[tuple[int, Storage], tuple[BarrierInstance, Clock, frozenset[int]]] = {}

    # -- what threads know of each other ----------------------------------------------------------------

    def exchanged(self, threads: Sequence[int]) -> None:
        """Threads got results that depend on each other's operands and arrivals."""
        together = _merged(Stamp(t, self._nth[t], self._causes[t]) for t in threads)
        for thread in threads:
            self._causes[thread] = together

    def fence(self, issued: IssuedFence) -> None:
        """A fence is performed: what its thread acquires, then what it releases."""
        fence, thread = issued.fence, issued.thread
        if fence.acquire:
            for storage in fence.storage:
                if fence.acquires(storage):
                    for barrier in issued.barriers:
                        self._acquire_barrier(thread, storage, barrier)
            for given, clock in self._to_acquire[thread].items():
                if fence.acquires(given.storage) and self._meet(fence.scope, thread, given):
                    if not fence.one_as or given.storage is given.through:
                        self._learn(thread, given.storage, clock)
        issued.clocks = {s: self._stamp(thread, s) for s in fence.storage} if fence.release else {}
        for storage, stamp in issued.clocks.items():
            if fence.releases(storage):
                self._fenced[thread][fence.scope, storage, fence.one_as] = stamp

    def _stamp(self, thread: int, storage: Storage) -> Stamp:
        return Stamp(thread, self._nth[thread], self._before[thread][storage])

    def _meet(self, scope: Scope, thread: int, given: _Given) -> bool:
        """Whether an acquire and the release of what was given include each other."""
        match min(scope, given.scope):
            case Scope.THREAD:
                return False
            case Scope.LAUNCH:
                return self._launches[thread] == given.launch
            case _:
                return True

    def _learn(self, thread: int, storage: Storage, clock: Clock) -> None:
        before = self._before[thread]
        before[storage] = joined(before[storage], clock)

    def _acquire_barrier(self, thread: int, storage: Storage, barrier: BarrierInstance) -> None:
        """All members that acquire get one clock: a thread whose own is part of it has nothing to compare."""
        known = self._joint.get((id(barrier), storage))
        if known is None:
            stamps = [
                issued.clocks[storage]
                for released in barrier.released.values()
                if (issued := released.get(storage)) is not None and issued.clocks is not None
            ]
            parts = frozenset(id(stamp.others) for stamp in stamps)
            known = self._joint[id(barrier), storage] = barrier, _merged(stamps), parts
        _, clock, parts = known
        if len(clock) > 0:
            before = self._before[thread]
            before[storage] = clock if id(before[storage]) in parts else joined(before[storage], clock)

    # -- accesses -----------------------------------------------------------------------------------------

    def performed(
        self, thread: int, site: StaticInstance, access: Access, touches: tuple[Touch, ...]
    ) -> tuple[bool, bool]:
        """An access to shared memory is performed: whether it races, and whether it reads undef for that.

        Raises RaceFound if a read before it does, and the run can be made again.
        """
        shape = access.shape
        atomic, reads = shape.atomic, shape.reads
        self._nth[thread] = nth = self._nth[thread] + 1
        if atomic and reads:
            self._acquire(thread, shape.ordering, shape.scope, touches)
        mine = _Seen(thread, nth, atomic, self._causes[thread], site, shape.kind)
        undefined, met = Read(thread, nth) in self.undefined, dict[_Seen, int]()
        if reads:
            undefined = self._read(mine, touches, met) or undefined
            mine = replace(mine, known=self._causes[thread])
        late = self._written_by(mine, touches, met) if shape.writes else set()
        for other, number in met.items():
            self._note(other, mine, number)
        if self.again and late - self.undefined:
            raise RaceFound(self.undefined | late)
        if shape.writes:
            self._release(thread, shape.ordering, shape.scope, reads, touches)
        return bool(met), reads and undefined

    def _unordered(self, mine: _Seen, byte: _Byte, known: Clock) -> list[_Seen]:
        """The writes that a byte may hold and that do not happen before an access."""
        unordered = []
        for write in byte.writes:
            if write.thread != mine.thread:
                if write.nth > known.get(write.thread, 0):
                    unordered.append(write)
                else:
                    self.synchronised = True
        return unordered

    def _read(self, mine: _Seen, touches: tuple[Touch, ...], met: dict[_Seen, int]) -> bool:
        """An access reads: whether it gives undef, for writes before it. ``met`` collects those that race."""
        undefined, learnt = False, dict[_Seen, None]()
        for touch in touches:
            known = self._before[mine.thread][self._storage(touch.object)]
            for at in range(touch.start, touch.stop):
                byte = self._byte(touch.object, at)
                unordered = self._unordered(mine, byte, known)
                racing = [w for w in unordered if not (w.atomic and mine.atomic)]
                met.update(dict.fromkeys(racing, touch.object))
                among = len(byte.writes) > 1 and not all(w.atomic for w in byte.writes)
                undefined = undefined or bool(racing) or among
                learnt.update(dict.fromkeys(w for w in byte.writes if w not in racing))
                byte.reads.append(mine)
        for write in learnt:  # what gives undef tells nothing
            if write.thread != mine.thread:
                self._causes[mine.thread] = _reached(self._causes[mine.thread], write)
        return undefined

    def _written_by(self, mine: _Seen, touches: tuple[Touch, ...], met: dict[_Seen, int]) -> set[Read]:
        """An access writes: the reads before it that race with it and do not cause it."""
        late = set()
        for touch in touches:
            if not touch.write:
                continue
            known = self._before[mine.thread][self._storage(touch.object)]
            for at in range(touch.start, touch.stop):
                byte = self._byte(touch.object, at)
                unordered = self._unordered(mine, byte, known)
                left = []
                for read in byte.reads:
                    if read.thread == mine.thread:
                        if read.nth == mine.nth:
                            left.append(read)
                    elif read.nth <= known.get(read.thread, 0):
                        self.synchronised = True
                    else:
                        left.append(read)
                racing = [s for s in (*unordered, *left) if not (s.atomic and mine.atomic)]
                met.update(dict.fromkeys((s for s in racing if s.thread != mine.thread), touch.object))
                for read in left:
                    if read in racing and read.nth > mine.known.get(read.thread, 0):
                        if read.thread != mine.thread:
                            late.add(Read(read.thread, read.nth))
                byte.writes = [*unordered, mine]
                byte.reads = left
        return late

    def _byte(self, number: int, at: int) -> _Byte:
        byte = self._bytes.get((number, at))
        if byte is None:
            byte = self._bytes[number, at] = _Byte()
        return byte

    def _storage(self, number: int) -> Storage:
        allocation = self._memory.allocations.get(number)
        return Storage.GLOBAL if allocation is None else storage_of(allocation.address_space)

    def _note(self, first: _Seen, second: _Seen, number: int) -> None:
        allocation = self._memory.allocations.get(number)
        name = "memory" if allocation is None else allocation.provenance.name
        race = Race(name, *(RacingAccess(s.thread, s.site, s.kind, s.atomic) for s in (first, second)))
        self.races.setdefault(race)

    # -- through memory -------------------------------------------------------------------------------------

    def _acquire(self, thread: int, ordering: str | None, syncscope: str | None, touches: Any) -> None:
        """An atomic read: what it acquires itself, and what a later fence may."""
        scope, one_as = scope_of(syncscope)
        later = self._to_acquire[thread]
        for touch in touches:
            own = self._storage(touch.object)
            for at in range(touch.start, touch.stop):
                gifts = self._written.get((touch.object, at))
                if not gifts or (at > touch.start and gifts is self._written.get((touch.object, at - 1))):
                    continue
                for given, clock in gifts.items():
                    later[given] = joined(later.get(given, {}), clock)
                    if ordering in ACQUIRES and (not one_as or given.storage is own):
                        if self._meet(scope, thread, given):
                            self._learn(thread, given.storage, clock)

    def _release(
        self, thread: int, ordering: str | None, syncscope: str | None, reads: bool, touches: Any
    ) -> None:
        """What a later acquire of this write gets; a read-modify-write hands on what it read."""
        atomic = ordering not in (None, "not_atomic")
        scope, one_as = scope_of(syncscope)
        for touch in touches:
            if not touch.write:
                continue
            own = self._storage(touch.object)
            fresh: _Gifts = {}
            if atomic:
                stamps = [
                    ((s, storage, alone), stamp)
                    for (s, storage, alone), stamp in self._fenced[thread].items()
                ]
                if ordering in RELEASES and scope is not Scope.THREAD:
                    stamps += [((scope, s, one_as), self._stamp(thread, s)) for s in Storage]
                for (level, storage, alone), stamp in stamps:
                    if not alone or storage is own:
                        given = _Given(level, self._launches[thread], storage, own)
                        clock = {**stamp.others, thread: stamp.nth}
                        fresh[given] = joined(fresh.get(given, {}), clock)
            before: Any = None
            for at in range(touch.start, touch.stop):
                old = self._written.get((touch.object, at)) if reads and atomic else None
                if not old:
                    gifts = fresh
                elif before is not None and before[0] is old:
                    gifts = before[1]
                else:
                    gifts = {**old, **{g: joined(old.get(g, {}), c) for g, c in fresh.items()}}
                    before = old, gifts
                if gifts or (touch.object, at) in self._written:
                    self._written[touch.object, at] = gifts


def _merged(stamps: Iterable[Stamp]) -> Clock:
    """What all of these know together."""
    bases: dict[int, Clock] = {}
    own: Clock = {}
    for stamp in stamps:
        bases[id(stamp.others)] = stamp.others
        own[stamp.thread] = max(stamp.nth, own.get(stamp.thread, 0))
    found: Clock = {}
    for clock in (*bases.values(), own):
        join(found, clock)
    return found


def _reached(clock: Clock, seen: _Seen) -> Clock:
    """What a thread may depend on that reads what was written by an access."""
    if clock.get(seen.thread, 0) >= seen.nth:
        return clock
    together = joined(clock, seen.known)
    together = dict(together) if together is clock else together
    together[seen.thread] = max(seen.nth, together.get(seen.thread, 0))
    return together
