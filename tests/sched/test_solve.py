"""Memory, endings and bounds of the axiomatic engine.

covers: sched.constraints.search, sched.constraints.theory
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

import pytest

from convergence.parser import parse
from convergence.sched.enumeration import Enumeration
from convergence.semantics import Bound, BoundKind, Cut, NoModel, UndefinedBehaviour, UsageError
from tests.launches import enumerate_axiomatic, explore

CONTROL = """
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.anchor()
declare i32 @subgroupAdd(i32) convergent
declare i32 @subgroupBroadcastFirst(i32) convergent
declare ptr @subgroupBroadcastFirst.p0(ptr) convergent
declare i1 @subgroupElect() convergent
declare i32 @unheard.of(i32) convergent
@x = global i32 0
@y = global i32 0
"""


def ask(text: str, **launch: Any) -> Enumeration:
    return enumerate_axiomatic(parse(CONTROL + text), **launch)


def seen(found: Enumeration) -> set[tuple[Any, ...]]:
    """The outcomes: what each thread returned, then the globals."""
    assert found.complete, found.bound
    assert all(o.ending == "returned" for o in found.outcomes)
    return {(*(t.value for t in o.outcome.threads), *o.outcome.memory.values()) for o in found.outcomes}


# -- memory -------------------------------------------------------------------------------------------

Step = tuple[str, str, int]
"""(load, store or add; a global; an operand)."""


def interleaved(programs: list[list[Step]]) -> set[tuple[int, ...]]:
    """Every outcome of straight-line programs, one access at a time: what each returns, and the memory.

    A thread returns its results as digits of a number to the base 8.
    """
    outcomes = set()

    def go(at: list[int], returned: list[int], memory: dict[str, int]) -> None:
        moved = False
        for t, program in enumerate(programs):
            if at[t] == len(program):
                continue
            moved = True
            kind, name, operand = program[at[t]]
            after, results, now = list(at), list(returned), dict(memory)
            after[t] += 1
            if kind != "store":
                results[t] = results[t] * 8 + memory[name]
            if kind != "load":
                now[name] = operand if kind == "store" else memory[name] + operand
            go(after, results, now)
        if not moved:
            outcomes.add((*returned, memory["x"], memory["y"]))

    go([0] * len(programs), [0] * len(programs), {"x": 0, "y": 0})
    return outcomes


def written(programs: list[list[Step]]) -> str:
    """One function in which thread ``%id`` runs its program."""
    lines = ["define i32 @f(i32 %id) {", "switch i32 %id, label %p0 ["]
    lines += [f"i32 {t}, label %p{t}" for t in range(len(programs))] + ["]"]
    for t, program in enumerate(programs):
        lines.append(f"p{t}:")
        total = "0"
        for n, (kind, name, operand) in enumerate(program):
            match kind:
                case "store":
                    lines.append(f"store atomic i32 {operand}, ptr @{name} monotonic, align 4")
                    continue
                case "load":
                    lines.append(f"%r{t}.{n} = load atomic i32, ptr @{name} monotonic, align 4")
                case _:
                    lines.append(f"%r{t}.{n} = atomicrmw add ptr @{name}, i32 {operand} monotonic")
            lines.append(f"%m{t}.{n} = mul i32 {total}, 8")
            lines.append(f"%s{t}.{n} = add i32 %m{t}.{n}, %r{t}.{n}")
            total = f"%s{t}.{n}"
        lines.append(f"ret i32 {total}")
    return "\n".join([*lines, "}"])


def random_programs(count: int) -> Iterator[list[list[Step]]]:
    rng = random.Random(1)
    for _ in range(count):
        threads = rng.choice([2, 2, 3])
        yield [
            [
                (rng.choice(["load", "store", "add"]), rng.choice("xy"), rng.randint(1, 2))
                for _ in range(rng.randint(1, 3 if threads == 2 else 2))
            ]
            for _ in range(threads)
        ]


def test_accesses_come_in_every_order_and_in_no_other() -> None:
    """D-MEM, by brute force over all interleavings."""
    for programs in random_programs(40):
        ids = {"id": list(range(len(programs)))}
        found = ask(written(programs), threads=len(programs), arguments=ids)
        assert seen(found) == interleaved(programs), programs
        assert len(found.alignments) == 1


def test_a_lost_update() -> None:
    text = """define i32 @f() {
      %old = load atomic i32, ptr @x monotonic, align 4
      %new = add i32 %old, 1
      store atomic i32 %new, ptr @x monotonic, align 4
      ret i32 %old
    }"""
    assert seen(ask(text, threads=2)) == {(0, 0, 1, 0), (0, 1, 2, 0), (1, 0, 2, 0)}


LOAD_BUFFERING = """define i32 @f(i32 %id) convergent {
    entry:
      %t = call token @llvm.experimental.convergence.entry()
      %first = icmp eq i32 %id, 0
      br i1 %first, label %vote, label %read
    read:
      %r = load atomic i32, ptr @x monotonic, align 4
      br label %vote
    vote:
      %v = phi i32 [ 0, %entry ], [ %r, %read ]
      %sum = call i32 @subgroupAdd(i32 %v) [ "convergencectrl"(token %t) ]
      br i1 %first, label %write, label %end
    write:
      WRITE
      ret i32 %sum
    end:
      ret i32 %sum
    }"""


def test_an_exchange_orders_memory_by_dependence_only() -> None:
    """D-CAUSE: the sum is no barrier, but what is written cannot be its own cause."""
    ids = {"id": [0, 1]}
    free = LOAD_BUFFERING.replace("WRITE", "store atomic i32 1, ptr @x monotonic, align 4")
    bound = LOAD_BUFFERING.replace(
        "WRITE", "%w = or i32 %sum, 1\nstore atomic i32 %w, ptr @x monotonic, align 4"
    )
    assert seen(ask(free, threads=2, arguments=ids)) == {(0, 0, 1, 0), (1, 1, 1, 0)}
    assert seen(ask(bound, threads=2, arguments=ids)) == {(0, 0, 1, 0)}


@pytest.mark.parametrize("phi", ["[ %old, %set ], [ 0, %unset ]", "[ 0, %set ], [ %old, %unset ]"])
def test_what_is_added_on_another_way_is_not_waited_for(phi: str) -> None:
    """D-CAUSE: thread 0 adds what it read on one way only; if it goes the other one, it may read the sum."""
    text = f"""define i32 @f(i32 %id) convergent {{
    entry:
      %t = call token @llvm.experimental.convergence.entry()
      %first = icmp eq i32 %id, 0
      br i1 %first, label %look, label %tell
    look:
      %y = load atomic i32, ptr @y monotonic, align 4
      %old = load atomic i32, ptr @x monotonic, align 4
      %told = icmp ne i32 %y, 0
      br i1 %told, label %set, label %unset
    set:
      br label %seen
    unset:
      br label %seen
    seen:
      %v = phi i32 {phi}
      br label %vote
    tell:
      store atomic i32 1, ptr @y monotonic, align 4
      br label %vote
    vote:
      %mine = phi i32 [ %v, %seen ], [ 1, %tell ]
      %kept = phi i32 [ %old, %seen ], [ 1, %tell ]
      %sum = call i32 @subgroupAdd(i32 %mine) [ "convergencectrl"(token %t) ]
      br i1 %first, label %end, label %write
    write:
      store atomic i32 %sum, ptr @x monotonic, align 4
      br label %end
    end:
      ret i32 %kept
    }}"""
    assert seen(ask(text, threads=2, arguments={"id": [0, 1]})) == {(0, 1, 1, 1), (1, 1, 1, 1)}


def test_whoever_does_not_come_is_waited_for() -> None:
    """D-CAUSE: a group gets its result only after the branch by which the other thread stays away, and
    what that branch read cannot come from the result."""
    text = """define i32 @f(i32 %id) convergent {
    entry:
      %t = call token @llvm.experimental.convergence.entry()
      %first = icmp eq i32 %id, 0
      br i1 %first, label %vote, label %read
    read:
      %r = load atomic i32, ptr @x monotonic, align 4
      %away = icmp ne i32 %r, 0
      br i1 %away, label %end, label %vote
    vote:
      %sum = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
      br i1 %first, label %write, label %end
    write:
      WRITE
      ret i32 %sum
    end:
      %n = phi i32 [ 7, %read ], [ %sum, %vote ]
      ret i32 %n
    }"""
    ids = {"id": [0, 1]}
    bound = text.replace("WRITE", "store atomic i32 %sum, ptr @x monotonic, align 4")
    free = text.replace("WRITE", "store atomic i32 1, ptr @x monotonic, align 4")
    assert seen(ask(bound, threads=2, arguments=ids)) == {(2, 2, 2, 0)}
    assert seen(ask(free, threads=2, arguments=ids)) >= {(2, 2, 1, 0)}
    for one in (bound, free):
        launch: dict[str, Any] = {"threads": 2, "arguments": ids}
        assert explore(parse(CONTROL + one), **launch).same(ask(one, **launch))


@pytest.mark.parametrize(("threads", "alignments"), [(2, 2), (3, 5)])
def test_an_append_buffer_hands_out_a_permutation(threads: int, alignments: int) -> None:
    text = """define i32 @f() {
    entry:
      %t = call token @llvm.experimental.convergence.anchor()
      %all = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
      %one = call i1 @subgroupElect() [ "convergencectrl"(token %t) ]
      br i1 %one, label %take, label %join
    take:
      %got = atomicrmw add ptr @x, i32 %all monotonic
      br label %join
    join:
      %mine = phi i32 [ %got, %take ], [ 0, %entry ]
      %base = call i32 @subgroupBroadcastFirst(i32 %mine) [ "convergencectrl"(token %t) ]
      %here = call i32 @subgroupExclusiveAdd(i32 1) [ "convergencectrl"(token %t) ]
      %at = add i32 %base, %here
      ret i32 %at
    }
    declare i32 @subgroupExclusiveAdd(i32) convergent"""
    found = ask(text, threads=threads)
    assert len(found.alignments) == alignments
    for outcome in seen(found):
        assert sorted(outcome[:threads]) == list(range(threads))


def test_pointers_pass_through_exchanges_and_memory() -> None:
    text = """@where = global ptr null
    define i32 @f(ptr %mine) convergent {
      %t = call token @llvm.experimental.convergence.entry()
      %p = call ptr @subgroupBroadcastFirst.p0(ptr %mine) [ "convergencectrl"(token %t) ]
      store atomic ptr %p, ptr @where monotonic, align 8
      %q = load atomic ptr, ptr @where monotonic, align 8
      %old = atomicrmw add ptr %q, i32 1 monotonic
      ret i32 %old
    }"""
    found = ask(text, threads=2, arguments={"mine": ["@x", "@y"]})
    assert seen(found) == {(0, 1, 2, 0, "@x"), (1, 0, 2, 0, "@x")}


# -- results that steer -------------------------------------------------------------------------------


def test_a_result_chooses_the_callee() -> None:
    text = """@table = constant [3 x ptr] [ptr @one, ptr @two, ptr @one]
    define i32 @one() { ret i32 1 }
    define i32 @two() { ret i32 2 }
    define i32 @f(i32 %n) convergent {
      %t = call token @llvm.experimental.convergence.entry()
      %sum = call i32 @subgroupAdd(i32 %n) [ "convergencectrl"(token %t) ]
      %at = getelementptr ptr, ptr @table, i32 %sum
      %callee = load ptr, ptr %at
      %r = call i32 %callee()
      ret i32 %r
    }"""
    assert seen(ask(text, function="f", threads=2, arguments={"n": [0, 1]})) == {(2, 2, 0, 0)}


def test_a_result_decides_how_often() -> None:
    text = """define i32 @f(i32 %n) {
    entry:
      br label %loop
    loop:
      %i = phi i32 [ 1, %entry ], [ %next, %loop ]
      %sum = call i32 @subgroupAdd(i32 1)
      %next = add i32 %i, %sum
      %more = icmp ult i32 %next, %n
      br i1 %more, label %loop, label %end
    end:
      ret i32 %i
    }"""
    module = parse(CONTROL + text)
    for mode in ("maximal", "any", "none"):
        launch: dict[str, Any] = {"threads": 2, "arguments": {"n": [4, 6]}, "uncontrolled": mode}
        found = enumerate_axiomatic(module, **launch)
        assert found.same(explore(module, **launch)), mode


def test_what_no_model_knows_stands_in_alike() -> None:
    text = """define i32 @f(i32 %n) {
      %r = call i32 @unheard.of(i32 %n)
      ret i32 %r
    }"""
    module = parse(CONTROL + text)
    launch: dict[str, Any] = {"threads": 2, "arguments": {"n": [4, 6]}, "uncontrolled": "any"}
    found = enumerate_axiomatic(module, **launch)
    assert found.same(explore(module, **launch))
    assert found.notes == ("@unheard.of has no model: its results are stand-ins",)


def test_a_token_may_be_given_to_what_no_model_knows() -> None:
    """An operand that is no value: LLVM's intrinsics of coroutines take tokens."""
    text = """declare i8 @llvm.coro.suspend(token, i1)
    define i8 @f() {
      %t = call token @llvm.experimental.convergence.anchor()
      %r = call i8 @llvm.coro.suspend(token %t, i1 false)
      ret i8 %r
    }"""
    module = parse(CONTROL + text)
    found = enumerate_axiomatic(module, threads=2)
    assert found.same(explore(module, threads=2)) and len(found.alignments) == 2
    assert found.notes == ("@llvm.coro.suspend has no model: its results are stand-ins",)


def test_given_paths_need_no_arguments() -> None:
    text = """define i32 @f(i1 %c, i32 %n) convergent {
    A:
      %t = call token @llvm.experimental.convergence.entry()
      br i1 %c, label %B, label %C
    B:
      br label %C
    C:
      %sum = call i32 @subgroupAdd(i32 %n) [ "convergencectrl"(token %t) ]
      ret i32 %sum
    }"""
    found = ask(text, paths=[["A", "B", "C"], ["A", "C"]])
    assert seen(found) == {("unknown", "unknown", 0, 0)}
    with pytest.raises(UsageError, match="argument %c has no value"):
        ask(text, threads=2)


# -- endings ------------------------------------------------------------------------------------------


def test_undefined_behaviour_of_some_executions() -> None:
    text = """define i32 @f() {
      %t = call token @llvm.experimental.convergence.anchor()
      %n = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
      %d = sub i32 %n, 1
      %q = udiv i32 8, %d
      ret i32 %q
    }"""
    found = ask(text, threads=2)
    assert found.complete
    assert len(found.alignments) == 1
    assert [o.ending for o in found.outcomes] == ["returned", "undefined-behaviour"]
    ending = found.outcomes[1].example
    assert isinstance(ending, UndefinedBehaviour)
    assert ending.stack[0].function == "f"


def test_poison_from_an_exchange() -> None:
    text = """define i32 @f(i32 %n) convergent {
      %t = call token @llvm.experimental.convergence.entry()
      %p = add nsw i32 %n, 2147483647
      %b = call i32 @subgroupBroadcastFirst(i32 %p) [ "convergencectrl"(token %t) ]
      %s = add i32 %b, 1
      ret i32 %s
    }"""
    assert seen(ask(text, threads=2, arguments={"n": [1, 0]})) == {("poison", "poison", 0, 0)}
    assert seen(ask(text, threads=2, arguments={"n": [0, 1]})) == {(-(2**31), -(2**31), 0, 0)}


def test_no_execution_at_all_is_a_deadlock() -> None:
    text = """define void @f() convergent {
      %t = call token @llvm.experimental.convergence.entry()
      %a = call i32 @g() [ "convergencectrl"(token %t) ]
      ret void
    }
    define i32 @g() convergent {
    entry:
      %t = call token @llvm.experimental.convergence.entry()
      br label %again
    again:
      %i = phi i32 [ 0, %entry ], [ %j, %again ]
      %s = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
      %j = add i32 %i, 1
      %c = icmp eq i32 %j, 2
      br i1 %c, label %end, label %again
    end:
      ret i32 %s
    }"""
    found = ask(text, function="f", threads=2)
    assert (found.complete, found.alignments) == (True, ())
    assert [o.ending for o in found.outcomes] == ["deadlock"]


ENDLESS = """define void @f() {
entry:
  br label %loop
loop:
  %n = call i32 @subgroupAdd(i32 0)
  %c = icmp eq i32 %n, 0
  br i1 %c, label %loop, label %end
end:
  ret void
}"""


@pytest.mark.parametrize(
    ("text", "bounds", "named"),
    [
        (
            "define void @f() {\nbr label %l\nl:\nbr label %l\n}",
            {"max_steps": 50},
            Bound(BoundKind.MAX_STEPS, 50),
        ),
        (ENDLESS, {"max_steps": 50}, Bound(BoundKind.MAX_STEPS, 50)),
        (ENDLESS, {"timeout": 0.3}, Bound(BoundKind.TIMEOUT, 0.3)),
        (
            "define void @f() {\n%t = call token @llvm.experimental.convergence.anchor()\nret void\n}",
            {"max_alignments": 3},
            Bound(BoundKind.MAX_ALIGNMENTS, 3),
        ),
        (
            "define i32 @f() {\n%l = alloca i8\n%v = va_arg ptr %l, i32\nret i32 %v\n}",
            {},
            NoModel("the instruction va_arg"),
        ),
    ],
)
def test_what_was_cut_is_named(text: str, bounds: dict[str, Any], named: Cut) -> None:
    found = ask(text, threads=3, **bounds)
    assert (found.complete, found.bound) == (False, named)


BEATS = """define void @f() convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  br label %loop
loop:
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  br label %loop
}"""


def test_time_ends_before_there_is_a_candidate() -> None:
    """Each of a loop's hearts is held against all before it: 100,000 steps of them take an hour."""
    began = time.process_time()
    found = ask(BEATS, threads=2, timeout=0.5)
    assert (found.complete, found.bound) == (False, Bound(BoundKind.TIMEOUT, 0.5))
    assert time.process_time() - began < 10


def test_a_data_race_is_not_modelled_but_named() -> None:
    text = """define i32 @f(i32 %id) {
      %first = icmp eq i32 %id, 0
      br i1 %first, label %write, label %read
    write:
      store i32 1, ptr @y
      store atomic i32 1, ptr @x RELEASE, align 4
      ret i32 0
    read:
      %flag = load atomic i32, ptr @x ACQUIRE, align 4
      %set = icmp eq i32 %flag, 1
      br i1 %set, label %use, label %end
    use:
      %r = load i32, ptr @y
      ret i32 %r
    end:
      ret i32 7
    }"""
    launch: dict[str, Any] = {"threads": 2, "arguments": {"id": [0, 1]}}
    ordered = text.replace("RELEASE", "release").replace("ACQUIRE", "acquire")
    assert seen(ask(ordered, **launch)) == {(0, 1, 1, 1), (0, 7, 1, 1)}
    found = ask(text.replace("RELEASE", "monotonic").replace("ACQUIRE", "monotonic"), **launch)
    assert (found.complete, found.bound) == (False, NoModel("a data race, in which a read is undef"))


def test_the_answer_is_the_same_every_time() -> None:
    text = "define void @f() {\n%t = call token @llvm.experimental.convergence.anchor()\nret void\n}"
    one, other = ask(text, threads=3), ask(text, threads=3)
    assert one == other
    assert [len(a.alignment) for a in one.alignments] == [1, 2, 2, 2, 3]


def test_a_walk_that_is_followed_again_asks_the_same_questions() -> None:
    """Found by ``make agreement``: a question that is asked twice on a trace is one question, whatever
    z3 makes of its term. In most of 20 times it was two: other results, or undefined behaviour."""
    text = """
define i32 @k(i32 %x) convergent {
entry:
  br label %head
head:
  %v = phi i32 [ %x, %entry ], [ %w, %latch ]
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  %r = call i32 @subgroupAdd(i32 %v)
  %w = xor i32 %v, %r
  br label %inner
inner:
  %j = phi i32 [ 0, %head ], [ %j1, %stay ]
  %low = and i32 %w, 3
  %c = icmp ult i32 %low, 1
  br i1 %c, label %stay, label %out
stay:
  %j1 = add i32 %j, 1
  %twice = icmp ult i32 %j1, 2
  br i1 %twice, label %inner, label %latch
latch:
  %i1 = add i32 %i, 1
  %again = icmp ult i32 %i1, 4
  br i1 %again, label %head, label %out
out:
  %n = phi i32 [ %i, %inner ], [ %i1, %latch ]
  %s = mul i32 %n, 100
  %z = add i32 %s, %w
  ret i32 %z
}
"""
    for _ in range(10):
        found = ask(text, threads=2, arguments={"x": [3, 1]}, uncontrolled="none")
        assert seen(found) == {(400, 400, 0, 0)}


# -- what ends, and where control may go ----------------------------------------------------------------


def test_a_stack_object_ends_with_its_function() -> None:
    text = """
    define ptr @g() {
      %a = alloca i32
      store i32 1, ptr %a
      ret ptr %a
    }
    define i32 @f() {
      %p = call ptr @g()
      %v = load i32, ptr %p
      ret i32 %v
    }"""
    answer = ask(text, function="f")
    assert [o.ending for o in answer.outcomes] == ["undefined-behaviour"]
    assert answer.same(explore(parse(CONTROL + text), function="f"))


def test_each_label_of_a_callbr_has_its_execution() -> None:
    text = """
    define i32 @f() {
      callbr void asm sideeffect "test", "!i,!i"() to label %a [label %b, label %c]
    a:
      ret i32 1
    b:
      ret i32 2
    c:
      ret i32 3
    }"""
    assert {values[0] for values in seen(ask(text))} == {1, 2, 3}
