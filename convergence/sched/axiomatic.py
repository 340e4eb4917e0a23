"""The axiomatic engine: every legal execution as a model of the D-rules, found by z3."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..ir.cycles import Order
from ..ir.module import Module
from ..semantics.convergence import Uncontrolled
from ..semantics.exchanges import Prepare
from ..semantics.given import Given
from ..semantics.start import prepare_run
from .enumeration import Enumeration
from .solve import Search
from .world import World


def enumerate_axiomatic(
    module: Module, *, report: Callable[[int], None] | None = None, **launch: Any
) -> Enumeration:
    """Every alignment and outcome of a launch; ``launch`` is as for :func:`search`. ``report`` is told how
    many alignments were found, as they are."""
    return search(module, **launch).run(report)


def search(
    module: Module,
    *,
    function: str | None = None,
    threads: int | None = None,
    subgroup_size: int | None = None,
    arguments: Mapping[str, object] | None = None,
    inputs: Mapping[str, Sequence[Sequence[Given]]] | None = None,
    paths: Sequence[Sequence[str]] | None = None,
    uncontrolled: Uncontrolled = "maximal",
    dfs: Order = Order.TEXT,
    max_steps: int = 100_000,
    timeout: float | None = None,
    max_alignments: int | None = None,
    operations: Mapping[str, Prepare] | None = None,
    verified: bool = False,
) -> Search:
    """The search for all legal executions of a launch, with the parameters of :func:`semantics.run.run`.

    ``max_steps`` bounds the instructions of each thread's trace, ``timeout`` seconds over all,
    ``max_alignments`` the answer.

    Raises UsageError when what is given does not fit the program, NotModelled when a global
    variable's initial value has no model.
    """
    program, launch = prepare_run(
        module, function, threads, subgroup_size, arguments or {}, inputs or {}, paths, uncontrolled, dfs,
        operations or {}, verified,
    )  # fmt: skip
    return Search(World(program, launch), max_steps, timeout, max_alignments)
