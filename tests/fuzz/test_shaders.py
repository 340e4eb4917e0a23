"""Random shaders: their LLVM IR and their SPIR-V say the same; what a backend gets wrong is found.

covers: cli.commands.fuzz, fuzz.shader_campaign, passes.compilers
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from jsonschema import Draft202012Validator

from convergence.drive import question
from convergence.fuzz import shader_campaign
from convergence.fuzz.campaign import NotThisCampaign
from convergence.fuzz.shader_campaign import (
    ShaderCheck,
    ShaderFolder,
    ShaderPlan,
    assemble,
    check,
    do_chunk,
    reduced,
    source_question,
)
from convergence.fuzz.shaders import OPERATIONS, ShaderProgram
from convergence.passes.compilers import assembled, cause, invalid, validator
from convergence.report.schemas import schema
from convergence.semantics.machine.run import execute
from convergence.spirv import read
from tests.cli.cli_harness import convcheck


@pytest.mark.parametrize("seed", range(700, 710))
def test_both_texts_of_a_program_mean_the_same(seed: int) -> None:
    """The tokens that clang would write say of the LLVM IR what the constructs say of the SPIR-V; of threads
    that come to one case by several ways SPIR-V promises nothing, so that there it may have more outcomes."""
    program = ShaderProgram(seed)
    source = source_question(program.text, program.inputs, 8)
    target = question(read(assemble(program)), source.spec)
    assert source.legal.complete and target.legal.complete
    (one,) = source.legal.outcomes
    others = [other.outcome.memory["u0"] for other in target.legal.outcomes]
    assert one.outcome.memory["u0"] in others
    assert len(others) == 1 or "SwitchStatement" in repr(program.tree)
    assert invalid(assemble(program)) is None


def test_programs_have_all_operations_and_diverge() -> None:
    used: Counter[str] = Counter()
    parted = 0
    for seed in range(15):
        program = ShaderProgram(seed)
        module = program.text
        used.update(o for o in OPERATIONS if f"wave.{o}" in module or f".{o}." in module)
        used["countbits"] += "countbits" in module
        used["first"] += "first.lane" in module
        asked = source_question(module, program.inputs, 8)
        groups = execute(asked.module, asked.spec).groups
        parted += any(1 < len(g.members) < 8 for g in groups if not g.control)
    assert set(used) == set(OPERATIONS) and parted > 9


def test_the_one_execution_that_there_is_is_what_enumeration_finds() -> None:
    """``quick`` is a way round enumeration: the same outcomes without it."""
    program = ShaderProgram(3, 4)
    quick = source_question(program.text, program.inputs, 4)
    slow = question(quick.module, quick.spec, quick=False)
    assert quick.legal.outcomes == slow.legal.outcomes and quick.legal.complete == slow.legal.complete


def test_a_module_that_does_something_else_is_wrong() -> None:
    """The SPIR-V of another program, as if the backend had made it."""
    program = ShaderProgram(3)
    asked = source_question(program.text, program.inputs, 8)
    plan = ShaderPlan()
    assert shader_campaign._read_back(assemble(program), asked, program.inputs, plan) == ShaderCheck("equal")
    other = shader_campaign._read_back(assemble(ShaderProgram(4)), asked, program.inputs, plan)
    assert other.key == ("wrong", "outcome")


def test_a_campaign_goes_on_where_it_was_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shader_campaign, "CHUNK", 3)
    plan = ShaderPlan(count=9, lowered=False)
    whole = Counter[str]()
    for numbers in plan.chunks(0):
        whole.update(do_chunk(plan, numbers).answers)
    folder = ShaderFolder(tmp_path, replace(plan, count=6))
    folder.open()
    for _ in shader_campaign.campaign(folder.plan, folder, 1, 0.0, lambda *_: None):
        pass
    again = ShaderFolder(tmp_path, plan)
    again.open()
    assert again.progress == 6
    for _ in shader_campaign.campaign(plan, again, 1, 0.0, lambda *_: None):
        pass
    assert (again.progress, again.answers) == (9, whole)
    with pytest.raises(NotThisCampaign, match="differs in seed"):
        ShaderFolder(tmp_path, replace(plan, seed=2)).open()


def test_a_finding_is_reduced_to_its_cause() -> None:
    """Whatever this LLVM gets wrong first: its reduced program is smaller and shows the same."""
    plan = ShaderPlan(seed=0, count=120)
    for number in range(plan.count):
        program = plan.program(number)
        found = check(program.text, program.inputs, plan)
        if found.answer in ("invalid", "crash"):
            break
    else:
        pytest.skip("the backend got 120 programs right, as far as anybody here can tell")
    text = reduced(program.text, program.inputs, plan, found, 8.0)
    assert check(text, program.inputs, plan).key == found.key
    assert len(text) < len(program.text)


def test_causes_have_no_names() -> None:
    one = cause("block <ID> '9[%if_end_2]' exits the selection headed by <ID> '3[%if_then]', but not so")
    assert one == cause("block <ID> 12 exits the selection headed by <ID> 4, but not so")
    assert cause("Id 1 is defined more than once") == cause("Id 23 is defined more than once")


@pytest.mark.skipif(validator() is None, reason="spirv-val is not here")
def test_the_validator_s_word() -> None:
    words = bytearray(assemble(ShaderProgram(3)))
    words[20:24] = (0).to_bytes(4, "little")
    assert invalid(bytes(words)) is not None
    assert assembled(b"; Version: 1.4\nOpCapability Shader\nOpMemoryModel Logical GLSL450\n") is not None
    assert assembled(b"OpNonsense") is None


def test_both_answers_have_a_schema_that_differs_in_their_name() -> None:
    lowered, driven = schema("fuzz-lowered"), schema("drive-campaign")
    Draft202012Validator.check_schema(driven)
    assert lowered["properties"].pop("command") != driven["properties"].pop("command")
    for known in (lowered, driven):
        del known["$id"], known["title"]
    assert lowered == driven
    answers = set(get_args(shader_campaign.Answer))
    assert set(lowered["properties"]["answers"]["propertyNames"]["enum"]) == answers
    told = lowered["properties"]["findings"]["items"]["properties"]["answer"]["enum"]
    assert set(told) == {*shader_campaign.FINDINGS, "unread"}


def test_the_command(tmp_path: Path) -> None:
    folder = tmp_path / "findings"
    how = ["--lowered", "spirv-vulkan", "--count", "9", "--jobs", "1", "--reduce-timeout", "0", "-q"]
    ran = convcheck("fuzz", *how, "-o", folder, "--format", "json")
    answer = json.loads(ran.out)
    assert answer["command"] == "fuzz-lowered" and answer["programs"] == 9
    Draft202012Validator(schema("fuzz-lowered")).validate(answer)
    assert ran.code == (1 if any(f["answer"] in shader_campaign.FINDINGS for f in answer["findings"]) else 0)
    assert sum(answer["answers"].values()) == 9
    for fold in answer["findings"]:
        assert f"; {fold['answer']}: " in (folder / fold["file"]).read_text()
    ran = convcheck("fuzz", *how, "-o", folder)
    assert "9 programs: " in ran.out
    ran = convcheck("fuzz", "--lowered", "spirv-vulkan", "--show", "3")
    assert ran.out == ShaderProgram(3).text
