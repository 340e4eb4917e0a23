"""Images without a sampler are buffers of texels, which the launch's shape lays out.

covers: semantics.instructions.resources, spirv.resources
"""

from __future__ import annotations

import pytest

from convergence.spirv import Reconvergence, translate
from tests.cli.cli_harness import convcheck

SHADER = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index
OpExecutionMode %main LocalSize 6 1 1
OpName %from "from"
OpName %to "to"
OpName %o "o"
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %numbers ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %from DescriptorSet 0
OpDecorate %from Binding 0
OpDecorate %to DescriptorSet 0
OpDecorate %to Binding 1
OpDecorate %o DescriptorSet 0
OpDecorate %o Binding 2
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%uint2 = OpTypeVector %uint 2
%uint3 = OpTypeVector %uint 3
%texel = OpTypeVector {sampled} 4
%_0 = OpConstant %uint 0
%_1 = OpConstant %uint 1
%_2 = OpConstant %uint 2
%_3 = OpConstant %uint 3
%source = OpTypeImage {sampled} {kind}
%target = OpTypeImage {sampled} {kind}
%numbers = OpTypeRuntimeArray %uint
%block = OpTypeStruct %numbers
%in = OpTypePointer Input %uint
%source_p = OpTypePointer UniformConstant %source
%texel_p = OpTypePointer Image %uint
%buffer = OpTypePointer StorageBuffer %block
%element = OpTypePointer StorageBuffer %uint
%index = OpVariable %in Input
%from = OpVariable %source_p UniformConstant
%to = OpVariable %source_p UniformConstant
%o = OpVariable %buffer StorageBuffer
%code = OpTypeFunction %void
%main = OpFunction %void None %code
%begin = OpLabel
%i = OpLoad %uint %index
%x = OpUMod %uint %i %_3
%y = OpUDiv %uint %i %_3
%at = OpCompositeConstruct %uint2 %x %y
%place = OpAccessChain %element %o %_0 %i
%images = OpLoad %source %from
%imaged = OpLoad %source %to
{body}
OpReturn
OpFunctionEnd
"""
COPY = "%v = OpImageRead %texel %images %at\nOpImageWrite %imaged %at %v"
STORAGE = "2D 2 0 0 2 "


def ran(body: str, kind: str, sampled: str, *arguments: str, code: int = 0) -> str:
    """What a shader of six threads prints, one for each texel of two rows of three."""
    text = SHADER.format(body=body, kind=kind, sampled=sampled)
    answer = convcheck("run", "-", "--engine", "both", *arguments, stdin=text)
    assert answer.code == code, answer.out + answer.err
    return answer.out + answer.err


@pytest.mark.parametrize(
    ("format_", "sampled", "buffer", "copied"),
    [
        ("R32f", "%float", "f32[2,3]:0,0.5,...", "0.0, 0.5, 1.0, 1.5, 2.0, 2.5"),
        ("R32i", "%int", "i32[2,3]:-1,-2,...", "-1, -2, -3, -4, -5, -6"),
        ("R16f", "%float", "f16[2,3]:0,0.5,...", "0.0, 0.5, 1.0, 1.5, 2.0, 2.5"),
        ("R8", "%float", "u8[2,3]:0,51,...", "0, 51, 102, 153, 204, 255"),
        ("R16Snorm", "%float", "i16[2,3]:-32768,-32767,-1,0,1,32767", "-32767, -32767, -1, 0, 1, 32767"),
        ("R8i", "%int", "i8[2,3]:-3,-2,...", "-3, -2, -1, 0, 1, 2"),
        ("Rg16ui", "%uint", "u16[2,3,2]:0,1,...", "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"),
        ("Unknown", "%float", "f32[2,3]:0,1,...", "0.0, 1.0, 2.0, 3.0, 4.0, 5.0"),
        ("Unknown", "%uint", "u32[2,3,2]:0,1,...", "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"),
    ],
)
def test_texels_are_copied(format_: str, sampled: str, buffer: str, copied: str) -> None:
    words = buffer.partition(":")[0]
    launch = ("--buffer", f"from={buffer}", "--buffer", f"to={words}", "--show", "to")
    assert f"to = {words}: {copied}\n" in ran(COPY, STORAGE + format_, sampled, *launch)


@pytest.mark.parametrize(("format_", "words"), [("Rg16f", "f16[2,3,2]"), ("Unknown", "f32[2,3,2]")])
def test_channels_that_an_image_lacks_are_zero_and_the_fourth_one(format_: str, words: str) -> None:
    body = """%v = OpImageRead %texel %images %at
%z = OpCompositeExtract %float %v 2
%w = OpCompositeExtract %float %v 3
%sum = OpFAdd %float %z %w
%bits = OpBitcast %uint %sum
OpStore %place %bits"""
    launch = ("--buffer", f"from={words}:5,...", "--buffer", "o=f32[6]", "--show", "o")
    assert "o = f32[6]: 1.0, 1.0, 1.0, 1.0, 1.0, 1.0\n" in ran(body, STORAGE + format_, "%float", *launch)


def test_fractions_are_rounded_to_the_nearest_and_bounded() -> None:
    body = """%f = OpConvertUToF %float %i
%half = OpFMul %float %f %quarter
%t = OpCompositeConstruct %texel %half %half %half %half
OpImageWrite %imaged %at %t"""
    text = SHADER.format(body=body, kind=STORAGE + "R8", sampled="%float")
    text = text.replace("%code =", "%quarter = OpConstant %float 0.25\n%code =", 1)
    answer = convcheck("run", "-q", "-", "--buffer", "to=u8[2,3]", "--show", "to", stdin=text)
    assert "to = u8[2,3]: 0, 64, 128, 191, 255, 255\n" in answer.out, answer.out + answer.err


@pytest.mark.parametrize("format_", ["R32ui", "Unknown"])
def test_outside_nothing_is_written_and_undef_read(format_: str) -> None:
    body = """%right = OpIAdd %uint %x %_1
%there = OpCompositeConstruct %uint2 %right %y
%v = OpImageRead %texel %images %there
%c = OpCompositeExtract %uint %v 0
OpStore %place %c
%new = OpCompositeConstruct %texel %i %i %i %i
OpImageWrite %imaged %there %new"""
    launch = ("--buffer", "from=u32[2,3]:1,2,...", "--buffer", "to=u32[2,3]:9,...", "--buffer", "o=u32[6]")
    out = ran(body, STORAGE + format_, "%uint", *launch, "--show", "o", "--show", "to")
    assert "o = u32[6]: 2, 3, undef, 5, 6, undef\n" in out
    assert "to = u32[2,3]: 9, 0, 1, 9, 3, 4\n" in out


@pytest.mark.parametrize(
    ("format_", "sampled", "words", "numbers"),
    [
        ("R8i", "%int", "i8[2,3]", "-1, -51, -101, poison, poison, poison"),
        ("R8ui", "%uint", "u8[2,3]", "1, 51, 101, 151, 201, 251"),
    ],
)
def test_an_integer_that_does_not_fit_is_poison(format_: str, sampled: str, words: str, numbers: str) -> None:
    body = """%fifty = OpIMul %uint %i %fifty_
%more = OpIAdd %uint %fifty %_1
%n = OpBitcast SAMPLED %more
%less = OpSNegate SAMPLED %n
%t = OpCompositeConstruct %texel VALUE VALUE VALUE VALUE
OpImageWrite %imaged %at %t"""
    body = body.replace("SAMPLED", sampled).replace("VALUE", "%less" if sampled == "%int" else "%n")
    if sampled == "%uint":
        body = body.replace("%n = OpBitcast %uint %more", "%n = OpCopyObject %uint %more").replace(
            "%less = OpSNegate %uint %n\n", ""
        )
    text = SHADER.format(body=body, kind=STORAGE + format_, sampled=sampled)
    text = text.replace("%code =", "%fifty_ = OpConstant %uint 50\n%code =", 1)
    answer = convcheck("run", "-q", "-", "--buffer", f"to={words}", "--show", "to", stdin=text)
    assert f"to = {words}: {numbers}\n" in answer.out, answer.out + answer.err


def test_a_shape_says_how_large_an_image_is() -> None:
    body = """%size = OpImageQuerySize %uint2 %images
%width = OpCompositeExtract %uint %size 0
%height = OpCompositeExtract %uint %size 1
%ten = OpIMul %uint %width %_3
%n = OpIAdd %uint %ten %height
OpStore %place %n"""
    launch = ("--buffer", "from=u8[7,5,4]", "--buffer", "o=u32[6]", "--show", "o")
    assert "o = u32[6]: 22, 22, 22, 22, 22, 22\n" in ran(body, STORAGE + "Rgba8ui", "%uint", *launch)


@pytest.mark.parametrize(("dimensions", "shape"), [("3D 2 0 0 1", "2,3,4"), ("2D 2 1 0 1", "2,3,4")])
def test_a_layer_lies_behind_the_one_before(dimensions: str, shape: str) -> None:
    body = """%far = OpCompositeConstruct %uint3 %x %y %_1
%v = OpImageFetch %texel %images %far Lod %_0
%c = OpCompositeExtract %uint %v 0
OpStore %place %c"""
    launch = ("--buffer", f"from=u32[{shape}]:0,1,...", "--buffer", "o=u32[6]", "--show", "o")
    out = ran(body, f"{dimensions} Unknown", "%uint", *launch)
    assert "o = u32[6]: 12, 13, 14, 16, 17, 18\n" in out


@pytest.mark.parametrize(
    "several", ["%several = OpTypeArray %source %_2", "%several = OpTypeRuntimeArray %source"]
)
def test_an_array_of_images_has_one_binding(several: str) -> None:
    body = """%which = OpUMod %uint %i %_2
%element_of = OpAccessChain %source_p %from %which
%one = OpLoad %source %element_of
%v = OpImageRead %texel %one %at
%c = OpCompositeExtract %uint %v 0
OpStore %place %c"""
    text = SHADER.format(body=body, kind=STORAGE + "R32ui", sampled="%uint").replace(
        "%from = OpVariable %source_p", "%from = OpVariable %several_p", 1
    )
    text = text.replace("%images = OpLoad %source %from\n", "", 1).replace(
        "%numbers =", f"{several}\n%several_p = OpTypePointer UniformConstant %several\n%numbers =", 1
    )
    launch = ("--buffer", "from[0]=u32[2,3]:0,1,...", "--buffer", "u0[1]=u32[2,3]:10,11,...")
    answer = convcheck("run", "-q", "-", *launch, "--buffer", "o=u32[6]", "--show", "o", stdin=text)
    assert "o = u32[6]: 0, 11, 2, 13, 4, 15\n" in answer.out, answer.out + answer.err


def test_texels_are_accessed_atomically() -> None:
    body = """%near = OpCompositeConstruct %uint2 %x %_0
%p = OpImageTexelPointer %texel_p %from %near %_0
%old = OpAtomicIAdd %uint %p %_1 %_0 %_1"""
    launch = ("--buffer", "from=u32[2,3]", "--show", "from")
    assert "from = u32[2,3]: 2, 2, 2, 0, 0, 0\n" in ran(body, STORAGE + "R32ui", "%uint", *launch)


def test_writes_to_one_texel_race() -> None:
    body = """%near = OpCompositeConstruct %uint2 %x %_0
%t = OpCompositeConstruct %texel %i %i %i %i
OpImageWrite %images %near %t"""
    assert "race on u0" in ran(body, STORAGE + "R32ui", "%uint", "--buffer", "from=u32[2,3]")


@pytest.mark.parametrize(("semantics", "races"), [(0x808, False), (0x108, True)])
def test_a_barrier_orders_images(semantics: int, races: bool) -> None:
    """ImageMemory, or WorkgroupMemory, with AcquireRelease."""
    body = """%t = OpCompositeConstruct %texel %i %i %i %i
OpImageWrite %images %at %t
OpControlBarrier %_2 %_2 %semantics
%left = OpISub %uint %_2 %x
%there = OpCompositeConstruct %uint2 %left %y
%v = OpImageRead %texel %images %there
%c = OpCompositeExtract %uint %v 0
OpStore %place %c"""
    text = SHADER.format(body=body, kind=STORAGE + "R32ui", sampled="%uint")
    text = text.replace("%code =", f"%semantics = OpConstant %uint {semantics}\n%code =", 1)
    launch = ("--buffer", "from=u32[2,3]", "--buffer", "o=u32[6]", "--show", "o")
    answer = convcheck("run", "-", *launch, stdin=text)
    assert ("race on u0" in answer.out) == races, answer.out + answer.err
    assert ("o = u32[6]: 2, 1, 0, 5, 4, 3\n" in answer.out) != races


@pytest.mark.parametrize(
    ("body", "kind", "why"),
    [
        (COPY, STORAGE + "R11fG11fB10f", "the image format R11fG11fB10f"),
        (COPY, "Cube 2 0 0 2 R32f", "OpTypeImage in memory"),
        ("%v = OpImageFetch %texel %images %at Lod %_1", "2D 2 0 0 1 Unknown", "the image operands Lod"),
        (COPY, STORAGE + "R32f", "the image u0, which is given no buffer"),
    ],
)
def test_what_is_not_modelled_is_named(body: str, kind: str, why: str) -> None:
    assert why in ran(body, kind, "%float", code=3)


def test_a_buffer_of_another_shape_is_named() -> None:
    out = ran(COPY, STORAGE + "R32f", "%float", "--buffer", "from=f32[6]", code=3)
    assert (
        "the image u0 as [6] numbers of 4 bytes: it has 2 dimensions of texels of 1 channel of 4 bytes" in out
    )


@pytest.mark.parametrize(("op", "use", "apart"), [("OpImageRead", 2, True), ("OpImageFetch", 1, False)])
def test_base_knows_that_others_write_to_storage_images(op: str, use: int, apart: bool) -> None:
    """The vote in the branch is of all threads for certain, or has an anchor."""
    body = f"""%same = OpCompositeConstruct %uint2 %_0 %_0
%v = {op} %texel %images %same
%c = OpCompositeExtract %uint %v 0
%first = OpIEqual %bool %c %_0
%second = OpIEqual %bool %i %_1
OpSelectionMerge %after None
OpBranchConditional %first %then %after
%then = OpLabel
OpSelectionMerge %on None
OpBranchConditional %second %aside %on
%aside = OpLabel
OpBranch %on
%on = OpLabel
%n = OpGroupNonUniformAny %bool %_3 %second
OpBranch %after
%after = OpLabel"""
    text = SHADER.format(body=body, kind=f"2D 2 0 0 {use} Unknown", sampled="%uint")
    text = translate(text.encode(), Reconvergence.BASE).translation.text
    assert ("anchor" in text) == apart
