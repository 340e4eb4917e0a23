"""How what two sides show differs, as data; the words are :mod:`convergence.report.mismatches`'.

Every mismatch names the sides as they are: a comparison the other way round gives it :func:`swapped`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

SideName = Literal["source", "target"]
EventPart = Literal["callee", "operand count", "operand", "group", "result"]


@dataclass(frozen=True, slots=True)
class OnlyUndefined:
    """Only ``side`` has undefined behaviour, for this ``reason``."""

    side: SideName
    reason: str


@dataclass(frozen=True, slots=True)
class OnlyEndless:
    """Only ``side`` may run without an end; ``waits``: because threads wait, else because no execution that
    begins can be completed."""

    side: SideName
    waits: bool


@dataclass(frozen=True, slots=True)
class NoOutcome:
    """Only the other side than ``side`` has an outcome at all."""

    side: SideName


@dataclass(frozen=True, slots=True)
class ExtraEvent:
    """Only on ``side`` a ``thread`` has an event with this ``number`` (from 1), ``event``."""

    side: SideName
    thread: int
    number: int
    event: str


@dataclass(frozen=True, slots=True)
class EventMismatch:
    """A thread's event number ``number`` (from 1) differs in a ``part``.

    ``event`` is what both sides call it, nothing where that is what differs. A group is ``(thread, number
    of the event there)`` for each of its members.
    """

    thread: int
    number: int
    part: EventPart
    event: str
    source: object
    target: object


@dataclass(frozen=True, slots=True)
class EndMismatch:
    """How a thread ends differs: ``returned`` or ``exited``."""

    thread: int
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class ReturnMismatch:
    """What a thread returns differs."""

    thread: int
    source: object
    target: object


@dataclass(frozen=True, slots=True)
class MemoryMismatch:
    """What a shared variable holds at the end differs; ``name`` is as in :attr:`Outcome.memory`."""

    name: str
    source: object
    target: object


Mismatch = (
    OnlyUndefined | OnlyEndless | NoOutcome | ExtraEvent
    | EventMismatch | EndMismatch | ReturnMismatch | MemoryMismatch
)  # fmt: skip


def opposite(side: SideName) -> SideName:
    """The other side."""
    return "target" if side == "source" else "source"


def swapped(mismatch: Mismatch) -> Mismatch:
    """The same mismatch, with source and target exchanged."""
    match mismatch:
        case OnlyUndefined() | OnlyEndless() | NoOutcome() | ExtraEvent():
            return replace(mismatch, side=opposite(mismatch.side))
        case EndMismatch(thread, source, target):
            return EndMismatch(thread, target, source)
        case EventMismatch() | ReturnMismatch() | MemoryMismatch():
            return replace(mismatch, source=mismatch.target, target=mismatch.source)


def progress(mismatch: Mismatch) -> tuple[int, int]:
    """How far executions agree before they differ: a mismatch at a later event, or at the end, is greater."""
    match mismatch:
        case ExtraEvent(number=number) | EventMismatch(number=number):
            return 0, number
        case _:
            return 1, 0
