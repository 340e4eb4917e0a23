"""Choosers, and running over all lists of choices."""

from __future__ import annotations

import pytest

from convergence.semantics.machine import Choice, Chooser, MostConverged, Replay, Sample, executions


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
