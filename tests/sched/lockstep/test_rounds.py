"""Rounds natively, where a launch has several waves: turns, events, bounds, hangs and machine operations are
those of the executor."""

from __future__ import annotations

from collections import Counter
from functools import partial

import pytest

from convergence.parser import parse
from convergence.semantics.machine.launch import LaunchSpec, launch_spec
from tests.native.equality import machine_differs, simulation

from .test_turns import HEAD, MACHINES, PARTED, PROGRAMS

# Waves wait for each other in each round, after ways of different lengths.
BARRIERS = f"""{HEAD}
define i32 @f(i32 %n) {{
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %H
H:
  %i = phi i32 [ 0, %entry ], [ %i.next, %M ]
  %s = phi i32 [ %t, %entry ], [ %v, %M ]
  %sum = add i32 %i, %t
  %length = and i32 %sum, 15
  br label %L
L:
  %j = phi i32 [ 0, %H ], [ %j.next, %L ]
  %u = phi i32 [ %s, %H ], [ %u.next, %L ]
  %u.3 = mul i32 %u, 3
  %u.next = xor i32 %u.3, %j
  %j.next = add i32 %j, 1
  %j.more = icmp ult i32 %j.next, %length
  br i1 %j.more, label %L, label %M
M:
  %v = phi i32 [ %u.next, %L ]
  call void @llvm.nvvm.barrier0()
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %H, label %E
E:
  ret i32 %v
}}
"""
# One wave never comes to the barrier; the others wait for it.
HUNG = f"""{HEAD}
define i32 @f(i32 %n) {{
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %last = icmp uge i32 %t, 8
  br label %H
H:
  %i = phi i32 [ 0, %entry ], [ %i.next, %L ]
  br label %L
L:
  %i.more = add i32 %i, 1
  %i.next = urem i32 %i.more, 7
  %out = icmp eq i32 %i.next, 6
  %leaves = select i1 %last, i1 false, i1 %out
  br i1 %leaves, label %M, label %H
M:
  call void @llvm.nvvm.barrier0()
  ret i32 %i
}}
"""
ALL = {**PROGRAMS, "barriers": BARRIERS, "hung": HUNG}


def launches(n: int, max_steps: int | None = None) -> list[LaunchSpec]:
    """Waves of one workgroup, of which the last is not full; two workgroups; and waves of one lane."""
    spec = partial(launch_spec, function="f", arguments={"n": n}, uncontrolled="maximal", max_steps=max_steps)
    return [
        spec(threads=11, subgroup_size=4),
        spec(grid=2, workgroup=6, subgroup_size=3),
        spec(threads=3, subgroup_size=1),
    ]


@pytest.mark.parametrize("text", ALL.values(), ids=ALL)
def test_rounds_are_the_same(text: str) -> None:
    module = parse(text)
    for spec in launches(9):
        assert machine_differs(module, spec, "ipdom", Counter()) is None


@pytest.mark.parametrize("name", sorted({*MACHINES} - {"ipdom"}))
@pytest.mark.parametrize("program", ["asked", "barriers"])
def test_rounds_of_all_machines_are_the_same(program: str, name: str) -> None:
    """In code for vectors, too."""
    for spec in launches(9)[:2]:
        assert machine_differs(parse(ALL[program]), spec, name, Counter(), 0) is None


@pytest.mark.parametrize("name", ["ipdom", "heart"])
def test_a_bound_ends_them_in_the_same_round(name: str) -> None:
    module = parse(PARTED)
    for most in (90, 333, 1001):
        for spec in launches(60, max_steps=most)[:2]:
            assert machine_differs(module, spec, name, Counter()) is None


def test_most_turns_of_several_waves_are_native() -> None:
    for text in PARTED, BARRIERS:
        spec = launch_spec(function="f", threads=8, subgroup_size=4, arguments={"n": 150})
        for name in "ipdom", "exec-mask", "block-ip":
            _, simulated = simulation(parse(text), spec, name, "native")
            assert simulated.engine is not None
            assert simulated.engine.turns > simulated.engine.calls * 2 // 3
