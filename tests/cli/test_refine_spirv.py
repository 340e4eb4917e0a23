"""``refine --lowered spirv-vulkan`` and ``spirv64``, a shader against SPIR-V: same groups, results, memory.

covers: cli.commands.refine
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from convergence.fuzz.shader_campaign import ShaderCheck, ShaderPlan, compiled
from convergence.passes.compilers import validator
from tests.cli.cli_harness import ROOT, convcheck, ll
from tests.drive.shader import compiled as module_of
from tests.drive.shader import shader

SHAPE = ("--threads", "8", "--subgroup-size", "8", "--buffer", "u0=i32[8]")


def test_a_shader_keeps_its_threads_together(tmp_path: Path) -> None:
    ran = convcheck("refine", ll(tmp_path, shader()), "--lowered", "spirv-vulkan", *SHAPE)
    assert ran.code == 0, ran.out + ran.err
    assert ran.out.startswith("equal: @main")
    assert "SPIR-V, reconvergence maximal" in ran.out


def test_a_module_with_other_threads_together_is_wrong(tmp_path: Path) -> None:
    other = tmp_path / "other.spv"
    other.write_bytes(module_of(shader(below=4)))
    ran = convcheck("refine", ll(tmp_path, shader()), other, *SHAPE, "--format", "json")
    assert ran.code == 1
    assert json.loads(ran.out)["verdict"] == "wrong"


@pytest.mark.parametrize("name", ["kernels/butterfly.cl.O0", "barriers/transposition-opencl"])
def test_kernels_through_spirv64(name: str) -> None:
    """Barriers and shuffles have other names there, and are the same ones."""
    ran = convcheck("refine", ROOT / f"examples_ll/{name}.ll", "--lowered", "spirv64", "-q")
    assert ran.code == 0, ran.out + ran.err
    assert "wrong" not in ran.out


def test_a_module_for_another_target_is_an_error(tmp_path: Path) -> None:
    text = shader().replace("spirv-unknown-vulkan1.3-compute", "amdgcn-amd-amdhsa")
    ran = convcheck("refine", ll(tmp_path, text), "--lowered", "spirv-vulkan", *SHAPE)
    assert ran.code == 2 and "for amdgcn-amd-amdhsa, not for SPIR-V" in ran.err


@pytest.mark.skipif(validator() is None, reason="spirv-val is not here")
def test_an_invalid_module_is_the_backend_s_fault(tmp_path: Path) -> None:
    """With the validator's word, and what running it all the same shows."""
    plan = ShaderPlan()
    for number in range(200):
        program = plan.program(number)
        if isinstance(found := compiled(program.text, plan), ShaderCheck) and found.answer == "invalid":
            break
    else:
        pytest.skip("the backend got 200 programs right")
    inputs = ",".join(map(str, program.inputs))
    buffers = ("--buffer", "u0=i32[256]", "--buffer", f"u1=i32[8]:{inputs}")
    how = ("--lowered", "spirv-vulkan", "--level", "0", "--threads", "8", "--subgroup-size", "8", *buffers)
    ran = convcheck("refine", ll(tmp_path, program.text), *how)
    assert ran.code == 1 and ran.out.startswith("invalid-output: @main")
    assert "spirv-val: " in ran.out and "Behaviour: " in ran.out


SWITCH = """
target triple = "spirv-unknown-vulkan1.3-compute"
@name = private constant [2 x i8] c"o\\00"
define void @main() convergent "hlsl.shader"="compute" "hlsl.numthreads"="4,1,1" {
entry:
  %token = call token @llvm.experimental.convergence.entry()
  %h = call target("spirv.VulkanBuffer", [0 x i32], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_1t(i32 0, i32 0, i32 1, i32 0, ptr @name)
  %t = call i32 @llvm.spv.flattened.thread.id.in.group()
  %s = SELECTOR
  switch i32 %s, label %other [ i32 0, label %zero
    i32 1, label %one ]
zero:
  br label %end
one:
  br label %end
other:
  %v = call i32 @llvm.spv.wave.active.countbits(i1 true) [ "convergencectrl"(token %token) ]
  br label %end
end:
  %r = phi i32 [ 7, %zero ], [ 8, %one ], [ %v, %other ]
  %p = call ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %h, i32 %t)
  store i32 %r, ptr addrspace(11) %p
  ret void
}
"""  # noqa: E501


@pytest.mark.parametrize(("selector", "verdict"), [("mul i32 %t, 3", "wrong"), ("urem i32 %t, 3", "equal")])
def test_a_driver_may_part_values_of_one_case(tmp_path: Path, selector: str, verdict: str) -> None:
    """A default that two values lead to promises less than the token; one that only 2 leads to the same."""
    text = SWITCH.replace("SELECTOR", selector)
    how = ("--lowered", "spirv-vulkan", "--level", "0", "--threads", "4", "--max-launches", "2")
    ran = convcheck("refine", ll(tmp_path, text), *how, "--buffer", "u0=i32[4]")
    assert ran.out.startswith(f"{verdict}: @main"), ran.out + ran.err


@pytest.mark.parametrize("target", ["spirv-vulkan", "spirv64"])
def test_what_spirv_does_not_say_of_declared_functions_is_the_source_s_word(
    tmp_path: Path, target: str
) -> None:
    """It has no ``convergent``: a right lowering of any call of theirs was called wrong."""
    text = """
    declare void @use(i32)
    declare i32 @pure(i32) memory(none) nounwind willreturn
    declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
    declare token @llvm.experimental.convergence.entry()
    define i32 @f(i32 %n) convergent {
      %e = call token @llvm.experimental.convergence.entry()
      call void @use(i32 %n)
      %p = call i32 @pure(i32 %n)
      %s = call i32 @subgroupAdd(i32 %p) [ "convergencectrl"(token %e) ]
      ret i32 %s
    }
    """
    ran = convcheck("refine", ll(tmp_path, text), "--lowered", target, "--max-launches", "20")
    assert (ran.code, ran.out.partition(":")[0]) == (0, "equal")
