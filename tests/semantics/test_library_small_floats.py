"""Floats of 8 bits and fewer, held against the numbers that their documents list, and against a search for
the nearest of them.

covers: ir.targets, semantics.instructions.library.amdgcn, semantics.instructions.library.numbers,
semantics.instructions.library.nvvm
"""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

import convergence as cc
from convergence.semantics import Returned, Unmodelled
from tests.semantics.library_calls import call, number, pattern, rounded, same

# Name, bits of the exponent and of the fraction, bias, and what the codes with all exponent bits are: "ieee"
# infinities and NaNs, "one" NaN above, "none", or "zero": the negative zero is the NaN.
SHAPES: dict[str, tuple[int, int, int, str]] = {
    "e4m3": (4, 3, 7, "one"), "e5m2": (5, 2, 15, "ieee"), "e2m3": (2, 3, 1, "none"),
    "e3m2": (3, 2, 3, "none"), "e2m1": (2, 1, 1, "none"), "e4m3fnuz": (4, 3, 8, "zero"),
    "e5m2fnuz": (5, 2, 16, "zero"),
}  # fmt: skip
LIMITS = {
    "e4m3": 448, "e5m2": 57344, "e2m3": 7.5, "e3m2": 28, "e2m1": 6, "e4m3fnuz": 240, "e5m2fnuz": 57344,
}  # fmt: skip
"""The greatest numbers, as OCP's documents and AMD's have them."""


def value_of(name: str, code: int) -> float:
    """A code's number, by the formula of the documents."""
    exponent_bits, fraction_bits, bias, top = SHAPES[name]
    exponent = code >> fraction_bits & ((1 << exponent_bits) - 1)
    fraction = code & ((1 << fraction_bits) - 1)
    sign = -1.0 if code >> (exponent_bits + fraction_bits) & 1 else 1.0
    last = exponent == (1 << exponent_bits) - 1
    if top == "ieee" and last:
        return math.nan if fraction else sign * math.inf
    if top == "one" and last and fraction == (1 << fraction_bits) - 1:
        return math.nan
    if top == "zero" and sign < 0 and not exponent and not fraction:
        return math.nan
    scale = 2.0 ** (max(exponent, 1) - bias - fraction_bits)
    return sign * scale * (fraction + ((exponent > 0) << fraction_bits))


def codes(name: str) -> range:
    exponent_bits, fraction_bits, *_ = SHAPES[name]
    return range(2 << (exponent_bits + fraction_bits))


def nearest(name: str, value: float, saturates: bool) -> int:
    """The code of a number, by a look at all of them."""
    top = SHAPES[name][3]
    finite = {c: value_of(name, c) for c in codes(name) if math.isfinite(value_of(name, c))}
    negative = math.copysign(1, value) < 0
    sign = len(codes(name)) // 2
    nan = {"ieee": sign - 1, "one": sign - 1, "zero": sign}.get(top)
    positive = {c: Fraction(v) for c, v in finite.items() if c < sign}
    largest = max(positive, key=lambda c: positive[c])
    if math.isnan(value):
        return largest if nan is None else nan
    unit = positive[largest] - positive[largest - 1]
    if (
        math.isinf(value)
        or Fraction(abs(value)) > positive[largest] + unit / 2
        or (Fraction(abs(value)) == positive[largest] + unit / 2 and largest & 1)
    ):
        if saturates or nan is None:
            return largest | sign * negative
        if top == "ieee":
            return (largest + 1) | sign * negative
        return nan | (sign * negative if top == "one" else 0)
    best = min(positive, key=lambda c: (abs(positive[c] - Fraction(abs(value))), c & 1))
    return best | (sign * negative if best or top != "zero" else 0)


def numbers(name: str, kind: str) -> list[float]:
    """All numbers of the format, what lies between two of them, and others."""
    draw = random.Random(name)
    known = sorted(v for c in codes(name) if math.isfinite(v := value_of(name, c)))
    between = [(a + b) / 2 for a, b in pairwise(known)]
    beside = [math.nextafter(v, s) for v in draw.sample(between, 12) for s in (-math.inf, math.inf)]
    wild = [draw.uniform(-2, 2) * 2.0 ** draw.randrange(-30, 30) for _ in range(24)]
    edges = [0.0, -0.0, math.inf, -math.inf, math.nan, LIMITS[name] * 1.5, -LIMITS[name] * 1.01]
    picked = [*known, *between]
    draw.shuffle(picked)
    return [rounded(kind, v) for v in (*edges, *picked[:40], *beside, *wild)]


@pytest.mark.parametrize("name", LIMITS)
def test_the_greatest_number(name: str) -> None:
    assert max(v for c in codes(name) if math.isfinite(v := value_of(name, c))) == LIMITS[name]


PTX = ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1")


@pytest.mark.parametrize("name", PTX)
def test_from_codes_of_ptx(name: str) -> None:
    draw, at = random.Random(name), 4 if name == "e2m1" else 8
    for low in codes(name):
        high = draw.choice(codes(name))
        expected = [value_of(name, low), value_of(name, high)]
        function = f"llvm.nvvm.{name}x2.to.f16x2.rn"
        assert same(call("<2 x half>", function, ("i16", high << at | low)), expected)
        if low % 16 == 1:
            relu = [math.nan if math.isnan(v) else max(v, 0.0) for v in expected]
            assert same(call("<2 x half>", f"{function}.relu", ("i16", high << at | low)), relu)


@pytest.mark.parametrize(
    ("name", "kind"), [*((name, "float") for name in PTX), ("e4m3", "half"), ("e5m2", "half")]
)
def test_to_codes_of_ptx(name: str, kind: str) -> None:
    finite = "" if name in ("e4m3", "e5m2") else ".satfinite"
    at, values = 4 if name == "e2m1" else 8, numbers(name, kind)
    for high, low in zip(values, reversed(values), strict=True):
        for relu in ("", ".relu") if abs(high) < 1 else ("",):
            expected = 0
            for place, value in ((at, high), (0, low)):
                code = nearest(name, value, True)
                expected |= (
                    0 if relu and not math.isnan(value) and math.copysign(1, value) < 0 else code
                ) << place
            if kind == "float":
                found = call(
                    "i16", f"llvm.nvvm.ff.to.{name}x2.rn{relu}{finite}", ("float", high), ("float", low)
                )
            else:
                found = call("i16", f"llvm.nvvm.f16x2.to.{name}x2.rn{relu}", ("<2 x half>", [low, high]))
            assert found == expected, (high, low)


def test_powers_of_two() -> None:
    """E8M0 to bfloat, whose least numbers are smaller; code 255 is no number."""
    for code in (0, 1, 126, 127, 130, 254, 255):
        assert power(code) == (0x7FC0 if code == 255 else 0x40 if code == 0 else code << 7)


def power(code: int) -> int:
    text = f"""define i32 @f() {{
  %v = call <2 x bfloat> @llvm.nvvm.ue8m0x2.to.bf16x2(i16 {code | 127 << 8})
  %r = bitcast <2 x bfloat> %v to i32
  ret i32 %r
}}
declare <2 x bfloat> @llvm.nvvm.ue8m0x2.to.bf16x2(i16)
"""
    found: Any = cc.run(cc.parse(text), threads=1).outcome.threads[0].value
    assert found >> 16 == 0x3F80
    return int(found & 0xFFFF)


@pytest.mark.parametrize("mode", ["rn", "rna", "rz"])
def test_tf32(mode: str) -> None:
    """A fraction of ten bits; the other thirteen are zero."""
    draw = random.Random(mode)
    values = [number("float", draw.getrandbits(32)) for _ in range(40)]
    values += [1 + k * 2.0**-11 for k in range(8)] + [
        3.4028234e38,
        -3.4028234e38,
        math.inf,
        -math.inf,
        0.0,
        -0.0,
    ]
    for value in values:
        plain = call("i32", f"llvm.nvvm.f2tf32.{mode}", ("float", value))
        clamped = call("i32", f"llvm.nvvm.f2tf32.{mode}.satfinite", ("float", value))
        if math.isnan(value):
            assert plain == clamped == 0x7FFFFFFF
            continue
        bits = pattern("float", value) & 0x7FFFFFFF
        quotient, rest = divmod(bits, 1 << 13)
        up = {"rz": False, "rna": rest >= 1 << 12, "rn": rest > 1 << 12 or (rest == 1 << 12 and quotient & 1)}
        magnitude = quotient + int(up[mode] and math.isfinite(value)) << 13
        sign = pattern("float", value) >> 31 << 31
        assert plain == sign | magnitude
        assert clamped == sign | (magnitude if magnitude < 0x7F800000 else 0x7F7FE000)
        if mode != "rna":
            relu = call("i32", f"llvm.nvvm.f2tf32.{mode}.relu", ("float", value))
            assert relu == (0 if sign else magnitude)


AMD = """target triple = "amdgcn-amd-amdhsa"
define RESULT @f(PARAMETERS) #0 {
  %r = call RESULT @llvm.amdgcn.NAME(OPERANDS)
  ret RESULT %r
}
declare RESULT @llvm.amdgcn.NAME(TYPES)
attributes #0 = { CPU }
"""


def amd(cpu: str, name: str, result: str, *operands: tuple[str, Any, bool]) -> Any:
    """What a call gives; an operand is its type, its value, and whether it is an immediate."""
    words = ", ".join(f"{t} {str(v).lower() if now else f'%a{n}'}" for n, (t, v, now) in enumerate(operands))
    text = (
        AMD.replace("RESULT", result).replace("NAME", name).replace("OPERANDS", words)
        .replace("PARAMETERS", ", ".join(f"{t} %a{n}" for n, (t, _, now) in enumerate(operands) if not now))
        .replace("TYPES", ", ".join(t + " immarg" * now for t, _, now in operands))
        .replace("CPU", f'"target-cpu"="{cpu}"' if cpu else "nounwind")
    )  # fmt: skip
    arguments = {f"a{n}": v for n, (_, v, now) in enumerate(operands) if not now}
    once = cc.run(cc.parse(text), threads=1, arguments=arguments)
    if isinstance(once.ending, Unmodelled):
        return once.ending.feature
    assert isinstance(once.ending, Returned), once.ending
    return once.outcome.threads[0].value


FORMATS = {"gfx942": "fnuz", "gfx950": "", "gfx1200": "", "gfx12-generic": ""}


def plain(value: Any) -> float:
    return float(value)


@pytest.mark.parametrize("cpu", FORMATS)
@pytest.mark.parametrize(("short", "long"), [("fp8", "e4m3"), ("bf8", "e5m2")])
def test_codes_of_amd(cpu: str, short: str, long: str) -> None:
    name, draw = long + FORMATS[cpu], random.Random(cpu)
    for _ in range(12):
        parts = [draw.randrange(256) for _ in range(4)]
        word = sum(code << 8 * k for k, code in enumerate(parts))
        at = draw.randrange(4)
        one = amd(cpu, f"cvt.f32.{short}", "float", ("i32", word, False), ("i32", at, True))
        assert same(plain(one), value_of(name, parts[at]))
        upper = draw.random() < 0.5
        two = amd(cpu, f"cvt.pk.f32.{short}", "<2 x float>", ("i32", word, False), ("i1", upper, True))
        assert same([plain(v) for v in two], [value_of(name, c) for c in parts[2 * upper : 2 * upper + 2]])


@pytest.mark.parametrize("cpu", FORMATS)
@pytest.mark.parametrize(("short", "long"), [("fp8", "e4m3"), ("bf8", "e5m2")])
def test_to_codes_of_amd(cpu: str, short: str, long: str) -> None:
    """What is too large is no number, or an infinity; the other half of the word stays."""
    name = long + FORMATS[cpu]
    values = numbers(name, "float")[:16]
    for a, b in zip(values, reversed(values), strict=True):
        pair = nearest(name, b, False) << 8 | nearest(name, a, False)
        for upper in (False, True):
            found = amd(
                cpu, f"cvt.pk.{short}.f32", "i32", ("float", a, False), ("float", b, False),
                ("i32", 0x12345678, False), ("i1", upper, True),
            )  # fmt: skip
            assert found % 2**32 == (pair << 16 | 0x5678 if upper else 0x12340000 | pair), (a, b)


def test_products_of_codes() -> None:
    word = 0x38403C44  # of E4M3: 1, 2, 1.5, 3
    found = amd(
        "gfx1200",
        "dot4.f32.fp8.fp8",
        "float",
        ("i32", word, False),
        ("i32", word, False),
        ("float", 0.5, False),
    )
    assert found == 1 + 4 + 2.25 + 9 + 0.5


def test_a_module_that_does_not_say_the_format() -> None:
    for cpu, who in (("", "a module without one target-cpu"), ("gfx90a", "gfx90a")):
        said = amd(cpu, "cvt.f32.fp8", "float", ("i32", 0, False), ("i32", 0, True))
        assert said == f"the format of fp8, which {who} does not say"
