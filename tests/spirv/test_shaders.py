"""Shaders that glslang and clang compile are read, verified and run, and compute what numpy does.

covers: spirv.translation, spirv.memory, spirv.arithmetic, spirv.resources, spirv.extended
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.cli.cli_harness import convcheck
from tests.spirv.shader_cases import CASES, Case

SHADERS = Path(__file__).with_name("shaders")
CLANG = sorted(path.name.partition(".")[0] for path in SHADERS.glob("*.clang.spvasm"))
GLSLANG = pytest.mark.skipif(
    shutil.which("glslangValidator") is None, reason="needs glslangValidator (Debian: glslang-tools)"
)


@GLSLANG
@pytest.mark.parametrize("name", CASES)
def test_shaders_compute_what_numpy_does(name: str, tmp_path: Path) -> None:
    binary = tmp_path / f"{name}.spv"
    glslang = ["glslangValidator", "-V", "--target-env", CASES[name].environment]
    if (source := SHADERS / f"{name}.hlsl").exists():
        glslang += ["-D", "-e", "main", "-S", "comp"]
    else:
        source = SHADERS / f"{name}.comp"
    subprocess.run([*glslang, str(source), "-o", str(binary)], check=True, capture_output=True)
    compare(binary, CASES[name], tmp_path)


@pytest.mark.parametrize("name", CLANG)
def test_what_clang_made_of_shaders_computes_what_numpy_does(name: str, tmp_path: Path) -> None:
    """Debian's clang has no header of HLSL, so that what it makes is kept."""
    compare(SHADERS / f"{name}.clang.spvasm", CASES[name], tmp_path)


def compare(binary: Path, case: Case, tmp_path: Path) -> None:
    assert convcheck("verify", binary).code == 0
    options = list(case.options)
    for key, array in case.buffers.items():
        np.save(tmp_path / f"{plain(key)}.npy", array)
        options += ["--buffer", f"{key}=@{tmp_path / plain(key)}.npy"]
    expected = case.results()
    for key in expected:
        options += ["--save", f"{key}={tmp_path / plain(key)}.out.npy"]
    ran = convcheck("run", "-q", binary, *options)
    assert ran.code == 0, ran
    for key, wanted in expected.items():
        found = np.load(tmp_path / f"{plain(key)}.out.npy")[: len(wanted)]
        if case.close:
            np.testing.assert_allclose(found, wanted, rtol=1e-5)
        else:
            np.testing.assert_array_equal(found, wanted)


def plain(key: str) -> str:
    """A buffer's name as one of a file."""
    return "".join(c if c.isalnum() else "_" for c in key)


def test_every_shader_has_a_case() -> None:
    sources = {path.stem for form in ("*.comp", "*.hlsl") for path in SHADERS.glob(form)}
    assert sources == set(CASES) and set(CLANG) <= sources and len(sources) > 20
