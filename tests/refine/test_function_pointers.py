"""Calls through pointers in a refinement: arguments that are called, and functions that arguments name.

covers: refine.sides.side
"""

from __future__ import annotations

from typing import Any

import pytest

from convergence.parser import parse
from convergence.refine import refine
from convergence.refine.sides.side import called_parameters
from convergence.refine.symbolic.question import refine_symbolically
from tests.launches import enumerate_axiomatic, explore
from tests.semantics.every import first

HEAD = """declare token @llvm.experimental.convergence.entry()
declare i32 @subgroupAdd(i32) convergent
define i32 @sum(i32 %x) convergent {
  %t = call token @llvm.experimental.convergence.entry()
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  ret i32 %s
}
define i32 @own(i32 %x) convergent {
  ret i32 %x
}
define internal i32 @apply(ptr %g, i32 %x) convergent {
  %r = call i32 %g(i32 %x) convergent
  ret i32 %r
}
"""


def module(body: str) -> str:
    return f"{HEAD}define i32 @f(i32 %x, ptr %g, i1 %c, ptr %h) convergent {{\n{body}\n}}\n"


PLAIN = module("%r = call i32 %g(i32 %x)\n%s = add i32 %r, %r\nret i32 %s")
SHAPES = {
    "direct": PLAIN,
    "stored": module(
        "%a = alloca ptr\nstore ptr %g, ptr %a\n%p = load ptr, ptr %a\n%r = call i32 %p(i32 %x)\n"
        "%s = add i32 %r, %r\nret i32 %s"
    ),
    "passed": module("%r = call i32 @apply(ptr %g, i32 %x)\n%s = add i32 %r, %r\nret i32 %s"),
    "selected": module(
        "%p = select i1 %c, ptr %g, ptr %h\n%r = call i32 %p(i32 %x)\n%s = add i32 %r, %r\nret i32 %s"
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_pointer_argument_that_is_called_is_an_unknown_function(shape: str) -> None:
    source = parse(SHAPES[shape])
    same = parse(SHAPES[shape].replace("add i32 %r, %r", "shl i32 %r, 1"))
    other = parse(SHAPES[shape].replace("add i32 %r, %r", "shl i32 %r, 2"))
    gone = parse(module("ret i32 0"))
    options: dict[str, Any] = {"function": "f", "max_launches": 24, "models": ["maximal"]}
    assert refine(source, same, **options).verdict == "equal"
    assert refine(source, other, **options).verdict == "wrong"
    assert refine(source, gone, **options).verdict == "wrong"


def test_symbolically_too() -> None:
    text = PLAIN.replace(HEAD, "").replace(" convergent", "")
    source, same = parse(text), parse(text.replace("add i32 %r, %r", "shl i32 %r, 1"))
    assert refine_symbolically(source, same).verdict == "equal"
    other = parse(text.replace("add i32 %r, %r", "shl i32 %r, 2"))
    assert refine_symbolically(source, other).verdict == "wrong"


def test_which_parameters_are_called() -> None:
    selected = parse(SHAPES["selected"])
    assert sorted(called_parameters(selected, selected.functions["f"])) == [1, 3]
    data = parse(module("%v = load i32, ptr %g\nret i32 %v"))
    assert called_parameters(data, data.functions["f"]) == {}


def test_a_function_may_be_given() -> None:
    source = parse(PLAIN)
    given: dict[str, Any] = {
        "function": "f",
        "threads": 2,
        "arguments": {"g": "@own", "h": "null", "c": 0},
        "max_launches": 16,
    }
    once = parse(module("%s = add i32 %x, %x\nret i32 %s"))
    assert refine(source, once, models=["maximal"], **given).verdict == "equal"
    given["arguments"] = {"g": "@sum", "h": "null", "c": 0}
    assert refine(source, once, models=["maximal"], **given).verdict == "wrong"


CONVERGENT = module(
    """%t = call token @llvm.experimental.convergence.entry()
br i1 %c, label %a, label %b
a:
%u = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
br label %b
b:
%r = call i32 %g(i32 %x) convergent [ "convergencectrl"(token %t) ]
ret i32 %r"""
)


def test_every_engine_enters_the_function_that_an_argument_names() -> None:
    given: dict[str, Any] = {
        "function": "f",
        "threads": 3,
        "arguments": {"x": [1, 2, 4], "c": [0, 0, 1], "g": "@sum", "h": "null"},
    }
    run = first(CONVERGENT, **given)
    assert [t.value for t in run.outcome.threads] == [7, 7, 7]
    one, other = explore(parse(CONVERGENT), **given), enumerate_axiomatic(parse(CONVERGENT), **given)
    assert one.complete and other.complete and one.same(other) and len(one.alignments) == 1


def test_a_convergent_call_of_an_unknown_function_has_a_group() -> None:
    apart = CONVERGENT.replace(
        "br label %b", '%q = call i32 %g(i32 %x) convergent [ "convergencectrl"(token %t) ]\nret i32 %q'
    )
    options: dict[str, Any] = {"function": "f", "max_launches": 24}
    assert refine(parse(CONVERGENT), parse(CONVERGENT.replace("%u", "%v")), **options).verdict == "equal"
    assert refine(parse(CONVERGENT), parse(apart), **options).verdict == "wrong"
