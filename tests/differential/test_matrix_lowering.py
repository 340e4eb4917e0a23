# ruff: noqa: E501 -- a line of IR stays whole
"""Matrix intrinsics, and what LLVM's *LowerMatrixIntrinsics* makes of them: the same results.

covers: semantics.instructions.intrinsics_memory, semantics.instructions.intrinsics_values
"""

from __future__ import annotations

import random
import shutil

import pytest

import convergence as cc
from convergence.semantics import Returned
from convergence.semantics.machine.program import EngineKind

pytestmark = pytest.mark.skipif(shutil.which("opt-22") is None, reason="needs LLVM 22's opt")

PROGRAM = """target datalayout = "e-p:64:64"
define void @f(ptr %a, ptr %b, ptr %c, i64 %n) {
  %x = call <AN x i32> @llvm.matrix.column.major.load.vANi32.i64(ptr align 4 %a, i64 %n, i1 false, i32 R, i32 K)
  %y = call <BN x i32> @llvm.matrix.column.major.load.vBNi32.i64(ptr align 4 %b, i64 %n, i1 false, i32 K, i32 C)
  %p = call <CN x i32> @llvm.matrix.multiply.vCNi32.vANi32.vBNi32(<AN x i32> %x, <BN x i32> %y, i32 R, i32 K, i32 C)
  %t = call <CN x i32> @llvm.matrix.transpose.vCNi32(<CN x i32> %p, i32 R, i32 C)
  call void @llvm.matrix.column.major.store.vCNi32.i64(<CN x i32> %t, ptr align 4 %c, i64 %n, i1 false, i32 C, i32 R)
  ret void
}
"""


@pytest.mark.parametrize("seed", range(6))
def test_lowered_matrices_are_the_same(seed: int) -> None:
    draw = random.Random(seed)
    r, k, c = (draw.randint(1, 4) for _ in range(3))
    text = PROGRAM
    for word, number in (("AN", r * k), ("BN", k * c), ("CN", r * c)):
        text = text.replace(word, str(number))
    for word, size in (("R", r), ("K", k), ("C", c)):
        text = text.replace(f"i32 {word},", f"i32 {size},").replace(f"i32 {word})", f"i32 {size})")
    stride = max(r, k, c) + draw.randint(0, 2)
    numbers = ",".join(str(draw.randrange(-(2**31), 2**31)) for _ in range(32))
    buffers = {"a": f"i32[]:{numbers}", "b": f"i32[]:{numbers}", "c": "i32[32]:7,..."}
    lowered = cc.optimise(text, "lower-matrix-intrinsics")
    assert " call " not in lowered
    held = []
    runs: list[tuple[str, EngineKind]] = [(text, "reference"), (text, "native"), (lowered, "reference")]
    for version, engine in runs:
        once = cc.run(cc.parse(version), threads=1, engine=engine, arguments={"n": stride}, buffers=buffers)
        assert isinstance(once.ending, Returned), once.ending
        held.append(once.held("c").values)
    assert held[0] == held[1] == held[2]
