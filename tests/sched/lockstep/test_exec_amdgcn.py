"""exec-amdgcn: what LLVM's operations on exec do (semantics.md, *Lowered AMDGPU control flow*).

covers: ir.calls, sched.lockstep.conform, sched.lockstep.executor
"""

from __future__ import annotations

from typing import Any

import pytest

from convergence.ir.calls import ExecKind, exec_operation_named
from convergence.parser import parse
from convergence.report.simulate import because
from convergence.sched.lockstep.simulate import Simulated, Uncompared, departure_slot
from convergence.semantics import Returned, UndefinedBehaviour, Unmodelled
from convergence.semantics.machine.run import run
from tests.sched.lockstep.programs import groups, on

DECLARED = """
declare i32 @subgroupAdd(i32) convergent
declare void @llvm.amdgcn.kill(i1)
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare { i1, iM } @llvm.amdgcn.if.iM(i1)
declare { i1, iM } @llvm.amdgcn.else.iM.iM(iM)
declare iM @llvm.amdgcn.if.break.iM(i1, iM)
declare i1 @llvm.amdgcn.loop.iM(iM)
declare void @llvm.amdgcn.end.cf.iM(iM)
"""

SOURCE = """
define i32 @f(i32 %id, i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %so.far, %latch ]
  %bit = and i32 %id, 1
  %odd = icmp eq i32 %bit, 1
  br i1 %odd, label %yes, label %no
yes:
  %a = call i32 @subgroupAdd(i32 %id)
  br label %latch
no:
  %b = call i32 @subgroupAdd(i32 %i)
  %b2 = mul i32 %b, 100
  br label %latch
latch:
  %v = phi i32 [ %a, %yes ], [ %b2, %no ]
  %so.far = add i32 %sum, %v
  %next = add i32 %i, 1
  %done = icmp uge i32 %next, %n
  br i1 %done, label %exit, label %head
exit:
  %all = call i32 @subgroupAdd(i32 1)
  %r = mul i32 %all, %so.far
  ret i32 %r
}
"""

LOWERED = """
define i32 @f(i32 %id, i32 %n) {
entry:
  br label %head
head:
  %gone = phi iM [ 0, %entry ], [ %leaving, %latch ]
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %so.far, %latch ]
  %bit = and i32 %id, 1
  %even = icmp eq i32 %bit, 0
  %if = call { i1, iM } @llvm.amdgcn.if.iM(i1 %even)
  %on = extractvalue { i1, iM } %if, 0
  %off = extractvalue { i1, iM } %if, 1
  br i1 %on, label %no, label %turn
no:
  %b = call i32 @subgroupAdd(i32 %i)
  %b2 = mul i32 %b, 100
  br label %turn
turn:
  %w = phi i32 [ %b2, %no ], [ poison, %head ]
  %else = call { i1, iM } @llvm.amdgcn.else.iM.iM(iM %off)
  %on2 = extractvalue { i1, iM } %else, 0
  %off2 = extractvalue { i1, iM } %else, 1
  br i1 %on2, label %yes, label %latch
yes:
  %a = call i32 @subgroupAdd(i32 %id)
  br label %latch
latch:
  %v = phi i32 [ %a, %yes ], [ %w, %turn ]
  call void @llvm.amdgcn.end.cf.iM(iM %off2)
  %so.far = add i32 %sum, %v
  %next = add i32 %i, 1
  %done = icmp uge i32 %next, %n
  %leaving = call iM @llvm.amdgcn.if.break.iM(i1 %done, iM %gone)
  %left = call i1 @llvm.amdgcn.loop.iM(iM %leaving)
  br i1 %left, label %exit, label %head
exit:
  call void @llvm.amdgcn.end.cf.iM(iM %leaving)
  %all = call i32 @subgroupAdd(i32 1)
  %r = mul i32 %all, %so.far
  ret i32 %r
}
"""


def lowered(text: str, mask: int = 64, **launch: Any) -> Simulated:
    return on("exec-amdgcn", parse((text + DECLARED).replace("iM", f"i{mask}")), **launch)


@pytest.mark.parametrize("mask", [32, 64])
@pytest.mark.parametrize(("threads", "subgroup"), [(5, 5), (7, 4), (1, 1)])
def test_lowered_code_does_what_its_source_does(mask: int, threads: int, subgroup: int) -> None:
    """An if and else in a loop that lanes leave in different rounds, by hand; the source on exec-mask."""
    launch: dict[str, Any] = {
        "threads": threads,
        "subgroup_size": subgroup,
        "arguments": {"id": list(range(threads)), "n": [1 + t * 3 % 5 for t in range(threads)]},
    }
    machine = lowered(LOWERED, mask, **launch)
    source = on("exec-mask", parse(SOURCE + DECLARED.split("\ndeclare void")[0]), **launch)
    assert machine.conforms and isinstance(machine.ending, Returned)
    assert machine.outcome is not None and source.outcome is not None
    assert [t.value for t in machine.outcome.threads] == [t.value for t in source.outcome.threads]
    for operation in ("%a", "%b", "%all"):
        assert sorted(groups(machine, operation)) == sorted(groups(source, operation))
    assert machine.agreement.reason is Uncompared.LOWERED


def test_a_mask_has_one_value_for_the_wave() -> None:
    """Lane 0 is off when the others add themselves to the mask that wakes it, too."""
    found = lowered(LOWERED, threads=3, arguments={"id": [0, 2, 4], "n": [1, 2, 3]})
    assert groups(found, "%all") == [[0, 1, 2]]
    assert groups(found, "%b") == [[0, 1, 2], [1, 2], [2]]


def ids(threads: int, rounds: int = 1) -> dict[str, Any]:
    return {"threads": threads, "arguments": {"id": list(range(threads)), "n": rounds}}


def test_a_wrong_mask_names_lane_and_instruction() -> None:
    """Nobody wakes who left the loop; an else that wakes nobody, so that a lane is woken elsewhere."""
    left = lowered(LOWERED.replace("end.cf.iM(iM %leaving)", "end.cf.iM(iM 0)"), **ids(2)).departure
    assert left is not None
    assert (left.operation, left.lane, left.nth) == ("the ret of %exit", 0, 1)
    assert because(left) == "the wave returns, and no mask turned the lane on before %exit"
    turn = LOWERED.replace("else.iM.iM(iM %off)", "else.iM.iM(iM 0)")
    waiting = turn.replace("end.cf.iM(iM %off2)", "end.cf.iM(iM %off)")
    left = lowered(waiting, **ids(2)).departure
    assert left is not None
    assert (left.operation, left.lane, left.group) == ("@llvm.amdgcn.end.cf.i64#1", 1, (1,))
    assert because(left) == "its mask turns the lane on in %latch, and its thread stands before %turn"


@pytest.mark.parametrize("rounds", [1, 2])
def test_a_wrong_mask_says_how_often_it_was_right(rounds: int) -> None:
    """The mask that wakes who has left the loop again at its head is empty until somebody has left."""
    again = LOWERED.replace("  %bit =", "  call void @llvm.amdgcn.end.cf.iM(iM %gone)\n  %bit =")
    left = lowered(again, threads=2, arguments={"id": [0, 2], "n": [rounds, 3]}).departure
    assert left is not None
    assert (left.operation, left.lane, left.nth) == ("@llvm.amdgcn.end.cf.i64#1", 0, rounds + 1)
    assert because(left) == "its mask turns the lane on in %head, and its thread stands before %exit"


def test_a_wrong_mask_is_counted_over_all_calls_of_its_function() -> None:
    """The first call is right, in three rounds, and the second one wrong in its second."""
    again = LOWERED.replace("  %bit =", "  call void @llvm.amdgcn.end.cf.iM(iM %gone)\n  %bit =")
    text = (
        again.replace("@f(", "@h(")
        + """
    define i32 @f(i32 %id, i32 %n) {
      %a = call i32 @h(i32 %id, i32 3)
      %b = call i32 @h(i32 %id, i32 %n)
      ret i32 %b
    }"""
    )
    ran = lowered(text, threads=2, function="f", arguments={"id": [0, 2], "n": [1, 3]})
    assert ran.departure is not None
    assert (ran.departure.operation, ran.departure.lane) == ("@llvm.amdgcn.end.cf.i64#1", 0)
    assert ran.departure.nth == 5 and departure_slot(ran) is None


def test_a_branch_is_counted_too() -> None:
    """Lanes agree in the first round of the loop, and not in the second."""
    source = SOURCE.replace("%bit = and i32 %id, 1", "%x = mul i32 %id, %i\n  %bit = and i32 %x, 1")
    assert source != SOURCE
    module = parse(source + "declare i32 @subgroupAdd(i32) convergent")
    left = on("exec-amdgcn", module, **ids(3, rounds=3)).departure
    assert left is not None and (left.operation, left.nth) == ("the br of %head", 2)


def test_a_branch_without_a_mask_must_be_uniform() -> None:
    source = SOURCE + "declare i32 @subgroupAdd(i32) convergent"
    left = on("exec-amdgcn", parse(source), **ids(3)).departure
    assert left is not None and (left.operation, left.lane, left.legal) == ("the br of %head", 1, ((0, 2),))
    even = on("exec-amdgcn", parse(source), threads=3, arguments={"id": [0, 2, 4], "n": 2})
    assert even.conforms and groups(even, "%b") == [[0, 1, 2], [0, 1, 2]]


def test_a_lane_that_is_killed_is_in_no_mask() -> None:
    killing = LOWERED.replace(
        "yes:\n", "yes:\n  %few = icmp ult i32 %id, 3\n  call void @llvm.amdgcn.kill(i1 %few)\n"
    )
    found = lowered(killing, **ids(4, rounds=2))
    assert found.conforms and found.outcome is not None
    assert [t.ended for t in found.outcome.threads] == ["returned", "returned", "returned", "exited"]
    assert groups(found, "%all") == [[0, 1, 2]]
    everyone = LOWERED.replace("no:\n", "no:\n  call void @llvm.amdgcn.kill(i1 false)\n")
    found = lowered(everyone, threads=4, arguments={"id": [0, 1, 2, 3], "n": 1})
    assert found.conforms and groups(found, "%all") == [[1, 3]]
    nobody = LOWERED.replace("  %bit =", "  call void @llvm.amdgcn.kill(i1 false)\n  %bit =")
    found = lowered(nobody, threads=4, arguments={"id": [0, 1, 2, 3], "n": 1})
    assert found.conforms and found.outcome is not None
    assert [t.ended for t in found.outcome.threads] == ["exited"] * 4


def test_if_and_loop_on_poison_are_undefined() -> None:
    for old, new in (("if.iM(i1 %even)", "if.iM(i1 poison)"), ("iM %gone)", "iM undef)")):
        found = lowered(LOWERED.replace(old, new), **ids(2, rounds=2))
        assert isinstance(found.ending, UndefinedBehaviour) and "on poison" in found.ending.reason
    done = "%known = select i1 %even, i1 %done, i1 poison\n  %leaving ="
    one = LOWERED.replace("%leaving =", done).replace("(i1 %done,", "(i1 %known,")
    found = lowered(one, **ids(2, rounds=2))
    assert isinstance(found.ending, UndefinedBehaviour) and "on poison" in found.ending.reason


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("  %so.far =", "  %raw = trunc iM %off2 to i16\n  %so.far =", "is read by trunc"),
        ("br i1 %on2, label", "br i1 %even, label", "does not decide the branch of its block"),
        ("end.cf.iM(iM %off2)", "end.cf.iM(iM undef)", "a mask of lanes is poison"),
        (
            "  call void @llvm.amdgcn.end.cf.iM(iM %off2)",
            "  %same = call iM @llvm.amdgcn.if.break.iM(i1 false, iM %off2)\n"
            "  call void @llvm.amdgcn.end.cf.iM(iM %same)",
            "by a mask that it makes itself",
        ),
        ("  %next =", "  call void @llvm.amdgcn.end.cf.iM(iM 0)\n  %next =", "two operations turn lanes on"),
    ],
)
def test_what_the_back_end_would_not_take_is_refused(old: str, new: str, reason: str) -> None:
    assert old in LOWERED
    found = lowered(LOWERED.replace(old, new), **ids(2))
    assert found.refused is not None and reason in found.refused


def test_more_lanes_than_the_mask_has_are_refused() -> None:
    found = lowered(LOWERED, 32, **ids(33))
    assert found.refused == "the program's masks have 32 lanes, and the wave has more"


def test_other_machines_refuse_it() -> None:
    found = on("exec-mask", parse((LOWERED + DECLARED).replace("iM", "i64")), **ids(2))
    assert found.refused is not None and "exec-amdgcn" in found.refused


def test_the_interpreter_names_what_it_cannot_run() -> None:
    module = parse((LOWERED + DECLARED).replace("iM", "i64"))
    ran = run(module, threads=1, arguments={"id": [0], "n": 1})
    assert (
        isinstance(ran.ending, Unmodelled)
        and "@llvm.amdgcn.if.i64, an operation on exec" in ran.ending.feature
    )


@pytest.mark.parametrize(
    ("name", "kind", "width"),
    [
        ("llvm.amdgcn.if.i32", ExecKind.IF, 32),
        ("llvm.amdgcn.else.i32.i32", ExecKind.ELSE, 32),
        ("llvm.amdgcn.if.break.i64", ExecKind.IF_BREAK, 64),
        ("llvm.amdgcn.end.cf.i64", ExecKind.END_CF, 64),
    ],
)
def test_names(name: str, kind: ExecKind, width: int) -> None:
    assert exec_operation_named(name) == (kind, width)
    assert exec_operation_named(name + ".x") is None
