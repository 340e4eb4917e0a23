# ruff: noqa: E501 -- a row of a table stays whole
"""Matrices in the registers of a wave: products beside numpy's, ``ldmatrix`` and ``stmatrix``; asynchronous
copies.

covers: ir.ptx, semantics.instructions.library.nvvm_memory, semantics.values.context
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import convergence as cc
from convergence.parser import parse
from convergence.semantics import Returned, UndefinedBehaviour, Unmodelled
from convergence.semantics.machine.program import EngineKind

NVPTX, AMD = "nvptx64-nvidia-cuda", "amdgcn-amd-amdhsa"
Place = tuple[int, int]


def numbers(rows: int, columns: int, seed: int) -> Any:
    """Small whole numbers, of which all sums are exact in every format."""
    draw = random.Random(seed)
    return np.array([[draw.randrange(-4, 5) for _ in range(columns)] for _ in range(rows)], "f4")


def kernel(
    triple: str, call: str, declaration: str, kinds: tuple[str, str, str], result: str, processor: str = ""
) -> Any:
    """A wave whose lanes load their parts of three matrices, side by side in buffers, and store D's."""
    a, b, c = kinds
    lane = "@llvm.nvvm.read.ptx.sreg.tid.x" if triple == NVPTX else "@llvm.amdgcn.workitem.id.x"
    convention = "ptx_kernel" if triple == NVPTX else "amdgpu_kernel"
    loads = "".join(
        f"  %p{n} = getelementptr {t}, ptr addrspace(1) %{n}, i32 %l\n"
        f"  %v{n} = load {t}, ptr addrspace(1) %p{n}\n"
        for n, t in (("a", a), ("b", b), ("c", c))
    )
    return parse(
        f'target triple = "{triple}"\ndeclare i32 {lane}()\ndeclare {declaration}\n'
        f"define {convention} void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) "
        '"target-cpu"="gfx942" {\n'
        f"  %l = call i32 {lane}()\n{loads}{call}"
        f"  store {result} %d, ptr addrspace(1) %pc\n  ret void\n}}\n".replace(
            "gfx942", processor or WAVE[triple]
        )
    )


WAVE = {NVPTX: "sm_80", AMD: "gfx942"}


def dealt(matrix: Any, place: Callable[[int, int], Place], lanes: int, count: int, kind: str) -> Any:
    """A matrix as the lanes' registers hold it."""
    return np.array([[matrix[place(lane, n)] for n in range(count)] for lane in range(lanes)], kind)


def collected(parts: Any, place: Callable[[int, int], Place], rows: int, columns: int) -> Any:
    matrix = np.zeros((rows, columns), "f4")
    for lane, row in enumerate(parts):
        for n, value in enumerate(row):
            matrix[place(lane, n)] = value
    return matrix


Layouts = tuple[Callable[[int, int], Place], Callable[[int, int], Place], Callable[[int, int], Place]]


def of_nvptx(per: int) -> Layouts:
    """PTX ISA, *Matrix Fragments for mma.m16n8k...*: ``per`` elements in a register."""

    def a(lane: int, n: int) -> Place:
        low, upper, right = n % per, n // per % 2, n // per // 2
        return (lane >> 2) + 8 * upper, (lane & 3) * per + low + right * 4 * per

    def b(lane: int, n: int) -> Place:
        return (lane & 3) * per + n % per + n // per * 4 * per, lane >> 2

    def c(lane: int, n: int) -> Place:
        return (lane >> 2) + (8 if n > 1 else 0), (lane & 3) * 2 + (n & 1)

    return a, b, c


def registers_taken(kinds: Sequence[str], counts: Sequence[int]) -> str:
    """Lines that take the registers of A, B and C out of what a lane has loaded."""
    return "".join(
        f"  %{n}{i} = extractvalue {t} %v{n}, {i}\n"
        for n, t, count in zip("abc", kinds, counts, strict=True)
        for i in range(count)
    )


MMA = [
    ("m16n8k16.row.col.f32.f32", 16, "f2", "<2 x half>", ".f32.f16.f16.f32"),
    ("m16n8k8.row.col.f32.f32", 8, "f2", "<2 x half>", ".f32.f16.f16.f32"),
    ("m16n8k8.row.col.tf32", 8, "f4", "i32", ".f32.tf32.tf32.f32"),
    ("m16n8k4.row.col.tf32", 4, "f4", "i32", ".f32.tf32.tf32.f32"),
]


@pytest.mark.parametrize("assembly", [False, True])
@pytest.mark.parametrize(("name", "depth", "kind", "register", "types"), MMA, ids=[row[0] for row in MMA])
def test_mma(name: str, depth: int, kind: str, register: str, types: str, assembly: bool) -> None:
    per = 2 if kind == "f2" else 1
    counts = 16 * depth // 32 // per, 8 * depth // 32 // per, 4
    kinds = f"[{counts[0]} x {register}]", f"[{counts[1]} x {register}]", "[4 x float]"
    taken = registers_taken(kinds, counts)
    operands = [
        *(f"{register} %a{i}" for i in range(counts[0])),
        *(f"{register} %b{i}" for i in range(counts[1])),
    ]
    sums = [f"float %c{i}" for i in range(4)]
    result = "{ float, float, float, float }"
    text = f"mma.sync.aligned.{name.split('.')[0]}.row.col{types} "
    places = [f"${n}" for n in range(8 + sum(counts[:2]))]
    cut = 8 + counts[0]
    groups = (places[:4], places[8:cut], places[cut:], places[4:8])
    text += ", ".join("{" + ", ".join(group) + "}" for group in groups) + ";"
    constraints = ",".join(["=f"] * 4 + list("0123") + ["r"] * sum(counts[:2]))
    called = f'asm sideeffect "{text}", "{constraints}"({", ".join(sums + operands)})'
    declaration = "void @unused()"
    if not assembly:
        called = f"@llvm.nvvm.mma.{name}({', '.join(operands + sums)})"
        plain = ", ".join(o.split(" %")[0] for o in operands + sums)
        declaration = f"{result} @llvm.nvvm.mma.{name}({plain})"
    call = f"{taken}  %d = call {result} {called}\n"
    module = kernel(NVPTX, call, declaration, kinds, result)
    a, b, c = numbers(16, depth, 1), numbers(depth, 8, 2), numbers(16, 8, 3)
    at = of_nvptx(per)
    buffers = {
        "a": dealt(a, at[0], 32, counts[0] * per, kind), "b": dealt(b, at[1], 32, counts[1] * per, kind),
        "c": dealt(c, at[2], 32, 4, "f4"),
    }  # fmt: skip
    done = cc.run(module, workgroup=32, buffers=buffers)
    assert not done.stand_ins
    assert (collected(done.buffers["c"], at[2], 16, 8) == a @ b + c).all()


def in_words(parts: Any, bits: int) -> Any:
    """What lanes hold of elements of so many bits, as words of 32."""
    per = 32 // bits
    words = np.zeros((len(parts), parts.shape[1] // per), "u4")
    for n in range(parts.shape[1]):
        words[:, n // per] |= (parts[:, n].astype("i8") & ((1 << bits) - 1)).astype("u4") << (n % per * bits)
    return words


@pytest.mark.parametrize("assembly", [False, True])
@pytest.mark.parametrize("clamps", ["", "satfinite."])
@pytest.mark.parametrize("signs", ["ss", "uu", "su", "us"])
@pytest.mark.parametrize(
    ("bits", "rows", "depth"), [(8, 8, 16), (8, 16, 16), (8, 16, 32), (4, 8, 32), (4, 16, 32), (4, 16, 64)]
)
def test_mma_of_integers(bits: int, rows: int, depth: int, signs: str, clamps: str, assembly: bool) -> None:
    """A and B with and without a sign, each for itself; a sum that is too large stays modulo 2^32, or is the
    nearest one."""
    draw = random.Random(repr((bits, rows, depth, signs)))
    least = [-(1 << (bits - 1)) if sign == "s" else 0 for sign in signs]
    a, b = (
        np.array([[draw.randrange(low, low + (1 << bits)) for _ in range(n)] for _ in range(m)], "i8")
        for low, (m, n) in zip(least, [(rows, depth), (depth, 8)], strict=True)
    )
    c = np.array([[draw.randrange(-9, 10) for _ in range(8)] for _ in range(rows)], "i8")
    c[0], c[1] = 2**31 - 1, -(2**31)
    counts = rows * depth * bits // 1024, 8 * depth * bits // 1024, rows * 8 // 32
    kinds = f"[{counts[0]} x i32]", f"[{counts[1]} x i32]", f"[{counts[2]} x i32]"
    taken = registers_taken(kinds, counts)
    operands = [f"i32 %{n}{i}" for n, count in zip("abc", counts, strict=True) for i in range(count)]
    result = "{ " + ", ".join(["i32"] * counts[2]) + " }"
    shape, (first, second) = f"m{rows}n8k{depth}", (f"{sign}{bits}" for sign in signs)
    named = first if first == second else f"{first}.{second}"
    name = f"llvm.nvvm.mma.{shape}.row.col.{clamps}{named}"
    called, declaration = (
        f"@{name}({', '.join(operands)})",
        f"{result} @{name}({', '.join(['i32'] * len(operands))})",
    )
    if assembly:
        places = iter(f"${n}" for n in range(2 * counts[2] + counts[0] + counts[1]))
        d, x, y, z = (
            "{" + ", ".join(next(places) for _ in range(count)) + "}" for count in (counts[2], *counts)
        )
        text = f"mma.sync.aligned.{shape}.row.col.{clamps}s32.{first}.{second}.s32 {d}, {x}, {y}, {z};"
        constraints = ",".join(["=r"] * counts[2] + ["r"] * sum(counts))
        called, declaration = (
            f'asm sideeffect "{text}", "{constraints}"({", ".join(operands)})',
            "void @unused()",
        )
    module = kernel(NVPTX, f"{taken}  %d = call {result} {called}\n", declaration, kinds, result)
    at, per = of_nvptx(32 // bits), 32 // bits
    buffers = {
        "a": in_words(dealt(a, at[0], 32, counts[0] * per, "i8"), bits),
        "b": in_words(dealt(b, at[1], 32, counts[1] * per, "i8"), bits),
        "c": dealt(c, at[2], 32, counts[2], "i4"),
    }
    done = cc.run(module, workgroup=32, buffers=buffers)
    assert not done.stand_ins
    wanted = a @ b + c
    wanted = wanted.clip(-(2**31), 2**31 - 1) if clamps else wanted.astype("i4")
    given = dealt(wanted, at[2], 32, counts[2], "i4")
    assert (done.buffers["c"].view("i4").reshape(32, -1) == given).all()


@pytest.mark.parametrize(("rows", "depth"), [(8, 4), (16, 4), (16, 8), (16, 16)])
def test_mma_of_doubles(rows: int, depth: int) -> None:
    counts = rows * depth // 32, 8 * depth // 32, rows * 8 // 32
    kinds = f"[{counts[0]} x double]", f"[{counts[1]} x double]", f"[{counts[2]} x double]"
    operands = [f"double %{n}{i}" for n, count in zip("abc", counts, strict=True) for i in range(count)]
    taken = registers_taken(kinds, counts)
    result, name = (
        "{ " + ", ".join(["double"] * counts[2]) + " }",
        f"llvm.nvvm.mma.m{rows}n8k{depth}.row.col.f64",
    )
    declaration = f"{result} @{name}({', '.join(['double'] * len(operands))})"
    module = kernel(
        NVPTX, f"{taken}  %d = call {result} @{name}({', '.join(operands)})\n", declaration, kinds, result
    )
    a, b, c = numbers(rows, depth, 1), numbers(depth, 8, 2), numbers(rows, 8, 3)
    at = of_nvptx(1)
    buffers = {
        n: dealt(matrix, at[k], 32, counts[k], "f8")
        for k, (n, matrix) in enumerate(zip("abc", (a, b, c), strict=True))
    }
    done = cc.run(module, workgroup=32, buffers=buffers)
    assert not done.stand_ins
    assert (collected(done.buffers["c"], at[2], rows, 8) == a @ b + c).all()


def of_cdna(size: int, count: int) -> Layouts:
    """*AMD Matrix Instruction Calculator*: of one block; lanes of a row hold consecutive elements of K."""

    def a(lane: int, n: int) -> Place:
        return lane % size, count * (lane // size) + n

    def b(lane: int, n: int) -> Place:
        return count * (lane // size) + n, lane % size

    def c(lane: int, n: int) -> Place:
        return 4 * (64 // size) * (n // 4) + 4 * (lane // size) + n % 4, lane % size

    return a, b, c


@pytest.mark.parametrize(
    ("name", "size", "depth", "kind", "register"),
    [
        ("16x16x4f32", 16, 4, "f4", "float"), ("32x32x2f32", 32, 2, "f4", "float"),
        ("16x16x16f16", 16, 16, "f2", "<4 x half>"), ("32x32x8f16", 32, 8, "f2", "<4 x half>"),
        ("16x16x16i8", 16, 16, "i1", "i32"), ("32x32x8i8", 32, 8, "i1", "i32"),
        ("16x16x32.i8", 16, 32, "i1", "i64"), ("32x32x16.i8", 32, 16, "i1", "i64"),
        ("16x16x64.i8", 16, 64, "i1", "<4 x i32>"), ("32x32x32.i8", 32, 32, "i1", "<4 x i32>"),
    ],
)  # fmt: skip
def test_mfma(name: str, size: int, depth: int, kind: str, register: str) -> None:
    count, sums = size * depth // 64, size * size // 64
    number, family = ("i32", "i32") if kind == "i1" else ("float", "f32")
    vector = f"<{sums} x {number}>"
    types = f"{register}, {register}, {vector}, i32 immarg, i32 immarg, i32 immarg"
    call = (
        f"  %d = call {vector} @llvm.amdgcn.mfma.{family}.{name}"
        f"({register} %va, {register} %vb, {vector} %vc, i32 0, i32 0, i32 0)\n"
    )
    module = kernel(
        AMD,
        call,
        f"{vector} @llvm.amdgcn.mfma.{family}.{name}({types})",
        (register, register, vector),
        vector,
    )
    a, b, c = numbers(size, depth, 1), numbers(depth, size, 2), numbers(size, size, 3)
    at = of_cdna(size, count)
    buffers = {
        "a": dealt(a, at[0], 64, count, kind), "b": dealt(b, at[1], 64, count, kind),
        "c": dealt(c, at[2], 64, sums, "i4" if kind == "i1" else "f4"),
    }  # fmt: skip
    done = cc.run(module, workgroup=64, buffers=buffers)
    assert not done.stand_ins
    assert (collected(done.buffers["c"], at[2], size, size) == a @ b + c).all()
    swapped = cc.run(
        parse(module.source.text.replace("i32 0, i32 0)", "i32 0, i32 1)")), workgroup=64, buffers=buffers
    )
    assert swapped.stand_ins == (f"llvm.amdgcn.mfma.{family}.{name}",)


def of_rdna(count: int) -> Layouts:
    """RDNA 3's and RDNA 4's ISA documents, *Wave Matrix Multiply Accumulate*: with all 16 elements of a row of A
    in a lane, the halves of the wave take the rows of D in turn; with 8, the upper half has what is below."""

    def a(lane: int, n: int) -> Place:
        return lane % 16, n if count == 16 else 8 * (lane >= 16) + n

    def b(lane: int, n: int) -> Place:
        return n if count == 16 else 8 * (lane >= 16) + n, lane % 16

    def c(lane: int, n: int) -> Place:
        return 2 * n + (lane >= 16) if count == 16 else 8 * (lane >= 16) + n, lane % 16

    return a, b, c


@pytest.mark.parametrize(("processor", "count"), [("gfx1100", 16), ("gfx1200", 8)])
def test_wmma_of_amd(processor: str, count: int) -> None:
    """A wave of 32 has the product of two matrices and adds a third one."""
    halves, sums = f"<{count} x half>", "<8 x float>"
    name = f"@llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v{count}f16"
    call = f"  %d = call {sums} {name}({halves} %va, {halves} %vb, {sums} %vc)\n"
    declared = f"{sums} {name}({halves}, {halves}, {sums})"
    module = kernel(AMD, call, declared, (halves, halves, sums), sums, processor)
    a, b, c = numbers(16, 16, 1), numbers(16, 16, 2), numbers(16, 16, 3)
    at = of_rdna(count)
    buffers = {
        "a": dealt(a, at[0], 32, count, "f2"), "b": dealt(b, at[1], 32, count, "f2"),
        "c": dealt(c, at[2], 32, 8, "f4"),
    }  # fmt: skip
    done = cc.run(module, workgroup=32, subgroup_size=32, buffers=buffers)
    assert not done.stand_ins
    assert (collected(done.buffers["c"], at[2], 16, 16) == a @ b + c).all()


def of_blocks(size: int, double: bool) -> Callable[[int, int], tuple[int, int, int]]:
    """*AMD Matrix Instruction Calculator*: block, row and column of a lane's sums. A lane of the first rows has
    the next blocks' in the next registers; of blocks of four each four lanes have one."""

    def place(lane: int, n: int) -> tuple[int, int, int]:
        if size == 4:
            return lane // 4, n, lane % 4
        block, number = divmod(n, size * size // 64)
        if double:
            return block, 4 * number + lane // 16, lane % 16
        groups = 64 // size
        return block, number // 4 * 4 * groups + lane // size * 4 + number % 4, lane % size

    return place


BLOCKS = [
    ("f32.32x32x1f32", 32, 1, 2, "f4", "float"), ("f32.16x16x1f32", 16, 1, 4, "f4", "float"),
    ("f32.4x4x1f32", 4, 1, 16, "f4", "float"), ("f32.32x32x4f16", 32, 4, 2, "f2", "<4 x half>"),
    ("f32.16x16x4f16", 16, 4, 4, "f2", "<4 x half>"), ("f32.4x4x4f16", 4, 4, 16, "f2", "<4 x half>"),
    ("i32.32x32x4i8", 32, 4, 2, "i1", "i32"), ("i32.16x16x4i8", 16, 4, 4, "i1", "i32"), ("i32.4x4x4i8", 4, 4, 16, "i1", "i32"),
    ("f64.16x16x4f64", 16, 4, 1, "f8", "double"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "size", "depth", "blocks", "kind", "register"), BLOCKS, ids=[b[0] for b in BLOCKS]
)
def test_mfma_of_blocks(name: str, size: int, depth: int, blocks: int, kind: str, register: str) -> None:
    """Each block is a product by itself."""
    count, sums = size * depth * blocks // 64, size * size * blocks // 64
    number = {"i": "i32", "f": "double" if kind == "f8" else "float"}[name[0]]
    numpy_sums = {"i32": "i4", "float": "f4", "double": "f8"}[number]
    vector = f"<{sums} x {number}>"
    function = f"@llvm.amdgcn.mfma.{name}"
    call = f"  %d = call {vector} {function}({register} %va, {register} %vb, {vector} %vc, i32 0, i32 0, i32 0)\n"
    types = f"{register}, {register}, {vector}, i32 immarg, i32 immarg, i32 immarg"
    module = kernel(AMD, call, f"{vector} {function}({types})", (register, register, vector), vector)
    a = np.stack([numbers(size, depth, b) for b in range(blocks)])
    b = np.stack([numbers(depth, size, 100 + b) for b in range(blocks)])
    c = np.stack([numbers(size, size, 200 + b) for b in range(blocks)])
    at = of_blocks(size, kind == "f8")

    def inner(lane: int, n: int) -> int:
        return n if blocks > 1 else lane // size * count + n

    lanes, places = range(64), range(sums)
    buffers = {
        "a": np.array([[a[lane // size % blocks, lane % size, inner(lane, n)] for n in range(count)] for lane in lanes], kind),
        "b": np.array([[b[lane // size % blocks, inner(lane, n), lane % size] for n in range(count)] for lane in lanes], kind),
        "c": np.array([[c[at(lane, n)] for n in places] for lane in lanes], numpy_sums),
    }  # fmt: skip
    done = cc.run(module, workgroup=64, buffers=buffers)
    assert not done.stand_ins
    expected = a @ b + c
    assert np.array_equal(
        done.buffers["c"].reshape(64, sums),
        np.array([[expected[at(lane, n)] for n in places] for lane in lanes]),
    )


WMMA = """target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %a, ptr %b, ptr %c, ptr %d, i32 %sa, i32 %sb, i32 %sc) {
  %x = call ATYPE @llvm.nvvm.wmma.SHAPE.load.a.ALIE.stride.KIND.p0(ptr %a, i32 %sa)
  %y = call BTYPE @llvm.nvvm.wmma.SHAPE.load.b.BLIE.stride.KIND.p0(ptr %b, i32 %sb)
  %z = call CTYPE @llvm.nvvm.wmma.SHAPE.load.c.CLIE.stride.SUM.p0(ptr %c, i32 %sc)
PARTS  %r = call DTYPE @llvm.nvvm.wmma.SHAPE.mma.ALIE.BLIE.NAME(OPERANDS)
DPARTS  call void @llvm.nvvm.wmma.SHAPE.store.d.CLIE.stride.RESULT.p0(ptr %d, STORED, i32 %sc)
  ret void
}
declare ATYPE @llvm.nvvm.wmma.SHAPE.load.a.ALIE.stride.KIND.p0(ptr, i32)
declare BTYPE @llvm.nvvm.wmma.SHAPE.load.b.BLIE.stride.KIND.p0(ptr, i32)
declare CTYPE @llvm.nvvm.wmma.SHAPE.load.c.CLIE.stride.SUM.p0(ptr, i32)
declare DTYPE @llvm.nvvm.wmma.SHAPE.mma.ALIE.BLIE.NAME(TYPES)
declare void @llvm.nvvm.wmma.SHAPE.store.d.CLIE.stride.RESULT.p0(ptr, DTYPES, i32)
"""

# Shape, kinds of A and B, of C, of D, the product's name, and how many registers of which type each has.
Registers = tuple[int, str]
FRAGMENTS: list[tuple[str, str, str, str, str, Registers, Registers, Registers, Registers]] = [
    *((shape, "f16", c, d, f"{d}.{c}", (8, H), (8, H), (4, H) if c == "f16" else (8, F), (4, H) if d == "f16" else (8, F))
      for H in ("<2 x half>",) for F in ("float",) for shape in ("m16n16k16", "m32n8k16", "m8n32k16")
      for c in ("f16", "f32") for d in ("f16", "f32")),
    *((shape, "bf16", "f32", "f32", "bf16", (a, "i32"), (b, "i32"), (8, "float"), (8, "float"))
      for shape, a, b in (("m16n16k16", 4, 4), ("m32n8k16", 8, 2), ("m8n32k16", 2, 8))),
    *((shape, kind, "s32", "s32", f"{kind}{end}", (a, "i32"), (b, "i32"), (8, "i32"), (8, "i32"))
      for shape, a, b in (("m16n16k16", 2, 2), ("m32n8k16", 4, 1), ("m8n32k16", 1, 4)) for kind in ("s8", "u8")
      for end in ("", ".satfinite")),
    ("m16n16k8", "tf32", "f32", "f32", "tf32", (4, "i32"), (4, "i32"), (8, "float"), (8, "float")),
    ("m8n8k4", "f64", "f64", "f64", "f64", (1, "double"), (1, "double"), (2, "double"), (2, "double")),
]  # fmt: skip
NUMPY = {
    "f16": "f2",
    "bf16": "f4",
    "tf32": "f4",
    "f32": "f4",
    "f64": "f8",
    "s8": "i1",
    "u8": "u1",
    "s32": "i4",
}


def struct_of(registers: Registers) -> str:
    count, type_ = registers
    return type_ if count == 1 else "{ " + ", ".join([type_] * count) + " }"


def taken_apart(value: str, registers: Registers) -> tuple[str, list[str]]:
    """Lines that take the registers out of a result, and their names."""
    count, _ = registers
    if count == 1:
        return "", [value]
    names = [f"{value}.{n}" for n in range(count)]
    struct = struct_of(registers)
    return "".join(f"  {name} = extractvalue {struct} {value}, {n}\n" for n, name in enumerate(names)), names


def in_memory(matrix: Any, lies: str, stride: int, kind: str) -> Any:
    """A matrix as it lies in memory, by rows or by columns so many elements apart."""
    rows = matrix if lies == "row" else matrix.T
    held = np.zeros((rows.shape[0], stride), NUMPY[kind])
    held[:, : rows.shape[1]] = rows
    return (held.reshape(-1).view("u4") >> 16).astype("u2") if kind == "bf16" else held.reshape(-1)


@pytest.mark.parametrize("case", FRAGMENTS, ids=lambda c: f"{c[0]}-{c[4]}-{c[2]}")
def test_wmma(case: tuple[str, str, str, str, str, Registers, Registers, Registers, Registers]) -> None:
    """Loaded by rows or by columns, multiplied and stored: the matrices' product."""
    shape, kind, sum_kind, result_kind, name, *held = case
    m, n, k = (int(word) for word in re.findall(r"\d+", shape))
    draw = random.Random(repr(case))
    a, b, c = numbers(m, k, 1), numbers(k, n, 2), numbers(m, n, 3)
    if kind == "u8":
        a, b = abs(a), abs(b)
    if name.endswith("satfinite"):
        c[0, 0] = 2**31 - 128  # as near to the largest one as a float is
        a[0], b[:, 0] = 100, 100
    lie = [draw.choice(["row", "col"]) for _ in range(3)]
    sizes = [(m, k), (k, n), (m, n)]
    strides = [size[lies == "row"] + draw.randrange(3) * 8 for size, lies in zip(sizes, lie, strict=True)]
    lines, operands, types = "", [], []
    for value, registers in zip(("%x", "%y", "%z"), held, strict=False):
        apart, names = taken_apart(value, registers)
        lines += apart
        operands += [f"{registers[1]} {name}" for name in names]
        types += [registers[1]] * registers[0]
    apart, names = taken_apart("%r", held[3])
    text = WMMA
    for word, put in (
        ("DPARTS", apart), ("PARTS", lines), ("OPERANDS", ", ".join(operands)),
        ("STORED", ", ".join(f"{held[3][1]} {n}" for n in names)), ("DTYPES", ", ".join([held[3][1]] * held[3][0])),
        ("ATYPE", struct_of(held[0])), ("BTYPE", struct_of(held[1])), ("CTYPE", struct_of(held[2])),
        ("DTYPE", struct_of(held[3])), ("TYPES", ", ".join(types)), ("SHAPE", shape), ("ALIE", lie[0]), ("BLIE", lie[1]),
        ("CLIE", lie[2]), ("KIND", kind), ("SUM", sum_kind), ("RESULT", result_kind), ("NAME", name),
    ):  # fmt: skip
        text = text.replace(word, put)
    buffers = {
        "a": in_memory(a, lie[0], strides[0], kind), "b": in_memory(b, lie[1], strides[1], kind),
        "c": in_memory(c, lie[2], strides[2], sum_kind),
        "d": in_memory(np.zeros((m, n)), lie[2], strides[2], result_kind),
    }  # fmt: skip
    arguments = dict(zip(("sa", "sb", "sc"), strides, strict=True))
    once = cc.run(cc.parse(text), threads=32, arguments=arguments, buffers=buffers)
    assert isinstance(once.ending, Returned), once.ending
    product = a.astype("f8") @ b.astype("f8") + c.astype("f8")
    if name.endswith("satfinite"):
        assert product[0, 0] > 2**31
        product = np.minimum(product, 2**31 - 1)
    assert np.array_equal(once.buffers["d"], in_memory(product, lie[2], strides[2], result_kind))


def test_absent_lanes_make_a_product_poison() -> None:
    call = (
        "  %d = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32"
        "(float %va, float %vb, <4 x float> %vc, i32 0, i32 0, i32 0)\n"
    )
    types = "float, float, <4 x float>, i32 immarg, i32 immarg, i32 immarg"
    declaration = f"<4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32({types})"
    module = kernel(AMD, call, declaration, ("float", "float", "<4 x float>"), "<4 x float>")
    buffers = {"a": "f32[64]", "b": "f32[64]", "c": "f32[256]"}
    done = cc.run(module, workgroup=32, buffers=buffers)
    left_there = done.outcome.memory["%c"]
    assert isinstance(left_there, list)
    assert left_there[0] == "poison"


MODIFIED = """target triple = "amdgcn-amd-amdhsa"
declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float, float, <4 x float>, i32 immarg, i32 immarg, i32 immarg) convergent
define amdgpu_kernel void @k(float %a, float %b, ptr addrspace(1) %d) {
  %r = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %a, float %b, <4 x float> zeroinitializer, i32 0, i32 0, i32 3)
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr INBOUNDS <4 x float>, ptr addrspace(1) %d, i32 %l
  store <4 x float> %r, ptr addrspace(1) %p
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
"""


def test_modifiers_have_no_model() -> None:
    """What they do to lanes LLVM's documents do not say: the same call gives the same, and another one not."""
    plain = parse(MODIFIED.replace("INBOUNDS ", ""))
    once = cc.run(plain, threads=64, arguments={"a": 1.0, "b": 1.0}, buffers={"d": "f32[256]"})
    assert "llvm.amdgcn.mfma.f32.16x16x4f32" in once.stand_ins
    zero = cc.run(
        parse(MODIFIED.replace("INBOUNDS ", "").replace("i32 0, i32 3)", "i32 0, i32 0)")),
        threads=64,
        arguments={"a": 1.0, "b": 1.0},
        buffers={"d": "f32[256]"},
    )
    assert not zero.stand_ins and zero.buffers["d"][0] == 4.0
    asked: dict[str, Any] = {"threads": 2, "max_launches": 4, "models": ["maximal"]}
    assert cc.refine(plain, parse(MODIFIED.replace("INBOUNDS", "inbounds")), **asked).verdict == "equal"
    other = parse(MODIFIED.replace("INBOUNDS ", "").replace("i32 0, i32 3)", "i32 0, i32 2)"))
    assert cc.refine(plain, other, **asked).verdict == "wrong"


# -- Rows of shared memory


HEAD = """target triple = "nvptx64-nvidia-cuda"
@s = internal addrspace(3) global [256 x i16] undef, align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.bar.warp.sync(i32) convergent
declare { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.b16.p3(ptr addrspace(3))
declare { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3))
declare void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x2.b16.p3(ptr addrspace(3), i32, i32)
declare void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3), i32, i32)
declare void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.ca.shared.global.4.s(ptr addrspace(3), ptr addrspace(1), i32)
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)
define ptx_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %l = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pin = getelementptr [2 x i32], ptr addrspace(1) %in, i32 %l
  %pout = getelementptr { i32, i32 }, ptr addrspace(1) %out, i32 %l
  %here = getelementptr [2 x i32], ptr addrspace(3) @s, i32 %l
  %lane = and i32 %l, 15
  %row = getelementptr [4 x i32], ptr addrspace(3) @s, i32 %lane
"""
BARRIER = "  call void @llvm.nvvm.bar.warp.sync(i32 -1)\n"
COPIED = f"""  %v = load [2 x i32], ptr addrspace(1) %pin
  store [2 x i32] %v, ptr addrspace(3) %here
{BARRIER}"""


def left(body: str, data: Any, threads: int = 32) -> Any:
    done = cc.run(
        parse(HEAD + body + "  ret void\n}\n"),
        workgroup=threads,
        buffers={"in": data, "out": np.zeros_like(data)},
    )
    assert not done.stand_ins
    return done


@pytest.mark.parametrize("trans", ["", ".trans"])
def test_ldmatrix_and_stmatrix(trans: str) -> None:
    """Two matrices of 8 by 8: lane l has of each the elements 2 (l % 4) and the next of row l / 4, or of that
    column; stored again as they were loaded they are what they were."""
    data = np.arange(128, dtype="u2")
    name = f"sync.aligned.m8n8.x2{trans}.b16.p3"
    load = f"  %r = call {{ i32, i32 }} @llvm.nvvm.ldmatrix.{name}(ptr addrspace(3) %row)\n"
    found = left(COPIED + load + "  store { i32, i32 } %r, ptr addrspace(1) %pout\n", data).buffers["out"]
    matrices = data.reshape(2, 8, 8)
    for lane, registers in enumerate(found.reshape(32, 2, 2)):
        for matrix, pair in zip(matrices, registers, strict=True):
            source = matrix.T if trans else matrix
            assert list(pair) == list(source[lane // 4, 2 * (lane % 4) : 2 * (lane % 4) + 2])
    store = f"""  %a = extractvalue {{ i32, i32 }} %r, 0
  %b = extractvalue {{ i32, i32 }} %r, 1
{BARRIER}  store [2 x i32] zeroinitializer, ptr addrspace(3) %here
{BARRIER}  call void @llvm.nvvm.stmatrix.{name}(ptr addrspace(3) %row, i32 %a, i32 %b)
{BARRIER}  %w = load [2 x i32], ptr addrspace(3) %here
  store [2 x i32] %w, ptr addrspace(1) %pout
"""
    assert (left(COPIED + load + store, data).buffers["out"] == data).all()


def test_lanes_without_a_row_give_no_address() -> None:
    """Lanes from 16 on may have any address: what theirs points to is not looked at."""
    body = COPIED.replace("ret", "") + (
        "  %far = icmp uge i32 %l, 16\n  %p = select i1 %far, ptr addrspace(3) null, ptr addrspace(3) %row\n"
        "  %r = call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.b16.p3(ptr addrspace(3) %p)\n"
    )
    data = np.arange(128, dtype="u2")
    assert left(body, data).ending.__class__.__name__ == "Returned"
    done = left(body.replace("uge i32 %l, 16", "uge i32 %l, 15"), data)
    assert isinstance(done.ending, UndefinedBehaviour)


# -- Asynchronous copies


COPY = """  %from = getelementptr i32, ptr addrspace(1) %in, i32 %l
  %to = getelementptr i32, ptr addrspace(3) @s, i32 %l
  call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %to, ptr addrspace(1) %from)
  call void @llvm.nvvm.cp.async.commit.group()
"""
WAIT = "  call void @llvm.nvvm.cp.async.wait.group(i32 0)\n"
OTHER = """  %x = xor i32 %l, 1
  %o = getelementptr i32, ptr addrspace(3) @s, i32 %x
  %v = load i32, ptr addrspace(3) %o
  %q = getelementptr i32, ptr addrspace(1) %out, i32 %l
  store i32 %v, ptr addrspace(1) %q
"""
OWN = OTHER.replace("xor i32 %l, 1", "xor i32 %l, 0")


def test_who_waits_reads_what_was_copied() -> None:
    data = np.arange(10, 14, dtype="i4")
    done = left(COPY + WAIT + BARRIER + OTHER, data, 4)
    assert list(done.buffers["out"]) == [11, 10, 13, 12]
    assert not done.races
    assert list(left(COPY + WAIT + OWN, data, 4).buffers["out"]) == list(data)


@pytest.mark.parametrize("engine", ["reference", "native", "attended"])
@pytest.mark.parametrize("call", ["global.4(", "global.4.s("])
def test_copies_by_each_engine(engine: EngineKind, call: str) -> None:
    """Native code leaves them to the reference."""
    data = np.arange(4, dtype="u4") + 7
    body = (COPY + WAIT + BARRIER + OTHER).replace("global.4(", call)
    if call.endswith("s("):
        body = body.replace("%from)", "%from, i32 4)")
    once = cc.run(
        parse(HEAD + body + "  ret void\n}\n"), workgroup=4, engine=engine,
        buffers={"in": data, "out": np.zeros_like(data)},
    )  # fmt: skip
    assert isinstance(once.ending, Returned), once.ending
    assert sorted(once.buffers["out"]) == list(data)


@pytest.mark.parametrize("body", [COPY + BARRIER + OTHER, COPY + OWN, COPY + BARRIER + WAIT + OTHER])
def test_who_does_not_wait_races(body: str) -> None:
    """A barrier is no wait, nor is program order; and to wait behind the barrier says nothing to others."""
    data = np.arange(10, 14, dtype="i4")
    done = left(body, data, 4)
    assert done.races
    assert done.outcome.memory["%out"][0] == "undef"


def test_bytes_that_are_not_copied_become_zero() -> None:
    body = COPY.replace("global.4(", "global.4.s(").replace("%from)", "%from, i32 2)")
    data = np.array([0x12345678, -1], "i4")
    assert list(left(body + WAIT + OWN, data, 2).buffers["out"]) == [0x5678, 0xFFFF]


TWO_TO_ONE = """
target triple = "nvptx64-nvidia-cuda"
@g = addrspace(1) global [2 x i32] [i32 7, i32 8]
@l = internal addrspace(3) global [2 x i32] undef, align 8
declare void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3), ptr addrspace(1), i32)
declare void @llvm.nvvm.cp.async.wait.all()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
define i32 @main(i32 %t) convergent {
  %c = icmp eq i32 %t, 0
  br i1 %c, label %a, label %b
a:
  call void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3) @l, ptr addrspace(1) @g, i32 COUNT)
  call void @llvm.nvvm.cp.async.wait.all()
  br label %meet
b:
  store i32 9, ptr addrspace(SPACE) @WHERE
  br label %meet
meet:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %v = load i32, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @l, i64 PART)
  ret i32 %v
}
"""


@pytest.mark.parametrize(
    ("space", "where", "count", "part", "value"),
    [
        (3, "l", 0, 4, 0),  # the target races, at another byte
        (3, "l", 4, 4, 0),
        (3, "l", 8, 4, 8),
        (3, "l", 8, 0, "undef"),
        (3, "l", 0, 0, "undef"),
        (1, "g", 4, 4, 0),  # what is read races, and the zeros behind it are none of that
        (1, "g", 0, 4, 0),
        (1, "g", 0, 0, 0),
        (1, "g", 4, 0, "undef"),
        (1, "g", 8, 4, "undef"),
    ],
)
def test_of_a_copy_what_races_is_undef(
    space: int, where: str, count: int, part: int, value: int | str
) -> None:
    text = TWO_TO_ONE.replace("SPACE", str(space)).replace("WHERE", where)
    module = parse(text.replace("COUNT", str(count)).replace("PART", str(part)))
    found = cc.enumerate(module, threads=2, arguments={"t": [0, 1]})
    assert found.complete
    assert {t.value for o in found.outcomes for t in o.outcome.threads} == {value}


def test_an_arrival_behind_copies_is_named() -> None:
    """Without it an mbarrier waits for ever, which would be said of the program."""
    name = "llvm.nvvm.cp.async.mbarrier.arrive.noinc.shared"
    text = (
        f'target triple = "{NVPTX}"\n@m = internal addrspace(3) global i64 undef\n'
        f"define void @k() convergent {{\n  call void @{name}(ptr addrspace(3) @m)\n  ret void\n}}\n"
        f"declare void @{name}(ptr addrspace(3)) convergent\n"
    )
    ending = cc.run(parse(text), threads=1).ending
    assert isinstance(ending, Unmodelled) and name in ending.feature
    assert cc.refine(parse(text), parse(text), threads=1).verdict in ("equal", "refines")


def test_copies_in_assembly() -> None:
    text = 'asm sideeffect "cp.async.ca.shared.global [$0], [$1], 0x4, $2;", "r,l,r"'
    call = f"call void {text}(ptr addrspace(3) %to, ptr addrspace(1) %from, i32 4)"
    body = COPY.replace(
        "call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %to, ptr addrspace(1) %from)", call
    ).replace(
        "call void @llvm.nvvm.cp.async.commit.group()",
        'call void asm sideeffect "cp.async.commit_group;", ""()',
    )
    data = np.arange(10, 14, dtype="i4")
    wait = '  call void asm sideeffect "cp.async.wait_group 0;", ""()\n'
    assert list(left(body + wait + BARRIER + OTHER, data, 4).buffers["out"]) == [11, 10, 13, 12]
    assert left(body + BARRIER + OTHER, data, 4).races
