"""Notes and differences name the sides as they are: exchange source and target, and they are exchanged.

covers: report.refine
"""

from __future__ import annotations

import pytest

from convergence.ir.module import Module
from convergence.parser import parse
from convergence.refine import refine
from convergence.refine.sides.observable import (
    EndMismatch,
    EventMismatch,
    ExtraEvent,
    MemoryMismatch,
    Mismatch,
    NoOutcome,
    OnlyEndless,
    OnlyUndefined,
    ReturnMismatch,
    progress,
    swapped,
)
from convergence.refine.verdict.counterexample import departure
from convergence.refine.verdict.result import OperationPlace
from convergence.report.refine import words
from tests.refine.texts import DECLARATIONS

PAIRS: list[tuple[Mismatch, Mismatch, str]] = [
    (OnlyUndefined("source", "why"), OnlyUndefined("target", "why"), "only in the source: why"),
    (OnlyEndless("source", True), OnlyEndless("target", True), "only the source may run"),
    (OnlyEndless("source", False), OnlyEndless("target", False), "only the source has no"),
    (NoOutcome("source"), NoOutcome("target"), "the source has no"),
    (
        ExtraEvent("source", 1, 2, "@e"),
        ExtraEvent("target", 1, 2, "@e"),
        "event 2 of thread 1, @e, is only in the source",
    ),
    (
        EventMismatch(0, 1, "callee", "", "@a", "@b"),
        EventMismatch(0, 1, "callee", "", "@b", "@a"),
        "event 1 of thread 0: @a in the source, @b in the target",
    ),
    (
        EventMismatch(0, 3, "operand count", "@e", 1, 2),
        EventMismatch(0, 3, "operand count", "@e", 2, 1),
        "@e has 1 operands in the source, 2 in the target",
    ),
    (
        EventMismatch(0, 3, "operand", "@e", 5, "poison"),
        EventMismatch(0, 3, "operand", "@e", "poison", 5),
        "@e with 5 in the source, poison in the target",
    ),
    (
        EventMismatch(0, 3, "group", "@e", ((0, 3), (1, 2)), None),
        EventMismatch(0, 3, "group", "@e", None, ((0, 3), (1, 2))),
        "@e by thread 0 (event 3) and thread 1 (event 2) in the source, by one thread alone",
    ),
    (
        EventMismatch(0, 3, "result", "@e", 1, 2),
        EventMismatch(0, 3, "result", "@e", 2, 1),
        "@e gives 1 in the source, 2 in the target",
    ),
    (
        EndMismatch(2, "returned", "exited"),
        EndMismatch(2, "exited", "returned"),
        "thread 2 returned in the source, exited in the target",
    ),
    (ReturnMismatch(0, [1], [2]), ReturnMismatch(0, [2], [1]), "returns [1] in the source, [2] in the"),
    (MemoryMismatch("@g", 1, 2), MemoryMismatch("@g", 2, 1), "@g is 1 in the source, 2 in the target"),
]


@pytest.mark.parametrize(("one", "other", "said"), PAIRS, ids=lambda value: type(value).__name__)
def test_exchanging_the_sides(one: Mismatch, other: Mismatch, said: str) -> None:
    assert swapped(one) == other
    assert swapped(other) == one
    assert said in words(one)
    assert said not in words(other)
    assert progress(one) == progress(other)


def test_what_comes_later_is_further() -> None:
    first, later, last = ExtraEvent("source", 0, 1, "@e"), ExtraEvent("target", 3, 9, "@e"), PAIRS[-1][0]
    assert progress(first) < progress(later) < progress(last)


def module(body: str, more: str = "") -> Module:
    return parse(f"define i32 @k(i32 %x) convergent {{\n{body}\n}}\n{DECLARATIONS}{more}")


SUM = """%t = call token @llvm.experimental.convergence.START()
  %s = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
  ret i32 %s"""
FEWER: list[tuple[str, str, Mismatch]] = [
    (SUM.replace("START", "anchor"), SUM.replace("START", "entry"), ReturnMismatch(0, 1, 2)),
    ("ret i32 poison", "ret i32 3", ReturnMismatch(0, "poison", 3)),
    (
        "call void @note(i32 undef)\nret i32 4",
        "call void @note(i32 6)\nret i32 4",
        EventMismatch(0, 1, "operand", "@note", "undef", 6),
    ),
    ("%q = udiv i32 8, %x\nret i32 8", "ret i32 8", OnlyUndefined("source", "division by zero")),
]


@pytest.mark.parametrize(("source", "target", "more"), FEWER)
def test_what_only_the_source_does(source: str, target: str, more: Mismatch) -> None:
    """One way round it is what only the source does; the other way round the same is wrong."""
    one, other = module(source), module(target)
    forth = refine(one, other, threads=2, max_launches=60)
    assert forth.verdict == "refines"
    assert forth.more is not None
    back = refine(other, one, threads=2, max_launches=60)
    assert back.verdict == "wrong"
    assert back.more is None
    assert back.counterexample is not None
    assert type(forth.more) is type(back.counterexample.difference)
    assert type(forth.more) is type(more)
    if not isinstance(more, OnlyUndefined):
        assert forth.more == more
        assert back.counterexample.difference == swapped(more)
    else:
        assert isinstance(forth.more, OnlyUndefined) and forth.more.side == "source"


TWO = """%t = call token @llvm.experimental.convergence.entry()
  %a = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  %b = call i32 @subgroupAdd(i32 %a) [ "convergencectrl"(token %t) ]
  ret i32 %b"""
THREE = """%t = call token @llvm.experimental.convergence.entry()
  %b = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  %c = call i32 @subgroupAdd(i32 %b) [ "convergencectrl"(token %t) ]
  %a = call i32 @subgroupAdd(i32 %c) [ "convergencectrl"(token %t) ]
  ret i32 %a"""


def test_a_name_of_one_side_says_nothing_of_the_other() -> None:
    """The third call is ``%a`` of the one program; the other has a ``%a``, too, which is its first call."""
    for before, after, there in ((TWO, THREE, "target"), (THREE, TWO, "source")):
        example = refine(module(before), module(after), threads=2).counterexample
        assert example is not None
        found = departure(example.source, example.target)
        assert found == example.departure
        assert found is not None
        assert (found.callee, found.thread, found.number) == ("@subgroupAdd", 0, 3)
        sides = {"source": found.source, "target": found.target}
        assert sides.pop(there) == OperationPlace("%a", 1, (0, 1))
        assert set(sides.values()) == {None}
        assert found.place == OperationPlace("%a", 1, (0, 1))


def test_a_departure_the_other_way_round() -> None:
    hoisted = """%t = call token @llvm.experimental.convergence.entry()
  %odd = trunc i32 %x to i1
  %all = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
  ret i32 %all"""
    guarded = """%t = call token @llvm.experimental.convergence.entry()
  %odd = trunc i32 %x to i1
  br i1 %odd, label %yes, label %no
yes:
  %some = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
  ret i32 %some
no:
  %rest = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
  ret i32 %rest"""
    forth = refine(module(guarded), module(hoisted), threads=2).counterexample
    back = refine(module(hoisted), module(guarded), threads=2).counterexample
    assert forth is not None and forth.departure is not None
    assert back is not None and back.departure is not None
    assert (forth.departure.source, forth.departure.target) == (back.departure.target, back.departure.source)
    assert forth.departure.target == OperationPlace("%all", 1, (0, 1))
    assert forth.difference == swapped(back.difference)
