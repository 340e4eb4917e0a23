"""One lane at a barrier of the workgroup, while the others of its wave wait behind it.

covers: sched.lockstep.executor
"""

from __future__ import annotations

from typing import Any

import pytest

import convergence as cc

ONE_FOR_ALL = """
target triple = "amdgcn-amd-amdhsa"
declare void @llvm.amdgcn.s.barrier() convergent
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @k(i32 %one) "target-cpu"="gfx90a" {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %first.wave = icmp ult i32 %t, 64
  %alone = icmp eq i32 %t, %one
  %comes = or i1 %first.wave, %alone
  br i1 %comes, label %barrier, label %end
barrier:
  call void @llvm.amdgcn.s.barrier()
  call void @llvm.amdgcn.s.barrier()
  br label %end
end:
  ret void
}
"""


def goes_through(policy: str, engine: Any, one: int) -> bool:
    """Whether a machine ends the launch, in which lane ``one`` of the second wave comes to the barrier."""
    (found,) = cc.simulate(
        cc.parse(ONE_FOR_ALL), policy=policy, engine=engine, grid=1, workgroup=128,
        arguments={"one": one},
    )  # fmt: skip
    assert found.ending is not None or found.waits
    return found.ending is not None and found.conforms is True


@pytest.mark.parametrize("engine", ["reference", "auto", "native"])
@pytest.mark.parametrize("policy", ["ipdom", "exec-mask", "mask-stack", "block-ip"])
def test_a_lane_comes_to_a_barrier_for_its_wave(policy: str, engine: Any) -> None:
    assert goes_through(policy, engine, one=64)


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_counted_by_lanes_nobody_has_to_come_for_others(engine: Any) -> None:
    assert goes_through("independent", engine, one=64)


def test_a_wave_that_is_over_is_not_waited_for() -> None:
    assert goes_through("ipdom", "reference", one=1000)
