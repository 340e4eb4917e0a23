"""Ids that are convergent operations, as OpenCL C's are: each lane gets its own, natively as by the
reference, and the instances are the same.

covers: semantics.native.meetings, semantics.turn_words
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from convergence.parser import parse
from convergence.sched.lockstep.policies import NAMES
from convergence.semantics.machine.launch import launch_spec
from tests.native.equality import machine_differs, simulation

HEAD = """
declare i64 @_Z13get_global_idj(i32) convergent nounwind willreturn memory(none)
declare i64 @_Z12get_local_idj(i32) convergent nounwind willreturn memory(none)
declare i64 @_Z15get_global_sizej(i32) convergent nounwind willreturn memory(none)
declare <3 x i64> @__spirv_BuiltInWorkgroupId() convergent nounwind willreturn memory(none)
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
"""
# In a loop that lanes leave one after the other, and behind it where one lane is alone.
LOOP = f"""{HEAD}
define i64 @f(i64 %n) convergent {{
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)
  br label %H
H:
  %i = phi i64 [ %g, %entry ], [ %next, %H ]
  %l = call i64 @_Z12get_local_idj(i32 0)
  %size = call i64 @_Z15get_global_sizej(i32 0)
  %step = add i64 %l, %size
  %next = add i64 %i, %step
  %more = icmp ult i64 %next, %n
  br i1 %more, label %H, label %X
X:
  %first = icmp eq i64 %g, 3
  br i1 %first, label %T, label %E
T:
  %y = call i64 @_Z13get_global_idj(i32 1)
  %s = add i64 %next, %y
  br label %E
E:
  %r = phi i64 [ %next, %X ], [ %s, %T ]
  ret i64 %r
}}
"""
# Below tokens, beside an exchange; one that nobody reads; and one by a dimension that is no constant.
TOKENS = f"""{HEAD}
define i64 @f(i64 %n) convergent {{
entry:
  %T = call token @llvm.experimental.convergence.entry()
  %unused = call i64 @_Z13get_global_idj(i32 0) [ "convergencectrl"(token %T) ]
  br label %H
H:
  %i = phi i64 [ 0, %entry ], [ %next, %L ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %T) ]
  %g = call i64 @_Z13get_global_idj(i32 0) [ "convergencectrl"(token %h) ]
  %odd = and i64 %g, 1
  %k = add i64 %i, %odd
  %c = trunc i64 %k to i1
  br i1 %c, label %A, label %L
A:
  %v = trunc i64 %g to i32
  %sum = call i32 @subgroupAdd(i32 %v) [ "convergencectrl"(token %h) ]
  %w = zext i32 %sum to i64
  br label %L
L:
  %a = phi i64 [ %g, %H ], [ %w, %A ]
  %d = trunc i64 %odd to i32
  %by = call i64 @_Z13get_global_idj(i32 %d) [ "convergencectrl"(token %h) ]
  %b = add i64 %a, %by
  %next = add i64 %i, 1
  %end = add i64 %n, %odd
  %more = icmp ult i64 %next, %end
  br i1 %more, label %H, label %E
E:
  %ids = call <3 x i64> @__spirv_BuiltInWorkgroupId() [ "convergencectrl"(token %T) ]
  %x = extractelement <3 x i64> %ids, i32 0
  %r = add i64 %b, %x
  ret i64 %r
}}
"""
PROGRAMS = {"loop": LOOP, "tokens": TOKENS}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("size", [{"threads": 7}, {"grid": 2, "workgroup": 6, "subgroup_size": 3}], ids=str)
def test_the_instances_are_the_same(text: str, name: str, size: dict[str, Any]) -> None:
    spec = launch_spec(function="f", **size, arguments={"n": 40}, uncontrolled="maximal")
    assert machine_differs(parse(text), spec, name, Counter()) is None


def test_what_their_place_gives_to_lanes_is_given_natively() -> None:
    """A loop goes on from turn to turn."""
    spec = launch_spec(function="f", threads=8, arguments={"n": 4000}, uncontrolled="maximal")
    for name in ("ipdom", "heart", "independent"):
        _, simulated = simulation(parse(LOOP), spec, name, "native")
        assert simulated.engine is not None
        assert simulated.engine.turns > 200
        assert simulated.engine.instructions > simulated.active_lanes * 9 // 10
