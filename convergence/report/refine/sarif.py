"""A refinement as SARIF 2.1.0 (OASIS): what is wrong as one result, with a thread flow per lane.

A counterexample is two ``codeFlows``, one for the source's execution and one for the target's. In each, every
thread has a ``threadFlow``; its steps are the blocks that it passed and, in them, the convergent operations
with those who took part. A step's ``executionOrder`` is the operation's column in convergence-before, so that
equal numbers are what threads did together, as SARIF's *executionOrder* is about the order across flows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from ...alignment.instances import BlockVisit, Columns, DynamicInstance, order
from ...frozen import Json
from ...ir.module import Module
from ...refine.verdict.result import Counterexample, GroupDeparture, OperationPlace, Refinement, Side
from ...semantics.machine.run import Group
from ...source import Span
from ..parts import formats as common
from ..parts.groups import members, results
from ..verify import sarif
from ..verify.checked import VerifiedFile
from ..verify.json import dump
from . import mismatches
from .answer import bound, notes

STEPS = 2_000
"""Steps of a thread flow at most; the last one then says how many are missing."""
_RULE = "REFINEMENT"


def document(
    refinement: Refinement,
    source: Module,
    target: Module,
    source_name: str | None = None,
    target_name: str | None = None,
) -> str:
    """One comparison: :func:`documents` of it alone. The names are the modules' own by default."""
    names = source_name or source.source.name, target_name or target.source.name
    return documents([(refinement, source, target)], *names)


def documents(
    compared: Sequence[tuple[Refinement, Module, Module]], source_name: str, target_name: str
) -> str:
    """``convcheck refine --format sarif``: comparisons of functions, each with the modules it was about.

    ``source_name`` and ``target_name`` are the files as the user wrote them. ``wrong`` is a result with its
    flows, ``invalid-output`` a result per broken rule of the target; ``unknown`` is a notification, for
    nothing was found wrong; ``equal`` and ``refines`` have no results.
    """
    results: list[Json] = []
    notifications: list[Json] = []
    fingerprints = common.Fingerprints()
    for refinement, source, target in compared:
        before = VerifiedFile(source_name, source)
        after = VerifiedFile(target_name, target, refinement.diagnostics)
        match refinement.verdict:
            case "wrong":
                results.append(_wrong_result(refinement, before, after, fingerprints))
            case "invalid-output":
                results += [
                    sarif.result(after, diagnostic, fingerprints) for diagnostic in refinement.diagnostics
                ]
            case "unknown":
                message = f"unknown: {bound(refinement) or refinement.established}"
                notifications.append({"level": "warning", "message": {"text": message}})
            case "equal" | "refines":
                pass
    run: dict[str, Json] = {
        "tool": {"driver": common.driver([*sarif.rules(), _rule()])},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notifications}],
        "columnKind": "unicodeCodePoints",
        "artifacts": [
            {"location": {"uri": sarif.uri(name)}} for name in dict.fromkeys((source_name, target_name))
        ],
        "results": results,
        "properties": {"refinements": [_properties(refinement) for refinement, _, _ in compared]},
    }
    return dump({"$schema": sarif.SARIF_SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule() -> Json:
    return {
        "id": _RULE,
        "name": "Refinement",
        "shortDescription": {"text": "the target does what the source cannot"},
        "fullDescription": {
            "text": "Each outcome of the target is refined by some outcome of the source, for every input, "
            "thread count and partition into launch groups."
        },
        "help": {"text": "convcheck refine shows the counterexample: docs/refine.md says how it is read."},
        "helpUri": "https://llvm.org/docs/ConvergentOperations.html"
        "#examples-for-the-correctness-of-program-transforms",
        "defaultConfiguration": {"level": "error"},
    }


def _properties(refinement: Refinement) -> dict[str, Json]:
    models: dict[str, Json] = dict(refinement.models.items())
    return {
        "verdict": refinement.verdict,
        "established": refinement.established,
        "models": models,
        "pass": refinement.blame,
        "bound": bound(refinement),
        "unobserved": refinement.unobserved,
        "notes": list(notes(refinement)),
    }


def _wrong_result(
    refinement: Refinement, before: VerifiedFile, after: VerifiedFile, fingerprints: common.Fingerprints
) -> Json:
    """The counterexample: at the operation that departs, in the target if it is there, else in the source."""
    counterexample = refinement.counterexample
    message = "the target is no refinement of the source"
    if refinement.blame is not None:
        message += f"; the first pass to blame is {refinement.blame}"
    value: dict[str, Json] = {"ruleId": _RULE, "ruleIndex": len(sarif.rules()), "level": "error"}
    request = refinement.compared
    functions = () if request is None else (request.function, request.target_function)
    value["partialFingerprints"] = fingerprints.of((before.name, after.name, _RULE, *functions))
    if counterexample is None:
        return {**value, "message": {"text": message}, "locations": [_whole(after)]}
    message += f": {mismatches.words(counterexample.difference)}"
    if (departure := counterexample.departure) is not None:
        message += f". {_departs_result(departure)}"
    source, target = counterexample.source, counterexample.target
    first, second = counterexample.places
    sides = (
        ("source", _ran(before, source), source, first),
        ("target", _ran(after, target), target, second),
    )
    places = [
        (label, location)
        for label, file, side, place in reversed(sides)
        if (location := _place_of(file, side, place)) is not None
    ]
    value["message"] = {"text": message}
    value["locations"] = [places[0][1] if places else _function(after, counterexample.function)]
    if places[1:]:
        value["relatedLocations"] = [
            {"id": 1, **place, "message": {"text": f"the {label}'s operation"}} for label, place in places[1:]
        ]
    value["codeFlows"] = [
        {
            "message": {"text": f"the {label}'s execution: {_launch(counterexample)}"},
            "threadFlows": [
                _flow(label, file, side, thread, place if departure and thread == departure.thread else None)
                for thread in range(counterexample.threads)
            ],
        }
        for label, file, side, place in sides
    ]
    return value


def _ran(file: VerifiedFile, side: Side) -> VerifiedFile:
    """The file, with the module that was run."""
    return file if side.module is None else replace(file, module=side.module)


def _departs_result(departure: GroupDeparture) -> str:
    def group(place: OperationPlace | None) -> str:
        if place is None:
            return "no such call"
        return "not done" if place.group is None else "{" + ", ".join(map(str, place.group)) + "}"

    def instance(place: OperationPlace) -> str:
        return f"{place.operation}, thread {departure.thread}, #{place.nth}"

    subject = instance(departure.place)
    if departure.source is None:
        subject += " in the target"
    elif departure.target is None:
        subject += " in the source"
    elif instance(departure.target) != subject:
        subject += f" in the source, {instance(departure.target)} in the target"
    groups = f"source {group(departure.source)}, target {group(departure.target)}"
    why = mismatches.mismatch_reason(departure)
    return f"{subject}: {groups}" + (f" ({why})" if why else "")


def _launch(counterexample: Counterexample) -> str:
    """The launch in a few words."""
    parts = [f"{counterexample.threads} thread{'' if counterexample.threads == 1 else 's'}"]
    if counterexample.shape is not None:
        parts.append(f"{counterexample.launch.grid} workgroups of {counterexample.shape.workgroup}")
    if counterexample.subgroup_size is not None:
        parts.append(f"subgroups of {counterexample.subgroup_size}")
    parts += [f"%{name.removeprefix('%')}={_values(v)}" for name, v in counterexample.arguments.items()]
    parts += [f"@{name}={_values(v)}" for name, v in counterexample.globals.items()]
    for name, streams in counterexample.inputs.items():
        parts.append(f"@{name.removeprefix('@')}={'/'.join(map(_values, streams))}")
    parts += [f"path {' '.join(path)}" for path in counterexample.paths or ()]
    return ", ".join(parts)


def _values(values: Sequence[object]) -> str:
    return ",".join(map(str, values))


# -- places -------------------------------------------------------------------------------------------


def _whole(file: VerifiedFile) -> dict[str, Json]:
    return {"physicalLocation": {"artifactLocation": {"uri": sarif.uri(file.name)}}}


def _located(file: VerifiedFile, span: Span, function: str) -> dict[str, Json]:
    place = sarif.physical(file, span)
    place["logicalLocations"] = [{"name": function, "fullyQualifiedName": "@" + function, "kind": "function"}]
    return place


def _function(file: VerifiedFile, name: str) -> dict[str, Json]:
    """Where a function begins."""
    function = None if file.module is None else file.module.functions.get(name.removeprefix("@"))
    return _whole(file) if function is None else _located(file, function.span, function.name)


def _place_of(file: VerifiedFile, side: Side, place: OperationPlace | None) -> dict[str, Json] | None:
    """Where the departing operation stands on a side, if it is there."""
    if place is None:
        return None
    for group in side.groups:
        if group.operation == place.operation:
            return _operation(file, group.members[0])
    return None


def _operation(file: VerifiedFile, instance: DynamicInstance) -> dict[str, Json]:
    assert file.module is not None
    site = instance.site
    span = file.module.functions[site.function].instructions[site.index].span
    return _located(file, span, site.function)


# -- flows --------------------------------------------------------------------------------------------


def _flow(label: str, file: VerifiedFile, side: Side, thread: int, place: OperationPlace | None) -> Json:
    """What one thread did; ``place`` is where it departs."""
    ordered = order(side.execution)
    columns = ordered.column if isinstance(ordered, Columns) else {}
    group_of = {member: group for group in side.groups for member in group.members}
    steps: list[Json] = []
    left = 0
    for visit in side.execution.visits[thread]:
        for step in _steps(file, visit, group_of, columns, place):
            if len(steps) < STEPS:
                steps.append(step)
            else:
                left += 1
    if left:
        last: dict[str, Json] = {**_whole(file), "message": {"text": f"... and {left} more steps"}}
        steps.append({"location": last, "importance": "unimportant"})
    if not steps:  # a flow has a step at least; a thread that did not come to one has its program
        steps.append({"location": {**_whole(file), "message": {"text": "nothing was executed"}}})
    ended = next((t for t in side.outcome.threads if t.thread == thread), None)
    message = f"{label}, thread {thread}"
    if ended is not None:
        message += f": {ended.ended}" + ("" if ended.value is None else f" {ended.value}")
    return {"id": f"{label} thread {thread}", "message": {"text": message}, "locations": steps}


def _steps(
    file: VerifiedFile,
    visit: BlockVisit,
    group_of: Mapping[DynamicInstance, Group],
    columns: Mapping[DynamicInstance, int],
    place: OperationPlace | None,
) -> Iterator[Json]:
    """A step for the block, one for each of its operations."""
    assert file.module is not None
    block = next(b for b in file.module.functions[visit.function].blocks if b.name == visit.block)
    here = _located(file, block.instructions[0].span, visit.function)
    importance: Literal["essential", "important", "unimportant"] = "unimportant"
    yield {"location": {**here, "message": {"text": f"block {visit.block}"}}, "importance": importance}
    for instance in visit.operations:
        group = group_of.get(instance)
        if group is None:
            continue
        group_members = members((member.thread, member.nth) for member in group.members)
        message = f"{group.operation} with {group_members}"
        if group.results:
            message += f" => {results(group.results)}"
        importance = "unimportant" if group.control else "important"
        if place is not None and (group.operation, instance.nth) == (place.operation, place.nth):
            importance = "essential"
        step: dict[str, Json] = {
            "location": {**_operation(file, instance), "message": {"text": message}},
            "importance": importance,
        }
        if (column := columns.get(instance)) is not None:
            step["executionOrder"] = column
        yield step
