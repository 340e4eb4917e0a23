"""Keys: interned, cheap at any depth, and what their first difference says.

covers: semantics.convergence
"""

from __future__ import annotations

from convergence.alignment import DynamicInstance, StaticInstance
from convergence.report.parts.words import difference_words, key_text, ordinal
from convergence.rules import Rule
from convergence.semantics.convergence import (
    Alone,
    ChosenLabel,
    Key,
    KeyDifference,
    KeyKind,
    Keys,
    LaunchGroup,
    Reason,
    Root,
    Selected,
    chain,
    fold,
    why_not_converged,
)
from convergence.semantics.machine.run import Run

from .every import AA, AB, OA, OB, first
from .texts import natural, nested, uncontrolled

SITE = StaticInstance("f", 1)
LAUNCH = LaunchGroup(0, 0, 2)


def test_equal_keys_are_the_same_object() -> None:
    keys = Keys()
    entry = keys.entry(SITE, LAUNCH)
    assert keys.entry(SITE, LAUNCH) is entry
    assert keys.loop(SITE, entry, 1) is keys.loop(SITE, entry, 1)
    assert keys.loop(SITE, entry, 2) is not keys.loop(SITE, entry, 1)
    assert keys.use(SITE, entry) is not keys.use(StaticInstance("f", 2), entry)
    anchor: Key = keys.anchor(SITE, ChosenLabel(0))
    assert anchor is not keys.free(SITE, ChosenLabel(0))
    assert keys.entry(SITE, LaunchGroup(0, 0, 2)) is not entry  # another launch


def test_a_hundred_thousand_links_need_no_recursion() -> None:
    keys = Keys()
    key: Key = keys.entry(SITE, LAUNCH)
    for _ in range(100_000):
        key = keys.entry(SITE, keys.use(SITE, key))
    links = [*chain(key)]
    assert len(links) == 200_002 and links[-1] is LAUNCH
    assert fold(key, lambda launch: 0, lambda link, parents: 1 + max(parents)) == 200_001
    assert Keys().map(key, lambda link: link.own) is not key and keys.map(key, lambda link: link.own) is key
    assert {key: 1}[key] == 1 and repr(key)
    other = keys.use(StaticInstance("f", 9), key)
    difference = why_not_converged(keys.use(SITE, key), other)
    assert difference is not None and difference.rule is Rule.D_USE
    assert keys.group(key) is None


def test_labels_are_found_at_once() -> None:
    keys = Keys()
    anchor = keys.anchor(SITE, ChosenLabel(3))
    assert keys.group(keys.use(SITE, keys.loop(SITE, anchor, 4))) == 3
    assert anchor.parent is None


def why(
    run: Run, name: str, one: tuple[int, int], other: tuple[int, int]
) -> tuple[KeyDifference | None, str]:
    (site,) = {g.site for g in run.groups if g.operation == name}
    found = run.why(DynamicInstance(one[0], site, one[1]), DynamicInstance(other[0], site, other[1]))
    return found, "" if found is None else difference_words(found, run.machine.program.name)


def test_the_first_difference_in_words() -> None:
    run = first(nested(), arguments={"x": 1}, paths=[OA, OB])
    assert why(run, "%sum.b", (0, 1), (1, 1)) == (None, "")
    inner, words = why(run, "%sum.b", (0, 2), (1, 1))
    assert inner is not None and (inner.rule, inner.reason) == (Rule.D_LOOP, Reason.COUNT)
    assert words == (
        "%h was executed for the 2nd time with its token in the one, for the 1st time in the other"
    )
    _, words = why(run, "%sum.b", (0, 2), (1, 2))
    assert words == (
        "%outer was executed for the 1st time with its token in the one, for the 2nd time in the other"
    )


def test_differences_by_launch_anchor_and_call() -> None:
    run = first(natural(), arguments={"x": 1}, paths=[AA, AB], subgroup_size=1)
    _, words = why(run, "%sum.b", (0, 1), (1, 1))
    assert words == "their threads were launched in different groups"
    keys = Keys()
    one, other = keys.anchor(SITE, ChosenLabel(0)), keys.anchor(SITE, ChosenLabel(1))
    anchored = why_not_converged(keys.use(SITE, one), keys.use(SITE, other))
    assert anchored is not None and anchored.rule is Rule.D_ANCHOR
    deep = why_not_converged(one, keys.use(SITE, one))
    assert deep is not None and deep.reason is Reason.DEPTH
    assert difference_words(deep, str) == f"the other is nested deeper, in {SITE}"


def test_who_is_kept_apart_by_mode_none_says_of_which_time_it_is() -> None:
    """The label of an instance that is alone names it: the thread, and the count of its executions."""
    run = first(uncontrolled(), arguments={"x": 1}, paths=[AA, AB], uncontrolled="none")
    assert {instance: key.own for instance, key in run.keys.items()} == {
        DynamicInstance(thread, StaticInstance("f", 1), nth): Alone(thread, nth)
        for thread in (0, 1)
        for nth in (1, 2)
    }


def every_kind(keys: Keys) -> list[Key]:
    """A key of each kind, and of each sort of label and parents."""
    entry = keys.entry(SITE, LAUNCH)
    anchor, loop = keys.anchor(SITE, ChosenLabel(4)), keys.loop(SITE, entry, 2)
    outer = keys.header(SITE, "b", LAUNCH, None, 3)
    inner = keys.header(SITE, "c", entry, outer, 1)
    return [
        entry, loop, keys.use(SITE, loop), anchor, keys.free(SITE, ChosenLabel(4)),
        keys.free(SITE, Alone(1, 2)),
        keys.maximal(SITE, entry, None), keys.maximal(SITE, entry, inner), outer, inner,
        keys.call(SITE, entry, None, ()), keys.call(SITE, LAUNCH, outer, (loop, anchor)),
        keys.way(SITE, Selected(5), loop),
    ]  # fmt: skip


def test_a_key_has_its_kind_s_rule_and_says_its_parts() -> None:
    keys = Keys()
    made = every_kind(keys)
    assert {key.kind for key in made} == set(KeyKind)
    assert {key.rule for key in made} == {
        Rule.D_ENTRY, Rule.D_LOOP, Rule.D_USE, Rule.D_ANCHOR, Rule.D_FREE, Rule.D_CALL,
    }  # fmt: skip
    entry, _, _, _, _, _, bare, within, outer, inner, _, call, way = made
    assert (bare.header, bare.frame) == (None, entry)
    assert (within.header, within.frame) == (inner, entry)
    assert (inner.header, inner.frame, inner.passes) == (outer, entry, ("c", 1))
    assert (call.header, call.frame, len(call.parents)) == (outer, LAUNCH, 4)
    assert way.parent is made[1]
    assert [key_text(key, lambda site: f"%{site.index}") for key in made] == [
        "entry(%1, launch)",
        "loop(%1, entry(%1, launch), 2)",
        "use(%1, loop(%1, entry(%1, launch), 2))",
        "anchor(%1, group 4)",
        "free(%1, group 4)",
        "free(%1, thread 1 alone, #2)",
        "free(%1, entry(%1, launch))",
        "free(%1, header(%c, header(%b, launch, 3), 1))",
        "header(%b, launch, 3)",
        "header(%c, header(%b, launch, 3), 1)",
        "call(%1, entry(%1, launch))",
        "call(%1, header(%b, launch, 3))",
        "way(%1, loop(%1, entry(%1, launch), 2), value 5)",
    ]
    assert key_text(made[2], lambda site: "%s", depth=2) == "use(%s, loop(%s, ..., 2))"
    assert key_text(None, str) == "none"


def test_mapping_makes_the_same_terms_with_other_labels() -> None:
    keys, others = Keys(), Keys()
    made = every_kind(keys)
    known: dict[Root, Root] = {}
    same = [others.map(key, lambda link: link.own) for key in made]
    assert same == every_kind(others)
    moved = [
        others.map(key, lambda link: link.own if link.group is None else ChosenLabel(9), known)
        for key in made
    ]
    assert [a is b for a, b in zip(same, moved, strict=True)] == [
        # what hangs from the label 4 by any parent is another key: the anchor, the free one, the last call
        True, True, True, False, False, True, True, True, True, True, True, False, True,
    ]  # fmt: skip


def test_each_part_of_a_key_is_folded_once() -> None:
    keys = Keys()
    key = keys.call(SITE, LAUNCH, None, ())
    for _ in range(60):  # as a tree this has 2 ** 60 parts
        key = keys.call(SITE, key, None, (key,))
    calls: list[Root] = []

    def node(link: Key, parents: tuple[int, ...]) -> int:
        calls.append(link)
        return sum(parents)

    assert fold(key, lambda launch: 1, node) == 2**60
    assert len(calls) == 61


def test_ordinals() -> None:
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 112)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th",
    ]  # fmt: skip


def test_a_call_differs_in_the_tokens_that_it_is_under_and_a_use_in_its_place() -> None:
    keys = Keys()
    one, other = (keys.anchor(SITE, ChosenLabel(n)) for n in (0, 1))
    called = why_not_converged(keys.call(SITE, LAUNCH, None, (one,)), keys.call(SITE, LAUNCH, None, (other,)))
    assert called is not None and called.reason is Reason.TOKENS
    used = why_not_converged(keys.use(SITE, one), keys.use(StaticInstance("f", 2), one))
    assert used is not None and used.reason is Reason.PLACE
