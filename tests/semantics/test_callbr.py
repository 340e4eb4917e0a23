"""``callbr`` and inline assembly: labels are free choices, results stand-ins, the intrinsic that kills ends.

covers: semantics.threads.compile
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from convergence.parser import parse
from convergence.refine import refine
from convergence.refine.symbolic.question import refine_symbolically
from convergence.sched.enumeration import Enumeration
from convergence.semantics import Returned, UndefinedBehaviour
from convergence.semantics.machine import Called
from tests.launches import enumerate_axiomatic, explore
from tests.sched.lockstep.programs import on
from tests.semantics.every import first, results

HEAD = """declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
declare i32 @subgroupAdd(i32) convergent
declare void @llvm.amdgcn.kill(i1)
@shared = global i32 0
"""
THREE = f"""{HEAD}
define i32 @f(i32 %x) convergent {{
A:
  %t = call token @llvm.experimental.convergence.entry()
  callbr void asm sideeffect "test $0", "r,!i,!i"(i32 %x) to label %B [label %C, label %D]
B:
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  ret i32 %s
C:
  ret i32 100
D:
  ret i32 200
}}
"""
OUTPUT = f"""{HEAD}
define i32 @f(i32 %x) convergent {{
A:
  %r = callbr i32 asm "test $0", "=r,r,!i"(i32 %x) to label %B [label %C]
B:
  %b = xor i32 %r, %r
  ret i32 %b
C:
  %p = phi i32 [ %r, %A ]
  %c = sub i32 %p, %r
  %d = add i32 %c, 1
  ret i32 %d
}}
"""
AFTER_SUM = f"""{HEAD}
define i32 @f(i32 %x) convergent {{
A:
  %t = call token @llvm.experimental.convergence.entry()
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  callbr void asm sideeffect "test $0", "r,!i"(i32 %sum) to label %B [label %C]
B:
  %b = call i32 @subgroupAdd(i32 %sum) [ "convergencectrl"(token %t) ]
  ret i32 %b
C:
  %c = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  ret i32 %c
}}
"""
THROUGH_MEMORY = f"""{HEAD}
define i32 @f(i32 %x) convergent {{
A:
  %v = load atomic i32, ptr @shared seq_cst, align 4
  callbr void asm sideeffect "test $0", "r,!i"(i32 %v) to label %B [label %C]
B:
  store atomic i32 1, ptr @shared seq_cst, align 4
  ret i32 %v
C:
  %w = load atomic i32, ptr @shared seq_cst, align 4
  ret i32 %w
}}
"""
CALLED = f"""{HEAD}
define i32 @g(i32 %x) convergent {{
A:
  %t = call token @llvm.experimental.convergence.anchor()
  callbr void asm sideeffect "", "!i"() to label %B [label %C]
B:
  %b = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  ret i32 %b
C:
  ret i32 0
}}
define i32 @f(i32 %x) convergent {{
  %r = call i32 @g(i32 %x)
  ret i32 %r
}}
"""


def values(found: Enumeration) -> set[tuple[object, ...]]:
    assert found.complete
    return {tuple(t.value for t in o.outcome.threads) for o in found.outcomes}


def test_a_run_takes_the_direct_label() -> None:
    run = first(THREE, threads=3, arguments={"x": [1, 2, 3]})
    assert run.ending == Returned() and [t.value for t in run.outcome.threads] == [6, 6, 6]
    (event,) = run.outcome.threads[0].events
    assert isinstance(event, Called) and (event.operands, event.result) == ((1,), 0)
    assert [(c.options, c.option) for c in run.choices] == [(3, 0)] * 3


@pytest.mark.parametrize("engine", [explore, enumerate_axiomatic])
def test_every_label_is_taken_by_each_thread(engine: Callable[..., Enumeration]) -> None:
    found = engine(parse(THREE), threads=2, arguments={"x": [1, 2]})
    assert values(found) == {
        (3, 3), (1, 100), (1, 200), (100, 2), (100, 100), (100, 200), (200, 2), (200, 100), (200, 200)
    }  # fmt: skip


@pytest.mark.parametrize("text", [THREE, OUTPUT, AFTER_SUM, THROUGH_MEMORY, CALLED])
def test_both_engines_branch_alike(text: str) -> None:
    given = {"threads": 2, "arguments": {"x": [1, 2]}, "function": "f"}
    ours, theirs = explore(parse(text), **given), enumerate_axiomatic(parse(text), **given)
    assert ours.complete and theirs.complete and ours.same(theirs)
    assert len(ours.outcomes) >= 4


def test_the_result_is_there_behind_every_label() -> None:
    assert values(explore(parse(OUTPUT), threads=1, arguments={"x": 7})) == {(0,), (1,)}


def test_a_path_says_the_label() -> None:
    run = first(THREE, threads=2, arguments={"x": [1, 2]}, paths=[["A", "D"], ["A", "B"]])
    assert [t.value for t in run.outcome.threads] == [200, 2]


@pytest.mark.parametrize(
    "policy", ["ipdom", "exec-mask", "mask-stack", "predication", "block-ip", "barrier", "heart"]
)
def test_a_machine_takes_the_direct_label(policy: str) -> None:
    found = on(policy, parse(THREE), threads=2, arguments={"x": [1, 2]})
    assert found.run is not None and [t.value for t in found.run.outcome.threads] == [3, 3]


# -- refinement: the same assembly on the same operands goes the same way on both sides


def compared(source: str, target: str) -> str:
    one, other = parse(source), parse(target)
    answer = refine(one, other, max_launches=40)
    symbolic = refine_symbolically(one, other)
    if symbolic.verdict in ("equal", "refines"):
        assert answer.verdict == symbolic.verdict
    return answer.verdict


def test_labels_may_not_change_places() -> None:
    assert compared(THREE, THREE.replace("ret i32 100", "ret i32 50 ;")) == "wrong"
    assert compared(THREE, THREE.replace("[label %C, label %D]", "[label %D, label %C]")) == "wrong"
    assert compared(THREE, THREE.replace("label %B [label %C,", "label %C [label %B,")) == "wrong"


def test_another_name_and_place_is_the_same() -> None:
    renamed = (
        THREE.replace("%C", "%E")
        .replace("C:", "E:")
        .replace("ret i32 100", "%h = add i32 50, 50\nret i32 %h")
    )
    assert compared(THREE, renamed) == "equal"


def test_other_assembly_is_another_event() -> None:
    assert compared(THREE, THREE.replace('"test $0"', '"tast $0"')) == "wrong"
    plain = 'define void @f() {\ncall void asm sideeffect "one", ""()\nret void\n}'
    assert compared(plain, plain.replace("one", "two")) == "wrong"


def test_assembly_gives_a_stand_in() -> None:
    text = 'define i32 @f(i32 %x) {\n%r = call i32 asm "mov $0, $1", "=r,r"(i32 %x) WORDS\nret i32 %r\n}'
    twice = text.replace("ret", '%s = call i32 asm "mov $0, $1", "=r,r"(i32 %x) WORDS\nret')
    words = "memory(none) nounwind willreturn"
    run = first(text.replace("WORDS", ""), threads=2, arguments={"x": [1, 2]})
    one, other = (t.value for t in run.outcome.threads)
    assert one != other and run.stand_ins
    assert compared(text.replace("WORDS", words), twice.replace("WORDS", words)) == "equal"
    assert compared(text.replace("WORDS", ""), twice.replace("WORDS", "")) == "wrong"


def test_a_loop_may_be_rotated_and_not_be_shortened() -> None:
    loop = f"""{HEAD}
define i32 @f(i32 %x) convergent {{
A:
  %t = call token @llvm.experimental.convergence.entry()
  br label %H
H:
  %i = phi i32 [ 0, %A ], [ %n, %B ]
  %l = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %l) ]
  callbr void asm sideeffect "test $0", "r,!i"(i32 %s) to label %C [label %B]
B:
  %n = add i32 %i, STEP
  br label %H
C:
  ret i32 %i
}}
"""
    one = loop.replace("STEP", "%s")
    assert compared(one, loop.replace("STEP", "%s").replace("%n", "%next")) == "equal"
    assert compared(one, loop.replace("STEP", "7")) == "wrong"


# -- the intrinsic that kills

KILL = f"""{HEAD}
define i32 @f(i1 %c) convergent {{
A:
  %t = call token @llvm.experimental.convergence.entry()
  callbr void @llvm.amdgcn.kill(i1 %c) to label %B [label %K]
B:
  %s = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
  ret i32 %s
K:
  unreachable
}}
"""
PLAIN = (
    KILL.replace("callbr", "call")
    .replace(" to label %B [label %K]", "\n  br label %B")
    .replace("K:\n  unreachable\n", "")
)


DISCARDED = PLAIN.replace("llvm.amdgcn.kill(i1 %c)", "llvm.dx.discard(i1 %not)").replace(
    "  call void @llvm.dx", "  %not = xor i1 %c, true\n  call void @llvm.dx"
)
DISCARDED = DISCARDED.replace("declare void @llvm.amdgcn.kill", "declare void @llvm.dx.discard")


def test_an_endless_loop_over_it_comes_back_to_no_state() -> None:
    """Which label is next depends on how many calls went before: two sides that look endless at different
    calls were told apart."""
    loop = """define void @{0}(i1 %c) {{
    entry:
      br label %loop
    loop:
      callbr void asm sideeffect "x", "r,!i"(i1 %c) to label %a [label %b]
    a:
      br label %{1}
    b:
      br label %{1}
    {2}}}
    """
    more = "m:\n%k = phi i32 [ 0, %a ], [ 1, %b ]\nbr label %loop\n"
    module = parse(loop.format("src", "loop", "") + loop.format("tgt", "m", more))
    found = refine(module, module, threads=1, max_launches=2, max_steps=2_000)
    assert found.verdict == "unknown"


@pytest.mark.parametrize("text", [KILL, PLAIN, DISCARDED])
def test_who_is_killed_takes_no_part_any_more(text: str) -> None:
    run = first(text, threads=3, arguments={"c": [1, 0, 1]})
    assert [(t.ended, t.value) for t in run.outcome.threads] == [
        ("returned", 2),
        ("exited", None),
        ("returned", 2),
    ]
    assert [sorted(g) for g in results(run, "%s")] == [[0, 2]]
    for engine in (explore, enumerate_axiomatic):
        assert values(engine(parse(text), threads=3, arguments={"c": [1, 0, 1]})) == {(2, None, 2)}
    assert isinstance(first(text, threads=1, arguments={"c": "poison"}).ending, UndefinedBehaviour)


def test_both_forms_of_kill_are_the_same() -> None:
    assert compared(KILL, PLAIN) == "equal"
    assert compared(KILL, PLAIN.replace("call void @llvm.amdgcn.kill(i1 %c)", "")) == "wrong"
