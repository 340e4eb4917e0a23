"""Poison and undefined behaviour by brute force: every pair of i1..i4 operands against plain integers.

covers: semantics.instructions.lifting, semantics.values
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import pytest

from convergence.semantics import Undefined
from convergence.semantics.values import Composite, RuntimeValue, Value
from tests.semantics.straight import body

WIDTHS = (1, 2, 3, 4)
POISON, UNDEFINED = "poison", "undefined"
Answer = int | str


def signed(a: int, n: int) -> int:
    return a - (1 << n) if a >> (n - 1) else a


def fits(value: int, n: int) -> bool:
    return -(1 << (n - 1)) <= value < 1 << (n - 1)


def wrapped(exact_unsigned: int, exact_signed: int, n: int, flags: str) -> Answer:
    if "nuw" in flags and not 0 <= exact_unsigned < 1 << n:
        return POISON
    if "nsw" in flags and not fits(exact_signed, n):
        return POISON
    return exact_unsigned % (1 << n)


def towards_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def expected(op: str, flags: str, a: int, b: int, n: int) -> Answer:
    """What the LangRef says, on mathematical integers."""
    x, y = signed(a, n), signed(b, n)
    match op:
        case "add":
            return wrapped(a + b, x + y, n, flags)
        case "sub":
            return wrapped(a - b, x - y, n, flags)
        case "mul":
            return wrapped(a * b, x * y, n, flags)
        case "udiv" | "urem":
            if b == 0:
                return UNDEFINED
            if op == "urem":
                return a % b
            return POISON if flags and a % b else a // b
        case "sdiv" | "srem":
            if b == 0 or not fits(towards_zero(x, y), n):
                return UNDEFINED
            rest = x - towards_zero(x, y) * y
            if op == "srem":
                return rest % (1 << n)
            return POISON if flags and rest else towards_zero(x, y) % (1 << n)
        case "shl":
            return POISON if b >= n else wrapped(a << b, x << b, n, flags)
        case "lshr" | "ashr":
            if b >= n or (flags and a % (1 << b)):
                return POISON
            return (a if op == "lshr" else x) >> b & ((1 << n) - 1)
        case "or":
            return POISON if flags and a & b else a | b
        case "and":
            return a & b
        case _:
            return a ^ b


def outcome(call: Callable[[], RuntimeValue | None]) -> Answer:
    try:
        result = call()
    except Undefined:
        return UNDEFINED
    assert isinstance(result, Value)
    return POISON if result.poison else int(result.bits)


def pairs(n: int) -> Iterator[tuple[int, int]]:
    return product(range(1 << n), range(1 << n))


WRAPPING = [(op, flags) for op in ("add", "sub", "mul", "shl") for flags in ("", "nuw", "nsw", "nuw nsw")]
EXACT = [(op, flags) for op in ("udiv", "sdiv", "lshr", "ashr") for flags in ("", "exact")]
OTHERS = [("urem", ""), ("srem", ""), ("and", ""), ("xor", ""), ("or", ""), ("or", "disjoint")]


@pytest.mark.parametrize(("op", "flags"), WRAPPING + EXACT + OTHERS)
def test_binary_operations(op: str, flags: str) -> None:
    for n in WIDTHS:
        runner = body(f"i{n}", f"%r = {op} {flags} i{n} %a, %b", {"a": f"i{n}", "b": f"i{n}"})
        for a, b in pairs(n):
            got = outcome(lambda: runner.call("f", [Value(a), Value(b)]))  # noqa: B023 -- called at once
            assert got == expected(op, flags, a, b, n), (n, a, b)


@pytest.mark.parametrize("op", ["add", "mul", "shl", "and", "udiv", "sdiv", "srem"])
def test_poison_operands(op: str) -> None:
    """Poison in gives poison out, except that dividing by poison is undefined."""
    runner = body("i4", f"%r = {op} i4 %a, %b", {"a": "i4", "b": "i4"})
    poison, one, minus_one = Value(3, True), Value(1), Value(15)
    divides = op in ("udiv", "sdiv", "srem")
    assert outcome(lambda: runner.call("f", [poison, one])) == POISON
    assert outcome(lambda: runner.call("f", [one, poison])) == (UNDEFINED if divides else POISON)
    overflows = op in ("sdiv", "srem")  # the poison dividend could be the least value
    assert outcome(lambda: runner.call("f", [poison, minus_one])) == (UNDEFINED if overflows else POISON)


PREDICATES: dict[str, Callable[[int, int, int, int], bool]] = {
    "eq": lambda a, b, x, y: a == b, "ne": lambda a, b, x, y: a != b,
    "ult": lambda a, b, x, y: a < b, "ule": lambda a, b, x, y: a <= b,
    "ugt": lambda a, b, x, y: a > b, "uge": lambda a, b, x, y: a >= b,
    "slt": lambda a, b, x, y: x < y, "sle": lambda a, b, x, y: x <= y,
    "sgt": lambda a, b, x, y: x > y, "sge": lambda a, b, x, y: x >= y,
}  # fmt: skip


@pytest.mark.parametrize("predicate", PREDICATES)
@pytest.mark.parametrize("flags", ["", "samesign"])
def test_icmp(predicate: str, flags: str) -> None:
    for n in WIDTHS:
        runner = body("i1", f"%r = icmp {flags} {predicate} i{n} %a, %b", {"a": f"i{n}", "b": f"i{n}"})
        for a, b in pairs(n):
            x, y = signed(a, n), signed(b, n)
            answer: Answer = int(PREDICATES[predicate](a, b, x, y))
            if flags and (x < 0) != (y < 0):
                answer = POISON
            assert outcome(lambda: runner.call("f", [Value(a), Value(b)])) == answer  # noqa: B023


@pytest.mark.parametrize(
    ("op", "flags"),
    [("trunc", f) for f in ("", "nuw", "nsw")] + [("zext", ""), ("zext", "nneg"), ("sext", "")],
)
def test_integer_conversions(op: str, flags: str) -> None:
    for n, m in product(range(1, 6), repeat=2):
        source, target = (max(n, m), min(n, m)) if op == "trunc" else (min(n, m), max(n, m))
        if source == target:
            continue
        runner = body(f"i{target}", f"%r = {op} {flags} i{source} %a to i{target}", {"a": f"i{source}"})
        for a in range(1 << source):
            x = signed(a, source)
            answer: Answer = (a if op == "zext" else x) % (1 << target)
            broken = {"nuw": a >= 1 << target, "nsw": not fits(x, target), "nneg": x < 0, "": False}[flags]
            got = outcome(lambda: runner.call("f", [Value(a)]))  # noqa: B023
            assert got == (POISON if broken else answer)


def saturated(value: int, n: int, is_signed: bool) -> int:
    low, high = (-(1 << (n - 1)), (1 << (n - 1)) - 1) if is_signed else (0, (1 << n) - 1)
    return max(low, min(value, high)) % (1 << n)


@pytest.mark.parametrize("op", ["add", "sub", "mul"])
@pytest.mark.parametrize("sign", ["u", "s"])
def test_overflow_and_saturation(op: str, sign: str) -> None:
    exact: Callable[[int, int], int] = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
    }[op]
    for n in WIDTHS:
        t = f"i{n}"
        wrap = body(
            f"{{{t}, i1}}",
            f"%r = call {{{t}, i1}} @llvm.{sign}{op}.with.overflow.{t}({t} %a, {t} %b)",
            {"a": t, "b": t},
        )
        saturate = None
        if op != "mul":
            saturate = body(t, f"%r = call {t} @llvm.{sign}{op}.sat.{t}({t} %a, {t} %b)", {"a": t, "b": t})
        for a, b in pairs(n):
            value = exact(signed(a, n), signed(b, n)) if sign == "s" else exact(a, b)
            inside = fits(value, n) if sign == "s" else 0 <= value < 1 << n
            pair = Composite((Value(value % (1 << n)), Value(int(not inside))))
            assert wrap.call("f", [Value(a), Value(b)]) == pair
            if saturate is not None:
                assert saturate.call("f", [Value(a), Value(b)]) == Value(saturated(value, n, sign == "s"))


@pytest.mark.parametrize("sign", ["u", "s"])
def test_saturating_shifts_and_three_way_comparison(sign: str) -> None:
    for n in WIDTHS:
        t = f"i{n}"
        shift = body(t, f"%r = call {t} @llvm.{sign}shl.sat.{t}({t} %a, {t} %b)", {"a": t, "b": t})
        compare = body("i8", f"%r = call i8 @llvm.{sign}cmp.i8.{t}({t} %a, {t} %b)", {"a": t, "b": t})
        for a, b in pairs(n):
            x, y = (signed(a, n), signed(b, n)) if sign == "s" else (a, b)
            answer: Answer = POISON if b >= n else saturated(x << b, n, sign == "s")
            assert outcome(lambda: shift.call("f", [Value(a), Value(b)])) == answer  # noqa: B023
            assert compare.call("f", [Value(a), Value(b)]) == Value(((x > y) - (x < y)) % 256)


@pytest.mark.parametrize("name", ["fshl", "fshr"])
def test_funnel_shifts(name: str) -> None:
    for n in (1, 2, 3):
        t = f"i{n}"
        runner = body(t, f"%r = call {t} @llvm.{name}.{t}({t} %a, {t} %b, {t} %c)", dict.fromkeys("abc", t))
        for a, b, c in product(range(1 << n), repeat=3):
            both, by = a << n | b, c % n
            answer = (both << by >> n if name == "fshl" else both >> by) % (1 << n)
            assert runner.call("f", [Value(a), Value(b), Value(c)]) == Value(answer), (n, a, b, c)


UNARY: dict[str, Callable[[int, int], int]] = {
    "ctpop": lambda a, n: f"{a:b}".count("1"),
    "bitreverse": lambda a, n: int(f"{a:0{n}b}"[::-1], 2),
    "ctlz": lambda a, n: n - a.bit_length(),
    "cttz": lambda a, n: n if a == 0 else len(f"{a:b}") - len(f"{a:b}".rstrip("0")),
    "abs": lambda a, n: abs(signed(a, n)),
}


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("strict", [0, 1])
def test_unary_intrinsics(name: str, strict: int) -> None:
    """The flag of ctlz, cttz and abs makes the one odd operand poison."""
    flagged = name in ("ctlz", "cttz", "abs")
    for n in (*WIDTHS, 5, 8):
        t, extra = f"i{n}", f", i1 {strict}" if flagged else ""
        runner = body(t, f"%r = call {t} @llvm.{name}.{t}({t} %a{extra})", {"a": t})
        for a in range(1 << n):
            odd = flagged and strict and a == (1 << (n - 1) if name == "abs" else 0)
            answer: Answer = POISON if odd else UNARY[name](a, n) % (1 << n)
            assert outcome(lambda: runner.call("f", [Value(a)])) == answer  # noqa: B023
