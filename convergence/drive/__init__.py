"""A device's answers held against the set of legal outcomes (docs/how-to/try-a-driver.md)."""

from .binding import BoundModule, bind
from .driven import Driven
from .trial import Difference, Explanation, IllegalResult, LegalOutcome, Question, Trial, judge, question

__all__ = [
    "BoundModule", "Difference", "Driven", "Explanation", "IllegalResult", "LegalOutcome", "Question",
    "Trial", "bind", "judge", "question",
]  # fmt: skip
