"""Inputs with too many executions: smaller ones are compared instead, and that is said."""

from __future__ import annotations

from typing import Any

import pytest

import convergence as cc
from convergence.refine.inputs.launch import Input
from convergence.refine.sides.outcomes import Bounds, Executable, Outcomes
from convergence.refine.verdict.counterexample import Long
from convergence.refine.verdict.result import OpenSide, PassedOver
from convergence.semantics import Bound, BoundKind

HEAD = """
declare i32 @subgroupAdd(i32) convergent memory(none) willreturn nounwind
declare token @llvm.experimental.convergence.anchor()
declare token @llvm.experimental.convergence.loop()
"""


def anchored(heart: str, bundle: str = "%a", operand: str = "%i") -> str:
    """A loop whose operation hangs from an anchor in it, beside a heart that nothing uses."""
    return f"""{HEAD}
define i32 @f(i32 %n) convergent {{
A:
  %t = call token @llvm.experimental.convergence.anchor()
  br label %B
B:
  %i = phi i32 [ 0, %A ], [ %j, %B ]
  {heart}
  %a = call token @llvm.experimental.convergence.anchor()
  %s = call i32 @subgroupAdd(i32 {operand}) [ "convergencectrl"(token {bundle}) ]
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %B, label %C
C:
  ret i32 %s
}}
"""


HEART = '%h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]'


def test_a_dead_heart_goes_where_larger_inputs_cannot_be_looked_at() -> None:
    found = cc.refine(cc.parse(anchored(HEART)), cc.parse(anchored("")), max_executions=300)
    assert found.verdict == "equal"
    assert found.established.startswith("inputs tried:")  # and not: all inputs
    assert Bound(BoundKind.MAX_EXECUTIONS, 300) in [n.bound for n in found.notes if isinstance(n, PassedOver)]


def test_what_was_given_is_not_left_out() -> None:
    found = cc.refine(
        cc.parse(anchored(HEART)),
        cc.parse(anchored("")),
        threads=2,
        arguments={"n": [6, 6]},
        max_executions=20,
    )
    assert found.verdict == "unknown"
    assert isinstance(found.bound, OpenSide)
    assert found.bound.why == Bound(BoundKind.MAX_EXECUTIONS, 20)


def test_too_few_inputs_are_no_ground_for_a_verdict() -> None:
    found = cc.refine(cc.parse(anchored(HEART)), cc.parse(anchored("")), threads=2, max_executions=1)
    assert found.verdict == "unknown"
    assert found.bound == Bound(BoundKind.MAX_EXECUTIONS, 1)


def test_what_differs_in_small_inputs_is_still_found() -> None:
    wrong = anchored(HEART, operand="%n")
    found = cc.refine(cc.parse(anchored(HEART)), cc.parse(wrong), threads=2, max_executions=200)
    assert found.verdict == "wrong"


LATER = """  %r = call i32 @subgroupAdd(i32 %s) [ "convergencectrl"(token %t) ]
  %q = and i32 %r, 1
  %p = icmp eq i32 %q, 0
  br i1 %p, label %D, label %E
D:
  br label %E
E:
  ret i32 %s
}"""


def test_what_cannot_change_an_answer_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the target has more executions than are looked at, no more of the source decides anything. The
    last branch is one whose join need not be waited for, so that a source may be looked at twice."""
    source, target = (anchored(h).replace("  ret i32 %s\n}", LATER) for h in (HEART, ""))
    looked: list[int] = []
    outcomes = Executable.outcomes

    def counted(self: Executable, input_: Input, bounds: Bounds) -> Outcomes:
        looked.append(0)
        return outcomes(self, input_, bounds)

    monkeypatch.setattr(Executable, "outcomes", counted)
    answers, counts = [], []
    for shortcut in (False, True):
        looked.clear()
        answer = cc.refine(
            cc.parse(source),
            cc.parse(target),
            threads=2,
            max_executions=12,
            max_launches=14,
            shortcut=shortcut,
        )
        answers.append(answer)
        counts.append(len(looked))
    assert answers[0] == answers[1] and answers[0].launches > 0
    assert any(isinstance(note, PassedOver) for note in answers[0].notes)
    assert counts[0] > counts[1]


def test_inputs_that_run_on_get_less_when_others_end_soon() -> None:
    long, bounds = Long(), Bounds(steps=100_000)
    long.ended(50)
    for most in (100_000, 100_000, 10_000):
        long.ran_on()
        assert long.bounds(bounds).steps == most
    long.ended(5_000)
    assert long.bounds(bounds).steps == 40_000
    assert long.bounds(Bounds(steps=2_000)).steps == 2_000


def test_where_only_faults_are_asked_for_no_target_runs_beside_more_executions_than_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing wrong can come of it: it is ``wrong`` where it is without, and the target runs less."""
    targets = (anchored(""), anchored(HEART, operand="%n"), anchored(HEART).replace("slt", "sle"))
    for target in targets:
        runs: list[str] = []
        verdicts = []
        outcomes = Executable.outcomes

        def counted(
            self: Executable, input_: Input, bounds: Bounds, runs: list[str] = runs, outcomes: Any = outcomes
        ) -> Outcomes:
            runs.append(self.function.name)
            known: Outcomes = outcomes(self, input_, bounds)
            return known

        monkeypatch.setattr(Executable, "outcomes", counted)
        counts = []
        for faults_only in (False, True):
            runs.clear()
            found = cc.refine(
                cc.parse(anchored(HEART)), cc.parse(target), max_executions=8, max_launches=8,
                faults_only=faults_only, minimise=False,
            )  # fmt: skip
            verdicts.append(found.verdict == "wrong")
            counts.append(len(runs))
        monkeypatch.setattr(Executable, "outcomes", outcomes)
        assert verdicts[0] == verdicts[1]
        assert counts[1] <= counts[0]
        if target is targets[0]:
            assert counts[1] < counts[0]
