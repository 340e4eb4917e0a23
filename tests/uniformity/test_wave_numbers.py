"""What has one value in a wave: a work-item's number without the bits of the lane, held against runs of two
waves and against LLVM; scalar registers, and masks.

covers: uniformity.analysis
"""

from __future__ import annotations

import pytest

import convergence as cc
from convergence.passes.outside import find
from convergence.passes.uniformity import printed

KERNEL = """target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(i32 %n) "target-cpu"="{processor}" !reqd_work_group_size !0 {{
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %by5 = lshr i32 %x, 5
  %by6 = ashr i32 %x, 6
  %mask5 = shl i32 %n, 5
  %mask6 = mul i32 %mask5, 6
  %with5 = and i32 %mask5, %x
  %with6 = and i32 %x, %mask6
  %number = and i32 %x, -64
  %own = shl i32 %x, 6
  %withown = and i32 %x, %own
  ret void
}}
!0 = !{{i32 {x}, i32 {y}, i32 1}}
"""
"""``own`` is no mask that all lanes have: LLVM 22 calls ``withown`` uniform all the same."""
DIVERGENT = {
    ("gfx90a", 256, 1): {"x", "by5", "with5", "own", "withown"},
    ("gfx90a", 64, 2): {"x", "by5", "with5", "own", "withown"},
    ("gfx90a", 32, 4): {"x", "y", "by5", "with5", "own", "withown"},
    ("gfx90a", 96, 2): {"x", "y", "by5", "by6", "with5", "with6", "number", "own", "withown"},
    ("gfx1100", 256, 1): {"x", "own", "withown"},
    ("gfx1100", 32, 4): {"x", "own", "withown"},
}
CASES = [(*case, divergent) for case, divergent in DIVERGENT.items()]


def claimed(processor: str, x: int, y: int) -> tuple[str, set[str]]:
    text = KERNEL.format(processor=processor, x=x, y=y)
    found = cc.uniformity(cc.parse(text)).functions["k"]
    return text, {name for name in found.values if found.divergent(name)}


@pytest.mark.parametrize(("processor", "x", "y", "divergent"), CASES)
def test_what_is_left_without_the_lane(processor: str, x: int, y: int, divergent: set[str]) -> None:
    assert claimed(processor, x, y)[1] == divergent


@pytest.mark.parametrize(("processor", "x", "y", "divergent"), CASES)
@pytest.mark.skipif(find(None) is None, reason="there is no opt of LLVM 18 or later on PATH")
def test_llvm_says_the_same_but_of_a_mask_that_differs(
    processor: str, x: int, y: int, divergent: set[str]
) -> None:
    text, _ = claimed(processor, x, y)
    said, _ = printed(text, triple=None)
    theirs = {name for name, uniform in said["k"].uniform.items() if not uniform}
    assert divergent - theirs <= {"withown"}
    assert theirs <= divergent


def test_two_waves_do_not_differ_in_what_is_called_uniform() -> None:
    text, _ = claimed("gfx1100", 64, 1)
    found = cc.uniformity(
        cc.parse(text), check=True, threads=64, subgroup_size=32, max_launches=3, arguments={"n": 7}
    )
    assert found.sound
    differing = {subject.name for subject in found.checked[0].observed.differing}
    assert differing == {"x", "own"}


SCALARS = """target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(i1 %c) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %s = call i32 asm "s_mov_b32 $0, $1", "=s,v"(i32 %id)
  %named = call i32 asm "s_mov_b32 s0, 0", "={s0}"()
  %m0 = call i32 asm "s_mov_b32 m0, 0", "={m0}"()
  %vcc = call i64 asm "s_mov_b64 vcc, 0", "={vcc}"()
  %exec = call i32 asm "s_mov_b32 exec_lo, 0", "={exec_lo}"()
  %trap = call i64 asm "s_mov_b64 ttmp[0:1], 0", "={ttmp[0:1]}"()
  %v = call i32 asm "v_mov_b32 $0, 0", "=v"()
  %v0 = call i32 asm "v_mov_b32 v0, 0", "={v0}"()
  %memory = call i32 asm "", "=s,=*m"(ptr elementtype(i32) null)
  %both = call { i32, i32 } asm "", "=&s,=v"()
  %both.s = extractvalue { i32, i32 } %both, 0
  %both.v = extractvalue { i32, i32 } %both, 1
  %odd = trunc i32 %id to i1
  %if = call { i1, i64 } @llvm.amdgcn.if.i64(i1 %odd)
  %on = extractvalue { i1, i64 } %if, 0
  %mask = extractvalue { i1, i64 } %if, 1
  ret void
}
"""


def test_scalar_registers_and_masks_are_of_the_wave() -> None:
    found = cc.uniformity(cc.parse(SCALARS)).functions["k"]
    divergent = {name for name in found.values if found.divergent(name)}
    assert divergent == {"id", "v", "v0", "memory", "both", "both.v", "odd", "if", "on"}


@pytest.mark.skipif(find(None) is None, reason="there is no opt of LLVM 18 or later on PATH")
def test_llvm_says_the_same_of_scalar_registers() -> None:
    text = "\n".join(line for line in SCALARS.splitlines() if "memory" not in line)
    said, _ = printed(text, triple=None)
    found = cc.uniformity(cc.parse(text)).functions["k"]
    assert {n: found.divergent(n) for n in said["k"].uniform} == {
        n: not u for n, u in said["k"].uniform.items()
    }
