"""What orders memory among threads, as data (semantics.md, §2, *Synchronisation*): fences, scopes, storage.

LangRef, *Memory Model for Concurrent Operations* and *Atomic Memory Ordering Constraints*; AMDGPU's user
guide, *Memory Scopes* and *Memory Model*; SPIR-V, *Memory Semantics*; OpenCL C, *Synchronization Functions*.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from itertools import chain
from typing import ClassVar, NamedTuple


class Storage(Enum):
    """Storage classes: ``LOCAL`` is what was declared in address space 3, ``GLOBAL`` all else that is
    shared."""

    LOCAL = "local"
    GLOBAL = "global"


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
        self.behind: list[dict[Storage, list[BarrierInstance]]] = [{s: [] for s in Storage} for _ in threads]
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
