"""``convcheck refine --format json``: the verdict, and the counterexample with the objects A and O."""

from __future__ import annotations

from ...frozen import Json
from ...refine.verdict.result import Counterexample, GroupDeparture, OperationPlace, Refinement, Side
from ...semantics.errors import ENDING_NAMES
from ...semantics.machine.launch import waves_of
from ...semantics.operations.model import Extent
from ..parts import endings
from ..parts.endings import details, reason
from ..run.json import alignment, outcome, waves
from ..verify.json import SCHEMA, diagnostic_data
from . import mismatches
from .answer import DumpedStep, FunctionComparison, Judged, Pipeline, RefineAnswer, bound, notes, rows


def answer(answer: RefineAnswer) -> dict[str, Json]:
    """The whole answer: the keys of the function with the worst verdict, then all functions."""
    worst = _comparison(answer, answer.worst)
    return {
        "schema": SCHEMA,
        "command": "refine",
        **worst,
        "notes": [*notes(answer.worst.refinement), *answer.notes],
        "source": answer.source,
        "target": answer.target,
        "pipeline": None if answer.pipeline is None else _pipeline(answer.pipeline),
        "functions": [_comparison(answer, comparison) for comparison in answer.compared],
    }


def _comparison(answer: RefineAnswer, comparison: FunctionComparison) -> dict[str, Json]:
    refinement = comparison.refinement
    example = refinement.counterexample
    return {
        "verdict": refinement.verdict,
        "pass": refinement.blame,
        "models": dict(refinement.models.items()),
        "behaviour": refinement.behaviour,
        "counterexample": None if example is None else _counterexample_data(answer, comparison, example),
        "function": f"@{comparison.function}",
        "target_function": f"@{comparison.target_function}",
        "established": refinement.established,
        "bound": bound(refinement),
        "unobserved": refinement.unobserved,
        "launches": refinement.launches,
        "engine": endings.engine_data(refinement.engine),
        "notes": list(notes(refinement)),
        "diagnostics": _diagnostics(comparison, refinement),
        "bisect": None if comparison.walk is None else [_judged(judged) for judged in comparison.walk],
        "after": None if comparison.step is None else _step(comparison.step),
    }


def _diagnostics(comparison: FunctionComparison, refinement: Refinement) -> list[Json]:
    return [diagnostic_data(comparison.target.source, violation) for violation in refinement.diagnostics]


def _step(step: DumpedStep) -> dict[str, Json]:
    return {"number": step.number, "pass": step.name, "on": step.on, "unseen": list(step.unseen)}


def _judged(judged: Judged) -> dict[str, Json]:
    return {
        "number": judged.number,
        "of": judged.of,
        "pass": judged.name,
        "on": judged.on,
        "verdict": judged.verdict,
    }


def _pipeline(pipeline: Pipeline) -> dict[str, Json]:
    return {"passes": pipeline.passes, "by": pipeline.by, "notes": list(pipeline.notes)}


def _counterexample_data(
    answer: RefineAnswer, comparison: FunctionComparison, example: Counterexample
) -> dict[str, Json]:
    return {
        "threads": example.threads,
        "arguments": {f"%{name}": _list(values) for name, values in example.arguments.items()},
        "source": _side(answer, comparison, example, example.source),
        "target": _side(answer, comparison, example, example.target),
        "function": f"@{example.function}",
        "subgroup_size": example.subgroup_size,
        "partial": example.partial,
        "callees_write": example.writes,
        "grid": list(example.launch.grid),
        "workgroup": list(example.launch.workgroup or Extent(example.threads)),
        "wave": waves(waves_of(comparison.source, example.launch)),
        "globals": {f"@{name}": _list(values) for name, values in example.globals.items()},
        "buffers": {
            key: {"type": element, "values": list(numbers)}
            for key, (element, numbers) in example.buffers.items()
        },
        "shared": dict(example.shared),
        "inputs": {
            "@" + name.removeprefix("@"): [_list(stream) for stream in streams]
            for name, streams in example.inputs.items()
        },
        "paths": None if example.paths is None else [list(blocks) for blocks in example.paths],
        "difference": mismatches.words(example.difference),
        "departure": None if example.departure is None else _departure(example.departure),
    }


def _departure(departure: GroupDeparture) -> dict[str, Json]:
    return {
        "operation": departure.place.operation,
        "thread": departure.thread,
        "nth": departure.place.nth,
        "source_group": _group_data(departure.source),
        "target_group": _group_data(departure.target),
        "why": mismatches.mismatch_reason(departure),
        "callee": departure.callee,
        "number": departure.number,
        "source": _place_data(departure.source),
        "target": _place_data(departure.target),
    }


def _place_data(place: OperationPlace | None) -> Json:
    if place is None:
        return None
    return {"operation": place.operation, "nth": place.nth, "group": _group_data(place)}


def _group_data(place: OperationPlace | None) -> Json:
    return None if place is None or place.group is None else list(place.group)


def _side(
    answer: RefineAnswer, comparison: FunctionComparison, example: Counterexample, side: Side
) -> dict[str, Json]:
    module = side.of(comparison.source if side is example.source else comparison.target)
    return {
        "alignment": alignment(side, rows(answer, comparison, side, example)),
        "outcome": outcome(side.outcome),
        "ending": ENDING_NAMES[type(side.ending)],
        "reason": reason(side.ending),
        "details": list(details(side.ending, module)),
    }


def _list(values: object) -> list[Json]:
    assert isinstance(values, (list, tuple))
    return [_list(value) if isinstance(value, (list, tuple)) else value for value in values]
