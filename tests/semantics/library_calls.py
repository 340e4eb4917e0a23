"""Calls of library functions on constants, and their results as plain numbers: for tests only."""

from __future__ import annotations

import math
import random
import struct
from typing import Any

from convergence.ir import FloatType, StructType, Type, VectorType
from convergence.parser import parse
from convergence.semantics.values import Composite, RuntimeValue, scalar
from tests.semantics.straight import Runner

POISON = "poison"
_CODES = {"half": ("<e", "<H"), "float": ("<f", "<I"), "double": ("<d", "<Q")}


def pattern(kind: str, value: float) -> int:
    """The bits of a number that the format has."""
    number, bits = _CODES[kind]
    packed: int = struct.unpack(bits, struct.pack(number, value))[0]
    return packed


def number(kind: str, bits: int) -> float:
    code, unsigned = _CODES[kind]
    value: float = struct.unpack(code, struct.pack(unsigned, bits))[0]
    return value


def rounded(kind: str, value: float) -> float:
    """The format's nearest number. One operation on its numbers in double, and this, is exactly rounded for
    half and float: a double has more than twice their digits."""
    if math.isnan(value) or math.isinf(value):
        return value
    try:
        return number(kind, pattern(kind, value))
    except OverflowError:
        return math.copysign(math.inf, value)


def divided(a: float, b: float) -> float:
    """IEEE's quotient."""
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
    return a / b


def root(a: float) -> float:
    return math.sqrt(a) if a >= 0 else math.nan


EDGES = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, math.inf, -math.inf, math.nan, 65504.0, 2.0**-14, -(2.0**-24))
WIDTHS = {"half": 16, "float": 32, "double": 64}


def samples(kind: str, seed: str, count: int = 24) -> list[float]:
    """Numbers of a format: its edges, some near 1, and any bit patterns."""
    draw = random.Random(seed + kind)
    near = [rounded(kind, draw.uniform(-4, 4)) for _ in range(count)]
    return [*EDGES, *near, *(number(kind, draw.getrandbits(WIDTHS[kind])) for _ in range(count))]


def words(width: int, seed: str, count: int = 24) -> list[int]:
    """Unsigned integers: the edges of a width and any others."""
    draw, top = random.Random(f"{seed}{width}"), (1 << width) - 1
    edges = [0, 1, 2, top, top - 1, top >> 1, (top >> 1) + 1]
    small = [draw.getrandbits(draw.randint(1, width)) for _ in range(count)]
    return [*edges, *small, *(draw.getrandbits(width) for _ in range(count))]


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def constant(type_: str, value: object) -> str:
    """A value as LLVM spells it: numbers, ``"poison"``, and lists of them for vectors."""
    if value == POISON:
        return f"{type_} poison"
    if isinstance(value, list):
        element = type_[1:-1].split(" x ")[1]
        return f"{type_} <{', '.join(constant(element, v) for v in value)}>"
    if type_ in _CODES:
        assert isinstance(value, int | float)
        half = type_ == "half"
        digits = f"H{pattern('half', value):04X}" if half else f"{pattern('double', value):016X}"
        return f"{type_} 0x{digits}"
    return f"{type_} {value}"


def plain(value: RuntimeValue, type_: Type) -> Any:
    """A number, ``"poison"``, or a list of them; integers unsigned."""
    if isinstance(value, Composite):
        if isinstance(type_, StructType):
            parts = type_.elements
        else:
            assert isinstance(type_, VectorType)
            parts = (type_.element,) * type_.count
        return [plain(v, t) for v, t in zip(value.elements, parts, strict=True)]
    bits = scalar(value)
    if bits.poison:
        return POISON
    return number(type_.kind, bits.bits) if isinstance(type_, FloatType) else bits.bits


def call(result: str, name: str, *arguments: tuple[str, object], flags: str = "") -> Any:
    """The result of ``@name`` on these (type, value)s."""
    passed = ", ".join(constant(t, v) for t, v in arguments)
    line = f"%r = call {flags} {result} @{name}({passed})"
    module = parse(f"define {result} @f() {{\n {line}\n ret {result} %r\n}}", ask_llvm=False)
    value = Runner(module).call("f")
    assert value is not None
    return plain(value, module.functions["f"].type.result)


def same(a: Any, b: Any) -> bool:
    """Equal, NaN to NaN and zeros with their signs."""
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and not isinstance(b, str):
        if math.isnan(a) or math.isnan(b):
            return math.isnan(a) and math.isnan(b)
        return a == b and math.copysign(1, a) == math.copysign(1, b)
    return bool(a == b)
