"""Calls of another type than their callee has: what targets agree on, and what is undefined.

covers: semantics.instructions.conversion
"""

from __future__ import annotations

from typing import Any

import pytest

import convergence as cc
from convergence.parser import parse
from convergence.semantics import UndefinedBehaviour

TEXT = """
define i64 @region(i16 %a, i64 %b, ptr %c) {
  %wide = zext i16 %a to i64
  %sum = add i64 %wide, %b
  store i64 %sum, ptr %c
  ret i64 1
}
define i64 @f(i32 %x, ptr %function) {
  %m = alloca i64
  %b = inttoptr i64 41 to ptr
  %c = ptrtoint ptr %m to i64
  call void %function(i32 %x, ptr %b, i64 %c)
  %r = load i64, ptr %m
  ret i64 %r
}
"""


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_pointers_for_integers_and_low_bits(engine: Any) -> None:
    arguments = {"x": [1, 0x10002], "function": "@region"}
    run = cc.run(parse(TEXT), function="f", threads=2, arguments=arguments, engine=engine)
    assert [thread.value for thread in run.outcome.threads] == [42, 43]


@pytest.mark.parametrize("engine", ["operational", "axiomatic", "both"])
def test_in_all_executions(engine: Any) -> None:
    direct = TEXT.replace("%function(", "@region(")
    arguments = {"x": [1, 0x10002], "function": "null"}
    found = cc.enumerate(parse(direct), function="f", threads=2, arguments=arguments, engine=engine)
    assert found.complete and len(found.outcomes) == 1


@pytest.mark.parametrize(
    "call",
    [
        "call void %function(i32 %x, ptr %b)",
        "call void %function(i8 1, ptr %b, i64 %c)",
        "call void %function(i64 1, ptr %b, i64 %c)",
        "call void %function(i32 %x, i32 4, i64 %c)",
        "call void %function(i32 %x, double 1.0, i64 %c)",
        "%q = call i32 %function(i32 %x, ptr %b, i64 %c)",
        "call void (i32, ...) %function(i32 %x, ptr %b, i64 %c)",
    ],
)
def test_all_else_is_undefined(call: str) -> None:
    text = TEXT.replace("call void %function(i32 %x, ptr %b, i64 %c)", call)
    ending = cc.run(parse(text), function="f", arguments={"x": 1, "function": "@region"}).ending
    assert isinstance(ending, UndefinedBehaviour) and "a type that it does not have" in ending.reason


def test_so_is_a_call_of_what_is_only_declared() -> None:
    text = "declare i32 @g(i64)\ndefine void @f(ptr %p) {\n  call i32 @g(ptr %p)\n  ret void\n}"
    ending = cc.run(parse(text), function="f", arguments={"p": "null"}).ending
    assert isinstance(ending, UndefinedBehaviour)
