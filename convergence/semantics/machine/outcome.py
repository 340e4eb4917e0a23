"""How a run ends, and what the outside can see of it (semantics.md, *Outcomes and refinement*).

Endings are a closed set. A failed assertion is none of them: it is our own bug, a :class:`Crash`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..values.display import Json
from .log import Event


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
