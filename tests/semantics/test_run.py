"""The programs that semantics.md names, with the answers that it gives.

covers: semantics.convergence.rules, semantics.machine.run, semantics.machine.machine
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import comb

import pytest

from convergence.rules import Rule
from convergence.semantics import Deadlock, Illegal, Returned

from .every import AA, AB, OA, OB, alignments, every, first, results, shown
from .texts import DECLARATIONS, WITHOUT_HEART, add, appending, loop, natural, nested, uncontrolled

OPERANDS = {"%x": [1, 10]}


def test_natural_loop_alignment_and_sums() -> None:
    run = first(natural(), arguments=OPERANDS, paths=[AA, AB])
    assert run.ending == Returned()
    assert shown(run) == ["A B - B C D", "A B C B C D"]
    assert results(run, "%sum.b") == [{0: 11, 1: 11}, {0: 11, 1: 11}]
    assert {Rule.D_ENTRY, Rule.D_LOOP, Rule.D_USE} <= set(run.rules)
    assert run.guesses == ()


def test_nested_loop_alignment_and_sums() -> None:
    run = first(nested(), arguments=OPERANDS, paths=[OA, OB])
    assert shown(run) == ["A B B C - - D", "A B - C B C D"]
    assert results(run, "%sum.b") == [{0: 11, 1: 11}, {0: 1}, {1: 10}]


@pytest.mark.parametrize(("text", "paths"), [(natural(), [AA, AB]), (nested(), [OA, OB])])
def test_entry_leaves_one_alignment(text: str, paths: list[list[str]]) -> None:
    assert len(alignments(every(text, threads=2, arguments=OPERANDS, paths=paths))) == 1


@pytest.mark.parametrize(
    ("text", "paths"),
    [(natural("anchor"), [AA, AB]), (nested("anchor"), [OA, OB])],
    ids=["natural", "nested"],
)
def test_an_anchor_leaves_two_alignments(text: str, paths: list[list[str]]) -> None:
    runs = list(every(text, threads=2, arguments=OPERANDS, paths=paths))
    assert all(r.ending == Returned() for r in runs)
    assert len(runs) == len(set(alignments(iter(runs)))) == 2


def test_uncontrolled_any_has_six_alignments() -> None:
    runs = every(uncontrolled(), threads=2, arguments=OPERANDS, paths=[AA, AB], uncontrolled="any")
    found = alignments(runs)
    assert len(found) == len(set(found)) == 6


def test_uncontrolled_maximal_is_the_natural_alignment() -> None:
    run = first(uncontrolled(), arguments=OPERANDS, paths=[AA, AB])
    assert results(run, "%sum.b") == [{0: 11, 1: 11}, {0: 11, 1: 11}]
    assert Rule.D_FREE in run.rules


def test_uncontrolled_none_groups_nobody() -> None:
    run = first(uncontrolled(), arguments=OPERANDS, paths=[AA, AB], uncontrolled="none")
    assert results(run, "%sum.b") == [{0: 1}, {1: 10}, {0: 1}, {1: 10}]


ONCE = f"""
define i32 @f(i32 %x) {{
  %t = call token @llvm.experimental.convergence.anchor()
  {add("s", "t")}
  ret i32 %s
}}
{DECLARATIONS}"""


@pytest.mark.parametrize(("threads", "bell"), [(1, 1), (2, 2), (3, 5), (4, 15), (5, 52), (6, 203)])
def test_an_anchor_met_once_groups_in_all_ways(threads: int, bell: int) -> None:
    runs = list(every(ONCE, threads=threads, arguments={"x": 1}))
    assert all(r.ending == Returned() for r in runs)
    assert len(runs) == len(set(alignments(iter(runs)))) == bell


def counted(operation: str) -> str:
    return f"""
define i32 @f(i32 %n) convergent {{
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %c = icmp ult i32 %i, %n
  br i1 %c, label %body, label %exit
body:
  {operation}
  %next = add i32 %i, 1
  br label %head
exit:
  ret i32 %i
}}
{DECLARATIONS}"""


@pytest.mark.parametrize("exchange", [True, False], ids=["exchange", "event"])
@pytest.mark.parametrize(("m", "n"), list(product(range(4), repeat=2)))
def test_passing_an_uncontrolled_operation_m_and_n_times(m: int, n: int, exchange: bool) -> None:
    operation = "%s = call i32 @subgroupAdd(i32 1)" if exchange else "call void @op(i32 1)"
    runs = list(every(counted(operation), threads=2, arguments={"n": [m, n]}, uncontrolled="any"))
    found = alignments(iter(runs))
    assert len(found) == len(set(found)) == comb(m + n, n)


def test_append_buffer_positions_are_a_permutation() -> None:
    for threads in (2, 3):
        for run in every(appending(), threads=threads):
            assert run.ending == Returned()
            assert Counter(t.value for t in run.outcome.threads) == Counter(range(threads))
            assert run.outcome.memory == {"@count": threads}


def test_append_buffer_first_run_is_one_group() -> None:
    run = first(appending(), threads=4)
    assert [t.value for t in run.outcome.threads] == [0, 1, 2, 3]
    assert results(run, "%ballot") == [{0: 15, 1: 15, 2: 15, 3: 15}]


def test_a_divergent_break_extends_the_loop() -> None:
    """Threads that leave in different iterations do not meet behind the loop, where a heart says so."""
    text = f"""
define i32 @f(i32 %n) convergent {{
entry:
  %t = call token @llvm.experimental.convergence.entry()
  br label %for
for:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  {loop("t", "h", "for")}
  %leave = icmp eq i32 %i, %n
  br i1 %leave, label %out, label %latch
latch:
  %next = add i32 %i, 1
  br label %for
out:
  {add("s", "h", "1")}
  ret i32 %s
}}
{DECLARATIONS}"""
    run = first(text, threads=4, arguments={"n": [0, 1, 1, 2]})
    assert [t.value for t in run.outcome.threads] == [1, 2, 2, 1]
    assert run.guesses == ()


RATIONALE = f"""
define void @f(i1 %c) {{{{
A:
  %t = call token @llvm.experimental.convergence.anchor()
  br label %B
B:
  {{heart}}
  br i1 %c, label %C, label %D
C:
  {{one}}
  br label %D
D:
  br i1 %c, label %E, label %F
E:
  {{two}}
  br label %F
F:
  br i1 %c, label %B, label %G
G:
  ret void
}}}}
{DECLARATIONS}"""
RATIONALE_PATHS = [list("ABCDFBDEFG"), list("ABDEFBCDFG")]


def test_two_operations_in_different_iterations_of_one_heart() -> None:
    text = RATIONALE.format(
        heart=loop("t", "h", "B"),
        one='call void @op.1() [ "convergencectrl"(token %h) ]',
        two='call void @op.2() [ "convergencectrl"(token %h) ]',
    )
    together = next(iter(every(text, threads=2, paths=RATIONALE_PATHS)))
    sizes = {g.operation: len(g.members) for g in together.groups if not g.control}
    assert sizes == {"@op.1#1": 1, "@op.2#1": 1}


def test_unnatural_counting_has_one_alignment_below_a_joined_anchor() -> None:
    text = RATIONALE.format(
        heart="",
        one=loop("t", "h", "C") + '\n  call void @op.1() [ "convergencectrl"(token %h) ]',
        two="%free = call token @llvm.experimental.convergence.anchor()\n"
        '  call void @op.2() [ "convergencectrl"(token %free) ]',
    )
    found = set()
    for run in every(text, threads=2, paths=RATIONALE_PATHS):
        if isinstance(run.ending, Illegal):
            continue
        sizes = {(g.operation, len(g.members)) for g in run.groups}
        if ("%t", 2) in sizes:
            found.add(frozenset(sizes))
    assert found == {
        frozenset({("%t", 2), ("%h", 2), ("@op.1#1", 2), ("%free", 1), ("@op.2#1", 1)})
    }  # op.1 converged; op.2 not: that would close a cycle


def test_a_deadlock_names_who_waits_for_whom() -> None:
    """Two exchanges under one token in a cycle without a heart, met in opposite orders."""
    run = first(WITHOUT_HEART, paths=[list("ABCEBDEF"), list("ABDEBCEF")])
    assert isinstance(run.ending, Deadlock)
    assert [(w.thread, w.name, w.for_threads) for w in run.ending.waiting] == [
        (0, "%one", (1,)),
        (1, "%two", (0,)),
    ]


def test_of_two_groups_as_large_the_one_with_the_lowest_thread_goes_on_first() -> None:
    """Two pairs wait at different anchors, and either may still join the other: the pair of thread 0 goes on,
    though the other pair's greatest thread is lower, and joins it."""
    text = f"""
define void @f(i32 %x, i1 %c) {{
A:
  br i1 %c, label %P, label %Q
P:
  %a = call token @llvm.experimental.convergence.anchor()
  {add("p", "a")}
  br i1 %c, label %Q, label %end
Q:
  %b = call token @llvm.experimental.convergence.anchor()
  {add("q", "b")}
  br i1 %c, label %end, label %P
end:
  ret void
}}
{DECLARATIONS}"""
    run = first(text, threads=4, arguments={"x": [1, 2, 4, 8], "c": [1, 0, 0, 1]})
    assert run.ending == Returned()
    assert results(run, "%q") == [dict.fromkeys(range(4), 15)]
    assert results(run, "%p") == [{0: 9, 3: 9}, {1: 6, 2: 6}]


def test_meeting_its_own_key_again_is_illegal() -> None:
    text = f"""
define void @f(i1 %c) convergent {{
A:
  %t = call token @llvm.experimental.convergence.entry()
  br label %B
B:
  {add("s", "t", "1")}
  br i1 %c, label %B, label %C
C:
  ret void
}}
{DECLARATIONS}"""
    run = first(text, paths=[["A", "B", "B", "C"]])
    assert isinstance(run.ending, Illegal) and "own key again at %s" in run.ending.words


def test_subgroups_never_meet() -> None:
    text = f"""
define i32 @f(i32 %x) convergent {{
  %t = call token @llvm.experimental.convergence.entry()
  {add("s", "t")}
  ret i32 %s
}}
{DECLARATIONS}"""
    run = first(text, threads=5, subgroup_size=2, arguments={"x": [1, 2, 4, 8, 16]})
    assert results(run, "%s") == [{0: 3, 1: 3}, {2: 12, 3: 12}, {4: 16}]
    assert run.execution.launch_groups == (0, 0, 1, 1, 2)


def test_a_run_is_a_function_of_its_choices() -> None:
    runs = [r.execution for r in every(ONCE, threads=3, arguments={"x": [1, 2, 4]})]
    again = [r.execution for r in every(ONCE, threads=3, arguments={"x": [1, 2, 4]})]
    assert runs == again
