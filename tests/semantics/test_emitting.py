"""Emitted code gives bit for bit what the concrete domain gives, for every instruction function.

Each line is compiled for operands that only the run knows, and called with edge values and random ones; what
is undefined must be handed back. What cannot be emitted stands in a list, so that nothing is slow in silence.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convergence.ir import ArrayType, FloatType, PointerType, StructType, Type, VectorType
from convergence.parser import parse
from convergence.semantics import Undefined
from convergence.semantics.arithmetic import ConcreteDomain
from convergence.semantics.arithmetic import emitting as emitting_floats
from convergence.semantics.arithmetic.emitting import (
    EmittedLines,
    EmittingDomain,
    KnownBits,
    NotNative,
    Term,
    selected,
)
from convergence.semantics.arithmetic.host_floats import FUNCTIONS
from convergence.semantics.arithmetic.ieee754 import FORMATS
from convergence.semantics.instructions.binary import FLOATING as FLOAT_BINARY
from convergence.semantics.instructions.binary import INTEGER as INTEGER_BINARY
from convergence.semantics.instructions.conversion import BY_ELEMENT
from convergence.semantics.instructions.intrinsics import MARKERS, PURE, UNREAD, base_name
from convergence.semantics.instructions.other import INTEGER_PREDICATES
from convergence.semantics.instructions.resources import AMD_RESOURCES as AMD_RESOURCES
from convergence.semantics.instructions.resources import HANDLES
from convergence.semantics.values import Composite, Pointer, RuntimeValue, Value, scalars
from convergence.semantics.values.datalayout import Layout
from tests.semantics.emitted import Compiled, Emitted
from tests.semantics.straight import Runner

LAYOUT = Layout()
WIDTHS = (1, 8, 32, 33, 64, 128)
FLOATS = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}
FAST = ("", "nnan", "ninf", "fast")
ORDERINGS = ("eq", "lt", "le", "gt", "ge", "ne")

Line = tuple[str, str]
"""Parameters, and an instruction on them."""


def _integers(n: int) -> Iterable[Line]:
    two = f"i{n} %a, i{n} %b"
    flags = {
        **dict.fromkeys(("add", "sub", "mul", "shl"), ("", "nuw", "nsw", "nuw nsw")),
        **dict.fromkeys(("udiv", "sdiv", "lshr", "ashr"), ("", "exact")),
        "or": ("", "disjoint"),
    }
    for opcode in INTEGER_BINARY:
        if n <= 64 or not opcode.endswith(("div", "rem")):
            yield from ((two, f"{opcode} {flag} i{n} %a, %b") for flag in flags.get(opcode, ("",)))
    for predicate in INTEGER_PREDICATES:
        yield two, f"icmp {predicate} i{n} %a, %b"
    yield two, f"icmp samesign ult i{n} %a, %b"
    if n <= 64:  # by what the text gives
        for opcode in ("udiv", "sdiv", "urem", "srem", "shl", "ashr", "lshr"):
            for given_ in {1, min(n, 3) % (1 << n), (1 << n) - 1}:
                yield two, f"{opcode} i{n} %a, {given_}"
                yield two, f"{opcode} i{n} {given_}, %b"
    for name in ("smin", "smax", "umin", "umax", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat", "ushl.sat",
                 "sshl.sat"):  # fmt: skip
        yield two, f"call i{n} @llvm.{name}.i{n}(i{n} %a, i{n} %b)"
    for name in ("sadd", "uadd", "ssub", "usub", "smul", "umul"):
        yield two, f"call {{i{n}, i1}} @llvm.{name}.with.overflow.i{n}(i{n} %a, i{n} %b)"
    for name in ("ctpop", "bitreverse"):
        yield two, f"call i{n} @llvm.{name}.i{n}(i{n} %a)"
    if n % 16 == 0:
        yield two, f"call i{n} @llvm.bswap.i{n}(i{n} %a)"
    for name in ("abs", "ctlz", "cttz"):
        for flag in ("true", "false"):
            yield two, f"call i{n} @llvm.{name}.i{n}(i{n} %a, i1 {flag})"
    if n <= 64:
        for name in ("fshl", "fshr"):
            yield two + f", i{n} %c", f"call i{n} @llvm.{name}.i{n}(i{n} %a, i{n} %b, i{n} %c)"
    for name in ("scmp", "ucmp"):
        yield two, f"call i8 @llvm.{name}.i8.i{n}(i{n} %a, i{n} %b)"
    yield two + ", i1 %c", f"select i1 %c, i{n} %a, i{n} %b"
    yield two, f"freeze i{n} %a"
    for m in WIDTHS:
        for opcode in ("trunc", "trunc nuw", "trunc nsw") if m < n else ():
            yield two, f"{opcode} i{n} %a to i{m}"
        for opcode in ("zext", "zext nneg", "sext") if m > n else ():
            yield two, f"{opcode} i{n} %a to i{m}"


def _floats(kind: str) -> Iterable[Line]:
    two, suffix = f"{kind} %x, {kind} %y", FLOATS[kind]
    for opcode in FLOAT_BINARY:
        yield from ((two, f"{opcode} {fast} {kind} %x, %y") for fast in FAST)
    yield two, f"fneg {kind} %x"
    for predicate in (*(f"{u}{r}" for u in "ou" for r in ORDERINGS), "ord", "uno", "true", "false"):
        yield two, f"fcmp {predicate} {kind} %x, %y"
    yield two, f"fcmp fast olt {kind} %x, %y"
    for name in ("sqrt", "fabs", "canonicalize", "floor", "ceil", "trunc", "rint", "nearbyint", "roundeven",
                 "round", "arithmetic.fence", *FUNCTIONS.keys() - {"pow", "atan2"}):  # fmt: skip
        yield two, f"call {kind} @llvm.{name}.{suffix}({kind} %x)"
    for name in (
        "minnum",
        "maxnum",
        "minimum",
        "maximum",
        "minimumnum",
        "maximumnum",
        "copysign",
        "pow",
        "atan2",
    ):
        yield two, f"call {kind} @llvm.{name}.{suffix}({kind} %x, {kind} %y)"
    for name in ("fma", "fmuladd"):
        yield two + f", {kind} %z", f"call {kind} @llvm.{name}.{suffix}({kind} %x, {kind} %y, {kind} %z)"
    for n in (7, 32, 64):
        yield two + f", i{n} %n", f"call {kind} @llvm.ldexp.{suffix}.i{n}({kind} %x, i{n} %n)"
        for power in (3, -2):
            yield two, f"call {kind} @llvm.ldexp.{suffix}.i{n}({kind} %x, i{n} {power})"
        yield two, f"call {{{kind}, i{n}}} @llvm.frexp.{suffix}.i{n}({kind} %x)"
    for name in ("modf", "sincos"):
        yield two, f"call {{{kind}, {kind}}} @llvm.{name}.{suffix}({kind} %x)"
    for name in ("lround", "llround", "lrint", "llrint"):
        yield two, f"call i32 @llvm.{name}.i32.{suffix}({kind} %x)"
    for mask in (1 << k for k in range(10)):
        yield two, f"call i1 @llvm.is.fpclass.{suffix}({kind} %x, i32 {mask})"
    for n in (1, 7, 8, 32, 33, 64):
        for name in ("fptosi", "fptoui"):
            yield two, f"{name} {kind} %x to i{n}"
            yield two, f"call i{n} @llvm.{name}.sat.i{n}.{suffix}({kind} %x)"
        yield f"i{n} %n", f"sitofp i{n} %n to {kind}"
        yield f"i{n} %n", f"uitofp nneg i{n} %n to {kind}"
        yield f"i{n} %n", f"uitofp i{n} %n to {kind}"
    sizes = {k: FORMATS[k].width for k in FLOATS}
    for other in FLOATS:
        if sizes[other] != sizes[kind]:
            yield two, f"{'fpext' if sizes[other] > sizes[kind] else 'fptrunc'} fast {kind} %x to {other}"
            yield two, f"{'fpext' if sizes[other] > sizes[kind] else 'fptrunc'} {kind} %x to {other}"
    yield two, f"bitcast {kind} %x to i{sizes[kind]}"
    yield two + ", i1 %c", f"select nnan i1 %c, {kind} %x, {kind} %y"


def _vectors() -> Iterable[Line]:
    v, two = "<4 x i8>", "<4 x i8> %a, <4 x i8> %b, i8 %n"
    yield two, f"add nsw {v} %a, %b"
    yield two, f"udiv {v} %a, %b"
    yield two, f"extractelement {v} %a, i8 %n"
    yield two, f"extractelement {v} %a, i32 2"
    yield two, f"insertelement {v} %a, i8 %n, i8 %n"
    yield two, f"insertelement {v} poison, i8 %n, i64 1"
    yield two, f"shufflevector {v} %a, {v} %b, <3 x i32> <i32 5, i32 poison, i32 0>"
    yield two, f"bitcast {v} %a to i32"
    yield two, f"bitcast {v} %a to <2 x half>"
    yield two + ", <4 x i1> %c", f"select <4 x i1> %c, {v} %a, {v} %b"
    yield two + ", i1 %c", f"select i1 %c, {v} %a, {v} %b"
    yield two, f"freeze {v} %a"
    for name in ("add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax"):
        yield two, f"call i8 @llvm.vector.reduce.{name}.v4i8({v} %a)"
    f = "<3 x float> %a, float %x"
    for name in ("fadd", "fmul"):
        yield f, f"call float @llvm.vector.reduce.{name}.v3f32(float %x, <3 x float> %a)"
    for name in ("fmax", "fmin", "fmaximum", "fminimum"):
        yield f, f"call float @llvm.vector.reduce.{name}.v3f32(<3 x float> %a)"
    yield two, f"call <2 x i8> @llvm.vector.extract.v2i8.v4i8({v} %a, i64 2)"
    yield two, f"call <8 x i8> @llvm.vector.insert.v8i8.v4i8(<8 x i8> zeroinitializer, {v} %b, i64 4)"
    for side in ("left", "right"):
        yield two, f"call {v} @llvm.vector.splice.{side}.v4i8({v} %a, {v} %b, i32 3)"
    for prefix in ("vector", "experimental.vector"):
        yield two, f"call {v} @llvm.{prefix}.splice.v4i8({v} %a, {v} %b, i32 -1)"
        yield two, f"call {v} @llvm.{prefix}.reverse.v4i8({v} %a)"
    for prefix in ("vector", "experimental.vector"):
        yield two, f"call {v} @llvm.{prefix}.partial.reduce.add.v4i8.v8i8({v} %a, <8 x i8> splat (i8 3))"
    for name in ("stepvector", "experimental.stepvector"):
        yield two, f"call {v} @llvm.{name}.v4i8()"
    yield "<6 x i8> %a", "call <6 x i8> @llvm.matrix.transpose.v6i8(<6 x i8> %a, i32 2, i32 3)"
    for kind, suffix in (("i8", "i8"), ("half", "f16")):
        a, b, c = (f"<{n} x {kind}>" for n in (6, 3, 2))
        name = f"llvm.matrix.multiply.v2{suffix}.v6{suffix}.v3{suffix}"
        yield f"{a} %a, {b} %b", f"call {c} @{name}({a} %a, {b} %b, i32 2, i32 3, i32 1)"
    yield "i64 %a, i64 %b", "call <4 x i1> @llvm.get.active.lane.mask.v4i1.i64(i64 %a, i64 %b)"
    for flag in ("true", "false"):
        yield two, f"call i8 @llvm.experimental.cttz.elts.i8.v4i8({v} %a, i1 {flag})"
    for ways in range(2, 9):
        whole = f"<{2 * ways} x i8>"
        parts = ", ".join(f"<2 x i8> %v{k}" for k in range(ways))
        yield parts, f"call {whole} @llvm.vector.interleave{ways}.v{2 * ways}i8({parts})"
        pieces = "{" + ", ".join(["<2 x i8>"] * ways) + "}"
        yield f"{whole} %v", f"call {pieces} @llvm.vector.deinterleave{ways}.v{2 * ways}i8({whole} %v)"


def _others() -> Iterable[Line]:
    p = "ptr %p, ptr %q, i64 %n, i32 %m, i1 %c"
    yield p, "getelementptr [3 x i16], ptr %p, i64 %n, i32 %m"
    yield p, "getelementptr nuw [3 x i16], ptr %p, i64 %n, i32 %m"
    yield p, "getelementptr nusw i8, ptr %p, i32 %m"
    yield p, "ptrtoint ptr %p to i16"
    yield p, "ptrtoaddr ptr %p to i64"
    yield p, "inttoptr i32 %m to ptr"
    yield p, "addrspacecast ptr %p to ptr addrspace(1)"
    yield p, "icmp ult ptr %p, %q"
    yield p, "select i1 %c, ptr %p, ptr %q"
    yield p, "call ptr @llvm.ptrmask.p0.i64(ptr %p, i64 %n)"
    yield p, "call i64 @llvm.objectsize.i64.p0(ptr %p, i1 false, i1 false, i1 false)"
    yield p, "call i1 @llvm.is.constant.i64(i64 %n)"
    yield p, "call i64 @llvm.expect.i64(i64 %n, i64 3)"
    yield p, "call i64 @llvm.spv.expect.i64(i64 %n, i64 3)"
    yield p, "call i64 @llvm.expect.with.probability.i64(i64 %n, i64 3, double 0.5)"
    yield p, "call i64 @llvm.ssa.copy.i64(i64 %n)"
    for name in ("launder.invariant.group", "strip.invariant.group", "preserve.static.offset"):
        yield p, f"call ptr @llvm.{name}(ptr %p)"
    yield p, "call ptr @llvm.threadlocal.address.p0(ptr %p)"
    yield p, "call ptr @llvm.ptr.annotation.p0.p0(ptr %p, ptr null, ptr null, i32 3, ptr null)"
    yield p, "call i32 @llvm.annotation.i32.p0(i32 %m, ptr null, ptr null, i32 1)"
    yield p, "call ptr @llvm.invariant.start.p0(i64 1, ptr %p)"
    for name in ("runtime", "ubsan"):
        text = "i8 3" if name == "ubsan" else 'metadata !"x"'
        yield p, f"call i1 @llvm.allow.{name}.check({text})"
    for name in ("address", "hwaddress", "memory", "thread"):
        yield p, f"call i1 @llvm.allow.sanitize.{name}()"
    yield p, "call i32 @llvm.get.rounding()"
    yield "{i8, [2 x i16]} %s, i16 %v", "extractvalue {i8, [2 x i16]} %s, 1, 1"
    yield "{i8, [2 x i16]} %s, i16 %v", "insertvalue {i8, [2 x i16]} %s, i16 %v, 1, 0"


SHELVES = {
    **{f"i{n}": list(_integers(n)) for n in WIDTHS},
    **{kind: list(_floats(kind)) for kind in FLOATS},
    "vectors": list(_vectors()),
    "others": list(_others()),
}
"""Lines that are emitted."""

REFUSED: list[Line] = [
    *(("i128 %a, i128 %b", f"{op} i128 %a, %b") for op in ("udiv", "sdiv", "urem", "srem")),
    ("i2000 %a, i2000 %b", "add i2000 %a, %b"),
    ("i128 %a, i128 %b, i128 %c", "call i128 @llvm.fshl.i128(i128 %a, i128 %b, i128 %c)"),
    ("float %x, i32 %n", "call float @llvm.powi.f32.i32(float %x, i32 %n)"),
    ("float %x", "fptosi float %x to i128"),
    ("i128 %n", "sitofp i128 %n to float"),
    ("fp128 %x", "fadd fp128 %x, %x"),
    ("x86_fp80 %x", "fcmp oeq x86_fp80 %x, %x"),
    ("i1 %c, i8 %a", "select i1 %c, i8 undef, i8 %a"),
    ("i8 %n", "extractelement <2 x i8> <i8 undef, i8 1>, i8 %n"),
]
"""Lines that the reference does: divisions and conversions that need a run-time library, what needs to know
a number when code is made, formats that the host does not have, and values that may be undef."""


def module_of(lines: list[Line]) -> Any:
    texts = [
        f"define void @f{number}({parameters}) {{\n%r = {line}\nret void\n}}"
        for number, (parameters, line) in enumerate(lines)
    ]
    return parse("\n".join(texts), ask_llvm=False)


def edge_bits(type_: Type, rng: random.Random) -> int:
    """Bits of a scalar, often at the edges of what it can be."""
    width = LAYOUT.bits(type_)
    if isinstance(type_, FloatType):
        f = FORMATS[type_.kind]
        one = (f.top >> 1) << f.stored_bits
        special = [
            0,
            f.infinity,
            f.nan,
            f.infinity | 1,
            1,
            f.infinity - 1,
            1 << f.fraction_bits,
            one,
            one + 1,
        ]
        sign = rng.choice([0, f.sign_bit])
        near = (
            one
            + (rng.randrange(-8, 70) << f.stored_bits)
            + rng.choice([0, 1, rng.getrandbits(f.fraction_bits)])
        )
        small = rng.getrandbits(f.fraction_bits + 1)
        return sign | rng.choice([*special, near, near, small, rng.getrandbits(width - 1)]) & (f.sign_bit - 1)
    small = rng.randrange(-4, 2 * min(width, 40) + 2) % (1 << width)
    return rng.choice([
        rng.getrandbits(width), small, small, 0, 1, (1 << width) - 1, 1 << (width - 1),
        (1 << (width - 1)) - 1, rng.getrandbits(max(1, rng.randrange(width + 1))), 1 << rng.randrange(width),
    ])  # fmt: skip


def edge_value(type_: Type, rng: random.Random) -> RuntimeValue:
    """A value of a type; now and then a scalar is poison."""
    match type_:
        case VectorType(count, element) | ArrayType(count, element):
            return Composite(tuple(edge_value(element, rng) for _ in range(count)))
        case StructType(parts):
            return Composite(tuple(edge_value(part, rng) for part in parts))
        case _:
            bits, poison = edge_bits(type_, rng), rng.random() < 0.06
            return Pointer(bits, None, poison) if isinstance(type_, PointerType) else Value(bits, poison)


def reference(runner: Runner, name: str, arguments: list[RuntimeValue]) -> RuntimeValue | None:
    """What the concrete domain gives; ``None`` for undefined behaviour."""
    try:
        runner.call(name, arguments)
    except Undefined:
        return None
    return runner.values["r"]


class Pair:
    """Lines, each as the reference and as machine code."""

    def __init__(self, lines: list[Line], optimised: int = 1) -> None:
        self.lines = lines
        module = module_of(lines)
        names = [f"f{number}" for number in range(len(lines))]
        self.runner = Runner(module, ConcreteDomain())
        self.compiled = Compiled({name: Emitted(module, name) for name in names}, optimised)

    def types(self, number: int) -> list[Type]:
        return self.compiled.functions[f"f{number}"].parameters

    def compare(self, number: int, arguments: list[RuntimeValue]) -> None:
        """Fails where the two differ."""
        name, line = f"f{number}", self.lines[number]
        want, got = reference(self.runner, name, arguments), self.compiled(name, arguments)
        assert (want is None) == (got is None), (line, arguments)
        if want is None or got is None:
            return
        for ours, (bits, poison) in zip(scalars(want), got, strict=True):
            assert poison == ours.poison, (line, arguments, want, got)
            assert poison or bits == ours.bits, (line, arguments, want, got)


@pytest.mark.parametrize("shelf", SHELVES)
def test_emitted_code_computes_what_the_reference_computes(shelf: str) -> None:
    rng, pair = random.Random(shelf), Pair(SHELVES[shelf])
    for number in range(len(pair.lines)):
        for _ in range(12):
            pair.compare(number, [edge_value(t, rng) for t in pair.types(number)])


@functools.cache
def narrow() -> Pair:
    """What is computed in a wider format than its own."""
    lines = []
    for kind in ("half", "bfloat"):
        three, f = f"{kind} %x, {kind} %y, {kind} %z", FLOATS[kind]
        lines += [(three, f"{opcode} {kind} %x, %y") for opcode in FLOAT_BINARY]
        lines += [
            (three, f"call {kind} @llvm.fma.{f}({kind} %x, {kind} %y, {kind} %z)"),
            (three, f"call {kind} @llvm.sqrt.{f}({kind} %x)"),
            (three + ", i32 %n", f"call {kind} @llvm.ldexp.{f}.i32({kind} %x, i32 %n)"),
            (f"double %x, {kind} %y, i32 %n", f"fptrunc double %x to {kind}"),
            ("i64 %x", f"sitofp i64 %x to {kind}"),
            ("i64 %x", f"uitofp i64 %x to {kind}"),
        ]
    return Pair(lines)


@settings(max_examples=30, deadline=None)
@given(st.randoms(use_true_random=False))
def test_what_is_computed_in_a_wider_format_is_rounded_once(rng: random.Random) -> None:
    pair = narrow()
    for number in range(len(pair.lines)):
        pair.compare(number, [edge_value(t, rng) for t in pair.types(number)])


def test_a_sum_half_way_between_two_numbers_is_not_rounded_twice() -> None:
    """The sum is a little more or less than half-way between two numbers, by less than a float or double
    shows; there it is half-way, and the even number may be the wrong one."""
    lines = [
        ("half %x, half %y, half %z", "call half @llvm.fma.f16(half %x, half %y, half %z)"),
        ("double %x", "fptrunc double %x to half"),
        ("i64 %x", "uitofp i64 %x to half"),
        (
            "bfloat %x, bfloat %y, bfloat %z",
            "call bfloat @llvm.fma.bf16(bfloat %x, bfloat %y, bfloat %z)",
        ),
    ]
    pair = Pair(lines)
    half = FORMATS["half"]
    cases = [
        (0x6800 + i, y, z) for i in (0, 1, 5) for y in (0x1400, 0x3C01, 0x3400) for z in (1, 0x8001, 0x0200)
    ]
    for case in cases:
        pair.compare(0, [Value(bits) for bits in case])
    even = 0x3FF0_0000_0000_0000
    for low in (0, 1, (1 << 41) - 1, 1 << 41, (1 << 41) + 1, 3 << 41, (3 << 41) - 1, (3 << 41) + 1):
        pair.compare(1, [Value(even + low)])
    for low in range(-3, 4):
        pair.compare(2, [Value((1 << half.precision + 3) + 4 + low)])
    for odd in (0x3F81, 0x3F83, 0xBF81, 0xBF83):  # times 3/2: half-way
        for tiny in (0, 1, 0x0080, 0x2000, 0x8001, 0xA000):
            pair.compare(3, [Value(odd), Value(0x3FC0), Value(tiny)])


def table_of(instruction: str) -> str:
    """The name under which the instruction functions' tables have the operation of a line."""
    called = re.search(r"@(llvm[\w.]+)", instruction)
    if called is None:
        return instruction.split()[0]
    return base_name(called[1], PURE) or called[1]


EVENTS = {"llvm.assume", "llvm.spv.assume", UNREAD} | set(MARKERS)
"""Intrinsics that give nothing: a guard, the end of what is modelled, or nothing at all."""


GIVEN = set(HANDLES) | set(AMD_RESOURCES)
"""Intrinsics that compute nothing: they give pointers to what the launch gave."""


UNMODELLED = {"llvm.va_start", "llvm.va_copy", "llvm.va_end"}
"""Intrinsics that have no model, but for the last, which gives nothing: lists of variable arguments."""


def test_every_instruction_function_is_emitted_or_listed() -> None:
    emitted = {table_of(line) for lines in SHELVES.values() for _, line in lines}
    listed = {table_of(line) for _, line in REFUSED}
    instructions = {*INTEGER_BINARY, *FLOAT_BINARY, *BY_ELEMENT, "bitcast", "fneg", "icmp", "fcmp", "select",
                    "freeze", "extractelement", "insertelement", "shufflevector", "extractvalue",
                    "insertvalue", "getelementptr"}  # fmt: skip
    missing = (instructions | set(PURE)) - emitted - EVENTS - GIVEN - UNMODELLED
    assert missing == {"llvm.powi"} and missing <= listed


@pytest.mark.parametrize("line", REFUSED, ids=lambda line: line[1])
def test_what_cannot_be_emitted_is_refused(line: Line) -> None:
    with pytest.raises(NotNative):
        Emitted(module_of([line]), "f0")


def test_a_value_that_only_the_run_knows_decides_nothing_in_python() -> None:
    term = Term("%x", 8)
    for decision in (bool, int, hash, lambda t: t == 1, lambda t: t < 1, lambda t: [0][t]):
        with pytest.raises(NotNative):
            decision(term)


def test_what_is_known_is_computed_at_once() -> None:
    code = EmittedLines()
    domain = EmittingDomain(code)
    w, f = domain.width(8), domain.floats("float")
    assert w.add(w.constant(200), w.constant(100)) == 44
    assert f.add(0x3F800000, 0x3F800000) == 0x40000000
    assert domain.either(domain.true, Term("%x", 1)) is True
    assert len(code.lines) == 1


@pytest.mark.parametrize("name", [*FUNCTIONS, "fmod"])
def test_libm_is_the_one_that_python_calls(name: str) -> None:
    assert emitting_floats.address(name) is not None


def test_another_libm_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FUNCTIONS, "sin", FUNCTIONS["cos"])
    emitting_floats.address.cache_clear()
    assert emitting_floats.address("sin") is None
    with pytest.raises(NotNative):
        EmittingDomain(EmittedLines()).floats("float").function("sin")
    emitting_floats.address.cache_clear()


def test_a_selection_of_what_is_the_same_needs_no_line() -> None:
    code = EmittedLines()
    chosen, one, other = Term("%c", 1), KnownBits(5, 8), KnownBits(5, 8)
    assert selected(code, chosen, one, other, 8) == 5 and len(code.lines) == 1
    value = Term("%x", 8)
    assert selected(code, chosen, value, value, 8) is value and len(code.lines) == 1
    assert isinstance(selected(code, chosen, one, KnownBits(6, 8), 8), Term) and len(code.lines) == 2


def test_a_term_as_a_constant_of_another_width_is_cut_or_extended() -> None:
    code = EmittedLines()
    for width, line in ((8, "trunc i32 %x to i8"), (64, "zext i32 %x to i64")):
        value = EmittingDomain(code).width(width).constant(Term("%x", 32))
        assert isinstance(value, Term) and value.width == width
        assert line in code.lines[-1]
