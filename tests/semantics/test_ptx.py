"""Inline assembly of PTX: what it computes beside Python's own numbers, the accesses that it makes by all
engines, its operations among threads, and what is left without a model.

covers: ir.ptx
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pytest

import convergence as cc
from convergence.ir.ptx import AddressOperand, Immediate, Register, RegisterTuple, Statement, read
from convergence.parser import parse
from convergence.semantics import UndefinedBehaviour
from convergence.semantics.machine.run import run

Engine = Literal["auto", "reference", "native", "attended"]
NVPTX = 'target triple = "nvptx64-nvidia-cuda"\n'
WORD = 1 << 32
STAND_IN = "has no model"


def assembly(text: str, constraints: str, result: str, *types: str) -> str:
    """A function of these parameters that gives what the assembly gives."""
    parameters = ", ".join(f"{t} %a{n}" for n, t in enumerate(types))
    flat = text.replace("\n", "\\0A")
    call = f'call {result} asm sideeffect "{flat}", "{constraints}"({parameters})'
    return f"{NVPTX}define {result} @f({parameters}) {{\n  %r = {call}\n  ret {result} %r\n}}\n"


def value(text: str, constraints: str, result: str, *operands: tuple[str, Any]) -> Any:
    """What the assembly gives to one thread; all of its calls must have a model."""
    module = parse(assembly(text, constraints, result, *(t for t, _ in operands)))
    done = run(module, arguments={f"a{n}": v for n, (_, v) in enumerate(operands)})
    assert not done.stand_ins, done.stand_ins
    return done.outcome.threads[0].value


def word(value: int) -> int:
    """As an i32 is shown."""
    return (value + (1 << 31)) % WORD - (1 << 31)


Binary = Callable[[int, int], int]


def bits(value: int, other: int, table: int, third: int) -> int:
    result = 0
    for place in range(32):
        row = (value >> place & 1) * 4 + (other >> place & 1) * 2 + (third >> place & 1)
        result |= (table >> row & 1) << place
    return result


def sign(value: int, width: int = 32) -> int:
    return value - (1 << width) if value >> (width - 1) & 1 else value


BINARY: list[tuple[str, Binary]] = [
    ("add.u32", lambda a, b: a + b), ("sub.s32", lambda a, b: a - b), ("mul.lo.u32", lambda a, b: a * b),
    ("mul.hi.u32", lambda a, b: a * b >> 32), ("mul.hi.s32", lambda a, b: sign(a) * sign(b) >> 32),
    ("and.b32", lambda a, b: a & b), ("or.b32", lambda a, b: a | b), ("xor.b32", lambda a, b: a ^ b),
    ("min.u32", min), ("max.s32", lambda a, b: max(sign(a), sign(b))),
    ("shl.b32", lambda a, b: a << b if b < 32 else 0), ("shr.u32", lambda a, b: a >> min(b, 32)),
    ("shr.s32", lambda a, b: sign(a) >> min(b, 31)),
]  # fmt: skip


@pytest.mark.parametrize(("opcode", "expected"), BINARY, ids=[name for name, _ in BINARY])
def test_of_two_words(opcode: str, expected: Binary) -> None:
    draw = random.Random(opcode)
    edges = [0, 1, 31, 32, 33, WORD - 1, 1 << 31]
    for _ in range(6):
        a, b = (draw.choice([*edges, draw.randrange(WORD)]) for _ in range(2))
        found = value(f"{opcode} $0, $1, $2;", "=r,r,r", "i32", ("i32", a), ("i32", b))
        assert found == word(expected(a, b)), (opcode, a, b)


def test_with_carries() -> None:
    """A word times a word plus a word, in two words: the low one's carry goes into the high one."""
    text = "{\n mad.lo.cc.u32 $0, $2, $3, $4;\n madc.hi.u32 $1, $2, $3, 0;\n}"
    for a, b, c in ((WORD - 1, WORD - 1, WORD - 1), (3, 5, 7), (1 << 31, 2, WORD - 1)):
        found = value(text, "=r,=r,r,r,r", "{ i32, i32 }", ("i32", a), ("i32", b), ("i32", c))
        assert found == [word(a * b + c), word((a * b + c) >> 32)]
    chain = "add.cc.u32 $0, $2, $3; addc.u32 $1, $4, $5;"
    found = value(chain, "=r,=r,r,r,r,r", "{ i32, i32 }", *(("i32", n) for n in (WORD - 1, 1, 5, 6)))
    assert found == [0, 12]
    chain = "sub.cc.u32 $0, $2, $3; subc.u32 $1, $4, $5;"
    found = value(chain, "=r,=r,r,r,r,r", "{ i32, i32 }", *(("i32", n) for n in (0, 1, 5, 3)))
    assert found == [-1, 1]


@pytest.mark.parametrize("table", [0x00, 0xFF, 0x96, 0xCA, 0x80])
def test_a_function_of_three_bits(table: int) -> None:
    draw = random.Random(table)
    a, b, c = (draw.randrange(WORD) for _ in range(3))
    found = value(
        f"lop3.b32 $0, $1, $2, $3, {table:#x};", "=r,r,r,r", "i32", *(("i32", n) for n in (a, b, c))
    )
    assert found == word(bits(a, b, table, c))


def test_bits_of_a_word() -> None:
    for n in (0, 1, 0x00F0, WORD - 1):
        for opcode, expected in (
            ("popc.b32", n.bit_count()), ("clz.b32", 32 - n.bit_length()), ("not.b32", ~n),
            ("brev.b32", int(f"{n:032b}"[::-1], 2)), ("neg.s32", -n), ("abs.s32", abs(sign(n))),
        ):  # fmt: skip
            assert value(f"{opcode} $0, $1;", "=r,r", "i32", ("i32", n)) == word(expected), (opcode, n)
    assert value(
        "prmt.b32 $0, $1, $2, 0x5410;", "=r,r,r", "i32", ("i32", 0x11112222), ("i32", 0x33334444)
    ) == (0x44442222)


def test_registers_of_the_text() -> None:
    """Declared registers, a scope, a predicate, guards, and comments."""
    text = """
    { .reg .pred p, q; .reg .b32 t<2>; // two of them
      setp.gt.s32 p|q, $1, 10;
      mov.u32 t0, 0x1; /* if not */
      @p mov.u32 t0, $1;
      @!p add.s32 t0, t0, 100;
      selp.b32 t1, 7, 9, q;
      xor.b32 $0, t0, t1; }
    """
    text = " ".join(text.split("// two of them")).replace("\n", " ")
    assert value(text, "=r,r", "i32", ("i32", 11)) == 11 ^ 9
    assert value(text, "=r,r", "i32", ("i32", 10)) == 101 ^ 7


def test_words_in_vectors() -> None:
    assert value("mov.b64 $0, {$1, $2};", "=l,r,r", "i64", ("i32", 1), ("i32", 2)) == 2 << 32 | 1
    assert value("mov.b64 {$0, $1}, $2;", "=r,=r,l", "{ i32, i32 }", ("i64", 2 << 32 | 1)) == [1, 2]
    assert value("mov.b64 {$0, _}, $1;", "=r,l", "i32", ("i64", 2 << 32 | 1)) == 1


def test_what_is_tied_begins_as_its_operand() -> None:
    text = "@$2 mov.u32 $0, 5;"
    assert value(text, "=r,0,b", "i32", ("i32", 3), ("i1", 0)) == 3
    assert value(text, "=r,0,b", "i32", ("i32", 3), ("i1", 1)) == 5


def test_conversions() -> None:
    assert value("cvt.s32.s8 $0, $1;", "=r,r", "i32", ("i32", 0x1FF)) == -1
    assert value("cvt.u32.u8 $0, $1;", "=r,r", "i32", ("i32", 0x1FF)) == 255
    assert value("cvt.rzi.s32.f32 $0, $1;", "=r,f", "i32", ("float", -2.75)) == -2
    assert value("cvt.rzi.u32.f32 $0, $1;", "=r,f", "i32", ("float", -2.75)) == 0
    assert value("cvt.rn.f32.s32 $0, $1;", "=f,r", "float", ("i32", -3)) == -3.0
    halves = value("cvt.rn.f16x2.f32 $0, $1, $2;", "=r,f,f", "i32", ("float", 1.0), ("float", 0.5))
    assert halves % WORD == 0x3C00 << 16 | 0x3800


REGISTERS = {"f32": ("f", "float"), "f64": ("d", "double"), "32": ("r", "i32"), "64": ("l", "i64")}
INTEGERS = ("s32", "u32", "s64", "u64")
ROUNDED: Mapping[str, Callable[[float], int]] = {
    "n": round, "z": math.trunc, "m": math.floor, "p": math.ceil
}  # fmt: skip


@pytest.mark.parametrize("from_", ["f32", "f64"])
@pytest.mark.parametrize("to", ["s8", "u8", "s16", "u16", *INTEGERS])
def test_floats_to_integers(to: str, from_: str) -> None:
    """Rounded in four ways, and clamped. NaN is 0, but of doubles and as 64 bits the highest bit alone (PTX
    ISA, *cvt*)."""
    bits = int(to[1:])
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if to[0] == "s" else (0, (1 << bits) - 1)
    register, type_ = REGISTERS["64" if bits == 64 else "32"]
    for mode, rounded in ROUNDED.items():
        for x in (0.5, 1.5, 2.5, -0.5, -1.5, 2.75, -2.25, 127.5, -128.75, 65535.5, 3e9, -3e9, 1e30, -1e30):
            text = f"cvt.r{mode}i.{to}.{from_} $0, $1;"
            wanted = min(max(rounded(x), least), most)
            operand = REGISTERS[from_][1], x
            got = value(text, f"={register},{REGISTERS[from_][0]}", type_, operand)
            assert (got - wanted) % (1 << max(bits, 32)) == 0, (text, x)
    nan = 0x7FC00000 if from_ == "f32" else 0x7FF8000000000000
    word = REGISTERS["32" if from_ == "f32" else "64"]
    text = f"cvt.rzi.{to}.{from_} $0, $1;"
    got = value(text, f"={register},{word[0]}", type_, (word[1], nan))
    assert got % (1 << bits) == (1 << bits - 1 if from_ == "f64" or bits == 64 else 0)


def test_a_subnormal_number_is_flushed_before_it_is_rounded() -> None:
    for text, wanted in (("cvt.rpi.s32.f32", 1), ("cvt.rpi.ftz.s32.f32", 0)):
        assert value(f"{text} $0, $1;", "=r,r", "i32", ("i32", 1)) == wanted


def test_floats_to_whole_numbers() -> None:
    for mode, rounded in ROUNDED.items():
        for x in (0.5, 1.5, -2.5, 2.75, -0.25):
            for from_, (register, type_) in list(REGISTERS.items())[:2]:
                text = f"cvt.r{mode}i.{from_}.{from_} $0, $1;"
                assert value(text, f"={register},{register}", type_, (type_, x)) == rounded(x), (text, x)


def test_doubles_to_floats() -> None:
    x = 1.0 + 2.0**-30
    above, below = 1.0 + 2.0**-23, 1.0
    for mode, wanted in (("rn", below), ("rz", below), ("rm", below), ("rp", above)):
        assert value(f"cvt.{mode}.f32.f64 $0, $1;", "=f,d", "float", ("double", x)) == wanted


@pytest.mark.parametrize("from_", ["s8", "u16", *INTEGERS])
def test_integers_to_floats(from_: str) -> None:
    bits = int(from_[1:])
    n = (1 << bits - 1) - 1 if from_[0] == "s" else (1 << bits) - 1
    register, type_ = REGISTERS["64" if bits == 64 else "32"]
    for to in ("f32", "f64"):
        room = 24 if to == "f32" else 53
        excess = max(n.bit_length() - room, 0)
        below, above = n >> excess << excess, -(-n >> excess) << excess
        for mode, wanted in (("rz", below), ("rm", below), ("rp", above), ("rn", above)):
            text = f"cvt.{mode}.{to}.{from_} $0, $1;"
            out, result = REGISTERS[to]
            assert value(text, f"={out},{register}", result, (type_, n)) == float(wanted), text


@pytest.mark.parametrize(
    ("to", "from_"), [("u8", "s32"), ("s8", "u32"), ("s16", "s64"), ("u32", "s64"), ("u64", "s32")]
)
def test_integers_are_clamped(to: str, from_: str) -> None:
    bits, wide = int(to[1:]), int(from_[1:])
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if to[0] == "s" else (0, (1 << bits) - 1)
    out, type_ = REGISTERS["64" if bits == 64 else "32"]
    register, given = REGISTERS[str(wide)]
    for n in (0, 1, 5, 127, 128, 255, 256, 40_000, -1, -129, -40_000, (1 << wide - 1) - 1):
        number = n % (1 << wide) if from_[0] == "u" else n
        got = value(f"cvt.sat.{to}.{from_} $0, $1;", f"={out},{register}", type_, (given, n))
        assert (got - min(max(number, least), most)) % (1 << max(bits, 32)) == 0, (to, from_, n)


def test_neg_flushes_where_it_is_asked_to() -> None:
    for text, n, wanted in (
        ("neg.f32", 0x80000001, 1), ("neg.ftz.f32", 0x80000001, 0), ("neg.ftz.f32", 1, 0x80000000),
        ("neg.ftz.f32", 0x3F800000, 0xBF800000), ("neg.ftz.f16x2", 0x00013C00, 0x8000BC00),
    ):  # fmt: skip
        assert value(f"{text} $0, $1;", "=r,r", "i32", ("i32", n)) % WORD == wanted, (text, n)


def test_integers_are_octal_behind_a_zero() -> None:
    for text, wanted in (
        ("017", 15),
        ("0", 0),
        ("0x1f", 31),
        ("0b101", 5),
        ("00", 0),
        ("10U", 10),
        ("-017", -15),
    ):
        assert value(f"mov.u32 $0, {text};", "=r", "i32") == wanted
    assert read("mov.u32 $0, 08;", "=r") is None


CONVERGENT = (
    NVPTX
    + """define ptx_kernel void @k(ptr addrspace(1) %p) convergent {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = call i32 asm sideeffect "mad.lo.s32 $0, $1, 3, 7;", "=r,r"(i32 %t) convergent
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  call void asm sideeffect "st.global.u32 [$0], $1;", "l,r"(ptr addrspace(1) %q, i32 %r) convergent
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"""
)


@pytest.mark.parametrize("engine", ["reference", "native", "attended"])
def test_convergent_assembly_is_what_it_says(engine: Engine) -> None:
    """clang calls all assembly of CUDA's convergent."""
    done = run(parse(CONVERGENT), threads=4, engine=engine, buffers={"p": "i32[4]"})
    assert not done.stand_ins and done.held("p").values == (7, 10, 13, 16)
    machines = cc.simulate(parse(CONVERGENT), threads=4, buffers={"p": "i32[4]"})
    assert all(simulated.conforms for simulated in machines)


@pytest.mark.parametrize("engine", ["operational", "axiomatic"])
def test_convergent_assembly_leaves_one_outcome(engine: Any) -> None:
    found = cc.enumerate(parse(CONVERGENT), threads=2, engine=engine, buffers={"p": "i32[2]"})
    assert found.complete and len(found.outcomes) == 1 and not found.notes[1:]


def test_small_floats() -> None:
    """Pairs of codes: the first operand is the upper one, and what is too large saturates."""
    pair = (("float", 1.0), ("float", -1000.0))
    assert value("cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f", "i16", *pair) % 2**16 == 0x38FE
    assert value("cvt.rn.satfinite.relu.e5m2x2.f32 $0, $1, $2;", "=h,f,f", "i16", *pair) == 0x3C00
    assert value("cvt.rn.satfinite.e2m3x2.f32 $0, $1, $2;", "=h,f,f", "i16", *pair) == 0x083F
    halves = value("cvt.rn.f16x2.e4m3x2 $0, $1;", "=r,h", "i32", ("i16", 0x38FE))
    assert halves % WORD == 0x3C00 << 16 | 0xDF00
    text = "{ .reg .b16 t; cvt.rn.satfinite.e5m2x2.f16x2 t, $1; cvt.rn.f16x2.e5m2x2 $0, t; }"
    assert value(text, "=r,r", "i32", ("i32", 0x3C003800)) == 0x3C003800


def test_floats() -> None:
    assert value("rcp.approx.ftz.f32 $0, $1;", "=f,f", "float", ("float", 4.0)) == 0.25
    assert value("fma.rn.f32 $0, $1, $1, 0f3F800000;", "=f,f", "float", ("float", 3.0)) == 10.0
    assert value("sub.f32 $0, $1, $2;", "=f,f,f", "float", ("float", 3.0), ("float", 0.5)) == 2.5
    assert value("max.f32 $0, $1, $2;", "=f,f,f", "float", ("float", 3.0), ("float", 5.0)) == 5.0
    assert value("abs.f32 $0, $1;", "=f,f", "float", ("float", -3.0)) == 3.0
    assert value("neg.f32 $0, $1;", "=f,f", "float", ("float", -3.0)) == 3.0


# -- Memory


def accessing(text: str, constraints: str, result: str, operands: str) -> Any:
    """A kernel whose threads each make one access at their place in %p, and leave what it gave in %o."""
    gave = "%r" if result == "i32" else "%first"
    if result == "void":
        call = f'  call void asm sideeffect "{text}", "{constraints}"({operands})\n'
    else:
        call = f'  %r = call {result} asm sideeffect "{text}", "{constraints}"({operands})\n'
        call += "" if result == "i32" else f"  %first = extractvalue {result} %r, 0\n"
        call += "  %q = getelementptr i32, ptr addrspace(1) %o, i32 %t\n"
        call += f"  store i32 {gave}, ptr addrspace(1) %q\n"
    return parse(
        NVPTX + "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        "define ptx_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %o) {\n"
        "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %even = trunc i32 %t to i1\n"
        "  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t\n"
        "  %four = shl i32 %t, 2\n  %row = getelementptr i32, ptr addrspace(1) %p, i32 %four\n"
        f"{call}  ret void\n}}\n"
    )


def left(
    module: Any, p: Sequence[int], threads: int, engine: Engine = "reference"
) -> tuple[list[int], list[int]]:
    """What the buffers hold at the end."""
    buffers = {"p": np.array(p, "i4"), "o": np.full(threads, -7, "i4")}
    done = run(module, workgroup=threads, buffers=buffers, engine=engine)
    assert not done.stand_ins, done.stand_ins
    return [int(n) for n in done.buffers["p"]], [int(n) for n in done.buffers["o"]]


PLACE, GUARDED = "ptr addrspace(1) %at", "ptr addrspace(1) %at, i1 %even"
ENGINES: tuple[Engine, ...] = ("reference", "native", "attended")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_guarded_load(engine: Engine) -> None:
    module = accessing("mov.u32 $0, 0x9; @$2 ld.global.b32 { $0 }, [ $1 + 4 ];", "=r,l,b", "i32", GUARDED)
    assert left(module, [10, 11, 12, 13, 14], 4, engine)[1] == [9, 12, 9, 14]


def test_what_a_guard_forbids_is_not_touched() -> None:
    """The last thread's place lies beyond the buffer."""
    module = accessing("mov.u32 $0, 0; @!$2 ld.global.b32 $0, [$1 + 4];", "=r,l,b", "i32", GUARDED)
    assert left(module, [10, 11, 12, 13], 4)[1] == [11, 0, 13, 0]
    module = accessing("mov.u32 $0, 0; ld.global.b32 $0, [$1 + 4];", "=r,l", "i32", PLACE)
    done = run(module, workgroup=4, buffers={"p": np.zeros(4, "i4"), "o": np.zeros(4, "i4")})
    assert isinstance(done.ending, UndefinedBehaviour)


@pytest.mark.parametrize("engine", ENGINES)
def test_vectors(engine: Engine) -> None:
    row = "ptr addrspace(1) %row"
    types = "{ i32, i32, i32, i32 }"
    load = "ld.global.L1::evict_last.v4.b32 { $0, $1, $2, $3 }, [ $4 + 0 ];"
    module = accessing(load, "=r,=r,=r,=r,l", types, row)
    assert left(module, range(8), 2, engine)[1] == [0, 4]
    store = accessing(
        "st.global.v4.b32 [ $0 + 0 ], { $1, $2, $1, $2 };", "l,r,r", "void", f"{row}, i32 %t, i32 9"
    )
    assert left(store, range(8), 2, engine)[0] == [0, 9, 0, 9, 1, 9, 1, 9]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_guarded_store(engine: Engine) -> None:
    text = "@$2 st.global.b32 [ $1 + 0 ], { $0 };"
    module = accessing(text, "r,l,b", "void", f"i32 %t, {GUARDED}")
    assert left(module, [9] * 4, 4, engine)[0] == [9, 1, 9, 3]


ATOMICS: list[tuple[str, list[int]]] = [
    ("add.u32", [5 + 1 + 2 + 3]), ("max.s32", [5]), ("min.u32", [0]), ("or.b32", [7]), ("xor.b32", [5]),
]  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("operation", "expected"), ATOMICS)
def test_atomics_of_one_place(operation: str, expected: list[int], engine: Engine) -> None:
    text = f"mov.u32 $0, 0x0; @$3 atom.global.gpu.acq_rel.{operation} $0, [ $1 + 0 ], $2;"
    module = accessing(text, "=r,l,r,b", "i32", "ptr addrspace(1) %p, i32 %t, i1 true")
    assert left(module, [5], 4, engine)[0] == expected
    reduce = accessing(f"red.global.{operation} [$0], $1;", "l,r", "void", "ptr addrspace(1) %p, i32 %t")
    assert left(reduce, [5], 4, engine)[0] == expected


def test_a_guarded_atomic() -> None:
    text = "mov.u32 $0, 0x0; @$3 atom.global.gpu.relaxed.add.u32 $0, [ $1 + 0 ], $2;"
    module = accessing(text, "=r,l,r,b", "i32", "ptr addrspace(1) %at, i32 100, i1 %even")
    assert left(module, [1, 2, 3, 4], 4) == ([1, 102, 3, 104], [0, 2, 0, 4])


def test_an_exchange_where_it_is_as_expected() -> None:
    text = "atom.global.acq_rel.gpu.cas.b32 $0, [ $1 + 0 ], $2, $3;"
    module = accessing(text, "=r,l,r,r", "i32", "ptr addrspace(1) %at, i32 %t, i32 50")
    assert left(module, [0, 5, 2, 7], 4) == ([50, 5, 50, 7], [0, 5, 2, 7])


def test_a_vector_of_atomics() -> None:
    text = "atom.global.gpu.relaxed.add.v2.f32 { $0, $1 }, [ $2 + 0 ], { $3, $3 };"
    module = accessing(text, "=r,=r,l,f", "{ i32, i32 }", "ptr addrspace(1) %row, float 1.5")
    one, more = (int(np.float32(x).view("i4")) for x in (1.0, 2.5))
    assert left(module, [one] * 8, 2) == ([more, more, one, one] * 2, [one, one])


def test_both_engines_of_enumerate_count_atomic_outcomes() -> None:
    text = "mov.u32 $0, 0x0; @$3 atom.global.gpu.relaxed.add.u32 $0, [ $1 + 0 ], $2;"
    module = accessing(text, "=r,l,r,b", "i32", "ptr addrspace(1) %p, i32 1, i1 true")
    found = cc.enumerate(module, workgroup=2, buffers={"p": "i32[1]", "o": "i32[2]"}, engine="both")
    assert len(found.outcomes) == 2
    assert found.complete


# -- Among threads


def among(text: str, constraints: str, operands: str, result: str = "i32") -> list[Any]:
    """What each of a warp's threads is given, with its number in %t, and whether that is odd in %odd."""
    module = parse(
        NVPTX + "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        f"define {result} @k() {{\n"
        "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %odd = trunc i32 %t to i1\n"
        f'  %r = call {result} asm sideeffect "{text}", "{constraints}"({operands})\n  ret {result} %r\n}}\n'
    )
    done = run(module, workgroup=32)
    assert not done.stand_ins, done.stand_ins
    return [thread.value for thread in done.outcome.threads]


def test_shuffles_and_votes() -> None:
    shuffled = among("shfl.sync.bfly.b32 $0, $1, 1, 31, -1;", "=r,r", "i32 %t")
    assert shuffled == [lane ^ 1 for lane in range(32)]
    pairs = among(
        "shfl.sync.down.b32 $0|$1, $2, $3, 0x1f, 0xffffffff;", "=r,=b,r,r", "i32 %t, i32 30", "{ i32, i1 }"
    )
    assert pairs[:3] == [[30, True], [31, True], [2, False]]
    assert among("vote.sync.ballot.b32 $0, $1, 0xffffffff;", "=r,b", "i1 %odd") == [word(0xAAAAAAAA)] * 32
    assert among("vote.sync.any.pred $0, $1, -1;", "=b,b", "i1 %odd", "i1") == [True] * 32
    assert among("redux.sync.add.s32 $0, $1, 0xffffffff;", "=r,r", "i32 %t") == [31 * 16] * 32
    assert among("match.any.sync.b32 $0, $1, -1;", "=r,r", "i32 7") == [-1] * 32
    assert among("activemask.b32 $0;", "=r", "") == [-1] * 32


def test_special_registers() -> None:
    assert among("mov.u32 $0, %laneid;", "=r", "") == list(range(32))
    assert among("mov.u32 $0, %ntid.x;", "=r", "") == [32] * 32
    assert among("mov.u32 $0, %lanemask_lt;", "=r", "")[:4] == [0, 1, 3, 7]


def test_a_barrier_orders_memory() -> None:
    """Of shared memory, which the barrier's name stands for nowhere else in the text."""
    module = parse(
        NVPTX + "@s = internal addrspace(3) global [64 x i32] undef\n"
        "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        "define i32 @k() {\n"
        "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        "  %p = getelementptr i32, ptr addrspace(3) @s, i32 %t\n"
        '  call void asm sideeffect "st.shared.b32 [$0], $1;", "r,r"(ptr addrspace(3) %p, i32 %t)\n'
        '  call void asm sideeffect "bar.sync 0;", ""() convergent\n'
        "  %o = sub i32 63, %t\n  %q = getelementptr i32, ptr addrspace(3) @s, i32 %o\n"
        '  %v = call i32 asm sideeffect "ld.shared::cta.b32 $0, [$1];", "=r,r"(ptr addrspace(3) %q)\n'
        "  ret i32 %v\n}\n"
    )
    done = run(module, workgroup=64, subgroup_size=32)
    assert [thread.value for thread in done.outcome.threads] == list(range(63, -1, -1))


# -- What is no straight-line PTX


UNREAD = [
    "wait: mbarrier.try_wait.b64 p, [$1], 0; @!p bra wait;", "call foo, ($0);", "mov.u32 $0, %clock;",
    "frobnicate.u32 $0, $1;", "ld.global.b32 $0, [$1]; st.global.b32 [$1], $0;", "add.s32 $0, $1",
]  # fmt: skip


@pytest.mark.parametrize("text", UNREAD[:-1])
def test_without_a_model(text: str) -> None:
    done = run(parse(assembly(text, "=r,l", "i32", "i64")), arguments={"a0": 0})
    assert len(done.stand_ins) == 1


def test_of_another_target() -> None:
    """Text that would be PTX means nothing in a module for AMD's GPUs."""
    module = parse(
        assembly("add.s32 $0, $1, 1;", "=r,r", "i32", "i32").replace("nvptx64-nvidia-cuda", "amdgcn")
    )
    assert len(run(module, arguments={"a0": 1}).stand_ins) == 1


def test_statements() -> None:
    text = read("@!$2 ld.global.b32 { $0 }, [ $1 + -8 ];", "=r,l,b")
    assert text is not None
    place = AddressOperand(Register("$1"), -8)
    expected = Statement(
        ("ld", "global", "b32"), (RegisterTuple((Register("$0"),)), place), Register("$2", True)
    )
    assert text.statements == (expected,)
    assert text.outputs == 1
    assert text.inputs == ("$1", "$2")
    text = read("{ .reg .b32 %x; mov.b32 %x, 0x10; mov.b32 $0, %x; }", "=r,~{memory}")
    assert text is not None
    assert text.statements[0] == Statement(("mov", "b32"), (Register("%x"), Immediate(16)))
    assert read("mov.b32 $0, y;", "=r") is None
    assert read("mov.b32 $0, 1;", "=*m") is None


def test_what_it_computes_is_compared() -> None:
    """``refine`` sees through assembly: an add of another number is wrong, the same one is not."""
    before = parse(assembly("add.s32 $0, $1, 1;", "=r,r", "i32", "i32"))
    same = parse(NVPTX + "define i32 @f(i32 %a0) {\n  %r = add i32 %a0, 1\n  ret i32 %r\n}\n")
    other = parse(NVPTX + "define i32 @f(i32 %a0) {\n  %r = add i32 %a0, 2\n  ret i32 %r\n}\n")
    assert cc.refine(before, same).verdict in ("equal", "refines")
    assert cc.refine(before, other).verdict == "wrong"
