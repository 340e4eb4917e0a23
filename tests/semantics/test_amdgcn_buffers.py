"""AMDGPU's buffer resources: what is in the records, and what hardware does beyond them.

covers: semantics.instructions.resources
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import convergence as cc

HEAD = """
target datalayout = "e-p:64:64-p1:64:64-p3:32:32-p5:32:32-p7:160:256:256:32-p8:128:128:128:48-i64:64-A5-G1"
target triple = "amdgcn-amd-amdhsa"
"""
RAW = "@llvm.amdgcn.raw.ptr.buffer"
STRUCT = "@llvm.amdgcn.struct.ptr.buffer"
MAKE = "@llvm.amdgcn.make.buffer.rsrc.p8.p1"
P8 = "ptr addrspace(8)"


def _run(body: str, result: str = "i32", **launch: Any) -> cc.Run:
    """A function of a resource %r and a number %n, of one thread by default."""
    text = f"{HEAD}define {result} @f(ptr addrspace(8) %r, i32 %n) {{ {body} }}"
    launch.setdefault("arguments", {"n": 0})
    return cc.run(cc.parse(text), **launch)


def _value(run: cc.Run) -> object:
    return run.outcome.threads[0].value


@pytest.mark.parametrize(("offset", "wanted"), [(0, 10), (8, 12), (12, 13), (13, 0), (16, 0), (-4, 0)])
def test_what_lies_beyond_the_records_reads_zero(offset: int, wanted: int) -> None:
    body = f"%v = call i32 {RAW}.load.i32(ptr addrspace(8) %r, i32 %n, i32 0, i32 0) ret i32 %v"
    run = _run(body, arguments={"n": offset}, buffers={"r": "i32[4]:10,11,..."})
    assert _value(run) == wanted


def test_soffset_is_not_checked_and_may_leave_the_object() -> None:
    body = f"%v = call i32 {RAW}.load.i32(ptr addrspace(8) %r, i32 4, i32 %n, i32 0) ret i32 %v"
    given = {"r": "i32[4]:10,11,..."}
    assert _value(_run(body, arguments={"n": 8}, buffers=given)) == 13
    assert "out of bounds" in str(_run(body, arguments={"n": 12}, buffers=given))


def test_vectors_are_checked_word_by_word() -> None:
    body = f"""%v = call <4 x i32> {RAW}.load.v4i32(ptr addrspace(8) %r, i32 8, i32 0, i32 0)
      call void {RAW}.store.v4i32(<4 x i32> <i32 1, i32 2, i32 3, i32 4>, {P8} %r, i32 8, i32 0, i32 0)
      ret <4 x i32> %v"""
    run = _run(body, "<4 x i32>", buffers={"r": "i32[4]:10,11,..."})
    assert _value(run) == [12, 13, 0, 0] and run.buffers["r"].tolist() == [10, 11, 1, 2]
    halves = f"""%v = call <4 x half> {RAW}.load.v4f16(ptr addrspace(8) %r, i32 4, i32 0, i32 0)
      ret <4 x half> %v"""
    assert _value(_run(halves, "<4 x half>", buffers={"r": "f16[4]:1,2,..."})) == [3, 4, 0, 0]
    assert _value(_run(halves, "<4 x half>", buffers={"r": "f16[3]:1,2,..."})) == [0, 0, 0, 0]


def test_structured_buffers_have_a_stride_and_count_structures() -> None:
    body = f"""%b = call {P8} {MAKE}(ptr addrspace(1) %m, i16 8, i64 3, i32 0)
      %v = call float {STRUCT}.load.f32({P8} %b, i32 %n, i32 4, i32 0, i32 0)
      %w = call float {STRUCT}.load.f32({P8} %b, i32 %n, i32 8, i32 0, i32 0)
      %sum = fadd float %v, %w
      ret float %sum"""
    text = f"{HEAD}define float @f(ptr addrspace(1) %m, i32 %n) {{ {body} }}"
    given = {"m": np.arange(8, dtype=np.float32)}
    run = cc.run(cc.parse(text), threads=4, arguments={"n": [0, 1, 2, 3]}, buffers=given)
    assert [t.value for t in run.outcome.threads] == [1, 3, 5, 0]
    scalar = text.replace(
        body,
        f"""%b = call {P8} {MAKE}(ptr addrspace(1) %m, i16 0, i64 16, i32 0)
      %i = ptrtoint ptr addrspace(8) %b to i128
      %q = bitcast i128 %i to <4 x i32>
      %v = call float @llvm.amdgcn.s.buffer.load.f32(<4 x i32> %q, i32 %n, i32 0)
      ret float %v""",
    )
    run = cc.run(cc.parse(scalar), threads=3, arguments={"n": [8, 12, 16]}, buffers=given)
    assert [t.value for t in run.outcome.threads] == [2, 3, 0]


def test_vectors_of_four_words_are_resources_too() -> None:
    text = f"""{HEAD}define i32 @f(<4 x i32> inreg %r, i32 %n) {{
      %v = call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %r, i32 %n, i32 0, i32 0)
      call void @llvm.amdgcn.raw.buffer.store.i32(i32 99, <4 x i32> %r, i32 %n, i32 0, i32 0)
      ret i32 %v }}"""
    run = cc.run(cc.parse(text), threads=3, arguments={"n": [0, 4, 8]}, buffers={"r": "i32[2]:5,6"})
    assert [t.value for t in run.outcome.threads] == [5, 6, 0]
    assert run.buffers["r"].tolist() == [99, 99]


@pytest.mark.parametrize(
    ("operation", "old", "operand", "new"),
    [
        ("swap", 5, 3, 3), ("add", 5, 3, 8), ("sub", 5, 3, 2), ("smin", -5, 3, -5), ("umin", -5, 3, 3),
        ("smax", -5, 3, 3), ("umax", -5, 3, -5), ("and", 6, 3, 2), ("or", 6, 3, 7), ("xor", 6, 3, 5),
        ("inc", 3, 3, 0), ("inc", 2, 3, 3), ("dec", 0, 3, 3), ("dec", 2, 3, 1), ("cond.sub.u32", 2, 3, 2),
        ("sub.clamp.u32", 2, 3, 0),
    ],
)  # fmt: skip
def test_atomic_operations(operation: str, old: int, operand: int, new: int) -> None:
    call = f"{RAW}.atomic.{operation}.i32(i32 {operand}, {P8} %r, i32 %n, i32 0, i32 0)"
    body = f"%v = call i32 {call} ret i32 %v"
    run = _run(body, buffers={"r": f"i32[1]:{old}"})
    assert (_value(run), run.buffers["r"].tolist()) == (old, [new])
    beyond = _run(body, arguments={"n": 4}, buffers={"r": f"i32[1]:{old}"})
    assert (_value(beyond), beyond.buffers["r"].tolist()) == (0, [old])


def test_compare_and_swap_and_floats() -> None:
    body = f"""%v = call i32 {RAW}.atomic.cmpswap.i32(i32 7, i32 %n, ptr addrspace(8) %r, i32 0, i32 0, i32 0)
      ret i32 %v"""
    for compared, held in ((0, 7), (1, 0)):
        run = _run(body, arguments={"n": compared}, buffers={"r": "i32[1]"})
        assert (_value(run), run.buffers["r"].tolist()) == (0, [held])
    floats = f"""%v = call float {RAW}.atomic.fadd.f32(float 1.5, ptr addrspace(8) %r, i32 0, i32 0, i32 0)
      ret float %v"""
    run = _run(floats, "float", threads=3, buffers={"r": "f32[1]"})
    assert run.buffers["r"].tolist() == [4.5]
    found = cc.enumerate(
        cc.parse(f"{HEAD}define float @f(ptr addrspace(8) %r) {{ {floats} }}"),
        threads=2,
        buffers={"r": "f32[1]"},
    )
    assert len(found.outcomes) == 2


def test_status_and_formats() -> None:
    loads = f"{RAW}.load.format.sl_f32i32s({P8}"
    text = f"""{HEAD}declare {{ float, i32 }} {loads}, i32, i32, i32)
    define float @f({P8} %r) {{
      %s = call {{ float, i32 }} {loads} %r, i32 4, i32 0, i32 0)
      %f = extractvalue {{ float, i32 }} %s, 0
      ret float %f
    }}"""
    assert _value(cc.run(cc.parse(text), buffers={"r": "f32[2]:1,2"})) == 2
    half = f"%v = call half {RAW}.load.format.f16(ptr addrspace(8) %r, i32 4, i32 0, i32 0) ret half %v"
    assert "buffer formats of half" in str(_run(half, "half", buffers={"r": "f32[2]:1,2"}))


def test_what_has_no_model_and_what_is_undefined() -> None:
    body = "%v = call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %q, i32 0, i32 0, i32 0) ret i32 %v"
    text = f"{HEAD}define i32 @f(<4 x i32> %q) {{ {body} }}"
    swizzled = cc.run(cc.parse(text), arguments={"q": [[4096, 1 << 31, 4, 0]]})
    assert "a swizzled buffer resource" in str(swizzled)
    nowhere = cc.run(cc.parse(text), arguments={"q": [[64, 0, 4, 0]]})
    assert "where no object is" in str(nowhere)
    poison = cc.run(cc.parse(text), arguments={"q": "poison"})
    assert "through a poison resource" in str(poison)


def test_loads_into_workgroup_memory_go_by_lane() -> None:
    body = """%i = call i32 @llvm.amdgcn.workitem.id.x()
      %o = mul i32 %i, 8
      call void @llvm.amdgcn.raw.ptr.buffer.load.lds(
        ptr addrspace(8) %r, ptr addrspace(3) @tile, i32 4, i32 %o, i32 0, i32 0, i32 0)
      %g = getelementptr i32, ptr addrspace(1) @from, i32 %i
      call void @llvm.amdgcn.global.load.lds(
        ptr addrspace(1) %g, ptr addrspace(3) @tile, i32 4, i32 16, i32 0)
      ret void"""
    globals_ = (
        "@tile = addrspace(3) global [8 x i32] poison @from = addrspace(1) global [8 x i32] zeroinitializer "
    )
    module = cc.parse(f"{HEAD}{globals_}define void @f(ptr addrspace(8) %r) {{ {body} }}")
    run = cc.run(module, threads=4, buffers={"r": "i32[5]:1,2,...", "@from": "i32[8]:50,51,..."})
    assert run.held("@tile").values == (1, 3, 5, 0, 54, 55, 56, 57)


def test_pointers_that_are_a_resource_and_an_offset() -> None:
    """Address space 7: getelementptr moves the offset, accesses are those of buffers."""
    text = f"""{HEAD}define <2 x i32> @f({P8} %r, i32 %n) {{
      %p = addrspacecast {P8} %r to ptr addrspace(7)
      %q = getelementptr inbounds i32, ptr addrspace(7) %p, i32 %n
      %v = load <2 x i32>, ptr addrspace(7) %q
      store i32 99, ptr addrspace(7) %q
      %o = atomicrmw add ptr addrspace(7) %q, i32 1 monotonic
      ret <2 x i32> %v
    }}"""
    given = {"r": "i32[4]:10,11,..."}
    for n, read, held in ((0, [10, 11], [100, 11, 12, 13]), (3, [13, 0], [10, 11, 12, 100])):
        run = cc.run(cc.parse(text), arguments={"n": n}, buffers=given)
        assert (_value(run), run.buffers["r"].tolist()) == (read, held)
    beyond = cc.run(cc.parse(text), arguments={"n": 4}, buffers=given)
    assert (_value(beyond), beyond.buffers["r"].tolist()) == ([0, 0], [10, 11, 12, 13])
    made = f"""{HEAD}define i32 @f(ptr addrspace(1) %m) {{
      %p = call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1(ptr addrspace(1) %m, i16 0, i64 8, i32 0)
      %q = getelementptr i32, ptr addrspace(7) %p, i32 1
      %v = load i32, ptr addrspace(7) %q
      ret i32 %v
    }}"""
    assert _value(cc.run(cc.parse(made), buffers={"m": "i32[4]:10,11,..."})) == 11
