"""``convcheck uniform`` as one JSON object (``convcheck/1``)."""

from __future__ import annotations

from ...frozen import Json
from ...source import Span
from ...uniformity.answer import ClaimDifference, Uniformity
from ...uniformity.check import CheckedFunction, NotShown, UnsoundClaim
from ...uniformity.observe import Occurrence, Subject
from ...uniformity.result import Cause, FunctionUniformity
from ..parts import endings
from ..parts.reading_notes import standing
from ..verify.json import SCHEMA
from . import text as uniform_text


def answer(uniformity: Uniformity) -> dict[str, Json]:
    """Stable key order, integers as integers; ``line`` and ``column`` count from 1, and are ``null`` where
    the text spells nothing."""
    return {
        "schema": SCHEMA,
        "command": "uniform",
        "target": uniformity.target,
        "dfs": uniformity.dfs.value,
        "functions": [_function(uniformity, function) for function in uniformity.functions.values()],
        "checked": [_checked(uniformity, checked) for checked in uniformity.checked],
        "unchecked": [
            {"function": f"@{n}", "reason": why} for n, why in (uniformity.unchecked or {}).items()
        ],
        "llvm": _llvm(uniformity),
        **({} if (standing_words := standing(uniformity.module)) is None else {"notes": [standing_words]}),
    }


def _place_data(uniformity: Uniformity, span: Span) -> dict[str, Json]:
    if span.start < 0:
        return {"line": None, "column": None}
    line, column = uniformity.module.source.position(span.start)
    return {"line": line, "column": column}


def _cause(cause: Cause) -> Json:
    return {
        "rule": cause.rule.id, "value": cause.value, "branch": cause.branch, "cycle": cause.cycle,
    }  # fmt: skip


def _chain(function: FunctionUniformity, cause: Cause | None) -> Json:
    return [_cause(link) for link in function.chain(cause)]


def _function(uniformity: Uniformity, function: FunctionUniformity) -> Json:
    return {
        "function": f"@{function.function}",
        "values": [
            {
                "name": f"%{value.name}", "block": value.block, "verdict": value.verdict.value,
                "chain": _chain(function, value.cause or value.outside_cause),
                "outside": list(value.outside), **_place_data(uniformity, value.span),
            }
            for value in function.values.values()
        ],
        "branches": [
            {
                "block": branch.block, "verdict": branch.verdict.value,
                "chain": _chain(function, branch.cause), "joins": list(branch.joins),
                "exits": [{"cycle": header, "target": target} for header, target in branch.exits],
                **_place_data(uniformity, branch.span),
            }
            for branch in function.branches.values()
        ],
        "assumed": [
            {"cycle": list(cycle.blocks), "branch": cycle.branch, "join": cycle.join}
            for cycle in function.assumed
        ],
    }  # fmt: skip


def _subject(subject: Subject) -> dict[str, Json]:
    name = subject.name if subject.branch else f"%{subject.name}"
    return {"function": f"@{subject.function}", "name": name, "kind": "branch" if subject.branch else "value"}


def _occurrence(occurrence: Occurrence) -> Json:
    return {"thread": occurrence.thread, "nth": occurrence.nth, "value": occurrence.value}


def _fault(uniformity: Uniformity, fault: UnsoundClaim) -> Json:
    witness = fault.witness
    return {
        **_subject(fault.subject),
        "claimants": [claimant.value for claimant in fault.claimants],
        "block": witness.block,
        "one": _occurrence(witness.first),
        "other": _occurrence(witness.second),
        "launch": {
            "threads": witness.input.threads,
            "subgroup_size": witness.input.subgroup_size,
            "partial": witness.partial,
            "arguments": {f"%{name}": list(values) for name, values in witness.arguments},
        },
        "picture": list(witness.picture),
        **_place_data(uniformity, uniform_text.span(uniformity, fault.subject)),
    }


def _not_shown(item: NotShown) -> Json:
    return {
        **_subject(item.subject),
        "claimants": [claimant.value for claimant in item.claimants],
        "use": item.use.value,
        "compared": item.compared,
    }


def _checked(uniformity: Uniformity, checked: CheckedFunction) -> Json:
    runs = checked.observed
    return {
        "function": f"@{checked.function}",
        "uncontrolled": checked.mode,
        "executions": runs.executions,
        "left_out": runs.left_out,
        "faults": [_fault(uniformity, fault) for fault in checked.faults],
        "not_shown": [_not_shown(item) for item in checked.not_shown],
        "bounds": [endings.words(bound) for bound in runs.bounds],
        "not_modelled": list(runs.unmodelled),
    }


def _difference(item: ClaimDifference) -> Json:
    words = {True: "uniform", False: "divergent"}
    return {**_subject(item.subject), "rules": words[item.rules], "llvm": words[item.llvm]}


def _llvm(uniformity: Uniformity) -> Json:
    llvm = uniformity.llvm
    if llvm is None:
        return None
    return {
        "by": llvm.by,
        "triple": llvm.triple,
        "divergence": llvm.divergence,
        "missing": [f"@{name}" for name in llvm.missing],
        "unnamed": [_subject(subject) for subject in llvm.unnamed(uniformity.module)],
        "alike": uniformity.alike,
        "differences": [_difference(item) for item in uniformity.differences],
    }
