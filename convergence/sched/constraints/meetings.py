"""Barriers of the workgroup at which launch groups meet, as constraints (semantics.md, §2, *Barriers*).

In a legal execution every thread ends. So a thread's n-th instance of a barrier of one name comes, in
columns, after all that each thread of another launch group of its workgroup does before its own n-th
instance; or, of a thread that ends with fewer, after all that it does. And it is not its own cause by that
(D-CAUSE)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

import z3

from ...rules import Rule
from ...semantics.memory.synchronisation import ScopeNumbers
from ...semantics.values.pending import NOTHING, Needs
from .candidates import Instance, Query, Trace, TraceNode
from .rules import Axiom, ConvergedWithAxioms
from .time import Times


class Meetings:
    """The barriers of the workgroup on all candidate traces, by workgroup and name, and the traces that are
    complete, by workgroup. ``times``: ``None`` where no memory is shared. ``standing_of`` says where a thread
    stands."""

    def __init__(
        self, relation: ConvergedWithAxioms, times: Times | None, standing_of: Callable[[int], ScopeNumbers]
    ) -> None:
        self._relation = relation
        self._times = times
        self._standing_of = standing_of
        self._barriers: defaultdict[tuple[int, str], list[Instance]] = defaultdict(list)
        self._ended: defaultdict[int, list[TraceNode]] = defaultdict(list)

    def grown(self, node: TraceNode) -> Iterator[Axiom]:
        """Takes in a piece of a trace."""
        for instance in node.instances:
            if instance.meeting is not None:
                yield from self._meets(instance)
        if isinstance(node.end, Trace):
            workgroup = self._standing_of(node.thread).workgroup
            self._ended[workgroup].append(node)
            for (where, _), barriers in self._barriers.items():
                for barrier in barriers if where == workgroup else ():
                    yield from self._ends_early(barrier, node)

    def _meets(self, instance: Instance) -> Iterator[Axiom]:
        assert instance.meeting is not None
        workgroup, name = instance.meeting[:2]
        others = self._barriers[workgroup, name]
        for other in others:
            if other.launch is not instance.launch and other.meeting == instance.meeting:
                yield from self._waits(instance, other.node, other.previous, other.needs)
                yield from self._waits(other, instance.node, instance.previous, instance.needs)
        others.append(instance)
        for node in self._ended[workgroup]:
            yield from self._ends_early(instance, node)

    def _ends_early(self, barrier: Instance, node: TraceNode) -> Iterator[Axiom]:
        """A thread that ends with fewer instances: nobody waits for it any more once it has ended."""
        assert barrier.meeting is not None
        name, nth = barrier.meeting[1:]
        if self._standing_of(node.thread).launch == barrier.launch.number:
            return
        came = sum(i.meeting is not None and i.meeting.name == name for i in node.path)
        if came < nth:
            question = None if node.parent is None else node.parent.end
            needs = question.behind if isinstance(question, Query) else NOTHING
            yield from self._waits(barrier, node, node.last, needs)

    def _waits(
        self, barrier: Instance, node: TraceNode, before: Instance | None, needs: Needs
    ) -> Iterator[Axiom]:
        """A barrier comes after an instance of another thread, and what that has needed to come there."""
        both = z3.And(barrier.node.act, node.act)
        if before is not None:
            later = self._relation.column(before) < self._relation.column(barrier)
            yield Axiom(Rule.D_SYNC, (before, barrier), z3.Implies(both, later))
        if self._times is not None:
            for term in self._times.after(needs, barrier):
                yield Axiom(Rule.D_CAUSE, (barrier,), z3.Implies(both, term))
