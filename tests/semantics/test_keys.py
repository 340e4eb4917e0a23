"""Keys: interned, cheap at any depth, and what their first difference says."""

from __future__ import annotations

from convergence.alignment.instances import DynamicInstance, StaticInstance
from convergence.rules import Rule
from convergence.semantics.convergence.keys import (
    Chosen,
    Difference,
    Key,
    Keys,
    LaunchGroup,
    chain,
    ordinal,
    parent,
    why_not_converged,
)
from convergence.semantics.machine.run import Run

from .every import AA, AB, OA, OB, first
from .texts import natural, nested

SITE = StaticInstance("f", 1)
LAUNCH = LaunchGroup(0, 0, 2)


def test_equal_keys_are_the_same_object() -> None:
    keys = Keys()
    entry = keys.entry(SITE, LAUNCH)
    assert keys.entry(SITE, LAUNCH) is entry
    assert keys.loop(SITE, entry, 1) is keys.loop(SITE, entry, 1)
    assert keys.loop(SITE, entry, 2) is not keys.loop(SITE, entry, 1)
    assert keys.use(SITE, entry) is not keys.use(StaticInstance("f", 2), entry)
    anchor: Key = keys.anchor(SITE, Chosen(0))
    assert anchor is not keys.free(SITE, Chosen(0))
    assert keys.entry(SITE, LaunchGroup(0, 0, 2)) is not entry  # another launch


def test_a_hundred_thousand_links_need_no_recursion() -> None:
    keys = Keys()
    key: Key = keys.entry(SITE, LAUNCH)
    for _ in range(100_000):
        key = keys.entry(SITE, keys.use(SITE, key))
    assert len(chain(key)) == 200_002
    assert chain(key)[-1] is LAUNCH
    assert {key: 1}[key] == 1 and repr(key)
    other = keys.use(StaticInstance("f", 9), key)
    difference = why_not_converged(keys.use(SITE, key), other)
    assert difference is not None and difference.rule is Rule.D_USE
    assert keys.label(key) is None


def test_labels_are_found_at_once() -> None:
    keys = Keys()
    anchor = keys.anchor(SITE, Chosen(3))
    assert keys.label(keys.use(SITE, keys.loop(SITE, anchor, 4))) == Chosen(3)
    assert parent(anchor) is None


def why(run: Run, name: str, one: tuple[int, int], other: tuple[int, int]) -> Difference | None:
    (site,) = {g.site for g in run.groups if g.operation == name}
    return run.why(DynamicInstance(one[0], site, one[1]), DynamicInstance(other[0], site, other[1]))


def test_the_first_difference_in_words() -> None:
    run = first(nested(), arguments={"x": 1}, paths=[OA, OB])
    assert why(run, "%sum.b", (0, 1), (1, 1)) is None
    inner = why(run, "%sum.b", (0, 2), (1, 1))
    assert inner is not None and inner.rule is Rule.D_LOOP
    assert inner.words == (
        "%h was executed for the 2nd time with its token in the one, for the 1st time in the other"
    )
    outer = why(run, "%sum.b", (0, 2), (1, 2))
    assert outer is not None and outer.words == (
        "%outer was executed for the 1st time with its token in the one, for the 2nd time in the other"
    )


def test_differences_by_launch_anchor_and_call() -> None:
    run = first(natural(), arguments={"x": 1}, paths=[AA, AB], subgroup_size=1)
    launched = why(run, "%sum.b", (0, 1), (1, 1))
    assert launched is not None and "launched in different groups" in launched.words
    keys = Keys()
    one, other = keys.anchor(SITE, Chosen(0)), keys.anchor(SITE, Chosen(1))
    anchored = why_not_converged(keys.use(SITE, one), keys.use(SITE, other))
    assert anchored is not None and anchored.rule is Rule.D_ANCHOR
    deep = why_not_converged(one, keys.use(SITE, one))
    assert deep is not None and "the other is nested deeper" in deep.words


def test_ordinals() -> None:
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 112)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th",
    ]  # fmt: skip
