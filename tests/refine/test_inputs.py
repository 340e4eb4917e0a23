"""Which inputs are tried: all where they fit, two and three threads, small values, every partition.

covers: refine.inputs.inputs, refine.inputs.launch, refine.inputs.space
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import convergence as cc
from convergence.ir import I1, PTR, FloatType, IntType, StructType, VectorType
from convergence.parser import parse
from convergence.refine.inputs.inputs import (
    Guide,
    InputDomain,
    Selection,
    Space,
    assumed,
    constants,
    domain_of,
    inputs,
    parse_assumption,
    small_integers,
)
from convergence.refine.inputs.launch import Input
from convergence.semantics import NoModel, UsageError
from convergence.semantics.values.datalayout import Layout

BITS = InputDomain((0, 1), True)
INTEGERS = InputDomain((0, 1, 2, 3, 4, 5, 9, 10))


def space(*domains: InputDomain, threads: tuple[int, ...] = (2, 3), interpretations: bool = False) -> Space:
    return Space(domains, (None,) * len(domains), threads, None, interpretations)


def test_all_inputs_are_tried_where_they_fit() -> None:
    """Two threads in one group or two, three in groups of three, two, one: 2 * 4 + 3 * 8."""
    found = inputs(space(BITS), 400, 0)
    assert found.all_tuples
    assert space(BITS).complete
    assert len(found.inputs) == len(set(found.inputs)) == 32
    pairs = {(a, b) for a in (0, 1) for b in (0, 1)}
    assert {i.arguments[0] for i in found.inputs if i.threads == 2} == pairs
    assert {i.subgroup_size for i in found.inputs if i.threads == 3} == {None, 1, 2}


def test_a_selection_has_two_and_three_threads_and_loops_of_four_trips() -> None:
    found = inputs(space(INTEGERS, INTEGERS), 40, 0)
    assert not found.all_tuples
    assert len(found.inputs) == len(set(found.inputs)) == 40
    assert {i.threads for i in found.inputs} == {2, 3}
    assert {i.threads for i in found.inputs[:3]} == {2, 3}
    assert any(4 in (i.arguments[0] or ()) for i in found.inputs)
    assert any(len(set(i.arguments[0] or ())) > 1 for i in found.inputs[:3])


def test_the_same_seed_gives_the_same_inputs() -> None:
    here = space(INTEGERS, INTEGERS)
    assert inputs(here, 20, 7) == inputs(here, 20, 7)
    assert inputs(here, 20, 7) != inputs(here, 20, 8)


def test_unknown_functions_are_interpreted_in_several_ways() -> None:
    found = inputs(space(threads=(2,), interpretations=True), 30, 0)
    kinds = {i.interpretation.kind for i in found.inputs}
    assert kinds == {"spread", "small", "count"}
    assert not space(interpretations=True).complete


def test_assumptions_limit_what_is_tried() -> None:
    i32 = IntType(32)
    within = assumed(INTEGERS, "n", i32, [parse_assumption("range:%n=2..4")])
    assert within == InputDomain((2, 3, 4), True)
    same = assumed(BITS, "c", I1, [parse_assumption("uniform:%c")])
    assert same is not None
    found = inputs(space(same, threads=(3,)), 100, 0)
    assert {i.arguments[0] for i in found.inputs} == {(0, 0, 0), (1, 1, 1)}
    with pytest.raises(UsageError, match="no integer"):
        assumed(None, "p", PTR, [parse_assumption("range:%p=0..1")])


def test_domains_by_type() -> None:
    layout = Layout()
    known = {32: (99, 100, 101)}
    tried = domain_of(IntType(32), known, None, layout)
    assert tried is not None
    assert set(tried.values) >= {0, 1, 2, 3, 4, 99, 100, 101}
    assert domain_of(I1, known, None, layout) == BITS
    assert domain_of(PTR, known, "@argument.1", layout) == InputDomain(("@argument.1",))
    for type_ in (FloatType("float"), VectorType(4, IntType(32)), StructType((I1, IntType(8)))):
        found = domain_of(type_, known, None, layout)
        assert found is not None
        assert len(found.values) > 1


def test_constants_of_the_program_and_their_neighbours() -> None:
    module = parse("define i32 @f(i32 %x) {\n %a = add i32 %x, 40\n ret i32 %a\n}\n")
    assert set(constants(module.definitions())[32]) == {39, 40, 41}


def test_what_leads_somewhere_new_has_its_neighbours_tried_next() -> None:
    here = space(INTEGERS, INTEGERS, threads=(2,))
    chosen = tuple(Input(2, None, ((a, 0), (0, 0))) for a in range(6))
    more = tuple(Input(2, None, ((0, a), (1, 1))) for a in range(6))
    guide = Guide(Selection((*chosen, *more), False), here, 0)
    tried = []
    for input_ in guide:
        tried.append(input_)
        first = input_.arguments[0]
        assert first is not None
        guide.learn(input_, frozenset((value, 1) for value in first))
    assert len(tried) == len(set(tried)) == 12
    assert set(tried) - {*chosen, *more}


def test_neighbours_that_nobody_allows_are_passed_over() -> None:
    """Of an integer that is one of two, no other is tried, though its neighbours are."""
    here = space(InputDomain((0, 1), True), INTEGERS, threads=(2,))
    chosen = tuple(Input(2, None, ((a, 0), (b, 0))) for a in range(2) for b in range(4))
    guide = Guide(Selection(chosen, False), here, 0)
    tried = []
    for input_ in guide:
        tried.append(input_)
        guide.learn(replace(input_, arguments=((7, 7), input_.arguments[1])), frozenset({(len(tried), 1)}))
    assert len(tried) == len(chosen) and all(map(here.allows, tried))


def test_where_all_inputs_fit_nothing_is_guided() -> None:
    found = inputs(space(BITS), 400, 0)
    assert tuple(Guide(found, space(BITS), 0)) == found.inputs


def test_lanes_that_are_left_out_of_waves_leave_room_in_the_workgroup() -> None:
    text = """
target triple = "nvptx64-nvidia-cuda"
define i32 @src() "nvvm.reqntid"="64,1,1" {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ret i32 %x
}
define i32 @tgt() "nvvm.reqntid"="64,1,1" {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inside = icmp ult i32 %x, LIMIT
  call void @llvm.assume(i1 %inside)
  ret i32 %x
}
declare void @llvm.assume(i1)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"""
    for limit, verdict in ((64, "equal"), (33, "equal"), (32, "wrong")):
        module = cc.parse(text.replace("LIMIT", str(limit)))
        assert cc.refine(module, module, threads=2).verdict == verdict, limit
    whole = cc.parse(text.replace("LIMIT", "64"))
    assert cc.refine(whole, whole, threads=4).verdict == "equal"
    assert cc.refine(whole, whole, threads=3, subgroup_size=1).verdict == "wrong"


def test_long_vectors_have_values_to_try() -> None:
    tried = domain_of(VectorType(32, I1), {}, None, Layout())
    assert tried is not None and all(isinstance(v, tuple) and len(v) == 32 for v in tried.values)
    assert len(set(tried.values)) > 1


LEADS_FAR = """
declare i32 @begin()
declare void @work()
define void @NAME() {
  %r = call i32 @begin()
  %go = icmp eq i32 %r, -1
  br i1 %go, label %yes, label %no
yes:
  WORK
  br label %no
no:
  ret void
}
"""


def test_functions_without_a_model_give_what_the_program_compares_with() -> None:
    """`-1` is no small number, and all that is done stands behind it."""
    source = cc.parse(LEADS_FAR.replace("NAME", "f").replace("WORK", "call void @work()"))
    target = cc.parse(LEADS_FAR.replace("NAME", "f").replace("WORK", ""))
    assert cc.refine(source, target).verdict == "wrong"
    assert -1 in small_integers((source.functions["f"],))


@pytest.mark.parametrize("kind", ["half", "bfloat", "float", "double"])
def test_a_sum_that_loses_a_number(kind: str) -> None:
    source = "%a = fadd KIND %x, %y\n  %r = fsub KIND %a, %y"
    text = f"define KIND @src(KIND %x, KIND %y) {{\n  {source}\n  ret KIND %r\n}}\n"
    text += "define KIND @tgt(KIND %x, KIND %y) {\n  ret KIND %x\n}\n"
    module = parse(text.replace("KIND", kind))
    assert cc.refine(module, module, threads=1).verdict == "wrong"


@pytest.mark.parametrize(
    "type_", ["<vscale x 4 x i32>", "[2 x <vscale x 2 x half>]", "{ i32, <vscale x 1 x i8> }"]
)
def test_a_vector_of_unknown_length_is_named(type_: str) -> None:
    """Nobody can give a value for one: that is no misuse."""
    text = f"define {type_} @f(i32 %x, {type_} %y) {{\n  %z = add i32 %x, N\n  ret {type_} %y\n}}\n"
    verdict = cc.refine(parse(text.replace("N", "1")), parse(text.replace("N", "2")))
    assert verdict.verdict == "unknown"
    assert isinstance(verdict.bound, NoModel) and "%y, a value of type <vscale x" in verdict.bound.feature


def test_as_many_threads_as_values_are_given() -> None:
    module = parse("define i32 @f(i32 %x, i32 %y) {\n  %s = add i32 %x, %y\n  ret i32 %s\n}\n")
    other = parse("define i32 @f(i32 %x, i32 %y) {\n  %s = add i32 %y, %x\n  ret i32 %s\n}\n")
    answer = cc.refine(module, other, arguments={"x": [1, 2, 3]}, max_launches=12)
    assert answer.verdict == "equal" and ", 3 threads" in answer.established
    with pytest.raises(UsageError, match="values are given for 2 and 3 threads"):
        cc.refine(module, other, arguments={"x": [1, 2, 3], "y": [1, 2]})


def test_where_threads_went_for_the_last_input_has_no_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """So nobody asks for it: what is tried, and found, is the same where it is asked for."""
    text = """define i32 @f(i32 %n, i32 %m) {
a:
  br label %b
b:
  %i = phi i32 [ 0, %a ], [ %j, %b ]
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %b, label %d
d:
  %r = mul i32 %i, %m
  ret i32 %r
}
"""
    other = text.replace("%r = mul i32 %i, %m", "%r = mul i32 %m, %i")
    learned: list[Input] = []
    learn = Guide.learn

    def noted(self: Guide, input_: Input, where: Any) -> None:
        learned.append(input_)
        learn(self, input_, where)

    monkeypatch.setattr(Guide, "learn", noted)
    answers = []
    for always in (False, True):
        if always:
            monkeypatch.setattr(Guide, "learns", True)
        learned.clear()
        found = cc.refine(cc.parse(text), cc.parse(other), max_launches=12, shortcut=False)
        answers.append((found.verdict, found.established, tuple(learned)))
    assert answers[0] == answers[1] and len(answers[0][2]) >= 12


SIZED = """
target triple = "TRIPLE"
@seen = addrspace(1) global [64 x i32] zeroinitializer
declare i32 @ID(ATTRIBUTE)
declare void @llvm.assume(i1)
define void @f() WORDS {
  %t = call i32 @ID(ARGUMENT)
  ASSUME
  %p = getelementptr i32, ptr addrspace(1) @seen, i32 %t
  store i32 %t, ptr addrspace(1) %p
  ret void
}
!0 = !{i32 N, i32 1, i32 1}
"""
HLSL = ("dxil-pc-shadermodel6.6-compute", "llvm.dx.thread.id.in.group", "i32", "i32 0")
AMD = ("amdgcn-amd-amdhsa", "llvm.amdgcn.workitem.id.x", "", "")
NVIDIA = ("nvptx64-nvidia-cuda", "llvm.nvvm.read.ptx.sreg.tid.x", "", "")


@pytest.mark.parametrize("count", [1, 3, 5])
@pytest.mark.parametrize(
    ("target", "words"),
    [
        (HLSL, '"hlsl.shader"="compute" "hlsl.numthreads"="N,1,1"'),
        (AMD, '"amdgpu-flat-work-group-size"="1,N"'),
        (AMD, "!reqd_work_group_size !0"),
        (NVIDIA, '"nvvm.maxntid"="N"'),
        (NVIDIA, '"nvvm.reqntid"="N"'),
    ],
)
def test_no_launch_has_more_threads_than_a_workgroup(
    target: tuple[str, str, str, str], words: str, count: int
) -> None:
    """What passes know of the threads' numbers then holds: a target that uses it is right. What asks for more
    is an error, as for `run`."""
    triple, name, parameter, argument = target
    text = SIZED.replace("TRIPLE", triple).replace("@ID", f"@{name}").replace("ATTRIBUTE", parameter)
    text = text.replace("ARGUMENT", argument).replace("WORDS", words).replace("N", str(count))

    def knows(bound: int) -> str:
        known = f"%c = icmp ult i32 %t, {bound}\n  call void @llvm.assume(i1 %c)"
        sides = (cc.parse(text.replace("ASSUME", "")), cc.parse(text.replace("ASSUME", known)))
        return cc.refine(*sides).verdict

    assert knows(count) in ("equal", "refines")
    assert knows(count - 1) == "wrong"
    module, other = (cc.parse(text.replace("ASSUME", w)) for w in ("", "%other = add i32 %t, 1"))
    with pytest.raises(cc.UsageError, match=f"a workgroup of {count + 1} threads: @f has "):
        cc.refine(module, other, threads=count + 1)
    with pytest.raises(cc.UsageError, match=f"a workgroup of {count + 1} threads: @f has "):
        cc.run(module, threads=count + 1, partial=True)


def test_both_sides_say_how_many_threads_a_workgroup_has() -> None:
    """A launch keeps to what either says."""
    text = "define i32 @f() WORDS {\n  ret i32 1\n}"
    free, sized = (cc.parse(text.replace("WORDS", w)) for w in ("", '"hlsl.numthreads"="2,1,1"'))
    for sides in ((free, sized), (sized, free)):
        assert cc.refine(*sides).verdict == "equal"
        with pytest.raises(cc.UsageError, match="a workgroup of 3 threads"):
            cc.refine(*sides, threads=3)
