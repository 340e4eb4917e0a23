"""All models of the axioms, blocked on the alignment (semantics.md, §3, *Axiomatic*).

The solver proposes which candidate traces are taken, who is converged with whom, in which columns, and
when memory is accessed. Then results are computed with the interpreter's models (:mod:`.check`), and

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

from collections.abc import Callable

import z3

from ...interruption import notice
from ...ir.module import Module
from ...semantics.arithmetic.symbolic import check
from ...semantics.bounds import INTERRUPTED, Bound, BoundKind, Cut, SolverGaveUp
from ...semantics.clock import Clock
from ...semantics.errors import BoundHit, Deadlock, Returned, Unmodelled
from ...semantics.machine.launch import LaunchSpec
from ...semantics.machine.start import prepare_run
from ..enumeration import NO_EXECUTION, Enumeration, ExecutionCollector
from .check import Again, Settling
from .theory import Theory
from .walk import World

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
