"""A machine without free choices and races must compute what the interpreter does with its groups.

covers: sched.lockstep.simulate
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from convergence.parser import parse
from convergence.report.schemas import schema
from convergence.sched.lockstep.masked_code import CodePlace, Masks, Op
from convergence.sched.lockstep.policies import NAMES
from convergence.sched.lockstep.policies.exec_mask import ExecRegister
from convergence.sched.lockstep.policy import MachineOptions
from convergence.sched.lockstep.simulate import Aspect, Uncompared
from tests.cli.cli_harness import convcheck
from tests.sched.lockstep.programs import DECLARED, on

LOOP = """
@out = global [4 x i32] zeroinitializer
define i32 @k(i32 %n, i32 %x) {
entry:
  br label %outer
outer:
  %t = phi i32 [ 0, %entry ], [ %t1, %after ]
  br label %inner
inner:
  %i = phi i32 [ 0, %outer ], [ %i1, %inner ]
  %s = phi i32 [ %x, %outer ], [ %s1, %inner ]
  %s0 = mul i32 %s, 3
  %s1 = add i32 %s0, %t
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %inner, label %after
after:
  %own = getelementptr i32, ptr @out, i32 %n
  %t1 = add i32 %t, 1
  %before = load i32, ptr %own
  %r = add i32 %s1, %before
  store i32 %r, ptr %own
  %again = icmp ult i32 %t1, %n
  br i1 %again, label %outer, label %done
done:
  ret i32 %r
}
"""
LANES: dict[str, Any] = {"threads": 4, "arguments": {"n": [0, 1, 2, 3], "x": [5, 6, 7, 8]}}


def remember(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault: exec-mask's saved masks are not cleared when a loop begins again."""

    def clears(self: ExecRegister, place: CodePlace, register: int) -> Sequence[Op]:
        def keep(m: Masks) -> None:
            m.saved.setdefault(register, 0)

        return [Op("s_mov_b64", keep)]

    monkeypatch.setattr(ExecRegister, "clears", clears)


@pytest.mark.parametrize("name", NAMES)
def test_machines_are_compared_where_nothing_is_free(name: str) -> None:
    agreement = on(name, parse(LOOP), **LANES).agreement
    assert agreement.reason is None
    assert not agreement.differences


def test_a_wrong_result_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    remember(monkeypatch)
    right = on("heart", parse(LOOP), **LANES).outcome
    wrong = on("exec-mask", parse(LOOP), **LANES)
    assert right is not None
    assert wrong.outcome is not None
    returned = [d for d in wrong.agreement.differences if d.aspect is Aspect.RETURN]
    assert returned
    for difference in returned:
        assert difference.thread is not None
        assert difference.machine == wrong.outcome.threads[difference.thread].value
        assert difference.interpreter == right.threads[difference.thread].value
        assert difference.machine != difference.interpreter
    (memory,) = [d for d in wrong.agreement.differences if d.aspect is Aspect.MEMORY]
    assert (memory.machine, memory.interpreter) == (wrong.outcome.memory["@out"], right.memory["@out"])


def test_a_wrong_result_is_our_bug(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "loop.ll"
    path.write_text(LOOP, encoding="utf-8")
    launch = ["--threads", "4", "--arg", "%n=0,1,2,3", "--arg", "%x=5,6,7,8"]
    command = ["simulate", str(path), "--policy", "all", *launch]
    assert convcheck(*command).code == 0
    remember(monkeypatch)
    bad = convcheck(*command)
    assert bad.code == 4
    assert "exec-mask: thread 1 returns" in bad.out
    assert "the interpreter says" in bad.out
    assert "--policy exec-mask" in bad.out
    answer = json.loads(convcheck(*command, "--format", "json").out)
    Draft202012Validator(schema("simulate")).validate(answer)
    compared = {p["policy"]: p["agreement"] for p in answer["policies"]}
    assert {name for name, agreement in compared.items() if agreement["differences"]} == {"exec-mask"}
    assert all(agreement["compared"] for agreement in compared.values())


CONTROL = "call token @llvm.experimental.convergence"
ANCHORED = f"""
define i32 @k(i32 %x) convergent {{
  %a = {CONTROL}.anchor()
  %r = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %a) ]
  ret i32 %r
}}
{DECLARED}"""
MEETING = """
@g = global i32 0
define i32 @k(i32 %x) {
  store i32 %x, ptr @g
  %r = load i32, ptr @g
  ret i32 %r
}
"""
TRAPPING = """
define i32 @k(i32 %x) {
  %r = udiv i32 6, %x
  ret i32 %r
}
"""
TOGETHER = f"""
define i32 @k(i32 %x) convergent {{
  %e = {CONTROL}.entry()
  %r = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %e) ]
  ret i32 %r
}}
{DECLARED}"""
SPINNING = """
define i32 @k(i32 %x) {
entry:
  br label %loop
loop:
  br label %loop
}
"""
KNOTTED = """
define i32 @k(i32 %x) {
entry:
  %c = icmp eq i32 %x, 0
  br i1 %c, label %a, label %b
a:
  %d = icmp eq i32 %x, 1
  br i1 %d, label %b, label %end
b:
  %e = icmp eq i32 %x, 2
  br i1 %e, label %a, label %end
end:
  ret i32 %x
}
"""
LOWERED = """
define i32 @k(i32 %x) {
entry:
  %c = icmp eq i32 %x, 0
  %if = call { i1, i64 } @llvm.amdgcn.if.i64(i1 %c)
  %on = extractvalue { i1, i64 } %if, 0
  %saved = extractvalue { i1, i64 } %if, 1
  br i1 %on, label %then, label %end
then:
  br label %end
end:
  call void @llvm.amdgcn.end.cf.i64(i64 %saved)
  ret i32 %x
}
declare { i1, i64 } @llvm.amdgcn.if.i64(i1)
declare void @llvm.amdgcn.end.cf.i64(i64)
"""


@pytest.mark.parametrize(
    ("text", "name", "options", "reason"),
    [
        (LOWERED, "exec-amdgcn", MachineOptions(), Uncompared.LOWERED),
        (ANCHORED, "heart", MachineOptions(), Uncompared.CHOICES),
        (MEETING, "heart", MachineOptions(), Uncompared.MEMORY),
        (TRAPPING, "heart", MachineOptions(), Uncompared.INTERPRETER),
        (TOGETHER, "independent", MachineOptions(), Uncompared.GROUPS),
        (TOGETHER, "heart", MachineOptions(), None),
        (SPINNING, "ipdom", MachineOptions(), Uncompared.UNFINISHED),
        (KNOTTED, "exec-mask", MachineOptions(), Uncompared.REFUSED),
        (TOGETHER, "exec-mask", MachineOptions(covered=frozenset({0})), Uncompared.LANES),
    ],
)
def test_what_is_not_compared_says_why(
    text: str, name: str, options: MachineOptions, reason: Uncompared | None
) -> None:
    found = on(name, parse(text), options, threads=4, arguments={"x": [0, 1, 2, 3]})
    assert found.agreement.reason is reason
    assert not found.agreement.differences


def test_a_bound_of_the_interpreter_is_no_comparison() -> None:
    """A machine counts slots, the interpreter instructions of all threads: its bound comes first or last."""
    found = on("exec-mask", parse(LOOP), max_steps=20, **LANES)
    assert found.agreement.reason is Uncompared.UNFINISHED
