"""``refine`` against the brute-force decision of refinement, on random pairs of programs.

A pair is a structured little program and what a transform, right or wrong, made of it. The oracle tries
all traces with all labels; it shares nothing with convcheck but the text.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from convergence.parser import parse
from convergence.refine import refine
from tests.oracles import refinement
from tests.oracles.dynamic_search import legal
from tests.oracles.dynamic_traces import TooLong
from tests.oracles.programs import Compute, Program
from tests.oracles.programs_draw import Case
from tests.oracles.refinement import Ended, Event, Outcome, decide, outcomes
from tests.oracles.refinement_cases import Launch, Pair, random_pairs
from tests.oracles.refinement_source import (
    Anchored,
    Body,
    Combine,
    Compare,
    If,
    Routine,
    Set,
    Tell,
    While,
    lower,
)
from tests.oracles.refinement_traces import TooMuch


def _has_poison(program: Program) -> bool:
    """The oracle of executions knows no poison."""
    instructions = (i for f in program.functions for i in f.instructions())
    return any(isinstance(i, Compute) and i.opcode == "lshr" for i in instructions)


def in_program_order(program: Program, arguments: tuple[tuple[int, int], ...]) -> frozenset[Outcome]:
    """The outcomes by D-ORDER, from the oracle of executions."""
    found = legal(Case(program, arguments))
    return frozenset(
        tuple(
            Ended(thread.returned, tuple(Event(e.callee, e.operand, e.group) for e in thread.events))
            for thread in execution.outcome
        )
        for execution in found
    )


def test_dependence_allows_all_that_program_order_does() -> None:
    """D-DEP is weaker than D-ORDER; the same where nothing is free."""
    same = 0
    for pair in random_pairs(0, 100):
        for program in {pair.source, pair.target}:
            if _has_poison(program):
                continue
            try:
                mine = outcomes(program, pair.launches[0])
                theirs = in_program_order(program, pair.launches[0])
            except (TooLong, TooMuch):
                continue
            assert theirs <= mine.found, pair
            assert program.has_free_choices or theirs == mine.found, pair
            same += theirs == mine.found
    assert same > 100


def _one(*body: object) -> Program:
    return lower((Routine("main", None, body),))  # type: ignore[arg-type]


def test_unrelated_exchanges_may_cross_and_related_ones_may_not() -> None:
    """Two rounds, each below anchors of their own: thread 0's first ``subgroupOr`` with thread 1's
    second and its second ``subgroupAdd`` with thread 1's first is no order of the text; it is legal
    unless the one takes the other's result, or both are events."""

    def loop(*body: object) -> Program:
        return _one(While(None, (), Compare("ugt", "v1", 0), (*body, Set("v1", "sub", "v1", 1))))  # type: ignore[arg-type]

    launch = ((1, 2), (2, 2))
    add = Combine("v0", "subgroupAdd", "v0", "x")
    apart = loop(Anchored("x"), add, Anchored("y"), Combine("v2", "subgroupOr", "v1", "y"))
    chained = loop(Anchored("x"), add, Anchored("y"), Combine("v0", "subgroupOr", "v0", "y"))
    events = loop(Anchored("x"), Tell("event", 1, "x"), Anchored("y"), Tell("signal", 1, "y"))
    assert outcomes(apart, launch).found > in_program_order(apart, launch)
    assert outcomes(chained, launch).found == in_program_order(chained, launch)
    assert outcomes(events, launch).found == in_program_order(events, launch)


def test_poison_and_undefined_behaviour() -> None:
    poison = _one(Anchored("x"), Set("v0", "lshr", "v0", 32))
    known = _one(Anchored("x"), Set("v0", "add", "v0", 7))
    undefined = _one(Anchored("x"), Set("v1", "lshr", "v1", 32), While(None, (), Compare("ugt", "v1", 0), ()))
    launch = ((1, 1), (1, 1))
    assert decide(poison, known, launch) == "refines"
    assert decide(known, poison, launch) == "wrong"
    assert decide(known, undefined, launch) == "wrong"
    assert decide(undefined, known, launch) == "undefined"


def test_the_pairs_differ_in_all_ways() -> None:
    """What is compared below is not all alike."""
    counts: dict[refinement.Verdict, int] = {}
    for pair in random_pairs(0, 60):
        for launch in pair.launches:
            try:
                verdict = decide(pair.source, pair.target, launch)
            except TooMuch:
                continue
            counts[verdict] = counts.get(verdict, 0) + 1
    assert counts["equal"] > 40
    assert counts["wrong"] > 20
    assert counts["refines"] > 1


# -- refine -------------------------------------------------------------------------------------------------


STRICTER = "stricter"
"""How a disagreement is counted that is of one known kind: behind the join of a branch that is not followed
over (a loop, an access on the way) refine still waits, as a memory model's control dependence has it; and on
the side that is compared with the other it always does."""


def stricter(pair: Pair, launch: Launch) -> set[refinement.Verdict]:
    """The verdicts where everything behind a branch depends on it: on either side, or on the side that is
    compared with the other."""
    sides = (pair.source, pair.target)
    region, after = ([outcomes(p, launch, control=c) for p in sides] for c in ("region", "after"))
    found = {refinement.verdict(*after)}
    if not region[0].undefined:
        forth = refinement.refines(after[1], region[0])
        back = refinement.refines(after[0], region[1])
        found.add(("equal" if back else "refines") if forth else "wrong")
    return found


def compared(first: int, count: int, launches: int = 3) -> dict[str, int]:
    """``refine`` and the oracle on ``count`` pairs from seed ``first`` on: how often which verdict,
    ``unknown`` where refine gave up, ``much`` where the oracle did. A disagreement raises, but for those
    that are :data:`STRICTER`."""
    counts: dict[str, int] = {}
    for pair in random_pairs(first, count):
        source, target = parse(str(pair.source)), parse(str(pair.target))
        for launch in pair.launches[:launches]:
            try:
                expected: str = decide(pair.source, pair.target, launch)
            except TooMuch:
                counts["much"] = counts.get("much", 0) + 1
                continue
            found = refine(
                source,
                target,
                function="main",
                threads=len(launch),
                subgroup_size=len(launch),
                arguments={"a": [a for a, _ in launch], "b": [b for _, b in launch]},
                max_executions=1500,
                minimise=False,
            )
            said = found.behaviour or found.verdict
            counts[said] = counts.get(said, 0) + 1
            if said == "unknown":
                # nothing is claimed of a source that says nothing: all that it does may be undefined
                assert found.bound is not None or found.unobserved == "source-says-nothing", (launch, pair)
                assert found.bound is not None or expected in ("undefined", "refines", "equal")
            elif expected == "undefined":
                assert said in ("equal", "refines"), (launch, pair)
            elif said != expected:
                assert said in stricter(pair, launch), (launch, expected, pair, found.notes)
                counts[STRICTER] = counts.get(STRICTER, 0) + 1
    return counts


def test_refine_decides_as_the_oracle(record_property: Callable[[str, object], None]) -> None:
    counts = compared(500_000, 70, launches=2)
    record_property("launches of pairs compared with the refinement oracle", counts)
    assert counts["equal"] > 40
    assert counts["wrong"] > 20
    assert counts["refines"] > 1
    assert counts.get("unknown", 0) < 5
    assert STRICTER not in counts


def test_a_branch_over_operations_that_do_not_matter() -> None:
    """The second sum of a round is executed whichever way the branch goes, so that it does not depend on the
    first. In the target the branch is gone, with the operation in its arm that nobody used."""

    def program(*again: If) -> Program:
        first = Combine("v0", "subgroupAdd", "v1", "x")
        second = Combine("v0", "subgroupOr", "v1", "y")
        body: Body = (Anchored("x"), first, *again, Anchored("y"), second, *again, Set("v1", "sub", "v1", 1))
        return _one(While(None, (), Compare("ugt", "v1", 0), body))

    unused = (Combine("v2", "subgroupAdd", 1, "x"), Set("v2", "mul", "v2", 0))
    source, target = program(If(Compare("ugt", "v0", 2), unused, ())), program()
    launch = ((0, 2), (0, 2))
    sides = [outcomes(p, launch, limit=100_000) for p in (source, target)]
    assert refinement.verdict(*sides) == "equal"
    found = refine(
        parse(str(source)),
        parse(str(target)),
        function="main",
        threads=2,
        subgroup_size=2,
        arguments={"a": [0, 0], "b": [2, 2]},
    )
    assert found.verdict == "equal"


@pytest.mark.campaign
@pytest.mark.parametrize("first", range(1_000_000, 8_000_000, 1_000_000))
def test_refine_decides_as_the_oracle_in_a_campaign(first: int) -> None:
    counts = compared(first, 500)
    assert counts["equal"] > 300
    assert counts["wrong"] > 100
    assert counts["refines"] > 10
    assert counts.get(STRICTER, 0) < 10
