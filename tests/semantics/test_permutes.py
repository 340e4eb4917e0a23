"""AMDGPU's moves between lanes, against tables written as lists of a wave's registers.

The oracle takes a row apart and puts it together again, as the pictures in AMD's documents do; it computes
no lane numbers. Which lanes take part is drawn.

covers: semantics.operations.amdgcn
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest

from convergence.frozen import Json
from convergence.parser import parse
from convergence.semantics import Returned, Unmodelled
from convergence.semantics.machine.run import run

Row = list[int | None]
"""Lane numbers; ``None`` where nothing is read."""


def by_rows(change: Callable[[Row], Row], lanes: int = 64, size: int = 16) -> Row:
    """Each row of so many lanes, changed."""
    wave: Row = list(range(lanes))
    return [x for at in range(0, lanes, size) for x in change(wave[at : at + size])]


CONTROLS: dict[int, Row] = {
    0x1B: by_rows(lambda q: q[::-1], size=4),
    0x4E: by_rows(lambda q: q[2:] + q[:2], size=4),
    0x55: by_rows(lambda q: [q[1]] * 4, size=4),
    0x101: by_rows(lambda r: [*r[1:], None]),
    0x10F: by_rows(lambda r: [r[15], *[None] * 15]),
    0x111: by_rows(lambda r: [None, *r[:-1]]),
    0x118: by_rows(lambda r: [*[None] * 8, *r[:8]]),
    0x121: by_rows(lambda r: [r[-1], *r[:-1]]),
    0x12C: by_rows(lambda r: r[-12:] + r[:-12]),
    0x130: [*range(1, 64), None],
    0x134: [*range(1, 64), 0],
    0x138: [None, *range(63)],
    0x13C: [63, *range(63)],
    0x140: by_rows(lambda r: r[::-1]),
    0x141: by_rows(lambda h: h[::-1], size=8),
    0x142: [*[None] * 16, *[15] * 16, *[31] * 16, *[47] * 16],
    0x143: [*[None] * 32, *[31] * 32],
    0x150: by_rows(lambda r: [r[0]] * 16),
    0x157: by_rows(lambda r: [r[7]] * 16),
    0x161: by_rows(lambda p: [p[1], p[0]], size=2),
    0x168: by_rows(lambda r: r[8:] + r[:8]),
}
INACTIVE = "inactive"


def results(call: str, values: Sequence[int], active: Sequence[bool], result: str = "i32") -> list[Json]:
    """What each of 64 lanes gets from a call; ``INACTIVE`` for those that take no part."""
    zero = "zeroinitializer"
    body = (
        f"  br i1 %p, label %a, label %b\na:\n  %r = call {result} {call}\n  ret {result} %r\n"
        f"b:\n  ret {result} {zero}\n"
    )
    text = f'define {result} @f(i32 %x, i32 %y, i1 %p) convergent "target-cpu"="gfx90a" {{\n{body}}}\n'
    given = {"x": list(values), "y": [100 + lane for lane in range(64)], "p": [int(a) for a in active]}
    done = run(parse('target triple = "amdgcn-amd-amdhsa"\n' + text), threads=64, arguments=given)
    assert done.ending == Returned(), done.ending
    assert done.stand_ins == ()
    return [t.value if a else INACTIVE for t, a in zip(done.outcome.threads, active, strict=True)]


def drawn(seed: int) -> tuple[list[int], list[bool]]:
    rng = random.Random(seed)
    return [rng.randrange(1 << 20) for _ in range(64)], [rng.random() < 0.8 for _ in range(63)] + [True]


@pytest.mark.parametrize("control", CONTROLS)
def test_dpp(control: int) -> None:
    values, active = drawn(control)
    bound, rows, banks = control & 1, 0xF ^ (control >> 3 & 4), 0xF ^ (control >> 1 & 8)
    call = f"@llvm.amdgcn.update.dpp.i32(i32 %y, i32 %x, i32 {control}, i32 {rows}, i32 {banks}, i1 {bound})"
    expected: list[Json] = []
    for lane, read in enumerate(CONTROLS[control]):
        old = 100 + lane
        writes = f"{rows:04b}"[3 - lane // 16] == "1" and f"{banks:04b}"[3 - lane % 16 // 4] == "1"
        missing = 0 if bound else old
        got = missing if read is None or not active[read] else values[read]
        expected.append((got if writes else old) if active[lane] else INACTIVE)
    assert results(call, values, active) == expected


def test_the_older_dpp_has_no_old_value() -> None:
    values, active = drawn(1)
    got = results("@llvm.amdgcn.mov.dpp.i32(i32 %x, i32 273, i32 15, i32 15, i1 false)", values, active)
    first_of_rows = [got[lane] for lane in range(0, 64, 16) if active[lane]]
    assert set(first_of_rows) == {"poison"}
    zeros = results("@llvm.amdgcn.mov.dpp.i32(i32 %x, i32 273, i32 15, i32 15, i1 true)", values, active)
    assert {zeros[lane] for lane in range(0, 64, 16) if active[lane]} == {0}


def test_a_control_that_no_target_has_is_named() -> None:
    text = (
        "define i32 @f(i32 %x) convergent {\n"
        "  %r = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %x, i32 256, i32 15, i32 15, i1 false)\n"
        "  ret i32 %r\n}\n"
    )
    ending = run(parse(text), threads=2, arguments={"x": 1}).ending
    assert isinstance(ending, Unmodelled) and "0x100" in ending.feature


def test_dpp8() -> None:
    places = [6, 3, 3, 0, 7, 1, 4, 5]
    selectors = sum(place << 3 * at for at, place in enumerate(places))
    values, active = drawn(8)
    read = by_rows(lambda r: [r[p] for p in places], size=8)
    expected = [
        (values[r] if r is not None and active[r] else 0) if active[lane] else INACTIVE
        for lane, r in enumerate(read)
    ]
    assert results(f"@llvm.amdgcn.mov.dpp8.i32(i32 %x, i32 {selectors})", values, active) == expected


@pytest.mark.parametrize("other", [False, True])
@pytest.mark.parametrize(("fetch", "bound"), [(0, 0), (0, 1), (1, 0)])
def test_permlane(other: bool, fetch: int, bound: int) -> None:
    places = [3, 3, 15, 0, 7, 12, 9, 1, 2, 2, 14, 5, 6, 11, 8, 10]
    low, high = (sum(p << 4 * at for at, p in enumerate(half)) for half in (places[:8], places[8:]))
    values, active = drawn(fetch * 2 + bound)
    read = by_rows(lambda pair: [pair[16 + p] for p in places] + [pair[p] for p in places], size=32)
    if not other:
        read = by_rows(lambda r: [r[p] for p in places])
    name = f"llvm.amdgcn.permlane{'x' if other else ''}16"
    call = f"@{name}.i32(i32 %y, i32 %x, i32 {low}, i32 {high}, i1 {fetch}, i1 {bound})"
    expected: list[Json] = []
    for lane, r in enumerate(read):
        missing: Json = "poison" if fetch else 0 if bound else 100 + lane
        got = values[r] if r is not None and active[r] else missing
        expected.append(got if active[lane] else INACTIVE)
    assert results(call, values, active) == expected
    # the form with a selector of its own for each lane
    own = f"@{name}.var(i32 7, i32 %y, i32 %x, i1 {fetch}, i1 {bound})"
    chosen = [rng.randrange(1 << 20) for rng in [random.Random(5)] for _ in range(64)]
    got_own = results(own, chosen, active)
    for lane in range(64):
        row = lane // 16 * 16
        at = (row ^ 16 if other else row) + chosen[lane] % 16
        absent: Json = "poison" if fetch else 0 if bound else 7
        if active[lane]:
            assert got_own[lane] == (100 + at if active[at] else absent)


@pytest.mark.parametrize("rows", [1, 2])
def test_swaps(rows: int) -> None:
    values = list(range(1000, 1064))
    other = [100 + lane for lane in range(64)]
    call = f"@llvm.amdgcn.permlane{16 * rows}.swap(i32 %x, i32 %y, i1 false, i1 false)"
    first, second = [values[at : at + 16] for at in range(0, 64, 16)], [
        other[at : at + 16] for at in range(0, 64, 16)
    ]  # fmt: skip
    for low, high in ((0, 1), (2, 3)) if rows == 1 else ((0, 2), (1, 3)):
        first[high], second[low] = second[low], first[high]
    expected = [[a, b] for r, s in zip(first, second, strict=True) for a, b in zip(r, s, strict=True)]
    assert results(call, values, [True] * 64, "{ i32, i32 }") == expected
    # a partner that takes no part: lane 16 (lane 32) gives its old value away to nobody
    active = [lane != 16 * rows for lane in range(64)]
    flags = ["i1 false, i1 false", "i1 false, i1 true", "i1 true, i1 false"]
    got = [results(call.replace("i1 false, i1 false", f), values, active, "{ i32, i32 }")[0] for f in flags]
    assert got == [[1000, 100], [1000, 0], [1000, "poison"]]


def test_halves_change_places() -> None:
    values, active = drawn(64)
    turned = [*range(32, 64), *range(32)]
    expected = [
        (values[r] if active[r] else "poison") if active[lane] else INACTIVE for lane, r in enumerate(turned)
    ]
    assert results("@llvm.amdgcn.permlane64.i32(i32 %x)", values, active) == expected
    text = (
        'target triple = "amdgcn--"\ndefine i32 @f(i32 %x) convergent "target-cpu"="gfx1100" {\n'
        "  %r = call i32 @llvm.amdgcn.permlane64.i32(i32 %x)\n  ret i32 %r\n}\n"
    )
    narrow = run(parse(text), threads=3, arguments={"x": [5, 6, 7]})
    assert [t.value for t in narrow.outcome.threads] == [5, 6, 7]


SWIZZLES: dict[int, Row] = {
    0x8000 | 0x1B: by_rows(lambda q: q[::-1], size=4),
    0x8000 | 0xAA: by_rows(lambda q: [q[2]] * 4, size=4),
    0x401F: by_rows(lambda r: r[16:] + r[:16], size=32),  # SWAP,16
    0x7C1F: by_rows(lambda r: r[::-1], size=32),  # REVERSE,32
    0x0018: by_rows(lambda r: [r[0]] * 8, size=8),  # BROADCAST,8,0
    0x00B8: by_rows(lambda r: [r[5]] * 8, size=8),  # BROADCAST,8,5
    0xC000 | 3 << 5: by_rows(lambda r: r[3:] + r[:3], size=32),  # rotate by 3
    0xC400 | 3 << 5: by_rows(lambda r: r[-3:] + r[:-3], size=32),  # the other way
    0xE000: by_rows(
        lambda r: [
            r[16 * (i & 1) + 8 * (i >> 1 & 1) + 4 * (i >> 2 & 1) + 2 * (i >> 3 & 1) + (i >> 4)]
            for i in range(32)
        ],
        size=32,
    ),
    0xE01F: list(range(64)),
}


@pytest.mark.parametrize("pattern", SWIZZLES)
def test_swizzle(pattern: int) -> None:
    values, active = drawn(pattern)
    expected = [
        (values[r] if r is not None and active[r] else 0) if active[lane] else INACTIVE
        for lane, r in enumerate(SWIZZLES[pattern])
    ]
    assert results(f"@llvm.amdgcn.ds.swizzle(i32 %x, i32 {pattern})", values, active) == expected


@pytest.mark.parametrize("seed", range(3))
def test_permutes_through_local_memory(seed: int) -> None:
    """Addresses are bytes, four to a lane, and wrap; reading is a gather, writing a scatter in lane order."""
    rng = random.Random(seed)
    addresses, active = [rng.randrange(600) for _ in range(64)], drawn(seed)[1]
    own = [100 + lane for lane in range(64)]
    board: dict[int, int] = {}
    for lane in range(64):
        if active[lane]:
            board[addresses[lane] // 4 % 64] = own[lane]
    scattered = [board.get(lane, 0) if active[lane] else INACTIVE for lane in range(64)]
    assert results("@llvm.amdgcn.ds.permute(i32 %x, i32 %y)", addresses, active) == scattered
    reads = [a // 4 % 64 for a in addresses]
    for name, absent in (("ds.bpermute", "poison"), ("ds.bpermute.fi.b32", "poison")):
        gathered = [
            (own[r] if active[r] else absent) if active[lane] else INACTIVE for lane, r in enumerate(reads)
        ]
        assert results(f"@llvm.amdgcn.{name}(i32 %x, i32 %y)", addresses, active) == gathered


@pytest.mark.parametrize("type_", ["i64", "float", "<2 x i16>", "double"])
def test_values_move_whole(type_: str) -> None:
    text = (
        f"define {type_} @f({type_} %x) convergent {{\n"
        f"  %r = call {type_} @llvm.amdgcn.update.dpp.t({type_} %x, {type_} %x, i32 177,"
        " i32 15, i32 15, i1 1)\n"
        f"  ret {type_} %r\n}}\n"
    )
    suffix = {"<2 x i16>": "v2i16", "float": "f32", "double": "f64"}.get(type_, type_)
    given = {"<2 x i16>": [[1, 2], [3, 4]]}.get(type_, [1, 2])
    done = run(parse(text.replace("dpp.t", "dpp." + suffix)), threads=2, arguments={"x": given})
    assert done.ending == Returned()
    assert [t.value for t in done.outcome.threads] == given[::-1]
