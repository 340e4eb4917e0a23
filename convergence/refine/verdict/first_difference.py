"""The first operation whose group differs between source and target, and why.

The sides have no instruction in common, so an instance is known by its thread, its callee, and which of
the thread's convergent calls of that callee it is. A group is known by its members in these terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...alignment.instances import DynamicInstance, StaticInstance
from ...semantics.convergence.keys import why_not_converged
from .result import Departure, NoCall, NotConverged, Place, Side, SideName, TwoOperations, Why


@dataclass(frozen=True, slots=True)
class _Call:
    """A thread's ``number``-th (from 1) convergent call of ``callee``."""

    thread: int
    callee: str
    number: int


class _Calls:
    """One side's convergent operations in the terms that both sides share."""

    def __init__(self, side: Side, called: SideName) -> None:
        self.side = side
        self.called = called
        self.names = {group.site: group.operation for group in side.groups}
        self.calls: dict[DynamicInstance, _Call] = {}
        self.instances: dict[_Call, DynamicInstance] = {}
        self.order: list[tuple[int, _Call]] = []
        callees = {g.site: g.callee for g in side.groups if not g.control}
        for thread, visits in enumerate(side.execution.visits):
            counts: dict[str, int] = {}
            instances = (i for visit in visits for i in visit.operations if i.site in callees)
            for place, instance in enumerate(instances):
                callee = callees[instance.site]
                counts[callee] = counts.get(callee, 0) + 1
                call = _Call(thread, callee, counts[callee])
                self.calls[instance] = call
                self.instances[call] = instance
                self.order.append((place, call))
        self.groups: Mapping[_Call, frozenset[_Call]] = {
            self.calls[member]: frozenset(self.calls[m] for m in group.members if m in self.calls)
            for group in side.groups
            if not group.control
            for member in group.members
            if member in self.calls
        }

    def name(self, site: StaticInstance) -> str:
        """A call's name, as alignments have it."""
        return self.names.get(site, f"a call in @{site.function}")

    def place(self, call: _Call) -> Place | None:
        """Where this side makes a call."""
        instance = self.instances.get(call)
        if instance is None:
            return None
        group = self.groups.get(call)
        threads = None if group is None else tuple(sorted(member.thread for member in group))
        return Place(self.name(instance.site), instance.nth, threads)

    def why_apart(self, call: _Call, other: _Call) -> Why:
        """Why two calls are not converged on this side."""
        one, two = self.instances.get(call), self.instances.get(other)
        if one is None or two is None:
            absent = call if one is None else other
            return NoCall(self.called, absent.thread, absent.number, absent.callee, other=True)
        if one.site != two.site:
            names = self.name(one.site), self.name(two.site)
            return TwoOperations(self.called, (call.thread, names[0]), (other.thread, names[1]))
        a, b = self.side.keys.get(one), self.side.keys.get(two)
        threads = call.thread, other.thread
        if a is None or b is None:
            return NotConverged(self.called, threads, None)
        difference = why_not_converged(a, b)
        if difference is None:
            return None
        return NotConverged(self.called, threads, difference, difference.named(self.name))


def departure(one: Side, other: Side) -> Departure | None:
    """The first operation, in the order of the threads' own operations, whose group is not the same on both
    sides; ``None`` if all are the same, and what differs is not who converged with whom."""
    ours, theirs = _Calls(one, "source"), _Calls(other, "target")
    for _, call in sorted({*ours.order, *theirs.order}, key=lambda p: (p[0], p[1].thread, p[1].callee)):
        mine, his = ours.groups.get(call), theirs.groups.get(call)
        if mine == his:
            continue
        return Departure(
            call.callee, call.thread, call.number, ours.place(call), theirs.place(call),
            _why(ours, theirs, call, mine, his),
        )  # fmt: skip
    return None


def _why(
    ours: _Calls,
    theirs: _Calls,
    call: _Call,
    mine: frozenset[_Call] | None,
    his: frozenset[_Call] | None,
) -> Why:
    """The first member that only one side has, and why the other side has it not."""
    if mine is None or his is None:
        apart = ours if mine is None else theirs
        return NoCall(apart.called, call.thread, call.number, call.callee, begun=call in apart.instances)
    extra = min(mine ^ his, key=lambda c: (c.thread, c.number))
    apart = ours if extra in his else theirs
    return apart.why_apart(call, extra)
