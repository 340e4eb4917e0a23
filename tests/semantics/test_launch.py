"""Launches of many workgroups: their shape, what kernels say of it, scopes, and workgroup memory (D-ENTRY).

covers: ir.targets, sched.constraints.time, semantics.machine.uniform_barriers, semantics.memory.globals,
semantics.operations
"""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

import convergence as cc
from convergence.ir.calls import callee_name
from convergence.ir.instructions import CallSite
from convergence.semantics import Deadlock, Returned, UndefinedBehaviour, Unmodelled
from convergence.semantics.machine.launch import Launch, groups_of, launch_groups, launched_memory
from convergence.semantics.machine.program import Program, Settings
from convergence.semantics.operations import Extent, Grid
from tests.launches import explore, prepare

HALF = 'target triple = "nvptx64-nvidia-cuda"\n'
EMPTY = "define i32 @k() ATTRIBUTES {\n  ret i32 0\n}\nMETADATA\n"


def kernel(attributes: str = "", metadata: str = "", triple: str = "") -> cc.Module:
    return cc.parse(triple + EMPTY.replace("ATTRIBUTES", attributes).replace("METADATA", metadata))


REQUIRED = "!reqd_work_group_size !0", "!0 = !{i32 4, i32 2, i32 1}"


# -- shapes


def test_places_count_along_x_first() -> None:
    extent = Extent(3, 2, 4)
    places = [extent.at(n) for n in range(extent.volume)]
    assert places == [Extent(x, y, z) for z, y, x in product(range(4), range(2), range(3))]


def test_threads_are_numbered_workgroup_by_workgroup_and_subgroups_span_none() -> None:
    launch = Launch("k", 2 * 3 * 5, 2, grid=Extent(2, 3), workgroup=Extent(5))
    groups = launch_groups(launch, kernel())
    assert [g.size for g in groups] == [2, 2, 1] * 6
    assert [g.first for g in groups] == [5 * w + 2 * n for w in range(6) for n in range(3)]
    assert [g.workgroup for g in groups] == [w for w in range(6) for _ in range(3)]
    for group, seen in groups.items():
        assert (seen.number, seen.siblings, seen.group) == (group.first % 5 // 2, 3, group.workgroup)
        assert seen.base == group.first % 5
        assert seen.grid == Grid(Extent(2, 3), Extent(5), 2)


@pytest.mark.parametrize(
    ("options", "threads", "grid", "workgroup"),
    [
        ({}, 1, (1, 1, 1), None),
        ({"threads": 6}, 6, (1, 1, 1), None),
        ({"grid": 3}, 3, (3, 1, 1), (1, 1, 1)),
        ({"grid": (2, 2), "workgroup": (3, 1, 2)}, 24, (2, 2, 1), (3, 1, 2)),
        ({"workgroup": 5}, 5, (1, 1, 1), (5, 1, 1)),
        ({"threads": 6, "workgroup": (3, 2)}, 6, (1, 1, 1), (3, 2, 1)),
        ({"grid": (3,), "paths": [["0"]] * 6}, 6, (3, 1, 1), (2, 1, 1)),
    ],
)
def test_what_is_asked_for_is_launched(
    options: dict[str, Any], threads: int, grid: tuple[int, ...], workgroup: tuple[int, ...] | None
) -> None:
    launch = cc.run(kernel(), **options).machine.launch
    assert (launch.threads, launch.grid, launch.workgroup) == (threads, grid, workgroup)


@pytest.mark.parametrize(
    ("attributes", "metadata", "size"),
    [
        (*REQUIRED, (4, 2, 1)),
        ('"hlsl.numthreads"="8,1,2"', "", (8, 1, 2)),
        ('"nvvm.reqntid"="6"', "", (6, 1, 1)),
        ('"amdgpu-flat-work-group-size"="32,32"', "", (32, 1, 1)),
        ("", '!nvvm.annotations = !{!0}\n!0 = !{ptr @k, !"reqntidx", i32 4, !"reqntidz", i32 2}', (4, 1, 2)),
        ("", "!spirv.ExecutionMode = !{!0}\n!0 = !{ptr @k, i32 17, i32 4, i32 3, i32 1}", (4, 3, 1)),
        ("", "!spirv.ExecutionMode = !{!0}\n!0 = !{ptr @k, i32 18, i32 4, i32 3, i32 1}", None),
        ('"nvvm.maxntid"="32"', "", None),
        ('"amdgpu-flat-work-group-size"="1,256"', "", None),
        ('"amdgpu-flat-work-group-size"="all"', "", None),
    ],
)
def test_a_kernel_says_how_large_its_workgroups_are(
    attributes: str, metadata: str, size: tuple[int, int, int] | None
) -> None:
    module = kernel(attributes, metadata)
    launch = cc.run(module, grid=2).machine.launch
    assert launch.workgroup == (size or (1, 1, 1))
    assert launch.threads == 2 * Extent(*size or (1,)).volume
    if size is not None:
        count = Extent(*size).volume
        assert cc.run(module).machine.launch.workgroup == size
        short = cc.run(module, threads=count).machine.launch
        assert (short.workgroup or Extent(short.threads)) == size


@pytest.mark.parametrize(
    ("attributes", "options", "words"),
    [
        (
            "",
            {"threads": 4, "grid": 2},
            "--threads 4 is one workgroup of 4 threads, which contradicts --grid 2",
        ),
        ("", {"threads": 4, "workgroup": (2, 3)}, "contradicts --workgroup 2,3"),
        ("", {"grid": 0}, "a grid has one to three positive sizes"),
        ("", {"workgroup": (1, 2, 3, 4)}, "a workgroup has one to three positive sizes"),
        ("", {"workgroup": 6, "subgroup_size": 4}, "6 threads is no multiple of the subgroup size 4"),
        ("", {"grid": 2, "workgroup": 2, "paths": [["0"]] * 3}, "3 paths are given for 4 threads"),
        ('"hlsl.numthreads"="8,8,1"', {"threads": 8}, "@k has hlsl.numthreads 8,8,1"),
        (
            '"hlsl.numthreads"="8,8,1"',
            {"workgroup": 64},
            "of 64 threads: @k has hlsl.numthreads 8,8,1",
        ),
        ('"nvvm.reqntid"="64"', {"paths": [["0"]]}, "@k has nvvm.reqntid 64"),
        ('"nvvm.maxntid"="4,2"', {"workgroup": 9}, "@k has nvvm.maxntid 4,2"),
        ('"amdgpu-flat-work-group-size"="2,8"', {"workgroup": 9}, "@k has amdgpu-flat-work-group-size 2,8"),
        ('"amdgpu-flat-work-group-size"="2,8"', {"threads": 1}, "@k has amdgpu-flat-work-group-size 2,8"),
        ('"amdgpu-max-num-workgroups"="2,1,1"', {"grid": 3}, "@k has amdgpu-max-num-workgroups 2,1,1"),
        (
            '"nvvm.cluster_dim"="2,2"',
            {"grid": (4, 3)},
            "no multiple of the cluster of 2,2 of @k",
        ),
    ],
)
def test_what_contradicts_is_one_clear_error(attributes: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(cc.UsageError) as error:
        cc.run(kernel(attributes), **options)
    assert words in error.value.command_line


def test_a_wave_of_which_some_lanes_run_counts_the_program_s_own_threads() -> None:
    """With --threads the others are threads that were not launched; a workgroup that is asked for has no
    others."""
    text = HALF + (
        "define i32 @k() {\n  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  ret i32 %t\n}\n"
        "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
    )
    module = cc.parse(text)

    def ids(**options: Any) -> tuple[list[Any], str]:
        once = cc.run(module, **options)
        return [t.value for t in once.outcome.threads], " ".join(once.notes)

    assert ids(threads=4, subgroup_size=2) == (
        [0, 1, 32, 33],
        "2 of the 32 lanes of each wave run: "
        "the program sees the first thread of the second wave as thread 32",
    )
    assert ids(workgroup=4, subgroup_size=2) == ([0, 1, 2, 3], "2 of the 32 lanes of each wave run")
    assert ids(workgroup=40)[0] == list(range(40))
    assert ids(workgroup=40)[1] == "8 of the 32 lanes of the last wave run"


# -- scopes

EXCHANGE = """
@cell = internal addrspace(SPACE) global [2 x i32] zeroinitializer
define i32 @k() convergent {
  %me = call i32 @llvm.amdgcn.workitem.id.x()
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %tens = mul i32 %group, 10
  %mine = add i32 %tens, %me
  %own = getelementptr i32, ptr addrspace(SPACE) @cell, i32 %me
  store i32 %mine, ptr addrspace(SPACE) %own
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %other = xor i32 %me, 1
  %there = getelementptr i32, ptr addrspace(SPACE) @cell, i32 %other
  %seen = load i32, ptr addrspace(SPACE) %there
  ret i32 %seen
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare void @llvm.amdgcn.s.barrier() convergent
"""
TWO_BY_TWO: dict[str, Any] = {"grid": 2, "workgroup": 2}


@pytest.mark.parametrize("subgroup_size", [1, 2])
def test_each_workgroup_has_its_own_workgroup_memory(subgroup_size: int) -> None:
    module = cc.parse(EXCHANGE.replace("SPACE", "3"))
    once = cc.run(module, **TWO_BY_TWO, subgroup_size=subgroup_size)
    assert [t.value for t in once.outcome.threads] == [1, 0, 11, 10]
    assert once.races == ()
    assert once.outcome.memory == {"@cell (workgroup 0)": [0, 1], "@cell (workgroup 1)": [10, 11]}
    found = cc.enumerate(module, engine="both", **TWO_BY_TWO, subgroup_size=subgroup_size)
    assert found.complete
    assert found.engine == "both"
    assert [[t.value for t in o.outcome.threads] for o in found.outcomes] == [[1, 0, 11, 10]]


def test_all_workgroups_share_other_memory_and_a_barrier_of_one_orders_nothing_between_them() -> None:
    module = cc.parse(EXCHANGE.replace("SPACE", "1"))
    once = cc.run(module, **TWO_BY_TWO)
    assert list(once.outcome.memory) == ["@cell"]
    assert once.races
    assert [t.value for t in once.outcome.threads] == ["undef"] * 4


@pytest.mark.parametrize("policy", ["ipdom", "exec-mask", "barrier", "heart", "independent"])
def test_waves_wait_at_a_barrier_for_the_others_of_their_workgroup(policy: str) -> None:
    module = cc.parse(EXCHANGE.replace("SPACE", "3"))
    found = cc.simulate(module, policy, grid=2, workgroup=2, subgroup_size=1)[0]
    assert isinstance(found.ending, Returned)
    assert found.outcome is not None
    assert [t.value for t in found.outcome.threads] == [1, 0, 11, 10]


APART = """define i32 @k() convergent {
  %me = call i32 @llvm.amdgcn.workitem.id.x()
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %first = icmp eq i32 %WHO, 0
  br i1 %first, label %there, label %round
there:
  call void @llvm.amdgcn.s.barrier()
  ret i32 1
round:
  br label %wait
wait:
  call void @llvm.amdgcn.wave.barrier()
  %again = call i32 @llvm.amdgcn.readfirstlane(i32 0)
  %same = icmp eq i32 %again, 1
  br i1 %same, label %wait, label %over
over:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 1)
  ret i32 2
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.readfirstlane(i32) convergent
declare void @llvm.amdgcn.wave.barrier() convergent
declare void @llvm.amdgcn.s.barrier() convergent
declare void @llvm.nvvm.barrier.cta.sync.all(i32) convergent
"""


def test_a_barrier_waits_for_its_own_workgroup_only_and_a_deadlock_says_for_whom() -> None:
    within = cc.run(cc.parse(APART.replace("WHO", "me")), grid=2, workgroup=2, subgroup_size=1)
    assert isinstance(within.ending, Deadlock)
    assert [(w.thread, w.for_threads) for w in within.ending.waiting] == [
        (0, (1,)),
        (1, (0,)),
        (2, (3,)),
        (3, (2,)),
    ]
    found = cc.enumerate(cc.parse(APART.replace("WHO", "me")), engine="both", workgroup=2, subgroup_size=1)
    assert (found.engine, [o.ending for o in found.outcomes]) == ("both", ["deadlock"])
    between = cc.run(cc.parse(APART.replace("WHO", "group")), grid=2, workgroup=2, subgroup_size=1)
    assert isinstance(between.ending, Returned)
    assert [t.value for t in between.outcome.threads] == [1, 1, 2, 2]


MESSAGE = """@data = global i32 0
@flag = global i32 0
define i32 @k() "nvvm.cluster_dim"="2" {
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  switch i32 %group, label %out [
    i32 0, label %write
    i32 READER, label %read
  ]
write:
  store i32 7, ptr @data
  store atomic i32 1, ptr @flag syncscope("SCOPE") release, align 4
  ret i32 0
read:
  %set = load atomic i32, ptr @flag syncscope("SCOPE") acquire, align 4
  %is = icmp eq i32 %set, 1
  br i1 %is, label %after, label %out
after:
  %seen = load i32, ptr @data
  ret i32 %seen
out:
  ret i32 99
}
declare i32 @llvm.amdgcn.workgroup.id.x()
"""


@pytest.mark.parametrize(
    ("scope", "reader", "ordered"),
    [
        ("agent", 1, True),
        ("agent", 3, True),
        ("cluster", 1, True),
        ("cluster", 3, False),
        ("workgroup", 1, False),
        ("block", 1, False),
    ],
)
def test_a_scope_orders_within_itself_only(scope: str, reader: int, ordered: bool) -> None:
    module = cc.parse(MESSAGE.replace("SCOPE", scope).replace("READER", str(reader)))
    how: dict[str, Any] = {"grid": 4, "workgroup": 1}
    found = explore(module, **how)
    assert found.complete
    values = {o.outcome.threads[reader].value for o in found.outcomes}
    assert values == {99, 7 if ordered else "undef"}
    if ordered:
        axiomatic = cc.enumerate(module, engine="axiomatic", **how)
        assert axiomatic.complete
        assert {o.outcome.threads[reader].value for o in axiomatic.outcomes} == values


ASUNDER = """define i32 @k() convergent {
  %me = call i32 @llvm.amdgcn.workitem.id.x()
  %first = icmp eq i32 %me, 0
  br i1 %first, label %a, label %b
a:
  call void BARRIER
  br label %out
b:
  ELSE
  br label %out
out:
  ret i32 0
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @_Z7barrierj(i32) convergent
declare void @_Z22__spirv_ControlBarrieriii(i32, i32, i32) convergent
declare void @llvm.spv.group.memory.barrier.with.group.sync() convergent
declare void @workgroupBarrier() convergent
declare void @__syncthreads() convergent
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
declare void @llvm.nvvm.barrier.cta.sync.all(i32) convergent
declare void @llvm.amdgcn.s.barrier() convergent
"""


@pytest.mark.parametrize(
    ("barrier", "missing", "other"),
    [
        ("@_Z7barrierj(i32 1)", True, True),
        ("@_Z22__spirv_ControlBarrieriii(i32 2, i32 2, i32 264)", True, True),
        ("@_Z22__spirv_ControlBarrieriii(i32 3, i32 2, i32 264)", False, False),
        ("@llvm.spv.group.memory.barrier.with.group.sync()", True, True),
        ("@workgroupBarrier()", True, True),
        ("@__syncthreads()", False, True),
        ("@llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)", False, True),
        ("@llvm.nvvm.barrier.cta.sync.all(i32 0)", False, False),
        ("@llvm.amdgcn.s.barrier()", False, False),
    ],
)
def test_a_barrier_in_divergent_control_flow_is_undefined_where_the_dialect_says_so(
    barrier: str, missing: bool, other: bool
) -> None:
    """Where the others come to none, and to another one. Both engines and the machines say the same."""
    for then, undefined in (("", missing), (f"call void {barrier}", other)):
        module = cc.parse(ASUNDER.replace("BARRIER", barrier).replace("ELSE", then))
        once = cc.run(module, threads=3)
        assert isinstance(once.ending, UndefinedBehaviour if undefined else Returned)
        if isinstance(once.ending, UndefinedBehaviour):
            assert "divergent control flow: thread 0 came to " in once.ending.reason
            assert "threads 1-2 " in once.ending.reason
        found = cc.enumerate(module, engine="both", threads=3)
        assert found.engine == "both"
        assert {o.example for o in found.outcomes} == {once.ending}
        machine = cc.simulate(module, "ipdom", threads=3)[0]
        assert machine.ending == once.ending
        # two subgroups: a warp whose threads come as one is enough for PTX
        apart = cc.run(module, threads=3, subgroup_size=1)
        alone = undefined and not barrier.startswith(("@__sync", "@llvm.nvvm"))
        assert isinstance(apart.ending, UndefinedBehaviour if alone else Returned)


# -- what runtimes put into memory for a kernel

PACKETS = """target triple = "amdgcn-amd-amdhsa"
target datalayout = "e-p:64:64-p1:64:64-p4:64:64-p3:32:32-p5:32:32-i64:64"
@seen = thread_local global [9 x i64] zeroinitializer
define amdgpu_kernel void @k(i32 %a, i64 %b) {
  %implicit = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %packet = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %explicit = call ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
READS
  ret void
}
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
declare ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
"""


@pytest.mark.parametrize(
    ("system", "first"), [("amdhsa", 0), ("amdpal", 0), ("mesa3d", 0), ("linux", 36), ("unknown", 36)]
)
def test_where_a_kernel_s_arguments_begin(system: str, first: int) -> None:
    """As LLVM's own lowering of kernel arguments reads them."""
    read = f"""  %at = getelementptr i8, ptr addrspace(4) %explicit, i64 {first + 8}
  %b.again = load i64, ptr addrspace(4) %at, align 4
  store i64 %b.again, ptr @seen
"""
    text = PACKETS.replace("READS", read).replace("-amdhsa", f"-{system}")
    once = cc.run(cc.parse(text), threads=1, arguments={"a": 7, "b": 9})
    assert isinstance(once.ending, Returned)
    assert once.outcome.threads[0].memory["@seen"][0] == 9  # type: ignore[index]


def test_kernel_arguments_lie_as_the_widest_of_them_asks() -> None:
    """LLVM's lowering of kernel arguments promises that of the segment's address."""
    head = PACKETS.split("@seen")[0]
    text = """define amdgpu_kernel void @k(<16 x i32> %v, ptr addrspace(1) %out) {
  %s = call nonnull align 64 ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
  %x = load <16 x i32>, ptr addrspace(4) %s, align 64
  %last = extractelement <16 x i32> %x, i32 15
  store i32 %last, ptr addrspace(1) %out
  ret void
}
declare noundef align 4 ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
"""
    wide = cc.run(
        cc.parse(head + text), threads=1, arguments={"v": list(range(16))}, buffers={"out": "i32[1]"}
    )
    assert isinstance(wide.ending, Returned) and wide.held("%out").values == (15,)
    narrow = (head + text).replace("<16 x i32> %v", "<4 x i32> %v")
    assert not isinstance(cc.run(cc.parse(narrow), threads=1, buffers={"out": "i32[1]"}).ending, Returned)


def fields(reads: list[tuple[str, int, int]], tail: str = "", **options: Any) -> list[list[int]]:
    """What each thread reads: from which object, at which byte, of how many bits."""
    text = ""
    for n, (where, offset, bits) in enumerate(reads):
        text += (
            f"  %p{n} = getelementptr i8, ptr addrspace(4) %{where}, i64 {offset}\n"
            f"  %v{n} = load i{bits}, ptr addrspace(4) %p{n}\n"
            + (f"  %w{n} = zext i{bits} %v{n} to i64\n" if bits < 64 else f"  %w{n} = add i64 %v{n}, 0\n")
            + f"  %o{n} = getelementptr i64, ptr @seen, i64 {n}\n  store i64 %w{n}, ptr %o{n}\n"
        )
    once = cc.run(cc.parse(PACKETS.replace("READS", text) + tail), **options)
    assert isinstance(once.ending, Returned), once.ending
    found: list[list[int]] = [t.memory["@seen"] for t in once.outcome.threads]  # type: ignore[misc]
    return [row[: len(reads)] for row in found]


SHAPE: dict[str, Any] = {
    "grid": (5, 4, 3),
    "workgroup": (2, 1, 1),
    "arguments": {"a": 7, "b": list(range(120))},
}


def test_the_implicit_arguments_say_how_large_the_launch_is() -> None:
    places = ((0, 32), (4, 32), (8, 32), (12, 16), (14, 16), (18, 16), (64, 16))
    reads = [("implicit", at, bits) for at, bits in places]
    assert fields(reads, **SHAPE)[0] == [5, 4, 3, 2, 1, 0, 3]


def test_what_is_reserved_of_the_dispatch_packet_is_zero() -> None:
    """LLVM reads the workgroup's last size with the two bytes behind it, and counts on a small number."""
    assert fields([("packet", 4, 16), ("packet", 8, 32), ("packet", 48, 64)], **SHAPE)[0] == [2, 1, 0]


def test_before_code_object_v5_they_begin_with_the_offset() -> None:
    flags = '!llvm.module.flags = !{!0}\n!0 = !{i32 1, !"amdhsa_code_object_version", i32 400}\n'
    assert fields([("implicit", 0, 64), ("implicit", 8, 64)], flags, **SHAPE)[0] == [0, 0]


def test_mesa_s_are_the_work_dimension_and_the_offset() -> None:
    text = PACKETS.replace("amdgcn-amd-amdhsa", "amdgcn-mesa-mesa3d").replace(
        "READS",
        "  %d = load i32, ptr addrspace(4) %implicit\n  %w = zext i32 %d to i64\n  store i64 %w, ptr @seen",
    )
    once = cc.run(cc.parse(text), grid=(2, 2), arguments={"a": 0, "b": 0})
    assert [t.memory["@seen"][0] for t in once.outcome.threads] == [2, 2, 2, 2]  # type: ignore[index]


@pytest.mark.parametrize(
    ("at", "bits", "said"),
    [
        (12, 16, "byte 12 of the implicit arguments, where systems differ and the triple names none"),
        (0, 32, [1, 1]),
        (16, 16, [1, 1]),
        (64, 16, [1, 1]),
        (80, 64, "hidden_hostcall_buffer in the implicit arguments"),
    ],
)
def test_implicit_arguments_without_a_system(at: int, bits: int, said: Any) -> None:
    """HSA's sizes of the workgroup begin where Mesa's last offset is; what either alone says is known."""
    text = PACKETS.replace("amdgcn-amd-amdhsa", "amdgcn--").replace(
        "READS",
        f"  %p = getelementptr i8, ptr addrspace(4) %implicit, i64 {at}\n"
        f"  %d = load i{bits}, ptr addrspace(4) %p, !noundef !{{}}\n"
        f"  %e = zext i{bits} %d to i128\n  %w = trunc i128 %e to i64\n  store i64 %w, ptr @seen",
    )
    once = cc.run(cc.parse(text), threads=2, grid=(1,), arguments={"a": 0, "b": 0})
    if isinstance(said, str):
        assert isinstance(once.ending, Unmodelled) and once.ending.feature == said
    else:
        assert [t.memory["@seen"][0] for t in once.outcome.threads] == said  # type: ignore[index]


COPIED = """target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %here = alloca [128 x i8], align 8, addrspace(5)
  %there = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  call void @llvm.memcpy.p5.p4.i64(ptr addrspace(5) %here, ptr addrspace(4) %there, i64 128, i1 false)
  %p = getelementptr i8, ptr addrspace(5) %here, i64 AT
  %x = load i64, ptr addrspace(5) %p
  store i64 %x, ptr addrspace(1) %out
  ret void
}
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare void @llvm.memcpy.p5.p4.i64(ptr addrspace(5), ptr addrspace(4), i64, i1)
"""


@pytest.mark.parametrize("engine", ["reference", "native", "attended"])
def test_a_copy_of_implicit_arguments_does_not_look_at_them(engine: Any) -> None:
    """What nobody knows is named by who reads it, also in a copy."""
    known = cc.run(cc.parse(COPIED.replace("AT", "0")), grid=(3, 2), engine=engine, buffers={"out": "i64[1]"})
    assert isinstance(known.ending, Returned) and known.held("%out").values == (3 | 2 << 32,)
    unknown = cc.run(cc.parse(COPIED.replace("AT", "96")), engine=engine, buffers={"out": "i64[1]"})
    assert isinstance(unknown.ending, Unmodelled)
    assert unknown.ending.feature == "hidden_heap_v1 in the implicit arguments"


@pytest.mark.parametrize("engine", ["operational", "axiomatic"])
def test_enumeration_names_what_nobody_knows_of_the_dispatch_packet(engine: Any) -> None:
    text = PACKETS.replace(
        "READS",
        "  %p = getelementptr i8, ptr addrspace(4) %packet, i64 56\n"
        "  %d = load i64, ptr addrspace(4) %p\n  store i64 %d, ptr @seen",
    )
    found = cc.enumerate(cc.parse(text), engine=engine, threads=1, arguments={"a": 0, "b": 0})
    assert not found.complete and "completion_signal in the dispatch packet" in str(found)


def test_the_dispatch_packet_says_how_large_the_launch_is() -> None:
    reads = [("packet", at, bits) for at, bits in ((2, 16), (4, 16), (6, 16), (12, 32), (16, 32), (20, 32))]
    assert fields(reads, **SHAPE)[0] == [3, 2, 1, 10, 4, 3]


def test_the_kernel_s_arguments_are_in_memory_of_each_thread() -> None:
    assert fields([("explicit", 0, 32), ("explicit", 8, 64)], **SHAPE) == [[7, n] for n in range(120)]


BUILTIN = """@__spirv_BuiltInWorkgroupId = external addrspace(7) externally_initialized constant <3 x i64>
@__spirv_BuiltInLocalInvocationId = external addrspace(7) constant <3 x i32>
@__spirv_BuiltInSubgroupLocalInvocationId = external addrspace(7) constant i32
@__spirv_BuiltInDeviceIndex = external addrspace(7) constant i32
define {<3 x i64>, <3 x i32>, i32} @k() {
  %g = load <3 x i64>, ptr addrspace(7) @__spirv_BuiltInWorkgroupId
  %l = load <3 x i32>, ptr addrspace(7) @__spirv_BuiltInLocalInvocationId
  %s = load i32, ptr addrspace(7) @__spirv_BuiltInLANE
  %a = insertvalue {<3 x i64>, <3 x i32>, i32} poison, <3 x i64> %g, 0
  %b = insertvalue {<3 x i64>, <3 x i32>, i32} %a, <3 x i32> %l, 1
  %c = insertvalue {<3 x i64>, <3 x i32>, i32} %b, i32 %s, 2
  ret {<3 x i64>, <3 x i32>, i32} %c
}
"""


@pytest.mark.parametrize("engine", ["operational", "axiomatic"])
def test_built_in_variables_hold_what_they_are_of_each_thread(engine: Any) -> None:
    module = cc.parse(BUILTIN.replace("LANE", "SubgroupLocalInvocationId"))
    found = cc.enumerate(module, engine=engine, grid=(1, 2), workgroup=(2, 2), subgroup_size=2)
    assert found.complete
    assert found.notes == ()
    (only,) = found.outcomes
    expected = [[[0, w, 0], [x, y, 0], x] for w in range(2) for y in range(2) for x in range(2)]
    assert [t.value for t in only.outcome.threads] == expected
    assert only.outcome.memory == {}


def test_a_built_in_variable_without_a_model_stops_the_run() -> None:
    ending = cc.run(cc.parse(BUILTIN.replace("LANE", "DeviceIndex"))).ending
    assert isinstance(ending, Unmodelled)
    assert "@__spirv_BuiltInDeviceIndex" in ending.feature


# -- more of what takes launches

LEADER = """define i32 @k() convergent {
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %sum = add i32 %group, %lane
  %first = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %sum)
  ret i32 RESULT
}
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readfirstlane.i32(i32) convergent
"""


def test_a_refinement_is_looked_at_in_a_grid() -> None:
    source, target = (cc.parse(LEADER.replace("RESULT", result)) for result in ("%first", "%group"))
    whole = cc.refine(source, target, grid=2, workgroup=2, subgroup_size=2)
    assert whole.verdict == "equal"
    apart = cc.refine(source, target, grid=2, workgroup=(2, 2))
    assert apart.verdict == "wrong"
    assert apart.counterexample is not None
    assert apart.counterexample.launch.grid == (2, 1, 1)
    assert apart.counterexample.launch.workgroup == (2, 2, 1)
    assert apart.counterexample.subgroup_size is not None
    with pytest.raises(cc.UsageError, match="contradicts grid=2"):
        cc.refine(source, target, grid=2, threads=4)


def test_more_threads_than_memory_are_refused_at_once() -> None:
    with pytest.raises(cc.UsageError, match="1,000,000,000,000 threads: their state takes"):
        cc.run(kernel(), grid=(1_000_000, 1_000), workgroup=1_000)
    with pytest.raises(cc.UsageError, match="threads: their state takes"):
        cc.run(kernel(), threads=10**12)


def test_every_thread_of_a_large_launch_has_room_for_its_stack() -> None:
    launch = Launch("k", 4096 * 256, grid=Extent(4096), workgroup=Extent(256))
    program, _ = prepare(kernel())
    memory = launched_memory(program, launch)
    for space in (0, 5):
        pointers = [memory.allocate(64, 16, thread, "%x", space) for thread in (0, 1, launch.threads - 1)]
        assert len({pointer.bits for pointer in pointers}) == 3


def test_launch_groups_that_are_shared_are_those_that_are_found_anew() -> None:
    """Of more shapes than are kept, in turn."""
    module = kernel()
    name = module.definitions()[0].name
    shared, anew = (Program(module, Settings(shares=shares)) for shares in (True, False))
    launches = [Launch(name, threads, size) for threads in (2, 3, 4, 6) for size in (None, 1, 2)]
    for launch in (*launches, *launches[:2], *launches):
        groups = groups_of(shared, launch)
        shown = [
            [((g.number, g.first, g.size, g.workgroup), subgroup) for g, subgroup in found.items()]
            for found in (groups, groups_of(anew, launch), launch_groups(launch, module))
        ]
        assert shown[0] == shown[1] == shown[2]
        assert groups_of(shared, launch) is groups and groups_of(anew, launch) is not groups


def test_effects_that_are_shared_are_those_that_are_found_anew() -> None:
    module = cc.parse("""declare i32 @reads(ptr) memory(read) nounwind
declare i32 @does(ptr)
define i32 @f(ptr %p) {
  %a = call i32 @reads(ptr %p) willreturn
  %b = call i32 @does(ptr %p) #0
  %c = call i32 @does(ptr %p)
  ret i32 %a
}
attributes #0 = { memory(none) }
""")
    shared, anew = (Program(module, Settings(shares=shares)) for shares in (True, False))
    calls = [i for i in module.functions["f"].instructions if isinstance(i, CallSite)]
    effects = [shared.effects(callee_name(call) or "", call) for call in calls]
    assert effects == [anew.effects(callee_name(call) or "", call) for call in calls]
    assert len(set(effects)) == 3
    assert [shared.effects(callee_name(call) or "", call) for call in calls] == effects


def test_between_kernel_arguments_lies_what_nobody_says() -> None:
    """LLVM reads a byte as a word and takes its low bits: what depends on the others is wrong."""
    head = PACKETS.split("@seen")[0] + "declare ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()\n"
    plain = head + (
        "define amdgpu_kernel void @k(i8 %a, i64 %b, ptr addrspace(1) %out) {\n"
        "  store i8 %a, ptr addrspace(1) %out\n  ret void\n}\n"
    )
    lowered = plain.replace(
        "  store i8 %a",
        "  %s = call ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()\n"
        "  %word = load i32, ptr addrspace(4) %s\n  %low = trunc i32 %word to i8\n  store i8 %low",
    )
    high = lowered.replace("  %low =", "  %up = lshr i32 %word, 8\n  %low =").replace("%word to", "%up to")
    answers = [cc.refine(cc.parse(plain), cc.parse(t), threads=1, max_launches=8) for t in (lowered, high)]
    assert [a.verdict for a in answers] == ["equal", "wrong"]
