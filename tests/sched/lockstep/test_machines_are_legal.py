"""Generated programs on the machines, against the interpreter.

``heart`` must conform on every verified program. ``CONVCHECK_CASES`` and ``CONVCHECK_SEED`` as for the
comparison of runs.

covers: sched.lockstep.conform, sched.lockstep.machine
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from itertools import product

import pytest

from convergence.parser import parse
from convergence.sched.engines import enumerate as enumerate_all
from convergence.sched.lockstep.conform import departure
from convergence.sched.lockstep.policies import NAMES
from convergence.sched.lockstep.policy import MachineOptions
from convergence.sched.lockstep.simulate import Simulated, simulate_machine
from convergence.semantics import Returned
from convergence.semantics.machine.run import Group, run
from tests.launches import prepare
from tests.oracles.programs_generate import random_case
from tests.properties.test_dynamic_run import KINDS, Both
from tests.sched.lockstep.programs import on

CASES = int(os.environ.get("CONVCHECK_CASES", "0"))
FIRST = int(os.environ.get("CONVCHECK_SEED", "0"))
SELDOM = ("uncontrolled-any", "irreducible-anchors", "irreducible-any")
"""Kinds of programs whose operations may group in so many ways that machines hardly depart."""


def both(kind: str, seed: int) -> Both:
    shape, mode = KINDS[kind]
    return Both(random_case(seed, shape), mode, (None, None, 1, 2)[seed % 4])


def simulated(case: Both, policy: str) -> Simulated:
    program, launch = prepare(case.module, **case.launch())
    return simulate_machine(program, launch, policy)


@pytest.mark.parametrize("kind", KINDS)
def test_heart_conforms(kind: str) -> None:
    """With the interpreter's outcome where only one is legal, and the natural alignment of mode maximal."""
    together = 0
    for seed in range(FIRST, FIRST + (CASES or 110)):
        case = both(kind, seed)
        found = simulated(case, "heart")
        assert isinstance(found.ending, Returned), (found.ending, found.waits, case)
        assert found.conforms, (found.departure, case)
        if case.mode == "maximal":
            assert found.alignment_name in (None, "natural"), case
        if found.machine is not None and not found.machine.program.has_choices and case.mode != "any":
            done = run(case.module, **case.launch())
            assert found.outcome == done.outcome, case
            assert found.execution is not None
        together += any(len(group.members) > 1 for group in found.groups)
    if kind == "uncontrolled-none":
        assert not together
    else:
        assert together > (CASES or 110) // 8


@pytest.mark.parametrize("kind", KINDS)
def test_groups_looked_at_together_are_as_one_by_one(kind: str) -> None:
    """Where a machine departs, and whether it does."""
    departed = fitted = 0
    for seed in range(FIRST, FIRST + (CASES or 110) // 5):
        case = both(kind, seed)
        for policy in ("ipdom", "block-ip", "independent"):
            found = simulated(case, policy)
            if found.run is None or found.machine is None:
                continue
            for free in (True, False):
                quick, slow = (departure(found.machine, found.run, free, q) for q in (True, False))
                assert quick == slow, (policy, free, case)
                departed, fitted = departed + (slow is not None), fitted + (slow is None)
    assert fitted and (departed or kind in SELDOM)


@pytest.mark.parametrize("kind", ["entry", "recursion", "uncontrolled-maximal", "irreducible-any"])
def test_whatever_the_source_had_inside_its_loops_all_threads_return(kind: str) -> None:
    """Each block put inside each loop that it leaves: also where it leaves a loop around, too, and where it
    is a loop itself."""
    accepted = 0
    for seed in range(FIRST + 100, FIRST + 100 + (CASES or 20)):
        case = both(kind, seed)
        program, launch = prepare(case.module, **case.launch())
        names = [block.name for block in case.module.functions[case.launch()["function"]].blocks]
        for header, name, nested in product(names, names, (False, True)):
            options = MachineOptions(inside=((header, (name,)),), nested=nested)
            found = simulate_machine(program, launch, ("mask-stack", "predication")[seed % 2], options)
            if found.refused is None:
                assert isinstance(found.ending, Returned), (options, found.ending, found.waits, case)
                accepted += 1
    assert accepted > 2 * (CASES or 20)


@pytest.mark.parametrize("policy", NAMES)
@pytest.mark.parametrize(
    "kind", ["entry", "recursion", "anchors", "uncontrolled-maximal", "uncontrolled-any"]
)
def test_equal_groups_have_equal_outcomes(kind: str, policy: str) -> None:
    """A machine that groups as some execution of the interpreter does computes what that computes: the
    interpreter's first execution, or, where labels are choices, any of those that are enumerated."""
    same = 0
    for seed in range(FIRST, FIRST + (CASES or 110) // 10):
        case = both(kind, seed)
        found = simulated(case, policy)
        if found.refused is not None:
            continue
        assert isinstance(found.ending, Returned), (policy, found.ending, found.waits, case)
        done = run(case.module, **case.launch())
        if _operations(case, found.groups) == _operations(case, done.groups):
            assert found.outcome == done.outcome, (policy, case)
            same += 1
            continue
        if kind not in ("anchors", "uncontrolled-any"):
            continue
        listed = enumerate_all(case.module, **case.launch(), max_executions=60)
        for alignment in listed.alignments:
            if _operations(case, found.groups) == _operations(case, alignment.groups):
                outcomes = [listed.outcomes[at].outcome for at in alignment.outcomes]
                assert found.outcome in outcomes, (policy, case)
                same += 1
                break
    assert same or policy == "independent"


@pytest.mark.parametrize("kind", ["entry", "anchors", "mixed", "irreducible-anchors"])
def test_a_machine_conforms_iff_its_groups_are_among_all_legal_ones(kind: str) -> None:
    """The verdict, which goes through the groups once, against the list of all alignments. In mode any: how a
    machine groups uncontrolled operations is its own business (``mixed`` has some)."""
    verdicts = {True: 0, False: 0}
    for seed in range(FIRST, FIRST + (CASES or 110) // 10):
        case = both(kind, seed)
        listed = enumerate_all(case.module, **{**case.launch(), "uncontrolled": "any"}, max_executions=300)
        if not listed.complete:
            continue
        legal = {_operations(case, alignment.groups) for alignment in listed.alignments}
        for policy in NAMES:
            found = simulated(case, policy)
            if found.refused is None:
                listed_too = _operations(case, found.groups) in legal
                assert found.conforms == listed_too, (policy, found.departure, case)
                verdicts[found.conforms] += 1
    assert verdicts[True] > 50
    assert verdicts[False] >= {"entry": 3, "mixed": 1}.get(kind, 0)  # few groups below an anchor are illegal


def _operations(case: Both, groups: Sequence[Group]) -> frozenset[object]:
    """The groups of what communicates: no control intrinsic, no call that only enters a function."""
    defined = {f"@{function.name}" for function in case.module.definitions()}
    return frozenset(frozenset(g.members) for g in groups if not g.control and g.callee not in defined)


def test_an_anchor_in_a_loop_is_looked_at_in_time() -> None:
    """Its groups are as many as rounds, and any two might have been one: compared by twos and threes, 800
    took an hour."""
    module = parse(
        "define i32 @k(i32 %n) convergent {\nbegin:\n  br label %head\nhead:\n"
        "  %i = phi i32 [ 0, %begin ], [ %j, %head ]\n"
        "  %t = call token @llvm.experimental.convergence.anchor()\n"
        '  %s = call i32 @subgroupAdd(i32 %i) [ "convergencectrl"(token %t) ]\n'
        "  %j = add i32 %i, 1\n  %c = icmp ult i32 %j, %n\n  br i1 %c, label %head, label %exit\n"
        "exit:\n  ret i32 %s\n}\ndeclare i32 @subgroupAdd(i32) convergent\n"
        "declare token @llvm.experimental.convergence.anchor()\n"
    )
    started = time.process_time()
    for policy in ("heart", "independent"):
        found = on(policy, module, threads=4, arguments={"n": 800})
        assert found.conforms and len(found.groups) >= 800
    assert time.process_time() - started < 20
