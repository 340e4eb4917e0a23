"""Both engines' enumerations against the brute-force oracle, on generated programs.

``CONVCHECK_CASES`` and ``CONVCHECK_SEED`` as for the comparison of runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random

import pytest

from convergence.parser import parse
from convergence.sched.enumeration import Enumeration
from tests.launches import enumerate_axiomatic, explore
from tests.oracles.dynamic import Legal
from tests.oracles.dynamic_traces import TooLong
from tests.oracles.programs_draw import RandomSource, Shape
from tests.oracles.programs_generate import random_case, random_ill_formed_case
from tests.oracles.programs_known import two_hearts_of_one_token
from tests.oracles.programs_memory import Style, in_memory

from .test_dynamic_run import CASES, FIRST, KINDS, KNOWN, UNIQUE, Both, observed

Engine = Callable[..., Enumeration]
ENGINES: dict[str, tuple[Engine, int]] = {
    "operational": (explore, 60),
    "axiomatic": (enumerate_axiomatic, 30),
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
def test_generated_programs(engine: str, kind: str, record_property: Callable[[str, object], None]) -> None:
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
    assert bool(several) == (kind not in UNIQUE)


PRIVATE = {
    "all": Style(),
    "some": Style(values=2),
    "helpers": Style(calls=True),
    "addresses in slots": Style(values=2, calls=True, addresses=True),
}
"""Whose state is in allocas that no other thread can know: legal is what is legal without them."""
SHARED = {
    "known to all": Style(calls=True, leaks=True),
    "shared": Style(shared=8),
    "at computed places": Style(shared=4, computed=True),
    "at computed places, state in registers": Style(values=1, shared=4, computed=True),
    "shared, addresses in slots": Style(values=2, calls=True, shared=6, addresses=True),
}
"""Where an order of memory has a say that the oracle does not know."""
WAYS: dict[str, tuple[Engine, dict[str, bool]]] = {
    "without pruning": (explore, {"prune": False}),
    "without reduction": (explore, {"reduce": False}),
    "axiomatic": (enumerate_axiomatic, {}),
}


def in_terms_of(legal: Legal, places: Mapping[str, Mapping[int, int]]) -> Legal:
    """The instances by where they stand in the program whose state is not in memory."""
    return legal._replace(
        alignment=frozenset(frozenset((t, f, places[f][i], n) for t, f, i, n in g) for g in legal.alignment)
    )


@pytest.mark.parametrize("style", PRIVATE)
@pytest.mark.parametrize("engine", ENGINES)
def test_state_in_private_memory_changes_nothing(
    engine: str, style: str, record_property: Callable[[str, object], None]
) -> None:
    enumerate_, count = ENGINES[engine]
    compared = several = 0
    count = CASES or count // 4
    for seed in range(FIRST, FIRST + count):
        shape, mode = KINDS[list(KINDS)[seed % len(KINDS)]]
        case = random_case(5_000_000 + seed, replace(shape, statements=4))
        both = Both(case, mode)
        memory = in_memory(RandomSource(Random(seed)), case.program, PRIVATE[style])
        try:
            expected = both.legal()
        except TooLong:
            continue
        answer = enumerate_(parse(memory.text), **both.launch(), timeout=8.0, max_steps=20_000)
        mine = {in_terms_of(legal, memory.places) for legal in found(answer)}
        assert mine <= expected, (seed, memory.text)
        if answer.complete:
            assert mine == expected, (seed, memory.text)
            compared += 1
            several += len(mine) > 1
    record_property(f"programs with state in allocas compared, {engine} engine", compared)
    assert compared > count // 3
    assert several


@pytest.mark.parametrize("style", SHARED)
def test_switches_and_engines_agree_about_memory_that_others_know(
    style: str, record_property: Callable[[str, object], None]
) -> None:
    compared = dict.fromkeys(WAYS, 0)
    count = CASES or 16
    for seed in range(FIRST, FIRST + count):
        shape, mode = KINDS[list(KINDS)[seed % len(KINDS)]]
        case = random_case(6_000_000 + seed, replace(shape, statements=3, threads=2))
        memory = in_memory(RandomSource(Random(seed)), case.program, SHARED[style])
        module, launch = parse(memory.text), Both(case, mode).launch()
        answer = explore(module, **launch, max_executions=600, timeout=4.0, max_steps=20_000)
        if not answer.complete:
            continue
        for way, (engine, switches) in WAYS.items():
            other = engine(module, **launch, **switches, timeout=2.0, max_steps=20_000)
            if other.complete:
                assert other.same(answer), (way, seed, memory.text)
                compared[way] += 1
    record_property(f"programs with memory that others know compared, {style}", compared)
    assert min(compared.values()) > count // 8


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
