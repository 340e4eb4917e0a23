"""All small programs, a small part of them: ``make small-programs`` asks many more.

covers: verifier.closed_paths, verifier.nesting, semantics.convergence.rules, semantics.convergence
"""

from __future__ import annotations

from collections import Counter

import pytest

from convergence.parser import parse
from convergence.parser.printer import print_function
from convergence.rules import Rule
from convergence.verifier import verify
from tests.oracles.model import Function, Kind, function_text, module_text
from tests.oracles.static_rules import broken_rules
from tests.properties import compare
from tests.small import programs, statics, traces
from tests.small.programs import Placed, Placement, Shape

PART = [shape for blocks in (1, 2) for shape in programs.shapes(blocks)]


def members(shape: Shape, controls: int, uses: int) -> list[Function]:
    return [programs.function(shape, p) for p in programs.clean(shape, controls, uses)]


def test_verifier_oracle_and_llvm_say_the_same() -> None:
    counts: Counter[str] = Counter()
    for shape in PART:
        counts += statics.compare(members(shape, 3, 2))[0]
        counts += statics.compare(
            [programs.function(shape, p) for p in programs.smallest_broken(shape, 3, 1)]
        )[0]
    assert counts["accepted"] > 100
    assert counts["rejected"] > 100


def test_every_accepted_program_runs_by_the_definition() -> None:
    threads = 0
    for shape in [*PART, *list(programs.shapes(3))[::3]]:
        accepted = [f for f in members(shape, 2, 1) if not broken_rules(f)]
        threads += sum(traces.check_together(f) for f in accepted)
    assert threads > 100


def test_both_engines_agree() -> None:
    launches = complete = 0
    for shape in PART:
        accepted = [f for f in members(shape, 2, 1) if not broken_rules(f)]
        for function in accepted:
            more = traces.check_engines(function, most=1)
            launches, complete = launches + more[0], complete + more[1]
    assert launches == complete > 10


def test_modules_that_nobody_parsed_are_those_that_somebody_did() -> None:
    functions = [f for shape in PART for f in members(shape, 3, 1)]
    parsed = parse(module_text(functions), "small.ll")
    made = statics.maker().module(functions)
    for number in range(len(functions)):
        text = print_function(parsed.functions[f"f{number}"])
        text = text.replace(f"%v{number}_", "%").replace(f"(i32 {number})", "(i32 0)")
        assert text == print_function(made.functions[f"f{number}"])


@pytest.mark.parametrize("quick", [True, False])
def test_a_verifier_that_misses_a_rule_is_noticed(quick: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (statics, compare):
        monkeypatch.setattr(module, "verify", lambda m: [d for d in verify(m) if d.rule is not Rule.S_NEST])
    functions = [f for shape in PART for f in members(shape, 3, 2)]
    with pytest.raises(statics.Difference):
        statics.compare(functions, llvm=False, quick=quick)


# What stands for what.


def test_how_many_shapes_there_are() -> None:
    """Of a graph's 2**(n-1) sets of successors to the n-th power, without names of blocks."""
    assert [sum(1 for _ in programs.shapes(n)) for n in (1, 2, 3)] == [1, 2, 18]
    assert [sum(1 for _ in programs.shapes(n, connected=False)) for n in (1, 2, 3)] == [1, 4, 36]


def test_each_program_is_one_of_those_that_stand_for_all() -> None:
    """Without any reasoning: what a placement breaks, and what stands for it."""
    for shape in PART:
        every = set(programs.clean(shape, 2, 2, reduce=False))
        kinds = set(programs.clean(shape, 2, 2))
        smallest = set(programs.smallest_broken(shape, 2, 2))
        for controls in range(3):
            for placement in programs.everything(len(shape.blocks), controls, 1):
                broken = broken_rules(programs.function(shape, placement))
                steady = not broken - {"S-NEST"}
                assert steady == programs.is_clean(shape, placement) == (placement in every)
                if steady:
                    short = shortened(placement)
                    assert short in kinds
                    assert broken == broken_rules(programs.function(shape, short))
                else:
                    assert any(p in smallest for p in parts(placement)), placement


def test_what_is_left_out_changes_no_verdict() -> None:
    left_out = 0
    for shape in PART:
        for placement in programs.clean(shape, 3, 2, reduce=False):
            short = shortened(placement)
            left_out += short != placement
            before, after = (broken_rules(programs.function(shape, p)) for p in (placement, short))
            assert before == after, function_text(programs.function(shape, placement))
    assert left_out > 100


def shortened(placement: Placement) -> Placement:
    """Without uses right behind the like, and without entries and anchors whose token nobody uses."""
    placement = tuple(
        tuple(i for k, i in enumerate(items) if i.kind is not Kind.CALL or items[k - 1 : k] != (i,))
        for items in placement
    )
    for shorter in programs.without_one(placement, (Kind.ENTRY, Kind.ANCHOR)):
        return shortened(shorter)
    return placement


def parts(placement: Placement) -> set[Placement]:
    """The placement and all that items can be taken out of it."""
    every, todo = {placement}, [placement]
    while todo:
        for shorter in programs.without_one(todo.pop()):
            if shorter not in every:
                every.add(shorter)
                todo.append(shorter)
    return every


# A fault is noticed.

HEART = (Placed(Kind.ENTRY),), (Placed(Kind.LOOP, 0), Placed(Kind.CALL, 1)), ()
LOOP = Shape(((1,), (1, 2), ()))


def test_words_are_all_that_threads_can_do() -> None:
    function = programs.function(LOOP, HEART)
    assert [path.blocks for path in traces.paths(function)] == [(0, 1, 1, 1, 2), (0, 1, 1, 2), (0, 1, 2)]


CROSSED = (Placed(Kind.ENTRY),), (Placed(Kind.LOOP, 0),), (Placed(Kind.LOOP, 0),), ()
"""Two hearts of one token, in a cycle with two ways in."""
OVERLAPPING = (Placed(Kind.ENTRY), Placed(Kind.ANCHOR), Placed(Kind.CALL, 0), Placed(Kind.CALL, 1)), (), ()
AGAIN = (Placed(Kind.ENTRY),), (Placed(Kind.CALL, 0),), ()


@pytest.mark.parametrize(
    ("shape", "placement", "why"),
    [
        (Shape(((1, 2), (2, 3), (1, 3), ())), CROSSED, "no order"),
        (LOOP, OVERLAPPING, "older token"),
        (LOOP, AGAIN, "comes again"),
        (LOOP, ((Placed(Kind.ANCHOR), Placed(Kind.ENTRY)), (), ()), "entry comes behind"),
        (LOOP, HEART, ""),
    ],
)
def test_undisciplined_words_are_noticed(shape: Shape, placement: Placement, why: str) -> None:
    said = traces.undisciplined(programs.function(shape, placement))
    assert why in said and bool(why) == bool(said)


@pytest.mark.parametrize("spoil", ["apart", "together", "own", "crossed"])
def test_a_wrong_relation_is_noticed(spoil: str) -> None:
    function = programs.function(LOOP, HEART)
    ways = traces.paths(function)
    done = traces.launched(function, ways)
    words = traces.Words(function, [way.word for way in ways])
    classes = traces.classes_of(done, words)
    assert traces.check(words, classes) == ""
    at = traces.Instance
    match spoil:
        case "apart":
            classes[at(0, 0)] = 1000
        case "together":  # the second iteration of one with the first of another
            classes[at(2, 1)] = classes[at(0, 3)]
        case "own":
            classes[at(0, 1)] = classes[at(0, 3)]
        case "crossed":  # an order that nobody can keep
            words.words[0] = (*words.words[0][:1], *reversed(words.words[0][1:3]), *words.words[0][3:])
            classes = {at(t, p): p for t, p in classes}
            classes[at(0, 1)], classes[at(0, 2)] = 2, 1
            assert traces.circle(words, classes)
            return
    assert traces.check(words, classes) != ""
