"""When one outcome is refined by another: poison, undef, events, and groups as event numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from convergence.alignment.instances import DynamicInstance, StaticInstance
from convergence.refine.sides.observable import (
    EventMismatch,
    ExtraEvent,
    MemoryMismatch,
    difference,
    limited,
    refined,
    visible,
)
from convergence.semantics.machine.log import Called, VolatileAccess
from convergence.semantics.machine.outcome import Outcome, ThreadOutcome
from convergence.semantics.values.display import Json
from tests.refine.texts import both


@pytest.mark.parametrize(
    ("source", "target", "holds"),
    [
        ("poison", 3, True),
        ("poison", "undef", True),
        ("poison", [1, 2], True),
        (3, "poison", False),
        ("undef", 3, True),
        ("undef", "undef", True),
        ("undef", "poison", False),
        (3, "undef", False),
        (["poison", 1], [7, 1], True),
        (["poison", 1], [7, 2], False),
        ([[1, "undef"], 2], [[1, 5], 2], True),
        (1, 1.0, False),
        (0.0, -0.0, False),
        ("nan", "nan", True),
        (None, None, True),
        ("@g+4", "@g", False),
    ],
)
def test_values(source: Json, target: Json, holds: bool) -> None:
    assert refined(source, target) is holds


def call(number: int, group: dict[int, int] | None, result: Json = 1, index: int = 0) -> Called:
    """An event of thread 0; ``index`` is where it stands in the text."""
    return Called(DynamicInstance(0, StaticInstance("f", index), number), "meet", (5,), result, group)


def outcome(
    *events: Called | VolatileAccess, value: Json = 0, memory: dict[str, Json] | None = None
) -> Outcome:
    return Outcome((ThreadOutcome(0, "returned", value, events),), memory or {})


def test_the_place_in_the_text_is_not_seen() -> None:
    assert difference(outcome(call(1, {0: 1}, index=3)), outcome(call(2, {0: 1}, index=8))) is None


def test_groups_are_told_apart_by_the_members_event_numbers() -> None:
    one, other = outcome(call(1, {0: 1, 1: 1})), outcome(call(1, {0: 1, 1: 2}))
    found = difference(one, other)
    assert found == EventMismatch(0, 1, "group", "@meet", ((0, 1), (1, 1)), ((0, 1), (1, 2)))


def test_a_poison_result_or_operand_may_become_anything() -> None:
    assert difference(outcome(call(1, {0: 1}, "poison")), outcome(call(1, {0: 1}, 7))) is None
    assert difference(outcome(call(1, {0: 1}, 7)), outcome(call(1, {0: 1}, "poison"))) is not None
    given = replace(call(1, None), operands=("poison",))
    assert difference(outcome(given), outcome(call(1, None))) is None


def test_an_event_more_or_less_is_said() -> None:
    assert difference(outcome(call(1, None)), outcome()) == ExtraEvent("source", 0, 1, "@meet")
    assert difference(outcome(), outcome(call(1, None))) == ExtraEvent("target", 0, 1, "@meet")


def test_volatile_accesses_are_events() -> None:
    site = DynamicInstance(0, StaticInstance("f", 0), 1)
    load, store = VolatileAccess(site, "load", ("@g",), 1), VolatileAccess(site, "store", ("@g", 1), None)
    assert difference(outcome(load), outcome(store)) is not None
    assert difference(outcome(load), outcome(load)) is None


def test_memory_by_variable() -> None:
    found = difference(outcome(memory={"@g": [1, "poison"]}), outcome(memory={"@g": [2, 3]}))
    assert found == MemoryMismatch("@g", [1, "poison"], [2, 3])
    assert difference(outcome(memory={"@g": [1, "poison"]}), outcome(memory={"@g": [1, 3]})) is None


def test_internal_variables_are_not_seen() -> None:
    module = both(
        "i32 @(i32 %x) { ret i32 0 }",
        "i32 @(i32 %x) { ret i32 0 }",
        "@v = global i32 0\n@h = internal global i32 0\n",
    )
    assert visible(module) == {"@v"}
    assert limited(outcome(memory={"@v": 1, "@h": 2}), visible(module)).memory == {"@v": 1}
