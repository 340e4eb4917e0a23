# ruff: noqa: E501 -- a row of a table stays whole
"""C's functions of numbers by their plain names, beside Python's own.

covers: semantics.instructions.library.c_library
"""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

import convergence as cc
from convergence.semantics import Returned
from tests.semantics.library_calls import call, rounded, same

EXACT: dict[str, Callable[..., float]] = {
    "floor": math.floor, "ceil": math.ceil, "trunc": math.trunc, "rint": round, "fabs": abs, "fmod": math.fmod,
    "copysign": math.copysign, "remainder": math.remainder, "fdim": lambda x, y: max(x - y, 0.0), "fmax": max, "fmin": min,
    "sqrt": lambda x: math.sqrt(x) if x >= 0 else math.nan, "logb": lambda x: float(math.frexp(x)[1] - 1),
    "nearbyint": round, "roundeven": round, "round": lambda x: math.copysign(math.floor(abs(x) + 0.5), x),
}  # fmt: skip


@pytest.mark.parametrize("name", EXACT)
def test_what_ieee_defines(name: str) -> None:
    two = name in ("fmod", "copysign", "remainder", "fdim", "fmax", "fmin")
    for x, y in ((2.5, -1.25), (-3.75, 2.0), (0.5, 4.0), (7.0, 3.0)):
        numbers = (x, y) if two else (x,)
        expected = float(EXACT[name](*numbers))
        for kind, end in (("double", ""), ("float", "f")):
            found = call(kind, name + end, *((kind, n) for n in numbers))
            assert same(found, rounded(kind, expected) if kind == "float" else expected), (name, x, y)


def test_those_with_integers() -> None:
    assert call("double", "scalbn", ("double", 1.5), ("i32", -3)) == 1.5 / 8
    assert call("float", "scalblnf", ("float", 1.5), ("i64", 4)) == 24
    assert call("double", "ldexp", ("double", -0.5), ("i32", 3)) == -4
    assert call("i32", "ilogbf", ("float", 9.0)) == 3


POINTERS = """define double @f(double %x) {
  %e = alloca i32
  %w = alloca float
  %fraction = call double @frexp(double %x, ptr %e)
  %single = fptrunc double %x to float
  %part = call float @modff(float %single, ptr %w)
  %exponent = load i32, ptr %e
  %whole = load float, ptr %w
  %a = sitofp i32 %exponent to double
  %b = fpext float %whole to double
  %c = fpext float %part to double
  %ab = fadd double %a, %b
  %abc = fadd double %ab, %c
  %all = fadd double %abc, %fraction
  ret double %all
}
declare double @frexp(double, ptr)
declare float @modff(float, ptr)
"""


def test_results_behind_pointers() -> None:
    once = cc.run(cc.parse(POINTERS), arguments={"x": 12.5})
    assert isinstance(once.ending, Returned) and not once.stand_ins
    assert once.outcome.threads[0].value == 4 + 12 + 0.5 + 12.5 / 16


def test_other_types_are_another_function() -> None:
    """``log`` may write a log."""
    text = "define double @f() {\n  call void @log(i32 3)\n  %r = call double @sin(float 1.0)\n  ret double %r\n}\n"
    text += "declare void @log(i32)\ndeclare double @sin(float)\n"
    once = cc.run(cc.parse(text))
    assert isinstance(once.ending, Returned) and once.stand_ins
    assert once.outcome.threads[0].events


def test_what_llvm_makes_of_a_call() -> None:
    """A call that LLVM knows, and what it puts in its place."""
    text = """define double @f(float %x) {
  %wide = fpext float %x to double
  %r = call double @floor(double %wide)
  ret double %r
}
declare double @floor(double)
"""
    target = cc.optimise(text, "instcombine")
    assert "call double @floor" not in target
    assert cc.refine(cc.parse(text), cc.parse(target)).to_dict()["verdict"] == "equal"


def test_the_host_s_functions_stay_stand_ins() -> None:
    text = (
        "define double @f(double %x) {\n  %r = call double @pow(double 2.0, double %x)\n  ret double %r\n}\n"
    )
    once = cc.run(cc.parse(text + "declare double @pow(double, double)\n"), arguments={"x": 0.5})
    assert isinstance(once.ending, Returned) and once.stand_ins
