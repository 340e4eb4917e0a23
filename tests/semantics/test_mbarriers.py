"""NVPTX's mbarrier objects: phases, who goes on, what is ordered, and what is undefined; by intrinsics and by
PTX in assembly, in runs, on machines, and by both engines.

covers: semantics.instructions.library.nvvm_memory
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import convergence as cc
from convergence.parser import parse
from convergence.semantics import Returned, UndefinedBehaviour

HEAD = """target triple = "nvptx64-nvidia-cuda"
@b = internal addrspace(3) global i64 undef, align 8
@s = internal addrspace(3) global [8 x i32] undef
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32) convergent
declare void @llvm.nvvm.mbarrier.inval.shared(ptr addrspace(3)) convergent
declare i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3)) convergent
declare i64 @llvm.nvvm.mbarrier.arrive.noComplete.shared(ptr addrspace(3), i32) convergent
declare i64 @llvm.nvvm.mbarrier.arrive.drop.shared(ptr addrspace(3)) convergent
declare i64 @llvm.nvvm.mbarrier.arrive.scope.cta.space.cta(ptr addrspace(3), i32) convergent
declare i64 @llvm.nvvm.mbarrier.arrive.relaxed.scope.cta.space.cta(ptr addrspace(3), i32) convergent
declare i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3), i32) convergent
declare i64 @llvm.nvvm.mbarrier.arrive.drop.expect.tx.scope.cta.space.cta(ptr addrspace(3), i32) convergent
declare void @llvm.nvvm.mbarrier.expect.tx.scope.cta.space.cta(ptr addrspace(3), i32) convergent
declare void @llvm.nvvm.mbarrier.complete.tx.scope.cta.space.cta(ptr addrspace(3), i32) convergent
declare i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3), i64) convergent
declare i1 @llvm.nvvm.mbarrier.try.wait.scope.cta.space.cta(ptr addrspace(3), i64) convergent
declare i1 @llvm.nvvm.mbarrier.try.wait.relaxed.scope.cta.space.cta(ptr addrspace(3), i64) convergent
declare i1 @llvm.nvvm.mbarrier.try.wait.parity.tl.scope.cta.space.cta(ptr addrspace(3), i32, i32) convergent
declare i1 @llvm.nvvm.mbarrier.test.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32) convergent
declare i32 @llvm.nvvm.mbarrier.pending.count(i64) convergent
define ptx_kernel void @k(ptr %out) convergent {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %t, 0
"""
BEGIN = """  br i1 %first, label %make, label %made
make:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @b, i32 COUNT)
  br label %made
made:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
"""
STORE = """  %mine = getelementptr i32, ptr addrspace(3) @s, i32 %t
  %x = add i32 %t, 10
  store i32 %x, ptr addrspace(3) %mine
"""
LOAD = """  %o = xor i32 %t, 1
  %theirs = getelementptr i32, ptr addrspace(3) @s, i32 %o
  %v = load i32, ptr addrspace(3) %theirs
  %place = getelementptr i32, ptr %out, i32 %t
  store i32 %v, ptr %place
"""
ARRIVE = "  %state = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) @b)\n"


def waits(question: str) -> str:
    """Asks again until the answer is yes."""
    return f"""  br label %wait
wait:
  %done = {question}
  br i1 %done, label %on, label %wait
on:
"""


BY_STATE = waits("call i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3) @b, i64 %state)")


def left(body: str, threads: int, **launch: Any) -> Any:
    module = parse(HEAD + body + "  ret void\n}\n")
    out = np.zeros(threads, "i4")
    return cc.run(module, workgroup=threads, buffers={"out": out}, **launch)


def exchange(arrive: str = ARRIVE, wait: str = BY_STATE, threads: int = 4) -> str:
    """Each thread reads what its neighbour wrote."""
    return BEGIN.replace("COUNT", str(threads)) + STORE + arrive + wait + LOAD


SCOPED = "call i64 @llvm.nvvm.mbarrier.arrive.scope.cta.space.cta(ptr addrspace(3) @b, i32 1)"
TRY = "call i1 @llvm.nvvm.mbarrier.try.wait.scope.cta.space.cta(ptr addrspace(3) @b, i64 %state)"
TIMED = (
    "call i1 @llvm.nvvm.mbarrier.try.wait.parity.tl.scope.cta.space.cta(ptr addrspace(3) @b, i32 0, i32 9)"
)
ASSEMBLY = 'call i64 asm sideeffect "mbarrier.arrive.shared.b64 $0, [$1];", "=l,r"(ptr addrspace(3) @b)'
ASKED = (
    'call i1 asm sideeffect "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [$1], $2, 32;'
    ' selp.b32 $0, 1, 0, p; }", "=b,r,r"(ptr addrspace(3) @b, i32 0)'
)
FORMS = {
    "older": (ARRIVE, BY_STATE),
    "scoped": (f"  %state = {SCOPED}\n", waits(TRY)),
    "by parity": (f"  %state = {SCOPED}\n", waits(TIMED)),
    "assembly": (f"  %state = {ASSEMBLY}\n", waits(ASKED)),
}


@pytest.mark.parametrize("engine", ["reference", "native", "attended"])
@pytest.mark.parametrize("form", FORMS)
def test_who_waits_sees_what_all_who_arrived_wrote(form: str, engine: Any) -> None:
    done = left(exchange(*FORMS[form]), 4, engine=engine)
    assert list(done.buffers["out"]) == [11, 10, 13, 12]
    assert not done.races and not done.stand_ins


@pytest.mark.parametrize("size", [1, 2, 4])
def test_machines(size: int) -> None:
    module = parse(HEAD + exchange() + "  ret void\n}\n")
    launch: dict[str, Any] = {"workgroup": 4, "subgroup_size": size, "buffers": {"out": np.zeros(4, "i4")}}
    for policy in ("ipdom", "exec-mask", "mask-stack", "predication", "barrier", "independent"):
        (machine,) = cc.simulate(module, policy=policy, **launch)
        assert machine.outcome is not None
        assert machine.outcome.memory["%out"] == [11, 10, 13, 12], policy


RELAXED = "call i64 @llvm.nvvm.mbarrier.arrive.relaxed.scope.cta.space.cta(ptr addrspace(3) @b, i32 1)"
UNORDERED = (
    "call i1 @llvm.nvvm.mbarrier.try.wait.relaxed.scope.cta.space.cta(ptr addrspace(3) @b, i64 %state)"
)


@pytest.mark.parametrize(
    ("arrive", "wait"),
    [
        (f"  %state = {RELAXED}\n", BY_STATE),
        (ARRIVE, waits(UNORDERED)),
        (ARRIVE, ""),
    ],
    ids=["a relaxed arrival", "a relaxed wait", "no wait"],
)
def test_what_they_do_not_order_races(arrive: str, wait: str) -> None:
    assert left(exchange(arrive, wait), 4).races


def asks(number: int, phase: int) -> str:
    """Writes whether the phase of a parity is complete."""
    call = "call i1 @llvm.nvvm.mbarrier.test.wait.parity.scope.cta.space.cta"
    return f"""  %a{number} = {call}(ptr addrspace(3) @b, i32 {phase})
  %w{number} = zext i1 %a{number} to i32
  %p{number} = getelementptr i32, ptr %out, i32 {number}
  store i32 %w{number}, ptr %p{number}
"""


def told(*steps: str, count: int = 1) -> list[int]:
    """What one thread is told of an object of so many arrivals; ``0`` and ``1`` ask of that parity."""
    body, number = BEGIN.replace("COUNT", str(count)), 0
    for n, step in enumerate(steps):
        if step in ("0", "1"):
            body += asks(number, int(step))
            number += 1
        else:
            name, *given = step.split()
            result = "void" if name in ("expect.tx", "complete.tx") else "i64"
            scoped = "" if name.endswith("shared") else ".scope.cta.space.cta"
            operands = "".join(f", i32 {value}" for value in given)
            bound = "" if result == "void" else f"%s{n} = "
            body += (
                f"  {bound}call {result} @llvm.nvvm.mbarrier.{name}{scoped}(ptr addrspace(3) @b{operands})\n"
            )
    module = parse(HEAD + body + "  ret void\n}\n")
    done = cc.run(module, workgroup=1, buffers={"out": np.zeros(max(number, 1), "i4")})
    if isinstance(done.ending, UndefinedBehaviour):
        raise ValueError(str(done.ending))
    assert isinstance(done.ending, Returned) and not done.stand_ins
    return [int(value) for value in done.buffers["out"]]


def test_phases() -> None:
    """The phase before the first counts as complete, and it has parity 1."""
    assert told("0", "1") == [0, 1]
    assert told("arrive.shared", "0", "1") == [1, 0]
    assert told("arrive.shared", "arrive.shared", "0", "1") == [0, 1]
    assert told("arrive 2", "0", "arrive.shared", "0", count=3) == [0, 1]
    assert told("arrive.noComplete.shared 2", "0", "arrive.shared", "0", count=3) == [0, 1]


def test_who_drops_out_is_not_expected_again() -> None:
    assert told("arrive.drop.shared", "0", "arrive.shared", "0", "arrive.shared", "0", count=2) == [0, 1, 0]
    assert told("arrive.shared", "arrive.shared", "arrive.shared", "0", count=2) == [1]


def test_copies_are_waited_for() -> None:
    assert told("arrive.expect.tx 16", "0", "complete.tx 12", "0", "complete.tx 4", "0") == [0, 0, 1]
    assert told("complete.tx 16", "arrive.expect.tx 16", "0") == [1]
    assert told("expect.tx 8", "arrive.shared", "0", "complete.tx 8", "0") == [0, 1]
    assert told("arrive.drop.expect.tx 8", "complete.tx 8", "0", "arrive.shared", "0", count=2) == [0, 1]


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        (["arrive 2"], "pending arrivals"),
        (["arrive 0"], "a count of arrivals"),
        (["arrive.noComplete.shared 1"], "noComplete"),
        (["expect.tx 1048575", "expect.tx 1"], "tx-count"),
    ],
    ids=["too many arrive", "nobody arrives", "it completes", "too much is to come"],
)
def test_what_is_undefined(steps: list[str], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        told(*steps)


def test_what_nobody_initialised_is_no_mbarrier() -> None:
    """Nor is what was invalidated, or a state that nobody gave."""
    ending = left(ARRIVE, 1).ending
    assert isinstance(ending, UndefinedBehaviour) and "nobody initialised" in str(ending)
    invalid = "  call void @llvm.nvvm.mbarrier.inval.shared(ptr addrspace(3) @b)\n"
    assert isinstance(left(BEGIN.replace("COUNT", "1") + invalid + ARRIVE, 1).ending, UndefinedBehaviour)
    zero = BY_STATE.replace("%state", "0")
    assert isinstance(left(BEGIN.replace("COUNT", "1") + zero, 1).ending, UndefinedBehaviour)
    none = BEGIN.replace("COUNT", "0")
    assert isinstance(left(none, 1).ending, UndefinedBehaviour)


def test_a_state_says_how_many_were_pending() -> None:
    body = (
        BEGIN.replace("COUNT", "7")
        + ARRIVE
        + "  %n = call i32 @llvm.nvvm.mbarrier.pending.count(i64 %state)\n"
    )
    assert list(left(body + "  store i32 %n, ptr %out\n", 1).buffers["out"]) == [7]


PIPELINE = """
  %producer = icmp ult i32 %t, 2
  br i1 %producer, label %produce, label %consume
produce:
  %i = phi i32 [ 0, %made ], [ %i1, %next ]
  %odd = and i32 %i, 1
  %free = xor i32 %odd, 1
  br label %pwait
pwait:
  %pd = call i1 @llvm.nvvm.mbarrier.test.wait.parity.scope.cta.space.cta(ptr addrspace(3) @e, i32 %free)
  br i1 %pd, label %next, label %pwait
next:
  %slot = getelementptr i32, ptr addrspace(3) @s, i32 %t
  %ten = mul i32 %i, 10
  %val = add i32 %ten, %t
  store i32 %val, ptr addrspace(3) %slot
  %ps = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) @b)
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 5
  br i1 %more, label %produce, label %end
consume:
  %j = phi i32 [ 0, %made ], [ %j1, %took ]
  %sum = phi i32 [ 0, %made ], [ %sum1, %took ]
  %par = and i32 %j, 1
  br label %cwait
cwait:
  %cd = call i1 @llvm.nvvm.mbarrier.test.wait.parity.scope.cta.space.cta(ptr addrspace(3) @b, i32 %par)
  br i1 %cd, label %took, label %cwait
took:
  %s1 = getelementptr i32, ptr addrspace(3) @s, i32 1
  %a = load i32, ptr addrspace(3) @s
  %c = load i32, ptr addrspace(3) %s1
  %ac = add i32 %a, %c
  %sum1 = add i32 %sum, %ac
  %cs = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) @e)
  %j1 = add i32 %j, 1
  %again = icmp ult i32 %j1, 5
  br i1 %again, label %consume, label %write
write:
  %to = getelementptr i32, ptr %out, i32 %t
  store i32 %sum1, ptr %to
  br label %end
end:
"""


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_a_pipeline_of_producers_and_consumers(engine: Any) -> None:
    """Two produce into one buffer, three take from it, five times: one object says that it is full, one that
    it is empty."""
    made = BEGIN.replace("COUNT", "2").replace(
        "  br label %made",
        "  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @e, i32 3)\n  br label %made",
    )
    head = HEAD.replace("@s =", "@e = internal addrspace(3) global i64 undef, align 8\n@s =")
    module = parse(head + made + PIPELINE + "  ret void\n}\n")
    done = cc.run(module, workgroup=5, buffers={"out": np.zeros(5, "i4")}, engine=engine)
    assert isinstance(done.ending, Returned) and not done.races
    assert list(done.buffers["out"]) == [0, 0, 205, 205, 205]


ONCE = (
    '  %done = call i1 asm sideeffect "{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [$1], $2;'
    ' selp.b32 $0, 1, 0, p; }", "=b,r,l"(ptr addrspace(3) @b, i64 %state)\n'
    "  %word = zext i1 %done to i32\n"
    "  %place = getelementptr i32, ptr %out, i32 %t\n  store i32 %word, ptr %place\n"
)


def test_both_engines_say_when_a_phase_is_complete() -> None:
    """Of two that arrive and then ask once, the one who asks last is told yes: three outcomes."""
    body = BEGIN.replace("COUNT", "2") + f"  %state = {ASSEMBLY}\n" + ONCE
    module = parse(HEAD + body + "  ret void\n}\n")
    launch: dict[str, Any] = {"workgroup": 2, "buffers": {"out": np.zeros(2, "i4")}}
    found = [cc.enumerate(module, engine=engine, **launch) for engine in ("operational", "axiomatic")]
    for enumeration in found:
        assert enumeration.complete
        assert {str(o.outcome.memory["%out"]) for o in enumeration.outcomes} == {"[1, 1]", "[0, 1]", "[1, 0]"}


def test_all_executions_of_a_wait_end_alike() -> None:
    body = exchange(*FORMS["assembly"], threads=2)
    module = parse(HEAD + body + "  ret void\n}\n")
    found = cc.enumerate(
        module, workgroup=2, uncontrolled="none", subgroup_size=1, buffers={"out": np.zeros(2, "i4")}
    )
    assert found.complete
    assert [o.outcome.memory["%out"] for o in found.outcomes] == [[11, 10]]


def test_a_guard_that_is_false_arrives_nowhere() -> None:
    """As MLIR's lowering writes what one thread of a warp does."""
    init = 'call void asm sideeffect "@$2 mbarrier.init.shared.b64 [$0], $1;", "r,r,b"'
    arrive = init.replace("init", "arrive.expect_tx").replace("[$0]", "_, [$0]")
    made = f"""  {init}(ptr addrspace(3) @b, i32 1, i1 %first)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  {arrive}(ptr addrspace(3) @b, i32 0, i1 %first)
"""
    done = left(made + waits(ASKED), 3)
    assert isinstance(done.ending, Returned) and not done.stand_ins


def test_a_target_that_waits_for_one_more_is_wrong() -> None:
    """It asks for ever, which its source never does."""
    barrier = "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n"
    made = BEGIN.replace("COUNT", "1").replace(barrier, "")
    arrive, wait = FORMS["assembly"]
    text = HEAD + made + arrive + wait + "  store i32 1, ptr %out\n  ret void\n}\n"
    wrong = text.replace("@b, i32 1)\n  br label %made", "@b, i32 2)\n  br label %made")
    assert wrong != text
    launch: dict[str, Any] = {"workgroup": 1, "buffers": {"out": np.zeros(2, "i4")}}
    assert cc.refine(parse(text), parse(text), **launch).verdict == "equal"
    assert cc.refine(parse(text), parse(wrong), **launch).verdict == "wrong"
