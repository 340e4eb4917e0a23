"""AMDGPU's arithmetic, held against the pseudocode of its instruction set written in Python's numbers.

covers: semantics.instructions.library.amdgcn
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import pytest

from convergence.semantics.instructions.library.table import library_function
from tests.semantics.library_calls import POISON, call, divided, rounded, same, samples, signed, words

I = "i32"  # noqa: E741 -- the type


def parts(word: int, bits: int, sign: bool = False, total: int = 32) -> list[int]:
    found = [word >> at & ((1 << bits) - 1) for at in range(0, total, bits)]
    return [signed(p, bits) for p in found] if sign else found


def _sad(a: int, b: int, bits: int = 8, masked: bool = False) -> int:
    return sum(abs(x - y) for x, y in zip(parts(a, bits), parts(b, bits), strict=True) if y or not masked)


def _alignbyte(a: int, b: int, c: int) -> int:
    return (a << 32 | b) >> 8 * (c & 3)


def _perm(a: int, b: int, c: int) -> int:
    data, result = parts(a << 32 | b, 8, total=64), 0
    for k, s in enumerate(parts(c, 8)):
        byte = data[s] if s < 8 else 255 * (data[2 * s - 15] >> 7) if s < 12 else 0 if s == 12 else 255
        result |= byte << 8 * k
    return result


def _lerp(a: int, b: int, c: int) -> int:
    sums = (x + y + (z & 1) >> 1 for x, y, z in zip(parts(a, 8), parts(b, 8), parts(c, 8), strict=True))
    return sum(s << 8 * k for k, s in enumerate(sums))


def _i24(x: int) -> int:
    return signed(x & 0xFFFFFF, 24)


def _ffbh(x: int) -> int:
    x = x ^ 0xFFFFFFFF if x >> 31 else x
    return 32 - x.bit_length() if x else -1


WORDS: dict[str, tuple[int, Callable[..., int]]] = {
    "sad.u8": (3, lambda a, b, c: c + _sad(a, b)),
    "sad.u16": (3, lambda a, b, c: c + _sad(a, b, 16)),
    "sad.hi.u8": (3, lambda a, b, c: c + (_sad(a, b) << 16)),
    "msad.u8": (3, lambda a, b, c: c + _sad(a, b, masked=True)),
    "lerp": (3, _lerp),
    "perm": (3, _perm),
    "alignbyte": (3, _alignbyte),
    "mul.i24.i32": (2, lambda a, b: _i24(a) * _i24(b)),
    "mul.u24.i32": (2, lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF)),
    "mulhi.i24": (2, lambda a, b: _i24(a) * _i24(b) >> 32),
    "mulhi.u24": (2, lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF) >> 32),
    "sffbh.i32": (1, _ffbh),
    "prng.b32": (1, lambda a: a << 1 ^ (197 if a >> 31 else 0)),
    "ubfe.i32": (3, lambda a, o, w: (a >> o % 32) & ((1 << w % 32) - 1)),
    "sbfe.i32": (
        3,
        lambda a, o, w: (
            signed((a >> o % 32) & ((1 << w % 32) - 1), min(w % 32, 32 - o % 32)) if w % 32 else 0
        ),
    ),
}


@pytest.mark.parametrize("name", WORDS)
def test_words(name: str) -> None:
    count, oracle = WORDS[name]
    for values in zip(*(words(32, name + str(k)) for k in range(count)), strict=True):
        if name == "perm":
            values = (*values[:2], values[2] & 0x0F0F0F0F)
        assert call(I, f"llvm.amdgcn.{name}", *((I, v) for v in values)) == oracle(*values) % 2**32, values
    assert call(I, f"llvm.amdgcn.{name}", (I, POISON), *[(I, 1)] * (count - 1)) == POISON


def test_products_of_24_bits_may_be_wide() -> None:
    for a, b in zip(words(32, "a"), words(32, "b"), strict=True):
        assert call("i64", "llvm.amdgcn.mul.i24.i64", (I, a), (I, b)) == _i24(a) * _i24(b) % 2**64


@pytest.mark.parametrize("masked", [False, True])
def test_sliding_sums(masked: bool) -> None:
    draw = random.Random(masked)
    for _ in range(16):
        a, b, c = draw.getrandbits(64), draw.getrandbits(32) & draw.getrandbits(32), draw.getrandbits(64)
        windows = [a >> 8 * k & 0xFFFFFFFF for k in range(4)]
        sums = [
            (_sad(w, b, masked=masked) + p) % 2**16
            for w, p in zip(windows, parts(c, 16, total=64), strict=True)
        ]
        name = f"llvm.amdgcn.{'m' if masked else ''}qsad.pk.u16.u8"
        assert call("i64", name, ("i64", a), (I, b), ("i64", c)) == sum(
            s << 16 * k for k, s in enumerate(sums)
        )
        four = [draw.getrandbits(32) for _ in range(4)]
        found = call("<4 x i32>", "llvm.amdgcn.mqsad.u32.u8", ("i64", a), (I, b), ("<4 x i32>", list(four)))
        assert found == [(_sad(w, b, masked=True) + p) % 2**32 for w, p in zip(windows, four, strict=True)]


@pytest.mark.parametrize("clamp", [0, 1])
@pytest.mark.parametrize(("bits", "sign"), [(4, True), (4, False), (8, True), (8, False)])
def test_dots_of_words(bits: int, sign: bool, clamp: int) -> None:
    name = f"llvm.amdgcn.{'s' if sign else 'u'}dot{32 // bits}"
    low, high = (-(2**31), 2**31 - 1) if sign else (0, 2**32 - 1)
    for a, b, c in zip(words(32, "a", 8), words(32, "b", 8), words(32, "c", 8), strict=True):
        total = sum(x * y for x, y in zip(parts(a, bits, sign), parts(b, bits, sign), strict=True))
        total += signed(c, 32) if sign else c
        total = min(max(total, low), high) if clamp else total
        assert call(I, name, (I, a), (I, b), (I, c), ("i1", clamp)) == total % 2**32


@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 0), (1, 1)])
def test_dots_of_mixed_signs(first: int, second: int) -> None:
    for a, b in zip(words(32, "a", 6), words(32, "b", 6), strict=True):
        total = sum(x * y for x, y in zip(parts(a, 8, bool(first)), parts(b, 8, bool(second)), strict=True))
        given = (("i1", first), (I, a), ("i1", second), (I, b), (I, 5), ("i1", 0))
        assert call(I, "llvm.amdgcn.sudot4", *given) == (total + 5) % 2**32


def test_dots_of_vectors() -> None:
    two = "<2 x i16>"
    found = call(I, "llvm.amdgcn.sdot2", (two, [-3, 300]), (two, [5, 200]), (I, 2**31 - 1), ("i1", 1))
    assert found == 2**31 - 1
    found = call(I, "llvm.amdgcn.udot2", (two, [-1, 1]), (two, [2, 3]), (I, 7), ("i1", 0))
    assert found == 65535 * 2 + 3 + 7
    half = "<2 x half>"
    given = ((half, [300.0, 2.0]), (half, [300.0, -2.0]), ("float", 0.5))
    assert call("float", "llvm.amdgcn.fdot2", *given, ("i1", 0)) == 89996.5
    assert call("float", "llvm.amdgcn.fdot2", *given, ("i1", 1)) == 1
    assert (
        call("half", "llvm.amdgcn.fdot2.f16.f16", (half, [1.0, 2.0]), (half, [3.0, 4.0]), ("half", 0.5))
        == 11.5
    )


@pytest.mark.parametrize("table", [0, 0xFF, 0xF0, 0xCC, 0xAA, 0x96, 0x1B])
def test_truth_tables(table: int) -> None:
    a, b, c = 0b11110000, 0b11001100, 0b10101010
    assert call("i8", "llvm.amdgcn.bitop3.i8", ("i8", a), ("i8", b), ("i8", c), (I, table)) == table


def test_pairs() -> None:
    half, word = "<2 x half>", "<2 x i16>"
    assert call(half, "llvm.amdgcn.cvt.pkrtz", ("float", 2.9999998), ("float", -70000.0)) == [
        2.998046875,
        -65504.0,
    ]
    assert call(half, "llvm.amdgcn.cvt.pkrtz", ("float", -math.inf), ("float", POISON)) == [-math.inf, POISON]
    assert call(word, "llvm.amdgcn.cvt.pk.i16", (I, 70000), (I, -70000)) == [32767, 32768]
    assert call(word, "llvm.amdgcn.cvt.pk.u16", (I, 70000), (I, -1)) == [65535, 65535]
    assert call(word, "llvm.amdgcn.cvt.pknorm.i16", ("float", 0.5), ("float", -7.0)) == [16384, 65536 - 32767]
    assert call(word, "llvm.amdgcn.cvt.pknorm.u16", ("float", math.nan), ("float", 1.0)) == [0, 65535]
    assert call("i16", "llvm.amdgcn.ashr.pk.i8.i32", (I, -3000), (I, 40), (I, 34)) == (10 << 8) | 0x80
    assert call("i16", "llvm.amdgcn.ashr.pk.u8.i32", (I, -3000), (I, 4000), (I, 1)) == 255 << 8
    assert [call("float", "llvm.amdgcn.cvt.off.f32.i4", (I, k)) for k in (0, 7, 8, 31)] == [
        0,
        0.4375,
        -0.5,
        -0.0625,
    ]


def test_legacy_products_take_zero_from_anything() -> None:
    for x in (math.inf, math.nan, -5.0):
        assert same(call("float", "llvm.amdgcn.fmul.legacy", ("float", x), ("float", -0.0)), 0.0)
        assert call("float", "llvm.amdgcn.fma.legacy", ("float", 0.0), ("float", x), ("float", 2.5)) == 2.5
    assert call("float", "llvm.amdgcn.fmul.legacy", ("float", 3.0), ("float", -2.0)) == -6


def test_denormals_that_an_instruction_does_not_know() -> None:
    tiny = 2.0**-130
    assert call("float", "llvm.amdgcn.log.f32", ("float", tiny)) == -math.inf
    assert call("half", "llvm.amdgcn.log.f16", ("half", 2.0**-20)) == -20
    assert call("float", "llvm.amdgcn.exp2.f32", ("float", -130.0)) == 0
    assert call("double", "llvm.amdgcn.exp2.f64", ("double", -1030.0)) == 2.0**-1030
    assert call("float", "llvm.amdgcn.fmad.ftz.f32", ("float", tiny), ("float", 2.0**20), ("float", 1.0)) == 1
    assert call("float", "llvm.amdgcn.rsq.clamp.f32", ("float", 0.0)) == rounded(
        "float", (2 - 2.0**-23) * 2.0**127
    )


@pytest.mark.parametrize("kind", ["half", "float", "double"])
def test_classes(kind: str) -> None:
    suffix = {"half": "f16", "float": "f32", "double": "f64"}[kind]
    for x in samples(kind, "class", 6):
        if math.isnan(x):
            continue
        sub = x != 0 and abs(x) < {"half": 2.0**-14, "float": 2.0**-126, "double": 2.0**-1022}[kind]
        size = 0 if math.isinf(x) else 1 if x and not sub else 2 if sub else 3
        place = 2 + size if math.copysign(1, x) < 0 else 9 - size
        held = [call("i1", f"llvm.amdgcn.class.{suffix}", (kind, x), (I, 1 << k)) for k in range(10)]
        assert held == [int(k == place) for k in range(10)]
    assert call("i1", f"llvm.amdgcn.class.{suffix}", (kind, math.nan), (I, 2)) == 1


def test_the_parts_of_a_division() -> None:
    def fixup(q: float, b: float, c: float) -> float:
        found = call("float", "llvm.amdgcn.div.fixup.f32", ("float", q), ("float", b), ("float", c))
        assert isinstance(found, float)
        return found

    assert fixup(2.5, 2.0, -5.0) == -2.5
    assert math.isnan(fixup(1.0, 0.0, 0.0)) and math.isnan(fixup(1.0, math.inf, math.inf))
    assert fixup(9.0, 0.0, -1.0) == -math.inf and same(fixup(9.0, -math.inf, 1.0), -0.0)
    assert same(fixup(9.0, 2.0**100, 2.0**-100), 0.0)
    for flag, c, expected in ((0, 1.0, 7.0), (1, 1.0, 7 * 2.0**-64), (1, 2.0, 8 * 2.0**64)):
        given = (("float", 2.0), ("float", 3.0), ("float", c), ("i1", flag))
        assert call("float", "llvm.amdgcn.div.fmas.f32", *given) == expected


def _divided(kind: str, a: float, b: float) -> float:
    """The steps that LLVM's backend makes of a division."""
    suffix = {"float": "f32", "double": "f64"}[kind]

    def on(name: str, *values: float) -> float:
        found = call(kind, f"llvm.{name}.{suffix}", *((kind, v) for v in values))
        assert isinstance(found, float)
        return found

    (low, _), (high, scaled) = (
        call(f"{{{kind}, i1}}", f"llvm.amdgcn.div.scale.{suffix}", (kind, a), (kind, b), ("i1", top))
        for top in (0, 1)
    )
    first = on("amdgcn.rcp", low)
    guess = on("fma", on("fma", -low, first, 1.0), first, first)
    if kind == "double":
        guess = on("fma", on("fma", -low, guess, 1.0), guess, guess)
    quotient = on("fma", high, guess, 0.0)
    if kind == "float":
        quotient = on("fma", on("fma", -low, quotient, high), guess, quotient)
    rest = on("fma", -low, quotient, high)
    given = [(kind, v) for v in (rest, guess, quotient)]
    result = call(kind, f"llvm.amdgcn.div.fmas.{suffix}", *given, ("i1", scaled))
    return on("amdgcn.div.fixup", result, b, a)


@pytest.mark.parametrize("kind", ["float", "double"])
def test_the_steps_of_a_division_give_the_quotient(kind: str) -> None:
    """Whatever is scaled on the way: correctly rounded, but where the quotient is denormal: one digit."""
    draw, least = random.Random(kind), {"float": 2.0**-126, "double": 2.0**-1022}[kind]
    drawn = samples(kind, "division")
    for _ in range(150):
        a, b = draw.choice(drawn), draw.choice(drawn)
        expected = rounded(kind, divided(a, b))
        found = _divided(kind, a, b)
        if math.isfinite(expected) and 0 < abs(expected) < least:
            assert abs(found - expected) <= least * (2.0**-23 if kind == "float" else 2.0**-52), (a, b)
        else:
            assert same(found, expected), (a, b)


def test_pieces_of_a_turn() -> None:
    """The sum of the segments is 2/pi, to more digits than a double has."""
    pieces = [
        Fraction(call("double", "llvm.amdgcn.trig.preop.f64", ("double", 1.0), (I, k))) for k in range(6)
    ]
    assert all(0 < later < earlier * Fraction(1, 2**40) for earlier, later in pairwise(pieces))
    half_turn: Fraction = 2 / sum(pieces, Fraction(0))  # pi, of which mathematics knows the first digits
    digits = 31415926535897932384626433832795028841971693993751
    assert abs(half_turn * 10**49 - digits) < 1
    assert call("double", "llvm.amdgcn.trig.preop.f64", ("double", POISON), (I, 0)) == POISON


def test_cubes() -> None:
    for direction, face, sc, tc in (
        ((3.0, 1.0, 2.0), 0, -2, -1), ((-3.0, 1.0, 2.0), 1, 2, -1), ((1.0, 3.0, 2.0), 2, 1, 2),
        ((1.0, -3.0, 2.0), 3, 1, -2), ((1.0, 2.0, 3.0), 4, 1, -2), ((1.0, 2.0, -3.0), 5, -1, -2),
    ):  # fmt: skip
        given = [("float", v) for v in direction]
        found = [call("float", f"llvm.amdgcn.cube{n}", *given) for n in ("id", "sc", "tc", "ma")]
        assert found == [face, sc, tc, 2 * max(direction, key=abs)]


def test_names_lose_types_only() -> None:
    for name in ("rcp.legacy.f32", "rsq.legacy", "perm.pk16.b4.u4", "sin.more", "cvt.pk.u8.f32"):
        assert library_function(f"llvm.amdgcn.{name}") is None, name
    assert library_function("llvm.amdgcn.rcp.f64") is not None
