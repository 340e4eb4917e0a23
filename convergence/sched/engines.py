"""Two engines for one definition (semantics.md, §3): ask either, or both and compare."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, Unpack

from ..ir.cycles import Order
from ..ir.module import Module
from ..semantics.errors import Crash, UsageError
from ..semantics.machine.arguments import launched_function
from ..semantics.machine.launch import LaunchOptions
from .choices.search import Progress, explore
from .choices.synchrony import Synchrony
from .enumeration import Asked, Enumeration

Engine = Literal["operational", "axiomatic", "both"]

_OPERATIONAL_ONLY = ("max_executions", "seed", "prune", "reduce", "progress", "synchrony")


class EnumerateOptions(LaunchOptions, total=False):
    """The launch, and the bounds of an enumeration; told at :func:`enumerate`."""

    max_steps: int
    timeout: float | None
    max_executions: int | None
    max_alignments: int | None
    seed: int | str | None
    prune: bool
    reduce: bool
    progress: Callable[[Progress], None] | None
    synchrony: Synchrony


class Disagreement(Crash):
    """The engines gave different complete answers to one question: a bug in one of them."""

    def __init__(self, operational: Enumeration, axiomatic: Enumeration) -> None:
        super().__init__("the operational and the axiomatic engine disagree")
        self.operational = operational
        self.axiomatic = axiomatic


def enumerate(
    module: Module, *, engine: Engine = "operational", **launch: Unpack[EnumerateOptions]
) -> Enumeration:
    """Every legal alignment and every outcome of a module's launch (semantics.md, §3).

    ``launch`` is what :func:`convergence.run` takes: function, threads, subgroup_size, arguments, inputs,
    paths, uncontrolled, dfs, operations, verified. ``max_steps`` bounds the instructions of each execution
    over all its threads, ``timeout`` the seconds in all. For the operational engine ``max_executions``
    bounds how many executions are looked at; with a ``seed`` that many are drawn at random, 1,000 by
    default; ``synchrony`` orders memory more strongly (docs/synchrony.md), ``progress`` is told how it goes,
    ``prune`` and ``reduce`` switch reductions that change no answer. For the axiomatic one
    ``max_alignments`` bounds how many are looked for. ``complete`` and ``bound`` of the answer say whether
    that is all.

    With ``engine="both"`` the answer is the complete one; where both are complete and differ, raises
    :class:`Disagreement`. Raises UsageError when what is given does not fit the program, NotModelled when a
    global variable's initial value has no model.
    """
    found = _enumerated(module, engine, dict(launch))
    function = launched_function(module, launch.get("function")).name
    return found.shown_for(Asked(module, function, launch.get("dfs", Order.TEXT)))


def _enumerated(module: Module, engine: Engine, launch: dict[str, Any]) -> Enumeration:
    if engine == "operational":
        return explore(module, **launch)
    if launch.get("synchrony"):
        raise UsageError("synchrony is for the operational engine")
    from .constraints.search import enumerate_axiomatic

    axiomatic = enumerate_axiomatic(
        module, **{name: value for name, value in launch.items() if name not in _OPERATIONAL_ONLY}
    )
    if engine == "axiomatic":
        return axiomatic
    return agreed(explore(module, **launch), axiomatic)


def agreed(operational: Enumeration, axiomatic: Enumeration) -> Enumeration:
    """The answer of both engines: named ``both`` where both are complete, which are compared then."""
    if not operational.complete or not axiomatic.complete:
        return axiomatic if axiomatic.complete else operational
    if not operational.same(axiomatic):
        raise Disagreement(operational, axiomatic)
    return replace(operational, engine="both")
