"""How a run ends, and what the outside can see of it (semantics.md, *Outcomes and refinement*).

Endings are a closed set. A failed assertion is none of them: it is our own bug, a :class:`Crash`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ..alignment.instances import StaticInstance
from ..rules import Rule
from ..source import NOWHERE, Span
from .events import Event

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


class Crash(Exception):
    """Our own bug: a promise that the machine makes to itself was broken."""


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
class OutOfBound:
    """A bound was hit before the end: ``bound`` names it (``--max-steps 1000``), ``thread`` the
    thread that hit it, and ``waiting`` says which threads were waiting then, and for whom."""

    bound: str
    thread: int | None
    stack: tuple[StackEntry, ...] = ()
    waiting: tuple[Waiting, ...] = ()


@dataclass(frozen=True, slots=True)
class NotModelled:
    """A thread reached something without a model; ``what`` names it."""

    what: str
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


Ending = Returned | UndefinedBehaviour | Deadlock | OutOfBound | NotModelled | Illegal

ENDING_NAMES: Mapping[type, str] = {
    Returned: "returned",
    UndefinedBehaviour: "undefined-behaviour",
    Deadlock: "deadlock",
    OutOfBound: "out-of-bound",
    NotModelled: "not-modelled",
    Illegal: "illegal",
}
"""The word of each ending in machine-readable output."""


@dataclass(frozen=True, slots=True)
class ThreadOutcome:
    """How one thread ended (``returned``, ``exited`` or, elsewhere, ``unfinished``), its return
    value (``None`` for void), and its events in order."""

    thread: int
    ended: str
    value: Json
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the outside can see: per thread, and the final contents of globals that are no constants."""

    threads: tuple[ThreadOutcome, ...]
    memory: Mapping[str, Json]
