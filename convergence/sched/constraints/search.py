"""All models of the axioms: what a proposal of the solver says, what it taught, and executions in the
terms of ``run``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

import z3

from ...alignment import ConvergedWith, Execution
from ...frozen import Json, dataclass
from ...interruption import notice
from ...ir.module import Module
from ...rules import Rule
from ...semantics import (
    INTERRUPTED,
    Bound,
    BoundHit,
    BoundKind,
    Clock,
    Crash,
    Cut,
    Deadlock,
    NoModel,
    NotModelled,
    Returned,
    SolverGaveUp,
    Undefined,
    UndefinedBehaviour,
    Unmodelled,
    UsageError,
)
from ...semantics.arithmetic.symbolic import check, one_thread
from ...semantics.machine import complete
from ...semantics.machine.launch import LaunchSpec, launched_memory
from ...semantics.machine.run import Group, Outcome, ThreadOutcome, groups, prepare_run, shared_contents
from ...semantics.machine.uniform_barriers import divergent_barrier
from ...semantics.memory import Touch
from ...semantics.memory.accesses import AccessShape, footprint, perform, performed_as
from ...semantics.memory.allocations import Memory
from ...semantics.memory.globals import assumptions
from ...semantics.memory.synchronisation import storage_of
from ...semantics.operations import made_up
from ...semantics.values import Later, Unknown, any_undef, needed, scalars
from ..enumeration import NO_EXECUTION, Enumeration, ExecutionCollector
from .candidates import Answer, Instance, MemoryEvent, Place, Query, Stopped, Trace, TraceNode
from .rules import Axiom, any_of
from .theory import Assignment, Theory, equal
from .time import HappensBefore, Reach, d_cause_closing, is_ordered, writes_into
from .walk import World

# ----------------------------------------------------------------------------------------------------------
# What one proposal of the solver says: traces, classes, the order of accesses; and what it taught.
# ----------------------------------------------------------------------------------------------------------

# ----------------------------------------------------------------------------------------------------------
# A settled proposal as an execution and an outcome, in the terms of ``run``.
# ----------------------------------------------------------------------------------------------------------


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


Lesson = tuple[Any, Callable[[], list[Axiom]]]
"""What was computed, as axioms, and its name."""


class Again(Exception):
    """The proposal is no execution; what that teaches was told to the solver."""


class Proposal:
    """The inventory.

    ``paths``      the nodes of each thread's trace; ``checked`` the places of answers that were compared
    ``left``       how many of each thread's instances have not happened
    ``classes``    those that have not happened, by column; ``readings`` the accesses, by time
    ``happened``   the instances and accesses that have; ``results`` what they returned,
                   ``assignment`` the same term by term
    ``memory``     shared memory after the accesses that happened, which are ``performed``
    ``lessons``    what was computed so far
    ``shapes``     what the accesses are, ``touches`` what they did to the bytes that they touch
    ``before``     the writes to the bytes of an access that were performed before it
    """

    def __init__(self, theory: Theory, model: z3.ModelRef) -> None:
        self.theory = theory
        self.world = theory.world
        self.relation = theory.relation
        self.model = model
        self.assignment = Assignment(theory.leaves)
        self.results: dict[Instance, Any] = {}
        self.lessons: list[Lesson] = []
        self.happened: set[Any] = set()
        self.performed: list[MemoryEvent] = []
        self.shapes: dict[MemoryEvent, AccessShape] = {}
        self.touches: dict[MemoryEvent, tuple[Touch, ...]] = {}
        self.before: dict[MemoryEvent, list[MemoryEvent]] = {}
        self.order: tuple[MemoryEvent, ...] = ()
        self.operands: dict[Any, tuple[Any, ...]] = {}
        self.paths = {t: self._path(root) for t, root in theory.roots.items()}
        self.checked: dict[int, set[int]] = {thread: set() for thread in self.paths}
        self.left = {t: sum(i.recorded for i in path[-1].path) for t, path in self.paths.items()}
        self.memory = launched_memory(self.world.program, self.world.launch)
        self.all_classes = self._classes()
        self.classes = sorted(
            self.all_classes, key=lambda c: (self.number(self.relation.column(c[0])), c[0].number)
        )
        readings = [r for path in self.paths.values() for r in path[-1].readings]
        self.readings = sorted(readings, key=lambda r: (self.number(theory.times.of(r)), r.number))

    # -- what the proposal says -----------------------------------------------------------------------

    def true(self, term: Any) -> bool:
        return term is True or bool(z3.is_true(self.model.eval(term, model_completion=True)))

    def number(self, term: Any) -> int:
        value: int = self.model.eval(term, model_completion=True).as_long()
        return value

    def column(self, instance: Instance) -> int:
        return self.number(self.relation.column(instance))

    def _path(self, node: TraceNode) -> list[TraceNode]:
        path = [node]
        while True:
            following = next((c for c in node.children.values() if self.true(c.act)), None)
            if following is None:
                return path
            node = following
            path.append(node)

    def _classes(self) -> list[list[Instance]]:
        """The classes, members by thread."""
        taken = {i.number: i for path in self.paths.values() for i in path[-1].path if i.recorded}
        home = {n: n for n in taken}

        def root(n: int) -> int:
            while home[n] != n:
                n = home[n]
            return n

        at: dict[Any, list[Instance]] = {}
        for instance in taken.values():
            at.setdefault((instance.site, instance.launch), []).append(instance)
        for instances in at.values():
            for n, a in enumerate(instances):
                for b in instances[n + 1 :]:
                    pair = False if a.thread == b.thread else self.relation.converged(a, b)
                    if pair is not False and self.true(pair):
                        home[root(a.number)] = root(b.number)
        classes: dict[int, list[Instance]] = {}
        for n, instance in taken.items():
            classes.setdefault(root(n), []).append(instance)
        return [sorted(members, key=lambda i: i.thread) for members in classes.values()]

    def literals(self, leaves: list[TraceNode]) -> list[Any]:
        """The traces taken, who was converged by choice, what was read, and who wrote last. Where something
        may race, also who wrote what atomic accesses read: it decides what happens before what."""
        literals: list[Any] = [leaf.act for leaf in leaves]
        taken = {i.number for leaf in leaves for i in leaf.path}
        for (a, b), pair in self.relation.free.items():
            if a in taken and b in taken:
                literals.append(pair if self.true(pair) else z3.Not(pair))
        times = self.theory.times
        for n, reading in enumerate(self.performed):
            if reading.result is not None:
                literals += equal(reading.result, self.assignment.value(reading.result), exact=True)
            elif reading.picks is not None:
                literals.append(reading.picks == self.assignment.of(reading.picks))
            for later in self.performed[n + 1 :]:
                if later.thread != reading.thread and not _cells(reading.written).isdisjoint(
                    _cells(later.written)
                ):
                    if self._is_last(later):
                        literals.append(times.of(reading) < times.of(later))
        if self._may_race():
            literals += [literal for n in range(len(self.performed)) for literal in self._source(n)]
        return literals

    def _may_race(self) -> bool:
        """Whether two accesses of different threads race if nothing orders them."""
        return any(
            first.thread != second.thread
            and not (self.shapes[first].atomic and self.shapes[second].atomic)
            and is_ordered(first, second)
            for first, second in combinations(self.performed, 2)
        )

    def _source(self, n: int) -> Iterator[Any]:
        """That the ``n``-th access, an atomic read, reads each byte from who wrote it last."""
        reading, times = self.performed[n], self.theory.times
        if not (self.shapes[reading].atomic and self.shapes[reading].reads):
            return
        conflicting = [w for w in self.performed if w is not reading and writes_into(w, reading)]
        earlier = {w for w in self.performed[:n] if w in conflicting}
        for cell in sorted(_cells(reading.touches)):
            writes = [w for w in conflicting if cell in _cells(w.written)]
            source = next((w for w in reversed(writes) if w in earlier), None)
            if source is not None:
                yield times.of(source) < times.of(reading)
            for other in writes:
                behind = times.of(reading) < times.of(other)
                if source is None or other not in earlier:
                    yield behind
                elif other is not source:
                    yield z3.Or(times.of(other) < times.of(source), behind)

    def _is_last(self, writing: MemoryEvent) -> bool:
        """Whether some byte is as this access left it."""
        after = self.performed[self.performed.index(writing) + 1 :]
        cells = _cells(writing.written)
        for other in after:
            cells -= _cells(other.written)
        return bool(cells)

    # -- lessons --------------------------------------------------------------------------------------

    def learn(self, more: list[Lesson] | None = None) -> bool:
        """Tells the solver all that was computed so far; whether any of it is new."""
        lessons = self.lessons if more is None else more
        new = [self.theory.learn(name, lesson) for name, lesson in lessons]
        return any(new)


# -- What happens in a proposal: exchanges return what their model gives, reads what was written


class Happenings(Proposal):
    """Exchanges and accesses, each computed when its operands are known, and what that teaches."""

    # -- exchanges ------------------------------------------------------------------------------------

    def exchange(self, members: list[Instance]) -> None:
        """D-THREAD: every member of a group gets what the model gives for the group and its operands."""
        call = members[0].call
        if call is None:
            return
        if call.stands_in:
            self.theory.notes[made_up(call.callee)] = None
        launch = members[0].launch
        operands = {i: tuple(self.assignment.value(v) for v in i.operands) for i in members}
        unknown = next((v for vs in operands.values() for v in vs if isinstance(v, Unknown)), None)
        if unknown is not None:
            for instance in members:
                self._returned(instance, unknown)
            return
        by_lane = {i.thread - launch.first: operands[i] for i in members}
        results = call.model.together(by_lane, self.world.subgroups[launch])
        for instance in members:
            value = results.get(instance.thread - launch.first)
            if value is not None:
                self._returned(instance, value)
        self.operands.update(operands)
        name = (tuple(i.number for i in members), tuple(repr(v) for i in members for v in operands[i]))
        self.lessons.append((name, lambda: self._group_lesson(members)))

    def _returned(self, item: Instance | MemoryEvent, value: Any) -> None:
        """An unknown turned out to be this."""
        if isinstance(item, Instance):
            self.results[item] = value
        if item.result is not None:
            if isinstance(value, Unknown):
                for unknown in scalars(item.result):
                    self.assignment.set(unknown.bits, value)
                    self.assignment.set(unknown.poison, value)
                return
            if any_undef(value):
                self.theory.bound = self.theory.bound or NoModel("undef as a result")
            for unknown, real in zip(scalars(item.result), scalars(value), strict=True):
                self.assignment.set(unknown.bits, real.bits)
                self.assignment.set(unknown.poison, real.poison)
        elif item.picks is not None:
            self.assignment.set(item.picks, self.world.pick_of(value))

    def _returning(self, item: Instance | MemoryEvent) -> list[Any]:
        """That a result is what was computed."""
        if item.result is not None:
            return equal(item.result, self.assignment.value(item.result), exact=True)
        return [] if item.picks is None else [item.picks == self.assignment.of(item.picks)]

    def _group_lesson(self, members: list[Instance]) -> list[Axiom]:
        """D-THREAD: this group, with these operands and no one else, returned this."""
        theory, first = self.theory, members[0]
        premises: list[Any] = [first.node.act]
        premises += [self.relation.converged(first, other) for other in members[1:]]
        axioms: list[Axiom] = []
        present = {i.thread for i in members}
        for thread in range(first.launch.first, first.launch.first + first.launch.size):
            if thread not in present:
                joins, meaning = theory.joining.joins(first, thread)
                axioms += meaning
                premises += [] if joins is False else [z3.Not(joins)]
        returned: list[Any] = []
        for instance in members:
            for value, known in zip(instance.operands, self.operands[instance], strict=True):
                premises += equal(value, known)
            returned += self._returning(instance)
        if returned:
            axioms.append(
                Axiom(Rule.D_THREAD, tuple(members), z3.Implies(z3.And(*premises), z3.And(*returned)))
            )
        return axioms

    # -- memory ---------------------------------------------------------------------------------------

    def access(self, reading: MemoryEvent) -> None:
        """D-MEM: a read returns the last earlier write to the location, else the initial value."""
        if reading.own:
            return
        operands = tuple(self.assignment.value(v) for v in reading.operands)
        self.operands[reading] = operands
        self.before[reading] = [r for r in self.performed if writes_into(r, reading)]
        self.performed.append(reading)
        access = self.world.performed(reading.site.function, reading.site.index)(*operands)
        try:
            touches = footprint(access, self.memory, reading.thread)
            performed = performed_as(access, touches, self.memory, reading.thread)
            self.shapes[reading], self.touches[reading] = performed
            value = perform(access, self.memory, reading.thread)
        except Undefined as stop:
            undefined = UndefinedBehaviour(stop.reason, stop.section, reading.thread)
            waiting = Unmodelled("undefined behaviour behind an address that waits for it", reading.thread)
            self.theory.ending(waiting if self.supposes() else undefined)
            self._excluded(reading)
        except NotModelled as stop:
            self.theory.ending(Unmodelled(stop.feature, reading.thread))
            self._excluded(reading)
        if value is None or reading.type is None:
            return
        self._returned(reading, value)
        behind = self._behind(reading)
        name = (
            repr(operands),
            *(
                (access.number, *((r.number, repr(self.operands[r])) for r in self.before[access]))
                for access in behind
            ),
        )
        self.lessons.append((name, lambda: self._read_lesson(behind, self._returning(reading))))

    def supposes(self, but: int | None = None) -> bool:
        """Whether some answer was passed that is not compared yet, by another thread than one."""
        return any(len(self.checked[t]) < len(path) - 1 for t, path in self.paths.items() if t != but)

    def _excluded(self, reading: MemoryEvent) -> None:
        """What the access meets ends the execution."""
        for axiom in self._read_lesson(self._behind(reading), [z3.BoolVal(False)]):
            self.theory.tell(axiom)
        self.learn()
        raise Again

    def _behind(self, reading: MemoryEvent) -> list[MemoryEvent]:
        """The accesses of which hangs what an access reads: itself, and those that wrote there what hangs
        from bytes that they read elsewhere. What wrote to the bytes of one of them before another one, which
        touches no others, is before that one, too."""
        behind = [reading]
        for later in behind:
            for write in self.before[later]:
                if write in behind or not self.shapes[write].reads:
                    continue
                covering = (access for access in behind if write in self.before[access])
                if not any(_cells(write.touches) <= _cells(access.touches) for access in covering):
                    behind.append(write)
        return behind

    def _read_lesson(self, behind: list[MemoryEvent], returned: list[Any]) -> list[Axiom]:
        """D-MEM: after these writes, in this order and no others, this was read."""
        premises: list[Any] = []
        axioms: list[Axiom] = []
        for access in behind:
            more, meaning = self._premises(access, self.before[access])
            premises += more
            axioms += meaning
        if returned:
            axioms.append(Axiom(Rule.D_MEM, (), z3.Implies(z3.And(*premises), z3.And(*returned))))
        return axioms

    def _premises(self, reading: MemoryEvent, before: list[MemoryEvent]) -> tuple[list[Any], list[Axiom]]:
        """That these writes are before an access, in this order, and no others; what that means."""
        theory, times = self.theory, self.theory.times
        premises: list[Any] = [r.node.act for r in (*before, reading)]
        axioms: list[Axiom] = []
        premises += [times.of(first) < times.of(second) for first, second in _in_order(before, reading)]
        for access in (*before, reading):
            for value, known in zip(access.operands, self.operands[access], strict=True):
                premises += equal(value, known)
        for thread in self.paths:
            if thread != reading.thread:
                last = next((r for r in reversed(before) if r.thread == thread), None)
                overwrites, meaning = theory.overwriting.overwrites(reading, thread, last)
                axioms += meaning
                premises += [] if overwrites is False else [z3.Not(any_of(overwrites))]
        return premises, axioms


def _in_order(before: list[MemoryEvent], reading: MemoryEvent) -> list[tuple[MemoryEvent, MemoryEvent]]:
    """What has to be in this order for an access to read what it does, byte by byte: writes without a common
    byte may be at one time."""
    pairs: dict[tuple[MemoryEvent, MemoryEvent], None] = {}
    for cell in sorted(_cells(reading.touches)):
        writes = [write for write in before if cell in _cells(write.written)]
        for pair in pairwise([*writes, reading]):
            if pair[0].thread != pair[1].thread:
                pairs[pair] = None
    return list(pairs)


def _cells(places: Iterable[Place]) -> set[tuple[int, int]]:
    """Single bytes, by object and offset."""
    return {(number, at) for number, start, stop in places for at in range(start, stop)}


# -- One proposal of the solver, settled: results are computed, in an order in which they can be
# An exchange happens when its operands are known and no thread that stands at an open question could
# still join it in its column; accesses to shared memory happen in the order of their times.


class Settling(Happenings):
    """One proposal on its way to a legal execution, or to what is wrong with it."""

    # -- the whole of it ------------------------------------------------------------------------------

    def settle(self) -> tuple[Complete, list[Any]]:
        """The legal execution that the proposal is, and what makes it this one. Raises Again if it is
        none."""
        for thread in self.paths:
            self._advance(thread)
        order = tuple(self.readings)
        while self.classes or self.readings:
            members = next((c for c in self.classes if self._class_ready(c)), None)
            if members is not None:
                self.exchange(members)
                self.classes.remove(members)
                self.happened.update(members)
                for member in members:
                    self.left[member.thread] -= 1
            elif self.readings and self._reading_ready(self.readings[0]):
                reading = self.readings.pop(0)
                self.access(reading)
                self.happened.add(reading)
            else:
                self._stuck()
            for thread in self.paths:
                self._advance(thread)
        for thread, path in self.paths.items():
            self._come_to_undefined(thread)
            if not isinstance(path[-1].end, Trace):
                self._finish(thread)
        if self.world.shares_memory:
            if self.learn(self.closings()):
                raise Again
        leaves = [path[-1] for path in self.paths.values()]
        literals = self.literals(leaves)
        if self.performed and not all(self.true(literal) for literal in literals):
            if not self.learn():  # something was read that is not what the proposal says
                raise Crash("a proposal reads something else, and nothing is to be learnt")
            raise Again
        self.order = order
        self.theory.notes.update(dict.fromkeys(assumptions(self.memory)))
        return observe(
            self.world, leaves, self.all_classes, self.results, self.assignment, self.memory
        ), literals

    def races(self) -> bool:
        """Whether two accesses of the settled execution race: then reads are undef, and this is none."""
        memory = self.memory.allocations
        return HappensBefore(
            self.order,
            self.shapes,
            self.touches,
            self.all_classes,
            lambda number: storage_of(memory[number].address_space),
            self.world.standing,
        ).races()

    def divergent_barrier(self) -> UndefinedBehaviour | None:
        """What is undefined about the barriers of the settled execution."""
        leaves = {path[-1].thread: path[-1] for path in self.paths.values()}
        standings = {thread: self.world.standing(thread) for thread in sorted(leaves)}
        executed = ((i.thread, i.site) for leaf in leaves.values() for i in leaf.path if i.recorded)
        return divergent_barrier(self.world.program, standings, executed)

    # -- answers --------------------------------------------------------------------------------------

    def _advance(self, thread: int) -> None:
        """Compares the thread's answers with what was computed as far as that goes; at the end of its
        trace, when all before has happened, looks what comes then."""
        path, checked = self.paths[thread], self.checked[thread]
        for place, node in enumerate(path[:-1]):
            assert isinstance(node.end, Query)
            if place in checked:
                continue
            if not node.end.needs <= self.happened:
                if node.end.steers:
                    return
                continue
            following, answer = path[place + 1], self._answer(node)
            if answer != following.answers[-1]:
                if answer not in node.children:
                    self.theory.answer(node, answer)
                    self.learn()
                elif not self.learn():
                    raise Crash(
                        f"thread {thread} was told {following.answers[-1]}, and nothing is to be learnt"
                    )
                raise Again
            checked.add(place)
        self._come_to_undefined(thread)
        if not self.left[thread] and self._all_checked(thread):
            self._finish(thread)

    def _come_to_undefined(self, thread: int) -> None:
        """What is undefined on the thread's way ends the execution when it is known to be. Raises Again."""
        path, checked = self.paths[thread], self.checked[thread]
        place = next((n for n, node in enumerate(path) if node.undefined is not None), None)
        if place is None or len(checked.intersection(range(place))) < place:
            return
        undefined = path[place].undefined
        assert undefined is not None
        ending, needs = undefined
        if not needs <= self.happened or self.supposes(thread):
            return
        self._wait_for(thread)
        self.theory.ending(ending)
        self.theory.exclude(z3.Not(path[place].act))
        raise Again

    def _all_checked(self, thread: int) -> bool:
        return len(self.checked[thread]) == len(self.paths[thread]) - 1

    def _answer(self, node: TraceNode) -> Answer:
        """What was computed for a node's question."""
        question = node.end
        assert isinstance(question, Query)
        if question.term.get_id() in self.world.free:
            return self.true(question.term)
        answer = self.assignment.of(question.term)
        if isinstance(answer, Unknown):
            raise UsageError(needed(answer, "a branch"))
        return answer  # type: ignore[no-any-return]  # a bool or an int

    def _finish(self, thread: int) -> None:
        """The thread's trace is complete, or goes on, or stops."""
        leaf = self.paths[thread][-1]
        match leaf.end:
            case Trace():
                return
            case Stopped():
                if any(r not in self.happened and r.type is not None for r in leaf.readings):
                    return
                if self.supposes():  # what has led here may not be so
                    return
                self._wait_for(thread)
                self.theory.stopped(leaf)
            case Query(needs=needs):
                if not needs <= self.happened:
                    return
                answer = self._answer(leaf)
                if answer in leaf.children:
                    if not self.learn():
                        raise Crash(f"thread {thread} leaves its trace, and nothing is to be learnt")
                else:
                    leaf = self.theory.answer(leaf, answer)
                    while not any(i.recorded for i in leaf.instances) and self._can_answer(leaf):
                        leaf = self.theory.answer(leaf, self._answer(leaf))
                    self.learn()
        raise Again

    def _can_answer(self, node: TraceNode) -> bool:
        return isinstance(node.end, Query) and node.end.needs <= self.happened

    # -- what can happen --------------------------------------------------------------------------------

    def _steered_to(self, thread: int, node: TraceNode) -> bool:
        """Whether it is known that the thread comes to a piece of its trace. Answers that do not steer it may
        be compared later: it comes there whatever they are."""
        path, checked = self.paths[thread], self.checked[thread]
        return all(
            place in checked or (isinstance(before.end, Query) and not before.end.steers)
            for place, before in enumerate(path[: path.index(node)])
        )

    def _class_ready(self, members: list[Instance]) -> bool:
        """Whether its operands are known, and nobody who stands at a question could still join."""
        for member in members:
            if not (member.needs <= self.happened and self._steered_to(member.thread, member.node)):
                return False
        if members[0].call is None:
            return True
        column = self.column(members[0])
        launch, present = members[0].launch, {i.thread for i in members}
        for thread in range(launch.first, launch.first + launch.size):
            leaf = self.paths[thread][-1]
            if thread in present or isinstance(leaf.end, Trace) or _is_undefined(leaf):
                continue
            last = leaf.last
            if last is None or self.column(last) < column:
                return False
        return True

    def _reading_ready(self, reading: MemoryEvent) -> bool:
        """Whether its operands are known, and nobody who stands at a question could still be earlier."""
        if not (reading.needs <= self.happened and self._steered_to(reading.thread, reading.node)):
            return False
        times = self.theory.times
        now = self.number(times.of(reading))
        for thread, path in self.paths.items():
            question = path[-1].end
            if thread != reading.thread and isinstance(question, Query):
                # its next access comes after these (D-CAUSE), and after its own last one (D-MEM)
                before = (*question.accesses, *path[-1].readings[-1:])
                if not any(self.number(times.of(item)) >= now for item in before):
                    return False
        return True

    def _stuck(self) -> None:
        """Nothing can happen before someone's question is answered: it is answered where it can be, or in
        every way that it may be. Raises Again."""
        stands = [(t, path[-1]) for t, path in self.paths.items() if isinstance(path[-1].end, Query)]
        for thread, leaf in stands:
            assert isinstance(leaf.end, Query)
            if self._all_checked(thread) and leaf.end.needs <= self.happened:
                self._finish(thread)
        grown = False
        for _, leaf in stands:
            assert isinstance(leaf.end, Query)
            if z3.is_bool(leaf.end.term):
                for answer in (True, False):
                    if answer not in leaf.children:
                        self.theory.answer(leaf, answer)
                        grown = True
        if grown or self.learn() or self.learn(self.closings()):
            raise Again
        longer = [self._suppose(leaf) for _, leaf in stands]  # all of them: one may need the other
        if any(longer):
            raise Again
        self.theory.ending(Unmodelled("an exchange that waits for an access that waits for it", 0))
        self.theory.exclude(z3.Not(z3.And(*(path[-1].act for path in self.paths.values()))))
        raise Again

    def _suppose(self, leaf: TraceNode) -> bool:
        """Goes on from the address of an access before it can be computed, as others may wait for what stands
        behind; whether that is new."""
        question = leaf.end
        assert isinstance(question, Query)
        return question.supposable and z3.is_bv(question.term) and self.theory.suppose(leaf)

    # -- who had to be waited for ---------------------------------------------------------------------

    def closings(self) -> list[Lesson]:
        """D-CAUSE: the branches that groups had to wait for."""
        return [
            ((instance.number, "after", node.number), lesson)
            for members in self.all_classes
            if members[0].call is not None
            for instance in members[:1]
            for thread, path in self.paths.items()
            if thread not in {i.thread for i in members} and self.world.group_of(thread) is instance.launch
            for node in path
            if isinstance(node.end, Query) and node.end.steers and node.end.needs
            for lesson in [self._closing(instance, node)]
            if lesson is not None
        ]

    def _wait_for(self, thread: int) -> None:
        """Before a thread's trace ends an execution: raises Again if a group had to wait for somebody."""
        if self.world.shares_memory and self.learn([*self.closings(), *self.missed(thread)]):
            raise Again

    def missed(self, thread: int) -> list[Lesson]:
        """D-CAUSE, where what an answer led to is undefined: until it was known the thread went on, as with
        every other answer, and groups to which it could come waited for it."""
        path = self.paths[thread]
        if not (_is_undefined(path[-1]) and len(path) > 1):
            return []
        node = path[-2]
        assert isinstance(node.end, Query)
        return [
            ((members[0].number, "undefined after", node.number), lesson)
            for members in self.all_classes
            if members[0].call is not None and self.world.group_of(thread) is members[0].launch
            if node.end.needs and thread not in {i.thread for i in members}
            for lesson in [self._closing(members[0], node, path[-1])]
            if lesson is not None
        ]

    def _closing(
        self, instance: Instance, node: TraceNode, undefined: TraceNode | None = None
    ) -> Callable[[], list[Axiom]] | None:
        reach = Reach(self.world.program, self.relation, self.true)
        if not reach.may_come(instance, node):
            return None
        premises = [*reach.premises, *([] if undefined is None else [undefined.act])]
        return lambda: [d_cause_closing(self.theory.times, instance, node, premises)]


def _is_undefined(leaf: TraceNode) -> bool:
    """Whether the thread comes to no more instances: if the trace is taken, the execution is undefined."""
    return isinstance(leaf.end, Stopped) and isinstance(leaf.end.reason, UndefinedBehaviour)


# ----------------------------------------------------------------------------------------------------------
# All models of the axioms, blocked on the alignment (semantics.md, §3, *Axiomatic*).
#
# The solver proposes which candidate traces are taken, who is converged with whom, in which columns, and
# when memory is accessed. Then results are computed with the interpreter's models, and
#
# - where a trace branches on a result that is another one, D-THREAD is told about the groups whose
#   results are known now (*this group, with these operands, returned this*), and the solver proposes again;
# - where a trace ends at a question, the answer that was computed becomes a new piece of trace;
# - where all traces are complete, the execution is legal: it is noted, and its alignment is excluded
#   (with accesses to shared memory: with what was read and who wrote last).
#
# All results up to a thread's last column are settled before its question is answered, so every piece
# of trace can really be reached: of a program that always ends there are finitely many, and when no
# proposal is left, nothing was cut off. What is learnt stays true when traces grow, because "no other
# thread joins this group" is a term that says what is not yet known, too (:class:`.rules.Joining`).
# ----------------------------------------------------------------------------------------------------------


STEPS = 100_000
"""Instructions of one thread's trace, where nobody says otherwise."""


class CutShort(Exception):
    """The search ends here: ``cut`` says why."""

    def __init__(self, cut: Cut) -> None:
        super().__init__(cut)
        self.cut = cut


class ModelSearch:
    """The solver proposes, ``theory`` is what it was told. ``clock`` bounds its time, ``limit`` the
    alignments."""

    def __init__(self, theory: Theory, clock: Clock, limit: int | None) -> None:
        self.theory = theory
        self.clock = clock
        self.limit = limit

    def run(self, report: Callable[[int], None] | None = None) -> Enumeration:
        """All models. ``report`` is told the number of alignments whenever there is a new one."""
        try:
            while (model := self._model()) is not None:
                settling = Settling(self.theory, model)
                try:
                    done, literals = settling.settle()
                except Again:
                    continue
                self.theory.solver.add(z3.Not(z3.And(*literals)))
                if settling.races():
                    self.theory.ending(Unmodelled("a data race, in which a read is undef", 0))
                    continue
                undefined = settling.divergent_barrier()
                if undefined is not None:
                    self.theory.ending(undefined)
                    continue
                self.theory.collector.add(Returned(), done.execution, done.groups, done.outcome)
                if report is not None:
                    report(len(self.theory.collector))
                if self.limit is not None and len(self.theory.collector) >= self.limit:
                    raise CutShort(Bound(BoundKind.MAX_ALIGNMENTS, self.limit))
        except CutShort as stop:
            self.theory.bound = self.theory.bound or stop.cut
        except BoundHit as hit:
            self.theory.bound = self.theory.bound or hit.bound
        except KeyboardInterrupt:
            notice()
            self.theory.bound = INTERRUPTED
        models, bound = self.theory.collector, self.theory.bound
        if bound is None and models.empty:
            models.add(Deadlock(()), *NO_EXECUTION)
        return models.finish("axiomatic", bound is None, bound, tuple(self.theory.notes))

    def _model(self) -> z3.ModelRef | None:
        """The next proposal; ``None`` if there is none. Raises CutShort if the solver gives up."""
        left = self.clock.remaining
        if left == 0:
            raise CutShort(self.clock.over)
        if notice():
            raise KeyboardInterrupt
        answer = check(self.theory.solver, *self.theory.definitions, seconds=left)
        if answer == z3.unsat:
            return None
        if answer == z3.unknown:
            reason = self.theory.solver.reason_unknown()
            if left is not None and reason in ("timeout", "canceled"):
                raise CutShort(self.clock.over)
            raise CutShort(SolverGaveUp(reason))
        return self.theory.solver.model()


# -- The axiomatic engine: every legal execution as a model of the D-rules, found by z3


@one_thread()
def enumerate_axiomatic(
    module: Module, spec: LaunchSpec, report: Callable[[int], None] | None = None
) -> Enumeration:
    """Every alignment and outcome of a launch, as for :func:`search`. ``report`` is told how many alignments
    were found, as they are. An interrupt (Ctrl-C) ends it with what there is."""
    try:
        searching = search(module, spec)
    except KeyboardInterrupt:
        notice()
        return ExecutionCollector().finish("axiomatic", False, INTERRUPTED, ())
    except BoundHit as hit:  # before the first proposal
        return ExecutionCollector().finish("axiomatic", False, hit.bound, ())
    return searching.run(report)


def search(module: Module, spec: LaunchSpec) -> ModelSearch:
    """The search for all legal executions of a launch.

    ``max_steps`` (100,000) bounds the instructions of each thread's trace, ``timeout`` seconds over all,
    ``max_alignments`` the answer.

    Raises UsageError when what is given does not fit the program, NotModelled when a global
    variable's initial value has no model, BoundHit when time is up before there is a first candidate of all.
    """
    program, launch = prepare_run(module, spec)
    limits = spec.limits
    steps = STEPS if limits.max_steps is None else limits.max_steps
    clock = limits.clock  # begins before the candidates are made
    theory = Theory(World(program, launch), steps, clock)
    return ModelSearch(theory, clock, limits.max_alignments)
