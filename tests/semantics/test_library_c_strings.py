"""C's functions on strings and bytes: what they give and leave, by both engines, beside Python's own.

covers: semantics.instructions.library.c_library
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import convergence as cc
from convergence.parser import parse
from convergence.semantics import UndefinedBehaviour, Unmodelled

DECLARATIONS = """
declare i64 @strlen(ptr)
declare i64 @strnlen(ptr, i64)
declare i32 @memcmp(ptr, ptr, i64)
declare i32 @bcmp(ptr, ptr, i64)
declare i32 @strcmp(ptr, ptr)
declare i32 @strncmp(ptr, ptr, i64)
declare ptr @memchr(ptr, i32, i64)
declare ptr @strchr(ptr, i32)
declare ptr @strrchr(ptr, i32)
declare ptr @strcpy(ptr, ptr)
declare ptr @stpcpy(ptr, ptr)
declare ptr @strncpy(ptr, ptr, i64)
declare ptr @strcat(ptr, ptr)
declare ptr @strncat(ptr, ptr, i64)
declare ptr @memcpy(ptr, ptr, i64)
declare ptr @memmove(ptr, ptr, i64)
declare ptr @memset(ptr, i32, i64)
"""
SIZE = 16


def module(call: str, a: bytes, b: bytes) -> Any:
    """A function with two strings on its stack that makes the call, and gives what it gave: of a pointer how
    far it is beyond the first string, or -1 for null. The first string is left in @seen."""
    result = call.split()[1]
    distance = """
  %null = icmp eq ptr %r, null
  %far = ptrtoint ptr %r to i64
  %near = ptrtoint ptr %a to i64
  %off = sub i64 %far, %near
  %given = select i1 %null, i64 -1, i64 %off"""
    given_ = distance if result == "ptr" else f"\n  %given = add {result} %r, 0"
    type_ = "i64" if result == "ptr" else result
    stores = "".join(
        f"  %{name}{n} = getelementptr i8, ptr %{name}, i64 {n}\n  store i8 {byte}, ptr %{name}{n}\n"
        for name, text in (("a", a), ("b", b))
        for n, byte in enumerate(text)
    )
    return parse(f"""{DECLARATIONS}
@seen = global [{SIZE} x i8] zeroinitializer
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define {type_} @f() {{
  %a = alloca [{SIZE} x i8]
  %b = alloca [{SIZE} x i8]
{stores}
  %r = {call}{given_}
  call void @llvm.memcpy.p0.p0.i64(ptr @seen, ptr %a, i64 {SIZE}, i1 false)
  ret {type_} %given
}}
""")


def called(call: str, a: bytes, b: bytes = b"", engine: Any = "reference") -> Any:
    """What the call gave, and the first string then."""
    run = cc.run(
        module(call, a.ljust(SIZE, b"."), b.ljust(SIZE, b".")), function="f", threads=1, engine=engine
    )
    outcome: Any = run.outcome
    return outcome.threads[0].value, bytes(byte % 256 for byte in outcome.memory["@seen"])


CASES = [
    ("call i64 @strlen(ptr %a)", b"abc\0", b"", 3, None),
    ("call i64 @strnlen(ptr %a, i64 2)", b"abc\0", b"", 2, None),
    ("call i64 @strnlen(ptr %a, i64 -1)", b"abc\0", b"", 3, None),
    ("call i32 @memcmp(ptr %a, ptr %b, i64 3)", b"a\0c", b"a\0b", 1, None),
    ("call i32 @bcmp(ptr %a, ptr %b, i64 2)", b"a\0c", b"a\0b", 0, None),
    ("call i32 @memcmp(ptr %a, ptr %b, i64 0)", b"x", b"y", 0, None),
    ("call i32 @strcmp(ptr %a, ptr %b)", b"a\0c", b"a\0b", 0, None),
    ("call i32 @strcmp(ptr %a, ptr %b)", b"ab\0", b"a\xff\0", -1, None),
    ("call i32 @strncmp(ptr %a, ptr %b, i64 2)", b"abc", b"abd", 0, None),
    ("call i32 @strncmp(ptr %a, ptr %b, i64 3)", b"abc", b"ab\0", 1, None),
    ("call ptr @memchr(ptr %a, i32 98, i64 2)", b"abc", b"", 1, None),
    ("call ptr @memchr(ptr %a, i32 99, i64 2)", b"abc", b"", -1, None),
    ("call ptr @strchr(ptr %a, i32 353)", b"xbaba\0", b"", 2, None),
    ("call ptr @strchr(ptr %a, i32 0)", b"xb\0", b"", 2, None),
    ("call ptr @strchr(ptr %a, i32 99)", b"xb\0c", b"", -1, None),
    ("call ptr @strrchr(ptr %a, i32 97)", b"xaba\0a", b"", 3, None),
    ("call ptr @strcpy(ptr %a, ptr %b)", b"12345", b"ab\0", 0, b"ab\x0045"),
    ("call ptr @stpcpy(ptr %a, ptr %b)", b"12345", b"ab\0", 2, b"ab\x0045"),
    ("call ptr @strncpy(ptr %a, ptr %b, i64 4)", b"12345", b"ab\0c", 0, b"ab\0\x005"),
    ("call ptr @strncpy(ptr %a, ptr %b, i64 1)", b"12345", b"ab\0c", 0, b"a2345"),
    ("call ptr @strcat(ptr %a, ptr %b)", b"1\x00345", b"ab\0", 0, b"1ab\x005"),
    ("call ptr @strncat(ptr %a, ptr %b, i64 1)", b"1\x00345", b"ab", 0, b"1a\x0045"),
    ("call ptr @memcpy(ptr %a, ptr %b, i64 2)", b"123", b"ab", 0, b"ab3"),
    ("call ptr @memmove(ptr %a, ptr %b, i64 0)", b"123", b"ab", 0, b"123"),
    ("call ptr @memset(ptr %a, i32 577, i64 2)", b"123", b"", 0, b"AA3"),
]


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize(("call", "a", "b", "value", "left"), CASES)
def test_each_gives_and_leaves_what_c_says(
    call: str, a: bytes, b: bytes, value: int, left: bytes | None, engine: str
) -> None:
    whole = (a if left is None else left).ljust(SIZE, b".")
    assert called(call, a, b, engine) == (value, whole)


@settings(deadline=None, max_examples=30)
@given(st.binary(max_size=5), st.binary(max_size=5), st.integers(0, 6))
def test_comparisons_are_those_of_bytes_without_a_sign(a: bytes, b: bytes, n: int) -> None:
    def sign(x: bytes, y: bytes) -> int:
        return (x > y) - (x < y)

    a, b = a.ljust(6, b"\0"), b.ljust(6, b"\0")
    x, y = (text[: text.index(b"\0")] for text in (a, b))
    assert called(f"call i32 @memcmp(ptr %a, ptr %b, i64 {n})", a, b)[0] == sign(a[:n], b[:n])
    assert called("call i32 @strcmp(ptr %a, ptr %b)", a, b)[0] == sign(x, y)
    assert called(f"call i32 @strncmp(ptr %a, ptr %b, i64 {n})", a, b)[0] == sign(x[:n], y[:n])


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("call i64 @strlen(ptr %a)", "out of bounds"),
        ("call i64 @strlen(ptr null)", "null"),
        ("call i64 @strlen(ptr poison)", "poison"),
        ("call i32 @memcmp(ptr %a, ptr %b, i64 17)", "out of bounds"),
        ("call i32 @strncmp(ptr %a, ptr %b, i64 poison)", "poison"),
        ("call ptr @memset(ptr %a, i32 0, i64 17)", "out of bounds"),
        ("call ptr @memcpy(ptr %a, ptr %a1, i64 2)", "overlap"),
        ("call ptr @strncpy(ptr %a, ptr %a1, i64 2)", "overlap"),
    ],
)
def test_what_is_undefined(call: str, reason: str) -> None:
    ending = cc.run(module(call, b"." * SIZE, b"." * SIZE), function="f", threads=1).ending
    assert isinstance(ending, UndefinedBehaviour) and reason in ending.reason


def test_who_writes_what_another_reads_races() -> None:
    text = f"""{DECLARATIONS}
@s = global [8 x i8] c"hello\\00\\00\\00"
@t = constant [3 x i8] c"ab\\00"
declare i32 @llvm.amdgcn.workitem.id.x()
define i64 @f() {{
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %first = icmp eq i32 %id, 0
  br i1 %first, label %a, label %b
a:
  %n = call i64 @strlen(ptr @s)
  ret i64 %n
b:
  %p = call ptr @strcpy(ptr @s, ptr @t)
  ret i64 0
}}
"""
    (race,) = cc.run(parse(text), function="f", threads=2).races
    assert race.variable == "@s"


def test_another_declaration_has_no_model() -> None:
    call = "call i32 @strlen(ptr null, ptr null)"
    text = f"declare i32 @strlen(ptr, ptr)\ndefine void @f() {{\n  %r = {call}\n  ret void\n}}"
    ending = cc.run(parse(text), function="f", threads=1).ending
    assert isinstance(ending, Unmodelled) and "@strlen" in ending.feature
