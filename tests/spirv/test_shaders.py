"""Shaders that glslang compiles are read, verified and run, and compute what numpy does.

covers: spirv.translation, spirv.memory, spirv.arithmetic, spirv.resources, spirv.extended
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.cli.cli_harness import convcheck
from tests.spirv.shader_cases import CASES

SHADERS = Path(__file__).with_name("shaders")
GLSLANG = pytest.mark.skipif(
    shutil.which("glslangValidator") is None, reason="needs glslangValidator (Debian: glslang-tools)"
)


@GLSLANG
@pytest.mark.parametrize("name", CASES)
def test_shaders_compute_what_numpy_does(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    binary = tmp_path / f"{name}.spv"
    glslang = ["glslangValidator", "-V", "--target-env", case.environment]
    subprocess.run(
        [*glslang, str(SHADERS / f"{name}.comp"), "-o", str(binary)], check=True, capture_output=True
    )
    assert convcheck("verify", binary).code == 0
    options = list(case.options)
    for key, array in case.buffers.items():
        np.save(tmp_path / f"{key}.npy", array)
        options += ["--buffer", f"{key}=@{tmp_path / key}.npy"]
    expected = case.results()
    for key in expected:
        options += ["--save", f"{key}={tmp_path / key}.out.npy"]
    ran = convcheck("run", "-q", binary, *options)
    assert ran.code == 0, ran
    for key, wanted in expected.items():
        found = np.load(tmp_path / f"{key}.out.npy")[: len(wanted)]
        if case.close:
            np.testing.assert_allclose(found, wanted, rtol=1e-5)
        else:
            np.testing.assert_array_equal(found, wanted)


def test_every_shader_has_a_case() -> None:
    assert {path.stem for path in SHADERS.glob("*.comp")} == set(CASES)
