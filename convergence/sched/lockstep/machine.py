"""The interpreter's machine with its threads under lock step: who communicates is the policy's doing.

Instructions, memory, keys and models are the interpreter's own (:mod:`convergence.semantics`). A *slot* is
one operation issued for one mask: the instances that it executes are the machine's group.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any, NamedTuple

from ...alignment import BlockVisit, ConvergedWith, DynamicInstance, Execution, StaticInstance
from ...frozen import dataclass
from ...ir.calls import callee_name, control
from ...ir.instructions import CallSite
from ...ir.module import Module
from ...semantics import Ending, Returned
from ...semantics.convergence import ChosenLabel, Key, KeyKind, LaunchGroup, SwitchedCase
from ...semantics.convergence.rules import ChosenGroup, PendingGroup, Unordered, d_thread
from ...semantics.machine import Executed, Log, MostConverged, Result
from ...semantics.machine.launch import Launch
from ...semantics.machine.machine import BarrierMeeting, Machine
from ...semantics.machine.program import Program
from ...semantics.machine.run import Group, Run, finished, groups
from ...semantics.operations import ASYNC_COPY, ASYNC_WAIT
from ...semantics.threads import Exchange, Frame, Status, Thread
from ...semantics.values import RuntimeValue, plain
from .policy import Facts
from .waves import PackedLog, TurnRecords


class Happened(NamedTuple):
    """An instance of a convergent operation or control intrinsic, and its key."""

    instance: DynamicInstance
    key: Key


class GatheredGroup(NamedTuple):
    """The lanes of a mask at an exchange, and the key that each has."""

    group: PendingGroup
    keys: dict[int, Key]


@dataclasses.dataclass(slots=True)
class IssueSlot:
    """One operation at ``site``, issued once: its instances by thread, and what each got."""

    number: int
    site: StaticInstance
    happened: dict[int, Happened] = field(default_factory=dict)
    results: dict[int, RuntimeValue] = field(default_factory=dict)


class _Labels(dict[tuple[StaticInstance, LaunchGroup], list[ChosenGroup]]):
    """Labels by slot: the lanes that execute an anchor together share one, nobody else can."""

    def __init__(self) -> None:
        super().__init__()
        self.now = -1

    def begin(self, slot: int) -> None:
        if self.now != slot:
            self.now = slot
            self.clear()


@dataclasses.dataclass(slots=True)
class _OpenSlot:
    """The latest slot in which lanes communicate: the key of the first of them, how many executed it, and how
    many of its launch group are alive."""

    number: int
    key: Key
    lanes: int
    alive: int


class LockstepMachine(Machine):
    """``gathered``   who has come to which exchange in the slot that is going on
    ``packed``     the log, which may have records of native turns
    ``cases``      with what threads came to anchors of a switch's cases, by thread and key
    ``parted``     whether lanes communicated that were not all of their launch group that were alive, or had
                   several keys; said only where somebody ``judges``
    ``forgot``     whether the log has not kept what some exchanges gave
    ``remade``     the same run again, of which everything is kept
    """

    def __init__(self, program: Program, launch: Launch) -> None:
        self.judges = self.parted = self.forgot = False
        self.remade: Callable[[], LockstepMachine] | None = None
        self._open: _OpenSlot | None = None
        self._communicating: dict[StaticInstance, bool] = {}
        self.gathered: list[tuple[Thread, Key, Exchange, tuple[Any, ...], tuple[Any, ...]]] = []
        self.cases: dict[tuple[int, Key], SwitchedCase] = {}
        self.clock = 0
        self._keys_here: dict[int, Key] = {}
        self.packed = PackedLog()
        super().__init__(program, launch, MostConverged(), self.packed)
        self.order = Unordered()  # time is the machine's order
        self.labels = _Labels()
        self.groups_at = self.labels
        self._slots = 0
        self._known: tuple[int, tuple[IssueSlot, ...]] = 0, ()
        self._current: dict[StaticInstance, int] = {}

    def tick(self) -> None:
        """The next operation is issued."""
        self.clock += 1
        self.labels.begin(self.clock)
        self._current.clear()

    def ticks(self, count: int) -> None:
        """So many operations, none of which anybody else than its lane is asked in, are issued."""
        self.clock += count
        self.labels.begin(self.clock)
        self._current.clear()

    def execute(self, thread: Thread, executed: Executed) -> None:
        """A lane executes an instance, in the slot of its operation that is going on."""
        slot = self._current.get(executed.site)
        if slot is None:
            slot = self._current[executed.site] = self._slots
            self._slots += 1
        if self.judges:
            self._judge(thread, executed, slot)
        super().execute(thread, executed._replace(slot=slot))

    def _judge(self, thread: Thread, executed: Executed, slot: int) -> None:
        """Whether all lanes that are alive execute an instance together, by which they communicate."""
        communicates = self._communicating.get(executed.site)
        if communicates is None:
            communicates = self._communicating[executed.site] = self.communicates(executed.site)
        if not communicates and executed.key.kind is not KeyKind.FREE:
            return
        now = self._open
        if now is not None and now.number == slot:
            now.lanes += 1
            self.parted = self.parted or now.key is not executed.key
            return
        self._close_slot()
        alive = sum(other.alive for other in self.members_of(thread.launch))
        self._open = _OpenSlot(slot, executed.key, 1, alive)

    def _close_slot(self) -> None:
        now, self._open = self._open, None
        self.parted = self.parted or (now is not None and now.lanes != now.alive)

    def communicates(self, site: StaticInstance) -> bool:
        """Whether lanes exchange something there: no control intrinsic, no call that only enters."""
        module = self.program.module
        call = module.functions[site.function].instructions[site.index]
        if control(call) is not None or not isinstance(call, CallSite):
            return False
        name = callee_name(call)
        function = module.functions.get(name) if name is not None else None
        return function is None or function.is_declaration

    @property
    def groups_are_keys(self) -> bool:
        """Whether the groups by which lanes communicated are known to be those of the definition, without a
        look at each of them: in each slot all lanes of a launch group were together that were alive, with one
        key. A lane that is elsewhere was not alive then, so none has that key elsewhere; and all lanes
        executed the same instances in the same order, so convergence-before has no cycle. (Where labels are
        chosen, or ways are bound, the whole is looked at.)"""
        self._close_slot()
        return self.judges and not (self.parted or self.program.has_choices or self.cases)

    def returned(self) -> Ending:
        if self.program.uniform_barriers and self._came_as_one():
            return Returned()
        return super().returned()

    def _came_as_one(self) -> bool:
        """Whether all threads of each workgroup are known to have come to the same barriers in the same
        order, without a look at each of them: all lanes of a wave that were launched came together."""
        barriers = self.program.uniform_barriers
        if any(barrier.name in (ASYNC_COPY, ASYNC_WAIT) for barrier in barriers.values()):
            return False
        came: dict[int, list[StaticInstance]] = {group.number: [] for group in self.subgroups}
        slots: Counter[int] = Counter()
        for item in self.packed.items():
            if isinstance(item, Executed) and item.site in barriers:
                launch = self.threads[item.thread].launch
                assert item.slot is not None
                if not slots[item.slot]:
                    came[launch.number].append(item.site)
                slots[item.slot] += 1
                if slots[item.slot] == launch.size:
                    del slots[item.slot]
            elif isinstance(item, TurnRecords):
                for wave, site, mask in item.exchanges():
                    if site in barriers:
                        came[wave.number].append(site)
                        if mask.bit_count() != wave.size:
                            return False
        workgroups: dict[int, list[StaticInstance]] = {}
        together = all(
            workgroups.setdefault(group.workgroup, came[group.number]) == came[group.number]
            for group in self.subgroups
        )
        return together and not slots

    def counts_lanes(self, apart: bool) -> None:
        """At a barrier of the workgroup lanes count by themselves if they run ``apart``: those of a wave that
        has several program counters wait for each other as well."""
        self.lanes_apart = apart
        self.gathers = self.gathers or apart

    @contextmanager
    def again(self) -> Iterator[Log]:
        """What lanes did natively is done again for their keys: the log of it."""
        self.tick()
        log, self.log, judges, self.judges = self.log, Log(), self.judges, False
        try:
            yield self.log
        finally:
            self.log, self.judges = log, judges

    def settle(self) -> None:
        self.packed.settle()

    def label(
        self,
        thread: Thread,
        site: StaticInstance,
        what: str,
        key_of: Callable[[ChosenLabel], Key],
        recorded: bool = True,
        case: SwitchedCase | None = None,
    ) -> Key:
        key = super().label(thread, site, what, key_of, recorded, case)
        if case is not None:
            self.cases[thread.number, key] = case
        return key

    def arrive(
        self, thread: Thread, key: Key, exchange: Exchange, operands: tuple[Any, ...], shown: tuple[Any, ...]
    ) -> Frame | None:
        """A lane, whose instance is recorded, comes to an exchange: the mask is the group."""
        self.meet(thread, key, exchange, operands)
        thread.status = Status.WAITING
        self.gathered.append((thread, key, exchange, operands, shown))
        return None

    def comes(self, thread: Thread, key: Key, name: str) -> None:
        """A lane that has come to a barrier of the workgroup natively, which is counted, waits there now."""
        thread.status = Status.WAITING
        self.meetings[key, thread.number] = BarrierMeeting(
            self._place_of(thread.launch, name), name, self.barriers[thread.number][name]
        )

    def gather(self) -> list[GatheredGroup]:
        """The groups of the lanes of a mask that have come to exchanges, in the slot that is going on."""
        gathered, self.gathered = self.gathered, []
        lanes = []
        for exchange in dict.fromkeys(item[2] for item in gathered):
            here = [item for item in gathered if item[2] is exchange]
            group = PendingGroup(here[0][1], exchange, here[0][0].launch)
            for thread, _, _, operands, shown in here:
                group.operands[thread.number] = operands
                group.operands_shown[thread.number] = shown
            lanes.append(GatheredGroup(group, {thread.number: key for thread, key, *_ in here}))
        return lanes

    def exchange(self, gathered: Sequence[GatheredGroup]) -> None:
        """All lanes of the mask have come: each gets what the model gives for the mask and its operands."""
        for group, keys in gathered:
            self._keys_here = keys
            self.pending[group.key] = group
            d_thread(self, group)

    def gave(self, thread: Thread, key: Key | None, value: RuntimeValue) -> None:
        if key is None:
            return
        super().gave(
            thread, self._keys_here[thread.number] if thread.status is Status.WAITING else key, value
        )

    def saw_result(self, thread: Thread, group: PendingGroup, value: Any) -> None:
        exchange, shown = group.exchange, group.operands_shown[thread.number]
        result = plain(value, exchange.type, self.program.layout)
        key = self._keys_here[thread.number]
        self.saw_call(thread, exchange.site, exchange.callee, shown, result, key)

    def saw_call(
        self, thread: Thread, site: StaticInstance, callee: str, operands: tuple[Any, ...], result: Any,
        key: Key | None,
    ) -> None:  # fmt: skip
        self._numbers_events()
        super().saw_call(thread, site, callee, operands, result, key)

    def saw_volatile(self, thread: Thread, frame: Any, index: int, access: Any, value: Any) -> None:
        self._numbers_events()
        super().saw_volatile(thread, frame, index, access, value)

    def _numbers_events(self) -> None:
        """The next event of a thread has its number behind those that native code noted."""
        if self.log is self.packed:
            self.settle()

    # -- what it was, when it is over -------------------------------------------------------------------

    @property
    def issue_slots(self) -> tuple[IssueSlot, ...]:
        """The slots in which convergent operations and control intrinsics were issued, by time. A log
        only grows: one that is as long as before has the same."""
        self.settle()
        if self.forgot and self.remade is not None:
            return self.remade().issue_slots
        length, known = self._known
        if length != len(self.log):
            known = self._slots_of_the_log()
            self._known = len(self.log), known
        return known

    def _slots_of_the_log(self) -> tuple[IssueSlot, ...]:
        slots: dict[int, IssueSlot] = {}
        slot_of: dict[tuple[int, Key], IssueSlot] = {}
        for event in self.log:
            if isinstance(event, Executed):
                assert event.slot is not None
                slot = slots.setdefault(event.slot, IssueSlot(event.slot, event.site))
                instance = DynamicInstance(event.thread, event.site, event.nth)
                slot.happened[event.thread] = Happened(instance, event.key)
                slot_of[event.thread, event.key] = slot
            elif isinstance(event, Result):
                slot_of[event.thread, event.key].results[event.thread] = event.value
        return tuple(slots.values())

    def groups(self) -> tuple[Group, ...]:
        """The machine's groups of every convergent operation and control intrinsic, in text order."""
        slots = self.issue_slots
        classes = ((sorted(h.instance for h in slot.happened.values()), slot.results) for slot in slots)
        return groups(self.program, classes)

    def execution(self, run: Run) -> Execution:
        """The traces, and the machine's groups as the relation."""
        classes = frozenset(
            frozenset(h.instance for h in slot.happened.values()) for slot in self.issue_slots
        )
        return Execution(run.execution.visits, ConvergedWith(classes), run.execution.launch_groups)

    def instances(self) -> Iterator[tuple[IssueSlot, Happened]]:
        """Every instance, in order of time."""
        for slot in self.issue_slots:
            for happened in slot.happened.values():
                yield slot, happened

    def as_run(self, ending: Ending) -> Run:
        """What it was as a run of the interpreter; its relation is that of the keys."""
        return finished(self, ending, ())


# ----------------------------------------------------------------------------------------------------------
# The name of a machine's grouping of uncontrolled operations: ``natural``, ``nested`` or ``other``.
#
# Natural is the alignment of mode maximal. Nested is the one in which each latch closes a loop of its own:
# of two latches of one header the one whose loop is smaller closes the inner loop (semantics.md, §7; the
# two pictures of §5).
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Loop:
    """The loop that one latch closes. ``body`` includes the loops of the same header inside it."""

    header: int
    latches: tuple[int, ...]
    body: frozenset[int]


def loops_by_latch(facts: Facts, merged: bool = False) -> tuple[Loop, ...]:
    """A loop for each latch, outer ones before inner ones; ``merged``: one for each header."""
    by_header: dict[int, list[int]] = {}
    for latch, header in facts.back_edges:
        by_header.setdefault(header, []).append(latch)
    loops = []
    for header, latches in by_header.items():
        if merged:
            loops.append(Loop(header, tuple(latches), facts.loop_body(header, tuple(latches))))
            continue
        body: frozenset[int] = frozenset()
        for latch in sorted(latches, key=lambda b: (len(facts.loop_body(header, (b,))), b)):
            body |= facts.loop_body(header, (latch,))
            loops.append(Loop(header, (latch,), body))
    loops.reverse()  # of two loops with the same body, the one that was made later is the outer one
    return tuple(sorted(loops, key=lambda loop: -len(loop.body)))


def name_of(machine: LockstepMachine, run: Run) -> str:
    """Which of the known alignments the machine's groups of uncontrolled operations are."""
    free = {
        happened.instance: (slot.number, happened.key)
        for slot, happened in machine.instances()
        if happened.key.kind is KeyKind.FREE
    }
    groups = _classes((instance, number) for instance, (number, _) in free.items())
    if groups == _classes((instance, key) for instance, (_, key) in free.items()):
        return "natural"
    nested = nested_keys(machine.program.module, run)
    return "nested" if groups == _classes((instance, nested[instance]) for instance in free) else "other"


def _classes(named: Iterable[tuple[DynamicInstance, object]]) -> frozenset[frozenset[DynamicInstance]]:
    classes: dict[object, set[DynamicInstance]] = {}
    for instance, name in named:
        classes.setdefault((instance.site, name), set()).add(instance)
    return frozenset(map(frozenset, classes.values()))


def nested_keys(module: Module, run: Run) -> Mapping[DynamicInstance, object]:
    """For each instance how often each loop around it has begun again, each latch a loop of its own."""
    counting: dict[str, _Counting] = {}
    keys: dict[DynamicInstance, object] = {}
    launched = run.execution.launch_groups
    for thread, visits in enumerate(run.execution.visits):
        frames: dict[int, _LoopFrame] = {}
        for visit in visits:
            known = counting.get(visit.function)
            if known is None:
                known = counting[visit.function] = _Counting(Facts(module.functions[visit.function]))
            activation = frames.get(visit.frame)
            if activation is None:
                root: object = launched[thread] if launched else 0
                if visit.caller is not None:
                    caller = frames[visit.caller]
                    root = (visit.call, caller.root, caller.around)
                activation = frames[visit.frame] = _LoopFrame(root)
            known.enter(activation, visit)
            for instance in visit.operations:
                keys[instance] = (activation.root, activation.around)
    return keys


class _LoopFrame:
    """``root``: how it was called; ``counts`` per loop; ``around``: those of the loops around ``block``."""

    __slots__ = ("around", "block", "counts", "root")

    def __init__(self, root: object) -> None:
        self.root = root
        self.block = -1
        self.counts: dict[int, int] = {}
        self.around: tuple[int, ...] = ()


class _Counting:
    """The loops of one function."""

    def __init__(self, facts: Facts) -> None:
        self.index = facts.cfg.index
        self.loops = loops_by_latch(facts)

    def enter(self, activation: _LoopFrame, visit: BlockVisit) -> None:
        before, block = activation.block, self.index[visit.block]
        activation.block = block
        for number, loop in enumerate(self.loops):
            if block == loop.header and before in loop.latches:
                activation.counts[number] = activation.counts.get(number, 0) + 1
                for inner in range(number + 1, len(self.loops)):
                    if self.loops[inner].body <= loop.body:
                        activation.counts[inner] = 0
        activation.around = tuple(
            activation.counts.get(n, 0) for n, loop in enumerate(self.loops) if block in loop.body
        )
