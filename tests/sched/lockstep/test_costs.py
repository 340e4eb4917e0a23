"""Issue slots, machine operations, the five blocks, refusals, waves, calls.

covers: sched.lockstep.executor, sched.lockstep.waves
"""

from __future__ import annotations

import pytest

from convergence.parser import parse
from convergence.sched.lockstep.policies import NAMES
from convergence.sched.lockstep.policy import MachineOptions
from convergence.semantics import Returned
from convergence.semantics.machine.launch import launch_spec
from convergence.semantics.machine.program import EngineKind
from tests.native.equality import simulation
from tests.sched.lockstep.programs import DECLARED, groups, on

FN0 = """
define float @fn0(float %a, float %b) {
entry:
  %c = fcmp ogt float %a, %b
  br i1 %c, label %then, label %else
then:
  %m = fmul float %a, %a
  %r0 = fsub float %m, %b
  br label %join
else:
  %n = fmul float %b, %b
  %r1 = fsub float %n, %a
  br label %join
join:
  %r = phi float [ %r0, %then ], [ %r1, %else ]
  ret float %r
}
"""
WAVES = {"then": [2, 3, 4, 5], "else": [0, 0, 0, 0], "divergent": [2, 0, 2, 0]}


def fn0(policy: str, wave: str, options: MachineOptions | None = None) -> int:
    found = on(policy, parse(FN0), options, threads=4, arguments={"a": WAVES[wave], "b": 1})
    assert isinstance(found.ending, Returned)
    assert found.outcome is not None
    assert [t.value for t in found.outcome.threads] == [
        a * a - 1.0 if a > 1 else 1.0 - a for a in WAVES[wave]
    ]
    return found.issues


@pytest.mark.parametrize("policy", ["ipdom", "exec-mask", "mask-stack", "block-ip", "barrier", "heart"])
def test_a_uniform_branch_costs_one_side_and_a_divergent_one_both(policy: str) -> None:
    """2 slots before the branch, 3 for each side, 1 behind it."""
    assert [fn0(policy, wave) for wave in WAVES] == [6, 6, 9]


def test_predication_costs_both_sides_always_unless_it_short_circuits() -> None:
    assert [fn0("predication", wave) for wave in WAVES] == [9, 9, 9]
    short = MachineOptions(short_circuit=True)
    assert [fn0("predication", wave, short) for wave in WAVES] == [6, 6, 9]
    assert [fn0("block-ip", wave, MachineOptions(no_jumps=True)) for wave in WAVES] == [9, 9, 9]


def test_independent_costs_every_lane() -> None:
    assert [fn0("independent", wave) for wave in WAVES] == [24, 24, 24]


PROMISED = """
declare {noundef} {range} i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @subgroupAdd(i32) convergent
define internal i32 @g(i32 {noundef} {range} %x) {{
  %y = add i32 %x, 1
  ret i32 %y
}}
define i32 @f(i32 {noundef} {range} %n) convergent {{
entry:
  %t = call {noundef} {range} i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %H
H:
  %i = phi i32 [ 0, %entry ], [ %i.next, %H ]
  %s = call {noundef} {range} i32 @subgroupAdd(i32 %t)
  %g = call {noundef} i32 @g(i32 %t)
  %u = call {noundef} {range} i32 @llvm.umin.i32(i32 %s, i32 %g)
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, 50
  br i1 %more, label %H, label %E
E:
  ret i32 %u
}}
declare i32 @llvm.umin.i32(i32, i32)
"""


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("policy", NAMES)
def test_promises_of_results_and_parameters_take_no_slots(policy: str, engine: EngineKind) -> None:
    """LLVM's print of a file has attributes that the file need not have."""
    spec = launch_spec(function="f", threads=4, arguments={"n": 3})
    bare, promised = (
        simulation(parse(PROMISED.format(**words)), spec, policy, engine)[1]
        for words in (
            {"noundef": "", "range": ""},
            {"noundef": "noundef", "range": "range(i32 0, 1024)"},
        )
    )
    assert isinstance(promised.ending, Returned) and promised.outcome == bare.outcome
    assert promised.steps == bare.steps
    assert promised.utilisation == bare.utilisation


IRREDUCIBLE = """
define void @f(i1 %c, i1 %d) {
A:
  br i1 %c, label %B, label %C
B:
  br i1 %d, label %C, label %E
C:
  br label %B
E:
  ret void
}
"""


@pytest.mark.parametrize("policy", NAMES)
def test_irreducible_control_flow(policy: str) -> None:
    """Any CFG will do, but for the machines of structured code, which say why."""
    arguments = {"c": [0, 1], "d": 0}
    found = on(policy, parse(IRREDUCIBLE), threads=2, arguments=arguments)
    if policy in ("exec-mask", "mask-stack", "predication"):
        assert found.refused == "the control flow is irreducible: a cycle is entered at %B and %C"
    else:
        assert isinstance(found.ending, Returned)


def test_predication_has_sixteen_lanes() -> None:
    text = "define void @f() {\n  ret void\n}\n"
    assert on("predication", parse(text), threads=16).refused is None
    found = on("predication", parse(text), threads=17)
    assert found.refused is not None and "16 bits" in found.refused


CALLS = """
define i32 @f(i32 %n) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  %c = icmp ult i32 %n, 2
  br i1 %c, label %T, label %J
T:
  br label %J
J:
  %got = call i32 @g(i32 %n) [ "convergencectrl"(token %t) ]
  ret i32 %got
}
define i32 @g(i32 %n) convergent {
G:
  %t = call token @llvm.experimental.convergence.entry()
  %c = icmp ult i32 %n, 3
  br i1 %c, label %X, label %Y
X:
  br label %Z
Y:
  br label %Z
Z:
  %sum = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
  ret i32 %sum
}
"""


@pytest.mark.parametrize("policy", [name for name in NAMES if name != "independent"])
@pytest.mark.parametrize("size", [None, 2])
def test_calls_have_a_policy_state_of_their_own_and_waves_are_apart(policy: str, size: int | None) -> None:
    found = on(policy, parse(CALLS + DECLARED), threads=4, subgroup_size=size, arguments={"n": [0, 1, 2, 3]})
    assert found.conforms, found.departure
    assert groups(found, "%sum") == ([[0, 1, 2, 3]] if size is None else [[0, 1], [2, 3]])
    assert found.outcome is not None
    assert [t.value for t in found.outcome.threads] == [size or 4] * 4


DEEP = """
declare void @exit(i32) noreturn
define i32 @f(i32 %n, i1 %quit) {
A:
  %done = icmp eq i32 %n, 0
  br i1 %done, label %Z, label %R
R:
  %less = sub i32 %n, 1
  %below = call i32 @f(i32 %less, i1 %quit)
  %sum = add i32 %below, 1
  ret i32 %sum
Z:
  br i1 %quit, label %X, label %Y
X:
  call void @exit(i32 0)
  unreachable
Y:
  ret i32 0
}
"""


@pytest.mark.parametrize("policy", NAMES)
@pytest.mark.parametrize("quit", [[0, 0], [0, 1], [1, 1]])
def test_deep_recursion(policy: str, quit: list[int]) -> None:
    """Lanes that return and lanes that end, from many activations down."""
    deep = 1_200 if policy == "ipdom" else 200
    n = [deep, deep - 1]
    found = on(policy, parse(DEEP), threads=2, function="f", arguments={"n": n, "quit": quit})
    assert isinstance(found.ending, Returned) and found.outcome is not None
    expected = [None if q else value for value, q in zip(n, quit, strict=True)]
    assert [t.value for t in found.outcome.threads] == expected
