"""Early answers: small launches first, and what they say stands where there is no time for more. And what no
longer is an alarm: barriers that are gone, and arguments that all threads share.

covers: refine.inputs.space, refine.verdict.compare, refine.verdict.counterexample,
refine.verdict.relation, sched.choices.states, semantics
"""

from __future__ import annotations

import time
from typing import Any

import pytest

import convergence as cc
from convergence.parser import parse
from convergence.refine import prepare, refine
from convergence.refine.verdict.compare import GROWING, WHOLE, compare
from convergence.refine.verdict.result import InPart, MoreLaunches, OnlyBarriers, OpenSide
from convergence.sched.choices.states import may_spin
from convergence.semantics import clock_of
from convergence.semantics.machine.launch import LaunchSpec, Limits

RACY = """
define i32 @src(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %at = getelementptr i32, ptr %p, i32 %i
  %old = load atomic i32, ptr %at monotonic, align 4
  %new = add i32 %old, KEEP
  store atomic i32 %new, ptr %at monotonic, align 4
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %new
}
"""


def two(text: str, *kept: str) -> str:
    """A program as source and target."""
    one, other = kept
    return text.replace("KEEP", one) + text.replace("@src", "@tgt").replace("KEEP", other)


def test_small_launches_answer_where_larger_ones_take_too_long() -> None:
    """One thread's rounds meet another's in memory: executions are many for more than a round or two."""
    module = parse(two(RACY, "1, !nothing !0", "1, !nothing !0, !more !0") + "!0 = !{}\n")
    spec = LaunchSpec(limits=Limits(timeout=1.0, cpu=True))
    late = compare(module, module, spec, efforts=WHOLE)
    early = compare(module, module, spec, efforts=GROWING)
    assert late.verdict == "unknown"
    assert early.verdict in ("equal", "refines") and early.launches >= 1
    assert any(isinstance(note, MoreLaunches) for note in early.notes)
    assert not early.established.startswith("all")


def test_early_answers_are_those_of_the_whole() -> None:
    for other in ("1", "2"):
        module = parse(
            two(RACY.replace("%n\n", "1\n").replace("slt i32 %j, %n", "slt i32 %j, 1"), "1", other)
        )
        whole = refine(module, module, efforts=WHOLE, threads=2)
        grown = refine(module, module, efforts=GROWING, threads=2)
        assert (grown.verdict, grown.models) == (whole.verdict, whole.models)
        assert whole.verdict == ("equal" if other == "1" else "wrong")


def test_processor_time_does_not_run_while_nothing_does(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, wall = clock_of(5.0, cpu=True), clock_of(5.0)
    later = time.monotonic() + 100
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert clock.hit() is None and wall.hit() is not None
    assert clock.share(2).cpu and clock.spared(1).cpu


SPIN = """
define void @f(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ STARTS, %entry ], [ %j, %loop ]
  %j = NEXT
  %v = load atomic i32, ptr %p acquire, align 4
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %done
done:
  ret void
}
"""


@pytest.mark.parametrize(
    ("following", "spins"),
    [
        ("add i32 %i, 1", False),
        ("sub nsw i32 %i, 3", False),
        ("add i32 %i, 0", True),
        ("add i32 %n, 1", True),
        ("add i32 %i, %n", True),
        ("xor i32 %i, 1", True),
    ],
)
def test_loops_that_count_do_not_spin(following: str, spins: bool) -> None:
    assert may_spin(parse(SPIN.replace("STARTS", "0").replace("NEXT", following))) == spins


def test_a_small_counter_comes_back() -> None:
    small = SPIN.replace("i32 [ STARTS", "i8 [ 0").replace("NEXT", "add i8 %i, 1")
    assert may_spin(parse(small))


STACK = """
define void @f(ptr %p, i32 %n) {
entry:
  %i = alloca i32, align 4
  %other = alloca i32, align 4
  store i32 START, ptr %i, align 4
  br label %loop
loop:
  %v = load atomic i32, ptr %p acquire, align 4
  %c = icmp eq i32 %v, 0
  br i1 %c, label %more, label %done
more:
  %w = load i32, ptr %i, align 4
  %j = add i32 %w, 1
  store i32 %j, ptr %i, align 4
  br label %loop
done:
  ret void
}
"""


@pytest.mark.parametrize(
    ("old", "new", "spins"),
    [
        ("START", "0", False),
        ("%j = add i32 %w, 1", "%j = sub nsw i32 %w, 3", False),
        ("%j = add i32 %w, 1", "%j = add i32 %w, 0", True),
        ("%j = add i32 %w, 1", "%j = add i32 %w, %n", True),
        ("%j = add i32 %w, 1", "%j = xor i32 %w, 1", True),
        ("%w = load i32, ptr %i", "%w = load i32, ptr %other", True),
        ("store i32 %j, ptr %i", "store i32 %j, ptr %other", True),
        ("  br label %loop\ndone", "  store i32 0, ptr %i\n  br label %loop\ndone", True),
        ("%j = add i32 %w, 1", "store ptr %i, ptr %p\n  %j = add i32 %w, 1", True),
        ("%j = add i32 %w, 1", "%q = getelementptr i8, ptr %i, i64 1\n  %j = add i32 %w, 1", True),
        ("%w = load i32, ptr %i", "%w = load volatile i32, ptr %i", True),
        ("label %more, label %done", "label %more, label %loop", True),
        (
            "  br label %loop\nloop:",
            "  br label %loop\nloop:\n  %ptrs = phi ptr [ %i, %entry ], [ %p, %more ]",
            True,
        ),
    ],
)
def test_loops_that_count_on_the_stack_do_not_spin(old: str, new: str, spins: bool) -> None:
    """As clang writes them at ``-O0``. Each round counts, and nothing else writes the variable."""
    assert may_spin(parse(STACK.replace(old, new).replace("START", "0"))) == spins


def test_a_variable_that_each_round_makes_does_not_count() -> None:
    text = STACK.replace("START", "0").replace("  %i = alloca i32, align 4\n", "")
    text = text.replace("  store i32 0, ptr %i, align 4\n", "").replace(
        "loop:\n", "loop:\n  %i = alloca i32\n"
    )
    assert may_spin(parse(text))
    narrow = STACK.replace("START", "0").replace("i32 %w", "i8 %w").replace("i32 %j", "i8 %j")
    assert may_spin(parse(narrow.replace("%w = load i32", "%w = load i8")))


@pytest.mark.parametrize("bound", ["3", "%n"])
def test_what_counts_on_the_stack_has_the_same_outcomes(monkeypatch: pytest.MonkeyPatch, bound: str) -> None:
    """With states compared and without: two threads that wait a while for each other."""
    test = f"%c0 = icmp eq i32 %v, 0\n  %k = load i32, ptr %i\n  %c1 = icmp slt i32 %k, {bound}"
    text = STACK.replace("START", "0").replace("%c = icmp eq i32 %v, 0", f"{test}\n  %c = and i1 %c0, %c1")
    text = text.replace(
        "store i32 0, ptr %i, align 4", "store i32 0, ptr %i\n  store atomic i32 1, ptr %p release, align 4"
    )
    text = text.replace(
        "done:", "done:\n  %last = load i32, ptr %i\n  store atomic i32 %last, ptr %p release, align 4"
    )
    module, found = parse(text), []
    assert not may_spin(module)
    for spins in (False, True):
        monkeypatch.setattr("convergence.sched.choices.search.may_spin", lambda module, spins=spins: spins)
        launch: dict[str, Any] = {"threads": 2, "arguments": {"n": 2}, "buffers": {"p": "i32[1]"}}
        executions = cc.enumerate(module, quick=False, **launch)
        assert executions.complete
        found.append({str(outcome.outcome) for outcome in executions.outcomes})
    assert found[0] == found[1] and found[0]


def test_a_call_that_reads_spins() -> None:
    """OpenCL's ``atomic_load``, and no other access to memory."""
    name = "_Z11atomic_loadPU3AS1VU7_Atomici"
    load = "load atomic i32, ptr %p acquire, align 4"
    text = SPIN.replace("STARTS", "0").replace("NEXT", "xor i32 %i, 1")
    assert may_spin(parse(f"declare i32 @{name}(ptr)\n" + text.replace(load, f"call i32 @{name}(ptr %p)")))
    assert not may_spin(parse("declare i32 @h(ptr)\n" + text.replace(load, "call i32 @h(ptr %p)")))


BARRIERS = """
declare void @llvm.amdgcn.s.barrier() convergent
declare void @llvm.amdgcn.wave.barrier() convergent
declare void @llvm.amdgcn.s.barrier.signal(i32) convergent
declare void @llvm.amdgcn.s.barrier.wait(i16) convergent
declare void @aligned() convergent "llvm.assume"="ext_aligned_barrier"
declare void @seen(i32)
define void @src(i32 %x, i1 %c) convergent {
  call void @seen(i32 %x)
  call void @llvm.amdgcn.s.barrier()
  call void @seen(i32 1)
  call void @aligned()
  ret void
}
define void @gone(i32 %x, i1 %c) convergent {
  call void @seen(i32 %x)
  call void @seen(i32 1)
  ret void
}
define void @other(i32 %x, i1 %c) convergent {
  call void @seen(i32 %x)
  call void @llvm.amdgcn.wave.barrier()
  call void @seen(i32 1)
  call void @aligned()
  ret void
}
define void @apart(i32 %x, i1 %c) convergent {
  call void @seen(i32 %x)
  call void @llvm.amdgcn.s.barrier.signal(i32 -1)
  call void @llvm.amdgcn.s.barrier.wait(i16 -1)
  call void @seen(i32 1)
  call void @aligned()
  ret void
}
define void @more(i32 %x, i1 %c) convergent {
  call void @seen(i32 %x)
  call void @llvm.amdgcn.s.barrier()
  call void @llvm.amdgcn.s.barrier()
  call void @seen(i32 1)
  call void @aligned()
  ret void
}
define void @split(i32 %x, i1 %c) convergent {
  call void @seen(i32 %x)
  br i1 %c, label %a, label %b
a:
  call void @llvm.amdgcn.s.barrier()
  br label %d
b:
  call void @llvm.amdgcn.s.barrier()
  br label %d
d:
  call void @seen(i32 1)
  call void @aligned()
  ret void
}
define void @lost(i32 %x, i1 %c) convergent {
  call void @llvm.amdgcn.s.barrier()
  call void @seen(i32 1)
  call void @aligned()
  ret void
}
"""


@pytest.mark.parametrize(
    ("target", "verdict"),
    [("src", "equal"), ("gone", "unknown"), ("other", "unknown"), ("apart", "unknown"),
     ("more", "wrong"), ("split", "wrong"), ("lost", "wrong")],
)  # fmt: skip
def test_barriers_that_are_gone(target: str, verdict: str) -> None:
    """That all else is the same says nothing of what a barrier orders; one with other threads is wrong."""
    for assumption in ("ext_aligned_barrier", "ompx_aligned_barrier"):
        module = parse(BARRIERS.replace("ext_aligned_barrier", assumption))
        found = refine(module, module, function="src", target_function=target, threads=2, max_launches=8)
        assert found.verdict == verdict
    if verdict == "unknown":
        assert isinstance(found.bound, OpenSide) and isinstance(found.bound.why, OnlyBarriers)


SPLIT_BARRIER = """
target triple = "amdgcn-amd-amdhsa"
declare void @seen(i32)
define void @src() #0 {
  call void @seen(i32 0)
  call void @llvm.amdgcn.s.cluster.barrier()
  call void @seen(i32 1)
  ret void
}
define void @tgt() #0 {
  call void @seen(i32 0)
  call void @MORE()
  call void @llvm.amdgcn.s.barrier.signal(i32 -3)
  call void @llvm.amdgcn.s.barrier.wait(i16 -3)
  call void @seen(i32 1)
  ret void
}
attributes #0 = { convergent "target-cpu"="gfx1250" }
"""


@pytest.mark.parametrize(
    ("more", "verdict"), [("llvm.amdgcn.wave.barrier", "unknown"), ("llvm.amdgcn.s.barrier", "wrong")]
)
def test_a_barrier_that_is_split(more: str, verdict: str) -> None:
    """The code generator puts a barrier for the compiler alone beside it, at which nobody waits."""
    module = parse(SPLIT_BARRIER.replace("MORE", more))
    answer = refine(module, module, function="src", target_function="tgt", threads=2, max_launches=8)
    assert answer.verdict == verdict


ASSUMED_BARRIER = """
@v = global i32 7
declare void @aligned() "llvm.assume"="ompx_aligned_barrier"
declare void @seen(i32) memory(none)
define void @src() {
  call void @aligned()
  call void @seen(i32 1)
  ret void
}
define void @tgt() {
  call void @seen(i32 1)
  ret void
}
"""


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (ASSUMED_BARRIER, "unknown"),
        (ASSUMED_BARRIER.replace("ompx_aligned_barrier", "ompx_no_call_asm"), "wrong"),
    ],
)
def test_what_the_module_calls_a_barrier_writes_nothing(text: str, verdict: str) -> None:
    """A function of which nothing is known may write to the variable; a barrier only orders."""
    module = parse(text)
    assert refine(module, module, function="src", target_function="tgt").verdict == verdict


SCALAR_REGISTER = """
target triple = "amdgcn--"
declare i32 @llvm.amdgcn.readlane.i32(i32, i32) convergent
define amdgpu_kernel void @src(ptr addrspace(1) %out) {
  %s = call i32 asm "s_getreg_b32 $0, 1", "CONSTRAINT"()
  %r = call i32 @llvm.amdgcn.readlane.i32(i32 %s, i32 0)
  store i32 %r, ptr addrspace(1) %out
  ret void
}
define amdgpu_kernel void @tgt(ptr addrspace(1) %out) {
  %s = call i32 asm "s_getreg_b32 $0, 1", "CONSTRAINT"()
  store i32 %s, ptr addrspace(1) %out
  ret void
}
"""


@pytest.mark.parametrize(
    ("constraint", "verdict"), [("=s", "equal"), ("={m0}", "equal"), ("={s7}", "equal"), ("=v", "wrong")]
)
def test_a_wave_has_one_of_each_scalar_register(constraint: str, verdict: str) -> None:
    module = parse(SCALAR_REGISTER.replace("CONSTRAINT", constraint))
    answer = refine(module, module, function="src", target_function="tgt", threads=2)
    assert answer.verdict == verdict


FIRST_LANE = """
target triple = "TRIPLE"
declare i32 @llvm.amdgcn.readfirstlane.i32(i32) convergent
define CONVENTION i32 @src(i32 WORDS %x) convergent {
  %r = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x)
  ret i32 %r
}
define CONVENTION i32 @tgt(i32 WORDS %x) convergent {
  ret i32 %x
}
"""


@pytest.mark.parametrize(
    ("convention", "words", "triple", "verdict"),
    [
        ("amdgpu_gfx", "inreg", "amdgcn--", "equal"),
        ("amdgpu_gfx", "", "amdgcn--", "wrong"),
        ("", "inreg", "amdgcn--", "equal"),
        ("", "inreg", "nvptx64--", "wrong"),
        ("", "", "amdgcn--", "wrong"),
    ],
)
def test_arguments_that_all_threads_share(convention: str, words: str, triple: str, verdict: str) -> None:
    text = FIRST_LANE.replace("CONVENTION", convention).replace("WORDS", words).replace("TRIPLE", triple)
    found = refine(parse(text), parse(text), function="src", target_function="tgt", max_launches=20)
    assert found.verdict == verdict
    given = refine(
        parse(text), parse(text), function="src", target_function="tgt", arguments={"x": [0, 1]}, threads=2
    )
    assert given.verdict == "wrong", "what is given is taken"


ANCHORS = """
declare token @llvm.experimental.convergence.anchor()
declare i32 @ask(i32) convergent
define i32 @NAME(i32 %n) convergent {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %one = call token @llvm.experimental.convergence.anchor()
  %a = call i32 @ask(i32 %i) [ "convergencectrl"(token %one) ]
  %two = call token @llvm.experimental.convergence.anchor()
  %b = call i32 @ask(i32 %a) [ "convergencectrl"(token %two) ]
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, 6
  br i1 %more, label %loop, label %done
done:
  ret i32 RETURNED
}
"""


def anchors(name: str, returned: str) -> str:
    return ANCHORS.replace("NAME", name).replace("RETURNED", returned)


def test_some_executions_answer_where_none_of_the_launches_can_be_compared_as_a_whole() -> None:
    """Each thread's twelve groups may be paired in thousands of ways."""
    spec = LaunchSpec(limits=Limits(timeout=1.0, cpu=True))
    source = parse(anchors("f", "%b"))
    target = parse(anchors("f", "%b").replace("add i32 %i, 1", "add i32 1, %i"))
    assert compare(source, target, spec, efforts=WHOLE).verdict == "unknown"
    early = compare(source, target, spec, efforts=GROWING)
    assert early.verdict == "refines" and early.bound is None
    assert any(isinstance(note, InPart) for note in early.notes)
    other = compare(source, parse(anchors("f", "%a")), spec, efforts=GROWING)
    assert other.verdict in ("unknown", "wrong")


IDLE = """
declare void @llvm.amdgcn.s.barrier()
declare void @other()
@out = external addrspace(1) global i32
define amdgpu_kernel void @NAME(i32 %x) {
  FIRST
  call void @llvm.amdgcn.s.barrier()
  SECOND
  ret void
}
"""


def idle(first: str, second: str = "", convention: str = "amdgpu_kernel ") -> str:
    text = IDLE.replace("FIRST", first).replace("SECOND", second)
    return text.replace("NAME", "f").replace("amdgpu_kernel ", convention)


BARRIER = "call void @llvm.amdgcn.s.barrier()"
STORE = "store i32 %x, ptr addrspace(1) @out"


def verdict(source: str, target: str) -> str:
    return refine(parse(source), parse(target), threads=2, max_launches=6).verdict


def test_a_kernel_s_barriers_that_order_nothing_may_go() -> None:
    """Nobody is before or behind a kernel, so that what it shows is all that there is to order."""
    assert verdict(idle(BARRIER), idle("")) == "refines"
    assert verdict(idle(""), idle(BARRIER)) == "wrong"
    assert verdict(idle(""), idle("").replace(BARRIER, "")) == "refines"


@pytest.mark.parametrize("convention", ["amdgpu_kernel ", ""])
def test_what_a_barrier_orders_elsewhere_is_not_known(convention: str) -> None:
    """What nobody models may read and write memory; and a function's callers may count on its barrier."""
    between = idle("call void @other()", "call void @other()", convention)
    assert verdict(between, between.replace(BARRIER, "")) == "unknown"
    alone = idle("", "", convention)
    assert verdict(alone, alone.replace(BARRIER, "")) == ("refines" if convention else "unknown")


def test_one_of_two_barriers_is_enough_where_nothing_is_accessed() -> None:
    assert verdict(idle(BARRIER, "", ""), idle("", "", "")) == "refines"
    assert verdict(idle(f"{BARRIER}\n  {STORE}", "", ""), idle(STORE, "", "")) == "unknown"


def test_a_barrier_of_openmp_s_runtime_that_is_gone_is_unknown() -> None:
    head = "declare void @__kmpc_barrier(ptr, i32) convergent nounwind\n"
    call = "call void @__kmpc_barrier(ptr null, i32 0)\n"
    bodies = {"src": call * 2, "tgt": call}
    module = parse(head + "".join(f"define void @{n}() {{\n{b}ret void\n}}\n" for n, b in bodies.items()))
    answer = refine(module, module, threads=1, max_launches=4)
    assert isinstance(answer.bound, OpenSide) and answer.bound.why == OnlyBarriers("__kmpc_barrier")


ALONE = """
define void @{}(ptr %p, ptr %q, i32 %x) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %a = getelementptr i32, ptr %p, i64 %i
  %b = getelementptr i32, ptr %q, i64 %i
  %v = load i32, ptr %a
  %w = add i32 {}
  store i32 %w, ptr %b
  %j = add i64 %i, 1
  %c = icmp eq i64 %j, 6
  br i1 %c, label %out, label %loop
out:
  {}
  ret void
}}
"""


def test_where_all_threads_race_one_alone_says_as_much() -> None:
    module = parse(ALONE.format("src", "%v, %x", "") + ALONE.format("tgt", "%x, %v", ""))
    answer = compare(module, module, LaunchSpec(limits=Limits(timeout=1.0, cpu=True)), efforts=GROWING)
    assert answer.verdict == "equal" and answer.established.startswith("inputs tried:")


def test_who_meets_otherwise_than_by_races_is_not_alone() -> None:
    fenced = prepare(parse(ALONE.format("f", "%v, %x", "fence seq_cst")))
    assert fenced.threads_meet and not prepare(parse(ALONE.format("f", "%v, %x", ""))).threads_meet
