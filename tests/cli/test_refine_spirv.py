"""``refine --lowered spirv-vulkan`` and ``spirv64``, a shader against SPIR-V: same groups, results, memory.

covers: cli.plumbing.lowerings
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from convergence.fuzz.shader_campaign import Checked, ShaderPlan, compiled
from convergence.passes.validity import validator
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
        if isinstance(found := compiled(program.text, plan), Checked) and found.answer == "invalid":
            break
    else:
        pytest.skip("the backend got 200 programs right")
    inputs = ",".join(map(str, program.inputs))
    buffers = ("--buffer", "u0=i32[256]", "--buffer", f"u1=i32[8]:{inputs}")
    how = ("--lowered", "spirv-vulkan", "--level", "0", "--threads", "8", "--subgroup-size", "8", *buffers)
    ran = convcheck("refine", ll(tmp_path, program.text), *how)
    assert ran.code == 1 and ran.out.startswith("invalid-output: @main")
    assert "spirv-val: " in ran.out and "Behaviour: " in ran.out
