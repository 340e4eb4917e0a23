"""Exit codes, and the ways in which a command ends before it has an answer."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class Exit(IntEnum):
    """What the process's exit code says. Never the program's own value."""

    HOLDS = 0
    FAILS = 1
    INPUT = 2
    UNKNOWN = 3
    OUR_BUG = 4


_WORST_FIRST = (Exit.OUR_BUG, Exit.INPUT, Exit.FAILS, Exit.UNKNOWN, Exit.HOLDS)


def worst(codes: Iterable[Exit]) -> Exit:
    """The code for several files: 4 > 2 > 1 > 3 > 0.

    >>> worst([Exit.UNKNOWN, Exit.FAILS, Exit.HOLDS])
    <Exit.FAILS: 1>
    """
    return min(codes, key=_WORST_FIRST.index, default=Exit.HOLDS)


class InputError(Exception):
    """The input cannot be used: exit code 2, one line ``convcheck: FILE: why``."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name}: {why}")
        self.name = name
        self.why = why
