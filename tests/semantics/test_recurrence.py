"""Runs that come back to where they were: what is proved to be endless, and what is not.

covers: semantics.machine.recurrence, semantics.threads.recurrence
"""

from __future__ import annotations

from typing import Any

import pytest

from convergence.parser import parse
from convergence.semantics import Deadlock, Ending, Endless, OutOfBound, Returned, UndefinedBehaviour
from convergence.semantics.machine.run import run

DECLARATIONS = """
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
declare i32 @subgroupAdd(i32) convergent
declare i32 @read()
declare void @print(i32)
@flag = global i32 0
@own = thread_local global i32 0
"""


def ending(text: str, **given: Any) -> Ending:
    return run(parse(text + DECLARATIONS), function="f", verified=True, **given).ending


def spinning(end: Ending) -> list[int]:
    assert isinstance(end, Endless), end
    return [s.thread for s in end.spinning]


LOOP = "define void @f() {{\nentry:\n  br label %loop\nloop:\n{}\n  br label %loop\n}}"


@pytest.mark.parametrize(
    "body",
    [
        "",
        "  %i = phi i32 [ 0, %entry ], [ %n, %loop ]\n  %n = add i32 %i, 1",  # nobody looks at it
        "  %v = load atomic i32, ptr @flag monotonic, align 4",
        "  store i32 1, ptr @flag\n  store i32 0, ptr @flag",
        "  call void @print(i32 1)",
        "  %r = call i32 @read()",
    ],
)
def test_a_loop_without_an_exit_is_endless(body: str) -> None:
    assert spinning(ending(LOOP.format(body))) == [0]


def test_a_period_longer_than_a_turn_is_found() -> None:
    body = "  %i = phi i16 [ 0, %entry ], [ %n, %loop ]\n  %n = add i16 %i, 1\n  store i16 %n, ptr @flag"
    assert spinning(ending(LOOP.format(body))) == [0]


@pytest.mark.parametrize(
    "body",
    [
        "  %i = phi i64 [ 0, %entry ], [ %n, %loop ]\n  %n = add i64 %i, 1\n  call void @print(i64 %i)",
        "  %r = call i32 @read()\n  store i32 %r, ptr @flag",  # each call may give something else
        "  %v = load i32, ptr @own\n  %w = add i32 %v, 1\n  store i32 %w, ptr @own",
    ],
)
def test_what_may_still_change_is_no_proof(body: str) -> None:
    text = LOOP.format(body).replace("print(i64", "wide(i64") + "\ndeclare void @wide(i64)"
    assert isinstance(ending(text, max_steps=60_000), OutOfBound)


SPIN = """
define void @f(i32 %writes) {
entry:
  %w = icmp ne i32 %writes, 0
  br i1 %w, label %work, label %spin
work:
  %i = phi i32 [ 0, %entry ], [ %n, %work ]
  %n = add i32 %i, 1
  %more = icmp ult i32 %n, 40000
  br i1 %more, label %work, label %write
write:
  store atomic i32 1, ptr @flag monotonic, align 4
  ret void
spin:
  %v = load atomic i32, ptr @flag monotonic, align 4
  %c = icmp eq i32 %v, 0
  br i1 %c, label %spin, label %out
out:
  ret void
}
"""


def test_who_waits_for_what_another_thread_will_write_is_not_endless() -> None:
    assert ending(SPIN, threads=3, arguments={"writes": [0, 1, 0]}) == Returned()
    assert spinning(ending(SPIN, threads=3, arguments={"writes": 0})) == [0, 1, 2]


def test_the_thread_that_writes_may_itself_wait_for_the_one_that_spins() -> None:
    text = """
define void @f(i32 %waits) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  %w = icmp ne i32 %waits, 0
  br i1 %w, label %write, label %spin
spin:
  %v = load atomic i32, ptr @flag monotonic, align 4
  %c = icmp eq i32 %v, 0
  br i1 %c, label %spin, label %join
write:
  br label %join
join:
  %s = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
  store atomic i32 1, ptr @flag monotonic, align 4
  ret void
}
"""
    end = ending(text, threads=2, arguments={"waits": [0, 1]})
    assert spinning(end) == [0] and isinstance(end, Endless)
    assert [(w.thread, w.for_threads) for w in end.waiting] == [(1, (0,))]


ROUND = """
define void @f(i32 %x) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  br label %loop
loop:
  %l = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %l) ]
  %c = icmp eq i32 %s, 77
  br i1 %c, label %out, label %loop
out:
  ret void
}
"""


def test_exchanges_under_a_heart_come_back_with_other_counts() -> None:
    assert spinning(ending(ROUND, threads=2, arguments={"x": [1, 2]})) == [0, 1]
    assert ending(ROUND, threads=2, arguments={"x": [70, 7]}) == Returned()


def test_exchanges_without_a_token_come_back_with_other_headers() -> None:
    """Under ``maximal`` each iteration has its own header, whose number is all that changes."""
    text = """
define void @f(i32 %x) convergent {
entry:
  br label %loop
loop:
  %s = call i32 @subgroupAdd(i32 %x)
  %c = icmp eq i32 %s, 77
  br i1 %c, label %out, label %loop
out:
  ret void
}
"""
    assert spinning(ending(text, threads=2, arguments={"x": [1, 2]}, max_steps=20_000)) == [0, 1]
    assert ending(text, threads=2, arguments={"x": [70, 7]}) == Returned()


def test_who_waits_in_a_later_iteration_is_reached() -> None:
    """Thread 0 goes through a loop 3,000 times without an exchange before it comes to the one at which
    thread 1 waits: its counts of the heart are all that changes."""
    text = """
define i32 @f(i32 %x) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %latch ]
  %l = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %n = add i32 %i, 1
  %last = icmp eq i32 %n, 3000
  br i1 %last, label %meet, label %latch
meet:
  %s = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %l) ]
  ret i32 %s
latch:
  br label %loop
}
"""
    answer = run(parse(text + DECLARATIONS), function="f", verified=True, threads=2, arguments={"x": 0})
    assert answer.ending == Returned()
    assert [t.value for t in answer.outcome.threads] == [2, 2]


def test_a_group_is_passed_by_and_then_the_others_go_on() -> None:
    """Thread 1 waits in its 1,500th iteration; thread 0, which never exchanges, passes by and goes round."""
    text = """
define i32 @f(i32 %when) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %latch ]
  %l = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %m = add i32 %i, 1
  %n = urem i32 %m, 2000
  %now = icmp eq i32 %n, %when
  br i1 %now, label %meet, label %latch
meet:
  %s = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %l) ]
  ret i32 %s
latch:
  br label %loop
}
"""
    answer = run(
        parse(text + DECLARATIONS), function="f", verified=True, threads=2, arguments={"when": [5000, 1500]}
    )
    assert spinning(answer.ending) == [0]
    assert [t.ended for t in answer.outcome.threads] == ["unfinished", "returned"]
    assert answer.outcome.threads[1].value == 1


def test_threads_that_wait_for_one_another_are_no_loop() -> None:
    text = """
define void @f(i32 %x) convergent {
entry:
  %a = call token @llvm.experimental.convergence.anchor()
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %a) ]
  ret void
}
"""
    assert not isinstance(ending(text, threads=2, arguments={"x": 1}), Endless | Deadlock)


@pytest.mark.parametrize(
    ("change", "section"),
    [
        (("define void @f() {", "define void @f() mustprogress {"), "mustprogress"),
        (("define void @f() {", "define void @f() willreturn {"), "willreturn"),
        (("  br label %loop\n}", "  br label %loop, !llvm.loop !0\n}"), "mustprogress"),
    ],
)
def test_what_must_make_progress_and_makes_none_is_undefined(change: tuple[str, str], section: str) -> None:
    nodes = '\n!0 = distinct !{!0, !1}\n!1 = !{!"llvm.loop.mustprogress"}\n'
    end = ending(LOOP.format("").replace(*change) + nodes)
    assert isinstance(end, UndefinedBehaviour) and section in end.section
    printing = ending(LOOP.format("  call void @print(i32 1)").replace(*change) + nodes)
    assert isinstance(printing, UndefinedBehaviour if section == "willreturn" else Endless)


def test_an_inner_loop_that_must_end_and_does_is_no_breach() -> None:
    text = """
define void @f() {
entry:
  br label %outer
outer:
  br label %inner
inner:
  %i = phi i32 [ 0, %outer ], [ %n, %inner ]
  %n = add i32 %i, 1
  %c = icmp ult i32 %n, 5
  br i1 %c, label %inner, label %latch, !llvm.loop !0
latch:
  br label %outer
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.mustprogress"}
"""
    assert spinning(ending(text)) == [0]


def test_the_callee_that_promises_nothing_may_go_on_for_ever() -> None:
    text = """
define void @f() mustprogress {
  call void @g()
  ret void
}
define void @g() {
entry:
  br label %loop
loop:
  br label %loop
}
"""
    assert spinning(ending(text)) == [0]


def test_events_that_come_again_are_counted() -> None:
    body = "  call void @print(i32 1)\n  call void @print(i32 2)"
    end = ending(LOOP.format(body))
    assert isinstance(end, Endless)
    ((_, period),) = end.periods
    assert period > 0 and period % 2 == 0


def test_threads_with_their_own_memory_come_back_apart() -> None:
    """What other threads' stack objects hold is at another phase when a thread begins its turn."""
    text = """
define void @f() {
A:
  %a = alloca i32
  store i32 1, ptr %a
  br label %B
B:
  %v = load i32, ptr %a
  %w = xor i32 %v, 1
  store i32 %w, ptr %a
  br label %B
}
"""
    ran = run(parse(text), threads=50, max_steps=40_000)
    assert isinstance(ran.ending, Endless) and len(ran.ending.spinning) == 50


def test_a_loop_that_ends_its_stack_objects_comes_back() -> None:
    """Those of earlier iterations are no part of its state, and are not kept."""
    text = """
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
define void @f(i32 %n) {
  br label %loop
loop:
  %top = call ptr @llvm.stacksave.p0()
  %x = alloca i32, i32 %n
  store i32 %n, ptr %x
  call void @llvm.stackrestore.p0(ptr %top)
  br label %loop
}
"""
    assert isinstance(ending(text, arguments={"n": 3}), Endless)
