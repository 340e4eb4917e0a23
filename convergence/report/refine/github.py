"""A refinement as GitHub workflow commands: what is wrong, at the operation whose group differs."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.module import Module
from ...refine.verdict.result import OperationPlace, Refinement, Side
from ...source import NOWHERE, Span
from ..parts.github import diagnostic_command, workflow_command
from . import mismatches
from .answer import bound


def commands(
    compared: Sequence[tuple[Refinement, Module, Module]], source_name: str, target_name: str
) -> str:
    """``convcheck refine --format github``: an error per function that is wrong and per rule that the target
    breaks, a warning per unknown verdict, nothing for what holds. The names are the files as written."""
    lines = []
    for refinement, source, target in compared:
        match refinement.verdict:
            case "wrong":
                lines.append(_wrong(refinement, source, target, source_name, target_name))
            case "invalid-output":
                lines += [
                    diagnostic_command(target_name, target.source, comparison)
                    for comparison in refinement.diagnostics
                ]
            case "unknown":
                message = bound(refinement) or refinement.established
                lines.append(
                    workflow_command("warning", target_name, None, NOWHERE, "refine: unknown", message)
                )
            case "equal" | "refines":
                pass
    return "".join(lines)


def _wrong(refinement: Refinement, source: Module, target: Module, source_name: str, target_name: str) -> str:
    example = refinement.counterexample
    message = "the target does what the source cannot"
    if refinement.blame is not None:
        message += f"; the first pass to blame is {refinement.blame}"
    if example is None:
        return workflow_command("error", target_name, target.source, NOWHERE, "refine: wrong", message)
    message += f": {mismatches.words(example.difference)}"
    if example.departure is not None and (why := mismatches.mismatch_reason(example.departure)):
        message += f" ({why})"
    before, after = example.places
    for name, module, side, place in (
        (target_name, target, example.target, after),
        (source_name, source, example.source, before),
    ):
        if (span := _departs(place, module, side)) is not NOWHERE:
            return workflow_command("error", name, module.source, span, "refine: wrong", message)
    return workflow_command("error", target_name, target.source, NOWHERE, "refine: wrong", message)


def _departs(place: OperationPlace | None, module: Module, side: Side) -> Span:
    """Where the operation whose group differs stands in a side's text; NOWHERE if it is not there."""
    if place is not None:
        for group in side.groups:
            if group.operation == place.operation:
                return side.of(module).functions[group.site.function].instructions[group.site.index].span
    return NOWHERE
