"""Accesses whose address is still to come hold up neither what is the thread's own nor who else comes.

D-CAUSE's dependences are data, addresses and control: where an access goes is a dependence of the access. A
counter that says where each group writes is how GPU code packs results; both engines called its outcomes
complete without some of them.

covers: ir.escape, sched.constraints.search, sched.constraints.theory, semantics.environments.queued
"""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from convergence.ir import Global, Local
from convergence.ir.escape import Escapes
from convergence.ir.instructions import Store
from convergence.parser import parse
from convergence.sched.enumeration import Enumeration
from convergence.semantics import NoModel
from tests.launches import enumerate_axiomatic, explore

CASES = int(os.environ.get("CONVCHECK_CASES", "12"))
FIRST = int(os.environ.get("CONVCHECK_SEED", "0"))
WAYS: dict[str, tuple[Callable[..., Enumeration], dict[str, bool]]] = {
    "as it is": (explore, {}),
    "without pruning": (explore, {"prune": False}),
    "without reduction": (explore, {"reduce": False}),
    "axiomatic": (enumerate_axiomatic, {}),
}
HEAD = """
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare i32 @subgroupUMax(i32) convergent nounwind willreturn memory(none)
@count = global i32 0
@in = global [4 x i32] [i32 0, i32 3, i32 5, i32 0]
@out = global [8 x i32] zeroinitializer
"""


def program(seed: int, registers: bool) -> str:
    """A loop in which threads that find something count it, and write where the count says. What the thread
    keeps is in ``registers``, or in stack objects; the rest is the same text."""
    random = Random(f"addresses {seed}")
    step = random.choice((1, 2))
    condition = random.choice(
        (
            "%c = icmp ne i32 %v, 0",
            "%c = icmp eq i32 %i, %t",
            "%c = icmp ne i32 %i, %t",
            "%c = icmp eq i1 true, true",
        )
    )
    by = random.choice(("1", "%m"))
    rest = random.choice(("", "%y = call i32 @subgroupUMax(i32 %i)\n  "))
    before = "%m = call i32 @subgroupAdd(i32 1)\n  "
    before += f"%x = atomicrmw add ptr @count, i32 {by} monotonic\n  "
    if registers:
        keep = "%w = add i32 %x, 0\n  "
        load, start, again = "", "", "%n = add i32 %i, "
        phi, after = "%i = phi i32 [ %t, %begin ], [ %n, %next ]\n  ", ""
    else:
        keep = "store i32 %x, ptr %q\n  %w = load i32, ptr %q\n  "
        start = "%p = alloca i32\n  %q = alloca i32\n  store i32 %t, ptr %p\n  "
        load, phi = "%i = load i32, ptr %p\n  ", ""
        again, after = "%j = load i32, ptr %p\n  %n = add i32 %j, ", "store i32 %n, ptr %p\n  "
    if random.random() < 0.4:
        keep += "%s = call i32 @subgroupAdd(i32 %w)\n  "
    else:
        keep += "%s = add i32 %w, 0\n  "
    return f"""{HEAD}
define i32 @k(i32 %t) convergent {{
begin:
  {start}br label %round
round:
  {phi}{load}%a = getelementptr [4 x i32], ptr @in, i32 0, i32 %i
  %v = load atomic i32, ptr %a monotonic, align 4
  {condition}
  br i1 %c, label %hit, label %next
hit:
  {before}{keep}%b = and i32 %s, 7
  %g = getelementptr [8 x i32], ptr @out, i32 0, i32 %b
  store atomic i32 %i, ptr %g monotonic, align 4
  {rest}br label %next
next:
  {again}{step}
  {after}%more = icmp slt i32 %n, 3
  br i1 %more, label %round, label %end
end:
  ret i32 0
}}
"""


def outcomes(answer: Enumeration) -> set[Any]:
    """What memory holds in the end, and how it ends."""
    return {(o.ending, repr(sorted(o.outcome.memory.items()))) for o in answer.outcomes}


def test_engines_and_switches_agree_with_registers_and_stack_objects(
    record_property: Callable[[str, object], None],
) -> None:
    compared = several = 0
    for seed in range(FIRST, FIRST + CASES):
        answers: dict[str, set[Any]] = {}
        for registers in (True, False):
            module = parse(program(seed, registers))
            for way, (engine, switches) in WAYS.items():
                limit = {"max_executions": 3000} if engine is explore else {}
                answer = engine(
                    module,
                    threads=2,
                    arguments={"t": [0, 1]},
                    timeout=10.0,
                    max_steps=4000,
                    **limit,
                    **switches,
                )
                if answer.complete:
                    answers[f"{way}, {'registers' if registers else 'stack objects'}"] = outcomes(answer)
        values = list(answers.values())
        assert all(value == values[0] for value in values), (seed, answers, program(seed, False))
        compared += len(answers)
        several += bool(values) and len(values[0]) > 1
    record_property("programs with addresses to come compared", compared)
    assert compared > 6 * CASES and several > CASES // 4


DEPENDING = (
    HEAD
    + """
define void @k(i32 %t) convergent {
begin:
  %own = alloca [4 x i32]
  %x = atomicrmw add ptr @count, i32 1 monotonic
  %b = and i32 %x, 3
  %here = getelementptr [4 x i32], ptr %own, i32 0, i32 %b
  store i32 1, ptr %here
  %m = call i32 @subgroupAdd(i32 %t)
  %first = load i32, ptr %own
  %g = getelementptr [8 x i32], ptr @out, i32 0, i32 %t
  %w = add i32 %m, %first
  store i32 %w, ptr %g
  ret void
}
"""
)


@pytest.mark.parametrize("way", WAYS)
def test_an_own_place_that_is_computed_is_the_thread_s_own(way: str) -> None:
    """Who comes to the counter first finds 1 in its own array's first place, the other 0."""
    engine, switches = WAYS[way]
    text = DEPENDING.replace(
        "%own = alloca [4 x i32]", "%own = alloca [4 x i32]\n  store [4 x i32] zeroinitializer, ptr %own"
    )
    answer = engine(parse(text), threads=2, arguments={"t": [0, 1]}, **switches)
    assert answer.complete
    assert [o.outcome.memory["@out"] for o in answer.outcomes] == [[1, 2, *[0] * 6], [2, 1, *[0] * 6]]


CONSTANTS = (
    HEAD
    + """
@table = constant [4 x i32] [i32 0, i32 0, i32 1, i32 1]
define void @k(i32 %t) convergent {
begin:
  %x = atomicrmw xchg ptr @count, i32 0 monotonic
  %zero = load i32, ptr @table
  %place = and i32 %x, 1
  %there = getelementptr [4 x i32], ptr @table, i32 0, i32 %place
  %no = load i32, ptr %there
  %m = call i32 @subgroupAdd(i32 %zero)
  %one = icmp eq i32 %t, 1
  br i1 %one, label %more, label %end
more:
  %two = or i32 %m, 2
  %y = atomicrmw xchg ptr @count, i32 %two monotonic
  br label %end
end:
  ret void
}
"""
)


@pytest.mark.parametrize("operand", ["zero", "no"])
@pytest.mark.parametrize("way", WAYS)
def test_a_constant_is_read_without_waiting_for_shared_memory(way: str, operand: str) -> None:
    """Thread 0's exchange may be the last, although thread 1's sum knows what it read before it: a constant.
    Where it is read at a place that memory says, the sum waits for what memory says."""
    engine, switches = WAYS[way]
    text = CONSTANTS.replace("(i32 %zero)", f"(i32 %{operand})")
    answer = engine(parse(text), threads=2, arguments={"t": [0, 1]}, **switches)
    assert answer.complete
    ends = {repr(o.outcome.memory["@count"]) for o in answer.outcomes}
    assert ends == ({"0", "2"} if operand == "zero" else {"2"})


STOPPING = (
    HEAD
    + """
declare ptr @malloc(i64)
define void @k(i32 %t) convergent {
begin:
  %last = icmp eq i32 %t, 2
  br i1 %last, label %all, label %early
early:
  %x = atomicrmw add ptr @count, i32 1 monotonic
  %g = getelementptr [8 x i32], ptr @out, i32 0, i32 %x
  store atomic i32 1, ptr %g monotonic, align 4
  %first = icmp eq i32 %t, 0
  br i1 %first, label %stop, label %all
stop:
  %h = call ptr @malloc(i64 4)
  %v = load i32, ptr %h
  br label %end
all:
  %m = call i32 @subgroupAdd(i32 1)
  br i1 %last, label %late, label %end
late:
  %y = atomicrmw add ptr @count, i32 %m monotonic
  br label %end
end:
  ret void
}
"""
)


def test_where_no_address_leads_on_the_answer_is_cut_and_says_so() -> None:
    """Thread 0 uses a heap behind its address, which the axiomatic engine does not model; the sum of the
    others waits for it, and thread 1 could be supposed to go on."""
    answer = enumerate_axiomatic(parse(STOPPING), threads=3, arguments={"t": [0, 1, 2]})
    assert not answer.complete and isinstance(answer.bound, NoModel)


def test_of_which_object_an_address_is() -> None:
    module = parse(DEPENDING)
    function = module.functions["k"]
    bases = [
        Escapes(module).base(function, store.pointer)
        for store in function.instructions
        if isinstance(store, Store)
    ]
    assert [(type(base), base and base.name) for base in bases] == [(Local, "own"), (Global, "out")]
