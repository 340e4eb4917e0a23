"""Whole wave mode: what lanes compute that take no part, against a wave computed as a list.

covers: semantics.operations.amdgcn
"""

from __future__ import annotations

import random

import pytest

import convergence as cc
from convergence.parser import parse
from convergence.semantics import Returned, Unmodelled
from convergence.semantics.machine.run import Run, run

HEAD = 'target triple = "amdgcn-amd-amdhsa"\n'
WAVE = 32


def launched(body: str, parameters: str = "i32 %x, i1 %p", **arguments: object) -> Run:
    """A wave of 32 lanes of which those with ``%p`` go to block ``a``, which is ``body``."""
    text = (
        f'{HEAD}define amdgpu_cs i32 @f({parameters}) convergent "target-cpu"="gfx1030" {{\n'
        f"  br i1 %p, label %a, label %b\na:\n{body}  ret i32 %r\nb:\n  ret i32 -1\n}}\n"
    )
    return run(parse(text), threads=WAVE, arguments=arguments)


def values(done: Run) -> list[object]:
    assert done.ending == Returned(), done.ending
    assert done.stand_ins == ()
    return [t.value for t in done.outcome.threads]


def scan(shifts: tuple[int, ...], other: int = 0) -> str:
    """An inclusive sum within rows of 16 lanes."""
    lines = [f"  %s0 = call i32 @llvm.amdgcn.set.inactive.i32(i32 %x, i32 {other})"]
    for n, shift in enumerate(shifts):
        control = 0x110 + shift
        lines += [
            f"  %d{n} = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %s{n}, i32 {control},"
            " i32 15, i32 15, i1 0)",
            f"  %s{n + 1} = add i32 %s{n}, %d{n}",
        ]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(4))
def test_a_scan_skips_lanes_that_take_no_part(seed: int) -> None:
    rng = random.Random(seed)
    x = [rng.randrange(1000) for _ in range(WAVE)]
    p = [int(rng.random() < 0.6) for _ in range(WAVE - 1)] + [1]
    other = rng.choice((0, 5))
    body = scan((1, 2, 4, 8), other) + "  %r = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %s4)\n"
    whole = [a if q else other for a, q in zip(x, p, strict=True)]
    expected = [sum(whole[i // 16 * 16 : i + 1]) if p[i] else -1 for i in range(WAVE)]
    assert values(launched(body, x=x, p=p)) == expected
    assert values(launched(body.replace("strict.wwm", "wwm"), x=x, p=p)) == expected


def test_the_lanes_of_the_wave_that_were_not_launched_count() -> None:
    """Lane 15 is not there, and its sum is read all the same."""
    body = scan((1, 2, 4, 8)) + (
        "  %l = call i32 @llvm.amdgcn.readlane.i32(i32 %s4, i32 15)\n"
        "  %r = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %l)\n  ret i32 %r\n"
    )
    text = f'{HEAD}define amdgpu_cs i32 @f(i32 %x) convergent "target-cpu"="gfx1030" {{\n{body}}}\n'
    for threads in (3, 11, 16):
        done = run(parse(text), threads=threads, arguments={"x": list(range(1, threads + 1))})
        assert values(done) == [threads * (threads + 1) // 2] * threads


def test_both_engines_and_machines_agree() -> None:
    body = scan((1, 2)) + "  %r = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %s2)\n  ret i32 %r\n"
    text = f"{HEAD}define amdgpu_cs i32 @f(i32 %x) convergent {{\n{body}}}\n"
    for engine in ("operational", "axiomatic"):
        found = cc.enumerate(parse(text), engine=engine, threads=3, arguments={"x": [1, 2, 4]})
        (outcome,) = found.outcomes
        assert [t.value for t in outcome.outcome.threads] == [1, 3, 7]


def test_what_a_lane_knows_of_itself_and_what_is_uniform() -> None:
    """``%k`` is in a scalar register, so it is the same in all lanes; a lane counts its bits itself."""
    body = (
        "  %c = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 %k)\n"
        "  %d = call i32 @llvm.amdgcn.update.dpp.i32(i32 -7, i32 %c, i32 273, i32 15, i32 15, i1 false)\n"
        "  %r = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %d)\n"
    )
    p = [1, 0, 1, 1] * 8
    done = launched(body, "i32 inreg %k, i1 %p", k=100, p=p)
    assert values(done) == [(-7 if i % 16 == 0 else 100 + i - 1) if p[i] else -1 for i in range(WAVE)]


@pytest.mark.parametrize(
    "inner",
    [
        "  %v = add i32 %x, 0\n",  # an argument in a vector register
        "  %q = alloca i32\n  store i32 %x, ptr %q\n  %v = load i32, ptr %q\n",
    ],
)
def test_what_nobody_can_say_is_named(inner: str) -> None:
    body = inner + (
        "  %d = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %v, i32 273, i32 15, i32 15, i1 false)\n"
        "  %r = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %d)\n"
    )
    p = [1] * WAVE
    x = list(range(WAVE))
    assert values(launched(body, x=x, p=p)) == [i - 1 if i % 16 else 0 for i in range(WAVE)]
    p[31] = 0  # nobody reads the last lane
    assert launched(body, x=x, p=p).ending == Returned()
    p[7] = 0
    ending = launched(body, x=x, p=p).ending
    assert isinstance(ending, Unmodelled) and "take no part" in ending.feature


def test_whole_quads() -> None:
    """Only quads of which a lane takes part compute."""
    body = (
        "  %s = call i32 @llvm.amdgcn.set.inactive.i32(i32 %x, i32 50)\n"
        "  %d = call i32 @llvm.amdgcn.update.dpp.i32(i32 -3, i32 %s, i32 {control}, i32 15, i32 15, i1 0)\n"
        "  %r = call i32 @llvm.amdgcn.strict.wqm.i32(i32 %d)\n"
    )
    p = [1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1] + [0] * 20
    x = list(range(200, 232))
    neighbours = values(launched(body.format(control=0xB1), x=x, p=p))  # the other lane of a pair
    assert [neighbours[i] for i in (0, 8, 9, 11)] == [50, 209, 208, 50]
    shifted = values(launched(body.format(control=0x114), x=x, p=p))  # four lanes below: the quad before
    assert [shifted[i] for i in (0, 8, 9, 11)] == [-3] * 4


def test_votes_of_quads_and_masks_of_quads() -> None:
    body = (
        "  %t = icmp ugt i32 %x, 9\n  %v = call i1 @llvm.amdgcn.wqm.vote(i1 %t)\n"
        "  %w = call i1 @llvm.amdgcn.wqm.i1(i1 %v)\n  %r = zext i1 %w to i32\n"
    )
    x = [0] * WAVE
    x[5], x[8], x[14] = 10, 11, 12
    p = [1] * WAVE
    p[8] = 0
    expected = [int(i // 4 in (1, 3)) for i in range(WAVE)]
    expected[8] = -1
    assert values(launched(body, x=x, p=p)) == expected


def test_who_is_demoted_is_not_modelled() -> None:
    """It would go on, take part in derivatives, and store nothing."""
    text = "define i32 @f(i1 %p) {\n  call void @llvm.amdgcn.wqm.demote(i1 %p)\n  ret i32 1\n}\n"
    assert values(run(parse(text), threads=2, arguments={"p": 1})) == [1, 1]
    ending = run(parse(text), threads=2, arguments={"p": [1, 0]}).ending
    assert isinstance(ending, Unmodelled) and "demote" in ending.feature


@pytest.mark.parametrize("mask", [0, 1, 0x80000000, 0x00310400, 0xFFFFFFFF, 0x12345678])
def test_scalar_operations_on_masks(mask: int) -> None:
    bits = f"{mask:032b}"
    quads = [bits[at : at + 4] for at in range(0, 32, 4)]
    expected = {
        "i32 @llvm.amdgcn.s.wqm.i32": int("".join("1111" if "1" in q else "0000" for q in quads), 2),
        "i32 @llvm.amdgcn.s.quadmask.i32": int("".join("1" if "1" in q else "0" for q in quads), 2),
        "i64 @llvm.amdgcn.s.bitreplicate": int("".join(2 * b for b in bits), 2),
    }
    for name, number in expected.items():
        type_ = name.split()[0]
        text = f"define {type_} @f(i32 %m) convergent {{\n  %r = call {name}(i32 %m)\n  ret {type_} %r\n}}\n"
        done = run(parse(text), threads=1, arguments={"m": mask})
        (got,) = values(done)
        assert isinstance(got, int) and got % (1 << int(type_[1:])) == number, name
