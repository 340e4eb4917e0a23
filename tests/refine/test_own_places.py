"""Launches in which each thread has places of its own, tried where threads race on places that all share.

covers: refine.inputs.launch
"""

from __future__ import annotations

import pytest

from convergence.parser import parse
from convergence.refine import refine
from convergence.refine.inputs.launch import Input, with_own_places

BODY = """
define void @f(ptr %p, ptr %q, i32 %x) convergent {
  %t = call token @llvm.experimental.convergence.entry()
  %v = load i32, ptr %p
  %s = add i32 %v, %x
  %r = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %s) [ "convergencectrl"(token %t) ]
  %m = MULTIPLY
  store i32 %m, ptr %p
  %next = getelementptr i32, ptr %q, i32 1
  %w = load i32, ptr %next
  %sum = add i32 %w, %m
  store i32 %sum, ptr %next
  ret void
}
declare token @llvm.experimental.convergence.entry()
declare i32 @llvm.amdgcn.readfirstlane.i32(i32) convergent
"""


def body(multiply: str, kernel: bool = False) -> str:
    text = BODY.replace("MULTIPLY", multiply)
    return text.replace("define void", "define amdgpu_kernel void") if kernel else text


@pytest.mark.parametrize(
    ("target", "kernel", "verdict"),
    [
        ("shl i32 %r, 1", False, "equal"),
        ("mul i32 %s, 2", False, "wrong"),  # the other lane's number is lost
        ("mul i32 %s, 2", True, "unknown"),  # a kernel's threads have one pointer
    ],
)
def test_threads_that_race_and_communicate_are_compared(target: str, kernel: bool, verdict: str) -> None:
    source, other = (parse(body(text, kernel)) for text in ("mul i32 %r, 2", target))
    answer = refine(source, other, max_launches=4, max_executions=60)
    assert answer.verdict == verdict


def test_pointers_move_by_an_equal_part_of_their_object() -> None:
    three = Input(3, None, (("@argument.1",) * 3, ("@argument.1+4",) * 3, (1, 2, 3), ("null",) * 3))
    sizes = {place: {"argument.1": 256} for place in range(4)}
    assert with_own_places(three, sizes) == Input(
        3,
        None,
        (
            ("@argument.1", "@argument.1+64", "@argument.1+128"),
            ("@argument.1+4", "@argument.1+68", "@argument.1+132"),
            (1, 2, 3),
            ("null",) * 3,
        ),
    )
    assert with_own_places(three, {}) is None
    assert with_own_places(three, {0: {"argument.1": 2}}) is None
