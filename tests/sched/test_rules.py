"""The axioms against known answers and the brute-force oracle, and what their cores say."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any

import pytest
import z3

from convergence.alignment import DynamicInstance, StaticInstance, picture
from convergence.parser import parse
from convergence.sched.constraints.rules import all_of, any_of
from convergence.sched.enumeration import Enumeration
from convergence.semantics.machine import Called
from convergence.semantics.machine.launch import launch_spec
from tests.launches import enumerate_axiomatic, explore
from tests.oracles.dynamic import Ended, Event, Legal, Mode
from tests.oracles.dynamic_search import legal
from tests.oracles.dynamic_traces import MASK, TooLong
from tests.oracles.programs_draw import Case, Shape
from tests.oracles.programs_generate import random_case, random_ill_formed_case
from tests.oracles.programs_known import crossed_anchors, rfc
from tests.sched.unsat_core import Explanation, why_not

CONTROL = """
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.anchor()
declare token @llvm.experimental.convergence.loop()
declare i32 @subgroupAdd(i32) convergent
"""


def test_what_is_known_of_a_formula_is_not_asked() -> None:
    a, b = z3.Bools("a b")
    assert any_of() is False and all_of() is True
    assert any_of(a, True) is True and all_of(a, False) is False
    assert any_of(False, a) is a and all_of(True, a) is a
    assert any_of(a, False, b).eq(z3.Or(a, b)) and all_of(a, True, b).eq(z3.And(a, b))


def launch_of(case: Case, mode: Mode = "maximal", size: int | None = None) -> dict[str, Any]:
    columns = zip(*case.arguments, strict=True)
    return {
        "function": case.program.launched.name,
        "threads": case.threads,
        "subgroup_size": size,
        "arguments": {p: list(c) for p, c in zip(case.program.launched.parameters, columns, strict=True)},
        "uncontrolled": mode,
    }


def enumerated(case: Case, mode: Mode = "maximal", size: int | None = None) -> Enumeration:
    return enumerate_axiomatic(parse(str(case.program)), **launch_of(case, mode, size))


def in_the_oracles_terms(found: Enumeration) -> set[Legal]:
    """Every pair of an alignment and one of its outcomes."""
    pairs = set()
    for one in found.alignments:
        alignment = frozenset(
            frozenset((i.thread, i.site.function, i.site.index, i.nth) for i in group)
            for group in one.alignment
        )
        for place in one.outcomes:
            ended = []
            for thread in found.outcomes[place].outcome.threads:
                events = []
                for event in thread.events:
                    assert isinstance(event, Called) and event.group is not None
                    (operand,) = event.operands
                    assert isinstance(operand, int)
                    together = frozenset(event.group.items())
                    events.append(Event(event.callee.removeprefix("@"), operand & MASK, together))
                assert isinstance(thread.value, int)
                ended.append(Ended(thread.value & MASK, tuple(events)))
            pairs.add(Legal(alignment, tuple(ended)))
    return pairs


# -- known answers ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "nested", "mode", "count"),
    [
        (None, False, "any", 6),
        ("anchor", False, "maximal", 2),
        ("anchor", True, "maximal", 2),
        ("entry", False, "maximal", 1),
        ("entry", True, "maximal", 1),
        (None, False, "maximal", 1),
        (None, False, "none", 1),
    ],
)
def test_the_rfc_program(start: str | None, nested: bool, mode: Mode, count: int) -> None:
    found = enumerated(rfc(start, nested), mode)
    assert (len(found.alignments), found.complete, found.bound) == (count, True, None)


def test_the_two_acceptance_pictures() -> None:
    pictures = []
    for nested in (False, True):
        case = rfc("entry", nested)
        module = parse(str(case.program))
        (only,) = enumerate_axiomatic(module, **launch_of(case)).alignments
        pictures.append(picture(only.execution, module, case.program.launched.name))
    assert pictures == [
        ("A B - B C D", "A B C B C D"),
        ("A B B C - - D", "A B - C B C D"),
    ]


@pytest.mark.parametrize(("threads", "bell"), [(1, 1), (2, 2), (3, 5), (4, 15), (5, 52)])
def test_an_anchor_partitions_its_threads_in_every_way(threads: int, bell: int) -> None:
    text = (
        f"{CONTROL}define void @f() {{\n%t = call token @llvm.experimental.convergence.anchor()\nret void\n}}"
    )
    found = enumerate_axiomatic(parse(text), threads=threads)
    assert (len(found.alignments), len(found.outcomes), found.complete) == (bell, 1, True)


@pytest.mark.parametrize(("m", "n"), [(0, 3), (1, 1), (2, 3), (3, 3)])
def test_two_threads_pass_an_uncontrolled_operation(m: int, n: int) -> None:
    text = f"""{CONTROL}define void @f(i32 %n) {{
    entry:
      %none = icmp eq i32 %n, 0
      br i1 %none, label %end, label %loop
    loop:
      %i = phi i32 [ 1, %entry ], [ %next, %loop ]
      %v = call i32 @subgroupAdd(i32 1)
      %next = add i32 %i, 1
      %done = icmp eq i32 %i, %n
      br i1 %done, label %end, label %loop
    end:
      ret void
    }}"""
    found = enumerate_axiomatic(parse(text), threads=2, arguments={"n": [m, n]}, uncontrolled="any")
    assert (len(found.alignments), found.complete) == (comb(m + n, n), True)


# -- the oracle ---------------------------------------------------------------------------------------

KINDS: dict[str, tuple[Shape, Mode]] = {
    "entry": (Shape(), "maximal"),
    "recursion": (Shape(helpers=3, statements=7), "maximal"),
    "anchors": (Shape(anchors=True, statements=4, depth=2, helpers=1), "maximal"),
    "mixed": (Shape(anchors=True, mixed=True, statements=4, depth=2), "maximal"),
    "uncontrolled-maximal": (Shape(controlled=False, statements=6), "maximal"),
    "uncontrolled-none": (Shape(controlled=False, statements=6), "none"),
    "uncontrolled-any": (Shape(controlled=False, statements=4, depth=1, threads=3, helpers=1), "any"),
    "irreducible": (Shape(controlled=False, unstructured=True), "maximal"),
    "irreducible-anchors": (Shape(anchors=True, unstructured=True, threads=3), "maximal"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_models_are_the_legal_executions(kind: str) -> None:
    shape, mode = KINDS[kind]
    compared = 0
    for seed in range(500, 512):
        case, size = random_case(seed, shape), (None, None, 1, 2)[seed % 4]
        try:
            expected = legal(case, mode, size, 300, 100)
        except TooLong:
            continue
        found = enumerated(case, mode, size)
        assert found.complete, (found.bound, case)
        assert in_the_oracles_terms(found) == expected, (mode, size, case)
        compared += 1
    assert compared > 6


@pytest.mark.parametrize("anchors", [False, True])
def test_programs_that_break_the_static_rules(anchors: bool) -> None:
    """Where the definition allows nothing, no trace is complete: that is the outcome ``deadlock``."""
    nothing = compared = 0
    for seed in range(40):
        case = random_ill_formed_case(seed, Shape(anchors=anchors, statements=4, depth=2, helpers=1))
        try:
            expected = legal(case, "maximal", None, 300, 100)
        except TooLong:
            continue
        found = enumerated(case)
        assert in_the_oracles_terms(found) == expected if expected else not found.alignments, case
        operational = explore(parse(str(case.program)), max_executions=300, **launch_of(case))
        assert operational.same(found) or not operational.complete, case
        if not expected:
            assert [outcome.ending for outcome in found.outcomes] == ["deadlock"], case
        compared += 1
        nothing += not expected
    assert compared > 20
    assert nothing


TWICE = f"""{CONTROL}
define void @f() {{
entry:
  %t = call token @llvm.experimental.convergence.anchor()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 2
  br i1 %more, label %loop, label %end
end:
  ret void
}}
"""


@pytest.mark.parametrize("engine", [explore, enumerate_axiomatic])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_token_of_an_anchor_is_used_in_one_place_once(
    threads: int, engine: Callable[..., Enumeration]
) -> None:
    """Two uses of it by one thread would be converged (D-USE), and two of one thread never are (D-EQ)."""
    found = engine(parse(TWICE), threads=threads)
    assert found.complete and not found.alignments
    assert [outcome.ending for outcome in found.outcomes] == ["deadlock"]


def test_the_two_engines_agree() -> None:
    compared = 0
    for seed in range(700, 720):
        case = random_case(seed, Shape(anchors=True, mixed=True, statements=4, depth=2, helpers=1))
        module, launch = parse(str(case.program)), launch_of(case)
        operational = explore(module, max_executions=300, **launch)
        if operational.complete:
            axiomatic = enumerate_axiomatic(module, **launch)
            assert operational.same(axiomatic), case
            assert axiomatic.engine == "axiomatic"
            compared += 1
    assert compared > 10


# -- cores --------------------------------------------------------------------------------------------


class Asking:
    """Wishes for one case, with instances as (thread, name, nth)."""

    def __init__(self, case: Case, mode: Mode = "maximal") -> None:
        self.module = parse(str(case.program))
        self.launch = launch_of(case, mode)
        self.function = self.module.functions[case.program.launched.name]

    def instance(self, thread: int, name: str, nth: int) -> DynamicInstance:
        (index,) = [n for n, i in enumerate(self.function.instructions) if i.result == name]
        return DynamicInstance(thread, StaticInstance(self.function.name, index), nth)

    def why(self, together: list[Any], apart: list[Any] | None = None) -> Explanation:
        wishes = [
            [tuple(self.instance(*i) for i in pair) for pair in pairs] for pairs in (together, apart or [])
        ]
        return why_not(self.module, launch_spec(**self.launch), wishes[0], wishes[1])  # type: ignore[arg-type]  # pairs


def test_different_iterations_do_not_meet_by_d_loop() -> None:
    found = Asking(rfc("entry")).why([((0, "sum", 2), (1, "sum", 1))])
    assert not found.possible
    assert [rule.id for rule in found.rules] == ["D-LOOP", "D-USE"]
    named = {(i.thread, i.nth) for b in found.because for i in b.instances}
    assert named == {(0, 2), (1, 1)}


def test_what_some_execution_grants_has_no_reason() -> None:
    asking = Asking(rfc("anchor"))
    assert asking.why([((0, "sum", 2), (1, "sum", 2))]).possible
    apart = asking.why([((0, "sum", 1), (1, "sum", 1))], [((0, "sum", 2), (1, "sum", 2))])
    assert not apart.possible
    assert [rule.id for rule in apart.rules] == ["D-LOOP", "D-USE"]


def test_crossed_anchors_break_d_order() -> None:
    crossed = [((0, "t2", 1), (1, "t2", 2)), ((0, "t2", 2), (1, "t2", 1))]
    found = Asking(crossed_anchors()).why(crossed)
    assert [rule.id for rule in found.rules] == ["D-ORDER"]
    assert Asking(crossed_anchors()).why(crossed[:1]).possible


def test_two_instances_of_one_thread_never_meet() -> None:
    pairs = [((0, "sum", 1), (1, "sum", 1)), ((0, "sum", 2), (1, "sum", 1))]
    found = Asking(rfc(None), "any").why(pairs)
    assert [rule.id for rule in found.rules] == ["D-EQ"]


def test_what_only_undefined_executions_do_is_no_legal_execution() -> None:
    """Who is alone at the anchor comes to ``unreachable``: no legal execution has the two apart."""
    text = f"""{CONTROL}define void @f() {{
      %t = call token @llvm.experimental.convergence.anchor()
      %n = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
      %alone = icmp eq i32 %n, 1
      br i1 %alone, label %never, label %end
    never:
      unreachable
    end:
      ret void
    }}"""
    module, spec = parse(text), launch_spec(threads=2)
    pair = [(DynamicInstance(0, StaticInstance("f", 0), 1), DynamicInstance(1, StaticInstance("f", 0), 1))]
    assert why_not(module, spec, pair).possible
    apart = why_not(module, spec, [], pair)
    assert not apart.possible and not apart.missing and apart.bound is None


def test_an_instance_that_is_never_executed_is_named() -> None:
    asking = Asking(rfc("entry"))
    found = asking.why([((0, "sum", 3), (1, "sum", 1))])
    assert not found.possible
    assert found.missing == (asking.instance(0, "sum", 3),)


@pytest.mark.parametrize("size", [1, 2])
def test_launch_groups_never_meet(size: int) -> None:
    case = random_case(3, Shape(threads=4))
    found = enumerated(case, "maximal", size)
    assert found.alignments
    for one in found.alignments:
        for group in one.alignment:
            assert len({i.thread // size for i in group}) == 1
