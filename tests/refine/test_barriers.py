"""Exchanges through shared memory behind barriers: what replaces one is seen (D-SYNC).

covers: refine.sides.outcomes
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import convergence as cc
from convergence.refine.inputs.launch import Input
from convergence.refine.sides import outcomes
from convergence.refine.sides.outcomes import Bounds
from convergence.refine.sides.side import prepare
from convergence.refine.verdict.result import ReadRaces
from convergence.semantics import Unmodelled
from tests.cli.cli_harness import ROOT

SEEDS = 12

SHELF = ROOT / "examples_ll" / "barriers"
HEAD = "@tile = internal addrspace(3) global [4 x i32] undef, align 4\n"
BARRIERS = {
    "nvptx": (
        "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)",
        "llvm.nvvm.barrier.cta.sync.aligned.all(i32)",
    ),
    "opencl": ("call void @_Z7barrierj(i32 1)", "_Z7barrierj(i32)"),
    "spirv": (
        "call void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 264)",
        "_Z22__spirv_ControlBarrierjjj(i32, i32, i32)",
    ),
    "hlsl": (
        "call void @llvm.spv.group.memory.barrier.with.group.sync()",
        "llvm.spv.group.memory.barrier.with.group.sync()",
    ),
    "amdgpu": (
        'fence syncscope("workgroup") release\n  call void @llvm.amdgcn.s.barrier()\n'
        '  fence syncscope("workgroup") acquire',
        "llvm.amdgcn.s.barrier()",
    ),
}


def kernel(dialect: str, seen: str) -> cc.Module:
    """Each thread gives its neighbour ``%x``; what it then takes the neighbour's for is ``seen``."""
    barrier, declared = BARRIERS[dialect]
    return cc.parse(
        HEAD + "define i32 @f(i32 %x) convergent {\n"
        "  %me = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %low = and i32 %me, 1\n"
        "  %own = getelementptr [4 x i32], ptr addrspace(3) @tile, i32 0, i32 %low\n"
        f"  store i32 %x, ptr addrspace(3) %own\n  {barrier}\n  %other = xor i32 %low, 1\n"
        "  %there = getelementptr [4 x i32], ptr addrspace(3) @tile, i32 0, i32 %other\n"
        f"  {seen}\n  ret i32 %seen\n}}\n"
        f"declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\ndeclare void @{declared} convergent\n"
    )


LOAD = "%seen = load i32, ptr addrspace(3) %there"


@pytest.mark.parametrize(
    ("dialect", "instead"),
    [
        *((dialect, "%seen = add i32 0, 0") for dialect in BARRIERS),
        ("nvptx", "%seen = add i32 %x, 0"),
        ("opencl", "%seen = load i32, ptr addrspace(3) %own"),
    ],
)
def test_an_exchange_that_is_replaced_is_wrong(dialect: str, instead: str) -> None:
    found = cc.refine(kernel(dialect, LOAD), kernel(dialect, instead), threads=2)
    assert found.verdict == "wrong"


@pytest.mark.parametrize("dialect", BARRIERS)
def test_an_exchange_that_is_kept_is_equal(dialect: str) -> None:
    same = f"%dead = add i32 %x, 1\n  {LOAD}"
    assert cc.refine(kernel(dialect, LOAD), kernel(dialect, same), threads=2).verdict == "equal"


@pytest.mark.parametrize("dialect", BARRIERS)
def test_a_barrier_that_is_taken_away_is_wrong(dialect: str) -> None:
    barrier, _ = BARRIERS[dialect]
    source = kernel(dialect, LOAD)
    target = cc.parse(source.source.text.replace(barrier, ""))
    assert cc.refine(source, target, threads=2).verdict == "wrong"


REDUCTION = (SHELF / "reduction-nvptx.ll").read_text(encoding="utf-8")
TRANSPOSITION = (SHELF / "transposition-opencl.ll").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "before", "after", "verdict"),
    [
        (REDUCTION, "%b = load i32, ptr addrspace(3) %there, align 4", "%b = add i32 0, 3", "wrong"),
        (REDUCTION, "%ab = add i32 %a, %b", "%ab = add i32 %b, %a", "equal"),
        (REDUCTION, "%adds = icmp ult i32 %me, %reach", "%adds = icmp ule i32 %me, %reach", "wrong"),
        (TRANSPOSITION, "%seen = load i32, ptr addrspace(3) %there, align 4", "%seen = add i32 %value, 0",
        "wrong"), (TRANSPOSITION, "%mirrored = or i32 %down, %row", "%mirrored = add i32 %row, %down",
    "equal"), ],
)  # fmt: skip
def test_tiled_kernels(text: str, before: str, after: str, verdict: str) -> None:
    assert before in text
    changed = text.replace(before, after)
    # Without values of ours a kernel's argument has one for all threads.
    arguments = {"me": [0, 1, 2, 3]} if "i32 %me)" in text else {}
    found = cc.refine(cc.parse(text), cc.parse(changed), threads=4, arguments=arguments)
    assert found.verdict == verdict


@pytest.mark.parametrize("name", ["watched", "explored"])
def test_watching_one_execution_says_what_exploring_all_says(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "explored":
        monkeypatch.setattr(outcomes, "MEETINGS", 0)
    source = kernel("amdgpu", LOAD)
    assert cc.refine(source, kernel("amdgpu", "%seen = add i32 %x, 0"), threads=2).verdict == "wrong"
    assert cc.refine(source, kernel("amdgpu", LOAD), threads=2).verdict == "equal"


def barrier(random: Random) -> list[str]:
    """AMDGPU's, nearly always with the fences that it needs."""
    scope = random.choice(("workgroup",) * 8 + ("agent", "wavefront"))
    lines = [f'  fence syncscope("{scope}") {order}' for order in ("release", "acquire")]
    before, after = ([line] if random.random() < 0.96 else [] for line in lines)
    return [*before, "  call void @llvm.amdgcn.s.barrier()", *after]


def phases(seed: int) -> cc.Module:
    """Threads write and read places of a tile, with barriers in between."""
    random, lines, total = Random(seed), [], "0"
    for phase in range(2):
        written, read = random.sample(("%own", "%there"), 2)
        lines += [f"  br label %in{phase}", f"in{phase}:"]
        lines.append(f"  store i32 {random.choice(('%x', total))}, ptr addrspace(3) {written}")
        lines += barrier(random)
        lines += [
            f"  %v{phase} = load i32, ptr addrspace(3) {read}",
            f"  %a{phase} = add i32 {total}, %v{phase}",
            f"  %c{phase} = icmp ne i32 %me, {phase}",
            f"  br i1 %c{phase}, label %more{phase}, label %rest{phase}",
            f"more{phase}:",
            f"  %w{phase} = load i32, ptr addrspace(3) {written}",
            f"  %b{phase} = add i32 %a{phase}, %w{phase}",
            f"  br label %rest{phase}",
            f"rest{phase}:",
            f"  %s{phase} = phi i32 [ %a{phase}, %in{phase} ], [ %b{phase}, %more{phase} ]",
        ]
        total = f"%s{phase}"
        lines += barrier(random)
    body = "\n".join(lines)
    return cc.parse(
        HEAD + "define i32 @f(i32 %me, i32 %peer, i32 %x) convergent {\n"
        "  %own = getelementptr [4 x i32], ptr addrspace(3) @tile, i32 0, i32 %me\n"
        "  %there = getelementptr [4 x i32], ptr addrspace(3) @tile, i32 0, i32 %peer\n"
        f"{body}\n  ret i32 {total}\n}}\ndeclare void @llvm.amdgcn.s.barrier() convergent\n"
    )


def test_watching_one_execution_with_fences_says_what_exploring_all_says() -> None:
    input_, ordered, raced = Input(3, 1, ((0, 1, 2), (1, 2, 0), (5, 7, 9))), 0, 0
    for seed in range(SEEDS):
        answers = []
        for meetings in (outcomes.MEETINGS, 0):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(outcomes, "MEETINGS", meetings)
                answers.append(prepare(phases(seed)).outcomes("maximal", input_, Bounds()))
        once, whole = answers
        assert once.by_identity.keys() == whole.by_identity.keys()
        assert (once.bound, once.undecided) == (whole.bound, whole.undecided)
        ordered += not whole.raced
        raced += whole.raced
    assert ordered > SEEDS // 4 < raced


def test_of_races_beside_fences_not_all_orders_are_looked_at_where_nobody_wants_them() -> None:
    """AMDGPU's kernels with a barrier took minutes where its threads were those of several waves."""
    side = prepare(kernel("amdgpu", LOAD.replace("%there", "%own")))
    input_ = Input(3, 1, ((1, 2, 3),))  # two of them write to one place
    assert side.outcomes("maximal", input_, Bounds()).runs > 1
    fewer = side.outcomes("maximal", input_, Bounds(races=False))
    assert (fewer.bound, fewer.runs) == (ReadRaces(), 1)


# -- AMDGPU's named barriers: variables without bytes

NAMED = """target triple = "amdgcn-amd-amdhsa"
%holder = type { target("amdgcn.named.barrier", 0) }
@first = internal addrspace(3) global target("amdgcn.named.barrier", 0) poison
@second = internal addrspace(3) global [2 x %holder] poison
declare void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3), i32)
declare void @llvm.amdgcn.s.barrier.join(ptr addrspace(3))
declare i32 @llvm.amdgcn.s.get.named.barrier.state(ptr addrspace(3))
define amdgpu_kernel void @k(ptr addrspace(1) %out, i32 %x) {
  call void @llvm.amdgcn.s.barrier.join(ptr addrspace(3) @first)
  call void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3) @first, i32 3)
  %last = getelementptr %holder, ptr addrspace(3) @second, i32 1
  call void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3) %last, i32 4)
  %y = add i32 %x, 1
  store i32 %y, ptr addrspace(1) %out
  ret void
}
"""


def test_named_barriers_are_told_apart_and_not_by_their_names() -> None:
    asked: dict[str, Any] = {"threads": 1, "max_launches": 4}
    same = NAMED.replace("add i32 %x, 1", "sub i32 %x, -1")
    assert cc.refine(cc.parse(NAMED), cc.parse(same), **asked).verdict == "equal"
    assert (
        cc.refine(cc.parse(NAMED), cc.parse(same.replace("@first", "@first.k")), **asked).verdict == "equal"
    )
    for other in (
        NAMED.replace("join(ptr addrspace(3) @first)", "join(ptr addrspace(3) @second)"),
        NAMED.replace("@second, i32 1", "@second, i32 0"),
    ):
        assert cc.refine(cc.parse(NAMED), cc.parse(other), **asked).verdict == "wrong"


def test_nobody_follows_who_has_come_to_one() -> None:
    """Its name is LLVM's to change, and a stand-in would tell it."""
    read = NAMED.replace(
        "add i32 %x, 1", "call i32 @llvm.amdgcn.s.get.named.barrier.state(ptr addrspace(3) @first)"
    )
    asked: dict[str, Any] = {"threads": 1, "max_launches": 4}
    same = read.replace("i32 %x", "i32 %other")
    assert cc.refine(cc.parse(read), cc.parse(same), shortcut=False, **asked).verdict == "equal"
    copied = read.replace("@first)", "@kernels)").replace("@first, i32", "@kernels, i32")
    copied += '@kernels = internal addrspace(3) global target("amdgcn.named.barrier", 0) poison\n'
    answer = cc.refine(cc.parse(read), cc.parse(copied), **asked)
    assert answer.verdict == "unknown" and "s.get.named.barrier.state" in repr(answer.bound)
    once = cc.run(cc.parse(read), threads=1, buffers={"out": "i32[1]"})
    assert "llvm.amdgcn.s.get.named.barrier.state" in once.stand_ins


def test_a_named_barrier_has_no_bytes() -> None:
    text = NAMED.replace("add i32 %x, 1", "load i32, ptr addrspace(3) @first")
    once = cc.run(cc.parse(text), threads=1, buffers={"out": "i32[1]"})
    assert isinstance(once.ending, Unmodelled)
    assert once.ending.feature == "the bytes of the barrier @first, which has none"
