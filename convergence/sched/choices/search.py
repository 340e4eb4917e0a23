"""The operational engine: every legal alignment and every outcome, by running all lists of choices.

Bounds are honest: what was cut is named, and then the answer is not complete. ``max_steps`` bounds the
instructions of one execution, as it does for ``run``; executions that were cut may together use four
times as many before the exploration ends.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

from ...collector import promote
from ...interruption import notice
from ...ir.calls import accesses_memory
from ...ir.module import Module
from ...rules import Rule
from ...semantics import (
    INTERRUPTED,
    STOPS,
    Bound,
    BoundKind,
    Cut,
    Deadlock,
    Ending,
    Illegal,
    IllegalExecution,
    NoModel,
    OutOfBound,
    Returned,
    Sampled,
    UndefinedBehaviour,
    Unmodelled,
    is_bound,
)
from ...semantics.convergence.rules import Closing
from ...semantics.environments.queued import Perform, QueuedMachine, Scheduler
from ...semantics.machine import Chooser, Log, Replay, Sample
from ...semantics.machine.launch import Launch, LaunchSpec, Limits
from ...semantics.machine.machine import Machine
from ...semantics.machine.program import EnvironmentKind, Program
from ...semantics.machine.run import Run, execute, finished, gathers, prepare_run, runnable, start
from ...semantics.memory.races import RaceFound, Read
from ..enumeration import NO_EXECUTION, NOTHING, Enumeration, ExecutionCollector, sole_outcome
from .states import ExploredStep, States, find_races, may_spin, reads_decide
from .synchrony import Synchrony, keeps, require_controlled

ENGINE = "operational"
CUT = 4
"""Times ``max_steps`` that executions which hit that bound may use in all."""
SAMPLES = 1_000
"""Executions that are tried at random where a seed is given and no number."""
MANY = 500
"""Executions of which an answer is large."""
COLLECT = 20_000
"""Executions between two looks for garbage that machines left in spite of being taken apart."""
PROGRESS = 0.25
"""Seconds between two reports of progress."""


class SearchProgress(NamedTuple):
    """How far an enumeration is."""

    executions: int
    alignments: int
    seconds: float


def explore(
    module: Module,
    spec: LaunchSpec,
    *,
    seed: int | str | None = None,
    prune: bool = True,
    reduce: bool = True,
    quick: bool = True,
    progress: Callable[[SearchProgress], None] | None = None,
    synchrony: Synchrony = Synchrony.NONE,
    recurrence: bool = True,
) -> Enumeration:
    """Every legal alignment and outcome of a module's launch.

    ``max_executions`` bounds how many executions are looked at. With a ``seed`` that many are drawn at
    random instead, 1,000 by default, and the answer is never complete. ``prune``, ``reduce`` and ``quick``
    switch reductions: the answer is the same without them, only later. ``quick``: first one execution is run,
    which often shows that there is no other (:func:`sole`); not without the others. ``progress`` is called
    a few times a second. ``synchrony`` adds edges to D-CAUSE. Without ``recurrence`` what has no end hits a
    bound, but for threads that wait for what memory holds.

    Raises UsageError when what is given does not fit the program, NotModelled when a global variable's
    initial value has no model. An interrupt (Ctrl-C) ends the exploration with what there is.
    """
    spec = spec.begun()
    environment: EnvironmentKind = "queued" if accesses_memory(module) else "direct"
    program, launch = prepare_run(module, spec, prune, environment, recurrence)
    if environment == "direct" and gathers(program, launch):  # who does not come shows behind a barrier
        environment = "queued"
        program = runnable(program.module, replace(program.settings, environment=environment))
    if synchrony is not Synchrony.NONE:
        require_controlled(module)
    explorer = Explorer(program, launch, spec.limits, progress, synchrony)
    if seed is not None:
        return explorer.sample(seed)
    if quick and prune and reduce and environment == "queued" and synchrony is Synchrony.NONE:
        try:
            answer = sole(module, spec, recurrence)
        except KeyboardInterrupt:
            return explorer.interrupted()
        if answer is not None:
            return answer
    return explorer.enumerate(reduce)


def sole(
    module: Module, spec: LaunchSpec, recurrence: bool = True, aligned: bool = True
) -> Enumeration | None:
    """All that there is, where one execution shows it (:attr:`Run.is_only`): it had nothing to choose, and no
    two threads met in memory but in an order that barriers make, or in additions, say, in whatever order. It
    is run once, and once more with an eye on races if it has to be. ``None`` where there may be more; not
    ``aligned`` as for :func:`only`."""
    run = execute(module, spec, None, None, recurrence)
    answer = only(run, aligned)
    if answer is None and not run.choices and run.machine.races is None:
        run.machine.take_apart()
        run = execute(module, spec, Replay(()), None, recurrence)  # watched for races
        answer = only(run, aligned)
    run.machine.take_apart()
    return answer


def only(run: Run, aligned: bool = True) -> Enumeration | None:
    """All that there is, where a run is the only execution and came to an end; else ``None``. Not
    ``aligned``: its outcome alone, for who does not ask who was together."""
    whole = isinstance(run.ending, Returned) or (
        isinstance(run.ending, UndefinedBehaviour)  # which cuts short what others would have done in memory
        and (run.machine.launch.threads == 1 or not accesses_memory(run.machine.program.module))
    )
    if not (run.is_only and whole):
        return None
    outcome = run.outcome if isinstance(run.ending, Returned) else NOTHING
    if not aligned:
        return sole_outcome(run.ending, outcome, ENGINE, run.notes, run.open_reads)
    search = ExecutionCollector()
    search.add(run.ending, run.execution, run.groups, outcome)
    return search.finish(ENGINE, True, None, run.notes, run.open_reads)


class Explorer:
    """One enumeration under way.

    ``collector``       what there is
    ``executions``  how many runs were made, illegal ones and repetitions included
    ``bound``       what cut something first
    ``stuck``       the first execution in which every thread waited and no closing was legal

    ``ends_with_answer``: a KeyboardInterrupt ends it with what there is, and is not passed on.
    """

    ends_with_answer = True

    def __init__(
        self,
        program: Program,
        launch: Launch,
        limits: Limits,
        progress: Callable[[SearchProgress], None] | None = None,
        synchrony: Synchrony = Synchrony.NONE,
    ) -> None:
        self.program = program
        self.launch = launch
        self.collector = ExecutionCollector()
        self.executions = 0
        self.bound: Cut | None = None
        self.stuck: tuple[Machine, Ending] | None = None
        self._notes: dict[str, None] = {}
        self._open_reads: dict[str, None] = {}
        self._states: States | None = None
        self._synchrony = synchrony
        self._max_steps = limits.steps
        self._left = limits.steps * CUT
        self._max_executions = limits.max_executions
        self._progress = progress
        self._began = time.monotonic()
        self._clock = limits.clock
        self._next_report = self._began + PROGRESS

    @property
    def _may_spin(self) -> bool:
        program = self.program
        if program.spins is None:  # found out once for all launches
            program.spins = may_spin(program.module)
        return program.spins

    @cached_property
    def _reads_decide(self) -> bool:
        return reads_decide(self.program.module)

    def enumerate(self, reduce: bool = True) -> Enumeration:
        """All executions."""
        walk: ChoiceWalk[tuple[Machine, Ending]] = ChoiceWalk(self._once, reduce)
        if self.program.settings.environment == "queued" and self._may_spin:
            self._states = walk.states = States()
        reduces = reduce and self.program.settings.environment == "queued"
        try:
            return self._all(self._reduced(walk) if reduces else walk)
        finally:
            walk.machine = None

    def _reduced(self, walk: ChoiceWalk[tuple[Machine, Ending]]) -> Iterator[tuple[Machine, Ending]]:
        """All executions but for other orders of accesses that commute."""
        for machine, ending in walk:
            assert isinstance(machine, QueuedMachine)
            steps = walk.steps()
            match ending:
                case Returned() | Illegal(repeats=True) if (accesses := _to_come(machine)) is not None:
                    find_races(steps, accesses)
                case _:
                    # It ended before threads could show what they would have done, and with what is undefined
                    # each access is one of those that led to it: any other may come before.
                    for step in steps:
                        step.add_all()
            yield machine, ending

    def sample(self, seed: int | str) -> Enumeration:
        """Executions with choices at random, the same ones for the same seed."""
        count = SAMPLES if self._max_executions is None else self._max_executions
        self._max_executions = None
        answer = self._all(self._once(Sample(f"{seed} {n}")) for n in range(count))
        if not answer.complete:
            return answer
        return self._finish(Sampled(seed, count))

    def _once(self, chooser: Chooser) -> tuple[Machine, Ending]:
        """One execution; again, with the reads that turned out to race, until there are no others. One in
        which a read races that is supposed not to, or the other way round, is none."""
        undefined: frozenset[Read] = frozenset()
        while True:
            machine = start(self.program, self.launch, chooser, self._log(chooser))
            if isinstance(machine, QueuedMachine):
                if isinstance(chooser, ChoiceWalk):
                    chooser.machine, undefined = machine, chooser.undefined()
                    machine.races.settled = chooser.settled()
                machine.races.undefined, machine.races.again = undefined, True
                if self._synchrony is not Synchrony.NONE:
                    machine.logs_accesses = True
            try:
                ending = machine.run(self._max_steps, self._clock)
            except RaceFound as race:
                undefined = race.reads
                if isinstance(chooser, ChoiceWalk):
                    chooser.restart(undefined, self._reads_decide)
                elif isinstance(chooser, Sample):
                    chooser = chooser.again()
                continue
            if isinstance(machine, QueuedMachine):
                if isinstance(chooser, ChoiceWalk) and not _repeats(ending):
                    chooser.doubt(machine.races.unconfirmed)
                ending = _supposed(machine, ending)
            return machine, ending

    def _log(self, chooser: Chooser) -> Log:
        """The log of a run that begins."""
        return Log()

    def _all(self, runs: Iterable[tuple[Machine, Ending]]) -> Enumeration:
        collecting = gc.isenabled()
        gc.disable()  # a run's machine is a web of cycles, which is taken apart by hand
        try:
            for machine, ending in runs:
                if self.executions == self._max_executions:
                    self.bound = self.bound or Bound(BoundKind.MAX_EXECUTIONS, self._max_executions)
                    break
                self.executions += 1
                if not self._take(machine, ending):
                    break
                if self.stuck is None or machine is not self.stuck[0]:
                    machine.take_apart()
                if self.executions % COLLECT == 0:
                    gc.collect()
        except KeyboardInterrupt:
            return self.interrupted()
        finally:
            if collecting:
                if self.executions >= MANY:
                    promote()
                gc.enable()
        return self._finish(self.bound)

    def interrupted(self) -> Enumeration:
        """What there is when somebody wants no more: to be called where a KeyboardInterrupt is caught."""
        if not self.ends_with_answer:
            raise
        notice()
        self.bound = INTERRUPTED
        return self._finish(self.bound)

    def _take(self, machine: Machine, ending: Ending) -> bool:
        """What one execution adds; whether to go on."""
        match ending:
            case Illegal():
                if machine.stuck and self.stuck is None:
                    self.stuck = machine, ending
            case OutOfBound(bound):
                self.bound = self.bound or bound
                self._left -= machine.steps
                if is_bound(bound, BoundKind.INTERRUPTED):
                    self.bound = bound
                    return False
                if is_bound(bound, BoundKind.TIMEOUT) or self._left <= 0:
                    return False
            case Unmodelled(what):
                self.bound = self.bound or NoModel(what)
            case _:
                self._add(machine, ending)
        now = time.monotonic()
        if self._progress is not None and now >= self._next_report:
            self._next_report = now + PROGRESS
            self._progress(SearchProgress(self.executions, len(self.collector), now - self._began))
        if self._clock.remaining == 0:
            self.bound = self.bound or self._clock.over
            return False
        return True

    def _add(self, machine: Machine, ending: Ending) -> None:
        run = finished(machine, ending, ())
        if self._synchrony is not Synchrony.NONE and isinstance(machine, QueuedMachine):
            if not keeps(machine, run.execution, self._synchrony):
                return
        self._collect(run, ending)
        for note in run.notes:
            self._notes.setdefault(note)
        self._open_reads.update(dict.fromkeys(run.open_reads))

    def _collect(self, run: Run, ending: Ending) -> None:
        """A legal execution, or another ending."""
        outcome = run.outcome if isinstance(ending, Returned) else NOTHING  # values may still be to come
        self.collector.add(ending, run.execution, run.groups, outcome)

    def _finish(self, bound: Cut | None) -> Enumeration:
        """The answer. If nothing legal was found, an execution where every thread waits is a deadlock; where
        there is none such, none that begins can be completed all the same."""
        if bound is None and self.collector.empty and self.stuck is not None:
            machine, _ = self.stuck
            self._add(machine, Deadlock(machine.stuck))
        endless = None if self._states is None else self._states.endless()
        if endless is not None:
            self.collector.add(Deadlock(endless), *NO_EXECUTION)
        if bound is None and self.collector.empty:
            self.collector.add(Deadlock(()), *NO_EXECUTION)
        return self.collector.finish(
            ENGINE, bound is None, bound, tuple(self._notes), tuple(self._open_reads)
        )


def _to_come(machine: QueuedMachine) -> list[Perform] | None:
    """The accesses that might have been next; ``None`` where the operands of one are what ended the run: a
    division by zero whose dividend was to come."""
    try:
        return machine.accesses()
    except STOPS:
        return None


def _repeats(ending: Ending) -> bool:
    """Whether it ended because another execution is the same."""
    return isinstance(ending, Illegal) and ending.repeats


def _supposed(machine: QueuedMachine, ending: Ending) -> Ending:
    """The ending in view of which reads were supposed to race, and where addresses were supposed to lie.
    Where threads did not return, what a read races with may just not have come, and an address neither:
    nothing is concluded from where it was supposed to lie."""
    if machine.supposes_places and not isinstance(ending, Returned | Illegal | OutOfBound):
        return Illegal(Rule.D_CAUSE, "an address that was supposed did not come", 0, repeats=True)
    wrong = machine.races.refuted or (isinstance(ending, Returned) and machine.races.unconfirmed)
    if not wrong or isinstance(ending, Illegal | OutOfBound):
        return ending
    words = "a read gives undef if and only if it races"
    return Illegal(Rule.D_SYNC, words, 0, repeats=isinstance(ending, Returned))


# -- All lists of choices, depth first: the runner that enumerates
# One run is a function of its choices (semantics.md, §3), so walking the tree of choices needs no
# copies of the machine: every run starts afresh and is told what to choose up to the branch that is new.

T = TypeVar("T")
R = TypeVar("R")


class Branch:
    """A choice on the current path: option number ``place`` of so many ``options``."""

    __slots__ = ("options", "place")

    def __init__(self, options: int) -> None:
        self.options = options
        self.place = 0

    def advance(self) -> bool:
        """On to the next option; False if there is none left."""
        self.place += 1
        return self.place < self.options


class ChoiceWalk(Scheduler, Generic[R]):
    """Every run of ``once``, depth first, first options first.

    ``path``   the choices of the latest run
    ``states`` watches for whole states that come back, where threads may spin; then ``machine`` is the
               one that runs
    ``reduce`` whether what happens next is chosen with partial-order reduction (:mod:`.states`);
               it never changes which alignments and outcomes there are
    """

    def __init__(self, once: Callable[[Chooser], R], reduce: bool = True) -> None:
        self._once = once
        self.reduce = reduce
        self.path: list[Branch | ExploredStep] = []
        self.states: States | None = None
        self.machine: QueuedMachine | None = None
        self._at = 0

    def __iter__(self) -> Iterator[R]:
        while True:
            self._begin()
            yield self._once(self)
            del self.path[self._at :]
            while self.path and not self.path[-1].advance():
                self.path.pop()
            if not self.path:
                return

    def _begin(self) -> None:
        self._at = 0
        if self.states is not None:
            self.states.begin()

    def restart(self, undefined: frozenset[Read], in_doubt: bool) -> None:
        """The run that is under way begins again, for these reads give undef: what came after the first of
        them may be something else now, and is forgotten. ``in_doubt``: the writes that they race with might
        not come if some other read gave undef, for a race with a write that comes if these do not."""
        keep = len(self.path)
        for place, step, read in self._accesses():
            if read in undefined and not step.undefined:
                step.undefined, step.doubtful = True, in_doubt
                keep = min(keep, place + 1)
        del self.path[keep:]
        self._begin()

    def undefined(self) -> frozenset[Read]:
        """The accesses on the path that are reads supposed to race."""
        return frozenset(read for _, step, read in self._accesses() if step.undefined)

    def settled(self) -> frozenset[Read]:
        """Those that are supposed not to."""
        return frozenset(read for _, step, read in self._accesses() if step.settled)

    def doubt(self, reads: frozenset[Read]) -> None:
        """These were supposed to race in the latest run, and did not. Whether they do may depend on what
        follows: when all that follows was tried, it is tried again for what they read then.

        That is all where no read decides which writes come. Elsewhere (:meth:`restart`) two reads may each
        give undef only if the other does not, and none of these executions shows the doubt.
        """
        for _, step, read in self._accesses() if reads else ():
            step.doubtful = step.doubtful or read in reads

    def _accesses(self) -> Iterator[tuple[int, ExploredStep, Read]]:
        """The accesses on the path, by their places in it."""
        counts: dict[int, int] = {}
        for place, step in enumerate(self.path):
            if isinstance(step, ExploredStep) and isinstance(step.taken, Perform):
                thread = step.taken.thread
                counts[thread] = counts.get(thread, 0) + 1
                yield place, step, Read(thread, counts[thread])

    def choose(self, label: str, options: Sequence[T]) -> T:
        """Follows the path; where it ends, the first option is new."""
        if self._at == len(self.path):
            self.path.append(Branch(len(options)))
        branch = self.path[self._at]
        assert isinstance(branch, Branch)
        self._at += 1
        return options[branch.place]

    def next(self, options: list[Perform | Closing]) -> tuple[Perform | Closing, list[Any]]:
        if self.states is not None and self.machine is not None:
            steps = [step for step in self.path[: self._at] if isinstance(step, ExploredStep)]
            if self.states.came(self.machine, steps):
                raise IllegalExecution(Rule.D_CAUSE, "the execution comes back to where it was", repeats=True)
        if self._at == len(self.path):
            self.path.append(ExploredStep(options, self.reduce))
        step = self.path[self._at]
        assert isinstance(step, ExploredStep)
        step.options = tuple(options)  # the run's own, which is not the one that was here before
        self._at += 1
        return step.taken, step.passed_over()

    def steps(self) -> list[ExploredStep]:
        """The choices of the latest run that say what happens next."""
        return [step for step in self.path if isinstance(step, ExploredStep)]
