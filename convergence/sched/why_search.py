"""What other labels do to two instances that a label put apart."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..alignment.instances import DynamicInstance, StaticInstance
from ..alignment.order import OrderCycle, order
from ..semantics.choice import Choice, Chooser, Replay, executions
from ..semantics.groups import ChosenGroup, Member, NewGroup
from ..semantics.keys import Key
from ..semantics.machine import Machine
from ..semantics.outcome import Ending, Illegal, Returned
from ..semantics.run import Run, finished
from .relabel import relabelled


@dataclass(frozen=True, slots=True)
class Alternatives:
    """What other labels do.

    ``meeting``    a legal execution in which the two instances are converged; ``None`` if none was found
    ``least``      whether in ``meeting`` the first choice that put them apart, and no other, went another way
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
    groups become one; then all lists of choices are tried, the most converged first.
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
        for threads, source, target in self._moves(one, other, first, second):
            execution = relabelled(self.run, threads, source, target)
            if execution is None:
                continue  # two instances of one thread would meet
            ordered = order(execution)
            if isinstance(ordered, OrderCycle):
                cycle = cycle or ordered
                continue
            found = self._try(Toward(self.machine, threads, source, target), one, other)
            if found is not None:
                return Alternatives(found, True, None, self.searched, False)
        met: Run | None = None
        complete = False
        for (machine, ending), made in executions(self._once):
            if self._met(machine, ending, one, other):
                met = finished(machine, ending, made)
                break
            if self.searched >= self.attempts or time.monotonic() > self.deadline:
                break
        else:
            complete = True
        return Alternatives(met, False, cycle, self.searched, complete)

    def _moves(
        self, one: DynamicInstance, other: DynamicInstance, first: int, second: int
    ) -> Sequence[tuple[frozenset[int], int, int]]:
        """Who changes to which label: the other thread, the one thread, or all of the other's group."""
        return (
            (frozenset([other.thread]), second, first),
            (frozenset([one.thread]), first, second),
            (frozenset(self.machine.chosen[second].threads), second, first),
        )

    def _once(self, chooser: Chooser) -> tuple[Machine, Ending]:
        self.searched += 1
        machine = Machine(self.machine.program, self.machine.launch, chooser)
        return machine, machine.run(self.max_steps, self.seconds, self.deadline)

    def _try(self, chooser: Toward, one: DynamicInstance, other: DynamicInstance) -> Run | None:
        machine, ending = self._once(chooser)
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


class Toward(Replay):
    """Takes the labels of an execution, but for the ``threads`` that change from one group to another."""

    def __init__(self, machine: Machine, threads: frozenset[int], source: int, target: int) -> None:
        super().__init__()
        self._wanted: dict[tuple[StaticInstance, Member], frozenset[Member]] = {}
        members = {group.number: frozenset(group.members) for group in machine.chosen}
        moving = frozenset(m for m in members[source] if m.thread in threads)
        members[source] -= moving
        members[target] |= moving
        for group in machine.chosen:
            for member in members[group.number]:
                self._wanted[group.site, member] = members[group.number]

    def choose(self, label: str, options: Sequence[T]) -> T:
        taken = self._option(options)
        self.made.append(Choice(label, len(options), taken))
        return options[taken]

    def _option(self, options: Sequence[object]) -> int:
        """The group all of whose members so far should be together with the one who chooses."""
        new = next((n for n, option in enumerate(options) if isinstance(option, NewGroup)), None)
        groups = {n: option for n, option in enumerate(options) if isinstance(option, ChosenGroup)}
        if new is None or not groups:
            return 0
        founder = options[new]
        assert isinstance(founder, NewGroup)
        site = next(iter(groups.values())).site
        wanted = self._wanted.get((site, Member(founder.thread, founder.nth)))
        if wanted is None:
            return 0
        return next((n for n, group in groups.items() if wanted.issuperset(group.members)), new)
