"""Dynamic instances, their converged-with relation, and what one execution left behind.

Terms as in LLVM's *Convergence And Uniformity* (*Dynamic Instances*, *Convergence*).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


class StaticInstance(NamedTuple):
    """One instruction in the text: its function's name and its index in ``Function.instructions``."""

    function: str
    index: int  # type: ignore[assignment]  # tuple.index is not used on it


class DynamicInstance(NamedTuple):
    """A thread's ``nth`` execution (from 1, over the whole run) of a static instance."""

    thread: int
    site: StaticInstance
    nth: int


class BlockVisit(NamedTuple):
    """One pass of a thread through a block.

    ``frame`` is unique per activation within the thread, 0 for the launched function; ``caller``
    is the frame that called it (``None`` at the launch). ``operations`` are the convergent
    operations and control intrinsics that it executed in the block, in order; when the block
    calls, visits of the callee come after this one in the thread's list. ``call`` is the call
    site in the caller that made the frame, ``None`` at the launch.
    """

    frame: int
    caller: int | None
    function: str
    block: str
    operations: tuple[DynamicInstance, ...]
    call: StaticInstance | None = None


Group = frozenset[DynamicInstance]


@dataclass(frozen=True, slots=True)
class ConvergedWith:
    """The relation as its classes, singletons included; canonical, so that equality is equality."""

    classes: frozenset[Group]

    def class_of(self) -> Mapping[DynamicInstance, Group]:
        """Each dynamic instance's class."""
        return {member: group for group in self.classes for member in group}


@dataclass(frozen=True, slots=True)
class Execution:
    """One execution: per thread its trace of block visits, and the relation over all of them.

    ``launch_groups`` gives each thread's launch group by number; empty when there is one for all.
    """

    visits: tuple[tuple[BlockVisit, ...], ...]
    converged: ConvergedWith
    launch_groups: tuple[int, ...] = ()
