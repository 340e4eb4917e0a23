"""Candidate traces: one thread, followed to its end or to a question.

covers: sched.constraints.candidates, sched.constraints.theory
"""

from __future__ import annotations

from typing import Any

import z3

from convergence.parser import parse
from convergence.sched.constraints.candidates import (
    Answer,
    Beat,
    FrameEntry,
    Instance,
    Query,
    Stopped,
    Trace,
    TraceNode,
    Uses,
)
from convergence.sched.constraints.theory import Assignment, Leaves, equal
from convergence.sched.constraints.walk import Walk, World
from convergence.semantics import OutOfBound, UndefinedBehaviour, Unmodelled
from convergence.semantics.machine.launch import Launch
from convergence.semantics.machine.program import Program
from convergence.semantics.values import Value

CONTROL = """
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare i32 @subgroupAdd(i32) convergent
@x = global i32 3
@c = constant i32 4
"""
LOOP = """define i32 @f(i32 %n) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  br label %loop
loop:
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %sum = call i32 @subgroupAdd(i32 %n) [ "convergencectrl"(token %h) ]
  %more = icmp ugt i32 %sum, 5
  br i1 %more, label %loop, label %end
end:
  %twice = mul i32 %sum, 2
  ret i32 %twice
}"""


class Following:
    """Thread 0 of a program, answer by answer."""

    def __init__(self, text: str, *arguments: int, threads: int = 1) -> None:
        program = Program(parse(CONTROL + text))
        values = [[Value(a) for a in arguments]] * threads
        self.world = World(program, Launch("f", threads, None, values))

    def node(
        self, parent: TraceNode | None = None, answer: Answer | None = None, steps: int = 1000
    ) -> TraceNode:
        answers = () if parent is None or answer is None else (*parent.answers, answer)
        node = TraceNode(0, self.world.number(), answers, parent, z3.BoolVal(True))
        Walk(self.world, node, steps).follow()
        return node


def test_a_trace_stops_where_a_result_decides() -> None:
    follow = Following(LOOP, 7)
    root = follow.node()
    assert isinstance(root.end, Query)
    entry, heart, total = root.path
    assert isinstance(entry.hangs, FrameEntry)
    assert isinstance(heart.hangs, Beat) and (heart.hangs.token, heart.hangs.n) == (entry, 1)
    assert isinstance(total.hangs, Uses) and total.hangs.token is heart
    assert root.end.needs == {total}
    poisoned = follow.node(root, True).end
    assert isinstance(poisoned, Stopped) and poisoned.reason.reason == "br on poison"
    (operand,) = total.operands
    assert operand == Value(7)


def test_a_piece_continues_the_one_above() -> None:
    follow = Following(LOOP, 7)
    root = follow.node()
    sound = follow.node(root, False)  # the first question is whether the sum is poison
    again, out = follow.node(sound, True), follow.node(sound, False)
    assert again.path[:3] == root.path
    heart, total = again.instances
    assert isinstance(heart.hangs, Beat) and heart.hangs.n == 2
    assert (total.nth, total.previous) == (2, heart)
    assert isinstance(out.end, Trace)
    assert [visit.block for visit in out.end.visits] == ["entry", "loop", "end"]
    assert out.instances == []


def test_terms_come_to_values() -> None:
    follow = Following(LOOP, 7)
    root = follow.node()
    sound = follow.node(root, False)
    out = follow.node(sound, False)
    assert isinstance(sound.end, Query) and isinstance(out.end, Trace)
    (total,) = [i for i in root.path if i.call is not None]
    assert isinstance(total.result, Value)
    known = Assignment(Leaves())
    known.set(total.result.bits, 4)
    known.set(total.result.poison, False)
    assert known.of(sound.end.term) is False
    assert known.value(out.end.value) == Value(8)
    known.set(total.result.poison, True)
    assert known.value(out.end.value).poison is True
    solver = z3.Solver()
    solver.add(*equal(out.end.value, Value(8)), total.result.bits == 5)
    assert solver.check() == z3.unsat


def ended(text: str, **bounds: Any) -> Any:
    end = Following(text).node(**bounds).end
    return end.reason if isinstance(end, Stopped) else end


def test_what_ends_a_trace_early() -> None:
    undefined = ended("define void @f() {\nunreachable\n}")
    assert isinstance(undefined, UndefinedBehaviour)
    assert undefined.reason == "unreachable was reached"
    assert isinstance(ended("define void @f() {\nbr label %l\nl:\nbr label %l\n}", steps=9), OutOfBound)
    unknown = ended("define i32 @f() {\n%l = alloca i8\n%v = va_arg ptr %l, i32\nret i32 %v\n}")
    assert unknown == Unmodelled("the instruction va_arg", 0, unknown.stack)


def test_own_memory_and_constants_are_known() -> None:
    """Only what another thread can change is an unknown."""
    text = """define i32 @f() {
      %p = alloca i32
      store i32 1, ptr %p
      %a = load i32, ptr %p
      %b = load i32, ptr @c
      %s = add i32 %a, %b
      ret i32 %s
    }"""
    node = Following(text).node()
    assert isinstance(node.end, Trace)
    assert node.end.value == Value(5)
    assert node.readings == []


def test_shared_memory_is_unknown() -> None:
    text = """define i32 @f() {
      store i32 1, ptr @x
      %a = load i32, ptr @x
      ret i32 %a
    }"""
    node = Following(text).node()
    assert [(bool(r.written), r.type is None) for r in node.readings] == [(True, True), (False, False)]
    assert node.readings[1].previous is node.readings[0]
    assert isinstance(node.end, Trace)
    assert isinstance(node.end.value.bits, z3.BitVecRef)


def test_dependence_is_kept_through_own_memory() -> None:
    text = """define i32 @f(i32 %n) convergent {
      %t = call token @llvm.experimental.convergence.entry()
      %p = alloca i32
      %s = call i32 @subgroupAdd(i32 %n) [ "convergencectrl"(token %t) ]
      %none = and i32 %s, 0
      store i32 %none, ptr %p
      %v = load i32, ptr %p
      store i32 %v, ptr @x
      store i32 0, ptr %p
      %w = load i32, ptr %p
      store i32 %w, ptr @x
      ret i32 0
    }"""
    node = Following(text, 1).node()
    total: Instance = node.path[-1]
    assert [r.needs for r in node.readings] == [{total}, frozenset()]


def test_what_lies_beside_does_not_depend() -> None:
    text = """define i32 @f(i32 %n) convergent {
      %t = call token @llvm.experimental.convergence.entry()
      %low = alloca [3 x i32]
      %mid = getelementptr i32, ptr %low, i32 1
      %high = getelementptr i32, ptr %low, i32 2
      store [3 x i32] zeroinitializer, ptr %low
      %s = call i32 @subgroupAdd(i32 %n) [ "convergencectrl"(token %t) ]
      store i32 %s, ptr %mid
      %a = load i32, ptr %low
      store i32 %a, ptr @x
      %b = load i32, ptr %mid
      store i32 %b, ptr @x
      %c = load i32, ptr %high
      store i32 %c, ptr @x
      ret i32 0
    }"""
    node = Following(text, 1).node()
    total: Instance = node.path[-1]
    assert [r.needs for r in node.readings] == [frozenset(), {total}, frozenset()]


def test_a_block_address_decides_where_to() -> None:
    text = """define i32 @f(i1 %c) {
    entry:
      %to = select i1 %c, ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)
      indirectbr ptr %to, [label %a, label %b]
    a:
      ret i32 1
    b:
      ret i32 2
    }"""
    for given, result in ((1, 1), (0, 2)):
        end = Following(text, given).node().end
        assert isinstance(end, Trace)
        assert end.value == Value(result)
