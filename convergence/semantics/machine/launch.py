"""How the environment starts threads, and which of them form a launch group (semantics.md, §1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict, Unpack

from ...ir.cycles import Order
from ...ir.module import Module
from ...ir.waves import wave_size
from ..clock import Clock, clock_of
from ..convergence.keys import LaunchGroup
from ..errors import UsageError
from ..operations.model import Prepare, Subgroup
from ..values.value import RuntimeValue
from .arguments import Given
from .buffers import Placed
from .program import Uncontrolled


@dataclass(frozen=True, slots=True)
class Launch:
    """How the environment starts threads: ``threads`` of them run ``function``, in launch groups of
    ``subgroup_size`` (``None``: one). ``arguments`` are per thread, ``paths`` the blocks to take.
    ``contents`` are what variables hold at the launch: one value, or one per thread of what each thread has
    for itself. ``buffers`` are the objects that it was given, by the parameter's or variable's name."""

    function: str
    threads: int = 1
    subgroup_size: int | None = None
    arguments: Sequence[Sequence[Any]] = ()
    paths: Sequence[Sequence[str]] | None = None
    contents: Mapping[str, Sequence[RuntimeValue]] = field(default_factory=dict)
    buffers: Mapping[str, Placed] = field(default_factory=dict)


def launch_groups(launch: Launch, wave: int | None) -> dict[LaunchGroup, Subgroup]:
    """D-ENTRY: the environment partitions the threads; the last group may be smaller. Each launch
    group, in order, with the subgroup that models see. Where a ``wave`` has a size, a group is a wave of
    which all lanes run, or as many of the first as is asked for. Raises UsageError if these are too many."""
    size = launch.subgroup_size or wave or max(launch.threads, 1)
    if wave is not None and size > wave:
        raise UsageError(f"a subgroup of {size} threads: a wave has {wave} lanes in @{launch.function}")
    starts = range(0, launch.threads, size)
    groups = [LaunchGroup(n, first, min(size, launch.threads - first)) for n, first in enumerate(starts)]
    room = wave or size
    threads = sum(g.size if g is groups[-1] else room for g in groups)
    return {g: Subgroup(room, g.first, threads, g.number, wave) for g in groups}


@dataclass(frozen=True, slots=True)
class Waves:
    """The waves of a launch whose ``size`` the module says, and how many ``lanes`` of each run."""

    size: int
    lanes: tuple[int, ...]

    @property
    def whole(self) -> bool:
        """Whether all lanes run."""
        return all(lanes == self.size for lanes in self.lanes)


def waves_of(module: Module, launch: Launch) -> Waves | None:
    """The waves of a launch; ``None`` where the module does not say how many lanes one has."""
    wave = wave_size(module, module.functions[launch.function])
    return None if wave is None else Waves(wave, tuple(group.size for group in launch_groups(launch, wave)))


def partial_waves(waves: Waves | None) -> tuple[str, ...]:
    """In words, that not all lanes of the waves run, if so. Where more than one wave is launched and lanes
    are missing in between, the program sees other thread numbers than we show."""
    if waves is None or waves.whole:
        return ()
    first, *rest = waves.lanes
    if not rest:
        return (f"{first} of the {waves.size} lanes of a wave run",)
    if first == waves.size:
        return (f"{rest[-1]} of the {waves.size} lanes of the last wave run",)
    last = "" if rest[-1] == first else f", {rest[-1]} of the last one"
    where = f"the program sees the first thread of the second wave as thread {waves.size}"
    return (f"{first} of the {waves.size} lanes of each wave run{last}: {where}",)


# -- What is asked for: a launch and its bounds, as everything that executes a module takes them

STEPS = 10_000_000
"""``max_steps`` where nobody says otherwise."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How far to look; ``None``: as far as whoever executes does by itself.

    ``max_steps`` bounds the instructions of one execution (the issue slots of a machine), ``timeout`` the
    seconds in all, ``max_executions`` the executions that are looked at, ``max_alignments`` the alignments
    that are looked for, ``max_launches`` the inputs that ``refine`` tries. ``deadline`` is when the seconds
    are over, where they have begun (:meth:`begun`): what a command does one after the other shares them.
    """

    max_steps: int | None = None
    timeout: float | None = None
    max_executions: int | None = None
    max_alignments: int | None = None
    max_launches: int | None = None
    deadline: float | None = None

    def begun(self) -> Limits:
        """The same limits, whose seconds begin now if they have not begun."""
        return replace(self, deadline=self.clock.deadline)

    def by(self, clock: Clock) -> Limits:
        """The same limits, with the seconds of a clock that was begun."""
        return replace(self, timeout=clock.timeout, deadline=clock.deadline)

    @property
    def clock(self) -> Clock:
        """The clock for the seconds, begun now if it was not."""
        return clock_of(self.timeout, self.deadline)

    @property
    def steps(self) -> int:
        """``max_steps``, or :data:`STEPS`."""
        return STEPS if self.max_steps is None else self.max_steps


@dataclass(frozen=True)
class LaunchSpec:
    """A launch as asked for, before a program says what it means; the fields are told at
    :func:`convergence.run`. ``verified``: the caller vouches for the static rules."""

    function: str | None = None
    threads: int | None = None
    subgroup_size: int | None = None
    arguments: Mapping[str, object] = field(default_factory=dict)
    inputs: Mapping[str, Sequence[Sequence[Given]]] = field(default_factory=dict)
    globals: Mapping[str, object] = field(default_factory=dict)
    buffers: Mapping[str, object] = field(default_factory=dict)
    paths: Sequence[Sequence[str]] | None = None
    uncontrolled: Uncontrolled = "maximal"
    dfs: Order = Order.TEXT
    operations: Mapping[str, Prepare] = field(default_factory=dict)
    verified: bool = False
    limits: Limits = Limits()

    def begun(self) -> LaunchSpec:
        """The same launch, whose seconds begin now."""
        return replace(self, limits=self.limits.begun())

    def within(self, **limits: Unpack[LimitOptions]) -> LaunchSpec:
        """The same launch with more limits."""
        return replace(self, limits=replace(self.limits, **limits))


class LimitOptions(TypedDict, total=False):
    """:class:`Limits` as keywords."""

    max_steps: int | None
    timeout: float | None
    max_executions: int | None
    max_alignments: int | None
    max_launches: int | None


class LaunchOptions(TypedDict, total=False):
    """:class:`LaunchSpec` as keywords, as the front door takes them."""

    function: str | None
    threads: int | None
    subgroup_size: int | None
    arguments: Mapping[str, object] | None
    inputs: Mapping[str, Sequence[Sequence[Given]]] | None
    globals: Mapping[str, object] | None
    buffers: Mapping[str, object] | None
    paths: Sequence[Sequence[str]] | None
    uncontrolled: Uncontrolled
    dfs: Order
    operations: Mapping[str, Prepare] | None
    verified: bool
    max_steps: int | None
    timeout: float | None


def launch_spec(**options: Unpack[LaunchOptions]) -> LaunchSpec:
    """A launch from the front door's keywords; ``None`` is what is not given. Raises TypeError for a keyword
    that there is not."""
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    limits = Limits(given.pop("max_steps", None), given.pop("timeout", None))
    return LaunchSpec(**given, limits=limits)
