"""Threads and groups in few words: ``threads 0-3``, ``0-1 #2, 3 #1``, results by thread."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from ..verify.json import Json

SHOWN = 16  # results that one group shows in text; the machine-readable forms have all


def ranges(numbers: Iterable[int]) -> str:
    """Numbers in order, runs of them shortened.

    >>> ranges([0, 1, 2, 3, 5, 7, 8])
    '0-3, 5, 7, 8'
    """
    said: list[str] = []
    for _, run in groupby(enumerate(sorted(numbers)), key=lambda pair: pair[1] - pair[0]):
        values = [number for _, number in run]
        said += [f"{values[0]}-{values[-1]}"] if len(values) > 2 else [str(v) for v in values]
    return ", ".join(said)


def threads(numbers: Sequence[int]) -> str:
    """``thread 3`` or ``threads 0-2``."""
    return f"thread{'' if len(numbers) == 1 else 's'} {ranges(numbers)}"


def members(instances: Iterable[tuple[int, int]]) -> str:
    """(thread, nth) pairs, by nth where threads share it.

    >>> members([(0, 2), (1, 1), (2, 1)])
    'thread 0 #2, threads 1, 2 #1'
    """
    by_nth: dict[int, list[int]] = {}
    for thread, nth in sorted(instances):
        by_nth.setdefault(nth, []).append(thread)
    ordered = sorted(by_nth.items(), key=lambda item: item[1][0])
    return ", ".join(f"{threads(who)} #{nth}" for nth, who in ordered)


def value(plain: Json) -> str:
    """A plain value as people read it: a word without quotes, anything else as JSON."""
    return plain if isinstance(plain, str) else json.dumps(plain)


def results(by_thread: Mapping[int, Json]) -> str:
    """One value if all threads got the same one, else each thread's: ``0: 3, 1: 4``."""
    said = {thread: value(plain) for thread, plain in sorted(by_thread.items())}
    if len(set(said.values())) == 1:
        return next(iter(said.values()))
    shown = [f"{thread}: {word}" for thread, word in list(said.items())[:SHOWN]]
    if len(said) > SHOWN:
        shown.append(f"... ({len(said) - SHOWN} more in --format json)")
    return ", ".join(shown)
