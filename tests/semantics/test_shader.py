"""Inputs and outputs of shaders' stages: given and seen, on both sides of a refinement alike.

covers: semantics.operations
"""

from __future__ import annotations

import convergence as cc

AMD = 'target triple = "amdgcn-amd-amdpal"\n'
DX = 'target triple = "dxil-pc-shadermodel6.6-pixel"\n'
EXPORT = (
    "call void @llvm.amdgcn.exp.f32(i32 0, i32 {mask}, float %v, float {second}, float 3.0, float %v, "
    "i1 true, i1 false)"
)


def _amd(mask: int, second: str, between: str = "") -> cc.Module:
    export = EXPORT.format(mask=mask, second=second)
    return cc.parse(f"""{AMD}
    define amdgpu_ps void @f(i32 inreg %m) {{
      %v = call float @llvm.amdgcn.interp.mov(i32 2, i32 0, i32 0, i32 %m)
      {between}
      {export}
      ret void
    }}""")


def _events(run: cc.Run) -> list[list[object]]:
    return [[list(e.operands) for e in thread.events] for thread in run.outcome.threads]


def test_inputs_are_given_and_outputs_seen() -> None:
    given = {"llvm.amdgcn.interp.mov": [[1.5], [2.5]]}
    run = cc.run(_amd(15, "2.0"), threads=2, arguments={"m": 0}, inputs=given)
    assert _events(run) == [[[0, 15, v, 2.0, 3.0, v, 1, 0]] for v in (1.5, 2.5)] and not run.notes
    made_up = cc.run(_amd(15, "2.0"), arguments={"m": 0})
    assert "is an input: it was made up (--input gives something else)" in made_up.notes[0]


def test_channels_that_are_off_are_not_seen() -> None:
    run = cc.run(_amd(9, "poison"), arguments={"m": 0}, inputs={"llvm.amdgcn.interp.mov": [[1.5]]})
    assert _events(run) == [[[0, 9, 1.5, 1.5, 1, 0]]]
    compressed = cc.parse(f"""{AMD}
    define amdgpu_ps void @f() {{
      call void @llvm.amdgcn.exp.compr.v2f16(i32 0, i32 12, <2 x half> <half 1.0, half 2.0>,
        <2 x half> <half 3.0, half 4.0>, i1 true, i1 true)
      ret void
    }}""")
    assert _events(cc.run(compressed)) == [[[0, 12, [3.0, 4.0], 1, 1]]]


def test_a_pass_may_change_what_is_not_seen_and_nothing_else() -> None:
    launch = {"threads": 2, "arguments": {"m": 0}}
    assert cc.refine(_amd(9, "2.0"), _amd(9, "7.0"), **launch).verdict == "equal"  # type: ignore[arg-type]
    assert cc.refine(_amd(11, "2.0"), _amd(11, "7.0"), **launch).verdict == "wrong"  # type: ignore[arg-type]
    more = "%w = call float @llvm.amdgcn.interp.mov(i32 1, i32 1, i32 0, i32 %m)"
    assert cc.refine(_amd(9, "2.0", more), _amd(9, "2.0"), **launch).verdict in ("equal", "refines")  # type: ignore[arg-type]


def test_directx_passes_poison_where_there_is_no_vertex() -> None:
    text = f"""{DX}
    define void @f() {{
      %v = call i32 @llvm.dx.load.input.i32(i32 4, i32 0, i32 0, i8 0, i32 poison)
      %w = WORK
      call void @llvm.dx.store.output.i32(i32 4, i32 0, i32 0, i8 0, i32 poison, i32 %w)
      ret void
    }}"""
    double = cc.parse(text.replace("WORK", "add i32 %v, %v"))
    run = cc.run(double, threads=2, inputs={"llvm.dx.load.input.i32": [[4], [5]]})
    assert _events(run) == [[[4, 0, 0, 0, 8]], [[4, 0, 0, 0, 10]]]
    assert cc.refine(double, cc.parse(text.replace("WORK", "shl i32 %v, 1"))).verdict in ("equal", "refines")
    assert cc.refine(double, cc.parse(text.replace("WORK", "shl i32 %v, 2"))).verdict == "wrong"


def test_variables_of_a_thread_are_inputs_and_outputs_too() -> None:
    """As SPIR-V's: external and thread_local, in its Input and Output storage classes."""
    module = cc.parse("""
    @color = external thread_local addrspace(7) global float
    @seen = external thread_local addrspace(8) global float
    define void @f() {
      %v = load float, ptr addrspace(7) @color
      %w = fadd float %v, 1.0
      store float %w, ptr addrspace(8) @seen
      ret void
    }
    """)
    run = cc.run(module, threads=2, globals={"color": [1.0, 2.0]})
    assert [t.memory["@seen"] for t in run.outcome.threads] == [2.0, 3.0]
