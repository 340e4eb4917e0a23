"""Subgroup operations compute on z3 terms what they compute on numbers.

covers: semantics.operations, semantics.operations.table
"""

from __future__ import annotations

import random

import pytest
import z3

from convergence.ir import FunctionType, IntType, StructType, Type, VectorType
from convergence.ir.module import Module
from convergence.semantics.arithmetic import ConcreteDomain
from convergence.semantics.arithmetic.domain import Domain
from convergence.semantics.arithmetic.symbolic import SymbolicDomain, bit_vector, boolean
from convergence.semantics.operations import Callee, Exchanging, PerThread, Subgroup, ThreadPlace
from convergence.semantics.operations.table import Table
from convergence.semantics.values import Composite, RuntimeValue, Value, scalars
from convergence.semantics.values.context import Context
from convergence.semantics.values.datalayout import Layout

I1, I32, I64 = IntType(1), IntType(32), IntType(64)
SUBGROUP = Subgroup(8, 0, 8)
LANES = (0, 2, 3, 6)
BROADCAST = "_Z20work_group_broadcastim"
"""All threads name one, by a number of any width."""


def context(domain: Domain) -> Context:
    return Context(Module(), domain, Layout(), lambda name: pytest.fail(name))


def undecided(truth: object) -> bool:
    raise AssertionError(f"a model must not ask what {truth} is")


def calls() -> list[tuple[str, Type, tuple[Type, ...]]]:
    found: list[tuple[str, Type, tuple[Type, ...]]] = [
        (f"subgroup{kind}{sign}{name}", I32, (I32,))
        for kind in ("", "Inclusive", "Exclusive")
        for sign in ("", "U")
        for name in ("Add", "Mul", "Min", "Max", "And", "Or", "Xor")
    ]
    found += [(f"subgroup{name}", I1, (I1,)) for name in ("All", "Any", "AllEqual")]
    found += [("subgroupBallot", I64, (I1,)), ("subgroupBallot", VectorType(4, I32), (I1,))]
    found += [
        (f"subgroup{name}", I32, (I32, I32)) for name in ("Shuffle", "ShuffleXor", "ShuffleUp", "ShuffleDown")
    ]
    found += [("subgroupShuffle", I32, (I32, I64)), ("subgroupBroadcastFirst", I32, (I32,))]
    found += [
        (f"llvm.amdgcn.wave.reduce.{name}.i32", I32, (I32, I32))
        for name in ("add", "sub", "umin", "max", "xor")
    ]
    found += [("llvm.amdgcn.mbcnt.lo", I32, (I32, I32)), ("llvm.amdgcn.ds.bpermute", I32, (I32, I32))]
    found += [("llvm.amdgcn.ds.permute", I32, (I32, I32)), ("llvm.amdgcn.s.wqm.i32", I32, (I32,))]
    found += [("llvm.amdgcn.update.dpp.i32", I32, (I32, I32, I32, I32, I32, I1))]
    found += [("llvm.amdgcn.permlane16.i32", I32, (I32, I32, I32, I32, I1, I1))]
    found += [("llvm.amdgcn.wqm.vote", I1, (I1,))]
    found += [
        ("llvm.amdgcn.inverse.ballot.i64", I1, (I64,)),
        ("llvm.amdgcn.writelane.i32", I32, (I32, I32, I32)),
    ]
    found += [("llvm.dx.wave.active.countbits", I32, (I1,)), ("llvm.spv.any.v4i1", I1, (VectorType(4, I1),))]
    found += [(f"llvm.nvvm.vote.{name}", I1, (I1,)) for name in ("all", "any", "uni")]
    found += [("llvm.nvvm.match.any.sync.i32", I32, (I32, I32)), ("llvm.spv.thread.id.i32", I32, (I32,))]
    found += [("llvm.nvvm.match.all.sync.i32p", StructType((I32, I1)), (I32, I32))]
    found += [("llvm.nvvm.redux.sync.umax", I32, (I32, I32))]
    found += [(BROADCAST, I32, (I32, IntType(bits))) for bits in (16, 32, 33, 64)]
    return found


KNOWN = {
    ("llvm.nvvm.match.any.sync.i32", 0),
    ("llvm.nvvm.match.all.sync.i32p", 0),
    ("llvm.nvvm.redux.sync.umax", 1),
    *(("llvm.amdgcn.update.dpp.i32", at) for at in range(2, 6)),
    *(("llvm.amdgcn.permlane16.i32", at) for at in (4, 5)),
}
"""Operands that must be numbers: member masks, and what an intrinsic wants as a constant."""
FEW = {"llvm.amdgcn.update.dpp.i32": 0x121}
"""Constants of which most numbers are none."""


@pytest.mark.parametrize(
    ("name", "result", "parameters"), calls(), ids=lambda p: p if isinstance(p, str) else ""
)
def test_terms_and_numbers_agree(name: str, result: Type, parameters: tuple[Type, ...]) -> None:
    rng = random.Random(name)
    type_ = FunctionType(result, parameters)
    on_numbers = Table({}).model(Callee(name, type_, context(ConcreteDomain())))
    on_terms = Table({}).model(Callee(name, type_, context(SymbolicDomain(undecided))))
    assert on_numbers is not None and on_terms is not None
    for round_ in range(12):
        numbers: dict[int, tuple[RuntimeValue, ...]] = {}
        terms: dict[int, tuple[RuntimeValue, ...]] = {}
        equations: list[z3.BoolRef] = []
        for lane in LANES:
            operands = [_random(rng, t) for t in parameters]
            if name in FEW:
                operands[2] = Value(FEW[name], False)
            if name == BROADCAST and round_:
                operands[1] = Value(round_, False)
            numbers[lane] = tuple(operands)
            terms[lane] = tuple(
                operand if (name, at) in KNOWN else _unknown(operand, t, f"x{lane}.{at}", equations)
                for at, (operand, t) in enumerate(zip(operands, parameters, strict=True))
            )
        if isinstance(on_numbers, Exchanging):
            assert isinstance(on_terms, Exchanging)
            expected, got = on_numbers.together(numbers, SUBGROUP), on_terms.together(terms, SUBGROUP)
        else:
            assert isinstance(on_numbers, PerThread)
            assert isinstance(on_terms, PerThread)
            expected, got = (
                {lane: model.alone(ThreadPlace(lane, lane, SUBGROUP), *v) for lane, v in group.items()}
                for model, group in ((on_numbers, numbers), (on_terms, terms))
            )
        assert set(got) == set(LANES)
        for lane in LANES:
            _same(scalars(expected[lane]), scalars(got[lane]), result, equations)


def _random(rng: random.Random, type_: Type) -> RuntimeValue:
    if isinstance(type_, VectorType):
        return Composite(tuple(_random(rng, type_.element) for _ in range(type_.count)))
    assert isinstance(type_, IntType)
    few = rng.choice((rng.randrange(8), rng.randrange(1 << type_.bits), 0))
    return Value(few % (1 << type_.bits), rng.random() < 0.05)


def _unknown(value: RuntimeValue, type_: Type, name: str, equations: list[z3.BoolRef]) -> RuntimeValue:
    if isinstance(value, Composite):
        assert isinstance(type_, VectorType)
        parts = [_unknown(v, type_.element, f"{name}.{i}", equations) for i, v in enumerate(value.elements)]
        return Composite(tuple(parts))
    assert isinstance(type_, IntType)
    bits, poison = z3.BitVec(name, type_.bits), z3.Bool(name + "p")
    equations += [bits == value.bits, poison == z3.BoolVal(value.poison)]
    return Value(bits, poison)


def _same(
    expected: tuple[Value, ...], got: tuple[Value, ...], type_: Type, equations: list[z3.BoolRef]
) -> None:
    if isinstance(type_, IntType):
        widths = [type_.bits]
    else:
        widths = [32] * 4 if isinstance(type_, VectorType) else [32, 1]
    for one, other, width in zip(expected, got, widths, strict=True):
        solver = z3.Solver()
        solver.add(*equations)
        right = boolean(other.poison) == z3.BoolVal(bool(one.poison))
        if not one.poison:
            right = z3.And(right, bit_vector(other.bits, width) == one.bits)
        solver.add(z3.Not(right))
        assert solver.check() == z3.unsat
