"""What a call of a declared function does: the shapes that models are given in, and the grid of a launch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...frozen import dataclass
from ...ir.operands import Int
from ..memory.synchronisation import MemoryFence, Scope
from ..values.value import RuntimeValue

if TYPE_CHECKING:
    from ...ir.instructions import CallSite
    from ...ir.types import FunctionType
    from ..values.context import Context

# ----------------------------------------------------------------------------------------------------------
# Counts and coordinates along x, y and z, and the grid of workgroups that a launch is (semantics.md,
# D-ENTRY).
# ----------------------------------------------------------------------------------------------------------


class Extent(NamedTuple):
    """How many there are along each dimension, or where something is along each, from 0."""

    x: int = 1
    y: int = 1
    z: int = 1

    @property
    def volume(self) -> int:
        """How many there are in all."""
        return self.x * self.y * self.z

    def at(self, number: int) -> Extent:
        """Where number ``number`` is: x grows fastest, then y."""
        rest, x = divmod(number, self.x)
        z, y = divmod(rest, self.y)
        return Extent(x, y, z)

    def scaled(self, other: Extent) -> Extent:
        """The product along each dimension."""
        return Extent(self.x * other.x, self.y * other.y, self.z * other.z)

    def moved(self, other: Extent) -> Extent:
        """The sum along each dimension."""
        return Extent(self.x + other.x, self.y + other.y, self.z + other.z)

    @property
    def dimensions(self) -> int:
        """How many dimensions have more than one: at least 1."""
        return 3 if self.z > 1 else 2 if self.y > 1 else 1

    def __str__(self) -> str:
        """``8``, ``8,4``, ``8,4,2``: as options have it."""
        return ",".join(map(str, self[: self.dimensions]))


SINGLE = Extent(1, 1, 1)
ORIGIN = Extent(0, 0, 0)


class Grid(NamedTuple):
    """A launch as the program sees it: how many ``workgroups``, how many threads each ``workgroup`` has, in
    how many ``dimensions`` (OpenCL's work dimension) the launch was asked for, and how many workgroups are a
    ``cluster``."""

    workgroups: Extent = SINGLE
    workgroup: Extent = SINGLE
    dimensions: int = 1
    cluster: Extent = SINGLE

    @property
    def threads(self) -> Extent:
        """How many threads there are in all."""
        return self.workgroups.scaled(self.workgroup)


# ----------------------------------------------------------------------------------------------------------
# What a call of a declared function does: the shapes that models are given in.
#
# A model is asked once per call site (:data:`Prepare`) and answers with what happens there: an
# exchange among the threads of a group, or something that each thread does alone.
# ----------------------------------------------------------------------------------------------------------


Operands = tuple[RuntimeValue, ...]


class Callee(NamedTuple):
    """The function that a call names, without ``@``; the call's function type; the module's context;
    what the groups of the name's pattern matched; by its place, what an operand is that is an integer
    constant, ``None`` of any other (nothing where no call is asked about)."""

    name: str
    type: FunctionType
    context: Context
    parts: tuple[str | None, ...] = ()
    numbers: tuple[int | None, ...] = ()

    @classmethod
    def of(cls, name: str, call: CallSite, context: Context) -> Callee:
        """What ``call`` calls, by the name that is known of it."""
        numbers = tuple(a.value.value if isinstance(a.value, Int) else None for a in call.arguments)
        return cls(name, call.type, context, numbers=numbers)


class Subgroup(NamedTuple):
    """The launch group of a thread: room for ``size`` lanes, lane 0 being thread ``first`` of the launch and
    number ``base`` of the ``threads`` of its workgroup, as the program sees them. ``number`` counts the
    subgroups of a workgroup, ``group`` the workgroups of the ``grid``. ``wave`` is the room that the module
    asks for, if it does; lanes that were not launched count as threads that do not run."""

    size: int
    first: int
    threads: int
    number: int = 0
    wave: int | None = None
    base: int = 0
    group: int = 0
    grid: Grid = Grid()

    @property
    def siblings(self) -> int:
        """How many subgroups its workgroup has."""
        return -(-self.threads // max(self.size, 1))

    @property
    def whole(self) -> Subgroup:
        """Its workgroup, as if that were one subgroup."""
        return self._replace(size=self.threads, first=self.first - self.base, number=0, wave=None, base=0)

    @property
    def cluster(self) -> int:
        """The number of the cluster that its workgroup is in."""
        workgroups, size = self.grid.workgroups, self.grid.cluster
        if size == SINGLE:
            return self.group
        at = workgroups.at(self.group)
        clusters = Extent(*(-(-n // c) for n, c in zip(workgroups, size, strict=True)))
        x, y, z = (n // c for n, c in zip(at, size, strict=True))
        return x + clusters.x * (y + clusters.y * z)


class ThreadPlace(NamedTuple):
    """A thread as models see it: its number, its lane, and its subgroup."""

    thread: int
    lane: int
    subgroup: Subgroup

    @property
    def invocation(self) -> int:
        """The thread's number in its workgroup as the program sees it: lanes that were not launched are
        counted."""
        return self.subgroup.base + self.lane

    @property
    def local_id(self) -> Extent:
        """Where the thread is in its workgroup."""
        return self.subgroup.grid.workgroup.at(self.invocation)

    @property
    def group_id(self) -> Extent:
        """Where its workgroup is in the grid."""
        return self.subgroup.grid.workgroups.at(self.subgroup.group)

    @property
    def global_id(self) -> Extent:
        """Where the thread is among all."""
        return self.group_id.scaled(self.subgroup.grid.workgroup).moved(self.local_id)


Together = Callable[[Mapping[int, Operands], Subgroup], Mapping[int, RuntimeValue]]
"""The operands of a group by lane -> the results by lane (empty for ``void``)."""
Orders = Callable[[Sequence[int | None]], MemoryFence | None]
"""What a fence or a barrier orders (D-SYNC), by the call's operands, ``None`` where one is no constant: the
answer is ``None`` if that one matters."""
CLUSTER_BARRIER = "barrier of the cluster"
"""The name of barriers at which all workgroups of a cluster meet, not only one."""
ASYNC_COPY, ASYNC_WAIT = "async copy", "wait for async copies"
"""The names at which the threads of a workgroup meet for OpenCL's copies by the workgroup."""
BarrierName = Callable[[Sequence[int | None]], str | None]
"""Which barrier of the workgroup a call is at, by its operands as for :data:`Orders`; ``None`` for none."""
Members = Callable[[Sequence[int | None]], int | None]
"""How many threads a barrier waits for, by the call's operands as for :data:`Orders`; ``None`` if that one is
no constant."""
Alone = Callable[..., RuntimeValue]
"""Called with a thread's :class:`ThreadPlace` and its operands."""


class Uniform(NamedTuple):
    """That threads have to come to a barrier as one, else it is undefined: those of which scope, which
    document says so, and what it calls the barrier."""

    scope: Scope
    document: str
    kind: str = "barrier"


@dataclass(frozen=True, slots=True)
class Fencing:
    """A fence: it orders what ``orders`` says, and returns nothing. ``arrives``: at which barrier of the
    workgroup the thread arrives with it, for which it does not wait, with so many ``members``."""

    orders: Orders
    arrives: BarrierName | None = None
    members: Members | None = None


@dataclass(frozen=True, slots=True)
class Exchanging:
    """An operation that exchanges data (or only waits, as a barrier does) among its group.

    ``effect``: whether the outside sees the call as an event. ``follows``: whether each member's operands are
    followed by how many of its thread's calls may have written what this one reads. ``orders``: for a
    barrier, what it orders; ``workgroup``: and which barrier of the workgroup it is. ``wide``: there it
    exchanges among all threads of the workgroup, by their numbers in it. ``parts``: there each thread comes
    for itself, whatever its launch group does, as many as ``members`` says if it does. ``arrives``: to wait
    for a barrier is to arrive at it, too. ``uniform``: of a barrier, whether
    threads have to come to it as one. ``accesses``: each member does the access to memory that the call is by
    its name: before it comes, or, with ``behind``, when it goes on, and after that this fence.
    """

    together: Together
    effect: bool = False
    follows: bool = False
    orders: Orders | None = None
    workgroup: BarrierName | None = None
    wide: bool = False
    parts: bool = False
    members: Members | None = None
    arrives: bool = True
    uniform: Uniform | None = None
    accesses: bool = False
    behind: Fencing | None = None


@dataclass(frozen=True, slots=True)
class PerThread:
    """An operation whose result depends on the thread and its operands alone."""

    alone: Alone


@dataclass(frozen=True, slots=True)
class AboutObject:
    """A question about the object that a pointer is based on: ``holds`` is asked with the address space in
    which it was declared, and whether it is a stack object. ``casts``: the answer is the pointer, in the
    result's address space, or null."""

    holds: Callable[[int, bool], bool]
    casts: bool = False


Model = Exchanging | PerThread | Fencing | AboutObject
Prepare = Callable[[Callee], Model | None]
"""``None``: this call's types do not fit; another model may."""


Operations = tuple[tuple[str, Prepare], ...]
"""Operations of one target or language: the pattern of the whole name, and how to prepare a call."""


class Family(NamedTuple):
    """Operations whose names all begin with one of ``prefixes``."""

    prefixes: tuple[str, ...]
    operations: Operations
