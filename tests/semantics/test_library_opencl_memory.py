# ruff: noqa: E501 -- a line of IR stays whole
"""OpenCL C's built-in functions that touch memory: atomics in both engines, vectors, results behind pointers.

covers: semantics.instructions.library.opencl_memory, semantics.instructions.library.outputs
"""

from __future__ import annotations

import math
from typing import Any

import pytest

from convergence.ir import instructions as ir
from convergence.parser import parse
from convergence.semantics import NotModelled
from convergence.semantics.instructions import prepare_access
from convergence.semantics.machine.run import run
from tests.launches import enumerate_axiomatic, explore
from tests.semantics.library_calls import POISON, constant, plain
from tests.semantics.straight import Runner


def lines(text: str, result: str = "void", prelude: str = "") -> Any:
    """What ``@f`` with this body returns."""
    end = "ret void" if result == "void" else f"ret {result} %r"
    module = parse(f"{prelude}\ndefine {result} @f() {{\n{text}\n{end}\n}}\n", ask_llvm=False)
    value = Runner(module).call("f")
    return None if value is None else plain(value, module.functions["f"].type.result)


@pytest.mark.parametrize(
    ("name", "signs", "first", "operand", "then"),
    [
        ("atomic_add", "i", 5, 3, 8), ("atom_sub", "j", 5, 7, -2), ("atomic_xchg", "i", 5, 9, 9),
        ("atomic_min", "i", 5, -3, -3), ("atomic_min", "j", 5, -3, 5), ("atomic_max", "j", 5, -3, -3),
        ("atomic_and", "i", 6, 3, 2), ("atomic_or", "i", 6, 3, 7), ("atomic_xor", "i", 6, 3, 5),
        ("atomic_inc", "i", -1, None, 0), ("atomic_dec", "j", 0, None, -1),
    ],
)  # fmt: skip
def test_legacy_atomics(name: str, signs: str, first: int, operand: int | None, then: int) -> None:
    mangled = f"_Z{len(name)}{name}PV{signs}{signs if operand is not None else ''}"
    passed = f"ptr @g, i32 {operand}" if operand is not None else "ptr @g"
    text = f"%o = call i32 @{mangled}({passed})\n%n = load i32, ptr @g\n"
    text += "%p = insertvalue {i32, i32} poison, i32 %o, 0\n%r = insertvalue {i32, i32} %p, i32 %n, 1"
    assert lines(text, "{i32, i32}", f"@g = global i32 {first}") == [first % 2**32, then % 2**32]


ORDERS = {0: "monotonic", 2: "acquire", 3: "release", 4: "acq_rel", 5: "seq_cst"}
SCOPES = {0: "singlethread", 1: "workgroup", 2: "agent", 3: None, 4: "subgroup"}


def shape_of(line: str) -> Any:
    """The shape of the access that the last line is."""
    runner = Runner(parse(f"@g = global i32 0\ndefine void @f() {{\n{line}\nret void\n}}", ask_llvm=False))
    (called,) = [i for i in runner.module.functions["f"].instructions if isinstance(i, ir.CallSite)]
    prepared = prepare_access(called, runner.context)
    assert prepared is not None
    return prepared(*(runner.value(a.value) for a in called.arguments)).shape


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("scope", SCOPES)
def test_orders_and_scopes(order: int, scope: int) -> None:
    end = "12memory_order12memory_scope"
    fetch = f"%o = call i32 @_Z25atomic_fetch_add_explicitPU3AS4VU7_Atomicii{end}(ptr @g, i32 1, i32 {order}, i32 {scope})"
    store = f"call void @_Z21atomic_store_explicitPU3AS4VU7_Atomicii{end}(ptr @g, i32 1, i32 {order}, i32 {scope})"
    for line, reads in ((fetch, True), (store, False)):
        shape = shape_of(line)
        assert (shape.ordering, shape.scope, shape.reads) == (ORDERS[order], SCOPES[scope], reads)
        assert shape.atomic and shape.writes


def test_orders_by_default() -> None:
    assert shape_of("%o = call i32 @_Z10atomic_addPVii(ptr @g, i32 1)").ordering == "monotonic"
    shape = shape_of("%o = call i32 @_Z11atomic_loadPVU7_Atomici(ptr @g)")
    assert (shape.ordering, shape.scope, shape.writes) == ("seq_cst", "agent", False)
    assert not shape_of("call void @_Z11atomic_initPVU7_Atomicii(ptr @g, i32 1)").atomic


def test_an_order_that_is_no_constant_is_not_modelled() -> None:
    text = "%o = load i32, ptr @g\n%r = call i32 @_Z20atomic_load_explicitPVU7_Atomici12memory_order(ptr @g, i32 %o)"
    with pytest.raises(NotModelled, match="atomic_load_explicit with a memory_order"):
        lines(text, "i32", "@g = global i32 0")


@pytest.mark.parametrize(("first", "swapped"), [(2, True), (3, False)])
def test_compare_exchange_tells_what_was_there(first: int, swapped: bool) -> None:
    text = """%e = alloca i32
store i32 2, ptr %e
%ok = call zeroext i1 @_Z30atomic_compare_exchange_strongPU3AS4VU7_AtomiciPU3AS4ii(ptr @g, ptr %e, i32 9)
%x = load i32, ptr %e
%n = load i32, ptr @g
%w = zext i1 %ok to i32
%a = insertvalue [3 x i32] poison, i32 %w, 0
%b = insertvalue [3 x i32] %a, i32 %x, 1
%r = insertvalue [3 x i32] %b, i32 %n, 2"""
    module = parse(
        f"@g = global i32 {first}\ndefine [3 x i32] @f() {{\n{text}\nret [3 x i32] %r\n}}", ask_llvm=False
    )
    value = Runner(module).call("f")
    assert [e.bits for e in value.elements] == ([1, 2, 9] if swapped else [0, 3, 3])  # type: ignore[union-attr]
    old = lines(
        "%r = call i32 @_Z14atomic_cmpxchgPViii(ptr @g, i32 2, i32 9)", "i32", f"@g = global i32 {first}"
    )
    assert old == first


def test_flags_and_floats() -> None:
    text = """%a = call i1 @_Z24atomic_flag_test_and_setPU3AS4VU7_Atomici(ptr @g)
call void @_Z17atomic_flag_clearPU3AS4VU7_Atomici(ptr @g)
%b = call i1 @_Z24atomic_flag_test_and_setPU3AS4VU7_Atomici(ptr @g)
%c = call i1 @_Z24atomic_flag_test_and_setPU3AS4VU7_Atomici(ptr @g)
%p = insertvalue {i1, i1, i1} poison, i1 %a, 0
%q = insertvalue {i1, i1, i1} %p, i1 %b, 1
%r = insertvalue {i1, i1, i1} %q, i1 %c, 2"""
    assert lines(text, "{i1, i1, i1}", "@g = global i32 1") == [1, 0, 1]
    add = "%o = call float @_Z25atomic_fetch_add_explicitPU3AS4VU7_Atomicff12memory_order(ptr @g, float 1.5, i32 0)"
    assert lines(f"{add}\n%r = load float, ptr @g", "float", "@g = global float 2.0") == 3.5


COUNTER = """@g = global i32 0
declare i32 @_Z10atomic_addPU3AS1Vii(ptr, i32) convergent nounwind
define i32 @f() convergent {
  %o = call i32 @_Z10atomic_addPU3AS1Vii(ptr @g, i32 2) convergent
  %n = load atomic i32, ptr @g monotonic, align 4
  ret i32 %n
}
"""


def test_both_engines_see_atomics() -> None:
    """clang calls everything convergent in OpenCL; an atomic is a memory access all the same."""
    outcomes = [engine(parse(COUNTER), threads=2) for engine in (explore, enumerate_axiomatic)]
    seen = [{tuple(t.value for t in each.outcome.threads) for each in found.outcomes} for found in outcomes]
    assert seen[0] == seen[1] == {(2, 4), (4, 2), (4, 4)}
    assert all(found.complete for found in outcomes)
    ended = run(parse(COUNTER), threads=3)
    assert not ended.races


@pytest.mark.parametrize(("count", "offset"), [(2, 1), (3, 1), (4, 0), (8, 0)])
def test_vectors_in_memory(count: int, offset: int) -> None:
    prelude = "@g = global [12 x i16] [" + ", ".join(f"i16 {k}" for k in range(12)) + "]"
    vector = f"<{count} x i16>"
    load = f"%v = call {vector} @_Z6vload{count}mPU3AS1Ks(i64 {offset}, ptr @g)"
    start = count * offset
    assert lines(load.replace("%v", "%r"), vector, prelude) == list(range(start, start + count))
    end = (12 // count) - 1
    store = f"call void @_Z7vstore{count}Dv{count}_smPU3AS1s({vector} %v, i64 {end}, ptr @g)"
    found = lines(f"{load}\n{store}\n%r = load <12 x i16>, ptr @g, align 2", "<12 x i16>", prelude)
    expected = list(range(12))
    expected[count * end : count * end + count] = range(start, start + count)
    assert found == expected


def test_halves_in_memory() -> None:
    prelude = "@g = global [8 x half] [half 1.0, half 2.0, half 3.0, half 4.0, half 5.0, half 6.0, half 7.0, half 8.0], align 8"
    assert lines("%r = call float @_Z10vload_halfmPU3AS1KDh(i64 3, ptr @g)", "float", prelude) == 4
    three = "<3 x float>"
    assert lines(f"%r = call {three} @_Z11vload_half3mPU3AS1KDh(i64 1, ptr @g)", three, prelude) == [4, 5, 6]
    assert lines(f"%r = call {three} @_Z12vloada_half3mPU3AS1KDh(i64 1, ptr @g)", three, prelude) == [5, 6, 7]
    for mode, low in (("", 1.0), ("_rtz", 1.0), ("_rtp", 1.0 + 2**-10), ("_rtn", 1.0)):
        name = f"vstore_half{mode}"
        store = f"call void @_Z{len(name)}{name}dmPU3AS1Dh({constant('double', 1.0 + 2**-30)}, i64 2, ptr @g)"
        load = "%p = getelementptr half, ptr @g, i64 2\n%r = load half, ptr %p"
        assert lines(f"{store}\n{load}", "half", prelude) == low


def behind(name: str, type_: str, value: object, written: str) -> tuple[Any, Any]:
    """The result of ``name(value, pointer)``, and what it wrote."""
    header = f"%p = alloca {written}\n%o = call {type_} @{name}({constant(type_, value)}, ptr %p)\n"
    result = lines(header.replace("%o", "%r"), type_)
    return result, lines(header + f"%r = load {written}, ptr %p", written)


def test_results_behind_pointers() -> None:
    assert behind("_Z5fractfPU3AS4f", "float", -1.25, "float") == (0.75, -2)
    assert behind("_Z5fractfPU3AS4f", "float", -(2.0**-40), "float") == (1 - 2.0**-24, -1)
    assert behind("_Z4modfdPU3AS4d", "double", -1.25, "double") == (-0.25, -1)
    assert behind("_Z5frexpfPU3AS4i", "float", 12, "i32") == (0.75, 4)
    assert behind("_Z6sincosdPd", "double", 1.0, "double") == (math.sin(1), math.cos(1))
    found, sign = behind("_Z8lgamma_rdPi", "double", -2.5, "i32")
    assert math.isclose(found, math.lgamma(-2.5)) and sign == 2**32 - 1
    assert behind("_Z8lgamma_rdPi", "double", -1.5, "i32")[1] == 1
    two = "<2 x float>"
    assert behind("_Z4modfDv2_fPU3AS4S_", two, [1.5, POISON], two) == ([0.5, POISON], [1, POISON])


@pytest.mark.parametrize(
    ("x", "y", "quotient"), [(7, 2, 4), (5, 2, 2), (-7, 2, -4), (1000, 3, 333), (0.5, 1, 0), (1.5, 1, 2)]
)
def test_remquo(x: float, y: float, quotient: int) -> None:
    header = f"%p = alloca i32\n%o = call float @_Z6remquoffPU3AS4i({constant('float', x)}, {constant('float', y)}, ptr %p)\n"
    assert lines(header.replace("%o", "%r"), "float") == math.remainder(x, y)
    found = lines(header + "%r = load i32, ptr %p", "i32")
    low = abs(quotient) % 128
    assert found == (low if quotient >= 0 else -low) % 2**32
