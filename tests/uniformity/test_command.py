"""``convcheck uniform``: verdicts, chains, and what it asks of its user.

covers: cli.commands.uniform, report.uniform, uniformity.analysis, uniformity.result
"""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from convergence.rules import Rule

from ..cli.cli_harness import convcheck

ROOT = Path(__file__).resolve().parents[2]
EXIT = str(ROOT / "examples_ll" / "rules" / "U-EXIT.shows.ll")


def test_every_rule_has_its_function_with_its_sentence() -> None:
    functions: dict[str, str] = {}
    for path in (ROOT / "convergence" / "uniformity").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("u_"):
                functions[node.name] = " ".join((ast.get_docstring(node) or "").split())
    rules = {rule.name.lower(): rule for rule in Rule if rule.id.startswith("U-")}
    assert functions.keys() == rules.keys()
    assert [name for name, rule in rules.items() if not functions[name].startswith(rule.sentence)] == []


def test_a_chain_leads_back_to_a_source() -> None:
    said = convcheck("uniform", "--why", "%after", EXIT)
    subjects = [line.split(":")[0].strip() for line in said.out.splitlines()]
    assert said.code == 0
    assert subjects == ["%after", "the branch of turn", "%more", "%id"]
    assert "U-SOURCE" in said.out.splitlines()[-1]


def test_another_target_has_other_arguments_and_memory() -> None:
    file = str(ROOT / "examples_ll" / "rules" / "U-ARGUMENT.shows.ll")
    own = convcheck("uniform", "--function", "@function", file).out
    other = convcheck("uniform", "--function", "@function", "--triple", "nvptx64-nvidia-cuda", file).out
    assert "%scalar  uniform" in own
    assert "%scalar  divergent[U-ARGUMENT]" in other


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--function", "@none"], "--function @none: there is no such definition; there are: @rounds"),
        (["--why", "%none"], "--why %none: there is no such value"),
        (["--why", "out"], "--why out: there is no such branch of a block"),
    ],
)
def test_what_is_not_there_is_named(arguments: list[str], said: str) -> None:
    ran = convcheck("uniform", *arguments, EXIT)
    assert ran.code == 2
    assert said in ran.err


@pytest.mark.parametrize("form", ["sarif", "html", "json", "svg"])
def test_a_broken_rule_is_said_in_the_form_that_is_asked_for(form: str) -> None:
    ran = convcheck("uniform", "examples_ll/rules/S-CYCLE-USE.bad.ll", "--format", form)
    assert ran.code == 1 and "S-CYCLE-USE" in ran.out
    if form in ("sarif", "json"):
        json.loads(ran.out)
    else:
        assert ran.out.startswith(("<!DOCTYPE html>", "<svg"))
