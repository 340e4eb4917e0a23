"""Both domains give the same answer: instruction functions are written once, so only the domains can differ.

Each line is evaluated on z3 variables, which then get random values; the concrete domain gets the values.
"""

from __future__ import annotations

import random

import pytest
import z3

from convergence.ir.types import FloatType, PointerType, Type, VectorType
from convergence.parser import parse
from convergence.semantics.domain import Domain
from convergence.semantics.domain_concrete import ConcreteDomain
from convergence.semantics.domain_z3 import Z3Domain
from convergence.semantics.floats import FORMATS
from convergence.semantics.layout import Layout
from convergence.semantics.values import Composite, Pointer, RuntimeValue, Undefined, Value, scalars
from tests.semantics.straight import Runner

UNDEFINED = "undefined"

INTEGER = [
    *(f"{op} {flags} i7 %a, %b" for op in ("add", "sub", "mul", "shl") for flags in ("", "nuw", "nsw")),
    *(f"{op} {flags} i7 %a, %b" for op in ("udiv", "sdiv", "lshr", "ashr") for flags in ("", "exact")),
    *(f"{op} i7 %a, %b" for op in ("urem", "srem", "and", "xor", "or disjoint")),
    *(f"icmp samesign {p} i7 %a, %b" for p in ("eq", "ne", "ult", "uge", "slt", "sge")),
    "trunc nuw i7 %a to i3", "trunc nsw i7 %a to i3", "zext nneg i7 %a to i9", "sext i7 %a to i9",
    "add <2 x i7> %v, %v", "extractelement <2 x i7> %v, i7 %a", "insertelement <2 x i7> %v, i7 %a, i7 %b",
    "shufflevector <2 x i7> %v, <2 x i7> %v, <3 x i32> <i32 3, i32 poison, i32 0>",
    "bitcast <2 x i7> %v to <14 x i1>",
    "select i1 %c, i7 %a, i7 %b", "select i1 %c, <2 x i7> %v, <2 x i7> zeroinitializer", "freeze i7 %a",
    *(f"call i7 @llvm.{n}(i7 %a, i7 %b)" for n in ("smax", "umin", "sadd.sat", "usub.sat", "sshl.sat",
    "ushl.sat")),
    *(f"call i7 @llvm.{n}(i7 %a)" for n in ("ctpop", "bitreverse")),
    *(f"call i7 @llvm.{n}(i7 %a, i1 1)" for n in ("ctlz", "cttz", "abs")),
    *(f"call i7 @llvm.{n}(i7 %a, i7 %b, i7 %a)" for n in ("fshl", "fshr")),
    "call {i7, i1} @llvm.smul.with.overflow(i7 %a, i7 %b)", "call i7 @llvm.vector.reduce.add(<2 x i7> %v)",
    "call i3 @llvm.scmp(i7 %a, i7 %b)", "getelementptr inbounds i16, ptr %p, i7 %a",
    "getelementptr nuw [3 x i8], ptr %p, i7 %a, i7 %b", "getelementptr nusw i8, ptr %p, i7 %a",
    "ptrtoint ptr %p to i7",
    "select i1 %c, ptr %p, ptr %q", "icmp ult ptr %p, %q",
]  # fmt: skip
FLOATING = [
    *(f"{op} {flags} half %x, %y" for op in ("fadd", "fsub", "fmul", "fdiv", "frem") for flags in ("",
    "nnan", "ninf")),
    *(f"fcmp {p} half %x, %y" for p in ("oeq", "olt", "ole", "one", "ueq", "ugt", "une", "ord", "uno")),
    "fneg half %x", "fpext half %x to float", "fpext half %x to double", "fptosi half %x to i7",
    "fptoui half %x to i7",
    "sitofp i7 %a to half", "uitofp i7 %a to bfloat", "fptosi half %x to i40", "bitcast half %x to i16",
    *(f"call half @llvm.{n}(half %x)" for n in ("sqrt", "fabs", "floor", "ceil", "trunc", "rint", "round",
    "canonicalize")),
    *(f"call half @llvm.{n}(half %x, half %y)" for n in ("minnum", "maximum", "minimumnum", "copysign")),
    "call half @llvm.fma(half %x, half %y, half %x)", "call i7 @llvm.fptosi.sat(half %x)",
    "call i7 @llvm.fptoui.sat(half %x)",
    *(f"call i1 @llvm.is.fpclass(half %x, i32 {1 << n})" for n in range(10)),
]  # fmt: skip
PARAMETERS = "i7 %a, i7 %b, i1 %c, <2 x i7> %v, half %x, half %y, ptr %p, ptr %q"


def random_bits(type_: Type, layout: Layout, rng: random.Random) -> int:
    width = layout.bits(type_)
    if isinstance(type_, FloatType) and rng.random() < 0.4:
        f = FORMATS[type_.kind]
        return rng.choice([0, f.infinity, f.nan, f.infinity | 1, 1, f.infinity - 1]) | rng.choice(
            [0, f.sign_bit]
        )
    return rng.choice(
        [rng.getrandbits(width), rng.getrandbits(width), 0, 1, (1 << width) - 1, 1 << (width - 1)]
    )


def run(line: str, arguments: list[RuntimeValue], domain: Domain) -> RuntimeValue | str:
    runner = Runner(
        parse(
            f"@g = global i64 0\ndefine void @f({PARAMETERS}) {{\n%r = {line}\nret void\n}}", ask_llvm=False
        ),
        domain,
    )
    try:
        runner.call("f", arguments)
    except Undefined:
        return UNDEFINED
    return runner.values["r"]


@pytest.mark.parametrize("line", INTEGER + FLOATING)
def test_domains_agree(line: str) -> None:
    rng = random.Random(line)
    parameters = (
        parse(f"define void @f({PARAMETERS}) {{\nret void\n}}", ask_llvm=False).functions["f"].parameters
    )
    layout = Layout()
    variables: list[tuple[z3.ExprRef, z3.ExprRef, Type]] = []

    def unknown(type_: Type) -> Value:
        bits, poison = z3.BitVec(f"x{len(variables)}", layout.bits(type_)), z3.Bool(f"p{len(variables)}")
        variables.append((bits, poison, type_))
        return Pointer(bits, None, poison) if isinstance(type_, PointerType) else Value(bits, poison)

    arguments: list[RuntimeValue] = []
    for p in parameters:
        if isinstance(p.type, VectorType):
            arguments.append(Composite(tuple(unknown(p.type.element) for _ in range(p.type.count))))
        else:
            arguments.append(unknown(p.type))
    symbolic = Z3Domain()
    general = run(line, arguments, symbolic)
    assert general != UNDEFINED
    for _ in range(30):
        values = [(random_bits(t, layout, rng), rng.random() < 0.1) for _, _, t in variables]
        fixed = [(b, z3.BitVecVal(v, b.size())) for (b, _, _), (v, _) in zip(variables, values, strict=True)]
        fixed += [(p, z3.BoolVal(x)) for (_, p, _), (_, x) in zip(variables, values, strict=True)]
        supply = iter(values)

        def given(type_: Type, supply=supply) -> Value:  # type: ignore[no-untyped-def]
            bits, poison = next(supply)
            return Pointer(bits, None, poison) if isinstance(type_, PointerType) else Value(bits, poison)

        known: list[RuntimeValue] = []
        for p in parameters:
            if isinstance(p.type, VectorType):
                known.append(Composite(tuple(given(p.type.element) for _ in range(p.type.count))))
            else:
                known.append(given(p.type))
        concrete = run(line, known, ConcreteDomain())
        sound = all(
            z3.is_true(z3.simplify(z3.substitute(r.condition, *fixed))) for r in symbolic.requirements
        )
        assert sound == (concrete != UNDEFINED)
        if isinstance(concrete, str) or isinstance(general, str):
            continue
        for ours, term in zip(scalars(concrete), scalars(general), strict=True):
            poison = (
                term.poison
                if isinstance(term.poison, bool)
                else z3.is_true(z3.simplify(z3.substitute(term.poison, *fixed)))
            )
            assert poison == ours.poison, values
            if not poison:
                assert z3.simplify(z3.substitute(term.bits, *fixed)).as_long() == ours.bits, values


def test_what_is_known_needs_no_solver() -> None:
    domain = Z3Domain()
    x = z3.BitVec("x", 8)
    assert domain.both(True, domain.either(False, False)) is False
    assert domain.concrete(x - x + 3, "x") == 3
    assert run("udiv i7 1, 0", [Value(z3.BitVecVal(0, 7))] * 8, domain) == UNDEFINED
    domain.require(x != 0, "division by zero", "udiv")
    assert [r.reason for r in domain.requirements] == ["division by zero"]


def test_pointers_to_different_objects_join_to_one_that_may_point_to_either() -> None:
    domain, c = Z3Domain(), z3.Bool("c")
    runner = Runner(parse("@a = global i8 0\n@b = global i8 0", ask_llvm=False), domain)
    a, b = runner.context.address_of("a"), runner.context.address_of("b")
    same, other = domain.choose(c, a, a), domain.choose(c, a, b)
    assert isinstance(same, Pointer)
    assert isinstance(other, Pointer)
    assert same.provenance == a.provenance
    assert other.provenance is None
