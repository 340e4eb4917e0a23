"""Where every part of a workgroup is undefined, the whole one is launched.

covers: refine.verdict.compare
"""

from __future__ import annotations

import pytest

import convergence as cc

KERNEL = """declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
define amdgpu_kernel void @k(ptr addrspace(1) %out) convergent {metadata} {{
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %last = call i32 @llvm.amdgcn.readlane.i32(i32 %id, i32 {lane})
  %more = icmp ugt i32 %last, 3
  br i1 %more, label %write, label %end
write:
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %id
  store i32 {value}, ptr addrspace(1) %at
  br label %end
end:
  ret void
}}
!0 = !{{i32 {size}, i32 1, i32 1}}
"""
SIZE = "!reqd_work_group_size !0"


def _answer(
    value: str, size: int = 8, metadata: str = SIZE, lane: int = 7, threads: int | None = None
) -> cc.Refinement:
    source, target = (
        cc.parse(KERNEL.format(value=number, size=size, metadata=metadata, lane=lane))
        for number in ("%last", value)
    )
    return cc.refine(source, target, threads=threads)


@pytest.mark.parametrize(("value", "verdicts"), [("7", ("equal", "refines")), ("%id", ("wrong",))])
def test_lanes_that_part_of_a_workgroup_has_not(value: str, verdicts: tuple[str, ...]) -> None:
    answer = _answer(value)
    assert answer.verdict in verdicts
    if answer.verdict != "wrong":
        assert "8 threads" in answer.established


WARPS = """target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
define ptx_kernel void @k(ptr addrspace(1) %out) convergent "nvvm.reqntid"="64" {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %last = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %id, i32 LANE, i32 31)
  %more = icmp ugt i32 %last, 3
  br i1 %more, label %write, label %end
write:
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %id
  store i32 %last, ptr addrspace(1) %at
  br label %end
end:
  ret void
}
"""


@pytest.mark.parametrize("threads", [None, 64])
def test_a_workgroup_of_several_waves(threads: int | None) -> None:
    """Launch groups are parts of waves: one of 46 threads was tried."""
    source, target = (cc.parse(WARPS.replace("LANE", lane)) for lane in ("31", "30"))
    again = cc.parse(WARPS.replace("LANE", "31").replace("%last, 3", "%last, 2"))
    assert cc.refine(source, target, threads=threads).verdict == "wrong"
    assert cc.refine(source, again, threads=threads).verdict in ("equal", "refines")


def test_who_says_how_many_threads_gets_so_many() -> None:
    answer = _answer("7", threads=4)
    assert (answer.verdict, answer.unobserved) == ("unknown", "source-says-nothing")


def test_a_kernel_that_says_no_size_has_no_whole_workgroup() -> None:
    answer = _answer("7", metadata="")
    assert answer.unobserved == "source-says-nothing"


def test_a_workgroup_that_is_too_large_is_not_launched() -> None:
    answer = _answer("300", size=512, lane=300)
    assert answer.unobserved == "source-says-nothing"
