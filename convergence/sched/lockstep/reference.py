"""The interpreter's run of what a machine runs: with the same groups both must compute the same.

One legal alignment has one outcome where nothing else is free: no label is a choice, and no two threads meet
in shared memory (then every order of accesses gives the same values, semantics.md, D-MEM). A difference
there is no property of the machine but our own bug.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from functools import cached_property

from ...alignment.instances import DynamicInstance
from ...frozen import dataclass
from ...semantics.errors import ENDING_NAMES, Ending, Returned, UndefinedBehaviour
from ...semantics.machine.choice import MostConverged
from ...semantics.machine.launch import Launch, Limits
from ...semantics.machine.log import Event, depends_on_order
from ...semantics.machine.outcome import Outcome
from ...semantics.machine.program import Program
from ...semantics.machine.run import Group, Run, finished
from ...semantics.machine.start import start
from ...semantics.values.display import Json


class Uncompared(Enum):
    """Why a machine's results say nothing about the interpreter's."""

    REFUSED = "refused"
    UNFINISHED = "unfinished"
    """The machine hung, hit a bound, or came to what has no model."""
    LANES = "lanes"
    """The machine's set-up wakes lanes, keeps some off, or loses registers."""
    LOWERED = "lowered"
    """Its control flow is operations on exec, which the interpreter has no meaning for."""
    CHOICES = "choices"
    """The interpreter's run is one of several."""
    INTERPRETER = "interpreter"
    """Its run did not return."""
    MEMORY = "memory"
    """Threads meet in memory."""
    GROUPS = "groups"


class Aspect(Enum):
    ENDING = "ending"
    THREAD = "thread"
    RETURN = "return"
    EVENTS = "events"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Unequal:
    """What a machine and the interpreter say of one thing: a thread's end, return value or events, or the
    final contents of the global variable ``name``."""

    aspect: Aspect
    thread: int | None
    name: str | None
    machine: Json | tuple[Event, ...]
    interpreter: Json | tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """``reason``: why nothing was compared; ``None`` if it was, and then ``differences`` should be empty."""

    reason: Uncompared | None
    differences: tuple[Unequal, ...] = ()


class Reference:
    """A launch on the interpreter, once for all machines, when it is first asked for."""

    def __init__(self, program: Program, launch: Launch, limits: Limits) -> None:
        self.program, self.launch = program, launch
        self.limits = limits

    @cached_property
    def run(self) -> Run:
        """Its first execution."""
        machine = start(self.program, self.launch, MostConverged())
        limits = self.limits
        return finished(machine, machine.run(limits.steps, limits.clock), ())

    @cached_property
    def uncompared(self) -> Uncompared | None:
        """Why no machine can be compared with it."""
        if self.program.has_choices:
            return Uncompared.CHOICES
        if not isinstance(self.run.ending, Returned):
            return Uncompared.INTERPRETER
        if self.run.guesses:
            return Uncompared.CHOICES
        if depends_on_order(self.run.machine.log):
            return Uncompared.MEMORY
        return None

    def agreement(self, ending: Ending | None, groups: Sequence[Group], outcome: Outcome) -> Agreement:
        """Whether a machine computed the same; ``ending`` is ``None`` for a machine that hangs."""
        if not isinstance(ending, Returned | UndefinedBehaviour):
            return Agreement(Uncompared.UNFINISHED)
        if self.uncompared is not None:
            return Agreement(self.uncompared)
        mine, theirs = self._communicating(groups), self._communicating(self.run.groups)
        if isinstance(ending, UndefinedBehaviour):
            if not mine <= theirs:
                return Agreement(Uncompared.GROUPS)
            names = ENDING_NAMES[UndefinedBehaviour], ENDING_NAMES[Returned]
            return Agreement(None, (Unequal(Aspect.ENDING, ending.thread, None, *names),))
        if mine != theirs:
            return Agreement(Uncompared.GROUPS)
        return Agreement(None, tuple(_unequal(outcome, self.run.outcome)))

    def _communicating(self, groups: Sequence[Group]) -> frozenset[frozenset[DynamicInstance]]:
        """The groups of operations that exchange data: no control intrinsic, no call that only enters."""
        defined = {f"@{function.name}" for function in self.program.module.definitions()}
        return frozenset(frozenset(g.members) for g in groups if not g.control and g.callee not in defined)


def _unequal(machine: Outcome, interpreter: Outcome) -> Iterator[Unequal]:
    for mine, theirs in zip(machine.threads, interpreter.threads, strict=True):
        if mine.ended != theirs.ended:
            yield Unequal(Aspect.THREAD, mine.thread, None, mine.ended, theirs.ended)
        if mine.value != theirs.value:
            yield Unequal(Aspect.RETURN, mine.thread, None, mine.value, theirs.value)
        if mine.events != theirs.events:
            yield Unequal(Aspect.EVENTS, mine.thread, None, mine.events, theirs.events)
        for name, contents in mine.memory.items():
            if contents != theirs.memory[name]:
                yield Unequal(Aspect.MEMORY, mine.thread, name, contents, theirs.memory[name])
    for name, contents in machine.memory.items():
        if contents != interpreter.memory[name]:
            yield Unequal(Aspect.MEMORY, None, name, contents, interpreter.memory[name])
