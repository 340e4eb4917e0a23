"""What threads of a native run find out about each other, against every pair of their accesses.

covers: semantics.memory.synchronisation
"""

from __future__ import annotations

import ctypes
import random
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import pytest

from convergence.parser import parse
from convergence.rules import Rule
from convergence.semantics.arithmetic import ConcreteDomain
from convergence.semantics.machine import machine
from convergence.semantics.machine.launch import launch_spec
from convergence.semantics.machine.run import execute
from convergence.semantics.memory.emitted import METADATA, helper_name, noting
from convergence.semantics.memory.packed import ROW, SIZE, STORAGE, WORDS
from convergence.semantics.memory.synchronisation import (
    ATOMIC,
    PLAIN,
    THREAD_AT,
    Accessor,
    Encounters,
    MemoryFence,
    Scope,
    Words,
    touched,
)
from tests.native.equality import both
from tests.semantics.emitted import engine

GROUP = 3
"""Threads of a workgroup."""
BYTES = 4
KINDS = (PLAIN, ATOMIC)
"""Of accesses that are not atomic, and of monotonic ones."""
FULL = MemoryFence(True, True, scope=Scope.WORKGROUP)


class Done(NamedTuple):
    """An access: in which of its workgroup's phases, between two barriers."""

    thread: int
    phase: int
    byte: int
    write: bool
    atomic: bool


def history(rng: random.Random, groups: int, atomics: bool) -> list[Done | int]:
    """Accesses in some order; a number is a barrier of that workgroup."""
    phases, made = [0] * groups, list[Done | int]()
    for _ in range(rng.randrange(2, 24)):
        group = rng.randrange(groups)
        if rng.random() < 0.2:
            phases[group] += 1
            made.append(group)
            continue
        thread = group * GROUP + rng.randrange(GROUP)
        atomic = atomics and rng.random() < 0.5
        made.append(Done(thread, phases[group], rng.randrange(BYTES), rng.random() < 0.5, atomic))
    return made


def pairs(made: list[Done | int]) -> tuple[bool, bool, bool]:
    """Whether two accesses meet, whether two that do are ordered, and whether two race."""
    met = ordered = races = False
    for a, b in combinations([d for d in made if isinstance(d, Done)], 2):
        if a.thread != b.thread and a.byte == b.byte and (a.write or b.write):
            met = True
            if a.thread // GROUP == b.thread // GROUP and a.phase != b.phase:
                ordered = True
            elif not (a.atomic and b.atomic):
                races = True
    return met, ordered, races


class Run:
    """Encounters of accesses to one object, made by Python or by native code."""

    def __init__(self, groups: int) -> None:
        self.raw = (ctypes.c_uint64 * (2 * BYTES))()
        self.words = Words(BYTES, ctypes.addressof(self.raw), 0)
        self.encounters = Encounters(0, groups * GROUP, GROUP)
        self.barriers = 0

    def barrier(self, group: int) -> None:
        """All threads of a workgroup release, meet, and acquire."""
        members = range(group * GROUP, (group + 1) * GROUP)
        self.barriers += 1
        for thread in members:
            self.encounters.fence(thread, MemoryFence(True, False, scope=Scope.WORKGROUP))
            self.encounters.came(thread, self.barriers, group, self.barriers)
        for thread in members:
            self.encounters.passed(thread, self.barriers)
            self.encounters.fence(thread, MemoryFence(False, True, scope=Scope.WORKGROUP))

    def do(self, done: Done) -> None:
        self.encounters.access(
            done.thread, self.words, done.byte, done.byte + 1, done.write, KINDS[done.atomic]
        )


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("atomics", [False, True])
def test_nothing_that_meets_or_races_is_missed(groups: int, atomics: bool) -> None:
    rng, clean, suspicious = random.Random(f"{groups} {atomics}"), 0, 0
    for _ in range(400):
        made, run = history(rng, groups, atomics), Run(groups)
        for done in made:
            if isinstance(done, Done):
                run.do(done)
            else:
                run.barrier(done)
        met, ordered, races = pairs(made)
        found = run.encounters
        assert found.conflict == met, made
        assert found.suspicious or not races, made
        assert found.suspicious or found.synchronised == ordered, made
        if not atomics:
            assert found.suspicious == races, made
        clean, suspicious = clean + (met and not found.suspicious), suspicious + found.suspicious
    assert clean > 3 and suspicious > 100


def test_what_is_known_sooner_is_what_is_known() -> None:
    """The shortcut of Python and of native code is what the words say."""
    rng = random.Random(2)
    for _ in range(300):
        thread, stretch = rng.randrange(6), rng.randrange(1, 4)
        word = stretch | thread << THREAD_AT | rng.choice([ATOMIC, PLAIN])
        mine = Accessor(word, rng.randrange(stretch), thread, thread // GROUP, thread // GROUP * GROUP, GROUP)
        writer, readers = rng.choice([0, word]), rng.choice([0, word])
        for write in (False, True):
            said = (word, readers, 0) if write else (writer, word, 0)
            assert touched(ConcreteDomain(), writer, readers, mine, write) == said


def test_a_barrier_without_all_threads_or_fences_or_to_which_threads_come_apart_orders_nothing() -> None:
    for members, fences, apart in ((GROUP - 1, True, False), (GROUP, False, False), (GROUP, True, True)):
        run = Run(1)
        run.do(Done(0, 0, 0, True, False))
        for thread in range(members):
            if fences:
                run.encounters.fence(thread, MemoryFence(True, False))
            run.encounters.came(thread, "b", thread // 2, thread if apart else "b")
        for thread in range(members):
            run.encounters.passed(thread, "b")
            if fences:
                run.encounters.fence(thread, MemoryFence(False, True))
        run.do(Done(1, 1, 0, False, False))
        assert run.encounters.suspicious


def test_native_code_notes_what_python_notes() -> None:
    sizes = (1, 2, 4)
    kinds = [(size, write, kind) for size in sizes for write in (False, True) for kind in KINDS]
    made = engine("\n".join(noting(*kind) for kind in kinds).replace("internal ", "") + METADATA, {})
    signature = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    rng = random.Random(1)
    for _ in range(60):
        python, native = Run(2), Run(2)
        row = (ctypes.c_uint64 * (ROW // 8))()
        row[SIZE // 8], row[WORDS // 8], row[STORAGE // 8] = BYTES, native.words.address, 0
        for done in history(rng, 2, True):
            if not isinstance(done, Done):
                python.barrier(done)
                native.barrier(done)
                continue
            size = rng.choice(sizes)
            at = done.byte // size * size
            python.encounters.access(done.thread, python.words, at, at + size, done.write, KINDS[done.atomic])
            address = made.get_function_address(helper_name(size, done.write, KINDS[done.atomic]))
            signature(address)(native.encounters.address, ctypes.addressof(row), done.thread, at)
            assert list(python.raw) == list(native.raw)
        assert python.encounters.conflict == native.encounters.conflict
        assert python.encounters.suspicious == native.encounters.suspicious


TILE = """
@tile = addrspace(3) global [8 x i32] undef
@out = global [8 x i32] zeroinitializer
@count = global i32 0
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
define void @f() convergent {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr [8 x i32], ptr addrspace(3) @tile, i32 0, i32 %t
  store i32 %t, ptr addrspace(3) %mine
  BARRIER
  %next = xor i32 %t, 1
  %other = getelementptr [8 x i32], ptr addrspace(3) @tile, i32 0, i32 %next
  %v = load i32, ptr addrspace(3) %other
  %to = getelementptr [8 x i32], ptr @out, i32 0, i32 %t
  store i32 %v, ptr %to
  %old = atomicrmw add ptr @count, i32 1 monotonic
  ret void
}
"""
BARRIER = "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)"


@pytest.mark.parametrize("barrier", [BARRIER, ""], ids=["barrier", "none"])
def test_who_meets_across_a_barrier_is_not_watched(barrier: str) -> None:
    module = parse(TILE.replace("BARRIER", barrier))
    spec = launch_spec(threads=8, subgroup_size=4)
    one, other, native = both(module, spec)
    assert one == other
    assert (native.machine.log.encounters is not None) == bool(barrier)
    assert (native.machine.races is None) == bool(barrier)
    assert (Rule.D_SYNC in native.rules) == bool(barrier)
    reference = execute(module, spec)
    assert reference.machine.races is not None


def test_a_run_that_proves_long_begins_again_natively(monkeypatch: pytest.MonkeyPatch) -> None:
    """How threads met before is not known to the words; the answer is the same."""
    monkeypatch.setattr(machine, "LONG", 30)
    monkeypatch.setattr(machine, "PRICE", 0)
    module = parse(TILE.replace("BARRIER", BARRIER))
    spec = launch_spec(threads=8, subgroup_size=4)
    auto = execute(module, replace(spec, engine="auto"))
    assert auto.engine is not None and auto.machine.log.encounters is not None
    assert auto.rules == execute(module, replace(spec, engine="reference")).rules
    alone = execute(module, replace(launch_spec(threads=1), engine="auto"))
    assert alone.engine is None  # too short


COUNT = """
@count = global i32 0
define i32 @f() {
  %old = atomicrmw add ptr @count, i32 1 SCOPE ORDERING
  ret i32 %old
}
"""


@pytest.mark.parametrize("ordering", ["monotonic", "seq_cst", "acq_rel", "acquire"])
@pytest.mark.parametrize("scope", ["", 'syncscope("workgroup")'])
def test_who_meets_by_atomics_does_not_race(ordering: str, scope: str) -> None:
    """Whether they synchronise is known of what orders with all threads; else the reference is asked."""
    text = COUNT.replace("SCOPE", scope).replace("ORDERING", ordering)
    one, other, native = both(parse(text), launch_spec(threads=4))
    assert one == other
    known = ordering == "monotonic" or (ordering != "acquire" and not scope)
    assert (native.machine.log.encounters is not None) == known


SPLIT = (
    "call void @llvm.amdgcn.s.barrier.signal(i32 -1)\nSTORE\ncall void @llvm.amdgcn.s.barrier.wait(i16 -1)"
)


@pytest.mark.parametrize("store", ["", "store i32 7, ptr addrspace(3) %mine"])
def test_a_split_barrier_is_left_to_the_reference(store: str) -> None:
    """What a thread does between its halves is not ordered before what others do behind it."""
    fences = 'fence syncscope("workgroup") release\n', '\nfence syncscope("workgroup") acquire'
    barrier = fences[0] + SPLIT.replace("STORE", f"{store}\n{fences[0] if store else ''}") + fences[1]
    declared = "declare void @llvm.amdgcn.s.barrier.signal(i32 immarg)\n"
    declared += "declare void @llvm.amdgcn.s.barrier.wait(i16 immarg)\n"
    triple = 'target triple = "amdgcn-amd-amdhsa"\n'
    one, other, native = both(
        parse(triple + declared + TILE.replace("BARRIER", barrier)), launch_spec(threads=8, subgroup_size=4)
    )
    assert one == other
    assert (Rule.D_SYNC in native.rules) == ('"D-SYNC"' in one)
