"""Data races (semantics.md, §2, *Synchronisation*): what happens before what, what races, and what races
read.

Happens-before is, for each storage class, program order and what a release gives to the acquire that meets
it, through memory or through a barrier, by vector clocks. A read that races gives undef, whichever comes
first in the total order of accesses: a race that is seen only afterwards has the execution run again. Only a
write that may depend on what the read gave leaves it as it was: it does not cause itself.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

from ...alignment.instances import StaticInstance
from ..values.context import Context
from ..values.of_type import undef
from .accesses import Access
from .allocations import Memory
from .bytes import UNINITIALISED, Touch
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
    """An access: the ``nth`` of its thread, at a ``position`` in its program order. ``before`` is, by storage
    class, what happens before it in other threads."""

    thread: int
    nth: int
    position: int
    atomic: bool
    before: Mapping[Storage, Clock]
    site: StaticInstance
    kind: str

    def follows(self, other: _Seen, storage: Storage) -> bool:
        """Whether another access happens before it."""
        if other.thread == self.thread:
            return other.nth < self.nth
        return other.nth <= self.before[storage].get(other.thread, 0)


_Accesses = dict[tuple[int, bool], list[_Seen]]
"""By thread, and by whether they are atomic, in program order."""


@dataclass(slots=True)
class _Byte:
    """The accesses to a byte. ``last`` is the write that it holds, ``latest`` are the writes that happen
    before no other write so far, ``plain`` whether one is not atomic."""

    writes: _Accesses = field(default_factory=dict)
    reads: _Accesses = field(default_factory=dict)
    latest: list[_Seen] = field(default_factory=list)
    last: _Seen | None = None
    plain: bool = False


class _Link(NamedTuple):
    """What stands behind ``position`` in a thread may depend on what another one did up to ``other``."""

    position: int
    thread: int
    other: int


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
    are more. ``late`` are those of which it turned out behind them. ``races`` is every race that was met,
    once for each two static instances and variable.
    ``synchronised``: whether something ordered two accesses of different threads to a byte, of which one
    writes. ``launches`` is the number of each thread's launch group.
    """

    def __init__(
        self, memory: Memory, launches: Sequence[int], undefined: frozenset[Read] = frozenset()
    ) -> None:
        self.undefined = undefined
        self.again = False
        self.late: set[Read] = set()
        self.races: dict[Race, None] = {}
        self.synchronised = False
        self._memory = memory
        self._launches = launches
        self._nth = [0] * len(launches)
        self._before: list[dict[Storage, Clock]] = [{s: {} for s in Storage} for _ in launches]
        self._released = [0] * len(launches)  # how many accesses a thread had made when it last released
        self._links: list[list[_Link]] = [[] for _ in launches]
        self._exchanges: dict[object, dict[int, int]] = {}
        self._met: list[list[tuple[int, dict[int, int]]]] = [[] for _ in launches]
        self._to_acquire: list[_Gifts] = [{} for _ in launches]
        self._fenced: list[dict[tuple[Scope, Storage, bool], Stamp]] = [{} for _ in launches]
        self._written: dict[tuple[int, int], _Gifts] = {}
        self._bytes: dict[tuple[int, int], _Byte] = {}
        self._joint: dict[tuple[int, Storage], tuple[BarrierInstance, Clock, frozenset[int]]] = {}

    # -- what threads know of each other ----------------------------------------------------------------

    def came(self, thread: int, position: int, key: object) -> None:
        """A thread comes to an exchange."""
        members = self._exchanges.setdefault(key, {})
        members[thread] = position
        self._met[thread].append((position, members))

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
        self._released[thread] = self._nth[thread]
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
        self, thread: int, position: int, site: StaticInstance, access: Access, touches: tuple[Touch, ...]
    ) -> tuple[bool, bool]:
        """An access to shared memory is performed: whether it races, and whether it reads undef for that.

        Raises RaceFound if a read before it does, and the run can be made again.
        """
        shape, memory = access.shape, self._memory
        touches = tuple(t for t in touches if memory.is_shared(t.object))
        self._nth[thread] = nth = self._nth[thread] + 1
        if shape.atomic and shape.reads:
            self._acquire(thread, shape.ordering, shape.scope, touches)
        mine = _Seen(thread, nth, position, shape.atomic, dict(self._before[thread]), site, shape.kind)
        undefined, met = Read(thread, nth) in self.undefined, dict[_Seen, int]()
        if shape.reads:
            undefined = self._reads(mine, touches, met, undefined)
        late = self._writes(mine, touches, met) if shape.writes else set()
        for other, number in met.items():
            self._note(other, mine, number)
        self.late |= late
        if self.again and late - self.undefined:
            raise RaceFound(self.undefined | late)
        if shape.writes:
            self._release(thread, shape.ordering, shape.scope, shape.reads, touches)
        return bool(met), undefined

    def _unordered(self, mine: _Seen, seen: _Accesses, storage: Storage) -> Iterator[tuple[list[_Seen], int]]:
        """Those of other threads that do not happen before an access, in lists from a place on, by thread and
        kind. (Nothing of another thread happens behind it yet.)"""
        known = mine.before[storage]
        for (thread, _), accesses in seen.items():
            if thread != mine.thread:
                first = bisect_right(accesses, known.get(thread, 0), key=_nth)
                self.synchronised = self.synchronised or first > 0
                if first < len(accesses):
                    yield accesses, first

    def _reads(self, mine: _Seen, touches: tuple[Touch, ...], met: dict[_Seen, int], undefined: bool) -> bool:
        """An access reads: whether it gives undef, as is known, or for writes before it. ``met`` collects
        those that race with it."""
        last = dict[_Seen, None]()
        for touch in touches:
            storage = self._storage(touch.object)
            for at in range(touch.start, touch.stop):
                byte = self._byte(touch.object, at)
                byte.reads.setdefault((mine.thread, mine.atomic), []).append(mine)
                if byte.last is None:
                    continue
                last[byte.last] = None
                if self._hides_all(byte, mine, storage) or (mine.atomic and not byte.plain):
                    continue
                visible = self._ordered(mine, byte, storage)
                for writes, first in self._unordered(mine, byte.writes, storage):
                    visible.append(writes[first])
                    if not (mine.atomic and writes[-1].atomic):
                        met[writes[-1]] = touch.object
                        undefined = True
                undefined = undefined or _some_race(visible, storage)
        if not undefined:  # what gives undef tells nothing
            for write in last:
                if write.thread != mine.thread:
                    self._links[mine.thread].append(_Link(mine.position, write.thread, write.position))
        return undefined

    def _hides_all(self, byte: _Byte, mine: _Seen, storage: Storage) -> bool:
        """Whether the write that the byte holds happens before an access, and all other writes before
        that."""
        if byte.last is None or byte.latest != [byte.last] or not mine.follows(byte.last, storage):
            return False
        self.synchronised = self.synchronised or byte.last.thread != mine.thread
        return True

    def _ordered(self, mine: _Seen, byte: _Byte, storage: Storage) -> list[_Seen]:
        """The writes before an access that it may still see: no other one happens between."""
        known, found = mine.before[storage], list[_Seen]()
        for (thread, _), writes in byte.writes.items():
            nth = mine.nth - 1 if thread == mine.thread else known.get(thread, 0)
            first = bisect_right(writes, nth, key=_nth)
            if first:
                found.append(writes[first - 1])
        return [w for w in found if not any(other.follows(w, storage) for other in found)]

    def _writes(self, mine: _Seen, touches: tuple[Touch, ...], met: dict[_Seen, int]) -> set[Read]:
        """An access writes: the reads before it that race with it and that it does not depend on."""
        late, reached = set[Read](), None
        for touch in touches:
            if not touch.write:
                continue
            storage = self._storage(touch.object)
            for at in range(touch.start, touch.stop):
                byte = self._byte(touch.object, at)
                if not self._hides_all(byte, mine, storage):
                    for writes, _ in self._unordered(mine, byte.writes, storage):
                        if not (mine.atomic and writes[-1].atomic):
                            met[writes[-1]] = touch.object
                for reads, first in self._unordered(mine, byte.reads, storage):
                    if mine.atomic and reads[-1].atomic:
                        continue
                    met[reads[-1]] = touch.object
                    reached = self._reached(mine) if reached is None else reached
                    until = reached.get(reads[-1].thread, -1)
                    late |= {Read(r.thread, r.nth) for r in reads[first:] if r.position > until}
                    reads[first:] = [
                        r for r in reads[first:] if r.position <= until
                    ]  # the others race already
                byte.latest = [w for w in byte.latest if not mine.follows(w, storage)]
                byte.latest.append(mine)
                byte.last, byte.plain = mine, byte.plain or not mine.atomic
                own = byte.writes.setdefault((mine.thread, mine.atomic), [])
                if own and own[-1].nth > self._released[mine.thread]:
                    own.pop()  # nobody can know of the one and not of the other
                own.append(mine)
        return late

    def _reached(self, mine: _Seen) -> dict[int, int]:
        """Up to which position of each thread an access may depend on it: by program order, by what was read
        of what was written, and by exchanges."""
        reached = {mine.thread: mine.position}
        work, done = [mine.thread], set[int]()
        while work:
            thread = work.pop()
            until = reached[thread]
            found: dict[int, int] = {}
            for link in self._links[thread]:
                if link.position <= until:
                    found[link.thread] = max(link.other, found.get(link.thread, -1))
            for position, members in self._met[thread]:
                if position <= until and id(members) not in done:
                    done.add(id(members))
                    for other, there in members.items():
                        found[other] = max(there, found.get(other, -1))
            for other, there in found.items():
                if there > reached.get(other, -1):
                    reached[other] = there
                    work.append(other)
        return reached

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


def note_races(memory: Memory, touches: Iterable[Touch]) -> list[str]:
    """Notes that accesses to these objects race; their names."""
    known = [memory.allocations.get(t.object) for t in touches]
    names = [a.provenance.name for a in known if a is not None and not a.constant]
    memory.races.update(dict.fromkeys(names))
    return names


def raced(access: Access, value: Any, touches: Iterable[Touch], memory: Memory, context: Context) -> Any:
    """What an access gives that reads undef, as it races: all of it, and all that it copies."""
    if value is not None:
        assert access.shape.result_type is not None
        return undef(access.shape.result_type, context.layout, context.domain)
    for touch in touches:
        if touch.write and memory.is_shared(touch.object):
            cells = memory.allocations[touch.object].contents()
            cells[touch.start : touch.stop] = [UNINITIALISED] * (touch.stop - touch.start)
    return None


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


def _nth(seen: _Seen) -> int:
    return seen.nth


def _some_race(writes: Sequence[_Seen], storage: Storage) -> bool:
    """Whether two of some writes race with each other."""
    return any(
        a.thread != b.thread
        and not (a.atomic and b.atomic)
        and not (a.follows(b, storage) or b.follows(a, storage))
        for a, b in combinations(writes, 2)
    )
