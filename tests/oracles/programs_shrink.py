"""A smaller program that fails in the same way: fewer and smaller draws.

A program is the list of the numbers drawn for it, and 0 is the simplest answer to every question; so
deleting and lowering numbers makes simpler programs, as hypothesis does it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from .programs_draw import Case, RandomSource, ReplaySource, Shape
from .programs_generate import generate


def _simpler(numbers: list[int]) -> Iterator[list[int]]:
    for size in (16, 8, 4, 2, 1):
        for at in range(len(numbers) - size, -1, -1):
            yield numbers[:at] + numbers[at + size :]
    for at, number in enumerate(numbers):
        for lower in {0, number // 2, number - 1} - {-1, number}:
            yield [*numbers[:at], lower, *numbers[at + 1 :]]


def shrink(
    seed: int,
    shape: Shape,
    fails: Callable[[Case], bool],
    finish: Callable[[RandomSource | ReplaySource, Shape], Case] = generate,
    tries: int = 2_000,
) -> Case:
    """The simplest failing case found from the one of ``seed``, which must fail, within ``tries``."""
    source = RandomSource(random.Random(seed))
    best = finish(source, shape)
    assert fails(best)
    numbers, improved = source.drawn, True
    while improved and tries:
        improved = False
        for candidate in _simpler(numbers):
            if not tries:
                break
            tries -= 1
            case = finish(ReplaySource(candidate), shape)
            if case != best and fails(case):
                numbers, best, improved = candidate, case, True
                break
    return best
