"""How the environment starts threads, and which of them form a launch group (semantics.md, §1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .exchanges import Subgroup
from .keys import LaunchGroup


@dataclass(frozen=True, slots=True)
class Launch:
    """How the environment starts threads: ``threads`` of them run ``function``, in launch groups of
    ``subgroup_size`` (``None``: one). ``arguments`` are per thread, ``paths`` the blocks to take."""

    function: str
    threads: int = 1
    subgroup_size: int | None = None
    arguments: Sequence[Sequence[Any]] = ()
    paths: Sequence[Sequence[str]] | None = None


def launch_groups(launch: Launch) -> dict[LaunchGroup, Subgroup]:
    """D-ENTRY: the environment partitions the threads; the last group may be smaller. Each launch
    group, in order, with the subgroup that models see."""
    size = launch.subgroup_size or max(launch.threads, 1)
    starts = range(0, launch.threads, size)
    groups = [LaunchGroup(n, first, min(size, launch.threads - first)) for n, first in enumerate(starts)]
    return {g: Subgroup(size, g.first, launch.threads, g.number) for g in groups}
