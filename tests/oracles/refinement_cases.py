"""Pairs of programs, one made from the other, with launches."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from .programs import Program, check_with_llvm
from .refinement_source import Routines, lower, random_routines
from .refinement_transforms import transformed

Launch = tuple[tuple[int, int], ...]
"""Per thread the arguments."""


class Pair(NamedTuple):
    """``transform``: what was done, ``back`` in front of it if the two were exchanged then."""

    transform: str
    source: Program
    target: Program
    launches: tuple[Launch, ...]

    def __repr__(self) -> str:
        return f"\n; {self.transform}, launches {self.launches}\n{self.source}\n; becomes\n{self.target}"


def _program(routines: Routines) -> Program | None:
    """``None`` if a token or value is read where it is not defined, or LLVM's verifier says no."""
    try:
        program = lower(routines)
        check_with_llvm(program)
    except (KeyError, IndexError, RuntimeError):
        return None
    return program


def random_pair(seed: int, launches: int = 3) -> Pair | None:
    """The pair of a seed, if there is one."""
    rng = random.Random(seed)
    routines = random_routines(rng)
    changed = transformed(rng, routines)
    if changed is not None and rng.random() < 0.2:
        changed = transformed(rng, changed[1]) or changed
    if changed is None:
        return None
    name, result = changed
    source, target = _program(routines), _program(result)
    if source is None or target is None or source == target:
        return None
    if rng.random() < 0.3:
        name, source, target = f"back {name}", target, source
    threads = 3 if rng.random() < 0.15 else 2
    drawn = tuple(
        tuple((rng.randrange(3), rng.randrange(4)) for _ in range(threads)) for _ in range(launches)
    )
    return Pair(name, source, target, drawn)


def random_pairs(first: int, count: int) -> Iterator[Pair]:
    """``count`` pairs, from seed ``first`` on."""
    seed = first
    while count:
        pair = random_pair(seed)
        seed += 1
        if pair is not None:
            count -= 1
            yield pair
