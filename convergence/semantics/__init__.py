"""Running programs: the operational machine, one function per rule and per instruction (semantics.md, §3).

Here: how an answer is cut short or a run ends, that is every exception, every ending and bound, the one table
between, and the clock.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from ..frozen import dataclass
from ..interruption import notice
from ..source import NOWHERE, Span

if TYPE_CHECKING:
    from ..alignment import StaticInstance
    from ..rules import Rule

# ----------------------------------------------------------------------------------------------------------
# Why an answer is not all that there is, as data: a bound that was hit, or what else cut it short.
#
# Who decides looks at these; what they are called is for :mod:`convergence.report.parts.words` to say.
# ----------------------------------------------------------------------------------------------------------


class BoundKind(Enum):
    """What a bound counts. A closed set."""

    MAX_STEPS = "max-steps"
    """Instructions of an execution, or issue slots of a machine."""
    TIMEOUT = "timeout"
    """Seconds."""
    MAX_EXECUTIONS = "max-executions"
    """Executions that are looked at."""
    MAX_ALIGNMENTS = "max-alignments"
    """Alignments that are looked for."""
    CALL_DEPTH = "call-depth"
    """Calls that a thread is in at once."""
    ANSWERS = "answers"
    """Branches on results of exchanges and reads in one candidate trace."""
    ITERATIONS = "iterations"
    """Passes back to a block."""
    PATHS = "paths"
    """Ways of one thread."""
    GROUPINGS = "groupings"
    """Ways to group anchors."""
    INTERRUPTED = "interrupted"
    """The user's patience (SIGINT), which has no number."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound: at most ``limit`` of what ``kind`` counts; ``None`` where it is no number."""

    kind: BoundKind
    limit: int | float | None = None


INTERRUPTED = Bound(BoundKind.INTERRUPTED)


@dataclass(frozen=True, slots=True)
class Sampled:
    """Only so many ``executions`` were drawn at random, by ``seed``."""

    seed: int | str
    executions: int


@dataclass(frozen=True, slots=True)
class NoModel:
    """Something that was reached has no model; ``feature`` names it."""

    feature: str


@dataclass(frozen=True, slots=True)
class SolverGaveUp:
    """The solver knows no answer, for a ``reason`` of its own."""

    reason: str


Cut = Bound | Sampled | NoModel | SolverGaveUp
"""What makes an enumeration incomplete."""


def is_bound(cut: object, *kinds: BoundKind) -> bool:
    """Whether something was cut by a bound of one of these kinds."""
    return isinstance(cut, Bound) and cut.kind in kinds


# ----------------------------------------------------------------------------------------------------------
# How a run stops: every exception, every ending, and the one table from the ones to the others.
#
# Exceptions leave a thread from wherever it is; endings are the data that answers are made of
# (semantics.md, §2 and §6). Both sets are closed. :class:`Crash` is apart: our own bug, never the
# program's.
# ----------------------------------------------------------------------------------------------------------


# -- exceptions: what a thread, an instruction or a model raises --------------------------------------


class Undefined(Exception):
    """Immediate undefined behaviour, with LangRef's reason and the section that says so.

    Internal to ``semantics``: the machine turns it into an ending.
    """

    def __init__(self, reason: str, section: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.section = section


class NotModelled(Exception):
    """A thread reached something without a model; ``feature`` says what. The machine turns it into an
    ending."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.feature = what


class IllegalExecution(Exception):
    """The run cannot become a legal execution: ``rule`` is broken. The machine makes an ending of it.

    ``repeats``: nothing is broken, but other choices lead to the same execution.
    """

    def __init__(self, rule: Rule, words: str, repeats: bool = False) -> None:
        super().__init__(words)
        self.rule = rule
        self.words = words
        self.repeats = repeats


class BoundHit(Exception):
    """A bound was hit. The machine makes an ending of it."""

    def __init__(self, bound: Bound) -> None:
        super().__init__(bound)
        self.bound = bound


_OPTION = re.compile("\ue000(.*?)\ue002(.*?)\ue002(.*?)\ue001")


class OptionName(NamedTuple):
    """An option that a message names: ``name`` without dashes, the parameter, variable or function that it is
    for, with its sigil, and the value; both empty where there is none."""

    name: str
    key: str
    value: str


_KEYWORDS = {
    "arg": "arguments", "buffer": "buffers", "global": "globals", "input": "inputs", "path": "paths",
    "why": "question",
}  # fmt: skip
"""What an option of the command line is called as a keyword of the front door, where that differs."""


def option(name: str, value: object = "", key: str = "") -> str:
    """An option in a :class:`UsageError`'s message, which knows how to spell it for whom: ``--arg %x=3`` on
    the command line, ``arguments={'x': 3}`` in Python. ``key`` is the parameter, variable or function."""
    return f"\ue000{name}\ue002{key}\ue002{value}\ue001"


def _on_command_line(match: re.Match[str]) -> str:
    name, key, value = match.groups()
    return f"--{name}" + (f" {key}" if key else "") + ((f"={value}" if key else f" {value}") if value else "")


def _in_python(match: re.Match[str]) -> str:
    name, key, value = match.groups()
    keyword = _KEYWORDS.get(name, name.replace("-", "_"))
    if not key:
        return f"{keyword}={value}" if value else keyword
    sigils = "%" if name == "buffer" else "%@"
    return f"{keyword}={{{key.lstrip(sigils)!r}: {value or '...'}}}"


NAMED = 8
"""Names that a message lists at most."""


def alternatives(word: str, names: Iterable[str]) -> str:
    """What there is in place of a ``word`` that names nothing, as the end of a message: the name nearest to
    it, else the first of all."""
    from difflib import get_close_matches

    known = list(names)
    if near := get_close_matches(word, known, n=1):
        return f"; did you mean {near[0]}?"
    more = f" and {len(known) - NAMED} more" if len(known) > NAMED else ""
    return f"; there are: {', '.join(known[:NAMED]) or 'none'}{more}"


class UsageError(Exception):
    """What was asked for does not fit the program: an argument without a value, an impossible path.

    Its message names what :func:`option` marks as Python's keywords; ``command_line`` has the options.
    ``line`` is that of the file where something in it is at fault.
    """

    line: int | None = None

    def __str__(self) -> str:
        words = _OPTION.sub(_in_python, super().__str__())
        return words if self.line is None else f"line {self.line}: {words}"

    @property
    def command_line(self) -> str:
        """The message with the command line's options."""
        return _OPTION.sub(_on_command_line, super().__str__())

    @property
    def parts(self) -> tuple[str | OptionName, ...]:
        """The message in pieces, for whoever has another word for its options, as a form has."""
        pieces = _OPTION.split(super().__str__())
        parts: list[str | OptionName] = [pieces[0]]
        for n in range(1, len(pieces), 4):
            parts += [OptionName(*pieces[n : n + 3]), pieces[n + 3]]
        return tuple(part for part in parts if part)


class Crash(Exception):
    """Our own bug: a promise that the machine makes to itself was broken."""


# -- endings: how a run ended, as data ----------------------------------------------------------------


class StackEntry(NamedTuple):
    """An activation: the function and the instruction that it is at."""

    function: str
    instruction: StaticInstance
    span: Span


@dataclass(frozen=True, slots=True)
class Waiting:
    """A thread that waits: at which operation, and for which threads that might still come."""

    thread: int
    operation: StaticInstance
    name: str
    for_threads: tuple[int, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Returned:
    """Every thread ended: it returned from the launched function, or made a call that ends it."""


@dataclass(frozen=True, slots=True)
class UndefinedBehaviour:
    """LangRef's ``reason`` and ``section``, the thread, and its call stack, innermost first."""

    reason: str
    section: str
    thread: int
    stack: tuple[StackEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class Deadlock:
    """No thread can go on: who waits, and for whom."""

    waiting: tuple[Waiting, ...]


@dataclass(frozen=True, slots=True)
class GoesRound:
    """A thread that never stops: the ``function`` in which it goes round, a ``block`` to which it comes
    back."""

    thread: int
    function: str
    block: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Endless:
    """A whole state came back, so that the run has no end: ``spinning`` threads go round, others are
    ``waiting`` for what they never do. ``periods`` are, by thread, how many events it had before, and how
    many it has each time round."""

    spinning: tuple[GoesRound, ...]
    waiting: tuple[Waiting, ...]
    periods: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class OutOfBound:
    """A ``bound`` was hit before the end, by ``thread``, which stood at ``stack``; ``waiting`` says which
    threads were waiting then, and for whom; ``standing`` where the others stood that could go on."""

    bound: Bound
    thread: int | None
    stack: tuple[StackEntry, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    standing: tuple[tuple[int, StackEntry], ...] = ()


@dataclass(frozen=True, slots=True)
class Unmodelled:
    """A thread reached something without a model; ``feature`` names it."""

    feature: str
    thread: int
    stack: tuple[StackEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class Illegal:
    """The choices made lead to no legal execution: ``rule`` says which part of the definition is
    broken, ``words`` how. Not an outcome of the program but the end of a wrong guess, unless no
    guess is right. ``repeats``: nothing is broken, but earlier choices lead to the same execution."""

    rule: Rule
    words: str
    thread: int
    stack: tuple[StackEntry, ...] = ()
    repeats: bool = False


Ending = Returned | UndefinedBehaviour | Deadlock | Endless | OutOfBound | Unmodelled | Illegal


ENDING_NAMES: Mapping[type, str] = {
    Returned: "returned",
    UndefinedBehaviour: "undefined-behaviour",
    Deadlock: "deadlock",
    Endless: "endless",
    OutOfBound: "out-of-bound",
    Unmodelled: "not-modelled",
    Illegal: "illegal",
}
"""The word of each ending in machine-readable output."""


# -- the table ----------------------------------------------------------------------------------------

Stop = IllegalExecution | Undefined | NotModelled | BoundHit
"""What ends a run from inside."""
STOPS = (IllegalExecution, Undefined, NotModelled, BoundHit)
"""The same, for ``except``."""


def ending_of(
    stop: Stop,
    thread: int | None,
    stack: tuple[StackEntry, ...] = (),
    waiting: tuple[Waiting, ...] = (),
    standing: tuple[tuple[int, StackEntry], ...] = (),
) -> Ending:
    """The ending that an exception becomes: ``thread`` was acting (``None``: none was), with this call
    stack, innermost first, while others were ``waiting``, or ``standing`` where they could go on."""
    thread_number = 0 if thread is None else thread
    match stop:
        case IllegalExecution():
            return Illegal(stop.rule, stop.words, thread_number, stack, stop.repeats)
        case Undefined():
            return UndefinedBehaviour(stop.reason, stop.section, thread_number, stack)
        case NotModelled():
            return Unmodelled(stop.feature, thread_number, stack)
        case BoundHit():
            return OutOfBound(stop.bound, thread, stack, waiting, standing)


# ----------------------------------------------------------------------------------------------------------
# The one clock of what runs: when to end, for time is up or the user asks.
#
# Whatever may take long asks it between two steps. A clock that was begun is handed on, so that all that a
# command does ends together.
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Clock:
    """Ends at ``deadline``, as ``time.monotonic`` counts; ``timeout`` is what that was in seconds at first,
    by which it is named. ``None``: never. ``cpu``: the seconds are those of this process's processor time, so
    that they do not depend on what else the machine does."""

    timeout: float | None = None
    deadline: float | None = None
    cpu: bool = False

    @property
    def now(self) -> float:
        """The time, as the deadline counts."""
        return time.process_time() if self.cpu else time.monotonic()

    def hit(self) -> Bound | None:
        """What ended, if something did."""
        if notice():
            return INTERRUPTED
        if self.deadline is not None and self.now > self.deadline:
            return self.over
        return None

    @property
    def remaining(self) -> float | None:
        """Seconds until the deadline, at least 0; ``None`` where there is none."""
        return None if self.deadline is None else max(0.0, self.deadline - self.now)

    @property
    def over(self) -> Bound:
        """The seconds as a bound, for whom somebody else told that they are over."""
        return Bound(BoundKind.TIMEOUT, self.timeout)

    def share(self, of: int) -> Clock:
        """The clock of the first of ``of`` that are to have as much of the seconds left, one after the other:
        what the first leaves is for those after it."""
        if self.deadline is None:
            return self
        now = self.now
        return replace(self, deadline=now + max(0.0, self.deadline - now) / of)

    def spared(self, seconds: float) -> Clock:
        """The clock with so many seconds from now at least, for what the answer needs."""
        if self.deadline is None:
            return self
        return replace(self, deadline=max(self.deadline, self.now + seconds))

    def check(self) -> None:
        """Raises BoundHit if it ended."""
        if notice():
            raise BoundHit(INTERRUPTED)
        if self.deadline is not None:
            now = time.process_time() if self.cpu else time.monotonic()
            if now > self.deadline:
                raise BoundHit(self.over)


NEVER = Clock()

Tell = Callable[[Callable[[], int], int, str], None]
"""Told how far a run is, often: how many are done, which is asked only where somebody looks, of how many, and
of what."""


def clock_of(timeout: float | None, deadline: float | None = None, cpu: bool = False) -> Clock:
    """The clock for so many seconds from now, or one that was begun elsewhere."""
    clock = Clock(timeout, deadline, cpu)
    if timeout is not None and deadline is None:
        clock = replace(clock, deadline=clock.now + timeout)
    return clock
