"""Exchanges, hearts and barriers of workgroups natively: a machine says the same as by the reference, about
what lanes got, in which groups, in which order, and where it ended.

covers: sched.lockstep.waves, semantics.native.meetings
"""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import convergence as cc
from convergence.parser import parse
from convergence.sched.lockstep.policies import NAMES, policy
from convergence.semantics.machine.launch import launch_spec
from convergence.semantics.machine.tally import Tally
from convergence.semantics.native import lanes
from tests.cli.cli_harness import ROOT, convcheck
from tests.native.equality import machine_differs, simulation

from .meeting_programs import DECLARED, TRIPLE, meeting_launch, meeting_program

MACHINES = tuple(name for name in NAMES if policy(name).traceable)


def loop(body: str, rounds: str = "%n") -> str:
    """A loop of so many rounds with a heart ``%h``, the count ``%i`` and the value ``%s``; its body gives
    ``%s.next``. Of ``%uneven`` rounds each lane has another number."""
    return f"""{DECLARED}
define i32 @f(i32 %x, i32 %n) convergent {{
A:
  %T = call token @llvm.experimental.convergence.entry()
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %uneven = add i32 %n, %lane
  br label %H
H:
  %i = phi i32 [ 0, %A ], [ %i.next, %L ]
  %s = phi i32 [ %x, %A ], [ %s.next, %L ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %T) ]
{body}
  br label %L
L:
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, {rounds}
  br i1 %more, label %H, label %E
E:
  ret i32 %s.next
}}
"""


HEART = '[ "convergencectrl"(token %h) ]'
ADDS = loop(f"""
  %r = call i32 @subgroupAdd(i32 %s) {HEART}
  %m = mul i32 %r, 3
  %s.next = xor i32 %m, %i""")
# In every fourth round the odd lanes add on their own.
PARTS = loop(f"""
  %odd = and i32 %lane, 1
  %often = and i32 %i, 3
  %both = add i32 %odd, %often
  %apart = icmp eq i32 %both, 4
  br i1 %apart, label %P, label %J
P:
  %p = call i32 @subgroupAdd(i32 %i) {HEART}
  br label %J
J:
  %q = phi i32 [ %s, %H ], [ %p, %P ]
  %r = call i32 @subgroupInclusiveAdd(i32 %q) {HEART}
  %s.next = add i32 %r, %i""")
# Waves write what others read behind the barrier.
BARRIERS = loop(f"""
  %u = add i32 %t, %i
  %w = and i32 %u, 15
  %own = getelementptr [16 x i32], ptr @cells, i32 0, i32 %w
  store i32 %s, ptr %own
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) {HEART}
  %v = add i32 %w, 5
  %z = and i32 %v, 15
  %other = getelementptr [16 x i32], ptr @cells, i32 0, i32 %z
  %a = load i32, ptr %other
  call void @llvm.nvvm.barrier.cta.sync.all(i32 1) {HEART}
  %s.next = add i32 %a, %s""")
# What the outside sees beside the barriers.
OBSERVED = loop(f"""
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0) {HEART}
  call void @event(i32 %i)
  call void @subgroupBarrier() {HEART}
  %s.next = add i32 %s, 1""")
# A wave of which some lanes have returned, and one that is gone.
RETURNS = loop(f"""
  %k = udiv i32 %t, 2
  %gone = icmp eq i32 %i, %k
  br i1 %gone, label %R, label %C
R:
  ret i32 %s
C:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0) {HEART}
  %r = call i32 @subgroupAdd(i32 1) {HEART}
  %s.next = add i32 %s, %r""")
# One wave comes to the barrier once more often than the others.
HANGS = loop(f"""
  %late = icmp ult i32 %t, 4
  %few = icmp ult i32 %i, 7
  %comes = or i1 %late, %few
  br i1 %comes, label %B, label %J
B:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0) {HEART}
  br label %J
J:
  %m = urem i32 %i, 9
  %s.next = add i32 %s, %m""")
# Lanes leave the loop one after the other and wait behind it, so that at the barrier a wave is counted that
# only some of its lanes came for; in a second workgroup, too, which takes its turns meanwhile.
UNEVEN = loop(
    f"""
  %r = call i32 @subgroupAdd(i32 %s) {HEART}
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0) {HEART}
  %s.next = xor i32 %r, %i""",
    "%uneven",
)
# Machines that hold lanes do so before a call that native code runs, and one that it hands back.
HOLDS = loop(f"""
  %g = call i32 @opaque(i32 %s) {HEART}
  %a = atomicrmw add ptr @cells, i32 %lane monotonic
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0) {HEART}
  %b = call i32 @opaque(i32 %a) {HEART}
  %s.next = xor i32 %a, %i""")
# A collective of the workgroup that has no model, as some of its threads come alone.
ALONE = loop(f"""
  %odd = and i32 %lane, 1
  %is.odd = icmp ne i32 %odd, 0
  br i1 %is.odd, label %P, label %J
P:
  %p = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 3, i1 true) {HEART}
  br label %J
J:
  %s.next = phi i32 [ %s, %H ], [ %p, %P ]""")
TEXTS = {
    "adds": ADDS, "parts": PARTS, "barriers": BARRIERS, "observed": OBSERVED, "returns": RETURNS,
    "hangs": HANGS, "uneven": UNEVEN, "holds": HOLDS, "alone": ALONE,
}  # fmt: skip


def launches(n: int, max_steps: int | None = None) -> list[dict[str, object]]:
    """One wave; waves of a workgroup, of which the last is not full; and two workgroups of two waves."""
    some = {"arguments": {"x": 3, "n": n}, "max_steps": max_steps}
    return [
        {"threads": 7, **some},
        {"threads": 11, "subgroup_size": 4, **some},
        {"grid": 2, "workgroup": 8, "subgroup_size": 4, **some},
    ]


def tally_of(text: str, name: str, **launch: object) -> Tally:
    spec = launch_spec(function="f", **launch)  # type: ignore[arg-type]
    _, simulated = simulation(parse(text), spec, name, "native")
    assert simulated.engine is not None
    return simulated.engine


@pytest.mark.parametrize("name", ["heart", "ipdom"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_meetings_are_the_same(text: str, name: str) -> None:
    module = parse(text)
    for launch in launches(8):
        spec = launch_spec(function="f", **launch)  # type: ignore[arg-type]
        assert machine_differs(module, spec, name, Counter()) is None


@pytest.mark.parametrize("name", sorted({*MACHINES} - {"heart", "ipdom"}))
@pytest.mark.parametrize("text", [PARTS, UNEVEN], ids=["parts", "uneven"])
def test_meetings_of_all_machines_are_the_same(text: str, name: str) -> None:
    """In code for vectors, too."""
    module = parse(text)
    for launch in launches(8)[1:]:
        spec = launch_spec(function="f", **launch)  # type: ignore[arg-type]
        assert machine_differs(module, spec, name, Counter(), 0) is None


@pytest.mark.parametrize("name", ["heart", "ipdom"])
@pytest.mark.parametrize("text", [PARTS, BARRIERS], ids=["parts", "barriers"])
def test_a_bound_ends_them_at_the_same_place(text: str, name: str) -> None:
    module = parse(text)
    for most in (50, 77, 333):
        for launch in launches(60, most):
            spec = launch_spec(function="f", **launch)  # type: ignore[arg-type]
            assert machine_differs(module, spec, name, Counter()) is None


@pytest.mark.parametrize("text", [ADDS, BARRIERS], ids=["adds", "barriers"])
def test_all_of_a_wave_meet_natively(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nearly all is native, of several waves, too; and nothing of it where that is turned off."""
    for launch in launches(40)[:2]:
        tally = tally_of(text, "heart", **launch)
        assert tally.turns > 40 and not tally.attended
        monkeypatch.setattr(lanes, "MEETS", False)
        fewer = tally_of(text, "heart", **launch)
        assert fewer.turns < tally.turns // 2
        spec = launch_spec(function="f", **launch)  # type: ignore[arg-type]
        assert machine_differs(parse(text), spec, "heart", Counter()) is None
        monkeypatch.undo()


def test_groups_need_no_look_where_all_lanes_were_together() -> None:
    for text, known in ((ADDS, True), (BARRIERS, True), (PARTS, False)):
        spec = launch_spec(function="f", grid=1, workgroup=8, subgroup_size=4, arguments={"x": 3, "n": 9})
        _, simulated = simulation(parse(text), spec, "heart", "native")
        assert simulated.groups_are_keys is known
        assert simulated.conforms


def test_launch_groups_that_are_not_alike_are_attended() -> None:
    """Workgroups that fill no warp; the reference runs what native code cannot number."""
    (simulated,) = cc.simulate(
        parse(TRIPLE + ADDS), policy="heart", engine="native", grid=1, workgroup=6, subgroup_size=3,
        arguments={"x": 3, "n": 9},
    )  # fmt: skip
    assert simulated.conforms and not simulated.agreement.differences
    size = {"grid": 1, "workgroup": 6, "subgroup_size": 3}
    run = cc.run(parse(TRIPLE + ADDS), engine="native", arguments={"x": 3, "n": 9}, **size)  # type: ignore[arg-type]
    assert run.engine is not None and run.engine.attended == "launch groups that are not alike"


@pytest.mark.parametrize(
    ("example", "name"),
    [
        ("kernels/histogram.cl.O2.ll", "heart"),
        ("langref/append-buffer.ll", "ipdom"),
        ("operations/whole-wave-scan.ll", "ipdom"),
    ],
)
def test_examples_that_differed(example: str, name: str) -> None:
    """Lanes that are held before a call that native code begins and hands back; a function that calls one
    which native code around it declares, too; whole wave mode, whose model is made of several calls."""
    said = []
    for engine in ("reference", "native"):
        ran = convcheck(
            "simulate",
            ROOT / "examples_ll" / example,
            "--policy",
            name,
            "--engine",
            engine,
            "--format",
            "json",
        )
        (policy,) = json.loads(ran.out)["policies"]
        assert policy.pop("engine")["used"] == engine
        said.append(policy)
    assert said[0] == said[1]


@pytest.mark.parametrize(("seed", "name"), [(20095, "independent"), (30008, "ipdom")])
def test_programs_that_differed(seed: int, name: str) -> None:
    """Where a machine was whose lanes wait for a collective that has no model; rounds in which waves are
    counted that only some of their lanes came for."""
    assert machine_differs(parse(meeting_program(seed)), meeting_launch(seed), name, Counter()) is None


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), name=st.sampled_from(NAMES), vectors=st.sampled_from((None, 0, 5)))
def test_generated_meetings_are_the_same(seed: int, name: str, vectors: int | None) -> None:
    """Tokens or none, uniform or not, with barriers, returns, calls and bounds."""
    module = parse(meeting_program(seed))
    assert machine_differs(module, meeting_launch(seed), name, Counter(), vectors) is None
