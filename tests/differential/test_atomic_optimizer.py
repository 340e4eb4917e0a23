"""LLVM's atomic optimizer writes what lanes of a wave compute together: a scan in whole wave mode by DPP
or a loop.

One atomic operation of each lane becomes one of the wave, and each lane finds its own old value in the
scan. What comes out is known without LLVM: the operation, one lane after the other.

covers: semantics.operations.amdgcn, semantics.operations.whole_wave
"""

from __future__ import annotations

import operator
import random
import shutil
import subprocess
from collections.abc import Callable, Mapping

import pytest

import convergence as cc
from convergence.parser import parse
from convergence.semantics import Returned

OPERATIONS: Mapping[str, tuple[Callable[[int, int], int], int]] = {
    "add": (operator.add, 0),
    "umax": (max, 0),
    "umin": (min, (1 << 31) - 1),
    "xor": (operator.xor, 0),
    "or": (operator.or_, 0),
}
SOURCE = """
target triple = "amdgcn-amd-amdhsa"
@c = addrspace(1) global i32 {start}
define amdgpu_cs i32 @f(i32 %x, i1 %p) convergent "target-cpu"="{cpu}" {{
  br i1 %p, label %a, label %b
a:
  %old = atomicrmw {operation} ptr addrspace(1) @c, i32 %x syncscope("agent") monotonic
  ret i32 %old
b:
  ret i32 -1
}}
"""
CASES = [
    ("add", "gfx900", "DPP", 64), ("add", "gfx1030", "DPP", 32), ("add", "gfx1100", "DPP", 21),
    ("add", "gfx900", "Iterative", 20), ("umax", "gfx900", "DPP", 50), ("umin", "gfx1030", "DPP", 31),
    ("xor", "gfx1100", "DPP", 32), ("or", "gfx900", "DPP", 17),
]  # fmt: skip


@pytest.mark.parametrize(("operation", "cpu", "strategy", "threads"), CASES)
def test_a_wave_does_what_its_lanes_would(operation: str, cpu: str, strategy: str, threads: int) -> None:
    opt = shutil.which("opt-22")
    if opt is None:
        pytest.skip("opt-22 is not installed")
    step, start = OPERATIONS[operation]
    command = [
        opt, "-S", "-mtriple=amdgcn-amd-amdhsa", f"-mcpu={cpu}", "-passes=amdgpu-atomic-optimizer",
        f"-amdgpu-atomic-optimizer-strategy={strategy}",
    ]  # fmt: skip
    text = SOURCE.format(start=start, cpu=cpu, operation=operation)
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False)
    if "strict.wwm" not in done.stdout and "readlane" not in done.stdout:
        pytest.skip("this opt does not optimise atomics of AMDGPU")
    rng = random.Random(f"{operation} {cpu} {strategy}")
    x = [rng.randrange(1 << 20) for _ in range(threads)]
    p = [int(rng.random() < 0.7) for _ in range(threads - 1)] + [1]
    ran = cc.run(parse(done.stdout), function="f", threads=threads, arguments={"x": x, "p": p})
    assert ran.ending == Returned(), ran.ending
    expected, now = [], start
    for lane in range(threads):
        expected.append(now if p[lane] else -1)
        now = step(now, x[lane]) if p[lane] else now
    assert [t.value for t in ran.outcome.threads] == expected
    assert ran.stand_ins == ()
