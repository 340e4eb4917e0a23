"""Which calls of declared functions are events, by their attributes (LangRef, *Function Attributes*)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

import convergence as cc
from convergence.refine import refine
from convergence.refine.symbolic.question import refine_symbolically
from convergence.sched.engines import Engine
from convergence.semantics.machine.run import ThreadOutcome
from convergence.semantics.operations import EVERYWHERE, Effects, effects_of

BACK = ("willreturn", "nounwind")


@pytest.mark.parametrize(
    ("words", "reads", "writes"),
    [
        ((), True, True),
        (("memory(none)",), False, False),
        (("readnone",), False, False),
        (("memory(read)",), True, False),
        (("readonly",), True, False),
        (("memory(write)",), False, True),
        (("writeonly",), False, True),
        (("memory(readwrite)",), True, True),
        (("memory(argmem: read)",), True, False),
        (("memory(read, argmem: none)",), True, False),
        (("memory(read, argmem: readwrite)",), True, True),
        (("memory(none, inaccessiblemem: write)",), False, True),
        (("memory(argmem: read, inaccessiblemem: write)",), True, True),
        (("memory(argmem: readwrite)", "memory(inaccessiblemem: readwrite)"), False, False),
        (("memory(write)", "memory(read)"), False, False),
        (("memory(readwrite, argmem: none)", "memory(argmem: write)"), False, False),
        (("memory(readwrite)", "memory(argmem: write)"), False, True),
        (("memory(read, argmem: none)", "memory(readwrite, inaccessiblemem: none)"), True, False),
    ],
)
def test_accesses_are_what_declaration_and_call_both_allow(
    words: tuple[str, ...], reads: bool, writes: bool
) -> None:
    for found in (effects_of(words), effects_of(reversed(words))):
        assert (found.reads, found.writes) == (bool(found.read_at), bool(found.written_at)) == (reads, writes)


@pytest.mark.parametrize(
    ("words", "read_at", "written_at"),
    [
        ((), EVERYWHERE, EVERYWHERE),
        (("memory(argmem: read)",), {"argmem"}, set()),
        (("memory(argmem: readwrite, inaccessiblemem: write)",), {"argmem"}, {"argmem", "inaccessiblemem"}),
        (("memory(read, argmem: none)",), {"inaccessiblemem", "other"}, set()),
        (("memory(errnomem: write)",), set(), {"other"}),
        (("argmemonly",), {"argmem"}, {"argmem"}),
        (("argmemonly", "readonly"), {"argmem"}, set()),
        (("inaccessiblememonly", "writeonly"), set(), {"inaccessiblemem"}),
        (("inaccessiblemem_or_argmemonly", "readnone"), set(), set()),
        (("memory(argmem: readwrite)", "readonly"), {"argmem"}, set()),
        (("memory(argmem: readwrite)", "memory(write)"), set(), {"argmem"}),
    ],
)
def test_where_accesses_may_be(words: tuple[str, ...], read_at: set[str], written_at: set[str]) -> None:
    found = effects_of(words)
    assert set(found.read_at) == read_at and set(found.written_at) == written_at


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("willreturn",), Effects(hangs=False)),
        (("nounwind",), Effects(throws=False)),
        (("noreturn",), Effects(ends=True)),
        (("speculatable",), Effects(speculatable=True)),
        (("convergent", "nocallback", "mustprogress", "memory", "readnone-like"), Effects()),
    ],
)
def test_the_other_words(words: tuple[str, ...], expected: Effects) -> None:
    assert effects_of(words) == expected


@pytest.mark.parametrize(
    ("words", "alone", "reading"),
    [
        ((), True, True),
        (BACK, True, True),
        (("memory(none)",), True, True),
        (("memory(none)", "willreturn"), True, True),
        (("memory(none)", "nounwind"), True, True),
        (("memory(none)", *BACK), False, False),
        (("readnone", *BACK), False, False),
        (("memory(read)", *BACK), False, True),
        (("memory(read)", "nounwind"), True, True),
        (("memory(argmem: read)", *BACK), False, True),
        (("memory(write)", *BACK), True, True),
        (("speculatable",), False, False),
        (("speculatable", "memory(read)"), False, False),
        (("speculatable", "noreturn"), True, True),
        (("noreturn", "memory(none)", *BACK), True, True),
    ],
)
def test_events(words: tuple[str, ...], alone: bool, reading: bool) -> None:
    effects = effects_of(words)
    assert (effects.is_event(reading=False), effects.is_event(reading=True)) == (alone, reading)


# -- the same decision wherever threads call -----------------------------------------------------------

GUARDED = """define i32 @f(i32 noundef %n) {
top:
  %far = icmp ugt i32 %n, 1
  br i1 %far, label %ask, label %out
ask:
  %v = call i32 @weigh(i32 %n) CALL
  br label %out
out:
  %r = phi i32 [ %v, %ask ], [ 9, %top ]
  ret i32 %r
}
"""
AHEAD = """define i32 @f(i32 noundef %n) {
  %far = icmp ugt i32 %n, 1
  %v = call i32 @weigh(i32 %n) CALL
  %r = select i1 %far, i32 %v, i32 9
  ret i32 %r
}
"""
TWICE = """define i32 @f(i32 noundef %n) {
top:
  %far = icmp ugt i32 %n, 1
  br i1 %far, label %ask, label %out
ask:
  %first = call i32 @weigh(i32 %n) CALL
  %v = call i32 @weigh(i32 %n) CALL
  br label %out
out:
  %r = phi i32 [ %v, %ask ], [ 9, %top ]
  ret i32 %r
}
"""
UNUSED = """define i32 @f(i32 %n) {
  %v = call i32 @weigh(i32 %n) CALL
  ret i32 4
}
"""
GONE = """define i32 @f(i32 %n) {
  ret i32 4
}
"""
SPELLINGS = {
    "inline": ("declare i32 @weigh(i32) speculatable\n", ""),
    "group": ("declare i32 @weigh(i32) #0\nattributes #0 = { speculatable }\n", ""),
    "both": ("declare i32 @weigh(i32) #0\nattributes #0 = { nounwind speculatable }\n", "#0"),
}
"""The attribute on the declaration, and on the call, where LLVM takes it only beside the declaration's."""


def module(text: str, spelling: str) -> cc.Module:
    declaration, call = SPELLINGS[spelling]
    return cc.parse(text.replace("CALL", call) + declaration)


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(
    ("source", "target"),
    [(GUARDED, AHEAD), (GUARDED, TWICE), (UNUSED, GONE)],
    ids=["hoisted", "duplicated", "dropped"],
)
def test_speculatable_calls_may_be_made_or_not(source: str, target: str, spelling: str) -> None:
    one, other = module(source, spelling), module(target, spelling)
    for before, after in ((one, other), (other, one)):
        assert refine(before, after, max_launches=40).verdict == "equal"
        assert refine_symbolically(before, after).verdict == "equal"


def test_calls_that_are_not_speculatable_may_not() -> None:
    one, other = (cc.parse(text.replace("CALL", "") + "declare i32 @weigh(i32)\n") for text in (UNUSED, GONE))
    assert refine(one, other, max_launches=40).verdict == "wrong"


def test_their_results_are_seen() -> None:
    other = module(AHEAD.replace("@weigh(i32 %n)", "@weigh(i32 7)"), "inline")
    assert refine(module(GUARDED, "inline"), other, max_launches=40).verdict == "wrong"


def events(threads: Iterable[ThreadOutcome]) -> list[int]:
    return [len(t.events) for t in threads]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_they_are_no_events_of_any_engine(spelling: str) -> None:
    program = module(AHEAD, spelling)
    launch: dict[str, Any] = {"threads": 2, "arguments": {"n": [1, 2]}}
    assert events(cc.run(program, **launch).outcome.threads) == [0, 0]
    engines: tuple[Engine, ...] = ("operational", "axiomatic")
    for engine in engines:
        found = cc.enumerate(program, engine=engine, **launch)
        assert [events(each.outcome.threads) for each in found.outcomes] == [[0, 0]]
    for machine in ("ipdom", "exec-mask"):
        (simulated,) = cc.simulate(program, policy=machine, **launch)
        assert simulated.run is not None
        assert events(simulated.run.outcome.threads) == [0, 0]


READER = "declare i32 @weigh(i32) willreturn nounwind memory(read)\n"


def test_reading_is_an_event_where_executions_are_told_apart_only() -> None:
    one, other = (cc.parse(text.replace("CALL", "") + READER) for text in (UNUSED, GONE))
    launch: dict[str, Any] = {"threads": 2, "arguments": {"n": [1, 2]}}
    assert events(cc.run(one, **launch).outcome.threads) == [1, 1]
    (only,) = cc.enumerate(one, engine="axiomatic", **launch).outcomes
    assert events(only.outcome.threads) == [1, 1]
    assert refine(one, other, max_launches=40).verdict == "equal"
    assert refine_symbolically(one, other).verdict == "equal"


def test_reading_is_no_event_of_a_machine_in_a_refinement() -> None:
    """Every model of who converges looks at the same events."""
    free = "call void @meet() convergent\n  ret"
    more = READER + "declare void @meet() convergent\n"
    one, other = (cc.parse(text.replace("CALL", "").replace("ret", free) + more) for text in (UNUSED, GONE))
    assert dict(refine(one, other, max_launches=40).models) == {
        "inferred": "equal",
        "ipdom": "equal",
        "maximal": "equal",
    }
