# ruff: noqa: E501 -- a row of a table stays whole
"""Library functions are written once: numbers, z3's terms and emitted code give the same.

Functions that only known numbers have (``sin`` of terms, sums rounded in a direction) say so instead.
"""

from __future__ import annotations

import random

import pytest

from convergence.parser import parse
from convergence.semantics import NotModelled
from convergence.semantics.arithmetic import ConcreteDomain
from convergence.semantics.arithmetic.symbolic import SymbolicDomain
from convergence.semantics.values import scalars
from tests.semantics.test_emitting import Pair, edge_value
from tests.semantics.test_symbolic import Arguments, run, valued

H3, V2 = "half %x, half %y, half %z", "<2 x half> %v, <2 x half> %w"
W3, N3 = "i32 %a, i32 %b, i32 %c", "i8 %a, i8 %b, i8 %c"
LINES: list[tuple[str, str]] = [
    # shaders
    *((H3, f"call half @llvm.spv.{n}.f16(half %x, half %y, half %z)") for n in ("lerp", "nclamp", "smoothstep")),
    *((H3, f"call half @llvm.dx.{n}.f16(half %x)") for n in ("frac", "saturate", "rsqrt", "degrees")),
    *((V2, f"call half @llvm.spv.{n}.v2f16(<2 x half> %v, <2 x half> %w)") for n in ("fdot", "distance")),
    (V2, "call <2 x half> @llvm.spv.reflect.v2f16(<2 x half> %v, <2 x half> %w)"),
    (V2, "call <2 x half> @llvm.spv.faceforward.v2f16(<2 x half> %v, <2 x half> %w, <2 x half> %v)"),
    ("i16 %a", "call i32 @llvm.dx.firstbitshigh.i16(i16 %a)"), ("double %x", "call {i32, i32} @llvm.dx.splitdouble.i32(double %x)"),
    (H3, "call i32 @llvm.spv.sign.f16(half %x)"), (W3, "call i32 @llvm.dx.dot4add.i8packed(i32 %a, i32 %b, i32 %c)"),
    # OpenCL C
    *((N3, f"call i8 @_Z{len(n)}{n}{s * k}({', '.join(['i8 %a', 'i8 %b', 'i8 %c'][:k])})")
      for n, k in (("abs", 1), ("abs_diff", 2), ("add_sat", 2), ("hadd", 2), ("rhadd", 2), ("clamp", 3), ("mad_hi", 3), ("mad_sat", 3), ("mul_hi", 2),
                   ("rotate", 2), ("popcount", 1), ("clz", 1), ("bit_reverse", 1), ("bitselect", 3), ("select", 3)) for s in "ch"),
    (W3, "call i32 @_Z15bitfield_insertiijj(i32 %a, i32 %b, i32 3, i32 7)"), (W3, "call i32 @_Z23bitfield_extract_signedijj(i32 %a, i32 5, i32 9)"),
    *((H3, f"call half @_Z{len(n)}{n}{'Dh' * k}({', '.join(['half %x', 'half %y', 'half %z'][:k])})")
      for n, k in (("fma", 3), ("mad", 3), ("mix", 3), ("step", 2), ("sign", 1), ("fdim", 2), ("maxmag", 2), ("nextafter", 2), ("logb", 1), ("sqrt", 1), ("rint", 1))),
    *((H3, f"call i32 @_Z{len(n)}{n}Dh(half %x)") for n in ("isnan", "isnormal", "signbit", "ilogb")),
    (V2, "call <2 x i16> @_Z6islessDv2_DhS_(<2 x half> %v, <2 x half> %w)"), ("<2 x i8> %v", "call i32 @_Z3allDv2_c(<2 x i8> %v)"),
    *((H3, f"call i8 @_Z{len(n)}{n}Dh(half %x)") for n in ("convert_char_sat_rte", "convert_uchar_sat_rtp")),
    *(("float %x", f"call half @_Z{len(n)}{n}f(float %x)") for n in ("convert_half_rtz", "convert_half_rtp", "convert_half_rtn")),
    *(("i16 %a", f"call half @_Z{len(n)}{n}{s}(i16 %a)") for n in ("convert_half_rtz", "convert_half_rtp") for s in "st"),
    ("<2 x i8> %v, <2 x i8> %w", "call <2 x i8> @_Z7shuffleDv2_cDv2_h(<2 x i8> %v, <2 x i8> %w)"),
    # AMDGPU
    *((W3, f"call i32 @llvm.amdgcn.{n}(i32 %a, i32 %b, i32 %c)") for n in ("ubfe.i32", "sbfe.i32", "perm", "alignbyte", "lerp", "sad.u8", "msad.u8", "sad.hi.u8")),
    (W3, "call i32 @llvm.amdgcn.sdot4(i32 %a, i32 %b, i32 %c, i1 1)"), (W3, "call i32 @llvm.amdgcn.bitop3.i32(i32 %a, i32 %b, i32 %c, i32 27)"),
    (W3, "call i32 @llvm.amdgcn.mulhi.i24(i32 %a, i32 %b)"), (W3, "call i32 @llvm.amdgcn.sffbh.i32(i32 %a)"),
    (H3, "call half @llvm.amdgcn.fmed3.f16(half %x, half %y, half %z)"), (H3, "call half @llvm.amdgcn.div.fixup.f16(half %x, half %y, half %z)"),
    ("half %x, i32 %a", "call i1 @llvm.amdgcn.class.f16(half %x, i32 %a)"), ("half %x", "call half @llvm.amdgcn.fract.f16(half %x)"),
    ("half %x", "call i16 @llvm.amdgcn.frexp.exp.i16.f16(half %x)"), ("i32 %a, i32 %b", "call <2 x i16> @llvm.amdgcn.cvt.pk.u16(i32 %a, i32 %b)"),
    ("float %x, float %y", "call <2 x half> @llvm.amdgcn.cvt.pkrtz(float %x, float %y)"),
    # NVPTX
    (W3, "call i32 @llvm.nvvm.prmt(i32 %a, i32 %b, i32 %c)"), (W3, "call i32 @llvm.nvvm.prmt.b4e(i32 %a, i32 %b, i32 %c)"),
    (W3, "call i32 @llvm.nvvm.fshl.clamp.i32(i32 %a, i32 %b, i32 %c)"), (W3, "call i32 @llvm.nvvm.bmsk.clamp(i32 %a, i32 %b)"),
    (W3, "call i32 @llvm.nvvm.sext.wrap(i32 %a, i32 %b)"), (W3, "call i32 @llvm.nvvm.flo.s.i32(i32 %a, i1 1)"), (W3, "call i32 @llvm.nvvm.idp2a.s.u(i32 %a, i32 %b, i1 1, i32 %c)"),
    (H3, "call half @llvm.nvvm.fma.rn.ftz.relu.f16(half %x, half %y, half %z)"), (H3, "call half @llvm.nvvm.fmin.ftz.nan.xorsign.abs.f16(half %x, half %y)"),
    *(("float %x, float %y", f"call i16 @llvm.nvvm.ff.to.{n}x2.rn.satfinite(float %x, float %y)") for n in ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1")),
    *(("i16 %a", f"call <2 x half> @llvm.nvvm.{n}x2.to.f16x2.rn(i16 %a)") for n in ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1")),
    ("<2 x half> %v", "call i16 @llvm.nvvm.f16x2.to.e5m2x2.rn.relu(<2 x half> %v)"), ("i16 %a", "call <2 x bfloat> @llvm.nvvm.ue8m0x2.to.bf16x2(i16 %a)"),
    *(("float %x", f"call i32 @llvm.nvvm.f2tf32.{n}(float %x)") for n in ("rn.satfinite", "rna", "rz.relu")),
    ("float %x", "call i32 @llvm.nvvm.f2i.rm.ftz(float %x)"), ("i32 %a", "call float @llvm.nvvm.ui2f.rz(i32 %a)"),
    # device libraries
    (W3, "call i32 @__nv_ffs(i32 %a)"), (W3, "call i32 @__nv_uhadd(i32 %a, i32 %b)"), ("half %x, half %y", "call half @__ocml_fmod_f16(half %x, half %y)"),
]  # fmt: skip


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[1])
def test_terms(line: tuple[str, str]) -> None:
    rng = random.Random(line[1])
    module = parse(f"define void @f({line[0]}) {{\n%r = {line[1]}\nret void\n}}", ask_llvm=False)
    for _ in range(4):
        given = Arguments(module.functions["f"].parameters, rng)
        concrete = run(module, given.known, ConcreteDomain())
        decide = SymbolicDomain(lambda truth, fixed=given.fixed: bool(valued(truth, fixed)))  # type: ignore[misc]
        general = run(module, given.symbolic, decide)
        assert not isinstance(concrete, str) and not isinstance(general, str)
        for ours, term in zip(scalars(concrete), scalars(general), strict=True):
            assert valued(term.poison, given.fixed) == ours.poison, given.fixed
            if not ours.poison:
                assert valued(term.bits, given.fixed) == ours.bits, given.fixed


def test_emitted_code() -> None:
    rng, pair = random.Random("library"), Pair(LINES, optimised=0)
    for number in range(len(pair.lines)):
        for _ in range(8):
            pair.compare(number, [edge_value(t, rng) for t in pair.types(number)])


@pytest.mark.parametrize(
    "call", ["@_Z3sinDh(half %x)", "@llvm.nvvm.add.rz.f16(half %x, half %x)", "@__ocml_sinpi_f16(half %x)"]
)
def test_what_only_known_numbers_have(call: str) -> None:
    module = parse(f"define void @f(half %x) {{\n%r = call half {call}\nret void\n}}", ask_llvm=False)
    given = Arguments(module.functions["f"].parameters, random.Random(2))
    with pytest.raises(NotModelled, match="of symbolic operands"):
        run(module, given.symbolic, SymbolicDomain(lambda truth: pytest.fail(f"decided {truth}")))
