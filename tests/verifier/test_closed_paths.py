"""The rules that speak of closed paths.

covers: verifier.facts
"""

from __future__ import annotations

import time

import pytest

from convergence.diagnostics import Witness
from convergence.rules import VerifierDifference
from convergence.verifier.closed_paths import PathSearch, crossings, s_cycle_twice, s_cycle_use
from convergence.verifier.facts import FunctionFacts, ModuleFacts, SearchBudget, closed_path_through

from .saying import errors, module, rules

LOOP = """
define void @f(i1 %c) {{
a:
  %t = ANCHOR
  br label %h
h:
  {}
  br label %b
b:
  {}
  br i1 %c, label %h, label %e
e:
  {}
  ret void
}}"""


def loop(header: str = "", body: str = "", exit_: str = "") -> list[str]:
    return rules(LOOP.format(header, body, exit_))


def test_use_in_a_cycle_without_its_definition() -> None:
    assert loop(header="BARRIER {%t}]") == ["S-CYCLE-USE"]
    assert loop(body="BARRIER {%t}]") == ["S-CYCLE-USE", "S-HEART-DOM"]
    assert loop(exit_="BARRIER {%t}]") == []
    assert loop(header="%u = LOOP {%t}]", body="BARRIER {%u}]") == []
    assert loop(header="%u = ANCHOR", body="BARRIER {%u}]") == []


def test_anchor_with_a_token_is_a_use_other_than_by_loop() -> None:
    assert loop(header="%u = ANCHOR {%t}]") == ["S-CYCLE-USE", "S-LOOP-TOKEN"] or loop(
        header="%u = ANCHOR {%t}]"
    ) == ["S-LOOP-TOKEN", "S-CYCLE-USE"]


def test_two_uses_of_one_token() -> None:
    assert loop(header="%u = LOOP {%t}]", body="%v = LOOP {%t}]") == [
        "S-CYCLE-TWICE",
        "S-CYCLE-TWICE",
        "S-HEART-DOM",
    ]
    assert loop(header="%u = LOOP {%t}]\n  %v = LOOP {%t}]").count("S-CYCLE-TWICE") == 2


def test_uses_of_two_tokens() -> None:
    text = LOOP.replace("%t = ANCHOR", "%t = ANCHOR\n  %s = ANCHOR")
    assert "S-CYCLE-TWO" in rules(text.format("%u = LOOP {%t}]", "%v = LOOP {%s}]", ""))
    assert "S-CYCLE-TWO" not in rules(text.format("%u = LOOP {%s}]", "%v = LOOP {%u}]", ""))


def test_witness_and_labels_of_a_use_in_a_cycle() -> None:
    (found,) = errors(LOOP.format("BARRIER {%t}]", "", ""))
    assert found.witness == Witness("closed-path", ("h", "b"))
    assert [label.message for label in found.labels] == ["%t is defined here", "the cycle's header %h"]
    assert found.help is not None
    assert "call loop with %t" in found.help


def test_the_witness_avoids_the_definition() -> None:
    """Two ways around: one through a new anchor, which is fine, one that passes by it."""
    (found,) = [
        d
        for d in errors(
            """
            define void @f(i1 %c, i1 %d) {
            a:
              br label %h
            h:
              %t = ANCHOR
              br label %u
            u:
              BARRIER {%t}]
              br i1 %c, label %h, label %v
            v:
              br i1 %d, label %u, label %e
            e:
              ret void
            }"""
        )
        if d.rule.id == "S-CYCLE-USE"
    ]
    assert found.witness == Witness("closed-path", ("u", "v"))


def test_heart_of_an_irreducible_cycle() -> None:
    text = """
    define void @f(i1 %c) {
    a:
      %t = ANCHOR
      br i1 %c, label %x, label %y
    x:
      %u = LOOP {%t}]
      br label %y
    y:
      br i1 %c, label %x, label %e
    e:
      ret void
    }"""
    (found,) = errors(text)
    assert (found.rule.id, found.witness) == ("S-HEART-DOM", Witness("closed-path", ("x", "y")))
    swapped = text.replace("label %x, label %y", "label %y, label %x")
    assert rules(swapped) == ["S-HEART-DOM"]


def test_loop_in_the_cycle_of_its_token_is_degenerate_and_allowed() -> None:
    assert loop(header="%u = ANCHOR", body="%v = LOOP {%u}]\n  BARRIER {%v}]") == []


HUB = """
define void @f(i1 %c) {{
a:
  %t = ANCHOR
  ret void
x:
  %u = LOOP {{%t}}]
  br label %hub
hub:
  br i1 %c, label %x, label %y
y:
  %v = LOOP {{%t}}]
  br label %{}
}}"""


def test_a_closed_path_passes_no_block_twice() -> None:
    """In unreachable code nothing but the pair decides: a walk through both hearts that needs the hub twice
    breaks no rule, and with a way around the hub there is a path."""
    assert rules(HUB.format("hub")) == []
    found = errors(HUB.format("x"))
    assert [(d.rule.id, d.difference) for d in found] == [
        ("S-CYCLE-TWICE", VerifierDifference.UNREACHABLE)
    ] * 2
    assert found[0].witness is not None
    assert set(found[0].witness.blocks) == {"x", "hub", "y"}


def test_in_reachable_code_the_hub_breaks_the_heart() -> None:
    reachable = HUB.format("hub").replace("ret void", "br label %x")
    assert rules(reachable) == ["S-HEART-DOM"]


def test_unreachable_cycle() -> None:
    text = "define void @f() {\na:\n %t = ANCHOR\n ret void\nb:\n BARRIER {%t}]\n br label %b\n}"
    (found,) = errors(text)
    assert (found.rule.id, found.difference) == ("S-CYCLE-USE", VerifierDifference.UNREACHABLE)


def test_use_before_its_definition_in_a_cycle_is_judged_by_the_sentence() -> None:
    """S-DOM is broken, and a closed path with the use and without the definition is still one."""
    text = """
    define void @f(i1 %c) {
    a:
      br label %h
    h:
      BARRIER {%t}]
      br i1 %c, label %h, label %e
    e:
      %t = ANCHOR
      ret void
    }"""
    assert rules(text) == ["S-DOM", "S-CYCLE-USE"]


def test_callbr_and_invoke_use_tokens() -> None:
    invoke = """
    define void @f() personality ptr @personality {
    a:
      %t = ANCHOR
      br label %b
    b:
      invoke void @barrier() {%t}] to label %b unwind label %u
    u:
      %l = landingpad { ptr, i32 } cleanup
      ret void
    }"""
    (found,) = errors(invoke)
    assert (found.rule.id, found.difference) == ("S-CYCLE-USE", None)
    callbr = """
    define void @f() {
    a:
      %t = ANCHOR
      br label %b
    b:
      callbr void asm "", "!i"() {%t}] to label %b [label %e]
    e:
      ret void
    }"""
    (found,) = errors(callbr)
    assert (found.rule.id, found.difference) == ("S-CYCLE-USE", VerifierDifference.CALLBR)


# The search for closed paths through two blocks.


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ([[1], [0]], {0, 1}),
        ([[2], [2], [0, 1]], None),
        ([[2], [3], [1, 0], [2, 0]], {0, 1, 2, 3}),
        ([[2, 3], [2, 3], [1, 0], [1, 0]], {0, 1, 2, 3}),
        ([[1], []], None),
    ],
)
def test_closed_path_through_two(edges: list[list[int]], expected: set[int] | None) -> None:
    found = closed_path_through(edges, 0, 1, lambda _: True, SearchBudget(1000))
    assert (None if found is None else set(found.blocks)) == expected
    assert found is None or found.is_path


def test_shortest_way_must_not_block_the_way_back() -> None:
    """The shortest paths either way share block 2; longer ones do not."""
    edges = [[2, 3], [2, 5], [1, 0], [4], [1], [6], [0]]
    found = closed_path_through(edges, 0, 1, lambda _: True, SearchBudget(1000))
    assert found is not None
    assert found.is_path
    assert len(set(found.blocks)) == len(found.blocks)


BOTH_WAYS = [[2], [2, 3], [0, 3, 4], [1, 6], [5], [1], [7], [0]]
"""From 0 to 1 by 2 and 3, or by 2, 4 and 5; back by 2, or by 3, 6 and 7: only the longer ones have nothing
in common, and neither shorter one goes with any other."""


def test_only_the_exact_search_pairs_two_longer_ways() -> None:
    whole = closed_path_through(BOTH_WAYS, 0, 1, lambda _: True, SearchBudget(1000))
    assert whole is not None and whole.is_path
    assert set(whole.blocks) == set(range(8))


def test_without_any_effort_ways_that_fit_are_enough() -> None:
    """And where none is left, which may be none at all, the walk is an answer: there may be a path."""
    fits = closed_path_through([[2], [3], [1], [0]], 0, 1, lambda _: True, SearchBudget(0))
    assert fits is not None and fits.is_path
    walk = closed_path_through(BOTH_WAYS, 0, 1, lambda _: True, SearchBudget(0))
    assert walk is not None and not walk.is_path


def test_exact_search_that_is_cut_off_says_so() -> None:
    """A mesh with a bottleneck that shortest paths do not show: at least a closed walk is established."""
    width = 7
    mesh = [[r * width + c for r in range(width)] for c in range(width)]
    size = width * width
    edges: list[list[int]] = [[] for _ in range(size + 3)]
    a, b, hub = size, size + 1, size + 2
    for column in range(width - 1):
        for node in mesh[column]:
            edges[node] = list(mesh[column + 1]) + (list(mesh[column - 1]) if column else [])
    edges[a] = list(mesh[0])
    for node in mesh[-1]:
        edges[node] = [hub, *mesh[-2]]
    edges[hub] = [b, a]
    edges[b] = [hub]
    begin = time.process_time()
    exact = closed_path_through(edges, a, b, lambda _: True, SearchBudget(3000))
    assert time.process_time() - begin < 2
    assert exact is None or not exact.is_path, "there is no closed path: both ways need the hub"


def test_thousands_of_misplaced_uses_in_one_loop() -> None:
    """As many witnesses as long as the loop would be quadratic: past an allowance they are left out."""
    count = 1500
    lines = ["define void @f(i1 %c) {", "a:", " %t = ANCHOR", " br label %x0"]
    for k in range(count):
        lines += [f"x{k}:", f" br i1 %c, label %y{k}, label %z{k}", f"y{k}:", " BARRIER {%t}]"]
        lines += [f" br label %z{k}", f"z{k}:", f" br label %x{(k + 1) % count}"]
    begin = time.process_time()
    found = errors("\n".join([*lines, "}"]))
    assert time.process_time() - begin < 10
    for rule in ("S-CYCLE-USE", "S-HEART-DOM", "S-CYCLE-TWICE"):
        assert sum(d.rule.id == rule for d in found) == count
    assert found[0].witness is not None
    assert found[0].witness.kind == "closed-path"


def facts_of(text: str) -> FunctionFacts:
    parsed = module(text)
    return FunctionFacts(ModuleFacts(parsed), parsed.functions["f"])


def test_a_path_that_is_known_is_the_witness_of_all_uses_on_it() -> None:
    """A loop with many ways around, and many misplaced uses in its header: looking for a path from each of
    them costs more than there is, but one path will do."""
    ways, uses = 100, 100
    sides = " ".join(f"i32 {k}, label %x{k}" for k in range(ways))
    lines = [
        "define void @f(i32 %c) {",
        "a:",
        " %t = ANCHOR",
        " br label %h",
        "h:",
        *[" BARRIER {%t}]"] * uses,
    ]
    lines += [f" switch i32 %c, label %e [ {sides} ]"]
    lines += [f"x{k}:\n br label %h" for k in range(ways)]
    facts = facts_of("\n".join([*lines, "e:", " ret void", "}"]))
    search = PathSearch(facts)
    search.allowance.remaining = 10 * ways
    found = list(s_cycle_use(facts, crossings(facts), search))
    assert len(found) == uses
    assert all(d.witness is not None and d.witness.kind == "closed-path" for d in found)


@pytest.mark.parametrize(
    ("at_x", "at_y", "path"),
    [("%v = LOOP {%t}]", "", True), ("", "%v = LOOP {%t}]", False)],
    ids=["in one block", "in two"],
)
def test_when_nobody_looks_any_more_only_uses_in_one_block_surely_share_a_closed_path(
    at_x: str, at_y: str, path: bool
) -> None:
    """Those in x do, around the hub; x and y lie on a closed walk, which passes the hub twice."""
    text = f"""
    define void @f(i1 %c) {{
    a:
      %t = ANCHOR
      br label %hub
    x:
      %u = LOOP {{%t}}]
      {at_x}
      br label %hub
    hub:
      br i1 %c, label %x, label %y
    y:
      {at_y}
      br label %hub
    }}"""
    facts = facts_of(text)
    search = PathSearch(facts)
    search.allowance.remaining = 0
    found = [d.message for d in s_cycle_twice(facts, crossings(facts), search)]
    kind = "a closed path" if path else "a closed walk"
    assert [f"on {kind} that" in message for message in found] == [True, True]
