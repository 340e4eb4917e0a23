"""Split barriers, barriers for some of a workgroup's threads, and what they order.

covers: semantics.memory.synchronisation, semantics.machine.machine, semantics.operations.barriers
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import convergence as cc
from convergence.parser import parse
from convergence.semantics import Deadlock, Returned, Unmodelled
from tests.launches import explore

TILE = "@tile = internal addrspace(3) global [8 x i32] undef, align 4\n"
RELEASE = '  fence syncscope("workgroup") release\n'
ACQUIRE = '  fence syncscope("workgroup") acquire\n'
SIGNAL = "  call void @llvm.amdgcn.s.barrier.signal(i32 -1)\n"
WAIT = "  call void @llvm.amdgcn.s.barrier.wait(i16 -1)\n"
STORE = (
    "  %own = getelementptr inbounds [8 x i32], ptr addrspace(3) @tile, i32 0, i32 %me\n"
    "  store i32 %x, ptr addrspace(3) %own, align 4\n"
)
LOAD = (
    "  %o = xor i32 %me, 3\n"
    "  %there = getelementptr inbounds [8 x i32], ptr addrspace(3) @tile, i32 0, i32 %o\n"
    "  %r = load i32, ptr addrspace(3) %there, align 4\n"
)


def exchange(*between: str, declared: str = "") -> str:
    """Each thread writes, and reads what the opposite one of four wrote."""
    body = STORE + "".join(between) + LOAD
    return f"{TILE}{declared}define i32 @f(i32 %x, i32 %me) convergent {{\n{body}  ret i32 %r\n}}\n"


X = [10, 11, 12, 13]
GIVEN: dict[str, Any] = {"x": X, "me": [0, 1, 2, 3]}
OPENCL = (
    "declare void @_Z31intel_work_group_barrier_arrivej(i32) convergent\n"
    "declare void @_Z29intel_work_group_barrier_waitj(i32) convergent\n"
)
SPIRV = (
    "declare void @__spirv_ControlBarrierArriveINTEL(i32, i32, i32) convergent\n"
    "declare void @__spirv_ControlBarrierWaitINTEL(i32, i32, i32) convergent\n"
)


def intel(flags: int) -> tuple[str, str]:
    return (
        f"  call void @_Z31intel_work_group_barrier_arrivej(i32 {flags})\n",
        f"  call void @_Z29intel_work_group_barrier_waitj(i32 {flags})\n",
    )


def spirv(semantics: int) -> tuple[str, str]:
    return (
        f"  call void @__spirv_ControlBarrierArriveINTEL(i32 2, i32 2, i32 {semantics})\n",
        f"  call void @__spirv_ControlBarrierWaitINTEL(i32 2, i32 2, i32 {semantics})\n",
    )


ORDERED = {
    "amdgpu": exchange(RELEASE, SIGNAL, WAIT, ACQUIRE),
    "amdgpu, fences further out": exchange(RELEASE, "  %s = add i32 %x, 1\n", SIGNAL, WAIT, ACQUIRE),
    "opencl": exchange(*intel(1), declared=OPENCL),
    "spirv": exchange(*spirv(0x108), declared=SPIRV),
    "ptx": exchange("  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 4)\n"),
}
RACING = {
    "nobody waits": exchange(RELEASE, SIGNAL, ACQUIRE),
    "no fences": exchange(SIGNAL, WAIT),
    "the release is behind the signal": exchange(SIGNAL, RELEASE, WAIT, ACQUIRE),
    "the acquire is before the wait": exchange(RELEASE, SIGNAL, ACQUIRE, WAIT),
    "the flags name other memory": exchange(*intel(2), declared=OPENCL),
    "the semantics name other memory": exchange(*spirv(0x208), declared=SPIRV),
}


@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("name", ORDERED)
def test_both_halves_order_memory(name: str, size: int) -> None:
    launch: dict[str, Any] = {"threads": 4, "subgroup_size": size, "arguments": GIVEN}
    done = cc.run(parse(ORDERED[name]), **launch)
    assert done.ending == Returned(), done.ending
    assert not done.races
    assert [t.value for t in done.outcome.threads] == X[::-1]
    (machine,) = cc.simulate(parse(ORDERED[name]), policy="exec-mask", **launch)
    assert machine.outcome is not None
    assert [t.value for t in machine.outcome.threads] == X[::-1]


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("name", ["amdgpu", "opencl", "ptx"])
def test_there_is_one_outcome(name: str, size: int) -> None:
    found = cc.enumerate(parse(ORDERED[name]), threads=4, subgroup_size=size, arguments=GIVEN)
    (outcome,) = found.outcomes
    assert found.complete
    assert [t.value for t in outcome.outcome.threads] == X[::-1]


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("name", RACING)
def test_what_they_do_not_order_races(name: str, size: int) -> None:
    done = cc.run(parse(RACING[name]), threads=4, subgroup_size=size, arguments=GIVEN)
    assert done.races, done.outcome
    assert any("race" in note for note in done.notes)


def test_each_wait_is_for_the_signal_before_it() -> None:
    """Values go round three times; a wait that let go early would read an old one."""
    rounds = "".join(
        f"  store i32 %v{n}, ptr addrspace(3) %own, align 4\n{RELEASE}{SIGNAL}{WAIT}{ACQUIRE}"
        f"  %r{n} = load i32, ptr addrspace(3) %next, align 4\n"
        f"  %v{n + 1} = add i32 %r{n}, 100\n{RELEASE}{SIGNAL}{WAIT}{ACQUIRE}"
        for n in range(3)
    )
    text = (
        f"{TILE}define i32 @f(i32 %v0, i32 %me) convergent {{\n"
        "  %own = getelementptr inbounds [8 x i32], ptr addrspace(3) @tile, i32 0, i32 %me\n"
        "  %i = add i32 %me, 1\n  %j = and i32 %i, 3\n"
        "  %next = getelementptr inbounds [8 x i32], ptr addrspace(3) @tile, i32 0, i32 %j\n"
        f"{rounds}  ret i32 %v3\n}}\n"
    )
    for size in (1, 2, 4):
        done = cc.run(parse(text), threads=4, subgroup_size=size, arguments={"v0": X, "me": [0, 1, 2, 3]})
        assert not done.races
        assert [t.value for t in done.outcome.threads] == [X[(i + 3) % 4] + 300 for i in range(4)]


@pytest.mark.parametrize("size", [1, 2])
def test_each_waits_for_as_many_arrivals_as_its_own(size: int) -> None:
    """Thread 0 arrives twice; thread 1 need not wait for its own second time, and when it has ended thread 0
    need not either."""
    text = (
        "define i32 @f(i1 %p) convergent {\n"
        f"{SIGNAL}  br i1 %p, label %a, label %b\na:\n{SIGNAL}  br label %b\nb:\n{WAIT}  ret i32 7\n}}\n"
    )
    launch: dict[str, Any] = {"threads": 2, "subgroup_size": size, "arguments": {"p": [1, 0]}}
    for engine in ("reference", "attended"):
        done = cc.run(parse(text), engine=engine, **launch)
        assert done.ending == Returned() and [t.value for t in done.outcome.threads] == [7, 7]
    (outcome,) = cc.enumerate(parse(text), **launch).outcomes
    assert outcome.ending == "returned"


def test_who_never_signals_is_waited_for() -> None:
    text = (
        "define void @f(i1 %p) convergent {\n  br i1 %p, label %a, label %b\n"
        f"a:\n{SIGNAL}{WAIT}  ret void\nb:\n  br label %b\n}}\n"
    )
    done = cc.run(parse(text), threads=2, subgroup_size=1, arguments={"p": [1, 0]}, max_steps=2000)
    assert done.ending != Returned()
    over = cc.run(
        parse(text.replace("  br label %b", "  ret void")),
        threads=2,
        subgroup_size=1,
        arguments={"p": [1, 0]},
    )
    assert over.ending == Returned()  # a thread that is over is not waited for


# -- PTX: barriers for some of the threads

PIPE = """
@tile = internal addrspace(3) global [8 x i32] undef, align 4
define i32 @f(i32 %x, i32 %me, i32 %role) convergent {
  %slot = and i32 %me, 1
  %p = getelementptr inbounds [8 x i32], ptr addrspace(3) @tile, i32 0, i32 %slot
  switch i32 %role, label %other [ i32 0, label %produce
                                   i32 1, label %consume ]
produce:
  store i32 %x, ptr addrspace(3) %p, align 4
  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 1, i32 4)
  ret i32 -1
consume:
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 4)
  %r = load i32, ptr addrspace(3) %p, align 4
  ret i32 %r
other:
  ret i32 -2
}
"""


@pytest.mark.parametrize("roles", sorted(set(itertools.permutations((0, 1, 2)))))
def test_producers_and_consumers(roles: tuple[int, ...]) -> None:
    """Two threads arrive, two wait for them, two take no part, wave by wave."""
    role = [r for r in roles for _ in range(2)]
    x = list(range(50, 56))
    given: dict[str, Any] = {"x": x, "me": list(range(6)), "role": role}
    done = cc.run(parse(PIPE), threads=6, subgroup_size=2, arguments=given)
    assert done.ending == Returned() and not done.races
    produced = x[role.index(0) : role.index(0) + 2]
    expected = [{0: -1, 1: produced[i % 2], 2: -2}[r] for i, r in enumerate(role)]
    assert [t.value for t in done.outcome.threads] == expected
    found = cc.enumerate(parse(PIPE), threads=6, subgroup_size=2, arguments=given)
    (outcome,) = found.outcomes
    assert [t.value for t in outcome.outcome.threads] == expected


def test_a_barrier_with_too_few_waits_for_ever() -> None:
    given: dict[str, Any] = {"x": [0] * 4, "me": [0, 1, 2, 3], "role": [1, 1, 2, 2]}
    done = cc.run(parse(PIPE), threads=4, subgroup_size=2, arguments=given)
    assert done.ending != Returned()
    assert "barrier" in str(done.ending)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("i32 1, i32 4", "i32 1, i32 2", "to which"),
        ("i32 1, i32 4", "i32 1, i32 %x", "number of threads"),
    ],
)
def test_what_is_not_modelled_is_named(old: str, new: str, what: str) -> None:
    given: dict[str, Any] = {"x": [4] * 4, "me": [0, 1, 2, 3], "role": [0, 0, 1, 1]}
    ending = cc.run(parse(PIPE.replace(old, new)), threads=4, subgroup_size=2, arguments=given).ending
    assert isinstance(ending, Unmodelled) and what in ending.feature


def test_lanes_that_were_not_launched_are_counted_with_their_wave() -> None:
    """Two waves of which one lane runs each: 64 threads come to a barrier, which may be one for as many."""
    text = (
        'target triple = "nvptx64-nvidia-cuda"\ndefine void @f() convergent {\n'
        "  call void @llvm.nvvm.barrier.cta.sync.count(i32 1, i32 COUNT)\n  ret void\n}\n"
        "declare void @llvm.nvvm.barrier.cta.sync.count(i32, i32) convergent\n"
    )
    for count, kind in ((64, Returned), (32, Unmodelled), (48, Unmodelled), (96, Deadlock)):
        done = cc.run(parse(text.replace("COUNT", str(count))), threads=2, subgroup_size=1)
        assert isinstance(done.ending, kind), (count, done.ending)


def test_a_reduction_for_some_of_the_threads() -> None:
    text = (
        "define i32 @f(i32 %w, i1 %p) convergent {\n  %c = icmp ult i32 %w, 2\n"
        "  br i1 %c, label %in, label %out\nin:\n"
        "  %r = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.count(i32 2, i32 4, i1 %p)\n"
        "  ret i32 %r\nout:\n  ret i32 -1\n}\n"
    )
    given: dict[str, Any] = {"w": [0, 0, 1, 1, 2, 2], "p": [1, 0, 1, 1, 1, 1]}
    done = cc.run(parse(text), threads=6, subgroup_size=2, arguments=given)
    assert [t.value for t in done.outcome.threads] == [3, 3, 3, 3, -1, -1]


def test_a_signal_does_not_wait() -> None:
    """Read as the barrier whose name begins its own, it would."""
    text = (
        "define i32 @f(i1 %p) convergent {\n  br i1 %p, label %a, label %b\n"
        f"a:\n{SIGNAL}  ret i32 1\nb:\n  br label %b\n}}\n"
    )
    done = cc.run(parse(text), threads=2, subgroup_size=1, arguments={"p": [1, 0]}, max_steps=2000)
    assert done.outcome.threads[0].value == 1


# -- clusters of workgroups

CLUSTER = """
@g = global [8 x i32] zeroinitializer
define i32 @f(i32 %x, i32 %me) convergent "nvvm.cluster_dim"="2" {{
  %own = getelementptr inbounds [8 x i32], ptr @g, i32 0, i32 %me
  store i32 %x, ptr %own, align 4
{arrive}
{wait}
  %o = xor i32 %me, 3
  %there = getelementptr inbounds [8 x i32], ptr @g, i32 0, i32 %o
  %r = load i32, ptr %there, align 4
  ret i32 %r
}}
"""
ARRIVE = "  call void @llvm.nvvm.barrier.cluster.arrive.aligned()"
CLUSTER_WAIT = "  call void @llvm.nvvm.barrier.cluster.wait.aligned()"


def clustered(arrive: str = ARRIVE, wait: str = CLUSTER_WAIT, more: str = "") -> str:
    return CLUSTER.format(arrive=arrive, wait=wait) + more


@pytest.mark.parametrize(
    ("arrive", "wait", "races"),
    [
        (ARRIVE, CLUSTER_WAIT, False),
        (ARRIVE, "", True),
        (ARRIVE.replace("arrive", "arrive.relaxed"), CLUSTER_WAIT, True),
        ("  fence release\n  call void @llvm.amdgcn.s.cluster.barrier()", "  fence acquire", False),
        ("  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)", "", True),
    ],
)
def test_workgroups_of_a_cluster_meet(arrive: str, wait: str, races: bool) -> None:
    """Threads 0 and 1 are one workgroup, 2 and 3 the other one of their cluster."""
    launch: dict[str, Any] = {"grid": 2, "workgroup": 2, "arguments": GIVEN}
    done = cc.run(parse(clustered(arrive, wait)), **launch)
    assert done.ending == Returned(), done.ending
    assert bool(done.races) is races
    if not races:
        assert [t.value for t in done.outcome.threads] == X[::-1]


def test_clusters_do_not_wait_for_each_other() -> None:
    text = (
        'define i32 @f(i1 %p) convergent "nvvm.cluster_dim"="1" {\n  br i1 %p, label %a, label %b\n'
        f"a:\n{ARRIVE}\n{CLUSTER_WAIT}\n  ret i32 1\nb:\n  br label %b\n}}\n"
    )
    done = cc.run(parse(text), grid=2, workgroup=1, arguments={"p": [1, 0]}, max_steps=2000)
    assert done.outcome.threads[0].value == 1


@pytest.mark.parametrize(
    ("between", "acquires"),
    [
        ('fence syncscope("workgroup") acquire', True),
        ("call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 1, i32 64)", False),
    ],
)
def test_who_arrives_releases_and_acquires_nothing(between: str, acquires: bool) -> None:
    text = f"""@x = global i32 0
@flag = global i32 0
declare void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32, i32) convergent
define i32 @f(i1 %writes) convergent {{
  br i1 %writes, label %write, label %read
write:
  store i32 1, ptr @x
  store atomic i32 1, ptr @flag syncscope("workgroup") release, align 4
  ret i32 0
read:
  %seen = load atomic i32, ptr @flag syncscope("workgroup") monotonic, align 4
  {between}
  %is = icmp eq i32 %seen, 1
  br i1 %is, label %look, label %none
look:
  %r = load i32, ptr @x
  ret i32 %r
none:
  ret i32 2
}}
"""
    answer = explore(parse(text), threads=2, arguments={"writes": [-1, 0]})
    seen = {o.outcome.threads[1].value for o in answer.outcomes}
    assert answer.complete and seen == ({1, 2} if acquires else {2, "undef"})
