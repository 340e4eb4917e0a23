"""The log of a run: what can be said of the run is a function of it.

covers: semantics.machine.trace
"""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import combinations
from types import SimpleNamespace
from typing import Any, cast, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import convergence as cc
from convergence.alignment import DynamicInstance, StaticInstance
from convergence.parser import parse
from convergence.refine.inputs.inputs import covered
from convergence.semantics.convergence import Keys, LaunchGroup
from convergence.semantics.machine import (
    Accessed,
    Called,
    Executed,
    Log,
    LogEvent,
    MostConverged,
    ObservedEvent,
    Stepped,
    Visited,
    accessed,
    depends_on_order,
    events,
    meet,
    trace_events,
)
from convergence.semantics.machine.launch import launch_spec
from convergence.semantics.machine.machine import Machine
from convergence.semantics.machine.program import EngineKind
from convergence.semantics.machine.run import Run, execute, finished, prepare_run, start
from convergence.semantics.values import plain
from convergence.semantics.values.datalayout import Layout

from .texts import DECLARATIONS, add, loop

CALLS = f"""
@g = global i32 0
declare void @out(i32)
define i32 @f(i32 %n) convergent {{
entry:
  %t = call token @llvm.experimental.convergence.entry()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %head ]
  {loop("t", "h", "head")}
  {add("s", "h", "%i")}
  %next = call i32 @step(i32 %i) [ "convergencectrl"(token %h) ]
  call void @out(i32 %s)
  store volatile i32 %s, ptr @g
  %c = icmp ult i32 %next, %n
  br i1 %c, label %head, label %exit
exit:
  ret i32 %s
}}
define i32 @step(i32 %i) convergent {{
  %t = call token @llvm.experimental.convergence.entry()
  call void @op(i32 %i) [ "convergencectrl"(token %t) ]
  %next = add i32 %i, 1
  ret i32 %next
}}
{DECLARATIONS}"""
LAUNCH = launch_spec(function="f", threads=3, arguments={"n": [1, 2, 3]})


def test_events_are_frozen() -> None:
    for kind in get_args(LogEvent):
        frozen = issubclass(kind, tuple) or kind.__setattr__ is not object.__setattr__
        assert frozen, kind


@pytest.mark.parametrize("environment", ["direct", "queued"])
def test_what_a_run_was_is_a_function_of_its_log_and_of_memory(environment: Any) -> None:
    """A run of which nothing else is left says the same."""
    program, launch = prepare_run(parse(CALLS), LAUNCH, environment=environment)
    machine = start(program, launch, MostConverged())
    whole = finished(machine, machine.run(), ())
    log = Log()
    log.extend(machine.log)
    left = SimpleNamespace(
        program=program,
        launch=launch,
        subgroups=machine.subgroups,
        memory=machine.memory,
        log=log,
    )
    again = Run(whole.ending, (), (), (), (), 0, cast(Machine, left))
    assert (again.execution, again.groups, again.outcome) == (whole.execution, whole.groups, whole.outcome)
    assert again.keys == whole.keys and covered(program, machine.log)
    assert sum(len(visits) for visits in whole.execution.visits) == sum(
        isinstance(event, Visited) for event in machine.log
    )
    assert [len(thread.events) for thread in whole.outcome.threads] == [3, 6, 9]


def test_a_run_only_appends() -> None:
    class Growing(Log):
        def forbidden(self, *_: object, **__: object) -> Any:
            raise AssertionError("the log is only appended to")

        __setitem__ = __delitem__ = insert = pop = remove = clear = sort = reverse = forbidden

    program, launch = prepare_run(parse(CALLS), LAUNCH)
    machine = start(program, launch, MostConverged(), Growing())
    assert finished(machine, machine.run(), ()).outcome == execute(parse(CALLS), LAUNCH).outcome


def test_a_detailed_log_has_the_steps_besides_and_nothing_else() -> None:
    program, launch = prepare_run(parse(CALLS), LAUNCH)
    quiet, detailed = (start(program, launch, MostConverged(), Log(detailed)) for detailed in (False, True))
    quiet.run()
    detailed.run()
    steps = list(trace_events(detailed.log))
    assert sum(isinstance(step, Stepped) for step in steps) == detailed.steps
    assert not list(trace_events(quiet.log))
    assert len(detailed.log) - len(steps) == len(quiet.log)
    assert [type(event) for event in detailed.log if event not in steps] == [type(e) for e in quiet.log]


MEMORY = """
@g = global [4 x i32] zeroinitializer
define void @f(i32 %from, i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %head ]
  %p = getelementptr i32, ptr @g, i32 %from
  %v = load i32, ptr %p
  %next = add i32 %i, 1
  KIND
  %c = icmp ult i32 %next, %n
  br i1 %c, label %head, label %exit
exit:
  ret void
}
"""


@pytest.mark.parametrize(
    ("kind", "apart", "together"), [("", False, False), ("store i32 %i, ptr %p", False, True)]
)
def test_threads_meet_where_one_writes_what_another_touches(kind: str, apart: bool, together: bool) -> None:
    """A loop over the same bytes is logged once."""
    text = MEMORY.replace("KIND", kind)
    for where, expected in (([0, 1], apart), ([1, 1], together)):
        for times in (1, 50):
            log = execute(
                parse(text), launch_spec(threads=2, arguments={"from": where, "n": times})
            ).machine.log
            assert (meet(log), depends_on_order(log)) == (expected, expected)
            assert len(list(accessed(log))) == 2 * (2 if kind else 1)


def test_who_touches_another_s_stack_depends_on_the_order_of_accesses() -> None:
    log = Log()
    log.access(1, 7, 0, 4, False, None)
    assert not depends_on_order(log)
    log.access(1, 9, 0, 4, False, 0)
    assert depends_on_order(log) and not meet(log)
    assert [event.owner for event in log if isinstance(event, Accessed)] == [None, 0]


TOUCHES = st.tuples(st.integers(0, 2), st.integers(0, 9), st.integers(1, 4), st.booleans())


@given(st.lists(TOUCHES, max_size=6))
def test_threads_meet_as_all_pairs_of_touches_say(touches: list[tuple[int, int, int, bool]]) -> None:
    log = Log()
    for thread, at, size, write in touches:
        log.access(thread, 1, at, at + size, write, None)
    assert meet(log) == any(
        t != u and (w or v) and a < b + m and b < a + n
        for (t, a, n, w), (u, b, m, v) in combinations(touches, 2)
    )


def test_many_threads_that_do_not_meet_are_told_apart_in_linear_time() -> None:
    log = Log()
    for thread in range(50_000):
        log.access(thread, 1, 4 * thread, 4 * thread + 4, True, None)
    begun = time.process_time()
    assert not meet(log)
    assert time.process_time() - begun < 20  # 50,000 squared looks take minutes


def test_groups_of_a_lock_step_machine_are_its_issue_slots() -> None:
    """Also where other events have no group."""
    site, keys = StaticInstance("f", 1), Keys()
    log = Log()
    for thread in range(3):
        key = keys.entry(site, LaunchGroup(thread, 0, 1))  # each thread has a key of its own
        instance = DynamicInstance(thread, site, 1)
        log.append(Executed(thread, site, 1, key, slot=thread // 2))
        log.append(ObservedEvent(thread, 1, Called(instance, "out", (), None), key))
        log.append(ObservedEvent(thread, 2, Called(instance, "print", (), None), None))
    by_thread = sorted(events(log, lambda value, type_: plain(value, type_, Layout())).items())
    groups = [[event.group for event in seen if isinstance(event, Called)] for _, seen in by_thread]
    assert groups == [[{0: 1, 1: 1}, None], [{0: 1, 1: 1}, None], [{2: 1}, None]]


ROUNDS = """
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare i32 @subgroupAdd(i32) convergent nounwind willreturn
define i32 @f(i32 %x) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  br label %B
B:
  %n = phi i32 [ 0, %A ], [ %m, %B ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %s = call i32 @subgroupAdd(i32 %n) [ "convergencectrl"(token %h) ]
  %m = add i32 %n, %x
  %c = icmp ugt i32 %m, 100000000
  br i1 %c, label %C, label %B
C:
  ret i32 %s
}
"""


@pytest.mark.parametrize("engine", ["reference", "attended", "auto"])
def test_an_excerpt_is_the_beginning(monkeypatch: pytest.MonkeyPatch, engine: EngineKind) -> None:
    """Of a long run that a clock ended only the first events are looked at, and a note says so: they are
    what a run by the same choices does that ends there."""
    monkeypatch.setattr("convergence.semantics.machine.run.EXCERPT", 300)

    def once(**bounds: Any) -> Run:
        spec = launch_spec(threads=3, arguments={"x": [1, 2, 3]}, verified=True, **bounds)
        return execute(parse(ROUNDS), replace(spec, engine=engine))

    cut, whole = once(timeout=0.5, max_steps=10**12), once(max_steps=3000)
    assert (cut.is_excerpt, whole.is_excerpt, len(cut.log)) == (True, False, 300)
    assert len(cut.machine.log) > 300
    known = {group.members: group for group in whole.groups}
    parts = {member for g in cut.groups if g.members not in known for member in g.members}
    assert len(cut.groups) > 50
    assert parts <= cut.waiting
    assert len(cut.waiting) < 6, "at most the last groups are not complete"
    without = [g for g in cut.groups if g.members in known and known[g.members] != g]
    assert len(without) <= 1, "at most the last group has no results yet"
    for mine, its in zip(cut.execution.visits, whole.execution.visits, strict=True):
        assert [v.block for v in mine] == [v.block for v in its[: len(mine)]]
    assert any("its time was over after more than 300 events" in note for note in cut.notes)
    assert not any("its time was over" in note for note in whole.notes)


def test_launch_groups_that_make_volatile_stores_compare_no_keys() -> None:
    """D-EQ has a say of convergent operations."""
    text = "@g = global i32 0\ndefine void @f() {\n  store volatile i32 1, ptr @g\n  ret void\n}\n"
    run = cc.run(cc.parse(text), threads=2, subgroup_size=1)
    assert cc.Rule.D_EQ not in run.rules
