"""Pieces for all lanes at once, compared with lanes one after the other and with the reference.

covers: semantics.native.lanes
"""

from __future__ import annotations

from collections import Counter

import pytest

from convergence.parser import parse
from convergence.sched.lockstep.policies import NAMES, policy
from convergence.semantics.convergence import Key
from convergence.semantics.machine import Executed
from convergence.semantics.machine.launch import launch_spec
from convergence.semantics.machine.program import EngineKind
from convergence.semantics.machine.tally import Tally

from ..sched.lockstep.test_turns import PROGRAMS
from .equality import KINDS, launched, machine_differs, simulation, vectors_after

MACHINES = tuple(name for name in NAMES if policy(name).traceable)

# Poison that nobody branches on, vectors, floats, division, a wide integer, a switch and a loop in a loop.
MIXED = """
@cells = global [8 x i32] zeroinitializer
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.smax.i32(i32, i32)
define i32 @f(i32 %n, float %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i96
  %w = shl i96 %wide, 68
  br label %H
H:
  %i = phi i32 [ 0, %entry ], [ %i.next, %L ]
  %s = phi i32 [ %t, %entry ], [ %s.next, %L ]
  %v = phi <2 x i16> [ <i16 1, i16 poison>, %entry ], [ %v.next, %L ]
  %a = phi float [ %x, %entry ], [ %a.next, %L ]
  %p = phi ptr [ @cells, %entry ], [ %p.next, %L ]
  %often = phi i32 [ 0, %entry ], [ %often.next, %L ]
  %loud = add nuw i32 %s, -2000000000
  %kept = select i1 true, i32 %s, i32 %loud
  %k = urem i32 %kept, 6
  switch i32 %k, label %D [ i32 0, label %A
                            i32 1, label %B
                            i32 3, label %B
                            i32 5, label %C ]
A:
  %d = add i32 %i, 1
  %q = udiv i32 %s, %d
  %a.out = add i32 %q, 7
  br label %L
B:
  %b = phi i32 [ 0, %H ], [ 0, %H ], [ %b.next, %B ]
  %e = phi i32 [ %s, %H ], [ %s, %H ], [ %e.next, %B ]
  %e.next = mul i32 %e, 5
  %b.next = add i32 %b, 1
  %b.more = icmp ult i32 %b.next, %k
  br i1 %b.more, label %B, label %L
C:
  %c = ashr i32 %s, %k
  %c.max = call i32 @llvm.smax.i32(i32 %c, i32 13)
  br label %L
D:
  %y = xor i32 %s, %i
  %y.half = lshr exact i32 %y, 1
  %y.frozen = freeze i32 %y.half
  br label %L
L:
  %s.new = phi i32 [ %a.out, %A ], [ %e.next, %B ], [ %c.max, %C ], [ %y.frozen, %D ]
  %s.next = add i32 %s.new, 3
  %v.next = add <2 x i16> %v, <i16 3, i16 9>
  %a.next = fmul float %a, 1.25
  %odd = and i32 %s.next, 1
  %c.odd = icmp eq i32 %odd, 0
  %p.next = select i1 %c.odd, ptr null, ptr @cells
  %often.next = add i32 %often, 1
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %H, label %E
E:
  %r = extractelement <2 x i16> %v.next, i32 0
  %z = zext i16 %r to i32
  %less = lshr i96 %w, 70
  %whole = trunc i96 %less to i32
  %bits = bitcast float %a.next to i32
  %sum = add i32 %s.next, %z
  %sum.2 = add i32 %sum, %whole
  %sum.3 = xor i32 %sum.2, %bits
  ret i32 %sum.3
}
"""
POISONED = """
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define i32 @f(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %H
H:
  %i = phi i32 [ 0, %entry ], [ %i.next, %H ]
  %s = phi i32 [ 0, %entry ], [ %s.next, %H ]
  %i.next = add i32 %i, 1
  %half = lshr exact i32 %t, 1
  %s.next = add i32 %half, %i
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %H, label %E
E:
  ret i32 %s.next
}
"""
# In a late round one lane branches on poison: no lane may have gone on in vain.
POISON = """
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define i32 @f(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %H
H:
  %i = phi i32 [ %t, %entry ], [ %i.next, %H ]
  %i.next = add nuw i32 %i, 1
  %big = add nuw i32 %i, -45
  %more = icmp ne i32 %big, 20
  br i1 %more, label %H, label %E
E:
  ret i32 %i.next
}
"""


def tally_of(text: str, threads: int, arguments: dict[str, object], name: str) -> Tally:
    spec = launch_spec(function="f", threads=threads, arguments=arguments)
    _, simulated = simulation(parse(text), spec, name, "native")
    assert simulated.engine is not None
    return simulated.engine


@pytest.mark.parametrize("name", MACHINES)
def test_vectors_change_nothing(name: str) -> None:
    arguments: dict[str, object] = {"n": 60, "x": [0.5 * t for t in range(13)]}
    spec = launch_spec(function="f", threads=13, arguments=arguments)
    for turns in (None, 0):
        assert machine_differs(parse(MIXED), spec, name, Counter(), turns) is None
    with vectors_after(0):
        tally = tally_of(MIXED, 13, arguments, name)
    assert tally.vectors > tally.calls // 2


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_keys_and_states_that_come_back_are_the_same(text: str) -> None:
    spec = launch_spec(function="f", threads=7, arguments={"n": 60}, uncontrolled="maximal")
    for name in "ipdom", "heart":
        assert machine_differs(parse(text), spec, name, Counter(), 0) is None


def counts_of_headers(engine: EngineKind) -> list[tuple[int, list[object]]]:
    """What each key of a run hangs from, by thread."""
    module = parse(PROGRAMS["asked"])
    spec = launch_spec(function="f", threads=7, arguments={"n": 120}, uncontrolled="maximal")
    _, simulated = simulation(module, spec, "heart", engine)
    assert simulated.machine is not None
    counts = []
    for event in simulated.machine.log:
        if isinstance(event, Executed):
            key: object = event.key
            chain: list[object] = []
            while isinstance(key, Key):
                chain.append((key.kind, key.site, key.own))
                key = key.parent
            counts.append((event.thread, chain))
    return counts


def test_headers_are_counted() -> None:
    with vectors_after(0):
        assert counts_of_headers("native") == counts_of_headers("reference")


def test_poison_stays_poison() -> None:
    """Half of the lanes give poison in the end."""
    spec = launch_spec(function="f", threads=8, arguments={"n": 50})
    one, _ = simulation(parse(POISONED), spec, "ipdom", "reference")
    assert "poison" in one
    for turns in (None, 0):
        assert machine_differs(parse(POISONED), spec, "ipdom", Counter(), turns) is None


@pytest.mark.parametrize("threads", [1, 7, 8, 9, 33, 64])
def test_waves_of_all_sizes(threads: int) -> None:
    arguments = {"n": 40, "x": [1.5] * threads}
    spec = launch_spec(function="f", threads=threads, arguments=arguments)
    seen: Counter[str] = Counter()
    assert machine_differs(parse(MIXED), spec, "ipdom", seen, 0) is None
    assert seen["in vectors"]


def test_a_guard_that_fails_in_one_lane_leaves_all_as_they_were() -> None:
    spec = launch_spec(function="f", threads=9, arguments={"n": 60})
    for turns in (None, 0):
        assert machine_differs(parse(POISON), spec, "ipdom", Counter(), turns) is None


def test_few_lanes_run_one_after_the_other() -> None:
    arguments: dict[str, object] = {"n": 500, "x": 1.5}
    with vectors_after(None):
        assert not tally_of(MIXED, 8, arguments, "heart").vectors
    with vectors_after(0):
        assert tally_of(MIXED, 8, arguments, "heart").vectors
    assert not tally_of(MIXED, 2, arguments, "heart").vectors


@pytest.mark.parametrize("kind", KINDS)
def test_generated_programs(kind: str) -> None:
    for seed in range(200, 203):
        module, spec, _ = launched(kind, seed)
        assert machine_differs(module, spec, MACHINES[seed % len(MACHINES)], Counter(), 0) is None
