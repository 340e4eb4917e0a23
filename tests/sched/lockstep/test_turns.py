"""Whole turns natively: a policy does again what it did, for other masks, and the search for states that come
back, bounds and hand-overs are at the same places.

covers: sched.lockstep.rounds, sched.lockstep.waves, semantics.native.turns
"""

from __future__ import annotations

import random
from array import array
from collections import Counter
from collections.abc import Iterator

import pytest

from convergence.parser import parse
from convergence.sched.lockstep.policies import NAMES, VARIANTS, policy
from convergence.sched.lockstep.rounds import MaskTrace, TracedMask
from convergence.sched.lockstep.waves import PackedLog, TurnRecords
from convergence.semantics.machine import Issued, LogEvent
from convergence.semantics.machine.launch import launch_spec
from tests.native.equality import machine_differs, simulation

HEAD = """
@cells = global [8 x i32] zeroinitializer
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()
declare i32 @subgroupAdd(i32) convergent
define internal i32 @g(i32 %x) {
  %big = icmp ugt i32 %x, 40
  br i1 %big, label %T, label %F
T:
  ret i32 7
F:
  %y = mul i32 %x, 3
  ret i32 %y
}
"""
# Lanes part at a switch and at a break, go round together, and leave one after the other.
PARTED = f"""{HEAD}
define i32 @f(i32 %n) {{
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %end = add i32 %t, %n
  br label %H
H:
  %i = phi i32 [ 0, %entry ], [ %i.next, %L ]
  %s = phi i32 [ %t, %entry ], [ %s.next, %L ]
  %k = urem i32 %s, 5
  switch i32 %k, label %D [ i32 0, label %A
                            i32 1, label %B
                            i32 3, label %B ]
A:
  %a = add i32 %s, 13
  br label %L
B:
  %b = mul i32 %s, 3
  %b.out = icmp ugt i32 %i, 70
  br i1 %b.out, label %E, label %C
C:
  %c = xor i32 %b, %i
  br label %L
D:
  %p = getelementptr [8 x i32], ptr @cells, i32 0, i32 %t
  %old = load i32, ptr %p
  %d = add i32 %old, %s
  store i32 %d, ptr %p
  br label %L
L:
  %s.next = phi i32 [ %a, %A ], [ %c, %C ], [ %d, %D ]
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %end
  br i1 %more, label %H, label %E
E:
  %r = phi i32 [ %b, %B ], [ %s.next, %L ]
  ret i32 %r
}}
"""
# Now and then somebody else is asked: a callee, an exchange, a barrier.
ASKED = f"""{HEAD}
define i32 @f(i32 %n) {{
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %H
H:
  %i = phi i32 [ 0, %entry ], [ %i.next, %M ]
  %s = phi i32 [ %t, %entry ], [ %s.next, %M ]
  %odd = and i32 %s, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %T, label %F
T:
  %half = lshr i32 %s, 1
  br label %L
F:
  %three = mul i32 %s, 3
  %one = add i32 %three, 1
  br label %L
L:
  %v = phi i32 [ %half, %T ], [ %one, %F ]
  %often = urem i32 %i, 23
  %now = icmp eq i32 %often, 22
  br i1 %now, label %X, label %M
X:
  %sum = call i32 @subgroupAdd(i32 %v)
  %called = call i32 @g(i32 %v)
  call void @llvm.nvvm.barrier0()
  %w = xor i32 %sum, %called
  br label %M
M:
  %u = phi i32 [ %v, %L ], [ %w, %X ]
  %s.next = and i32 %u, 1023
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %H, label %E
E:
  ret i32 %s.next
}}
"""
# Nobody leaves: the state comes back after a round of 3 and one of 4 for lanes in two groups.
ENDLESS = f"""{HEAD}
define void @f(i32 %n) {{
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %length = add i32 %odd, 3
  br label %H
H:
  %i = phi i32 [ %t, %entry ], [ %next, %L ]
  %j = add i32 %i, 1
  %next = urem i32 %j, %length
  %zero = icmp eq i32 %next, 0
  br i1 %zero, label %Z, label %L
Z:
  br label %L
L:
  %out = icmp eq i32 %next, 9
  br i1 %out, label %E, label %H
E:
  ret void
}}
"""
# A cycle with two entries, which some machines refuse.
KNOT = f"""{HEAD}
define i32 @f(i32 %n) {{
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %P, label %Q
P:
  %i = phi i32 [ 0, %entry ], [ %j.next, %Q ]
  %i.next = add i32 %i, 1
  br label %Q
Q:
  %j = phi i32 [ %t, %entry ], [ %i.next, %P ]
  %j.next = add i32 %j, 2
  %more = icmp ult i32 %j.next, %n
  br i1 %more, label %P, label %E
E:
  ret i32 %j.next
}}
"""
PROGRAMS = {"parted": PARTED, "asked": ASKED, "endless": ENDLESS, "knot": KNOT}
MACHINES = tuple(name for name in (*NAMES, *VARIANTS) if policy(name).traceable or policy(name).alone)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_turns_are_the_same(text: str, name: str) -> None:
    spec = launch_spec(function="f", threads=7, arguments={"n": 60}, uncontrolled="maximal")
    assert machine_differs(parse(text), spec, name, Counter()) is None


@pytest.mark.parametrize("name", MACHINES)
def test_a_bound_ends_them_at_the_same_turn(name: str) -> None:
    module = parse(PARTED)
    for most in (90, 333, 1001, 2002):
        spec = launch_spec(function="f", threads=5, arguments={"n": 60}, max_steps=most)
        assert machine_differs(module, spec, name, Counter()) is None


def test_most_turns_are_native() -> None:
    """And a policy is asked but a few times. Blocks that are issued for nobody are the executor's."""
    spec = launch_spec(function="f", threads=8, arguments={"n": 150})
    for name in {*MACHINES} - {"predication"}:
        _, simulated = simulation(parse(PARTED), spec, name, "native")
        assert simulated.engine is not None and simulated.engine.turns > simulated.engine.calls * 2 // 3


@pytest.mark.parametrize("size", [64, 65, 5])
def test_lanes_that_run_alone_have_as_many_turns(size: int) -> None:
    """In a wave of as many lanes as the queue has room for, of more, which have their turns by the executor,
    and in several waves."""
    spec = launch_spec(function="f", threads=70, subgroup_size=size, arguments={"n": 9})
    assert machine_differs(parse(PARTED), spec, "independent", Counter()) is None
    _, simulated = simulation(parse(PARTED), spec, "independent", "native")
    turns = 0 if simulated.engine is None else simulated.engine.turns
    assert bool(turns) == (size <= 64)


def test_a_log_is_as_long_as_what_is_in_it() -> None:
    spec = launch_spec(function="f", threads=5, arguments={"n": 60})
    _, simulated = simulation(parse(PARTED), spec, "heart", "reference")
    assert simulated.machine is not None
    known = list(simulated.machine.log)
    _, simulated = simulation(parse(PARTED), spec, "heart", "native")
    assert simulated.machine is not None
    issued = [event for event in known if isinstance(event, Issued)]
    assert [event for event in simulated.machine.log if isinstance(event, Issued)] == issued

    class Records(TurnRecords):
        def __init__(self) -> None:
            super().__init__(array("Q"), {}, 2)

        def events(self) -> Iterator[LogEvent]:
            return iter(issued[1:3])

    def packed() -> PackedLog:
        log = PackedLog()
        log.append(issued[0])
        log.pack(Records())
        log += issued[3:5]
        return log

    class OneRecord(Records):
        def __init__(self) -> None:
            super().__init__()
            self.count = 1

        def events(self) -> Iterator[LogEvent]:
            return iter(issued[1:2])

    single = PackedLog()
    single.pack(OneRecord())
    assert len(single) == 1 and [*single] == issued[1:2]
    assert len(packed()) == 5 and list(reversed(packed())) == issued[4::-1]
    assert packed()[1] == issued[1] and issued[2] in packed() and [*packed()] == issued[:5]


def test_masks_are_numbers_and_what_is_done_with_them_is_noted() -> None:
    choose = random.Random(7)
    for _ in range(200):
        trace = MaskTrace(3)
        values = [choose.getrandbits(64) & choose.getrandbits(64) for _ in range(3)]
        masks = [(TracedMask(v, trace, n), v) for n, v in enumerate(values)]
        for _ in range(12):
            (a, x), (b, y) = choose.choice(masks), choose.choice(masks)
            masks.append(choose.choice([(a & b, x & y), (a | b, x | y), (a ^ b, x ^ y), (a & ~b, x & ~y)]))
        registers = [*values]
        for number, step in enumerate(trace.steps):
            u, v = registers[step.a], registers[step.b]
            after = {"AND": u & v, "OR": u | v, "XOR": u ^ v, "NOT": ~u & (1 << 64) - 1}[step.code.name]
            assert trace.result(number) == len(registers)
            registers.append(after)
        for mask, value in masks:
            assert int(mask) == value == registers[mask.register]
        assert bool(masks[-1][0]) == bool(masks[-1][1]) and trace.steps[-1].asks


@pytest.mark.parametrize(
    "use", [str, hash, int, lambda m: m.bit_count(), lambda m: m >> 1, lambda m: m < 3, lambda m: m - 1]
)
def test_what_cannot_be_noted_is_not_passed_over(use: object) -> None:
    trace = MaskTrace(1)
    assert callable(use)
    use(TracedMask(6, trace, 0))
    assert trace.lost
