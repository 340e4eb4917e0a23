"""Refinements as SARIF: valid by the official schema, a thread flow per lane and side, value by value.

covers: report.refine_formats
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator

import convergence as cc
from convergence.refine.sides.observable import ReturnMismatch
from convergence.refine.verdict.result import (
    Counterexample,
    GroupDeparture,
    NoCall,
    OperationPlace,
    Refinement,
    Side,
)
from convergence.report import refine_formats as refine_sarif
from convergence.rules import Rule
from convergence.semantics import Bound, BoundKind
from tests.report.test_machine_formats import sarif_schema

SHELF = Path(__file__).resolve().parents[2] / "examples_ll"
NATURAL = cc.parse_file(SHELF / "alignments" / "natural.ll")
NESTED = cc.parse_file(SHELF / "alignments" / "nested.ll")
PATHS = {
    "natural": ["A B B C D".split(), "A B C B C D".split()],
    "nested": ["A O B B C D".split(), "A O B C O B C D".split()],
}


def side(module: cc.Module, name: str) -> Side:
    run = cc.run(module, arguments={"x": [1, 10]}, paths=PATHS[name])
    return Side(run.execution, run.groups, run.ending, run.outcome)


def wrong() -> Refinement:
    """The acceptance pictures as a wrong transform: what tearing the natural loop apart would be."""
    example = Counterexample(
        threads=2,
        subgroup_size=None,
        function="natural",
        arguments={"x": (1, 10)},
        inputs={"cc": ((1,), (0,))},
        paths=None,
        source=side(NATURAL, "natural"),
        target=side(NESTED, "nested"),
        difference=ReturnMismatch(0, 11, 1101),
        departure=GroupDeparture(
            "@subgroupAdd",
            0,
            2,
            OperationPlace("%sum.b", 2, (0, 1)),
            OperationPlace("%sum.b", 2, (0,)),
            NoCall("target", 1, 2, "@subgroupAdd"),
        ),
    )
    return Refinement("wrong", "1 launch", {"tokens": "wrong"}, example, blame="simplifycfg")


def run_of(refinement: Refinement) -> dict[str, Any]:
    text = refine_sarif.document(refinement, NATURAL, NESTED, "src.ll", "dir/tgt a.ll")
    document = json.loads(text)
    Draft4Validator(sarif_schema(), format_checker=Draft4Validator.FORMAT_CHECKER).validate(document)
    found: dict[str, Any] = document["runs"][0]
    return found


def test_a_counterexample_has_a_flow_per_thread_and_side() -> None:
    run = run_of(wrong())
    (result,) = run["results"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "REFINEMENT"
    assert "simplifycfg" in result["message"]["text"] and "1101 in the target" in result["message"]["text"]
    assert "source {0, 1}, target {0}" in result["message"]["text"]
    source, target = result["codeFlows"]
    assert source["message"]["text"] == "the source's execution: 2 threads, %x=1,10, @cc=1/0"
    for name, flow in (("source", source), ("target", target)):
        assert [f["id"] for f in flow["threadFlows"]] == [f"{name} thread 0", f"{name} thread 1"]
    assert target["threadFlows"][0]["message"]["text"] == "target, thread 0: returned 1101"


def test_steps_are_blocks_and_operations_in_columns() -> None:
    result = run_of(wrong())["results"][0]
    flows = [
        [
            [(s["location"]["message"]["text"], s.get("executionOrder")) for s in flow["locations"]]
            for flow in side["threadFlows"]
        ]
        for side in result["codeFlows"]
    ]
    source, target = flows
    blocks = [[said for said, _ in steps if said.startswith("block")] for steps in source]
    assert blocks == [[f"block {b}" for b in path] for path in PATHS["natural"]]
    sums = [[step for step in steps if step[0].startswith("%sum.b")] for steps in source]
    assert [said for said, _ in sums[0]] == [
        "%sum.b with threads 0, 1 #1 => 11",
        "%sum.b with threads 0, 1 #2 => 11",
    ]
    assert sums[0] == sums[1], "what threads did together has one number in both flows"
    apart = [[step for step in steps if step[0].startswith("%sum.b")] for steps in target]
    assert apart[0][0] == apart[1][0]
    assert apart[0][1][0] == "%sum.b with thread 0 #2 => 1"
    assert apart[0][1][1] != apart[1][1][1]


def test_the_departing_step_is_essential_and_stands_in_the_text() -> None:
    result = run_of(wrong())["results"][0]
    steps = result["codeFlows"][1]["threadFlows"][0]["locations"]
    (essential,) = [s for s in steps if s["importance"] == "essential"]
    place = essential["location"]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "dir/tgt%20a.ll"
    line = NESTED.source.line(place["region"]["startLine"])
    assert line.startswith("  %sum.b = call i32 @subgroupAdd")
    assert result["locations"][0]["physicalLocation"] == place
    assert result["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "src.ll"


def test_broken_rules_of_the_target_are_results() -> None:
    broken = cc.parse_file(SHELF / "rules" / "S-NEST.bad.ll")
    found = Refinement("invalid-output", "static rules", {}, diagnostics=tuple(cc.verify(broken)))
    document = json.loads(refine_sarif.document(found, NATURAL, broken))
    Draft4Validator(sarif_schema()).validate(document)
    run = document["runs"][0]
    (result,) = run["results"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == Rule.S_NEST.id


@pytest.mark.parametrize("verdict", ["equal", "refines"])
def test_what_holds_has_no_results(verdict: Any) -> None:
    run = run_of(Refinement(verdict, "all inputs tried: 4 launches", {"tokens": verdict}))
    assert run["results"] == [] and run["properties"]["refinements"][0]["verdict"] == verdict
    assert run["invocations"][0]["toolExecutionNotifications"] == []


def test_several_functions_are_in_one_document() -> None:
    held = Refinement("equal", "4 launches", {"tokens": "equal"})
    text = refine_sarif.documents([(held, NATURAL, NESTED), (wrong(), NATURAL, NESTED)], "a.ll", "b.ll")
    run = json.loads(text)["runs"][0]
    assert len(run["results"]) == 1
    assert [one["verdict"] for one in run["properties"]["refinements"]] == ["equal", "wrong"]


def test_unknown_is_a_notification() -> None:
    run = run_of(Refinement("unknown", "", {}, bound=Bound(BoundKind.MAX_STEPS, 10)))
    assert run["results"] == []
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"] == "unknown: --max-steps 10"


def test_long_flows_say_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refine_sarif, "STEPS", 3)
    flow = run_of(wrong())["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"]
    assert len(flow) == 4 and flow[-1]["location"]["message"]["text"] == "... and 7 more steps"


def test_a_side_without_the_operation_and_no_departure() -> None:
    example = wrong().counterexample
    assert example is not None and example.departure is not None
    gone = replace(
        example, departure=replace(example.departure, source=OperationPlace("%gone", 1, (0,)), target=None)
    )
    result = run_of(replace(wrong(), counterexample=gone))["results"][0]
    assert "target no such call" in result["message"]["text"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "dir/tgt%20a.ll"
    bare = run_of(replace(wrong(), counterexample=None))["results"][0]
    assert "codeFlows" not in bare
