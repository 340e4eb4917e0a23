"""What ``refine`` says to programs: JSON, GitHub's commands, an HTML page, SARIF."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from ..alignment import BlockVisit, Columns, DynamicInstance, order
from ..frozen import Json
from ..ir.module import Module
from ..refine.sides.observable import ENDED
from ..refine.verdict.result import Counterexample, GroupDeparture, OperationPlace, Refinement, Side
from ..semantics import ENDING_NAMES, Returned
from ..semantics.machine.launch import waves_of
from ..semantics.machine.run import Group, Outcome
from ..semantics.operations import Extent
from ..source import NOWHERE, Span
from . import refine as mismatches
from . import verify as diagnostics
from . import verify as sarif
from .parts import SCHEMA, VerifiedFile, diagnostic_data, dump, markup, svg
from .parts import details as folded
from .parts import formats as common
from .parts import words as endings
from .parts.formats import diagnostic_command, workflow_command
from .parts.words import details, members, reason, results
from .refine import (
    PICTURED,
    SENTENCES,
    DumpedStep,
    FunctionComparison,
    Judged,
    Pipeline,
    RefineAnswer,
    bound,
    departure,
    launch,
    notes,
    rows,
)
from .run import alignment, group_lines, outcome, outcome_text, waves

# ----------------------------------------------------------------------------------------------------------
# ``convcheck refine --format json``: the verdict, and the counterexample with the objects A and O.
# ----------------------------------------------------------------------------------------------------------


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
        "outcome": outcome(_as_run_has_it(side.outcome)),
        "ending": ENDING_NAMES[type(side.ending)],
        "reason": reason(side.ending),
        "details": list(details(side.ending, module)),
    }


def _as_run_has_it(value: Outcome) -> Outcome:
    """An outcome as ``run`` and ``enumerate`` say it: a thread that goes round for ever is unfinished, and
    the side's ``ending`` says that it has no end."""
    threads = (replace(t, ended="unfinished") if t.ended == ENDED else t for t in value.threads)
    return replace(value, threads=tuple(threads))


def _list(values: object) -> list[Json]:
    assert isinstance(values, (list, tuple))
    return [_list(value) if isinstance(value, (list, tuple)) else value for value in values]


# ----------------------------------------------------------------------------------------------------------
# A refinement as GitHub workflow commands: what is wrong, at the operation whose group differs.
# ----------------------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------------------
# ``convcheck refine --format html``: one page that needs nothing else, the same for the same answer.
# ----------------------------------------------------------------------------------------------------------


_SHEET = """
:root{color-scheme:light dark;--ink:#1a1a1a;--paper:#fff;--line:#bbb;
--bad:#b3261e;--good:#1b6e3c;--open:#8a5a00}
@media (prefers-color-scheme:dark){:root{--ink:#f2f2f2;--paper:#16181c;--line:#555;
--bad:#ff8a80;--good:#7ddc9f;--open:#ffcf70}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:1.5rem auto;
max-width:90rem;padding:0 1rem}
h1,h2{line-height:1.2}
pre{font:13px/1.4 ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;overflow-x:auto;margin:.3em 0;
white-space:pre}
table{border-collapse:collapse}
th,td{text-align:left;padding:.15rem 1rem .15rem 0;border-bottom:1px solid var(--line)}
.sides{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,28rem),1fr));gap:1rem}
.side{border:1px solid var(--line);border-radius:8px;padding:.6rem 1rem;min-width:0}
.picture{overflow-x:auto}
.wrong,.invalid-output{color:var(--bad)}
.equal,.refines{color:var(--good)}
.unknown{color:var(--open)}
.departs{border-left:4px solid var(--bad);padding-left:.8rem}
"""


def page(answer: RefineAnswer) -> str:
    """The whole document."""
    title = f"convcheck refine: {answer.verdict}"
    parts = [
        f"<h1>{_verdict_html(answer.verdict)}: {markup(answer.source)} &#8594; {markup(answer.target)}</h1>"
    ]
    if (pipeline := answer.pipeline) is not None:
        parts.append(f"<p>Passes <code>{markup(pipeline.passes)}</code>, run by {markup(pipeline.by)}</p>")
        parts.append(_notes(pipeline.notes))
    parts.append(_notes(answer.notes))
    if len(answer.compared) > 1:
        rows = (
            (comparison.title, comparison.refinement.verdict, comparison.refinement.established)
            for comparison in answer.compared
        )
        parts.append(_table(("Function", "Verdict", "Established"), rows))
    for number, comparison in enumerate(answer.compared, 1):
        parts += _function_html(answer, comparison, f"f{number}")
    texts = (("Source", answer.compared[0].source), ("Target", answer.compared[0].target))
    parts += [folded(f"{name} as LLVM IR", _pre(module.source.text)) for name, module in texts]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{markup(title)}</title>\n<style>{_SHEET}</style>\n</head>\n<body>\n"
        + "\n".join(part for part in parts if part)
        + "\n</body>\n</html>\n"
    )


def _function_html(answer: RefineAnswer, comparison: FunctionComparison, prefix: str) -> list[str]:
    refinement = comparison.refinement
    verdict = refinement.verdict
    parts = [
        f"<section>\n<h2>{markup(comparison.title)}: {_verdict_html(verdict)}, "
        f"{markup(SENTENCES[verdict])}</h2>",
        f"<p>Established: {markup(refinement.established)}</p>",
    ]
    if (why := bound(refinement)) is not None:
        parts.append(f"<p>Bound: {markup(why)}</p>")
    if refinement.behaviour is not None:
        parts.append(f"<p>Behaviour, run all the same: {_verdict_html(refinement.behaviour)}</p>")
    if (blamed := comparison.blamed) is not None:
        parts.append(f"<p>Blame: <strong>{markup(str(blamed))}</strong></p>")
    if len(refinement.models) > 1:
        parts.append(_table(("Model", "Verdict"), refinement.models.items()))
    if comparison.walk:
        walked = ((str(judged.number), judged.name, judged.on, judged.verdict) for judged in comparison.walk)
        table = _table(("Pass", "Name", "On", "Verdict"), walked)
        parts.append(folded(f"passes that changed something: {len(comparison.walk)}", table))
    name = comparison.target.source.name
    parts += [_pre(diagnostics.diagnostic(name, comparison.target.source, d)) for d in refinement.diagnostics]
    if refinement.counterexample is not None:
        parts += _counterexample_html(answer, comparison, refinement.counterexample, prefix)
    parts.append(_notes(notes(refinement)))
    return [*parts, "</section>"]


def _counterexample_html(
    answer: RefineAnswer, comparison: FunctionComparison, example: Counterexample, prefix: str
) -> list[str]:
    parts = [f"<h3>Counterexample</h3>\n{_pre(chr(10).join(launch(example)))}"]
    if example.departure is not None:
        parts.append(f'<div class="departs">{_pre(departure(example.departure))}</div>')
    sides = (("Source", example.source), ("Target", example.target))
    shown = [_side_html(answer, comparison, example, name, side, prefix) for name, side in sides]
    parts.append('<div class="sides">\n' + "\n".join(shown) + "\n</div>")
    parts.append(f"<p><strong>Difference:</strong> {markup(mismatches.words(example.difference))}</p>")
    return parts


def _side_html(
    answer: RefineAnswer,
    comparison: FunctionComparison,
    example: Counterexample,
    name: str,
    side: Side,
    prefix: str,
) -> str:
    is_source = side is example.source
    module = side.of(comparison.source if is_source else comparison.target)
    function = comparison.function if is_source else comparison.target_function
    if sum(map(len, side.execution.visits)) > PICTURED:
        drawn = "<p>(no picture: too many blocks)</p>"
    else:
        how = (answer.all_blocks, answer.search, f"{prefix}-{name.lower()}")
        drawn = svg.alignment(side.execution, side.groups, module, function, *how)
    other = example.target if is_source else example.source
    if isinstance(side.ending, Returned):
        ended = outcome_text(side.outcome, side.outcome.contents.unlike(other.outcome.contents))
    else:
        ended = "\n".join([reason(side.ending) or "", *details(side.ending, module)])
    text = "\n\n".join(part for part in (group_lines(side.groups, False), ended) if part)
    return f'<div class="side">\n<h4>{name}</h4>\n<div class="picture">\n{drawn}</div>\n{_pre(text)}\n</div>'


def _verdict_html(verdict: str) -> str:
    return f'<span class="{verdict}">{verdict}</span>'


def _pre(text: str) -> str:
    return f"<pre>{markup(text.rstrip(chr(10)))}</pre>"


def _notes(notes: Iterable[str]) -> str:
    items = "".join(f"<li>{markup(note)}</li>" for note in notes)
    return f"<ul>{items}</ul>" if items else ""


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    heads = "".join(f'<th scope="col">{markup(name)}</th>' for name in head)
    body = "".join(
        "<tr>" + "".join(f'<td class="{_kind(cell)}">{markup(cell)}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def _kind(cell: str) -> str:
    return cell if cell in SENTENCES else "cell"


# ----------------------------------------------------------------------------------------------------------
# A refinement as SARIF 2.1.0 (OASIS): what is wrong as one result, with a thread flow per lane.
#
# A counterexample is two ``codeFlows``, one for the source's execution and one for the target's. In each,
# every thread has a ``threadFlow``; its steps are the blocks that it passed and, in them, the convergent
# operations with those who took part. A step's ``executionOrder`` is the operation's column in
# convergence-before, so that equal numbers are what threads did together, as SARIF's *executionOrder* is
# about the order across flows.
# ----------------------------------------------------------------------------------------------------------


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
