# ruff: noqa: E501 -- a line of IR stays whole
"""Intrinsics by example; the integer ones are also tested by brute force and against LLVM.

covers: semantics.instructions.intrinsics_values
"""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
import pytest

from convergence.semantics import Undefined
from convergence.semantics.instructions import intrinsics
from convergence.semantics.instructions.intrinsics import ENDS_THREAD, base_name
from convergence.semantics.values import Composite, Pointer, RuntimeValue, Value, any_poison
from tests.semantics.straight import body


def run(result: str, line: str, prelude: str = "", **given: tuple[str, RuntimeValue]) -> RuntimeValue | None:
    line = line if "%r =" in line or result == "void" else f"%r = {line}"
    runner = body(result, line, {n: t for n, (t, _) in given.items()}, prelude)
    return runner.call("f", [v for _, v in given.values()])


def double(x: float) -> Value:
    return Value(int.from_bytes(struct.pack("<d", x), "little"))


def number(value: RuntimeValue | None) -> float:
    assert isinstance(value, Value)
    (x,) = struct.unpack("<d", struct.pack("<Q", value.bits))
    assert isinstance(x, float)
    return x


def call(name: str, *arguments: float) -> float:
    """An intrinsic on doubles."""
    given: dict[str, Any] = {f"a{i}": ("double", double(x)) for i, x in enumerate(arguments)}
    passed = ", ".join(f"double %a{i}" for i in range(len(arguments)))
    return number(run("double", f"call double @llvm.{name}.f64({passed})", **given))


def lanes(*values: int) -> Composite:
    return Composite(tuple(Value(v) for v in values))


def test_names_lose_their_type_suffix_only() -> None:
    assert base_name("llvm.smax.v4i32", intrinsics.PURE) == "llvm.smax"
    assert base_name("llvm.memcpy.inline.p0.p0.i64", intrinsics.MEMORY) == "llvm.memcpy.inline"
    assert base_name("llvm.vector.reduce.fadd.f32.v4f32", intrinsics.PURE) == "llvm.vector.reduce.fadd"
    assert base_name("llvm.amdgcn.ballot.i32", intrinsics.PURE) is None
    assert base_name("llvm", intrinsics.PURE) is None
    assert "llvm.trap" in ENDS_THREAD


@pytest.mark.parametrize(
    ("name", "x", "answer"),
    [
        ("floor", -1.5, -2.0), ("ceil", -1.5, -1.0), ("trunc", -1.5, -1.0), ("rint", 2.5, 2.0), ("nearbyint", 3.5, 4.0),
        ("round", 2.5, 3.0), ("round", -2.5, -3.0), ("roundeven", 2.5, 2.0), ("ceil", -0.5, -0.0), ("sqrt", 2.0, math.sqrt(2)),
        ("fabs", -0.0, 0.0), ("floor", math.inf, math.inf), ("exp2", 10.0, 1024.0), ("exp10", 2.0, 100.0),
        ("log2", 8.0, 3.0), ("log", 0.0, -math.inf), ("exp", 1e9, math.inf), ("cos", 0.0, 1.0), ("sinh", -1e9, -math.inf),
    ],
)  # fmt: skip
def test_unary_floats(name: str, x: float, answer: float) -> None:
    result = call(name, x)
    assert result == answer
    assert math.copysign(1, result) == math.copysign(1, answer)


@pytest.mark.parametrize("name", ["sqrt", "log", "log2", "log10", "asin", "acos"])
def test_outside_their_domain_functions_give_nan(name: str) -> None:
    assert math.isnan(call(name, -2.0))


@pytest.mark.parametrize(
    ("x", "y", "answer"),
    [
        (2.0, 10.0, 1024.0),
        (0.0, -1.0, math.inf),
        (-0.0, -1.0, -math.inf),
        (-8.0, 1e300, math.inf),
        (-10.0, 309.0, -math.inf),
    ],
)
def test_pow_has_the_poles_of_c(x: float, y: float, answer: float) -> None:
    assert call("pow", x, y) == answer


NAN = math.nan


@pytest.mark.parametrize(
    ("name", "x", "y", "answer"),
    [
        ("minnum", 1.0, NAN, 1.0), ("maxnum", NAN, 2.0, 2.0), ("minimum", 1.0, NAN, NAN), ("maximum", -0.0, 0.0, 0.0),
        ("minimum", 0.0, -0.0, -0.0), ("maximumnum", NAN, -3.0, -3.0), ("minimumnum", NAN, NAN, NAN),
        ("minimumnum", -0.0, 0.0, -0.0), ("maximum", 1.0, 2.0, 2.0), ("minnum", 1.0, 2.0, 1.0), ("copysign", 3.0, -0.0, -3.0),
    ],
)  # fmt: skip
def test_binary_floats(name: str, x: float, y: float, answer: float) -> None:
    result = call(name, x, y)
    if math.isnan(answer):
        assert math.isnan(result)
    else:
        assert (result, math.copysign(1, result)) == (answer, math.copysign(1, answer))


def test_fused_and_unfused() -> None:
    x = 1 + 2.0**-52
    exact = call("fma", x, x, -(x * x))
    assert exact != 0
    assert call("fmuladd", x, x, -(x * x)) == 0


@pytest.mark.parametrize(("rows", "columns"), [(2, 3), (3, 2), (1, 4), (4, 4)])
def test_transposed_matrices(rows: int, columns: int) -> None:
    n = rows * columns
    vector = f"<{n} x i32>"
    line = f"call {vector} @llvm.matrix.transpose.v{n}i32({vector} %m, i32 {rows}, i32 {columns})"
    found = run(vector, line, m=(vector, lanes(*range(n))))
    grid = np.arange(n).reshape(columns, rows).T  # columns lie one behind the other
    assert found == lanes(*(int(x) for x in grid.reshape(-1)))


@pytest.mark.parametrize(("rows", "inner", "columns"), [(2, 3, 4), (1, 4, 1), (3, 1, 2)])
def test_products_of_matrices(rows: int, inner: int, columns: int) -> None:
    a, b = np.arange(rows * inner) - 3, np.arange(inner * columns) * 5 + 1
    names = [f"<{count} x i16>" for count in (rows * inner, inner * columns, rows * columns)]
    line = f"call {names[2]} @llvm.matrix.multiply.x({names[0]} %a, {names[1]} %b, i32 {rows}, i32 {inner}, i32 {columns})"
    given = [lanes(*(int(x) % 65536 for x in m)) for m in (a, b)]
    found = run(names[2], line, a=(names[0], given[0]), b=(names[1], given[1]))
    product = a.reshape(inner, rows).T @ b.reshape(columns, inner).T
    assert found == lanes(*(int(x) % 65536 for x in product.T.reshape(-1)))


def test_poison_in_a_matrix_stays_in_its_row() -> None:
    given: dict[str, Any] = {
        "a": ("<4 x i8>", Composite((Value(1), Value(0, True), Value(2), Value(3)))),
        "b": ("<4 x i8>", lanes(1, 2, 3, 4)),
    }
    found = run(
        "<4 x i8>",
        "call <4 x i8> @llvm.matrix.multiply.v4i8(<4 x i8> %a, <4 x i8> %b, i32 2, i32 2, i32 2)",
        **given,
    )
    assert isinstance(found, Composite)
    assert [any_poison(e) for e in found.elements] == [False, True, False, True]


def test_powi_of_vectors() -> None:
    """With one exponent, or one for each base, as InstCombine makes of a power of converted integers."""
    given: dict[str, Any] = {"x": ("<2 x double>", Composite((double(2.0), double(3.0))))}
    for exponents, type_, answer in (
        ("i32 3", "i32", (8.0, 27.0)),
        ("<2 x i32> <i32 3, i32 -1>", "v2i32", (8.0, 1 / 3)),
    ):
        found = run(
            "<2 x double>",
            f"call <2 x double> @llvm.powi.v2f64.{type_}(<2 x double> %x, {exponents})",
            **given,
        )
        assert isinstance(found, Composite) and tuple(map(number, found.elements)) == answer


def test_powi_ldexp_frexp_modf() -> None:
    x: dict[str, Any] = {"x": ("double", double(2.0))}
    assert number(run("double", "call double @llvm.powi.f64.i32(double %x, i32 -3)", **x)) == 0.125
    assert number(run("double", "call double @llvm.powi.f64.i32(double %x, i32 0)", **x)) == 1.0
    assert number(run("double", "call double @llvm.ldexp.f64.i32(double %x, i32 -2)", **x)) == 0.5
    pair = run("{double, i32}", "call {double, i32} @llvm.frexp.f64.i32(double 12.0)")
    assert pair == Composite((double(0.75), Value(4)))
    pair = run("{double, double}", "call {double, double} @llvm.modf.f64(double -2.5)")
    assert pair == Composite((double(-0.5), double(-2.0)))
    pair = run("{double, double}", "call {double, double} @llvm.modf.f64(double 0x7FF0000000000000)")
    assert pair == Composite((double(0.0), double(math.inf)))
    vectors = run(
        "{<2 x double>, <2 x i32>}",
        "call {<2 x double>, <2 x i32>} @llvm.frexp(<2 x double> splat (double 12.0))",
    )
    assert vectors == Composite((Composite((double(0.75),) * 2), lanes(4, 4)))


def test_rounding_to_integers() -> None:
    assert run("i32", "call i32 @llvm.lrint.i32.f64(double 2.5)") == Value(2)
    assert run("i64", "call i64 @llvm.llround.i64.f64(double -2.5)") == Value(-3 % (1 << 64))


CLASSES = {
    "0x7FF0000000000001": 0, "0x7FF8000000000000": 1, "0xFFF0000000000000": 2, "-1.0": 3, "0x8000000000000001": 4,
    "-0.0": 5, "0.0": 6, "0x0000000000000001": 7, "1.0": 8, "0x7FF0000000000000": 9,
}  # fmt: skip


@pytest.mark.parametrize("text", CLASSES)
def test_every_number_has_one_class(text: str) -> None:
    for number_ in range(10):
        line = f"call i1 @llvm.is.fpclass.f64(double {text}, i32 {1 << number_})"
        assert run("i1", line) == Value(int(CLASSES[text] == number_))
    assert run("i1", f"call i1 @llvm.is.fpclass.f64(double {text}, i32 1023)") == Value(1)


class TestVectors:
    def test_reductions(self) -> None:
        v: dict[str, Any] = {"v": ("<4 x i8>", lanes(200, 100, 3, 7))}
        expected = {
            "add": 54,
            "mul": 200 * 100 * 3 * 7 % 256,
            "and": 0,
            "or": 239,
            "xor": 168,
            "smax": 100,
            "smin": 200,
            "umax": 200,
            "umin": 3,
        }
        for name, answer in expected.items():
            assert run("i8", f"call i8 @llvm.vector.reduce.{name}.v4i8(<4 x i8> %v)", **v) == Value(answer), (
                name
            )

    def test_float_reductions_go_in_order(self) -> None:
        big = "<double 1.0, double 1.0e16, double -1.0e16>"
        assert (
            number(
                run("double", f"call double @llvm.vector.reduce.fadd.v3f64(double 0.0, <3 x double> {big})")
            )
            == 0.0
        )
        assert (
            number(
                run("double", f"call double @llvm.vector.reduce.fmul.v3f64(double 2.0, <3 x double> {big})")
            )
            == -2.0e32
        )
        assert (
            number(run("double", f"call double @llvm.vector.reduce.fmax.v3f64(<3 x double> {big})")) == 1.0e16
        )

    def test_parts(self) -> None:
        v: dict[str, Any] = {"v": ("<4 x i8>", lanes(1, 2, 3, 4))}
        part = "call <2 x i8> @llvm.vector.extract.v2i8.v4i8(<4 x i8> %v, i64 2)"
        assert run("<2 x i8>", part, **v) == lanes(3, 4)
        part = "call <4 x i8> @llvm.vector.insert.v4i8.v2i8(<4 x i8> %v, <2 x i8> zeroinitializer, i64 2)"
        assert run("<4 x i8>", part, **v) == lanes(1, 2, 0, 0)
        assert run("<4 x i8>", "call <4 x i8> @llvm.vector.reverse.v4i8(<4 x i8> %v)", **v) == lanes(
            4, 3, 2, 1
        )
        splice = "call <4 x i8> @llvm.vector.splice.v4i8(<4 x i8> %v, <4 x i8> zeroinitializer, i32 {})"
        assert run("<4 x i8>", splice.format(1), **v) == lanes(2, 3, 4, 0)
        assert run("<4 x i8>", splice.format(-1), **v) == lanes(4, 0, 0, 0)
        right = splice.replace("splice.v4i8", "splice.right.v4i8")
        left = splice.replace("splice.v4i8", "splice.left.v4i8")
        by: dict[int, list[tuple[int, ...]]] = {
            0: [(1, 2, 3, 4), (0, 0, 0, 0)], 1: [(2, 3, 4, 0), (4, 0, 0, 0)], 3: [(4, 0, 0, 0), (2, 3, 4, 0)],
        }  # fmt: skip
        for number, results in by.items():
            for call, result in zip((left, right), results, strict=True):
                assert run("<4 x i8>", call.format(number), **v) == lanes(*result)
                count = "i32", Value(number, False)
                assert run("<4 x i8>", call.format("%n"), **v, n=count) == lanes(*result)
        assert run("<4 x i8>", right.format(4), **v) == lanes(1, 2, 3, 4)
        beyond = run("<4 x i8>", right.format("%n"), **v, n=("i32", Value(5, False)))
        assert isinstance(beyond, Composite)
        assert all(map(any_poison, beyond.elements))
        pair = "call {<2 x i8>, <2 x i8>} @llvm.vector.deinterleave2.v4i8(<4 x i8> %v)"
        assert run("{<2 x i8>, <2 x i8>}", pair, **v) == Composite((lanes(1, 3), lanes(2, 4)))
        whole = "call <8 x i8> @llvm.vector.interleave2.v8i8(<4 x i8> %v, <4 x i8> zeroinitializer)"
        assert run("<8 x i8>", whole, **v) == lanes(1, 0, 2, 0, 3, 0, 4, 0)
        assert run("<3 x i8>", "call <3 x i8> @llvm.stepvector.v3i8()") == lanes(0, 1, 2)

    def test_first_lane_and_partial_sums(self) -> None:
        line = "call i8 @llvm.experimental.cttz.elts.i8.v3i4(<3 x i4> {}, i1 {})"
        assert run("i8", line.format("<i4 0, i4 3, i4 0>", "true")) == Value(1)
        assert run("i8", line.format("zeroinitializer", "false")) == Value(3)
        assert any_poison(run("i8", line.format("zeroinitializer", "true")) or Value(0))
        line = "call <2 x i8> @llvm.vector.partial.reduce.add.v2i8.v4i8(<2 x i8> splat (i8 1), <4 x i8> <i8 1, i8 2, i8 3, i8 4>)"
        assert run("<2 x i8>", line) == lanes(5, 7)

    def test_active_lanes_do_not_wrap(self) -> None:
        line = "call <4 x i1> @llvm.get.active.lane.mask.v4i1.i8(i8 {}, i8 {})"
        assert run("<4 x i1>", line.format(1, 3)) == lanes(1, 1, 0, 0)
        assert run("<4 x i1>", line.format(254, 255)) == lanes(1, 0, 0, 0)


class TestHints:
    def test_assume(self) -> None:
        run("void", "call void @llvm.assume(i1 true)")
        for bad in ("false", "poison"):
            with pytest.raises(Undefined, match="assume"):
                run("void", f"call void @llvm.assume(i1 {bad})")

    def test_first_operand(self) -> None:
        assert run("i8", "call i8 @llvm.expect.i8(i8 3, i8 4)") == Value(3)
        assert run("i8", "call i8 @llvm.ssa.copy.i8(i8 3)") == Value(3)
        assert run("float", "call float @llvm.arithmetic.fence.f32(float 1.0)") == Value(0x3F800000)

    def test_markers_do_nothing(self) -> None:
        for line in (
            "call void @llvm.donothing()",
            "call void @llvm.sideeffect()",
            "call void @llvm.prefetch.p0(ptr null, i32 0, i32 0, i32 0)",
            "call void @llvm.experimental.noalias.scope.decl(metadata !{})",
            "%x = call ptr @llvm.invariant.start.p0(i64 4, ptr null)",
        ):
            run("void", line)

    def test_pointer_views(self) -> None:
        prelude = "@g = global [4 x i32] zeroinitializer, align 16"
        line = "%p = getelementptr i8, ptr @g, i64 7\n%r = call ptr @llvm.ptrmask.p0.i64(ptr %p, i64 -4)"
        runner = body("ptr", line, prelude=prelude)
        result, base = runner.call("f"), runner.context.address_of("g")
        assert isinstance(result, Pointer)
        assert (result.bits, result.provenance) == (base.bits + 4, base.provenance)
        size = "%p = getelementptr i8, ptr @g, i64 {}\n%r = call i64 @llvm.objectsize.i64.p0(ptr %p, i1 0, i1 0, i1 0)"
        assert run("i64", size.format(6), prelude) == Value(10)
        assert run("i64", size.format(60), prelude) == Value(0)
        assert run("i32", "call i32 @llvm.objectsize.i32.p0(ptr null, i1 false, i1 0, i1 0)") == Value(
            (1 << 32) - 1
        )

    def test_is_constant(self) -> None:
        assert run("i1", "call i1 @llvm.is.constant.i8(i8 3)") == Value(1)
        assert run("i1", "call i1 @llvm.is.constant.i8(i8 %x)", x=("i8", Value(3))) == Value(0)

    def test_bswap(self) -> None:
        assert run("i32", "call i32 @llvm.bswap.i32(i32 287454020)") == Value(0x44332211)
        both = run("<2 x i16>", "call <2 x i16> @llvm.bswap.v2i16(<2 x i16> <i16 258, i16 poison>)")
        assert isinstance(both, Composite)
        assert both.elements[0] == Value(0x0201)
        assert any_poison(both.elements[1])

    def test_overflow_of_vectors_gives_a_pair_of_vectors(self) -> None:
        line = "call {<2 x i8>, <2 x i1>} @llvm.uadd.with.overflow.v2i8(<2 x i8> <i8 255, i8 1>, <2 x i8> splat (i8 1))"
        assert run("{<2 x i8>, <2 x i1>}", line) == Composite((lanes(0, 2), lanes(1, 0)))
