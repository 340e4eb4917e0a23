# ruff: noqa: E501 -- a line of IR stays whole
"""Memory: what comes back, and what is undefined.

covers: semantics.instructions.intrinsics_memory, semantics.instructions.memory, semantics.memory.accesses,
semantics.memory.allocations, semantics.memory, semantics.memory.globals
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import convergence as cc
from convergence.ir.instructions import operands
from convergence.ir.module import Module
from convergence.parser import parse
from convergence.semantics import NotModelled, Undefined, UndefinedBehaviour
from convergence.semantics.arithmetic import ConcreteDomain
from convergence.semantics.instructions import prepare_access
from convergence.semantics.instructions.expressions import constant
from convergence.semantics.memory.accesses import footprint, perform
from convergence.semantics.memory.allocations import Memory
from convergence.semantics.values import Composite, Pointer, RuntimeValue, Undef, Value, any_poison
from convergence.semantics.values.datalayout import Layout
from tests.semantics.straight import Runner, body

BIG = "E-p:64:64"


def run(
    result: str,
    lines: str,
    prelude: str = "",
    layout: str | None = None,
    **arguments: tuple[str, RuntimeValue],
) -> RuntimeValue | None:
    runner = body(result, lines, {name: t for name, (t, _) in arguments.items()}, prelude, layout)
    return runner.call("f", [value for _, value in arguments.values()])


def undefined(lines: str, prelude: str = "", **arguments: tuple[str, RuntimeValue]) -> str:
    with pytest.raises(Undefined) as caught:
        run("void", lines, prelude, None, **arguments)
    assert caught.value.section
    return caught.value.reason


@pytest.mark.parametrize(("layout", "answer"), [("e", 0x56781234), ("E", 0x12345678)])
def test_bytes_lie_in_the_targets_order(layout: str, answer: int) -> None:
    lines = """%p = alloca i32
        %q = getelementptr i8, ptr %p, i64 2
        store i16 4660, ptr %p
        store i16 22136, ptr %q
        %r = load i32, ptr %p"""
    assert run("i32", lines, layout=layout) == Value(answer)


@pytest.mark.parametrize(("layout", "answer"), [("e", 0x0201), ("E", 0x0102)])
def test_vectors_have_lane_0_first_in_memory(layout: str, answer: int) -> None:
    lines = "%p = alloca i16\nstore <2 x i8> <i8 1, i8 2>, ptr %p\n%r = load i16, ptr %p"
    assert run("i16", lines, layout=layout) == Value(answer)
    assert run("i16", "%r = bitcast <2 x i8> <i8 1, i8 2> to i16", layout=layout) == Value(answer)


@pytest.mark.parametrize("bits", [1, 3, 7, 12, 17, 33, 100, 128, 1000])
def test_every_integer_width_comes_back(bits: int) -> None:
    value = Value(0x0123456789ABCDEF1122334455667788 % (1 << bits))
    lines = f"%p = alloca i{bits}\nstore i{bits} %x, ptr %p\n%r = load i{bits}, ptr %p"
    assert run(f"i{bits}", lines, x=(f"i{bits}", value)) == value


def test_a_value_can_be_read_in_pieces_and_put_together_again() -> None:
    lines = """%p = alloca i64
        store i64 %x, ptr %p
        %a = load i8, ptr %p
        %q = getelementptr i8, ptr %p, i64 3
        store i8 %a, ptr %q
        %v = load <4 x i16>, ptr %p, align 1
        %r = bitcast <4 x i16> %v to i64"""
    assert run("i64", lines, x=("i64", Value(0x1122334455667788))) == Value(0x1122334488667788)


def test_poison_is_kept_by_value_and_spoils_only_what_overlaps_it() -> None:
    lines = """%p = alloca [2 x i16]
        %q = getelementptr i8, ptr %p, i64 2
        store i16 poison, ptr %p
        store i16 7, ptr %q
        %a = load i16, ptr %q
        %b = load i32, ptr %p, align 1
        %c = load <4 x i8>, ptr %p, align 1
        %s = insertvalue {i16, i32, <4 x i8>} poison, i16 %a, 0
        %t = insertvalue {i16, i32, <4 x i8>} %s, i32 %b, 1
        %r = insertvalue {i16, i32, <4 x i8>} %t, <4 x i8> %c, 2"""
    result = run("{i16, i32, <4 x i8>}", lines)
    assert isinstance(result, Composite)
    a, b, c = result.elements
    assert a == Value(7)
    assert any_poison(b)
    assert isinstance(c, Composite)
    assert c.elements == (Value(0, True), Value(0, True), Value(7), Value(0))


def test_vectors_of_odd_lanes_are_packed() -> None:
    lines = "%p = alloca <8 x i1>\nstore <8 x i1> %v, ptr %p\n%r = load i8, ptr %p"
    bits = Composite(tuple(Value(b) for b in (1, 0, 1, 1, 0, 0, 0, 1)))
    assert run("i8", lines, v=("<8 x i1>", bits)) == Value(0b10001101)
    lines = "%p = alloca i8\nstore i8 %x, ptr %p\n%r = load <8 x i1>, ptr %p"
    assert run("<8 x i1>", lines, x=("i8", Value(0b10001101))) == bits
    spoiled = Composite((Value(1, True), *bits.elements[1:]))
    lines = "%p = alloca <8 x i1>\nstore <8 x i1> %v, ptr %p\n%r = load <8 x i1>, ptr %p"
    assert run("<8 x i1>", lines, v=("<8 x i1>", spoiled)) == spoiled


def test_uninitialised_bytes_read_as_undef_and_are_noted() -> None:
    runner = body("i32", "%p = alloca i32\n%r = load i32, ptr %p")
    assert runner.call("f") == Undef(0)
    assert list(runner.memory.undef_reads) == ["%p"]
    half = "%p = alloca i32\nstore i16 1, ptr %p\n%r = load i32, ptr %p"
    assert run("i32", half) == Undef(1)


def test_a_struct_store_leaves_padding_uninitialised() -> None:
    lines = """%p = alloca {i8, i32}
        call void @llvm.memset.p0.i64(ptr %p, i8 1, i64 8, i1 false)
        store {i8, i32} {i8 2, i32 3}, ptr %p
        %r = load i32, ptr %p"""
    assert run("i32", lines) == Undef(2)


class TestPointers:
    def test_provenance_survives_memory(self) -> None:
        lines = """%p = alloca i32
            %q = alloca ptr
            store ptr %p, ptr %q
            %r = load ptr, ptr %q"""
        result = run("ptr", lines)
        assert isinstance(result, Pointer)
        assert result.provenance is not None
        assert result.provenance.name == "%p"

    def test_provenance_survives_a_copy_in_two_parts(self) -> None:
        lines = """%p = alloca i32
            %q = alloca [2 x ptr]
            store ptr %p, ptr %q
            %to = getelementptr i8, ptr %q, i64 8
            %to4 = getelementptr i8, ptr %q, i64 12
            %from4 = getelementptr i8, ptr %q, i64 4
            call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %q, i64 4, i1 false)
            call void @llvm.memmove.p0.p0.i64(ptr %to4, ptr %from4, i64 4, i1 false)
            %r = load ptr, ptr %to"""
        result = run("ptr", lines)
        assert isinstance(result, Pointer)
        assert result.provenance is not None

    def test_an_integer_made_a_pointer_reaches_the_object_there(self) -> None:
        lines = """%p = alloca i32
            store i32 9, ptr %p
            %i = ptrtoint ptr %p to i64
            %q = inttoptr i64 %i to ptr
            %r = load i32, ptr %q"""
        assert run("i32", lines) == Value(9)

    def test_objects_never_touch_and_null_is_never_one(self) -> None:
        memory = Memory(Layout(), ConcreteDomain())
        made = [memory.allocate(n % 5, 1 << n % 4, owner, "x") for n in range(40) for owner in (None, 0, 1)]
        spans = sorted((p.bits, p.bits + p.provenance.size) for p in made if p.provenance)
        assert spans[0][0] >= 0x1000
        assert all(a[1] < b[0] for a, b in pairwise(spans))

    @pytest.mark.parametrize("align", [1, 2, 4, 8, 16, 64])
    def test_objects_are_no_more_aligned_than_asked_for(self, align: int) -> None:
        memory = Memory(Layout(), ConcreteDomain())
        for owner in (None, 0, 3):
            for _ in range(3):
                assert memory.allocate(5, align, owner, "x").bits % (2 * align) == align

    def test_addresses_of_a_thread_do_not_depend_on_other_threads(self) -> None:
        alone, among = Memory(Layout(), ConcreteDomain()), Memory(Layout(), ConcreteDomain())
        first = [alone.allocate(8, 8, 1, "x") for _ in range(3)]
        second = []
        for _ in range(3):
            among.allocate(100, 4, 0, "y")
            second.append(among.allocate(8, 8, 1, "x"))
            among.allocate(100, 4, 2, "z")
        assert [(p.bits, p.provenance) for p in first] == [(p.bits, p.provenance) for p in second]

    def test_a_stack_is_used_again_after_release(self) -> None:
        memory = Memory(Layout(), ConcreteDomain())
        first = memory.allocate(8, 8, 0, "x")
        memory.release(first)
        second = memory.allocate(8, 8, 0, "x")
        assert (first.bits == second.bits) and first.provenance != second.provenance

    def test_an_address_space_can_be_full(self) -> None:
        memory = Memory(Layout("p3:32:32"), ConcreteDomain())
        with pytest.raises(NotModelled, match="full"):
            memory.allocate(1 << 31, 1, 0, "x", 3)


class TestUndefined:
    def test_null(self) -> None:
        assert "null" in undefined("%r = load i32, ptr null")
        assert "null" in undefined("store i8 1, ptr inttoptr (i64 0 to ptr)")

    def test_no_object(self) -> None:
        assert "0x10" in undefined("store i8 1, ptr inttoptr (i64 16 to ptr)")

    def test_poison_and_undef_pointers(self) -> None:
        assert "poison" in undefined("%r = load i32, ptr poison")
        assert "undef" in undefined("%r = load i32, ptr undef")

    @pytest.mark.parametrize("offset", [-1, 1, 4, 100])
    def test_out_of_bounds(self, offset: int) -> None:
        lines = f"%p = alloca i32\n%q = getelementptr i8, ptr %p, i64 {offset}\nstore i32 1, ptr %q, align 1"
        assert "out of bounds" in undefined(lines)

    def test_an_address_in_another_object_does_not_help(self) -> None:
        lines = """%p = alloca i32
            %q = alloca i32
            %a = ptrtoint ptr %p to i64
            %b = ptrtoint ptr %q to i64
            %d = sub i64 %b, %a
            %s = getelementptr i8, ptr %p, i64 %d
            store i32 1, ptr %s"""
        assert "%p" in undefined(lines)

    def test_misaligned(self) -> None:
        lines = "%p = alloca i32, align 4\nstore i64 1, ptr %p, align 8"
        assert "out of bounds" in undefined(lines)
        lines = "%p = alloca [2 x i32], align 4\nstore i64 1, ptr %p, align 8"
        assert "misaligned" in undefined(lines)

    def test_constant(self) -> None:
        assert "constant @g" in undefined("store i32 1, ptr @g", "@g = constant i32 0")

    def test_after_release(self) -> None:
        runner = body("void", "%r = load i32, ptr %p", {"p": "ptr"})
        pointer = runner.memory.allocate(4, 4, 0, "%x")
        runner.call("f", [pointer])
        runner.memory.release(pointer)
        with pytest.raises(Undefined, match="freed"):
            runner.call("f", [pointer])

    def test_outside_its_lifetime(self) -> None:
        end = "%p = alloca i32\nstore i32 1, ptr %p\ncall void @llvm.lifetime.end.p0(ptr %p)\n"
        assert "lifetime" in undefined(end + "store i32 1, ptr %p")
        assert run("i32", end + "%r = load i32, ptr %p") == Value(0, True)
        copy = "%q = alloca i32\ncall void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 2, i1 0)\n"
        assert run("i16", end + copy + "%r = load i16, ptr %q") == Value(0, True)
        start = "call void @llvm.lifetime.start.p0(i64 4, ptr %p)\n%r = load i32, ptr %p"
        assert run("i32", end + start) == Undef(0)

    def test_noundef_loads(self) -> None:
        assert "noundef" in undefined("%p = alloca i32\n%r = load i32, ptr %p, !noundef !{}")

    def test_overlapping_memcpy(self) -> None:
        lines = "%p = alloca i64\n%q = getelementptr i8, ptr %p, i64 1\n"
        call = "call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 {}, i1 false)"
        assert "overlap" in undefined(lines + call.format(2))
        run("void", lines + call.format(1))
        run("void", "call void @llvm.memcpy.p0.p0.i64(ptr null, ptr null, i64 0, i1 false)")


def test_memmove_of_overlapping_bytes() -> None:
    lines = """%p = alloca i64
        store i64 %x, ptr %p
        %q = getelementptr i8, ptr %p, i64 2
        call void @llvm.memmove.p0.p0.i64(ptr %q, ptr %p, i64 6, i1 false)
        %r = load i64, ptr %p"""
    assert run("i64", lines, x=("i64", Value(0x8877665544332211))) == Value(0x6655443322112211)


def test_masked_lanes_are_not_accessed() -> None:
    lines = """%p = alloca [2 x i32]
        store [2 x i32] [i32 5, i32 6], ptr %p
        %v = call <4 x i32> @llvm.masked.load(ptr %p, i32 4, <4 x i1> %in, <4 x i32> splat (i32 9))
        call void @llvm.masked.store(<4 x i32> %v, ptr %p, i32 4, <4 x i1> %out)
        %r = load [2 x i32], ptr %p"""
    first, second = (Composite(tuple(Value(int(i == on)) for i in range(4))) for on in (0, 1))
    masks: dict[str, Any] = {"in": ("<4 x i1>", first), "out": ("<4 x i1>", second)}
    result = run("[2 x i32]", lines, **masks)
    assert result == Composite((Value(5), Value(9)))


def test_columns_of_a_matrix_lie_a_stride_apart() -> None:
    """What lies between two columns is not touched."""
    lines = """%p = alloca [7 x i32]
        store [7 x i32] [i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7], ptr %p
        %m = call <4 x i32> @llvm.matrix.column.major.load.v4i32.i64(ptr align 4 %p, i64 %n, i1 false, i32 2, i32 2)
        %d = add <4 x i32> %m, splat (i32 10)
        %q = getelementptr i8, ptr %p, i64 4
        call void @llvm.matrix.column.major.store.v4i32.i64(<4 x i32> %d, ptr align 4 %q, i64 %n, i1 false, i32 2, i32 2)
        %r = load [7 x i32], ptr %p"""

    def after(stride: int) -> list[int]:
        result = run("[7 x i32]", lines, n=("i64", Value(stride)))
        assert isinstance(result, Composite)
        return [int(e.bits) for e in result.elements]  # type: ignore[union-attr]

    assert after(4) == [1, 11, 12, 4, 5, 15, 16]
    assert after(2) == [1, 11, 12, 13, 14, 6, 7]
    with pytest.raises(NotModelled, match="a matrix of 2 rows with a stride of 1"):
        after(1)
    with pytest.raises(Undefined, match="out of bounds"):
        after(5)
    load = "call <4 x i1> @llvm.matrix.column.major.load.v4i1.i64(ptr %p, i64 2, i1 false, i32 2, i32 2)"
    with pytest.raises(NotModelled, match="a matrix of i1 in memory"):
        run("i32", f"%p = alloca i32\nstore i32 1, ptr %p\n%m = {load}\n%r = load i32, ptr %p")
    outside = lines.replace("i64 4\n", "i64 2\n")
    with pytest.raises(Undefined, match="no multiple of 4"):
        run("[7 x i32]", outside, n=("i64", Value(4)))


def test_thread_local_variables_are_one_per_thread() -> None:
    lines = "store i32 4, ptr @t\n%r = load i32, ptr @t"
    runner = Runner(f"@t = thread_local global i32 3\ndefine void @f() {{\n{lines}\nret void\n}}")
    store, load, _ = runner.module.functions["f"].instructions
    accesses = [prepare_access(i, runner.context) for i in (store, load)]
    write, read = (
        a(*(constant(o, runner.context) for o in operands(i)))
        for a, i in zip(accesses, (store, load), strict=True)
        if a
    )
    perform(write, runner.memory, 0)
    assert perform(read, runner.memory, 0) == Value(4)
    assert perform(read, runner.memory, 1) == Value(3)
    assert footprint(read, runner.memory, 0) != footprint(read, runner.memory, 1)


ATOMIC: list[tuple[str, int, int, int]] = [
    ("xchg", 5, 3, 3), ("add", 250, 10, 4), ("sub", 3, 5, 254), ("and", 12, 10, 8), ("nand", 12, 10, 247),
    ("or", 12, 10, 14), ("xor", 12, 10, 6), ("max", 200, 5, 5), ("min", 200, 5, 200), ("umax", 200, 5, 200),
    ("umin", 200, 5, 5), ("uinc_wrap", 5, 5, 0), ("uinc_wrap", 4, 5, 5), ("uinc_wrap", 9, 5, 0),
    ("udec_wrap", 0, 5, 5), ("udec_wrap", 4, 5, 3), ("udec_wrap", 9, 5, 5), ("usub_cond", 9, 5, 4),
    ("usub_cond", 4, 5, 4), ("usub_sat", 9, 5, 4), ("usub_sat", 4, 5, 0),
]  # fmt: skip


@pytest.mark.parametrize(("operation", "old", "operand", "new"), ATOMIC)
def test_atomicrmw(operation: str, old: int, operand: int, new: int) -> None:
    lines = f"""%p = alloca i8
        store i8 {old}, ptr %p
        %old = atomicrmw {operation} ptr %p, i8 {operand} syncscope("agent") acq_rel
        %new = load atomic i8, ptr %p acquire, align 1
        %s = insertvalue {{i8, i8}} poison, i8 %old, 0
        %r = insertvalue {{i8, i8}} %s, i8 %new, 1"""
    assert run("{i8, i8}", lines) == Composite((Value(old), Value(new)))


def test_cmpxchg() -> None:
    lines = """%p = alloca i32
        store i32 4, ptr %p
        %a = cmpxchg ptr %p, i32 5, i32 6 seq_cst seq_cst
        %b = cmpxchg weak ptr %p, i32 4, i32 7 seq_cst monotonic
        %c = load i32, ptr %p
        %s = insertvalue {{i32, i1}, {i32, i1}, i32} poison, {i32, i1} %a, 0
        %t = insertvalue {{i32, i1}, {i32, i1}, i32} %s, {i32, i1} %b, 1
        %r = insertvalue {{i32, i1}, {i32, i1}, i32} %t, i32 %c, 2"""
    failed, done = Composite((Value(4), Value(0))), Composite((Value(4), Value(1)))
    assert run("{{i32, i1}, {i32, i1}, i32}", lines) == Composite((failed, done, Value(7)))


def test_footprints_name_the_bytes() -> None:
    runner = body(
        "void",
        """%p = alloca [4 x i32]
        %q = getelementptr i32, ptr %p, i64 1
        store i32 1, ptr %q
        %x = load i16, ptr %q
        call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 4, i1 false)""",
    )
    runner.call("f")
    found = []
    for instruction in runner.module.functions["f"].instructions:
        prepared = prepare_access(instruction, runner.context)
        if prepared:
            access = prepared(*(runner.value(o) for o in operands(instruction)))
            found.append([(t.start, t.stop, t.write) for t in footprint(access, runner.memory, 0)])
    assert found == [[(4, 8, True)], [(4, 6, False)], [(4, 8, False), (0, 4, True)]]


def test_stackrestore_frees_what_came_later() -> None:
    lines = """%a = alloca i32
        %s = call ptr @llvm.stacksave.p0()
        %b = alloca i32
        store i32 1, ptr %b
        call void @llvm.stackrestore.p0(ptr %s)
        store i32 1, ptr %a
        """
    run("void", lines)
    assert "freed" in undefined(lines + "store i32 1, ptr %b")


def test_gather_scatter_expand_and_compress() -> None:
    mask = Composite((Value(1), Value(0), Value(1)))
    lines = """%p = alloca [4 x i32]
        store [4 x i32] [i32 5, i32 6, i32 7, i32 8], ptr %p
        %ps = getelementptr i32, ptr %p, <3 x i64> <i64 3, i64 99, i64 0>
        %g = call <3 x i32> @llvm.masked.gather(<3 x ptr> align 4 %ps, <3 x i1> %m, <3 x i32> splat (i32 9))
        %e = call <3 x i32> @llvm.masked.expandload(ptr %p, <3 x i1> %m, <3 x i32> splat (i32 9))
        call void @llvm.masked.scatter(<3 x i32> splat (i32 1), <3 x ptr> align 4 %ps, <3 x i1> %m)
        %q = getelementptr i32, ptr %p, i64 1
        call void @llvm.masked.compressstore(<3 x i32> <i32 2, i32 3, i32 4>, ptr %q, <3 x i1> %m)
        %a = load [4 x i32], ptr %p
        %s = insertvalue {<3 x i32>, <3 x i32>, [4 x i32]} poison, <3 x i32> %g, 0
        %t = insertvalue {<3 x i32>, <3 x i32>, [4 x i32]} %s, <3 x i32> %e, 1
        %r = insertvalue {<3 x i32>, <3 x i32>, [4 x i32]} %t, [4 x i32] %a, 2"""
    result = run("{<3 x i32>, <3 x i32>, [4 x i32]}", lines, m=("<3 x i1>", mask))
    gathered, expanded = ((8, 9, 5), (5, 9, 6))
    expected = [Composite(tuple(map(Value, lanes))) for lanes in (gathered, expanded, (1, 2, 4, 1))]
    assert result == Composite(tuple(expected))
    bad = "%p = alloca i64\n%q = getelementptr i8, ptr %p, i64 1\n%v = insertelement <1 x ptr> poison, ptr %q, i32 0\n"
    bad += "call void @llvm.masked.scatter(<1 x i16> zeroinitializer, <1 x ptr> align 2 %v, <1 x i1> splat (i1 1))"
    assert "misaligned" in undefined(bad)


def test_load_relative() -> None:
    prelude = """@s = constant [2 x i8] c"hi"
        @t = constant [2 x i32] [i32 0, i32 trunc (i64 sub (i64 ptrtoint (ptr @s to i64), i64 ptrtoint (ptr @t to i64)) to i32)]"""
    line = "%p = call ptr @llvm.load.relative.i64(ptr @t, i64 4)\n%r = load i8, ptr %p"
    assert run("i8", line, prelude) == Value(ord("h"))


def test_a_byval_argument_may_have_a_literal_type() -> None:
    text = """
        define double @callee(ptr byval({ float, <{ i8, double }> }) %p) {
          %y = getelementptr i8, ptr %p, i64 5
          %x = load double, ptr %y, align 1
          store double 0.0, ptr %y, align 1
          ret double %x
        }
        define double @f() {
          %own = alloca { float, <{ i8, double }> }
          %y = getelementptr i8, ptr %own, i64 5
          store double 5.0, ptr %y, align 1
          %a = call double @callee(ptr byval({ float, <{ i8, double }> }) %own)
          %b = load double, ptr %y, align 1
          %sum = fadd double %a, %b
          ret double %sum
        }"""
    assert cc.run(parse(text), function="f", threads=1).outcome.threads[0].value == 10.0


def test_a_byval_argument_is_a_copy_that_ends_with_the_call() -> None:
    text = """
        %pair = type { i32, i32 }
        define ptr @callee(ptr byval(%pair) align 4 %p) {
          %x = load i32, ptr %p
          %y = add i32 %x, 1
          store i32 %y, ptr %p
          ret ptr %p
        }
        define i32 @f() {
          %own = alloca %pair
          store %pair { i32 5, i32 6 }, ptr %own
          %dangling = call ptr @callee(ptr byval(%pair) align 4 %own)
          %x = load i32, ptr %own
          ret i32 %x
        }
        define i32 @g() {
          %own = alloca %pair
          store %pair { i32 5, i32 6 }, ptr %own
          %dangling = call ptr @callee(ptr byval(%pair) align 4 %own)
          %x = load i32, ptr %dangling
          ret i32 %x
        }
        define i32 @h() {
          %dangling = call ptr @callee(ptr byval(%pair) align 4 null)
          ret i32 0
        }"""
    module = parse(text, ask_llvm=False)
    assert cc.run(module, function="f", threads=1).outcome.threads[0].value == 5
    for name, reason in (("g", "freed"), ("h", "null")):
        ending = cc.run(module, function=name, threads=1).ending
        assert isinstance(ending, UndefinedBehaviour)
        assert reason in ending.reason


def test_a_byval_argument_may_have_any_type() -> None:
    text = """
        define i32 @callee(ptr byval({ i8, [2 x i32] }) %p, ptr byval(i32) align 8 %q) {
          %a = getelementptr i32, ptr %p, i32 2
          %x = load i32, ptr %a
          %y = load i32, ptr %q, align 8
          %r = add i32 %x, %y
          ret i32 %r
        }
        @g = constant { i8, [2 x i32] } { i8 1, [2 x i32] [i32 20, i32 300] }
        @h = constant i32 4000
        define i32 @f() {
          %r = call i32 @callee(ptr byval({ i8, [2 x i32] }) @g, ptr byval(i32) align 8 @h)
          ret i32 %r
        }"""
    module = parse(text, ask_llvm=False)
    assert cc.run(module, function="f", threads=1).outcome.threads[0].value == 4300


BEGUN = """
define i32 @before() {
  %p = alloca i32
  store i32 5, ptr %p
  call void @llvm.lifetime.start.p0(ptr %p)
  ret i32 0
}
define i32 @early() {
  %p = alloca i32
  %r = load i32, ptr %p
  call void @llvm.lifetime.start.p0(ptr %p)
  ret i32 %r
}
define i32 @after() {
  %p = alloca i32
  call void @llvm.lifetime.start.p0(ptr %p)
  store i32 5, ptr %p
  %r = load i32, ptr %p
  ret i32 %r
}
define i32 @other() {
  %p = alloca i32
  %q = alloca i32
  store i32 6, ptr %p
  call void @llvm.lifetime.start.p0(ptr %q)
  %r = load i32, ptr %p
  ret i32 %r
}
declare void @llvm.lifetime.start.p0(ptr)
"""


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_what_a_lifetime_begins_is_dead_before(engine: Any) -> None:
    """LangRef, *Object Lifetime*: storing to it is undefined, and what is loaded from it is poison."""
    module = parse(BEGUN)

    def ran(function: str) -> cc.Run:
        return cc.run(module, function=function, threads=1, engine=engine)

    ending = ran("before").ending
    assert isinstance(ending, UndefinedBehaviour) and "lifetime" in ending.reason
    values = [ran(function).outcome.threads[0].value for function in ("early", "after", "other")]
    assert values == ["poison", 5, 6]


GIVEN = """
declare i32 @ask(ptr byval(%pair))
declare void @tell(ptr byval(i32), i32) CONVERGENT
define i32 @NAME(ptr dereferenceable(8) %p) CONVERGENT {
  %own = alloca %pair, align 16
  call void @llvm.memcpy.p0.p0.i64(ptr %own, ptr %p, i64 8, i1 false)
  %r = call i32 @ask(ptr byval(%pair) ASKED)
  call void @tell(ptr byval(i32) TOLD, i32 1)
  ret i32 %r
}
"""


@pytest.mark.parametrize("convergent", ["", "convergent"])
def test_what_a_declared_callee_is_given_by_value_has_no_place(convergent: str) -> None:
    """A pass gives it the source of a copy; what lies there is compared."""

    def side(asked: str, told: str) -> Module:
        text = GIVEN.replace("NAME", "f").replace("CONVERGENT", convergent)
        return parse("%pair = type { i32, i32 }\n" + text.replace("ASKED", asked).replace("TOLD", told))

    copied = side("%own", "%own")
    for asked, told, verdict in (("%p", "%p", "equal"), ("%p", "%own", "equal"), ("%own", "@g", "wrong")):
        target = side(asked, told.replace("@g", "getelementptr (i8, ptr null, i64 0)"))
        assert cc.refine(copied, target, threads=2, max_launches=8).verdict == verdict
    source = cc.run(copied, threads=1, buffers={"p": "i32[2]:7,8"})
    assert [event.operands for event in source.outcome.threads[0].events] == [([7, 8],), (7, 1)]


@pytest.mark.parametrize(
    "line", ["store [9999999999999 x i8] zeroinitializer, ptr null", "%x = load [99999999 x {}], ptr null"]
)
def test_values_beyond_all_memory_are_named(line: str) -> None:
    with pytest.raises(NotModelled, match="elements"):
        run("void", line)
