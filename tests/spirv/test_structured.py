"""The rules of structured control flow: examples, and ``spirv-val`` on shaders changed in one place."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from convergence.spirv import translate
from convergence.spirv.instruction import parse
from convergence.spirv.module import build
from convergence.spirv.structured import structure, violations
from tests.cli.cli_harness import convcheck
from tests.spirv.structure_mutants import CASES, LOOPS, mutants, spirv_val

TOOLS = pytest.mark.skipif(
    shutil.which("spirv-val") is None, reason="needs spirv-as and spirv-val (spirv-tools)"
)


def test_a_shader_that_keeps_them_has_no_violation() -> None:
    assert violations(build(parse(LOOPS))) == ()


@TOOLS
@pytest.mark.parametrize(("of", "seed"), [(LOOPS, 7), (CASES, 3)])
def test_spirv_val_agrees_on_structure(of: str, seed: int) -> None:
    """But for the differences that the page lists: unreachable blocks, branches to a case and another block
    without a merge instruction, and continue constructs that are left past the back edge."""
    wrong = compared = 0
    for text in mutants(seed, 36, of):
        module = build(parse(text))
        shape = structure(module.functions[0])
        if min(shape.dominators.enter) < 0:
            continue
        theirs = spirv_val(text)
        ours = [v.rule.id for v in violations(module)]
        if "structurally post dominated" in theirs or (not theirs and ours == ["R-SELECT"]):
            continue
        assert bool(theirs) == bool(ours), f"{theirs}\n{text}"
        wrong, compared = wrong + bool(theirs), compared + 1
    assert wrong > 8 and compared - wrong > 1


@pytest.mark.parametrize("rule", ["R-HEADER", "R-BACK", "R-EXIT", "R-SELECT", "R-SWITCH", "R-JOIN"])
def test_what_breaks_a_rule_is_not_run(rule: str) -> None:
    ran = convcheck("run", f"examples_ll/rules/{rule}.shows.spvasm")
    assert ran.code == 1 and f"error[{rule}]" in ran.out


@pytest.mark.parametrize(
    ("line", "changed", "message"),
    [
        ("%zero_b = OpLabel\nOpBranch %one", "%zero_b = OpLabel\nOpBranch %two", "is not the next one"),
        ("%zero = OpLabel\nOpBranch %zero_b", "%zero = OpLabel\nOpBranch %leave", "in no one case"),
        ("%own %other 0 %zero", "%own %outer_next 0 %zero", "does not dominate its case"),
        ("%other = OpLabel\nOpBranch %chosen", "%other = OpLabel\nOpBranch %two", "%other and %one lead to"),
        ("OpBranchConditional %c %chosen %one_rest", "OpBranchConditional %c %other %one_rest", "leads to"),
        ("0 %zero 1 %one 2 %two", "1 %one 0 %zero 2 %two", "is not the next one"),
        ("%zero_b = OpLabel\nOpBranch %one", "%zero_b = OpLabel\nOpBranch %other", None),
    ],
)
def test_cases_are_apart(line: str, changed: str, message: str | None) -> None:
    """The default leads to no case, so that nothing is out of order where one leads to it."""
    assert line in CASES and violations(build(parse(CASES))) == ()
    broken = [v for v in violations(build(parse(CASES.replace(line, changed)))) if v.rule.id == "R-SWITCH"]
    if message is None:
        assert broken == []
    else:
        assert any(message in v.message for v in broken)


SWITCHES = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %index BuiltIn LocalInvocationIndex
%void = OpTypeVoid
%code = OpTypeFunction %void
%uint = OpTypeInt 32 0
%in = OpTypePointer Input %uint
%index = OpVariable %in Input
%main = OpFunction %void None %code
%begin = OpLabel
%i = OpLoad %uint %index
OpSelectionMerge %outer_end None
OpSwitch %i %outer_end 1 %outer_case
%outer_case = OpLabel
OpSelectionMerge %inner_end None
OpSwitch %i %inner_end 2 %inner_case
%inner_case = OpLabel
OpBranch TARGET
%inner_end = OpLabel
OpBranch %outer_end
%outer_end = OpLabel
OpReturn
OpFunctionEnd
"""


@pytest.mark.parametrize(("target", "broken"), [("%inner_end", []), ("%outer_end", ["R-EXIT"])])
def test_a_switch_inside_a_switch_is_left_to_its_own_merge_block(target: str, broken: list[str]) -> None:
    text = SWITCHES.replace("TARGET", target)
    assert [v.rule.id for v in violations(build(parse(text)))] == broken
    if shutil.which("spirv-val") is not None:
        assert bool(spirv_val(text)) == bool(broken)


def test_joins_are_declared_only_where_maximal_reconvergence_is_asked_for() -> None:
    """Both arms of a selection lead to a block that lies before its merge block; a called function counts."""
    text = Path("examples_ll/rules/R-JOIN.shows.spvasm").read_text()
    mode = next(line for line in text.split("\n") if "OpExecutionMode %main MaximallyReconvergesKHR" in line)
    (broken,) = violations(build(parse(text)))
    assert broken.rule.id == "R-JOIN" and broken.blocks == ("then", "else", "both")
    assert violations(build(parse(text.replace(mode, "")))) == ()
    call = "%other = OpFunction %void None %code\n%begin = OpLabel\n%call = OpFunctionCall %void %main\n"
    call += "OpReturn\nOpFunctionEnd\n"
    called = text.replace("%main", "%part").replace("%other", "%main")
    called = called.replace('%part "main"', '%other "main"').replace("Mode %part", "Mode %other")
    assert [v.rule.id for v in violations(build(parse(called + call.replace("%main", "%part"))))] == [
        "R-JOIN"
    ]
    declared = text.replace("OpBranch %end\n    %end", "OpBranch %end\n    %end").replace(
        "OpSelectionMerge %end None", "OpSelectionMerge %both None"
    )
    assert violations(build(parse(declared))) == ()


def test_a_kernel_has_no_structure_to_keep() -> None:
    text = LOOPS.replace("OpCapability Shader", "OpCapability Kernel\nOpCapability Addresses")
    text = text.replace("Logical GLSL450", "Physical64 OpenCL").replace("GLCompute", "Kernel")
    text = "\n".join(line for line in text.split("\n") if "Merge" not in line)
    assert violations(build(parse(text))) == ()
    assert "convergence" not in translate(text.encode()).translation.text


@pytest.mark.parametrize(
    ("line", "changed", "broken"),
    [
        ("OpSelectionMerge %met None", "OpSelectionMerge %met None\nOpSelectionMerge %met None", True),
        ("OpSelectionMerge %met None", "OpSelectionMerge %met None\n%more = OpLoad %uint %id", True),
        ("OpLoopMerge %inner_end %inner_next None", "OpLoopMerge %inner_end %inner_next None\nOpNop", False),
        ("%leave = OpLabel", "%leave = OpLabel\nOpSelectionMerge %gone None", True),
    ],
)
def test_a_merge_instruction_stands_before_its_branch(line: str, changed: str, broken: bool) -> None:
    text = LOOPS.replace(line, changed).replace(
        "OpReturn\nOpFunctionEnd", "OpReturn\n%gone = OpLabel\nOpReturn\nOpFunctionEnd"
    )
    found = violations(build(parse(text)))
    assert any("does not stand before the branch" in v.message for v in found) is broken


def test_a_loop_that_no_thread_goes_round_in_has_its_back_edge() -> None:
    """Both arms leave the inner loop: no branch leads to its continue target, which lies behind it."""
    assert (
        violations(
            build(parse(LOOPS.replace("%then = OpLabel\nOpBranch %met", "%then = OpLabel\nOpBranch %else")))
        )
        == ()
    )
