"""A known name with other types is nobody's operation: it has no model, and whoever asks is not answered with
that of its namesake.

covers: semantics.operations.table, semantics.operations.lanes
"""

from __future__ import annotations

import pytest

from convergence.ir import FloatType, FunctionType, IntType, PointerType, Type
from convergence.ir.module import Module
from convergence.semantics import NotModelled
from convergence.semantics.arithmetic import ConcreteDomain
from convergence.semantics.operations import AboutObject, Callee, Exchanging, Model, Subgroup
from convergence.semantics.operations.lanes import integer
from convergence.semantics.operations.table import Table
from convergence.semantics.values.context import Context
from convergence.semantics.values.datalayout import Layout

I1, I32, I64, FLOAT, DOUBLE = IntType(1), IntType(32), IntType(64), FloatType("float"), FloatType("double")
POINTER = PointerType(4)


def model(name: str, result: Type, *parameters: Type) -> Model | None:
    context = Context(Module(), ConcreteDomain(), Layout(), lambda name: pytest.fail(name))
    return Table({}).model(Callee(name, FunctionType(result, parameters), context))


@pytest.mark.parametrize(
    ("name", "fits", "others"),
    [
        ("llvm.amdgcn.mov.dpp8.i32", (I32, I32, I32), [(I32, I32), (I32, I64, I32)]),
        ("llvm.amdgcn.wave.reduce.fsub.f32", (FLOAT, FLOAT, I32), [(FLOAT, DOUBLE, I32), (FLOAT,)]),
        ("llvm.spv.wave.match.i32", (I64, I32), [(FLOAT, I32), (I64, I32, I32)]),
        ("subgroupShuffle", (I32, I32, I32), [(I32,), (I32, I64, I32)]),
        ("subgroupBroadcastFirst", (I32, I32), [(I32,), (I32, FLOAT)]),
        (
            "__to_private",
            (PointerType(5), POINTER),
            [(PointerType(5),), (I64, POINTER), (PointerType(5), I64)],
        ),
    ],
)
def test_other_types_have_no_model(name: str, fits: tuple[Type, ...], others: list[tuple[Type, ...]]) -> None:
    assert model(name, *fits) is not None
    for types in others:
        assert model(name, *types) is None, types


@pytest.mark.parametrize("types", [(I64, FLOAT), (I64, I32, I32), (FLOAT, I32)])
def test_an_id_of_other_types_is_refused_by_name(types: tuple[Type, ...]) -> None:
    with pytest.raises(NotModelled, match="get_global_id"):
        model("get_global_id", *types)


def test_whether_integers_have_a_sign_is_in_a_group_operations_name() -> None:
    """The values are 1 and -1, or the largest."""
    least, most = {1: "UMin", -1: "SMin"}, {1: "SMax", -1: "UMax"}
    for names, value in ((least, 1), (least, -1), (most, 1), (most, -1)):
        known = model(f"__spirv_GroupNonUniform{names[value]}", I32, I32, I32, I32)
        assert isinstance(known, Exchanging)
        scope, reduce = integer(3, 32), integer(0, 32)
        group = {lane: (scope, reduce, integer(x & 0xFFFFFFFF, 32)) for lane, x in enumerate((1, -1))}
        assert dict(known.together(group, Subgroup(8, 0, 8)))[0] == integer(value & 0xFFFFFFFF, 32), names[
            value
        ]


def test_where_a_cast_looks_is_in_its_name_or_in_its_type() -> None:
    """``__to_private`` of OpenCL, whatever its result's address space is; SPIR-V's says it by that alone."""
    objects = [(1, False), (3, False), (5, False), (0, True)]
    private = [False, False, True, True]
    for space in (0, 4, 5):
        named = model("__to_private", PointerType(space), POINTER)
        assert isinstance(named, AboutObject)
        assert [named.holds(*o) for o in objects] == private
    for space, there in ((1, [True, False, False, False]), (3, [False, True, False, False]), (5, private)):
        typed = model(f"llvm.spv.generic.cast.to.ptr.explicit.p{space}", PointerType(space), POINTER)
        assert isinstance(typed, AboutObject)
        assert [typed.holds(*o) for o in objects] == there
    asked = model("llvm.amdgcn.is.private", I1, PointerType(0))
    assert isinstance(asked, AboutObject)
    assert [asked.holds(*o) for o in objects] == private
