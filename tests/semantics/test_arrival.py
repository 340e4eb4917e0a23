"""Arrival is precise: groups are resolved while threads that cannot come are still running.

covers: semantics.convergence.rules, semantics.convergence.reachability
"""

from __future__ import annotations

import pytest

from convergence.parser import parse
from convergence.semantics import Returned
from convergence.semantics.convergence.reachability import CallGraph, Graph

from .every import alignments, every, first, results
from .texts import DECLARATIONS, add, loop

DIAMOND = """
define void @f(i1 %c) {
entry:
  br label %head
head:
  br i1 %c, label %left, label %right
left:
  %a = add i32 1, 1
  br label %latch
right:
  %b = add i32 1, 1
  br label %latch
latch:
  br i1 %c, label %head, label %exit
exit:
  ret void
}
"""


def test_reachability_by_instruction() -> None:
    graph = Graph(parse(DIAMOND).functions["f"])
    # 0 br, 1 br, 2 a, 3 br, 4 b, 5 br, 6 br, 7 ret
    assert graph.reaches(2, frozenset([2]))
    assert graph.reaches(3, frozenset([2]))  # around the loop
    assert not graph.reaches(3, frozenset([2]), avoid=frozenset([1]))
    assert not graph.reaches(7, frozenset([0]))
    assert graph.reaches(2, frozenset([4]))
    assert not graph.reaches(2, frozenset([4]), avoid_blocks=frozenset([graph.number["head"]]))
    nothing: frozenset[int] = frozenset()
    head = frozenset([graph.number["head"]])
    assert graph.reaches(1, nothing, target_blocks=head)  # entering it again
    assert not graph.reaches(1, nothing, target_blocks=head, avoid_blocks=frozenset([graph.number["latch"]]))


def test_who_goes_on_behind_an_instruction_does_not_come_to_it_without_a_loop() -> None:
    """Neither to it nor to the one before it, but to the next; where it ends its block, in the next one."""
    graph = Graph(
        parse(
            "define void @f() {\n  %a = add i32 1, 1\n  %b = add i32 1, 1\n  br label %z\nz:\n  ret void\n}"
        ).functions["f"]
    )
    behind = [{n for n in range(4) if graph.reaches_behind(at, frozenset([n]))} for at in range(3)]
    assert behind == [{1, 2, 3}, {2, 3}, {3}]


def test_call_graph_takes_pointers_to_what_is_named() -> None:
    module = parse("""
@table = global [1 x ptr] [ptr @b]
declare void @d()
define void @a(ptr %p) {
  call void @d()
  call void %p()
  ret void
}
define void @b() {
  call void @c()
  ret void
}
define void @c() {
  ret void
}
""")
    calls = CallGraph(module)
    assert calls.address_taken() == {"b"}
    assert calls.closure("a") == {"b", "c"}
    assert calls.sites_leading_to("a", "c") == {1}
    assert calls.sites_leading_to("c", "a") == frozenset()


def test_a_function_that_is_an_argument_may_be_called() -> None:
    calls = CallGraph(
        parse("""
declare void @d(ptr)
define void @a() {
  call void @d(ptr @c)
  ret void
}
define void @c() {
  ret void
}
""")
    )
    assert calls.address_taken() == {"c"}


@pytest.mark.parametrize("where", ["after the loop", "in the other arm", "in a callee"])
def test_a_group_is_resolved_while_others_wait_for_it(where: str) -> None:
    """Thread 0 waits at an exchange; thread 1 spins until the result of that exchange is stored. If
    arrival were imprecise, nobody could go on."""
    exchange = f"""{add("s", "t", "1")}
  store volatile i32 %s, ptr @flag"""
    spin = """spin:
  %v = load volatile i32, ptr @flag
  %w = icmp eq i32 %v, 0
  br i1 %w, label %spin, label %end"""
    bodies = {
        "in the other arm": f"br i1 %c, label %use, label %spin\nuse:\n  {exchange}\n  br label %end\n{spin}",
        "after the loop": f"""br i1 %c, label %use, label %loop
loop:
  {loop("t", "h", "loop")}
  br i1 %c, label %loop, label %spin
use:
  {exchange}
  br label %end
{spin}""",
        "in a callee": f"""br i1 %c, label %use, label %go
use:
  {exchange}
  br label %end
go:
  call void @g()
  br label %end""",
    }
    text = f"""
@flag = global i32 0
define void @g() {{
  br label %spin
{spin}
end:
  ret void
}}
define void @f(i1 %c) convergent {{
  %t = call token @llvm.experimental.convergence.entry()
  {bodies[where]}
end:
  ret void
}}
{DECLARATIONS}"""
    run = first(text, function="f", threads=2, arguments={"c": [-1, 0]}, max_steps=300_000)
    assert run.ending == Returned()
    assert results(run, "%s") == [{0: 1}]


def test_iterations_wait_for_those_that_still_count() -> None:
    """A thread behind by several iterations of a heart is waited for; one that has left is not."""
    text = f"""
define i32 @f(i32 %n, i32 %delay) convergent {{
entry:
  %t = call token @llvm.experimental.convergence.entry()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %latch ]
  {loop("t", "h", "head")}
  %c = icmp ult i32 %i, %n
  br i1 %c, label %body, label %exit
body:
  %skip = icmp ult i32 %i, %delay
  br i1 %skip, label %latch, label %work
work:
  {add("s", "h", "1")}
  br label %latch
latch:
  %got = phi i32 [ 0, %body ], [ %s, %work ]
  %sum.next = add i32 %sum, %got
  %next = add i32 %i, 1
  br label %head
exit:
  ret i32 %sum
}}
{DECLARATIONS}"""
    run = first(text, threads=3, arguments={"n": [5, 3, 5], "delay": [0, 1, 4]})
    assert run.ending == Returned() and run.guesses == ()
    by_iteration = {frozenset(g): g for g in results(run, "%s")}
    assert {frozenset([0]), frozenset([0, 1]), frozenset([0, 2])} == set(by_iteration)
    assert [t.value for t in run.outcome.threads] == [1 + 2 + 2 + 1 + 2, 4, 2]


IRREDUCIBLE = f"""
define void @f(i1 %c) convergent {{
Entry:
  br i1 %c, label %R, label %P
P:
  %p = call i32 @subgroupAdd(i32 1)
  br label %Q
Q:
  %q = call i32 @subgroupAdd(i32 1)
  br i1 %c, label %S, label %R
R:
  %r = call i32 @subgroupAdd(i32 1)
  br label %S
S:
  %s = call i32 @subgroupAdd(i32 1)
  br i1 %c, label %P, label %Exit
Exit:
  ret void
}}
{DECLARATIONS}"""


def test_nested_irreducible_cycles_as_llvms_page_prints_them() -> None:
    paths = [["Entry", *middle, "Exit"] for middle in ("PQSPQRS", "PQRS", "RS")]
    run = first(IRREDUCIBLE, paths=paths)
    assert run.ending == Returned() and run.guesses == ()
    assert [sorted(g) for g in results(run, "%p")] == [[0, 1], [0]]
    assert [sorted(g) for g in results(run, "%q")] == [[0, 1], [0]]
    assert [sorted(g) for g in results(run, "%r")] == [[0, 1, 2]]
    assert [sorted(g) for g in results(run, "%s")] == [[0], [0, 1, 2]]


ANCHORED = (
    DECLARATIONS
    + """
define i32 @f(i32 %x) {
  %a = call token @llvm.experimental.convergence.anchor()
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %a) ]
  ret i32 %s
}
"""
)


def test_a_thread_joins_the_group_of_an_anchor_that_it_is_not_in() -> None:
    run = first(ANCHORED, function="f", threads=3, arguments={"x": [1, 2, 4]})
    assert results(run, "%s") == [{0: 7, 1: 7, 2: 7}]
    assert len(alignments(every(ANCHORED, function="f", threads=3, arguments={"x": [1, 2, 4]}))) == 5
