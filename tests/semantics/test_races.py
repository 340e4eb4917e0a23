"""Races of a run: what a thread that follows the latest write need not be compared with.

covers: semantics.memory.synchronisation
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest

import convergence as cc
from convergence.semantics import UndefinedBehaviour
from convergence.semantics.memory import races
from convergence.semantics.memory.races import RaceDetector
from convergence.semantics.memory.synchronisation import join

HEAD = """
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
@a = global [4 x i32] zeroinitializer
define i32 @f() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"""
LOCK = """
  br label %try
try:
  %was = atomicrmw xchg ptr @a, i32 1 acquire
  %free = icmp eq i32 %was, 0
  br i1 %free, label %in, label %try
in:
  %p = getelementptr i32, ptr @a, i32 1
  %sum = load i32, ptr %p
  %more = add i32 %sum, %t
  store i32 %more, ptr %p
  store atomic i32 0, ptr @a release, align 4
  ret i32 %sum
}
"""


def _plain(clock: dict[int, int], other: Mapping[int, int]) -> dict[int, int]:
    together = dict(clock)
    join(together, dict(other))
    return together


def _races_before(detector: Any, mine: Any, byte: Any, storage: Any, beside: Any) -> bool:
    return races._some_race([*detector._ordered(mine, byte, storage), *beside], storage)


def _program(dice: random.Random) -> str:
    """Threads that are told apart by a switch, and do a few accesses to few bytes each."""
    lines, threads = ["  switch i32 %t, label %t0 [ i32 1, label %t1 i32 2, label %t2 i32 3, label %t3 ]"], 4
    for thread in range(threads):
        lines.append(f"t{thread}:")
        for n in range(dice.randrange(1, 5)):
            name, at = f"{thread}.{n}", dice.choice([0, 0, 4, 5])
            size, p = dice.choice([8, 32]) if at == 4 else (8 if at == 5 else 32), f"%p{thread}.{n}"
            lines.append(f"  {p} = getelementptr i8, ptr @a, i32 {at}")
            order = dice.choice(["monotonic", "acquire", "release", "acq_rel"])
            match dice.randrange(6):
                case 0:
                    lines.append(f"  %v{name} = load i{size}, ptr {p}, align 1")
                case 1:
                    lines.append(f"  store i{size} {thread}, ptr {p}, align 1")
                case 2 if at != 5:
                    lines.append(f"  %v{name} = atomicrmw add ptr {p}, i{size} 1 {order}")
                case 3 if at != 5:
                    strong = "monotonic" if order in ("release", "acq_rel") else order
                    lines.append(f"  %v{name} = load atomic i{size}, ptr {p} {strong}, align 4")
                case 4 if at != 5:
                    strong = "monotonic" if order in ("acquire", "acq_rel") else order
                    lines.append(f"  store atomic i{size} {thread}, ptr {p} {strong}, align 4")
                case _:
                    lines.append(f"  fence {'seq_cst' if order == 'monotonic' else order}")
        lines.append(f"  ret i32 {thread}")
    return HEAD + "\n".join(lines) + "\n}\n"


def _said(text: str) -> tuple[Any, ...]:
    run = cc.run(cc.parse(text), threads=4)
    return run.races, run.outcome, run.notes, run.is_only, run.open_reads


def test_shortcuts_leave_out_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same races without them."""
    programs = [_program(random.Random(seed)) for seed in range(40)] + [HEAD + LOCK]
    short = [_said(program) for program in programs]
    monkeypatch.setattr(RaceDetector, "_follows_last", lambda *arguments: False)
    monkeypatch.setattr(RaceDetector, "_says_no_more", lambda *arguments: False)
    monkeypatch.setattr(RaceDetector, "_races_before", _races_before)
    monkeypatch.setattr(races, "joined", _plain)
    assert [_said(program) for program in programs] == short
    assert 8 < sum(bool(met) for met, *_ in short) < 40


FLAG = """
declare void @_Z7barrierj(i32) convergent
@a = addrspace(3) global i32 zeroinitializer
define i32 @f() {
  BEFORE
  store i32 1, ptr addrspace(3) @a
  AFTER
  %all = load i32, ptr addrspace(3) @a
  ret i32 %all
}
"""
BARRIER = "call void @_Z7barrierj(i32 1)"


@pytest.mark.parametrize(("before", "after"), [("", ""), (BARRIER, ""), ("", BARRIER), (BARRIER, BARRIER)])
def test_a_flag_that_all_set_is_compared_with_few(
    monkeypatch: pytest.MonkeyPatch, before: str, after: str
) -> None:
    """What the accesses to it are compared with grows with how many there are, not with its square."""
    looks: list[int] = []
    unordered = RaceDetector._unordered

    def counted(self: RaceDetector, mine: Any, earlier: Any, storage: Any) -> Any:
        for found in unordered(self, mine, earlier, storage):
            looks.append(1)
            yield found

    monkeypatch.setattr(RaceDetector, "_unordered", counted)
    run = cc.run(cc.parse(FLAG.replace("BEFORE", before).replace("AFTER", after)), threads=64)
    assert len(run.races) == (1 if after else 3) and run.open_reads == ("@a",)
    assert len(looks) < 8 * 64


def test_a_lock_is_compared_with_its_last_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an access is compared with does not grow with how many threads had the lock."""
    looks: list[int] = []
    unordered = RaceDetector._unordered

    def counted(self: RaceDetector, mine: Any, earlier: Any, storage: Any) -> Any:
        looks.append(len(earlier))
        return unordered(self, mine, earlier, storage)

    monkeypatch.setattr(RaceDetector, "_unordered", counted)
    run = cc.run(cc.parse(HEAD + LOCK), threads=50)
    assert not run.races and run.outcome.threads[49].value == sum(range(49))
    assert max(looks) <= 3


def test_a_race_is_reported_once_for_two_places() -> None:
    """By the first threads that met there, however many do."""
    text = (
        "@g = global i32 0\ndefine void @f() {\n  store i32 1, ptr @g\n  store i32 2, ptr @g\n  ret void\n}\n"
    )
    for threads in (2, 5):
        races = cc.run(cc.parse(text), threads=threads).races
        pairs = {(race.variable, race.first.site.index, race.second.site.index) for race in races}
        assert len(races) == len(pairs) and pairs >= {("@g", 1, 0), ("@g", 1, 1)}
        assert (races[0].first.thread, races[0].second.thread) == (0, 1)


def test_a_run_that_a_race_ends_names_the_race() -> None:
    """The write would come after the load that may not give undef, and where no run comes any more."""
    text = (
        "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n@g = global i32 0\ndefine void @f() {\n"
        "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %first = icmp eq i32 %t, 0\n"
        "  br i1 %first, label %a, label %b\n"
        "a:\n  %x = load i32, ptr @g, !noundef !0\n  br label %d\n"
        "b:\n  store i32 1, ptr @g\n  br label %d\nd:\n  ret void\n}\n!0 = !{}\n"
    )
    module = cc.parse(text)
    run = cc.run(module, threads=2)
    assert isinstance(run.ending, UndefinedBehaviour)
    (race,) = run.races
    lines = [module.functions["f"].instructions[a.site.index].result for a in (race.first, race.second)]
    assert race.variable == "@g" and lines == ["x", None]
    assert (race.first.thread, race.second.thread) == (0, 1)


@pytest.mark.parametrize("promise", ["!noundef !0", "!range !1, !noundef !0"])
def test_what_races_does_not_keep_a_promise(promise: str) -> None:
    """clang marks loads of bool so."""
    text = (
        "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n@g = global i8 0\ndefine i8 @f() {\n"
        "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %first = icmp eq i32 %t, 0\n"
        "  br i1 %first, label %a, label %b\n"
        f"a:\n  %x = load i8, ptr @g, {promise}\n  ret i8 %x\n"
        "b:\n  store i8 1, ptr @g\n  ret i8 1\n}\n!0 = !{}\n!1 = !{i8 0, i8 2}\n"
    )
    run, found = cc.run(cc.parse(text), threads=2), cc.enumerate(cc.parse(text), threads=2)
    (outcome,) = found.outcomes
    assert isinstance(run.ending, UndefinedBehaviour) and "!noundef" in run.ending.reason
    assert found.complete and outcome.ending == "undefined-behaviour"


STORED = """
target triple = "nvptx64-nvidia-cuda"
@s = internal addrspace(3) global [2 x i32] undef
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
declare void @llvm.memset.p3.i32(ptr addrspace(3), i8, i32, i1)
define i32 @f() convergent {{
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  {stored}
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %r = load i32, ptr addrspace(3) @s
  ret i32 %r
}}
"""
ALIKE = "store i32 7, ptr addrspace(3) @s"
OTHER = "%m = and i32 %t, 1\n  store i32 %m, ptr addrspace(3) @s"
BY_PARTS = """store i32 257, ptr addrspace(3) @s
  %p = getelementptr i8, ptr addrspace(3) @s, i32 1
  store i8 1, ptr addrspace(3) %p"""
BYTES = """
  call void @llvm.memset.p3.i32(ptr addrspace(3) @s, i8 1, i32 2, i1 false)"""
NARROW_READ = """
  %narrow = load atomic i8, ptr addrspace(3) @s monotonic, align 1"""
UNLIKE_BETWEEN = """%n = mul i32 %t, 5
  store i32 %n, ptr addrspace(3) @s
  store i32 7, ptr addrspace(3) @s"""


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize(
    ("stored", "value"),
    [
        (ALIKE, 7), (OTHER, None), (UNLIKE_BETWEEN, None), (BY_PARTS, 257),
        (BY_PARTS.replace("i8 1,", "i8 2,"), None),
        (BY_PARTS.replace("i32 257,", "<2 x i16> <i16 257, i16 0>,"), 257),
        (BY_PARTS + BYTES, 257), (ALIKE + NARROW_READ + "\n  store i32 7, ptr addrspace(3) @s", 7),
    ],
)  # fmt: skip
def test_equal_writes_count_as_one(stored: str, value: int | None, threads: int) -> None:
    """Only where all writes that a read may see left the same, and nothing else stood there between them,
    byte by byte: whatever their sizes are. Who races is said as before."""
    module = cc.parse(STORED.format(stored=stored))
    letter = cc.run(module, threads=threads)
    assert {thread.value for thread in letter.outcome.threads} == {"undef"}
    asked = cc.run(module, threads=threads, equal_writes=True)
    known = "undef" if value is None else value
    assert {thread.value for thread in asked.outcome.threads} == {known}
    assert asked.races == letter.races
    assert asked.races
    if threads == 2:
        found = cc.enumerate(module, threads=threads, equal_writes=True)
        values = {thread.value for found_one in found.outcomes for thread in found_one.outcome.threads}
        assert found.complete
        assert values == {known} if value is not None else "undef" in values


def test_a_read_that_races_itself_is_undef_all_the_same() -> None:
    module = cc.parse(STORED.format(stored=ALIKE).replace("  call void @llvm.nvvm.barrier", "  ; "))
    done = cc.run(module, threads=2, equal_writes=True)
    assert {thread.value for thread in done.outcome.threads} == {"undef"}


def test_refine_with_equal_writes() -> None:
    module = cc.parse(STORED.format(stored=ALIKE))
    folded = cc.parse(STORED.format(stored=ALIKE).replace("ret i32 %r", "ret i32 8"))
    assert cc.refine(module, folded, threads=2).verdict != "wrong"
    assert cc.refine(module, folded, threads=2, equal_writes=True).verdict == "wrong"


# A volatile read (LangRef, *Memory Model for Concurrent Operations*): its result is the target's affair where
# it races; here it is what memory held.

VOLATILE = """
@x = global i32 0
@y = global i32 0
define i32 @f(i32 %t) {
  switch i32 %t, label %a [ i32 1, label %b i32 2, label %c ]
a:
THREAD0
b:
THREAD1
c:
THREAD2
}
"""


def _accesses(dice: random.Random) -> str:
    lines, read = [], ["0"]
    for n in range(dice.randrange(1, 4)):
        where = dice.choice(["@x", "@y"])
        if dice.random() < 0.5:
            lines.append(f"  %r{n}.N = load LOADED i32, ptr {where} ORDER, align 4")
            lines.append(f"  %s{n}.N = add i32 %r{n}.N, {10**n}")
            read.append(f"%s{n}.N")
        else:
            lines.append(
                f"  store atomic i32 {dice.choice([1, 2, read[-1]])}, ptr {where} monotonic, align 4"
            )
    lines.append(f"  ret i32 {read[-1]}")
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(40))
def test_racing_volatile_reads_give_what_monotonic_ones_give(seed: int) -> None:
    """Where all writes are atomic: all the same values, in the same orders, though each such read races."""
    dice = random.Random(seed)
    text = VOLATILE
    for thread in range(3):
        text = text.replace(f"THREAD{thread}", _accesses(dice).replace(".N", f".{thread}"))
    volatile = cc.parse(text.replace("LOADED", "volatile").replace(" ORDER", ""))
    atomic = cc.parse(text.replace("LOADED", "atomic").replace("ORDER", "monotonic"))
    launch: dict[str, Any] = {"threads": 3, "arguments": {"t": [0, 1, 2]}}

    def outcomes(module: cc.Module) -> set[tuple[object, ...]]:
        enumeration = cc.enumerate(module, **launch)
        assert enumeration.complete and all(item.ending == "returned" for item in enumeration.outcomes)
        return {
            (
                *(thread.value for thread in item.outcome.threads),
                *sorted(map(str, item.outcome.memory.items())),
            )
            for item in enumeration.outcomes
        }

    assert outcomes(volatile) == outcomes(atomic)


def test_a_volatile_read_helps_no_other_read() -> None:
    """A plain read of the same bytes is undef as before, and that both race is said."""
    text = VOLATILE.replace("THREAD0", "  store i32 7, ptr @x\n  ret i32 0")
    text = text.replace("THREAD1", "  %v = load volatile i32, ptr @x\n  ret i32 %v")
    text = text.replace("THREAD2", "  %p = load i32, ptr @x\n  ret i32 %p")
    enumeration = cc.enumerate(cc.parse(text), threads=3, arguments={"t": [0, 1, 2]})
    values = {tuple(thread.value for thread in item.outcome.threads) for item in enumeration.outcomes}
    assert enumeration.complete
    assert values == {(0, 0, "undef"), (0, 7, "undef")}
    run = cc.run(cc.parse(text), threads=3, arguments={"t": [0, 1, 2]})
    assert len(run.races) >= 2
    assert any(note.startswith("volatile reads of @x race") for note in run.notes)


def test_a_volatile_flag_is_waited_for() -> None:
    """And what it gives is no undef, as what a plain one gives is."""
    text = VOLATILE.replace("THREAD0", "  store LOADED i32 7, ptr @x\n  ret i32 0")
    waits = "  %v = load LOADED i32, ptr @x\n  %no = icmp eq i32 %v, 0\n  br i1 %no, label %b, label %e\n"
    text = text.replace("THREAD1", waits + "e:\n  ret i32 %v").replace("THREAD2", "  ret i32 0")
    for order in ([0, 1], [1, 0]):
        volatile = cc.run(cc.parse(text.replace("LOADED", "volatile")), threads=2, arguments={"t": order})
        assert volatile.outcome.threads[order.index(1)].value == 7
        plain = cc.run(cc.parse(text.replace("LOADED ", "")), threads=2, arguments={"t": order})
        said = ["such a read is undef" in " ".join(run.notes) for run in (volatile, plain)]
        assert said == [False, True]


@pytest.mark.parametrize(
    "access",
    [
        "%v = atomicrmw volatile add ptr @x, i32 2 monotonic",
        "%both = cmpxchg volatile ptr @x, i32 0, i32 2 monotonic monotonic\n"
        "  %v = extractvalue { i32, i1 } %both, 0",
    ],
)
def test_a_volatile_read_modify_write_gives_what_memory_held(access: str) -> None:
    """Beside a plain store; one that is not volatile gives undef."""
    text = VOLATILE.replace("THREAD0", "  store i32 1, ptr @x\n  ret i32 0")
    text = text.replace("THREAD1", f"  {access}\n  ret i32 %v").replace("THREAD2", "  ret i32 0")
    for program, known in ((text, {0, 1}), (text.replace(" volatile", ""), {"undef"})):
        enumeration = cc.enumerate(cc.parse(program), threads=2, arguments={"t": [0, 1]})
        assert enumeration.complete
        assert {item.outcome.threads[1].value for item in enumeration.outcomes} == known


@pytest.mark.parametrize("size", [1, 2])
def test_a_store_behind_a_barrier_of_the_workgroup_depends_on_who_came_to_it(size: int) -> None:
    """Also where they are in other launch groups: the store races with the read, but comes only because the
    read's thread has arrived, so that a read before the store gives what memory held."""
    text = """
    @g = global i32 0
    declare void @llvm.amdgcn.s.barrier()
    define i32 @f(i32 %t) {
      switch i32 %t, label %j [ i32 1, label %b ]
    b:
      %v = load i32, ptr @g
      br label %j
    j:
      %r = phi i32 [ 9, %0 ], [ %v, %b ]
      call void @llvm.amdgcn.s.barrier()
      fence acquire
      switch i32 %t, label %e [ i32 0, label %a ]
    a:
      store i32 3, ptr @g
      br label %e
    e:
      ret i32 %r
    }
    """
    run = cc.run(cc.parse(text), threads=2, subgroup_size=size, arguments={"t": [0, 1]})
    assert run.outcome.threads[1].value == 0
    assert len(run.races) == 1
