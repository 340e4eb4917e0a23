"""One thread's trace in program order: blocks entered, operations executed, callees in between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from ..frozen import dataclass
from .instances import BlockVisit, DynamicInstance, Execution, Group


class Step(NamedTuple):
    """The thread enters its ``visit``-th block visit (from 0), or executes ``operation`` in it."""

    visit: int
    operation: DynamicInstance | None


class _TraceFrame:
    """A frame on the thread's stack: its current visit and how much of it has been told."""

    __slots__ = ("frame", "position", "visit")

    def __init__(self, frame: int, visit: int) -> None:
        self.frame = frame
        self.visit = visit
        self.position = 0


def program_order(visits: Sequence[BlockVisit]) -> Iterator[Step]:
    """A thread's steps in the order in which it took them.

    A callee's visits stand after the whole visit that calls (``BlockVisit``); here the caller's
    operations behind the call come after the callee has returned. Without a call site in the
    data they all come before the callee.
    """
    stack: list[_TraceFrame] = []
    begun: set[int] = set()

    def rest(activation: _TraceFrame, upto: int | None = None) -> Iterable[Step]:
        """What the current visit still has to tell, up to the instruction numbered ``upto``."""
        operations = visits[activation.visit].operations
        while activation.position < len(operations):
            operation = operations[activation.position]
            if upto is not None and operation.site.index > upto:
                return
            activation.position += 1
            yield Step(activation.visit, operation)

    for number, visit in enumerate(visits):
        home = visit.frame if visit.frame in begun else visit.caller
        while stack and stack[-1].frame != home:
            yield from rest(stack.pop())
        if stack and home == visit.frame:
            yield from rest(stack[-1])
            stack[-1].visit, stack[-1].position = number, 0
        else:
            if stack:
                yield from rest(stack[-1], None if visit.call is None else visit.call.index)
            stack.append(_TraceFrame(visit.frame, number))
            begun.add(visit.frame)
        yield Step(number, None)
    while stack:
        yield from rest(stack.pop())


# -- Convergence-before over convergent operations and control intrinsics (D-ORDER)
# LLVM's *Convergence And Uniformity*, *Convergence*: program order in each thread, carried across
# converged-with in both directions, transitively closed.


@dataclass(frozen=True, slots=True)
class Columns:
    """The quotient is a strict partial order: ``classes`` in one topological order of it.

    ``classes[n - 1]`` is column n. Columns grow strictly along each thread and are equal exactly on
    converged instances. Of two classes that could come next, the one with the lowest thread does;
    two such classes have no thread in common, so there is no further tie.
    """

    classes: tuple[Group, ...]
    column: Mapping[DynamicInstance, int]


@dataclass(frozen=True, slots=True)
class OrderCycle:
    """Why the quotient is no strict partial order: a walk along convergence-before back to its start.

    In each of ``steps`` one thread executes the first instance strictly before the second; the
    second is converged with the first of the next step, that of the last step with the first of
    the first. ``before`` are the classes that could be ordered, in that order.
    """

    steps: tuple[tuple[DynamicInstance, DynamicInstance], ...]
    before: tuple[Group, ...]


class _Walk:
    """Threads that walk through their operations and wait at each for the rest of its class.

    ``traces``     each thread's operations, in program order
    ``at``         each thread's place in its trace
    ``class_of``   the number of each instance's class
    ``waiting``    how many members of a class are still on their way
    ``ready``      classes whose members have all arrived, by lowest thread
    """

    def __init__(self, execution: Execution) -> None:
        self.traces = [
            tuple(step.operation for step in program_order(visits) if step.operation is not None)
            for visits in execution.visits
        ]
        self.classes: list[Group] = list(execution.converged.classes)
        self.class_of = {member: n for n, group in enumerate(self.classes) for member in group}
        executed = {instance for trace in self.traces for instance in trace}
        if strangers := self.class_of.keys() - executed:
            raise ValueError(f"the relation names {min(strangers)}, which no thread executed")
        for instance in sorted(executed - self.class_of.keys()):
            self.class_of[instance] = len(self.classes)
            self.classes.append(frozenset((instance,)))
        self.at = [0] * len(self.traces)
        self.waiting = [len(group) for group in self.classes]
        self.ready: list[tuple[int, int]] = []
        for thread in range(len(self.traces)):
            self.arrive(thread)

    def arrive(self, thread: int) -> None:
        """The thread has come to its next operation."""
        if self.at[thread] < len(self.traces[thread]):
            number = self.class_of[self.traces[thread][self.at[thread]]]
            self.waiting[number] -= 1
            if not self.waiting[number]:
                heappush(self.ready, (min(m.thread for m in self.classes[number]), number))

    def run(self) -> list[Group]:
        """Let every class pass that can; its members go on together."""
        passed: list[Group] = []
        while self.ready:
            _, number = heappop(self.ready)
            passed.append(self.classes[number])
            for member in self.classes[number]:
                self.at[member.thread] += 1
                self.arrive(member.thread)
        return passed

    def stuck(self) -> list[int]:
        """The threads that still wait."""
        return [t for t, trace in enumerate(self.traces) if self.at[t] < len(trace)]

    def cycle(self, thread: int) -> tuple[tuple[DynamicInstance, DynamicInstance], ...]:
        """Follow whom the thread waits for until a class comes round again."""
        steps: list[tuple[DynamicInstance, DynamicInstance]] = []
        visited: dict[int, int] = {}
        number = self.class_of[self.traces[thread][self.at[thread]]]
        while number not in visited:
            visited[number] = len(steps)
            missing = min(m for m in self.classes[number] if self.here(m.thread) != m)
            earlier = self.here(missing.thread)
            steps.append((earlier, missing))
            number = self.class_of[earlier]
        return tuple(reversed(steps[visited[number] :]))

    def here(self, thread: int) -> DynamicInstance:
        """The operation at which a thread waits."""
        return self.traces[thread][self.at[thread]]


def order(execution: Execution) -> Columns | OrderCycle:
    """D-ORDER: convergence-before over convergent operations and control intrinsics is a strict
    partial order: each has an integer column, strictly growing along its thread and equal on
    converged instances.

    Raises ``ValueError`` if the relation names an instance that no thread executed.
    """
    walk = _Walk(execution)
    passed = walk.run()
    if stuck := walk.stuck():
        return OrderCycle(walk.cycle(stuck[0]), tuple(passed))
    return Columns(tuple(passed), {m: n for n, group in enumerate(passed, 1) for m in group})
