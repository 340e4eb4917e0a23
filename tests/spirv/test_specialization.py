"""Specialization constants take the values that a user chooses.

covers: cli.plumbing.load, spirv.constants
"""

from __future__ import annotations

import math
import shutil
import subprocess
from collections.abc import Callable

import pytest

from convergence.spirv import NotSpecialized, read, translate
from convergence.spirv.constants import Chosen, specialized_binary, specialized_values
from convergence.spirv.instruction import parse
from convergence.spirv.reading import instructions_of
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


FOLDS = """
OpCapability Shader
OpCapability Int64
OpCapability Int16
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %o DescriptorSet 0
OpDecorate %o Binding 0
OpDecorate %words ArrayStride 8
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
%void = OpTypeVoid
%code = OpTypeFunction %void
%uint = OpTypeInt 32 0
%s16 = OpTypeInt 16 1
%s32 = OpTypeInt 32 1
%s64 = OpTypeInt 64 1
%words = OpTypeRuntimeArray %s64
%block = OpTypeStruct %words
%pointer = OpTypePointer StorageBuffer %block
%element = OpTypePointer StorageBuffer %s64
%o = OpVariable %pointer StorageBuffer
%_0 = OpConstant %uint 0
"""


def test_what_is_folded_is_what_runs_compute() -> None:
    """Of each operation and signs of operands: SPIR-V, *Arithmetic Instructions* (OpSRem has the sign of the
    first operand, OpSMod that of the second), once as a constant, once with an operand that is loaded."""
    head, body, expected = [FOLDS], [], []
    numbers = [(7, 3), (-7, 3), (7, -3), (-7, -3), (6, -3), (-1, 768), (0, -5)]
    of: dict[str, Callable[[int, int], int]] = {
        "SRem": lambda a, b: int(math.fmod(a, b)),
        "SMod": lambda a, b: a % b,
        "SDiv": lambda a, b: int(a / b),
        "IMul": lambda a, b: a * b,
    }
    cases = [(op, width, a, b) for op in of for width in (16, 32, 64) for a, b in numbers]
    cases += [("ShiftRightArithmetic", 64, -(2**40), 38), ("ShiftLeftLogical", 64, 3, 40)]
    for n, (op, width, a, b) in enumerate(cases):
        shift = op.startswith("Shift")
        type_, other = f"%s{width}", "%uint" if shift else f"%s{width}"
        head += [
            f"%a{n} = OpSpecConstant {type_} {a}", f"%b{n} = OpConstant {other} {b}",
            f"%f{n} = OpSpecConstantOp {type_} {op} %a{n} %b{n}",
            f"%p{n} = OpTypePointer Private {type_}", f"%v{n} = OpVariable %p{n} Private %a{n}",
            f"%i{n} = OpConstant %uint {2 * n}", f"%j{n} = OpConstant %uint {2 * n + 1}",
        ]  # fmt: skip
        body += [f"%l{n} = OpLoad {type_} %v{n}", f"%d{n} = Op{op} {type_} %l{n} %b{n}"]
        for value, place in ((f"%f{n}", f"%i{n}"), (f"%d{n}", f"%j{n}")):
            wide = value if width == 64 else f"{value}w"
            body += [] if width == 64 else [f"{wide} = OpSConvert %s64 {value}"]
            body += [
                f"%at{place[1:]} = OpAccessChain %element %o %_0 {place}",
                f"OpStore %at{place[1:]} {wide}",
            ]
        expected += [
            {"ShiftRightArithmetic": -4, "ShiftLeftLogical": 3 << 40}[op] if shift else of[op](a, b)
        ] * 2
    body = ["%main = OpFunction %void None %code", "%start = OpLabel", *body, "OpReturn", "OpFunctionEnd"]
    size = len(expected)
    answer = convcheck(
        "run", "-q", "-", "--buffer", f"o=i64[{size}]", "--show", "o", stdin="\n".join(head + body)
    )
    assert answer.out == f"o = i64[{size}]: {', '.join(map(str, expected))}\n", answer.err


@pytest.mark.parametrize("op", ["SDiv", "SRem", "SMod"])
@pytest.mark.parametrize(("a", "b"), [(7, 0), (-(2**31), -1)])
def test_what_is_undefined_is_folded_to_nothing(op: str, a: int, b: int) -> None:
    text = f"{FOLDS}%a = OpSpecConstant %s32 {a}\n%b = OpConstant %s32 {b}\n"
    text += f"%f = OpSpecConstantOp %s32 {op} %a %b\n%p = OpTypePointer Private %s32\n"
    text += "%v = OpVariable %p Private %f\n"
    text += "%main = OpFunction %void None %code\n%start = OpLabel\n%l = OpLoad %s32 %v\n"
    text += "OpReturn\nOpFunctionEnd\n"
    assert "i32 undef" in translate(text.encode()).translation.text
