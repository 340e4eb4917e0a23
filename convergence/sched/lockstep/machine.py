"""The interpreter's machine with its threads under lock step: who communicates is the policy's doing.

Instructions, memory, keys and models are the interpreter's own (:mod:`convergence.semantics`). A *slot* is
one operation issued for one mask: the instances that it executes are the machine's group.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Any, NamedTuple

from ...alignment.instances import ConvergedWith, DynamicInstance, Execution, StaticInstance
from ...semantics.convergence.groups import ChosenGroup, PendingGroup
from ...semantics.convergence.keys import ChosenLabel, Key, LaunchGroup, SwitchedCase
from ...semantics.convergence.order import Unordered
from ...semantics.convergence.resolution import d_thread
from ...semantics.errors import Ending
from ...semantics.machine.choice import MostConverged
from ...semantics.machine.launch import Launch
from ...semantics.machine.log import Executed, Result
from ...semantics.machine.machine import Machine
from ...semantics.machine.program import Program
from ...semantics.machine.run import Group, Run, finished, groups
from ...semantics.threads.state import Exchange, Frame, Status, Thread
from ...semantics.values.display import plain
from ...semantics.values.value import RuntimeValue
from .packed import PackedLog


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


class LockstepMachine(Machine):
    """``gathered``   who has come to which exchange in the slot that is going on
    ``packed``     the log, which may have records of native turns
    ``cases``      with what threads came to anchors of a switch's cases, by thread and key
    """

    def __init__(self, program: Program, launch: Launch) -> None:
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
        super().execute(thread, executed._replace(slot=slot))

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

    # -- what it was, when it is over -------------------------------------------------------------------

    @property
    def issue_slots(self) -> tuple[IssueSlot, ...]:
        """The slots in which convergent operations and control intrinsics were issued, by time. A log
        only grows: one that is as long as before has the same."""
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
