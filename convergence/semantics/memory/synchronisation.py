"""What orders memory among threads, as data (semantics.md, §2, *Synchronisation*): fences, scopes, storage.

LangRef, *Memory Model for Concurrent Operations* and *Atomic Memory Ordering Constraints*; AMDGPU's user
guide, *Memory Scopes* and *Memory Model*; SPIR-V, *Memory Semantics*; OpenCL C, *Synchronization Functions*.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from itertools import chain
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from ..arithmetic import ConcreteDomain

if TYPE_CHECKING:
    from ..arithmetic.domain import Domain
    from ..values import Bits, Truth


class Storage(Enum):
    """Storage classes: ``LOCAL`` is what was declared in address space 3, ``GLOBAL`` all else that is
    shared."""

    LOCAL = "local"
    GLOBAL = "global"


STORAGE = tuple(Storage)
EVERYWHERE = frozenset(Storage)
LOCAL_SPACE = 3
"""The address space of what a group shares, in every dialect: OpenCL's local, CUDA's shared, HLSL's
groupshared."""


def storage_of(address_space: int) -> Storage:
    """The storage class of an object that was declared in an address space."""
    return Storage.LOCAL if address_space == LOCAL_SPACE else Storage.GLOBAL


class Scope(IntEnum):
    """With whom an operation synchronises: its own thread, its launch group, its workgroup, its cluster of
    workgroups, all threads."""

    THREAD = 0
    LAUNCH = 1
    WORKGROUP = 2
    CLUSTER = 3
    ALL = 4


_SCOPES = {
    "singlethread": Scope.THREAD,
    "wavefront": Scope.LAUNCH,
    "subgroup": Scope.LAUNCH,
    "sub_group": Scope.LAUNCH,
    "warp": Scope.LAUNCH,
    "workgroup": Scope.WORKGROUP,
    "work_group": Scope.WORKGROUP,
    "block": Scope.WORKGROUP,
    "cta": Scope.WORKGROUP,
    "cluster": Scope.CLUSTER,
}
"""What ``syncscope`` names, where it is not all threads."""
_ONE_AS = "one-as"
"""Alone, or as an ending behind a hyphen: for one address space (AMDGPU's user guide)."""

ACQUIRES = frozenset({"acquire", "acq_rel", "seq_cst"})
RELEASES = frozenset({"release", "acq_rel", "seq_cst"})
ASYNC_DOCUMENT = "OpenCL C, Async Copies"
"""Which document says what is undefined about copies by the workgroup."""


@dataclass(frozen=True, slots=True)
class MemoryFence:
    """What a fence orders. ``one_as``: through memory, only the class of the object that it is met
    through. ``apart``: only the copies by the workgroup that its thread takes part in, and only where threads
    wait for those; ``alone``: those that its thread began by itself, for which it waits."""

    release: bool
    acquire: bool
    storage: frozenset[Storage] = EVERYWHERE
    scope: Scope = Scope.ALL
    one_as: bool = False
    apart: bool = False
    alone: bool = False

    def releases(self, storage: Storage) -> bool:
        """Whether what comes before it in this class is released to others."""
        return self.release and self.scope is not Scope.THREAD and storage in self.storage

    def acquires(self, storage: Storage) -> bool:
        """Whether what comes behind it in this class may acquire what others released."""
        return self.acquire and self.scope is not Scope.THREAD and storage in self.storage

    @property
    def orders(self) -> bool:
        """Whether it orders anything among threads."""
        return (self.release or self.acquire) and self.scope is not Scope.THREAD and bool(self.storage)

    def part(self, release: bool) -> MemoryFence | None:
        """It as a release or as an acquire only; ``None`` if it is none that orders."""
        spaces = self.release if release else self.acquire
        if not spaces or not self.orders:
            return None
        return MemoryFence(
            release, not release, self.storage, self.scope, self.one_as, self.apart, self.alone
        )


def scope_of(syncscope: str | None) -> tuple[Scope, bool]:
    """The scope that ``syncscope`` names, and whether it is of one address space."""
    name = syncscope or ""
    one_as = name == _ONE_AS or name.endswith("-" + _ONE_AS)
    wide = name.removesuffix("-" + _ONE_AS)
    return _SCOPES.get(wide, Scope.ALL), one_as


def ordered_by(
    ordering: str | None, syncscope: str | None, storage: frozenset[Storage] = EVERYWHERE
) -> MemoryFence:
    """What an ordering and a ``syncscope`` say."""
    scope, one_as = scope_of(syncscope)
    return MemoryFence(ordering in RELEASES, ordering in ACQUIRES, storage, scope, one_as)


class ScopeNumbers(NamedTuple):
    """Where a thread stands: the numbers of its launch group, its workgroup, and its cluster."""

    launch: int
    workgroup: int = 0
    cluster: int = 0

    def shares(self, scope: Scope, other: ScopeNumbers) -> bool:
        """Whether another thread is in a scope of this one."""
        match scope:
            case Scope.THREAD:
                return False
            case Scope.LAUNCH:
                return self.launch == other.launch
            case Scope.WORKGROUP:
                return self.workgroup == other.workgroup
            case Scope.CLUSTER:
                return self.cluster == other.cluster
            case Scope.ALL:
                return True


# -- The program's side: which fences meet through which barriers


Clock = dict[int, int]
"""Per thread, how many of its accesses are meant: the first so many. Never changed once it is known to
others."""


class Stamp(NamedTuple):
    """A moment of a thread: what it knows of others, and how many accesses of its own it made by then."""

    thread: int
    nth: int
    clocks: Clock


@dataclass(slots=True, eq=False)
class IssuedFence:
    """A fence that a thread came to. ``barriers`` are those before it in its thread, as far as it acquires
    from them; ``clocks`` per class what the thread knows when it is performed (:mod:`.races`), ``None``
    before;
    ``accesses`` how many accesses of each thread are before it in every order, where that is asked for."""

    thread: int
    fence: MemoryFence
    barriers: tuple[BarrierInstance, ...] = ()
    clocks: Mapping[Storage, Stamp] | None = None
    accesses: Clock = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class BarrierInstance:
    """Converged instances of a barrier. ``released`` has per member and class its last release fence
    before. A fence whose scope has its ``reach`` acquires all that any fence acquires from it."""

    reach: ClassVar[Scope] = Scope.LAUNCH
    released: dict[int, dict[Storage, IssuedFence]] = field(default_factory=dict)
    complete: bool = False

    def meets(self, thread: int, fence: MemoryFence, storage: Storage) -> Iterator[IssuedFence]:
        """The release fences that an acquire fence of ``thread`` behind it meets in a class, one by one: who
        asks whether there is any need not look at all members."""
        if not fence.acquires(storage):
            return
        for other, released in self.released.items():
            if other != thread and (issued := released.get(storage)) is not None:
                yield issued

    def side(self, thread: int) -> object:
        """Threads of one side meet the same ones, but for themselves."""
        return None

    def waits_for(self, fence: MemoryFence, thread: int) -> bool:
        """Whether an acquire fence of ``thread`` behind it has to wait."""
        return not self.complete or any(
            issued.clocks is None
            for storage in fence.storage
            for issued in self.meets(thread, fence, storage)
        )


@dataclass(slots=True, eq=False)
class WorkgroupBarrier(BarrierInstance):
    """The n-th instance of a barrier of the workgroup in each of its threads: what its launch groups meet
    at."""

    reach: ClassVar[Scope] = Scope.WORKGROUP
    threads: Sequence[ScopeNumbers] = ()

    def meets(self, thread: int, fence: MemoryFence, storage: Storage) -> Iterator[IssuedFence]:
        if fence.scope < Scope.WORKGROUP or not fence.acquires(storage):
            return
        own = self.threads[thread].launch
        for other, released in self.released.items():
            if self.threads[other].launch != own and (issued := released.get(storage)) is not None:
                yield issued

    def side(self, thread: int) -> object:
        return self.threads[thread].launch


@dataclass(slots=True, eq=False)
class SplitBarrier(BarrierInstance):
    """The n-th instance of a barrier of the workgroup to which each thread comes for itself."""

    reach: ClassVar[Scope] = Scope.WORKGROUP

    def meets(self, thread: int, fence: MemoryFence, storage: Storage) -> Iterator[IssuedFence]:
        if fence.scope < Scope.WORKGROUP:
            return iter(())
        return BarrierInstance.meets(self, thread, fence, storage)


@dataclass(slots=True, eq=False)
class CopiesAwaited(SplitBarrier):
    """The n-th instance of the barrier at which threads of a workgroup wait for copies: ``released`` has
    their copies alone."""


@dataclass(slots=True, eq=False)
class ClusterBarrier(BarrierInstance):
    """The n-th instance of a barrier of the cluster: who is in the scopes of whose fences matters."""

    reach: ClassVar[Scope] = Scope.ALL
    threads: Sequence[ScopeNumbers] = ()

    def meets(self, thread: int, fence: MemoryFence, storage: Storage) -> Iterator[IssuedFence]:
        own = self.threads[thread]
        for issued in BarrierInstance.meets(self, thread, fence, storage):
            if own.shares(min(fence.scope, issued.fence.scope), self.threads[issued.thread]):
                yield issued

    def side(self, thread: int) -> object:
        return thread


class IssuedFences:
    """The fences and barriers of one run, per thread in program order.

    ``released`` per thread and class its latest release fence, ``wide`` those of at least the workgroup;
    ``behind`` per thread and class the barriers that no acquire fence of that class stands behind yet;
    ``copies`` per thread and class the fence behind its latest copy by the workgroup, until it arrives;
    ``barriers`` by key; ``workgroup`` the barriers of a workgroup by its number, the barrier's name and how
    often it was, where it has several launch groups.
    """

    def __init__(self, threads: Sequence[ScopeNumbers]) -> None:
        self.released: list[dict[Storage, IssuedFence]] = [{} for _ in threads]
        self.behind: list[dict[Storage, list[BarrierInstance]]] = [{s: [] for s in STORAGE} for _ in threads]
        self.barriers: dict[object, BarrierInstance] = {}
        self.wide: list[dict[Storage, IssuedFence]] = [{} for _ in threads]
        self.copies: dict[int, dict[Storage, IssuedFence]] = {}
        self.workgroup: dict[tuple[int, object, int], BarrierInstance] = {}
        self._threads = threads

    def fence(self, thread: int, fence: MemoryFence) -> IssuedFence:
        """A thread comes to a fence."""
        issued = IssuedFence(thread, fence)
        if fence.apart:
            return self._apart(thread, issued)
        if fence.acquire and fence.orders:
            behind = [b for storage, b in self.behind[thread].items() if storage in fence.storage]
            issued.barriers = tuple(dict.fromkeys(chain.from_iterable(behind)))
            for barriers in behind:  # what a fence behind this one acquires from them, this one does
                barriers[:] = [b for b in barriers if b.reach > fence.scope]
        for storage in fence.storage:
            if fence.releases(storage):
                self.released[thread][storage] = issued
                if fence.scope >= Scope.WORKGROUP:
                    self.wide[thread][storage] = issued
        return issued

    def _apart(self, thread: int, issued: IssuedFence) -> IssuedFence:
        """A thread comes to a fence that is about copies beside threads."""
        if issued.fence.alone:
            return issued
        if issued.fence.release:
            self.copies[thread] = dict.fromkeys(issued.fence.storage, issued)
            return issued
        behind = self.behind[thread]
        awaited = [b for barriers in behind.values() for b in barriers if isinstance(b, CopiesAwaited)]
        issued.barriers = tuple(dict.fromkeys(awaited))
        for barriers in behind.values():
            barriers[:] = [b for b in barriers if not isinstance(b, CopiesAwaited)]
        return issued

    def barrier(
        self,
        thread: int,
        key: object,
        workgroup: tuple[object, int] | None,
        parts: bool = False,
        arrives: bool = True,
        cluster: bool = False,
    ) -> None:
        """A thread comes to a barrier; ``workgroup`` is its name and its number in the thread if others than
        its group meet there, each for itself if ``parts``; all of its ``cluster``, or of its workgroup. One
        that it has arrived at before it only waits for."""
        instance = self.barriers.setdefault(key, BarrierInstance())
        if arrives:
            instance.released[thread] = dict(self.released[thread])
        met = [instance]
        if workgroup is not None:
            wide = self._of_workgroup(thread, workgroup, parts, cluster)
            if arrives:
                wide.released[thread] = dict(self.wide[thread])
            met.append(wide)
        for barriers in self.behind[thread].values():
            barriers += met

    def arrive(self, thread: int, workgroup: tuple[object, int], cluster: bool = False) -> None:
        """A thread arrives at a barrier of the workgroup, or its ``cluster``, and does not wait for it."""
        copies = self.copies.pop(thread, None)
        if copies is not None:
            own = self._threads[thread].workgroup
            awaited = self.workgroup.setdefault((own, *workgroup), CopiesAwaited(complete=True))
            awaited.released[thread] = copies
            return
        self._of_workgroup(thread, workgroup, True, cluster).released[thread] = dict(self.wide[thread])

    def _of_workgroup(
        self, thread: int, at: tuple[object, int], parts: bool, cluster: bool
    ) -> BarrierInstance:
        own, new = self._threads[thread], BarrierInstance(complete=True)
        if cluster:
            new = ClusterBarrier(complete=True, threads=self._threads)
            return self.workgroup.setdefault((own.cluster, *at), new)
        new = SplitBarrier(complete=True) if parts else WorkgroupBarrier(complete=True, threads=self._threads)
        return self.workgroup.setdefault((own.workgroup, *at), new)

    def happened(self, key: object) -> None:
        """A barrier has all its members."""
        instance = self.barriers.get(key)
        if instance is not None:
            instance.complete = True


def d_sync(issued: IssuedFence) -> bool:
    """What stands before a release comes before what stands behind an acquire that meets it, through memory
    or through a barrier.

    So an acquire fence waits until the barriers before it have happened and the release fences before those
    in the other members have: whether it can be performed. Through memory it comes behind what it reads.
    """
    waits = issued.fence.acquire and any(b.waits_for(issued.fence, issued.thread) for b in issued.barriers)
    return not waits


def joined(clock: Clock, other: Clock) -> Clock:
    """What either clock means; a new one if none of them has it all."""
    if len(clock) < len(other) and all(nth <= other.get(thread, 0) for thread, nth in clock.items()):
        return other
    if clock is other or all(nth <= clock.get(thread, 0) for thread, nth in other.items()):
        return clock
    together = dict(clock)
    join(together, other)
    return together


def join(clock: Clock, other: Clock) -> None:
    """Adds what the other clock means."""
    for thread, nth in other.items():
        if nth > clock.get(thread, 0):
            clock[thread] = nth


# ----------------------------------------------------------------------------------------------------------
# Whether threads meet in shared memory, byte by byte, for native runs: exactly whether they do, and whether
# they may race, which is asked with a few words a byte.
#
# A *word* says who touched a byte: a thread, or several of a workgroup, or of all; and in which of its
# stretches between two releases. A release is a fence, or a barrier that is one, of a class of storage.
# When all threads of a workgroup have come to a barrier, and one of them acquires behind it, it knows of
# the others' stretches as many as each of them had released. So an access is ordered behind another one of
# its workgroup whose stretch it knows; all else that meets, and is not atomic on both sides, is a
# *suspicion*: then the run is made again by :mod:`..environments.watched`, which knows D-SYNC in full.
# Nothing races without one:
#
# - A word keeps one access for those before it only if these are ordered before it, in its workgroup; who
# is
#   ordered behind it is ordered behind them. Of atomic accesses some are kept that are not ordered: then a
#   plain access before them must be known to whoever comes, which :data:`PLAIN` and the stretch say.
# - What synchronises through memory is not known here: it can only order more.
#
# The functions on words are written once, over any arithmetic domain: Python does them for what the
# reference accesses, native code for the rest.
# ----------------------------------------------------------------------------------------------------------


STRETCH = (1 << 24) - 1
"""The bits of a word that number the stretch, from 1."""
THREAD_AT, ALL = 24, (1 << 32) - 1
"""Where the thread begins, or the workgroup of :data:`MANY`; and the number of all workgroups."""
ATOMIC, MANY, SEVERAL, PLAIN = 1 << 56, 1 << 57, 1 << 58, 1 << 59
"""All that the word stands for is atomic; it stands for more than one thread; more than one touched the byte
so, now or before; some access, now or before, is not atomic."""
ORDERING, ORDERS = 1 << 60, 1 << 61
"""Some access, now or before, is atomic and more than monotonic; all that the word stands for release and
acquire, as far as they write and read, with all threads."""

ADDS4, ADDS8 = 1 << 62, 1 << 63
"""All accesses, now or before, are atomic additions to the same four, or eight, bytes, whose results nobody
uses: in which order they are done cannot be seen by them. Said only where a launch is unattended."""

MET, SYNCHRONISED, SUSPICION, LOOSE, UNORDERED, ACROSS = 1, 2, 4, 8, 16, 32
"""What is found out: two threads met; what they did was ordered; it may race; both were atomic, but something
was released, so that the one may have synchronised with the other; nothing that is known here ordered them;
and they may be of different workgroups."""


def kind_of(ordering: str | None, failure: str | None, scope: str | None, reads: bool, writes: bool) -> int:
    """What a word says of how atomic an access is: the flags."""
    if ordering in (None, "not_atomic"):
        return PLAIN
    if ordering in ("unordered", "monotonic") and failure in (None, "monotonic"):
        return ATOMIC
    acquires = not reads or (ordering in ACQUIRES and (failure is None or failure in ACQUIRES))
    releases = not writes or ordering in RELEASES
    wide = scope_of(scope) == (Scope.ALL, False)
    return ATOMIC | ORDERING | (ORDERS if acquires and releases and wide else 0)


class Accessor(NamedTuple):
    """Who accesses: its word; how many stretches it knows of its workgroup's other threads; its thread, its
    workgroup, and the workgroup's first thread and how many it has."""

    word: Bits
    stretches: Bits
    thread: Bits
    group: Bits
    first: Bits
    count: Bits


class _Look(NamedTuple):
    """A word, as an access sees it."""

    none: Truth
    same: Truth
    inside: Truth
    ordered: Truth
    stretch: Bits


def _look(d: Domain, word: Bits, mine: Accessor) -> _Look:
    w = d.width(64)
    stretch = w.and_(word, w.constant(STRETCH))
    thread = w.and_(w.lshr(word, w.constant(THREAD_AT)), w.constant(ALL))
    many = _has(d, word, MANY)
    alone = d.negate(many)
    near = w.ult(w.sub(thread, mine.first), mine.count)
    inside = d.either(d.both(many, w.eq(thread, mine.group)), d.both(alone, near))
    return _Look(
        w.eq(word, w.constant(0)),
        d.both(alone, w.eq(thread, mine.thread)),
        inside,
        d.both(inside, w.ule(stretch, mine.stretches)),
        stretch,
    )


def _has(d: Domain, word: Bits, flag: int) -> Truth:
    w = d.width(64)
    return w.ne(w.and_(word, w.constant(flag)), w.constant(0))


def _flag(d: Domain, truth: Truth, flag: int) -> Bits:
    w = d.width(64)
    return d.ite(truth, w.constant(flag), w.constant(0))


def meeting(d: Domain, word: Bits, mine: Accessor, reads: bool = False) -> Bits:
    """What an access finds out that meets what a word stands for, one of them a write; ``reads``: the word is
    that of writers, and the access reads what they wrote."""
    w, look = d.width(64), _look(d, word, mine)
    other = d.both(d.negate(look.none), d.either(d.negate(look.same), _has(d, word, SEVERAL)))
    ordered = d.both(other, d.either(look.ordered, look.same))
    unordered = d.both(other, d.negate(d.either(look.ordered, look.same)))
    both = d.both(_has(d, word, ATOMIC), _has(d, mine.word, ATOMIC))
    knows = w.ule(look.stretch, w.add(mine.stretches, w.constant(1)))
    clean = d.either(
        d.both(look.inside, knows), d.both(d.negate(look.inside), d.negate(_has(d, word, PLAIN)))
    )
    atomic = d.both(both, clean)
    own = w.and_(mine.word, w.constant(STRETCH))
    released = d.either(w.ult(w.constant(1), look.stretch), w.ult(w.constant(1), own))
    released = d.either(released, _has(d, w.or_(word, mine.word), ORDERING))
    met = _flag(d, other, MET)
    if reads:  # an acquire of what all of them released
        ordered = d.either(ordered, d.both(other, _has(d, w.and_(word, mine.word), ORDERS)))
    met = w.or_(met, _flag(d, ordered, SYNCHRONISED))
    met = w.or_(met, _flag(d, d.both(unordered, d.negate(atomic)), SUSPICION))
    races = d.negate(_has(d, w.and_(word, mine.word), ADDS4 | ADDS8))
    met = w.or_(met, _flag(d, d.both(races, unordered), UNORDERED))
    met = w.or_(met, _flag(d, d.both(races, d.both(other, d.negate(look.inside))), ACROSS))
    return w.or_(met, _flag(d, d.both(unordered, d.both(atomic, released)), LOOSE))


def noted(d: Domain, word: Bits, mine: Accessor) -> Bits:
    """The word with an access added."""
    w, look = d.width(64), _look(d, word, mine)
    kept = w.and_(word, w.constant(SEVERAL | PLAIN | ORDERING))
    several = _flag(d, d.negate(look.same), SEVERAL)
    own = w.and_(mine.word, w.constant(STRETCH))
    spoils = d.both(
        w.eq(own, look.stretch), d.negate(_has(d, word, ATOMIC))
    )  # a plain access of this stretch
    lost = _flag(d, d.both(look.same, spoils), ATOMIC | ORDERS)
    other = w.and_(w.not_(word), w.constant(ADDS4 | ADDS8))  # not all before are such
    replaced = w.and_(w.or_(mine.word, w.or_(kept, several)), w.not_(w.or_(lost, other)))
    latest = d.ite(w.ult(own, look.stretch), look.stretch, own)
    owner = w.shl(d.ite(look.inside, mine.group, w.constant(ALL)), w.constant(THREAD_AT))
    atomic = w.and_(w.and_(word, mine.word), w.constant(ATOMIC | ORDERS | ADDS4 | ADDS8))
    plain = w.and_(w.or_(word, mine.word), w.constant(PLAIN | ORDERING))
    together = w.or_(w.or_(latest, owner), w.or_(w.or_(atomic, plain), w.constant(MANY | SEVERAL)))
    behind = d.either(look.same, look.ordered)
    return d.ite(look.none, mine.word, d.ite(behind, replaced, together))


def touched(d: Domain, writer: Bits, readers: Bits, mine: Accessor, write: bool) -> tuple[Bits, Bits, Bits]:
    """The words of a byte's writers and readers after an access, and what was found out."""
    w = d.width(64)
    if write:
        met = w.or_(meeting(d, writer, mine), meeting(d, readers, mine))
        return noted(d, writer, mine), readers, met
    return writer, noted(d, readers, mine), meeting(d, writer, mine, True)


# -- between Python and native code

TABLE, FOUND, STATES, GROUP_SIZE = range(0, 32, 8)
"""Offsets of the words that native code gets as ``ptr %env``: the table of objects, what was found out, the
threads' states, and how many threads a workgroup has."""
STATE = 64
"""Bytes of a thread's state."""
RELEASED, KNOWN, AHEAD, GROUP, FIRST = 0, 16, 32, 48, 56
"""Offsets in it, the first three of two words each (workgroup memory, and all else): how often the thread
released; how many stretches of the others it knows; how many it will know when it next acquires; its
workgroup, and the number of that one's first thread."""
_PLACES = {Storage.LOCAL: 0, Storage.GLOBAL: 8}
_WIDTHS = ConcreteDomain()


def storage_offset(storage: Storage) -> int:
    """Where a class of storage stands in each part of a thread's state."""
    return _PLACES[storage]


class Words(NamedTuple):
    """A shared object's words: so many bytes, at these addresses; and where its class of storage stands."""

    size: int
    address: int
    storage: int


class Encounters:
    """What threads of a native run find out about each other; ``group_size`` threads make a workgroup."""

    def __init__(self, table_address: int, threads: int, group_size: int) -> None:
        self._states = (ctypes.c_uint64 * (STATE // 8 * threads))()
        self._group_size = group_size
        words, per = memoryview(self._states).cast("B").cast("Q"), STATE // 8
        groups, firsts = array("Q"), array("Q")
        for first in range(0, threads, group_size):
            count = min(group_size, threads - first)
            groups += array("Q", [first // group_size]) * count
            firsts += array("Q", [first]) * count
        words[GROUP // 8 :: per] = memoryview(groups)
        words[FIRST // 8 :: per] = memoryview(firsts)
        self._env = (ctypes.c_uint64 * 4)(table_address, 0, ctypes.addressof(self._states), group_size)
        self.address = ctypes.addressof(self._env)
        """What native code gets as ``ptr %env``."""
        self._came: dict[object, tuple[int, list[int], dict[object, object]]] = {}
        self.atomic = False
        """Whether an access may have been atomic."""
        self.apart = False
        """Whether a thread took part in a copy by the workgroup, which what orders threads does not order."""

    def beside(self, table_address: int) -> Encounters:
        """What the same threads find out elsewhere, by another table: nothing yet. Each thread has its state
        here or there."""
        other = copy(self)
        states = ctypes.addressof(self._states)
        other._env = (ctypes.c_uint64 * 4)(table_address, 0, states, self._group_size)
        other.address = ctypes.addressof(other._env)
        return other

    # -- what was found out ---------------------------------------------------------------------------

    @property
    def findings(self) -> int:
        """All of it, as flags."""
        return int(self._env[FOUND // 8])

    def add(self, findings: int) -> None:
        """What was found out elsewhere."""
        self._env[FOUND // 8] |= findings

    @property
    def conflict(self) -> bool:
        """Whether two threads touched a byte that one of them wrote."""
        return bool(self.findings & MET)

    @property
    def synchronised(self) -> bool:
        """Whether something ordered two such accesses."""
        return bool(self.findings & SYNCHRONISED)

    @property
    def unordered(self) -> bool:
        """Whether some threads met and nothing that is known here ordered them."""
        return bool(self.findings & UNORDERED)

    @property
    def across(self) -> bool:
        """Whether threads met that may be of different workgroups."""
        return bool(self.findings & ACROSS)

    @property
    def suspicious(self) -> bool:
        """Whether two of them may race, or whether it is not known what ordered them."""
        loose = bool(self.findings & LOOSE) and not self.synchronised
        return bool(self.findings & SUSPICION) or loose or self.apart

    # -- what happens ---------------------------------------------------------------------------------

    def access(self, thread: int, words: Words, start: int, stop: int, write: bool, kind: int) -> None:
        """A thread accesses bytes of a shared object, by the reference; ``kind`` as :func:`kind_of` says."""
        self.atomic = self.atomic or bool(kind & ATOMIC)
        group, state = thread // self._group_size, STATE // 8 * thread + words.storage // 8
        word = (self._states[state + RELEASED // 8] + 1) | thread << THREAD_AT | kind
        known = self._states[state + KNOWN // 8]
        mine = Accessor(word, known, thread, group, group * self._group_size, self._group_size)
        raw = (ctypes.c_uint64 * (2 * words.size)).from_address(words.address)
        before: tuple[int, int] | None = None
        for at in range(start, stop):
            if before != (raw[at], raw[words.size + at]):  # bytes are mostly touched together
                before = raw[at], raw[words.size + at]
                writer, readers, met = self._touched(*before, mine, write)
                self._env[FOUND // 8] |= met
            raw[at], raw[words.size + at] = writer, readers

    def _touched(self, writer: int, readers: int, mine: Accessor, write: bool) -> tuple[int, int, int]:
        """:func:`touched`, and what it says where nobody but this thread was here, in this stretch."""
        if writer in (0, mine.word) and readers in (0, mine.word):
            return (mine.word, readers, 0) if write else (writer, mine.word, 0)
        return touched(_WIDTHS, writer, readers, mine, write)

    def _classes(self, thread: int, fence: MemoryFence, part: int) -> Iterable[int]:
        """Where the classes stand, in a part of a thread's state, that a fence of the workgroup orders."""
        if fence.scope < Scope.WORKGROUP:
            return []
        return [STATE // 8 * thread + (part + _PLACES[storage]) // 8 for storage in fence.storage]

    def fence(self, thread: int, fence: MemoryFence) -> None:
        """A thread comes to a fence: what it acquires, then what it releases."""
        states = self._states
        for known in self._classes(thread, fence, KNOWN) if fence.acquire else ():
            states[known] = max(states[known], states[known + (AHEAD - KNOWN) // 8])
        for released in self._classes(thread, fence, RELEASED) if fence.release else ():
            states[released] += 1

    def came(self, thread: int, barrier: object, launch: object, key: object) -> None:
        """A thread comes to a barrier that all threads of its workgroup may come to: a member of the launch
        group ``launch``, with those of its members that have its ``key``. Where a launch group's threads come
        to it apart, it orders them not with each other (D-SYNC)."""
        group, state = thread // self._group_size, STATE // 8 * thread + RELEASED // 8
        released = [int(self._states[state]), int(self._states[state + 1])]
        count, least, keys = self._came.setdefault((group, barrier), (0, released, {}))
        whole = keys.setdefault(launch, key) is key
        self._came[group, barrier] = (
            count + 1 if whole else -self._group_size,
            [*map(min, least, released)],
            keys,
        )

    def passed(self, thread: int, barrier: object) -> None:
        """A thread goes on behind a barrier: if all of its workgroup came, it may acquire what they had
        released."""
        count, least, _ = self._came.get((thread // self._group_size, barrier), (0, [0, 0], {}))
        if count == self._group_size:
            ahead = STATE // 8 * thread + AHEAD // 8
            for place, number in enumerate(least):
                self._states[ahead + place] = max(self._states[ahead + place], number)
