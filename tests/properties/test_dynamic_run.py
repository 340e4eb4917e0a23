"""The machine against the brute-force oracle, on generated programs.

``run`` gives one execution: it must be legal, the only one where nothing is free, the maximal one
for an uncontrolled program. All lists of choices together must give exactly the legal ones.

A longer campaign: ``CONVCHECK_CASES=20000 python -m pytest tests/properties/test_dynamic_run.py``;
the seeds start at ``CONVCHECK_SEED``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from convergence.alignment import ConvergedWith
from convergence.parser import parse
from convergence.semantics import Illegal, Returned
from convergence.semantics.machine import Called, Chooser, executions
from convergence.semantics.machine.run import Outcome, Run, run
from tests.oracles.dynamic import Ended, Event, Legal, Mode
from tests.oracles.dynamic_search import legal
from tests.oracles.dynamic_traces import MASK, TooLong
from tests.oracles.programs_draw import Case, Shape
from tests.oracles.programs_generate import random_case, random_ill_formed_case
from tests.oracles.programs_known import (
    crossed_anchors,
    helper_called_twice,
    rfc,
    two_operations_under_one_heart,
    unnatural_counting,
)
from tests.oracles.programs_shrink import shrink
from tests.oracles.programs_strategy import cases

CASES = int(os.environ.get("CONVCHECK_CASES", "0"))
FIRST = int(os.environ.get("CONVCHECK_SEED", "0"))


def observe(done: Run) -> Legal:
    """A run in the oracle's terms."""
    return observed(done.execution.converged, done.outcome)


def observed(converged: ConvergedWith, outcome: Outcome) -> Legal:
    """A relation and an outcome in the oracle's terms."""
    alignment = frozenset(
        frozenset((i.thread, i.site.function, i.site.index, i.nth) for i in group)
        for group in converged.classes
    )
    ended = []
    for thread in outcome.threads:
        assert thread.ended == "returned" and isinstance(thread.value, int)
        events = []
        for event in thread.events:
            assert isinstance(event, Called) and event.group is not None
            (operand,) = event.operands
            assert isinstance(operand, int)
            group = frozenset(event.group.items())
            events.append(Event(event.callee.removeprefix("@"), operand & MASK, group))
        ended.append(Ended(thread.value & MASK, tuple(events)))
    return Legal(alignment, tuple(ended))


class Both:
    """One case for the machine and for the oracle."""

    def __init__(self, case: Case, mode: Mode, subgroup_size: int | None = None) -> None:
        self.case = case
        self.mode: Mode = mode
        self.size = subgroup_size
        self.module = parse(str(case.program))

    def __repr__(self) -> str:
        return f"({self.mode}, subgroup size {self.size}, {self.case!r})"

    def launch(self) -> dict[str, Any]:
        """The case as keywords of ``run``."""
        parameters = self.case.program.launched.parameters
        columns = zip(*self.case.arguments, strict=True)
        return {
            "function": self.case.program.launched.name,
            "threads": self.case.threads,
            "subgroup_size": self.size,
            "arguments": {p: list(column) for p, column in zip(parameters, columns, strict=True)},
            "uncontrolled": self.mode,
        }

    def run(self, chooser: Chooser | None = None) -> Run:
        return run(self.module, **self.launch(), chooser=chooser)

    def legal(self, limit: int = 300) -> frozenset[Legal]:
        longest = 200 if self.case.program.launched.is_controlled else 100  # the least relation is slow
        return legal(self.case, self.mode, self.size, limit, longest)

    def check(self) -> int:
        """``run`` shows a legal execution; returns how many there are."""
        found = self.legal()
        done = self.run()
        assert isinstance(done.ending, Returned), (done.ending, self.case)
        assert observe(done) in found, (self.mode, self.size, self.case)
        return len(found)

    def check_all(self, most: int = 400) -> int | None:
        """All lists of choices give exactly the legal executions; ``None`` if there are too many."""
        expected = self.legal()
        seen: set[Legal] = set()
        runs = 0
        for done, _ in islice(executions(self.run), most + 1):
            runs += 1
            if isinstance(done.ending, Illegal):
                continue
            assert isinstance(done.ending, Returned), (done.ending, self.case)
            seen.add(observe(done))
        if runs > most:
            assert seen <= expected, (self.mode, self.size, self.case)
            return None
        assert seen == expected, (self.mode, self.size, len(seen - expected), len(expected - seen), self.case)
        return len(expected)


def checked(check: Callable[[Both], int | None], seed: int, kind: str, size: int | None) -> int | None:
    """``check`` on the case of a seed; a failure is shrunk before it is reported.

    Raises TooLong where the oracle gives up.
    """
    shape, mode = KINDS[kind]

    def fails(case: Case) -> bool:
        try:
            check(Both(case, mode, size))
        except AssertionError:
            return True
        except TooLong:
            return False
        return False

    try:
        return check(Both(random_case(seed, shape), mode, size))
    except AssertionError:
        check(Both(shrink(seed, shape, fails), mode, size))
        raise


KINDS: dict[str, tuple[Shape, Mode]] = {
    "entry": (Shape(), "maximal"),
    "recursion": (Shape(helpers=3, statements=7), "maximal"),
    "anchors": (Shape(anchors=True, statements=4, depth=2, helpers=1), "maximal"),
    "mixed": (Shape(anchors=True, mixed=True, statements=4, depth=2), "maximal"),
    "uncontrolled-maximal": (Shape(controlled=False, statements=6), "maximal"),
    "uncontrolled-calls": (Shape(controlled=False, statements=4, helpers=1, calls=15, depth=1), "maximal"),
    "uncontrolled-none": (Shape(controlled=False, statements=6), "none"),
    "uncontrolled-any": (Shape(controlled=False, statements=4, depth=1, threads=3, helpers=1), "any"),
    "uncontrolled-mixed": (Shape(controlled=False, anchors=True, mixed=True, statements=4), "maximal"),
    "irreducible": (Shape(controlled=False, unstructured=True), "maximal"),
    "irreducible-anchors": (Shape(anchors=True, unstructured=True, threads=3), "maximal"),
    "irreducible-any": (Shape(controlled=False, unstructured=True, threads=3), "any"),
}
UNIQUE = {
    "entry",
    "recursion",
    "uncontrolled-maximal",
    "uncontrolled-calls",
    "uncontrolled-none",
    "irreducible",
}


KNOWN: list[tuple[Case, Mode]] = [
    *((rfc(start, nested), "maximal") for start in ("entry", "anchor") for nested in (False, True)),
    *((rfc(None), mode) for mode in ("maximal", "any", "none")),
    (crossed_anchors(), "maximal"),
    (two_operations_under_one_heart(), "maximal"),
    (unnatural_counting("entry"), "maximal"),
    (unnatural_counting("anchor"), "maximal"),
    (helper_called_twice(), "maximal"),
    (helper_called_twice(), "any"),
]


@pytest.mark.parametrize("number", range(len(KNOWN)))
def test_known_programs(number: int) -> None:
    case, mode = KNOWN[number]
    both = Both(case, mode)
    assert both.check_all(3_000) == both.check()


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_is_legal(kind: str) -> None:
    compared = 0
    count = CASES or 96
    for seed in range(FIRST, FIRST + count):
        try:
            found = checked(Both.check, seed, kind, (None, None, 1, 2)[seed % 4])
        except TooLong:
            continue
        if kind in UNIQUE:
            assert found == 1, seed
        compared += 1
    assert compared > count // 2


@pytest.mark.parametrize("kind", KINDS)
def test_all_choices_give_all_legal_executions(kind: str) -> None:
    compared = several = 0
    count = (CASES or 96) // 4
    for seed in range(FIRST, FIRST + count):
        try:
            found = checked(Both.check_all, -1 - seed, kind, (None, None, None, 2)[seed % 4])
        except TooLong:
            continue
        compared += found is not None
        several += (found or 0) > 1
    assert compared > count // 3
    if kind in UNIQUE:
        assert not several
    else:
        assert several > count // 20


@pytest.mark.parametrize("anchors", [False, True])
def test_programs_that_break_the_static_rules(anchors: bool) -> None:
    """Tokens mixed up, but defined: what the definition allows is found, and nothing is where it
    allows nothing (a thread that meets its own key again)."""
    shape = Shape(anchors=anchors, statements=4, depth=2, helpers=1)
    none = compared = 0
    count = CASES or 96
    for seed in range(FIRST, FIRST + count):
        both = Both(random_ill_formed_case(seed, shape), "maximal")
        try:
            expected = both.legal()
        except TooLong:
            continue
        done = both.run()
        if expected:
            assert isinstance(done.ending, Returned), (done.ending, both.case)
            assert observe(done) in expected, both.case
        else:
            assert not isinstance(done.ending, Returned), both.case
        both.check_all(100)
        compared += 1
        none += not expected
    assert compared > count // 2
    assert none > count // 50


@settings(max_examples=CASES or 24, deadline=None, suppress_health_check=list(HealthCheck))
@given(cases(Shape(anchors=True, mixed=True, statements=4, helpers=1, depth=1, threads=3)))
def test_small_programs(case: Case) -> None:
    """The same, drawn by hypothesis: what differs is shrunk."""
    try:
        Both(case, "maximal").check_all(100)
    except TooLong:
        assume(False)
