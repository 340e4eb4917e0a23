"""``convcheck refine --format json``: the verdict, and the counterexample with the objects A and O."""

from __future__ import annotations

from ...refine.verdict.result import Counterexample, GroupDeparture, OperationPlace, Refinement, Side
from ...semantics.errors import ENDING_NAMES
from ...semantics.machine.launch import waves_of
from ...semantics.operations.extent import Extent
from ..parts.endings import details, reason
from ..run.json import alignment, outcome, waves
from ..verify.json import SCHEMA, Json, diagnostic
from . import mismatches
from .answer import DumpedStep, FunctionComparison, Judged, Pipeline, RefineAnswer, bound, notes, rows


def answer(found: RefineAnswer) -> dict[str, Json]:
    """The whole answer: the keys of the function with the worst verdict, then all functions."""
    worst = _one(found, found.worst)
    return {
        "schema": SCHEMA,
        "command": "refine",
        **worst,
        "notes": [*notes(found.worst.found), *found.notes],
        "source": found.source,
        "target": found.target,
        "pipeline": None if found.pipeline is None else _pipeline(found.pipeline),
        "functions": [_one(found, one) for one in found.compared],
    }


def _one(found: RefineAnswer, one: FunctionComparison) -> dict[str, Json]:
    refinement = one.found
    example = refinement.counterexample
    return {
        "verdict": refinement.verdict,
        "pass": refinement.blame,
        "models": dict(refinement.models.items()),
        "behaviour": refinement.behaviour,
        "counterexample": None if example is None else _counterexample(found, one, example),
        "function": f"@{one.function}",
        "target_function": f"@{one.target_function}",
        "established": refinement.established,
        "bound": bound(refinement),
        "unobserved": refinement.unobserved,
        "launches": refinement.launches,
        "notes": list(notes(refinement)),
        "diagnostics": _diagnostics(one, refinement),
        "bisect": None if one.walk is None else [_judged(judged) for judged in one.walk],
        "after": None if one.step is None else _step(one.step),
    }


def _diagnostics(one: FunctionComparison, refinement: Refinement) -> list[Json]:
    return [diagnostic(one.target.source, found) for found in refinement.diagnostics]


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


def _counterexample(found: RefineAnswer, one: FunctionComparison, example: Counterexample) -> dict[str, Json]:
    return {
        "threads": example.threads,
        "arguments": {f"%{name}": _list(values) for name, values in example.arguments.items()},
        "source": _side(found, one, example, example.source),
        "target": _side(found, one, example, example.target),
        "function": f"@{example.function}",
        "subgroup_size": example.subgroup_size,
        "grid": list(example.launch.grid),
        "workgroup": list(example.launch.workgroup or Extent(example.threads)),
        "wave": waves(waves_of(one.source, example.launch)),
        "globals": {f"@{name}": _list(values) for name, values in example.globals.items()},
        "buffers": {
            key: {"type": element, "values": list(numbers)}
            for key, (element, numbers) in example.buffers.items()
        },
        "inputs": {
            "@" + name.removeprefix("@"): [_list(stream) for stream in streams]
            for name, streams in example.inputs.items()
        },
        "paths": None if example.paths is None else [list(blocks) for blocks in example.paths],
        "difference": mismatches.words(example.difference),
        "departure": None if example.departure is None else _departure(example.departure),
    }


def _departure(found: GroupDeparture) -> dict[str, Json]:
    return {
        "operation": found.place.operation,
        "thread": found.thread,
        "nth": found.place.nth,
        "source_group": _group(found.source),
        "target_group": _group(found.target),
        "why": mismatches.why(found),
        "callee": found.callee,
        "number": found.number,
        "source": _place(found.source),
        "target": _place(found.target),
    }


def _place(place: OperationPlace | None) -> Json:
    if place is None:
        return None
    return {"operation": place.operation, "nth": place.nth, "group": _group(place)}


def _group(place: OperationPlace | None) -> Json:
    return None if place is None or place.group is None else list(place.group)


def _side(
    found: RefineAnswer, one: FunctionComparison, example: Counterexample, side: Side
) -> dict[str, Json]:
    module = side.of(one.source if side is example.source else one.target)
    return {
        "alignment": alignment(side, rows(found, one, side, example)),
        "outcome": outcome(side.outcome),
        "ending": ENDING_NAMES[type(side.ending)],
        "reason": reason(side.ending),
        "details": list(details(side.ending, module)),
    }


def _list(values: object) -> list[Json]:
    assert isinstance(values, (list, tuple))
    return [_list(value) if isinstance(value, (list, tuple)) else value for value in values]
