"""The litmus shelf against an oracle of its own: all interleavings, with the barrier that a level means.

covers: sched.choices.synchrony
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Literal, NamedTuple

import pytest

from convergence import parse
from convergence.sched.choices.synchrony import LEVELS, Synchrony
from convergence.semantics import UsageError
from tests.cli.cli_harness import ROOT, convcheck, ll, one_line
from tests.launches import explore

SHELF = ROOT / "examples_ll" / "litmus"
SHAPES = ("sm", "scf", "sso", "cm")
PAIRS = ("write-read", "write-write", "read-write")
FROM = {
    "sso": Synchrony.SUBGROUP_OP,
    "scf": Synchrony.CONTROL_FLOW,
    "sm": Synchrony.MEMORY,
    "cm": Synchrony.COLLECTIVE,
}
"""The first level at which a shape's assertion holds."""

Result = tuple[tuple[int | None, ...], tuple[int, ...]]
"""What the threads returned (``None`` where they return nothing) and what the cells hold in the end."""


class Access(NamedTuple):
    """A read or a write of a cell."""

    kind: Literal["R", "W"]
    cell: int
    value: int = 0


def program(shape: str, pair: str) -> list[list[Access]]:
    """Each thread's accesses, as the shape's definition says: not read from the example."""
    if shape == "cm":
        cell = (lambda thread: thread % 2) if pair == "write-write" else (lambda thread: 0)
        read = [Access("R", cell(t)) for t in range(4)]
        write = [Access("W", cell(t), 1 + t // 2) for t in range(4)]
        both = {"write-read": (write, read), "read-write": (read, write)}
        return (
            [[w] for w in write]
            if pair == "write-write"
            else [list(p) for p in zip(*both[pair], strict=True)]
        )
    return [
        {
            "write-read": [Access("W", t, 1), Access("R", 1 - t)],
            "write-write": [Access("W", t, 1), Access("W", 1 - t, 2)],
            "read-write": [Access("R", 1 - t), Access("W", t, 1)],
        }[pair]
        for t in range(2)
    ]


def orders(lengths: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All interleavings, as the threads in turn."""
    if not any(lengths):
        yield ()
    for thread, left in enumerate(lengths):
        if left:
            for rest in orders((*lengths[:thread], left - 1, *lengths[thread + 1 :])):
                yield (thread, *rest)


def allowed(shape: str, order: tuple[int, ...], level: Synchrony) -> bool:
    """Whether an interleaving keeps a level, by the level's sentence for straight-line threads."""
    size = 2
    seen: dict[int, int] = {}
    events = []
    for thread in order:
        seen[thread] = seen.get(thread, -1) + 1
        events.append((thread // size, seen[thread]))  # subgroup, which access
    together = level >= (Synchrony.MEMORY if shape == "cm" else FROM[shape])
    if together:  # nobody goes on to the second access before all of the subgroup have done the first
        for at, (group, access) in enumerate(events):
            if access and (group, 0) in events[at:]:
                return False
    if level is Synchrony.COLLECTIVE:  # the subgroup's accesses of one instruction are neighbours
        for event in set(events):
            first = events.index(event)
            if events[first : first + size] != [event] * size:
                return False
    return True


@cache
def oracle(shape: str, pair: str, level: Synchrony) -> frozenset[Result]:
    """All outcomes by brute force."""
    threads = program(shape, pair)
    found = set()
    for order in orders(tuple(map(len, threads))):
        if not allowed(shape, order, level):
            continue
        cells = [0] * (1 + max(a.cell for t in threads for a in t))
        done = [0] * len(threads)
        returned: list[int | None] = [None] * len(threads)
        for thread in order:
            access = threads[thread][done[thread]]
            done[thread] += 1
            if access.kind == "W":
                cells[access.cell] = access.value
            else:
                returned[thread] = cells[access.cell]
        found.add((tuple(returned), tuple(cells)))
    return frozenset(found)


def enumerated(text: str, level: Synchrony, shape: str = "", reduce: bool = True) -> set[Result]:
    """All outcomes by the tool."""
    module = parse(text)
    if shape == "cm":
        found = explore(
            module, threads=4, subgroup_size=2, arguments={"number": [1, 1, 2, 2]}, verified=True,
            synchrony=level, reduce=reduce,
        )  # fmt: skip
    else:
        found = explore(module, threads=2, verified=True, synchrony=level, reduce=reduce)
    assert found.complete
    assert all(o.ending == "returned" for o in found.outcomes)
    results: set[Result] = set()
    for outcome in found.outcomes:
        (contents,) = outcome.outcome.memory.values()
        cells = tuple(contents) if isinstance(contents, list) else (contents,)
        results.add((tuple(t.value for t in outcome.outcome.threads), cells))  # type: ignore[arg-type,misc]
    assert len(results) == len(found.outcomes)
    return results


def asserted(shape: str, pair: str, result: Result) -> bool:
    """The assertion in an example's head."""
    returned, cells = result
    match shape, pair:
        case "cm", "write-write":
            return len(set(cells)) == 1
        case "cm", _:
            return returned[0] == returned[1] and returned[2] == returned[3]
        case _, "write-read":
            return returned == (1, 1)
        case _, "write-write":
            return cells == (2, 2)
        case _:
            return returned == (0, 0)


def text_of(shape: str, pair: str) -> str:
    return (SHELF / f"{shape}-{pair}.ll").read_text()


@pytest.mark.parametrize("level", Synchrony, ids=lambda level: level.word)
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("shape", SHAPES)
def test_outcomes_are_those_of_all_interleavings(shape: str, pair: str, level: Synchrony) -> None:
    found = enumerated(text_of(shape, pair), level, shape)
    assert found == oracle(shape, pair, level)
    holds = all(asserted(shape, pair, result) for result in found)
    assert holds is (level >= FROM[shape])
    # The table in the example's head says the same.
    row = re.search(rf"^;   {level.word} +(\d+) +(.*)$", text_of(shape, pair), re.MULTILINE)
    assert row is not None
    assert (int(row[1]), row[2]) == (len(found), "holds" if holds else "may fail")


@pytest.mark.parametrize("shape", ["sso", "sm"])
def test_reduction_never_changes_what_a_level_allows(shape: str) -> None:
    for pair in PAIRS:
        for level in Synchrony:
            full = enumerated(text_of(shape, pair), level, shape, reduce=False)
            assert full == oracle(shape, pair, level)


def test_the_shelf_is_whole() -> None:
    assert {p.name for p in SHELF.glob("*.ll")} == {f"{s}-{p}.ll" for s in SHAPES for p in PAIRS}


def test_a_vote_is_no_barrier() -> None:
    """Together in one group, with a result that is used: the read behind the vote may still be early."""
    text = text_of("sm", "write-read").replace(
        "  %r = load",
        '  %v = call i1 @subgroupAll(i1 true) [ "convergencectrl"(token %group) ]\n  %r = load',
    )
    text += "declare i1 @subgroupAll(i1) convergent\n"
    assert {r for r, _ in enumerated(text, Synchrony.NONE)} == {(0, 1), (1, 0), (1, 1)}
    assert {r for r, _ in enumerated(text, Synchrony.SUBGROUP_OP)} == {(1, 1)}


LOOP = """
@a = global [2 x i32] zeroinitializer
define i32 @loop() convergent {
A:
  %group = call token @llvm.experimental.convergence.entry()
  %lane = call i32 @getSubgroupLocalInvocationId()
  %other = xor i32 %lane, 1
  %own = getelementptr [2 x i32], ptr @a, i32 0, i32 %lane
  %peer = getelementptr [2 x i32], ptr @a, i32 0, i32 %other
  br label %B
B:
  %i = phi i32 [ 0, %A ], [ %next, %B ]
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %group) ]
  %v = call i1 @subgroupAll(i1 true) [ "convergencectrl"(token %heart) ]
  %r = load atomic i32, ptr %peer monotonic, align 4
  store atomic i32 1, ptr %own monotonic, align 4
  %next = add i32 %i, 1
  %more = icmp slt i32 %i, %lane
  br i1 %more, label %B, label %D
D:
  ret i32 %r
}
declare i1 @subgroupAll(i1) convergent
declare i32 @getSubgroupLocalInvocationId()
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
"""


def test_an_operation_waits_for_those_who_left_the_loop() -> None:
    """Thread 1's second vote is alone: it waits until thread 0, which wrote before, has left the loop."""
    assert {r[1] for r, _ in enumerated(LOOP, Synchrony.NONE)} == {0, 1}
    assert {r[1] for r, _ in enumerated(LOOP, Synchrony.SUBGROUP_OP)} == {1}


CALLEE = """
@a = global [2 x i32] zeroinitializer
define i32 @caller() convergent {
A:
  %group = call token @llvm.experimental.convergence.entry()
  %lane = call i32 @getSubgroupLocalInvocationId()
  %other = xor i32 %lane, 1
  %own = getelementptr [2 x i32], ptr @a, i32 0, i32 %lane
  %peer = getelementptr [2 x i32], ptr @a, i32 0, i32 %other
  store atomic i32 1, ptr %own monotonic, align 4
  %low = icmp eq i32 %lane, 0
  br i1 %low, label %B, label %C
B:
  %r = call i32 @f(ptr %peer) [ "convergencectrl"(token %group) ]
  ret i32 %r
C:
  ret i32 7
}
define i32 @f(ptr %peer) convergent {
  %t = call token @llvm.experimental.convergence.entry()
  %v = call i1 @subgroupAll(i1 true) [ "convergencectrl"(token %t) ]
  %r = load atomic i32, ptr %peer monotonic, align 4
  ret i32 %r
}
declare i1 @subgroupAll(i1) convergent
declare i32 @getSubgroupLocalInvocationId()
declare token @llvm.experimental.convergence.entry()
"""


def test_an_operation_in_a_callee_waits_for_those_who_did_not_call() -> None:
    assert {r for r, _ in enumerated(CALLEE, Synchrony.NONE)} == {(0, 7), (1, 7)}
    assert {r for r, _ in enumerated(CALLEE, Synchrony.SUBGROUP_OP)} == {(1, 7)}


def test_nobody_waits_for_whom_a_label_keeps_away() -> None:
    """Below an anchor a thread alone need not wait for the other; in one group it does."""
    text = LOOP.replace("convergence.entry", "convergence.anchor")
    found = explore(parse(text), threads=2, verified=True, synchrony=Synchrony.SUBGROUP_OP)
    last: dict[int, set[object]] = {}
    for alignment in found.alignments:
        largest = max(len(group) for group in alignment.alignment)
        for place in alignment.outcomes:
            last.setdefault(largest, set()).add(found.outcomes[place].outcome.threads[1].value)
    assert last == {2: {1}, 1: {0, 1}}


def test_each_level_keeps_a_part_of_what_the_one_before_keeps() -> None:
    for text, shape in [(LOOP, ""), (CALLEE, ""), (text_of("cm", "read-write"), "cm")]:
        found = [enumerated(text, level, shape) for level in Synchrony]
        assert all(late <= early for early, late in pairwise(found))
        assert found[-1]


def test_words_and_usage(tmp_path: Path) -> None:
    assert list(LEVELS) == ["none", "subgroup-op", "control-flow", "memory", "collective"]
    ran = convcheck("enumerate", SHELF / "sm-write-read.ll", "--synchrony", "memory")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith("Alignments: 1 (complete)   Outcomes: 1\n")
    ran = convcheck("enumerate", SHELF / "sm-write-read.ll", "--synchrony", "memory", "--engine", "both")
    assert ran.code == 2
    assert "--synchrony is for the operational engine" in ran.err
    loose = "declare i32 @subgroupAdd(i32) convergent\ndefine void @f() {\n"
    loose += "  %x = call i32 @subgroupAdd(i32 1)\n  ret void\n}\n"
    ran = convcheck("enumerate", ll(tmp_path, loose), "--synchrony", "memory")
    assert (ran.code, ran.out) == (2, "")
    assert one_line(ran.err)
    assert "@f has uncontrolled operations, which no level orders" in ran.err
    with pytest.raises(UsageError):
        explore(parse(loose), synchrony=Synchrony.MEMORY)
    assert explore(parse(loose), synchrony=Synchrony.NONE).complete
