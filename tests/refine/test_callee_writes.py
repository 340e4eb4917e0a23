"""What a function may write that nobody knows: a load does not move over its call, unless it cannot reach.

covers: semantics.memory.accesses
"""

from __future__ import annotations

import pytest

from convergence.parser import parse
from convergence.refine import refine

MODULE = """
@g = global i32 7
@hidden = internal global i32 7
@fixed = constant i32 7
@tile = addrspace(3) global i32 poison
@slot = global ptr @g
declare void @any()
declare void @given(ptr)
declare void @only(ptr) memory(argmem: readwrite)
declare void @none(ptr) memory(none)
declare void @reads(ptr) memory(read)
declare void @inside() memory(inaccessiblemem: readwrite)
declare void @readonly(ptr readonly) memory(argmem: readwrite)
declare i32 @result(i32)
declare i32 @meets(i32) convergent
declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)
"""


def verdict(before: str, after: str, *, threads: int | None = None) -> str:
    """Of two bodies of ``i32 (ptr %p, ptr noalias %q, i32 %x)``: what `refine` says."""
    bodies = ((name, body) for name, body in (("src", before), ("tgt", after)))
    functions = (f"define i32 @{n}(ptr %p, ptr noalias %q, i32 %x) {{\n{b}\n}}\n" for n, b in bodies)
    module = parse(MODULE + "".join(functions))
    return refine(module, module, max_launches=16, threads=threads).verdict


LOADED = "{}\n%a = load i32, ptr {}\n{}\n%b = load i32, ptr {}\nret i32 {}"


@pytest.mark.parametrize(
    ("address", "call", "changed"),
    [
        ("@g", "call void @any()", True),
        ("@g", "%r = call i32 @result(i32 0)", True),
        ("@g", "%r = call i32 @meets(i32 0)", True),
        ("%p", "call void @any()", True),
        ("%q", "call void @any()", False),
        ("%q", "call void @given(ptr %q)", True),
        ("@g", "call void @only(ptr %p)", False),
        ("%p", "call void @only(ptr %p)", True),
        ("%p", "call void @readonly(ptr %p)", False),
        ("@g", "call void @none(ptr @g)", False),
        ("@g", "call void @reads(ptr @g)", False),
        ("@g", "call void @inside()", False),
        ("@hidden", "call void @any()", False),
        ("@hidden", "call void @given(ptr @hidden)", True),
        ("@fixed", "call void @any()", False),
        ("%s", "call void @any()", False),
        ("%s", "call void @given(ptr %s)", True),
        ("%s", "call void @given(ptr byval(i32) %s)", False),
    ],
)
def test_a_load_moves_only_over_calls_that_cannot_write_there(address: str, call: str, changed: bool) -> None:
    stack = "%s = alloca i32\nstore i32 %x, ptr %s" if address == "%s" else ""
    sides = [LOADED.format(stack, address, call, address, value) for value in ("%b", "%a")]
    assert verdict(*sides) == ("wrong" if changed else "equal")


def test_several_threads_change_what_is_their_own() -> None:
    sides = [
        LOADED.format("%s = alloca i32\nstore i32 %x, ptr %s", "%s", "call void @given(ptr %s)", "%s", value)
        for value in ("%b", "%a")
    ]
    assert verdict(*sides, threads=2) == "wrong"


def test_a_call_that_only_writes_writes_the_same_again() -> None:
    twice = "call void @w()\ncall void @w()\n%a = load i32, ptr @g\nret i32 %a"
    once = twice.removeprefix("call void @w()\n")
    between = twice.replace("\ncall", "\nstore i32 1, ptr @g\ncall", 1)
    assert _writing(twice, once) == "equal"
    assert _writing(between, between.replace("call void @w()\n", "", 1)) != "wrong"
    assert _writing(between, "call void @w()\nstore i32 1, ptr @g\nret i32 1") == "wrong"


def _writing(before: str, after: str) -> str:
    head = "@g = global i32 0\ndeclare void @w() memory(write) willreturn nounwind\n"
    module = parse(head + f"define i32 @src() {{\n{before}\n}}\ndefine i32 @tgt() {{\n{after}\n}}\n")
    return refine(module, module, max_launches=16).verdict


def test_pointers_in_memory_stay() -> None:
    """Else what a program does behind a pointer that it loads would say nothing."""
    body = (
        "call void @any()\n%s = load ptr, ptr @slot\n%a = load i32, ptr %s\n%r = add i32 %a, {}\nret i32 %r"
    )
    assert verdict(body.format(0), body.format(1)) == "wrong"
    assert verdict(body.format(0), body.format("0\n%t = add i32 0, 0")) == "equal"


def test_what_metadata_says_is_not_held_against_a_pass() -> None:
    sides = [LOADED.format("", "@g", "call void @any()", "@g", value) for value in ("%b", "%a")]
    assert verdict(*(side.replace("ptr @g\n", "ptr @g, !invariant.load !{}\n") for side in sides)) == "equal"


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ("memory(inaccessiblemem: readwrite)", "memory(argmem: write)", "equal"),
        ("memory(inaccessiblemem: write)", "memory(argmem: readwrite)", "equal"),
        ("memory(argmem: write)", "memory(argmem: write)", "wrong"),
        ("memory(inaccessiblemem: write)", "memory(readwrite)", "wrong"),
        ("memory(inaccessiblemem: write)", "memory(inaccessiblemem: write)", "wrong"),
    ],
)
def test_calls_that_touch_different_kinds_of_memory_may_cross(one: str, other: str, verdict: str) -> None:
    head = f"declare void @a(ptr, i32) {one} AWAY\ndeclare void @b(ptr, i32) {other} AWAY\n"
    first, second = "call void @a(ptr %p, i32 0)", "call void @b(ptr %p, i32 {})"
    source = f"define void @src(ptr %p) {{\n{first}\n{second.format(1)}\nret void\n}}\n"
    target = f"define void @tgt(ptr %p) {{\n{second.format('N')}\n{first}\nret void\n}}\n"
    text = head.replace("AWAY", "willreturn nounwind") + source + target
    module = parse(text.replace("N", "1"))
    assert refine(module, module, threads=1).verdict == verdict
    module = parse(text.replace("N", "2"))
    assert refine(module, module, threads=1).verdict == "wrong"
    module = parse(text.replace("N", "1").replace("willreturn ", ""))
    assert refine(module, module, threads=1).verdict == "wrong"


MEETING = """
declare token @llvm.experimental.convergence.entry()
declare i32 @llvm.amdgcn.readfirstlane.i32(i32) convergent
define i32 @NAME(i32 %x) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  %r = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x) [ "convergencectrl"(token %t) ]
  %c = icmp eq i32 %r, %x
  br i1 %c, label %B, label %C
B:
  ret i32 0
C:
  %a = load i32, ptr ADDRESS
  call void @any()
  %b = load i32, ptr ADDRESS
  %s = sub i32 %a, VALUE
  ret i32 %s
}
"""


@pytest.mark.parametrize(("address", "verdict"), [("@g", "wrong"), ("@hidden", "equal")])
def test_one_thread_of_several_calls_what_writes(address: str, verdict: str) -> None:
    """A thread alone is never where the loads are: another one's number leads there."""
    source, target = (
        parse(MODULE + MEETING.replace("NAME", "f").replace("ADDRESS", address).replace("VALUE", value))
        for value in ("%b", "%a")
    )
    answer = refine(source, target, threads=2, max_launches=24)
    assert answer.verdict == verdict
    if answer.counterexample is not None:
        assert (answer.counterexample.threads, answer.counterexample.writer) == (2, 1)


# -- What a callee writes races with what other threads write

DIVERGING = """target triple = "amdgcn-amd-amdhsa"
declare void @unknown() convergent nounwind
define void @f(ptr addrspace(1) %p, i1 %c) convergent {
entry:
  %other = xor i1 %c, true
  br i1 %other, label %second, label %middle
middle:
  %first = phi i1 [ false, %second ], [ true, %entry ]
  br i1 %first, label %one, label %join
one:
  store i32 10, ptr addrspace(1) %p
  br label %join
second:
  store i32 20, ptr addrspace(1) %p
  br label %middle
join:
  call void @unknown()
  ret void
}
"""
MASKED = """target triple = "amdgcn-amd-amdhsa"
declare void @unknown() convergent nounwind
declare { i1, i64 } @llvm.amdgcn.if.i64(i1)
declare { i1, i64 } @llvm.amdgcn.else.i64.i64(i64)
declare void @llvm.amdgcn.end.cf.i64(i64)
define void @f(ptr addrspace(1) %p, i1 %c) convergent {
entry:
  %other = xor i1 %c, true
  %if = call { i1, i64 } @llvm.amdgcn.if.i64(i1 %other)
  %into = extractvalue { i1, i64 } %if, 0
  %saved = extractvalue { i1, i64 } %if, 1
  br i1 %into, label %second, label %middle
middle:
  %else = call { i1, i64 } @llvm.amdgcn.else.i64.i64(i64 %saved)
  %first = extractvalue { i1, i64 } %else, 0
  %rest = extractvalue { i1, i64 } %else, 1
  br i1 %first, label %one, label %join
one:
  store i32 10, ptr addrspace(1) %p
  br label %join
second:
  store i32 20, ptr addrspace(1) %p
  br label %middle
join:
  call void @llvm.amdgcn.end.cf.i64(i64 %rest)
  call void @unknown()
  ret void
}
"""


def test_what_one_thread_s_call_writes_races_with_another_s_store() -> None:
    """Each thread has a part of the object, and a call writes all of it: the order is nobody's. Lowered code
    stores before it calls, and threads one after the other do not."""
    answer = refine(parse(DIVERGING), parse(MASKED))
    assert answer.verdict in ("equal", "refines"), answer.counterexample
    stored = MASKED.replace("i32 20", "i32 30")
    assert refine(parse(DIVERGING), parse(stored)).verdict == "wrong"
