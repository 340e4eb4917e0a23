"""Dynamic instances, their converged-with relation, and what one execution left behind.

Terms as in LLVM's *Convergence And Uniformity* (*Dynamic Instances*, *Convergence*).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from ..frozen import dataclass
from ..ir.calls import callee_name
from ..ir.instructions import CallSite
from ..ir.module import Function
from ..ir.operands import InlineAsm, Local


class StaticInstance(NamedTuple):
    """One instruction in the text: its function's name and its index in ``Function.instructions``."""

    function: str
    index: int  # type: ignore[assignment]  # tuple.index is not used on it


class DynamicInstance(NamedTuple):
    """A thread's ``nth`` execution (from 1, over the whole run) of a static instance."""

    thread: int
    site: StaticInstance
    nth: int


class BlockVisit(NamedTuple):
    """One pass of a thread through a block.

    ``frame`` is unique per activation within the thread, 0 for the launched function; ``caller``
    is the frame that called it (``None`` at the launch). ``operations`` are the convergent
    operations and control intrinsics that it executed in the block, in order; when the block
    calls, visits of the callee come after this one in the thread's list. ``call`` is the call
    site in the caller that made the frame, ``None`` at the launch.
    """

    frame: int
    caller: int | None
    function: str
    block: str
    operations: tuple[DynamicInstance, ...]
    call: StaticInstance | None = None


Group = frozenset[DynamicInstance]


@dataclass(frozen=True, slots=True)
class ConvergedWith:
    """The relation as its classes, singletons included; canonical, so that equality is equality."""

    classes: frozenset[Group]

    def class_of(self) -> Mapping[DynamicInstance, Group]:
        """Each dynamic instance's class."""
        return {member: group for group in self.classes for member in group}


@dataclass(frozen=True, slots=True)
class Execution:
    """One execution: per thread its trace of block visits, and the relation over all of them.

    ``launch_groups`` gives each thread's launch group by number; empty when there is one for all.
    """

    visits: tuple[tuple[BlockVisit, ...], ...]
    converged: ConvergedWith
    launch_groups: tuple[int, ...] = ()


# -- Alignments in a form that can be compared, and the names that answers give to operations

Alignment = tuple[tuple[DynamicInstance, ...], ...]
"""The classes of one converged-with relation, singletons included, each sorted, in sorted order."""


def canonical(execution: Execution) -> Alignment:
    """The alignment of an execution: equal for equal relations, hashable, in no one's order."""
    return tuple(sorted(tuple(sorted(group)) for group in execution.converged.classes))


def operation_name(function: Function, index: int) -> str:
    """``%name``, or, for an operation without a name, ``@callee#k``: the k-th call of that callee in
    its function in text order, from 1. A number is not a name: it changes when code is added."""
    call = _call(function, index)
    if call.result is not None and not call.result.isdecimal():
        return f"%{call.result}"
    callee = callee_text(call)
    before = (i for i in function.instructions[: index + 1] if isinstance(i, CallSite))
    return f"{callee}#{sum(callee_text(other) == callee for other in before)}"


def callee_text(call: CallSite) -> str:
    """What a call names: ``@f``, ``%pointer``, ``asm``, or ``<constant>`` for any other operand."""
    if (name := callee_name(call)) is not None:
        return f"@{name}"
    match call.callee:
        case Local(_, name):
            return f"%{name}"
        case InlineAsm():
            return "asm"
        case _:
            return "<constant>"


def _call(function: Function, index: int) -> CallSite:
    instruction = function.instructions[index]
    assert isinstance(instruction, CallSite), f"@{function.name} instruction {index} is no call"
    return instruction


# ----------------------------------------------------------------------------------------------------------
# One thread's trace in program order: blocks entered, operations executed, callees in between.
# ----------------------------------------------------------------------------------------------------------


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
