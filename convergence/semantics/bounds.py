"""Why an answer is not all that there is, as data: a bound that was hit, or what else cut it short.

Who decides looks at these; what they are called is for :mod:`convergence.report.parts.endings` to say.
"""

from __future__ import annotations

from enum import Enum

from ..frozen import dataclass


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
