"""What independent models of the machines, and LLVM 22's back end, say of known programs.

covers: sched.lockstep.lanes, sched.lockstep.machine, sched.lockstep.policies.heart,
sched.lockstep.policies.ipdom, sched.lockstep.policies.structured, sched.lockstep.policy,
sched.lockstep.simulate
"""

from __future__ import annotations

import pytest

from convergence.parser import parse
from convergence.report.simulate import departure
from convergence.sched.lockstep.policy import MachineOptions
from tests.sched.lockstep.programs import DECLARED, groups, on, run_rfc

NESTED = [[0, 1], [0], [1]]
NATURAL = [[0, 1], [0, 1]]


@pytest.mark.parametrize("policy", ["ipdom", "block-ip", "exec-mask", "barrier"])
@pytest.mark.parametrize("order", ["A B C D"])
def test_the_rfc_program_is_nested_and_departs_from_natural_tokens(policy: str, order: str) -> None:
    found = run_rfc(policy, order, "none")
    assert groups(found, "%sum.b") == NESTED
    assert (found.conforms, found.alignment_name) == (True, "nested")
    found = run_rfc(policy, order, "natural")
    assert found.departure is not None and found.conforms is False
    left = found.departure
    assert (left.rule.id, left.operation, left.lane, left.nth) == ("D-USE", "%sum.b", 0, 2)
    assert (left.group, left.legal) == ((0,), ((0, 1),))
    assert departure(left) == (
        "%sum.b, lane 0, second time: ran {0}; D-USE allows only {0,1}, "
        "because %natural n=2 is equal (D-LOOP)"
    )


def test_the_heart_machine_groups_the_rfc_program_naturally() -> None:
    for tokens in ("none", "natural"):
        found = run_rfc("heart", "A B C D", tokens)
        assert groups(found, "%sum.b") == NATURAL and found.conforms
    assert run_rfc("heart", "A B C D", "none").alignment_name == "natural"


def test_block_ip_in_text_order_a_c_b_d_is_natural() -> None:
    found = run_rfc("block-ip", "A C B D", "none")
    assert groups(found, "%sum.b") == NATURAL
    assert found.alignment_name == "natural"
    assert run_rfc("block-ip", "A C B D", "natural").conforms is True


MERGED = MachineOptions(latches="merged")


def test_merged_latches_and_continue_are_natural() -> None:
    for tokens in ("none", "natural"):
        found = run_rfc("exec-mask", "A B C D", tokens, MERGED)
        assert groups(found, "%sum.b") == NATURAL and found.conforms
    assert run_rfc("exec-mask", "A B C D", "none", MERGED).alignment_name == "natural"
    for policy in ("mask-stack", "predication"):
        assert groups(run_rfc(policy, "A B C D", "none"), "%sum.b") == NATURAL
        assert groups(run_rfc(policy, "A B C D", "none", MachineOptions(nested=True)), "%sum.b") == NESTED


@pytest.mark.parametrize("order", ["A O B C D", "A C O B D"])
@pytest.mark.parametrize("policy", ["exec-mask", "mask-stack", "predication", "barrier"])
def test_the_nested_program_in_any_order(policy: str, order: str) -> None:
    found = run_rfc(policy, order, "nested")
    assert groups(found, "%sum.b") == NESTED and found.conforms


@pytest.mark.parametrize("policy", ["ipdom", "block-ip", "heart"])
def test_the_nested_program_with_its_header(policy: str) -> None:
    found = run_rfc(policy, "A O B C D", "nested")
    assert groups(found, "%sum.b") == NESTED and found.conforms


def test_block_ip_departs_from_nested_tokens_where_the_latch_comes_first() -> None:
    found = run_rfc("block-ip", "A C O B D", "nested")
    assert found.departure is not None
    assert found.departure.operation == "%sum.b" and found.departure.lane == 0
    assert (found.departure.group, found.departure.legal) == ((0, 1), ((0,),))


def test_independent_is_alone() -> None:
    found = run_rfc("independent", "A B C D", "natural")
    assert all(len(group) == 1 for group in groups(found, "%sum.b"))
    assert found.conforms is False
    assert found.utilisation == 0.5


# -- an operation in a divergent break block -----------------------------------------------------------------

BREAK = {
    "A": "  %t = call token @llvm.experimental.convergence.entry()\n  br label %H\n",
    "H": "  %i = phi i32 [ 0, %A ], [ %i.next, %L ]\n"
    '  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]\n'
    "  %stop = icmp eq i32 %i, %last\n  br i1 %stop, label %K, label %L\n",
    "K": "  %met = call i32 @subgroupAdd(i32 1) [ BUNDLE ]\n  br label %E\n",
    "L": "  %i.next = add i32 %i, 1\n  %more = icmp ult i32 %i.next, 3\n  br i1 %more, label %H, label %E\n",
    "E": "  %r = phi i32 [ %met, %K ], [ 0, %L ]\n  ret i32 %r\n",
}


def divergent_break(token: str, order: str) -> str:
    body = "".join(f"{name}:\n{BREAK[name]}" for name in order.split())
    body = body.replace("BUNDLE", f'"convergencectrl"(token %{token})')
    return f"define i32 @f(i32 %last) convergent {{\n{body}}}\n{DECLARED}"


@pytest.mark.parametrize(
    ("policy", "token", "order", "conforms"),
    [
        ("heart", "heart", "A H K L E", True),
        ("ipdom", "heart", "A H K L E", True),
        ("block-ip", "heart", "A H K L E", True),
        ("block-ip", "heart", "A H L K E", False),
        ("heart", "t", "A H K L E", True),
        ("ipdom", "t", "A H K L E", False),
        ("block-ip", "t", "A H L K E", True),
        ("block-ip", "t", "A H K L E", False),
        ("exec-mask", "heart", "A H K L E", False),
        ("exec-mask", "t", "A H K L E", True),
        ("mask-stack", "heart", "A H K L E", False),
        ("mask-stack", "t", "A H K L E", True),
        ("barrier", "heart", "A H K L E", True),
    ],
)
def test_an_operation_in_a_divergent_break_block(policy: str, token: str, order: str, conforms: bool) -> None:
    module = parse(divergent_break(token, order))
    found = on(policy, module, threads=4, arguments={"last": [0, 1, 1, 9]})
    assert found.conforms is conforms, found.departure


@pytest.mark.parametrize("policy", ["mask-stack", "predication"])
@pytest.mark.parametrize("order", ["A H K L E", "A H L K E"])
def test_a_break_block_that_the_source_has_inside_the_loop(policy: str, order: str) -> None:
    inside = MachineOptions(inside=(("H", ("K",)),))
    last = {"last": [0, 1, 1, 9]}
    conforms = [
        on(policy, parse(divergent_break(token, order)), inside, threads=4, arguments=last).conforms
        for token in ("heart", "t")
    ]
    assert conforms == [True, False]


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        (("H", ("nowhere",)), "there is no block %nowhere to have inside the loop of %H"),
        (("K", ("E",)), "%K is no loop's header"),
        (("H", ("A",)), "%A is not reached from the loop of %H"),
        (("H", ("E",)), "%E is entered past %H, the loop's header"),
    ],
)
def test_blocks_that_no_loop_can_have_inside_are_refused(
    inside: tuple[str, tuple[str, ...]], words: str
) -> None:
    module = parse(divergent_break("heart", "A H K L E"))
    ran = on("mask-stack", module, MachineOptions(inside=(inside,)), threads=4, arguments={"last": 1})
    assert words in str(ran.refused)


BREAK_OUT_OF_TWO = """
define i32 @f(i1 %c, i1 %d, i32 %x) {
entry:
  br label %outer
outer:
  br label %inner
inner:
  br i1 %c, label %body, label %after
body:
  switch i32 %x, label %after [i32 0, label %inner
                               i32 1, label %out]
out:
  ret i32 1
after:
  br i1 %d, label %outer, label %end
end:
  ret i32 0
}"""


@pytest.mark.parametrize("policy", ["mask-stack", "predication"])
def test_a_block_inside_a_loop_is_inside_the_loops_around(policy: str) -> None:
    inside = MachineOptions(inside=(("inner", ("out",)),))
    values = {"c": 1, "d": 0, "x": [1, 2]}
    ran = on(policy, parse(BREAK_OUT_OF_TWO), inside, threads=2, arguments=values)
    assert ran.conforms and ran.outcome is not None
    assert [t.value for t in ran.outcome.threads] == [1, 0]


# -- joins ---------------------------------------------------------------------------------------------------

JOIN = """
define i32 @f(i32 %n) {
A:
  %c = icmp ult i32 %n, 2
  br i1 %c, label %T, label %F
T:
  br label %J
F:
  br label %J
J:
  %join = call i32 @subgroupAdd(i32 1)
  br label %H
H:
  %i = phi i32 [ 0, %J ], [ %i.next, %H ]
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %H, label %E
E:
  %after = call i32 @subgroupAdd(i32 1)
  ret i32 %after
}
"""
RETURNS = """
define i32 @f(i32 %n) {
A:
  %c = icmp ult i32 %n, 2
  br i1 %c, label %T, label %F
T:
  %d = icmp eq i32 %n, 0
  br i1 %d, label %R, label %J
R:
  ret i32 0
F:
  br label %J
J:
  %join = call i32 @subgroupAdd(i32 1)
  ret i32 %join
}
"""
UNSTRUCTURED = """
define i32 @f(i32 %n) {
A:
  %c = icmp ult i32 %n, 2
  br i1 %c, label %T, label %F
T:
  %d = icmp eq i32 %n, 0
  br i1 %d, label %E, label %J
F:
  br label %J
J:
  %join = call i32 @subgroupAdd(i32 1)
  br label %E
E:
  ret i32 0
}
"""
LOCKSTEP = ["ipdom", "exec-mask", "mask-stack", "predication", "block-ip", "barrier", "heart"]


@pytest.mark.parametrize("policy", LOCKSTEP)
def test_all_lanes_meet_at_a_join_and_after_a_loop(policy: str) -> None:
    found = on(policy, parse(JOIN + DECLARED), threads=4, arguments={"n": [0, 1, 2, 3]})
    assert groups(found, "%join") == groups(found, "%after") == [[0, 1, 2, 3]]


@pytest.mark.parametrize(
    ("policy", "met"),
    [
        ("ipdom", [[1], [2, 3]]),
        ("barrier", [[1], [2, 3]]),
        ("block-ip", [[1, 2, 3]]),
        ("exec-mask", [[1, 2, 3]]),
    ],
)
@pytest.mark.parametrize("text", [RETURNS, UNSTRUCTURED])
def test_a_return_in_an_arm_and_an_unstructured_join(policy: str, met: list[list[int]], text: str) -> None:
    """ipdom has no post-dominator but the end, or one that comes too late; block-ip finds the join."""
    found = on(policy, parse(text + DECLARED), threads=4, arguments={"n": [0, 1, 2, 3]})
    assert groups(found, "%join") == met


# -- an intra-wave spin lock ---------------------------------------------------------------------------------

LOCK = {
    "A": "  br label %T\n",
    "T": "  %was = atomicrmw xchg ptr @lock, i32 1 acquire\n  %free = icmp eq i32 %was, 0\n"
    "  br i1 %free, label %C, label %T\n",
    "C": "  %n = load i32, ptr @count\n  %n1 = add i32 %n, 1\n  store i32 %n1, ptr @count\n"
    "  store atomic i32 0, ptr @lock release, align 4\n  br label %E\n",
    "E": "  ret void\n",
}


def spin_lock(order: str, swapped: bool = False) -> str:
    body = "".join(f"{name}:\n{LOCK[name]}" for name in order.split())
    if swapped:
        body = body.replace("icmp eq i32 %was, 0", "icmp ne i32 %was, 0")
        body = body.replace("label %C, label %T", "label %T, label %C")
    return f"@lock = global i32 0\n@count = global i32 0\ndefine void @f() {{\n{body}}}\n"


@pytest.mark.parametrize(
    ("policy", "order", "hangs"),
    [
        ("ipdom", "A T C E", True),
        ("exec-mask", "A T C E", True),
        ("mask-stack", "A T C E", True),
        ("predication", "A T C E", True),
        ("barrier", "A T C E", True),
        ("block-ip", "A T C E", True),
        ("block-ip", "A C T E", False),
        ("independent", "A T C E", False),
        ("heart", "A T C E", False),
    ],
)
def test_an_intra_wave_spin_lock(policy: str, order: str, hangs: bool) -> None:
    """A hang is proved: the whole state comes back, long before any bound."""
    found = on(policy, parse(spin_lock(order)), threads=3)
    assert (found.ending is None) is hangs
    if hangs:
        assert found.issues < 200 and found.conforms is None
        assert [(w.thread, w.spins) for w in found.waits] == [(0, False), (1, True), (2, True)]
    else:
        assert found.outcome is not None and found.outcome.memory == {"@lock": 0, "@count": 3}


def test_a_lane_that_yields_is_not_waited_for() -> None:
    found = on("barrier", parse(spin_lock("A T C E")), MachineOptions(yields=True), threads=3)
    assert found.ending is not None and found.outcome is not None
    assert found.outcome.memory == {"@lock": 0, "@count": 3}


def test_who_waits_in_a_hang() -> None:
    found = on("ipdom", parse(spin_lock("A T C E", swapped=True)), threads=2)
    assert [(w.thread, w.block, w.spins) for w in found.waits] == [(0, "C", False), (1, "T", True)]


# -- what needs no mask ------------------------------------------------------------------------------------

CALLS = """
declare i32 @subgroupAdd(i32) convergent
define i32 @f(i32 %x) {
  %a = call i32 @g(i32 %x)
  ret i32 %a
}
define i32 @g(i32 %x) {
A:
  br label %H
H:
  %i = phi i32 [ 0, %A ], [ %j, %H ]
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, %x
  br i1 %c, label %H, label %K
K:
  %s = call i32 @subgroupAdd(i32 %j)
  ret i32 %s
}
"""


def test_blocks_that_are_inside_a_loop_are_those_of_its_function() -> None:
    """@f, which calls it, has no such block."""
    inside = MachineOptions(inside=(("H", ("K",)),))
    found = on("mask-stack", parse(CALLS), inside, threads=3, arguments={"x": [1, 2, 3]})
    assert found.refused is None and found.conforms


def test_a_branch_that_all_lanes_take_alike_pushes_nothing() -> None:
    operations = [
        on("ipdom", parse(CALLS), threads=3, arguments={"x": counts}).operations
        for counts in ([3, 3, 3], [1, 2, 3])
    ]
    assert [has["push"] > 0 for has in operations] == [False, True]


@pytest.mark.parametrize(("end", "together"), [("", True), ("  call void @exit(i32 1)\n", False)])
@pytest.mark.parametrize("policy", ["ipdom", "barrier"])
def test_a_switch_with_all_cases_meets_behind_them(policy: str, end: str, together: bool) -> None:
    """Its default, which optimising makes unreachable, is no end; one that ends threads is."""
    text = f"""declare void @exit(i32) noreturn
declare i32 @subgroupAdd(i32) convergent
define i32 @f(i32 %x) {{
  %bit = and i32 %x, 1
  switch i32 %bit, label %never [
    i32 0, label %a
    i32 1, label %b
  ]
never:
{end}  unreachable
a:
  br label %meet
b:
  br label %meet
meet:
  %s = call i32 @subgroupAdd(i32 %x)
  ret i32 %s
}}
"""
    found = on(policy, parse(text), threads=3, arguments={"x": [0, 1, 2]})
    assert groups(found, "%s") == ([[0, 1, 2]] if together else [[0, 2], [1]])
