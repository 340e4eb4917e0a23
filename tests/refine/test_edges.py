"""Launches at the edges: ends of types, floats that are not like others, pointers that meet, whole waves."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from convergence import parse, refine
from convergence.ir.module import Module
from convergence.refine.inputs.edges import EdgeFacts, EdgesOfSides, edges
from convergence.refine.inputs.inputs import FLOAT_EDGES, InputDomain, Space
from convergence.report.refine import launch

Pair = tuple[str, str, str, str]

INTEGERS: list[Pair] = [
    ("i32 %x", "i32", "%r = add i32 %x, 1", "%r = add nsw i32 %x, 1"),
    ("i32 %x", "i32", "%r = add i32 %x, 7", "%r = add nuw i32 %x, 7"),
    ("i32 %x, i32 %y", "i1", "%r = icmp slt i32 %x, %y", "%r = icmp ult i32 %x, %y"),
    ("i64 %x", "i64", "%r = ashr i64 %x, 3", "%r = lshr i64 %x, 3"),
    ("i8 %x", "i32", "%r = zext i8 %x to i32", "%r = sext i8 %x to i32"),
    (
        "i32 %x",
        "i32",
        "%s = lshr i32 %x, 20\n%r = and i32 %s, 1",
        "%s = lshr i32 %x, 21\n%r = and i32 %s, 1",
    ),
    ("i32 %x, i32 %y", "i32", "%r = sdiv i32 %x, 4", "%r = ashr i32 %x, 2"),
    (
        "<2 x i16> %x",
        "<2 x i16>",
        "%r = add <2 x i16> %x, splat (i16 1)",
        "%r = add nsw <2 x i16> %x, splat (i16 1)",
    ),
]
FLOATS: list[Pair] = [
    ("float %x", "float", "%r = fadd float %x, 0.0", "%r = fadd float %x, -0.0"),
    ("double %x", "i1", "%r = fcmp ult double %x, 1.0", "%r = fcmp olt double %x, 1.0"),
    ("float %x", "float", "%r = fmul float %x, 2.0", "%r = fmul ninf float %x, 2.0"),
    ("half %x", "half", "%r = fmul half %x, 1.0", "%r = fmul nnan half %x, 1.0"),
    (
        "double %x, double %y",
        "double",
        "%s = fadd double %x, 0.0\n%r = fadd double %s, %y",
        "%s = fsub double %x, 0.0\n%r = fadd double %s, %y",
    ),
]
SAME: list[Pair] = [
    ("i32 %x", "i32", "%r = add nsw i32 %x, 1", "%r = add i32 %x, 1"),
    ("i32 %x, i32 %y", "i32", "%r = sub nsw i32 %x, %y", "%r = sub i32 %x, %y"),
    ("i8 %x", "i8", "%r = sdiv i8 %x, 2", "%s = lshr i8 %x, 7\n%t = add i8 %x, %s\n%r = ashr i8 %t, 1"),
    ("float %x", "float", "%r = fadd float %x, -0.0", "%r = fmul float %x, 1.0"),
    ("float %x", "float", "%r = fsub float -0.0, %x", "%r = fneg float %x"),
    ("float %x", "float", "%r = fadd nsz float %x, 0.0", "%r = fmul float %x, 1.0"),
    (
        "half %x, half %y", "half", "%s = fadd reassoc nsz half %x, %y\n%r = fsub reassoc nsz half %s, %y",
        "%r = fmul half %x, 1.0",
    ),
]  # fmt: skip


def functions(pair: Pair) -> str:
    parameters, result, before, after = pair
    return "\n".join(
        f"define {result} @{name}({parameters}) {{\n{body}\nret {result} %r\n}}"
        for name, body in (("src", before), ("tgt", after))
    )


@pytest.mark.parametrize("pair", INTEGERS + FLOATS, ids=lambda pair: pair[3].split(" =")[-1].strip())
def test_what_differs_at_the_end_of_a_type_is_seen(pair: Pair) -> None:
    module = parse(functions(pair))
    answer = refine(module, module)
    assert answer.verdict == "wrong" and "at the edges" in answer.established


@pytest.mark.parametrize("pair", SAME, ids=lambda pair: pair[3].split(" =")[-1].strip())
def test_what_is_the_same_there_is_not_called_wrong(pair: Pair) -> None:
    module = parse(functions(pair))
    assert refine(module, module).verdict in ("equal", "refines")


MEETING = """define i32 @src(ptr {promise}%p, ptr %q) {{
  %there = getelementptr i8, ptr %q, i32 {at}
  store i32 77, ptr %there
  %v = load i32, ptr %p
  ret i32 %v
}}
define i32 @tgt(ptr {promise}%p, ptr %q) {{
  %v = load i32, ptr %p
  %there = getelementptr i8, ptr %q, i32 {at}
  store i32 77, ptr %there
  ret i32 %v
}}"""


@pytest.mark.parametrize(("at", "shared"), [(0, "%p"), (-4, "%p+4")])
def test_pointers_may_point_to_the_same_object(at: int, shared: str) -> None:
    module = parse(MEETING.format(promise="", at=at))
    answer = refine(module, module)
    assert answer.verdict == "wrong" and answer.counterexample is not None
    assert f"  --buffer %q={shared}" in launch(answer.counterexample)
    promised = parse(MEETING.format(promise="noalias ", at=at))
    assert refine(promised, promised).verdict == ("unknown" if at else "equal")  # alone it is out of bounds


def test_a_pointer_may_point_to_a_variable() -> None:
    text = MEETING.replace("ptr {promise}%p, ", "").replace("ptr %p", "ptr @g").format(at=0)
    module = parse("@g = global i32 5\n" + text)
    answer = refine(module, module)
    assert answer.counterexample is not None and "  --arg %q=@g" in launch(answer.counterexample)


POISONS: list[Pair] = [
    ("i1 %c, i1 %d", "i1", "%r = select i1 %c, i1 %d, i1 false", "%r = and i1 %c, %d"),
    ("i32 %x", "i32", "%y = freeze i32 %x\n%r = sub i32 %y, %y", "%r = sub i32 %x, %x"),
    ("i8 %x", "i32", "%r = select i1 false, i32 1, i32 2", "%z = zext i8 %x to i32\n%r = udiv i32 2, %z"),
    (
        "<2 x i8> %x", "i8", "%r = extractelement <2 x i8> %x, i32 0",
        "%s = shufflevector <2 x i8> %x, <2 x i8> zeroinitializer, <2 x i32> <i32 1, i32 0>\n"
        "%t = add <2 x i8> %x, %s\n%u = sub <2 x i8> %t, %s\n%r = extractelement <2 x i8> %u, i32 0",
    ),
]  # fmt: skip


@pytest.mark.parametrize("pair", POISONS, ids=lambda pair: pair[3].split(" =")[-1].split()[0])
def test_an_argument_may_be_poison(pair: Pair) -> None:
    module = parse(functions(pair))
    answer = refine(module, module)
    assert answer.verdict == "wrong" and answer.counterexample is not None
    passed = repr(answer.counterexample.arguments)
    assert "poison" in passed or "udiv" in pair[3]  # of which zero shows as much


@pytest.mark.parametrize("pair", [POISONS[0], POISONS[1]], ids=["select", "freeze"])
def test_one_that_is_noundef_is_not(pair: Pair) -> None:
    parameters = ", ".join(p.replace(" ", " noundef ", 1) for p in pair[0].split(", "))
    module = parse(functions((parameters, *pair[1:])))
    assert refine(module, module).verdict == "equal"


SPECULATED = """define i32 @src(i1 noundef %c, ptr {promise} %p) {{
  br i1 %c, label %look, label %none
look:
  %v = load {kind}, ptr %p
  %w = {widened}
  br label %none
none:
  %r = phi i32 [ 0, %0 ], [ %w, %look ]
  ret i32 %r
}}
define i32 @tgt(i1 noundef %c, ptr {promise} %p) {{
  %v = load {kind}, ptr %p
  %w = {widened}
  %r = select i1 %c, i32 %w, i32 0
  ret i32 %r
}}"""


@pytest.mark.parametrize(
    ("promise", "verdict"),
    [
        ("", "wrong"),
        ("nonnull noundef", "wrong"),  # it may be an end of its object
        ("align 4 noundef", "wrong"),
        ("align 4 dereferenceable_or_null(4)", "wrong"),
        ("dereferenceable(4)", "wrong"),  # nobody says that it is aligned
        ("align 4 dereferenceable(4)", "equal"),
    ],
)
def test_a_load_that_is_moved_over_a_branch_needs_a_promise(promise: str, verdict: str) -> None:
    text = SPECULATED.format(promise=promise, kind="i32", widened="add i32 %v, 0")
    module = parse(text)
    assert refine(module, module).verdict == verdict


def test_a_pointer_may_be_null() -> None:
    text = """define i1 @{}(ptr %p) {{
  %r = icmp {}
  ret i1 %r
}}
"""
    module = parse(text.format("src", "eq ptr %p, null") + text.format("tgt", "ult ptr %p, null"))
    answer = refine(module, module)
    assert answer.counterexample is not None and answer.counterexample.arguments == {"p": ("null",)}


RESULT = """declare {promise} i32 @ask()
define i32 @{name}() {{
  %v = call i32 @ask()
  %w = {use}
  ret i32 %w
}}
"""


@pytest.mark.parametrize(("promise", "verdict"), [("", "wrong"), ("noundef", "equal")])
def test_a_function_without_a_model_may_give_poison(promise: str, verdict: str) -> None:
    source, target = (
        parse(RESULT.format(promise=promise, name="f", use=use)) for use in ("add i32 0, 0", "sub i32 %v, %v")
    )
    assert refine(source, target).verdict == verdict


def test_what_says_how_much_it_allocates_gives_no_poison() -> None:
    """LLVM adds ``dereferenceable_or_null``, which implies ``noundef``, to such calls."""
    text = "declare ptr @get(i64) {}\ndefine ptr @f() {{\n  %p = call {} ptr @get(i64 8)\n  ret ptr %p\n}}\n"
    for words, verdict in (("allocsize(0)", "equal"), ("", "wrong")):
        source, target = (parse(text.format(words, at)) for at in ("", "dereferenceable_or_null(8)"))
        assert refine(source, target).verdict == verdict


def test_numbers_are_tried_within_the_range_that_a_parameter_promises() -> None:
    text = """define i32 @{}(i32 noundef range(i32 -32, -16) %x) {{
  %r = lshr i32 %x, {}
  ret i32 %r
}}
"""
    same, other = (parse(text.format("src", 1) + text.format("tgt", shift)) for shift in (1, 2))
    assert refine(same, same).verdict == "equal" and refine(other, other).verdict == "wrong"


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("%n = sub i8 0, %x\n%r = srem i8 %y, %n", "%r = srem i8 %y, %x"),  # for the least number and -1
        ("%n = sub i8 0, %y\n%r = srem i8 %x, %n", "%r = srem i8 %x, %y"),
    ],
)
def test_the_least_number_meets_minus_one(source: str, target: str) -> None:
    module = parse(functions(("i8 noundef %x, i8 noundef %y", "i8", source, target)))
    assert refine(module, module).verdict == "wrong"


def test_a_pointer_in_a_variable_may_be_null() -> None:
    text = """@g = external global ptr
define i1 @{}() {{
  %p = load ptr, ptr @g
  %r = icmp {} ptr %p, null
  ret i1 %r
}}
"""
    source, target = (parse(text.format("f", test)) for test in ("eq", "ult"))
    assert refine(source, target).verdict == "wrong"


LANE = """define i32 @{name}(i32 %x) convergent {{
  %v = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 {lane})
  ret i32 %v
}}
"""


def test_a_whole_wave_runs_once() -> None:
    text = "declare i32 @llvm.amdgcn.readlane.i32(i32, i32) convergent\n"
    text += LANE.format(name="src", lane=30) + LANE.format(name="tgt", lane=31)
    module = parse(text)
    answer = refine(module, module)
    assert answer.verdict == "wrong" and answer.counterexample is not None
    assert answer.counterexample.threads >= 31


FIRST = """define i32 @{name}(i32 %x) convergent {{
  %v = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x)
  %r = sub {flag} i32 %x, %v
  ret i32 %r
}}
"""


def test_one_of_two_threads_has_what_lies_at_an_edge() -> None:
    text = "declare i32 @llvm.amdgcn.readfirstlane.i32(i32)\n"
    text += FIRST.format(name="src", flag="") + FIRST.format(name="tgt", flag="nsw")
    module = parse(text)
    assert refine(module, module, models=("inferred",)).verdict == "wrong"


PLACE = """define amdgpu_kernel void @{name}(ptr addrspace(1) %o) {{
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workgroup.id.x()
  %group = shl i32 %z, 1
  %here = add i32 %group, %x
  %line = shl i32 %here, 1
  %at = add i32 %line, %y
  %to = getelementptr i32, ptr addrspace(1) %o, i32 %at
  store i32 {value}, ptr addrspace(1) %to
  ret void
}}
"""


@pytest.mark.parametrize("value", ["%here", "%y"])
def test_several_workgroups_run_where_a_thread_may_know_its_place(value: str) -> None:
    text = "".join(
        f"declare i32 @llvm.amdgcn.{name}()\n"
        for name in ("workitem.id.x", "workitem.id.y", "workgroup.id.x")
    )
    other = "%x" if value == "%here" else "0"
    for target, verdict in ((value, "equal"), (other, "wrong")):
        module = parse(text + PLACE.format(name="src", value=value) + PLACE.format(name="tgt", value=target))
        answer = refine(module, module, shortcut=False)
        assert answer.verdict == verdict
    assert answer.counterexample is not None and answer.counterexample.shape is not None
    one = refine(module, module, threads=4)
    assert one.verdict == "equal"  # of one workgroup it is the same


LOOP = """define i32 @{name}(i32 %n) {{
A:
  br label %L
L:
  %i = phi i32 [ 0, %A ], [ %j, %L ]
  %j = add i32 %i, {one}
  %c = icmp {less} i32 %j, %n
  br i1 %c, label %L, label %E
E:
  ret i32 %j
}}
"""


def test_a_loop_that_goes_round_for_very_long_costs_little() -> None:
    module = parse(LOOP.format(name="src", one=1, less="slt") + LOOP.format(name="tgt", one=1, less="slt  "))
    from convergence.refine.inputs.launch import Input
    from convergence.refine.sides.outcomes import Bounds
    from convergence.refine.sides.side import prepare

    answer = refine(module, module, shortcut=False)
    assert answer.verdict == "equal" and "at the edges" in answer.established
    cut = prepare(module, "src").outcomes("tokens", Input(1, None, ((2**31 - 1,),)), Bounds(steps=2_000))
    assert cut.bound is not None and not cut.by_identity


def test_edges_are_few_distinct_and_keep_what_was_given() -> None:
    domains = (InputDomain((0, 1, 2), edges=(-1, 7)), InputDomain((0.0, 1.0), edges=FLOAT_EDGES))
    space = Space(domains, ((3,), None), (2, 3, 4), None, False)
    alone = edges(space, EdgeFacts(), 20, 0)
    assert len(alone) == len(set(alone)) == 4 and {input_.threads for input_ in alone} == {1}
    tried = edges(space, EdgeFacts(wave=32), 20, 0)
    assert len(tried) == len(set(tried)) == 20
    assert all(set(input_.arguments[0] or ()) == {3} for input_ in tried)
    assert {value for input_ in tried for value in input_.arguments[1] or ()} >= set(FLOAT_EDGES)
    assert edges(space, EdgeFacts(wave=32), 20, 0) == tried
    assert sorted({input_.threads for input_ in tried}) == [2, 32]
    for fewer, more in pairwise(edges(space, EdgeFacts(), n, 0) for n in range(6)):
        assert more[: len(fewer)] == fewer


def test_racing_writes_may_be_torn() -> None:
    text = """define void @src(ptr %p, <2 x i32> %v) {
      store <2 x i32> %v, ptr %p, align 4
      ret void
    }
    define void @tgt(ptr %p, <2 x i32> %v) {
      %a = extractelement <2 x i32> %v, i32 0
      %b = extractelement <2 x i32> %v, i32 FIRST
      %q = getelementptr i32, ptr %p, i32 1
      store i32 %a, ptr %p
      store i32 %b, ptr %q
      ret void
    }"""
    for lane, verdict in ((1, "equal"), (0, "wrong")):
        module = parse(text.replace("FIRST", str(lane)))
        assert refine(module, module, max_launches=12).verdict in (
            verdict,
            verdict.replace("equal", "refines"),
        )


def test_what_is_frozen_matters_only_where_it_was_poison() -> None:
    text = """define i32 @src(i32 PROMISE %x) {
      %a = add nsw i32 %x, 1
      %f = freeze i32 %a
      %r = RESULT
      ret i32 %r
    }
    define i32 @tgt(i32 PROMISE %x) {
      %r = add i32 %x, 2
      ret i32 %r
    }"""
    for promise, result, verdicts in (
        ("noundef", "add i32 %f, 2", ("wrong",)),
        ("noundef", "add i32 %f, 1", ("equal", "refines")),
        ("", "add i32 %f, 1", ("wrong",)),  # of a poison %x the target alone returns poison
    ):
        module = parse(text.replace("RESULT", result).replace("PROMISE", promise))
        assert refine(module, module, max_launches=16).verdict in verdicts


class _Asked(EdgesOfSides):
    """Which facts were asked for."""

    def __init__(self, facts: EdgeFacts) -> None:
        self.asked: list[str] = []
        self._facts = facts

    def __getattribute__(self, name: str) -> object:
        if not name.startswith("_") and name != "asked":
            self.asked.append(name)
            return getattr(self._facts, name)
        return super().__getattribute__(name)


def test_what_no_launch_needs_is_not_found_out() -> None:
    space = Space((InputDomain((0, 1, 2), edges=(-1, 7)),), (None,), (2, 3, 4), None, False)
    facts = EdgeFacts(wave=32, writes=True, memories=((1, 2),))
    for most in range(9):
        asked = _Asked(facts)
        assert edges(space, asked, most, 0) == edges(space, facts, most, 0)
        assert ("writes" in asked.asked) == (most > 1)
        assert ("memories" in asked.asked) == (most > 2)


def test_objects_are_aligned_as_parameters_promise() -> None:
    """Else no launch keeps the promise, and nothing is compared."""
    pair = ("ptr align 64 %p, i32 %i", "i32", "%v = load i32, ptr %p, align 64\n%r = add i32 %v, %i",
            "%v = load i32, ptr %p, align 64\n%r = sub i32 %v, %i")  # fmt: skip
    module = parse(functions(pair))
    assert refine(module, module).verdict == "wrong"


# -- A byte within a word, and a wide element for each lane

BYTES = """target triple = "amdgcn-amd-amdhsa"
target datalayout = "e-p:64:64-p1:64:64-i64:64"
define void @f(ptr addrspace(1) %p, i8 %x) {
  store i8 %x, ptr addrspace(1) %p, align 1
  ret void
}
"""
WORDS = """target triple = "amdgcn-amd-amdhsa"
target datalayout = "e-p:64:64-p1:64:64-i64:64"
define void @f(ptr addrspace(1) %p, i8 %x) {
  %word = call ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1) %p, i64 -4)
  %at = ptrtoint ptr addrspace(1) %p to i64
  %byte = and i64 %at, 3
  %bits = shl i64 %byte, 3
  %by = trunc i64 %bits to i32
  %mask = shl i32 255, %by
  %kept = xor i32 %mask, -1
  %old = load i32, ptr addrspace(1) %word
  %rest = and i32 %old, %kept
  %wide = zext i8 %x to i32
  %put = shl i32 %wide, %by
  %new = or i32 %rest, %put
  store i32 %new, ptr addrspace(1) %word
  ret void
}
declare ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1), i64)
"""


def test_a_pointer_lies_within_a_word() -> None:
    """The first byte of a word says nothing of the shift that finds it."""
    options: dict[str, Any] = {"threads": 1, "max_launches": 40}
    assert refine(parse(BYTES), parse(WORDS), **options).verdict == "equal"
    for fault in (WORDS.replace("%byte, 3", "%byte, 4"), WORDS.replace("%at, 3", "%at, 1")):
        assert refine(parse(BYTES), parse(fault), **options).verdict == "wrong"


LANES = """target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare TYPE @llvm.amdgcn.update.dpp.SUFFIX(TYPE, TYPE, i32, i32, i32, i1) convergent
define amdgpu_kernel void @k(ptr addrspace(1) %p) "target-cpu"="gfx900" {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr TYPE, ptr addrspace(1) %p, i32 %id
  %x = load TYPE, ptr addrspace(1) %at
  %y = call TYPE @llvm.amdgcn.update.dpp.SUFFIX(TYPE %x, TYPE %x, i32 1, i32 ROWS, i32 15, i1 false)
  store TYPE %y, ptr addrspace(1) %at
  ret void
}
"""


@pytest.mark.parametrize(("type_", "suffix"), [("i32", "i32"), ("i64", "i64"), ("<4 x i32>", "v4i32")])
def test_each_lane_of_a_wave_has_an_element(type_: str, suffix: str) -> None:
    """Rows that the first four lanes are not in: a wave of 64 has to run, with 16 bytes for each lane."""

    def rows(mask: int) -> Module:
        text = LANES.replace("TYPE", type_).replace("SUFFIX", suffix).replace("ROWS", str(mask))
        return parse(text)

    answers = [refine(rows(15), rows(mask), models=["maximal"], max_launches=40) for mask in (15, 7)]
    assert [a.verdict for a in answers] == ["equal", "wrong"]


def test_the_next_side_of_a_chain_has_the_elements_that_are_its_own() -> None:
    """A pass that narrows what is accessed: what was its target is made anew as a source."""
    from convergence.refine.sides.side import SideChain

    wide = parse(LANES.replace("TYPE", "i64").replace("SUFFIX", "i64").replace("ROWS", "15"))
    narrow = parse(LANES.replace("TYPE", "i32").replace("SUFFIX", "i32").replace("ROWS", "15"))
    chain = SideChain()
    source = chain.source(wide, "k")
    target = chain.target(narrow, "k", source)
    assert source.options.shape.elements == target.options.shape.elements == 128
    assert chain.source(narrow, "k").options.shape.elements == 64


def test_where_threads_race_one_is_looked_at_alone() -> None:
    """All threads of a kernel store to one place, so that no launch at the edges of two says anything."""
    text = """target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.readfirstlane.i32(i32) convergent
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %x) {
  %y = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x)
  %z = SUM i32 %y, %y
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %w = xor i32 %z, %id
  store i32 %w, ptr addrspace(1) %p
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
"""
    source, target = parse(text.replace("SUM", "add")), parse(text.replace("SUM", "add nsw"))
    assert refine(source, target, models=["maximal"], max_launches=40).verdict == "wrong"


def test_objects_are_aligned_as_the_source_asks() -> None:
    """A vector of 128 bytes asks for as many: at a multiple of 16 each launch would be undefined."""
    text = """target datalayout = "e-i64:64-v512:512-v1024:1024"
define void @f(ptr %p) {
  %x = load <32 x i32>, ptr %p
  %y = add <32 x i32> %x, splat (i32 NUMBER)
  store <32 x i32> %y, ptr %p
  ret void
}
"""
    one, two = (parse(text.replace("NUMBER", n)) for n in "12")
    assert refine(one, two, threads=1).verdict == "wrong"
    narrow = parse(text.replace("NUMBER", "1").replace("ptr %p\n", "ptr %p, align 16\n"))
    assert refine(one, narrow, threads=1).verdict in ("equal", "refines")
    assert refine(narrow, one, threads=1).verdict == "wrong"  # it asks for more than the source does
