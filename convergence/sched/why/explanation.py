"""Why two dynamic instances are converged or not, and what would have made them meet.

Keys say it (semantics.md, §2, *Keys*): the first difference of two keys is the reason. If that
difference is a label, the threads were put apart by choice. Then another choice may make them meet,
which is found by running it; or it closes a cycle in convergence-before (D-ORDER), which is found in
this execution.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...alignment.instances import DynamicInstance
from ...rules import Rule
from ...semantics.convergence.keys import Difference, Key, why_not_converged
from ...semantics.machine.run import Run
from ...shown import Shown
from .query import instances, times_executed
from .search import Alternatives, Search

ATTEMPTS = 1_000
"""Executions that are tried at most to make two instances meet."""
SECONDS = 5.0
"""How long that may take at most."""


@dataclass(frozen=True, slots=True)
class NotExecuted:
    """At least one of the two was not executed; ``times`` is how often each thread executed the operation."""

    times: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Converged:
    """They are, by ``rule``: their keys are the same, ``key``. ``group`` are all that share it."""

    rule: Rule
    key: Key
    group: tuple[DynamicInstance, ...]


@dataclass(frozen=True, slots=True)
class Same:
    """They are one and the same instance."""


@dataclass(frozen=True, slots=True)
class Never:
    """D-EQ: they are instances of different operations, or of one thread. No execution converges them."""

    one_thread: bool
    rule: Rule = Rule.D_EQ


@dataclass(frozen=True, slots=True)
class Apart:
    """They are not, for the first ``difference`` of their ``keys``.

    ``choice``: the difference is a label, and this is what was found about other choices.
    """

    difference: Difference
    keys: tuple[Key, Key]
    choice: Alternatives | None = None


Answer = NotExecuted | Converged | Same | Never | Apart


@dataclass(frozen=True, slots=True)
class Why(Shown):
    """A question and its answer, in one ``run``."""

    one: DynamicInstance
    other: DynamicInstance
    answer: Answer
    run: Run = field(repr=False, compare=False)


def why(
    run: Run,
    question: str | tuple[DynamicInstance, DynamicInstance],
    max_steps: int = 10_000_000,
    attempts: int = ATTEMPTS,
    seconds: float = SECONDS,
) -> Why:
    """Why two instances of a run are converged or not.

    ``question`` is ``"%op thread 0 #2, thread 1 #1"``, the second time of thread 0 and the first of thread 1,
    with ``in @f`` behind the operation where several functions have one of that name; or the two instances.
    ``max_steps`` bounds the instructions of each execution that is tried, ``attempts`` their number and
    ``seconds`` the time of all of them together.

    Raises UsageError where the question cannot be read or does not fit the run.
    """
    one, other = instances(run, question) if isinstance(question, str) else question
    return Why(one, other, _answer(run, one, other, Search(run, max_steps, attempts, seconds)), run)


def _answer(run: Run, one: DynamicInstance, other: DynamicInstance, search: Search) -> Answer:
    keys = run.keys
    if one not in keys or other not in keys:
        return NotExecuted(
            (times_executed(run, one.thread, one.site), times_executed(run, other.thread, other.site))
        )
    if one == other:
        return Same()
    if one.site != other.site or one.thread == other.thread:
        return Never(one.site == other.site)
    a, b = keys[one], keys[other]
    difference = why_not_converged(a, b)
    if difference is None:
        return Converged(a.rule, a, tuple(sorted(i for i, key in keys.items() if key is a)))
    free = difference.groups
    return Apart(difference, (a, b), None if free is None else search.alternatives(one, other, *free))
