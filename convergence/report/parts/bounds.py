"""Bounds, and what else cuts an answer short, in words."""

from __future__ import annotations

from collections.abc import Mapping

from ...semantics.bounds import Bound, BoundKind, Cut, NoModel, Sampled, SolverGaveUp

_WORDS: Mapping[BoundKind, str] = {
    BoundKind.MAX_STEPS: "--max-steps {}",
    BoundKind.TIMEOUT: "--timeout {:g}",
    BoundKind.MAX_EXECUTIONS: "--max-executions {}",
    BoundKind.MAX_ALIGNMENTS: "--max-alignments {}",
    BoundKind.CALL_DEPTH: "call depth {}",
    BoundKind.ANSWERS: "{} branches on results in one trace",
    BoundKind.ITERATIONS: "{} iterations",
    BoundKind.PATHS: "{} paths of one thread",
    BoundKind.GROUPINGS: "{} ways to group anchors",
    BoundKind.INTERRUPTED: "interrupted",
}


def words(cut: Cut) -> str:
    """What cut an answer short; a bound by the option that sets it, if there is one."""
    match cut:
        case Bound(kind, limit):
            return _WORDS[kind].format(limit)
        case Sampled(seed, executions):
            return f"--seed {seed}: {executions} executions at random"
        case NoModel(what):
            return f"not modelled: {what}"
        case SolverGaveUp(reason):
            return f"the solver gave up: {reason}"
