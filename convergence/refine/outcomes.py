"""All outcomes of one launch: explored, or the only one."""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from ..sched.enumeration import NOTHING, Enumeration, Found, identity_of
from ..sched.explore import Explorer
from ..semantics.choice import MostConverged
from ..semantics.deferred_machine import DeferredMachine
from ..semantics.errors import Deadlock, Ending, Illegal, OutOfBound, Returned, UndefinedBehaviour, Unmodelled
from ..semantics.launch import Launch
from ..semantics.machine import Machine
from ..semantics.outcome import Outcome
from ..semantics.program import Program
from ..semantics.run import finished
from ..semantics.watched import meet
from .guide import Covered, covered
from .observable import limited
from .result import Side

RACES = "threads that race in memory"
"""The bound of an input whose executions were not explored for that."""
UNDEFINED = "undefined-behaviour"
"""What stands for an undefined execution where one execution of an input is asked for."""
ENDLESS = "endless"


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What a program may do for one input.

    ``found`` are the outcomes of complete executions, by what makes them the same. ``undefined`` and
    ``endless`` are executions that are one or the other. ``bound`` names what was cut: then there may
    be others. ``undecided`` names values that LLVM leaves open and of which one was taken: then, too.
    ``runs`` counts executions that were looked at. ``joins``: with ``Bounds.joins`` there may be more.
    ``covered``: where the threads of the first execution went.
    """

    found: Mapping[Hashable, Outcome]
    undefined: UndefinedBehaviour | None = None
    endless: Deadlock | None = None
    bound: str | None = None
    undecided: str | None = None
    runs: int = 1
    joins: bool = False
    covered: Covered = frozenset()


@dataclass(frozen=True)
class Bounds:
    """``steps`` of one execution, ``executions`` of one input, ``deadline`` as ``time.monotonic`` counts.
    With ``joins`` what follows the join of a branch over computations is free of the branch.
    Without ``races`` orders of accesses that nothing synchronises are not explored: RACES is the bound."""

    steps: int = 100_000
    executions: int = 2_000
    timeout: float | None = None
    deadline: float | None = None
    races: bool = True
    joins: bool = False

    @property
    def left(self) -> float | None:
        """Seconds until the deadline."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())


class Collect(Explorer):
    """Collects outcomes; with ``capture`` also one execution that comes to the ``wanted`` one."""

    def __init__(
        self,
        names: frozenset[str],
        program: Program,
        launch: Launch,
        bounds: Bounds,
        capture: bool = False,
        wanted: Hashable | None = None,
    ) -> None:
        super().__init__(program, launch, bounds.steps, bounds.left, bounds.executions)
        self._timeout = bounds.timeout  # what a bound is named by, not what was left of it
        self.side: Side | None = None
        self._names = names
        self._bounds = bounds
        self._capture = capture
        self._wanted = wanted
        self._seen: dict[Hashable, Outcome] = {}
        self._undefined: UndefinedBehaviour | None = None
        self._deadlock: Deadlock | None = None
        self._undecided: str | None = None
        self._covered: Covered | None = None

    def only(self) -> bool:
        """The only execution; False if there may be others, for threads met in memory."""
        machine = Machine(self.program, self.launch, MostConverged())
        ending = machine.run(self._bounds.steps, self._bounds.timeout, self._bounds.deadline)
        self.executions = 1
        if self.program.settings.watch and meet(machine.touched, machine.memory):
            machine.take_apart()
            self.bound = RACES
            return False
        match ending:
            case OutOfBound(bound):
                self.bound = bound
            case Unmodelled(what):
                self.bound = f"not modelled: {what}"
            case Illegal():
                self._deadlock = Deadlock(())
            case _:
                self._add(machine, ending)
        machine.take_apart()
        return True

    def _add(self, machine: Machine, ending: Ending) -> None:
        outcome, key = NOTHING, None
        if self._covered is None:
            self._covered = covered(machine)
        run = finished(machine, ending, ())
        match ending:
            case Returned():
                outcome = limited(run.outcome, self._names)
                key = identity_of(outcome)
                self._seen.setdefault(key, outcome)
            case UndefinedBehaviour():
                self._undefined = self._undefined or ending
                key = UNDEFINED
            case Deadlock():
                self._deadlock = self._deadlock or ending
                key = ENDLESS
            case _:
                raise AssertionError(f"{ending} is no outcome")
        raced = machine.raced if isinstance(machine, DeferredMachine) else {}
        if machine.memory.undef_reads or raced:
            where = ", ".join([*machine.memory.undef_reads, *raced])
            self._undecided = f"undef was read from {where} and taken as 0"
        if self._capture and self.side is None and (self._wanted is None or self._wanted == key):
            self.side = Side(run.execution, run.groups, ending, outcome, run.keys)

    def _finish(self, bound: str | None) -> Enumeration:
        if bound is None and not self._seen and self._undefined is None and self.stuck is not None:
            machine, _ = self.stuck
            self._add(machine, Deadlock(machine.stuck))
        endless = None if self._states is None else self._states.endless()
        if endless is not None and self._deadlock is None:
            self._deadlock = Deadlock(endless)
        if bound is None and not self._seen and self._undefined is None and self._deadlock is None:
            self._deadlock = Deadlock(())  # no execution is legal: none that begins can be completed
        self.bound = bound
        return Found().finish("", bound is None, bound)

    def outcomes(self, left_open: str | None) -> Outcomes:
        """What was found; ``left_open`` as the program's text has it."""
        return Outcomes(
            self._seen, self._undefined, self._deadlock, self.bound, self._undecided or left_open,
            self.executions, self.program.waits_at_joins, self._covered or frozenset(),
        )  # fmt: skip
