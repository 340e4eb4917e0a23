"""Files of either form by ``parse_file``, and what the front door does with their modules.

covers: files, semantics.machine.launch, spirv.reading
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import convergence as cc
from convergence import spirv
from tests.cli.cli_harness import convcheck

ROOT = Path(__file__).resolve().parents[2]
LOOP = ROOT / "examples_ll" / "spirv" / "loop.spvasm"
TOOLS = pytest.mark.skipif(shutil.which("spirv-as") is None, reason="needs spirv-as (spirv-tools)")
HELPER = """OpCapability Shader
OpCapability GroupNonUniform
OpCapability GroupNonUniformArithmetic
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %out
OpExecutionMode %main LocalSize 2 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpName %out "out"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%blocks = OpTypePointer StorageBuffer %block
%word = OpTypePointer StorageBuffer %uint
%input = OpTypePointer Input %uint
%id = OpVariable %input Input
%out = OpVariable %blocks StorageBuffer
%_0 = OpConstant %uint 0
%_3 = OpConstant %uint 3
%_7 = OpConstant %uint 7
%summing = OpTypeFunction %uint %uint
%code = OpTypeFunction %void
%sum = OpFunction %uint None %summing
%x = OpFunctionParameter %uint
%first = OpLabel
%all = OpGroupNonUniformIAdd %uint %_3 Reduce %x
OpReturnValue %all
OpFunctionEnd
%main = OpFunction %void None %code
%start = OpLabel
%i = OpLoad %uint %id
%at = OpAccessChain %word %out %_0 %i
OpStore %at %_7
OpReturn
OpFunctionEnd
"""
"""Only the function that nobody calls has an operation of the group, and with it an entry intrinsic."""


def test_a_file_of_disassembly_is_the_module_that_the_command_line_has() -> None:
    module = cc.parse_file(LOOP)
    assert module == spirv.read(LOOP.read_bytes(), str(LOOP))
    assert module.source.name == str(LOOP) and [f.name for f in module.definitions()] == ["main"]


@TOOLS
def test_a_binary_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "loop.spv"
    subprocess.run(["spirv-as", "--target-env", "spv1.6", LOOP, "-o", path], check=True, timeout=60)
    module = cc.parse_file(path)
    assert module == spirv.read(path.read_bytes(), str(path))
    assert [f.name for f in module.definitions()] == ["main"]


def test_a_file_that_is_no_spirv_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "twice.spvasm"
    path.write_text(HELPER.replace("%i = OpLoad", "%x = OpLoad"), encoding="utf-8")
    with pytest.raises(spirv.NotSPIRV, match="%x is defined already") as refused:
        cc.parse_file(path)
    assert refused.value.line == 36


def test_llvm_ir_that_speaks_of_spirv_is_llvm_ir(tmp_path: Path) -> None:
    path = tmp_path / "plain.ll"
    path.write_text("define void @f() {\n  ret void\n}\n; OpCapability Shader\n", encoding="utf-8")
    assert [f.name for f in cc.parse_file(path).definitions()] == ["f"]


def test_a_name_of_a_file_is_no_text() -> None:
    with pytest.raises(TypeError, match=r"parse_file\(\) takes a file's name"):
        cc.parse("kernels/blur.spv")


def test_the_entry_point_is_launched_as_by_the_command_line(tmp_path: Path) -> None:
    """In Python nobody hears the file's own words, and the other function alone has an entry intrinsic."""
    path = tmp_path / "helper.spvasm"
    path.write_text(HELPER, encoding="utf-8")
    ran = convcheck("run", "-q", path, "--buffer=out=u32[2]", "--show=out")
    assert (ran.code, ran.out.strip()) == (0, "out = u32[2]: 7, 7")
    module, buffers = cc.parse_file(path), {"out": "u32[2]"}
    assert repr(cc.run(module, buffers=buffers)).startswith("<Run of @main: 2 threads, returned")
    assert repr(cc.simulate(module, "ipdom", buffers=buffers)) == "<Simulations of @main: ipdom>"
    question = cc.enumerate(module, buffers=buffers).question
    assert question is not None and question.function == "main"
    path.write_text(HELPER.replace("OpStore %at %_7", "OpStore %at %_3"), encoding="utf-8")
    after = cc.refine(module, cc.parse_file(path), buffers=buffers)
    assert after.verdict == "wrong"  # what differs is in @main
