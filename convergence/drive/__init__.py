"""A device's answers held against the set of legal outcomes (docs/how-to/try-a-driver.md)."""

from .binding import BoundModule, bind
from .driven import Driven
from .trial import (
    ElementDifference,
    IllegalResult,
    LegalOutcome,
    LegalOutcomes,
    MachineExplanation,
    Trial,
    judge,
    question,
)

__all__ = [
    "BoundModule",
    "Driven",
    "ElementDifference",
    "IllegalResult",
    "LegalOutcome",
    "LegalOutcomes",
    "MachineExplanation",
    "Trial",
    "bind",
    "judge",
    "question",
]  # fmt: skip
