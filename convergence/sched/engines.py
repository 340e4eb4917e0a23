"""Two engines for one definition (semantics.md, §3): ask either, or both and compare."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, Unpack, get_args

from ..ir.module import Module, needs_module
from ..packages import required
from ..semantics import Crash, UsageError
from ..semantics.machine.launch import LaunchOptions, launch_spec, launched_function, whole_number
from .choices.search import SearchProgress, explore
from .choices.synchrony import Synchrony, level_named
from .enumeration import Enumeration, EnumerationQuestion

Engine = Literal["operational", "axiomatic", "both"]


class Disagreement(Crash):
    """The engines gave different complete answers to one question: a bug in one of them."""

    def __init__(self, operational: Enumeration, axiomatic: Enumeration) -> None:
        super().__init__("the operational and the axiomatic engine disagree")
        self.operational = operational
        self.axiomatic = axiomatic


def enumerate(
    module: Module,
    *,
    engine: Engine = "operational",
    max_executions: int | None = None,
    max_alignments: int | None = None,
    seed: int | str | None = None,
    prune: bool = True,
    reduce: bool = True,
    quick: bool = True,
    progress: Callable[[SearchProgress], None] | None = None,
    synchrony: Synchrony | str = Synchrony.NONE,
    **launch: Unpack[LaunchOptions],
) -> Enumeration:
    """Every legal alignment and every outcome of a module's launch (semantics.md, §3).

    ``launch`` is what :func:`convergence.run` takes: function, threads, subgroup_size, arguments, inputs,
    paths, uncontrolled, dfs, operations, verified. ``max_steps`` bounds the instructions of each execution
    over all its threads, ``timeout`` the seconds in all. For the operational engine ``max_executions``
    bounds how many executions are looked at; with a ``seed`` that many are drawn at random, 1,000 by
    default; ``synchrony`` orders memory more strongly (docs/synchrony.md), ``progress`` is told how it goes,
    ``prune``, ``reduce`` and ``quick`` switch reductions that change no answer. For the axiomatic one
    ``max_alignments`` bounds how many are looked for. ``complete`` and ``bound`` of the answer say whether
    that is all.

    With ``engine="both"`` the answer is the complete one; where both are complete and differ, raises
    :class:`Disagreement`. Raises UsageError when what is given does not fit the program, NotModelled when a
    global variable's initial value has no model.
    """
    needs_module(module, "enumerate")
    if engine not in get_args(Engine):
        raise UsageError(f"engine is one of {', '.join(map(repr, get_args(Engine)))}, and not {engine!r}")
    if seed is not None and not isinstance(seed, str):
        seed = whole_number("seed", seed)
    spec = launch_spec(**launch).within(max_executions=max_executions, max_alignments=max_alignments)

    level = level_named(synchrony)

    def operational() -> Enumeration:
        return explore(
            module,
            spec,
            seed=seed,
            prune=prune,
            reduce=reduce,
            quick=quick,
            progress=progress,
            synchrony=level,
        )

    if engine == "operational":
        enumeration = operational()
    else:
        if level is not Synchrony.NONE:
            raise UsageError("synchrony is for the operational engine")
        required("z3", "the axiomatic engine")
        from .constraints.search import enumerate_axiomatic

        enumeration = enumerate_axiomatic(module, spec)
        if engine == "both":
            enumeration = agreed(operational(), enumeration)
    return enumeration.shown_for(
        EnumerationQuestion(module, launched_function(module, spec.function).name, spec.dfs, spec)
    )


def agreed(operational: Enumeration, axiomatic: Enumeration) -> Enumeration:
    """The answer of both engines: named ``both`` where both are complete, which are compared then."""
    if not operational.complete or not axiomatic.complete:
        return axiomatic if axiomatic.complete else operational
    if not operational.same(axiomatic):
        raise Disagreement(operational, axiomatic)
    return replace(operational, engine="both")
