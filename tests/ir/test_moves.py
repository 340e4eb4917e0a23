"""Loads that only move what they read: nothing is said of undef that nobody takes.

covers: ir.escape
"""

from __future__ import annotations

from typing import Any

import pytest

import convergence as cc
from convergence.ir.escape import moving_loads

PARTS = """
define <2 x i32> @f(i32 %a, i32 %b, ptr %out) {
  %s = alloca <2 x i32>
  %t = alloca <2 x i32>
  %none = load <2 x i32>, ptr %s
  %first = insertelement <2 x i32> %none, i32 %a, i32 0
  store <2 x i32> %first, ptr %s
  %half = load <2 x i32>, ptr %s
  %swapped = shufflevector <2 x i32> %half, <2 x i32> poison, <2 x i32> <i32 1, i32 0>
  %all = insertelement <2 x i32> %swapped, i32 %b, i32 0
  store <2 x i32> %all, ptr %t
  %copy = load <2 x i32>, ptr %s
  store <2 x i32> %copy, ptr %s
  %v = load <2 x i32>, ptr %t
  AND
  ret <2 x i32> %v
}
"""


def _run(text: str) -> cc.Run:
    return cc.run(cc.parse(text), arguments={"a": 1, "b": 2}, buffers={"out": "i32[2]"})


def test_a_vector_that_is_set_one_by_one_reads_nothing_undefined() -> None:
    """What clang makes of ``v.x = a; v.y = b`` without optimisation."""
    text = PARTS.replace("AND", "")
    (function,) = cc.parse(text).functions.values()
    assert moving_loads(function) == {"none", "half", "copy"}
    run = _run(text)
    assert str(run.outcome.threads[0].value) == "[2, 1]"
    assert run.open_reads == () and not any("uninitialised" in note for note in run.notes)


@pytest.mark.parametrize(
    "use",
    [
        "%sum = add <2 x i32> %none, %half",
        "%part = extractelement <2 x i32> %none, i32 1",
        "store <2 x i32> %none, ptr %out",
        "store <2 x i32> %half, ptr %out",
        "%same = freeze <2 x i32> %first",
        "%other = insertelement <2 x i32> %all, i32 %a, i32 0\n  store <2 x i32> %other, ptr %out",
        "%last = load i32, ptr %s\n  %placed = insertelement <2 x i32> %v, i32 0, i32 %last",
    ],
)
def test_who_uses_it_otherwise_takes_it(use: str) -> None:
    """Then it is noted that undef was read, though not always of the same load."""
    text = PARTS.replace("AND", use)
    (function,) = cc.parse(text).functions.values()
    assert moving_loads(function) < {"none", "half", "copy"} or "%last" in use
    if "%last" in use:
        assert "last" not in moving_loads(function)
    else:
        assert _run(text).open_reads == ("%s",)


def test_both_engines_and_refine_take_nothing() -> None:
    """``refine`` could not say that the source does no more."""
    text = PARTS.replace("AND", "")
    launch: Any = {"arguments": {"a": 1, "b": 2}, "buffers": {"out": "i32[2]"}}
    assert cc.enumerate(cc.parse(text), engine="operational", **launch).open_reads == ()
    assert cc.enumerate(cc.parse(text), engine="axiomatic", **launch).open_reads == ()
    target = """
define <2 x i32> @f(i32 %a, i32 %b, ptr %out) {
  %first = insertelement <2 x i32> poison, i32 %b, i32 0
  %all = insertelement <2 x i32> %first, i32 %a, i32 1
  ret <2 x i32> %all
}
"""
    assert cc.refine(cc.parse(text), cc.parse(target), **launch).verdict == "equal"
