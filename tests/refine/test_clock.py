"""One time-out for all that ``refine`` does, told by a clock that goes on by a step at each look.

covers: cli.commands.refine, semantics
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

import convergence.semantics as clock
from convergence import parse, refine
from convergence.refine.verdict.result import OpenSide
from convergence.semantics import NEVER, Bound, BoundKind, Clock, clock_of
from tests.cli.cli_harness import convcheck, ll

FUNCTION = """
define i32 @{name}(i32 %x, i32 %n) convergent {{
entry:
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i32 [ 0, %entry ], [ %more, %next ]
  %a = phi i32 [ %x, %entry ], [ %c, %next ]
  %even = trunc i32 %i to i1
  br i1 %even, label %work, label %next
work:
  %r = call i32 @meet(i32 %a)
  br label %next
next:
  %b = phi i32 [ %r, %work ], [ %a, %loop ]
  %c = mul i32 {factor}
  %more = add i32 %i, 1
  %again = icmp slt i32 %more, %n
  br i1 %again, label %loop, label %done
done:
  %s = phi i32 [ %x, %entry ], [ %c, %next ]
  ret i32 %s
}}
"""
MEET = "declare i32 @meet(i32) convergent nounwind willreturn\n"


def module(count: int, factor: str) -> str:
    """So many functions with a loop and an exchange."""
    return MEET + "".join(FUNCTION.format(name=f"f{n}", factor=factor) for n in range(count))


class Ticks:
    """A clock that each look moves on by ``step`` seconds."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 100.0, step

    def monotonic(self) -> float:
        self.now += self.step
        return self.now


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> Ticks:
    ticking = Ticks(0.05)
    monkeypatch.setattr(clock, "time", SimpleNamespace(monotonic=ticking.monotonic))
    return ticking


def test_many_functions_share_one_time_out(ticks: Ticks, tmp_path: Path) -> None:
    sides = ll(tmp_path, module(6, "%b, 3"), "one.ll"), ll(tmp_path, module(6, "3, %b"), "other.ll")
    ran = convcheck("refine", *sides, "--timeout", "2")
    assert ran.code == 3
    assert ticks.now - 100 < 3
    assert ran.out.count("Bound: --timeout 2") == 6


def test_what_a_function_leaves_is_for_those_after_it(ticks: Ticks) -> None:
    whole = clock_of(6.0)
    first = whole.share(3)
    assert first.deadline == pytest.approx(ticks.now + 2, abs=0.2)
    assert whole.share(2).deadline == pytest.approx(ticks.now + 3, abs=0.2)
    assert first.timeout == 6.0  # it is named by what the user gave
    assert NEVER.share(3) == Clock()


def test_the_symbolic_question_has_no_time_out_of_its_own(ticks: Ticks, tmp_path: Path) -> None:
    sides = ll(tmp_path, module(4, "%b, 3"), "one.ll"), ll(tmp_path, module(4, "3, %b"), "other.ll")
    convcheck("refine", *sides, "--symbolic", "--timeout", "2")
    assert ticks.now - 100 < 3


def test_time_is_left_to_show_a_counterexample(ticks: Ticks) -> None:
    one, other = parse(module(1, "%b, 3")), parse(module(1, "%b, 5"))
    wrong = 0
    for tenths in range(1, 50, 6):
        found = refine(one, other, function="f0", timeout=tenths / 10)
        wrong += found.verdict == "wrong"
        assert (found.verdict == "wrong") == (found.counterexample is not None)
    assert 0 < wrong < 9


def test_a_comparison_names_its_time_out(ticks: Ticks) -> None:
    found = refine(parse(module(1, "%b, 3")), parse(module(1, "3, %b")), function="f0", timeout=0.5)
    assert found.bound in (Bound(BoundKind.TIMEOUT, 0.5), OpenSide(Bound(BoundKind.TIMEOUT, 0.5), "target"))
    assert ticks.now - 100 < 1
