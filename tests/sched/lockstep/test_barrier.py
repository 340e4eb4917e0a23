"""``barrier``: BSSY, BSYNC, BREAK and YIELD, and where barriers are placed.

covers: sched.lockstep.policy, sched.lockstep.waits
"""

from __future__ import annotations

import pytest

from convergence.parser import parse
from convergence.sched.lockstep.policies.barrier import Barrier, HeartSite, hearts
from convergence.sched.lockstep.policy import Facts, IssuedMask, MachineOptions
from convergence.sched.lockstep.simulate import simulate_machine
from convergence.semantics import Returned
from tests.launches import prepare
from tests.sched.lockstep.programs import DECLARED, groups, on, rfc, run_rfc
from tests.sched.lockstep.test_known_answers import divergent_break, spin_lock
from tests.sched.lockstep.test_machines_are_legal import both

AT_HEARTS = MachineOptions(barriers="hearts")


@pytest.mark.parametrize(
    ("tokens", "met"),
    [
        ("natural", [[0, 1], [0, 1]]),
        ("nested", [[0, 1], [0], [1]]),
        ("none", [[0, 1], [0], [1]]),
    ],
)
def test_barriers_at_hearts_follow_the_tokens(tokens: str, met: list[list[int]]) -> None:
    """Without tokens there is no heart to place one at."""
    order = "A O B C D" if tokens == "nested" else "A B C D"
    found = run_rfc("barrier", order, tokens, AT_HEARTS)
    assert groups(found, "%sum.b") == met and found.conforms
    if tokens != "none":
        assert found.operations["BREAK"] > 0  # of the lanes that cannot come to the heart any more


def test_a_heart_is_waited_at_by_those_that_may_still_come() -> None:
    facts = Facts(rfc("A O B C D", "nested").functions["f"])
    number = facts.cfg.index
    outer, inner = hearts(facts)
    assert outer == HeartSite(number["O"], number["A"], frozenset(number[b] for b in "OBC"))
    assert inner == HeartSite(number["B"], number["O"], frozenset([number["B"]]))


@pytest.mark.parametrize("barriers", ["post-dominators", "hearts"])
@pytest.mark.parametrize(("token", "conforms"), [("heart", True), ("t", False)])
def test_an_operation_in_a_divergent_break_block(barriers: str, token: str, conforms: bool) -> None:
    """Lanes that leave in different rounds meet behind the break block only."""
    module = parse(divergent_break(token, "A H K L E"))
    found = on(
        "barrier", module, MachineOptions(barriers=barriers), threads=4, arguments={"last": [0, 1, 1, 9]}
    )
    assert found.conforms is conforms
    assert groups(found, "%met") == [[0], [1, 2]]


LOOP = """
define void @f(i1 %c, i1 %d) {
A:
  br label %H
H:
  br i1 %c, label %B, label %E
B:
  br i1 %d, label %H, label %H2
H2:
  br label %H
E:
  ret void
}
"""


def test_bssy_executed_again_adds_lanes() -> None:
    """Lanes come to the branch in two groups: those that came first wait for the others, too."""
    policy = Barrier(Facts(parse(LOOP).functions["f"]), 0b111, MachineOptions(), IssuedMask())
    number = policy.facts.cfg.index
    head, meet = number["H"], number["E"]
    assert policy.pick() == (number["A"], 0b111)
    policy.groups.clear()  # as if lane 0 had come alone
    policy.after(head, {meet: 0b001}, 0)
    assert policy.pick() == (meet, 0b001)  # nobody else is a member yet
    policy.after(head, {number["B"]: 0b010}, 0)
    assert policy.members[meet] == 0b010
    policy.after(head, {number["B"]: 0b100}, 0)
    assert policy.members[meet] == 0b110
    policy.after(head, {meet: 0b010}, 0)
    assert policy.arrived[meet] == 0b010 and policy.members[meet] == 0b110
    policy.after(head, {meet: 0b100}, 0)
    assert (meet, 0b110) in policy.groups and meet not in policy.members


ENDS = """
declare void @exit(i32)
define i32 @f(i32 %n) {
A:
  %c = icmp ult i32 %n, 2
  br i1 %c, label %T, label %F
T:
  %d = icmp eq i32 %n, 0
  br i1 %d, label %X, label %J
X:
  call void @exit(i32 0)
  br label %J
F:
  br label %J
J:
  %join = call i32 @subgroupAdd(i32 1)
  ret i32 %join
}
"""


def test_a_lane_that_ends_breaks() -> None:
    """The others do not wait for it at the barrier of which it was a member."""
    module = parse(ENDS + DECLARED)
    found = on("barrier", module, function="f", threads=4, arguments={"n": [0, 1, 2, 3]})
    assert isinstance(found.ending, Returned) and groups(found, "%join") == [[1, 2, 3]]
    assert found.operations["BREAK"] > 0


def test_a_lane_that_yields_is_not_waited_for() -> None:
    for barriers in ("post-dominators", "hearts"):
        options = MachineOptions(yields=True, barriers=barriers)
        found = on("barrier", parse(spin_lock("A T C E")), options, threads=3)
        assert found.outcome is not None and found.outcome.memory == {"@lock": 0, "@count": 3}
        assert found.operations["YIELD"] > 0
    assert on("barrier", parse(spin_lock("A T C E")), threads=3).ending is None


@pytest.mark.parametrize("kind", ["entry", "recursion", "anchors", "irreducible-anchors"])
def test_barriers_at_hearts_do_not_wait_for_each_other(kind: str) -> None:
    for seed in range(25):
        case = both(kind, seed)
        program, launch = prepare(case.module, **case.launch())
        found = simulate_machine(program, launch, "barrier", AT_HEARTS)
        assert isinstance(found.ending, Returned), (found.ending, found.waits, case)
