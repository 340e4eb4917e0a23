"""The exit code that says how an execution ended. Imported where there is one: it knows all endings."""

from __future__ import annotations

from ...semantics.errors import (
    Deadlock,
    Ending,
    Endless,
    Illegal,
    OutOfBound,
    Returned,
    UndefinedBehaviour,
    Unmodelled,
)
from .output import Exit


def ending_code(ending: Ending, otherwise: int | None = None) -> Exit:
    """0: every thread returned. 1: undefined behaviour, no end, no legal execution. 3: a bound was hit, or
    something has no model; or with a number ``otherwise`` in the place of stand-ins it would not end so
    (:attr:`.Run.otherwise`)."""
    if otherwise is not None:
        return Exit.UNKNOWN
    match ending:
        case Returned():
            return Exit.HOLDS
        case UndefinedBehaviour() | Deadlock() | Endless() | Illegal():
            return Exit.FAILS
        case OutOfBound() | Unmodelled():
            return Exit.UNKNOWN
