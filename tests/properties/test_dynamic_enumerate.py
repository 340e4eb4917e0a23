"""Both engines' enumerations against the brute-force oracle, on generated programs.

``CONVCHECK_CASES`` and ``CONVCHECK_SEED`` as for the comparison of runs.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from convergence.sched.choices.search import explore
from convergence.sched.constraints.search import enumerate_axiomatic
from convergence.sched.enumeration import Enumeration
from tests.oracles.dynamic import Legal
from tests.oracles.dynamic_traces import TooLong
from tests.oracles.programs_draw import Shape
from tests.oracles.programs_generate import random_case, random_ill_formed_case
from tests.oracles.programs_known import two_hearts_of_one_token

from .test_dynamic_run import CASES, FIRST, KINDS, KNOWN, UNIQUE, Both, observed

Engine = Callable[..., Enumeration]
ENGINES: dict[str, tuple[Engine, int]] = {
    "operational": (explore, 100),
    "axiomatic": (enumerate_axiomatic, 50),
}
"""Each engine, and on how many programs of a kind it is tried; solving takes longer."""


def found(enumeration: Enumeration) -> set[Legal]:
    """What an engine found, in the oracle's terms."""
    return {
        observed(a.execution.converged, enumeration.outcomes[place].outcome)
        for a in enumeration.alignments
        for place in a.outcomes
    }


def same(engine: Engine, both: Both) -> int | None:
    """The engine finds exactly the legal executions; their number, ``None`` where it is not complete."""
    expected = both.legal()
    if len(expected) > 60:
        raise TooLong
    answer = engine(both.module, **both.launch(), timeout=20.0)
    if not answer.complete:
        assert found(answer) <= expected, (answer.bound, both)
        return None
    assert found(answer) == expected, both
    if expected:
        assert {o.ending for o in answer.outcomes} == {"returned"}, both
    return len(expected)


@pytest.mark.parametrize("number", range(len(KNOWN)))
@pytest.mark.parametrize("engine", ENGINES)
def test_known_programs(engine: str, number: int) -> None:
    assert same(ENGINES[engine][0], Both(*KNOWN[number])) is not None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("engine", ENGINES)
def test_generated_programs(
    engine: str, kind: str, record_property: Callable[[str, object], None]
) -> None:
    shape, mode = KINDS[kind]
    enumerate_, count = ENGINES[engine]
    compared = several = 0
    count = CASES or count
    for seed in range(FIRST, FIRST + count):
        both = Both(random_case(1_000_000 + seed, shape), mode, (None, None, None, 2)[seed % 4])
        try:
            number = same(enumerate_, both)
        except TooLong:
            continue
        compared += number is not None
        several += (number or 0) > 1
    record_property(f"programs compared with the oracle, {engine} engine", compared)
    assert compared > count // 3
    assert several or kind in UNIQUE


@pytest.mark.parametrize("engine", ENGINES)
def test_programs_that_break_the_static_rules(
    engine: str, record_property: Callable[[str, object], None]
) -> None:
    enumerate_, count = ENGINES[engine]
    compared = 0
    count = 2 * (CASES or count)
    for seed in range(FIRST, FIRST + count):
        shape = Shape(anchors=seed % 2 == 0, statements=4, depth=2, helpers=1)
        try:
            compared += same(enumerate_, Both(random_ill_formed_case(seed, shape), "maximal")) is not None
        except TooLong:
            continue
    record_property(f"programs compared with the oracle, {engine} engine", compared)
    assert compared > count // 3


@pytest.mark.parametrize("engine", ["operational", "axiomatic"])
def test_d_order_holds_where_nothing_is_free(engine: str) -> None:
    """Keys alone can make a cycle once a static rule is broken: then no execution is legal."""
    assert same(ENGINES[engine][0], Both(two_hearts_of_one_token(), "maximal")) == 0
