"""When one outcome is refined by another: poison, undef, events, and groups as event numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from convergence.alignment import DynamicInstance, StaticInstance
from convergence.frozen import Json
from convergence.parser import parse
from convergence.refine import refine
from convergence.refine.sides.observable import (
    EventMismatch,
    ExtraEvent,
    MemoryMismatch,
    difference,
    limited,
    nameable,
    refined,
)
from convergence.semantics.machine import Called, VolatileAccess
from convergence.semantics.machine.run import Outcome, ThreadOutcome
from tests.refine.texts import both


@pytest.mark.parametrize(
    ("source", "target", "holds"),
    [
        ("poison", 3, True),
        ("poison", "undef", True),
        ("poison", [1, 2], True),
        (3, "poison", False),
        ("undef", 3, True),
        ("undef", "undef", True),
        ("undef", "poison", False),
        (3, "undef", False),
        (["poison", 1], [7, 1], True),
        (["poison", 1], [7, 2], False),
        ([[1, "undef"], 2], [[1, 5], 2], True),
        (1, 1.0, False),
        (0.0, -0.0, False),
        ("nan", "nan", True),
        (None, None, True),
        ("@g+4", "@g", False),
    ],
)
def test_values(source: Json, target: Json, holds: bool) -> None:
    assert refined(source, target) is holds


def call(number: int, group: dict[int, int] | None, result: Json = 1, index: int = 0) -> Called:
    """An event of thread 0; ``index`` is where it stands in the text."""
    return Called(DynamicInstance(0, StaticInstance("f", index), number), "meet", (5,), result, group)


def outcome(
    *events: Called | VolatileAccess, value: Json = 0, memory: dict[str, Json] | None = None
) -> Outcome:
    return Outcome((ThreadOutcome(0, "returned", value, events),), memory or {})


def test_the_place_in_the_text_is_not_seen() -> None:
    assert difference(outcome(call(1, {0: 1}, index=3)), outcome(call(2, {0: 1}, index=8))) is None


def test_groups_are_told_apart_by_the_members_event_numbers() -> None:
    one, other = outcome(call(1, {0: 1, 1: 1})), outcome(call(1, {0: 1, 1: 2}))
    found = difference(one, other)
    assert found == EventMismatch(0, 1, "group", "@meet", ((0, 1), (1, 1)), ((0, 1), (1, 2)))


def test_a_poison_result_or_operand_may_become_anything() -> None:
    assert difference(outcome(call(1, {0: 1}, "poison")), outcome(call(1, {0: 1}, 7))) is None
    assert difference(outcome(call(1, {0: 1}, 7)), outcome(call(1, {0: 1}, "poison"))) is not None
    given = replace(call(1, None), operands=("poison",))
    assert difference(outcome(given), outcome(call(1, None))) is None


def test_an_event_more_or_less_is_said() -> None:
    assert difference(outcome(call(1, None)), outcome()) == ExtraEvent("source", 0, 1, "@meet")
    assert difference(outcome(), outcome(call(1, None))) == ExtraEvent("target", 0, 1, "@meet")


def test_volatile_accesses_are_events() -> None:
    site = DynamicInstance(0, StaticInstance("f", 0), 1)
    load, store = VolatileAccess(site, "load", ("@g",), 1), VolatileAccess(site, "store", ("@g", 1), None)
    assert difference(outcome(load), outcome(store)) is not None
    assert difference(outcome(load), outcome(load)) is None


def test_memory_by_variable() -> None:
    found = difference(outcome(memory={"@g": [1, "poison"]}), outcome(memory={"@g": [2, 3]}))
    assert found == MemoryMismatch("@g", [1, "poison"], [2, 3])
    assert difference(outcome(memory={"@g": [1, "poison"]}), outcome(memory={"@g": [1, 3]})) is None


def test_internal_variables_are_not_seen() -> None:
    module = both(
        "i32 @(i32 %x) { ret i32 0 }",
        "i32 @(i32 %x) { ret i32 0 }",
        "@v = global i32 0\n@h = internal global i32 0\n",
    )
    assert nameable(module) == {"@v"}
    assert limited(outcome(memory={"@v": 1, "@h": 2}), nameable(module)).memory == {"@v": 1}


SHARED = """
@tile = addrspace(3) global i32 undef
@seen = addrspace(1) global i32 0
declare void @llvm.amdgcn.s.barrier()
define CONVENTION void @f() {
  store i32 LEFT, ptr addrspace(3) @tile
  call void @llvm.amdgcn.s.barrier()
  SHOWS
  ret void
}
"""


@pytest.mark.parametrize(
    ("convention", "ends"),
    [("amdgpu_kernel", True), ("amdgpu_cs", True), ("ptx_kernel", True), ("spir_kernel", True),
     ("shader", True), ("spir_func", False), ("", False)],
)  # fmt: skip
def test_workgroup_memory_ends_with_the_kernel(convention: str, ends: bool) -> None:
    """Who calls a function looks at what it left there; nobody is behind a kernel. What threads read of it
    counts in both."""
    shader = convention == "shader"
    text = SHARED.replace("CONVENTION", "" if shader else convention)
    if shader:
        text = text.replace("@f()", """@f() "hlsl.shader"="compute" "hlsl.numthreads"="1,1,1\"""")

    def verdict(left: str, shows: str) -> str:
        sides = [parse(text.replace("LEFT", n).replace("SHOWS", shows)) for n in ("7", left)]
        return refine(*sides, threads=1, subgroup_size=1).verdict

    assert verdict("8", "") == ("equal" if ends else "wrong")
    shows = "%v = load i32, ptr addrspace(3) @tile\n  store i32 %v, ptr addrspace(1) @seen"
    assert verdict("8", shows) == "wrong"


def test_an_address_in_an_object_is_that_object_whatever_the_pointer_is_based_on() -> None:
    text = """declare i32 @made(ptr) convergent
    define i32 @src(ptr %p, ptr %q) {
      store ptr %q, ptr %p
      %a = load ptr, ptr %p
      %b = getelementptr i8, ptr %a, i64 4
      %r = call i32 @made(ptr %b)
      store volatile i32 %r, ptr %b
      ret i32 %r
    }
    define i32 @tgt(ptr %p, ptr %q) {
      store ptr %q, ptr %p
      %n = load i64, ptr %p
      %m = add i64 %n, OFFSET
      %b = inttoptr i64 %m to ptr
      %r = call i32 @made(ptr %b)
      store volatile i32 %r, ptr %b
      ret i32 %r
    }"""
    for offset, verdict in ((4, "equal"), (8, "wrong")):
        module = parse(text.replace("OFFSET", str(offset)))
        assert refine(module, module, threads=1, max_launches=8).models["maximal"] == verdict
