"""All models of the axioms, blocked on the alignment (semantics.md, §3, *Axiomatic*).

The solver proposes which candidate traces are taken, who is converged with whom, in which columns, and
when memory is accessed. Then results are computed with the interpreter's models (:mod:`settle`), and

- where a trace branches on a result that is another one, D-THREAD is told about the groups whose
  results are known now (*this group, with these operands, returned this*), and the solver proposes again;
- where a trace ends at a question, the answer that was computed becomes a new piece of trace;
- where all traces are complete, the execution is legal: it is noted, and its alignment is excluded
  (with accesses to shared memory: with what was read and who wrote last).

All results up to a thread's last column are settled before its question is answered, so every piece
of trace can really be reached: of a program that always ends there are finitely many, and when no
proposal is left, nothing was cut off. What is learnt stays true when traces grow, because "no other
thread joins this group" is a term that says what is not yet known, too (:class:`axioms.Joining`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import z3

from ...interruption import notice
from ...ir.instructions import Alloca
from ...ir.module import Module
from ...rules import Rule
from ...semantics.arithmetic.solving import check
from ...semantics.bounds import INTERRUPTED, Bound, BoundKind, Cut, NoModel, SolverGaveUp
from ...semantics.errors import Deadlock, OutOfBound, Returned, UndefinedBehaviour, Unmodelled, UsageError
from ...semantics.machine.launch import LaunchSpec
from ...semantics.machine.start import prepare_run
from ..enumeration import Enumeration, Found
from .candidates import Answer, Node, Question, Stopped
from .check import Again, Settling
from .observe import NO_EXECUTION
from .program import World
from .rules import Axiom, Joining, Relation
from .terms import Leaves
from .time import Overwriting, Times
from .walk import Walk

STEPS = 100_000
"""Instructions of one thread's trace, where nobody says otherwise."""
ANSWERS = 500
"""Questions on one trace at most: what spins on memory asks for ever."""


class CutShort(Exception):
    """The search ends here: ``cut`` says why."""

    def __init__(self, cut: Cut) -> None:
        super().__init__(cut)
        self.cut = cut


class Search:
    """``axioms`` is all that was told to the solver; ``found`` what it came to; ``excluded`` says that
    traces which end in undefined behaviour, or where a bound was hit, are not looked at again.

    ``relation``, ``times``       converged-with, and D-CAUSE's order
    ``joining``, ``overwriting``  what threads may still do
    ``ordered``                   whether there is shared memory, so that times matter
    """

    def __init__(self, world: World, max_steps: int, timeout: float | None, limit: int | None) -> None:
        self.world = world
        self.max_steps = max_steps
        self.timeout = timeout
        self.limit = limit
        self.deadline = None if timeout is None else time.monotonic() + timeout
        self.solver = z3.Solver()
        self.relation = Relation(world.program.uncontrolled)
        self.times = Times(self.relation)
        self.ordered = any(not v.constant for v in world.module.globals.values()) or _exposes(world)
        self.axioms: list[Axiom] = []
        self.excluded: list[z3.BoolRef] = []
        self.leaves = Leaves()
        self.found = Found()
        self.bound: Cut | None = None
        self.notes: dict[str, None] = {}
        self._told: set[Any] = set()
        self.roots = {t: self._grow(None, t, ()) for t in range(world.launch.threads)}
        self.joining = Joining(self.relation, self.roots)
        self.overwriting = Overwriting(self.times, self.roots)

    # -- candidate traces ---------------------------------------------------------------------------

    def _grow(self, parent: Node | None, thread: int, answers: tuple[Answer, ...]) -> Node:
        """Follows a thread after one more answer."""
        number = self.world.number()
        act = z3.BoolVal(True) if parent is None else z3.Bool(f"thread {thread} takes {number}")
        node = Node(thread, number, answers, parent, act)
        Walk(self.world, node, self.max_steps).follow()
        if len(answers) >= ANSWERS and isinstance(node.end, Question):
            node.end = Stopped(OutOfBound(Bound(BoundKind.ANSWERS, ANSWERS), thread))
        self.notes.update(node.notes)
        if parent is not None:
            question = parent.end
            assert isinstance(question, Question)
            taken = z3.And(parent.act, question.condition(answers[-1]))
            self.tell(Axiom(Rule.D_THREAD, tuple(node.instances[:1]), act == taken))
        for instance in node.instances:
            for axiom in self.relation.add(instance):
                self.tell(axiom)
            if self.ordered and instance.call is not None:
                for axiom in self.times.exchange(instance):
                    self.tell(axiom)
        for reading in node.readings[node.own_readings :]:
            for axiom in self.times.reading(reading):
                self.tell(axiom)
        return node

    def answer(self, node: Node, answer: Answer) -> Node:
        """The trace goes on beyond ``node``'s question: the next piece."""
        child = node.children[answer] = self._grow(node, node.thread, (*node.answers, answer))
        for axiom in (*self.joining.grown(child), *self.overwriting.grown(child)):
            self.tell(axiom)
        return child

    def tell(self, axiom: Axiom) -> None:
        """One more constraint."""
        self.axioms.append(axiom)
        self.solver.add(axiom.term)

    def learn(self, name: Any, lesson: Callable[[], list[Axiom]]) -> bool:
        """Tells the solver what was computed, once; whether it was new."""
        if name in self._told:
            return False
        self._told.add(name)
        for axiom in lesson():
            self.tell(axiom)
        return True

    # -- the search ---------------------------------------------------------------------------------

    def run(self, report: Callable[[int], None] | None = None) -> Enumeration:
        """All models. ``report`` is told the number of alignments whenever there is a new one."""
        try:
            while (model := self._model()) is not None:
                settling = Settling(self, model)
                try:
                    done, literals = settling.settle()
                except Again:
                    continue
                self.solver.add(z3.Not(z3.And(*literals)))
                if settling.raced:
                    self.ending(Unmodelled("a data race, in which a read is undef", 0))
                    continue
                self.found.add(Returned(), done.execution, done.groups, done.outcome)
                if report is not None:
                    report(len(self.found))
                if self.limit is not None and len(self.found) >= self.limit:
                    raise CutShort(Bound(BoundKind.MAX_ALIGNMENTS, self.limit))
        except CutShort as stop:
            self.bound = self.bound or stop.cut
        except KeyboardInterrupt:
            notice()
            self.bound = INTERRUPTED
        if self.bound is None and self.found.empty:
            self.found.add(Deadlock(()), *NO_EXECUTION)
        return self.found.finish("axiomatic", self.bound is None, self.bound, tuple(self.notes))

    def _model(self) -> z3.ModelRef | None:
        """The next proposal; ``None`` if there is none. Raises CutShort if the solver gives up."""
        if self.deadline is not None:
            left = self.deadline - time.monotonic()
            if left <= 0:
                raise CutShort(Bound(BoundKind.TIMEOUT, self.timeout))
            self.solver.set("timeout", max(1, int(left * 1000)))
        if notice():
            raise KeyboardInterrupt
        answer = check(self.solver)
        if answer == z3.unsat:
            return None
        if answer == z3.unknown:
            reason = self.solver.reason_unknown()
            if self.deadline is not None and reason in ("timeout", "canceled"):
                raise CutShort(Bound(BoundKind.TIMEOUT, self.timeout))
            raise CutShort(SolverGaveUp(reason))
        return self.solver.model()

    def stopped(self, node: Node) -> None:
        """A trace that ends before its thread does can be reached: an ending, or a bound."""
        assert isinstance(node.end, Stopped)
        self.ending(node.end.reason)
        self.exclude(z3.Not(node.act))

    def exclude(self, term: z3.BoolRef) -> None:
        """What ends without complete traces is noted, and no model any more."""
        self.excluded.append(term)
        self.solver.add(term)

    def ending(self, reason: Any) -> None:
        """An ending that can be reached, and leaves no complete traces."""
        match reason:
            case UsageError() as error:
                raise error
            case UndefinedBehaviour() as undefined:
                self.found.add(undefined, *NO_EXECUTION)
            case Unmodelled(what):
                self.bound = self.bound or NoModel(what)
            case OutOfBound(bound):
                self.bound = self.bound or bound
            case _:
                raise AssertionError(f"{reason} is no ending of one thread")


# -- The axiomatic engine: every legal execution as a model of the D-rules, found by z3


def enumerate_axiomatic(
    module: Module, spec: LaunchSpec, report: Callable[[int], None] | None = None
) -> Enumeration:
    """Every alignment and outcome of a launch, as for :func:`search`. ``report`` is told how many alignments
    were found, as they are. An interrupt (Ctrl-C) ends it with what there is."""
    try:
        searching = search(module, spec)
    except KeyboardInterrupt:
        notice()
        return Found().finish("axiomatic", False, INTERRUPTED, ())
    return searching.run(report)


def search(module: Module, spec: LaunchSpec) -> Search:
    """The search for all legal executions of a launch.

    ``max_steps`` (100,000) bounds the instructions of each thread's trace, ``timeout`` seconds over all,
    ``max_alignments`` the answer.

    Raises UsageError when what is given does not fit the program, NotModelled when a global
    variable's initial value has no model.
    """
    program, launch = prepare_run(module, spec)
    limits = spec.limits
    steps = STEPS if limits.max_steps is None else limits.max_steps
    return Search(World(program, launch), steps, limits.timeout, limits.max_alignments)


def _exposes(world: World) -> bool:
    """Whether threads could know a stack object of another."""
    return any(
        isinstance(instruction, Alloca)
        and instruction.result is not None
        and world.program.escapes.escapes(function, instruction.result)
        for function in world.module.definitions()
        for instruction in function.instructions
    )
