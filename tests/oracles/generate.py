"""Random functions for the static rules, seeded and fast (``strategies`` has them drawn by hypothesis).

Three shapes in turn: *structured* ones, which obey the rules; the same with one to three *mutations*; and
*arbitrary* ones on any CFG.
"""

from __future__ import annotations

from random import Random

from .arbitrary import arbitrary
from .finish import finish
from .model import Function
from .mutations import MUTATIONS
from .structured import structured


def random_function(random: Random) -> Function:
    """One random function that LLVM parses."""
    shape = random.random()
    if shape < 0.25:
        return structured(random)
    if shape < 0.7:
        function = structured(random)
        for _ in range(random.choice((1, 1, 1, 1, 2, 3))):
            random.choice(MUTATIONS)(function, random)
        return finish(function)
    return arbitrary(random)


def random_functions(seed: int, count: int) -> list[Function]:
    """``count`` functions from one seed."""
    random = Random(seed)
    return [random_function(random) for _ in range(count)]
