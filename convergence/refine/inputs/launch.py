"""One input of a comparison: threads, launch partition, arguments, and an interpretation."""

from __future__ import annotations

from dataclasses import dataclass

from ..sides.interpretation import SPREAD, Interpretation

Argument = int | float | str | tuple["Argument", ...]
"""A number; ``"@g"``, ``"null"``, ``"poison"``; a tuple for a vector, array or struct."""


@dataclass(frozen=True, slots=True)
class Input:
    """``arguments`` are, per parameter that has values, one value per thread, by the parameter's place.

    ``subgroup_size``: ``None`` for one launch group. ``paths``: the blocks to take, by thread.
    """

    threads: int
    subgroup_size: int | None
    arguments: tuple[tuple[Argument, ...] | None, ...]
    interpretation: Interpretation = SPREAD
    paths: tuple[tuple[str, ...], ...] | None = None
