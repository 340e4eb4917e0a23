"""Lanes natively, in lock step: the machines say the same as by the reference, and say which it was.

covers: semantics.native.lanes
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import convergence as cc
from convergence.parser import parse
from convergence.semantics import UsageError
from convergence.semantics.machine.launch import launch_spec
from tests.cli.cli_harness import convcheck, ll
from tests.native.equality import machine_differs, simulation

HEAD = """
@cells = global [8 x i32] [i32 3, i32 1, i32 4, i32 1, i32 5, i32 9, i32 2, i32 6]
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()
declare i32 @subgroupAdd(i32) convergent
declare void @event(i32)
"""
# Each lane writes what its neighbour reads next: lane after lane gives other values than step after step.
NEIGHBOURS = f"""{HEAD}
define i32 @f(i32 %n) {{
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr [8 x i32], ptr @cells, i32 0, i32 %t
  %u = add i32 %t, 3
  %v = and i32 %u, 7
  %other = getelementptr [8 x i32], ptr @cells, i32 0, i32 %v
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a = load i32, ptr %own
  %b = mul i32 %a, 5
  %c = xor i32 %b, %i
  store i32 %c, ptr %other
  %d = load i32, ptr %own
  %e = load i32, ptr %other
  %g = add i32 %d, %e
  store i32 %g, ptr %own
  %old = atomicrmw add ptr @cells, i32 %g monotonic
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %old
}}
"""
# Loops that part lanes, an exchange, a call, an event, a stack object, a branch claimed not to part them.
ALL = f"""{HEAD}
define i32 @g(i32 %x) {{
  %p = alloca i32
  store i32 %x, ptr %p
  %v = load i32, ptr %p
  %w = mul i32 %v, 3
  ret i32 %w
}}
define i32 @f(i32 %n) {{
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = add i32 %t, %n
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %s = phi i32 [ %t, %entry ], [ %r, %latch ]
  %odd = and i32 %s, 1
  %is = icmp ne i32 %odd, 0
  br i1 %is, label %then, label %latch, !llvm.branch !0
then:
  %x = call i32 @g(i32 %s)
  %y = call i32 @subgroupAdd(i32 %x)
  call void @event(i32 %y)
  br label %latch
latch:
  %z = phi i32 [ %s, %loop ], [ %y, %then ]
  %r = add i32 %z, 5
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %m
  br i1 %more, label %loop, label %end
end:
  call void @llvm.nvvm.barrier0()
  ret i32 %r
}}
!0 = !{{!"llvm.branch.non_divergent"}}
"""
# Some lanes divide by zero, and in which instruction of the block is to be said.
DIVIDES = f"""{HEAD}
define i32 @f(i32 %n) {{
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr [8 x i32], ptr @cells, i32 0, i32 %t
  store i32 %n, ptr %own
  %d = sub i32 %t, 2
  %q = sdiv i32 %n, %d
  ret i32 %q
}}
"""
ROUND = f"""{HEAD}
define void @f(i32 %n) {{
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %next, %loop ]
  %j = add i32 %i, 1
  %next = urem i32 %j, 5
  %dead = mul i32 %next, 7
  %out = icmp eq i32 %next, 6
  br i1 %out, label %end, label %loop
end:
  ret void
}}
"""
POLICIES = ("ipdom", "heart", "exec-mask", "independent")


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("text", [NEIGHBOURS, ALL, DIVIDES, ROUND], ids=["memory", "all", "divides", "round"])
def test_a_machine_says_the_same(text: str, policy: str) -> None:
    seen: Counter[str] = Counter()
    spec = launch_spec(grid=2, workgroup=8, subgroup_size=4, arguments={"n": 9}, max_steps=20_000)
    assert machine_differs(parse(text), spec, policy, seen) is None
    assert seen["lanes natively"] or seen["lanes apart"]


def test_what_lanes_do_is_native() -> None:
    """Most of what is issued, where nothing asks for somebody else."""
    spec = launch_spec(threads=8, arguments={"n": 50})
    _, simulated = simulation(parse(NEIGHBOURS), spec, "ipdom", "native")
    assert simulated.engine is not None and not simulated.engine.attended
    assert simulated.engine.instructions > simulated.active_lanes * 9 // 10
    _, simulated = simulation(parse(DIVIDES), spec, "ipdom", "native")
    assert simulated.engine is not None and simulated.engine.attended.startswith("sdiv in @f")


def test_the_command_says_which_engine_it_was(tmp_path: Path) -> None:
    file = ll(tmp_path, NEIGHBOURS)

    def answer(engine: str, n: int) -> dict[str, object]:
        arguments = ("--threads", "8", "--arg", f"%n={n}", "--policy", "ipdom", "--engine", engine)
        (machine,) = json.loads(convcheck("simulate", file, *arguments, "--format", "json").out)["policies"]
        assert isinstance(machine, dict)
        return machine

    native, reference = answer("native", 20), answer("reference", 20)
    assert native.pop("engine") != reference.pop("engine") == {"used": "reference"}
    assert native == reference
    assert answer("auto", 20)["engine"] == {"used": "reference"}
    long = answer("auto", 1500)["engine"]
    assert isinstance(long, dict) and long["used"] == "native" and long["instructions"] > 50_000
    ran = convcheck(
        "simulate", file, "--threads", "8", "--arg", "%n=5", "--policy", "ipdom", "--engine", "native", "-v"
    )
    assert "Engine: native, " in ran.out


def test_an_engine_that_there_is_not() -> None:
    with pytest.raises(UsageError, match="engine is one of 'auto', 'reference'"):
        cc.simulate(cc.parse(ROUND), "ipdom", engine="fast")  # type: ignore[arg-type]
