"""Claims against runs: what differs is found with its threads, and nothing else is called wrong.

covers: uniformity.observe, uniformity.check, uniformity.answer
"""

from __future__ import annotations

from random import Random

import pytest

import convergence as cc
from convergence.ir.cycles import Order
from convergence.refine.sides.side import prepare
from convergence.semantics.machine.launch import launch_spec
from convergence.uniformity.check import Claimant, Use, claims_of, faults, not_shown
from convergence.uniformity.observe import ObservedRuns, Subject, observe

from ..oracles.uniformity_generate import HEAD, draw_shape, write

LOOP = """target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @f(i32 %n) {
start:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  br label %turn
turn:
  %i = phi i32 [ 0, %start ], [ %next, %turn ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %id
  br i1 %more, label %turn, label %out
out:
  %after = add i32 %next, 1
  %zero = sub i32 %after, %after
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
"""


def observed(text: str) -> tuple[cc.Module, ObservedRuns]:
    module = cc.parse(text)
    found = cc.uniformity(module, check=True, threads=4)
    return module, found.checked[0].observed


def test_what_differs_has_two_converged_instances() -> None:
    """Thread 2 goes round twice, thread 3 three times: their counters agree in each round, not behind."""
    _, seen = observed(LOOP)
    assert {s.name for s in seen.differing} == {"id", "more", "turn", "after"}
    assert Subject("f", "next") in seen.compared
    witness = seen.differing[Subject("f", "after")]
    assert witness.block == "out"
    assert {witness.one.thread, witness.other.thread} <= set(range(4))
    assert witness.one.value != witness.other.value
    assert witness.picture


def test_a_wrong_claim_is_a_fault_of_its_claimant() -> None:
    module, seen = observed(LOOP)
    found = cc.uniformity(module)
    ours = claims_of(found.functions.values())
    wrong = {**ours, Subject("f", "after"): True, Subject("f", "turn", True): True}
    claims = {Claimant.RULES: ours, Claimant.LLVM: wrong}
    assert [(f.subject.name, f.claimants) for f in faults(claims, seen)] == [
        ("turn", (Claimant.LLVM,)),
        ("after", (Claimant.LLVM,)),
    ]


def test_what_is_called_divergent_and_never_differs_is_said_by_use() -> None:
    module, seen = observed(LOOP)
    ours = claims_of(cc.uniformity(module).functions.values())
    claims = {Claimant.RULES: {**ours, Subject("f", "next"): False}}
    shown = not_shown(claims, seen, module.functions)
    assert [(n.subject.name, n.use) for n in shown] == [("next", Use.OTHER), ("zero", Use.NONE)]


def test_undef_in_one_lane_is_not_a_value_in_another() -> None:
    text = """target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @f(i32 %n) {
start:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = trunc i32 %id to i1
  br i1 %odd, label %left, label %out
left:
  br label %out
out:
  %half = phi i32 [ %n, %left ], [ KIND, %start ]
  %both = phi i32 [ KIND, %left ], [ KIND, %start ]
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
"""
    for kind in ("undef", "poison"):
        _, seen = observed(text.replace("KIND", kind))
        assert {s.name for s in seen.differing} == {"id", "odd", "start", "half"}
        witness = seen.differing[Subject("f", "half")]
        assert kind in (witness.one.value, witness.other.value)


def test_the_number_of_a_stack_object_is_not_compared() -> None:
    """Its place is: each thread has its own object there."""
    text = """define amdgpu_kernel void @f() {
  %object = alloca i32
  %place = getelementptr i8, ptr %object, i32 1
  %number = ptrtoint ptr %place to i64
  %more = add i64 %number, 1
  ret void
}
"""
    module, seen = observed(text)
    assert {s.name for s in seen.compared} == {"object", "place"}
    assert seen.differing == {}
    assert cc.uniformity(module).functions["f"].values["object"].verdict.value == "uniform"


def test_reads_that_race_say_nothing() -> None:
    text = """define amdgpu_kernel void @f(ptr addrspace(1) %p) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  store i32 %id, ptr addrspace(1) %p
  %read = load i32, ptr addrspace(1) %p
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
"""
    _, seen = observed(text)
    assert seen.executions == 0
    assert seen.left_out > 0


def test_the_rules_are_sound_in_runs_of_generated_programs() -> None:
    for seed in range(40):
        random = Random(f"runs {seed}")
        module = cc.parse(HEAD + write(draw_shape(random, random.randint(4, 8))))
        found = cc.uniformity(module, check=True, max_launches=4, max_steps=300)
        assert found.sound, found.checked[0].faults


@pytest.mark.parametrize("order", Order)
def test_the_hierarchy_of_runs_is_the_one_asked_for(order: Order) -> None:
    """Of an irreducible cycle, whose entries are converged with one as the header and not with the other."""
    text = """define void @f(i1 %c, i32 %n) {
start:
  br i1 %c, label %one, label %other
one:
  %i = phi i32 [ 0, %start ], [ %k, %other ]
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, %n
  br i1 %more, label %other, label %out
other:
  %k = phi i32 [ 5, %start ], [ %j, %one ]
  br label %one
out:
  ret void
}
"""
    module = cc.parse(text)
    spec = launch_spec(arguments={"c": [1, 0], "n": [2, 9]}, threads=2)
    seen = observe(prepare(module, None, spec), spec, orders=[order])
    witness = seen.differing[Subject("f", "k")]
    visits = (witness.one.nth, witness.other.nth)
    assert visits == ((1, 2) if order is Order.TEXT else (1, 1))
