"""Alignments: which dynamic instances were executed together, their columns, their picture.

Here: dynamic instances, their converged-with relation, and what one execution left behind.

Terms as in LLVM's *Convergence And Uniformity* (*Dynamic Instances*, *Convergence*).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from heapq import heappop, heappush
from typing import NamedTuple

from ..frozen import dataclass
from ..ir import InlineAsm, Local, escape_bytes
from ..ir.calls import callee_name, control, is_convergent, token_used, way_of
from ..ir.cfg import Order, Point, build_cfg, convergence_region, cycles, dominators
from ..ir.instructions import Br, CallSite, CondBr, DebugRecord, IndirectBr, Instruction, Phi, Switch
from ..ir.module import Block, Function, Module


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


# ----------------------------------------------------------------------------------------------------------
# What the controlled maximal relation asks of a function's blocks, from its cycles and regions.
# ----------------------------------------------------------------------------------------------------------


def block_facts(module: Module, function: Function, search: Order = Order.TEXT) -> Mapping[str, BlockFacts]:
    """The facts of each block, for the cycle hierarchy that ``search`` gives."""
    cfg = build_cfg(function)
    forest = cycles(cfg, search)
    tokens = _tokens(function)
    facts: dict[str, BlockFacts] = {}
    live: defaultdict[int, list[int]] = defaultdict(list)
    if tokens:
        tree = dominators(cfg)
        for index, (definition, uses) in sorted(tokens.items()):
            for at, (first, last) in convergence_region(cfg, tree, definition, uses).spans.items():
                if first <= 0 < last:
                    live[at].append(index)
    start = 0
    for number, block in enumerate(function.blocks):
        around = tuple(forest.around(number))
        facts[block.name] = BlockFacts(
            cycles=tuple(cycle.index for cycle in reversed(around)),
            heads=around[0].index if around and around[0].header == number else None,
            tokens=tuple(live[number]),
            operations=sum(is_convergent(module, instruction) for instruction in block.instructions),
            ways=frozenset(i for i, each in enumerate(block.instructions, start) if way_of(each) is not None),
        )
        start += len(block.instructions)
    return facts


def _tokens(function: Function) -> Mapping[int, tuple[Point, list[Point]]]:
    """Per token definition, by its index among the function's instructions, where it stands and is used."""
    definitions: dict[str, tuple[int, Point]] = {}
    uses: defaultdict[str, list[Point]] = defaultdict(list)
    index = 0
    for number, block in enumerate(function.blocks):
        for position, instruction in enumerate(block.instructions):
            if control(instruction) is not None and instruction.result is not None:
                definitions[instruction.result] = (index, Point(number, position))
            if (token := token_used(instruction)) is not None:
                uses[token.name].append(Point(number, position))
            index += 1
    return {index: (point, uses[name]) for name, (index, point) in definitions.items() if name in uses}


def facts_of(module: Module, search: Order = Order.TEXT) -> FactsOf:
    """The facts of a module's functions, each worked out when it is first asked for."""

    @cache
    def of(function: str) -> Mapping[str, BlockFacts]:
        return block_facts(module, module.functions[function], search)

    return of


# -- The controlled maximal converged-with relation, on block visits
# LLVM's *Convergent Operation Semantics*, *Controlled Maximal Convergence*, over *Convergence And
# Uniformity*, *Maximal Convergence*. Visits that executed convergent operations or control intrinsics are
# related as those are; the others by
# 1. converged instances of every token definition whose convergence region holds the block, and 2. for
# every cycle that contains the block: each thread's instances of the header that precede the one visit
# are convergence-before the other, without assuming that the visits are converged.
# The second clause is a least fixpoint. It is computed in one pass: the last instance of a header (of any
# cycle around the block) that a thread passed before the visit carries all earlier ones with it, and it
# comes before the other thread's visit iff that thread passed a converged instance since *its* last
# header. So two visits are converged iff their *last meeting points* are, and a visit's key is (block,
# context, last meeting point, tokens). Meeting points are header visits, and a convergent operation at
# which threads meet whose last meeting points differ: convergence tokens may group iterations otherwise
# than headers count them.
# In a callee, headers count per activation, and the context is the call site's own class.


@dataclass(frozen=True, slots=True)
class BlockFacts:
    """What the relation asks of a block.

    ``cycles`` are the numbers of the cycles that contain it, outermost first; ``heads`` is the
    one whose header it is; ``tokens`` the static instances, by index, of the token definitions
    whose convergence region holds the block's first point; ``operations`` how many convergent
    operations and control intrinsics stand in it; ``ways`` are the anchors of ways among them, by index
    (R-UNIFORM): they are in no program that somebody wrote, and part no columns.
    """

    cycles: tuple[int, ...]
    heads: int | None
    tokens: tuple[int, ...]
    operations: int
    ways: frozenset[int]


FactsOf = Callable[[str], Mapping[str, BlockFacts]]
"""The facts of a function's blocks, by the function's name."""

VisitClasses = tuple[tuple[int, ...], ...]
"""Per thread and visit the number of its class, from 0."""


class _ControlledFrame:
    """What one thread knows in one frame of ``function``, called from ``caller``.

    ``context`` what the activation has in common with a converged one; ``last`` per cycle the
    last meeting point that counts for it, as (time, class); ``classes`` the class of the last
    instance of each operation; ``visit`` the class of the current visit, ``cycles`` around it.
    """

    __slots__ = ("caller", "classes", "context", "cycles", "function", "last", "visit")

    def __init__(self, function: str, caller: _ControlledFrame | None, context: int) -> None:
        self.function = function
        self.caller = caller
        self.context = context
        self.last: dict[int, tuple[int, int]] = {}
        self.classes: dict[int, int] = {}
        self.visit = -1
        self.cycles: tuple[int, ...] = ()

    def meeting_point(self, cycles: tuple[int, ...]) -> int | None:
        """The last meeting point inside the outermost of these nested cycles; ``None`` before any."""
        points = [self.last[c] for c in cycles if c in self.last]
        return max(points)[1] if points else None


class _Relation:
    """Walks through all traces in an order that respects convergence-before, and keys each visit.

    ``steps``      what each thread still has to do
    ``frames``     each thread's activations
    ``keys``       the number of each key met so far
    ``classes``    the answer: per thread and visit the number of its key
    ``class_of``   the number of each operation's class
    ``cut``        blocks in which a thread stopped halfway
    ``whole``      for those blocks, what the stopped visits could join: key -> class
    ``time``       counts meeting points
    """

    def __init__(self, execution: Execution, facts_of: FactsOf) -> None:
        self.execution = execution
        self.facts_of = facts_of
        self.steps: list[Iterator[Step]] = [program_order(visits) for visits in execution.visits]
        self.frames: list[dict[int, _ControlledFrame]] = [{} for _ in execution.visits]
        self.keys: dict[Hashable, int] = {}
        self.classes: list[list[int]] = [[-1] * len(visits) for visits in execution.visits]
        self.class_of = {member: n for n, group in enumerate(execution.converged.classes) for member in group}
        self.cut = {(v.function, v.block) for visits in execution.visits for v in visits if self.stopped(v)}
        self.whole: dict[Hashable, int] = {}
        self.time = 0

    def run(self) -> VisitClasses:
        ordered = order(self.execution)
        for group in ordered.classes if isinstance(ordered, Columns) else ordered.before:
            met = [self.execute(member) for member in sorted(group)]
            if len(met) > 1:
                self.meet(met)
        for thread, steps in enumerate(self.steps):
            for step in steps:
                self.take(thread, step)
        if self.cut:
            self.join_stopped()
        return tuple(map(tuple, self.classes))

    def facts(self, visit: BlockVisit) -> BlockFacts:
        return self.facts_of(visit.function)[visit.block]

    def number(self, key: Hashable) -> int:
        return self.keys.setdefault(key, len(self.keys))

    def operations(self, visit: BlockVisit) -> tuple[int, ...]:
        """The classes of a visit's operations; one that the relation leaves out is alone."""
        ways, class_of = self.facts(visit).ways, self.class_of
        shown = (o for o in visit.operations if o.site.index not in ways)
        return tuple(class_of.setdefault(operation, len(class_of)) for operation in shown)

    def execute(self, operation: DynamicInstance) -> _ControlledFrame:
        """A thread goes on until it has executed ``operation``."""
        for step in self.steps[operation.thread]:
            activation = self.take(operation.thread, step)
            if step.operation == operation:
                return activation
        raise AssertionError(f"thread {operation.thread} does not come to {operation}")

    def take(self, thread: int, step: Step) -> _ControlledFrame:
        """One step of a thread."""
        visit = self.execution.visits[thread][step.visit]
        if step.operation is None:
            return self.enter(thread, step.visit, visit)
        activation = self.frames[thread][visit.frame]
        activation.classes[step.operation.site.index] = self.class_of[step.operation]
        return activation

    def enter(self, thread: int, number: int, visit: BlockVisit) -> _ControlledFrame:
        """A thread enters a block: what is its visit's class?"""
        facts, frames = self.facts(visit), self.frames[thread]
        if (activation := frames.get(visit.frame)) is None:
            activation = frames[visit.frame] = self.activation(thread, visit)
        operations = self.operations(visit)
        key = ("operations", operations) if operations else self.free_key(activation, visit, facts)
        activation.visit = self.classes[thread][number] = self.number(key)
        activation.cycles = facts.cycles
        if self.cut and (visit.function, visit.block) in self.cut:
            for size in range(1, len(operations)):
                self.whole.setdefault(("operations", operations[:size]), activation.visit)
            if operations:
                self.whole.setdefault(self.free_key(activation, visit, facts), activation.visit)
        if facts.heads is not None:
            self.time += 1
            activation.last[facts.heads] = (self.time, activation.visit)
        return activation

    def free_key(self, activation: _ControlledFrame, visit: BlockVisit, facts: BlockFacts) -> Hashable:
        """The key of a visit that executes no convergent operation."""
        tokens = tuple(activation.classes.get(token) for token in facts.tokens)
        meeting = activation.meeting_point(facts.cycles)
        return (visit.function, visit.block, activation.context, meeting, tokens)

    def activation(self, thread: int, visit: BlockVisit) -> _ControlledFrame:
        """Maximal convergence in a called frame needs converged instances of the call site."""
        if visit.caller is None:
            groups = self.execution.launch_groups
            launch = self.number(("launch", groups[thread] if groups else 0))
            return _ControlledFrame(visit.function, None, launch)
        caller = self.frames[thread][visit.caller]
        if visit.call is not None and (called := caller.classes.get(visit.call.index)) is not None:
            return _ControlledFrame(visit.function, caller, self.number(("called by", called)))
        return _ControlledFrame(visit.function, caller, self.number(("called in", visit.call, caller.visit)))

    def meet(self, met: list[_ControlledFrame]) -> None:
        """Threads met at one operation: from here on they agree on what they passed last, there and
        in their callers, as far as the calls themselves were no meeting of the same threads."""
        while True:
            self.agree(met)
            if len({activation.context for activation in met}) == 1:
                return
            callers = [activation.caller or activation for activation in met]
            if callers == met:
                return
            met = callers

    def agree(self, met: list[_ControlledFrame]) -> None:
        """Make the meeting their last meeting point for the outermost cycle in which theirs differ."""
        first = met[0]
        if any(activation.function != first.function for activation in met):
            return
        for depth, cycle in enumerate(first.cycles, 1):
            if any(activation.cycles[:depth] != first.cycles[:depth] for activation in met):
                return
            around = first.cycles[:depth]
            if len({activation.meeting_point(around) for activation in met}) > 1:
                self.time += 1
                point = self.number(("met", self.time))
                for activation in met:
                    activation.last[cycle] = (self.time, point)
                return

    def stopped(self, visit: BlockVisit) -> bool:
        """Whether the thread's run ended before it had executed the whole block."""
        return len(visit.operations) < self.facts(visit).operations

    def join_stopped(self) -> None:
        """A visit that stopped halfway joins one that did as it did, as far as it came."""
        keys = {number: key for key, number in self.keys.items()}
        for classes, visits in zip(self.classes, self.execution.visits, strict=True):
            for number, visit in enumerate(visits):
                if self.stopped(visit):
                    classes[number] = self.whole.get(keys[classes[number]], classes[number])


def controlled_maximal(execution: Execution, facts_of: FactsOf) -> VisitClasses:
    """The class of each block visit in the controlled maximal converged-with relation.

    Where convergence-before of the operations has a cycle (D-ORDER), what comes behind it is
    still classed, but its threads no longer meet at operations.
    """
    return _Relation(execution, facts_of).run()


# ----------------------------------------------------------------------------------------------------------
# The columns of block visits: one column holds one class, in topological order.
#
# What must hold: a thread's visits stand from left to right, and a class in one column. What should
# hold, and does unless it closes a cycle: visits that share some, but not all of their convergent
# operations follow convergence-before through these; and visits without any follow the classes given.
# ----------------------------------------------------------------------------------------------------------


Layout = tuple[tuple[int, ...], ...]
"""Per thread and visit its column, from 1."""


class _Layout:
    """Threads walk through their visits and wait at each for the rest of its class.

    ``at``        each thread's next visit
    ``here``      per class the threads that wait at it
    ``missing``   per class how many are still on their way
    ``shut``      per class how many of its gates are shut
    ``ready``     classes that can take a column, by lowest thread

    A gate is a class of operations whose members stand in visits of several classes. It lets the
    first of these visits pass when all threads have come to theirs, and what follows them when
    all have passed; ``coming`` and ``passing`` count who has not.
    """

    def __init__(self, execution: Execution, classes: VisitClasses) -> None:
        self.classes = classes
        self.soft = {
            c
            for row, visits in zip(classes, execution.visits, strict=True)
            for c, visit in zip(row, visits, strict=True)
            if not visit.operations
        }
        self.columns = [[0] * len(row) for row in classes]
        self.column = 0
        self.at = [0] * len(classes)
        self.here: defaultdict[int, list[int]] = defaultdict(list)
        self.missing: defaultdict[int, int] = defaultdict(int)
        self.shut: defaultdict[int, int] = defaultdict(int)
        self.ready: list[tuple[int, int]] = []
        for row in classes:
            for number in row:
                self.missing[number] += 1
        self.gates = self.find_gates(execution)
        self.coming = [len(gate) for gate in self.gates]
        self.passing = list(self.coming)
        self.gates_of: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        self.before: list[set[int]] = [set() for _ in self.gates]
        self.after: list[set[int]] = [set() for _ in self.gates]
        for gate, visits_at in enumerate(self.gates):
            for thread, number in visits_at:
                self.gates_of[thread, number].append(gate)
                self.before[gate].add(classes[thread][number])
                if number + 1 < len(classes[thread]):
                    self.after[gate].add(classes[thread][number + 1])
        for waiters in (*self.before, *self.after):
            for number in waiters:
                self.shut[number] += 1

    def find_gates(self, execution: Execution) -> list[list[tuple[int, int]]]:
        """Per gate the visits, as (thread, number), that share the operation."""
        class_of = {
            m: n for n, group in enumerate(execution.converged.classes) if len(group) > 1 for m in group
        }
        shared: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for thread, visits in enumerate(execution.visits):
            for number, visit in enumerate(visits):
                for operation in visit.operations:
                    if operation in class_of:
                        shared[class_of[operation]].append((thread, number))
        return [
            members
            for members in shared.values()
            if len({self.classes[thread][number] for thread, number in members}) > 1
        ]

    def run(self) -> Layout:
        for thread in range(len(self.classes)):
            self.arrive(thread)
        while any(at < len(row) for at, row in zip(self.at, self.classes, strict=True)):
            while self.ready:
                _, number = heappop(self.ready)
                if self.here[number]:
                    self.place(number)
            self.give_way()
        return tuple(map(tuple, self.columns))

    def arrive(self, thread: int) -> None:
        """The thread has come to its next visit."""
        number = self.at[thread]
        if number == len(self.classes[thread]):
            return
        mine = self.classes[thread][number]
        self.here[mine].append(thread)
        self.missing[mine] -= 1
        for gate in self.gates_of.get((thread, number), ()):
            self.coming[gate] -= 1
            if not self.coming[gate]:
                self.open(self.before[gate])
        self.check(mine)

    def open(self, waiters: set[int]) -> None:
        for number in sorted(waiters):
            self.shut[number] -= 1
            self.check(number)

    def check(self, number: int) -> None:
        """Put a class on the list when nothing is in its way any more."""
        if not self.missing[number] and not self.shut[number] and self.here[number]:
            heappush(self.ready, (min(self.here[number]), number))

    def place(self, number: int) -> None:
        """Give the threads that wait at a class the next column, and let them go on."""
        self.column += 1
        threads, self.here[number] = sorted(self.here[number]), []
        for thread in threads:
            at = self.at[thread]
            self.columns[thread][at] = self.column
            for gate in self.gates_of.get((thread, at), ()):
                self.passing[gate] -= 1
                if not self.passing[gate]:
                    self.open(self.after[gate])
            self.at[thread] += 1
        for thread in threads:
            self.arrive(thread)

    def give_way(self) -> None:
        """Nothing can go on: pass a shut gate, else leave the latecomers of some class behind.

        That is a class without convergent operations if the cycle has one, else (the relation
        itself breaks D-ORDER) any.
        """
        waiting = [t for t, row in enumerate(self.classes) if self.at[t] < len(row)]
        if not waiting:
            return
        for thread in waiting:
            number = self.classes[thread][self.at[thread]]
            if not self.missing[number]:
                self.place(number)
                return
        cycle = self.cycle(waiting)
        soft = [number for number in cycle if number in self.soft]
        self.place(min(soft or cycle, key=lambda number: min(self.here[number])))

    def cycle(self, waiting: list[int]) -> list[int]:
        """Follow whom the lowest waiting thread waits for until a class comes round again."""
        later: dict[int, list[int]] = defaultdict(list)
        for thread in waiting:
            for number in set(self.classes[thread][self.at[thread] + 1 :]):
                later[number].append(thread)
        walk: list[int] = []
        number = self.classes[waiting[0]][self.at[waiting[0]]]
        while number not in walk:
            walk.append(number)
            thread = later[number][0]
            number = self.classes[thread][self.at[thread]]
        return walk[walk.index(number) :]


def lay_out(execution: Execution, classes: VisitClasses) -> Layout:
    """The column of each visit; of two classes that could come next, the one with the lowest thread does."""
    return _Layout(execution, classes).run()


# -- The picture of an alignment (semantics.md §5): a row per thread, a column per class of block visits

ABSENT = "-"


def picture(
    execution: Execution,
    module: Module,
    function: str,
    all_blocks: bool = False,
    search: Order = Order.TEXT,
) -> tuple[str, ...]:
    """One string per thread: the blocks of ``function``, with or without ``@``, in their columns, one space
    between, ``-`` where the thread is absent.

    One column holds one class of block visits; columns are classes in topological order, ties by
    lowest thread. Two visits of a block share a column iff all their convergent operations (and
    control intrinsics) are converged, as far as both came; a block without any follows COS's
    controlled maximal converged-with relation, for the cycle hierarchy of ``search``, unless that
    closes a cycle.

    Blocks that hold only control intrinsics and a branch are left out, except the function's
    entry block, which no one added; ``all_blocks`` shows them. Phis belong to the branches that
    lead to them and debug records execute as nothing: neither keeps a block in the picture.

    Shown are the activations of ``function`` that were launched; if none was, all of them, so
    that a callee has a picture of its own. In either case what happens in other functions still
    orders the columns.
    """
    function = function.removeprefix("@")
    rows = cells(execution, module, function, all_blocks, search)
    used = sorted({column for row in rows for column in row})
    names = {block.name: _spelled(block.name) for block in module.functions[function].blocks}
    return tuple(
        " ".join(names[row[column].block] if column in row else ABSENT for column in used) for row in rows
    )


def cells(
    execution: Execution,
    module: Module,
    function: str,
    all_blocks: bool = False,
    search: Order = Order.TEXT,
) -> tuple[Mapping[int, BlockVisit], ...]:
    """What :func:`picture` draws: per thread the block visits that are shown, by column, from left to
    right. Columns that are not shown leave gaps in the numbers."""
    columns = lay_out(execution, controlled_maximal(execution, facts_of(module, search)))
    hidden = frozenset() if all_blocks else left_out(module.functions[function])
    launched = any(visits and visits[0].function == function for visits in execution.visits)

    def shown(visit: BlockVisit) -> bool:
        return (
            visit.function == function
            and visit.block not in hidden
            and (visit.caller is None or not launched)
        )

    return tuple(
        {column: visit for column, visit in zip(row, visits, strict=True) if shown(visit)}
        for row, visits in zip(columns, execution.visits, strict=True)
    )


def left_out(function: Function) -> frozenset[str]:
    """The blocks that a picture leaves out: only control intrinsics and a branch, not the entry block."""
    return frozenset(block.name for block in function.blocks[1:] if _is_control_only(block))


def _is_control_only(block: Block) -> bool:
    # Anchors of ways (R-UNIFORM) are in no SPIR-V: a block that has nothing else is the program's.
    instructions = [
        i for i in block.instructions if not isinstance(i, Phi | DebugRecord) and way_of(i) is None
    ]
    return (
        len(instructions) > 1
        and all(control(instruction) is not None for instruction in instructions[:-1])
        and _is_branch(instructions[-1])
    )


def _is_branch(instruction: Instruction) -> bool:
    return isinstance(instruction, Br | CondBr | Switch | IndirectBr)


def _spelled(name: str) -> str:
    """A block's name, in quotes where it would be mistaken for several words or for an absence; what would
    move a terminal's cursor or turn its direction, and bytes that are no text, as LLVM IR has them."""
    escaped = "".join(map(_escaped, name))
    return f'"{escaped}"' if escaped != name or name == ABSENT or not name or " " in name else name


def _escaped(character: str) -> str:
    if character.isprintable():
        return character
    is_byte = "\udc80" <= character <= "\udcff"  # one that is no UTF-8
    return escape_bytes(character.encode("utf-8", "surrogateescape" if is_byte else "surrogatepass"))
