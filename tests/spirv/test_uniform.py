"""Which control flow is shown to be uniform, through calls and buffers: what SPIR-V promises without maximal
reconvergence (R-UNIFORM)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from convergence.spirv import Reconvergence, translate

GLSLANG = pytest.mark.skipif(
    shutil.which("glslangValidator") is None, reason="needs glslangValidator (Debian: glslang-tools)"
)
SHADER = """
#version 450
#extension GL_KHR_shader_subgroup_vote : enable
layout(local_size_x = 8) in;
layout(push_constant) uniform P { uint n; };
layout(set = 0, binding = 0) readonly buffer I { uint v[]; };
layout(set = 0, binding = 1) buffer O { uint o[]; };
layout(set = 0, binding = 2) coherent buffer W { uint w[]; };
layout(set = 0, binding = 3) buffer A { uint a[]; };
layout(set = 0, binding = 3) buffer B { uint b[]; };
uint own() { return gl_LocalInvocationIndex; }
uint next(uint x) { return x + 1; }
uint least(uint x) { if (x > n) return n; return x; }
void put(out uint x, uint y) { x = y; }
void main() {
    uint x = n;
    BEFORE
    if (CONDITION) {
        uint y = 0;
        if (own() > 5) y = 1;
        o[own()] = subgroupAny(own() < 3) ? 1 : y;
    }
}
"""


def promised(tmp_path: Path, condition: str, before: str = "") -> bool:
    """Whether the vote in the branch is of all threads for certain."""
    source, binary = tmp_path / "x.comp", tmp_path / "x.spv"
    source.write_text(SHADER.replace("CONDITION", condition).replace("BEFORE", before))
    command = ["glslangValidator", "-V", "--target-env", "vulkan1.1", str(source), "-o", str(binary)]
    subprocess.run(command, check=True, capture_output=True)
    return "anchor" not in translate(binary.read_bytes(), Reconvergence.BASE).translation.text


@GLSLANG
@pytest.mark.parametrize(
    ("condition", "before", "uniform"),
    [
        ("v[n] > 2", "", True),
        ("v[own()] > 2", "", False),
        ("o[n] > 2", "", False),
        ("w[n] > 2", "", True),
        ("w[n] > 2", "uint most = w.length();", True),
        ("w[own()] > 2", "", False),
        ("w[n] > 2", "w[own()] = 1;", False),
        ("w[n] > 2", "atomicAdd(w[0], 1);", False),
        ("w[n] > 2", "put(w[own()], n);", False),
        ("a[n] > 2", "o[own()] = b[n];", True),
        ("a[n] > 2", "b[own()] = 1;", False),
        ("next(n) > 2", "", True),
        ("next(own()) > 2", "", False),
        ("next(n) > 2", "o[0] = next(own());", False),
        ("least(v[3]) > 2", "", True),
        ("least(own()) > 2", "", False),
        ("x > 2", "put(x, n);", True),
        ("x > 2", "put(x, own());", False),
        ("x > 2", "if (own() > 1) put(x, n);", False),
        ("x > 2", "if (n > 1) put(x, v[1]);", True),
    ],
)
def test_uniform_values_go_through_calls_and_buffers(
    tmp_path: Path, condition: str, before: str, uniform: bool
) -> None:
    """``next`` has one parameter for all its calls: where one is given the thread's number, none is sure."""
    assert promised(tmp_path, condition, before) is uniform


@GLSLANG
def test_the_branches_that_nothing_shows_to_be_uniform_are_named(tmp_path: Path) -> None:
    """Where they are, SPIR-V promises more than the answer says."""
    assert not promised(tmp_path, "o[n] > 2")
    translation = translate((tmp_path / "x.spv").read_bytes(), Reconvergence.BASE).translation
    assert len(translation.undecided) == 2  # its own condition, and the one inside
    assert promised(tmp_path, "w[n] > 2")
    assert translate((tmp_path / "x.spv").read_bytes(), Reconvergence.BASE).translation.undecided == ()
