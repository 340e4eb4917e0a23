"""How the environment starts threads, and which of them form a launch group (semantics.md, §1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from ...ir.cycles import Order
from ..convergence.keys import LaunchGroup
from ..convergence.rules import Uncontrolled
from ..operations.model import Prepare, Subgroup
from .arguments import Given


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


# -- What a launch is given, as keywords: the same for everything that executes a module


class LaunchOptions(TypedDict, total=False):
    """The keywords of :func:`convergence.run` that say what is launched, and how; told there."""

    function: str | None
    threads: int | None
    subgroup_size: int | None
    arguments: Mapping[str, object] | None
    inputs: Mapping[str, Sequence[Sequence[Given]]] | None
    paths: Sequence[Sequence[str]] | None
    uncontrolled: Uncontrolled
    dfs: Order
    operations: Mapping[str, Prepare] | None
    verified: bool
