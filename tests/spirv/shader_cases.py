"""What the shaders of the shelf compute, in numpy: their launches, buffers, and results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]
U32, I32, F32 = np.uint32, np.int32, np.float32


@dataclass(frozen=True)
class Case:
    """A launch: ``options``, the buffers by name, and what those hold at the end that are written."""

    options: tuple[str, ...]
    buffers: Arrays
    results: Callable[[], Arrays]
    close: bool = False
    environment: str = field(default="vulkan1.1")


def saxpy() -> Arrays:
    x, y = np.arange(16, dtype=F32), np.linspace(-1, 1, 16, dtype=F32)
    return {"y": np.where(np.arange(16) < 13, F32(2.5) * x + y, y).astype(F32)}


def reduced() -> Arrays:
    return {"dst": np.arange(32, dtype=I32).reshape(2, 16).sum(axis=1).astype(I32)}


M = np.arange(9, dtype=F32).reshape(3, 3) + 1  # columns
K = np.array([[1, 2], [3, 5]], dtype=F32)
UNIFORM = np.zeros(36, dtype=F32)
for _n in range(3):
    UNIFORM[4 * _n : 4 * _n + 3] = M[_n]
    UNIFORM[24 + 4 * _n] = (0.5, 1.5, 2.5)[_n]
for _n in range(2):
    UNIFORM[12 + 4 * _n : 14 + 4 * _n] = K[_n]
UNIFORM[20:23] = (10, 20, 30)


def matrices() -> Arrays:
    rows = []
    m, k = M.T, K.T
    for i in range(4):
        v = np.array([i, i + 1, i + 2], dtype=F32)
        t = m.T @ (m @ v) + v @ m + np.array([10, 20, 30], dtype=F32)
        w = (k @ k) @ v[:2]
        outer = np.outer(w, v[1:])
        rows.append([t[0] + (0.5, 1.5, 2.5)[i % 3], t @ v, outer[0, 1], w[1]])
    return {"o": np.array(rows, dtype=F32).reshape(-1)}


ITEMS = np.array([7, 0] + [w for n in range(4) for w in (n + 2, 0, 0, 0)], dtype=U32)
ITEMS.view(F32)[4::4], ITEMS.view(F32)[5::4] = (1, 0, 1, 5), (2, 0, 9, 5)


def structs() -> Arrays:
    found, items = [], ITEMS.copy()
    for n in range(4):
        kind, b = int(ITEMS[2 + 4 * n]), ITEMS.view(F32)[4 + 4 * n : 6 + 4 * n]
        on, weight = bool(kind & 1), [0.5, 2.0]
        flipped = list(weight)
        flipped[kind % 2] *= 3
        k = kind % 2
        chosen_on, chosen = ((not on), flipped) if k else (on, weight)
        value = chosen[k] if chosen_on else -chosen[1 - k]
        same = b[0] == 1 or b[1] == 2 or n == 2
        found.append(value + (100 if same else 0) + 4 * 1000 + 7)
        items[2 + 4 * n] += 1
    return {"o": np.array(found, dtype=F32), "i": items}


V = np.array([(7 * n * n + 3) % 23 for n in range(32)], dtype=U32)


def histogram() -> Arrays:
    bins = np.bincount(V & 7, minlength=8).astype(U32)
    return {"Out": np.concatenate([bins, [V.max()]]).astype(U32)}


def subgroup() -> Arrays:
    rows = []
    for t in range(16):
        base, lane = t // 8 * 8, t % 8
        group = np.arange(base, base + 8)
        thirds = sum(1 << (g - base) for g in group if g % 3 == 0)
        rows.append([
            group.sum(), np.prod((group[: lane + 1] & 1) + 1), group[:lane].sum(),
            max(g ^ 5 for g in group[lane & ~3 : (lane & ~3) + 4]), thirds, (group > 3).sum(),
            base + (lane ^ 3),
            t ^ 1, t + 1 if lane < 6 else 0 if lane == 6 else 77, base + 2,
            int((group < 8).all()) + 2 * int((group == 9).any()) + 4, base + (lane ^ 3),
            1 << lane | ((1 << lane) - 1) << 8 | (0xFF & ~((1 << lane) - 1)) << 16, 800 + 20 + t // 8,
            int(lane == 0) + 10 * base, 100 - group.max(),
        ])  # fmt: skip
    table = np.array(rows, dtype=np.int64).astype(U32)
    return {"Out": table.reshape(-1)}


def loops() -> Arrays:
    together: dict[tuple[int, int], int] = {}
    visits = []
    for t in range(8):
        own = [(i, j) for i in range(1 + t % 3) for j in range(min(t + 1, 5)) if (j ^ i) % 3 != 1]
        visits.append(own)
        for at in own:
            together[at] = together.get(at, 0) + 1
    found = []
    for t, own in enumerate(visits):
        total = sum(10 * j + together[i, j] for i, j in own)
        x, n = t + 1, 0
        while x != 1:
            if n > 20:
                n = 99
                break
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            n += 1
        found.append(total * 100 + n)
    return {"Out": np.array(found, dtype=U32)}


def switches() -> Arrays:
    def f(x: int) -> int:
        match x % 6:
            case 0:
                return 22
            case 1:
                return 20
            case 2:
                return -2
            case 3 | 4:
                return 2 * sum(range(min(x, 3)))
            case _:
                return 14

    return {"Out": np.array([f(t) + (f(t + 1) << 8) for t in range(12)], dtype=I32)}


REALS = np.array([1.75, -2.5, 0.0, 100.125], dtype=F32)
WHOLE = np.array([0x12345678, -77, 0, -(2**31)], dtype=I32)


def _signed(x: int, bits: int = 32) -> int:
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def numbers() -> Arrays:
    rows, words = [], []
    for x, y in zip(map(float, REALS), map(int, WHOLE), strict=True):
        u = y & 0xFFFFFFFF
        rows.append([
            np.floor(x) + np.ceil(x) * 10, x - np.floor(x), x - 3 * np.floor(x / 3), np.sign(x),
            min(max(x, -1), 1.5), x * 0.75 + 0.5, float(x >= 0.5), np.sqrt(abs(x)), np.sqrt(x * x + 25),
            min(x, 1) - max(x, 2), np.modf(x)[0] + np.modf(x)[1] * 100, np.float16(x) + np.round(x),
        ])  # fmt: skip
        quotient = abs(y) // 3 * (1 if y >= 0 else -1)
        carry, sum_ = divmod(u + 0xFFFFFFF0, 1 << 32)
        field = u >> 4 & 63
        product = u * 0x10001
        top = (u if y >= 0 else ~u & 0xFFFFFFFF).bit_length() - 1
        narrow = _signed(y, 8) + (y & 0xFFFF) + _signed(y * 5 >> 33)
        bits = int(np.array([x], dtype=F32).view(I32)[0])
        words.append([
            quotient, y % 3, y >> 2, u >> 28, _signed(abs(y)), _signed(field, 6), field,
            (u & 31) << 8, bin(u).count("1"), top, (u & -u).bit_length() - 1,
            int(f"{u:032b}"[::-1], 2), sum_ ^ carry, product >> 32, product,
            narrow + (abs(bits) % 7 * (1 if bits >= 0 else -1)),
        ])  # fmt: skip
    ints = np.array([[_signed(w) for w in row] for row in words], dtype=I32)
    return {"Out": np.concatenate([np.array(rows, dtype=F32).view(I32).reshape(-1), ints.reshape(-1)])}


def scanned() -> Arrays:
    return {"u1": np.cumsum(V.reshape(4, 8), axis=1).astype(U32).reshape(-1)}


def grid() -> Arrays:
    found = np.zeros(8 * 4 * 2, dtype=U32)
    for z in range(2):
        for y in range(4):
            for x in range(8):
                local = (z * 2 + y % 2) * 4 + x % 4
                found[(z * 4 + y) * 8 + x] = local + x // 4 * 100 + y // 2 * 1000
    return {"R": found, "u3.space2": np.array([7, 3, 1, 1], dtype=U32)}


BODIES = np.array([[(3 * n) % 5, n, (n * n) % 7, 1 + n % 3, 0, 1, n % 2, 0] for n in range(8)], dtype=F32)


def nbody() -> Arrays:
    out = BODIES.copy()
    at = BODIES[:, :3].astype(np.float64)
    for n in range(8):
        d = at - at[n]
        r = (d * d).sum(axis=1) + 0.25
        pull = (d * (BODIES[:, 3] / (r * np.sqrt(r)))[:, None]).sum(axis=0)
        out[n, 4:7] += pull * 0.5
        out[n, :3] += out[n, 4:7] * 0.5
    return {"o": out.reshape(-1).astype(F32)}


ROWS = np.arange(1, 61, dtype=F32)


def rows() -> Arrays:
    """Offsets by the rules of std430 and std140, done by hand: a row of three takes four words."""
    m = ROWS[:12].reshape(3, 4)[:, :3]
    c = ROWS[12:20].reshape(2, 4)[:, :3].T
    several = ROWS[20:44].reshape(2, 3, 4)
    a, z = ROWS[44:52].reshape(2, 4)[:, :3], ROWS[52]
    found = []
    for n in range(4):
        whole, v = several[n & 1], c @ np.array([n, 1], dtype=F32)
        square = np.array([v, [0, n + 1, 0], [1, 2, n]], dtype=np.float64)
        corner = np.array([whole[:2, 0], whole[[0, 2], 1]], dtype=np.float64)
        found += [*m[:, n % 3], m[(n + 1) % 3, n % 3], whole[2, n], whole[1, 2], v[0], v[2]]
        found += [a[1, 2] + a[0, 0], z, np.linalg.det(square), np.linalg.det(corner)]
    j = np.zeros(48, dtype=F32)
    j[12:24].reshape(3, 4)[:, :2] = [[1, 4], [2, 5], [3, 6]]
    j[:12].reshape(3, 4)[:, 1] = (7, 8, 9)
    j[8] = 5
    j[24:32].reshape(2, 4)[:, :3] = a
    j[32] = z
    j[36:48].reshape(3, 4)[:, :3] = np.linalg.inv(np.array([[2, 0, 1], [0, 4, 0], [1, 0, 1]])).T
    return {"O": np.array(found, dtype=F32), "J": j}


CASES: Mapping[str, Case] = {
    "rows": Case((), {"I": ROWS, "J": np.zeros(48, dtype=F32), "O": np.zeros(48, dtype=F32)}, rows, True),
    "saxpy": Case(
        ("--grid", "2", "--global", "@p={2.5,13}"),
        {"X": np.arange(16, dtype=F32), "Y": np.linspace(-1, 1, 16, dtype=F32)},
        lambda: {"Y": saxpy()["y"]},
        True,
    ),
    "reduce": Case(
        ("--grid", "2"), {"src": np.arange(32, dtype=I32), "dst": np.zeros(2, dtype=I32)}, reduced
    ),
    "matrices": Case((), {"u": UNIFORM, "o": np.zeros(16, dtype=F32)}, matrices, True),
    "structs": Case((), {"i": ITEMS, "o": np.zeros(4, dtype=F32)}, structs),
    "histogram": Case(("--grid", "2"), {"In": V, "Out": np.zeros(10, dtype=U32)}, histogram),
    "subgroup": Case(("--subgroup-size", "8"), {"Out": np.zeros(256, dtype=U32)}, subgroup),
    "loops": Case((), {"Out": np.zeros(8, dtype=U32)}, loops),
    "switches": Case((), {"Out": np.zeros(12, dtype=I32)}, switches),
    "numbers": Case(
        (),
        {"In": np.concatenate([REALS.view(I32), WHOLE]), "Out": np.zeros(48 + 64, dtype=I32)},
        numbers,
    ),
    "scan": Case(("--grid", "4"), {"u0": V, "u1": np.zeros(32, dtype=U32)}, scanned),
    "grid": Case(
        ("--grid", "2,2,1"),
        {"R": np.zeros(64, dtype=U32), "u3.space2": np.zeros(4, dtype=U32)},
        grid,
    ),
    "nbody": Case(
        ("--grid", "2"),
        {"i": BODIES.reshape(-1), "o": np.zeros(64, dtype=F32)},
        nbody,
        True,
    ),
}
