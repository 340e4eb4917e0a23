"""NVPTX's arithmetic: what LLVM does not fold. For the rest: ``tests/differential/test_library_folding.py``.

covers: semantics.instructions.library.nvvm, semantics.instructions.library.nvvm_memory,
semantics.arithmetic.host_floats
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest

from convergence.parser import parse
from convergence.semantics import Unmodelled
from convergence.semantics.arithmetic.host_floats import MODES, NEAREST, directed
from convergence.semantics.arithmetic.ieee754 import FORMATS
from convergence.semantics.instructions.library.table import library_function
from convergence.semantics.machine.run import run
from tests.semantics.library_calls import POISON, call, number, pattern, rounded, same, samples, signed, words
from tests.semantics.test_library_opencl_memory import lines, shape_of

I = "i32"  # noqa: E741 -- the type


def _bits(word: int, at: int, width: int, sign: bool) -> int:
    value = word >> at & ((1 << width) - 1)
    return signed(value, width) if sign else value


@pytest.mark.parametrize("first", ["s", "u"])
@pytest.mark.parametrize("second", ["s", "u"])
def test_dots(first: str, second: str) -> None:
    a_sign, b_sign = first == "s", second == "s"
    for a, b, c in zip(words(32, "a", 6), words(32, "b", 6), words(32, "c", 6), strict=True):
        four = sum(_bits(a, k, 8, a_sign) * _bits(b, k, 8, b_sign) for k in range(0, 32, 8))
        assert call(I, f"llvm.nvvm.idp4a.{first}.{second}", (I, a), (I, b), (I, c)) == (four + c) % 2**32
        for high in (0, 1):
            two = sum(_bits(a, 16 * k, 16, a_sign) * _bits(b, 16 * high + 8 * k, 8, b_sign) for k in (0, 1))
            found = call(I, f"llvm.nvvm.idp2a.{first}.{second}", (I, a), (I, b), ("i1", high), (I, c))
            assert found == (two + c) % 2**32


@pytest.mark.parametrize("width", [32, 64])
def test_the_leading_one(width: int) -> None:
    t, top = f"i{width}", width - 1
    for x in words(width, "flo", 6):
        for sign, value in ((False, x), (True, x ^ (2**width - 1) if x >> top else x)):
            place = value.bit_length() - 1
            for shift in (0, 1):
                name = f"llvm.nvvm.flo.{'s' if sign else 'u'}.{t}"
                expected = top - place if shift and value else place
                assert call(I, name, (t, x), ("i1", shift)) == expected % 2**32


@pytest.mark.parametrize("mode", ["wrap", "clamp"])
def test_fields(mode: str) -> None:
    def bound(value: int) -> int:
        return value % 32 if mode == "wrap" else min(value, 32)

    for x in words(32, "x", 4):
        for n in (0, 7, 31, 32, 33, 2**31):
            low = x & ((1 << bound(n)) - 1)
            extended = signed(low, bound(n)) if bound(n) else 0
            assert call(I, f"llvm.nvvm.zext.{mode}", (I, x), (I, n)) == low
            assert call(I, f"llvm.nvvm.sext.{mode}", (I, x), (I, n)) == extended % 2**32
            for at in (0, 5, 32, 40):
                mask = (((1 << bound(n)) - 1) << bound(at)) % 2**32
                assert call(I, f"llvm.nvvm.bmsk.{mode}", (I, at), (I, n)) == mask


@pytest.mark.parametrize("width", [32, 64])
def test_funnel_shifts_stop_at_the_width(width: int) -> None:
    t = f"i{width}"
    for a, b in zip(words(width, "a", 4), words(width, "b", 4), strict=True):
        for by in (0, 1, width - 1, width, width + 1, 2**width - 1):
            both, far = a << width | b, min(by, width)
            left, right = (both << far >> width) % 2**width, (both >> far) % 2**width
            assert call(t, f"llvm.nvvm.fshl.clamp.{t}", (t, a), (t, b), (t, by)) == left
            assert call(t, f"llvm.nvvm.fshr.clamp.{t}", (t, a), (t, b), (t, by)) == right


def test_words_of_doubles() -> None:
    assert call("double", "llvm.nvvm.lohi.i2d", (I, 0), (I, 0x3FF80000)) == 1.5
    assert call(I, "llvm.nvvm.d2i.lo", ("double", 1.1)) == pattern("double", 1.1) % 2**32
    assert call(I, "llvm.nvvm.d2i.hi", ("double", POISON)) == POISON


def test_to_small_formats() -> None:
    pair = call("<2 x half>", "llvm.nvvm.ff2f16x2.rn", ("float", 1.0), ("float", POISON))
    assert pair == [POISON, 1]
    for words_, x, expected in (
        ("rn", 2049.0, 2048.0), ("rn", 2051.0, 2052.0), ("rz", 2051.0, 2050.0), ("rn", 1e6, math.inf),
        ("rn.satfinite", 1e6, 65504.0), ("rz", -1e6, -65504.0), ("rn.relu", -3.0, 0.0), ("rn.relu", 3.0, 3.0),
    ):  # fmt: skip
        assert same(call("half", f"llvm.nvvm.f2f16.{words_}", ("float", x)), expected)
    assert call("i16", "llvm.nvvm.f2h.rn", ("float", -2.0)) == 0xC000


def test_modifiers() -> None:
    tiny = 2.0**-130
    assert call("float", "llvm.nvvm.add.rn.f", ("float", tiny), ("float", 0.0)) == tiny
    assert same(call("float", "llvm.nvvm.add.rn.ftz.f", ("float", -tiny), ("float", -0.0)), -0.0)
    assert call("float", "llvm.nvvm.fma.rn.sat.f", ("float", 2.0), ("float", 3.0), ("float", 1.0)) == 1
    assert call("half", "llvm.nvvm.fma.rn.relu.f16", ("half", 2.0), ("half", -3.0), ("half", 1.0)) == 0
    two = "<2 x half>"
    found = call(two, "llvm.nvvm.fmin.xorsign.abs.f16x2", (two, [-2.0, 1.0]), (two, [3.0, POISON]))
    assert found == [-2.0, POISON]
    assert math.isclose(call("float", "llvm.nvvm.ex2.approx.f", ("float", 3.0)), 8)
    assert call("float", "llvm.nvvm.rsqrt.approx.ftz.f", ("float", 4.0)) == 0.5


def test_names_that_are_none() -> None:
    for name in (
        "add.f",
        "fma.rn.rz.f",
        "f2i.rn.sat",
        "sin.rn.f",
        "barrier.cta.sync",
        "f2f16.rs",
        "fmin.rn.f",
    ):
        assert library_function(f"llvm.nvvm.{name}") is None, name


EXACT: dict[str, Callable[..., Fraction]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b, "fma": lambda a, b, c: a * b + c,
}  # fmt: skip


@pytest.mark.parametrize("operation", NEAREST)
@pytest.mark.parametrize("mode", MODES)
def test_one_direction(operation: str, mode: str) -> None:
    """The result is on the right side of the exact one, and its neighbour is not, or is farther."""
    f = FORMATS["half"]
    count = {"sqrt": 1, "fma": 3}.get(operation, 2)
    columns = [[v for v in samples("half", operation + str(k)) if math.isfinite(v)] for k in range(count)]
    for values in zip(*columns, strict=False):
        if (operation == "div" and values[1] == 0) or (operation == "sqrt" and values[0] <= 0):
            continue
        bits = directed(f, operation, mode, *(pattern("half", v) for v in values))
        found = number("half", bits)
        if operation == "sqrt":
            low, high = (
                (found, number("half", bits + 1)) if mode != "up" else (number("half", bits - 1), found)
            )
            square = Fraction(values[0])
            assert Fraction(low) ** 2 <= square <= Fraction(high) ** 2
            continue
        exact = EXACT[operation](*map(Fraction, values))
        up = mode == "up" or (mode == "zero" and exact < 0)
        assert found >= exact if up else found <= exact
        if math.isfinite(found) and found != exact:
            inner = number("half", bits - 1 if (found > 0) == up else bits + 1) if found else None
            if inner is not None and math.isfinite(inner):
                assert inner < exact if up else inner > exact
        assert rounded("half", float(found)) == found


def test_the_sign_of_a_sum_that_cancels() -> None:
    f, one, minus = FORMATS["float"], pattern("float", 1.0), pattern("float", -1.0)
    assert directed(f, "add", "down", one, minus) == f.sign_bit
    assert directed(f, "add", "up", one, minus) == 0
    assert directed(f, "sub", "down", one, one) == f.sign_bit
    assert directed(f, "fma", "down", one, one, minus) == f.sign_bit
    assert directed(f, "add", "down", 0, 0) == 0
    assert directed(f, "div", "zero", one, 0) == f.infinity


@pytest.mark.parametrize(
    ("operation", "first", "operand", "then"),
    [
        ("add", 5, 3, 8), ("exch", 5, 3, 3), ("max", -1, 3, 3), ("min", -1, 3, -1), ("inc", 5, 5, 0),
        ("inc", 4, 5, 5), ("dec", 0, 7, 7), ("and", 6, 3, 2), ("or", 6, 3, 7), ("xor", 6, 3, 5),
    ],
)  # fmt: skip
def test_atomics_with_a_scope(operation: str, first: int, operand: int, then: int) -> None:
    line = f"%o = call i32 @llvm.nvvm.atomic.{operation}.gen.i.cta.i32.p0(ptr @g, i32 {operand})"
    text = f"{line}\n%n = load i32, ptr @g\n%p = insertvalue {{i32, i32}} poison, i32 %o, 0\n"
    text += "%r = insertvalue {i32, i32} %p, i32 %n, 1"
    assert lines(text, "{i32, i32}", f"@g = global i32 {first}") == [first % 2**32, then % 2**32]
    shape = shape_of(line)
    assert (shape.ordering, shape.scope, shape.atomic) == ("monotonic", "block", True)


def test_exchanges_and_loads_of_constants() -> None:
    cas = "call i32 @llvm.nvvm.atomic.cas.gen.i.sys.i32.p0(ptr @g, i32 5, i32 9)"
    assert lines(f"%r = {cas}", "i32", "@g = global i32 5") == 5
    assert lines(f"%o = {cas}\n%r = load i32, ptr @g", "i32", "@g = global i32 5") == 9
    assert lines(f"%o = {cas}\n%r = load i32, ptr @g", "i32", "@g = global i32 6") == 6
    add = "%o = call float @llvm.nvvm.atomic.add.gen.f.sys.f32.p0(ptr @g, float 1.5)"
    assert lines(f"{add}\n%r = load float, ptr @g", "float", "@g = global float 2.0") == 3.5
    for name, t in (("ldu.global.i.i32.p0", "i32"), ("ldg.global.f.v2f32.p0", "<2 x float>")):
        value = "7" if t == "i32" else "<float 1.0, float 2.0>"
        found = lines(f"%r = call {t} @llvm.nvvm.{name}(ptr @g, i32 4)", t, f"@g = global {t} {value}")
        assert found == (7 if t == "i32" else [1, 2])


@pytest.mark.parametrize(
    ("mode", "bits"), [("rn", 0x3EAAAAAB), ("rm", 0x3EAAAAAA), ("rp", 0x3EAAAAAB), ("rz", 0x3EAAAAAA)]
)
def test_a_reciprocal_is_rounded_as_it_says(mode: str, bits: int) -> None:
    """One third lies between two floats."""
    text = f"""
declare float @llvm.nvvm.rcp.{mode}.f(float)
define i32 @f(float %x) {{
  %r = call float @llvm.nvvm.rcp.{mode}.f(float %x)
  %b = bitcast float %r to i32
  ret i32 %b
}}"""
    done = run(parse(text), function="f", arguments={"x": 3.0})
    assert [thread.value for thread in done.outcome.threads] == [bits]


FLUSHED = '!llvm.module.flags = !{!0}\n!0 = !{i32 4, !"nvvm-reflect-ftz", i32 1}'


@pytest.mark.parametrize(("flags", "value"), [("", 0), (FLUSHED, 1)])
def test_what_the_compiler_is_asked(flags: str, value: int) -> None:
    """Whether denormals are flushed is a module flag, and of the processor nothing is known; LLVM says 0 of
    anything else."""
    text = (
        'target triple = "nvptx64-nvidia-cuda"\n@s = private constant [{size} x i8] c"{name}\\00"\n'
        "declare i32 @__nvvm_reflect(ptr)\ndefine i32 @f() {{\n"
        "  %r = call i32 @__nvvm_reflect(ptr nonnull @s)\n"
        "  ret i32 %r\n}}\n{flags}\n"
    )
    done = run(parse(text.format(size=11, name="__CUDA_FTZ", flags=flags)))
    assert done.outcome.threads[0].value == value
    assert not done.stand_ins
    precise = run(parse(text.format(size=17, name="__CUDA_PREC_SQRT", flags=flags)))
    assert precise.outcome.threads[0].value == 0
    other = run(parse(text.format(size=12, name="__CUDA_ARCH", flags=flags)))
    assert isinstance(other.ending, Unmodelled)
