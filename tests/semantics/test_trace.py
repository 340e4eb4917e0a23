"""What a tracer is told.

covers: semantics.machine.run
"""

from __future__ import annotations

from typing import Any

import pytest

from convergence.parser import parse
from convergence.rules import Rule
from convergence.semantics import Ending, Returned
from convergence.semantics.machine import Arrived, Stepped, TraceEvent
from convergence.semantics.machine.machine import Machine
from convergence.semantics.machine.run import run

from .texts import DECLARATIONS, WITHOUT_HEART, add, loop

TEXT = f"""
define i32 @f(i32 %n) convergent {{
entry:
  %t = call token @llvm.experimental.convergence.entry()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %head ]
  {loop("t", "h", "head")}
  {add("s", "h", "%i")}
  %next = add i32 %i, 1
  %c = icmp ult i32 %next, %n
  br i1 %c, label %head, label %exit
exit:
  ret i32 %s
}}
{DECLARATIONS}"""


ANCHOR = "call token @llvm.experimental.convergence.anchor()"


class Listener:
    def __init__(self) -> None:
        self.events: list[TraceEvent] = []

    def tell(self, event: TraceEvent) -> None:
        self.events.append(event)


def test_every_step_is_told_with_value_key_rule_and_group() -> None:
    listener = Listener()
    result = run(parse(TEXT), threads=2, arguments={"n": [1, 2]}, tracer=listener)
    mine = [e for e in listener.events if e.thread == 1]
    steps = [e for e in mine if isinstance(e, Stepped)]
    told = [(e.result, e.value, e.rule, e.group) for e in steps]
    assert told == [
        ("t", None, Rule.D_ENTRY, ()), (None, None, None, ()),
        ("i", 0, None, ()), ("h", None, Rule.D_LOOP, ()), ("s", 0, Rule.D_USE, (0, 1)),
        ("next", 1, None, ()), ("c", 1, None, ()), (None, None, None, ()),
        ("i", 1, None, ()), ("h", None, Rule.D_LOOP, ()), ("s", 1, Rule.D_USE, (1,)),
        ("next", 2, None, ()), ("c", 0, None, ()), (None, None, None, ()),
        (None, None, None, ()),
    ]  # fmt: skip
    arrivals = [e for e in mine if isinstance(e, Arrived)]
    assert [(e.nth, e.rule) for e in arrivals] == [(1, Rule.D_USE), (2, Rule.D_USE)]
    assert steps[4].key is arrivals[0].key and steps[4].nth == 1
    assert listener.events.index(arrivals[0]) < listener.events.index(steps[4])
    assert len(steps) == result.machine.threads[1].steps


def test_a_trace_tells_the_run_that_is_answered() -> None:
    """Runs that were tried and given up are not told."""
    listener = Listener()
    quiet = run(parse(TEXT), threads=2, arguments={"n": [1, 2]})
    traced = run(parse(TEXT), threads=2, arguments={"n": [1, 2]}, tracer=listener)
    assert traced.execution == quiet.execution and traced.outcome == quiet.outcome
    assert sum(isinstance(e, Stepped) for e in listener.events) == quiet.steps


def test_an_execution_that_was_tried_in_vain_is_not_told() -> None:
    """Without the static rules it is guessed who will not come: thread 1 comes to thread 0's operation after
    all, so that the execution in which that did not wait is none, and another one is shown."""
    listener = Listener()
    result = run(parse(WITHOUT_HEART), paths=[list("ABCEF"), list("ABDEBCEF")], tracer=listener)
    assert result.ending == Returned()
    assert [choice.option for choice in result.choices] == [1]  # the first option was in vain
    assert sum(isinstance(e, Stepped) for e in listener.events) == result.steps


def test_a_traced_run_runs_once_for_each_list_of_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Told are the steps of the execution that is shown, and of no other; nothing runs twice."""
    runs: list[Machine] = []
    plain = Machine.run

    def counted(machine: Machine, *bounds: Any) -> Ending:
        runs.append(machine)
        return plain(machine, *bounds)

    monkeypatch.setattr(Machine, "run", counted)
    anchored = TEXT.replace("call token @llvm.experimental.convergence.entry()", ANCHOR)
    for text in (TEXT, anchored):
        runs.clear()
        silent = run(parse(text), threads=2, arguments={"n": [1, 2]}, verified=True)
        untraced, listener = len(runs), Listener()
        result = run(parse(text), threads=2, arguments={"n": [1, 2]}, tracer=listener, verified=True)
        assert len(runs) == 2 * untraced and result.choices == silent.choices
        steps = [e for e in listener.events if isinstance(e, Stepped)]
        assert sum(e.site.function == "f" for e in steps) >= result.steps
