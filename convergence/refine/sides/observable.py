"""What the outside can see of an execution, and how what two sides show differs, as data."""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from math import lcm
from typing import Any, Literal

from ...frozen import Json, dataclass
from ...ir import ConstantExpression, FloatType, Global, Local, Operand, Type, VectorType
from ...ir import instructions as ir
from ...ir.calls import callee_name
from ...ir.instructions import (
    AtomicRMW,
    CallSite,
    CmpXchg,
    Conversion,
    Freeze,
    GetElementPtr,
    Instruction,
    Phi,
    Select,
    Store,
)
from ...ir.module import Function, Module, is_hidden
from ...ir.resources import points_to_resource, writes_resource
from ...ir.targets import is_launched
from ...sched.lockstep.conform import Departure
from ...semantics import Endless
from ...semantics.machine import Called, Event
from ...semantics.machine.program import Program
from ...semantics.machine.run import Contents, Outcome, ThreadOutcome
from ...semantics.memory.synchronisation import LOCAL_SPACE
from ...semantics.operations import Effects, overwritten
from ...semantics.values import Place

# ----------------------------------------------------------------------------------------------------------
# How what two sides show differs, as data; the words are :mod:`convergence.report.refine`'.
#
# Every mismatch names the sides as they are: a comparison the other way round gives it :func:`swapped`.
# ----------------------------------------------------------------------------------------------------------

# ----------------------------------------------------------------------------------------------------------
# Where in one side's objects another side's addresses are, where nobody outside can name the objects.
#
# A variable with a linkage that hides it, workgroup memory, and a stack object have no name for the outside:
# a pass may rename one, put several into a struct, or take one apart (semantics.md, §6).
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UnnamedObjects:
    """``names`` of the objects that one side alone has, and that nobody outside can name; ``several``: the
    stack objects that there may be more than one of in a thread, for a function that is called has them.
    ``uncaptured``: by function without a model the operands, from 0, of which every call says that the
    pointer is not captured (LangRef, *captures*): nothing can depend on which stack object it is.
    ``stack``: the stack objects that a thread has once, where the sides give calls others of them: a name
    that both sides have says no more than one that is one side's."""

    names: frozenset[str] = frozenset()
    several: frozenset[str] = frozenset()
    uncaptured: Mapping[str, frozenset[int]] = field(default_factory=dict)
    stack: frozenset[str] = frozenset()

    def arguments(self, callee: str, arguments: list[Json]) -> list[Json]:
        """What a stand-in is made of (the thread, the operands, which call it is, and what was written), with
        stack objects that are not captured called by the operands."""
        uncaptured = self.uncaptured.get(callee)
        if not uncaptured or len(arguments) < 3 or not isinstance(arguments[1], list):
            return arguments
        thread, operands, number, *memory = arguments
        assert isinstance(operands, list)
        places = [m for m in memory if isinstance(m, list | tuple)]
        shown, written = _without_names(operands, places, uncaptured)
        return [thread, shown, number, *written]


ALL_NAMED = UnnamedObjects()
"""No objects but those that both sides have by one name."""


def _without_names(
    operands: Sequence[object], memory: Sequence[Sequence[Any]], uncaptured: frozenset[int]
) -> tuple[list[Any], list[list[Any]]]:
    """A call's operands, and what its thread had written (object, offset, byte), with stack objects whose
    pointers are not captured called by the operand. An object of several such operands has the first one's
    name; a place in it is as far from there as it is."""
    starts: dict[str, tuple[str, int]] = {}
    shown = list(operands)
    for number in sorted(uncaptured):
        place = shown[number] if number < len(shown) else None
        if isinstance(place, Place) and place.object.startswith("%"):
            name, start = starts.setdefault(place.object, (f"operand {number}", place.offset))
            shown[number] = f"{name}{place.offset - start:+d}"
    written: list[list[Any]] = []
    for name, offset, *rest in memory:
        whose, start = starts.get(str(name), (name, 0))
        # offsets below zero are counts of writes by calls, and no places
        written.append([whose, offset if offset < 0 else offset - start, *rest])
    return shown, written


class Correspondence:
    """Which address of the target is which of the source, as far as a comparison of two outcomes has come.

    What is in an ``unnamed`` object corresponds to the first place of the other side that is compared with
    it, and from then on to no other. So the same places are the same, and different ones differ, whatever
    they are called. A stack object of a function that is called may be several of the other side's.
    """

    def __init__(self, unnamed: UnnamedObjects) -> None:
        self._unnamed = unnamed
        self._sources: dict[tuple[int | None, Place], Place] = {}
        self._targets: dict[tuple[int | None, Place], Place] = {}

    def event(self, event: Called) -> Called:
        """A call with stack objects whose pointers it does not capture called by its operands."""
        uncaptured = self._unnamed.uncaptured.get(event.callee)
        if not uncaptured:
            return event
        operands, memory = _without_names(event.operands, event.memory, uncaptured)
        written = tuple((name, offset, byte) for name, offset, byte in memory)
        return replace(event, operands=tuple(operands), memory=written)

    def named(self, thread: int | None, source: object, target: object) -> object:
        """The target's data with addresses that correspond to the source's called as there. ``thread``: whose
        it is; none for what threads share."""
        if not self._unnamed.names and not self._unnamed.stack:
            return target
        if isinstance(source, Place) and isinstance(target, Place):
            return source if self._correspond(thread, source, target) else target
        if isinstance(source, list | tuple) and isinstance(target, list | tuple):
            if len(source) == len(target):
                return [self.named(thread, a, b) for a, b in zip(source, target, strict=True)]
        return target

    def _correspond(self, thread: int | None, source: Place, target: Place) -> bool:
        names, several = self._unnamed.names, self._unnamed.several
        if {source.object, target.object} <= self._unnamed.stack:
            if source.offset != target.offset:
                return False
            source, target = Place(source.object, 0), Place(target.object, 0)
        elif source != target and not (source.object in names or target.object in names):
            return False
        stack = target.object.startswith("%")
        if stack != source.object.startswith("%"):
            return False
        whose = thread if stack else None
        forks = self._targets.setdefault((whose, source), target) != target
        joins = self._sources.setdefault((whose, target), source) != source
        return not ((forks and source.object not in several) or (joins and target.object not in several))


# ----------------------------------------------------------------------------------------------------------
# What the outside can see of an execution without an end (semantics.md, §6): events, some of which come
# again for ever.
#
# A thread's events are a beginning and a *period* that is repeated. Two such threads show the same exactly if
# their events agree up to where both are in their periods, and for two rounds of both from there on: the
# numbers in the groups of events, too, for these grow by the same in each round of both periods.
# ----------------------------------------------------------------------------------------------------------

ENDED = "endless"
"""How a thread ends that does not: it goes round, or waits for what never comes."""
LONGEST = 200
"""Events of one thread in one period that are compared."""


def endless_outcome(ending: Endless, outcome: Outcome) -> Outcome | None:
    """What is seen of an execution that goes round; ``outcome`` is what was seen of it until that was known.
    Memory is looked at when an execution is over, so nobody looks at it. ``None`` where periods are not
    known, or one is too long, or where threads wait: what these may show is left open."""
    if ending.waiting or not ending.periods or any(period > LONGEST for _, period in ending.periods):
        return None
    threads = []
    for thread, (before, period) in zip(outcome.threads, ending.periods, strict=True):
        if thread.ended == "unfinished":
            events = thread.events[: before + period]
            threads.append(ThreadOutcome(thread.thread, ENDED, None, events, period=period))
        else:
            threads.append(thread)
    return Outcome(tuple(threads), {})


def is_endless(outcome: Outcome) -> bool:
    """Whether some thread never ends."""
    return any(thread.ended == ENDED for thread in outcome.threads)


def unrolled(outcome: Outcome, other: Outcome) -> tuple[Outcome, Outcome]:
    """Two outcomes with so many events of endless threads that they show the same if these are the same."""
    if not (is_endless(outcome) or is_endless(other)):
        return outcome, other
    endings, others = [], []
    for mine, theirs in zip(outcome.threads, other.threads, strict=True):
        beginning = max(len(mine.events), len(theirs.events))
        length = beginning + 2 * lcm(max(1, mine.period), max(1, theirs.period))
        common = min(len(mine.events), len(theirs.events))
        endings.append(_without_results(_until(mine, length, outcome.threads), common))
        others.append(_without_results(_until(theirs, length, other.threads), common))
    return Outcome(tuple(endings), outcome.memory), Outcome(tuple(others), other.memory)


def _until(thread: ThreadOutcome, length: int, threads: Sequence[ThreadOutcome]) -> ThreadOutcome:
    if not thread.period:
        return thread
    events = list(thread.events)
    again = thread.events[len(events) - thread.period :]
    rounds = 0
    while len(events) < length:
        rounds += 1
        events += [_later(event, rounds, threads) for event in again]
    return replace(thread, events=tuple(events[:length]), period=0)


def _without_results(thread: ThreadOutcome, since: int) -> ThreadOutcome:
    """The thread with no results of calls behind so many events: of what has no model they depend on how many
    calls went before, so that a round's are not the next one's; of all else they follow from the operands."""
    later = (replace(e, result=None) if isinstance(e, Called) else e for e in thread.events[since:])
    return replace(thread, events=(*thread.events[:since], *later))


def _later(event: Event, rounds: int, threads: Sequence[ThreadOutcome]) -> Event:
    """The event so many rounds later: the numbers in its group are those of that round."""
    if not isinstance(event, Called) or event.group is None:
        return event
    group = {thread: number + rounds * threads[thread].period for thread, number in event.group.items()}
    return replace(event, group=group)


SideName = Literal["source", "target"]
EventPart = Literal["callee", "operand count", "operand", "group", "memory", "result"]


@dataclass(frozen=True, slots=True)
class OnlyUndefined:
    """Only ``side`` has undefined behaviour, for this ``reason``."""

    side: SideName
    reason: str


@dataclass(frozen=True, slots=True)
class OnlyEndless:
    """Only ``side`` may run without an end; ``waits``: because threads wait, else because no execution that
    begins can be completed."""

    side: SideName
    waits: bool


@dataclass(frozen=True, slots=True)
class MaskFault:
    """In the lowered code of ``side`` a mask is wrong, and the run ends there."""

    side: SideName
    departure: Departure


@dataclass(frozen=True, slots=True)
class NoOutcome:
    """Only the other side than ``side`` has an outcome at all."""

    side: SideName


@dataclass(frozen=True, slots=True)
class ExtraEvent:
    """Only on ``side`` a ``thread`` has an event with this ``number`` (from 1), ``event``."""

    side: SideName
    thread: int
    number: int
    event: str


@dataclass(frozen=True, slots=True)
class EventMismatch:
    """A thread's event number ``number`` (from 1) differs in a ``part``.

    ``event`` is what both sides call it, nothing where that is what differs. A group is ``(thread, number
    of the event there)`` for each of its members.
    """

    thread: int
    number: int
    part: EventPart
    event: str
    source: object
    target: object


@dataclass(frozen=True, slots=True)
class EndMismatch:
    """How a thread ends differs: ``returned`` or ``exited``."""

    thread: int
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class ReturnMismatch:
    """What a thread returns differs."""

    thread: int
    source: object
    target: object


@dataclass(frozen=True, slots=True)
class MemoryMismatch:
    """What a variable holds at the end differs; ``name`` is as in :attr:`Outcome.memory`. ``thread`` is
    whose it is, where each thread has its own."""

    name: str
    source: object
    target: object
    thread: int | None = None


Mismatch = (
    OnlyUndefined | OnlyEndless | MaskFault | NoOutcome | ExtraEvent
    | EventMismatch | EndMismatch | ReturnMismatch | MemoryMismatch
)  # fmt: skip


def opposite(side: SideName) -> SideName:
    """The other side."""
    return "target" if side == "source" else "source"


def swapped(mismatch: Mismatch) -> Mismatch:
    """The same mismatch, with source and target exchanged."""
    match mismatch:
        case OnlyUndefined() | OnlyEndless() | MaskFault() | NoOutcome() | ExtraEvent():
            return replace(mismatch, side=opposite(mismatch.side))
        case EndMismatch(thread, source, target):
            return EndMismatch(thread, target, source)
        case EventMismatch() | ReturnMismatch() | MemoryMismatch():
            return replace(mismatch, source=mismatch.target, target=mismatch.source)


def progress(mismatch: Mismatch) -> tuple[int, int]:
    """How far executions agree before they differ: a mismatch at a later event, or at the end, is greater."""
    match mismatch:
        case ExtraEvent(number=number) | EventMismatch(number=number):
            return 0, number
        case _:
            return 1, 0


# -- What the outside can see of an execution, and when one outcome is refined by another (semantics.md, §6)
# Seen are, per thread, how it ends, its return value and its events in order, and the final contents of
# shared memory. An event is its callee, operands, result and group, the group as thread → the number of
# that thread's event: no name or place of an instruction. A scalar that is poison is refined by every
# value of its type, one that is undef by every value that is not poison; elements of vectors, arrays and
# structs, and of memory by the variable's type, are scalars of their own. Undef is not told apart by bit.

_FILLS = ("llvm.memset.", "llvm.memcpy.", "llvm.memmove.")
"""Intrinsics that write to where their first argument points."""


def nameable(module: Module) -> frozenset[str]:
    """The variables that functions outside of the module can name, as :attr:`Outcome.memory` names them: not
    those with internal or private linkage, which a transform may rewrite or remove."""
    return frozenset(variable.label for variable in module.globals.values() if not is_hidden(variable))


def visible(module: Module, launched: Function) -> frozenset[str]:
    """Those at whose contents the outside can look at the end. Workgroup memory ends with the kernel or
    compute shader that is launched; who calls another function looks at it."""
    if not is_launched(module, launched):
        return nameable(module)
    ended = {v.label for v in module.globals.values() if v.address_space == LOCAL_SPACE}
    return nameable(module) - ended


def limited(outcome: Outcome, names: frozenset[str]) -> Outcome:
    """The outcome with no other memory than these variables."""
    if all(names.issuperset(memory) for memory in (outcome.memory, *(t.memory for t in outcome.threads))):
        return outcome
    threads = tuple(replace(thread, memory=_only(thread.memory, names)) for thread in outcome.threads)
    return Outcome(threads, _only(outcome.memory, names))


def _only(memory: Mapping[str, Json], names: frozenset[str]) -> dict[str, Json]:
    return {name: value for name, value in memory.items() if name in names}


def observed(outcome: Outcome, names: frozenset[str], program: Program) -> Outcome:
    """What a refinement compares of an outcome: of memory these variables, and of events none that shows
    nothing."""
    if not any(thread.events for thread in outcome.threads):
        return limited(outcome, names)

    def effects(event: Event) -> Effects:
        site = event.instance.site
        call = program.module.functions[site.function].instructions[site.index]
        if not isinstance(event, Called) or not isinstance(call, CallSite):
            return Effects()
        return program.effects(event.callee, call)

    shown = _without_idle(_without_block_names(limited(outcome, names)))
    return sorted_apart(without_repeats(shown, effects), effects)


def _without_idle(outcome: Outcome) -> Outcome:
    """The outcome without calls that free nothing: C's ``free`` of a null pointer does nothing, and LLVM
    knows it by name."""

    def idle(event: Event) -> bool:
        return isinstance(event, Called) and event.callee == "free" and event.operands[:1] == ("null",)

    if not any(idle(event) for thread in outcome.threads for event in thread.events):
        return outcome
    kept = [
        [number for number, event in enumerate(thread.events, 1) if not idle(event)]
        for thread in outcome.threads
    ]
    return _with_events(outcome, kept)


_BLOCK = "blockaddress("


def _without_block_names(outcome: Outcome) -> Outcome:
    """The outcome with addresses of blocks called by their function only: a pass may rename a block, or merge
    it with another one."""

    events = [event for thread in outcome.threads for event in thread.events]
    if not any(isinstance(o, str) and o.startswith(_BLOCK) for event in events for o in event.operands):
        return outcome

    def renamed(data: object) -> object:
        return f"{data.partition(',')[0]})" if isinstance(data, str) and data.startswith(_BLOCK) else data

    def event(event: Event) -> Event:
        operands = tuple(map(renamed, event.operands))
        return event if operands == event.operands else replace(event, operands=operands)

    threads = tuple(replace(t, events=tuple(map(event, t.events))) for t in outcome.threads)
    return replace(outcome, threads=threads)


def without_repeats(outcome: Outcome, effects_of: Callable[[Event], Effects]) -> Outcome:
    """The outcome without calls that repeat another one of the same thread: of the same callee with the same
    operands and result, for a convergent call in a group of the same threads with the same.

    A callee that writes nothing does again what it did before, if what it reads is as it was, and then its
    result is the same, too; so of such calls the first is seen. One that reads nothing writes again what it
    has written; so it is not seen again before something else may have been written.
    """
    events = [thread.events for thread in outcome.threads]
    effects = [[effects_of(event) for event in mine] for mine in events]
    if all(e.reads and e.writes for mine in effects for e in mine):
        return outcome

    def content(event: Event) -> str:
        if not isinstance(event, Called):
            return ""
        group = None if event.group is None else [
            (thread, e.operands, e.result, e.memory)
            for thread, number in sorted(event.group.items())
            if isinstance(e := events[thread][number - 1], Called)
        ]  # fmt: skip
        return repr((event.callee, event.operands, event.result, event.memory, group))

    repeats: list[list[bool]] = []  # whether an event repeats another one, as its own thread sees it
    for mine, theirs in zip(events, effects, strict=True):
        visited = set[str]()  # what was called without writing
        last: dict[str, str] = {}  # what was called that wrote last, by kind of place
        again: list[bool] = []
        for event, effect in zip(mine, theirs, strict=True):
            what = content(event)
            where = overwritten(effect.written_at)
            written = all(last.get(place) == what for place in where) and not effect.reads
            again.append(written if effect.writes else what in visited)
            last.update(dict.fromkeys(where, what))
            if not effect.writes:
                visited.add(what)
        repeats.append(again)

    def shown(thread: int, number: int) -> bool:
        """A group is one event: no member sees it if it repeats another one for all."""
        event = events[thread][number - 1]
        group = event.group if isinstance(event, Called) else None
        members = {thread: number} if group is None else group
        return not all(repeats[t][n - 1] for t, n in members.items())

    kept = [[n for n in range(1, len(mine) + 1) if shown(t, n)] for t, mine in enumerate(events)]
    return _with_events(outcome, kept)


def sorted_apart(outcome: Outcome, effects_of: Callable[[Event], Effects]) -> Outcome:
    """The outcome in which calls that are nothing to each other have one order: between two other events,
    first those that touch memory that no module names (``inaccessiblemem``), then those that touch no such
    memory, both if they come back and are not convergent. Passes (``licm``) change that order."""

    def rank(event: Event) -> int | None:
        """``None``: nothing may cross it."""
        effects = effects_of(event)
        if not isinstance(event, Called) or event.group is not None or effects.hangs or effects.throws:
            return None
        touched = effects.read_at | effects.written_at
        if touched <= {"inaccessiblemem"}:
            return 0
        return None if "inaccessiblemem" in touched else 1

    ranks = [[rank(event) for event in thread.events] for thread in outcome.threads]
    if all(len({*mine} - {None}) < 2 for mine in ranks):
        return outcome
    return _with_events(outcome, [_apart(mine) for mine in ranks])


def _with_events(outcome: Outcome, numbers: Sequence[Sequence[int]]) -> Outcome:
    """The outcome with these events of each thread, by their numbers from 1, in this order; groups name them
    by their new numbers."""
    places = [{old: new for new, old in enumerate(mine, 1)} for mine in numbers]

    def renumbered(event: Event) -> Event:
        if not isinstance(event, Called) or event.group is None:
            return event
        return replace(event, group={t: places[t][n] for t, n in event.group.items()})

    threads = tuple(
        replace(thread, events=tuple(renumbered(thread.events[n - 1]) for n in mine))
        for thread, mine in zip(outcome.threads, numbers, strict=True)
    )
    return replace(outcome, threads=threads)


def _apart(ranks: Sequence[int | None]) -> list[int]:
    """The numbers, from 1, of a thread's events in order of their ranks, between those that have none."""
    order: list[int] = []
    stretch: list[int] = []
    for number, rank in enumerate(ranks, 1):
        if rank is not None:
            stretch.append(number)
            continue
        order += sorted(stretch, key=lambda n: ranks[n - 1] or 0)
        order.append(number)
        stretch = []
    return order + sorted(stretch, key=lambda n: ranks[n - 1] or 0)


def repeats(outcome: Outcome, program: Program) -> bool:
    """Whether calls repeat one another in an outcome without an end, which then shows less than its
    events."""
    longer, _ = unrolled(outcome, outcome)
    shown = observed(longer, frozenset(), program)
    return any(len(a.events) != len(b.events) for a, b in zip(longer.threads, shown.threads, strict=True))


def shows(outcome: Outcome, before: Contents) -> bool:
    """Whether an outcome has anything that another one could have otherwise, but for how it ends: a return
    value, an event, or a variable that no longer holds what it held ``before``; or that it has no end, which
    is all that can be seen of a thread that goes round."""
    if is_endless(outcome):
        return True
    if any(thread.events or thread.value is not None for thread in outcome.threads):
        return True
    return bool(outcome.contents.changed(before))


def writes_visibly(module: Module, functions: Iterable[Function], launched: Function) -> bool:
    """Whether ``functions`` write to a visible variable by its name, or to what a pointer argument of the
    ``launched`` one points to, or to a resource. Then the outside looks at what they write, be it what was
    there before."""
    names = visible(module, launched)
    for function in functions:
        accesses = not function.kinds.isdisjoint((Store, AtomicRMW, CmpXchg))
        definitions = {i.result: i for i in function.instructions if i.result is not None}
        arguments = {p.name for p in function.parameters} if function.name == launched.name else set()
        for instruction in function.instructions if accesses else function.calls:
            if writes_resource(instruction):
                return True
            if (pointer := _written_address(instruction)) is None:
                continue
            for root in _roots(pointer, definitions):
                if isinstance(root, Local) and points_to_resource(definitions.get(root.name)):
                    return True
                if root.name in arguments if isinstance(root, Local) else f"@{root.name}" in names:
                    return True
    return False


def _written_address(instruction: Instruction) -> Operand | None:
    """The address that an instruction writes to."""
    match instruction:
        case Store(pointer=pointer) | AtomicRMW(pointer=pointer) | CmpXchg(pointer=pointer):
            return pointer
        case CallSite() if (callee_name(instruction) or "").startswith(_FILLS) and instruction.arguments:
            return instruction.arguments[0].value
        case _:
            return None


def _roots(pointer: Operand, definitions: Mapping[str, Instruction]) -> Iterator[Local | Global]:
    """What an address is computed from, through what computes addresses only."""
    work, met = [pointer], set[str]()
    while work:
        match work.pop():
            case Global() as root:
                yield root
            case ConstantExpression(operands=(base, *_)):
                work.append(base)
            case Local(name=name) as root if name not in met:
                met.add(name)
                match definitions.get(name):
                    case None | CallSite():
                        yield root
                    case GetElementPtr(pointer=base) | Conversion(value=base) | Freeze(value=base):
                        work.append(base)
                    case Phi(incoming=incoming):
                        work += [value for value, _ in incoming]
                    case Select(then=operand, otherwise=other):
                        work += [operand, other]


def difference(
    source: Outcome, target: Outcome, relaxed: bool = False, unnamed: UnnamedObjects = ALL_NAMED
) -> Mismatch | None:
    """Why the target's outcome does not refine the source's; ``None`` if it does. ``relaxed``: the source's
    arithmetic has flags that allow other results than the exact one (:func:`refined`). ``unnamed``: objects
    that one side alone has, and nobody outside can name (:class:`Correspondence`)."""
    source, target = unrolled(source, target)
    places = Correspondence(unnamed)
    for first, second in zip(source.threads, target.threads, strict=True):
        difference = _thread_difference(first, second, relaxed, places)
        if difference is not None:
            return difference
    memories = [
        (first.memory, second.memory, first.thread)
        for first, second in zip(source.threads, target.threads, strict=True)
    ]
    for ours, theirs, thread in ((source.memory, target.memory, None), *memories):
        for name, value in ours.items():
            if name in theirs and not refined(value, places.named(thread, value, theirs[name]), relaxed):
                return MemoryMismatch(name, value, theirs[name], thread)
    return None


def put_together(
    sources: Collection[Outcome], target: Outcome, relaxed: bool, unnamed: UnnamedObjects = ALL_NAMED
) -> bool:
    """Whether each thread of an outcome shows what it does in one of the ``sources``, and each element of
    memory holds there what it holds in one of them. Writes that race are not single events to LLVM: a store
    may be done in parts, and parts of two stores may stay."""
    alike = [
        s
        for s in sources
        for places in (Correspondence(unnamed),)
        if all(
            _thread_difference(a, b, relaxed, places) is None
            for a, b in zip(s.threads, target.threads, strict=True)
        )
    ]
    return bool(alike) and all(
        _of_parts([s.memory[name] for s in alike if name in s.memory], value, relaxed)
        for name, value in target.memory.items()
    )


def _of_parts(sources: Sequence[Json], target: Json, relaxed: bool) -> bool:
    if isinstance(target, list) and all(isinstance(s, list) and len(s) == len(target) for s in sources):
        lists = [s for s in sources if isinstance(s, list)]
        return all(_of_parts([s[n] for s in lists], part, relaxed) for n, part in enumerate(target))
    return not sources or any(refined(s, target, relaxed) for s in sources)


def _thread_difference(
    source: ThreadOutcome, target: ThreadOutcome, relaxed: bool, places: Correspondence
) -> Mismatch | None:
    thread = source.thread
    for number, (first, second) in enumerate(zip(source.events, target.events, strict=False), 1):
        if (difference := _event_difference(thread, number, first, second, relaxed, places)) is not None:
            return difference
    ours, theirs = len(source.events), len(target.events)
    if ours > theirs:
        return ExtraEvent("source", thread, theirs + 1, _name(source.events[theirs]))
    if theirs > ours:
        return ExtraEvent("target", thread, ours + 1, _name(target.events[ours]))
    if source.ended != target.ended:
        return EndMismatch(thread, source.ended, target.ended)
    if not refined(source.value, places.named(thread, source.value, target.value), relaxed):
        return ReturnMismatch(thread, source.value, target.value)
    return None


def _event_difference(
    thread: int, number: int, source: Event, target: Event, relaxed: bool, places: Correspondence
) -> EventMismatch | None:
    first, second = _name(source), _name(target)

    def differ(part: EventPart, ours: object, theirs: object) -> EventMismatch:
        return EventMismatch(thread, number, part, first, ours, theirs)

    if type(source) is not type(target) or first != second:
        return EventMismatch(thread, number, "callee", "", first, second)
    if isinstance(source, Called) and isinstance(target, Called):
        source, target = places.event(source), places.event(target)
    if len(source.operands) != len(target.operands):
        return differ("operand count", len(source.operands), len(target.operands))
    for a, b in zip(source.operands, target.operands, strict=True):
        if not refined(a, places.named(thread, a, b), relaxed):
            return differ("operand", a, b)
    if isinstance(source, Called) and isinstance(target, Called) and source.group != target.group:
        return differ("group", _members(source.group), _members(target.group))
    if isinstance(source, Called) and isinstance(target, Called) and source.memory != target.memory:
        ours, theirs = ({(w, at): byte for w, at, byte in e.memory} for e in (source, target))
        for place in sorted(ours.keys() | theirs.keys(), key=repr):
            if not refined(ours.get(place), theirs.get(place)):
                return differ("memory", (*place, ours.get(place)), (*place, theirs.get(place)))
    if not refined(source.result, places.named(thread, source.result, target.result), relaxed):
        return differ("result", source.result, target.result)
    return None


def _members(group: Mapping[int, int] | None) -> tuple[tuple[int, int], ...] | None:
    return None if group is None else tuple(group.items())


def _name(event: Event) -> str:
    return f"@{event.callee}" if isinstance(event, Called) else f"volatile {event.operation}"


def refined(source: object, target: object, relaxed: bool = False) -> bool:
    """Whether plain data of the source is refined by that of the target. ``relaxed``: a number stands for all
    that are as near to it as rounding in another order brings them."""
    if source == "poison":
        return True
    if isinstance(source, list | tuple) and isinstance(target, list | tuple):
        if len(source) != len(target):
            return False
        if all(refined(a, b, relaxed) for a, b in zip(source, target, strict=True)):
            return True
        return relaxed and _near_doubles(source, target)
    if source == "undef":
        return target != "poison"
    if type(source) is type(target) and repr(source) == repr(target):
        return True
    if relaxed and source == "nan":  # what is algebraically the same may have a value: exp(log(x)) of -1
        return target != "undef"
    return relaxed and _near(source, target)


NEAR = 1e-3
"""How far, as a part of the larger one, numbers are apart that rounding in another order may bring about,
among the small ones that are tried: a half has eleven bits."""
_NORMAL = 0x00800000, 0x7F800000
"""Words that spell normal numbers of 32 bits lie between these, but for the sign."""


def _near(source: object, target: object) -> bool:
    """Whether two numbers are near: floating-point ones, or words that spell some; or the target has none,
    where on another way to the number an infinity is that flags forbid."""
    if isinstance(source, float) and target == "poison":
        return True
    if isinstance(source, int) and isinstance(target, int) and not isinstance(source, bool):
        low, high = _NORMAL
        pair = [word & 0xFFFFFFFF for word in (source, target)]
        if not all(word << 1 == 1 << 32 or word == 0 or low <= word & 0x7FFFFFFF < high for word in pair):
            return False
        source, target = (struct.unpack("<f", struct.pack("<I", word))[0] for word in pair)
    if not isinstance(source, float) or not isinstance(target, float):
        return False
    return source == target or abs(source - target) <= NEAR * max(abs(source), abs(target))


def _near_doubles(source: Sequence[object], target: Sequence[object]) -> bool:
    """Whether words differ only in the lower ones of doubles."""
    for place, (ours, theirs) in enumerate(zip(source, target, strict=True)):
        if refined(ours, theirs, True):
            continue
        above = [side[place + 1] if place + 1 < len(side) else 0 for side in (source, target)]
        if place % 2 or not all(isinstance(word, int) and abs(word) > 0x30000000 for word in above):
            return False
    return True


# ----------------------------------------------------------------------------------------------------------
# Which NaN an operation gives: LangRef (*Behavior of Floating-Point NaN values*) leaves open its sign, its
# payload, and mostly whether it is quiet. A run gives one of them, and a pass may take another.
# ----------------------------------------------------------------------------------------------------------


_FORMATS = {"half": (16, 10), "bfloat": (16, 7), "float": (32, 23), "double": (64, 52)}
"""Bits of a number, and of its significand."""
_WORD = 32
_KEEPS_BITS = ("llvm.fabs.", "llvm.copysign.")
"""What only changes signs, and says which."""


def computed_formats(functions: Iterable[Function]) -> frozenset[str]:
    """The formats of floating-point numbers that functions compute, and do not only move."""
    return frozenset(
        kind for function in functions for i in function.instructions if (kind := _computed(i)) is not None
    )


def _computed(instruction: ir.Instruction) -> str | None:
    match instruction:
        case ir.Binary():
            return _format(instruction.lhs.type)
        case ir.AtomicRMW():
            return None if instruction.operation == "xchg" else _format(instruction.value.type)
        case ir.Conversion(opcode="fpext" | "fptrunc"):
            return _format(instruction.to)
        case ir.CallSite() if not (callee_name(instruction) or "").startswith(_KEEPS_BITS):
            return _format(instruction.type.result)
        case _:
            return None


def _format(type_: Type) -> str | None:
    scalar = type_.element if isinstance(type_, VectorType) else type_
    return scalar.kind if isinstance(scalar, FloatType) and scalar.kind in _FORMATS else None


def differ_in_nans(source: object, target: object, formats: frozenset[str]) -> bool:
    """Whether two objects hold the same numbers, but for some that are NaNs of these formats in both,
    whichever. A double may lie in two words, the high one behind the low one."""
    if isinstance(source, list) and isinstance(target, list) and len(source) == len(target):
        places = [n for n, (a, b) in enumerate(zip(source, target, strict=True)) if not refined(a, b)]
        return bool(places) and all(_nans_at(source, target, n, formats) for n in places)
    return _both(source, target, formats)


def _nans_at(source: list[object], target: list[object], at: int, formats: frozenset[str]) -> bool:
    if _both(source[at], target[at], formats):
        return True
    if "double" not in formats:
        return False
    return any(
        all(_is_high_word(side[n]) for side in (source, target)) for n in (at, at + 1) if n < len(source)
    )


def _both(source: object, target: object, formats: frozenset[str]) -> bool:
    return any(_is_nan(source, kind) and _is_nan(target, kind) for kind in formats)


def _is_nan(number: object, kind: str) -> bool:
    bits, significand = _FORMATS[kind]
    if not isinstance(number, int) or not -(1 << bits - 1) <= number < 1 << bits:
        return False
    exponent = (1 << bits - 1) - (1 << significand)
    return number & exponent == exponent and number & (1 << significand) - 1 != 0


def _is_high_word(number: object) -> bool:
    """Whether it may be the high word of a double that is a NaN."""
    return (
        isinstance(number, int)
        and -(1 << _WORD - 1) <= number < 1 << _WORD
        and number & 0x7FF00000 == 0x7FF00000
    )
