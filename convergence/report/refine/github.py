"""A refinement as GitHub workflow commands: what is wrong, at the operation whose group differs."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.module import Module
from ...refine.verdict.result import OperationPlace, Refinement, Side
from ...source import NOWHERE, Span
from ..verify.github import command, diagnostic
from . import mismatches
from .answer import bound


def commands(
    compared: Sequence[tuple[Refinement, Module, Module]], source_name: str, target_name: str
) -> str:
    """``convcheck refine --format github``: an error per function that is wrong and per rule that the target
    breaks, a warning per unknown verdict, nothing for what holds. The names are the files as written."""
    said = []
    for found, source, target in compared:
        match found.verdict:
            case "wrong":
                said.append(_wrong(found, source, target, source_name, target_name))
            case "invalid-output":
                said += [diagnostic(target_name, target.source, one) for one in found.diagnostics]
            case "unknown":
                message = bound(found) or found.established
                said.append(command("warning", target_name, None, NOWHERE, "refine: unknown", message))
            case "equal" | "refines":
                pass
    return "".join(said)


def _wrong(found: Refinement, source: Module, target: Module, source_name: str, target_name: str) -> str:
    example = found.counterexample
    message = "the target does what the source cannot"
    if found.blame is not None:
        message += f"; the first pass to blame is {found.blame}"
    if example is None:
        return command("error", target_name, target.source, NOWHERE, "refine: wrong", message)
    message += f": {mismatches.words(example.difference)}"
    if example.departure is not None and (why := mismatches.why(example.departure)):
        message += f" ({why})"
    before, after = example.places
    for name, module, side, place in (
        (target_name, target, example.target, after),
        (source_name, source, example.source, before),
    ):
        if (span := _departs(place, module, side)) is not NOWHERE:
            return command("error", name, module.source, span, "refine: wrong", message)
    return command("error", target_name, target.source, NOWHERE, "refine: wrong", message)


def _departs(place: OperationPlace | None, module: Module, side: Side) -> Span:
    """Where the operation whose group differs stands in a side's text; NOWHERE if it is not there."""
    if place is not None:
        for group in side.groups:
            if group.operation == place.operation:
                return side.of(module).functions[group.site.function].instructions[group.site.index].span
    return NOWHERE
