"""Candidate dynamic instances, and what each one's convergence hangs from.

The axiomatic engine has no keys: the rules are constraints between pairs of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import z3

from ...alignment import BlockVisit, DynamicInstance, StaticInstance
from ...ir import Type
from ...semantics import UndefinedBehaviour
from ...semantics.convergence import LaunchGroup
from ...semantics.machine import ObservedEvent
from ...semantics.machine.machine import BarrierMeeting
from ...semantics.memory.synchronisation import MemoryFence, Storage
from ...semantics.operations import Exchanging
from ...semantics.values import NOTHING, Needs, RuntimeValue


@dataclass(frozen=True, slots=True, eq=False)
class FrameEntry:
    """``entry`` in a frame that was launched, or called by ``root``."""

    root: Root


@dataclass(frozen=True, slots=True, eq=False)
class Beat:
    """``loop``, executed for the ``n``-th time with ``token``."""

    token: Instance
    n: int


@dataclass(frozen=True, slots=True, eq=False)
class Uses:
    """Any other controlled operation, with ``token``."""

    token: Instance


@dataclass(frozen=True, slots=True, eq=False)
class CaseInstance:
    """With what a thread comes to an anchor that has a bound. To a case of a switch (R-CASE): ``token`` is
    the one that it had at the switch, ``value`` the bits of what brought it here, or the case that it fell
    out of. Where ways meet (R-UNIFORM) there is no token, and the value is what its way hangs from."""

    token: Instance | None
    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class WayInstance:
    """``anchor`` where a way begins or goes on (R-UNIFORM), ``before`` on it; ``value`` are the bits by which
    a switch led there, or ``None``."""

    before: Instance | LaunchGroup
    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Anchored:
    """``anchor``; of one that has a bound with what the thread came (``case``)."""

    case: CaseInstance | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Uncontrolled:
    """An uncontrolled operation in a frame called by ``root``, after the header instance ``header``."""

    root: Root | None
    header: HeaderInstance | None


@dataclass(frozen=True, slots=True, eq=False)
class FreeEntry:
    """A call that is no convergent operation but reaches ``entry`` (D-CALL): not in the alignment."""


Hangs = FrameEntry | Beat | Uses | Anchored | WayInstance | Uncontrolled | FreeEntry


@dataclass(frozen=True, slots=True, eq=False)
class HeaderInstance:
    """The ``n``-th execution of a cycle's header in a frame since ``base`` (D-FREE, mode maximal)."""

    frame: Root
    function: str
    block: str
    base: HeaderInstance | None
    n: int


@dataclass(frozen=True, slots=True, eq=False)
class PlainCall:
    """A call that is no convergent operation, as mode maximal sees it (D-CALL): its frame, the header
    instance around it, and the tokens whose regions contain it."""

    site: StaticInstance
    frame: Root
    header: HeaderInstance | None
    tokens: tuple[Instance, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ExchangeCall:
    """What an instance of an exchange asks its model: ``types`` are its operands', ``type`` its result's."""

    callee: str
    types: tuple[Type, ...]
    type: Type
    model: Exchanging
    stands_in: bool


@dataclass(slots=True, eq=False)
class Instance:
    """An instance of a convergent operation or control intrinsic on a thread's candidate trace.

    ``number``    unique; ``node`` the piece of the trace on which it lies
    ``hangs``     what the rules look at
    ``previous``  the thread's instance before it; ``None`` for the first
    ``visit``     its block visit's place in the trace
    ``frame``     its activation's number
    ``call``      for an exchange: what its model is asked, with ``operands``; ``result`` is an unknown,
                  ``picks`` one where results are no terms
    ``needs``     what its operands and its being executed depend on (D-CAUSE)
    ``released``  for a barrier: its thread's last release fence before it, per storage class; ``wide`` the
                  last one for at least its workgroup
    ``meeting``   for a barrier at which launch groups meet: which one it is
    """

    number: int
    thread: int
    launch: LaunchGroup
    site: StaticInstance
    nth: int
    node: TraceNode
    hangs: Hangs
    previous: Instance | None
    visit: int
    frame: int
    operands: tuple[Any, ...] = ()
    result: RuntimeValue | None = None
    call: ExchangeCall | None = None
    picks: Any = None
    needs: Needs = NOTHING
    released: Mapping[Storage, MemoryEvent] | None = None
    wide: Mapping[Storage, MemoryEvent] | None = None
    meeting: BarrierMeeting | None = None

    @property
    def recorded(self) -> bool:
        """Whether it takes part in the alignment and in D-ORDER."""
        return not isinstance(self.hangs, FreeEntry)

    @property
    def dynamic(self) -> DynamicInstance:
        return DynamicInstance(self.thread, self.site, self.nth)

    def __repr__(self) -> str:
        return f"@{self.site.function}:{self.site.index} thread {self.thread} #{self.nth}"


Root = Instance | LaunchGroup | PlainCall
"""What a frame's convergence hangs from: its call-site instance, or the launch."""


# -- A thread's candidate traces as a tree: a node is the trace between two questions
# What a thread does depends on what it does not know alone: results of exchanges and of reads. Where
# that decides how it goes on, its trace branches. Nodes are made when the solver finds that they matter.


@dataclass(frozen=True, slots=True)
class OtherAddress:
    """Any answer to where an access to shared memory goes, or a read of the thread's own or of constants,
    but those that are known: the trace goes on as if it were ``address``. What stands behind is the same for
    every one: what a read gives is an unknown, and a write to shared memory leaves nothing in the thread. An
    execution has no such piece: in the end the answer is computed."""

    address: int


Answer = bool | int | OtherAddress


class ActivationPlace(NamedTuple):
    """Where a thread stands in an activation: its number, function and instruction, what it hangs from
    (``None``: nobody knows), and the most recent header of each cycle (D-FREE, mode maximal)."""

    number: int
    function: str
    at: int
    root: Root | None
    recent: Mapping[int, HeaderInstance]


@dataclass(frozen=True, slots=True)
class Query:
    """What has to be known before a thread can go on: a truth value, a number, or which of the values that
    a result turned out to have (``pick``: an unknown index, for values that are no terms).

    ``needs`` is what it depends on, ``behind`` what everything behind it depends on: the same if the answer
    ``steers`` the thread, and else what has led here. ``accesses`` is what every access to shared memory
    behind it comes after: where the address of one is asked (``sharing``), its needs, too (D-MEM);
    ``supposable`` says whether the trace may go on without it (:class:`OtherAddress`). ``stack`` is where the
    thread stands, its innermost activation last.
    """

    term: z3.ExprRef
    needs: Needs
    behind: Needs
    steers: bool
    sharing: bool
    supposable: bool
    stack: tuple[ActivationPlace, ...]

    @property
    def accesses(self) -> Needs:
        return self.needs if self.sharing else self.behind

    def condition(self, answer: Answer) -> z3.BoolRef:
        """That the answer is this one."""
        match answer:
            case bool():
                return self.term if answer else z3.Not(self.term)
            case int():
                return self.term == answer
            case OtherAddress():
                raise AssertionError("what is supposed is none of the answers")


Place = tuple[int, int, int]
"""Bytes of an object: (object, from, to)."""


@dataclass(slots=True, eq=False)
class MemoryEvent:
    """An access to shared memory on a candidate trace, reading or not.

    ``number`` is unique; ``operands`` are the instruction's, in order, as terms; ``touches`` the places that
    it touches, ``written`` those of them that it may write; ``result`` is an unknown, of ``type`` (``None``
    for one that reads nothing); ``needs`` is what its operands and its being executed depend on. ``own``: it
    is of a stack object of its thread that others could know, but do not touch: it has its place in the
    order, and is done already. So is a ``fence``, behind the ``barriers`` that it may acquire from.
    """

    number: int
    thread: int
    node: TraceNode
    site: StaticInstance
    operands: tuple[Any, ...]
    touches: frozenset[Place]
    written: frozenset[Place]
    previous: MemoryEvent | None
    needs: Needs
    result: Any = None
    type: Type | None = None
    picks: Any = None
    own: bool = False
    fence: MemoryFence | None = None
    barriers: tuple[Instance, ...] = ()

    def __repr__(self) -> str:
        return f"@{self.site.function}:{self.site.index} thread {self.thread} (access)"


def meet(a: Place, b: Place) -> bool:
    """Whether two places have a byte in common."""
    return a[0] == b[0] and a[1] < b[2] and b[1] < a[2]


@dataclass(frozen=True, slots=True)
class Trace:
    """A complete trace: how the thread ended (``returned`` or ``exited``), and what is left to look at.
    ``events`` are not yet in numbers: operands and results are :class:`Later`, a convergent call's group is
    known by its :class:`Instance`. ``own`` is what its thread_local variables hold, by name, with types."""

    ended: str
    value: Any
    visits: tuple[BlockVisit, ...]
    events: tuple[ObservedEvent, ...]
    own: tuple[tuple[str, Type, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Stopped:
    """The trace ends before the thread does: ``reason`` is an ``UndefinedBehaviour``, ``NotModelled`` or
    ``OutOfBound`` ending, or the UsageError to raise."""

    reason: Any


@dataclass(slots=True, eq=False)
class TraceNode:
    """A piece of a trace: ``answers`` lead to it, ``act`` says that the thread takes it, ``end`` is where
    it leads. ``path`` are the thread's instances up to its end, ``readings`` its accesses to shared memory.
    ``results`` are what operations returned that ask no one else, by instance. ``undefined``: what is
    undefined on the way to its end, and what that needs to be known; the thread went on meanwhile."""

    thread: int
    number: int
    answers: tuple[Answer, ...]
    parent: TraceNode | None
    act: z3.BoolRef
    path: list[Instance] = field(default_factory=list)
    readings: list[MemoryEvent] = field(default_factory=list)
    results: dict[Instance, Any] = field(default_factory=dict)
    own: int = 0
    own_readings: int = 0
    end: Query | Trace | Stopped | None = None
    children: dict[Answer, TraceNode] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    undefined: tuple[UndefinedBehaviour, Needs] | None = None

    @property
    def instances(self) -> list[Instance]:
        """Those between the last question and this node's end."""
        return self.path[self.own :]

    @property
    def ends_open(self) -> bool:
        """Whether a question stands at its end."""
        return isinstance(self.end, Query)

    @property
    def last(self) -> Instance | None:
        """The thread's latest instance in the alignment when it comes to the end of this node."""
        return next((i for i in reversed(self.path) if i.recorded), None)

    @property
    def questions(self) -> list[z3.ExprRef]:
        """What ``answers`` answer, in order."""
        queries: list[z3.ExprRef] = []
        node = self.parent
        while node is not None:
            assert isinstance(node.end, Query)
            queries.append(node.end.term)
            node = node.parent
        return queries[::-1]

    def branches(self) -> Iterator[TraceNode]:
        """This node and all below."""
        yield self
        for child in self.children.values():
            yield from child.branches()
