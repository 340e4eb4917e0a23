"""``simulate --listing``, ``--show-structured`` and the options of exec-mask from the command line.

covers: report.simulate
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from convergence.report.schemas import schema
from tests.cli.cli_harness import ROOT, convcheck, ll

MACHINES = ROOT / "examples_ll" / "machines"


def test_the_listing_as_json() -> None:
    ran = convcheck("simulate", MACHINES / "fn0.ll", "--policy", "exec-mask", "--listing", "--format", "json")
    value = json.loads(ran.out)
    Draft202012Validator(schema("simulate")).validate(value)
    (listing,) = value["policies"][0]["listing"]
    saves = next(line for line in listing["lines"] if line["operation"].startswith("s_and_saveexec"))
    assert (saves["masks"], saves["machine"], listing["function"]) == ([0b0101], True, "@fn0")
    assert "if %entry goes to %then" in listing["structured"]


def test_lanes_that_are_off_as_json() -> None:
    ran = convcheck("simulate", MACHINES / "whole-quad.ll", "--policy", "exec-mask", "--format", "json")
    value = json.loads(ran.out)
    Draft202012Validator(schema("simulate")).validate(value)
    assert value["policies"][0]["outcome"]["threads"][8]["ended"] == "off"


def test_machines_without_code_on_masks_say_so_and_all_machines_list_theirs() -> None:
    ran = convcheck("simulate", MACHINES / "fn0.ll", "--policy", "ipdom", "--listing")
    assert ran.code == 0 and ran.out.endswith("\nipdom has no code on masks to list\n")
    ran = convcheck("simulate", MACHINES / "fn0.ll", "--listing")
    assert [line for line in ran.out.splitlines() if line.endswith(":") and " " not in line] == [
        "exec-mask:", "label0:", "label1:", "mask-stack:", "label0:", "label1:", "predication:",
    ]  # fmt: skip


def test_an_irreducible_cfg_is_refused_with_the_reason(tmp_path: Path) -> None:
    text = """define void @f(i1 %c) {
A:
  br i1 %c, label %B, label %C
B:
  br i1 %c, label %C, label %E
C:
  br label %B
E:
  ret void
}
"""
    ran = convcheck(
        "simulate", ll(tmp_path, text), "--policy", "exec-mask", "--show-structured", "--arg", "%c=1"
    )
    assert ran.code == 3
    assert "refused: the control flow is irreducible: a cycle is entered at %B and %C" in ran.out
    assert "Structured" not in ran.out


@pytest.mark.parametrize(
    "words",
    [("--covered", "a"), ("--covered", ""), ("--branch-if-none", "some"), ("--spill", "x")],
)
def test_bad_values(words: tuple[str, str]) -> None:
    ran = convcheck("simulate", MACHINES / "fn0.ll", *words)
    assert ran.code == 2 and "Traceback" not in ran.err


def test_other_commands_pass_over_a_file_s_options_for_exec_mask() -> None:
    assert convcheck("run", MACHINES / "whole-quad.ll").code == 0
