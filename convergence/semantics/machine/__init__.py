"""The inventory of a run: program, launch, choices, log, outcome, and ``run`` itself.

Here: the choices of a run, and its log: what happened, in order; and what a run was, as functions of it.

A run only appends. Events are frozen, and a closed set. What can be said of a run when it is over, its
traces, its groups, what its threads returned and what the outside saw, is computed from the log when it is
asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from random import Random
from reprlib import repr as short
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from ...alignment import BlockVisit, DynamicInstance, StaticInstance
from ...frozen import Json, dataclass
from ..memory import Touch
from ..values import Later, Reading, RuntimeValue, settled

if TYPE_CHECKING:
    from ...ir import Type
    from ...rules import Rule
    from ..convergence import Key


# -- What the outside sees (semantics.md, §6, *Events*)


@dataclass(frozen=True, slots=True)
class Called:
    """A call of a declared function with side effects.

    ``group`` is, for a convergent call, each member's thread and the number (from 1) of its own
    event there; ``None`` for a call that is not convergent. ``memory`` is what its thread had written of
    what the callee may read, by object and offset; nothing but in a refinement.
    """

    instance: DynamicInstance
    callee: str
    operands: tuple[object, ...]
    result: object
    group: Mapping[int, int] | None = None
    memory: tuple[tuple[str | int, int, Json], ...] = ()


@dataclass(frozen=True, slots=True)
class VolatileAccess:
    """A volatile access; ``operands`` and ``result`` as for a call."""

    instance: DynamicInstance
    operation: str
    operands: tuple[object, ...]
    result: object


Event = Called | VolatileAccess


# -- What happens


class Entered(NamedTuple):
    """A thread enters a new activation, number ``frame``, from ``caller`` by ``call``; none at the launch."""

    thread: int
    frame: int
    caller: int | None
    call: StaticInstance | None


class ReturnEvent(NamedTuple):
    """A thread returned from an activation, and goes on in ``frame``."""

    thread: int
    frame: int


class Visited(NamedTuple):
    """A thread enters a block, in the activation in which it is."""

    thread: int
    function: str
    block: str


class MaskVisited(NamedTuple):
    """Lanes of a wave enter a block, each in the activation in which it is: what native code says for as many
    :class:`Visited`. Bit i of ``mask`` is the i-th thread from ``first`` on."""

    first: int
    mask: int
    function: str
    block: str

    @property
    def threads(self) -> Iterator[int]:
        """The threads, in order."""
        return (self.first + n for n in range(self.mask.bit_length()) if self.mask >> n & 1)


class Passed(NamedTuple):
    """A thread enters so many ``blocks`` of a function, one after the other, in the activation in which it
    is: what native code says for as many :class:`Visited`. ``numbers`` are those of their ``names``; ``None``
    where there were too many to keep (:class:`Forgotten`)."""

    thread: int
    function: str
    names: tuple[str, ...]
    blocks: int
    numbers: Sequence[int] | None


class PassedThrough(NamedTuple):
    """All of a launch's ``threads`` went from their beginning to their return without anybody who attended
    to them: they entered so many ``blocks``; ``exchanges``: some that they came to are events; ``volatile``:
    some of their accesses may be; ``values`` are what they returned, if that is something. What they executed
    is not recorded (:class:`Forgotten`)."""

    threads: int
    blocks: int
    exchanges: bool
    volatile: bool
    values: tuple[RuntimeValue, ...] | None


class Executed(NamedTuple):
    """A thread executes an instance of a convergent operation or control intrinsic, in the block in which it
    is. ``slot`` is the issue slot of a lock-step machine, which says there who is together."""

    thread: int
    site: StaticInstance
    nth: int
    key: Key
    slot: int | None = None


class Result(NamedTuple):
    """What a thread's instance with this key returned; one that was to come is, at the end, there."""

    thread: int
    key: Key
    value: RuntimeValue


class ObservedEvent(NamedTuple):
    """The outside sees an event, number ``number`` (from 1) of its thread. ``together`` is what a convergent
    call's group is known by, such as its key: the group itself is known when the run is over. What is to come
    of the event is :class:`Later`."""

    thread: int
    number: int
    event: Event
    together: Hashable | None


class Accessed(NamedTuple):
    """A thread touches an object that is not its own; ``owner`` is whose stack it is on, ``None`` for a
    variable. Logged the first time only (:meth:`Log.access`)."""

    thread: int
    touched: Touch
    owner: int | None


class Queued(NamedTuple):
    """A thread issues an access to its queue, from which it is performed later. Logged where the order of
    accesses is asked for."""

    thread: int
    site: StaticInstance


class Performed(NamedTuple):
    """The access that was issued at place ``issued`` of the log is performed."""

    thread: int
    issued: int
    touches: tuple[Touch, ...]


class Issued(NamedTuple):
    """A lock-step machine issues the IR instruction numbered ``at``, in a block given by its number, for a
    mask of a wave's lanes; ``slot`` numbers what the wave issues. Phis and control intrinsics are not issued:
    a phi is a part of the branch that leads to it, and control intrinsics are no machine's operations."""

    slot: int
    wave: int
    function: str
    block: int
    at: int
    mask: int


class Ended(NamedTuple):
    """A thread ``returned`` a value, or ``exited``; ``off`` is one that was never launched."""

    thread: int
    how: str
    value: Any


@dataclass(frozen=True, slots=True)
class Stepped:
    """A thread executed an instruction. Logged in a ``detailed`` log only.

    ``frame`` is its activation's number; ``result`` the name of what it defined and ``value`` that
    value as plain data, both ``None`` if there is none. For a convergent operation or control
    intrinsic ``key`` is its key, ``nth`` says which instance it is and ``rule`` gave the key; for
    an exchange ``group`` are the threads that communicated.
    """

    thread: int
    frame: int
    site: StaticInstance
    result: str | None = None
    value: Json = None
    key: Key | None = None
    nth: int | None = None
    rule: Rule | None = None
    group: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Arrived:
    """A thread came to an exchange and waits for its group. Logged in a ``detailed`` log only."""

    thread: int
    frame: int
    site: StaticInstance
    key: Key
    nth: int
    rule: Rule


LogEvent = (
    Entered
    | ReturnEvent
    | Visited
    | MaskVisited
    | Passed
    | PassedThrough
    | Executed
    | Result
    | ObservedEvent
    | Accessed
    | Queued
    | Performed
    | Issued
    | Stepped
    | Arrived
    | Ended
)
TraceEvent = Stepped | Arrived


class EncounterRecord(Protocol):
    """What threads found out about each other in shared memory (:mod:`..memory.synchronisation`):
    whether they ``conflict``, whether something ``synchronised`` them, whether they may race, and whether an
    access may have been ``atomic``."""

    atomic: bool

    @property
    def conflict(self) -> bool: ...
    @property
    def synchronised(self) -> bool: ...
    @property
    def suspicious(self) -> bool: ...


E = TypeVar("E", bound=LogEvent)


class Log(list[LogEvent]):
    """All events, in order: they are only ever appended. A ``detailed`` one has every step: only ``--trace``
    asks for these, and they are many. An ``attentive`` one looks at the threads when they come to a block:
    nothing may run natively then, which says afterwards where threads were. ``encounters`` stand for the
    accesses of a native run to shared objects, which are no events."""

    __slots__ = ("_by_class", "_sorted", "_touched", "attentive", "detailed", "encounters")

    def __init__(self, detailed: bool = False, attentive: bool = False) -> None:
        super().__init__()
        self.detailed, self.attentive = detailed, attentive
        self.encounters: EncounterRecord | None = None
        self._touched: set[tuple[int, int, int, int, bool]] = set()
        self._by_class: dict[type[Any], list[Any]] = {}
        self._sorted = 0

    def of(self, kind: type[E], exchanged: bool = True) -> Sequence[E]:
        """The events of one class, in order; not ``exchanged``: perhaps without those of exchanges. What was
        appended is sorted by class once: much of what is said of a run is said of few of its events."""
        by_class = self._by_class
        if self._sorted != len(self):
            for event in islice(self, self._sorted, None):
                mine = by_class.get(event.__class__)
                if mine is None:
                    by_class[event.__class__] = [event]
                else:
                    mine.append(event)
            self._sorted = len(self)
        return by_class.get(kind, ())

    def launched(self, threads: Sequence[Any]) -> None:
        """Is told of the threads of the run before the first of them begins: what an attentive log looks
        at."""

    def access(self, thread: int, number: int, start: int, stop: int, write: bool, owner: int | None) -> None:
        """Logs an access, once: who touches the same bytes of object ``number`` again meets nobody else, so
        that a loop does not say it without end."""
        place = thread, number, start, stop, write
        if place not in self._touched:
            self._touched.add(place)
            self.append(Accessed(thread, Touch(number, start, stop, write), owner))


class Tracer(Protocol):
    """Is told every trace event, in the order in which the machine did it."""

    def tell(self, event: TraceEvent) -> None: ...


class TracedLog(Log):
    """A detailed log whose steps are told while the run goes on, and not kept."""

    __slots__ = ("_tracer",)

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(detailed=True)
        self._tracer = tracer

    def append(self, event: LogEvent) -> None:
        if isinstance(event, TraceEvent):
            self._tracer.tell(event)
        else:
            super().append(event)


# -- What a run was


class Forgotten(Exception):
    """The log of a long native run has not kept what is asked for: the reference makes the run again."""


def forgets(log: Log) -> bool:
    """Whether some visits of blocks were counted only."""
    return bool(log.of(PassedThrough)) or any(event.numbers is None for event in log.of(Passed))


def events_unseen(log: Log) -> bool:
    """Whether there may be events that are not recorded, of exchanges or of volatile accesses."""
    return any(event.exchanges or event.volatile for event in log.of(PassedThrough))


def visits(event: Passed) -> Iterator[str]:
    """The names of the blocks. Raises Forgotten."""
    if event.numbers is None:
        raise Forgotten
    names = event.names
    return (names[number] for number in event.numbers)


def each_visit(events: Iterable[LogEvent]) -> Iterator[LogEvent]:
    """The events, with one for each visit of a block. Raises Forgotten."""
    for event in events:
        if event.__class__ is Visited:
            yield event
        elif isinstance(event, Passed):
            yield from (Visited(event.thread, event.function, block) for block in visits(event))
        elif isinstance(event, MaskVisited):
            yield from (Visited(thread, event.function, event.block) for thread in event.threads)
        elif isinstance(event, PassedThrough):
            raise Forgotten
        else:
            yield event


def every_visit(log: Log) -> Iterable[Visited]:
    """The visits of blocks, in order. Raises Forgotten."""
    if bool(log.of(Passed)) or bool(log.of(MaskVisited)) or bool(log.of(PassedThrough)):
        return (event for event in each_visit(log) if isinstance(event, Visited))
    return log.of(Visited)


def trace_events(log: Log) -> Iterator[TraceEvent]:
    """The steps of a detailed log."""
    return (event for event in log if isinstance(event, TraceEvent))


class Strand:
    """One thread's part of an execution: ``instances`` are what it executed, in order, each with its key.

    ``visited``  its block visits: the activation, the function, the block, and the instances there
    ``frames``   by activation the one that called it, and where
    ``here``     the instances of the block visit in which it is; ``inside`` the same by activation
    ``frame``    the activation in which it is
    """

    __slots__ = ("frame", "frames", "here", "inside", "instances", "visited")

    def __init__(self) -> None:
        self.instances: list[tuple[DynamicInstance, Key]] = []
        self.visited: list[tuple[int, str, str, list[DynamicInstance]]] = []
        self.frames: dict[int, tuple[int | None, StaticInstance | None]] = {}
        self.here: list[DynamicInstance] = []
        self.inside: dict[int, list[DynamicInstance]] = {}
        self.frame = -1

    @property
    def visits(self) -> tuple[BlockVisit, ...]:
        """The thread's trace: the blocks it entered, in order, with the instances that it executed there."""
        visits = []
        for frame, function, block, instances in self.visited:
            caller, call = self.frames[frame]
            visits.append(BlockVisit(frame, caller, function, block, tuple(instances), call))
        return tuple(visits)


def strands(log: Log, threads: int) -> tuple[Strand, ...]:
    """The log, thread by thread. One loop without calls, for every execution of an enumeration comes here."""
    strands = tuple([Strand() for _ in range(threads)])
    for event in log:
        if isinstance(event, Visited):
            thread, function, block = event
            strand = strands[thread]
            strand.here = strand.inside[strand.frame] = []
            strand.visited.append((strand.frame, function, block, strand.here))
        elif isinstance(event, Executed):
            strand = strands[event.thread]
            instance = DynamicInstance(event.thread, event.site, event.nth)
            strand.here.append(instance)
            strand.instances.append((instance, event.key))
        elif isinstance(event, Passed):
            strand = strands[event.thread]
            for block in visits(event):
                strand.here = strand.inside[strand.frame] = []
                strand.visited.append((strand.frame, event.function, block, strand.here))
        elif isinstance(event, MaskVisited):
            for thread in event.threads:
                strand = strands[thread]
                strand.here = strand.inside[strand.frame] = []
                strand.visited.append((strand.frame, event.function, event.block, strand.here))
        elif isinstance(event, Entered):
            strand = strands[event.thread]
            strand.frame = event.frame
            strand.frames[event.frame] = event.caller, event.call
        elif isinstance(event, ReturnEvent):
            strand = strands[event.thread]
            strand.frame = event.frame
            strand.here = strand.inside[event.frame]
        elif isinstance(event, Ended) and event.how == "off":
            strands[event.thread].visited.clear()
        elif isinstance(event, PassedThrough):
            raise Forgotten
    return strands


def passes(log: Log) -> int:
    """How often threads passed through blocks, without making their traces of it."""
    count = 0
    for event in log:
        match event:
            case Visited():
                count += 1
            case MaskVisited(mask=mask):
                count += mask.bit_count()
            case Passed(blocks=blocks) | PassedThrough(blocks=blocks):
                count += blocks
            case _:
                pass
    return count


def results(log: Log) -> Mapping[Key, Mapping[int, RuntimeValue]]:
    """What each instance returned, by key and thread."""
    results: dict[Key, dict[int, RuntimeValue]] = {}
    for thread, key, value in log.of(Result):
        results.setdefault(key, {})[thread] = settled(value)
    return results


def ended(log: Log, threads: int) -> Mapping[int, Ended]:
    """How each thread ended, if it did: what it did last, but for a lane that was woken. Its value may have
    been to come; it is there when the run is over."""
    endings: dict[int, Ended | None] = {}
    for event in reversed(log):
        if len(endings) == threads:
            break
        if isinstance(event, Ended):
            endings.setdefault(event.thread, event)
        elif isinstance(event, Visited | Passed):
            endings.setdefault(event.thread, None)
        elif isinstance(event, MaskVisited):
            for thread in event.threads:
                endings.setdefault(thread, None)
        elif isinstance(event, PassedThrough):
            for thread in range(event.threads):
                value = None if event.values is None else event.values[thread]
                endings.setdefault(thread, Ended(thread, "returned", value))
    return {thread: end for thread, end in endings.items() if end is not None}


def events(log: Log, plain: Callable[[Any, Type], Json]) -> Mapping[int, tuple[Event, ...]]:
    """What the outside saw of each thread of which it saw something, in order, with groups; those of a
    lock-step machine are its issue slots. ``plain`` makes plain data of values."""
    observed = log.of(ObservedEvent)
    if not observed:
        return {}
    if any(observation.together is not None for observation in observed):
        executed = [event for event in log.of(Executed) if event.slot is not None]
        slots: dict[Hashable, Hashable] = {(event.thread, event.key): event.slot for event in executed}
        observed = [
            observation._replace(
                together=slots.get((observation.thread, observation.together), observation.together)
            )
            for observation in observed
        ]

    def known(shown: Later) -> Json:
        """``"unfinished"`` in a run that stopped before."""
        return plain(shown.value.value, shown.type) if shown.value.ready else "unfinished"

    return complete(observed, known)


def complete(
    observed: Iterable[ObservedEvent], known: Callable[[Later], Json]
) -> Mapping[int, tuple[Event, ...]]:
    """By thread what the outside saw of it, in order, with groups, and with what was to come as ``known``
    gives it."""
    by_thread: dict[int, dict[int, ObservedEvent]] = {}
    groups: dict[Hashable, dict[int, int]] = {}
    for event in observed:
        by_thread.setdefault(event.thread, {})[event.number] = event
        if event.together is not None:
            groups.setdefault(event.together, {})[event.thread] = event.number

    def shown(value: object) -> object:
        return known(value) if isinstance(value, Later) else value

    def completed(event: ObservedEvent) -> Event:
        group = None if event.together is None else dict(sorted(groups[event.together].items()))
        match event.event:
            case Called(instance, callee, operands, result):
                read = [o.places for o in operands if isinstance(o, Reading)]
                operands_shown = tuple(shown(o) for o in operands if not isinstance(o, Reading))
                return Called(instance, callee, operands_shown, shown(result), group, read[0] if read else ())
            case VolatileAccess(instance, operation, operands, result):
                return VolatileAccess(instance, operation, tuple(map(shown, operands)), shown(result))

    return {
        thread: tuple(completed(numbered[number]) for number in sorted(numbered))
        for thread, numbered in by_thread.items()
    }


def accessed(log: Log) -> Sequence[Accessed]:
    """What threads touched of objects that are not their own."""
    return log.of(Accessed)


def meet(log: Log) -> bool:
    """Whether two threads touched a byte that one of them wrote."""
    return _encounter(log) or _meet(accessed(log))


def _encounter(log: Log) -> bool:
    return log.encounters is not None and log.encounters.conflict


def _meet(accesses: Iterable[Accessed]) -> bool:
    objects: dict[int, list[tuple[int, int, int, bool]]] = {}
    for thread, touched, _ in accesses:
        objects.setdefault(touched.object, []).append((touched.start, touched.stop, thread, touched.write))
    return any(_overlap(sorted(places)) for places in objects.values())


def _overlap(places: list[tuple[int, int, int, bool]]) -> bool:
    """Whether two threads' places in one object, by their start, overlap, of which one is written."""
    # by whether written: the furthest end and whose it is, and the furthest end of all others
    ends: dict[bool, tuple[int, int, int]] = {True: (-1, -1, -1), False: (-1, -1, -1)}
    for start, stop, thread, write in places:
        for other_write, (furthest, owner, second) in ends.items():
            if (write or other_write) and (second if owner == thread else furthest) > start:
                return True
        furthest, owner, second = ends[write]
        if owner == thread:
            ends[write] = max(stop, furthest), owner, second
        elif stop > furthest:
            ends[write] = stop, thread, furthest
        else:
            ends[write] = furthest, owner, max(stop, second)
    return False


def depends_on_order(log: Log) -> bool:
    """Whether other orders of accesses could give other values: threads meet, or one is on another's stack,
    whose own accesses are not logged."""
    accesses = accessed(log)
    return any(event.owner is not None for event in accesses) or _encounter(log) or _meet(accesses)


def may_race(log: Log) -> bool:
    """Whether accesses that depend on their order may race, as far as is known without watching them."""
    return (
        log.encounters is None
        or log.encounters.suspicious
        or (any(event.owner is not None for event in accessed(log)) or _meet(accessed(log)))
    )


# ----------------------------------------------------------------------------------------------------------
# Free choices as labelled values: one run is a function of its list of choices.
#
# Choice points are an anchor's label, the label of an uncontrolled operation, which group is closed
# when every thread waits and none is certain, and which memory access is performed next. Options
# are ordered, option 0 first: it is the most converged one.
# ----------------------------------------------------------------------------------------------------------

T = TypeVar("T")


class Chooser(Protocol):
    """Answers every choice of a run. ``label`` says what is chosen, such as ``anchor %t thread 2``."""

    def choose(self, label: str, options: Sequence[T]) -> T: ...


class MostConverged:
    """Takes the first option each time."""

    def choose(self, label: str, options: Sequence[T]) -> T:
        return options[0]


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice that was made: what for, how many options there were, and which was taken (from 0)."""

    label: str
    options: int
    option: int


class Replay:
    """Takes the recorded choices, then the first option each time; records what it did.

    Raises ValueError if the recording does not fit the run: it is of another program or launch.
    """

    def __init__(self, recorded: Sequence[int] = ()) -> None:
        self._recorded = tuple(recorded)
        self.choices: list[Choice] = []

    def restart(self) -> None:
        """From the first choice again."""
        self.choices = []

    def choose(self, label: str, options: Sequence[T]) -> T:
        at = len(self.choices)
        taken = self._recorded[at] if at < len(self._recorded) else 0
        if not 0 <= taken < len(options):
            raise ValueError(f"choice {at} is {taken}, but {label} has {len(options)} options")
        self.choices.append(Choice(label, len(options), taken))
        return options[taken]


class AskedOnce(Replay):
    """Takes what another chooser takes, which is asked once for each choice: a run that is made again, as one
    that is watched for races is, has the same ones, as far as it comes to the same. It is asked anew from
    where the run goes another way."""

    def __init__(self, chooser: Chooser) -> None:
        super().__init__()
        self._chooser = chooser
        self._made: list[Choice] = []

    def restart(self) -> None:
        if len(self.choices) > len(self._made):
            self._made = self.choices
        super().restart()

    def choose(self, label: str, options: Sequence[T]) -> T:
        at = len(self.choices)
        made = self._made[at] if at < len(self._made) else None
        if made is None or (made.label, made.options) != (label, len(options)):
            del self._made[at:]
            made = Choice(label, len(options), self._asked(label, options))
        self.choices.append(made)
        return options[made.option]

    def _asked(self, label: str, options: Sequence[T]) -> int:
        """The place of what the other one takes. Raises TypeError for what is no option."""
        taken = self._chooser.choose(label, options)
        for place, option in enumerate(options):
            if option is taken or option == taken:
                return place
        raise TypeError(
            f"{label}: the chooser took {short(taken)}, which is none of the {len(options)} options"
        )


class Sample(Replay):
    """Takes an option at random each time, the same ones for the same ``seed``; records what it did."""

    def __init__(self, seed: int | str) -> None:
        super().__init__()
        self._seed = seed
        self._random = Random(seed)

    def restart(self) -> None:
        super().restart()
        self._random = Random(self._seed)

    def again(self) -> Sample:
        """The same choices once more."""
        return Sample(self._seed)

    def choose(self, label: str, options: Sequence[T]) -> T:
        taken = self._random.randrange(len(options))
        self.choices.append(Choice(label, len(options), taken))
        return options[taken]


R = TypeVar("R")


def executions(run: Callable[[Chooser], R]) -> Iterator[tuple[R, tuple[Choice, ...]]]:
    """Every run of ``run``, one for each list of choices, depth first, first options first."""
    recorded: list[int] = []
    while True:
        chooser = Replay(recorded)
        yield run(chooser), tuple(chooser.choices)
        choices = chooser.choices
        while choices and choices[-1].option + 1 == choices[-1].options:
            choices.pop()
        if not choices:
            return
        recorded = [c.option for c in choices[:-1]] + [choices[-1].option + 1]
