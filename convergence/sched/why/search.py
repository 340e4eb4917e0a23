"""What other labels do to two instances that a label put apart."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from ...alignment.instances import ConvergedWith, DynamicInstance, Execution, StaticInstance
from ...alignment.order import OrderCycle, order
from ...interruption import notice
from ...semantics.convergence.groups import ChosenGroup, Member, NewGroup
from ...semantics.convergence.keys import Chosen, Key, Keys, Own, Root
from ...semantics.convergence.resolution import Closing
from ...semantics.errors import Ending, Illegal, Returned
from ...semantics.machine.choice import Choice, Chooser, Replay, executions
from ...semantics.machine.machine import Machine
from ...semantics.machine.run import Run, finished


@dataclass(frozen=True, slots=True)
class Alternatives:
    """What other labels do.

    ``meeting``    a legal execution in which the two instances are converged; ``None`` if none was found
    ``least``      whether ``meeting`` is this execution but for the label that put the two apart
    ``cycle``      the walk in convergence-before that forbids them to meet while all other labels stay
    ``searched``   executions that were tried; ``complete``: there are no others
    """

    meeting: Run | None
    least: bool
    cycle: OrderCycle | None
    searched: int
    complete: bool


class Search:
    """Looks for a legal execution in which two instances meet.

    First the labels stay as they are, but for one thread that joins the other's group, or the two
    groups become one; then the two instances alone are a group; then all lists of choices are
    tried, the most converged first.
    """

    def __init__(self, run: Run, max_steps: int, attempts: int, seconds: float) -> None:
        self.run = run
        self.machine = run.machine
        self.max_steps = max_steps
        self.attempts = attempts
        self.deadline = time.monotonic() + seconds
        self.seconds = seconds
        self.searched = 0

    def alternatives(
        self, one: DynamicInstance, other: DynamicInstance, first: int, second: int
    ) -> Alternatives:
        """What becomes of the two where their labels ``first`` and ``second`` are the same."""
        cycle: OrderCycle | None = None
        for move in self._moves(one, other, first, second):
            execution = relabelled(self.run, move)
            if execution is None:
                continue  # two instances of one thread would meet
            ordered = order(execution)
            if isinstance(ordered, OrderCycle):
                cycle = cycle or ordered
                continue
            found = self._try(Toward(_moved(self.machine, move)), one, other)
            if found is not None:
                return Alternatives(found, True, None, self.searched, False)
        found = self._try(Toward(_pair(self.machine, one, other, first, second)), one, other)
        if found is not None:
            return Alternatives(found, False, cycle, self.searched, False)
        met: Run | None = None
        complete = False
        for (machine, ending), made in executions(self._once):
            if self._met(machine, ending, one, other):
                met = finished(machine, ending, made)
                break
            if self.searched >= self.attempts or time.monotonic() > self.deadline or notice():
                break
        else:
            complete = True
        return Alternatives(met, False, cycle, self.searched, complete)

    def _moves(self, one: DynamicInstance, other: DynamicInstance, first: int, second: int) -> Sequence[Move]:
        """Who changes to which label: the other thread, the one thread, or all of the other's group.

        A thread that has an instance in its new group already takes that one out, to be alone.
        """
        alone = len(self.machine.chosen)
        both = self.machine.chosen[first].threads & self.machine.chosen[second].threads
        there = {second: first, **({first: alone} if other.thread in both else {})}
        back = {first: second, **({second: alone} if one.thread in both else {})}
        return (
            {other.thread: there},
            {one.thread: back},
            {thread: {second: first} for thread in self.machine.chosen[second].threads},
        )

    def _once(self, chooser: Chooser) -> tuple[Machine, Ending]:
        self.searched += 1
        machine = Machine(self.machine.program, self.machine.launch, chooser)
        return machine, machine.run(self.max_steps, self.seconds, self.deadline)

    def _try(self, chooser: Toward, one: DynamicInstance, other: DynamicInstance) -> Run | None:
        self.searched += 1
        machine = chooser.machine = Machine(self.machine.program, self.machine.launch, chooser)
        ending = machine.run(self.max_steps, self.seconds, self.deadline)
        if self._met(machine, ending, one, other):
            return finished(machine, ending, tuple(chooser.made))
        return None

    def _met(self, machine: Machine, ending: Ending, one: DynamicInstance, other: DynamicInstance) -> bool:
        if isinstance(ending, Illegal) or (
            isinstance(self.run.ending, Returned) and not isinstance(ending, Returned)
        ):
            return False
        a, b = _key_of(machine, one), _key_of(machine, other)
        return a is not None and a is b


def _key_of(machine: Machine, instance: DynamicInstance) -> Key | None:
    for record in machine.threads[instance.thread].records:
        if record.site == instance.site and record.nth == instance.nth:
            return record.key
    return None


T = TypeVar("T")


Together = Mapping[tuple[StaticInstance, Member], frozenset[Member]]
"""Who should be in one group: for each member all of them."""


def _moved(machine: Machine, move: Move) -> Together:
    """The groups as they are, but for the threads that ``move``."""
    groups: dict[int, set[Member]] = {}
    label_of: dict[tuple[StaticInstance, Member], int] = {}
    for group in machine.chosen:
        for member in group.members:
            label = move.get(member.thread, {}).get(group.number, group.number)
            groups.setdefault(label, set()).add(member)
            label_of[group.site, member] = label
    return {name: frozenset(groups[label]) for name, label in label_of.items()}


def _pair(
    machine: Machine, one: DynamicInstance, other: DynamicInstance, first: int, second: int
) -> Together:
    """One group of two, and nobody else with another: what orders least."""
    members = frozenset(
        member
        for number, thread in ((first, one.thread), (second, other.thread))
        for member in machine.chosen[number].members
        if member.thread == thread
    )
    return {
        (group.site, member): members if member in members and group.number in (first, second)
        else frozenset([member])
        for group in machine.chosen
        for member in group.members
    }  # fmt: skip


class Toward(Replay):
    """Takes the labels that bring ``together`` who should be; where it says nothing, the first option."""

    machine: Machine

    def __init__(self, together: Together) -> None:
        super().__init__()
        self._wanted = together

    def choose(self, label: str, options: Sequence[T]) -> T:
        taken = self._option(options)
        self.made.append(Choice(label, len(options), taken))
        return options[taken]

    def _option(self, options: Sequence[object]) -> int:
        """The group all of whose members so far should be together with the one who chooses."""
        new = next((n for n, option in enumerate(options) if isinstance(option, NewGroup)), None)
        groups = {n: option for n, option in enumerate(options) if isinstance(option, ChosenGroup)}
        if new is None or not groups:
            whole = (
                n for n, option in enumerate(options) if isinstance(option, Closing) and self._whole(option)
            )
            return next(whole, 0)
        founder = options[new]
        assert isinstance(founder, NewGroup)
        site = next(iter(groups.values())).site
        wanted = self._wanted.get((site, Member(founder.thread, founder.nth)))
        if wanted is None:
            return 0
        return next((n for n, group in groups.items() if wanted.issuperset(group.members)), new)

    def _whole(self, option: Closing) -> bool:
        """Whether everyone who should be in the group is there: then it can be closed."""
        number = self.machine.keys.group(option.pending.key)
        if number is None:
            return False
        group = self.machine.chosen[number]
        wanted = self._wanted.get((group.site, group.members[0]))
        return wanted is not None and wanted == frozenset(group.members)


# -- An execution with one label for another: what would be converged then, the traces as they are

Move = Mapping[int, Mapping[int, int]]
"""Per thread which of its labels become which others."""


def relabelled(run: Run, move: Move) -> Execution | None:
    """The execution with the labels that ``move`` says, the traces as they are; ``None`` where two
    instances of one thread would be converged."""
    keys = Keys()
    known: dict[int, dict[Root, Root]] = {}
    classes: dict[Key, list[DynamicInstance]] = {}
    for instance, key in run.keys.items():
        labels = move.get(instance.thread, {})
        parts = known.setdefault(instance.thread if labels else -1, {})
        classes.setdefault(keys.map(key, partial(_own, labels=labels), parts), []).append(instance)
    for members in classes.values():
        if len({member.thread for member in members}) < len(members):
            return None
    execution = run.execution
    return Execution(
        execution.visits, ConvergedWith(frozenset(map(frozenset, classes.values()))), execution.launch_groups
    )


def _own(key: Key, labels: Mapping[int, int]) -> Own:
    """What a key adds of its own, with the label that ``labels`` has in its place."""
    return key.own if key.group is None else Chosen(labels.get(key.group, key.group))
