"""The order of blocks in the text changes no answer; only the entry block has to come first.

The exception is where the definition says text order: names ``@callee#k``, and the machine that runs blocks
by their numbers. Instances are compared by where they stood before.
``CONVCHECK_CASES`` and ``CONVCHECK_SEED`` as for the comparison of runs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Literal

import pytest

import convergence as cc
from convergence.alignment import ConvergedWith
from convergence.refine import refine
from convergence.sched.lockstep.policies import NAMES
from tests.oracles.block_order import permuted
from tests.oracles.programs_draw import RandomSource
from tests.oracles.programs_generate import random_case, random_ill_formed_case
from tests.oracles.programs_memory import Style, in_memory

from .test_dynamic_run import CASES, FIRST, KINDS, Both

STYLES = (None, Style(), Style(leaks=True, calls=True))
Places = Mapping[str, Mapping[int, int]]


@dataclass(frozen=True)
class Two:
    """A program and the same one with its blocks in another order. ``places`` are the second one's
    instructions, as numbers in the first."""

    seed: int
    first: cc.Module
    second: cc.Module
    places: Places
    launch: Mapping[str, Any]


def programs(count: int, well_formed: bool = True) -> Iterator[Two]:
    for seed in range(FIRST, FIRST + (CASES or count)):
        shape, mode = KINDS[list(KINDS)[seed % len(KINDS)]]
        draw = random_case if well_formed else random_ill_formed_case
        case = draw(7_000_000 + seed, replace(shape, statements=5))
        style = STYLES[seed // len(KINDS) % len(STYLES)]
        random = Random(seed)
        text = (
            str(case.program) if style is None else in_memory(RandomSource(random), case.program, style).text
        )
        other, places = permuted(text, random)
        if other != text:
            yield Two(seed, cc.parse(text), cc.parse(other), places, Both(case, mode).launch())


def classes(relation: ConvergedWith, places: Places | None = None) -> frozenset[object]:
    return frozenset(
        frozenset(
            (
                i.thread,
                i.site.function,
                places[i.site.function][i.site.index] if places else i.site.index,
                i.nth,
            )
            for i in group
        )
        for group in relation.classes
    )


def shown(outcome: object, places: Places | None = None) -> str:
    """An outcome, whose events say where they stood."""

    def before(found: re.Match[str]) -> str:
        index = int(found[2])
        return f"function='{found[1]}', index={places[found[1]][index] if places else index}"

    return re.sub(r"function='([\w.]+)', index=(\d+)", before, repr(outcome))


def test_verify() -> None:
    broken = 0
    for well_formed in (True, False):
        for two in programs(120, well_formed):
            first, second = (
                Counter((d.rule, d.message) for d in cc.verify(module)) for module in (two.first, two.second)
            )
            assert first == second, two.seed
            broken += bool(first)
    assert broken


def test_run() -> None:
    for two in programs(72):
        first, second = cc.run(two.first, **two.launch), cc.run(two.second, **two.launch)
        assert type(first.ending) is type(second.ending), two.seed
        assert classes(first.execution.converged) == classes(second.execution.converged, two.places), two.seed
        assert shown(first.outcome) == shown(second.outcome, two.places), two.seed


@pytest.mark.parametrize("engine", ["operational", "axiomatic"])
def test_enumerate(engine: Literal["operational", "axiomatic"]) -> None:
    def answers(found: cc.Enumeration, places: Places | None = None) -> set[object]:
        return {
            (
                classes(a.execution.converged, places),
                frozenset(
                    (found.outcomes[n].ending, shown(found.outcomes[n].outcome, places)) for n in a.outcomes
                ),
            )
            for a in found.alignments
        }

    compared = several = 0
    for two in programs(18):
        first, second = (
            cc.enumerate(module, engine=engine, timeout=5.0, **two.launch)
            for module in (two.first, two.second)
        )
        if first.complete and second.complete:
            assert answers(first) == answers(second, two.places), two.seed
            compared += 1
            several += len(first.alignments) > 1
    assert compared > 6
    assert several


@pytest.mark.parametrize("policy", [name for name in NAMES if name != "block-ip"])
def test_simulate(policy: str) -> None:
    for two in programs(24):
        first, second = (cc.simulate(m, policy=policy, **two.launch) for m in (two.first, two.second))
        for one, other in zip(first, second, strict=True):
            assert type(one.ending) is type(other.ending), two.seed
            assert (one.execution is None) is (other.execution is None), two.seed
            if one.execution is not None and other.execution is not None:
                mine = classes(one.execution.converged)
                assert mine == classes(other.execution.converged, two.places), two.seed


def test_refine() -> None:
    """Nothing is found to differ; a bound may leave it open whether something does."""
    decided = 0
    for two in programs(14):
        answer = refine(
            two.first, two.second, function="main", max_launches=3, max_executions=60, max_steps=5_000,
            timeout=5.0, shortcut=False, races=False,
        )  # fmt: skip
        assert answer.counterexample is None, two.seed
        assert answer.verdict in ("equal", "unknown"), two.seed
        decided += answer.verdict == "equal"
    assert decided > 4
