"""Claims against runs: what differs is found with its threads, and nothing else is called wrong.

covers: uniformity.answer, uniformity.observe
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from random import Random

import pytest

import convergence as cc
from convergence.fuzz.uniform_programs import AMDGPU, NVPTX, kernel
from convergence.ir.cfg import Order
from convergence.refine.inputs.inputs import Guide
from convergence.refine.inputs.inputs import inputs as inputs_of
from convergence.refine.inputs.space import space_of
from convergence.refine.sides.outcomes import Bounds, Executable
from convergence.refine.sides.side import prepare
from convergence.semantics.machine import Ended, Entered, Log, MostConverged, ReturnEvent, Stepped, Visited
from convergence.semantics.machine.launch import launch_spec
from convergence.semantics.values import plain
from convergence.semantics.values.datalayout import layout_of
from convergence.uniformity.check import Claimant, ValueUse, claims_of, faults, not_shown
from convergence.uniformity.observe import ObservedRuns, Subject, ValueLog, observe

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
    assert {witness.first.thread, witness.second.thread} <= set(range(4))
    assert witness.first.value != witness.second.value
    assert witness.picture


@dataclass
class TracedVisit:
    """What single instructions of a block visit gave, and whether the thread went on from it."""

    values: dict[str, object] = field(default_factory=dict)
    left: bool = False


def traced(log: Log) -> dict[int, list[TracedVisit]]:
    """By thread, its block visits as a detailed log has them."""
    visits: defaultdict[int, list[TracedVisit]] = defaultdict(list)
    frames: defaultdict[int, list[TracedVisit]] = defaultdict(list)
    for event in log:
        match event:
            case Entered(thread=thread):
                frames[thread].append(TracedVisit())
            case Visited(thread=thread):
                frames[thread][-1].left = True
                frames[thread][-1] = TracedVisit()
                visits[thread].append(frames[thread][-1])
            case Stepped(thread=thread, result=str() as name) if event.value is not None:
                frames[thread][-1].values[name] = event.value
            case ReturnEvent(thread=thread) | Ended(thread=thread, how="returned"):
                frames[thread].pop().left = True
    return visits


CALLS = """define void @g(i32 %n) convergent {
entry:
  %token = call token @llvm.experimental.convergence.entry()
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  br label %self
self:
  %a = phi i32 [ 0, %entry ], [ %b, %self ]
  %b = phi i32 [ %id, %entry ], [ %c, %self ]
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %token) ]
  %c = call i32 @h(i32 %a) [ "convergencectrl"(token %heart) ]
  %more = icmp slt i32 %c, 3
  br i1 %more, label %self, label %out
out:
  %d = call i32 @h(i32 %c) [ "convergencectrl"(token %token) ]
  ret void
}
define i32 @h(i32 %x) convergent {
  %token = call token @llvm.experimental.convergence.entry()
  %y = add i32 %x, 1
  %v = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %y) [ "convergencectrl"(token %token) ]
  ret i32 %v
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
"""


def test_values_are_those_that_a_trace_shows() -> None:
    """What is read from registers when a thread goes on is what each instruction gave."""
    texts = [CALLS] + [kernel(seed, dialect) for seed in range(8) for dialect in (AMDGPU, NVPTX)]
    compared = 0
    for text in texts:
        module = cc.parse(text)
        name = module.definitions()[0].name
        spec = launch_spec(function=name, threads=3)
        prepared = prepare(module, name, spec)
        space = space_of(prepared, prepared, spec, [], 3)
        executable = prepared.runnable("tokens")
        assert isinstance(executable, Executable)
        layout = layout_of(prepared.module)
        for input_ in Guide(inputs_of(space, 3, 1), space, 1):
            quiet, detailed = ValueLog(layout), Log(detailed=True)
            for log in (quiet, detailed):
                executable.logged(input_, log, MostConverged(), Bounds(2_000))
            for thread, visits in traced(detailed).items():
                for visit, values in zip(visits, quiet.values[thread], strict=True):
                    if visit.left:
                        shown = {n: plain(value, type_, layout) for n, (value, type_) in values.items()}
                        results = {n: v for n, v in shown.items() if n in "cd"}  # no trace has those of calls
                        assert shown == visit.values | results
                        compared += len(shown)
    assert compared > 3_000


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
    assert [(n.subject.name, n.use) for n in shown] == [("next", ValueUse.OTHER), ("zero", ValueUse.NONE)]


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
        assert kind in (witness.first.value, witness.second.value)


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
    visits = (witness.first.nth, witness.second.nth)
    assert visits == ((1, 2) if order is Order.TEXT else (1, 1))


def test_what_was_seen_here_and_there_is_counted_together() -> None:
    here, there = ObservedRuns({}, {}, 5, 2), ObservedRuns({}, {}, 3, 1)
    joined = here.joined(there)
    assert (joined.executions, joined.left_out) == (8, 3)


def test_a_launch_that_a_calling_convention_excludes_is_not_run() -> None:
    """The rules were called unsound by it."""
    module = cc.parse(LOOP)
    found = cc.uniformity(module, check=True, threads=2, arguments={"n": [1, 2]})
    why = "--arg %n: several values, where the calling convention gives all threads one"
    assert (found.checked, found.unchecked) == ((), {"f": why})
    (checked,) = cc.uniformity(module, check=True, threads=2, arguments={"n": [2, 2]}).checked
    assert checked.faults == () and checked.observed.executions
    device = cc.parse(LOOP.replace("amdgpu_kernel ", ""))
    (checked,) = cc.uniformity(device, check=True, threads=2, arguments={"n": [1, 2]}).checked
    assert checked.faults == ()
