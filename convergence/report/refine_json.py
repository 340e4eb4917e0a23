"""``convcheck refine --format json``: the verdict, and the counterexample with the objects A and O."""

from __future__ import annotations

from ..refine.result import Counterexample, Departure, Refinement, Side
from ..semantics.outcome import ENDING_NAMES
from .endings import details, reason
from .json import SCHEMA, Json, diagnostic
from .refined import Answer, Compared, Judged, Pipeline, rows
from .run_json import alignment, outcome


def answer(found: Answer) -> dict[str, Json]:
    """The whole answer: the keys of the function with the worst verdict, then all functions."""
    worst = _one(found, found.worst)
    return {
        "schema": SCHEMA,
        "command": "refine",
        **worst,
        "notes": [*found.worst.found.notes, *found.notes],
        "source": found.source,
        "target": found.target,
        "pipeline": None if found.pipeline is None else _pipeline(found.pipeline),
        "functions": [_one(found, one) for one in found.compared],
    }


def _one(found: Answer, one: Compared) -> dict[str, Json]:
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
        "bound": refinement.bound,
        "launches": refinement.launches,
        "notes": list(refinement.notes),
        "diagnostics": _diagnostics(one, refinement),
        "bisect": None if one.walk is None else [_judged(judged) for judged in one.walk],
    }


def _diagnostics(one: Compared, refinement: Refinement) -> list[Json]:
    return [diagnostic(one.target.source, found) for found in refinement.diagnostics]


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


def _counterexample(found: Answer, one: Compared, example: Counterexample) -> dict[str, Json]:
    return {
        "threads": example.threads,
        "arguments": {f"%{name}": _list(values) for name, values in example.arguments.items()},
        "source": _side(found, one, example, example.source),
        "target": _side(found, one, example, example.target),
        "function": f"@{example.function}",
        "subgroup_size": example.subgroup_size,
        "inputs": {
            "@" + name.removeprefix("@"): [_list(stream) for stream in streams]
            for name, streams in example.inputs.items()
        },
        "paths": None if example.paths is None else [list(blocks) for blocks in example.paths],
        "difference": example.difference,
        "departure": None if example.departure is None else _departure(example.departure),
    }


def _departure(found: Departure) -> dict[str, Json]:
    return {
        "operation": found.operation,
        "thread": found.thread,
        "nth": found.nth,
        "source_group": _group(found.source_group),
        "target_group": _group(found.target_group),
        "why": found.why,
    }


def _group(group: tuple[int, ...] | None) -> Json:
    return None if group is None else list(group)


def _side(found: Answer, one: Compared, example: Counterexample, side: Side) -> dict[str, Json]:
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
