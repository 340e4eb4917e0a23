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
    return {"u0[1]": np.cumsum(V.reshape(4, 8), axis=1).astype(U32).reshape(-1)}


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


WORDS = np.array([3, 1, 0, 7, 2, 9, 4, 5, 6, 11, 1, 0, 3, 8, 2, 2], dtype=U32)
COUNT8 = ("--subgroup-size", "8")


def arrays() -> Arrays:
    several = [
        np.array(row, dtype=U32)
        for row in ([3, 1, 2, 3, 0, 0, 0, 0], [4, 1, 2, 3, 4, 0, 0, 0], [2, 7, 9, 0, 0, 0, 0, 0])
    ]
    pair = np.arange(16, dtype=U32).reshape(2, 8)
    out = []
    for t in range(8):
        total = 0
        for i in range(3):
            n, *d = several[(i + t) % 3]
            total += int(d[t % n]) * (i + 1)
        out.append(total + int(pair[t & 1][(t >> 1 & 1) * 4 + (t & 3)]) + 7000)
    written = [row.copy() for row in several]
    for t in range(8):
        written[t % 3][5 + t // 3] = t
    return {"O": np.array(out, dtype=U32), **{f"u0[{n}]": row for n, row in enumerate(written)}}


def leaving() -> Arrays:
    """Threads of a subgroup in step: who returned takes no part any more."""
    out = np.zeros(16, dtype=np.int64)
    for first in (0, 8):
        lanes = list(range(first, first + 8))
        acc, kept = dict.fromkeys(lanes, 0), {t: [0, 0] for t in lanes}
        for i in range(6):
            for t in [t for t in lanes if WORDS[t] == i]:
                out[t] = acc[t]
                lanes.remove(t)
            k = {t: (int(WORDS[t]) + i) % 7 for t in lanes}
            large = [t for t in lanes if k[t] > 4]
            for t in lanes:
                if t in large:
                    kept[t][k[t] & 1] += k[t]
                    acc[t] += sum(k[u] for u in large)
                elif k[t] < 3:
                    acc[t] += 101 * k[t]
                else:
                    acc[t] += 7
            for t in [t for t in lanes if (int(WORDS[t]) + i) % 9 == 4]:
                out[t] = acc[t] | 0x80000000
                lanes.remove(t)
        for t in lanes:
            out[t] = acc[t] + kept[t][0] * 1000 + kept[t][1] * 10000 + len(lanes) * 1000000
    return {"O": out.astype(U32)}


MIXED = np.dtype([("a", "i1"), ("_", "u1"), ("b", "<u2"), ("c", "i1", 3), ("__", "u1"), ("h", "<f2"),
                  ("___", "u2"), ("w", "<u2", 2)])  # fmt: skip
NARROW = np.zeros(8, dtype=MIXED)
NARROW["a"], NARROW["b"] = [(n * 37) % 256 - 128 for n in range(8)], [n * 9001 for n in range(8)]
NARROW["c"] = [[n * 11 - 40, 5 - n, 100 - n * 29] for n in range(8)]
NARROW["h"], NARROW["w"] = np.linspace(-3, 4, 8), [[n, 65535 - n * 700] for n in range(8)]


def narrow() -> Arrays:
    q = NARROW
    s = (q["a"].astype(np.int64) * 3 + 128) % 256 - 128
    u = (q["b"].astype(np.int64) + q["w"][:, 1]) % 65536
    wide = q["c"].astype(np.int64)
    o = (s * u << 20) - wide[:, 0] * wide[:, 2] + np.trunc(q["h"].astype(F32) * 8).astype(np.int64)
    p = np.concatenate([u >> 3, wide[:, 1]]).astype(np.uint8)
    after = q.copy()
    after["w"][:, 0], after["w"][:, 1], after["h"] = u, np.arange(8), q["h"] * np.float16(2)
    after["c"][:, 1] = s
    return {"O": o, "P": p, "I": after.view(np.uint8)}


def specialized() -> Arrays:
    n, f, m = 5, 0.5, 24
    out = [4 - sum(f * ((i + t) % n) * m * i for i in range(n)) for t in range(8)]
    return {"O": np.array(out, dtype=F32)}


PUSHED = np.array([1, 0.5, -2, 0.25, 3, -1, 7, 0], dtype=F32)
PUSHED.view(I32)[7] = 3


def pushed() -> Arrays:
    m, out = PUSHED[:4].reshape(2, 2).T, []
    for t in range(4):
        x = np.array([t, 1], dtype=F32)
        for _ in range(3):
            x = m @ x + PUSHED[4:6]
        d = x.astype(np.float64) / 3
        packed = float(np.array([0x3FF0000000000000 + t], dtype=np.uint64).view(np.float64)[0])
        out += [d[0] * d[0] - np.sqrt(abs(d[1])), d[0] * d[0] - d[1] * d[1] + packed + 7]
    return {"O": np.array(out, dtype=np.float64)}


KEYS = np.array([3, 1, 3, 7, 1, 3, 2, 7], dtype=U32)


def ranks() -> Arrays:
    r = np.zeros(8, dtype=U32)
    keys = [int(k) for k in KEYS]
    order = list(dict.fromkeys(keys))
    for t, key in enumerate(keys):
        r[t] = keys.count(key) * 10000 + keys[:t].count(key) * 100 + order.index(key) + 1
    kept = [key for key in keys if key % 2 == 1]
    out = np.zeros(9, dtype=U32)
    out[0], out[1 : 1 + len(kept)] = len(kept), kept
    return {"R": r, "O": out}


def waves() -> Arrays:
    s, out = np.zeros(16, dtype=np.int64), np.zeros(16, dtype=U32)
    for first in (0, 8):
        lanes, i = list(range(first, first + 8)), 0
        while lanes := [t for t in lanes if i < WORDS[t] % 4 + 1]:
            for t in lanes:
                s[t] += sum(int(WORDS[u]) + i for u in lanes)
            if any(s[t] > 150 for t in lanes):
                break
            for t in lanes:
                s[t] ^= max(int(WORDS[u]) for u in lanes) << 4
            i += 1
        out[first : first + 8] = s[first : first + 8] + 1000 * (WORDS[first : first + 8] > 4).sum()
    return {"Out": out}


LEFT, RIGHT = (np.array([(7 * n * n + k) % 11 - 5 for n in range(64)], dtype=F32) for k in (0, 3))
PARTICLES = np.array([[n, 2 - n, n * n % 5, n % 5, 1 + n, -n, 0, 0] for n in range(8)], dtype=F32)
PARTICLES[:, 3] = np.array([n % 5 for n in range(8)], dtype=U32).view(F32)


def particles() -> Arrays:
    after = PARTICLES.copy()
    for p in after:
        kind = int(p[3:4].view(U32)[0])
        moved, d = kind, 0.0
        if kind:
            p[:2] += p[4:6] * F32(0.5)
            if kind == 1:
                p[2] += 1
            elif kind == 2:
                p[2] *= 2
            else:
                p[2] -= F32(0.5)
                moved += 10
            d = -1.0 if kind == 2 else float(p[:3] @ np.array([1, 2, 3], dtype=F32))
        p[4] = d
        p[3:4] = np.array([moved], dtype=U32).view(F32)
    return {"P": after.reshape(-1).view(U32)}


def lanes() -> Arrays:
    out = []
    for first in (0, 8):
        x = [int(w) for w in WORDS[first : first + 8]]
        on = [t for t in range(8) if x[t] % 3]
        ballot = sum(1 << t for t in range(8) if t not in on and x[t] > 6)
        for t in range(8):
            r = x[(t + 3) % 8]
            if t in on:
                before = on[: on.index(t)]
                r += 100 * sum(x[u] % 2 == 0 for u in before) + 1000 * min(x[u] for u in on)
                r += (not before) * 1000000 + 10000000 * on[0]
            else:
                r += ballot << 16
            out.append(r)
    return {"Out": np.array(out, dtype=U32)}


BLOCK = np.zeros(32, dtype=F32)
BLOCK[:16], BLOCK[16:19], BLOCK[20:32:4] = [n % 5 - 1.5 for n in range(16)], (1, 2, -3), (0.5, 1.5, 2.5)
BLOCK.view(U32)[19] = 2


def constants() -> Arrays:
    out = []
    for n in range(4):
        x, total = np.array([1, 2, -3, n], dtype=F32), F32(0)
        for _ in range(2):
            total += x[0]
            x = BLOCK[:16].reshape(4, 4).T @ x * F32(0.5)
        out.append(x[1] + (0.5, 1.5, 2.5)[n % 3] + total)
    return {"u1": np.array(out, dtype=F32)}


SIGNED = np.array([-148, -37, -1, 0, 5, 63, 111, 1000], dtype=I32)


def scalars() -> Arrays:
    rows = []
    for n, x in enumerate(map(int, SIGNED)):
        u = int(np.array([x * 0.25], dtype=F32).view(U32)[0])
        c = (
            bin(u).count("1")
            + ((abs(x) + 1).bit_length() - 1) * 100
            + (int(f"{u:032b}"[::-1], 2) >> 28) * 10000
        )
        d = (x >> 2 & 0xFFFFFFFF) ^ ((x & 0xFFFFFFFF) << n & 0xFFFFFFFF)
        rows.append([c + (x < 0) * (1 << 30), d + max(min(x, 50), -50) + 60])
    return {"Out": np.array(rows, dtype=np.int64).astype(U32).reshape(-1)}


def rounds() -> Arrays:
    x, r = [int(w) for w in WORDS[:8]], [0] * 8
    for i in range(5):
        skip = [t for t in range(8) if (x[t] + i) % 3 == 0]
        most = max((x[t] + i for t in range(8) if t not in skip), default=0)
        r = [r[t] + len(skip) if t in skip else r[t] * 3 + most for t in range(8)]
    return {"Out": np.array(r, dtype=U32)}


def branches() -> Arrays:
    out = []
    for first in (0, 8):
        x = [int(w) for w in WORDS[first : first + 8]]
        large = [t for t in range(8) if x[t] > 5]
        most = max(w for w in x if w <= 5)
        for t in range(8):
            own = 100 * len(large) + (t == large[0]) * 5000 if t in large else 10000 * most
            out.append(x[3] + own)
    return {"Out": np.array(out, dtype=U32)}


CURVE = np.array([1.75, -2.5, 0.25, 100.125, -0.5, 3, -7.25, 0.875], dtype=F32)


def curve() -> Arrays:
    a = CURVE.astype(np.float64)
    v = np.stack([a, a * a, 1 - a])
    t = a - np.floor(a)
    found = (v * v[::-1]).sum(axis=0) * t + np.sqrt((v * v).sum(axis=0)) - np.clip(v[1], -1, 1)
    found += np.maximum(np.floor(a), np.sqrt(abs(a))) + a * 0.75 + 0.5
    return {"Out": (found + np.where(a > 0, 1 / a, -1)).astype(F32)}


def collatz() -> Arrays:
    def steps(x: int) -> int:
        for i in range(20):
            if x == 1:
                return i
            x = 3 * x + 1 if x & 1 else x // 2
        return -1

    out = []
    for x in map(int, WORDS[:8]):
        s = sum(i * j + x for i in range(1, 4) for j in range(min(i, x % 3)))
        out.append(steps(x + 1) * 1000 + s)
    return {"Out": np.array(out, dtype=I32)}


_IO = {"In": WORDS, "Out": np.zeros(16, dtype=U32)}
_HALF = {"In": WORDS[:8], "Out": np.zeros(8, dtype=U32)}
CASES: Mapping[str, Case] = {
    "arrays": Case(
        (),
        {
            "several[0]": np.array([3, 1, 2, 3, 0, 0, 0, 0], dtype=U32),
            "0:0[1]": np.array([4, 1, 2, 3, 4, 0, 0, 0], dtype=U32),
            "u0[2]": np.array([2, 7, 9, 0, 0, 0, 0, 0], dtype=U32),
            "O": np.zeros(8, dtype=U32),
            **{f"b2[{n}]": np.arange(8 * n, 8 * n + 8, dtype=U32) for n in range(2)},
        },
        arrays,
    ),
    "leaving": Case(COUNT8, {"I": WORDS, "O": np.zeros(16, dtype=U32)}, leaving),
    "narrow": Case(
        (),
        {"I": NARROW.view(np.uint8), "O": np.zeros(8, dtype=np.int64), "P": np.zeros(16, dtype=np.uint8)},
        narrow,
    ),
    "specialized": Case(
        ("--spec", "0=4", "--spec", "N=5", "--spec", "F=0.5", "--spec", "B=false"),
        {"O": np.zeros(8, dtype=F32)},
        specialized,
        True,
    ),
    "pushed": Case((), {"@pc": PUSHED.view(np.uint8), "O": np.zeros(8, dtype=np.float64)}, pushed, True),
    "ranks": Case((), {"I": KEYS, "O": np.zeros(9, dtype=U32), "R": np.zeros(8, dtype=U32)}, ranks),
    "waves": Case(COUNT8, _IO, waves),
    "lanes": Case(COUNT8, _IO, lanes),
    "branches": Case(COUNT8, _IO, branches),
    "tiles": Case(
        ("--grid", "2,2"),
        {"A": LEFT, "B": RIGHT, "C": np.zeros(64, dtype=F32)},
        lambda: {"C": (LEFT.reshape(8, 8) @ RIGHT.reshape(8, 8)).reshape(-1)},
    ),
    "atomics": Case(
        ("--grid", "2"),
        {"In": np.concatenate([WORDS, WORDS + 5]), "Bins": np.zeros(5, dtype=U32)},
        lambda: {
            "Bins": np.array(
                [sum(int(w) for v in (WORDS, WORDS + 5) for w in v if w % 4 == n) for n in range(4)] + [16],
                dtype=U32,
            )
        },
    ),
    "particles": Case((), {"P": PARTICLES.reshape(-1).view(U32)}, particles),
    "constants": Case((), {"b0": BLOCK, "u1": np.zeros(4, dtype=F32)}, constants, True),
    "scalars": Case((), {"In": SIGNED, "Out": np.zeros(16, dtype=U32)}, scalars),
    "rounds": Case((), _HALF, rounds),
    "halves": Case(("--grid", "1"), _IO, lambda: {"Out": np.array([WORDS.sum(), *[0] * 15], dtype=U32)}),
    "curve": Case((), {"In": CURVE, "Out": np.zeros(8, dtype=F32)}, curve, True),
    "collatz": Case((), {"In": WORDS[:8].view(I32), "Out": np.zeros(8, dtype=I32)}, collatz),
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
    "scan": Case(("--grid", "4"), {"b[0]": V, "b[1]": np.zeros(32, dtype=U32)}, scanned),
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
