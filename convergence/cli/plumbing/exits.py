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
    """The input cannot be used: one line ``convcheck: FILE: why``, and the exit code that goes with it.

    ``place`` is the file, with line and column where they are known. ``detail`` is more for ``-v``.
    """

    def __init__(self, place: str, why: str, code: Exit = Exit.INPUT, detail: str = "") -> None:
        super().__init__(f"{place}: {why}")
        self.place = place
        self.why = why
        self.code = code
        self.detail = detail
