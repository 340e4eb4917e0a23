"""Who is together in the cases of an OpSwitch (R-CASE), against brute force over the extension's own text.

covers: sched.lockstep.conform, semantics.convergence.rules
"""

from __future__ import annotations

from collections import defaultdict
from random import Random

import pytest

from convergence.alignment import ConvergedWith
from convergence.ir.module import Module
from convergence.sched.enumeration import Enumeration
from convergence.sched.lockstep.policies import NAMES
from convergence.sched.lockstep.simulate import simulate_machine
from convergence.spirv import Reconvergence, read
from tests.launches import enumerate_axiomatic, explore, prepare
from tests.spirv.switch_programs import Event, SwitchShader, drawn, legal, text

Numbered = frozenset[tuple[str, frozenset[tuple[int, int]]]]
"""Groups at ballots, each thread with the number of its execution."""


def numbered(events: frozenset[Event]) -> Numbered:
    """The oracle's rounds as how often each thread has come there."""
    turns: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for name, turn, tangle in events:
        for thread in tangle:
            turns[name, thread].append(turn)
    return frozenset(
        (name, frozenset((t, sorted(turns[name, t]).index(turn) + 1) for t in tangle))
        for name, turn, tangle in events
    )


def groups(module: Module, relation: ConvergedWith) -> Numbered:
    """The groups at ballots."""
    result = set()
    for members in relation.classes:
        site = next(iter(members)).site
        name = module.functions[site.function].instructions[site.index].result or ""
        if name.startswith("b_") and not name.endswith(".0"):  # the anchor of one
            result.add((name, frozenset((m.thread, m.nth) for m in members)))
    return frozenset(result)


def found(module: Module, answer: Enumeration) -> set[Numbered]:
    assert answer.complete, answer.bound
    return {groups(module, a.execution.converged) for a in answer.alignments}


def shaders(seed: int, count: int, most: int) -> list[tuple[SwitchShader, set[Numbered]]]:
    """Random shaders with what is legal in them, those of more than one way to be together."""
    random, chosen = Random(seed), list[tuple[SwitchShader, set[Numbered]]]()
    while len(chosen) < count:
        shader = drawn(random)
        expected = {numbered(events) for events in legal(shader)}
        if 1 < len(expected) <= most:
            chosen.append((shader, expected))
    return chosen


@pytest.mark.parametrize(("engine", "count"), [(explore, 25), (enumerate_axiomatic, 8)])
def test_cases_are_entered_as_the_extension_says(engine: object, count: int) -> None:
    assert callable(engine)
    for shader, expected in shaders(14, count, 12):
        module = read(text(shader).encode())
        assert found(module, engine(module, threads=shader.threads, timeout=30.0)) == expected, text(shader)


def test_machines_conform_iff_their_cases_are_entered_so() -> None:
    """``heart`` always; the verdict on the others, against brute force."""
    verdicts = {True: 0, False: 0}
    for shader, expected in shaders(41, 10, 40):
        module = read(text(shader).encode())
        program, launch = prepare(module, threads=shader.threads)
        for policy in NAMES:
            answer = simulate_machine(program, launch, policy)
            if answer.refused is None:
                assert answer.execution is not None, (policy, text(shader))
                is_legal = groups(module, answer.execution.converged) in expected
                assert answer.conforms == is_legal, (policy, answer.departure, text(shader))
                assert answer.conforms or policy != "heart"
                verdicts[is_legal] += 1
    assert min(verdicts.values()) > 8, verdicts


def test_without_the_extension_no_less_is_legal() -> None:
    """What maximal reconvergence allows SPIR-V alone does, too (R-UNIFORM)."""
    compared = more = 0
    for shader, expected in shaders(73, 45, 2):
        if shader.threads > 2 or len(shader.switches) > 1:
            continue
        module = read(text(shader).encode(), model=Reconvergence.BASE)
        answer = explore(module, threads=shader.threads, max_executions=150)
        if answer.complete:
            legal_alone = found(module, answer)
            assert expected <= legal_alone, text(shader)
            compared, more = compared + 1, more + (expected != legal_alone)
    assert compared > 2 and more
