"""Accesses that break what a definition promises of memory.

covers: semantics.instructions.promises
"""

from __future__ import annotations

from typing import Any

import pytest

import convergence as cc
from convergence.semantics import Returned, UndefinedBehaviour

TEXT = """@g = global i32 5
@c = constant i32 6
@t = external addrspace(4) global i32
declare ptr @some()
declare ptr @same(ptr returned)
define i32 @f(ptr PARAMETER %p, ptr %q, i1 %c) WORDS {
  %own = alloca i32
  BODY
  ret i32 1
}
"""
STORE, LOAD = "store i32 1, ptr %p", "%v = load i32, ptr %p"
EITHER = "%s = select i1 %c, ptr %p, ptr %q\n  store i32 1, ptr %s"
FURTHER = "%a = getelementptr i32, ptr %p, i32 1\n  store i32 1, ptr %a"
COPY = "call void @llvm.memcpy.p0.p0.i64(ptr %own, ptr %p, i64 4, i1 false)"
BACK = "call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %own, i64 4, i1 false)"
ADD = "%v = atomicrmw add ptr %p, i32 1 monotonic"


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize(
    ("parameter", "words", "body", "broken"),
    [
        ("readonly", "", STORE, True),
        ("readonly", "", LOAD, False),
        ("readonly", "", FURTHER, True),
        ("readonly", "", EITHER, False),  # it may be %q
        ("readonly", "", COPY, False),
        ("readonly", "", BACK, True),
        ("readonly", "", ADD, True),
        ("readonly", "", "%a = call ptr @same(ptr %p)\n  store i32 1, ptr %a", True),
        ("readonly", "", "%a = call ptr @some()\n  %x = ptrtoint ptr %a to i64", False),
        ("writeonly", "", LOAD, True),
        ("writeonly", "", COPY, True),
        ("writeonly", "", STORE, False),
        ("readnone", "", LOAD, True),
        ("readnone", "", "store i32 1, ptr %q", False),
        ("", "memory(read)", STORE, True),
        ("", "memory(read)", EITHER, True),
        ("", "readonly", STORE, True),
        ("", "memory(none)", "store i32 1, ptr %own", False),
        ("", "memory(none)", "%v = load i32, ptr @c", False),
        ("", "memory(none)", "%v = load i32, ptr @g", True),
        ("", "memory(none)", "%v = load i32, ptr @g, !invariant.load !{}", False),
        ("", "memory(argmem: readwrite)", STORE, False),
        ("", "memory(argmem: readwrite)", "store i32 1, ptr @g", True),
        ("", "memory(argmem: read)", STORE, True),
        ("", "memory(readwrite, argmem: none)", LOAD, True),
        ("", "memory(readwrite, argmem: none)", "store i32 1, ptr @g", False),
        ("", "memory(write)", "%a = load ptr, ptr @g", True),
        ("", "nounwind willreturn", STORE, False),
    ],
)  # fmt: skip
def test_what_is_not_promised_is_undefined(
    parameter: str, words: str, body: str, broken: bool, engine: Any
) -> None:
    text = TEXT.replace("PARAMETER", parameter).replace("WORDS", words).replace("BODY", body)
    how: dict[str, Any] = {"buffers": {"p": "i32[4]", "q": "i32[4]"}, "arguments": {"c": 1}}
    ending = cc.run(cc.parse(text), threads=1, engine=engine, **how).ending
    assert isinstance(ending, UndefinedBehaviour if broken else Returned)
    if isinstance(ending, UndefinedBehaviour):
        assert "@f" in ending.reason


def test_it_is_undefined_where_it_is_executed() -> None:
    body = f"br i1 %c, label %yes, label %no\nyes:\n  {STORE}\n  br label %no\nno:"
    text = TEXT.replace("PARAMETER", "").replace("WORDS", "memory(none)").replace("BODY", body)
    for condition, ending in ((1, UndefinedBehaviour), (0, Returned)):
        run = cc.run(cc.parse(text), threads=1, arguments={"c": condition}, buffers={"p": "i32[4]"})
        assert isinstance(run.ending, ending)


def test_a_target_that_promises_too_much_is_wrong() -> None:
    text = TEXT.replace("BODY", STORE).replace("WORDS", "")
    source, same, other = (
        cc.parse(text.replace("PARAMETER", word)) for word in ("", "writeonly", "readonly")
    )
    assert cc.refine(source, same).verdict == "equal" and cc.refine(source, other).verdict == "wrong"
