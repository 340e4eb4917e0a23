"""What SPIR-V's back end puts in the place of instructions means those instructions."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from convergence.ir.calls import callee_name
from convergence.ir.instructions import Call
from convergence.parser import parse
from convergence.refine import refine
from convergence.semantics.machine.run import run
from convergence.transform.emitted_intrinsics import with_plain_instructions

LLC = pytest.mark.skipif(shutil.which("llc-22") is None, reason="needs llc-22 with the SPIR-V target")

TYPES = """target triple = "spirv64-unknown-unknown"
%pair = type { i32, [2 x i32] }
@table = addrspace(2) constant [2 x i32] [i32 40, i32 50]
"""
DECLARATIONS = """
declare void @llvm.spv.assign.ptr.type.p1(ptr addrspace(1), metadata, i32 immarg)
declare void @llvm.spv.assign.ptr.type.p0(ptr, metadata, i32 immarg)
declare void @llvm.spv.assign.type.i32(i32, metadata)
declare ptr addrspace(1) @llvm.spv.gep.p1.p1(i1 immarg, ptr addrspace(1), ...)
declare ptr addrspace(2) @llvm.spv.gep.p2.p2(i1 immarg, ptr addrspace(2), ...)
declare ptr @llvm.spv.gep.p0.p0(i1 immarg, ptr, ...)
declare ptr addrspace(1) @llvm.spv.ptrcast.p1.p1(ptr addrspace(1), metadata, i32 immarg)
declare ptr @llvm.spv.alloca.p0(i8 immarg)
declare i32 @llvm.spv.load.p1(ptr addrspace(1), i16 immarg, i8 immarg)
declare void @llvm.spv.store.i32.p1(i32, ptr addrspace(1), i16 immarg, i8 immarg)
declare void @llvm.spv.store.v2i32.p1(<2 x i32>, ptr addrspace(1), i16 immarg, i8 immarg)
declare i32 @llvm.spv.extractv.i32(i32, ...)
declare i32 @llvm.spv.insertv.i32(i32, i32, ...)
declare i32 @llvm.spv.extractelt.i32.v2i32.i32(<2 x i32>, i32)
declare <2 x i32> @llvm.spv.insertelt.v2i32.v2i32.i32.i32(<2 x i32>, i32, i32)
declare i32 @llvm.spv.const.composite.i32(...)
declare <2 x i32> @llvm.spv.const.composite.v2i32(...)
declare i32 @llvm.spv.track.constant.i32.i32(i32, metadata)
declare i32 @llvm.spv.undef()
declare i32 @llvm.spv.bitcast.i32.f32(float)
declare i32 @llvm.spv.cmpxchg.p1(ptr addrspace(1), ...)
declare void @llvm.spv.switch.i32(i32, ...)
declare void @llvm.spv.init.global.p2.i32(ptr addrspace(2), i32)
declare void @llvm.spv.unreachable()
"""


def kernel(body: str) -> str:
    """A module with a kernel. ``GEPn`` is the call for pointers of address space n."""
    for space in ("1", "2"):
        pointer = f"ptr addrspace({space})"
        call = f"call {pointer} (i1, {pointer}, ...) @llvm.spv.gep.p{space}.p{space}"
        body = body.replace(f"GEP{space}", call)
    return f"{TYPES}define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {{\n{body}\n}}\n{DECLARATIONS}"


AGGREGATE = """  %whole = load %pair, ptr addrspace(1) %p
  %new = insertvalue %pair %whole, i32 %n, 1, 0
  %old = extractvalue %pair %whole, 1, 1
  %end = getelementptr %pair, ptr addrspace(1) %p, i32 1, i32 0
  store i32 %old, ptr addrspace(1) %end
  store %pair %new, ptr addrspace(1) %p
  ret void"""
NAMED_AGGREGATE = """
  call void @llvm.spv.assign.ptr.type.p1(ptr addrspace(1) %p, metadata %pair poison, i32 1)
  %whole = call i32 @llvm.spv.load.p1(ptr addrspace(1) %p, i16 1, i8 4)
  call void @llvm.spv.assign.type.i32(i32 %whole, metadata %pair poison)
  %new = call i32 (i32, i32, ...) @llvm.spv.insertv.i32(i32 %whole, i32 %n, i32 1, i32 0)
  call void @llvm.spv.assign.type.i32(i32 %new, metadata %pair poison)
  %old = call i32 (i32, ...) @llvm.spv.extractv.i32(i32 %whole, i32 1, i32 1)
  %end = GEP1(i1 false, ptr addrspace(1) %p, i32 1, i32 0)
  store i32 %old, ptr addrspace(1) %end
  call void @llvm.spv.store.i32.p1(i32 %new, ptr addrspace(1) %p, i16 2, i8 4)
  ret void"""

VECTOR = """  %q = getelementptr <2 x i32>, ptr addrspace(1) %p, i32 1
  %from = load <2 x i32>, ptr addrspace(1) %p
  %bit = and i32 %n, 1
  %taken = extractelement <2 x i32> %from, i32 %bit
  %put = insertelement <2 x i32> <i32 7, i32 9>, i32 %taken, i32 1
  %number = bitcast float 3.0 to i32
  %sum = add i32 %taken, %number
  %end = getelementptr <2 x i32>, ptr addrspace(1) %p, i32 2
  store i32 %sum, ptr addrspace(1) %end
  store <2 x i32> %put, ptr addrspace(1) %q
  ret void"""
NAMED_VECTOR = """  %two = call <2 x i32> (...) @llvm.spv.const.composite.v2i32(i32 7, i32 9)
  call void @llvm.spv.assign.ptr.type.p1(ptr addrspace(1) %p, metadata i32 poison, i32 1)
  %pairs = call ptr addrspace(1) @llvm.spv.ptrcast.p1.p1(ptr addrspace(1) %p,
    metadata <2 x i32> poison, i32 1)
  call void @llvm.spv.assign.ptr.type.p1(ptr addrspace(1) %pairs, metadata <2 x i32> poison, i32 1)
  %q = GEP1(i1 false, ptr addrspace(1) %pairs, i32 1)
  %from = load <2 x i32>, ptr addrspace(1) %pairs
  %bit = and i32 %n, 1
  %taken = call i32 @llvm.spv.extractelt.i32.v2i32.i32(<2 x i32> %from, i32 %bit)
  %put = call <2 x i32> @llvm.spv.insertelt.v2i32.v2i32.i32.i32(<2 x i32> %two, i32 %taken, i32 1)
  %number = call i32 @llvm.spv.bitcast.i32.f32(float 3.0)
  %sum = add i32 %taken, %number
  %end = GEP1(i1 true, ptr addrspace(1) %pairs, i32 2)
  store i32 %sum, ptr addrspace(1) %end
  call void @llvm.spv.store.v2i32.p1(<2 x i32> %put, ptr addrspace(1) %q, i16 2, i8 8)
  ret void"""

BRANCHES = """entry:
  %v = alloca %pair
  %second = getelementptr %pair, ptr %v, i32 0, i32 1, i32 1
  store i32 3, ptr %second
  switch i32 %n, label %other [ i32 1, label %one
    i32 3, label %three ]
one:
  %place = getelementptr [2 x i32], ptr addrspace(2) @table, i32 0, i32 %n
  %entry50 = load i32, ptr addrspace(2) %place
  br label %end
three:
  %kept = load i32, ptr %second
  br label %end
other:
  %swap = cmpxchg ptr addrspace(1) %p, i32 0, i32 5 acq_rel monotonic
  %was = extractvalue { i32, i1 } %swap, 0
  br label %end
end:
  %r = phi i32 [ %entry50, %one ], [ %kept, %three ], [ %was, %other ]
  %q = getelementptr i32, ptr addrspace(1) %p, i32 2
  store i32 %r, ptr addrspace(1) %q
  ret void"""
NAMED_BRANCHES = """entry:
  %numbers = call i32 (...) @llvm.spv.const.composite.i32(i32 40, i32 50)
  %known = call i32 @llvm.spv.track.constant.i32.i32(i32 %numbers, metadata [2 x i32] [i32 40, i32 50])
  call void @llvm.spv.assign.type.i32(i32 %known, metadata [2 x i32] poison)
  call void @llvm.spv.init.global.p2.i32(ptr addrspace(2) @table, i32 %known)
  call void @llvm.spv.assign.ptr.type.p1(ptr addrspace(1) %p, metadata i32 poison, i32 1)
  %v = call ptr @llvm.spv.alloca.p0(i8 4)
  call void @llvm.spv.assign.ptr.type.p0(ptr %v, metadata %pair poison, i32 0)
  %second = call ptr (i1, ptr, ...) @llvm.spv.gep.p0.p0(i1 true, ptr %v, i32 0, i32 1, i32 1)
  store i32 3, ptr %second
  call void (i32, ...) @llvm.spv.switch.i32(i32 %n, ptr blockaddress(@k, %other),
    i32 1, ptr blockaddress(@k, %one), i32 3, ptr blockaddress(@k, %three))
  indirectbr ptr null, [label %other, label %one, label %three]
one:
  %place = GEP2(i1 false, ptr addrspace(2) @table, i32 0, i32 %n)
  %entry50 = load i32, ptr addrspace(2) %place
  br label %end
three:
  %kept = load i32, ptr %second
  br label %end
other:
  %swap = call i32 (ptr addrspace(1), ...) @llvm.spv.cmpxchg.p1(ptr addrspace(1) %p,
    i32 0, i32 5, i32 1, i32 8, i32 0)
  call void @llvm.spv.assign.type.i32(i32 %swap, metadata { i32, i1 } poison)
  %was = call i32 (i32, ...) @llvm.spv.extractv.i32(i32 %swap, i32 0)
  br label %end
end:
  %r = phi i32 [ %entry50, %one ], [ %kept, %three ], [ %was, %other ]
  %q = GEP1(i1 false, ptr addrspace(1) %p, i32 2)
  store i32 %r, ptr addrspace(1) %q
  ret void"""

CASES = {
    "aggregate": (AGGREGATE, NAMED_AGGREGATE),
    "vector": (VECTOR, NAMED_VECTOR),
    "branches": (BRANCHES, NAMED_BRANCHES),
}


@pytest.mark.parametrize("case", CASES)
def test_they_mean_the_instructions(case: str) -> None:
    plain, named = CASES[case]
    assert refine(parse(kernel(plain)), parse(kernel(named)), threads=1, max_launches=20).verdict in (
        "equal", "refines",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("case", "right", "fault"),
    [
        ("aggregate", "%whole, i32 1, i32 1)", "%whole, i32 1, i32 0)"),
        ("aggregate", "i32 %n, i32 1, i32 0)", "i32 %n, i32 1, i32 1)"),
        ("aggregate", "%p, i32 1, i32 0)", "%p, i32 2, i32 0)"),
        ("aggregate", "i32 %new, ptr", "i32 %whole, ptr"),
        ("vector", "(i32 7, i32 9)", "(i32 9, i32 7)"),
        (
            "vector",
            "(i1 false, ptr addrspace(1) %pairs, i32 1)",
            "(i1 false, ptr addrspace(1) %pairs, i32 3)",
        ),
        ("vector", "(i1 false, ptr addrspace(1) %pairs", "(i1 false, ptr addrspace(1) %p"),
        ("vector", "%from, i32 %bit", "%from, i32 0"),
        ("vector", "%taken, i32 1)", "%taken, i32 0)"),
        ("vector", "float 3.0", "float 2.0"),
        ("branches", "i32 1, ptr blockaddress(@k, %one)", "i32 2, ptr blockaddress(@k, %one)"),
        ("branches", "@table, i32 0, i32 %n", "@table, i32 0, i32 0"),
        ("branches", "i32 0, i32 5, i32 1,", "i32 0, i32 6, i32 1,"),
    ],
)
def test_a_fault_is_seen(case: str, right: str, fault: str) -> None:
    plain, named = CASES[case]
    assert named.count(right) == 1
    named = kernel(named.replace(right, fault))
    assert refine(parse(kernel(plain)), parse(named), threads=1, max_launches=40).verdict == "wrong"


def test_run_executes_them() -> None:
    module = parse(kernel(NAMED_VECTOR))
    result = run(module, threads=1, arguments={"n": 1}, buffers={"p": "i32[6]:10,20,0,0,0,0"})
    assert str([10, 20, 7, 20, 20 + 0x40400000, 0]) in str(result.outcome)


@pytest.mark.parametrize("case", CASES)
def test_each_call_becomes_one_instruction(case: str) -> None:
    module = parse(kernel(CASES[case][1]))
    before, after = (m.functions["k"].instructions for m in (module, with_plain_instructions(module)))
    assert len(before) == len(after)
    assert [i.result for i in before if i.result] == [
        i.result for i in after if i.result in {b.result for b in before} and i.result
    ]
    names = {callee_name(i) for i in after if isinstance(i, Call)}
    assert all(name is not None and ("assign" in name or "init.global" in name) for name in names)


def test_a_module_without_them_is_itself() -> None:
    module = parse(kernel(AGGREGATE).replace(DECLARATIONS, ""))
    assert with_plain_instructions(module) is module


PLAIN_PLACE = """  %q = getelementptr i32, ptr addrspace(1) %p, i32 2
  store i32 %n, ptr addrspace(1) %q
  ret void"""


@pytest.mark.parametrize(
    "body",
    [
        # nobody says what %p points to
        """  %q = GEP1(i1 false, ptr addrspace(1) %p, i32 2)
  store i32 %n, ptr addrspace(1) %q
  ret void""",
        # two say so differently
        """  call void @llvm.spv.assign.ptr.type.p1(ptr addrspace(1) %p, metadata i32 poison, i32 1)
  call void @llvm.spv.assign.ptr.type.p1(ptr addrspace(1) %p, metadata i64 poison, i32 1)
  %q = GEP1(i1 false, ptr addrspace(1) %p, i32 2)
  store i32 %n, ptr addrspace(1) %q
  ret void""",
        # arithmetic of a name
        """  %whole = call i32 @llvm.spv.load.p1(ptr addrspace(1) %p, i16 1, i8 4)
  call void @llvm.spv.assign.type.i32(i32 %whole, metadata %pair poison)
  %sum = add i32 %whole, 1
  store i32 %sum, ptr addrspace(1) %p
  ret void""",
    ],
)
def test_what_is_not_clear_has_no_model(body: str) -> None:
    module = parse(kernel(body))
    assert with_plain_instructions(module).functions["k"] == module.functions["k"]
    plain = parse(kernel(PLAIN_PLACE))
    assert refine(plain, module, threads=2, max_launches=4).verdict == "unknown"


OWN = """target triple = "spirv64-unknown-unknown"
%pair = type { i32, [2 x i32] }
@table = addrspace(2) constant [2 x i32] [i32 40, i32 50]
declare spir_func i32 @_Z20sub_group_reduce_addi(i32) convergent
define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
entry:
  %v = alloca %pair
  %in = load %pair, ptr addrspace(1) %p
  store %pair %in, ptr %v
  %slot = getelementptr %pair, ptr %v, i32 0, i32 1, i32 1
  %old = load i32, ptr %slot
  %sum = call spir_func i32 @_Z20sub_group_reduce_addi(i32 %old)
  switch i32 %n, label %end [ i32 1, label %one ]
one:
  %place = getelementptr [2 x i32], ptr addrspace(2) @table, i32 0, i32 %n
  %number = load i32, ptr addrspace(2) %place
  br label %end
end:
  %r = phi i32 [ %number, %one ], [ %sum, %entry ]
  %vec = insertelement <2 x i32> <i32 1, i32 2>, i32 %r, i32 0
  %q = getelementptr <2 x i32>, ptr addrspace(1) %p, i32 2
  store <2 x i32> %vec, ptr addrspace(1) %q
  ret void
}
"""


@LLC
def test_with_what_llvm_writes(tmp_path: Path) -> None:
    """The pass itself, on a program of our own."""
    (tmp_path / "k.ll").write_text(OWN)
    llc = ["llc-22", "-O0", "-print-after=emit-intrinsics", "-print-module-scope", "-o", "/dev/null"]
    said = subprocess.run(
        [*llc, tmp_path / "k.ll"],
        capture_output=True, text=True, timeout=60, check=True,
    ).stderr  # fmt: skip
    after = parse(said.split("\n", 1)[1])
    assert any(name.startswith("llvm.spv.gep.") for name in after.functions)
    assert refine(parse(OWN), after, function="k", threads=2, max_launches=20).verdict == "equal"
    wrong = parse(OWN.replace("i32 0, i32 1, i32 1", "i32 0, i32 1, i32 0"))
    assert refine(wrong, after, function="k", threads=2, max_launches=20).verdict == "wrong"
