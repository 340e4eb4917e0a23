"""One lane at a barrier of the workgroup, while the others of its wave wait behind it.

covers: sched.lockstep.executor, sched.lockstep.rounds
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import convergence as cc
from convergence.sched.lockstep.policies import NAMES
from convergence.sched.lockstep.policy import MachineOptions
from convergence.sched.lockstep.simulate import simulate_machine
from convergence.semantics.machine import Issued
from convergence.semantics.machine.launch import Limits, launch_spec
from convergence.semantics.machine.run import prepare_run

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


LEAVING = """
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare void @llvm.dx.group.memory.barrier.with.group.sync()
define i32 @f(i32 %n) convergent {
entry:
  %T = call token @llvm.experimental.convergence.entry()
  br label %H
H:
  %i = phi i32 [ 0, %entry ], [ %i.next, %B ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %T) ]
  %more = icmp ult i32 %i, %n
  br i1 %more, label %B, label %E
B:
  call void @llvm.dx.group.memory.barrier.with.group.sync() [ "convergencectrl"(token %h) ]
  %i.next = add i32 %i, 1
  br label %H
E:
  %a = mul i32 %i, 3
  ret i32 %a
}
"""


@pytest.mark.parametrize(
    "rounds", [[3, 3, 3, 3, 2, 2, 3, 3], [1, 1, 3, 3, 1, 0, 2, 1], [2, 3, 2, 2, 2, 1, 3, 0, 3, 2, 3, 3]]
)
def test_who_leaves_is_not_waited_for_natively_either(rounds: list[int]) -> None:
    """A lane leaves its wave's others, which wait with another wave: that goes on in the same turn as by the
    reference, so that what all waves issue is in the same order."""
    module, options = cc.parse(LEAVING), MachineOptions(yields=True)
    issued = []
    for engine in ("reference", "native"):
        spec = launch_spec(
            function="f", workgroup=len(rounds), grid=1, subgroup_size=4, arguments={"n": rounds}
        )
        program, launch = prepare_run(module, replace(spec, engine=engine))
        answer = simulate_machine(program, launch, "barrier", options, Limits(max_steps=60_000))
        assert answer.machine is not None
        issued.append([event for event in answer.machine.log if isinstance(event, Issued)])
    assert issued[0] == issued[1]


THREE = """
@s = addrspace(3) global [4 x i32] poison
@out = addrspace(1) global [4 x i32] zeroinitializer
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define void @f() convergent {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr i32, ptr addrspace(3) @s, i32 %t
  %t.1 = add i32 %t, 1
  %t.next = and i32 %t.1, 3
  %next = getelementptr i32, ptr addrspace(3) @s, i32 %t.next
  store i32 %t.1, ptr addrspace(3) %own
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %v = load i32, ptr addrspace(3) %next
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %w = mul i32 %v, 10
  store i32 %w, ptr addrspace(3) %own
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %r = load i32, ptr addrspace(3) %next
  %to = getelementptr i32, ptr addrspace(1) @out, i32 %t
  store i32 %r, ptr addrspace(1) %to
  ret void
}
"""


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("policy", NAMES)
def test_nobody_passes_a_barrier_before_all_have_come(policy: str, size: int, engine: Any) -> None:
    """Where lanes run apart, those of one's own wave are waited for, too: they went through all three."""
    (answer,) = cc.simulate(
        cc.parse(THREE), policy=policy, engine=engine, workgroup=4, subgroup_size=size, grid=1
    )
    assert answer.outcome is not None
    assert answer.outcome.memory["@out"] == [30, 40, 10, 20]
