"""Derivatives and moves in quads, against rows and columns; what HLSL counts over the lanes below.

covers: semantics.operations.spirv
"""

from __future__ import annotations

from typing import Any

import pytest

import convergence as cc
from convergence.parser import parse
from convergence.semantics import Returned, Unmodelled
from convergence.semantics.machine.run import run

X = [1.0, 4.0, 10.0, 25.0, -3.0, 8.0, 2.0, 64.0]
"""Two quads; each is two rows of two pixels."""


def rows(values: list[Any]) -> list[list[list[Any]]]:
    return [[q[:2], q[2:]] for q in (values[:4], values[4:])]


def expected(name: str) -> list[float]:
    """``dx``, ``dy`` or ``width``, with ``coarse`` behind for the quad's first row and column."""
    found = []
    for quad in rows(X):
        for r in (0, 1):
            for c in (0, 1):
                row, column = (0, 0) if "coarse" in name else (r, c)
                dx = quad[row][1] - quad[row][0]
                dy = quad[1][column] - quad[0][column]
                found.append(dx if "dx" in name else dy if "dy" in name else abs(dx) + abs(dy))
    return found


def each(declared: str, call: str, parameter: str, values: list[Any], threads: int = 8) -> list[Any]:
    result = call.split("@")[0].strip()
    text = f"{declared}\ndefine {result} @f({parameter} %x) {{\n  %r = call {call}\n  ret {result} %r\n}}\n"
    done = run(parse(text), threads=threads, arguments={"x": values[:threads]})
    assert done.ending == Returned(), done.ending
    assert done.stand_ins == ()
    return [t.value for t in done.outcome.threads]


NAMES = {
    "llvm.dx.ddx.fine.f32": "dx", "llvm.dx.ddy.fine.f32": "dy",
    "llvm.dx.ddx.coarse.f32": "dx coarse", "llvm.dx.ddy.coarse.f32": "dy coarse",
    "llvm.spv.ddx.f32": "dx", "llvm.spv.ddy.f32": "dy", "llvm.spv.ddx.fine.f32": "dx",
    "llvm.spv.ddy.coarse.f32": "dy coarse", "llvm.spv.fwidth.f32": "width",
    "ddx": "dx", "ddy.f32": "dy", "fwidth": "width", "fwidthCoarse": "width coarse",
    "dFdx": "dx", "dFdyFine": "dy", "dFdxCoarse": "dx coarse",
    "__spirv_DPdx": "dx", "_Z19__spirv_DPdyCoarsef": "dy coarse", "_Z20__spirv_FwidthCoarsef": "width coarse",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_derivatives(name: str) -> None:
    declared = f"declare float @{name}(float)" + ("" if name.startswith("llvm.") else " convergent")
    assert each(declared, f"float @{name}(float %x)", "float", X) == expected(NAMES[name])


def test_a_derivative_of_a_vector() -> None:
    values = [[x, -2 * x] for x in X]
    name = "llvm.spv.fwidth.v2f32"
    call = f"<2 x float> @{name}(<2 x float> %x)"
    got = each(f"declare <2 x float> @{name}(<2 x float>)", call, "<2 x float>", values)
    assert got == [[w, 2 * w] for w in expected("width")]


def test_a_neighbour_that_is_not_there_gives_poison() -> None:
    declared = "declare float @llvm.dx.ddy.fine.f32(float)"
    got = each(declared, "float @llvm.dx.ddy.fine.f32(float %x)", "float", X, threads=3)
    assert got == [9.0, "poison", 9.0]


DIVERGENT = """
define float @f(float %x, i1 %p) {
  br i1 %p, label %a, label %b
a:
  %d = call float @llvm.dx.ddx.fine.f32(float %x)
  br label %b
b:
  %r = phi float [ 0.0, %0 ], [ %d, %a ]
  %e = call float @llvm.dx.ddx.fine.f32(float %x)
  %s = fadd float %r, %e
  ret float %s
}
"""


def test_who_is_there_is_who_is_together() -> None:
    """LLVM's table does not call derivatives convergent; they are grouped as uncontrolled operations are."""
    given: dict[str, Any] = {"x": [1.0, 3.0, 7.0, 8.0], "p": [1, 1, 1, 0]}
    done = run(parse(DIVERGENT), threads=4, arguments=given)
    assert [t.value for t in done.outcome.threads] == [4.0, 4.0, "poison", 1.0]
    for engine in ("operational", "axiomatic"):
        found = cc.enumerate(parse(DIVERGENT), engine=engine, threads=4, arguments=given)
        (outcome,) = found.outcomes
        assert [t.value for t in outcome.outcome.threads] == [4.0, 4.0, "poison", 1.0]
    (simulated,) = cc.simulate(parse(DIVERGENT), policy="exec-mask", threads=4, arguments=given)
    assert simulated.outcome is not None
    assert [t.value for t in simulated.outcome.threads] == [4.0, 4.0, "poison", 1.0]


def test_beside_tokens_a_derivative_is_no_uncontrolled_operation() -> None:
    text = DIVERGENT.replace("@f(float %x, i1 %p) {", "@f(float %x, i1 %p) convergent {").replace(
        "  br i1", "  %t = call token @llvm.experimental.convergence.entry()\n  br i1", 1
    )
    assert not cc.verify(parse(text))
    done = run(parse(text), threads=4, arguments={"x": [1.0, 3.0, 7.0, 8.0], "p": [1, 1, 0, 0]})
    assert [t.value for t in done.outcome.threads] == [4.0, 4.0, 1.0, 1.0]


def test_a_refinement_does_not_say_who_is_together() -> None:
    """A pass may do with such a call what it may do with any that touches no memory."""
    moved = DIVERGENT.replace("fadd float %r, %e", "fadd float %e, %r")
    found = cc.refine(parse(DIVERGENT), parse(moved), threads=2)
    assert found.verdict == "unknown"
    assert "convergent" in str(found)


@pytest.mark.parametrize(
    ("name", "turned"),
    [("llvm.dx.quad.read.across.x", 0), ("llvm.dx.quad.read.across.y", 1), ("subgroupQuadSwapDiagonal", 2)],
)
def test_swaps(name: str, turned: int) -> None:
    swapped = [
        [[q[r][1 - c], q[1 - r][c], q[1 - r][1 - c]][turned] for r in (0, 1) for c in (0, 1)] for q in rows(X)
    ]
    answer = [x for quad in swapped for x in quad]
    declared = f"declare float @{name}(float) convergent"
    if not name.startswith("llvm."):
        assert each(declared, f"float @{name}(float %x)", "float", X) == answer
    spirv = "__spirv_GroupNonUniformQuadSwap"
    declared = f"declare float @{spirv}(i32, float, i32) convergent"
    assert each(declared, f"float @{spirv}(i32 3, float %x, i32 {turned})", "float", X) == answer


def test_broadcasts() -> None:
    for index in range(4):
        declared = "declare float @subgroupQuadBroadcast(float, i32) convergent"
        got = each(declared, f"float @subgroupQuadBroadcast(float %x, i32 {index})", "float", X)
        assert got == [X[index]] * 4 + [X[4 + index]] * 4


def test_a_direction_that_there_is_not() -> None:
    text = (
        "declare i32 @__spirv_GroupNonUniformQuadSwap(i32, i32, i32) convergent\n"
        "define i32 @f() convergent {\n"
        "  %r = call i32 @__spirv_GroupNonUniformQuadSwap(i32 3, i32 1, i32 3)\n  ret i32 %r\n}\n"
    )
    ending = run(parse(text), threads=4).ending
    assert isinstance(ending, Unmodelled) and "direction 3" in ending.feature


def test_what_hlsl_counts_below_the_own_lane() -> None:
    values = [3, 1, 2, 3, 1, 3, 0, 2]
    cases: dict[str, list[Any]] = {
        "i32 @llvm.dx.wave.prefix.sum.i32(i32 %x)": [sum(values[:i]) for i in range(8)],
        "i32 @llvm.spv.wave.prefix.product.i32(i32 %x)": [1, 3, 3, 6, 18, 18, 54, 0],
        "i32 @llvm.dx.wave.match.i32(i32 %x)": [
            sum(1 << j for j in range(8) if values[j] == values[i]) for i in range(8)
        ],
    }
    for call, answer in cases.items():
        name = call.split("@")[1].split("(")[0]
        assert each(f"declare i32 @{name}(i32) convergent", call, "i32", values) == answer, name
    truths = [1, 0, 1, 1, 0, 0, 1, 1]
    name = "llvm.dx.wave.prefix.bit.count"
    counted = each(f"declare i32 @{name}(i1) convergent", f"i32 @{name}(i1 %x)", "i1", truths)
    assert counted == [sum(truths[:i]) for i in range(8)]
