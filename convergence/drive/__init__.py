"""A device's answers held against the set of legal outcomes (docs/how-to/try-a-driver.md)."""

from .binding import BoundModule, LackingDevice, bind
from .trial import (
    Driven,
    ElementDifference,
    IllegalResult,
    LegalOutcome,
    LegalOutcomes,
    MachineExplanation,
    Trial,
    judge,
    question,
    with_open_remainders,
)

__all__ = [
    "BoundModule",
    "Driven",
    "ElementDifference",
    "IllegalResult",
    "LackingDevice",
    "LegalOutcome",
    "LegalOutcomes",
    "MachineExplanation",
    "Trial",
    "bind",
    "judge",
    "question",
    "with_open_remainders",
]  # fmt: skip
