"""``refine --engine``: the same outcomes of each input by the reference and natively, and which one it was.

covers: refine.sides.outcomes, report.parts.words, semantics.machine.tally
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import replace
from pathlib import Path

import pytest

import convergence as cc
from convergence.parser import parse
from convergence.refine.inputs.inputs import inputs
from convergence.refine.inputs.space import space_of
from convergence.refine.sides.outcomes import Bounds, Outcomes
from convergence.refine.sides.side import prepare
from convergence.semantics import UsageError
from convergence.semantics.machine.launch import LaunchSpec
from convergence.semantics.machine.program import EngineKind
from tests.cli.cli_harness import convcheck, ll
from tests.native.programs import program

DECLARATIONS = """
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare i32 @unknown(i32) memory(none) willreturn nounwind
declare i32 @reads(i32)
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
"""
SHARED = f"""{DECLARATIONS}
@tile = internal addrspace(3) global [64 x i32] zeroinitializer
define amdgpu_kernel void @f(ptr addrspace(1) %out, i32 %n) {{
entry:
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a = phi i32 [ %l, %entry ], [ %sum, %loop ]
  %p = getelementptr [64 x i32], ptr addrspace(3) @tile, i32 0, i32 %l
  store i32 %a, ptr addrspace(3) %p
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %other = xor i32 %l, 1
  %q = getelementptr [64 x i32], ptr addrspace(3) @tile, i32 0, i32 %other
  %v = load i32, ptr addrspace(3) %q
  %sum = add i32 %a, %v
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %l
  store i32 %sum, ptr addrspace(1) %o
  ret void
}}
"""
UNORDERED = SHARED.replace("call void @llvm.amdgcn.s.barrier()", "")
COUNTED = f"""{DECLARATIONS}
@count = global i32 0
define i32 @f(i32 %x) {{
  %u = call i32 @reads(i32 %x)
  %old = atomicrmw add ptr @count, i32 %u monotonic
  ret i32 %old
}}
"""
ALONE = f"""{DECLARATIONS}
define i32 @f(i32 %x, i32 %y) convergent {{
entry:
  br label %loop
loop:
  %i = phi i32 [ %x, %entry ], [ %next, %go ]
  %z = icmp eq i32 %i, 5
  br i1 %z, label %end, label %go
go:
  %w = call i32 @unknown(i32 %i)
  %s = call i32 @subgroupAdd(i32 %w)
  %next = add nsw i32 %i, %y
  br label %loop
end:
  %d = udiv i32 100, %y
  ret i32 %d
}}
"""


def _named(pair: tuple[Hashable, int]) -> tuple[Hashable, int]:
    """A step that was covered, without what its program is known by."""
    step, count = pair
    assert isinstance(step, tuple)
    return step[1:], count


def outcomes(text: str, engine: EngineKind, bounds: Bounds, count: int = 8) -> list[Outcomes]:
    """Of each of some inputs."""
    spec = LaunchSpec(engine=engine)
    side = prepare(parse(text), "f", spec)
    selection = inputs(space_of(side, side, spec, (), count), count, 3)
    results = [side.outcomes("tokens", input_, bounds) for input_ in selection.inputs]
    results = [replace(result, covered=frozenset(map(_named, result.covered))) for result in results]
    if "declare i32 @unknown(i32)\n" not in text and "call i32 @reads" not in text:  # which may read memory
        assert (side.tally is not None) == (engine == "native")
    return results


@pytest.mark.parametrize(
    "text", [SHARED, UNORDERED, COUNTED, ALONE], ids=["shared", "races", "atomic", "loop"]
)
@pytest.mark.parametrize("records", [True, False])
def test_both_engines_come_to_the_same_outcomes(text: str, records: bool) -> None:
    """Where native code runs on its own, nothing is recorded of where threads went; else that is the same,
    too."""
    bounds = Bounds(steps=3_000, executions=8, records=records)
    assert outcomes(text, "native", bounds) == outcomes(text, "reference", bounds)


@pytest.mark.parametrize("seed", range(6))
def test_generated_programs_have_the_same_outcomes(seed: int) -> None:
    text = program(seed, memory=bool(seed % 2))
    bounds = Bounds(steps=3_000, executions=20, records=bool(seed % 3))
    assert outcomes(text, "native", bounds, 4) == outcomes(text, "reference", bounds, 4)


WIDE = """
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
define amdgpu_kernel void @f(ptr addrspace(1) %out) {
entry:
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %b = mul i32 %g, 64
  %t = add i32 %b, %l
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a = phi i32 [ %t, %entry ], [ %sum, %loop ]
  %sum = SUM
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, 500
  br i1 %more, label %loop, label %end
end:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %sum, ptr addrspace(1) %o
  ret void
}
"""


def test_a_wide_launch_is_compared_where_native_code_runs(tmp_path: Path) -> None:
    """130,000 instructions an execution are more than the reference looks at, and few natively."""
    source, right, wrong = (
        ll(tmp_path, WIDE.replace("SUM", sum_), name)
        for name, sum_ in (("s.ll", "add i32 %a, %i"), ("t.ll", "add i32 %i, %a"), ("w.ll", "or i32 %a, %i"))
    )
    launch = ("--grid", "2", "--workgroup", "64", "--subgroup-size", "64", "--buffer", "%out=i32[128]:0,...")

    def compared(target: Path, engine: str) -> tuple[str, str]:
        ran = convcheck("refine", source, target, *launch, "--engine", engine, "--format", "json")
        answer = json.loads(ran.out)
        return answer["verdict"], answer["engine"]["used"]

    assert compared(right, "auto") == ("equal", "native")
    assert compared(wrong, "native") == ("wrong", "native")
    assert compared(right, "reference") == ("unknown", "reference")
    ran = convcheck("refine", source, right, *launch, "-v")
    assert "Engine: native, " in ran.out and "from launch to end" in ran.out
    bounded = cc.refine(
        cc.parse(source.read_text()), cc.parse(right.read_text()), grid=2, workgroup=64, subgroup_size=64,
        buffers={"out": "i32[128]:0,..."}, max_steps=10_000, engine="native",
    )  # fmt: skip
    assert bounded.verdict == "unknown" and bounded.engine is not None


def test_an_engine_that_there_is_not() -> None:
    module = cc.parse(ALONE)
    with pytest.raises(UsageError, match="engine is one of 'auto', 'reference'"):
        cc.refine(module, module, engine="fast")  # type: ignore[arg-type]
