"""Inputs of our own choice that have more executions than are looked at: larger ones are passed over.

Free choices multiply: an anchor in a loop has as many executions as there are ways to pair the threads'
rounds. Which inputs are tried is for the comparison to choose, so it chooses smaller ones, and says so.
"""

from __future__ import annotations

from dataclasses import replace

from ...semantics.bounds import BoundKind
from ..sides.outcomes import Bounds
from .launch import Argument, Input

TOO_MANY = BoundKind.MAX_EXECUTIONS
"""The bound that such an input runs into."""
ENOUGH = 8
"""Inputs in which threads can meet that must have been compared before a verdict can rest on them alone."""
LESS = 10
"""After the first such input the others get this part of the executions, so that they end sooner."""


class Large:
    """The inputs that ran into the bound."""

    def __init__(self) -> None:
        self._known: list[Input] = []

    def add(self, input_: Input) -> None:
        """This one did."""
        self._known.append(input_)

    def covers(self, input_: Input) -> bool:
        """Whether it is at least as large as one that did, and would run into the bound as well."""
        return any(_at_least(input_, known) for known in self._known)

    def bounds(self, bounds: Bounds) -> Bounds:
        """What the next input gets."""
        return replace(bounds, executions=max(1, bounds.executions // LESS)) if self._known else bounds


def _at_least(input_: Input, known: Input) -> bool:
    """Whether an input has the other one's threads and more, with values that are no smaller."""
    if input_.threads < known.threads or input_.paths is not None or known.paths is not None:
        return False
    if input_.subgroup_size != known.subgroup_size or input_.interpretation != known.interpretation:
        return False
    return all(_no_smaller(mine, its) for mine, its in zip(input_.arguments, known.arguments, strict=True))


def _no_smaller(mine: tuple[Argument, ...] | None, its: tuple[Argument, ...] | None) -> bool:
    """Of one parameter: the largest values against those of the other input."""
    if mine is None or its is None:
        return mine is its
    numbers, others = _numbers(mine), _numbers(its)
    if numbers is None or others is None:
        return mine[: len(its)] == its
    return all(a >= b for a, b in zip(numbers, others, strict=False))


def _numbers(values: tuple[Argument, ...]) -> list[int] | None:
    """Integers, largest first; ``None`` where there is anything else."""
    numbers = [v for v in values if isinstance(v, int)]
    return sorted(numbers, reverse=True) if len(numbers) == len(values) else None
