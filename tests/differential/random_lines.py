"""Random straight-line instructions over a pool of values of many types, as text; and random inputs."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from convergence.ir import IntType, VectorType
from convergence.semantics.arithmetic.ieee754 import FORMATS, is_nan
from convergence.semantics.values.datalayout import Layout

LAYOUT = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
INTS = ["i1", "i3", "i7", "i8", "i13", "i16", "i24", "i32", "i33", "i48", "i64", "i100", "i128"]
FLOATS = ["float", "double"]
VECTORS = [
    "<4 x i32>",
    "<2 x i64>",
    "<16 x i8>",
    "<8 x i16>",
    "<3 x i13>",
    "<4 x i1>",
    "<4 x float>",
    "<2 x double>",
]
STRIDE = 32
"""Bytes from one slot of %in or %out to the next."""


@dataclass
class Writer:
    """The lines of a function on their way, and the pool of values by type."""

    rng: random.Random
    lines: list[str] = field(default_factory=list)
    pool: dict[str, list[str]] = field(default_factory=dict)
    declarations: set[str] = field(default_factory=set)

    def new(self, type_: str, text: str) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        self.pool.setdefault(type_, []).append(name)
        return name

    def any(self, type_: str) -> str:
        """Mostly a value of the pool, sometimes a constant."""
        known = self.pool.get(type_)
        if known and (not type_.startswith("i") or self.rng.random() < 0.85):
            return self.rng.choice(known[-6:] if self.rng.random() < 0.5 else known)
        assert type_.startswith("i"), type_
        return str(
            self.rng.choice([0, 1, -1, 2, 1 << (width(type_) - 1), self.rng.getrandbits(width(type_))])
        )

    def call(self, result: str, name: str, types: list[str], arguments: list[str]) -> str:
        self.declarations.add(f"declare {result} @{name}({', '.join(types)})")
        given = ", ".join(f"{t} {a}" for t, a in zip(types, arguments, strict=True))
        return f"call {result} @{name}({given})"


def width(type_: str) -> int:
    return int(type_[1:])


def mangled(type_: str) -> str:
    """The suffix of an intrinsic's name."""
    if type_.startswith("<"):
        count, _, element = type_.strip("<>").split()
        return f"v{count}{mangled(element)}"
    return {"float": "f32", "double": "f64"}.get(type_, type_)


def integer_type(w: Writer) -> str:
    return w.rng.choice([*INTS, *(v for v in VECTORS if "i" in v)])


def float_type(w: Writer) -> str:
    return w.rng.choice([*FLOATS, *FLOATS, "<4 x float>", "<2 x double>"])


def element(type_: str) -> str:
    return type_.strip("<>").split()[-1]


def arithmetic(w: Writer) -> None:
    t, op = integer_type(w), w.rng.choice(["add", "sub", "mul", "and", "or", "xor"])
    flags = w.rng.choice(["", "nuw ", "nsw ", "nuw nsw "]) if op in ("add", "sub", "mul") else ""
    w.new(t, f"{op} {flags}{t} {w.any(t)}, {w.any(t)}")


def division(w: Writer) -> None:
    t = w.rng.choice([t for t in INTS if width(t) <= 64])
    op = w.rng.choice(["udiv", "sdiv", "urem", "srem"])
    exact = "exact " if op in ("udiv", "sdiv") and w.rng.random() < 0.3 else ""
    w.new(t, f"{op} {exact}{t} {w.any(t)}, {w.any(t)}")


def shift(w: Writer) -> None:
    t = integer_type(w)
    n = width(element(t))
    amount = w.any(t) if t.startswith("<") else str(w.rng.randrange(n)) if w.rng.random() < 0.7 else w.any(t)
    op = w.rng.choice(["shl", "lshr", "ashr"])
    flags = w.rng.choice(["", "", "nuw ", "nsw "] if op == "shl" else ["", "", "exact "])
    w.new(t, f"{op} {flags}{t} {w.any(t)}, {amount}")


def compare(w: Writer) -> None:
    t = integer_type(w)
    predicate = w.rng.choice(["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"])
    result = "i1" if not t.startswith("<") else f"<{t.split()[0][1:]} x i1>"
    w.new(result, f"icmp {predicate} {t} {w.any(t)}, {w.any(t)}")


def choose(w: Writer) -> None:
    t = w.rng.choice([*INTS, *FLOATS, *VECTORS])
    by_lane = t in ("<4 x i32>", "<4 x float>", "<4 x i1>") and w.rng.random() < 0.6
    c = "<4 x i1>" if by_lane else "i1"
    w.new(t, f"select {c} {w.any(c)}, {t} {w.any(t)}, {t} {w.any(t)}")


def resize(w: Writer) -> None:
    small, large = sorted(w.rng.sample(INTS, 2), key=width)
    op = w.rng.choice(["trunc", "zext", "sext", "zext nneg", "trunc nuw", "trunc nsw"])
    a, b = (large, small) if op.startswith("trunc") else (small, large)
    w.new(b, f"{op} {a} {w.any(a)} to {b}")


def float_arithmetic(w: Writer) -> None:
    t, op = float_type(w), w.rng.choice(["fadd", "fsub", "fmul", "fdiv", "frem", "fneg"])
    if op == "fneg":
        w.new(t, f"fneg {t} {w.any(t)}")
    elif op != "frem" or not t.startswith("<"):
        w.new(t, f"{op} {t} {w.any(t)}, {w.any(t)}")


def float_compare(w: Writer) -> None:
    t = w.rng.choice(["float", "double", "<4 x float>"])
    names = ["oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno"]
    w.new("<4 x i1>" if t[0] == "<" else "i1", f"fcmp {w.rng.choice(names)} {t} {w.any(t)}, {w.any(t)}")


def conversion(w: Writer) -> None:
    f, i = w.rng.choice(FLOATS), w.rng.choice([t for t in INTS if width(t) <= 64])
    match w.rng.randrange(5):
        case 0:
            w.new(f, f"{w.rng.choice(['uitofp', 'sitofp'])} {i} {w.any(i)} to {f}")
        case 1:
            w.new(i, f"{w.rng.choice(['fptoui', 'fptosi'])} {f} {w.any(f)} to {i}")
        case 2:
            w.new("float", f"fptrunc double {w.any('double')} to float")
        case 3:
            w.new("double", f"fpext float {w.any('float')} to double")
        case _:
            s = w.rng.choice(["fptoui", "fptosi"])
            i = w.rng.choice(["i8", "i16", "i32", "i64"])
            w.new(i, w.call(i, f"llvm.{s}.sat.{i}.{mangled(f)}", [f], [w.any(f)]))


SAME_SIZE = [
    ["i32", "float"],
    ["i64", "double"],
    ["<4 x i32>", "<2 x i64>", "<16 x i8>", "<8 x i16>", "<4 x float>", "<2 x double>", "i128"],
]


def bitcast(w: Writer) -> None:
    a, b = w.rng.sample(w.rng.choice(SAME_SIZE), 2)
    w.new(b, f"bitcast {a} {w.any(a)} to {b}")


def lanes(w: Writer) -> None:
    t = w.rng.choice(VECTORS)
    n, e = int(t.split()[0][1:]), element(t)
    match w.rng.randrange(3):
        case 0:
            w.new(e, f"extractelement {t} {w.any(t)}, i32 {w.rng.randrange(n)}")
        case 1:
            w.new(t, f"insertelement {t} {w.any(t)}, {e} {w.any(e)}, i8 {w.rng.randrange(n)}")
        case _:
            mask = ", ".join(f"i32 {w.rng.randrange(2 * n)}" for _ in range(n))
            w.new(t, f"shufflevector {t} {w.any(t)}, {t} {w.any(t)}, <{n} x i32> <{mask}>")


UNARY = ["ctpop", "bitreverse"]
BINARY = [
    "smax",
    "smin",
    "umax",
    "umin",
    "sadd.sat",
    "uadd.sat",
    "ssub.sat",
    "usub.sat",
    "ushl.sat",
    "sshl.sat",
]


def integer_intrinsic(w: Writer) -> None:
    t = w.rng.choice(
        [t for t in [*INTS, "<4 x i32>", "<8 x i16>"] if (t == element(t) and width(t) <= 64) or t[0] == "<"]
    )
    name = w.rng.choice(
        [*UNARY, *BINARY, *BINARY, "abs", "ctlz", "cttz", "fshl", "fshr", "bswap", "overflow", "cmp"]
    )
    full = f"llvm.{name}.{mangled(t)}"
    if name in UNARY:
        w.new(t, w.call(t, full, [t], [w.any(t)]))
    elif name in BINARY:
        w.new(t, w.call(t, full, [t, t], [w.any(t), w.any(t)]))
    elif name in ("abs", "ctlz", "cttz"):
        w.new(t, w.call(t, full, [t, "i1"], [w.any(t), "false"]))
    elif name in ("fshl", "fshr"):
        w.new(t, w.call(t, full, [t] * 3, [w.any(t), w.any(t), w.any(t)]))
    elif name == "bswap":
        t = w.rng.choice(["i16", "i32", "i48", "i64"])
        w.new(t, w.call(t, f"llvm.bswap.{t}", [t], [w.any(t)]))
    elif name == "cmp":
        if t[0] != "<":
            c = w.rng.choice(["scmp", "ucmp"])
            w.new("i8", w.call("i8", f"llvm.{c}.i8.{t}", [t, t], [w.any(t), w.any(t)]))
    elif t[0] != "<":
        op = w.rng.choice([f"{s}{o}" for s in "us" for o in ("add", "sub", "mul")])
        pair = w.call(f"{{{t}, i1}}", f"llvm.{op}.with.overflow.{t}", [t, t], [w.any(t), w.any(t)])
        name = w.new("pair", pair)
        w.new(t, f"extractvalue {{{t}, i1}} {name}, 0")
        w.new("i1", f"extractvalue {{{t}, i1}} {name}, 1")


def float_intrinsic(w: Writer) -> None:
    t = float_type(w)
    one = [
        "fabs",
        "sqrt",
        "floor",
        "ceil",
        "trunc",
        "rint",
        "nearbyint",
        "round",
        "roundeven",
        "canonicalize",
    ]
    two = ["minnum", "maxnum", "minimum", "maximum", "minimumnum", "maximumnum", "copysign"]
    name = w.rng.choice([*one, *two, "fma", "ldexp", "is.fpclass"])
    full = f"llvm.{name}.{mangled(t)}"
    if name in one:
        w.new(t, w.call(t, full, [t], [w.any(t)]))
    elif name in two:
        w.new(t, w.call(t, full, [t, t], [w.any(t), w.any(t)]))
    elif name == "fma":
        w.new(t, w.call(t, full, [t] * 3, [w.any(t), w.any(t), w.any(t)]))
    elif name == "ldexp":
        t = w.rng.choice(FLOATS)
        w.new(
            t,
            w.call(t, f"llvm.ldexp.{mangled(t)}.i32", [t, "i32"], [w.any(t), str(w.rng.randrange(-90, 90))]),
        )
    elif t[0] != "<":
        w.new(
            "i1",
            w.call("i1", full, [t, "i32 immarg"], [w.any(t), str(w.rng.randrange(1 << 10))]).replace(
                "immarg ", ""
            ),
        )


def reduction(w: Writer) -> None:
    t = w.rng.choice(["<4 x i32>", "<8 x i16>", "<16 x i8>", "<2 x i64>", "<4 x i1>"])
    op, e = w.rng.choice(["add", "mul", "and", "or", "xor", "smax", "smin", "umax", "umin"]), element(t)
    w.new(e, w.call(e, f"llvm.vector.reduce.{op}.{mangled(t)}", [t], [w.any(t)]))


def through_memory(w: Writer) -> None:
    """Stores one value, loads another type from the same bytes."""
    size = w.rng.choice(SAME_SIZE)
    a, b = w.rng.choice(size), w.rng.choice(size)
    at, row, column = f"%m{len(w.lines)}", w.rng.randrange(4), w.rng.randrange(2)
    w.lines.append(f"{at} = getelementptr inbounds [4 x i64], ptr %scratch, i64 {row}, i32 {column}")
    w.lines.append(f"store {a} {w.any(a)}, ptr {at}, align 1")
    w.new(b, f"load {b}, ptr {at}, align 1")
    w.new("i8", f"load i8, ptr {at}")
    if w.rng.random() < 0.3:
        op = w.rng.choice(
            [
                "add",
                "sub",
                "and",
                "nand",
                "or",
                "xor",
                "max",
                "min",
                "umax",
                "umin",
                "xchg",
                "uinc_wrap",
                "udec_wrap",
            ]
        )
        w.new("i32", f"atomicrmw {op} ptr %scratch, i32 {w.any('i32')} seq_cst, align 8")
    if w.rng.random() < 0.3:
        w.lines.append(f"store i32 {w.any('i32')}, ptr %scratch, align 8")
        name = w.new(
            "pair", f"cmpxchg ptr %scratch, i32 {w.any('i32')}, i32 {w.any('i32')} seq_cst seq_cst, align 8"
        )
        w.new("i32", f"extractvalue {{i32, i1}} {name}, 0")
        w.new("i1", f"extractvalue {{i32, i1}} {name}, 1")


MAKERS: list[Callable[[Writer], None]] = [
    arithmetic, arithmetic, division, shift, compare, choose, resize, float_arithmetic, float_arithmetic,
    float_compare, conversion, conversion, bitcast, lanes, integer_intrinsic, integer_intrinsic,
    float_intrinsic, float_intrinsic, reduction, through_memory,
]  # fmt: skip

INPUTS = [*INTS, *INTS, *FLOATS, *FLOATS, *FLOATS, *VECTORS, *VECTORS]


def random_lines(rng: random.Random, count: int) -> Writer:
    w = Writer(rng)
    w.lines.append("%scratch = alloca [32 x i64], align 16")
    w.lines.append("call void @llvm.memset.p0.i64(ptr %scratch, i8 7, i64 256, i1 false)")
    w.declarations.add("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
    for slot, type_ in enumerate(INPUTS):
        at = f"%i{slot}"
        w.lines.append(f"{at} = getelementptr i8, ptr %in, i64 {slot * STRIDE}")
        w.new(type_, f"load {type_}, ptr {at}")
    while len(w.lines) < count:
        w.rng.choice(MAKERS)(w)
    return w


def random_data(rng: random.Random) -> bytes:
    """Input slots: random bits, small numbers, and for floats no signaling NaN."""
    data = bytearray()
    layout = Layout(LAYOUT)
    for type_ in INPUTS:
        slot = bytearray(STRIDE)
        size = 4 if "float" in type_ else 8
        if "float" in type_ or "double" in type_:
            f = FORMATS[element(type_)]
            for at in range(0, 16, size):
                bits = rng.choice([rng.getrandbits(f.width), f.sign_bit, f.infinity, f.nan, 0])
                bits = (
                    (f.top // 2 + rng.randrange(-9, 9)) << f.fraction_bits | rng.getrandbits(f.fraction_bits)
                    if rng.random() < 0.6
                    else bits
                )
                bits |= f.sign_bit if rng.random() < 0.4 else 0
                if is_nan(f, bits):
                    bits = f.nan
                slot[at : at + size] = bits.to_bytes(size, "little")
        elif type_ in INTS:
            n = width(type_)
            value = rng.choice([rng.getrandbits(n), rng.getrandbits(min(n, 4)), (1 << n) - 1, 1 << (n - 1)])
            slot[: -(-n // 8)] = value.to_bytes(-(-n // 8), "little")
        else:
            n = layout.bits(VectorType(int(type_.split()[0][1:]), IntType(width(element(type_)))))
            slot[: -(-n // 8)] = rng.getrandbits(n).to_bytes(-(-n // 8), "little")
        data += slot
    return bytes(data)
