"""Choosers, and running over all lists of choices."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any, TypeVar

import pytest

import convergence as cc
from convergence.semantics.machine import (
    AskedOnce,
    Choice,
    Chooser,
    MostConverged,
    Replay,
    Sample,
    executions,
)

T = TypeVar("T")


def word(chooser: Chooser) -> str:
    """Chooses letters; how many there are to choose depends on the ones before."""
    letters = chooser.choose("first", "ab")
    if letters == "a":
        letters += chooser.choose("second", "xyz")
    return letters


def test_most_converged_takes_the_first_option() -> None:
    assert word(MostConverged()) == "ax"


def test_executions_come_once_each_and_in_order() -> None:
    found = list(executions(word))
    assert [w for w, _ in found] == ["ax", "ay", "az", "b"]
    assert found[1][1] == (Choice("first", 2, 0), Choice("second", 3, 1))


def test_replay_repeats_and_goes_on() -> None:
    for result, made in executions(word):
        assert word(Replay([c.option for c in made])) == result
    assert word(Replay([1])) == "b"
    assert word(Replay()) == "ax"


def test_replay_of_something_else_is_an_error() -> None:
    with pytest.raises(ValueError, match="choice 1 is 5, but second has 3 options"):
        word(Replay([0, 5]))


def test_samples_depend_on_the_seed_alone() -> None:
    found = [word(Sample(seed)) for seed in range(50)]
    assert found == [word(Sample(seed)) for seed in range(50)]
    assert set(found) == {"ax", "ay", "az", "b"}


class Last:
    """What the protocol asks for, and no more."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def choose(self, label: str, options: Sequence[T]) -> T:
        self.asked.append(label)
        return options[-1]


def test_a_chooser_is_asked_once_for_each_choice() -> None:
    asked = Last()
    chooser = AskedOnce(asked)
    assert word(chooser) == "b"
    chooser.restart()
    assert (word(chooser), asked.asked) == ("b", ["first"])


def test_a_chooser_is_asked_anew_where_the_run_goes_another_way() -> None:
    asked = Last()
    chooser = AskedOnce(asked)
    assert [chooser.choose("a", "xy"), chooser.choose("b", "xy")] == ["y", "y"]
    chooser.restart()
    assert [chooser.choose("a", "xy"), chooser.choose("c", "xyz"), chooser.choose("d", "x")] == [
        "y",
        "z",
        "x",
    ]
    chooser.restart()
    assert [chooser.choose("a", "xy"), chooser.choose("c", "xyz")] == ["y", "z"]
    assert asked.asked == ["a", "b", "c", "d"]
    assert chooser.choices == [Choice("a", 2, 1), Choice("c", 3, 2)]


RACING = """
@g = global i32 5
define i32 @f(i32 %x) convergent {
A:
  %t = call token @llvm.experimental.convergence.anchor()
  %s = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
  store i32 %s, ptr @g
  %r = load i32, ptr @g
  ret i32 %r
}
declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.anchor()
"""


def test_a_run_with_a_chooser_of_the_callers_sees_races() -> None:
    """As by default; and it has the choices that were made, so that it can be made again."""
    module = cc.parse(RACING)
    plain = cc.run(module, threads=2)
    asked = Last()
    chosen = cc.run(module, threads=2, chooser=asked)
    for run in (plain, chosen):
        assert [thread.value for thread in run.outcome.threads] == ["undef", "undef"]
        assert run.races
    assert [(choice.label, choice.option) for choice in chosen.choices] == [
        (label, 1) for label in asked.asked
    ]
    assert [len(group.members) for group in chosen.groups if group.callee == "@subgroupAdd"] == [1, 1]
    assert pickle.loads(pickle.dumps(chosen)).outcome == chosen.outcome


def test_what_is_no_chooser() -> None:
    module = cc.parse(RACING)
    wrong: Any = "first"
    with pytest.raises(
        TypeError, match=r"a chooser has a method choose\(label, options\), and 'first' has none"
    ):
        cc.run(module, chooser=wrong)

    class Elsewhere(Last):
        def choose(self, label: str, options: Sequence[T]) -> T:
            return 7  # type: ignore[return-value]

    with pytest.raises(TypeError, match="the chooser took 7, which is none of the 2 options"):
        cc.run(module, threads=2, chooser=Elsewhere())
