"""All models of the axioms, blocked on the alignment (semantics.md, §3, *Axiomatic*).

The solver proposes which candidate traces are taken, who is converged with whom, and in which columns.
Then results are computed in column order with the interpreter's models, and

- where a trace branches on a result that is another one, D-THREAD is told about the groups whose
  results are known now (*this group, with these operands, returned this*), and the solver proposes again;
- where a trace ends at a question, the answer that was computed becomes a new piece of trace;
- where all traces are complete, the execution is legal: it is noted, and its alignment is excluded.

All results up to a thread's last column are settled before its question is answered, so every piece
of trace can really be reached: of a program that always ends there are finitely many, and when no
proposal is left, nothing was cut off. What is learnt stays true when traces grow, because "no other
thread joins this group" is a term that says what is not yet known, too (:class:`Joining`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import z3

from ..rules import Rule
from ..semantics.outcome import Crash, Deadlock, NotModelled, OutOfBound, Returned, UndefinedBehaviour
from ..semantics.threads import UsageError
from ..semantics.unknown import Unknown, needed
from ..semantics.values import any_undef, scalars
from .axioms import Axiom, Joining, Relation
from .enumeration import Enumeration, Found
from .observe import NO_EXECUTION, Complete, observe
from .shapes import Instance
from .terms import Known, Leaves, equal
from .traces_calls import Walk
from .tree import Answer, Node, Question, Stopped, Trace
from .world import World


class Again(Exception):
    """The proposal was settled otherwise: the solver is asked again."""


class Bound(Exception):
    """A bound was hit."""

    def __init__(self, bound: str) -> None:
        super().__init__(bound)
        self.bound = bound


class Search:
    """``axioms`` is all that was told to the solver; ``found`` what it came to."""

    def __init__(self, world: World, max_steps: int, timeout: float | None, limit: int | None) -> None:
        self.world = world
        self.max_steps = max_steps
        self.timeout = timeout
        self.limit = limit
        self.deadline = None if timeout is None else time.monotonic() + timeout
        self.solver = z3.Solver()
        self.relation = Relation(world.program.uncontrolled)
        self.axioms: list[Axiom] = []
        self.leaves = Leaves()
        self.found = Found()
        self.bound: str | None = None
        self.notes: dict[str, None] = {}
        self._told: set[Any] = set()
        self.roots = {t: self._grow(None, t, ()) for t in range(world.launch.threads)}
        self.joining = Joining(self.relation, self.roots)

    # -- candidate traces ---------------------------------------------------------------------------

    def _grow(self, parent: Node | None, thread: int, answers: tuple[Answer, ...]) -> Node:
        """Follows a thread after one more answer."""
        number = self.world.number()
        act = z3.BoolVal(True) if parent is None else z3.Bool(f"thread {thread} takes {number}")
        node = Node(thread, number, answers, parent, act)
        Walk(self.world, node, self.max_steps).follow()
        self.notes.update(node.notes)
        if parent is not None:
            question = parent.end
            assert isinstance(question, Question)
            taken = z3.And(parent.act, question.condition(answers[-1]))
            self.tell(Axiom(Rule.D_THREAD, tuple(node.instances[:1]), act == taken))
        for instance in node.instances:
            for axiom in self.relation.add(instance):
                self.tell(axiom)
        return node

    def answer(self, node: Node, answer: Answer) -> None:
        """The trace goes on beyond ``node``'s question."""
        child = node.children[answer] = self._grow(node, node.thread, (*node.answers, answer))
        for axiom in self.joining.grown(child):
            self.tell(axiom)

    def tell(self, axiom: Axiom) -> None:
        self.axioms.append(axiom)
        self.solver.add(axiom.term)

    # -- the search ---------------------------------------------------------------------------------

    def run(self, report: Callable[[int], None] | None = None) -> Enumeration:
        """All models. ``report`` is told the number of alignments whenever there is a new one."""
        try:
            while (model := self._model()) is not None:
                try:
                    done = Settling(self, model).settle()
                except Again:
                    continue
                self.found.add(Returned(), done.execution, done.groups, done.outcome)
                self.block(done)
                if report is not None:
                    report(len(self.found))
                if self.limit is not None and len(self.found) >= self.limit:
                    raise Bound(f"--max-alignments {self.limit}")
        except Bound as stop:
            self.bound = self.bound or stop.bound
        if self.bound is None and self.found.empty:
            self.found.add(Deadlock(()), *NO_EXECUTION)
        return self.found.finish("axiomatic", self.bound is None, self.bound, tuple(self.notes))

    def _model(self) -> z3.ModelRef | None:
        """The next proposal; ``None`` if there is none. Raises Bound if the solver gives up."""
        if self.deadline is not None:
            left = self.deadline - time.monotonic()
            if left <= 0:
                raise Bound(f"--timeout {self.timeout:g}")
            self.solver.set("timeout", max(1, int(left * 1000)))
        answer = self.solver.check()
        if answer == z3.unsat:
            return None
        if answer == z3.unknown:
            reason = self.solver.reason_unknown()
            if self.deadline is not None and reason in ("timeout", "canceled"):
                raise Bound(f"--timeout {self.timeout:g}")
            raise Bound(f"the solver gave up: {reason}")
        return self.solver.model()

    def block(self, done: Complete) -> None:
        """No further model with this alignment."""
        self.solver.add(z3.Not(z3.And(*done.literals)))

    def stopped(self, node: Node) -> None:
        """A trace that ends before its thread does can be reached: an ending, or a bound."""
        assert isinstance(node.end, Stopped)
        match node.end.reason:
            case UsageError() as error:
                raise error
            case UndefinedBehaviour() as ending:
                self.found.add(ending, *NO_EXECUTION)
            case NotModelled(what):
                self.bound = self.bound or f"not modelled: {what}"
            case OutOfBound(bound):
                self.bound = self.bound or bound
        self.solver.add(z3.Not(node.act))

    def learn(self, axiom_name: Any, axiom: Callable[[], list[Axiom]]) -> bool:
        """Tells the solver about a group once; whether it was new."""
        if axiom_name in self._told:
            return False
        self._told.add(axiom_name)
        for one in axiom():
            self.tell(one)
        return True


class Settling:
    """One proposal, settled in column order.

    ``leaves``   the node in which each thread's trace ends
    ``checked``  how far each thread's answers were compared with what was computed
    ``known``    the results so far; ``groups`` the groups that gave them
    """

    def __init__(self, search: Search, model: z3.ModelRef) -> None:
        self.search = search
        self.world = search.world
        self.model = model
        self.known = Known(search.leaves)
        self.results: dict[Instance, Any] = {}
        self.lessons: list[tuple[Any, Callable[[], list[Axiom]]]] = []
        self.paths = {t: self._path(root) for t, root in search.roots.items()}
        self.checked = dict.fromkeys(self.paths, 0)
        self.left = {t: sum(i.recorded for i in path[-1].path) for t, path in self.paths.items()}

    def _path(self, node: Node) -> list[Node]:
        path = [node]
        while True:
            following = next((c for c in node.children.values() if self._true(c.act)), None)
            if following is None:
                return path
            node = following
            path.append(node)

    def _true(self, term: Any) -> bool:
        return bool(z3.is_true(self.model.eval(term, model_completion=True)))

    def settle(self) -> Complete:
        """The legal execution that the proposal is. Raises Again if it is none."""
        search, relation = self.search, self.search.relation
        for thread in self.paths:
            if not self.left[thread]:
                self._finish(thread)
        classes = self._classes()
        columns = {
            number: self.model.eval(relation.column(members[0]), model_completion=True).as_long()
            for number, members in classes.items()
        }
        for number in sorted(classes, key=lambda n: (columns[n], n)):
            members = classes[number]
            for member in members:
                self._check(member.thread, member.node)
            self._exchange(members)
            for member in members:
                self.left[member.thread] -= 1
                if not self.left[member.thread]:
                    self._finish(member.thread)
        traces = []
        for path in self.paths.values():
            assert isinstance(path[-1].end, Trace)
            traces.append(path[-1])
        literals = [leaf.act for leaf in traces]
        taken = {i.number for leaf in traces for i in leaf.path}
        for (a, b), pair in relation.free.items():
            if a in taken and b in taken:
                literals.append(pair if self._true(pair) else z3.Not(pair))
        return observe(
            search.world,
            traces,
            list(classes.values()),
            self.results,
            self.known,
            search.world.program.memory,
            literals,
        )

    def _classes(self) -> dict[int, list[Instance]]:
        """The classes of the proposal, by the number of a member, members by thread."""
        relation = self.search.relation
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
                    pair = relation.converged(a, b)
                    if pair is not False and a.thread != b.thread and self._true(pair):
                        home[root(a.number)] = root(b.number)
        classes: dict[int, list[Instance]] = {}
        for n, instance in taken.items():
            classes.setdefault(root(n), []).append(instance)
        for members in classes.values():
            members.sort(key=lambda i: i.thread)
        return classes

    # -- answers ------------------------------------------------------------------------------------

    def _check(self, thread: int, upto: Node) -> None:
        """Whether the thread's answers up to a node are what was computed."""
        path = self.paths[thread]
        while path[self.checked[thread]] is not upto:
            node = path[self.checked[thread]]
            following = path[self.checked[thread] + 1]
            if self._answer(node) != following.answers[-1]:
                if not self._learn():
                    raise Crash(
                        f"thread {thread} was told {following.answers[-1]}, and nothing is to be learnt"
                    )
                raise Again
            self.checked[thread] += 1

    def _answer(self, node: Node) -> Answer:
        """What was computed for a node's question."""
        question = node.end
        assert isinstance(question, Question)
        answer = self.known.of(question.term)
        if isinstance(answer, Unknown):
            raise UsageError(needed(answer, "a branch"))
        return answer  # type: ignore[no-any-return]  # a bool or an int

    def _finish(self, thread: int) -> None:
        """All operations of the thread are settled: its trace is complete, or goes on, or stops."""
        leaf = self.paths[thread][-1]
        self._check(thread, leaf)
        match leaf.end:
            case Trace():
                return
            case Stopped():
                self.search.stopped(leaf)
            case Question():
                answer = self._answer(leaf)
                if answer in leaf.children:
                    if not self._learn():
                        raise Crash(f"thread {thread} leaves its trace, and nothing is to be learnt")
                else:
                    self.search.answer(leaf, answer)
                    self._learn()
        raise Again

    def _learn(self) -> bool:
        """Tells the solver all that was computed so far; whether any of it is new."""
        new = [self.search.learn(name, lesson) for name, lesson in self.lessons]
        return any(new)

    # -- exchanges ----------------------------------------------------------------------------------

    def _exchange(self, members: list[Instance]) -> None:
        """D-THREAD: every member of a group gets what the model gives for the group and its operands."""
        call = members[0].call
        if call is None:
            return
        if call.stands_in:
            self.search.notes[f"@{call.callee} has no model: its results are stand-ins"] = None
        launch = members[0].launch
        operands = {i: tuple(self.known.value(v) for v in i.operands) for i in members}
        unknown = next((v for vs in operands.values() for v in vs if isinstance(v, Unknown)), None)
        results: dict[Instance, Any]
        if unknown is not None:
            results = dict.fromkeys(members, unknown)
        else:
            by_lane = {i.thread - launch.first: operands[i] for i in members}
            given = call.model.together(by_lane, self.world.subgroups[launch])
            results = {i: given.get(i.thread - launch.first) for i in members}
        for instance, value in results.items():
            self._returned(instance, value)
        if unknown is None:
            name = (
                tuple(i.number for i in members),
                tuple(repr(v) for i in members for v in operands[i]),
            )
            self.lessons.append((name, lambda: self._lesson(members, operands, results)))

    def _returned(self, instance: Instance, value: Any) -> None:
        if value is None:
            return
        self.results[instance] = value
        if instance.result is not None:
            if not isinstance(value, Unknown) and any_undef(value):
                self.search.bound = self.search.bound or "not modelled: an exchange that hands on undef"
            set_unknowns(self.known, instance.result, value)
        elif instance.picks is not None:
            self.known.set(instance.picks, self.world.pick_of(value))

    def _lesson(
        self, members: list[Instance], operands: dict[Instance, tuple[Any, ...]], results: dict[Instance, Any]
    ) -> list[Axiom]:
        """D-THREAD: this group, with these operands and no one else, returned this."""
        search, relation = self.search, self.search.relation
        first = members[0]
        given: list[Any] = [first.node.act, *(relation.converged(first, other) for other in members[1:])]
        made: list[Axiom] = []
        present = {i.thread for i in members}
        for thread in range(first.launch.first, first.launch.first + first.launch.size):
            if thread not in present:
                joins, meaning = search.joining.joins(first, thread)
                made += meaning
                given.append(z3.Not(joins) if joins is not False else True)
        returned: list[Any] = []
        for instance in members:
            for value, known in zip(instance.operands, operands[instance], strict=True):
                given += equal(value, known)
            if instance.result is not None:
                returned += equal(instance.result, results[instance], exact=True)
            elif instance.picks is not None:
                returned.append(instance.picks == self.world.pick_of(results[instance]))
        if returned:
            term = z3.Implies(z3.And(*given), z3.And(*returned))
            made.append(Axiom(Rule.D_THREAD, tuple(members), term))
        return made


def set_unknowns(known: Known, unknown: Any, value: Any) -> None:
    """A fresh value turned out to be this one."""
    if isinstance(value, Unknown):
        for scalar in scalars(unknown):
            known.set(scalar.bits, value)
            known.set(scalar.poison, value)
        return
    for scalar, real in zip(scalars(unknown), scalars(value), strict=True):
        known.set(scalar.bits, real.bits)
        known.set(scalar.poison, real.poison)
