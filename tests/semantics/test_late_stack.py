"""Stack objects that end later than their thread goes on: where accesses are performed by choices.

covers: semantics.environments.queued, semantics.memory.allocations
"""

from __future__ import annotations

import pytest

import convergence as cc
from convergence.ir.escape import Escapes
from convergence.sched.engines import Engine

STACK = """
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
@shared = global i32 1
define i32 @k(i32 %t) {
  %kept = alloca ptr
  %o = atomicrmw add ptr @shared, i32 %t monotonic
  %height = call ptr @llvm.stacksave.p0()
  store ptr %height, ptr %kept
  %a = alloca i32
  store i32 %o, ptr %a
  %l = load i32, ptr %a
  %same = load ptr, ptr %kept
  call void @llvm.stackrestore.p0(ptr %same)
  %b = alloca i32
  store i32 %l, ptr %b
  %m = load i32, ptr %POINTER
  ret i32 %m
}
"""


@pytest.mark.parametrize("engine", ["operational", "axiomatic"])
def test_the_stack_is_restored_to_what_it_was_where_the_thread_was(engine: Engine) -> None:
    """What waits for memory, and frees stack objects, frees none that came later."""
    module = cc.parse(STACK.replace("POINTER", "b"))
    found = cc.enumerate(module, threads=2, arguments={"t": [1, 2]}, engine=engine, quick=False).to_dict()
    assert [o["ending"] for o in found["outcomes"]] == ["returned"] * 2
    assert {tuple(t["return"] for t in o["threads"]) for o in found["outcomes"]} == {(1, 2), (3, 1)}
    freed = cc.parse(STACK.replace("POINTER", "a"))
    (outcome,) = cc.enumerate(freed, threads=2, arguments={"t": [1, 2]}, engine=engine, quick=False).outcomes
    assert "freed" in str(outcome)


OVERLAP = """
@shared = global i32 1
define i32 @f(i32 %o) {
  %x = alloca i32
  store i32 %o, ptr %x
  %l = load i32, ptr %x
  ret i32 %l
}
define i1 @k(i32 %t) {
  %o = atomicrmw add ptr @shared, i32 %t monotonic
  %l = call i32 @f(i32 %o)
  %z = alloca i32
  %known = icmp ult i32 %l, 100
  br i1 %known, label %a, label %b
a:
  %w = alloca [64 x i32]
  %zi = ptrtoint ptr %z to i64
  %wi = ptrtoint ptr %w to i64
  %distance = sub i64 %zi, %wi
  %inside = icmp ult i64 %distance, 256
  ret i1 %inside
b:
  ret i1 true
}
"""


def test_objects_that_live_do_not_overlap_when_one_below_ends_late() -> None:
    """The object of the call waits for memory; by when it ends its caller has another one."""
    found = cc.enumerate(cc.parse(OVERLAP), threads=2, function="@k", arguments={"t": [1, 2]}, quick=False)
    assert [[t["return"] for t in o["threads"]] for o in found.to_dict()["outcomes"]] == [[0, 0]]


PASSED = """
@g = global i32 0
@own = thread_local global i32 0
@where = internal thread_local global ptr @own
declare i32 @subgroupMax(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry()
define i32 @f(ptr byval(i32) align 4 %p) {
  %v = load i32, ptr %p
  store i32 0, ptr %p
  ret i32 %v
}
define i32 @k(i32 %t) convergent {
  %e = call token @llvm.experimental.convergence.entry()
  %o = atomicrmw xchg ptr @g, i32 %t monotonic
  %m = call i32 @subgroupMax(i32 %o) [ "convergencectrl"(token %e) ]
  USE
  %l = load atomic i32, ptr @g monotonic, align 4
  ret i32 %l
}
"""
COPIED = """%s = alloca i32
  store i32 %m, ptr %s
  %u = call i32 @f(ptr byval(i32) align 4 %s)"""
OF_THE_THREAD = """store i32 %m, ptr @own
  %p = load ptr, ptr @where
  store i32 %m, ptr %p
  %u = load i32, ptr @own"""


DECLARED = """
declare <2 x i32> @llvm.masked.load.v2i32.p0(ptr, <2 x i1>, <2 x i32>)
declare void @llvm.masked.store.v2i32.p0(<2 x i32>, ptr, <2 x i1>)
declare <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr>, <2 x i1>, <2 x i32>)
declare void @llvm.masked.scatter.v2i32.v2p0(<2 x i32>, <2 x ptr>, <2 x i1>)
declare void @llvm.masked.scatter.v1p0.v1p0(<1 x ptr>, <1 x ptr>, <1 x i1>)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.assume(i1)
declare ptr @llvm.launder.invariant.group.p0(ptr)
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
declare void @elsewhere(ptr)
define internal ptr @same(ptr %p, i32 %n) {
  %more = icmp sgt i32 %n, 0
  br i1 %more, label %again, label %done
again:
  %less = sub i32 %n, 1
  %q = call ptr @same(ptr %p, i32 %less)
  ret ptr %q
done:
  ret ptr %p
}
define internal void @kept_by(ptr %p) {
  %q = call ptr @same(ptr %p, i32 1)
  store ptr %q, ptr @where
  ret void
}
"""
MASKED = """%s = alloca <2 x i32>
  %v = insertelement <2 x i32> zeroinitializer, i32 %m, i32 0
  call void @llvm.masked.store.v2i32.p0(<2 x i32> %v, ptr align 8 %s, <2 x i1> <i1 1, i1 1>)
  %u = call <2 x i32> @llvm.masked.load.v2i32.p0(ptr align 8 %s, <2 x i1> <i1 1, i1 0>, <2 x i32> %v)"""


def of_one(pointer: str) -> str:
    """A stack object that is accessed through ``%q``, which the text computes from ``%s``."""
    return f"%s = alloca i32, align 8\n  {pointer}\n  store i32 %m, ptr %q\n  %u = load i32, ptr %q"


THROUGH = {
    "masked": MASKED,
    "filled": """%s = alloca i32
  %byte = trunc i32 %m to i8
  call void @llvm.memset.p0.i64(ptr %s, i8 %byte, i64 4, i1 false)
  %u = load i32, ptr %s""",
    "assume": of_one("""%q = getelementptr i8, ptr %s, i64 0
  call void @llvm.assume(i1 true) [ "align"(ptr %q, i64 8) ]"""),
    "launder": of_one("%q = call ptr @llvm.launder.invariant.group.p0(ptr %s)"),
    "ptrmask": of_one("%q = call ptr @llvm.ptrmask.p0.i64(ptr %s, i64 -4)"),
    "struct": of_one("""%i = insertvalue { ptr, i32 } poison, ptr %s, 0
  %q = extractvalue { ptr, i32 } %i, 0"""),
    "vector": of_one("""%i = insertelement <2 x ptr> poison, ptr %s, i32 0
  %j = shufflevector <2 x ptr> %i, <2 x ptr> poison, <2 x i32> <i32 1, i32 0>
  %q = extractelement <2 x ptr> %j, i32 1"""),
    "returned": of_one("%q = call ptr @same(ptr %s, i32 2)"),
}


@pytest.mark.parametrize("engine", ["operational", "axiomatic"])
@pytest.mark.parametrize("use", THROUGH.values(), ids=THROUGH)
def test_an_address_that_stays_in_registers_is_known_to_nobody_else(engine: Engine, use: str) -> None:
    module = cc.parse(DECLARED + PASSED.replace("USE", use))
    for prune in (True, False):
        found = cc.enumerate(
            module, threads=2, function="@k", arguments={"t": [0, 2]}, engine=engine, prune=prune
        )
        returned = {tuple(t["return"] for t in o["threads"]) for o in found.to_dict()["outcomes"]}
        assert found.complete and returned == {(0, 0), (0, 2), (2, 2)}


ESCAPED = {
    "struct": """%i = insertvalue { ptr, i32 } poison, ptr %s, 0
  store { ptr, i32 } %i, ptr @where""",
    "vector": """%i = insertelement <1 x ptr> poison, ptr %s, i32 0
  %q = extractelement <1 x ptr> %i, i32 0
  store ptr %q, ptr @where""",
    "returned": "%q = call ptr @same(ptr %s, i32 1)\n  store ptr %q, ptr @where",
    "kept by a callee": "call void @kept_by(ptr %s)",
    "laundered": """%q = call ptr @llvm.launder.invariant.group.p0(ptr %s)
  call void @elsewhere(ptr %q)""",
    "scattered": """%i = insertelement <1 x ptr> poison, ptr %s, i32 0
  call void @llvm.masked.scatter.v1p0.v1p0(<1 x ptr> %i, <1 x ptr> poison, <1 x i1> zeroinitializer)""",
}


@pytest.mark.parametrize("use", ESCAPED.values(), ids=ESCAPED)
def test_an_address_that_leaves_the_registers_escapes(use: str) -> None:
    module = cc.parse(DECLARED + PASSED.replace("USE", "%s = alloca i32\n  " + use))
    assert Escapes(module).escapes(module.functions["k"], "s")


@pytest.mark.parametrize("engine", ["operational", "axiomatic"])
@pytest.mark.parametrize("use", ["%u = add i32 %m, 0", COPIED, OF_THE_THREAD])
def test_what_is_a_threads_own_is_like_a_register(engine: Engine, use: str) -> None:
    """The load need not wait for the exchange, whose result goes through a thread's own objects."""
    module = cc.parse(PASSED.replace("USE", use))
    found = cc.enumerate(module, threads=2, function="@k", arguments={"t": [0, 2]}, engine=engine)
    returned = {tuple(t["return"] for t in o["threads"]) for o in found.to_dict()["outcomes"]}
    assert found.complete and returned == {(0, 0), (0, 2), (2, 2)}


PUBLISHED = """
@kept = global ptr null
define void @f(ptr byval(i32) align 4 %p) {
  %old = atomicrmw xchg ptr @kept, ptr %p acq_rel
  %none = icmp eq ptr %old, null
  br i1 %none, label %first, label %second
first:
  ret void
second:
  store i32 5, ptr %old
  ret void
}
define void @k() {
  %s = alloca i32
  store i32 1, ptr %s
  call void @f(ptr byval(i32) align 4 %s)
  ret void
}
"""


def test_a_copy_whose_address_is_given_away_is_not() -> None:
    found = cc.enumerate(cc.parse(PUBLISHED), threads=2, function="@k").to_dict()
    assert {o["ending"] for o in found["outcomes"]} == {"undefined-behaviour"}
