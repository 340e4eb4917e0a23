"""Specialization constants take the values that a user chooses.

covers: spirv.specialization, cli.plumbing.shaders
"""

from __future__ import annotations

import shutil
import subprocess

import pytest

from convergence.spirv import NotSpecialized, read, translate
from convergence.spirv.reading import instructions_of
from convergence.spirv.specialization import Chosen, specialized_binary, specialized_values
from convergence.spirv.text import parse
from tests.cli.cli_harness import convcheck

TEXT = """
OpCapability Shader
OpCapability Int64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 1 1 1
OpName %count "count"
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %size BuiltIn WorkgroupSize
OpDecorate %x SpecId 0
OpDecorate %count SpecId 7
OpDecorate %wide SpecId 8
OpDecorate %scale SpecId 9
OpDecorate %on SpecId 10
OpDecorate %o DescriptorSet 0
OpDecorate %o Binding 0
OpDecorate %words ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
%void = OpTypeVoid
%code = OpTypeFunction %void
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%long = OpTypeInt 64 1
%float = OpTypeFloat 32
%bool = OpTypeBool
%v3 = OpTypeVector %uint 3
%in = OpTypePointer Input %uint
%id = OpVariable %in Input
%_0 = OpConstant %uint 0
%_1 = OpConstant %uint 1
%x = OpSpecConstant %uint 1
%size = OpSpecConstantComposite %v3 %x %_1 %_1
%count = OpSpecConstant %int 4
%wide = OpSpecConstant %long -2
%scale = OpSpecConstant %float 0.5
%on = OpSpecConstantFalse %bool
%twice = OpSpecConstantOp %int IAdd %count %count
%chosen = OpSpecConstantOp %int Select %on %twice %count
%local = OpTypeArray %uint %chosen
%own = OpTypePointer Private %local
%one = OpTypePointer Private %uint
%kept = OpVariable %own Private
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%pointer = OpTypePointer StorageBuffer %block
%element = OpTypePointer StorageBuffer %uint
%o = OpVariable %pointer StorageBuffer
%main = OpFunction %void None %code
%start = OpLabel
%lane = OpLoad %uint %id
%last = OpISub %int %chosen %_1
%there = OpAccessChain %one %kept %last
OpStore %there %lane
%narrow = OpSConvert %int %wide
%bits = OpBitcast %uint %scale
%sum = OpIAdd %uint %narrow %chosen
%place = OpAccessChain %element %o %_0 %lane
OpStore %place %sum
OpReturn
OpFunctionEnd
"""


def ran(*spec: str, text: str = TEXT) -> list[str]:
    options = [word for one in spec for word in ("--spec", one)]
    answer = convcheck("run", "-q", "-", "--buffer", "o=u32[3]", "--show", "o", *options, stdin=text)
    return [str(answer.code), *answer.out.splitlines(), *answer.err.splitlines()]


def test_defaults_hold_where_nothing_is_chosen() -> None:
    assert ran() == ["0", "o = u32[3]: 2, 0, 0"]


def test_constants_are_chosen_by_name_id_and_number() -> None:
    """What is computed from them, the workgroup's size and that of arrays follow."""
    assert ran("x=3", "count=9", "8=0x10", "on=true") == ["0", "o = u32[3]: 34, 34, 34"]
    assert ran("0=2", "7=-1", "%wide=-5", "on=1", "on=0") != ran("0=2", "wide=-5")


def test_the_file_may_choose_and_the_command_line_wins() -> None:
    text = "; CONVCHECK: --spec 0=3 --spec count=1\n" + TEXT
    assert ran(text=text) == ["0", "o = u32[3]: 4294967295, 4294967295, 4294967295"]
    assert ran("count=10", text=text) == ["0", "o = u32[3]: 8, 8, 8"]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("size=3", "no specialization constant is called size; there are: 0, 7 (count), 8, 9, 10"),
        ("count=x", "count is a number, and not x"),
        ("count=1.5", "count is a number, and not 1.5"),
        ("count=4294967296", "4294967296 does not fit count, which has 32 bits"),
        ("on=2", "on is true or false, and not 2"),
        ("count", "NAME=VALUE is wanted"),
    ],
)
def test_what_cannot_be_chosen_is_named(word: str, said: str) -> None:
    code, *lines = ran(word)
    assert code == "2" and said in lines[-1]


def test_answers_name_what_was_chosen() -> None:
    answer = convcheck("run", "-", "--spec", "count=2", "--buffer", "o=u32[3]", stdin=TEXT)
    assert "count=2" in answer.out.splitlines()[-1]


def test_python_chooses_by_mappings() -> None:
    module = read(TEXT.encode(), constants={"count": 3, 9: 2.5, "on": True})
    assert "[6 x i32]" in module.source.text and "2.5" in module.source.text
    with pytest.raises(NotSpecialized):
        read(TEXT.encode(), constants={11: 0})


@pytest.mark.skipif(shutil.which("spirv-as") is None, reason="needs spirv-as (spirv-tools)")
def test_a_binary_is_specialized_as_its_text() -> None:
    """The binary that a driver is given has what was chosen for defaults."""
    command = ["spirv-as", "--target-env", "vulkan1.1", "-", "-o", "-"]
    made = subprocess.run(command, input=TEXT.encode(), capture_output=True, check=True, timeout=60).stdout
    values = {"0": "2", "count": "-3", "8": "-4000000000", "9": "1.25", "10": "true"}
    numbers: Chosen = specialized_values(parse(TEXT), values)
    changed = specialized_binary(made, numbers)
    assert len(changed) == len(made)

    def constants(data: bytes) -> list[tuple[str, object]]:
        return [(i.op, i.operands) for i in instructions_of(data) if i.op.startswith("OpSpecConstant")]

    before, behind = constants(made), constants(changed)
    assert behind[0] == ("OpSpecConstant", (2,)) and behind[5] == ("OpSpecConstantTrue", ())
    assert behind[2:5] == [
        ("OpSpecConstant", (2**32 - 3,)), ("OpSpecConstant", (2**64 - 4000000000,)),
        ("OpSpecConstant", (0x3FA00000,)),
    ]  # fmt: skip
    assert before[6:] == behind[6:] and specialized_binary(made, {}) == made
    shown = translate(changed).translation.text
    assert shown == translate(made, constants=values).translation.text
