"""Data races (semantics.md, §2, *Synchronisation*): what happens before what, what races, and what races
read.

Happens-before is, for each storage class, program order and what a release gives to the acquire that meets
it, through memory or through a barrier, by vector clocks. A read that races gives undef, whichever comes
first in the total order of accesses: a race that is seen only afterwards has the execution run again. Only a
write that may depend on what the read gave leaves it as it was: it does not cause itself.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ..values import Undef
from ..values.context import Context, undef
from . import UNINITIALISED, Piece, Touch, UnknownPiece, byte_of
from .synchronisation import (
    ACQUIRES,
    RELEASES,
    STORAGE,
    BarrierInstance,
    Clock,
    IssuedFence,
    Scope,
    ScopeNumbers,
    Stamp,
    Storage,
    join,
    joined,
    scope_of,
    storage_of,
)

if TYPE_CHECKING:
    from ...alignment import StaticInstance
    from .accesses import Access, AccessShape
    from .allocations import Memory


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
    class, what happens before it in other threads. ``read`` is its name, if it reads; ``volatile``: it is a
    volatile read, which gives what memory holds though it races."""

    thread: int
    nth: int
    position: int
    atomic: bool
    before: Mapping[Storage, Clock]
    site: StaticInstance
    kind: str
    read: Read
    volatile: bool = False

    def follows(self, other: _Seen, storage: Storage) -> bool:
        """Whether another access happens before it."""
        if other.thread == self.thread:
            return other.nth < self.nth
        return other.nth <= self.before[storage].get(other.thread, 0)


class _Given(NamedTuple):
    """What an atomic write hands to who reads it: from which kind of release, and met in which class of
    memory. As a key of what was handed on."""

    scope: Scope
    standing: ScopeNumbers
    storage: Storage
    through: Storage


_Gifts = dict[_Given, Clock]


_Accesses = dict[tuple[int, bool], list[_Seen]]
"""By thread, and by whether they are atomic, in program order."""


@dataclass(slots=True)
class _Byte:
    """The accesses to a byte, or to bytes that were only touched together so far. ``last`` is the write that
    it holds, ``latest`` are the writes that happen before no other write so far, one of a thread at most,
    ``plain`` whether one is not atomic, ``sites`` where writes stand; ``gifts`` what an acquire of ``last``
    gets. ``open`` are those ``reads`` of which some did not happen before ``last``, when it was performed:
    who follows ``last`` follows all others."""

    writes: _Accesses = field(default_factory=dict)
    reads: _Accesses = field(default_factory=dict)
    open: _Accesses = field(default_factory=dict)
    latest: dict[int, _Seen] = field(default_factory=dict)
    last: _Seen | None = None
    plain: bool = False
    sites: set[StaticInstance] = field(default_factory=set)
    gifts: _Gifts = field(default_factory=dict)
    contents: _Contents = field(default_factory=lambda: _Contents((), 0, {}))

    def copy(self, at: int) -> _Byte:
        """The same for one of the bytes, from 0 on."""
        writes, reads = (
            {kind: list(a) for kind, a in accesses.items()} for accesses in (self.writes, self.reads)
        )
        open_ = {kind: reads[kind] for kind in self.open}
        latest, sites = dict(self.latest), set(self.sites)
        contents = replace(
            self.contents, shown=self.contents.shown[at : at + 1], left=dict(self.contents.left)
        )
        return _Byte(writes, reads, open_, latest, self.last, self.plain, sites, self.gifts, contents)


@dataclass(slots=True)
class _Contents:
    """What bytes held behind the last write, a ``number`` that stays as long as writes leave that as it was,
    and which one each write ``left``. Kept only where equal writes count as one."""

    shown: tuple[object, ...]
    number: int
    left: dict[_Seen, int]

    def write(self, write: _Seen, shown: tuple[object, ...]) -> None:
        """What the bytes show after a write."""
        if self.shown != shown:
            self.number += 1
        self.shown = shown
        self.left[write] = self.number


def _shown(cells: Sequence[Piece], start: int, memory: Memory) -> tuple[object, ...]:
    """What each of the cells from an offset on shows: equal where these are the same bytes for certain, of
    pointers and of what is undefined only if they were not written again."""
    return tuple(_byte_shown(piece, start + n, memory) for n, piece in enumerate(cells))


def _byte_shown(piece: Piece, at: int, memory: Memory) -> object:
    if piece.kind < 0 or isinstance(piece, UnknownPiece) or isinstance(piece.value, Undef):
        return piece
    bits, mask = byte_of(piece, at, memory.layout, memory.domain)
    return (bits, mask) if isinstance(bits, int) and isinstance(mask, int) else piece


class _Place(NamedTuple):
    """Bytes that an access touches, of one object."""

    byte: _Byte
    object: int
    storage: Storage
    write: bool
    start: int
    stop: int


class _Link(NamedTuple):
    """What stands behind ``position`` in a thread may depend on what another one did up to ``partner``."""

    position: int
    thread: int
    partner: int


class RaceDetector:
    """The accesses of one run so far, as they are performed.

    ``undefined`` are the reads that are supposed to race, ``settled`` those that are supposed not to; with
    ``again`` the run is to be made again when there are others that do. ``late`` are those of which it turned
    out behind them, ``early`` those of which it was known before; ``order`` has all reads with their places
    in the order of accesses, with ``again``; ``reasons`` a race of each late one. ``races`` is every race
    that was met, once for each two static instances and variable.
    ``synchronised``: whether something ordered two accesses of different threads to a byte, of which one
    writes; ``atomics``: the atomic accesses to what threads share, by static instance, shape and touch;
    ``volatile``: the objects on which volatile reads race (:class:`_Seen`). ``learned``: whether a thread
    came to know of another's accesses, which it did not know of, by what an atomic access read.
    ``equal_writes``: writes that race with one another and leave the same bytes count as one, for a read that
    races with none of them. ``threads`` says where each thread stands. What goes on beside a thread, the
    copies by the workgroup that it takes part in, counts as a thread of its own here, numbered behind all of
    them.
    """

    def __init__(
        self,
        memory: Memory,
        threads: Sequence[ScopeNumbers],
        undefined: frozenset[Read] = frozenset(),
        equal_writes: bool = False,
    ) -> None:
        self.undefined = undefined
        self.equal_writes = equal_writes
        self.settled: frozenset[Read] = frozenset()
        self.again = False
        self.late: set[Read] = set()
        self.early: set[Read] = set()
        self.order: dict[Read, int] = {}
        self.races: dict[Race, None] = {}
        self.reasons: dict[Read, Race] = {}
        self.synchronised = False
        self.atomics: set[tuple[StaticInstance, AccessShape, Touch]] = set()
        self.volatile: set[int] = set()
        self.learned = False
        self._memory = memory
        self._threads = threads
        self._nth = [0] * len(threads)
        self._made = [0] * len(threads)  # those beside a thread are its own here
        self._before: list[dict[Storage, Clock]] = [{s: {} for s in STORAGE} for _ in threads]
        self._released = [0] * len(threads)  # how many accesses a thread had made when it last released
        self._links: list[list[_Link]] = [[] for _ in threads]
        self._exchanges: dict[object, dict[int, int]] = {}
        self._meetings: list[list[tuple[int, dict[int, int]]]] = [[] for _ in threads]
        self._to_acquire: list[_Gifts] = [{} for _ in threads]
        self._fenced: list[dict[tuple[Scope, Storage, bool], Stamp]] = [{} for _ in threads]
        self._bytes: dict[tuple[int, int], tuple[int, _Byte]] = {}
        self._begins: dict[tuple[int, int], int] = {}
        self._noted: set[tuple[int, StaticInstance, StaticInstance]] = set()
        self._joint: dict[tuple[int, Storage, object], tuple[BarrierInstance, Clock, frozenset[int]]] = {}

    @property
    def atomic(self) -> bool:
        """Whether an access to what threads share was atomic."""
        return bool(self.atomics)

    # -- what was supposed ------------------------------------------------------------------------------

    @property
    def unconfirmed(self) -> frozenset[Read]:
        """Reads that were supposed to race, and did not so far."""
        return self.undefined - self.late - self.early

    @property
    def refuted(self) -> bool:
        """Whether a read races that was supposed not to."""
        return not self.late.isdisjoint(self.settled)

    # -- what threads know of each other ----------------------------------------------------------------

    def came(self, thread: int, position: int, key: object) -> None:
        """A thread comes to an exchange."""
        members = self._exchanges.setdefault(key, {})
        members[thread] = position
        self._meetings[thread].append((position, members))

    def _beside(self, thread: int) -> int:
        """The number of what goes on beside a thread."""
        number, missing = len(self._threads) + thread, 2 * len(self._threads) - len(self._nth)
        if missing:
            self._nth += [0] * missing
            self._before += [{s: {} for s in Storage} for _ in range(missing)]
            self._released += [0] * missing
            self._links += [[] for _ in range(missing)]
            self._meetings += [[] for _ in range(missing)]
        return number

    def _copies(self, issued: IssuedFence) -> None:
        """A fence that is about copies beside threads is performed."""
        fence, thread = issued.fence, issued.thread
        if fence.alone:
            beside = self._beside(thread)
            own = {beside: self._nth[beside]}
            for storage in fence.storage:
                self._before[thread][storage] = joined(self._before[thread][storage], own)
            return
        if fence.release:
            beside = self._beside(thread)
            self._released[beside] = self._nth[beside]
            issued.clocks = {s: Stamp(beside, self._nth[beside], {}) for s in fence.storage}
            return
        for storage in fence.storage:
            clocks = [
                released[storage].clocks
                for barrier in issued.barriers
                for released in barrier.released.values()
                if storage in released
            ]
            stamps = [clock[storage] for clock in clocks if clock is not None]
            self._before[thread][storage] = joined(self._before[thread][storage], _merged(stamps))

    def _known_beside(self, thread: int) -> dict[Storage, Clock]:
        """What happens before a copy beside a thread: what that thread knows, and what it has released to
        its workgroup, as any other could do the copying."""
        known = {}
        for storage in Storage:
            released = [
                stamp.nth
                for (scope, class_, one_as), stamp in self._fenced[thread].items()
                if class_ is storage and scope >= Scope.WORKGROUP and not one_as
            ]
            known[storage] = {**self._before[thread][storage], thread: max(released, default=0)}
        return known

    def fence(self, issued: IssuedFence) -> None:
        """A fence is performed: what its thread acquires, then what it releases."""
        fence, thread = issued.fence, issued.thread
        if fence.apart:
            self._copies(issued)
            return
        if fence.acquire:
            for storage in fence.storage:
                for barrier in issued.barriers:
                    self._acquire_barrier(issued, storage, barrier)
            for gift, clock in self._to_acquire[thread].items():
                if fence.acquires(gift.storage) and self._meet(fence.scope, thread, gift):
                    if not fence.one_as or gift.storage is gift.through:
                        self._learn(thread, gift.storage, clock)
        issued.clocks = {s: self._stamp(thread, s) for s in fence.storage} if fence.release else {}
        for storage, stamp in issued.clocks.items():
            if fence.releases(storage):
                self._fenced[thread][fence.scope, storage, fence.one_as] = stamp

    def _stamp(self, thread: int, storage: Storage) -> Stamp:
        self._released[thread] = self._nth[thread]
        return Stamp(thread, self._nth[thread], self._before[thread][storage])

    def _meet(self, scope: Scope, thread: int, gift: _Given) -> bool:
        """Whether an acquire and the release of what was given include each other."""
        return self._threads[thread].shares(min(scope, gift.scope), gift.standing)

    def _learn(self, thread: int, storage: Storage, clock: Clock) -> None:
        """By what an atomic access read."""
        before = self._before[thread]
        together = joined(before[storage], clock)
        self.learned = self.learned or together is not before[storage]
        before[storage] = together

    def _acquire_barrier(self, acquire: IssuedFence, storage: Storage, barrier: BarrierInstance) -> None:
        """All that meet the same releases get one clock, which has what they released themselves: a thread
        whose own is part of it has nothing to compare."""
        thread, side = acquire.thread, barrier.side(acquire.thread)
        known = self._joint.get((id(barrier), storage, side))
        if known is None:
            met = [*barrier.meets(thread, acquire.fence, storage)]
            if not met:
                return
            own = barrier.released[thread].get(storage) if side is None else None
            stamps = [
                issued.clocks[storage]
                for issued in (*met, own)
                if issued is not None and issued.clocks is not None and storage in issued.clocks
            ]
            parts = frozenset(id(stamp.clocks) for stamp in stamps)
            known = self._joint[id(barrier), storage, side] = barrier, _merged(stamps), parts
        elif next(barrier.meets(thread, acquire.fence, storage), None) is None:
            return
        _, clock, parts = known
        if len(clock) > 0:
            before = self._before[thread]
            before[storage] = clock if id(before[storage]) in parts else joined(before[storage], clock)

    # -- accesses -----------------------------------------------------------------------------------------

    def performed(
        self, thread: int, position: int, site: StaticInstance, shape: AccessShape, touches: tuple[Touch, ...]
    ) -> tuple[frozenset[int], bool]:
        """An access to shared memory is performed as what it is (:func:`.accesses.performed_as`): the objects
        on which it races, and whether it reads undef for that. What copies does not read where it writes;
        what modifies does.

        Raises RaceFound if a read before it does, and the run can be made again.
        """
        memory = self._memory
        copies = shape.apart or any(not t.write for t in touches)
        touches = tuple(t for t in touches if memory.is_shared(t.object))
        self._made[thread] += 1
        read_made = Read(thread, self._made[thread])
        if shape.apart:
            beside = self._beside(thread)
            own, released = self._before[beside], self._known_beside(thread)
            self._before[beside] = {s: joined(own[s], released[s]) for s in Storage}
            thread = beside
        self._nth[thread] = nth = self._nth[thread] + 1
        places = [place for touch in touches for place in self._places(touch)]
        if shape.atomic and places:
            self.atomics.update((site, shape, touch) for touch in touches)
        if shape.atomic and shape.reads:
            self._acquire(thread, shape.ordering, shape.scope, places)
        before = dict(self._before[thread])
        volatile = shape.volatile and shape.reads
        mine = _Seen(thread, nth, position, shape.atomic, before, site, shape.kind, read_made, volatile)
        undefined, met = read_made in self.undefined, dict[_Seen, int]()
        if self.again and shape.reads:
            self.order[read_made] = len(self.order)
        read = [place for place in places if not (copies and place.write)]
        if shape.reads and self._reads(mine, read, met, undefined):
            undefined = True
            self.early.add(read_made)
        late = self._writes(mine, places, met) if shape.writes else set()
        for other, number in met.items():
            self._note(other, mine, number)
        self.late |= late
        # What is refuted stays it, however the run goes on: more reads that give undef depend on less.
        if self.again and not self.refuted and late - self.undefined - self.settled:
            raise RaceFound(self.undefined | (late - self.settled))
        if shape.writes:
            self._release(thread, shape.ordering, shape.scope, shape.reads, places)
        numbers = frozenset(number for other, number in met.items() if not (volatile or other.volatile))
        self.volatile |= {number for other, number in met.items() if volatile or other.volatile}
        if undefined:
            numbers |= {place.object for place in read}
        return numbers, undefined

    def _unordered(
        self, mine: _Seen, earlier: _Accesses, storage: Storage
    ) -> Iterator[tuple[list[_Seen], int]]:
        """Those of other threads that do not happen before an access, in lists from a place on, by thread and
        kind. (Nothing of another thread happens behind it yet.)"""
        known = mine.before[storage]
        for (thread, _), accesses in earlier.items():
            if thread != mine.thread:
                happened = known.get(thread, 0)
                first = bisect_right(accesses, happened, key=_nth) if happened else 0
                self.synchronised = self.synchronised or first > 0
                if first < len(accesses):
                    yield accesses, first

    def _reads(self, mine: _Seen, places: Sequence[_Place], met: dict[_Seen, int], supposed: bool) -> bool:
        """An access reads: whether it gives undef for writes before it. ``met`` collects those that race
        with it; ``supposed``: it gives undef in any case."""
        last, undefined = dict[_Seen, None](), False
        for byte, number, storage, *_ in places:
            own = byte.open[mine.thread, mine.atomic] = byte.reads.setdefault((mine.thread, mine.atomic), [])
            own.append(mine)
            if byte.last is None:
                continue
            last[byte.last] = None
            if self._hides_all(byte, mine, storage) or (mine.atomic and not byte.plain):
                continue
            beside = list[_Seen]()
            for writes, first in self._unordered(mine, byte.writes, storage):
                beside.append(writes[first])
                if not (mine.atomic and writes[-1].atomic):
                    met[writes[-1]] = number
                    undefined = True
                    if self._says_no_more(byte, mine, number):
                        break
            undefined = undefined or self._races_before(mine, byte, storage, beside)
        undefined = undefined and not mine.volatile
        if not (undefined or supposed):  # what gives undef tells nothing
            for write in last:
                if write.thread != mine.thread:
                    self._links[mine.thread].append(_Link(mine.position, write.thread, write.position))
        return undefined

    def _hides_all(self, byte: _Byte, mine: _Seen, storage: Storage) -> bool:
        """Whether the write that the byte holds happens before an access, and all other writes before
        that."""
        return len(byte.latest) == 1 and self._follows_last(byte, mine, storage)

    def _follows_last(self, byte: _Byte, mine: _Seen, storage: Storage) -> bool:
        """Whether the write that the byte holds happens before an access."""
        if byte.last is None or not mine.follows(byte.last, storage):
            return False
        self.synchronised = self.synchronised or byte.last.thread != mine.thread
        return True

    def _says_no_more(self, byte: _Byte, mine: _Seen, number: int) -> bool:
        """Whether an access that races with a write tells nothing new by its races with others: all places
        that wrote are noted beside its own, and that something was ordered is known, or cannot be seen here.
        So an access to a flag that all threads set is not compared with all of them."""
        if not (self.synchronised or not any(mine.before.values())):
            return False
        return all((number, site, mine.site) in self._noted for site in byte.sites)

    def _races_before(self, mine: _Seen, byte: _Byte, storage: Storage, beside: Sequence[_Seen]) -> bool:
        """Whether two writes that a read may see race with each other, of which some are ``beside`` it. Where
        none is, those are the writes that happen before no other one. Equal writes count as one, if so
        asked."""
        writes: Collection[_Seen] = byte.latest.values()
        if beside:
            writes = [*self._ordered(mine, byte, storage), *beside]
        if self.equal_writes and len({byte.contents.left.get(write) for write in writes}) == 1:
            return False
        return _some_race(writes, storage)

    def _ordered(self, mine: _Seen, byte: _Byte, storage: Storage) -> list[_Seen]:
        """The writes before an access that it may still see: no other one happens between."""
        known, unordered = mine.before[storage], list[_Seen]()
        for (thread, _), writes in byte.writes.items():
            nth = mine.nth - 1 if thread == mine.thread else known.get(thread, 0)
            first = bisect_right(writes, nth, key=_nth)
            if first:
                unordered.append(writes[first - 1])
        return [w for w in unordered if not any(other.follows(w, storage) for other in unordered)]

    def _writes(self, mine: _Seen, places: Sequence[_Place], met: dict[_Seen, int]) -> set[Read]:
        """An access writes: the reads before it that race with it and that it does not depend on."""
        late, reached = set[Read](), None
        for byte, number, storage, write, start, stop in places:
            if not write:
                continue
            if not self._hides_all(byte, mine, storage):
                for writes, _ in self._unordered(mine, byte.writes, storage):
                    if not (mine.atomic and writes[-1].atomic):
                        met[writes[-1]] = number
                        if self._says_no_more(byte, mine, number):
                            break
            before = byte.open if self._follows_last(byte, mine, storage) else byte.reads
            byte.open = {}
            for reads, first in self._unordered(mine, before, storage):
                byte.open[reads[first].thread, reads[first].atomic] = reads
                if mine.atomic and reads[-1].atomic:
                    continue
                met[reads[-1]] = number
                reached = self._reached(mine) if reached is None else reached
                until = reached.get(reads[-1].thread, -1)
                for spoilt in (r for r in reads[first:] if r.position > until and not r.volatile):
                    late.add(spoilt.read)
                    self.reasons.setdefault(spoilt.read, self._race(spoilt, mine, number))
                reads[first:] = [r for r in reads[first:] if r.position <= until]  # the others race already
            _now_latest(byte.latest, mine, storage)
            byte.last, byte.plain = mine, byte.plain or not mine.atomic
            byte.sites.add(mine.site)
            if self.equal_writes:
                cells = self._memory.allocations[number].contents()[start:stop]
                byte.contents.write(mine, _shown(cells, start, self._memory))
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
            clocks: dict[int, int] = {}
            if thread >= len(self._threads):
                clocks[thread - len(self._threads)] = until
            for link in self._links[thread]:
                if link.position <= until:
                    clocks[link.thread] = max(link.partner, clocks.get(link.thread, -1))
            for position, members in self._meetings[thread]:
                if position <= until and id(members) not in done:
                    done.add(id(members))
                    for other, there in members.items():
                        clocks[other] = max(there, clocks.get(other, -1))
            for other, there in clocks.items():
                if there > reached.get(other, -1):
                    reached[other] = there
                    work.append(other)
        return reached

    def _places(self, touch: Touch) -> Sequence[_Place]:
        """The bytes of a touch: together, as long as all accesses to them touch the same ones."""
        number, start, stop, write = touch
        storage, known = self._storage(number), self._bytes.get((number, start))
        if known is not None and known[0] == stop:
            return (_Place(known[1], number, storage, write, start, stop),)
        begins = self._begins
        met = {begins[number, at] for at in range(start, stop) if (number, at) in begins}
        if not met:
            byte = _Byte()
            self._bytes[number, start] = stop, byte
            begins.update(((number, at), start) for at in range(start, stop))
            return (_Place(byte, number, storage, write, start, stop),)
        for begin in met:
            end, byte = self._bytes[number, begin]
            for at in range(begin, end) if end - begin > 1 else ():
                self._bytes[number, at] = at + 1, byte.copy(at - begin)
                begins[number, at] = at
        for at in range(start, stop):
            if (number, at) not in begins:
                self._bytes[number, at] = at + 1, _Byte()
                begins[number, at] = at
        return [
            _Place(self._bytes[number, at][1], number, storage, write, at, at + 1)
            for at in range(start, stop)
        ]

    def _storage(self, number: int) -> Storage:
        allocation = self._memory.allocations.get(number)
        return Storage.GLOBAL if allocation is None else storage_of(allocation.address_space)

    def _note(self, first: _Seen, second: _Seen, number: int) -> None:
        both = number, first.site, second.site
        if both in self._noted:
            return
        self._noted.add(both)
        self.races.setdefault(self._race(first, second, number))

    def _race(self, first: _Seen, second: _Seen, number: int) -> Race:
        allocation = self._memory.allocations.get(number)
        name = "memory" if allocation is None else allocation.provenance.name
        count = len(self._threads)
        return Race(
            name, *(RacingAccess(s.thread % count, s.site, s.kind, s.atomic) for s in (first, second))
        )

    def suppose(self, reasons: Mapping[Read, Race]) -> None:
        """A run that ended before it came to the writes with which supposed reads race: what they race with
        is known from runs before it."""
        for read in sorted(self.unconfirmed):
            if read in reasons:
                self.races.setdefault(reasons[read])

    # -- through memory -------------------------------------------------------------------------------------

    def _acquire(
        self, thread: int, ordering: str | None, syncscope: str | None, places: Sequence[_Place]
    ) -> None:
        """An atomic read: what it acquires itself, and what a later fence may."""
        scope, one_as = scope_of(syncscope)
        later = self._to_acquire[thread]
        for byte, _, own, *_ in places:
            for gift, clock in byte.gifts.items():
                later[gift] = joined(later.get(gift, {}), clock)
                if ordering in ACQUIRES and (not one_as or gift.storage is own):
                    if self._meet(scope, thread, gift):
                        self._learn(thread, gift.storage, clock)

    def _release(
        self,
        thread: int,
        ordering: str | None,
        syncscope: str | None,
        reads: bool,
        places: Sequence[_Place],
    ) -> None:
        """What a later acquire of this write gets; a read-modify-write hands on what it read."""
        atomic = ordering not in (None, "not_atomic")
        scope, one_as = scope_of(syncscope)
        stamps = list(self._fenced[thread].items()) if atomic else []
        if ordering in RELEASES and scope is not Scope.THREAD:
            stamps += [((scope, s, one_as), self._stamp(thread, s)) for s in Storage]
        for byte, _, own, write, *_ in places:
            if not write:
                continue
            gifts: _Gifts = dict(byte.gifts) if reads and atomic else {}
            for (level, storage, alone), stamp in stamps:
                if not alone or storage is own:
                    gift = _Given(level, self._threads[thread], storage, own)
                    clock = {**stamp.clocks, thread: stamp.nth}
                    gifts[gift] = joined(gifts.get(gift, {}), clock)
            byte.gifts = gifts


def note_races(memory: Memory, numbers: Iterable[int]) -> list[str]:
    """Notes that accesses to these objects race; their names."""
    names = names_of(memory, numbers)
    memory.races.update(dict.fromkeys(names))
    return names


def names_of(memory: Memory, numbers: Iterable[int]) -> list[str]:
    """The names of objects, as messages have them; none of those to which nobody can write."""
    known = map(memory.allocations.get, sorted(numbers))
    return [a.provenance.name for a in known if a is not None and not a.constant]


def raced(access: Access, value: Any, touches: Iterable[Touch], memory: Memory, context: Context) -> Any:
    """What an access gives that reads undef, as it races: all of it, and all that it copies."""
    if value is not None:
        assert access.shape.result_type is not None
        value = undef(access.shape.result_type, context.layout, context.domain)
        return value if access.shape.promised is None else access.shape.promised(value)
    read = [touch for touch in touches if not touch.write]
    # what else is written is known
    copied = read[0].stop - read[0].start if len(read) == 1 else sys.maxsize
    for touch in touches:
        if touch.write and memory.is_shared(touch.object):
            cells = memory.allocations[touch.object].contents()
            stop = min(touch.stop, touch.start + copied)
            cells[touch.start : stop] = [UNINITIALISED] * (stop - touch.start)
    return None


def _merged(stamps: Iterable[Stamp]) -> Clock:
    """What all of these know together."""
    bases: dict[int, Clock] = {}
    own: Clock = {}
    for stamp in stamps:
        bases[id(stamp.clocks)] = stamp.clocks
        own[stamp.thread] = max(stamp.nth, own.get(stamp.thread, 0))
    latest: Clock = {}
    for clock in (*bases.values(), own):
        join(latest, clock)
    return latest


def _nth(access: _Seen) -> int:
    return access.nth


def _now_latest(latest: dict[int, _Seen], write: _Seen, storage: Storage) -> None:
    """A write is performed: those that it follows, by what its thread knows, are no latest ones any more."""
    known = write.before[storage]
    for thread in known if len(known) < len(latest) else list(latest):
        if thread in latest and write.follows(latest[thread], storage):
            del latest[thread]
    latest[write.thread] = write  # which follows those of its own thread


def _some_race(writes: Collection[_Seen], storage: Storage) -> bool:
    """Whether two of some writes race with each other: one of them is plain."""
    return any(
        a.thread != b.thread and not (a.follows(b, storage) or b.follows(a, storage))
        for a in writes
        if not a.atomic
        for b in writes
    )
