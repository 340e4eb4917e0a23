"""Both domains give the same answer: instruction functions are written once, so only the domains can differ.

Each line is evaluated on random values and on z3 variables for them; what the path depends on is decided
by those values, and the terms that come out must have the values that the concrete domain gives.

covers: semantics.arithmetic, semantics.arithmetic.domain
"""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
import z3

from convergence.ir import FloatType, PointerType, Type, VectorType
from convergence.ir.module import Module, Parameter
from convergence.parser import parse
from convergence.semantics import Undefined
from convergence.semantics.arithmetic import ConcreteDomain
from convergence.semantics.arithmetic.domain import Domain
from convergence.semantics.arithmetic.ieee754 import FORMATS
from convergence.semantics.arithmetic.symbolic import SymbolicDomain
from convergence.semantics.values import Composite, Pointer, RuntimeValue, Value, scalars
from convergence.semantics.values.datalayout import Layout
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
    *(f"call half @llvm.ldexp(half %x, {power})" for power in ("i7 %a", "i32 -9", "i5 3")),
    "call half @llvm.ldexp(half 0xH0003, i7 %a)", "call half @llvm.ldexp(half 0xHFBFF, i7 %a)",
    *(f"call {{half, i{width}}} @llvm.frexp(half %x)" for width in (3, 7, 32)),
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


def run(module: Module, arguments: list[RuntimeValue], domain: Domain) -> RuntimeValue | str:
    runner = Runner(module, domain)
    try:
        runner.call("f", arguments)
    except Undefined:
        return UNDEFINED
    return runner.values["r"]


def valued(term: Any, fixed: list[tuple[Any, Any]]) -> int | bool:
    """What a term or a plain value is under the assignment."""
    if not isinstance(term, z3.ExprRef):
        return term  # type: ignore[no-any-return]
    value = z3.simplify(z3.substitute(term, *fixed))
    return int(value.as_long()) if z3.is_bv_value(value) else z3.is_true(value)


class Arguments:
    """The same arguments twice: as values, and as z3 variables of those values (some stay known)."""

    def __init__(self, parameters: tuple[Parameter, ...], rng: random.Random) -> None:
        self.rng = rng
        self.layout = Layout()
        self.fixed: list[tuple[Any, Any]] = []
        pairs = [self._pair(p.type) for p in parameters]
        self.known: list[RuntimeValue] = [k for k, _ in pairs]
        self.symbolic: list[RuntimeValue] = [s for _, s in pairs]

    def _pair(self, type_: Type) -> tuple[RuntimeValue, RuntimeValue]:
        if isinstance(type_, VectorType):
            lanes = [self._scalars(type_.element) for _ in range(type_.count)]
            return Composite(tuple(k for k, _ in lanes)), Composite(tuple(s for _, s in lanes))
        return self._scalars(type_)

    def _scalars(self, type_: Type) -> tuple[Value, Value]:
        width, number = self.layout.bits(type_), len(self.fixed)
        value, poison = random_bits(type_, self.layout, self.rng), self.rng.random() < 0.1
        bits, flag = z3.BitVec(f"x{number}", width), z3.Bool(f"p{number}")
        self.fixed += [(bits, z3.BitVecVal(value, width)), (flag, z3.BoolVal(poison))]
        make = (lambda b, p: Pointer(b, None, p)) if isinstance(type_, PointerType) else Value
        known = make(value, poison)
        return known, known if self.rng.random() < 0.2 else make(bits, flag)


@pytest.mark.parametrize("line", INTEGER + FLOATING)
def test_domains_agree(line: str) -> None:
    rng = random.Random(line)
    text = f"@g = global i64 0\ndefine void @f({PARAMETERS}) {{\n%r = {line}\nret void\n}}"
    module = parse(text, ask_llvm=False)
    for _ in range(25):
        given = Arguments(module.functions["f"].parameters, rng)
        concrete = run(module, given.known, ConcreteDomain())
        decide = SymbolicDomain(lambda truth, fixed=given.fixed: bool(valued(truth, fixed)))  # type: ignore[misc]
        general = run(module, given.symbolic, decide)
        assert (general == UNDEFINED) == (concrete == UNDEFINED)
        if isinstance(concrete, str) or isinstance(general, str):
            continue
        for ours, term in zip(scalars(concrete), scalars(general), strict=True):
            assert valued(term.poison, given.fixed) == ours.poison, given.fixed
            if not ours.poison:
                assert valued(term.bits, given.fixed) == ours.bits, given.fixed


def test_what_is_known_is_not_decided() -> None:
    def never(truth: object) -> bool:
        raise AssertionError(truth)

    domain = SymbolicDomain(never)
    x = z3.BitVec("x", 8)
    assert domain.both(x == 1, domain.either(False, False)) is False
    assert domain.width(8).add(200, 100) == 44
    assert domain.concrete(domain.width(8).sub(x, x), "x") == 0
    domain.require(True, "never", "nowhere")
    with pytest.raises(Undefined, match="never"):
        domain.require(False, "never", "nowhere")


UNARY = ("neg", "not_", "ctpop", "ctlz", "cttz")
BINARY = (
    "add", "sub", "mul", "udiv", "urem", "sdiv", "srem", "and_", "or_", "xor", "shl", "lshr", "ashr", "eq",
    "ne", "ult", "ule", "slt", "sle", "uadd_overflows", "sadd_overflows", "usub_overflows", "ssub_overflows",
    "umul_overflows", "smul_overflows",
)  # fmt: skip


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("name", UNARY + BINARY)
def test_integers_of_small_widths_exhaustively(name: str, width: int) -> None:
    """Every operand; one term for all of them. (Division by zero may give anything.)"""
    symbolic = SymbolicDomain(lambda condition: pytest.fail(f"{name} depends on the path: {condition}"))
    unknown = [z3.BitVec(f"x{n}", width) for n in range(1 if name in UNARY else 2)]
    term = getattr(symbolic.width(width), name)(*unknown)
    concrete = getattr(ConcreteDomain().width(width), name)
    for values in itertools.product(range(1 << width), repeat=len(unknown)):
        if name in ("udiv", "urem", "sdiv", "srem") and values[1] == 0:
            continue
        fixed = [(x, z3.BitVecVal(v, width)) for x, v in zip(unknown, values, strict=True)]
        assert valued(term, fixed) == concrete(*values), values
