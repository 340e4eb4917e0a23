"""Shader arithmetic of SPIR-V and DirectX by its formulas, in Python's own numbers.

covers: semantics.instructions.library.kit, semantics.instructions.library.mathematics,
semantics.instructions.library.numbers, semantics.instructions.library.shader,
semantics.instructions.library.table
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import pytest

from convergence.semantics.instructions.library.shader import SHADER
from tests.semantics.library_calls import POISON, call, divided, root, rounded, same, samples, signed, words

SUFFIX = {"half": "f16", "float": "f32", "double": "f64"}
Round = Callable[[float], float]


def _saturated(x: float) -> float:
    return 0.0 if math.isnan(x) or x <= 0 else min(x, 1.0)


def _smoothstep(r: Round, low: float, high: float, x: float) -> float:
    t = _saturated(r(divided(r(x - low), r(high - low))))
    return r(r(t * t) * r(3 - r(2 * t)))


def _clamp(x: float, low: float, high: float) -> float:
    numbers = [n for n in (x, low) if not math.isnan(n)]
    x = max(numbers) if numbers else math.nan
    numbers = [n for n in (x, high) if not math.isnan(n)]
    return min(numbers) if numbers else math.nan


ELEMENTWISE: dict[str, tuple[int, Callable[..., Any]]] = {
    "lerp": (3, lambda r, x, y, a: r(r(x * r(1 - a)) + r(y * a))),
    "frac": (1, lambda r, x: math.nan if math.isinf(x) or math.isnan(x) else r(x - math.floor(x))),
    "saturate": (1, lambda r, x: _saturated(x)),
    "nclamp": (3, lambda r, x, low, high: _clamp(x, low, high)),
    "step": (2, lambda r, edge, x: 0.0 if x < edge else 1.0),
    "smoothstep": (3, _smoothstep),
    "degrees": (1, lambda r, x: r(x * r(180 / math.pi))),
    "radians": (1, lambda r, x: r(x * r(math.pi / 180))),
    "rsqrt": (1, lambda r, x: r(divided(1, r(root(x))))),
    "sign": (1, lambda r, x: ((x > 0) - (x < 0)) & 0xFFFFFFFF),
    "isnan": (1, lambda r, x: int(math.isnan(x))),
    "isinf": (1, lambda r, x: int(math.isinf(x))),
}
OF_DIRECTX: dict[str, Callable[..., Any]] = {"lerp": lambda r, x, y, a: r(x + r(r(y - x) * a))}
"""Where DirectX's formula is another one: SPIR-V's is that of GLSL.std.450, FMix."""
RESULT = {"sign": "i32", "isnan": "i1", "isinf": "i1"}


@pytest.mark.parametrize("kind", ["half", "float", "double"])
@pytest.mark.parametrize(
    ("target", "name"),
    [(t, n) for t in ("spv", "dx") for n in ELEMENTWISE if f"llvm.{t}.{n}" in SHADER],
)
def test_functions_of_scalars(target: str, name: str, kind: str) -> None:
    count, oracle = ELEMENTWISE[name]
    if target == "dx":
        oracle = OF_DIRECTX.get(name, oracle)
    drawn, draw = samples(kind, name), random.Random(name)
    lanes = [[draw.choice(drawn) for _ in drawn] for _ in range(count)]
    vector, result = f"<{len(drawn)} x {kind}>", RESULT.get(name, kind)
    found = call(
        f"<{len(drawn)} x {result}>",
        f"llvm.{target}.{name}.v{len(drawn)}{SUFFIX[kind]}",
        *((vector, list(column)) for column in lanes),
    )
    for value, *operands in zip(found, *lanes, strict=True):
        expected = oracle(lambda x: rounded(kind, x), *operands)
        if name == "nclamp" and expected == 0:  # either zero: fmax and fmin may order them
            assert value == 0
        else:
            assert same(value, expected), operands


def test_poison_stays_in_its_lane() -> None:
    two = "<2 x float>"
    assert call(two, "llvm.dx.lerp.v2f32", (two, [1.0, POISON]), (two, [3.0, 1]), (two, [0.25, 0])) == [
        1.5,
        POISON,
    ]
    three = "<3 x float>"
    given = [(three, [1.0, 2.0, POISON]), (three, [1.0, 5.0, 2.0])]
    assert call("float", "llvm.spv.fdot.v3f32", *given) == POISON
    assert call(three, "llvm.spv.cross.v3f32", *given) == [POISON, POISON, 3.0]
    assert call("i32", "llvm.dx.imad.i32", ("i32", 1), ("i32", POISON), ("i32", 1)) == POISON


def test_fast_math_flags_forbid_what_they_say() -> None:
    nan = ("float", math.nan)
    assert call("float", "llvm.spv.saturate.f32", nan) == 0
    assert call("float", "llvm.spv.saturate.f32", nan, flags="nnan") == POISON
    two = "<2 x float>"
    assert call("float", "llvm.dx.fdot.v2f32", (two, [math.inf, 1]), (two, [1, 1]), flags="ninf") == POISON
    assert call("float", "llvm.dx.fdot.v2f32", (two, [2, 1]), (two, [1, 1]), flags="nnan ninf") == 3


def _dot(r: Round, a: list[float], b: list[float]) -> float:
    total = r(a[0] * b[0])
    for x, y in zip(a[1:], b[1:], strict=True):
        total = r(total + r(x * y))
    return total


def _length(r: Round, a: list[float]) -> float:
    return r(root(_dot(r, a, a)))


def _refract(r: Round, i: list[float], n: list[float], eta: float) -> list[float]:
    cosine = _dot(r, n, i)
    k = r(1 - r(r(eta * eta) * r(1 - r(cosine * cosine))))
    by = r(r(eta * cosine) + r(root(k)))
    return [0.0 if k < 0 else r(r(eta * x) - r(by * y)) for x, y in zip(i, n, strict=True)]


def _reflect(r: Round, i: list[float], n: list[float]) -> list[float]:
    twice = r(2 * _dot(r, n, i))
    return [r(x - r(twice * y)) for x, y in zip(i, n, strict=True)]


def _cross(r: Round, a: list[float], b: list[float]) -> list[float]:
    return [r(r(a[i] * b[j]) - r(a[j] * b[i])) for i, j in ((1, 2), (2, 0), (0, 1))]


GEOMETRIC: list[tuple[str, str, bool, Callable[..., Any]]] = [
    ("spv.fdot", "vv", False, _dot),
    ("dx.fdot", "vv", False, _dot),
    ("spv.length", "v", False, _length),
    ("spv.distance", "vv", False, lambda r, a, b: _length(r, [r(x - y) for x, y in zip(a, b, strict=True)])),
    ("spv.cross", "vv", True, _cross),
    ("spv.reflect", "vv", True, _reflect),
    ("spv.refract", "vvs", True, _refract),
    ("spv.normalize", "v", True, lambda r, a: [r(divided(x, _length(r, a))) for x in a]),
    ("dx.normalize", "v", True, lambda r, a: [r(x * r(divided(1, _length(r, a)))) for x in a]),
    ("spv.faceforward", "vvv", True, lambda r, n, i, ref: n if _dot(r, ref, i) < 0 else [-x for x in n]),
]


@pytest.mark.parametrize("kind", ["half", "float", "double"])
@pytest.mark.parametrize(
    ("name", "shape", "gives_vector", "oracle"), GEOMETRIC, ids=[g[0] for g in GEOMETRIC]
)
def test_functions_of_vectors(
    name: str, shape: str, gives_vector: bool, oracle: Callable[..., Any], kind: str
) -> None:
    draw, vector = random.Random(name), f"<3 x {kind}>"
    for drawn in range(4):
        scale = 1.0 if drawn else 100.0
        operands = [
            [rounded(kind, draw.uniform(-scale, scale)) for _ in range(3)]
            if letter == "v"
            else rounded(kind, draw.uniform(0.5, 2))
            for letter in shape
        ]
        types = [vector if letter == "v" else kind for letter in shape]
        found = call(
            vector if gives_vector else kind,
            f"llvm.{name}.v3{SUFFIX[kind]}",
            *zip(types, operands, strict=True),
        )
        assert same(found, oracle(lambda x: rounded(kind, x), *operands))


def test_dots_of_scalars_and_packed_parts() -> None:
    f = "float"
    assert call(f, "llvm.dx.dot2.f32", (f, 1), (f, 2), (f, 3), (f, 4)) == 11
    assert call(f, "llvm.dx.dot3.f32", *((f, x) for x in (1, 2, 3, 4, 5, 6))) == 32
    assert call(f, "llvm.dx.dot4.f32", *((f, x) for x in (1, 2, 3, 4, 5, 6, 7, 8))) == 70
    h = "half"
    assert call(f, "llvm.dx.dot2add", (f, 0.5), (h, 300), (h, 2), (h, 300), (h, 4)) == 90008.5
    three = "<3 x i16>"
    assert (
        call("i16", "llvm.spv.sdot.v3i16", (three, [1, -2, 3]), (three, [4, 5, 30000]))
        == (4 - 10 + 90000) % 65536
    )


@pytest.mark.parametrize("signs", [True, False])
def test_dot4add(signs: bool) -> None:
    for acc, a, b in zip(words(32, "c"), words(32, "a"), words(32, "b"), strict=True):
        products = 0
        for at in range(0, 32, 8):
            x, y = a >> at & 255, b >> at & 255
            products += signed(x, 8) * signed(y, 8) if signs else x * y
        name = f"llvm.{'spv' if signs else 'dx'}.dot4add.{'i' if signs else 'u'}8packed"
        found = call("i32", name, ("i32", acc), ("i32", a), ("i32", b))
        assert found == (acc + products) % 2**32


@pytest.mark.parametrize("width", [16, 32, 64])
def test_places_of_bits(width: int) -> None:
    for x in words(width, "bits", 8):
        flipped = x if signed(x, width) >= 0 else x ^ ((1 << width) - 1)
        for name, low, of, value in (
            ("spv.firstbituhigh", True, "high", x), ("dx.firstbituhigh", False, "high", x),
            ("spv.firstbitshigh", True, "high", flipped), ("dx.firstbitshigh", False, "high", flipped),
            ("spv.firstbitlow", True, "low", x), ("dx.firstbitlow", True, "low", x),
        ):  # fmt: skip
            found = call("i32", f"llvm.{name}.i{width}", (f"i{width}", x))
            place = (value & -value).bit_length() - 1 if of == "low" else value.bit_length() - 1
            place = place if low or not value else width - 1 - place
            assert found == place % 2**32


@pytest.mark.parametrize("width", [16, 32, 64])
def test_integer_clamps_and_products(width: int) -> None:
    t, top = f"i{width}", (1 << width) - 1
    for x, a, b in zip(*(words(width, s, 8) for s in "xab"), strict=True):
        assert call(t, f"llvm.spv.uclamp.{t}", (t, x), (t, a), (t, b)) == min(max(x, a), b)
        s = [signed(v, width) for v in (x, a, b)]
        assert call(t, f"llvm.dx.sclamp.{t}", (t, x), (t, a), (t, b)) == min(max(s[0], s[1]), s[2]) & top
        assert call(t, f"llvm.dx.imad.{t}", (t, x), (t, a), (t, b)) == x * a + b & top
        assert call("i32", f"llvm.spv.sign.{t}", (t, x)) == ((s[0] > 0) - (s[0] < 0)) % 2**32


def test_words_and_numbers() -> None:
    assert call("double", "llvm.dx.asdouble.i32", ("i32", 0), ("i32", 0x3FF80000)) == 1.5
    two = "<2 x i32>"
    assert call("{i32, i32}", "llvm.dx.splitdouble.i32", ("double", 1.5)) == [0, 0x3FF80000]
    found = call(f"{{{two}, {two}}}", "llvm.dx.splitdouble.v2i32", ("<2 x double>", [1.5, POISON]))
    assert found == [[0, POISON], [0x3FF80000, POISON]]
    assert call("float", "llvm.dx.legacyf16tof32.i32", ("i32", 0xFFFF3C00)) == 1
    assert call("i32", "llvm.dx.legacyf32tof16.f32", ("float", -2)) == 0xC000
    assert call("<2 x float>", "llvm.spv.unpackhalf2x16.v2f32", ("i32", 0xC0003C00)) == [1, -2]
