"""Random kernels as clang compiles them for each target, against the same phases compiled as C and run by the
processor. ``make random-kernels`` compares many; here are a few.

covers: semantics.native.unattended, semantics.native.workgroups, semantics.instructions.library.opencl
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random
from shutil import which

import numpy as np
import pytest

import convergence as cc
from convergence.semantics import Returned
from convergence.semantics.machine.program import EngineKind

from .generate import BINS, GROUPS, WORKGROUP, RandomKernel, kernel

CLANG = which("clang-22")
CASES = int(os.environ.get("CONVCHECK_CASES", "1"))
FIRST = int(os.environ.get("CONVCHECK_SEED", "0"))
TARGETS = {
    "amdgcn": ("-target", "amdgcn-amd-amdhsa", "-mcpu=gfx90a", "-nogpulib"),
    "nvptx64": ("-target", "nvptx64-nvidia-cuda"),
    "spir64": ("-target", "spir64"),
    "spirv64": ("-target", "spirv64-unknown-unknown"),
}
HEADER = ("-x", "cl", "-cl-std=CL2.0", "-w", "-Xclang", "-fdeclare-opencl-builtins", "-Xclang",
          "-finclude-default-header")  # fmt: skip
ENGINES: tuple[tuple[EngineKind, ...], ...] = (("native", "reference"), ("auto",), ("attended",))
"""By seed: what runs the kernel."""
Results = tuple[list[int], list[int]]

pytestmark = pytest.mark.skipif(CLANG is None, reason="clang-22 is not on PATH")


def _clang(*words: str | Path) -> None:
    assert CLANG is not None
    subprocess.run([CLANG, *words], check=True, capture_output=True)


def _given(seed: int) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    """What the kernel reads: every third number is small."""
    numbers = np.random.default_rng(seed).integers(0, 1 << 32, WORKGROUP * GROUPS, dtype=np.uint32)
    numbers[::3] %= 50
    return numbers


def by_processor(random_kernel: RandomKernel, seed: int, folder: Path) -> Results:
    """What C's meaning gives; overflow of signed numbers wraps, as it does for the kernel's operations."""
    source, library = folder / f"{seed}.c", folder / f"{seed}.so"
    source.write_text(random_kernel.c)
    _clang("-O1", "-fwrapv", "-w", "-shared", "-fPIC", source, "-o", library)
    given, out, counts = _given(seed), *_empty()
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (out, given, counts)]
    ctypes.CDLL(str(library)).run(*pointers)
    return out.tolist(), counts.tolist()


def _empty() -> list[np.ndarray[tuple[int], np.dtype[np.uint32]]]:
    return [np.zeros(size, np.uint32) for size in (WORKGROUP * GROUPS, BINS * GROUPS)]


def by_us(random_kernel: RandomKernel, seed: int, target: str, engine: EngineKind, folder: Path) -> Results:
    """What a run of clang's output gives, at a level of optimization that the seed says."""
    source, output = folder / f"{seed}.cl", folder / f"{seed}.{target}.ll"
    source.write_text(random_kernel.opencl)
    level = Random(f"level {target} {seed}").choice(("-O0", "-O1", "-O2", "-Os"))
    _clang(*HEADER, *TARGETS[target], level, "-S", "-emit-llvm", source, "-o", output)
    module = cc.parse(output.read_text())
    names = [parameter.name for parameter in module.functions["k"].parameters]
    out, counts = _empty()
    buffers = dict(zip(names, (out, _given(seed), counts), strict=True))
    run = cc.run(module, function="k", grid=GROUPS, workgroup=WORKGROUP, engine=engine, buffers=buffers)
    assert isinstance(run.ending, Returned), run.ending
    return run.buffers[names[0]].tolist(), run.buffers[names[2]].tolist()


@pytest.mark.parametrize("target", TARGETS if CASES > 1 else ("amdgcn", "spirv64"))
def test_the_processor_computes_the_same(
    target: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    for seed in range(FIRST, FIRST + CASES):
        random_kernel = kernel(seed)
        expected = by_processor(random_kernel, seed, tmp_path)
        for engine in ENGINES[seed % len(ENGINES)]:
            assert by_us(random_kernel, seed, target, engine, tmp_path) == expected, (seed, engine)
    record_property("kernels", CASES)


def test_a_kernel_that_says_something_else_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    one, other = RandomKernel(("a += l;",)), RandomKernel(("a += l ^ 1u;",))
    assert by_us(one, 5, "spir64", "reference", tmp_path) == by_processor(one, 5, tmp_path)
    assert by_us(one, 5, "spir64", "reference", tmp_path) != by_processor(other, 5, tmp_path / "other")
