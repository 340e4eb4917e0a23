"""Random kernels whose threads meet in atomics, as clang writes them with and without optimising: both
engines find the same executions, and ``refine`` has no alarm. ``make random-kernels`` compares many.

covers: sched.constraints.search, semantics.environments.queued
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from shutil import which

import pytest

import convergence as cc
from convergence.sched.engines import Engine

from .meeting import meeting

CLANG, OPT = which("clang-22"), which("opt-22")
CASES = int(os.environ.get("CONVCHECK_CASES", "1"))
FIRST = int(os.environ.get("CONVCHECK_SEED", "0"))
FLAGS = (
    "-x", "cl", "-cl-std=CL3.0", "-w", "-target", "spir64-unknown-unknown", "-Xclang",
    "-finclude-default-header", "-Xclang", "-cl-ext=+all",
    "-fno-discard-value-names", "-O0", "-Xclang", "-disable-O0-optnone", "-S",
    "-emit-llvm", "-o", "-", "-",
)  # fmt: skip
SECONDS = 4.0 if CASES == 1 else 10.0
ENGINES: tuple[Engine, ...] = ("operational", "axiomatic")
BUFFERS = {"out": "i32[16]", "in": "i32[4]:1,0,2,3", "count": "i32[2]"}


def compiled(seed: int) -> tuple[str, str]:
    """A kernel without optimising, and with."""
    assert CLANG is not None and OPT is not None
    plain = subprocess.run([CLANG, *FLAGS], input=meeting(seed), capture_output=True, text=True, check=True)
    command = [OPT, "-passes=default<O2>", "-S", "-o", "-", "-"]
    optimised = subprocess.run(command, input=plain.stdout, capture_output=True, text=True, check=True)
    return plain.stdout, optimised.stdout


@pytest.mark.skipif(not (CLANG and OPT), reason="clang-22 and opt-22 are not installed")
def test_engines_agree_about_kernels_whose_threads_meet(
    record_property: Callable[[str, object], None],
) -> None:
    compared = 0
    for seed in range(FIRST, FIRST + CASES):
        for text in compiled(seed):
            module = cc.parse(text)
            one, other = (
                cc.enumerate(module, engine=engine, function="k", threads=2, buffers=BUFFERS, timeout=SECONDS)
                for engine in ENGINES
            )
            if one.complete and other.complete:
                assert one.same(other), (seed, meeting(seed))
                compared += 1
    record_property("kernels whose threads meet compared by both engines", compared)
    assert compared or CASES < 2


@pytest.mark.skipif(not (CLANG and OPT), reason="clang-22 and opt-22 are not installed")
def test_optimising_them_is_no_fault(record_property: Callable[[str, object], None]) -> None:
    compared = 0
    for seed in range(FIRST, FIRST + CASES):
        plain, optimised = map(cc.parse, compiled(seed))
        answer = cc.refine(plain, optimised, function="k", models=("maximal", "inferred"), timeout=SECONDS)
        assert answer.verdict in ("equal", "refines", "unknown"), (seed, meeting(seed))
        compared += answer.verdict != "unknown"
    record_property("kernels whose threads meet refined by clang's optimising", compared)
    assert compared or CASES < 2
