"""Volatile accesses are events (semantics.md, §6), for every command and engine, whatever the instruction."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.cli_harness import convcheck, ll

DECLARED = """
@a = global [8 x i8] c"abcdefgh", align 8
@b = global [8 x i8] zeroinitializer, align 8
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memcpy.inline.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memset.inline.p0.i64(ptr, i8, i64, i1)
"""
INTRINSICS = {
    "llvm.memcpy": ("llvm.memcpy.p0.p0.i64(ptr @b, ptr @a, i64 4, i1 {})", ["@b", "@a", 4]),
    "llvm.memcpy.inline": ("llvm.memcpy.inline.p0.p0.i64(ptr @b, ptr @a, i64 4, i1 {})", ["@b", "@a", 4]),
    "llvm.memmove": ("llvm.memmove.p0.p0.i64(ptr @b, ptr @a, i64 4, i1 {})", ["@b", "@a", 4]),
    "llvm.memset": ("llvm.memset.p0.i64(ptr @b, i8 7, i64 8, i1 {})", ["@b", 7, 8]),
    "llvm.memset.inline": ("llvm.memset.inline.p0.i64(ptr @b, i8 7, i64 8, i1 {})", ["@b", 7, 8]),
}


def program(*lines: str) -> str:
    return DECLARED + "define void @f() {\n" + "".join(f"  {line}\n" for line in lines) + "  ret void\n}\n"


def events(found: dict[str, Any]) -> list[tuple[str, list[Any], Any]]:
    (thread,) = found["threads"]
    return [(e["callee"], e["operands"], e["result"]) for e in thread["events"]]


def outcomes(folder: Path, text: str) -> list[dict[str, Any]]:
    """What ``run``, both engines and a machine say."""
    file = ll(folder, text)
    answers: list[dict[str, Any]] = []
    for command in (
        ("run",), ("enumerate", "--engine", "operational"), ("enumerate", "--engine", "axiomatic"),
    ):  # fmt: skip
        answer = json.loads(convcheck(*command, file, "--threads", "1", "--format", "json").out)
        answers += answer.get("outcomes") or [answer["outcome"]]
    assert convcheck("simulate", file, "--policy", "all", "--threads", "1").code == 0
    return answers


@pytest.mark.parametrize("name", INTRINSICS)
def test_a_volatile_memory_intrinsic_is_an_event(tmp_path: Path, name: str) -> None:
    call, operands = INTRINSICS[name]
    for volatile, wanted in (("true", [(f"volatile {name}", operands, None)]), ("false", [])):
        answers = outcomes(tmp_path, program("call void @" + call.format(volatile)))
        assert [events(one) for one in answers] == [wanted] * 3


def test_the_outside_counts_them(tmp_path: Path) -> None:
    call = "call void @" + INTRINSICS["llvm.memcpy"][0]
    once, twice = program(call.format("true")), program(*[call.format("true")] * 2)
    for volatile, code in (("true", 1), ("false", 0)):
        one = ll(tmp_path, once.replace("true", volatile))
        two = ll(tmp_path, twice.replace("true", volatile), "b.ll")
        for pair in ((one, two), (two, one)):
            assert convcheck("refine", *pair, "--threads", "1").code == code


def test_a_volatile_cmpxchg_shows_both_results(tmp_path: Path) -> None:
    swap = "%r = cmpxchg volatile ptr @b, i32 0, i32 -5 seq_cst seq_cst"
    for answer in outcomes(tmp_path, program(swap)):
        assert events(answer) == [("volatile cmpxchg", ["@b", 0, -5], [0, 1])]
