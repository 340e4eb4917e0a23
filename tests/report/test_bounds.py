"""Bounds, and what else cuts an answer short, in words: each of the closed set has some, none another's.

covers: report.refine
"""

from __future__ import annotations

import pytest

from convergence.refine.verdict.result import OpenSide, ReadRaces
from convergence.report.parts.words import words
from convergence.report.refine import reason_words as why_unknown
from convergence.semantics import INTERRUPTED, Bound, BoundKind, Cut, NoModel, Sampled, SolverGaveUp


def test_every_kind_of_bound_has_its_own_words() -> None:
    assert len({words(Bound(kind, 7)) for kind in BoundKind}) == len(BoundKind)


@pytest.mark.parametrize("kind", [kind for kind in BoundKind if kind is not BoundKind.INTERRUPTED])
def test_a_bound_is_said_with_its_number(kind: BoundKind) -> None:
    assert "7" in words(Bound(kind, 7)) and words(Bound(kind, 7)) != words(Bound(kind, 8))


@pytest.mark.parametrize(
    ("cut", "said"),
    [
        (Bound(BoundKind.MAX_STEPS, 1000), "--max-steps 1000"),
        (Bound(BoundKind.TIMEOUT, 5.0), "--timeout 5"),
        (Bound(BoundKind.TIMEOUT, 0.25), "--timeout 0.25"),
        (INTERRUPTED, "interrupted"),
        (Sampled(3, 20), "--seed 3: 20 executions at random"),
        (NoModel("scalable vectors"), "not modelled: scalable vectors"),
        (SolverGaveUp("incomplete"), "the solver gave up: incomplete"),
    ],
)
def test_what_people_read(cut: Cut, said: str) -> None:
    assert words(cut) == said == why_unknown(cut)


def test_of_which_side() -> None:
    assert why_unknown(OpenSide(ReadRaces(), "target")) == "threads that race in memory in the target"
