# ruff: noqa: E501 -- a line of IR stays whole
"""Instructions by example: select, freeze, floats, vectors, aggregates, addresses, conversions.

covers: semantics.instructions.binary, semantics.instructions.conversion,
semantics.instructions.expressions, semantics.instructions.lifting, semantics.instructions.other,
semantics.threads.compile, semantics.threads.translation
"""

from __future__ import annotations

import struct
from typing import Any

import pytest

from convergence.ir import instructions as ir
from convergence.ir.instructions import operands
from convergence.semantics import NotModelled, Undefined
from convergence.semantics.instructions import prepare, prepare_access
from convergence.semantics.instructions.lifting import checked_result
from convergence.semantics.values import Composite, Pointer, RuntimeValue, Undef, Value, any_poison, scalars
from tests.semantics.straight import Runner, body

POISON = Value(0, True)


def run(
    result: str, line: str, prelude: str = "", layout: str | None = None, **given: tuple[str, RuntimeValue]
) -> RuntimeValue:
    runner = body(
        result,
        line if "%r =" in line else f"%r = {line}",
        {n: t for n, (t, _) in given.items()},
        prelude,
        layout,
    )
    value = runner.call("f", [v for _, v in given.values()])
    assert value is not None
    return value


def vector(*lanes: int | None) -> Composite:
    """Lanes by value; ``None`` is poison."""
    return Composite(tuple(POISON if lane is None else Value(lane) for lane in lanes))


def single(x: float) -> int:
    return int.from_bytes(struct.pack("<f", x), "little")


NAN, INF = ("float", Value(0x7FC00000)), ("float", Value(0x7F800000))


class TestSelectAndFreeze:
    def test_the_value_that_is_not_chosen_does_not_matter(self) -> None:
        assert run("i8", "select i1 true, i8 1, i8 poison") == Value(1)
        assert run("i8", "select i1 false, i8 1, i8 poison") == POISON

    def test_a_poison_condition_spoils_every_element(self) -> None:
        result = run(
            "{i8, <2 x i8>}",
            "select i1 poison, {i8, <2 x i8>} zeroinitializer, {i8, <2 x i8>} zeroinitializer",
        )
        assert all(s.poison for s in scalars(result))

    def test_a_vector_condition_chooses_by_lane(self) -> None:
        c = ("<3 x i1>", Composite((Value(1), Value(0), POISON)))
        line = "select <3 x i1> %c, <3 x i8> <i8 1, i8 2, i8 3>, <3 x i8> <i8 4, i8 5, i8 6>"
        assert run("<3 x i8>", line, c=c) == vector(1, 5, None)

    def test_a_pointer_keeps_its_provenance(self) -> None:
        result = run("ptr", "select i1 true, ptr @g, ptr null", "@g = global i8 0")
        assert isinstance(result, Pointer)
        assert result.provenance is not None
        assert result.provenance.name == "@g"

    def test_flags_apply_to_the_chosen_value(self) -> None:
        assert any_poison(run("float", "select nnan i1 true, float %x, float 1.0", x=NAN))
        assert run("float", "select nnan i1 false, float %x, float 1.0", x=NAN) == Value(single(1.0))

    def test_freeze_fixes_poison_and_undef_by_element(self) -> None:
        assert run("i8", "freeze i8 poison") == Value(0)
        assert run("i8", "freeze i8 undef") == Value(0)
        assert run("i8", "freeze i8 %x", x=("i8", Value(9, True))) == Value(0)
        assert run("i8", "freeze i8 7") == Value(7)
        assert run("<2 x i8>", "freeze <2 x i8> <i8 1, i8 poison>") == vector(1, 0)
        assert run("{i8, [1 x i8]}", "freeze {i8, [1 x i8]} poison") == Composite((Value(0), vector(0)))
        assert not any_poison(run("ptr", "freeze ptr poison"))
        kept = run("ptr", "freeze ptr @g", "@g = global i8 0")
        assert isinstance(kept, Value)
        assert kept.provenance is not None


class TestUndef:
    def test_it_is_marked_until_it_is_computed_with(self) -> None:
        assert run("i8", "select i1 true, i8 undef, i8 0") == Undef(0)
        assert run("i8", "add i8 undef, 3") == Value(3)


class TestFloats:
    @pytest.mark.parametrize(
        ("op", "x", "y", "answer"),
        [("fadd", 1.5, 2.25, 3.75), ("fsub", 1.0, 2.0**-30, 1.0), ("fmul", 3.0, -0.5, -1.5), ("frem", -5.5, 2.0, -1.5),
         ("fdiv", 1.0, 3.0, struct.unpack("<f", struct.pack("<f", 1 / 3))[0])],
    )  # fmt: skip
    def test_arithmetic(self, op: str, x: float, y: float, answer: float) -> None:
        operands_: dict[str, Any] = {"x": ("float", Value(single(x))), "y": ("float", Value(single(y)))}
        assert run("float", f"{op} float %x, %y", **operands_) == Value(single(answer))

    def test_nnan_and_ninf_make_poison(self) -> None:
        one = ("float", Value(single(1.0)))
        for flags, x, bad in [
            ("nnan", NAN, True),
            ("nnan", INF, False),
            ("ninf", INF, True),
            ("ninf", NAN, False),
        ]:
            assert any_poison(run("float", f"fadd {flags} float %x, %y", x=x, y=one)) == bad
        for x in (INF, NAN):
            assert any_poison(run("float", "fadd fast float %x, %y", x=x, y=one))
        assert any_poison(run("float", "fdiv ninf float %x, 0.0", x=one))  # the result is infinite
        assert not any_poison(run("float", "fdiv nsz arcp contract afn reassoc float %x, 0.0", x=one))
        assert any_poison(run("i1", "fcmp nnan oeq float %x, %y", x=one, y=NAN))
        assert any_poison(run("float", "fneg nnan float %x", x=NAN))

    def test_fneg_flips_the_sign_of_a_nan(self) -> None:
        assert run("float", "fneg float %x", x=NAN) == Value(0xFFC00000)

    def test_phi_and_call_results_have_flags_too(self) -> None:
        runner = body("float", "%r = fadd float 0.0, 0.0")
        instruction = runner.module.functions["f"].instructions[0]
        assert isinstance(instruction, ir.Binary)
        check = checked_result(("nnan",), instruction.lhs.type, runner.context.domain)
        assert check is not None
        assert any_poison(check(NAN[1]))
        assert not any_poison(check(INF[1]))
        assert checked_result(("nsz",), instruction.lhs.type, runner.context.domain) is None

    @pytest.mark.parametrize("kind", ["half", "bfloat", "fp128", "x86_fp80"])
    def test_every_ieee_format_computes(self, kind: str) -> None:
        line = f"%a = sitofp i32 -7 to {kind}\n%b = fmul {kind} %a, %a\n%r = fptosi {kind} %b to i32"
        assert run("i32", line) == Value(49)

    def test_ppc_fp128_is_named(self) -> None:
        with pytest.raises(NotModelled, match="ppc_fp128"):
            run("ppc_fp128", "fadd ppc_fp128 poison, poison")


class TestConversions:
    def test_floats_to_integers(self) -> None:
        x = ("float", Value(single(-2.9)))
        assert run("i8", "fptosi float %x to i8", x=x) == Value(254)
        assert any_poison(run("i8", "fptoui float %x to i8", x=x))
        assert any_poison(run("i8", "fptosi float %x to i8", x=("float", Value(single(128.0)))))
        assert any_poison(run("i8", "fptosi float %x to i8", x=NAN))
        assert run("i8", "call i8 @llvm.fptosi.sat.i8.f32(float %x)", x=INF) == Value(127)
        assert run(
            "i8", "call i8 @llvm.fptosi.sat.i8.f32(float %x)", x=("float", Value(0xFF800000))
        ) == Value(128)

    def test_uitofp_nneg(self) -> None:
        assert any_poison(run("float", "uitofp nneg i8 -1 to float"))
        assert run("float", "uitofp i8 -1 to float") == Value(single(255.0))

    def test_bitcast_spoils_a_scalar_by_any_of_its_bits(self) -> None:
        line = "bitcast <2 x i8> <i8 1, i8 poison> to i16"
        assert any_poison(run("i16", line))
        assert run("<4 x i4>", "bitcast <2 x i8> <i8 poison, i8 33> to <4 x i4>", layout="e") == vector(
            None, None, 1, 2
        )
        assert run("<4 x i4>", "bitcast <2 x i8> <i8 poison, i8 33> to <4 x i4>", layout="E") == vector(
            None, None, 2, 1
        )
        assert run("i32", "bitcast <1 x float> <float 1.0> to i32") == Value(single(1.0))

    def test_pointers_and_integers(self) -> None:
        layout, prelude = "e-p:64:64-p3:32:32", "@g = addrspace(3) global i32 0"
        line = "%i = ptrtoint ptr addrspace(3) @g to i16\n%j = ptrtoint ptr addrspace(3) @g to i64\n%k = trunc i64 %j to i16\n%r = icmp eq i16 %i, %k"
        assert run("i1", line, prelude, layout) == Value(1)
        line = "%p = addrspacecast ptr addrspace(3) @g to ptr\nstore i32 5, ptr %p\n%r = load i32, ptr addrspace(3) @g"
        assert run("i32", line, prelude, layout) == Value(5)
        cast = run("ptr", "addrspacecast ptr addrspace(3) @g to ptr", prelude, layout)
        assert isinstance(cast, Pointer)
        assert cast.provenance is not None
        assert cast.provenance.name == "@g"

    def test_an_address_is_narrower_than_a_fat_pointer(self) -> None:
        layout = "e-p7:160:256:256:32"
        line = "%p = inttoptr i160 %x to ptr addrspace(7)\n%r = ptrtoaddr ptr addrspace(7) %p to i32"
        assert run("i32", line, "", layout, x=("i160", Value((1 << 100) + 77))) == Value(77)
        line = "%p = inttoptr i160 %x to ptr addrspace(7)\n%q = getelementptr i8, ptr addrspace(7) %p, i32 -1\n%r = ptrtoint ptr addrspace(7) %q to i160"
        assert run("i160", line, "", layout, x=("i160", Value(1 << 100))) == Value((1 << 100) + (1 << 32) - 1)


class TestVectorsAndAggregates:
    def test_indices_out_of_range_give_poison(self) -> None:
        v = ("<3 x i8>", vector(1, 2, 3))
        assert run("i8", "extractelement <3 x i8> %v, i64 2", v=v) == Value(3)
        assert run("i8", "extractelement <3 x i8> %v, i64 3", v=v) == POISON
        assert run("i8", "extractelement <3 x i8> %v, i8 poison", v=v) == POISON
        assert run("<3 x i8>", "insertelement <3 x i8> %v, i8 9, i32 1", v=v) == vector(1, 9, 3)
        assert run("<3 x i8>", "insertelement <3 x i8> %v, i8 9, i32 3", v=v) == vector(None, None, None)
        assert run("<3 x i8>", "insertelement <3 x i8> %v, i8 9, i1 1", v=v) == vector(1, 9, 3)

    def test_shuffle(self) -> None:
        line = "shufflevector <2 x i8> <i8 1, i8 2>, <2 x i8> <i8 3, i8 poison>, <5 x i32> <i32 2, i32 poison, i32 0, i32 3, i32 1>"
        assert run("<5 x i8>", line) == vector(3, None, 1, None, 2)
        assert run(
            "<2 x i8>", "shufflevector <2 x i8> <i8 1, i8 2>, <2 x i8> poison, <2 x i32> zeroinitializer"
        ) == vector(1, 1)
        assert run(
            "<2 x i8>", "shufflevector <2 x i8> <i8 1, i8 2>, <2 x i8> poison, <2 x i32> splat (i32 1)"
        ) == vector(2, 2)

    def test_poison_is_per_lane(self) -> None:
        assert run("<2 x i8>", "add nuw <2 x i8> <i8 255, i8 1>, splat (i8 1)") == vector(None, 2)

    def test_division_by_zero_in_one_lane_is_undefined(self) -> None:
        with pytest.raises(Undefined, match="division by zero"):
            run("<2 x i8>", "udiv <2 x i8> <i8 1, i8 1>, <i8 1, i8 0>")

    def test_nested_elements(self) -> None:
        t = "{i8, [2 x {i8, i8}]}"
        line = f"%a = insertvalue {t} zeroinitializer, i8 5, 1, 1, 0\n%r = extractvalue {t} %a, 1"
        assert run("[2 x {i8, i8}]", line) == Composite((vector(0, 0), vector(5, 0)))

    def test_scalable_vectors_are_named(self) -> None:
        with pytest.raises(NotModelled, match="scalable"):
            run("<vscale x 4 x i32>", "add <vscale x 4 x i32> poison, poison")


class TestAddresses:
    PRELUDE = "%s = type { i8, [3 x i32], <4 x i16> }\n@g = global [4 x %s] zeroinitializer, align 16"

    def offset(self, line: str, **given: tuple[str, RuntimeValue]) -> int | None:
        """How far from @g; ``None`` for poison."""
        runner = body("ptr", f"%r = {line}", {n: t for n, (t, _) in given.items()}, self.PRELUDE)
        value = runner.call("f", [v for _, v in given.values()])
        assert isinstance(value, Pointer)
        return None if value.poison else int(value.bits - runner.context.address_of("g").bits)

    def test_structs_arrays_and_vectors(self) -> None:
        size = 24
        assert self.offset("getelementptr %s, ptr @g, i64 1, i32 1, i64 2") == size + 4 + 8
        assert self.offset("getelementptr %s, ptr @g, i64 -1, i32 2, i64 3") == -size + 16 + 6
        assert self.offset("getelementptr [4 x %s], ptr @g, i64 0, i64 %i", i=("i64", Value(3))) == 3 * size
        assert self.offset("getelementptr %s, ptr @g, i8 %i", i=("i8", Value(255))) == -size
        assert self.offset("getelementptr %s, ptr @g, i128 %i", i=("i128", Value((1 << 64) + 1))) == size

    def test_inbounds(self) -> None:
        assert self.offset("getelementptr inbounds i8, ptr @g, i64 96") == 96  # one past the end
        assert self.offset("getelementptr inbounds i8, ptr @g, i64 97") is None
        assert self.offset("getelementptr inbounds i8, ptr @g, i64 -1") is None
        # each partial sum counts: a long way out and back is not in bounds
        assert self.offset("getelementptr inbounds [4 x %s], ptr @g, i64 2, i64 -8") is None
        assert self.offset("getelementptr [4 x %s], ptr @g, i64 2, i64 -8") == 0
        assert self.offset("getelementptr inbounds i8, ptr @g, i64 %i", i=("i64", Value(5))) == 5
        assert self.offset("getelementptr inbounds i8, ptr @g, i64 %i", i=("i64", POISON)) is None
        assert self.offset("getelementptr inbounds i64, ptr @g, i64 %i", i=("i64", Value(1 << 61))) is None
        assert self.offset("getelementptr inbounds nuw i8, ptr @g, i64 %i", i=("i64", Value(5))) == 5

    def test_null_is_in_bounds_of_nothing_but_itself(self) -> None:
        assert run("ptr", "getelementptr inbounds i8, ptr null, i64 0") == Pointer(0, None)
        assert any_poison(run("ptr", "getelementptr inbounds i8, ptr null, i64 1"))

    def test_nuw_and_nusw(self) -> None:
        high = ("ptr", Pointer((1 << 64) - 8, None))
        assert any_poison(run("ptr", "getelementptr nuw i8, ptr %p, i64 8", p=high))
        assert not any_poison(run("ptr", "getelementptr nuw i8, ptr %p, i64 7", p=high))
        assert any_poison(run("ptr", "getelementptr nuw i8, ptr %p, i64 -1", p=high))
        low = ("ptr", Pointer(16, None))
        wide, far = "getelementptr nuw i8, ptr %p, i68 %i", (1 << 64) - 64
        assert not any_poison(run("ptr", wide, p=low, i=("i68", Value(far))))  # the cut is unsigned
        assert any_poison(run("ptr", wide, p=low, i=("i68", Value((1 << 64) + 1))))
        assert any_poison(run("ptr", wide.replace("nuw", "nusw"), p=low, i=("i68", Value(far))))
        assert any_poison(run("ptr", wide, p=low, i=("i68", Value((1 << 68) - 1))))
        assert not any_poison(run("ptr", wide.replace("nuw", "nusw"), p=low, i=("i68", Value((1 << 68) - 1))))
        assert not any_poison(run("ptr", "getelementptr nusw i8, ptr %p, i64 -1", p=high))
        assert any_poison(run("ptr", "getelementptr nusw i8, ptr %p, i64 8", p=high))
        assert any_poison(run("ptr", "getelementptr nusw i8, ptr null, i64 -1"))
        large = ("i64", Value(1 << 62))
        assert any_poison(run("ptr", "getelementptr nusw i32, ptr null, i64 %i", i=large))
        assert not any_poison(run("ptr", "getelementptr i32, ptr null, i64 %i", i=large))

    def test_vectors_of_pointers(self) -> None:
        runner = body(
            "<2 x ptr>", "%r = getelementptr i32, ptr @g, <2 x i64> <i64 1, i64 3>", prelude=self.PRELUDE
        )
        base = runner.context.address_of("g").bits
        assert runner.call("f") == Composite((Pointer(base + 4, None), Pointer(base + 12, None)))


class TestStrictness:
    """Nothing fails before a thread reaches it."""

    LINES = (
        "%r = add <vscale x 4 x i32> poison, poison",
        "%r = fadd ppc_fp128 poison, poison",
        "%r = load <vscale x 4 x i32>, ptr null",
        '%r = load target("aarch64.svcount"), ptr null',
        "%r = atomicrmw fadd ptr null, ppc_fp128 poison seq_cst",
        "%r = call <vscale x 4 x i32> @llvm.abs(<vscale x 4 x i32> poison, i1 0)",
    )

    @pytest.mark.parametrize("line", LINES)
    def test_preparing_never_raises(self, line: str) -> None:
        runner = Runner(f"define void @f() {{\n{line}\nret void\n}}")
        instruction = runner.module.functions["f"].instructions[0]
        prepare(instruction, runner.context)
        prepare_access(instruction, runner.context)
        with pytest.raises(NotModelled):
            runner.call("f")


def test_operands_leave_out_what_is_part_of_the_instruction() -> None:
    line = "%r = shufflevector <2 x i8> poison, <2 x i8> poison, <2 x i32> poison"
    runner = Runner(f"define void @f() {{\n{line}\nret void\n}}")
    shuffle, ret = runner.module.functions["f"].instructions
    assert len(operands(shuffle)) == 2
    assert operands(ret) == ()
