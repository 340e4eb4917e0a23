"""Layout against what LLVM itself computes for the same layout string."""

from __future__ import annotations

import re

import pytest
from llvmlite import binding as llvm

from convergence.ir import (
    PTR,
    ArrayType,
    FloatType,
    IntType,
    NamedType,
    PointerType,
    StructType,
    Type,
    VectorType,
)
from convergence.semantics import NotModelled
from convergence.semantics.values.datalayout import Layout

LAYOUTS = [
    "",
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
    (
        "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48"
        "-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
        "-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
    ),
    "E-m:e-p:32:32-i64:64-n32-S64",
    "e-p:16:8-i8:8-i16:8-i32:8-i64:8-f32:8-f64:8-a:8-n8:16",
]

SCALARS: list[tuple[str, Type]] = [
    *((f"i{n}", IntType(n)) for n in (1, 2, 7, 8, 9, 16, 17, 24, 32, 33, 48, 64, 65, 96, 128, 129, 1000)),
    *((k, FloatType(k)) for k in ("half", "bfloat", "float", "double", "fp128", "x86_fp80")),
    ("ptr", PTR),
    ("ptr addrspace(3)", PointerType(3)),
    ("ptr addrspace(5)", PointerType(5)),
]
VECTORS: list[tuple[str, Type]] = [
    (f"<{n} x {text}>", VectorType(n, type_)) for n in (1, 2, 3, 4, 8) for text, type_ in SCALARS
]
STRUCTS: list[tuple[str, Type]] = [
    (f"{{ i8, {a}, i1, {b} }}", StructType((IntType(8), ta, IntType(1), tb)))
    for (a, ta), (b, tb) in zip(SCALARS + VECTORS, VECTORS[5:] + SCALARS, strict=False)
]
ALL = SCALARS + VECTORS + STRUCTS
ALL += [(f"<{text}>", StructType(t.elements, True)) for text, t in STRUCTS if isinstance(t, StructType)]
ALL += [(f"[3 x {text}]", ArrayType(3, t)) for text, t in ALL]
ALL += [("{}", StructType(())), ("[0 x i64]", ArrayType(0, IntType(64)))]


@pytest.mark.parametrize("text", LAYOUTS)
def test_sizes_and_alignments_are_llvms(text: str) -> None:
    body = "".join(f"@g{i} = external global {t}\n" for i, (t, _) in enumerate(ALL))
    module = llvm.parse_assembly(f'target datalayout = "{text}"\n{body}')
    data = llvm.create_target_data(text)
    layout = Layout(text or None)
    for i, (name, type_) in enumerate(ALL):
        theirs = module.get_global_variable(f"g{i}").global_value_type
        assert layout.size(type_) == data.get_abi_size(theirs), name
        assert layout.align(type_) == data.get_abi_alignment(theirs), name
        if isinstance(type_, StructType):
            expected = [data.get_element_offset(theirs, k) for k in range(len(type_.elements))]
            assert list(layout.offsets(type_)[:-1]) == expected, name


@pytest.mark.parametrize("text", LAYOUTS)
def test_preferred_alignment_is_what_llvm_gives_an_alloca(text: str) -> None:
    body = "".join(f"%a{i} = alloca {t}\n" for i, (t, _) in enumerate(ALL))
    module = llvm.parse_assembly(f'target datalayout = "{text}"\ndefine void @f() {{\n{body}ret void\n}}')
    layout = Layout(text or None)
    (function,) = module.functions
    (block,) = function.blocks
    for (name, type_), instruction in zip(ALL, block.instructions, strict=False):
        found = re.search(r"align (\d+)", str(instruction))
        assert found is not None
        assert layout.preferred_align(type_) == int(found[1]), name


def test_named_types_resolve_and_opaque_ones_have_no_size() -> None:
    pair = StructType((IntType(8), IntType(32)))
    layout = Layout(None, {"pair": NamedType("body"), "body": pair, "opaque": None})
    assert layout.size(ArrayType(2, NamedType("pair"))) == 16
    with pytest.raises(NotModelled, match="%opaque"):
        layout.size(NamedType("opaque"))


def test_address_spaces_by_letter() -> None:
    layout = Layout(LAYOUTS[2])
    assert (layout.space("A"), layout.space("G"), layout.space("P"), layout.space(4)) == (5, 1, 0, 4)
    assert layout.pointer(PointerType(7)).index == 32


def test_types_that_hold_a_type_twice() -> None:
    """Each type is measured once, however many ways lead to it."""
    types: dict[str, Type | None] = {
        f"t{n}": StructType((NamedType(f"t{n + 1}"), NamedType(f"t{n + 1}"))) for n in range(100)
    }
    types["t100"] = StructType((IntType(16),))
    layout = Layout("", types)
    assert layout.size(NamedType("t0")) == 2 << 100
    assert layout.align(NamedType("t0")) == 2
    assert layout.preferred_align(NamedType("t0")) == 8
