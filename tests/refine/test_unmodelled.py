"""Operations without a model that only one side has: what a pass makes or removes is ``unknown`` by name."""

from __future__ import annotations

import pytest

from convergence.parser import parse
from convergence.refine import Refinement, refine
from convergence.refine.sides.unmodelled import known_by_name
from convergence.refine.verdict.result import DeclaredOtherwise, OnlyThere, OpenSide, PointerWithoutModel
from convergence.report.refine import reason_words

HEAD = """target triple = "amdgcn-amd-amdhsa"
declare token @llvm.experimental.convergence.entry()
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i1 @llvm.amdgcn.ps.live()
declare i32 @printf(ptr, ...)
declare i32 @puts(ptr)
declare void @report(i32)
declare void @other(i32)
@text = constant [4 x i8] c"abc\\00"
"""
BRANCH = """br i1 %c, label %A, label %B
A:
call void @report(i32 %x)
br label %B
B:
ret i32 VALUE"""
LOWERED = """%l = call i1 @llvm.amdgcn.ps.live()
%i = xor i1 %l, %c
br i1 %i, label %A, label %B
A:
call void @report(i32 %x)
br label %B
B:
ret i32 VALUE"""


def compared(source: str, target: str, threads: int | None = None) -> Refinement:
    one, other = (parse(f"{HEAD}define i32 @f(i32 %x, i1 %c) {{\n{body}\n}}\n") for body in (source, target))
    return refine(one, other, threads=threads, max_launches=24)


def open_(found: Refinement) -> tuple[str, str]:
    assert found.verdict == "unknown" and isinstance(found.bound, OpenSide)
    assert isinstance(found.bound.why, OnlyThere)
    return found.bound.why.callee, found.bound.side


def test_what_a_pass_has_made_is_unknown_by_name() -> None:
    found = compared(BRANCH.replace("VALUE", "%x"), LOWERED.replace("VALUE", "%x"))
    callee, side = open_(found)
    assert callee.startswith("llvm.amdgcn.") and side == "target"
    assert found.bound is not None
    assert reason_words(found.bound) == f"@{callee} has no model, and only the target has it"


def test_a_loop_on_what_a_pass_has_made_is_unknown_by_name() -> None:
    loop = """br label %H
H:
%i = phi i32 [ 0, %0 ], [ %n, %H ]
%n = add i32 %i, 1
%d = icmp uge i32 %n, 3
br i1 %d, label %X, label %H
X:
ret i32 %n"""
    lowered = loop.replace("br i1 %d", "%l = call i1 @llvm.amdgcn.ps.live()\nbr i1 %l")
    assert open_(compared(loop, lowered)) == ("llvm.amdgcn.ps.live", "target")


def test_an_execution_that_does_not_reach_it_is_certain() -> None:
    lowered = LOWERED.replace("VALUE", "%x")
    early = "%z = icmp eq i32 %x, 0\nbr i1 %z, label %Z, label %M\nZ:\nret i32 7\nM:\n" + lowered
    assert compared(BRANCH.replace("VALUE", "%x"), early, 1).verdict == "wrong"


def test_what_a_pass_has_removed_is_unknown_by_name() -> None:
    assert open_(compared("%r = call i32 @puts(ptr @text)\nret i32 0", "ret i32 0")) == ("puts", "source")
    source = "%r = call i32 @puts(ptr @text)\nret i32 %r"
    both = source.replace("ret i32 %r", "%s = add i32 %r, 1\nret i32 %s")
    assert compared(source, both).verdict == "wrong"  # both have it: it is any function


def test_the_library_is_known_and_other_functions_are_not() -> None:
    printed = "%r = call i32 (ptr, ...) @printf(ptr @text)\nret i32 0"
    put = "%r = call i32 @puts(ptr @text)\nret i32 0"
    assert open_(compared(printed, put)) == ("puts", "target")
    assert compared("call void @report(i32 1)\nret i32 0", "ret i32 0").verdict == "wrong"
    assert (
        compared("call void @report(i32 1)\nret i32 0", "call void @other(i32 1)\nret i32 0").verdict
        == "wrong"
    )


@pytest.mark.parametrize(
    "name", ["llvm.amdgcn.if.i64", "sinf", "powl", "memset_pattern16", "_Znwm", "__trap"]
)
def test_what_llvm_knows_by_name(name: str) -> None:
    assert known_by_name(name)


@pytest.mark.parametrize("name", ["report", "sine", "subgroupAdd", "_Z3foov", "llvmic"])
def test_what_llvm_does_not_know(name: str) -> None:
    assert not known_by_name(name)


def test_a_run_that_stops_before_a_value_has_come() -> None:
    body = """
  %old = atomicrmw add ptr @g, i32 1 monotonic
  %at = getelementptr i32, ptr @out, i32 %x
  store atomic i32 %old, ptr %at monotonic, align 4
  ret i32 %old"""
    text = f"@g = global i32 0\n@out = global [2 x i32] zeroinitializer\ndefine i32 @f(i32 %x) {{{body}\n}}"
    found = refine(parse(text), parse(text), shortcut=False, threads=2, arguments={"x": [0, 5]})
    assert found.verdict == "equal" and found.launches > 0


def test_what_a_pass_knows_more_of_is_unknown_by_name() -> None:
    """As openmp-opt makes declarations of the runtime convergent."""
    source = """
declare i64 @__runtime_mask(i32)
define i64 @f(i32 %x) convergent {
  %r = call i64 @__runtime_mask(i32 %x)
  ret i64 %r
}"""
    target = source.replace("_mask(i32)\n", "_mask(i32) convergent nounwind\n")
    found = refine(parse(source), parse(target), max_launches=6)
    assert (found.verdict, found.bound) == (
        "unknown",
        OpenSide(DeclaredOtherwise("__runtime_mask"), "target"),
    )
    assert found.bound is not None and "declare it with different attributes" in reason_words(found.bound)
    plain = [text.replace("@__runtime_mask", "@mask") for text in (source, target)]
    assert refine(*map(parse, plain), max_launches=6).verdict == "wrong"


BUFFERS = """target triple = "amdgcn-amd-amdhsa"
declare ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1), i16, i64, i32)
declare i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8), i32, i32, i32)
declare void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32, ptr addrspace(8), i32, i32, i32)
define void @f(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
%r = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %in, i16 0, i64 16, i32 0)
%w = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %out, i16 0, i64 16, i32 0)
BODY
call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 %b, ptr addrspace(8) %w, i32 8, i32 0, i32 0)
ret void
}
"""
LOAD = "%{} = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %r, i32 0, i32 0, i32 0)\n"
PUT = "call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 VALUE, ptr addrspace(8) %w, i32 4, i32 0, i32 0)\n"


def test_buffers_that_have_a_model_are_compared() -> None:
    """LLVM knows that two buffers made of two ``noalias`` pointers are two."""
    store = PUT.replace("VALUE", "7")
    sides = [
        parse(BUFFERS.replace("BODY", body)) for body in (store + LOAD.format("b"), LOAD.format("b") + store)
    ]
    assert refine(*sides, threads=1, max_launches=4).verdict == "equal"
    other = parse(BUFFERS.replace("BODY", PUT.replace("VALUE", "8") + LOAD.format("b")))
    assert refine(sides[0], other, threads=1, max_launches=4).verdict == "wrong"


PLACES = """%S = type { i32, i32 }
declare i32 @__look(ptr) memory(argmem: read) nounwind willreturn
declare void @__put(ptr, i32) memory(argmem: write) nounwind willreturn
declare ptr @llvm.preserve.struct.access.index.p0.p0(ptr, i32 immarg, i32 immarg)
define i32 @f(ptr noalias %in, ptr noalias %out) {
%r = call ptr @llvm.preserve.struct.access.index.p0.p0(ptr elementtype(%S) %in, i32 0, i32 0)
%w = call ptr @llvm.preserve.struct.access.index.p0.p0(ptr elementtype(%S) %out, i32 1, i32 1)
BODY
ret i32 %b
}
"""


def test_where_a_pointer_without_a_model_goes_is_unknown_by_name() -> None:
    """LLVM knows that what is in two ``noalias`` objects is two."""
    read, write = "%b = call i32 @__look(ptr %r)\n", "call void @__put(ptr %w, i32 7)\n"
    sides = [parse(PLACES.replace("BODY", body)) for body in (write + read, read + write)]
    found = refine(*sides, threads=1, max_launches=4)
    assert found.verdict == "unknown" and isinstance(found.bound, OpenSide)
    assert isinstance(found.bound.why, PointerWithoutModel)
    assert found.bound.why.callee.startswith("llvm.preserve.struct.access.index")


def test_fresh_memory_that_a_declared_function_gives() -> None:
    declared = "@g = global i32 0\ndeclare noalias ptr @fresh()\n"
    declared += "declare i32 @look(ptr) memory(argmem: read) nounwind willreturn\n"
    declared += "declare void @put(ptr) memory(argmem: write)\n"
    get, look, put = "%p = call ptr @fresh()\n", "%a = call i32 @look(ptr %p)\n", "call void @put(ptr @g)\n"
    sides = [
        parse(f"{declared}define i32 @f() {{\n{get}{body}ret i32 %a\n}}\n")
        for body in (put + look, look + put)
    ]
    assert refine(*sides, threads=1, max_launches=4).verdict in ("equal", "unknown")


VECTORIZED = """declare <2 x i32> @llvm.amdgcn.global.load.tr.b64.v2i32(ptr addrspace(1))
define void @k(ptr %p) {
LOAD
  %g = getelementptr i32, ptr addrspace(1) %a, i64 2
  %v = call <2 x i32> @llvm.amdgcn.global.load.tr.b64.v2i32(ptr addrspace(1) %g)
  store volatile <2 x i32> %v, ptr addrspace(1) %a
  ret void
}
@at = global i32 0
@places = addrspace(1) global [16 x i32] zeroinitializer
@others = addrspace(1) global [16 x i32] zeroinitializer
"""


@pytest.mark.parametrize(("name", "verdict"), [("places", "equal"), ("others", "wrong")])
def test_an_address_that_was_an_integer_is_the_object_s(name: str, verdict: str) -> None:
    """As load-store-vectorizer makes one load of integers of two loads of pointers."""
    source = VECTORIZED.replace("LOAD", "  %a = getelementptr i8, ptr addrspace(1) @places, i64 0")
    integers = f"""  %i = ptrtoint ptr addrspace(1) @{name} to i64
  %s = insertelement <2 x i64> zeroinitializer, i64 %i, i64 1
  %j = extractelement <2 x i64> %s, i64 1
  %a = inttoptr i64 %j to ptr addrspace(1)"""
    found = refine(parse(source), parse(VECTORIZED.replace("LOAD", integers)), threads=1, max_launches=4)
    assert found.verdict == verdict
