"""``refine --passes``: LLVM makes the target, and ``--bisect`` walks through what it did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .exits import Exit, InputError
from .load import Loaded, reading

if TYPE_CHECKING:
    from ..ir.module import Module
    from ..passes import PassFailed, PassRun
    from ..refine.result import Refinement, Verdict
    from ..report.refined import Judged, Pipeline

PATIENCE = 60.0
"""Seconds that LLVM is given for a pipeline, unless ``--timeout`` says more."""


@dataclass(frozen=True, slots=True)
class Made:
    """The target that a pipeline made: ``name`` says so where a file's name would stand."""

    module: Module
    name: str
    pipeline: Pipeline


def made(loaded: Loaded, options: dict[str, Any]) -> Made:
    """The source after ``--passes``.

    :raises InputError: if LLVM refuses the pipeline or breaks down, nothing here offers it, or what comes
        of it is no LLVM IR
    """
    from ..parser import parse
    from ..passes import PassFailed, optimised
    from ..report.refined import Pipeline

    passes: str = options["passes"]
    try:
        found = optimised(loaded.module.source.text, passes, **_how(options))
    except PassFailed as error:
        raise _failure(loaded, error) from None
    name = f"{loaded.name} after {passes}"
    with reading(name):
        module = parse(found.text, name)
        if not found.text.strip():
            raise InputError(name, f"{found.by} gave nothing")
    return Made(module, name, Pipeline(passes, found.by, found.notes))


def _how(options: dict[str, Any]) -> dict[str, Any]:
    patience = max(PATIENCE, options["timeout"] or 0)
    return {"opt": options["opt"], "opt_args": options["opt_args"], "timeout": patience}


def _failure(loaded: Loaded, error: PassFailed) -> InputError:
    """A pipeline that nobody runs is a usage error; an LLVM that breaks down leaves the answer unknown."""
    code = Exit.INPUT if error.kind in ("refused", "unavailable") else Exit.UNKNOWN
    return InputError(loaded.name, error.reason, code, error.detail)


@dataclass(slots=True)
class History:
    """Every pass that the pipeline ran, asked for once; the modules after them, parsed when they are asked
    for."""

    loaded: Loaded
    runs: tuple[PassRun, ...]
    _modules: dict[str, Module] = field(default_factory=dict)

    def module(self, run: PassRun) -> Module:
        """The module after a pass."""
        if run.text not in self._modules:
            from ..parser import parse

            self._modules[run.text] = parse(run.text, f"{self.loaded.name} after {run.name}")
        return self._modules[run.text]


def history(loaded: Loaded, options: dict[str, Any]) -> History:
    """:raises InputError: if LLVM breaks down"""
    from ..passes import PassFailed, passes_run

    try:
        runs = passes_run(loaded.module.source.text, options["passes"], **_how(options))
    except PassFailed as error:
        raise _failure(loaded, error) from None
    return History(loaded, runs)


def bisect(
    passed: History, judge: Callable[[Module], Refinement]
) -> tuple[tuple[Judged, ...], str | None, tuple[str, ...]]:
    """The passes that changed something up to the first whose output is wrong, that pass, and notes.

    Each output is compared with the *original* source, one pass after the other: a later pass may hide what
    an earlier one broke, so that halving the list could miss it. Passes that changed nothing are skipped, and
    an output that was seen before is not compared again.
    """
    from ..report.refined import Judged

    walk: list[Judged] = []
    seen: dict[str, Verdict] = {}
    for run in passed.runs:
        if not run.changed:
            continue
        if run.text not in seen:
            seen[run.text] = judge(passed.module(run)).verdict
        judged = Judged(run.number, len(passed.runs), run.name, run.on, seen[run.text])
        walk.append(judged)
        if judged.verdict in ("wrong", "invalid-output"):
            return tuple(walk), judged.name, ()
    unknown = sum(judged.verdict == "unknown" for judged in walk)
    notes = (f"after {unknown} of {len(walk)} passes the verdict is unknown",) if unknown else ()
    return tuple(walk), None, notes
