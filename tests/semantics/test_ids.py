"""Ids and sizes of every dialect, along x, y and z."""

from __future__ import annotations

from typing import Any

import pytest

import convergence as cc
from convergence.semantics import Returned, Unmodelled

GRID: dict[str, Any] = {"grid": (2, 3, 2), "workgroup": (3, 2, 2), "subgroup_size": 6}
PLACE = {"group": (1, 2, 1), "local": (2, 0, 1)}
"""The thread that is asked: of the last workgroup, number 8."""
THREAD = 11 * 12 + 8
GLOBAL = tuple(g * n + t for g, n, t in zip(PLACE["group"], GRID["workgroup"], PLACE["local"], strict=True))
SIZE = tuple(g * n for g, n in zip(GRID["grid"], GRID["workgroup"], strict=True))
LINEAR = GLOBAL[0] + SIZE[0] * (GLOBAL[1] + SIZE[1] * GLOBAL[2])


def answers(callee: str, operands: list[str], result: str = "i32", parameter: str = "i32") -> list[Any]:
    """What the thread is given for each operand; ``""`` for a call without one."""
    declared = "" if operands == [""] else parameter
    calls = "".join(
        f"  %r{n} = call {result} @{callee}({f'{parameter} {o}' if o else ''})\n"
        f"  store {result} %r{n}, ptr @o{n}\n"
        for n, o in enumerate(operands)
    )
    globals_ = "".join(
        f"@o{n} = thread_local global {result} zeroinitializer\n" for n in range(len(operands))
    )
    text = f"{globals_}declare {result} @{callee}({declared}) memory(none)\n"
    text += f"define void @k(i32 %d) {{\n{calls}  ret void\n}}\n"
    once = cc.run(cc.parse(text), arguments={"d": 2}, **GRID)
    assert isinstance(once.ending, Returned), once.ending
    assert once.stand_ins == ()
    memory = once.outcome.threads[THREAD].memory
    return [memory[f"@o{n}"] for n in range(len(operands))]


@pytest.mark.parametrize(
    ("callee", "along", "beyond"),
    [
        ("_Z13get_global_idj", GLOBAL, 0),
        ("_Z12get_local_idj", PLACE["local"], 0),
        ("_Z12get_group_idj", PLACE["group"], 0),
        ("_Z15get_global_sizej", SIZE, 1),
        ("_Z14get_local_sizej", GRID["workgroup"], 1),
        ("_Z23get_enqueued_local_sizej", GRID["workgroup"], 1),
        ("_Z14get_num_groupsj", GRID["grid"], 1),
        ("_Z17get_global_offsetj", (0, 0, 0), 0),
        ("get_global_id", GLOBAL, 0),
        ("__ockl_get_global_id", GLOBAL, 0),
        ("__ockl_get_num_groups", GRID["grid"], 1),
        ("_Z33__spirv_BuiltInGlobalInvocationIdi", GLOBAL, 0),
        ("_Z32__spirv_BuiltInLocalInvocationIdi", PLACE["local"], 0),
        ("_Z29__spirv_BuiltInNumWorkgroupsi", GRID["grid"], 1),
        ("__spirv_BuiltInWorkgroupId", PLACE["group"], 0),
        ("llvm.spv.thread.id.i32", GLOBAL, 0),
        ("llvm.spv.thread.id.in.group.i32", PLACE["local"], 0),
        ("llvm.spv.group.id.i32", PLACE["group"], 0),
        ("llvm.spv.num.workgroups.i32", GRID["grid"], 1),
        ("llvm.spv.workgroup.size.i32", GRID["workgroup"], 1),
        ("llvm.spv.global.size.i32", SIZE, 1),
    ],
)
def test_the_dimension_may_be_known_when_it_runs(callee: str, along: tuple[int, ...], beyond: int) -> None:
    wide = "i64" if "get_" in callee and "__ockl" not in callee else "i32"
    asked = ["0", "1", "2", "%d", "3", "-1"]
    if callee.startswith("llvm."):
        asked = ["0", "1", "2"]  # LLVM's verifier wants constants that there are
    expected = [*along, along[2], beyond, beyond][: len(asked)]
    assert answers(callee, asked, wide) == expected


@pytest.mark.parametrize(
    ("prefix", "along"),
    [
        ("llvm.amdgcn.workitem.id", PLACE["local"]),
        ("llvm.amdgcn.workgroup.id", PLACE["group"]),
        ("llvm.nvvm.read.ptx.sreg.tid", PLACE["local"]),
        ("llvm.nvvm.read.ptx.sreg.ntid", GRID["workgroup"]),
        ("llvm.nvvm.read.ptx.sreg.ctaid", PLACE["group"]),
        ("llvm.nvvm.read.ptx.sreg.nctaid", GRID["grid"]),
        ("llvm.nvvm.read.ptx.sreg.clusterid", PLACE["group"]),
        ("llvm.nvvm.read.ptx.sreg.cluster.ctaid", (0, 0, 0)),
    ],
)
def test_the_dimension_is_in_the_name(prefix: str, along: tuple[int, ...]) -> None:
    assert [answers(f"{prefix}.{axis}", [""])[0] for axis in "xyz"] == list(along)


@pytest.mark.parametrize(
    ("callee", "value"),
    [
        ("_Z12get_work_dimv", 3),
        ("_Z20get_global_linear_idv", LINEAR),
        ("_Z19get_local_linear_idv", 8),
        ("_Z16get_sub_group_idv", 1),
        ("_Z22get_sub_group_local_idv", 2),
        ("_Z18get_sub_group_sizev", 6),
        ("_Z18get_num_sub_groupsv", 2),
        ("_Z34__spirv_BuiltInLocalInvocationIndexv", 8),
        ("llvm.spv.flattened.thread.id.in.group", 8),
        ("llvm.dx.flattened.thread.id.in.group", 8),
        ("llvm.spv.subgroup.id", 1),
        ("llvm.dx.wave.getlaneindex", 2),
        ("__hlsl_wave_get_lane_index", 2),
        ("llvm.amdgcn.wave.id", 1),
        ("llvm.nvvm.read.ptx.sreg.laneid", 2),
        ("llvm.nvvm.read.ptx.sreg.warpid", 1),
        ("llvm.nvvm.read.ptx.sreg.lanemask.lt", 3),
        ("getLocalInvocationIndex", 8),
    ],
)
def test_numbers_of_a_thread(callee: str, value: int) -> None:
    assert answers(callee, [""]) == [value]


@pytest.mark.parametrize(
    "name", ["tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid", "cluster.nctaid"]
)
def test_the_fourth_element_is_in_the_range_that_llvm_declares(name: str) -> None:
    """Of sizes, too: what is out of the range is poison, and LLVM's declarations are noundef."""
    intrinsic = f"@llvm.nvvm.read.ptx.sreg.{name}.w()"
    text = f"define i32 @k() {{\n  %r = call i32 {intrinsic}\n  ret i32 %r\n}}\ndeclare i32 {intrinsic}\n"
    once = cc.run(cc.parse(f'target triple = "nvptx64-nvidia-cuda"\n{text}'), threads=1)
    assert isinstance(once.ending, Returned) and once.outcome.threads[0].value == 0


def test_an_id_without_a_dimension_is_along_x() -> None:
    assert answers("get_global_id", [""]) == [GLOBAL[0]]


def test_all_dimensions_at_once_are_a_vector() -> None:
    assert answers("_Z33__spirv_BuiltInGlobalInvocationIdv", [""], "<3 x i64>") == [list(GLOBAL)]
    assert answers("getLocalInvocationId", [""], "<3 x i32>") == [list(PLACE["local"])]


def test_a_cluster_is_workgroups_of_the_grid() -> None:
    names = ["clusterid.x", "cluster.ctaid.x", "cluster.ctarank", "cluster.nctarank", "nclusterid.x"]
    text, values = 'define [5 x i32] @k() "nvvm.cluster_dim"="2" {\n', "poison"
    for n, name in enumerate(names):
        text += f"  %r{n} = call i32 @llvm.nvvm.read.ptx.sreg.{name}()\n"
        text += f"  %v{n} = insertvalue [5 x i32] {values}, i32 %r{n}, {n}\n"
        values = f"%v{n}"
    text += f"  ret [5 x i32] {values}\n}}\n"
    text += "".join(f"declare i32 @llvm.nvvm.read.ptx.sreg.{name}()\n" for name in names)
    once = cc.run(cc.parse(text), grid=6)
    assert [t.value for t in once.outcome.threads] == [[w // 2, w % 2, w % 2, 2, 3] for w in range(6)]


CALLED = """define i32 @k() {
  %i = call i32 @CALLEE()
  ret i32 %i
}
declare i32 @CALLEE() memory(none)
"""


@pytest.mark.parametrize(
    "callee",
    [
        "_Z33__spirv_BuiltInDeviceIndexi",
        "__ockl_get_some_id",
        "llvm.nvvm.read.ptx.sreg.dynamic.smem.size",
        "_Z25get_enqueued_sub_group_idv",
        "__hlsl_wave_get_lane_mask",
        "llvm.amdgcn.lds.kernel.id",
    ],
)
def test_a_stand_in_is_never_an_index(callee: str) -> None:
    text = CALLED.replace("CALLEE", callee)
    ending = cc.run(cc.parse(text), threads=2).ending
    assert isinstance(ending, Unmodelled)
    assert f"@{callee}, which gives an id" in ending.feature


def test_what_a_user_gives_comes_first() -> None:
    text = CALLED.replace("CALLEE", "__ockl_get_some_id")
    once = cc.run(cc.parse(text), inputs={"__ockl_get_some_id": [[5]]})
    assert once.outcome.threads[0].value == 5
