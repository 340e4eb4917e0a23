"""What a program is drawn from, what it may contain, and a drawn program with its launch.

Every decision is one draw from a :class:`Source`, and 0 is always the simplest answer: so a list
of numbers is a program, ``random.Random`` and hypothesis can both draw it, and both shrink well.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Protocol

from .programs import Program


class Source(Protocol):
    def below(self, bound: int) -> int:
        """A number in ``range(bound)``; 0 is the simplest."""


@dataclass
class RandomSource:
    """Draws from a seed, and keeps what it drew."""

    rng: random.Random
    drawn: list[int] = field(default_factory=list)

    def below(self, bound: int) -> int:
        self.drawn.append(self.rng.randrange(bound))
        return self.drawn[-1]


@dataclass
class ReplaySource:
    """Draws from a list, 0 when it is used up; numbers out of range count as the largest."""

    numbers: list[int]
    at: int = 0

    def below(self, bound: int) -> int:
        self.at += 1
        return min(self.numbers[self.at - 1], bound - 1) if self.at <= len(self.numbers) else 0


@dataclass(frozen=True)
class Shape:
    """What programs may contain."""

    controlled: bool = True
    anchors: bool = False
    helpers: int = 2  # how many helper functions at most
    calls: int = 4  # how often to call them; 1 is rarely
    mixed: bool = False  # helpers of the other kind, and calls across
    unstructured: bool = False  # an arbitrary CFG; uncontrolled only
    statements: int = 9  # a budget for the launched function
    depth: int = 3  # of loops
    threads: int = 4
    most: int = 3  # the largest argument


@dataclass(frozen=True)
class Case:
    """A program and its launch: ``arguments[thread]`` are the launched function's, in order."""

    program: Program
    arguments: tuple[tuple[int, ...], ...]

    @property
    def threads(self) -> int:
        return len(self.arguments)

    def __repr__(self) -> str:
        return f"\n; arguments by thread: {self.arguments}\n{self.program}"
