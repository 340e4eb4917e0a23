"""Memory accesses on their way: issued, to be chosen as what happens next, performed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..alignment.instances import StaticInstance
from .closing import Closing
from .deferred import Deferred
from .instructions import Touch


@dataclass(slots=True, eq=False)
class Issued:
    """An access in a thread's queue; ``released`` ends stack objects instead when its turn comes.

    ``asleep``: performing it next would repeat an execution that was found before. ``visit`` is the
    block visit that it is in, ``records`` how many convergent operations its thread had executed.
    ``objects`` are those that it touches, once they are known, but for constants.
    """

    site: StaticInstance
    prepared: Callable[..., Any] | None
    operands: tuple[Any, ...] = ()
    result: Deferred | None = None
    event: int = -1
    released: list[Any] = field(default_factory=list)
    access: Any = None
    objects: frozenset[int] | None = None
    asleep: bool = False
    visit: int = 0
    records: int = 0


@dataclass(frozen=True, slots=True)
class Performed:
    """An access that was performed: what it touched, and where its thread was, as :class:`Issued` says."""

    thread: int
    site: StaticInstance
    touches: tuple[Touch, ...]
    visit: int
    records: int


@dataclass(frozen=True, slots=True)
class Perform:
    """The option to perform a thread's next memory access: where it stands and what it touches."""

    thread: int
    operation: StaticInstance
    touches: tuple[Touch, ...]
    issued: Issued = field(repr=False, compare=False)


class Scheduler(ABC):
    """A chooser that decides by itself in which order the options for what happens next are tried."""

    @abstractmethod
    def next(self, options: list[Perform | Closing]) -> tuple[Perform | Closing, list[Perform | Closing]]:
        """What happens next, and the options that were tried before it."""


def conflict(ones: Sequence[Touch], others: Sequence[Touch]) -> bool:
    """Whether two accesses do not commute: they touch a byte in common, and one of them writes it."""
    return any(
        a.object == b.object and a.start < b.stop and b.start < a.stop and (a.write or b.write)
        for a in ones
        for b in others
    )
