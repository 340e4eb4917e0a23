"""Workgroups on several cores: the same answer as on one, where they met, too.

covers: semantics.native.workgroups
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import convergence as cc
from convergence.semantics import OutOfBound, Returned, UndefinedBehaviour
from convergence.semantics.machine.run import Run
from convergence.semantics.memory.packed import PackedCells
from convergence.semantics.native import workgroups
from convergence.semantics.native.workgroups import Spread

HEAD = """
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
@shared = internal addrspace(3) global [8 x i32] poison
@own = internal thread_local global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@back = internal thread_local global ptr null
define void @f(ptr %a, ptr %b, i32 %n) convergent {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %c, 8
  %g = add i32 %first, %t
"""
TAIL = "  ret void\n}\n"
WORKGROUPS, SIZE = 6, 8


def kernel(body: str) -> cc.Module:
    return cc.parse(HEAD + body + TAIL)


def launched(module: cc.Module, jobs: int | None, n: int = 3, **options: Any) -> Run:
    arrays = {"a": np.arange(64, dtype=np.int32), "b": np.arange(16, dtype=np.int64)}
    options = {"engine": "native", "arguments": {"n": n}, "buffers": arrays, **options}
    return cc.run(module, grid=WORKGROUPS, workgroup=SIZE, jobs=jobs, **options)


def said(run: Run) -> tuple[object, ...]:
    """All that an answer rests on."""
    arrays = [run.buffers[name].tolist() for name in ("a", "b")]
    own = [dict(thread.memory) for thread in run.outcome.threads]
    return own, run.ending, run.eventless, run.rules, run.notes, run.races, arrays, run.is_only, run.steps


def cores(run: Run) -> int:
    return 0 if run.engine is None else run.engine.cores


def packed(run: Run) -> list[object]:
    """What the buffers hold, with what pointers are based on."""
    objects = run.machine.memory.allocations.values()
    return [a.cells for a in objects if isinstance(a.cells, PackedCells) and a.provenance.size > SIZE * 4]


def alike(body: str, **options: Any) -> Run:
    """A run on three cores, which says what the others say: on one, and the reference."""
    module = kernel(body)
    several, alone = launched(module, 3, **options), launched(module, 1, **options)
    reference = launched(module, None, **{**options, "engine": "reference"})
    assert said(several) == said(alone)
    assert said(alone)[:-2] == said(reference)[:-2]
    assert cores(alone) <= 1
    return several


APART = """
  %p = getelementptr i32, ptr %a, i32 %g
  %old = load i32, ptr %p
  %s = getelementptr i32, ptr addrspace(3) @shared, i32 %t
  store i32 %old, ptr addrspace(3) %s
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %back = xor i32 %t, 7
  %r = getelementptr i32, ptr addrspace(3) @shared, i32 %back
  %other = load i32, ptr addrspace(3) %r
  store i32 %other, ptr %p
"""
ADDITIONS = """
  %k = and i32 %g, 3
  %p = getelementptr i32, ptr %a, i32 %k
  %x = atomicrmw add ptr %p, i32 -%g monotonic
  %q = getelementptr i64, ptr %b, i32 %k
  %w = sext i32 %g to i64
  %v = shl i64 %w, 31
  %y = atomicrmw sub ptr %q, i64 %v monotonic
""".replace("i32 -%g", "i32 2147483647")
OWN = """
  %mine = getelementptr [4 x i32], ptr @own, i32 0, i32 2
  %old = load i32, ptr %mine
  %new = add i32 %old, %g
  store i32 %new, ptr %mine
  store ptr @own, ptr @back
  %to = load ptr, ptr @back
  %third = getelementptr i32, ptr %to, i32 2
  %again = load i32, ptr %third
  %p = getelementptr i32, ptr %a, i32 %g
  store i32 %again, ptr %p
"""
NARROW = """
  %p = getelementptr i8, ptr %a, i32 %g
  %v = trunc i32 %g to i8
  store i8 %v, ptr %p
  %c1 = icmp eq i32 %t, 0
  %q = getelementptr ptr, ptr %b, i32 %c
  br i1 %c1, label %first.one, label %out
first.one:
  store ptr %p, ptr %q
  br label %out
out:
"""


def test_workgroups_that_are_apart() -> None:
    assert cores(alike(APART)) == 3


def test_sums_of_what_was_added() -> None:
    assert cores(alike(ADDITIONS)) == 3


def test_variables_that_each_thread_has_for_itself() -> None:
    run = alike(OWN)
    assert cores(run) == 3
    own = [thread.memory["@own"] for thread in run.outcome.threads]
    assert own == [[1, 2, 3 + g, 4] for g in range(WORKGROUPS * SIZE)]


def test_bytes_and_pointers() -> None:
    run = alike(NARROW)
    assert cores(run) == 3
    assert packed(run) == packed(launched(kernel(NARROW), 1))


@pytest.mark.parametrize(
    "change",
    [
        "%k = and i32 %g, 15\n %p = getelementptr i32, ptr %a, i32 %k\n store i32 %c, ptr %p",
        "%k = xor i32 %g, 8\n %p = getelementptr i32, ptr %a, i32 %k\n %v = load i32, ptr %p\n"
        " %q = getelementptr i32, ptr %a, i32 %g\n store i32 %v, ptr %q",
        "%x = atomicrmw add ptr %a, i32 1 monotonic\n %q = getelementptr i8, ptr %b, i32 %g\n"
        " %y = trunc i32 %x to i8\n store i8 %y, ptr %q",
        "%x = atomicrmw add ptr %a, i32 1 monotonic\n %y = load atomic i32, ptr %a monotonic, align 4",
        "%x = atomicrmw add ptr %a, i32 1 monotonic\n %y = atomicrmw add ptr %a, i64 1 monotonic",
        "%x = atomicrmw xchg ptr %a, i32 1 monotonic",
    ],
)
def test_workgroups_that_meet(change: str) -> None:
    assert cores(alike(change)) <= 1


WAITING = """
  %first.one = icmp eq i32 %c, 0
  br i1 %first.one, label %writes, label %waits
writes:
  store atomic i32 7, ptr %a release, align 4
  br label %out
waits:
  %now = load atomic i32, ptr %a acquire, align 4
  %there = icmp eq i32 %now, 7
  br i1 %there, label %out, label %waits
out:
"""


def test_who_waits_for_another_workgroup() -> None:
    """On a core of its own he would wait until a bound is hit."""
    begin = time.monotonic()
    several = launched(kernel(WAITING), 3)
    assert isinstance(several.ending, Returned) and time.monotonic() - begin < 30
    assert said(several) == said(launched(kernel(WAITING), 1))


def test_errors_and_bounds() -> None:
    outside = "%far = mul i32 %g, 3\n %p = getelementptr i32, ptr %a, i32 %far\n store i32 1, ptr %p"
    assert isinstance(alike(outside).ending, UndefinedBehaviour)
    steps = launched(kernel(APART), 1).steps
    for most in (steps - 1, steps, steps + 1):
        alike(APART, max_steps=most)


ENDLESS = "br label %loop\nloop:\n  br label %again\nagain:\n  br label %loop\n}\n"


def test_a_bound_in_seconds_ends_all_cores() -> None:
    module = cc.parse(HEAD + ENDLESS)
    begin, before = time.monotonic(), threading.active_count()
    run = launched(module, 2, max_steps=10**15, timeout=0.3)
    assert isinstance(run.ending, OutOfBound) and "timeout" in str(run.ending.bound)
    assert time.monotonic() - begin < 10 and threading.active_count() == before


def test_auto_goes_on_with_several_cores_when_a_launch_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workgroups, "WARM", -1.0)
    monkeypatch.setattr(workgroups, "GAIN", 0.0)
    monkeypatch.setattr(workgroups, "available_cores", lambda: 2)
    for body in (APART, ADDITIONS, NARROW):
        run = launched(kernel(body), None)
        assert cores(run) == 2 and said(run) == said(launched(kernel(body), 1))


def _access(dice: random.Random, number: int) -> str:
    """An access to one of few bytes: mostly by additions or where nobody else is."""
    bits = dice.choice([32, 32, 64])
    array = "a" if dice.random() < 0.7 else "b"
    index = dice.choice(["%g", "%t", "%c", "%first", str(dice.randrange(4))])
    if array == "b" or bits == 64:
        index = dice.choice(["%t", "%c", str(dice.randrange(4))])
    p, v = f"%p{number}", f"%v{number}"
    lines = [f"{p} = getelementptr i{bits}, ptr %{array}, i32 {index}"]
    kind = dice.choice(["add", "add", "sub", "store", "load", "used", "plain"])
    if kind in ("add", "sub"):
        lines.append(f"{v} = atomicrmw {kind} ptr {p}, i{bits} {dice.randrange(1 << 31)} monotonic")
    elif kind == "used":
        lines += [f"{v} = atomicrmw add ptr {p}, i{bits} 3 monotonic", f"%u{number} = add i{bits} {v}, 1"]
    elif kind == "load":
        lines.append(f"{v} = load i{bits}, ptr {p}")
    elif kind == "store":
        lines.append(f"store i{bits} {dice.randrange(99)}, ptr {p}")
    else:
        lines += [f"%q{number} = getelementptr i32, ptr %a, i32 %g", f"store i32 %t, ptr %q{number}"]
    return "\n".join(f"  {line}" for line in lines)


@pytest.mark.parametrize("seed", range(2))
def test_random_accesses(seed: int) -> None:
    """Whether they met is not asked: in each case it is as on one core, and as the reference says."""
    dice = random.Random(seed)
    several = 0
    for _ in range(4):
        several += cores(alike("\n".join(_access(dice, n) for n in range(dice.randrange(1, 4))))) > 1
    assert seed or several


def test_work_that_is_spread() -> None:
    done: list[int] = []

    def worker(number: int, going: Callable[[], None]) -> None:
        done.append(number)
        if number == 70:
            raise ValueError("seventy")

    Spread([worker] * 3, range(50)).run(lambda: None)
    assert sorted(done) == [*range(50)]
    with pytest.raises(ValueError, match="seventy"):
        Spread([worker] * 3, range(60, 80)).run(lambda: None)
