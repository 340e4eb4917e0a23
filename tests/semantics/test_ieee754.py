"""Exact arithmetic against the host's, and the host's against numpy-free facts of IEEE-754.

covers: semantics.arithmetic.host_floats
"""

from __future__ import annotations

import math
import random
import struct
from fractions import Fraction

import pytest

from convergence.semantics import NotModelled
from convergence.semantics.arithmetic import ieee754 as fl
from convergence.semantics.arithmetic.host_floats import ConcreteFloats, concrete_floats
from convergence.semantics.arithmetic.ieee754 import FORMATS, Class, Format, decode, equal, is_nan, less


def double(bits: int) -> float:
    (value,) = struct.unpack("<d", struct.pack("<Q", bits))
    assert isinstance(value, float)
    return value


def bits_of(value: float) -> int:
    (bits,) = struct.unpack("<Q", struct.pack("<d", value))
    assert isinstance(bits, int)
    return FORMATS["double"].nan if value != value else bits


def interesting(f: Format, rng: random.Random) -> int:
    """Any pattern, biased to zeros, infinities, NaNs, subnormals and neighbouring exponents."""
    sign = rng.getrandbits(1) << (f.width - 1)
    match rng.randrange(6):
        case 0:
            return sign | rng.choice(
                [0, 1, f.infinity, f.infinity - 1, f.nan, f.infinity | 1, 1 << f.fraction_bits]
            )
        case 1:
            return sign | rng.getrandbits(f.fraction_bits)
        case 2 | 3:
            middle = (f.top >> 1) + rng.randrange(-4, 5)
            return (
                sign
                | middle << f.stored_bits
                | (f.explicit << f.fraction_bits)
                | rng.getrandbits(f.fraction_bits)
            )
        case _:
            return rng.getrandbits(f.width)


@pytest.mark.parametrize("kind", ["float", "double"])
def test_host_arithmetic_is_the_exact_one(kind: str) -> None:
    rng, f = random.Random(1), FORMATS[kind]
    host, exact = concrete_floats(kind), ConcreteFloats(f)
    assert type(host) is not ConcreteFloats
    for _ in range(4000):
        a, b = interesting(f, rng), interesting(f, rng)
        for name in ("add", "sub", "mul", "div", "less", "equal"):
            assert getattr(host, name)(a, b) == getattr(exact, name)(a, b), (name, hex(a), hex(b))
        assert host.is_nan(a) == exact.is_nan(a)


def test_exact_double_is_pythons() -> None:
    rng, f = random.Random(2), FORMATS["double"]
    for _ in range(4000):
        a, b = interesting(f, rng), interesting(f, rng)
        x, y = double(a), double(b)
        assert fl.add(f, a, b) == bits_of(x + y)
        assert fl.mul(f, a, b) == bits_of(x * y)
        if y != 0:
            assert fl.div(f, a, b) == bits_of(x / y)
        if x >= 0:
            assert fl.sqrt(f, a) == bits_of(math.sqrt(x))
        if not (math.isinf(x) or y == 0):
            assert fl.rem(f, a, b) == bits_of(math.fmod(x, y))
        assert less(f, a, b) == (x < y)
        assert equal(f, a, b) == (x == y)
        if math.isfinite(x):
            assert fl.to_integer(f, a) == int(x)
            for mode, function in (
                ("down", math.floor),
                ("up", math.ceil),
                ("even", round),
                ("zero", math.trunc),
            ):
                assert fl.round_to_integral(f, mode, a) == bits_of(math.copysign(float(function(x)), x))
            mantissa, exponent = math.frexp(x)
            assert fl.frexp(f, a) == (bits_of(mantissa), exponent)
        power = rng.randrange(-2200, 2200)
        try:
            scaled = math.ldexp(x, power)
        except OverflowError:
            scaled = math.copysign(math.inf, x)
        assert fl.ldexp(f, a, power) == bits_of(scaled)


@pytest.mark.parametrize(("kind", "code"), [("float", "f"), ("half", "e")])
def test_narrowing_is_structs(kind: str, code: str) -> None:
    rng, wide, narrow = random.Random(3), FORMATS["double"], FORMATS[kind]
    for _ in range(4000):
        a = interesting(narrow, rng)
        x = double(fl.convert(narrow, wide, a))
        assert fl.convert(wide, narrow, bits_of(x)) == (narrow.nan if x != x else a)
        near = x * (1 + rng.random() * 2.0**-9)
        if not math.isfinite(near):
            continue
        try:
            expected = int.from_bytes(struct.pack("<" + code, near), "little")
        except OverflowError:
            expected = narrow.infinity | (narrow.sign_bit if near < 0 else 0)
        assert fl.convert(wide, narrow, bits_of(near)) == expected


def rational(f: Format, bits: int) -> Fraction:
    x = decode(f, bits)
    assert x.form is Class.FINITE
    return Fraction(-x.significand if x.sign else x.significand) * Fraction(2) ** x.exponent


def nearest(f: Format, value: Fraction) -> set[int]:
    """The numbers nearest to a rational, found by bisection over all finite patterns of its sign."""
    sign = f.sign_bit if value < 0 else 0
    low, high = 0, f.infinity - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if rational(f, middle) <= abs(value) else (low, middle - 1)
    around = [p for p in (low, low + 1) if p < f.infinity]
    best = min(abs(rational(f, p) - abs(value)) for p in around)
    found = {p for p in around if abs(rational(f, p) - abs(value)) == best}
    if len(found) == 2:
        found = {p for p in found if not p & 1}
    return {sign | p for p in found}


@pytest.mark.parametrize(("kind", "rounds"), [("half", 500), ("bfloat", 500), ("fp128", 12)])
def test_operations_round_the_rational_result_to_nearest_even(kind: str, rounds: int) -> None:
    rng, f = random.Random(4), FORMATS[kind]
    checked = 0
    for _ in range(rounds):
        a, b, c = (interesting(f, rng) for _ in range(3))
        if any(decode(f, p).form is not Class.FINITE for p in (a, b, c)):
            continue
        x, y, z = rational(f, a), rational(f, b), rational(f, c)
        for bits, value in (
            (fl.add(f, a, b), x + y),
            (fl.mul(f, a, b), x * y),
            (fl.fma(f, a, b, c), x * y + z),
            (fl.div(f, a, b) if y else 0, x / y if y else Fraction(0)),
        ):
            if decode(f, bits).form is Class.FINITE and value:
                checked += 1
                assert bits & (f.sign_bit - 1) in {p & (f.sign_bit - 1) for p in nearest(f, value)}
                assert bits & f.sign_bit == (f.sign_bit if value < 0 else 0)
        if decode(f, a).form is Class.FINITE and x > 0:
            root = rational(f, fl.sqrt(f, a))
            step = rational(f, fl.sqrt(f, a) + 1) - root
            assert (root - step / 2) ** 2 <= x <= (root + step / 2) ** 2
    assert checked > rounds


def test_fma_rounds_once() -> None:
    f = FORMATS["float"]
    one_up = 0x3F800001
    assert fl.fma(f, one_up, one_up, 0xBF800002) == 0x28800000
    assert fl.add(f, fl.mul(f, one_up, one_up), 0xBF800002) == 0


def test_integers_beyond_a_format_round_and_overflow() -> None:
    half = concrete_floats("half")
    assert half.from_int(32, False)(65519) == 0x7BFF
    assert half.from_int(32, False)(65520) == 0x7C00
    assert half.from_int(8, True)(0xFF) == 0xBC00
    assert half.to_int(8, True)(0xD800) == (0x80, True)  # -128
    assert half.to_int(8, True)(0x5800)[1] is False  # 128
    assert half.to_int(8, False)(0xB800) == (0, True)  # -0.5 towards zero
    assert half.to_int(8, False)(0x7E00)[1] is False


def test_x87_numbers_have_an_explicit_leading_bit() -> None:
    f = FORMATS["x86_fp80"]
    one = 0x3FFF8000000000000000
    assert fl.add(f, one, one) == 0x40008000000000000000
    assert fl.convert(f, FORMATS["double"], fl.div(f, one, 0x4000C000000000000000)) == bits_of(1 / 3)
    assert is_nan(f, 0x3FFF0000000000000000)  # an unnormal number: invalid


def test_ppc_double_double_is_named_as_not_modelled() -> None:
    with pytest.raises(NotModelled, match="ppc_fp128"):
        concrete_floats("ppc_fp128")
