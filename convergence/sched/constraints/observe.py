"""A settled proposal as an execution and an outcome, in the terms of ``run``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...alignment.instances import ConvergedWith, DynamicInstance, Execution
from ...ir.calls import control
from ...ir.instructions import CallSite
from ...ir.types import PTR, Type
from ...semantics.machine.log import Called, Event, VolatileAccess
from ...semantics.machine.outcome import Outcome, ThreadOutcome, shared_contents
from ...semantics.machine.run import Group
from ...semantics.memory.allocations import Memory
from ...semantics.values.display import Json, plain
from ...semantics.values.pending import Unknown
from ..enumeration import NOTHING
from .candidates import Happening, Instance, Trace, TraceNode
from .terms import Known
from .walk import World

NO_EXECUTION = (Execution((), ConvergedWith(frozenset())), (), NOTHING)
"""What is noted of an ending that leaves no complete traces."""


@dataclass(frozen=True, slots=True)
class Complete:
    """A legal execution."""

    execution: Execution
    groups: tuple[Group, ...]
    outcome: Outcome


class Observed:
    """``results`` what each instance returned; ``known`` the value of every unknown."""

    def __init__(
        self, world: World, leaves: Sequence[TraceNode], classes: list[list[Instance]],
        results: Mapping[Instance, Any], known: Known,
    ) -> None:  # fmt: skip
        self.world = world
        self.leaves = leaves
        self.classes = classes
        self.results = {**results}
        for leaf in leaves:
            self.results.update(leaf.results)
        self.known = known

    def execution(self) -> Execution:
        """The traces and the converged-with relation."""
        return Execution(
            tuple(_trace(leaf).visits for leaf in self.leaves),
            ConvergedWith(frozenset(frozenset(i.dynamic for i in members) for members in self.classes)),
            tuple(self.world.group_of(leaf.thread).number for leaf in self.leaves),
        )

    def groups(self) -> tuple[Group, ...]:
        """The groups of every convergent operation and control intrinsic, in text order, then by member."""
        program = self.world.program
        place = {name: n for n, name in enumerate(program.module.functions)}
        found = []
        for members in self.classes:
            site = members[0].site
            call = program.module.functions[site.function].instructions[site.index]
            assert isinstance(call, CallSite)
            results: dict[int, Json] = {
                i.thread: plain(self.results[i], call.type.result, program.layout)
                for i in members
                if i in self.results
            }
            instances = tuple(sorted(i.dynamic for i in members))
            found.append(
                Group(
                    site,
                    program.name(site),
                    program.callee(site),
                    control(call) is not None,
                    instances,
                    results,
                )
            )
        return tuple(
            sorted(
                found,
                key=lambda g: (place[g.site.function], g.site.index, [(m.nth, m.thread) for m in g.members]),
            )
        )

    def outcome(self, memory: Memory) -> Outcome:
        """What the outside can see."""
        program = self.world.program
        type_ = program.module.functions[self.world.launch.function].type.result
        numbers = {
            event.instance: number
            for leaf in self.leaves
            for number, event in enumerate(_trace(leaf).events, 1)
            if event.instance is not None
        }
        together = {i: members for members in self.classes for i in members}
        threads = []
        for leaf in self.leaves:
            trace = _trace(leaf)
            value = self._plain(trace.value, type_) if trace.ended == "returned" else None
            events = []
            for event in trace.events:
                group = None
                if event.instance is not None:
                    members = together[event.instance]
                    group = {i.thread: numbers[i] for i in sorted(members, key=lambda i: i.thread)}
                events.append(self._event(leaf.thread, event, group))
            own = {name: self._plain(held, of) for name, of, held in trace.own}
            threads.append(ThreadOutcome(leaf.thread, trace.ended, value, tuple(events), own))
        return Outcome(tuple(threads), shared_contents(program, memory))

    def _event(self, thread: int, event: Happening, group: Mapping[int, int] | None) -> Event:
        operands = tuple(self._plain(v, t) for v, t in zip(event.operands, event.types, strict=False))
        result = None if event.type is None else self._plain(event.result, event.type)
        if event.volatile:
            instance = DynamicInstance(thread, event.site, event.nth)
            return VolatileAccess(instance, event.callee, operands, result)
        nth = event.nth if event.instance is None else event.instance.nth
        return Called(DynamicInstance(thread, event.site, nth), event.callee, operands, result, group)

    def _plain(self, value: Any, type_: Type | None) -> Json:
        if value is None:
            return None
        if not isinstance(value, Unknown):
            value = self.known.value(value)
        return plain(value, PTR if type_ is None else type_, self.world.program.layout)


def _trace(leaf: TraceNode) -> Trace:
    assert isinstance(leaf.end, Trace)
    return leaf.end


def observe(
    world: World, leaves: Sequence[TraceNode], classes: list[list[Instance]], results: Mapping[Instance, Any],
    known: Known, memory: Memory,
) -> Complete:  # fmt: skip
    """All of it."""
    seen = Observed(world, leaves, classes, results, known)
    return Complete(seen.execution(), seen.groups(), seen.outcome(memory))
