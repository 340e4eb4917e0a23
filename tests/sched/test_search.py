"""Enumeration by choices: the answers that the definition names, bounds, switches.

covers: sched.choices.search, sched.engines, sched.enumeration
"""

from __future__ import annotations

from math import comb
from pathlib import Path
from typing import Any

import pytest

import convergence as cc
from convergence.ir.module import Module
from convergence.sched.choices.search import SearchProgress
from convergence.sched.engines import agreed
from convergence.sched.enumeration import Enumeration
from convergence.semantics import (
    INTERRUPTED,
    Bound,
    BoundKind,
    Deadlock,
    NoModel,
    Sampled,
    UndefinedBehaviour,
)
from tests.launches import explore

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples_ll"
NATURAL = ["A B B C D".split(), "A B C B C D".split()]
NESTED = ["A O B B C D".split(), "A O B C O B C D".split()]
BELL = [1, 2, 5, 15, 52, 203, 877, 4140]

DECLARE = """
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
"""
ANCHOR = (
    DECLARE
    + """
define i32 @kernel(i32 %x) {
  %t = call token @llvm.experimental.convergence.anchor()
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  ret i32 %s
}
"""
)
LOOP = (
    DECLARE
    + """
define void @kernel(i32 %n) convergent {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %head ]
  %s = call i32 @subgroupAdd(i32 %i)
  %next = add i32 %i, 1
  %c = icmp ult i32 %next, %n
  br i1 %c, label %head, label %exit
exit:
  ret void
}
"""
)


def example(name: str) -> Module:
    return cc.parse_file(str(EXAMPLES / name))


def counts(found: Enumeration) -> tuple[int, int]:
    assert found.complete, found.bound
    return len(found.alignments), len(found.outcomes)


def pictures(found: Enumeration, module: Module) -> list[tuple[str, ...]]:
    (function,) = module.definitions()
    return [cc.picture(a.execution, module, function.name) for a in found.alignments]


@pytest.mark.parametrize(
    ("name", "paths", "alignments", "outcomes"),
    [
        ("uncontrolled", NATURAL, 6, 6),
        ("natural-anchor", NATURAL, 2, 2),
        ("nested-anchor", NESTED, 2, 2),
        ("natural", NATURAL, 1, 1),
        ("nested", NESTED, 1, 1),
    ],
)
def test_the_rfc_program(name: str, paths: list[list[str]], alignments: int, outcomes: int) -> None:
    module = example(f"alignments/{name}.ll")
    found = cc.enumerate(module, threads=2, arguments={"x": [1, 10]}, paths=paths, uncontrolled="any")
    assert counts(found) == (alignments, outcomes)
    if name in ("natural", "natural-anchor", "uncontrolled"):
        assert ("A B - B C D", "A B C B C D") in pictures(found, module)
    if name in ("nested", "nested-anchor"):
        nested = ("A B B C - - D", "A B - C B C D")
        assert nested in pictures(found, module)


def test_the_sums_of_the_six_alignments() -> None:
    """Sums for operands 1 and 10: 11 where the two meet, their own operand elsewhere."""
    found = cc.enumerate(
        example("alignments/uncontrolled.ll"), arguments={"x": [1, 10]}, paths=NATURAL, uncontrolled="any"
    )
    returned = {tuple(t.value for t in o.outcome.threads) for o in found.outcomes}
    assert returned == {
        (1111, 1111), (1101, 1110), (111, 1110), (1101, 1011), (111, 1011), (101, 1010),
    }  # fmt: skip


@pytest.mark.parametrize("threads", range(1, 9))
def test_an_anchor_partitions_its_threads_in_every_way(threads: int) -> None:
    found = cc.enumerate(cc.parse(ANCHOR), threads=threads, arguments={"x": 1}, verified=True)
    assert counts(found)[0] == BELL[threads - 1]


def test_an_anchor_partitions_each_launch_group() -> None:
    found = cc.enumerate(cc.parse(ANCHOR), threads=5, subgroup_size=3, arguments={"x": 1})
    assert counts(found)[0] == 5 * 2


@pytest.mark.parametrize(("m", "n"), [(1, 1), (2, 3), (3, 3), (4, 2), (5, 4)])
def test_two_threads_that_pass_an_uncontrolled_operation(m: int, n: int) -> None:
    module = cc.parse(LOOP)
    found = cc.enumerate(module, threads=2, arguments={"n": [m, n]}, uncontrolled="any")
    assert counts(found)[0] == comb(m + n, n)
    for mode in ("maximal", "none"):
        alone = cc.enumerate(module, threads=2, arguments={"n": [m, n]}, uncontrolled=mode)
        assert counts(alone)[0] == 1


def test_unnatural_counting() -> None:
    """The heart in C counts only the rounds through C: op.1 is converged, op.2 cannot be (D-ORDER)."""
    text = (EXAMPLES / "langref" / "rationale-unnatural-counting.ll").read_text()
    text = text.replace(
        "%anchor = call token @llvm.experimental.convergence.anchor()",
        "%anchor = call token @llvm.experimental.convergence.entry()",
    )
    text = text.replace(
        "define i32 @example(i32 %x, i32 %first) {", "define i32 @example(i32 %x, i32 %first) convergent {"
    )
    module = cc.parse(text + "declare token @llvm.experimental.convergence.entry()\n")
    assert any(d.rule is cc.Rule.S_HEART_DOM for d in cc.verify(module))
    found = cc.enumerate(module, threads=2, arguments={"x": [1, 10], "first": [0, 1]})
    assert counts(found) == (1, 1)
    (alignment,) = found.alignments
    sizes = {g.operation: len(g.members) for g in alignment.groups if not g.control}
    assert sizes == {"%op.1": 2, "%op.2": 1}


def test_the_rationale_s_two_operations_under_one_heart() -> None:
    """Threads that run them in different iterations never meet, unless the anchor parted them before."""
    module = example("langref/rationale-two-operations-heart.ll")
    found = cc.enumerate(module, threads=2, arguments={"x": [1, 10], "first": [0, 1]})
    assert counts(found) == (2, 1)
    assert all(len(g.members) == 1 for a in found.alignments for g in a.groups if not g.control)


# -- switches, bounds, order ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["uncontrolled", "natural-anchor", "nested-anchor"])
def test_reductions_change_nothing(name: str) -> None:
    module = example(f"alignments/{name}.ll")
    given: dict[str, Any] = {
        "arguments": {"x": [1, 10]},
        "paths": NESTED if name == "nested-anchor" else NATURAL,
        "uncontrolled": "any",
    }
    assert explore(module, prune=False, **given) == explore(module, **given)


def test_the_same_answer_each_time() -> None:
    one, other = (explore(cc.parse(ANCHOR), threads=4, arguments={"x": [1, 2, 4, 8]}) for _ in "ab")
    assert one == other
    assert [a.outcomes for a in one.alignments] == [a.outcomes for a in other.alignments]


def test_a_bound_on_executions_is_named() -> None:
    found = explore(cc.parse(ANCHOR), threads=4, arguments={"x": 1}, max_executions=7)
    assert not found.complete
    assert found.bound == Bound(BoundKind.MAX_EXECUTIONS, 7)
    assert 0 < len(found.alignments) <= 7
    assert explore(cc.parse(ANCHOR), threads=4, arguments={"x": 1}, max_executions=15).complete


def test_a_bound_on_steps_is_named_and_ends_the_exploration() -> None:
    text = (
        "define void @f() {\n  br label %A\nA:\n  %n = phi i64 [ 0, %0 ], [ %m, %A ]\n  %m = add i64 %n, 1\n"
        "  %c = icmp eq i64 %m, 0\n  br i1 %c, label %B, label %A\nB:\n  ret void\n}\n"
    )
    found = explore(cc.parse(text), threads=2, max_steps=1000)
    assert (found.complete, found.bound, found.alignments) == (False, Bound(BoundKind.MAX_STEPS, 1000), ())


def test_a_timeout_is_named() -> None:
    found = explore(cc.parse(ANCHOR), threads=8, arguments={"x": 1}, timeout=0.05)
    assert (found.complete, found.bound) == (False, Bound(BoundKind.TIMEOUT, 0.05))


def test_an_interrupt_keeps_what_there_is() -> None:
    def interrupt(progress: SearchProgress) -> None:
        assert progress.executions >= 1
        raise KeyboardInterrupt

    found = explore(cc.parse(ANCHOR), threads=8, arguments={"x": 1}, progress=interrupt)
    assert (found.complete, found.bound) == (False, INTERRUPTED)
    assert found.alignments


def test_what_is_not_modelled_is_named() -> None:
    text = "define i32 @f(ptr %p) {\n  %x = va_arg ptr %p, i32\n  ret i32 %x\n}\n"
    found = explore(cc.parse(text), arguments={"p": "null"})
    assert not found.complete
    assert isinstance(found.bound, NoModel)


def test_samples_are_some_of_all() -> None:
    module = cc.parse(ANCHOR)
    everything = explore(module, threads=4, arguments={"x": [1, 2, 4, 8]})
    sampled = explore(module, threads=4, arguments={"x": [1, 2, 4, 8]}, seed=3, max_executions=20)
    assert not sampled.complete
    assert sampled.bound == Sampled(3, 20)
    assert 1 < len(sampled.alignments) < 15
    assert {a.alignment for a in sampled.alignments} < {a.alignment for a in everything.alignments}
    again = explore(module, threads=4, arguments={"x": [1, 2, 4, 8]}, seed=3, max_executions=20)
    assert sampled == again


# -- endings ------------------------------------------------------------------------------------------------


def test_undefined_behaviour_in_some_groups_only() -> None:
    """The sum decides: together it is 2, where the division is by zero."""
    text = ANCHOR.replace("  ret i32 %s", "  %d = sub i32 %s, 2\n  %q = udiv i32 6, %d\n  ret i32 %q")
    found = explore(cc.parse(text), threads=2, arguments={"x": 1})
    assert counts(found) == (1, 2)
    assert [o.ending for o in found.outcomes] == ["returned", "undefined-behaviour"]
    assert isinstance(found.outcomes[1].example, UndefinedBehaviour)


def test_no_legal_execution_is_a_deadlock() -> None:
    """Thread 0 waits at %p for thread 1, which is at %q and waits for thread 0, which will come there."""
    text = (
        DECLARE
        + """
define i32 @f(i1 %first) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  br i1 %first, label %P, label %Q
P:
  %p = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
  br i1 %first, label %Q, label %exit
Q:
  %q = call i32 @subgroupAdd(i32 2) [ "convergencectrl"(token %t) ]
  br i1 %first, label %exit, label %P
exit:
  ret i32 0
}
"""
    )
    found = explore(cc.parse(text), threads=2, arguments={"first": [1, 0]})
    assert counts(found) == (0, 1)
    ending = found.outcomes[0].example
    assert isinstance(ending, Deadlock)
    assert [w.thread for w in ending.waiting] == [0, 1]
    assert [w.for_threads for w in ending.waiting] == [(1,), (0,)]


def test_a_group_that_was_passed_over_may_be_closed_once_its_label_has_grown() -> None:
    """Found by ``make agreement``: thread 1, whose sum happens alone and first, may then join the anchor
    under which thread 0 still waits at its sum. Were that sum closed first, the anchor would be, too."""
    text = (
        DECLARE
        + """
define i32 @kernel() {
  %first = call i32 @helper(i32 1)
  %second = call i32 @helper(i32 0)
  ret i32 %first
}
define i32 @helper(i32 %stays) {
entry:
  %a = call token @llvm.experimental.convergence.anchor()
  %c = icmp eq i32 %stays, 0
  br i1 %c, label %leave, label %stay
leave:
  %u = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %a) ]
  ret i32 %u
stay:
  %r = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %a) ]
  ret i32 %r
}
"""
    )
    module = cc.parse(text)
    everything = explore(module, threads=2, function="kernel", prune=False)
    assert counts(everything) == (6, 2)
    assert explore(module, threads=2, function="kernel") == everything


def test_two_answers_of_two_engines() -> None:
    """What is not complete is not compared."""
    module = cc.parse(ANCHOR)
    whole = explore(module, threads=3, arguments={"x": 1})
    part = explore(module, threads=3, arguments={"x": 1}, max_executions=1)
    assert agreed(part, whole) is whole
    assert agreed(whole, whole).engine == "both"


ATOMIC_CALLS = {
    "OpenCL": ("spir_func i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) @n, i32 2)", "ptr addrspace(1), i32"),
    "NVPTX": ("i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr @g, i32 2)", "ptr, i32"),
}


@pytest.mark.parametrize("engine", ["operational", "axiomatic"])
@pytest.mark.parametrize("library", ATOMIC_CALLS)
def test_a_call_may_be_the_only_access(library: str, engine: Any) -> None:
    """No instruction of the text accesses memory, and still the order of the calls is open."""
    call, parameters = ATOMIC_CALLS[library]
    name = call.partition("(")[0]
    module = cc.parse(f"""
@n = addrspace(1) global i32 0
@g = global i32 0
define i32 @f() {{
  %old = call {call}
  ret i32 %old
}}
declare {name}({parameters})
""")
    answer = cc.enumerate(module, threads=2, engine=engine)
    assert answer.complete
    returned = {tuple(t.value for t in o.outcome.threads) for o in answer.outcomes}
    assert returned == {(0, 2), (2, 0)}
