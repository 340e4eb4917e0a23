"""What ``--trace`` is told: one event a step, as data. Nothing here runs when nobody listens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..alignment.instances import StaticInstance
from ..rules import Rule
from .keys import Key
from .outcome import Json


@dataclass(frozen=True, slots=True)
class Stepped:
    """A thread executed an instruction.

    ``frame`` is its activation's number; ``result`` the name of what it defined and ``value`` that
    value as plain data, both ``None`` if there is none. For a convergent operation or control
    intrinsic ``key`` is its key, ``nth`` says which instance it is and ``rule`` gave the key; for
    an exchange ``group`` are the threads that communicated.
    """

    thread: int
    frame: int
    site: StaticInstance
    result: str | None = None
    value: Json = None
    key: Key | None = None
    nth: int | None = None
    rule: Rule | None = None
    group: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Arrived:
    """A thread came to an exchange and waits for its group."""

    thread: int
    frame: int
    site: StaticInstance
    key: Key
    nth: int
    rule: Rule


TraceEvent = Stepped | Arrived


class Tracer(Protocol):
    """Is told every event, in the order in which the machine did it."""

    def tell(self, event: TraceEvent) -> None: ...
