"""Whole modules of SPIR-V that say something unusual, and what running them gives.

covers: semantics.operations.ids, spirv.arithmetic, spirv.constants, spirv.extended, spirv.instruction,
spirv.resources, spirv.translation, spirv.uniform
"""

from __future__ import annotations

import struct
from time import process_time

import pytest

from convergence.spirv.instruction import parse
from convergence.spirv.module import build
from convergence.spirv.uniform import unwritten_buffers
from tests.cli.cli_harness import convcheck

KERNEL = """
OpCapability Kernel
OpCapability Addresses
OpCapability Int64
OpCapability Int8
OpCapability Float16
%cl = OpExtInstImport "OpenCL.std"
OpMemoryModel {model} OpenCL
OpEntryPoint Kernel %f "f"
OpName %out "out"
OpName %n "n"
%void = OpTypeVoid
%bool = OpTypeBool
%uchar = OpTypeInt 8 0
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%half = OpTypeFloat 16
%float = OpTypeFloat 32
%uint2 = OpTypeVector %uint 2
%float3 = OpTypeVector %float 3
%to = OpTypePointer CrossWorkgroup %uint
%own = OpTypePointer Function %uint
%_0 = OpConstant %uint 0
%_1 = OpConstant %uint 1
%_2 = OpConstant %uint 2
%_7 = OpConstant %uint 7
%_9 = OpConstant %uint 9
{declarations}
%code = OpTypeFunction %void %to %uint
%f = OpFunction %void None %code
%out = OpFunctionParameter %to
%n = OpFunctionParameter %uint
%start = OpLabel
{body}
OpReturn
OpFunctionEnd
"""


def kernel(body: str, declarations: str = "", model: str = "Physical64") -> str:
    return KERNEL.format(body=body, declarations=declarations, model=model)


def stored(text: str, *arguments: str, words: int = 1) -> str:
    """What a kernel leaves in its buffer."""
    buffer = f"--buffer=%out=u32[{words}]"
    ran = convcheck("run", "-q", "-", buffer, "--show", "%out", *arguments, stdin=text)
    assert ran.code == 0, ran.out + ran.err
    return ran.out.partition(": ")[2].strip()


PAIR = """%pair = OpTypeStruct %own %uint
%pairs = OpTypePointer Function %pair"""
OFFSET = """%k = OpVariable %pairs Function
%second = OpInBoundsPtrAccessChain %own %k %_0 %_1
%from = OpConvertPtrToU %{word} %k
%to_ = OpConvertPtrToU %{word} %second
%far = OpISub %{word} %to_ %from
%short = {narrow}
OpStore %out %short"""


@pytest.mark.parametrize(
    ("model", "word", "narrow", "bytes_"),
    [
        ("Physical32", "uint", "OpCopyObject %uint %far", "4"),
        ("Physical64", "ulong", "OpUConvert %uint %far", "8"),
    ],
)
def test_a_pointer_is_as_long_as_the_addressing_model_says(
    model: str, word: str, narrow: str, bytes_: str
) -> None:
    body = OFFSET.format(word=word, narrow=narrow)
    assert stored(kernel(body, PAIR, model), "--arg", "%n=0") == bytes_


@pytest.mark.parametrize(("n", "sum_"), [("5", 9 + 1), ("0", 7 + 2), ("42", 7 + 2)])
def test_a_phi_names_a_switch_once_for_all_its_cases(n: str, sum_: int) -> None:
    body = """OpSwitch %n %other 0 %join 4 %join 42 %join
%other = OpLabel
OpBranch %join
%join = OpLabel
%a = OpPhi %uint %_7 %start %_9 %other
%b = OpPhi %uint %_1 %other %_2 %start
%c = OpIAdd %uint %a %b
OpStore %out %c"""
    assert stored(kernel(body), "--arg", f"%n={n}") == str(sum_)


def test_a_phi_names_a_condition_once_whose_ways_are_one() -> None:
    body = """%c = OpIEqual %bool %n %_0
OpBranchConditional %c %join %join
%join = OpLabel
%a = OpPhi %uint %_7 %start
OpStore %out %a"""
    assert stored(kernel(body), "--arg", "%n=0") == "7"


def test_a_pointer_is_cast_to_a_vector_and_back() -> None:
    body = """%k = OpVariable %own Function
OpStore %k %_9
%parts = OpBitcast %uint2 %k
%again = OpBitcast %own %parts
%a = OpLoad %uint %again
OpStore %out %a"""
    assert stored(kernel(body), "--arg", "%n=0") == "9"


def test_a_constant_is_put_into_a_composite() -> None:
    declarations = """%pair = OpConstantComposite %uint2 %_1 %_2
%put = OpSpecConstantOp %uint2 CompositeInsert %_9 %pair 1
%none = OpUndef %uint2
%first = OpSpecConstantOp %uint2 CompositeInsert %_7 %none 0
%taken = OpSpecConstantOp %uint CompositeExtract %first 0"""
    body = """%a = OpCompositeExtract %uint %put 0
%b = OpCompositeExtract %uint %put 1
%c = OpIMul %uint %b %taken
%d = OpIAdd %uint %a %c
OpStore %out %d"""
    assert stored(kernel(body, declarations), "--arg", "%n=0") == str(1 + 9 * 7)


def test_half_vectors_of_three_that_are_aligned_lie_as_four_do() -> None:
    declarations = """%halves = OpTypePointer Function %half
%four = OpTypeArray %uint2 %_2
%array = OpTypePointer Function %four
%h_3 = OpConstant %half 3
%_5 = OpConstant %uint 5
%one = OpConstant %ulong 1"""
    body = """%k = OpVariable %array Function
%base = OpBitcast %halves %k
%fifth = OpInBoundsPtrAccessChain %halves %base %_5
OpStore %fifth %h_3
%v = OpExtInst %float3 %cl vloada_halfn %one %base 3
%y = OpCompositeExtract %float %v 1
%a = OpConvertFToU %uint %y
OpStore %out %a"""
    first, _, note = stored(kernel(body, declarations), "--arg", "%n=0").partition("\n\n")
    assert first == "3" and note.startswith("note: uninitialised bytes of %k were read")


DOTS = [  # -1, 2, 3, -4 and 5, 6, 255 (or -1), 8, the last byte first
    ("OpSDot %uint %a %b", -5 + 12 - 3 - 32),
    ("OpUDot %uint %a %b", 255 * 5 + 12 + 3 * 255 + 252 * 8),
    ("OpSUDotKHR %uint %a %b", -5 + 12 + 3 * 255 - 32),
    ("OpSDotAccSat %uint %a %b %most", 0x7FFFFFF0 - 28),
    ("OpSDotAccSatKHR %uint %b %b %most", 0x7FFFFFFF),
    ("OpUDotAccSat %uint %b %b %all", 0xFFFFFFFF),
]


@pytest.mark.parametrize(("instruction", "number"), DOTS)
def test_dot_products_of_integers(instruction: str, number: int) -> None:
    declarations = """%a = OpConstant %uint 0xfc0302ff
%b = OpConstant %uint 0x08ff0605
%most = OpConstant %uint 0x7ffffff0
%all = OpConstant %uint 0xfffffff0"""
    body = f"%r = {instruction} PackedVectorFormat4x8Bit\nOpStore %out %r"
    assert stored(kernel(body, declarations), "--arg", "%n=0") == str(number & 0xFFFFFFFF)


def test_a_dot_product_of_vectors_of_integers() -> None:
    declarations = """%uchar4 = OpTypeVector %uchar 4
%x = OpConstant %uchar 255
%y = OpConstant %uchar 2
%v = OpConstantComposite %uchar4 %x %y %x %y"""
    for sign, number in (("S", 1 + 4 + 1 + 4), ("U", 2 * 255 * 255 + 8)):
        body = f"%r = Op{sign}Dot %uint %v %v\nOpStore %out %r"
        assert stored(kernel(body, declarations), "--arg", "%n=0") == str(number)


@pytest.mark.parametrize(
    "value",
    [
        "OpShiftLeftLogical %uint %n %_32",
        "OpShiftRightArithmetic %uint %n %n",
        "OpBitFieldUExtract %uint %n %_9 %n",
        "OpBitFieldInsert %uint %n %n %n %_9",
    ],
)
def test_an_undefined_value_may_be_branched_on(value: str) -> None:
    """Of a shift by too many bits, and of a field beyond the number, SPIR-V's result is undefined; of a
    branch on LLVM's poison the behaviour is."""
    body = f"""%v = {value}
%c = OpIEqual %bool %v %_7
OpBranchConditional %c %one_way %other
%one_way = OpLabel
OpBranch %join
%other = OpLabel
OpBranch %join
%join = OpLabel
OpStore %out %_9"""
    assert stored(kernel(body, "%_32 = OpConstant %uint 32"), "--arg", "%n=40") == "9"


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("OpBitFieldUExtract %uint %n %_32 %_0", 0),
        ("OpBitFieldSExtract %uint %n %n %zero", 0),
        ("OpBitFieldInsert %uint %n %_9 %_32 %_0", 32),
        ("OpBitFieldInsert %uint %n %_9 %n %zero", 32),
        ("OpBitFieldUExtract %uint %n %_0 %n", 32),
        ("OpBitFieldUExtract %uint %n %zero %n", 32),
        ("OpBitFieldInsert %uint %n %_9 %_1 %_2", 34),
    ],
)
def test_a_field_may_have_no_bits_and_all(value: str, number: int) -> None:
    body = f"%zero = OpISub %uint %n %n\n%v = {value}\nOpStore %out %v"
    assert stored(kernel(body, "%_32 = OpConstant %uint 32"), "--arg", "%n=32") == str(number)


def test_any_number_of_comments_may_stand_in_front() -> None:
    text = "; nothing of interest\n\n" * 2000 + kernel("OpStore %out %n")
    assert stored(text, "--arg", "%n=5") == "5"


def test_a_constant_sampler_is_named_where_it_is_used() -> None:
    declarations = """%sampler = OpTypeSampler
%s = OpConstantSampler %sampler None 0 Nearest"""
    assert stored(kernel("OpStore %out %n", declarations), "--arg", "%n=5") == "5"
    body = "%t = OpCopyObject %sampler %s\nOpStore %out %n"
    ran = convcheck("run", "-", "--buffer", "%out=u32[1]", "--arg", "%n=5", stdin=kernel(body, declarations))
    assert ran.code == 3 and "Not modelled: OpCopyObject" in ran.out


@pytest.mark.parametrize(
    ("bits", "value"),
    [(0x3F800000, 2), (0xBF800000, 3), (0, 0), (1 << 31, 1), (1, 0), (0x80000001, 1), (0x7F800000, 0),
     (0xFF800000, 1), (0x7FC00000, 0), (0xFFC00000, 1), (0x00800000, 2)],
)  # fmt: skip
def test_signs_and_normal_numbers(bits: int, value: int) -> None:
    body = """%x = OpBitcast %float %n
%s = OpSignBitSet %bool %x
%m = OpIsNormal %bool %x
%a = OpSelect %uint %s %_1 %_0
%b = OpSelect %uint %m %_2 %_0
%r = OpIAdd %uint %a %b
OpStore %out %r"""
    assert stored(kernel(body), f"--arg=%n={bits}") == str(value)


@pytest.mark.parametrize(
    ("from_", "to", "number", "bits"),
    [("double", "float", 0x4004000000000000, 0x40200000), ("double", "float", 0x3FF0000010000001, 0x3F800001),
     ("double", "float", 0x3FF0000010000000, 0x3F800000), ("double", "float", 0xFFEFFFFFFFFFFFFF, 0xFF800000),
     ("double", "half", 0x3FF0020000000000, 0x3C00), ("float", "half", 0x477FF000, 0x7C00),
     ("half", "float", 0x3C01, 0x3F802000)],
)  # fmt: skip
def test_a_specialization_constant_is_converted(from_: str, to: str, number: int, bits: int) -> None:
    code, size = {"half": ("<e", 2), "float": ("<f", 4), "double": ("<d", 8)}[from_]
    (value,) = struct.unpack(code, number.to_bytes(size, "little"))
    shown_as = {"half": "%ushort", "float": "%uint"}[to]
    declarations = "%double = OpTypeFloat 64\n%ushort = OpTypeInt 16 0\n"
    declarations += f"%given = OpSpecConstant %{from_} {value!r}\n"
    declarations += f"%made = OpSpecConstantOp %{to} FConvert %given"
    body = f"%w = OpBitcast {shown_as} %made\n"
    body += "%v = OpUConvert %uint %w\nOpStore %out %v" if to == "half" else "OpStore %out %w"
    assert stored(kernel(body, declarations)) == str(bits)


SHADER = """
OpCapability Shader
OpCapability GroupNonUniform
OpCapability WorkgroupMemoryExplicitLayoutKHR
OpExtension "SPV_KHR_workgroup_memory_explicit_layout"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index %size %o %whole %half
OpExecutionMode %main LocalSize 5 1 1
OpName %o "o"
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %size BuiltIn SubgroupSize
OpDecorate %numbers ArrayStride 4
OpDecorate %four ArrayStride 4
OpDecorate %two ArrayStride 4
OpDecorate %block Block
OpDecorate %all Block
OpDecorate %end Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %all 0 Offset 0
OpMemberDecorate %end 0 Offset 8
OpDecorate %o DescriptorSet 0
OpDecorate %o Binding 0
OpDecorate %whole Aliased
OpDecorate %half Aliased
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%_0 = OpConstant %uint 0
%_1 = OpConstant %uint 1
%_2 = OpConstant %uint 2
%_3 = OpConstant %uint 3
%_4 = OpConstant %uint 4
%numbers = OpTypeRuntimeArray %uint
%four = OpTypeArray %uint %_4
%two = OpTypeArray %uint %_2
%block = OpTypeStruct %numbers
%all = OpTypeStruct %four
%end = OpTypeStruct %two
%in = OpTypePointer Input %uint
%buffer = OpTypePointer StorageBuffer %block
%element = OpTypePointer StorageBuffer %uint
%shared_all = OpTypePointer Workgroup %all
%shared_end = OpTypePointer Workgroup %end
%word = OpTypePointer Workgroup %uint
%nothing = OpConstantNull %end
%index = OpVariable %in Input
%size = OpVariable %in Input
%o = OpVariable %buffer StorageBuffer
%whole = OpVariable %shared_all Workgroup
%half = OpVariable %shared_end Workgroup {start}
%code = OpTypeFunction %void
%main = OpFunction %void None %code
%begin = OpLabel
%i = OpLoad %uint %index
%place = OpAccessChain %element %o %_0 %i
{body}
OpReturn
OpFunctionEnd
"""


def shown(body: str, *arguments: str, start: str = "") -> str:
    """What a shader of five threads leaves in its buffer."""
    text = SHADER.format(body=body, start=start)
    ran = convcheck("run", "-q", "-", "--buffer", "o=u32[5]", "--show", "o", *arguments, stdin=text)
    assert ran.code == 0, ran.out + ran.err
    return ran.out


@pytest.mark.parametrize(
    ("operation", "kind", "left"),
    [("And", "Reduce", "1, 1, 1, 1, 1"), ("Or", "Reduce", "3, 3, 3, 3, 3"),
     ("Xor", "Reduce", "1, 1, 1, 1, 1"), ("And", "InclusiveScan", "3, 3, 1, 1, 1"),
     ("Or", "ExclusiveScan", "0, 3, 3, 3, 3"),
     ("And", "ExclusiveScan", "3, 3, 3, 1, 1")],
)  # fmt: skip
def test_truth_values_in_vectors_are_combined_one_by_one(operation: str, kind: str, left: str) -> None:
    """The first is true of all five threads, the second of all but thread 2."""
    body = f"""%x = OpIEqual %bool %i %i
%y = OpINotEqual %bool %i %_2
%both = OpCompositeConstruct %bools %x %y
%r = OpGroupNonUniformLogical{operation} %bools %_3 {kind} %both
%rx = OpCompositeExtract %bool %r 0
%ry = OpCompositeExtract %bool %r 1
%a = OpSelect %uint %rx %_1 %_0
%b = OpSelect %uint %ry %_2 %_0
%n = OpIAdd %uint %a %b
OpStore %place %n"""
    text = SHADER.format(body=body, start="")
    text = text.replace("%code =", "%bools = OpTypeVector %bool 2\n%code =", 1)
    ran = convcheck("run", "-", "--buffer", "o=u32[5]", "--show", "o", stdin=text)
    assert ran.code == 0 and f"u32[5]: {left}" in ran.out and "has no model" not in ran.out, ran.out + ran.err


def test_a_shaders_subgroup_size_counts_lanes_that_do_not_run() -> None:
    """Vulkan, *SubgroupSize*; in OpenCL it is how many threads the last subgroup has."""
    body = "%n = OpLoad %uint %size\nOpStore %place %n"
    assert "u32[5]: 4, 4, 4, 4, 4" in shown(body, "--subgroup-size", "4")
    ids = """%in = OpTypePointer Input %uint
%id = OpVariable %in Input
%sz = OpVariable %in Input"""
    body = """%i = OpLoad %uint %id
%p = OpPtrAccessChain %to %out %i
%s = OpLoad %uint %sz
OpStore %p %s"""
    decorations = "OpDecorate %id BuiltIn LocalInvocationIndex\nOpDecorate %sz BuiltIn SubgroupSize\n"
    text = kernel(body, ids).replace("%void =", f"{decorations}%void =", 1).replace('"f"', '"f" %id %sz')
    launch = ("--threads", "5", "--subgroup-size", "4", "--buffer", "%out=u32[5]")
    ran = convcheck("run", "-q", "-", *launch, "--show", "%out", stdin=text)
    assert "u32[5]: 4, 4, 4, 4, 1" in ran.out, ran.out + ran.err


ONE = """%first = OpIEqual %bool %i %_0
OpSelectionMerge %after None
OpBranchConditional %first %then %after
%then = OpLabel
{inside}
OpBranch %after
%after = OpLabel"""


def test_aliased_variables_of_the_workgroup_begin_at_one_place() -> None:
    inside = """%third = OpAccessChain %word %whole %_0 %_3
OpStore %third %_4
%second = OpAccessChain %word %half %_0 %_1
%v = OpLoad %uint %second
OpStore %place %v"""
    assert "u32[5]: 4, 0, 0, 0, 0" in shown(ONE.format(inside=inside))


def test_the_zeros_of_an_aliased_variable_are_those_of_its_members_only() -> None:
    """It begins eight bytes behind the other."""
    text = SHADER.format(body="", start="%nothing")
    ran = convcheck("translate", "-", stdin=text)
    (line,) = (line for line in ran.out.splitlines() if line.startswith("@whole ="))
    undefined, zeros = ", ".join(["i8 undef"] * 8), ", ".join(["i8 0"] * 8)
    assert line.endswith(f"global [16 x i8] [{undefined}, {zeros}], align 16")
    ran = convcheck("translate", "-", stdin=SHADER.format(body="", start=""))
    assert "@whole = internal addrspace(3) global [16 x i8] undef, align 16" in ran.out


@pytest.mark.parametrize(
    ("name", "operands", "number"),
    [("FaceForward", "%f3 %f3 %f2", -3), ("FaceForward", "%f3 %f_2 %f2", 3), ("Reflect", "%f3 %f1", -3),
     ("Refract", "%f3 %f1 %f1", -3), ("FMix", "%large %f3 %f1", 3), ("FMix", "%f1 %f3 %half_", 2)],
)  # fmt: skip
def test_shaders_functions_of_scalars(name: str, operands: str, number: int) -> None:
    """By their formulas: of a scalar the dot product is the product, and FMix is ``x * (1 - a) + y * a``."""
    body = f"""%r = OpExtInst %float %glsl {name} {operands}
%w = OpConvertFToS %uint %r
OpStore %place %w"""
    text = SHADER.format(body=body, start="").replace(
        "OpMemoryModel", '%glsl = OpExtInstImport "GLSL.std.450"\nOpMemoryModel', 1
    )
    floats = """%float = OpTypeFloat 32
%f1 = OpConstant %float 1
%f2 = OpConstant %float 2
%f_2 = OpConstant %float -2
%f3 = OpConstant %float 3
%large = OpConstant %float 1e30
%half_ = OpConstant %float 0.5
%code ="""
    text = text.replace("%code =", floats, 1)
    ran = convcheck("run", "-q", "-", "--buffer", "o=i32[5]", "--show", "o", stdin=text)
    assert ran.code == 0 and f"i32[5]: {number}, {number}" in ran.out, ran.out + ran.err


MASKS = """%masks = OpTypeVector %uint 4
%alone = OpConstantComposite %masks %_1 %_0 %_0 %_0
%code ="""
HALF = "%half_of = OpShiftRightLogical %uint %i %_1"
PARTITION = f"{HALF}\n%part = OpGroupNonUniformPartitionNV %masks %half_of\n%v = OpGroupNonUniform"
PARTS = [
    (f"{PARTITION}IAdd %uint %_3 PartitionedReduceNV %i %part", "1, 1, 5, 5, 4"),
    (f"{PARTITION}IAdd %uint %_3 PartitionedInclusiveScanNV %i %part", "0, 1, 2, 5, 4"),
    (f"{PARTITION}UMax %uint %_3 PartitionedExclusiveScanNV %i %part", "0, 0, 0, 2, 0"),
    ("%v = OpGroupNonUniformIAdd %uint %_3 PartitionedReduceNV %i %alone",
     "0, poison, poison, poison, poison"),
    (f"{HALF}\n%part = OpGroupNonUniformPartitionNV %masks %half_of\n%v = OpCompositeExtract %uint %part 0",
     "3, 3, 12, 12, 16"),
    ("""%is = OpIEqual %bool %i %_1
%any = OpGroupNonUniformQuadAnyKHR %bool %is
%v = OpSelect %uint %any %_1 %_0""", "1, 1, 1, 1, 0"),
    ("""%is = OpULessThan %bool %_0 %i
%all_ = OpGroupNonUniformQuadAllKHR %bool %is
%v = OpSelect %uint %all_ %_1 %_0""", "0, 0, 0, 0, 1"),
]  # fmt: skip


@pytest.mark.parametrize(("instructions", "numbers"), PARTS)
def test_operations_in_parts_of_a_subgroup(instructions: str, numbers: str) -> None:
    """A lane that is in no part gets poison: the masks of one case lack all but the first."""
    text = SHADER.format(body=f"{instructions}\nOpStore %place %v", start="").replace("%code =", MASKS, 1)
    ran = convcheck("run", "-q", "-", "--engine", "both", "--buffer", "o=u32[5]", "--show", "o", stdin=text)
    assert ran.code == 0 and f"u32[5]: {numbers}\n" in ran.out, ran.out + ran.err


@pytest.mark.parametrize(
    ("name", "operands", "numbers"),
    [
        ("IAdd", ("Reduce %i", "ClusteredReduce %i %_2"), "11, 11, 15, 15, 14"),
        ("RotateKHR", ("%i %_1", "%i %_1 %_1"), "1, 3, 5, 7, 4"),
    ],
)
def test_an_operation_with_a_clusters_size_stands_beside_one_without(
    name: str, operands: tuple[str, str], numbers: str
) -> None:
    """Both were calls of one function, which had the first one's type."""
    calls = [f"%v{n} = OpGroupNonUniform{name} %uint %_3 {o}" for n, o in enumerate(operands)]
    body = "\n".join((*calls, "%sum = OpIAdd %uint %v0 %v1", "OpStore %place %sum"))
    assert f"u32[5]: {numbers}\n" in shown(body)


def test_debug_information_may_stand_behind_a_terminator() -> None:
    """As spirv-opt leaves it, where a function inlined into the last block ends."""
    text = SHADER.format(body="OpStore %place %_1", start="")
    import_ = '%about = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"\nOpMemoryModel'
    text = text.replace("OpMemoryModel", import_, 1)
    text = text.replace("OpFunctionEnd", "%left = OpExtInst %void %about DebugNoScope\nOpFunctionEnd", 1)
    ran = convcheck("run", "-q", "-", "--buffer", "o=u32[5]", "--show", "o", stdin=text)
    assert ran.code == 0 and "u32[5]: 1, 1, 1, 1, 1" in ran.out, ran.out + ran.err


POINTERS_PUSHED = """%out = OpTypePointer PhysicalStorageBuffer %uint
%long = OpTypeInt 64 0
%push = OpTypeStruct %out %long
%pushed = OpTypePointer PushConstant %push
%pushed_out = OpTypePointer PushConstant %out
%pushed_long = OpTypePointer PushConstant %long
%pc = OpVariable %pushed PushConstant
%code ="""


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_push_constants_point_to_buffers_that_are_bound_nowhere(engine: str) -> None:
    body = """%a = OpAccessChain %pushed_out %pc %_0
%p = OpLoad %out %a
%b = OpAccessChain %pushed_long %pc %_1
%n = OpLoad %long %b
%q = OpConvertUToPtr %out %n
%pi = OpPtrAccessChain %out %p %i
%x = OpLoad %uint %pi Aligned 4
%qi = OpPtrAccessChain %out %q %i
OpStore %qi %x Aligned 4
OpStore %place %x"""
    text = SHADER.format(body=body, start="").replace("%code =", POINTERS_PUSHED, 1)
    text = text.replace("OpMemoryModel Logical", "OpMemoryModel PhysicalStorageBuffer64", 1).replace(
        "OpDecorate %block Block", "OpDecorate %out ArrayStride 4\nOpDecorate %block Block", 1
    )
    launch = ["run", "-q", "-", "--engine", engine, "--buffer", "o=u32[5]", "--buffer", "+to=u32[6]"]
    launch += ["--buffer", "+from=u32[5]:7,8,...", "--show", "o", "--show", "+to"]
    ran = convcheck(*launch, "--global", "@pc={@+from,@+to+4}", stdin=text)
    assert ran.code == 0 and "o = u32[5]: 7, 8, 9, 10, 11" in ran.out, ran.out + ran.err
    assert "+to = u32[6]: 0, 7, 8, 9, 10, 11" in ran.out
    ran = convcheck(*launch, "--global", "@pc={@+from,@+to+8}", stdin=text)
    assert ran.code == 1 and "Undefined behaviour in thread 4" in ran.out
    ran = convcheck(*launch, "--global", "@pc={@+form,@+to}", stdin=text)
    assert ran.code == 2 and "there is no @+form to point to" in ran.err


IN_PADDING = """
OpCapability Shader
OpCapability Int64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index %o
OpExecutionMode %main LocalSize 2 1 1
OpName %o "o"
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %block Block
OpMemberDecorate %pair 0 Offset 0
OpMemberDecorate %pair 1 Offset 8
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 12
OpMemberDecorate %block 2 Offset 16
OpDecorate %o DescriptorSet 0
OpDecorate %o Binding 0
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%long = OpTypeInt 64 0
%_0 = OpConstant %uint 0
%_1 = OpConstant %uint 1
%_2 = OpConstant %uint 2
%_9 = OpConstant %uint 9
%pair = OpTypeStruct %long %uint
%block = OpTypeStruct %pair %uint %pair
%in = OpTypePointer Input %uint
%buffer = OpTypePointer StorageBuffer %block
%to_pair = OpTypePointer StorageBuffer %pair
%to_word = OpTypePointer StorageBuffer %uint
%index = OpVariable %in Input
%o = OpVariable %buffer StorageBuffer
%code = OpTypeFunction %void
%main = OpFunction %void None %code
%begin = OpLabel
%i = OpLoad %uint %index
%first = OpIEqual %bool %i %_0
%near = OpAccessChain %to_pair %o %_0
%word = OpAccessChain %to_word %o %_1
%far = OpAccessChain %to_pair %o %_2
OpSelectionMerge %end None
OpBranchConditional %first %a %b
%a = OpLabel
%v = OpLoad %pair {from}
OpStore {to} %v
OpBranch %end
%b = OpLabel
OpStore %word %_9
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
"""


@pytest.mark.parametrize(
    ("from_", "to", "left"),
    [("%far", "%near", "5, 6, 7, 9, 5, 6, 7, 8"), ("%near", "%far", "1, 2, 3, 9, 1, 2, 3, 8")],
)
def test_what_lies_in_the_padding_of_a_structure_is_no_part_of_it(from_: str, to: str, left: str) -> None:
    """As by the scalar block layout: who reads or writes the structure does not meet who writes there."""
    text = IN_PADDING.replace("{from}", from_).replace("{to}", to)
    ran = convcheck("run", "-", "--buffer", "o=u32[8]:1,2,...", "--show", "o", stdin=text)
    assert ran.code == 0 and f"o = u32[8]: {left}" in ran.out, ran.out + ran.err
    assert "race" not in ran.out


def test_a_shader_has_resources_in_place_of_parameters() -> None:
    """Also one whose code uses none."""
    text = SHADER.format(body="", start="").replace("%place = OpAccessChain %element %o %_0 %i\n", "", 1)
    ran = convcheck("run", "-", "--buffer", "o=u32[5]", stdin=text)
    assert ran.code == 2 and ran.err.strip().endswith("there is no resource o; there are: none")


def test_a_clock_gives_a_stand_in() -> None:
    text = SHADER.format(body="%t = OpReadClockKHR %uint %_3\nOpStore %place %t", start="")
    ran = convcheck("run", "-", "--buffer", "o=u32[5]", stdin=text)
    assert ran.code == 0 and "@__spirv_ReadClockKHR_Ri32 has no model" in ran.out, ran.out + ran.err


def test_members_are_decorated_in_groups() -> None:
    text = SHADER.format(body="OpStore %place %i", start="").replace(
        "OpMemberDecorate %block 0 Offset 0\n", ""
    )
    group = """OpDecorate %group Offset 0
%group = OpDecorationGroup
OpGroupMemberDecorate %group %block 0
%void ="""
    ran = convcheck(
        "run", "-q", "-", "--buffer", "o=u32[5]", "--show", "o", stdin=text.replace("%void =", group, 1)
    )
    assert "u32[5]: 0, 1, 2, 3, 4" in ran.out, ran.out + ran.err


def test_a_block_of_push_constants_may_end_with_its_last_member() -> None:
    """An API gives it without the padding of the structure that LLVM makes of it."""
    body = "%at = OpAccessChain %pushed_word %pc %_1 %_1\n%v = OpLoad %uint %at\nOpStore %place %v"
    offsets = "OpMemberDecorate %push 0 Offset 0\nOpMemberDecorate %push 1 Offset 16\n%void ="
    text = SHADER.format(body=body, start="").replace("%void =", f"OpDecorate %push Block\n{offsets}", 1)
    types = """%uint3 = OpTypeVector %uint 3
%push = OpTypeStruct %uint3 %uint3
%pushed = OpTypePointer PushConstant %push
%pushed_word = OpTypePointer PushConstant %uint
%pc = OpVariable %pushed PushConstant
%code ="""
    text = text.replace("%code =", types, 1)
    launch = ("run", "-q", "-", "--buffer", "o=u32[5]", "--show", "o")
    ran = convcheck(*launch, "--buffer", "@pc=u32[7]:0,1,2,3,4,5,6", stdin=text)
    assert "u32[5]: 5, 5, 5, 5, 5" in ran.out, ran.out + ran.err
    ran = convcheck(*launch, "--buffer", "@pc=u32[6]", stdin=text)
    assert ran.code == 2 and "buffer @pc has 24 bytes" in ran.err and ran.err.strip().endswith("has 28")


QUADS = """
OpCapability Shader
OpCapability ComputeDerivativeGroup{form}KHR
OpExtension "SPV_KHR_compute_shader_derivatives"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index %o
OpExecutionMode %main LocalSize 4 2 1
OpExecutionMode %main DerivativeGroup{form}KHR
OpName %o "o"
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %numbers ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %o DescriptorSet 0
OpDecorate %o Binding 0
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%_0 = OpConstant %uint 0
%numbers = OpTypeRuntimeArray %float
%block = OpTypeStruct %numbers
%in = OpTypePointer Input %uint
%buffer = OpTypePointer StorageBuffer %block
%element = OpTypePointer StorageBuffer %float
%index = OpVariable %in Input
%o = OpVariable %buffer StorageBuffer
%code = OpTypeFunction %void
%main = OpFunction %void None %code
%begin = OpLabel
%i = OpLoad %uint %index
%f = OpConvertUToF %float %i
%square = OpFMul %float %f %f
%d = Op{name} %float %square
%place = OpAccessChain %element %o %_0 %i
OpStore %place %d
OpReturn
OpFunctionEnd
"""


@pytest.mark.parametrize(
    ("name", "numbers"),
    [  # 0, 1, 4, 9 in a quad of two rows, and 16, 25, 36, 49
        ("DPdx", "1.0, 1.0, 5.0, 5.0, 9.0, 9.0, 13.0, 13.0"),
        ("DPdyFine", "4.0, 8.0, 4.0, 8.0, 20.0, 24.0, 20.0, 24.0"),
        ("DPdyCoarse", "4.0, 4.0, 4.0, 4.0, 20.0, 20.0, 20.0, 20.0"),
        ("Fwidth", "5.0, 9.0, 9.0, 13.0, 29.0, 33.0, 33.0, 37.0"),
    ],
)
def test_derivatives_among_four_threads_in_a_row(name: str, numbers: str) -> None:
    text = QUADS.format(name=name, form="Linear")
    ran = convcheck("run", "-q", "-", "--buffer", "o=f32[8]", "--show", "o", stdin=text)
    assert ran.code == 0 and f"f32[8]: {numbers}" in ran.out, ran.out + ran.err


@pytest.mark.parametrize(
    ("name", "numbers"),
    [  # 0, 1, 16, 25 in a quad of two rows, and 4, 9, 36, 49
        ("DPdx", "1.0, 1.0, 5.0, 5.0, 9.0, 9.0, 13.0, 13.0"),
        ("DPdyFine", "16.0, 24.0, 32.0, 40.0, 16.0, 24.0, 32.0, 40.0"),
        ("DPdyCoarse", "16.0, 16.0, 32.0, 32.0, 16.0, 16.0, 32.0, 32.0"),
        ("FwidthCoarse", "17.0, 17.0, 37.0, 37.0, 17.0, 17.0, 37.0, 37.0"),
    ],
)
def test_derivatives_among_two_by_two_threads(name: str, numbers: str) -> None:
    text = QUADS.format(name=name, form="Quads")
    ran = convcheck("run", "-q", "-", "--buffer", "o=f32[8]", "--show", "o", stdin=text)
    assert ran.code == 0 and f"f32[8]: {numbers}" in ran.out, ran.out + ran.err


def test_a_quad_of_several_subgroups_is_named() -> None:
    text = QUADS.format(name="DPdx", form="Quads")
    ran = convcheck("run", "-", "--buffer", "o=f32[8]", "--subgroup-size", "4", stdin=text)
    assert ran.code == 3 and "in a quad of threads of several subgroups" in ran.out


def test_a_derivative_without_quads_is_named() -> None:
    text = QUADS.format(name="DPdx", form="Quads").replace(
        "OpExecutionMode %main DerivativeGroupQuadsKHR\n", ""
    )
    ran = convcheck("run", "-", "--buffer", "o=f32[8]", stdin=text)
    assert (
        ran.code == 3 and "a derivative without DerivativeGroupLinearKHR or DerivativeGroupQuads" in ran.out
    )


POINTERS = """
OpCapability Shader
OpCapability VariablePointers
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 2 1 1
OpName %o "o"
OpName %p "p"
OpDecorate %numbers ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %o DescriptorSet 0
OpDecorate %o Binding 0
OpDecorate %p DescriptorSet 0
OpDecorate %p Binding 1
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%_0 = OpConstant %uint 0
%_1 = OpConstant %uint 1
%_2 = OpConstant %uint 2
%numbers = OpTypeRuntimeArray %uint
%block = OpTypeStruct %numbers
%buffer = OpTypePointer StorageBuffer %block
%element = OpTypePointer StorageBuffer %uint
%o = OpVariable %buffer StorageBuffer
%p = OpVariable %buffer StorageBuffer
%code = OpTypeFunction %void
%main = OpFunction %void None %code
%begin = OpLabel
%first = OpAccessChain %element %o %_0 %_0
OpBranch %head
%head = OpLabel
%at = OpPhi %element %first %begin %next %again
%i = OpPhi %uint %_0 %begin %more %again
{use}
%go = OpULessThan %bool %i %_2
OpLoopMerge %end %again None
OpBranchConditional %go %again %end
%again = OpLabel
%next = OpAccessChain %element %p %_0 %i
%more = OpIAdd %uint %i %_1
OpBranch %head
%end = OpLabel
OpReturn
OpFunctionEnd
"""


def test_a_buffer_whose_pointer_goes_through_a_phi_counts_as_written() -> None:
    """The phi stands before the pointer that it names."""
    module = build(parse(POINTERS.format(use="OpStore %at %i")))
    assert unwritten_buffers(module) == frozenset()
    ids = build(parse(POINTERS.replace("%next %again", "%first %again").format(use="OpStore %at %i")))
    assert unwritten_buffers(ids) == {"%p"}


LARGE = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %spaced ArrayStride 16
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%_0 = OpConstant %uint 0
%_1 = OpConstant %uint 1
%many = OpConstant %uint 40000000
%few = OpConstant %uint 60000
%array = OpTypeArray %uint %many
%bools = OpTypeArray %bool %many
%spaced = OpTypeArray %uint %many
%row = OpTypeArray %uint %few
%rows = OpTypeArray %row %few
%array_p = OpTypePointer Function %array
%array_q = OpTypePointer Private %array
%bools_p = OpTypePointer Function %bools
%bools_q = OpTypePointer Private %bools
%spaced_q = OpTypePointer Private %spaced
%word = OpTypePointer Private %uint
%nulls = OpConstantNull %array
%no_bools = OpConstantNull %bools
%no_spaced = OpConstantNull %spaced
{declarations}
%code = OpTypeFunction %void
%main = OpFunction %void None %code
%start = OpLabel
{body}
OpReturn
OpFunctionEnd
"""


def large(body: str, declarations: str = "") -> tuple[int, str]:
    """What a run says of a module with types that are written in a word and have millions of parts."""
    before = process_time()
    text = LARGE.format(body=body, declarations=declarations)
    ran = convcheck("run", "-", stdin=text)
    assert process_time() - before < 10  # a part at a time it is minutes, and more memory than there is
    return ran.code, ran.out + ran.err


@pytest.mark.parametrize(
    ("body", "declarations"),
    [
        ("", ""),
        ("%v = OpVariable %array_p Function\n%u = OpIAdd %uint %third %_1",
         "%third = OpSpecConstantOp %uint CompositeExtract %nulls 2"),
        ("", "%s = OpVariable %spaced_q Private %no_spaced"),
        ("", "%row_0 = OpConstantCompositeReplicateEXT %row %_0\n"
         "%rows_0 = OpConstantCompositeReplicateEXT %rows %row_0"),
    ],
)  # fmt: skip
def test_a_large_null_constant_costs_nothing(body: str, declarations: str) -> None:
    code, out = large(body, declarations)
    assert code == 0 and "Thread 0 returned" in out, out


@pytest.mark.parametrize(
    ("body", "declarations", "said"),
    [
        ("%v = OpVariable %array_p Function %nulls", "", "a value of 40000000 elements"),
        ("%v = OpVariable %bools_p Function %no_bools", "", "a value of 40000000 parts"),
        ("", "%v = OpVariable %array_q Private %nulls", "a value of 40000000 elements"),
        ("", "%v = OpVariable %bools_q Private %no_bools", "a value of 40000000 elements"),
        ("%x = OpAccessChain %word %s %_1", "%s = OpVariable %spaced_q Private %no_spaced",
         "s, whose type is not modelled"),
        ("", "%set = OpSpecConstantOp %array CompositeInsert %_1 %nulls 2", "a constant of 40000000 parts"),
        ("", "%ones = OpConstantCompositeReplicateEXT %row %_1\n"
         "%all = OpConstantCompositeReplicateEXT %rows %ones", "a constant of 3600000000 parts"),
    ],
)  # fmt: skip
def test_a_large_constant_that_is_spelled_is_named(body: str, declarations: str, said: str) -> None:
    code, out = large(body, declarations)
    assert code == 3 and said in out, out


def test_bools_in_memory_begin_with_zeros() -> None:
    """A null constant of them is of bytes there."""
    body = """%at = OpAccessChain %flag %v %_1
%held = OpLoad %bool %at
%number = OpSelect %uint %held %_1 %_7
OpStore %out %number"""
    declarations = """%four = OpConstant %uint 4
%bools = OpTypeArray %bool %four
%off = OpConstantNull %bools
%flag = OpTypePointer CrossWorkgroup %bool
%flags = OpTypePointer CrossWorkgroup %bools
%v = OpVariable %flags CrossWorkgroup %off"""
    assert stored(kernel(body, declarations)) == "7"
