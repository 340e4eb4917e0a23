"""What all SARIF documents have alike: version, address, help, and fingerprints that hold.

covers: packages, report.parts.formats
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from convergence.packages import HOMEPAGE, __version__
from tests.cli.cli_harness import ROOT, convcheck

BAD = (ROOT / "examples_ll/rules/S-CYCLE-USE.bad.ll").read_text()


def document(path: Path) -> dict[str, Any]:
    run: dict[str, Any] = json.loads(convcheck("verify", str(path), "--format", "sarif").out)["runs"][0]
    return run


def fingerprints(run: dict[str, Any]) -> list[str]:
    return [result["partialFingerprints"]["convcheck/v1"] for result in run["results"]]


def test_the_driver_says_who_it_is_and_each_rule_has_help(tmp_path: Path) -> None:
    file = tmp_path / "a.ll"
    file.write_text(BAD)
    driver = document(file)["tool"]["driver"]
    assert (driver["version"], driver["informationUri"]) == (__version__, HOMEPAGE)
    assert all(rule["help"]["text"] and rule["id"] in rule["help"]["markdown"] for rule in driver["rules"])


def test_fingerprints_hold_when_lines_are_added_and_tell_results_apart(tmp_path: Path) -> None:
    file = tmp_path / "a.ll"
    file.write_text(BAD)
    before = document(file)
    file.write_text("; a line\n\n" + BAD.replace("  call void", "    call  void"))
    after = document(file)
    assert fingerprints(before) == fingerprints(after) != []
    assert before["results"][0]["locations"] != after["results"][0]["locations"]
    file.write_text(
        BAD.replace("call void @barrier()", "call void @barrier2()").replace("@barrier(", "@barrier2(")
    )
    assert fingerprints(document(file)) != fingerprints(before)
    twice = BAD.replace("    br i1 %again, label %body", "    br i1 %again, label %body")
    call = next(line for line in BAD.splitlines() if line.strip().startswith("call void @barrier"))
    file.write_text(twice.replace(call, f"{call}\n{call}"))
    both = fingerprints(document(file))
    assert len(set(both)) == len(both) > len(fingerprints(before))
    assert fingerprints(before)[0] in both
