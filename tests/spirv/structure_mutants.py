"""Shaders whose control flow was changed in one place, and what ``spirv-val`` says of them."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator

LOOPS = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
%void = OpTypeVoid
%code = OpTypeFunction %void
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%in = OpTypePointer Input %uint
%id = OpVariable %in Input
%_1 = OpConstant %uint 1
%main = OpFunction %void None %code
%start = OpLabel
%own = OpLoad %uint %id
%c = OpIEqual %bool %own %_1
OpBranch %outer
%outer = OpLabel
OpLoopMerge %outer_end %outer_next None
OpBranch %outer_test
%outer_test = OpLabel
OpBranchConditional %c %choice %outer_end
%choice = OpLabel
OpSelectionMerge %chosen None
OpSwitch %own %other 0 %zero 1 %one
%zero = OpLabel
OpBranch %one
%one = OpLabel
OpSelectionMerge %one_end None
OpBranchConditional %c %leave %one_end
%leave = OpLabel
OpBranch %chosen
%one_end = OpLabel
OpBranch %chosen
%other = OpLabel
OpBranch %chosen
%chosen = OpLabel
OpBranch %inner
%inner = OpLabel
OpLoopMerge %inner_end %inner_next None
OpBranch %body
%body = OpLabel
OpSelectionMerge %met None
OpBranchConditional %c %then %else
%then = OpLabel
OpBranch %met
%else = OpLabel
OpBranch %inner_end
%met = OpLabel
OpBranch %inner_next
%inner_next = OpLabel
OpBranchConditional %c %inner %inner_end
%inner_end = OpLabel
OpSelectionMerge %last None
OpBranchConditional %c %again %last
%again = OpLabel
OpBranch %outer_next
%last = OpLabel
OpBranch %outer_next
%outer_next = OpLabel
OpBranch %outer
%outer_end = OpLabel
OpReturn
OpFunctionEnd
"""
CASES = (
    LOOPS[: LOOPS.index("OpBranch %outer")]
    + """OpBranch %outer
%outer = OpLabel
OpLoopMerge %outer_end %outer_next None
OpBranch %test
%test = OpLabel
OpSelectionMerge %chosen None
OpSwitch %own %other 0 %zero 1 %one 2 %two
%zero = OpLabel
OpBranch %zero_b
%zero_b = OpLabel
OpBranch %one
%one = OpLabel
OpSelectionMerge %one_end None
OpBranchConditional %c %leave %one_end
%leave = OpLabel
OpBranch %chosen
%one_end = OpLabel
OpBranchConditional %c %chosen %one_rest
%one_rest = OpLabel
OpBranch %two
%two = OpLabel
OpBranch %chosen
%other = OpLabel
OpBranch %chosen
%chosen = OpLabel
OpBranch %outer_next
%outer_next = OpLabel
OpBranchConditional %c %outer %outer_end
%outer_end = OpLabel
OpReturn
OpFunctionEnd
"""
)
_BRANCH = re.compile(r"^(OpBranch|OpBranchConditional|OpSelectionMerge|OpLoopMerge|OpSwitch) ")


def mutants(seed: int, number: int, of: str = LOOPS) -> Iterator[str]:
    """Texts with one target of one branch or merge instruction changed, or a merge instruction left out."""
    chance = random.Random(seed)
    lines = of.strip().split("\n")
    labels = [line.split()[0] for line in lines if line.endswith("= OpLabel")][1:]
    places = [n for n, line in enumerate(lines) if _BRANCH.match(line)]
    for _ in range(number):
        changed = list(lines)
        at = chance.choice(places)
        words = changed[at].split()
        if words[0].endswith("Merge") and chance.random() < 0.2:
            del changed[at]
        else:
            target = chance.choice([n for n, word in enumerate(words) if word in labels])
            words[target] = chance.choice(labels)
            changed[at] = " ".join(words)
        yield "\n".join(changed) + "\n"


def spirv_val(text: str) -> str:
    """What the validator says; nothing if it accepts the module."""
    made = subprocess.run(
        ["spirv-as", "--target-env", "vulkan1.1", "-", "-o", "-"],
        input=text.encode(),
        capture_output=True,
        check=True,
        timeout=60,
    ).stdout
    validator = ["spirv-val", "--target-env", "vulkan1.1", "-"]
    ran = subprocess.run(validator, input=made, capture_output=True, check=False, timeout=60)
    return ran.stderr.decode()
