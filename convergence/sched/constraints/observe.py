"""A settled proposal as an execution and an outcome, in the terms of ``run``."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from ...alignment.instances import ConvergedWith, Execution
from ...frozen import dataclass
from ...semantics.machine.log import complete
from ...semantics.machine.outcome import Outcome, ThreadOutcome, shared_contents
from ...semantics.machine.run import Group, groups
from ...semantics.memory.allocations import Memory
from ...semantics.values.display import Json
from ...semantics.values.pending import Later, Unknown
from .candidates import Instance, Trace, TraceNode
from .terms import Assignment
from .walk import World


@dataclass(frozen=True, slots=True)
class Complete:
    """A legal execution."""

    execution: Execution
    groups: tuple[Group, ...]
    outcome: Outcome


class Observed:
    """``results`` what each instance returned; ``assignment`` the value of every unknown."""

    def __init__(
        self, world: World, leaves: Sequence[TraceNode], classes: list[list[Instance]],
        results: Mapping[Instance, Any], known: Assignment,
    ) -> None:  # fmt: skip
        self.world = world
        self.leaves = leaves
        self.classes = classes
        self.results = {**results}
        for leaf in leaves:
            self.results.update(leaf.results)
        self.assignment = known

    def execution(self) -> Execution:
        """The traces and the converged-with relation."""
        return Execution(
            tuple(_trace(leaf).visits for leaf in self.leaves),
            ConvergedWith(frozenset(frozenset(i.dynamic for i in members) for members in self.classes)),
            tuple(self.world.group_of(leaf.thread).number for leaf in self.leaves),
        )

    def groups(self) -> tuple[Group, ...]:
        """The groups of every convergent operation and control intrinsic, in text order, then by member."""
        classes = []
        for members in self.classes:
            returned = {i.thread: self.results[i] for i in members if i in self.results}
            classes.append((sorted(i.dynamic for i in members), returned))
        return groups(self.world.program, classes)

    def outcome(self, memory: Memory) -> Outcome:
        """What the outside can see."""
        program = self.world.program
        type_ = program.module.functions[self.world.launch.function].type.result
        class_of: dict[Hashable, int] = {
            i: number for number, members in enumerate(self.classes) for i in members
        }
        observations = [
            event._replace(together=None if event.together is None else class_of[event.together])
            for leaf in self.leaves
            for event in _trace(leaf).events
        ]
        events = complete(observations, self._plain)
        threads = []
        for leaf in self.leaves:
            trace = _trace(leaf)
            value = self._plain(Later(trace.value, type_)) if trace.ended == "returned" else None
            own = {name: self._plain(Later(held, of)) for name, of, held in trace.own}
            threads.append(ThreadOutcome(leaf.thread, trace.ended, value, events.get(leaf.thread, ()), own))
        return Outcome(tuple(threads), shared_contents(program, memory))

    def _plain(self, shown: Later) -> Json:
        value = shown.value
        if value is None:
            return None
        if not isinstance(value, Unknown):
            value = self.assignment.value(value)
        return self.world.program.plain(value, shown.type)


def _trace(leaf: TraceNode) -> Trace:
    assert isinstance(leaf.end, Trace)
    return leaf.end


def observe(
    world: World, leaves: Sequence[TraceNode], classes: list[list[Instance]], results: Mapping[Instance, Any],
    known: Assignment, memory: Memory,
) -> Complete:  # fmt: skip
    """All of it."""
    observed = Observed(world, leaves, classes, results, known)
    return Complete(observed.execution(), observed.groups(), observed.outcome(memory))
