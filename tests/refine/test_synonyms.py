"""Operations that LLVM has two names for: taking the shorter one is no difference, another operand is.

covers: refine.sides.unmodelled
"""

from __future__ import annotations

import pytest

from convergence.parser import parse
from convergence.refine import refine
from convergence.refine.sides.unmodelled import has_synonyms, with_shorter_names

LONG = "llvm.amdgcn.mfma.scale.f32.16x16x128.f8f6f4.v8i32.v8i32"
SHORT = "llvm.amdgcn.mfma.scale.f32.16x16x128.f8f6f4.v8i32.v4i32"
REST = "<4 x float> %c, i32 0, i32 FORM, i32 0, i32 %s, i32 0, i32 %s)"
MATRIX = f"""
declare <4 x float> @{LONG}(<8 x i32>, <8 x i32>, <4 x float>, i32, i32, i32, i32, i32, i32) convergent
define <4 x float> @f(<8 x i32> %a, <8 x i32> %b, <4 x float> %c, i32 %s) {{
  %r = call <4 x float> @{LONG}(<8 x i32> %a, <8 x i32> %b, {REST}
  ret <4 x float> %r
}}
"""
CUT = f"""
declare <4 x float> @{SHORT}(<8 x i32>, <4 x i32>, <4 x float>, i32, i32, i32, i32, i32, i32) convergent
define <4 x float> @f(<8 x i32> %a, <8 x i32> %b, <4 x float> %c, i32 %s) {{
  %cut = shufflevector <8 x i32> %b, <8 x i32> poison, <4 x i32> <PARTS>
  %r = call <4 x float> @{SHORT}(<8 x i32> %a, <4 x i32> %cut, {REST}
  ret <4 x float> %r
}}
"""
PARTS = "i32 0, i32 1, i32 2, i32 3"


def cut(parts: str = PARTS, form: int = 4) -> str:
    return CUT.replace("PARTS", parts).replace("FORM", str(form))


def test_a_vector_may_be_cut_to_what_its_format_fills() -> None:
    """Format 4 has numbers of 4 bits: the upper half of the eight words is not read."""
    assert (
        refine(parse(MATRIX.replace("FORM", "4")), parse(cut()), threads=2, max_launches=4).verdict == "equal"
    )


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (4, cut("i32 4, i32 5, i32 6, i32 7")),
        (4, cut("i32 0, i32 1, i32 3, i32 2")),
        (0, cut(form=0)),
        (4, cut(form=0)),
    ],
    ids=["the other half", "words changed places", "8 bits fill all words", "another format"],
)
def test_not_to_something_else(source: int, target: str) -> None:
    assert refine(
        parse(MATRIX.replace("FORM", str(source))), parse(target), threads=2, max_launches=4
    ).verdict in ("wrong", "unknown")


TENSOR = """
declare void @llvm.amdgcn.tensor.load.to.lds(<4 x i32>, <8 x i32>, <4 x i32>, <4 x i32>, i32)
define amdgpu_kernel void @f(<4 x i32> %a, <8 x i32> %b, <4 x i32> %c) {
  call void @llvm.amdgcn.tensor.load.to.lds(
      <4 x i32> %a, <8 x i32> %b, <4 x i32> LAST, <4 x i32> poison, i32 0)
  ret void
}
"""
TWO = """
declare void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32>, <8 x i32>, i32)
define amdgpu_kernel void @f(<4 x i32> %a, <8 x i32> %b, <4 x i32> %c) {
  call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> %a, <8 x i32> %b, i32 0)
  ret void
}
"""


def test_groups_of_a_descriptor_that_are_zero_may_go() -> None:
    zero = parse(TENSOR.replace("LAST", "zeroinitializer"))
    assert refine(zero, parse(TWO), threads=2, max_launches=4).verdict == "equal"
    assert refine(parse(TENSOR.replace("LAST", "%c")), parse(TWO), threads=2, max_launches=4).verdict in (
        "wrong",
        "unknown",
    )
    other = parse(TWO.replace("<8 x i32> %b, i32 0", "<8 x i32> zeroinitializer, i32 0"))
    assert refine(zero, other, threads=2, max_launches=4).verdict in ("wrong", "unknown")


def test_other_modules_stay_as_they_are() -> None:
    module = parse("define i32 @f(i32 %x) {\n  ret i32 %x\n}\n")
    assert not has_synonyms(module)
    assert with_shorter_names(module).functions == module.functions
