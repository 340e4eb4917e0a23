"""What SPIR-V means: constructs, types and their places, constants.

covers: cli.plumbing.load, spirv.arithmetic, spirv.constants, spirv.extended, spirv.memory, spirv.module,
spirv.resources, spirv.structured, spirv.uniform, spirv.writing
"""

from __future__ import annotations

from pathlib import Path

import pytest

from convergence.spirv import Reconvergence, translate
from convergence.spirv.constants import (
    Array,
    Bool,
    Matrix,
    MatrixLayout,
    SPIRVFloat,
    SPIRVInt,
    Struct,
    Vector,
    float_text,
    is_natural,
    memory,
    offsets,
    signed,
    size,
)
from convergence.spirv.instruction import parse
from convergence.spirv.module import build
from convergence.spirv.structured import structure
from tests.cli.cli_harness import convcheck

LOOP = "examples_ll/spirv/loop.spvasm"


def test_blocks_belong_to_their_innermost_construct() -> None:
    module = build(parse(Path(LOOP).read_text()))
    shape = structure(module.functions[0])
    loops = {label[1:]: c.header[1:] if c is not None else None for label, c in shape.of.items()}
    assert loops == {
        "begin": None, "head": "head", "test": "head", "body": "head", "skip": "body", "even": "head",
        "leave": "even", "go": "head", "next": "head", "end": None,
    }  # fmt: skip


F32, U32 = SPIRVFloat(32), SPIRVInt(32)
VEC3 = Vector(F32, 3)
MAT2, MAT23 = Matrix(Vector(F32, 2), 2), Matrix(VEC3, 2)


@pytest.mark.parametrize(
    ("type_", "bytes_", "starts", "natural"),
    [
        (Struct("%s", (U32, VEC3)), 32, (0, 16), True),
        (Struct("%s", (U32, VEC3), (0, 16)), 32, (0, 16), True),
        (Struct("%s", (U32, VEC3), (0, 4)), 16, (0, 4), False),
        (Struct("%s", (Array(F32, 2, 16), F32), (0, 32)), 36, (0, 32), False),
        (Struct("%s", (SPIRVInt(8), SPIRVInt(64), Bool())), 24, (0, 8, 16), False),
        (Struct("%s", (MAT2, F32), (0, 32), (MatrixLayout(16), None)), 40, (0, 32), False),
        (Struct("%s", (F32, MAT2), (0, 16), (None, MatrixLayout(16))), 40, (0, 16), False),
        (Struct("%s", (F32, MAT23), (0, 16), (None, MatrixLayout(16, rows=True))), 64, (0, 16), False),
    ],
)
def test_members_lie_where_they_are_said_to(
    type_: Struct, bytes_: int, starts: tuple[int, ...], natural: bool
) -> None:
    assert offsets(type_) == starts
    assert is_natural(type_) == natural
    assert size(type_) == bytes_
    assert memory(type_).startswith("{" if natural else "[")


def test_numbers_are_spelled_exactly() -> None:
    assert float_text(0x3F800000, 32) == "1.000000e+00"
    assert float_text(0x3DCCCCCD, 32) == "0x3FB99999A0000000"
    assert float_text(0x7FC00000, 32) == "0x7FF8000000000000"
    assert float_text(0x2E66, 16) == "0xH2E66"
    assert signed(8, 255) == -1 and signed(8, 127) == 127


def test_a_translation_says_where_its_lines_come_from() -> None:
    shown = convcheck("translate", "--origins", LOOP).out
    line = next(x for x in shown.splitlines() if x.startswith("  %sum = "))
    assert line.endswith("%sum = OpGroupNonUniformIAdd %uint %_3 Reduce %i")


def test_undefined_behaviour_is_placed_in_the_spirv() -> None:
    ran = convcheck("run", LOOP, "--buffer", "o=u32[2]")
    assert ran.code == 1
    assert f"at {LOOP}:" in ran.out and "(index 2: it has 2 elements)" in ran.out


def test_what_is_not_read_is_named() -> None:
    text = Path(LOOP).read_text().replace("OpBitwiseAnd %uint %j %_1", "OpImageQuerySize %uint %j")
    ran = convcheck("verify", "-", stdin=text)
    assert ran.code == 3 and "not supported: OpImageQuerySize" in ran.err
    ran = convcheck("run", "-", "--buffer", "o=u32[3]", stdin=text)
    assert ran.code == 3 and "Not modelled: OpImageQuerySize" in ran.out and "reached by thread 1" in ran.out


IMAGES = """OpCapability Addresses
OpCapability Kernel
OpCapability ImageBasic
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %paint "paint"
OpEntryPoint Kernel %twice "twice"
OpEntryPoint Kernel %either "either"
OpName %a "a"
OpName %n "n"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%two = OpConstant %uint 2
%image = OpTypeImage %void 2D 0 0 0 0 Unknown WriteOnly
%pointer = OpTypePointer CrossWorkgroup %uint
%painter = OpTypeFunction %void %image
%on = OpTypeFunction %void %pointer
%paint = OpFunction %void None %painter
%im = OpFunctionParameter %image
%begin = OpLabel
OpReturn
OpFunctionEnd
%twice = OpFunction %void None %on
%a = OpFunctionParameter %pointer
%start = OpLabel
%old = OpLoad %uint %a Aligned 4
%new = OpIMul %uint %old %two
OpStore %a %new Aligned 4
OpReturn
OpFunctionEnd
%either = OpFunction %void None %on
%n = OpFunctionParameter %pointer
%top = OpLabel
%which = OpLoad %uint %n Aligned 4
%big = OpUGreaterThan %bool %which %two
OpBranchConditional %big %draw %end
%draw = OpLabel
%some = OpUndef %image
%size = OpImageQuerySize %uint %some
OpBranch %end
%end = OpLabel
%one = OpPhi %uint %which %top %size %draw
OpStore %n %one Aligned 4
OpReturn
OpFunctionEnd
"""


@pytest.mark.parametrize(
    ("function", "buffer", "code", "words"),
    [
        ("twice", "%a=i32[1]:21", 0, "%a = i32[1]: 42"),
        ("either", "%n=i32[1]:1", 0, "%n = i32[1]: 1"),
        ("either", "%n=i32[1]:3", 3, "Not modelled: OpUndef: values of OpTypeImage"),
        ("paint", None, 3, "Not modelled: OpFunction: values of OpTypeImage"),
    ],
)
def test_only_what_a_thread_comes_to_has_to_be_read(
    function: str, buffer: str | None, code: int, words: str
) -> None:
    given = [] if buffer is None else ["--buffer", buffer, "--show", buffer.partition("=")[0]]
    ran = convcheck("run", "-", "--function", f"@{function}", *given, stdin=IMAGES)
    assert ran.code == code and words in ran.out
    note = "not supported, where a thread comes to it: OpFunction: values of OpTypeImage and 2 more"
    assert note in ran.out
    refused = convcheck("verify", "-", stdin=IMAGES)
    assert refused.code == 3 and "<stdin>:18: not supported: OpFunction: values of OpTypeImage" in refused.err


BASE = """
OpCapability Shader
OpCapability GroupNonUniform
OpCapability GroupNonUniformBallot
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %wg
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %wg BuiltIn WorkgroupId
%void = OpTypeVoid
%code = OpTypeFunction %void
%uint = OpTypeInt 32 0
%v3 = OpTypeVector %uint 3
%v4 = OpTypeVector %uint 4
%bool = OpTypeBool
%in = OpTypePointer Input %uint
%in3 = OpTypePointer Input %v3
%id = OpVariable %in Input
%wg = OpVariable %in3 Input
%_0 = OpConstant %uint 0
%_3 = OpConstant %uint 3
%true = OpConstantTrue %bool
%main = OpFunction %void None %code
%start = OpLabel
%own = OpLoad %uint %id
%group = OpLoad %v3 %wg
%x = OpCompositeExtract %uint %group 0
%c = OpIEqual %bool {on} %_0
%before = OpGroupNonUniformBallot %v4 %_3 %true
OpSelectionMerge %merge None
OpBranchConditional %c %then %merge
%then = OpLabel
%inside = OpGroupNonUniformBallot %v4 %_3 %true
{leave}
%merge = OpLabel
%behind = OpGroupNonUniformBallot %v4 %_3 %true
OpReturn
OpFunctionEnd
"""


AGAIN = """%odd = OpULessThan %bool %own %_0
OpSelectionMerge %on None
OpBranchConditional %odd %more %on
%more = OpLabel
OpBranch %on
%on = OpLabel
%inside.again = OpGroupNonUniformBallot %v4 %_3 %true
OpBranch %merge"""


@pytest.mark.parametrize(
    ("on", "leave", "free"),
    [
        ("%x", "OpBranch %merge", []),
        ("%own", "OpBranch %merge", []),  # one path leads to each
        ("%own", "OpReturn", []),
        ("%own", AGAIN, ["inside.again"]),
        ("%own", AGAIN.replace("OpBranch %merge", "OpReturn"), ["inside.again"]),
        ("%x", "OpReturn", []),
    ],
)
def test_base_promises_what_is_uniform(on: str, leave: str, free: list[str]) -> None:
    text = BASE.replace("{on}", on).replace("{leave}", leave).encode()
    lines = translate(text, Reconvergence.BASE).translation.text.splitlines()
    anchors = {line.split()[0] for line in lines if "convergence.anchor()" in line}
    tokens = {
        line.split()[0][1:]: line.split("token ")[1].split(")")[0]
        for line in lines
        if "Ballot" in line and " = " in line
    }
    assert [name for name, token in tokens.items() if token in anchors] == free
    lines = translate(text, Reconvergence.MAXIMAL).translation.text.splitlines()
    assert not any("anchor" in line for line in lines)


KERNEL = """
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpCapability Groups
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %f "f" %id
OpName %n "n"
OpDecorate %id BuiltIn LocalInvocationIndex
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%code = OpTypeFunction %void %uint
%in = OpTypePointer Input %uint
%id = OpVariable %in Input
%_0 = OpConstant %uint 0
%_3 = OpConstant %uint 3
%true = OpConstantTrue %bool
%f = OpFunction %void None %code
%n = OpFunctionParameter %uint
%start = OpLabel
%own = OpLoad %uint %id
%c = OpIEqual %bool {on} %_0
%before = OpGroupAll %bool %_3 %true
OpBranchConditional %c %then %else
%then = OpLabel
%inside = OpGroupAll %bool %_3 %true
OpBranch %else
%else = OpLabel
%behind = OpGroupAll %bool %_3 %true
OpReturn
OpFunctionEnd
"""


@pytest.mark.parametrize(("on", "free"), [("%n", []), ("%own", ["behind"])])
def test_nothing_is_promised_behind_a_divergent_branch_of_a_kernel(on: str, free: list[str]) -> None:
    """Its arguments are the same for all; no merge instruction says where threads meet."""
    text = KERNEL.replace("{on}", on).encode()
    lines = translate(text, Reconvergence.BASE).translation.text.splitlines()
    anchors = [line.split()[0][1:] for line in lines if '"convcheck.meet"()' in line]
    assert [name.removesuffix(".0") for name in anchors] == free
    assert "convergencectrl" not in translate(text).translation.text


def test_a_buffer_is_named_by_set_and_binding() -> None:
    text = "\n".join(line for line in Path(LOOP).read_text().split("\n") if not line.startswith(";"))
    ran = convcheck("run", "-q", "-", "--buffer", "0:0=u32[4]:9,9,9,9", "--show", "0:0", stdin=text)
    assert ran.out == "0:0 = u32[4]: 0, 6, 6, 8\n"
    ran = convcheck("run", "-q", "-", "--buffer", "o=u32[4]", "--show", "0:0", stdin=text)
    assert "4]: 0, 6, 6, 8" in ran.out
    assert convcheck("run", "-", "--buffer", "1:0=u32[4]", stdin=text).code == 2


def test_types_that_do_not_fit_are_placed_in_the_spirv() -> None:
    text = Path(LOOP).read_text().replace("OpIAdd %uint %acc %sum", "OpIAdd %uint %acc %true")
    line = next(n for n, x in enumerate(text.split("\n"), 1) if "%acc %true" in x)
    ran = convcheck("verify", "-", stdin=text)
    assert ran.code == 2 and f"<stdin>:{line}: no LLVM IR comes of it" in ran.err


KILL = """
OpCapability Shader
OpCapability GroupNonUniform
OpCapability GroupNonUniformBallot
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
%void = OpTypeVoid
%code = OpTypeFunction %void
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%v4 = OpTypeVector %uint 4
%in = OpTypePointer Input %uint
%id = OpVariable %in Input
%_1 = OpConstant %uint 1
%_3 = OpConstant %uint 3
%true = OpConstantTrue %bool
%inner = OpFunction %void None %code
%start = OpLabel
%own = OpLoad %uint %id
%c = OpIEqual %bool %own %_1
OpSelectionMerge %rest None
OpBranchConditional %c %gone %rest
%gone = OpLabel
OpKill
%rest = OpLabel
OpReturn
OpFunctionEnd
%main = OpFunction %void None %code
%begin = OpLabel
%before = OpGroupNonUniformBallot %v4 %_3 %true
%call = OpFunctionCall %void %inner
%behind = OpGroupNonUniformBallot %v4 %_3 %true
OpReturn
OpFunctionEnd
"""


@pytest.mark.parametrize("op", ["OpKill", "OpTerminateInvocation"])
def test_a_thread_that_is_terminated_is_in_no_group_any_more(op: str) -> None:
    """In whatever function: the others go on together, in base as they took one way."""
    ran = convcheck("run", "-", "--no-verify", stdin=KILL.replace("OpKill", op))
    assert ran.code == 0 and "threads 0-3 #1: [15, 0, 0, 0]" in ran.out
    assert "threads 0, 2, 3 #1: [13, 0, 0, 0]" in ran.out
    base = convcheck("enumerate", "-", "--reconvergence", "base", stdin=KILL.replace("OpKill", op))
    assert "threads 0, 2, 3 #1: [13, 0, 0, 0]" in base.out and "Alignments: 1 (complete)" in base.out


SWITCH = """
OpCapability Shader
OpCapability GroupNonUniform
OpCapability GroupNonUniformBallot
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
%void = OpTypeVoid
%code = OpTypeFunction %void
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%v4 = OpTypeVector %uint 4
%in = OpTypePointer Input %uint
%local = OpTypePointer Function %uint
%id = OpVariable %in Input
%_0 = OpConstant %uint 0
%_1 = OpConstant %uint 1
%_2 = OpConstant %uint 2
%_3 = OpConstant %uint 3
%_5 = OpConstant %uint 5
%true = OpConstantTrue %bool
%main = OpFunction %void None %code
%start = OpLabel
%way = OpVariable %local Function %_5
%own = OpLoad %uint %id
%c = OpULessThan %bool %own %_2
OpSelectionMerge %chosen None
OpBranchConditional %c %few %chosen
%few = OpLabel
OpStore %way %_1
OpBranch %chosen
%chosen = OpLabel
%selector = SELECTOR
OpSelectionMerge %merge None
OpSwitch %selector %other 0 %zero 1 %one
%zero = OpLabel
OpBranch %merge
%one = OpLabel
OpBranch %merge
%other = OpLabel
%votes = OpGroupNonUniformBallot %v4 %_3 %true
OpBranch %merge
%merge = OpLabel
OpReturn
OpFunctionEnd
"""


@pytest.mark.parametrize(
    ("selector", "several"),
    [
        ("OpCopyObject %uint %own", True),
        ("OpBitwiseAnd %uint %own %_1", False),
        ("OpBitwiseAnd %uint %_2 %own", False),
        ("OpBitwiseAnd %uint %own %_3", True),
        ("OpUMod %uint %own %_3", False),
        ("OpUMod %uint %own %_5", True),
        ("OpUMod %uint %_3 %own", True),
        ("OpPhi %uint %_0 %start %_2 %few", False),
        ("OpPhi %uint %own %start %_2 %few", True),
        ("OpSelect %uint %c %_3 %_2", True),
        ("OpSelect %uint %c %_1 %_2", False),
        ("OpLoad %uint %way", False),
        ("OpLoad %uint %way\nOpStore %way %own", True),
        ("OpLoad %uint %way\nOpStore %way %_3", True),
        ("OpLoad %uint %way\n%copied = OpCopyObject %local %way", True),
        ("OpIAdd %uint %own %_1", True),
    ],
)
def test_a_case_with_one_value_is_no_choice(selector: str, several: bool) -> None:
    """The default with the values 2, or 5 of the variable: only where no other value is left are those who
    come together for certain."""
    shown = translate(SWITCH.replace("SELECTOR", selector).encode()).translation.text
    assert ("convergence.anchor" in shown) is several


def test_threads_with_one_value_are_together() -> None:
    text = SWITCH.replace("SELECTOR", "OpUMod %uint %own %_3")
    assert "Alignments: 1 (complete)" in convcheck("enumerate", "-", stdin=text).out
    text = SWITCH.replace("SELECTOR", "OpBitwiseAnd %uint %own %_3")
    assert "Alignments: 2 (complete)" in convcheck("enumerate", "-", stdin=text).out


def test_a_broadcast_from_lanes_that_differ_gives_anything() -> None:
    """Its lane number has to be dynamically uniform."""
    text = Path("examples_ll/spirv/switch-two-values.spvasm").read_text()
    ballot = "OpGroupNonUniformBallot %v4 %_3 %true"
    for lane, shown in (("%_1", "threads 0, 1 #1: 1"), ("%own", "threads 0, 1 #1: poison")):
        operation = f"OpGroupNonUniformBroadcast %uint %_3 %own {lane}"
        assert shown in convcheck("run", "-", stdin=text.replace(ballot, operation)).out
