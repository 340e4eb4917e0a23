# ruff: noqa: E501 -- a row of a table stays whole
"""OpenCL C's built-in functions by their mangled names, held against their definitions in Python's numbers.

covers: semantics.instructions.library.mathematics, semantics.instructions.library.numbers,
semantics.instructions.library.opencl
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from convergence.semantics import NotModelled
from convergence.semantics.instructions.library.table import library_function
from tests.semantics.library_calls import (
    POISON,
    WIDTHS,
    call,
    divided,
    number,
    pattern,
    root,
    rounded,
    same,
    samples,
    signed,
    words,
)

LETTER = {(8, True): "c", (8, False): "h", (16, True): "s", (16, False): "t", (32, True): "i", (32, False): "j",
    (64, True): "l", (64, False): "m", "half": "Dh", "float": "f", "double": "d"}  # fmt: skip


def mangled(name: str, *types: str) -> str:
    return f"_Z{len(name)}{name}{''.join(types)}"


def _clamp(x: Any, low: Any, high: Any) -> Any:
    return min(max(x, low), high)


def _limits(width: int, sign: bool) -> tuple[int, int]:
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if sign else (0, (1 << width) - 1)


INTEGERS: dict[str, tuple[int, Callable[..., int]]] = {
    "abs": (1, lambda n, s, a: abs(a)),
    "abs_diff": (2, lambda n, s, a, b: abs(a - b)),
    "add_sat": (2, lambda n, s, a, b: _clamp(a + b, *_limits(n, s))),
    "sub_sat": (2, lambda n, s, a, b: _clamp(a - b, *_limits(n, s))),
    "hadd": (2, lambda n, s, a, b: (a + b) >> 1),
    "rhadd": (2, lambda n, s, a, b: (a + b + 1) >> 1),
    "clamp": (3, lambda n, s, a, b, c: _clamp(a, b, c)),
    "max": (2, lambda n, s, a, b: max(a, b)),
    "min": (2, lambda n, s, a, b: min(a, b)),
    "clz": (1, lambda n, s, a: n - (a % 2**n).bit_length()),
    "ctz": (1, lambda n, s, a: (a & -a).bit_length() - 1 if a else n),
    "popcount": (1, lambda n, s, a: (a % 2**n).bit_count()),
    "mul_hi": (2, lambda n, s, a, b: (a * b) >> n),
    "mad_hi": (3, lambda n, s, a, b, c: ((a * b) >> n) + c),
    "mad_sat": (3, lambda n, s, a, b, c: _clamp(a * b + c, *_limits(n, s))),
    "rotate": (2, lambda n, s, a, b: (a % 2**n << b % n) | (a % 2**n >> (n - b % n))),
    "bit_reverse": (1, lambda n, s, a: int(f"{a % 2**n:0{n}b}"[::-1], 2)),
    "select": (3, lambda n, s, a, b, c: b if c else a),
    "bitselect": (3, lambda n, s, a, b, c: (a & ~c) | (b & c)),
}


@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("sign", [True, False])
@pytest.mark.parametrize("name", INTEGERS)
def test_integer_functions(name: str, sign: bool, width: int) -> None:
    count, oracle = INTEGERS[name]
    letter, t = LETTER[width, sign], f"i{width}"
    for given in zip(*(words(width, name + str(k), 4) for k in range(count)), strict=True):
        values = [signed(v, width) if sign else v for v in given]
        if name == "clamp":
            values[1], values[2] = min(values[1:]), max(values[1:])
        found = call(t, mangled(name, *[letter] * count), *((t, v) for v in values))
        assert found == oracle(width, sign, *values) % 2**width, values


@pytest.mark.parametrize("sign", [True, False])
def test_products_of_24_bits(sign: bool) -> None:
    letter = LETTER[32, sign]
    for a, b, c in zip(words(24, "a"), words(24, "b"), words(32, "c"), strict=True):
        x, y = (signed(a, 24), signed(b, 24)) if sign else (a, b)
        assert call("i32", mangled("mul24", letter, letter), ("i32", x), ("i32", y)) == x * y % 2**32
        found = call("i32", mangled("mad24", letter, letter, letter), ("i32", x), ("i32", y), ("i32", c))
        assert found == (x * y + c) % 2**32


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_fields_of_bits(width: int) -> None:
    draw, t = random.Random(width), f"i{width}"
    signs = LETTER[width, True]
    for base, inserted in zip(words(width, "b", 4), words(width, "i", 4), strict=True):
        at = draw.randint(0, width)
        many = draw.randint(0, width - at)
        mask = ((1 << many) - 1) << at
        field = (("i32", at), ("i32", many))
        found = call(t, mangled("bitfield_insert", signs, signs, "jj"), (t, base), (t, inserted), *field)
        assert found == (base & ~mask) | (inserted << at & mask)
        value = base >> at & ((1 << many) - 1)
        assert call(t, mangled("bitfield_extract_unsigned", signs, "jj"), (t, base), *field) == value
        extended = signed(value, many) % 2**width if many else 0
        assert call(t, mangled("bitfield_extract_signed", signs, "jj"), (t, base), *field) == extended


def test_halves_side_by_side() -> None:
    assert call("i32", "_Z8upsamplest", ("i16", -2), ("i16", 3)) == 0xFFFE0003
    assert call("<2 x i64>", "_Z8upsampleDv2_jS_", ("<2 x i32>", [1, POISON]), ("<2 x i32>", [2, 3])) == [
        2**32 + 2,
        POISON,
    ]


def test_dot_products_of_bytes() -> None:
    four = "<4 x i8>"
    assert (
        call("i32", "_Z3dotDv4_cDv4_h", (four, [-1, 2, 3, -128]), (four, [255, 1, 1, 2]))
        == (-255 + 5 - 256) % 2**32
    )
    found = call(
        "i32", "_Z11dot_acc_satDv4_hS_j", (four, [255, 255, 0, 0]), (four, [255, 255, 0, 0]), ("i32", -1)
    )
    assert found == 2**32 - 1
    word = 0x80FF0201
    packed = call("i32", "_Z20dot_4x8packed_ss_intjj", ("i32", word), ("i32", word))
    assert packed == 1 + 4 + 1 + 128 * 128
    found = call(
        "i32", "_Z28dot_acc_sat_4x8packed_ss_intjji", ("i32", word), ("i32", word), ("i32", 2**31 - 2)
    )
    assert found == 2**31 - 1


# -- Floats


def _nan(*values: float) -> bool:
    return any(map(math.isnan, values))


def _fdim(r: Any, x: float, y: float) -> float:
    return math.nan if _nan(x, y) else r(x - y) if x > y else 0.0


def _fmax(x: float, y: float) -> float:
    return y if math.isnan(x) else x if math.isnan(y) else max(x, y)


def _fmin(x: float, y: float) -> float:
    return y if math.isnan(x) else x if math.isnan(y) else min(x, y)


def _remainder(x: float, y: float) -> float:
    return math.nan if _nan(x, y) or math.isinf(x) or y == 0 else math.remainder(x, y)


def _fmod(x: float, y: float) -> float:
    return math.nan if _nan(x, y) or math.isinf(x) or y == 0 else math.fmod(x, y)


def _maxmag(x: float, y: float) -> float:
    return x if abs(x) > abs(y) else y if abs(y) > abs(x) else _fmax(x, y)


def _integral(of: Callable[[float], float]) -> Callable[..., float]:
    return lambda r, x: x if _nan(x) or math.isinf(x) else math.copysign(float(of(x)), x)


def _logb(r: Any, x: float) -> float:
    if x == 0 or math.isinf(x) or math.isnan(x):
        return -math.inf if x == 0 else abs(x)
    return float(math.frexp(x)[1] - 1)


def _sign(r: Any, x: float) -> float:
    return 0.0 if _nan(x) else x if x == 0 else math.copysign(1.0, x)


EXACT: dict[str, tuple[int, Callable[..., float]]] = {
    "fabs": (1, lambda r, x: abs(x)),
    "copysign": (2, lambda r, x, y: math.copysign(x, y)),
    "fmax": (2, lambda r, x, y: _fmax(x, y)),
    "fmin": (2, lambda r, x, y: _fmin(x, y)),
    "maxmag": (2, lambda r, x, y: _maxmag(x, y)),
    "fdim": (2, _fdim),
    "fmod": (2, lambda r, x, y: _fmod(x, y)),
    "remainder": (2, lambda r, x, y: _remainder(x, y)),
    "sqrt": (1, lambda r, x: r(root(x))),
    "half_sqrt": (1, lambda r, x: r(root(x))),
    "native_recip": (1, lambda r, x: r(divided(1, x))),
    "native_divide": (2, lambda r, x, y: r(divided(x, y))),
    "rsqrt": (1, lambda r, x: r(divided(1, r(root(x))))),
    "mad": (3, lambda r, x, y, z: r(r(x * y) + z)),
    "floor": (1, _integral(math.floor)),
    "ceil": (1, _integral(math.ceil)),
    "trunc": (1, _integral(math.trunc)),
    "rint": (1, _integral(round)),
    "round": (1, _integral(lambda x: math.floor(Fraction(abs(x)) + Fraction(1, 2)))),
    "logb": (1, _logb),
    "sign": (1, _sign),
    "mix": (3, lambda r, x, y, a: r(x + r(r(y - x) * a))),
    "step": (2, lambda r, edge, x: 0.0 if x < edge else 1.0),
    "degrees": (1, lambda r, x: r(x * r(180 / math.pi))),
}


@pytest.mark.parametrize("kind", ["half", "float", "double"])
@pytest.mark.parametrize("name", EXACT)
def test_what_ieee_defines(name: str, kind: str) -> None:
    count, oracle = EXACT[name]
    draw = random.Random(name + kind)
    drawn = samples(kind, name, 12)
    for _ in range(24):
        values = [draw.choice(drawn) for _ in range(count)]
        found = call(kind, mangled(name, *[LETTER[kind]] * count), *((kind, v) for v in values))
        expected = oracle(lambda x: rounded(kind, x), *values)
        if name in ("fmax", "fmin", "maxmag") and expected == 0:
            assert found == 0
        else:
            assert same(found, expected), values


@pytest.mark.parametrize("kind", ["half", "float", "double"])
def test_fma_rounds_once(kind: str) -> None:
    draw = random.Random(kind)
    for _ in range(24):
        a, b, c = (rounded(kind, draw.uniform(-4, 4)) for _ in range(3))
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        found = Fraction(call(kind, mangled("fma", *[LETTER[kind]] * 3), (kind, a), (kind, b), (kind, c)))
        bits = pattern(kind, float(found))
        near = [
            Fraction(number(kind, bits + k))
            for k in (-1, 1)
            if number(kind, bits + k) == number(kind, bits + k)
        ]
        assert all(abs(found - exact) <= abs(n - exact) for n in near)


@pytest.mark.parametrize("kind", ["half", "float", "double"])
def test_the_next_number(kind: str) -> None:
    for x in samples(kind, "x", 8):
        for y in (math.inf, -math.inf, 0.0, x):
            found = call(kind, mangled("nextafter", *[LETTER[kind]] * 2), (kind, x), (kind, y))
            if math.isnan(x) or x == y:
                assert same(found, math.nan if math.isnan(x) else y)
                continue
            assert x < found <= y or y <= found < x
            nearer = Fraction(x) + (Fraction(found) - Fraction(x)) / 2 if not math.isinf(x + found) else None
            if nearer is not None and kind != "double":
                assert rounded(kind, float(nearer)) in (x, found), "nothing lies between"


RELATIONS: dict[str, tuple[int, Callable[..., bool]]] = {
    "isequal": (2, lambda a, b: a == b),
    "isnotequal": (2, lambda a, b: a != b),
    "isgreater": (2, lambda a, b: a > b),
    "isgreaterequal": (2, lambda a, b: a >= b),
    "isless": (2, lambda a, b: a < b),
    "islessequal": (2, lambda a, b: a <= b),
    "islessgreater": (2, lambda a, b: a < b or a > b),
    "isordered": (2, lambda a, b: not _nan(a, b)),
    "isunordered": (2, lambda a, b: _nan(a, b)),
    "isfinite": (1, math.isfinite),
    "isinf": (1, math.isinf),
    "isnan": (1, math.isnan),
    "signbit": (1, lambda a: math.copysign(1, a) < 0),
}


@pytest.mark.parametrize("kind", ["half", "float", "double"])
@pytest.mark.parametrize("name", RELATIONS)
def test_relations_are_minus_one_in_vectors(name: str, kind: str) -> None:
    count, oracle = RELATIONS[name]
    draw, width, drawn = random.Random(name), WIDTHS[kind], samples(kind, name, 2)
    lanes = [[draw.choice(drawn) for _ in range(16)] for _ in range(count)]
    expected = [oracle(*column) for column in zip(*lanes, strict=True)]
    vector = mangled(name, f"Dv16_{LETTER[kind]}", *["S_"] * (count - 1))
    found = call(f"<16 x i{width}>", vector, *((f"<16 x {kind}>", list(lane)) for lane in lanes))
    assert found == [2**width - 1 if holds else 0 for holds in expected]
    scalar = call("i32", mangled(name, *[LETTER[kind]] * count), *((kind, lane[0]) for lane in lanes))
    assert scalar == int(expected[0])


@pytest.mark.parametrize("kind", ["half", "float", "double"])
def test_normal_numbers(kind: str) -> None:
    least = {"half": 2.0**-14, "float": 2.0**-126, "double": 2.0**-1022}[kind]
    for value, normal in ((least, 1), (least / 2, 0), (0.0, 0), (math.inf, 0), (math.nan, 0), (-1.0, 1)):
        assert call("i32", mangled("isnormal", LETTER[kind]), (kind, value)) == normal


def test_any_and_all_look_at_the_highest_bit() -> None:
    two = "<2 x i32>"
    assert call("i32", "_Z3anyDv2_i", (two, [1, 2])) == 0
    assert call("i32", "_Z3anyDv2_i", (two, [1, -2])) == 1
    assert call("i32", "_Z3allDv2_i", (two, [1, -2])) == 0
    assert call("i32", "_Z3allDv2_i", (two, [-1, -2])) == 1
    assert call("i32", "_Z3alli", ("i32", -5)) == 1
    assert call("i32", "_Z3anyDv2_i", (two, [-1, POISON])) == POISON


def test_select_looks_at_the_highest_bit_in_vectors_only() -> None:
    two = "<2 x float>"
    found = call(two, "_Z6selectDv2_fS_Dv2_i", (two, [1, 2]), (two, [3, 4]), ("<2 x i32>", [1, -1]))
    assert found == [1, 4]
    assert call("float", "_Z6selectffi", ("float", 1), ("float", 2), ("i32", 1)) == 2


BEST_EFFORT: list[tuple[str, tuple[float, ...], float]] = [
    ("sin", (1.0,), math.sin(1)), ("native_exp", (2.0,), math.exp(2)), ("half_log2", (10.0,), math.log2(10)),
    ("cbrt", (-27.0,), -3.0), ("cbrt", (1e-12,), 1e-4), ("hypot", (3.0, 4.0), 5.0), ("erf", (0.5,), math.erf(0.5)),
    ("tgamma", (5.0,), 24.0), ("tgamma", (-0.0,), -math.inf), ("lgamma", (-2.0,), math.inf), ("tgamma", (200.0,), math.inf),
    ("atanh", (1.0,), math.inf), ("log1p", (-1.0,), -math.inf), ("expm1", (1e-9,), math.expm1(1e-9)),
    ("sinpi", (0.5,), 1.0), ("sinpi", (-3.0,), -0.0), ("cospi", (1.5,), 0.0), ("cospi", (1e15,), 1.0),
    ("tanpi", (0.25,), 1.0), ("tanpi", (0.5,), math.inf), ("acospi", (-1.0,), 1.0), ("atan2pi", (1.0, 0.0), 0.5),
    ("powr", (2.0, 0.5), math.sqrt(2)), ("powr", (-2.0, 2.0), math.nan), ("powr", (0.0, -1.0), math.inf),
    ("pow", (-2.0, 3.0), -8.0), ("exp10", (3.0,), 1000.0), ("acosh", (1.0,), 0.0), ("asinh", (-0.0,), -0.0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given", "expected"), BEST_EFFORT)
def test_best_effort(name: str, given: tuple[float, ...], expected: float) -> None:
    found = call("double", mangled(name, *"d" * len(given)), *(("double", v) for v in given))
    if math.isfinite(expected) and expected:
        assert math.isclose(found, expected, rel_tol=1e-14)
    else:
        assert same(found, expected)


def test_numbers_with_integers() -> None:
    assert call("float", "_Z4pownfi", ("float", -2), ("i32", 3)) == -8
    assert call("float", "_Z4pownfi", ("float", 2), ("i32", -2)) == 0.25
    assert call("<2 x float>", "_Z4pownDv2_fDv2_i", ("<2 x float>", [2, POISON]), ("<2 x i32>", [4, 1])) == [
        16,
        POISON,
    ]
    assert math.isclose(call("double", "_Z5rootndi", ("double", -27), ("i32", 3)), -3, rel_tol=1e-15)
    assert math.isnan(call("double", "_Z5rootndi", ("double", -27), ("i32", 2)))
    assert call("float", "_Z5ldexpfi", ("float", 0.75), ("i32", 4)) == 12
    assert call("<2 x float>", "_Z5ldexpDv2_fi", ("<2 x float>", [1, 3]), ("i32", -1)) == [0.5, 1.5]
    assert call("i32", "_Z5ilogbf", ("float", 10)) == 3
    assert call("i32", "_Z5ilogbf", ("float", 0)) == 2**31
    assert call("i32", "_Z5ilogbf", ("float", math.inf)) == 2**31 - 1
    assert math.isnan(call("float", "_Z3nanj", ("i32", 7)))


def _bytes(word: int, total: int = 4) -> list[int]:
    return [word >> 8 * k & 255 for k in range(total)]


def _apart(a: int, b: int, masked: bool = False) -> int:
    return sum(abs(x - y) for x, y in zip(_bytes(a), _bytes(b), strict=True) if y or not masked)


def _windows(a: int, b: int, c: int, masked: bool) -> int:
    sums = (_apart(a >> 8 * k & 0xFFFFFFFF, b, masked) + (c >> 16 * k & 0xFFFF) for k in range(4))
    return sum((total & 0xFFFF) << 16 * k for k, total in enumerate(sums))


MEDIA: dict[str, Callable[..., int]] = {
    "amd_bitalign": lambda a, b, c: (a << 32 | b) >> (c & 31),
    "amd_bytealign": lambda a, b, c: (a << 32 | b) >> 8 * (c & 3),
    "amd_lerp": lambda a, b, c: sum(
        (x + y + (z & 1) >> 1) << 8 * k
        for k, (x, y, z) in enumerate(zip(_bytes(a), _bytes(b), _bytes(c), strict=True))
    ),
    "amd_sad": lambda a, b, c: c + _apart(a, b),
    "amd_sadhi": lambda a, b, c: c + (_apart(a, b) << 16),
    "amd_sadw": lambda a, b, c: c + abs((a & 0xFFFF) - (b & 0xFFFF)) + abs((a >> 16) - (b >> 16)),
    "amd_sadd": lambda a, b, c: c + abs(a - b),
    "amd_msad": lambda a, b, c: c + _apart(a, b, True),
    "amd_max3": max, "amd_min3": min, "amd_median3": lambda a, b, c: sorted((a, b, c))[1],
    "amd_bfe": lambda a, at, n: a >> (at & 31) & ((1 << (n & 31)) - 1),
}  # fmt: skip


@pytest.mark.parametrize("name", MEDIA)
def test_amd_s_functions_of_pixels(name: str) -> None:
    """*cl_amd_media_ops*: of words, and of each lane of vectors."""
    plain, wide = f"_Z{len(name)}{name}jjj", f"_Z{len(name)}{name}Dv2_jS_S_"
    values = words(32, name, 8)
    for a, b, c in zip(values, values[3:] + values[:3], values[7:] + values[:7], strict=True):
        expected = MEDIA[name](a, b, c) % 2**32
        assert call("i32", plain, ("i32", a), ("i32", b), ("i32", c)) == expected, (a, b, c)
        two = [("<2 x i32>", [x, 7]) for x in (a, b, c)]
        assert call("<2 x i32>", wide, *two) == [expected, MEDIA[name](7, 7, 7) % 2**32]


def test_more_of_amd_s_functions_of_pixels() -> None:
    for a, b, c in ((0x0102030405060708, 0x00FF10F0, 0x0001FFFF80007FFF), (2**64 - 1, 0x01000001, 5)):
        for name, masked in (("amd_qsad", False), ("amd_mqsad", True)):
            found = call("i64", f"_Z{len(name)}{name}mjm", ("i64", a), ("i32", b), ("i64", c))
            assert found == _windows(a, b, c, masked)
    assert call("i32", "_Z7amd_bfmjj", ("i32", 5), ("i32", 35)) == 0b11111000
    assert call("i32", "_Z7amd_bfeijj", ("i32", 0xF0), ("i32", 4), ("i32", 4)) == 2**32 - 1
    assert call("i32", "_Z8amd_max3iii", ("i32", -3), ("i32", 2), ("i32", -9)) == 2
    assert call("float", "_Z11amd_median3fff", ("float", 4.0), ("float", -1.0), ("float", 2.0)) == 2.0
    assert call("float", "_Z8amd_min3fff", ("float", 4.0), ("float", -1.0), ("float", 2.0)) == -1.0
    for k in range(4):
        name = f"_Z11amd_unpack{k}j"
        assert call("float", name, ("i32", 0xFF034000 | 9)) == float(_bytes(0xFF034009)[k])
    four = ("<4 x i32>", [0x01020304, 0, 0xFF, 1]), ("<4 x i32>", [0, 0x01010101, 0xF0, 1])
    assert call("i32", "_Z8amd_sad4Dv4_jS_j", *four, ("i32", 100)) == 100 + 10 + 4 + 15


def test_arm_s_dot_products() -> None:
    """*cl_arm_integer_dot_product*: the accumulator wraps, or saturates."""
    bytes_, halves = "<4 x i8>", "<2 x i16>"
    a, b = [200, 3, 0, 255], [255, 2, 9, 255]
    total = 200 * 255 + 6 + 255 * 255
    assert call("i32", "_Z7arm_dotDv4_hS_", (bytes_, a), (bytes_, b)) == total
    signed_total = (200 - 256) * -1 + 6 + 1
    assert call("i32", "_Z7arm_dotDv4_cS_", (bytes_, a), (bytes_, b)) == signed_total
    assert call("i32", "_Z11arm_dot_accDv4_hS_j", (bytes_, a), (bytes_, b), ("i32", -1)) == total - 1
    found = call("i32", "_Z11arm_dot_accDv2_sS_i", (halves, [-5, 7]), (halves, [3, 2]), ("i32", 2**31 - 1))
    assert found == 2**31 - 2
    assert call("i32", "_Z15arm_dot_acc_satDv4_hS_j", (bytes_, a), (bytes_, b), ("i32", -1)) == 2**32 - 1


@pytest.mark.parametrize("size", [1.0, 2.0**600, 2.0**-600, 2.0**1021, 2.0**-1070])
def test_squares_of_doubles_do_not_overflow(size: float) -> None:
    """Nor do they underflow: a power of two in all elements is one in the length."""
    vector, zero = [3 * size, -4 * size], [0.0, 0.0]
    pair = ("<2 x double>", vector)
    assert call("double", "_Z6lengthDv2_d", pair) == 5 * size
    assert call("double", "_Z8distanceDv2_dS_", pair, ("<2 x double>", zero)) == 5 * size
    assert call("<2 x double>", "_Z9normalizeDv2_d", pair) == [3 / 5, -4 / 5]
    assert call("double", "_Z6lengthDv2_d", ("<2 x double>", [math.inf, size])) == math.inf
    assert math.isnan(call("double", "_Z6lengthDv2_d", ("<2 x double>", [math.nan, size])))


def test_geometry_does_not_overflow_on_the_way() -> None:
    three = "<3 x float>"
    big = [3e30, 4e30, 0.0]
    assert math.isclose(call("float", "_Z6lengthDv3_f", (three, big)), 5e30, rel_tol=1e-7)
    assert call("float", "_Z11fast_lengthDv3_f", (three, big)) == math.inf
    assert call(three, "_Z9normalizeDv3_f", (three, [0.0, 0.0, -0.0])) == [0, 0, 0]
    assert call(three, "_Z9normalizeDv3_f", (three, [3, 0, 4])) == [
        rounded("float", x) for x in (0.6, 0, 0.8)
    ]
    four = "<4 x float>"
    found = call(four, "_Z5crossDv4_fS_", (four, [1, 0, 0, 9]), (four, [0, 1, 0, 9]))
    assert found == [0, 0, 1, 0]
    assert call("float", "_Z8distanceff", ("float", 1), ("float", 4)) == 3
    assert call("float", "_Z3dotff", ("float", 3), ("float", 4)) == 12


def test_a_scalar_is_the_same_in_every_lane() -> None:
    two = "<2 x float>"
    assert call(two, "_Z4fmaxDv2_ff", (two, [1, 5]), ("float", 3)) == [3, 5]
    assert call(two, "_Z4stepfDv2_f", ("float", 2), (two, [1, 5])) == [0, 1]
    assert call(two, "_Z10smoothstepffDv2_f", ("float", 0), ("float", 2), (two, [1, 5])) == [0.5, 1]
    assert call("<2 x i32>", "_Z5clampDv2_iii", ("<2 x i32>", [-7, 5]), ("i32", -1), ("i32", 3)) == [
        2**32 - 1,
        3,
    ]


# -- Conversions


ROUND: dict[str, Callable[[float], int]] = {
    "rte": round, "rtz": math.trunc, "rtp": math.ceil, "rtn": math.floor,
}  # fmt: skip


@pytest.mark.parametrize("mode", ["", "_rte", "_rtz", "_rtp", "_rtn"])
@pytest.mark.parametrize(
    ("target", "width", "sign"), [("char", 8, True), ("uint", 32, False), ("long", 64, True)]
)
def test_floats_to_integers(target: str, width: int, sign: bool, mode: str) -> None:
    for x in samples("float", target, 12):
        found = call(f"i{width}", mangled(f"convert_{target}_sat{mode}", "f"), ("float", x))
        if math.isnan(x):
            assert found == 0
            continue
        low, high = _limits(width, sign)
        exact = (high if x > 0 else low) if math.isinf(x) else _clamp(ROUND[mode[1:] or "rtz"](x), low, high)
        assert found == exact % 2**width


@pytest.mark.parametrize("mode", ["rte", "rtz", "rtp", "rtn"])
@pytest.mark.parametrize(
    ("target", "letter"), [("half", "d"), ("float", "d"), ("half", "f"), ("float", "l"), ("half", "j")]
)
def test_to_fewer_digits(target: str, letter: str, mode: str) -> None:
    """The result is the exact one, or the nearest on the right side of it."""
    source = {"d": "double", "f": "float"}.get(letter)
    drawn = (
        samples(source, target, 12)
        if source
        else [signed(w, 64) if letter == "l" else w for w in words(64 if letter == "l" else 32, "w", 12)]
    )
    type_ = source or ("i64" if letter == "l" else "i32")
    for x in drawn:
        found = call(target, mangled(f"convert_{target}_{mode}", letter), (type_, x))
        if isinstance(x, float) and not math.isfinite(x):
            assert same(found, x)
            continue
        bits = pattern(target, abs(found))
        below = [number(target, bits - 1)] if bits else []
        around = [
            found,
            *(
                math.copysign(v, found)
                for v in (*below, *([] if math.isinf(found) else [number(target, bits + 1)]))
            ),
        ]
        exact, finite = Fraction(x), [v for v in around if math.isfinite(v)]
        if mode == "rtp" or (mode == "rtz" and x < 0):
            assert found >= exact and not [v for v in finite if exact <= v < found]
        elif mode in ("rtn", "rtz"):
            assert found <= exact and not [v for v in finite if found < v <= exact]
        elif math.isfinite(found):
            assert all(abs(Fraction(found) - exact) <= abs(Fraction(v) - exact) for v in finite)
        assert math.copysign(1, found) == math.copysign(1, x) or found == 0


def test_integers_to_integers() -> None:
    assert call("i8", "_Z12convert_chari", ("i32", 300)) == 44
    assert call("i8", "_Z16convert_char_sati", ("i32", 300)) == 127
    assert call("i8", "_Z16convert_char_satj", ("i32", -1)) == 127
    assert call("i8", "_Z17convert_uchar_satc", ("i8", -1)) == 0
    assert call("i64", "_Z12convert_longh", ("i8", -1)) == 255
    assert call("<2 x i64>", "_Z13convert_long2Dv2_c", ("<2 x i8>", [-1, POISON])) == [2**64 - 1, POISON]
    assert call("i32", "_Z6as_intf", ("float", 1)) == 0x3F800000
    assert call("<4 x i8>", "_Z9as_uchar4j", ("i32", 0x04030201)) == [1, 2, 3, 4]


def test_spirv_names_of_the_same_functions() -> None:
    assert call("float", "_Z16__spirv_ocl_fmaxff", ("float", 2), ("float", 3)) == 3
    assert call("float", "_Z23__spirv_ocl_native_sqrtf", ("float", 9)) == 3
    assert call("float", "_Z15__spirv_ocl_dotDv2_fS_", ("<2 x float>", [1, 2]), ("<2 x float>", [3, 4])) == 11
    assert library_function("_Z8prefetchPU3AS1Kim") is not None


def test_shuffles() -> None:
    two, four = "<2 x i32>", "<4 x i32>"
    assert call(four, "_Z7shuffleDv2_iDv4_j", (two, [7, 8]), (four, [0, 1, 3, 2])) == [7, 8, 8, 7]
    found = call(four, "_Z8shuffle2Dv2_iS_Dv4_j", (two, [7, 8]), (two, [9, POISON]), (four, [2, 0, 3, 5]))
    assert found == [9, 7, POISON, 8]


def test_operands_have_the_types_that_the_name_says() -> None:
    for given in ([("i64", 1), ("i64", 2)], [("i32", 1)]):
        with pytest.raises(NotModelled, match=r"max\(int, int\)"):
            call("i64", "_Z3maxii", *given)
    with pytest.raises(NotModelled, match=r"dot\(float3, float3\)"):
        call("float", "_Z3dotDv3_fS_", ("<3 x float>", [1, 2, 3]))
    with pytest.raises(NotModelled, match="of float with double"):
        call("double", "_Z3sinf", ("float", 1.0))
    assert library_function("_Z3sinfff") is None
    assert library_function("_Z6foobarf") is None
    assert library_function("_Z11read_imagef14ocl_image2d_roDv2_i") is None
