"""Whole launches that nobody attends to: what they answer is the reference's.

covers: semantics.native.unattended, semantics.native.workgroups, semantics.native.registers
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest

import convergence as cc
from convergence.parser import parse
from convergence.report import run as answers
from convergence.semantics import Bound, BoundKind, OutOfBound, Returned, UndefinedBehaviour
from convergence.semantics.machine import passes
from convergence.semantics.machine.launch import launch_spec
from convergence.semantics.machine.run import Run, execute

from ..cli.cli_harness import ROOT

HEAD = """
@tile = internal addrspace(3) global [16 x i32] undef
@out = global [64 x i32] zeroinitializer
@flag = global i32 0
@leak = global ptr null
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i64 @_Z12get_local_idj(i32) convergent
declare i64 @_Z13get_global_idj(i32) convergent
declare void @_Z7barrierj(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare i32 @subgroupAdd(i32) convergent
declare i32 @subgroupShuffle(i32, i32) convergent
declare i32 @subgroupBallot(i1) convergent
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
"""

TREE = """
define void @f() convergent {
entry:
  %me = call i64 @_Z12get_local_idj(i32 0)
  %all = call i64 @_Z13get_global_idj(i32 0)
  %own = getelementptr [16 x i32], ptr addrspace(3) @tile, i64 0, i64 %me
  %n = trunc i64 %all to i32
  store i32 %n, ptr addrspace(3) %own
  call void @_Z7barrierj(i32 1)
  br label %loop
loop:
  %stride = phi i64 [ 8, %entry ], [ %half, %next ]
  %low = icmp ult i64 %me, %stride
  br i1 %low, label %add, label %next
add:
  %at = add i64 %me, %stride
  %other = getelementptr [16 x i32], ptr addrspace(3) @tile, i64 0, i64 %at
  %a = load i32, ptr addrspace(3) %own
  %b = load i32, ptr addrspace(3) %other
  %c = add i32 %a, %b
  store i32 %c, ptr addrspace(3) %own
  br label %next
next:
  call void @_Z7barrierj(i32 1)
  %half = lshr i64 %stride, 1
  %more = icmp ne i64 %half, 0
  br i1 %more, label %loop, label %end
end:
  %sum = load i32, ptr addrspace(3) @tile
  %p = getelementptr [64 x i32], ptr @out, i64 0, i64 %all
  store i32 %sum, ptr %p
  ret void
}
"""

TOKENS = """
define internal i32 @step(i32 %v) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  %s = call i32 @subgroupAdd(i32 %v) [ "convergencectrl"(token %t) ]
  %next = add i32 %s, 1
  ret i32 %next
}
define i32 @f(i32 %n) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  %me = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  %v = phi i32 [ %me, %entry ], [ %w, %latch ]
  %l = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %inner ]
  %u = phi i32 [ %v, %outer ], [ %u1, %inner ]
  %m = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %l) ]
  %odd = xor i32 %me, 1
  %x = call i32 @subgroupShuffle(i32 %u, i32 %odd) [ "convergencectrl"(token %m) ]
  %u1 = call i32 @step(i32 %x) [ "convergencectrl"(token %m) ]
  %j1 = add i32 %j, 1
  %again = icmp ult i32 %j1, %i
  br i1 %again, label %inner, label %latch
latch:
  %big = icmp ugt i32 %u1, 9
  %b = call i32 @subgroupBallot(i1 %big) [ "convergencectrl"(token %l) ]
  %w = xor i32 %u1, %b
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %outer, label %done
done:
  ret i32 %w
}
"""

SLOTS = """
define internal i32 @twice(i32 %v) {
  %slot = alloca i32
  %other = alloca ptr
  store ptr @out, ptr %other
  store i32 %v, ptr %slot
  %a = load i32, ptr %slot
  %b = mul i32 %a, 2
  store i32 %b, ptr %slot
  %c = load i32, ptr %slot
  %p = load ptr, ptr %other
  %d = load i32, ptr %p
  %e = add i32 %c, %d
  ret i32 %e
}
define i32 @f(i32 %n) convergent {
entry:
  %i = alloca i32
  %s = alloca i32
  call void @llvm.lifetime.start.p0(ptr %s)
  store i32 0, ptr %i
  store i32 1, ptr %s
  br label %cond
cond:
  %i0 = load i32, ptr %i
  %more = icmp ult i32 %i0, %n
  br i1 %more, label %body, label %end
body:
  %s0 = load i32, ptr %s
  %s1 = call i32 @twice(i32 %s0)
  store i32 %s1, ptr %s
  call void @_Z7barrierj(i32 1)
  %i1 = add i32 %i0, 1
  store i32 %i1, ptr %i
  br label %cond
end:
  %s2 = load i32, ptr %s
  call void @llvm.lifetime.end.p0(ptr %s)
  ret i32 %s2
}
"""

EARLY = """
define i32 @f(i32 %n) convergent {
entry:
  %me = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %out = icmp ult i32 %me, %n
  br i1 %out, label %done, label %meet
meet:
  %s = call i32 @subgroupAdd(i32 %me)
  br label %done
done:
  %r = phi i32 [ -1, %entry ], [ %s, %meet ]
  ret i32 %r
}
"""

ACROSS = """
define i32 @f() {
  %old = atomicrmw add ptr @flag, i32 1 monotonic
  ret i32 %old
}
"""

ADDS = """
define void @f() convergent {
entry:
  %me = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %me, INIT
  br i1 %first, label %init, label %add
init:
  store atomic i32 5, ptr @flag monotonic, align 4
  br label %add
add:
  %old = atomicrmw add ptr @flag, i32 %me monotonic
  %more = atomicrmw sub ptr @flag, i32 1 monotonic
  ret void
}
"""

POISON = """
define i32 @f(i32 %n) convergent {
  %me = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = add nuw i32 %me, %n
  %s = call i32 @subgroupShuffle(i32 %p, i32 0)
  %f = freeze i32 %s
  ret i32 %f
}
"""

ROWS = """
define internal i64 @sum(ptr %p, i32 %n) {
entry:
  %slot = alloca i64, align 8
  %rest = alloca [3 x i16]
  %q = getelementptr [3 x i16], ptr %rest, i32 0, i32 %n
  store i16 5, ptr %q
  %a = load i32, ptr %p
  %z = zext i32 %a to i64
  %at = ptrtoint ptr %q to i64
  %s = add i64 %z, %at
  store i64 %s, ptr %slot
  %r = load i64, ptr %slot
  ret i64 %r
}
define i64 @f(i32 %n) convergent {
entry:
  %a = alloca [4 x i32]
  %own = alloca ptr
  %there = alloca ptr
  call void @llvm.lifetime.start.p0(ptr %a)
  %p = getelementptr [4 x i32], ptr %a, i32 0, i32 %n
  store i32 7, ptr %p
  store ptr %p, ptr %own
  store ptr %own, ptr %there
  call void @_Z7barrierj(i32 1)
  %o = load ptr, ptr %there
  %q = load ptr, ptr %o
  %v = call i64 @sum(ptr %q, i32 %n)
  %w = call i64 @sum(ptr %p, i32 1)
  %same = icmp eq ptr %p, %q
  %u = select i1 %same, i64 %v, i64 %w
  %x = xor i64 %u, %w
  call void @llvm.lifetime.end.p0(ptr %a)
  ret i64 %x
}
"""

LEAKS = """
define i32 @f(i32 %n) {
  %a = alloca [4 x i32]
  %p = getelementptr [4 x i32], ptr %a, i32 0, i32 %n
  store ptr %p, ptr @leak
  store i32 7, ptr %p
  %v = load i32, ptr %p
  ret i32 %v
}
"""

DANGLES = """
define internal ptr @gone() {
  %a = alloca [2 x i32]
  store i32 1, ptr %a
  ret ptr %a
}
define i32 @f(i32 %n) {
  %p = call ptr @gone()
  %v = load i32, ptr %p
  ret i32 %v
}
"""

BEYOND = """
define i32 @f(i32 %n) {
  %a = alloca [4 x i32]
  store [4 x i32] zeroinitializer, ptr %a
  %m = mul i32 %n, 4
  %p = getelementptr [4 x i32], ptr %a, i32 0, i32 %m
  %v = load i32, ptr %p
  ret i32 %v
}
"""

UNWRITTEN = """
define i32 @f(i32 %n) {
  %a = alloca i32
  %v = load i32, ptr %a
  %w = freeze i32 %v
  ret i32 %w
}
"""


def both(text: str, **launch: object) -> tuple[Run, Run]:
    """The reference's run, and the native one; their answers are the same, but for what ran them."""
    module = parse(HEAD + text)
    spec = launch_spec(function="f", verified=True, **launch)  # type: ignore[arg-type]
    one, other = (execute(module, replace(spec, engine=name)) for name in ("reference", "native"))
    assert passes(one.machine.log) == passes(other.machine.log)
    first, second = (answers.answer(run, module, (), run.notes) for run in (one, other))
    first.pop("engine")
    second.pop("engine")
    assert first == second
    return one, other


def unattended(run: Run) -> int:
    """How many workgroups ran so."""
    return 0 if run.engine is None else run.engine.unattended


@pytest.mark.parametrize("subgroup", [None, 4, 8])
@pytest.mark.parametrize("grid", [1, 3])
def test_barriers(grid: int, subgroup: int | None) -> None:
    _, run = both(TREE, grid=grid, workgroup=16, subgroup_size=subgroup)
    assert unattended(run) == grid


@pytest.mark.parametrize("subgroup", [None, 3])
def test_tokens_loops_and_calls(subgroup: int | None) -> None:
    _, run = both(TOKENS, threads=5, subgroup_size=subgroup, arguments={"n": 4})
    assert unattended(run) == 1
    assert len({group.members for group in run.groups}) > 10


def test_stack_objects_are_registers() -> None:
    _, run = both(SLOTS, threads=3, arguments={"n": 5})
    assert unattended(run) == 1


APART = """
define void @f() convergent {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  store i32 %t, ptr addrspace(3) %mine
  %bit = and i32 %t, 1
  %odd = icmp eq i32 %bit, 1
  br i1 %odd, label %a, label %b
a:
  call void @_Z7barrierj(i32 1)
  br label %j
b:
  call void @_Z7barrierj(i32 1)
  br label %j
j:
  %next = xor i32 %t, 1
  %other = getelementptr i32, ptr addrspace(3) @tile, i32 %next
  %v = load i32, ptr addrspace(3) %other
  %place = getelementptr i32, ptr @out, i32 %t
  store i32 %v, ptr %place
  ret void
}
"""


@pytest.mark.parametrize("subgroup", [None, 1, 2, 4])
def test_threads_that_come_apart_to_a_barrier_race(subgroup: int | None) -> None:
    """A barrier of the workgroup orders threads of one subgroup only if they come to it together."""
    _, run = both(APART, workgroup=8, subgroup_size=subgroup)
    assert bool(run.machine.memory.races) == (subgroup != 1)


@pytest.mark.parametrize("gone", [0, 2, 4])
def test_threads_that_do_not_come_as_one(gone: int) -> None:
    """Groups of some of the threads are complete when nobody else can come."""
    _, run = both(EARLY, threads=4, arguments={"n": gone})
    assert unattended(run) == 1


def test_workgroups_that_meet_take_turns() -> None:
    """Which of them was first is seen: so it has to be as in the reference, and all begin at once."""
    _, run = both(ACROSS, grid=3, workgroup=2)
    assert unattended(run) == 3 and run.machine.program.at_once
    assert [t.value for t in run.outcome.threads] == [0, 1, 2, 3, 4, 5]
    assert unattended(both(ACROSS, threads=6)[1]) == 1


@pytest.mark.parametrize("writes", [False, True])
def test_workgroups_that_only_add_need_no_turns(writes: bool) -> None:
    """In which order they add nobody sees, unless one of them also writes."""
    text = ADDS.replace("INIT", "0" if writes else "-1")
    _, run = both(text, grid=3, workgroup=2)
    assert unattended(run) == 3 and run.machine.program.at_once == writes


@pytest.mark.parametrize("n", [0, -1])
def test_poison_is_exchanged(n: int) -> None:
    assert unattended(both(POISON, threads=4, arguments={"n": n})[1]) == 1


def test_stack_objects_in_memory() -> None:
    """They lie where they lie in the reference."""
    _, run = both(ROWS, threads=3, arguments={"n": 2})
    assert unattended(run) == 1


@pytest.mark.parametrize("text", [LEAKS, UNWRITTEN, DANGLES, BEYOND])
def test_what_is_not_native_is_attended(text: str) -> None:
    _, run = both(text, arguments={"n": 1})
    assert unattended(run) == 0 and run.machine.program.attended


def test_a_bound_is_the_reference_s() -> None:
    for steps in (5, 100, 700):
        one, other = both(SLOTS, threads=2, arguments={"n": 40}, max_steps=steps)
        assert one.ending == other.ending


def test_attended_is_asked_for() -> None:
    module = parse(HEAD + TREE)
    spec = launch_spec(function="f", workgroup=16, verified=True)
    runs = [execute(module, replace(spec, engine=name)) for name in ("attended", "native")]
    assert [unattended(run) for run in runs] == [0, 1]
    assert runs[0].groups == runs[1].groups and runs[0].outcome == runs[1].outcome


def test_one_who_only_runs_keeps_no_groups() -> None:
    """A long run is not made again for its groups unless somebody asks for them."""
    _, run = both(SLOTS, threads=2, arguments={"n": 5})
    assert run.unlisted is None
    module = parse(HEAD + SLOTS)
    spec = launch_spec(function="f", threads=64, arguments={"n": 3000})
    long = execute(module, replace(spec, engine="native"))
    assert unattended(long) == 1 and long.unlisted is not None


SHUFFLES = """
declare {{ i32, i1 }} @llvm.nvvm.shfl.sync.{mode}.i32p(i32, i32, i32, i32)
define i32 @f(i32 %n) convergent {{
  %me = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = mul i32 %me, %n
  %far = urem i32 %a, 37
  %r = call {{ i32, i1 }} @llvm.nvvm.shfl.sync.{mode}.i32p(i32 -1, i32 %me, i32 %far, i32 {clamp})
  %v = extractvalue {{ i32, i1 }} %r, 0
  %in = extractvalue {{ i32, i1 }} %r, 1
  %z = zext i1 %in to i32
  %s = shl i32 %v, 1
  %o = or i32 %s, %z
  ret i32 %o
}}
"""


@pytest.mark.parametrize("mode", ["up", "down", "bfly", "idx"])
def test_shuffles_by_what_each_lane_says(mode: str) -> None:
    """A distance that only the run knows was taken for poison."""
    clamp = 0x1C1F if mode != "up" else 0x1800
    _, run = both(SHUFFLES.format(mode=mode, clamp=clamp), threads=32, arguments={"n": 5})
    assert unattended(run) == 1
    assert len({thread.value for thread in run.outcome.threads}) > 10


COPIES = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
@from = constant [5 x i16] [i16 1, i16 2, i16 3, i16 4, i16 5]
define i64 @f(i64 %n, i8 %byte) {
  %a = alloca [12 x i8]
  call void @llvm.memset.p0.i64(ptr %a, i8 %byte, i64 12, i1 false)
  %p = getelementptr i8, ptr %a, i64 %n
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr @from, i64 5, i1 false)
  %q = getelementptr i8, ptr %a, i64 6
  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %a, i64 HOW, i1 false)
  %low = load i64, ptr %a, align 1
  %high = load i32, ptr %q, align 1
  %wide = zext i32 %high to i64
  %r = xor i64 %low, %wide
  ret i64 %r
}
"""


@pytest.mark.parametrize(("how", "native"), [(3, True), (6, True), (7, False)])
def test_bytes_are_copied_and_filled(how: int, native: bool) -> None:
    """What overlaps is undefined, which the reference says."""
    text = COPIES.replace("HOW", str(how))
    _, run = both(text, threads=3, arguments={"n": [0, 3, 6], "byte": [0, 7, 255]})
    assert unattended(run) == native


def test_rules_are_looked_at_where_nobody_vouches_for_them() -> None:
    odd = 'i32 %odd) [ "convergencectrl"(token %m) ]'
    assert odd in TOKENS
    for text, native in (TOKENS, 1), (TOKENS.replace(odd, odd.replace("%m", "%t")), 0):
        spec = launch_spec(function="f", threads=5, arguments={"n": 4})
        run = execute(parse(HEAD + text), replace(spec, engine="native"))
        assert unattended(run) == native
        assert bool(native) != ("static rule" in run.machine.program.attended)


def test_handles_that_each_thread_keeps_are_registers() -> None:
    """Where a constant buffer is bound, a shader for Vulkan stores its handle into a variable."""
    np = pytest.importorskip("numpy")
    a, b = np.arange(16, dtype=np.float32), np.arange(16, dtype=np.float32)[::-1].copy()
    n, c = np.array([4], np.uint32), np.zeros(16, np.float32)
    module = cc.parse_file(ROOT / "examples_ll" / "kernels" / "matmul.hlsl.O2.ll")
    run = cc.run(module, grid=(2, 2), buffers={"t0": a, "t1": b, "u0": c, "b0": n}, engine="native")
    assert unattended(run) == 4
    assert np.array_equal(run.buffers["u0"].reshape(4, 4), a.reshape(4, 4) @ b.reshape(4, 4))


OWN = """
@mine = internal thread_local global [3 x i32] [i32 7, i32 0, i32 -1]
@kept = internal thread_local global ptr @flag
@whose = thread_local addrspace(1) global i64 9
define i32 @f(i32 %n) convergent {
entry:
  %me = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %all = call i64 @_Z13get_global_idj(i32 0)
  %in = icmp eq i32 %me, 2
  br i1 %in, label %last, label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr [3 x i32], ptr @mine, i32 0, i32 %i
  %old = load i32, ptr %at
  %new = add i32 %old, %me
  store i32 %new, ptr %at
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %join
join:
  %s = call i32 @subgroupAdd(i32 %new)
  store i64 %all, ptr addrspace(1) @whose
  %to = load ptr, ptr @kept
  %same = icmp eq ptr %to, @flag
  store ptr @mine, ptr @kept
  %back = load ptr, ptr @kept
  %through = load i32, ptr %back
  %a = add i32 %through, %s
  %z = zext i1 %same to i32
  %b = add i32 %a, %z
  ret i32 %b
last:
  %first = load i32, ptr @mine
  ret i32 %first
}
"""


@pytest.mark.parametrize("grid", [1, 4])
def test_variables_that_each_thread_has_for_itself(grid: int) -> None:
    """Each thread's instance begins as the variable does, and what it holds at the end is in the outcome."""
    one, run = both(OWN, grid=grid, workgroup=5, arguments={"n": 3})
    assert unattended(run) == grid
    own = [thread.memory for thread in run.outcome.threads]
    assert own == [thread.memory for thread in one.outcome.threads] and len({str(o) for o in own}) > 3


def test_instances_that_native_code_cannot_begin() -> None:
    """Contents that somebody gives, one per thread, are the reference's; so is what nobody gives."""
    reads = OWN.replace("store i64 %all, ptr addrspace(1) @whose", "%w = load i64, ptr addrspace(1) @whose")
    reads = reads.replace("ret i32 %b", "%v = trunc i64 %w to i32\n  ret i32 %v")
    _, run = both(reads, threads=5, arguments={"n": 3}, globals={"whose": [1, 2, 3, 4, 5]})
    assert unattended(run) == 0 and {thread.value for thread in run.outcome.threads} == {1, 2, 4, 5, 7}
    _, run = both(
        OWN.replace("[i32 7, i32 0, i32 -1]", "[i32 7, i32 undef, i32 -1]"), threads=5, arguments={"n": 3}
    )
    assert unattended(run) == 0


BYVAL = """
%args = type { float, i32, [2 x i32] }
define ptx_kernel void @f(ptr %x, ptr byval(%args) %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %n.at = getelementptr %args, ptr %p, i32 0, i32 1
  %n = load i32, ptr %n.at
  %more = add i32 %n, %t
  store i32 %more, ptr %n.at
  %now = load i32, ptr %n.at
  %at = getelementptr i32, ptr %x, i32 %t
  store i32 %now, ptr %at
  ret void
}
"""


def test_what_a_kernel_is_passed_by_value() -> None:
    _, run = both(BYVAL, grid=1, workgroup=4, buffers={"x": "i32[4]", "p": "i32[4]:0,8,0,0"})
    assert unattended(run) == 1
    assert run.buffers["x"].tolist() == [8, 9, 10, 11]


NODE = """
%node = type { ptr, i32, [3 x i32] }
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define i32 @add(ptr byval(%node) align 8 %passed, i32 %n) {
  %kept = alloca %node, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %kept, ptr align 8 %passed, i64 24, i1 false)
  store ptr null, ptr %passed
  %p = load ptr, ptr %kept
  %k.at = getelementptr %node, ptr %kept, i32 0, i32 1
  %k = load i32, ptr %k.at
  %old = load i32, ptr %p
  %more = add i32 %old, %k
  %sum = add i32 %more, %n
  store i32 %sum, ptr %p
  ret i32 %sum
}
define i32 @f(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %node = alloca %node, align 8
  %cell = getelementptr [64 x i32], ptr @out, i32 0, i32 %t
  store ptr %cell, ptr %node
  %k.at = getelementptr %node, ptr %node, i32 0, i32 1
  store i32 %t, ptr %k.at
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %r = call i32 @add(ptr byval(%node) align 8 %node, i32 %i)
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %r
}
"""


def test_structures_with_addresses_are_copied_and_passed_by_value() -> None:
    _, run = both(NODE, threads=4, arguments={"n": 9})
    assert unattended(run) == 1
    assert [thread.value for thread in run.outcome.threads] == [36 + 9 * t for t in range(4)]


def test_an_address_of_its_own_that_a_thread_copies_to_others() -> None:
    """Only native code knows such an object's number: the launch is given up."""
    shared = (
        "@node = global { ptr, [16 x i8] } { ptr @out, [16 x i8] zeroinitializer }\n"
        "@copy = global [24 x i8] zeroinitializer, align 8\n"
    )
    copied = NODE.replace(
        "%more = icmp",
        "call void @llvm.memcpy.p0.p0.i64(ptr @copy, ptr OF, i64 24, i1 false)\n  %more = icmp",
    )
    for of, natively in (("@node", 1), ("%node", 0)):
        _, run = both(shared + copied.replace("ptr OF", f"ptr {of}"), threads=1, arguments={"n": 9})
        assert unattended(run) == natively and run.outcome.threads[0].value == 36


@pytest.mark.parametrize(("size", "at"), [(12, 0), (8, 4), (6, 0), (4, 8)])
def test_a_part_of_an_address_that_is_copied(size: int, at: int) -> None:
    """A part of an address is the reference's; so is what would leave one."""
    part = NODE.replace(
        "%passed, i64 24, i1 false)",
        f"%passed, i64 24, i1 false)\n  %to = getelementptr i8, ptr %kept, i64 {at}\n"
        "  %of = getelementptr i8, ptr %passed, i64 0\n"
        f"  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %of, i64 {size}, i1 false)",
    )
    both(part, threads=2, arguments={"n": 2})


BOUND = """
target triple = "dxilv1.6-pc-shadermodel6.6-compute"
%buffer = type { HANDLE, HANDLE }
@name = private constant [4 x i8] c"Out\\00"
declare HANDLE @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(i32, i32, i32, i32, ptr)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(HANDLE, i32)
declare i32 @llvm.dx.thread.id(i32)
define internal HANDLE @bind(i32 %register, i32 %space, ptr %name) {
  %tmp = alloca %buffer
  %register.at = alloca i32
  %space.at = alloca i32
  store i32 %register, ptr %register.at
  store i32 %space, ptr %space.at
  %r = load i32, ptr %register.at
  %s = load i32, ptr %space.at
  %h = call HANDLE @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(
      i32 %s, i32 %r, i32 1, i32 0, ptr %name)
  store HANDLE %h, ptr %tmp
  %again = load HANDLE, ptr %tmp
  ret HANDLE %again
}
define void @main() #0 {
  %t = call i32 @llvm.dx.thread.id(i32 0)
  %in = call HANDLE @bind(i32 0, i32 0, ptr @name)
  %out = call HANDLE @bind(i32 1, i32 0, ptr @name)
  %p = call ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(HANDLE %in, i32 %t)
  %v = load i32, ptr %p
  %w = mul i32 %v, 3
  %q = call ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(HANDLE %out, i32 %t)
  store i32 %w, ptr %q
  ret void
}
attributes #0 = { "hlsl.shader"="compute" "hlsl.numthreads"="4,1,1" }
""".replace("HANDLE", 'target("dx.RawBuffer", i32, 1, 0)')


def test_resources_that_a_function_binds_by_its_arguments() -> None:
    """As clang writes HLSL at ``-O0``: one function binds all buffers of a type."""
    module = parse(BOUND)
    buffers = {"u0": "i32[4]:1,2,3,4", "u1": "i32[4]"}
    spec = launch_spec(function="main", grid=1, buffers=buffers)
    runs = [execute(module, replace(spec, engine=engine)) for engine in ("native", "reference")]
    assert unattended(runs[0]) == 1
    for run in runs:
        assert run.buffers["u1"].tolist() == [3, 6, 9, 12]


SPOILED = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
@kept = global [64 x <2 x i32>] zeroinitializer
define i32 @f(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %v = alloca <2 x i32>
  %w = alloca <2 x i32>
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %x = add nsw i32 %i, 2147483640
  %one = insertelement <2 x i32> poison, i32 %x, i32 0
  %two = insertelement <2 x i32> %one, i32 %i, i32 1
  store <2 x i32> %two, ptr %v
  call void @llvm.memcpy.p0.p0.i64(ptr %w, ptr %v, i64 8, i1 false)
  %back = load <2 x i32>, ptr %w
  %first = extractelement <2 x i32> %back, i32 0
  %sound = freeze i32 %first
  %second = extractelement <2 x i32> %back, i32 1
  %both = xor i32 %sound, %second
  %more = add i32 %sum, %both
  %j = add i32 %i, 1
  %again = icmp ult i32 %j, %n
  br i1 %again, label %loop, label %end
end:
  %cell = getelementptr [64 x <2 x i32>], ptr @kept, i32 0, i32 %t
  store <2 x i32> %two, ptr %cell
  ret i32 %more
}
"""


def test_poison_in_memory() -> None:
    """A number that overflows is poison: code that holds it there is made where that is needed."""
    for rounds in 5, 20:
        _, run = both(SPOILED, threads=3, arguments={"n": rounds})
        assert unattended(run) == 1 and run.machine.program.holds_poison == (rounds > 8)
    _, run = both(SPOILED.replace("freeze i32 %first", "udiv i32 1, %first"), threads=1, arguments={"n": 20})
    assert unattended(run) == 0, "undefined behaviour is the reference's"


RANGE = """
target triple = "dxilv1.6-pc-shadermodel6.6-compute"
declare HANDLE @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(i32, i32, i32, i32, ptr)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(HANDLE, i32)
declare i32 @llvm.dx.thread.id(i32)
define void @main() #0 {
  %t = call i32 @llvm.dx.thread.id(i32 0)
  %which = and i32 %t, MASK
  %b = call HANDLE @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(
      i32 0, i32 4, i32 3, i32 %which, ptr null)
  %p = call ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(HANDLE %b, i32 %t)
  store i32 %t, ptr %p
  ret void
}
attributes #0 = { "hlsl.shader"="compute" "hlsl.numthreads"="4,1,1" }
""".replace("HANDLE", 'target("dx.RawBuffer", i32, 1, 0)')


def test_a_resource_of_a_range_by_a_number_that_is_computed() -> None:
    buffers = dict.fromkeys(("u4", "u5", "u6"), "i32[4]:9,9,9,9")
    for mask, ended in ("1", Returned), ("3", UndefinedBehaviour):
        spec = launch_spec(function="main", grid=1, buffers=buffers)
        module = parse(RANGE.replace("MASK", mask))
        runs = [execute(module, replace(spec, engine=engine)) for engine in ("native", "reference")]
        assert all(isinstance(run.ending, ended) for run in runs)
        assert unattended(runs[0]) == (mask == "1")
        held = [{name: run.buffers[name].tolist() for name in buffers} for run in runs]
        assert held[0] == held[1]
        if mask == "1":
            assert held[0] == {"u4": [0, 9, 2, 9], "u5": [9, 1, 9, 3], "u6": [9] * 4}


NAMESAKES = """
target triple = "dxilv1.6-pc-shadermodel6.6-compute"
@x = internal thread_local global HANDLE poison
declare HANDLE @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(i32, i32, i32, i32, ptr)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(HANDLE, i32)
declare i32 @llvm.dx.thread.id(i32)
define void @main() #0 {
  %x = alloca i32
  %t = call i32 @llvm.dx.thread.id(i32 0)
  store i32 7, ptr %x
  %b = call HANDLE @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(
      i32 0, i32 0, i32 1, i32 0, ptr null)
  store HANDLE %b, ptr @x
  %h = load HANDLE, ptr @x
  %v = load i32, ptr %x
  %p = call ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(HANDLE %h, i32 %t)
  store i32 %v, ptr %p
  ret void
}
attributes #0 = { "hlsl.shader"="compute" "hlsl.numthreads"="4,1,1" }
""".replace("HANDLE", 'target("dx.RawBuffer", i32, 1, 0)')


def test_a_stack_object_and_a_variable_of_one_name() -> None:
    spec = launch_spec(function="main", grid=1, buffers={"u0": "i32[4]"})
    for engine in ("native", "reference"):
        run = execute(parse(NAMESAKES), replace(spec, engine=engine))
        assert run.buffers["u0"].tolist() == [7] * 4
        assert unattended(run) == (engine == "native")


TRIPLES = """
target triple = "spirv1.6-unknown-vulkan1.3-compute"
declare HANDLE @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0v3i32_12_1t(i32, i32, i32, i32, ptr)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0v3i32_12_1t(HANDLE, i32)
declare i32 @llvm.spv.thread.id.i32(i32)
define void @main() #0 {
  %t = call i32 @llvm.spv.thread.id.i32(i32 0)
  %b = call HANDLE @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0v3i32_12_1t(
      i32 0, i32 0, i32 1, i32 0, ptr null)
  %p = call ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0v3i32_12_1t(
      HANDLE %b, i32 %t)
  %v = load <3 x i32>, ptr addrspace(11) %p, align 16
  %w = add <3 x i32> %v, <i32 1, i32 2, i32 3>
  store <3 x i32> %w, ptr addrspace(11) %p, align 16
  ret void
}
attributes #0 = { "hlsl.shader"="compute" "hlsl.numthreads"="4,1,1" }
""".replace("HANDLE", 'target("spirv.VulkanBuffer", [0 x <3 x i32>], 12, 1)')


def test_vectors_of_three_lie_side_by_side_in_a_buffer() -> None:
    """clang promises 16 bytes of alignment, which each fourth of them has."""
    module = parse(TRIPLES)
    spec = launch_spec(function="main", grid=1, buffers={"0:0": "i32[12]"})
    for engine in ("native", "reference"):
        run = execute(module, replace(spec, engine=engine))
        assert run.buffers["0:0"].tolist() == [1, 2, 3] * 4
        assert unattended(run) == (engine == "native")


PROMISES = """
declare float @_Z20sub_group_reduce_addf(float) convergent
declare i32 @_Z20sub_group_reduce_addi(i32) convergent
define i32 @f(float %x, i32 %n) convergent {
  %sum = call float @_Z20sub_group_reduce_addf(float nofpclass(nan inf) %x)
  %all = call i32 @_Z20sub_group_reduce_addi(i32 range(i32 0, 9) %n)
  %r = fptosi float %sum to i32
  %s = add i32 %r, %all
  ret i32 %s
}
"""


def test_what_a_callee_promises_of_its_arguments() -> None:
    _, run = both(PROMISES, threads=4, arguments={"x": [1.0, 2.0, 3.0, 4.0], "n": 8})
    assert unattended(run) == 1
    assert [thread.value for thread in run.outcome.threads] == [42] * 4
    broken, _ = both(PROMISES, threads=4, arguments={"x": [1.0, 2.0, 3.0, 4.0], "n": [8, 9, 8, 8]})
    assert [thread.value for thread in broken.outcome.threads] != [43] * 4


BUILTIN = """
@__spirv_BuiltInGlobalInvocationId = external addrspace(1) constant <3 x i64>
@__spirv_BuiltInSubgroupLocalInvocationId = external addrspace(1) constant i32
@__spirv_BuiltInSubgroupId = external addrspace(1) constant i32
define i64 @f() {
  %g = load <3 x i64>, ptr addrspace(1) @__spirv_BuiltInGlobalInvocationId
  %x = extractelement <3 x i64> %g, i32 0
  %lane = load i32, ptr addrspace(1) @__spirv_BuiltInSubgroupLocalInvocationId
  %group = load i32, ptr addrspace(1) @__spirv_BuiltInSubgroupId
  %at = mul i32 %group, 100
  %sum = add i32 %at, %lane
  %wide = zext i32 %sum to i64
  %high = mul i64 %x, 1000
  %r = add i64 %high, %wide
  ret i64 %r
}
"""


def test_variables_that_hold_ids() -> None:
    _, run = both(BUILTIN, grid=3, workgroup=8, subgroup_size=4)
    assert unattended(run) == 3


VOLATILE = """
define i32 @f(i32 %n) convergent {
entry:
  %me = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = alloca i32
  store volatile i32 %me, ptr %slot
  %at = getelementptr [64 x i32], ptr @out, i32 0, i32 %me
  store volatile i32 %n, ptr %at
  %old = atomicrmw volatile add ptr @flag, i32 %me monotonic
  call void @_Z7barrierj(i32 3)
  %v = load volatile i32, ptr %at
  %s = load volatile i32, ptr %slot
  %r = add i32 %v, %s
  ret i32 %r
}
"""


def test_volatile_accesses_are_events_for_whoever_asks() -> None:
    _, run = both(VOLATILE, threads=3, arguments={"n": 5})
    assert unattended(run) == 1
    assert [len(thread.events) for thread in run.outcome.threads] == [6, 6, 6]


LONG_LOOP = """
define void @k(i32 %n) convergent {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""


def test_the_default_bound_grows_with_the_threads_that_run_natively() -> None:
    """128 threads of 100,000 instructions and more: the reference's bound of 10 million is none for them."""
    module = parse(LONG_LOOP)
    run = cc.run(module, threads=128, arguments={"%n": 24_000})
    assert run.ending == Returned() and run.steps > 10_000_000
    bounded = cc.run(module, threads=128, arguments={"%n": 24_000}, max_steps=100_000)
    assert isinstance(bounded.ending, OutOfBound)
    assert bounded.ending.bound == Bound(BoundKind.MAX_STEPS, 100_000)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_a_launch_group_that_ended_did_not_wait_at_the_barrier(size: int) -> None:
    """OpenCL's is undefined in divergent control flow: that the others are all of their launch group says
    nothing of those of another one."""
    module = parse(
        f"{HEAD}define i32 @f(i32 %t) convergent {{\nentry:\n  %c = icmp eq i32 %t, 3\n"
        "  br i1 %c, label %waits, label %out\nwaits:\n  call void @_Z7barrierj(i32 1)\n  br label %out\n"
        "out:\n  ret i32 %t\n}\n"
    )

    def ran_with(t: list[int] | int, engine: Literal["reference", "native"]) -> Run:
        return cc.run(module, threads=4, subgroup_size=size, arguments={"t": t}, engine=engine)

    assert isinstance(ran_with([0, 1, 2, 3], "reference").ending, UndefinedBehaviour)
    assert isinstance(ran_with([0, 1, 2, 3], "native").ending, UndefinedBehaviour)
    ran = ran_with(3, "native")
    assert ran.ending == Returned() and ran.engine is not None and ran.engine.unattended
