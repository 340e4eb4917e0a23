"""The dynamic oracle against answers known from elsewhere, and against itself.

The long campaign: ``CONVCHECK_CASES=100000 python -m pytest tests/properties/test_dynamic_oracle.py``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import comb

import pytest
from hypothesis import HealthCheck, assume, given, settings

from tests.oracles.dynamic import (
    Execution,
    Legal,
    is_uncontrolled,
    legal_by_definition,
    maximal_of,
    violations,
)
from tests.oracles.dynamic_maximal import At, cycles, maximal_from_the_text
from tests.oracles.dynamic_search import Search, legal
from tests.oracles.dynamic_traces import Node, Threads, TooLong
from tests.oracles.programs import (
    Anchor,
    Entry,
    Exchange,
    Loop,
    check_with_llvm,
)
from tests.oracles.programs_draw import Case, Shape
from tests.oracles.programs_generate import random_case, random_ill_formed_case
from tests.oracles.programs_known import (
    IRREDUCIBLE_P_FIRST,
    IRREDUCIBLE_R_FIRST,
    NATURAL_LOOP,
    Shown,
    along_paths,
    crossed_anchors,
    helper_called_twice,
    rfc,
    two_hearts_of_one_token,
    two_operations_under_one_heart,
    unnatural_counting,
)
from tests.oracles.programs_strategy import cases

CASES = int(os.environ.get("CONVCHECK_CASES", "0"))
FEW = settings(max_examples=CASES or 60, deadline=None, suppress_health_check=list(HealthCheck))
MANY = CASES or 600


def sums(found: frozenset[Legal]) -> list[tuple[int, ...]]:
    """What each thread returned, per execution."""
    return sorted(tuple(e.returned for e in x.outcome) for x in found)


# -- known answers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("search", [legal, legal_by_definition])
class TestTheRfcProgram:
    """semantics.md §5; sums are returned as two decimal digits each."""

    def test_uncontrolled_any(self, search) -> None:  # type: ignore[no-untyped-def]
        assert len(search(rfc(None), "any")) == 6

    def test_uncontrolled_maximal_is_natural(self, search) -> None:  # type: ignore[no-untyped-def]
        assert sums(search(rfc(None), "maximal")) == [(1111, 1111)]

    def test_uncontrolled_none(self, search) -> None:  # type: ignore[no-untyped-def]
        assert sums(search(rfc(None), "none")) == [(101, 1010)]

    def test_natural(self, search) -> None:  # type: ignore[no-untyped-def]
        assert sums(search(rfc("entry"))) == [(1111, 1111)]
        assert sums(search(rfc("anchor"))) == [(101, 1010), (1111, 1111)]

    def test_nested(self, search) -> None:  # type: ignore[no-untyped-def]
        assert sums(search(rfc("entry", nested=True))) == [(1101, 1110)]
        assert sums(search(rfc("anchor", nested=True))) == [(101, 1010), (1101, 1110)]

    def test_launch_groups(self, search) -> None:  # type: ignore[no-untyped-def]
        assert sums(search(rfc("entry"), subgroup_size=1)) == [(101, 1010)]
        assert sums(search(rfc(None), "any", subgroup_size=1)) == [(101, 1010)]


@pytest.mark.parametrize(("threads", "bell"), [(1, 1), (2, 2), (3, 5), (4, 15), (5, 52)])
def test_an_anchor_reached_once_has_bell_many_alignments(threads: int, bell: int) -> None:
    cfg = {"A": Shown([("anchor", "t", None), ("sum", "sum", "t")], [])}
    case = along_paths(cfg, ["A"] * threads, range(threads), False)
    assert len(legal(case)) == bell
    if threads < 4:
        assert legal(case) == legal_by_definition(case)


@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("n", [1, 2, 4])
def test_an_uncontrolled_operation_passed_m_and_n_times(m: int, n: int) -> None:
    cfg = {"A": Shown([("sum", "sum", None)], ["A", "D"]), "D": Shown([], [])}
    case = along_paths(cfg, [" ".join(["A"] * k + ["D"]) for k in (m, n)], (1, 10))
    assert len(legal(case, "any")) == comb(m + n, n)
    assert len(legal(case, "maximal")) == len(legal(case, "none")) == 1


def test_crossed_anchor_labels_are_rejected_by_order() -> None:
    """Two threads pass t2 twice: C(4, 2) ways in order; crossing is never legal."""
    found = legal(crossed_anchors())
    assert found == legal_by_definition(crossed_anchors())
    anchor = next(
        i
        for i, x in enumerate(crossed_anchors().program.launched.instructions())
        if isinstance(x, Anchor) and x.result == "t2"
    )
    for execution in found:
        pairs = {
            tuple(nth for _, _, _, nth in sorted(group))
            for group in execution.alignment
            if len(group) == 2 and next(iter(group))[2] == anchor
        }
        assert pairs in [set(), {(1, 1)}, {(2, 2)}, {(1, 1), (2, 2)}, {(1, 2)}, {(2, 1)}]
    labels = {x.alignment for x in found}
    assert len(labels) == len(found)
    # t0 together: the hearts meet pairwise, so t2 does pairwise or not at all (4 ways); else 6 ways
    assert len(found) == 4 + 6


@pytest.mark.parametrize("search", [legal, legal_by_definition])
def test_two_operations_in_different_iterations(search) -> None:  # type: ignore[no-untyped-def]
    """LLVM's rationale: neither converges under one heart; under unnatural counting op.1 does, and then
    D-ORDER forbids op.2."""
    assert sums(search(two_operations_under_one_heart())) == [(101, 1010)]
    assert sums(search(unnatural_counting("entry"))) == [(1101, 1011)]
    assert sums(search(unnatural_counting("anchor"))) == [(101, 1010), (111, 1110), (1101, 1011)]


def test_headers_count_per_frame() -> None:
    assert sums(legal(helper_called_twice(), "maximal")) == [(1111, 1111)]


def test_known_programs_are_ir() -> None:
    known = [
        rfc(None),
        rfc("anchor"),
        rfc("entry", True),
        crossed_anchors(),
        two_operations_under_one_heart(),
    ]
    for case in known:
        check_with_llvm(case.program)


def columns(cfg: Mapping[str, Shown], paths: Sequence[str]) -> set[frozenset[tuple[int, str, int]]]:
    """The classes of two or more block visits, as (thread, block, nth), mode ``maximal``."""
    case = along_paths(cfg, paths, [1] * len(paths))
    (execution,) = legal(case, "maximal")
    function = case.program.launched
    block_of = {
        function.first_index[b.name] + k: b.name
        for b in function.blocks
        for k, i in enumerate(b.body)
        if isinstance(i, Exchange)
    }
    return {
        frozenset((t, block_of[index], nth) for t, _, index, nth in group)
        for group in execution.alignment
        if len(group) > 1
    }


def table(*rows: str) -> set[frozenset[tuple[int, str, int]]]:
    """The same from a table: a column a word, ``-`` for nobody."""
    grid = [row.split() for row in rows]
    seen: dict[tuple[int, str], int] = {}
    found = []
    for column in zip(*grid, strict=True):
        members = []
        for thread, block in enumerate(column):
            if block != "-":
                seen[thread, block] = seen.get((thread, block), 0) + 1
                members.append((thread, block, seen[thread, block]))
        if len(members) > 1:
            found.append(frozenset(members))
    return set(found)


class TestTablesOfConvergenceAndUniformity:
    """LLVM's page prints these."""

    def test_natural_loop(self) -> None:
        paths = ["Entry H B L H L Exit", "Entry H L H B L H B L Exit"]
        assert columns(NATURAL_LOOP, paths) == table(
            "Entry H B L H - L - - - Exit",
            "Entry H - L H B L H B L Exit",
        )

    def test_nested_irreducible_cycles(self) -> None:
        assert [h for h, _ in cycles(along_paths(IRREDUCIBLE_R_FIRST, [], []).program.launched)] == ["R", "S"]
        paths = ["Entry P Q S P Q R S Exit", "Entry P Q R S Exit", "Entry R S Exit"]
        assert columns(IRREDUCIBLE_R_FIRST, paths) == table(
            "Entry P Q S P Q R S Exit",
            "Entry P Q - - - R S Exit",
            "Entry - - - - - R S Exit",
        )

    def test_divergent_branch_inside(self) -> None:
        paths = ["Entry P Q R S P Q R S Exit", "Entry P Q S P Q R S Exit"]
        assert columns(IRREDUCIBLE_R_FIRST, paths) >= table(
            "Entry P Q - - - R S",
            "Entry P Q S P Q R S",
        )
        assert columns(IRREDUCIBLE_P_FIRST, paths) == table(
            "Entry P Q R S P Q R S Exit",
            "Entry P Q - S P Q R S Exit",
        )

    def test_divergent_branch_outside(self) -> None:
        paths = ["Entry P Q R S P Q S Exit", "Entry R S P Q S P Q R S Exit"]
        assert columns(IRREDUCIBLE_P_FIRST, paths) == table(
            "Entry - - P Q R S P Q - S Exit",
            "Entry R S P Q - S P Q R S Exit",
        )
        assert columns(IRREDUCIBLE_R_FIRST, paths) == table(
            "Entry P Q R S P Q S - - - - Exit",
            "Entry - - R S P Q S P Q R S Exit",
        )


# -- the oracle against itself ----------------------------------------------------------------------

TINY = Shape(anchors=True, mixed=True, statements=3, helpers=1, depth=1, threads=2, most=2)
SMALL = Shape(anchors=True, mixed=True, statements=5, helpers=1, depth=2, threads=3)
UNCONTROLLED = Shape(controlled=False)
IRREDUCIBLE = Shape(controlled=False, unstructured=True)


TINY_UNCONTROLLED = replace(TINY, controlled=False)


@pytest.mark.parametrize(
    ("mode", "shape", "draw"),
    [
        ("maximal", TINY, random_case),
        ("maximal", TINY, random_ill_formed_case),
        ("maximal", TINY_UNCONTROLLED, random_case),
        ("any", TINY_UNCONTROLLED, random_case),
        ("none", TINY_UNCONTROLLED, random_case),
        ("maximal", Shape(anchors=True, unstructured=True, threads=3), random_case),
        ("any", Shape(controlled=False, unstructured=True, threads=3), random_case),
    ],
)
def test_the_search_misses_nothing(mode, shape: Shape, draw) -> None:  # type: ignore[no-untyped-def]
    """Every relation that D-EQ, D-ORDER and D-THREAD allow, filtered by every rule: the same."""
    compared = several = none = 0
    for seed in range(MANY // 20):
        case = draw(seed, shape)
        try:
            expected = legal_by_definition(case, mode)
        except TooLong:
            continue
        assert legal(case, mode, limit=10_000) == expected, case
        compared += 1
        several += len(expected) > 1
        none += not expected
    assert compared > MANY // 50
    assert several
    if draw is random_case:
        assert not none


def _complete(case: Case, mode, limit: int = 300) -> list[Execution]:  # type: ignore[no-untyped-def]
    return list(Search(case, mode, limit=limit).executions())


@pytest.mark.parametrize(
    "shape", [UNCONTROLLED, IRREDUCIBLE, Shape(False, anchors=True, mixed=True, statements=5)]
)
def test_the_least_relation_is_the_one_of_the_text(shape: Shape) -> None:
    compared = 0
    for seed in range(MANY // 10):
        case = random_case(seed, shape)
        try:
            executions = _complete(case, "maximal", 40)
        except TooLong:
            continue
        for execution in executions[:3]:
            if sum(len(t.nodes) for t in execution.traces) > 60:
                continue
            given = [m for m in execution.members.values() if not is_uncontrolled(execution.node(m[0]))]
            literal = maximal_from_the_text(
                case.program, execution.traces, execution.launched_together, given
            )
            fast = maximal_of(execution)
            pairs = {
                (a, b)
                for t, trace in enumerate(execution.traces)
                for p in range(len(trace.nodes))
                for a in [(t, p)]
                for b in fast.mates(a)
                if a != b
            }
            assert pairs == literal, case
            compared += 1
    assert compared > MANY // 40


@FEW
@given(cases(SMALL))
def test_generated_programs_are_ir(case: Case) -> None:
    check_with_llvm(case.program)


def test_random_programs_are_ir() -> None:
    """LLVM's verifier agrees that the static rules hold."""
    for seed in range(MANY):
        for shape in (SMALL, Shape(), UNCONTROLLED, IRREDUCIBLE):
            if (seed + len(repr(shape))) % 4 == 0:
                check_with_llvm(random_case(seed, shape).program)


def test_the_checker_rejects_what_it_should() -> None:
    """Splitting or merging classes of the only legal execution breaks the rule it should."""
    seen: set[str] = set()
    for seed in range(MANY // 15):
        case = random_case(seed, Shape(statements=6, threads=3))
        try:
            (execution,) = _complete(case, "maximal")
        except TooLong:
            continue
        threads = Threads(case.program, case.arguments)
        assert violations(execution, threads) == set()
        for number, members in list(execution.members.items()):
            if len(members) > 1:
                changed = dict(execution.members)
                changed[number], changed[-1] = members[:1], members[1:]
                class_of = {at: c for c, group in changed.items() for at in group}
                split = replace(execution, class_of=class_of, members=changed)
                broken = violations(split, threads)
                assert broken, case
                seen |= broken
    assert seen >= {"D-ENTRY", "D-LOOP", "D-USE", "D-THREAD"}


# -- the two facts of semantics.md §2 ---------------------------------------------------------------


def key(execution: Execution, at: At) -> object:
    """Fact 1: entry(site, caller's key | launch group), loop(site, key of T, n), use(site, key of T),
    anchor(site, label), free(site, label): what each thread computes alone, but for labels."""
    thread, position = at
    trace = execution.traces[thread]
    node: Node = trace.nodes[position]
    site = node.site
    token = None if node.token is None else key(execution, (thread, node.token))
    match node.instruction:
        case Entry():
            call = trace.frames[node.frame].call
            return (site, execution.group[thread] if call is None else key(execution, (thread, call)))
        case Loop():
            count = sum(n.site == node.site and n.token == node.token for n in trace.nodes[:position])
            return (site, token, count)
        case _ if token is not None:
            return (site, token)
        case _:
            return (site, "label", execution.class_of[at])


def check_keys(case: Case, mode) -> int:  # type: ignore[no-untyped-def]
    executions = _complete(case, mode)
    for execution in executions:
        by_key: dict[object, set[At]] = {}
        for at in execution.class_of:
            by_key.setdefault(key(execution, at), set()).add(at)
        assert {frozenset(g) for g in by_key.values()} == {frozenset(m) for m in execution.members.values()}
    return len(executions)


def check_unique(case: Case) -> bool:
    """Fact 2: without free choices one legal execution; the search met no other candidate, even a
    cyclic one. Returns whether a function called itself."""
    search = Search(case, limit=1_000)
    candidates = list(search.candidates())
    assert len(candidates) == 1, case
    assert violations(candidates[0], search.threads) == set(), case
    return any(
        f.call is not None and trace.frames[trace.nodes[f.call].frame].function == f.function
        for trace in candidates[0].traces
        for f in trace.frames
    )


ENTRY_ONLY = Shape()
RECURSIVE = Shape(helpers=3, statements=7)


@FEW
@given(cases(SMALL))
def test_keys_hypothesis(case: Case) -> None:
    try:
        check_keys(case, "maximal")
    except TooLong:
        assume(False)


def test_fact_1_keys() -> None:
    """≡ is equality of keys, in every legal execution; anchors, calls and recursion too."""
    executions = 0
    for seed in range(MANY // 10):
        for shape in (SMALL, RECURSIVE, Shape(False, anchors=True, mixed=True, statements=5)):
            try:
                executions += check_keys(random_case(seed, shape), "maximal")
            except TooLong:
                continue
    assert executions > MANY // 6


def test_fact_2_one_execution_no_deadlock() -> None:
    """Across calls and recursion too."""
    recursive = 0
    checked = 0
    for seed in range(MANY):
        case = random_case(seed, (ENTRY_ONLY, RECURSIVE)[seed % 2])
        assert not case.program.has_free_choices
        try:
            recursive += check_unique(case)
        except TooLong:
            continue
        checked += 1
    assert checked > MANY * 4 // 5 and recursive > MANY // 20


@FEW
@given(cases(RECURSIVE))
def test_fact_2_hypothesis(case: Case) -> None:
    try:
        check_unique(case)
    except TooLong:
        assume(False)


def test_fact_2_needs_the_static_rules() -> None:
    """A use of an outer token inside a loop: a thread meets its key again, and nothing is legal."""
    cfg = {
        "A": Shown([("entry", "t", None)], ["B"]),
        "B": Shown([("sum", "sum", "t")], ["B", "D"]),
        "D": Shown([], []),
    }
    assert legal(along_paths(cfg, ["A B B D", "A B D"], [1, 10])) == frozenset()


def test_without_the_static_rules_keys_can_make_a_cycle() -> None:
    """The only relation that the other rules allow is refused by D-ORDER alone."""
    case = two_hearts_of_one_token()
    search = Search(case)
    (candidate,) = search.candidates()
    assert violations(candidate, search.threads) == {"D-ORDER"}
    assert legal(case) == legal_by_definition(case) == frozenset()


def test_maximal_is_one_execution() -> None:
    """An uncontrolled program has exactly one legal execution in modes ``maximal`` and ``none``."""
    for seed in range(MANY // 3):
        case = random_case(seed, (UNCONTROLLED, IRREDUCIBLE)[seed % 2])
        try:
            assert len(legal(case, "maximal", longest=80)) == 1, case
            assert len(legal(case, "none", longest=80)) == 1, case
        except TooLong:
            continue
