"""What the kernels of examples_ll/kernels/ compute, by numpy alone: the package is not asked.

Every case is a launch, what its buffers hold at first, and what they hold in the end. Numbers are whole, or
fractions of few bits, so that sums of floats are the same in each order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
WAVE = 32
"""Lanes of a wave of HIP's and CUDA's targets here."""


@dataclass(frozen=True)
class Case:
    """A launch of one kernel.

    ``grid`` counts workgroups and ``workgroup`` their threads, x first; ``subgroup`` is lanes, where it
    matters. ``buffers`` are named as the parameters of the OpenCL, HIP and CUDA sources; ``arguments`` are
    numbers, ``tiles`` workgroup memory that is a parameter. ``unordered`` buffers may hold their elements in
    any order.
    """

    grid: tuple[int, ...]
    workgroup: tuple[int, ...]
    buffers: dict[str, Array]
    expected: dict[str, Array]
    arguments: dict[str, int] = field(default_factory=dict)
    tiles: dict[str, Array] = field(default_factory=dict)
    subgroup: int | None = None
    unordered: frozenset[str] = frozenset()

    def agrees(self, name: str, values: Array) -> bool:
        """Whether a buffer holds what numpy says."""
        wanted = self.expected[name]
        assert values.dtype == wanted.dtype, name
        if name in self.unordered:
            return bool(np.array_equal(np.sort(values.ravel()), np.sort(wanted.ravel())))
        return bool(np.array_equal(values.ravel(), wanted.ravel()))


Random = np.random.Generator
Make = Callable[[Random, int, int], Case]
"""From a source of numbers, how many workgroups, and how many threads each has."""


def whole(random: Random, size: int, low: int = -50, high: int = 50) -> Array:
    return random.integers(low, high, size, dtype=np.int32)


def quarters(random: Random, size: int) -> Array:
    return (random.integers(-64, 64, size) / 4).astype(np.float32)


def rows(values: Array, size: int) -> Array:
    return values.reshape(-1, size)


def reduction(random: Random, groups: int, size: int) -> Case:
    values = whole(random, groups * size)
    return Case(
        (groups,),
        (size,),
        {"in": values, "out": np.zeros(groups, np.int32)},
        {"out": rows(values, size).sum(axis=1, dtype=np.int32)},
        tiles={"tile": np.zeros(size, np.int32)},
    )


def scan(random: Random, groups: int, size: int) -> Case:
    values = whole(random, groups * size)
    return Case(
        (groups,),
        (size,),
        {"in": values, "out": np.zeros_like(values)},
        {"out": np.cumsum(rows(values, size), axis=1, dtype=np.int32).ravel()},
        tiles={"tile": np.zeros(size, np.int32)},
    )


def exclusive_scan(random: Random, groups: int, size: int) -> Case:
    case = scan(random, groups, size)
    return Case(
        case.grid,
        case.workgroup,
        case.buffers,
        {"out": case.expected["out"] - case.buffers["in"]},
    )


def histogram(random: Random, groups: int, size: int) -> Case:
    values = random.integers(0, 256, groups * size, dtype=np.uint8)
    counts = whole(random, 8, 0, 5)
    return Case(
        (groups,),
        (size,),
        {"in": values, "counts": counts},
        {"counts": counts + np.bincount(values % 8, minlength=8).astype(np.int32)},
    )


def long_histogram(random: Random, groups: int, size: int) -> Case:
    """More values than threads."""
    case = histogram(random, 3 * groups, size)
    values = case.buffers["in"]
    return Case((groups,), (size,), case.buffers, case.expected, arguments={"size": len(values)})


def voted_histogram(random: Random, groups: int, size: int) -> Case:
    values = random.integers(0, 256, groups * size, dtype=np.uint32)
    counts = [np.bincount(row % 8, minlength=8) for row in rows(values, size)]
    return Case(
        (groups,),
        (size,),
        {"in": values, "counts": np.zeros(8 * groups, np.uint32)},
        {"counts": np.concatenate(counts).astype(np.uint32)},
        subgroup=size,
    )


def compaction(random: Random, groups: int, size: int) -> Case:
    values = whole(random, groups * size) * random.integers(0, 2, groups * size, dtype=np.int32)
    kept = values[values != 0]
    out = np.zeros_like(values)
    out[: len(kept)] = kept
    return Case(
        (groups,),
        (size,),
        {"in": values, "out": np.zeros_like(values), "size": np.zeros(1, np.int32)},
        {"out": out, "size": np.array([len(kept)], np.int32)},
        subgroup=size,
        unordered=frozenset({"out"} if groups > 1 else ()),
    )


def unsigned_compaction(random: Random, groups: int, size: int) -> Case:
    case = compaction(random, groups, size)
    return Case(
        case.grid,
        case.workgroup,
        {**case.buffers, "size": np.zeros(1, np.uint32)},
        {**case.expected, "size": case.expected["size"].astype(np.uint32)},
        subgroup=size,
    )


def _in_every_lane(values: Array, size: int, of_a_row: Callable[[Array], Any]) -> Array:
    return np.concatenate([np.full(size, of_a_row(row), values.dtype) for row in rows(values, size)])


def butterfly(random: Random, groups: int, size: int) -> Case:
    values = whole(random, groups * size)
    return Case(
        (groups,),
        (size,),
        {"in": values, "out": np.zeros_like(values)},
        {"out": _in_every_lane(values, size, np.sum)},
        subgroup=size,
    )


def largest(random: Random, groups: int, size: int) -> Case:
    """Waves of 32 lanes, whatever the size of a workgroup."""
    values = whole(random, groups * size)
    return Case(
        (groups,),
        (size,),
        {"in": values, "out": np.zeros_like(values)},
        {"out": _in_every_lane(values, WAVE, np.max)},
    )


def float_butterfly(random: Random, groups: int, size: int) -> Case:
    values = quarters(random, groups * size)
    return Case(
        (groups,),
        (size,),
        {"in": values, "out": np.zeros_like(values)},
        {"out": _in_every_lane(values, WAVE, np.sum)},
    )


def _sorted(values: Array, groups: int, size: int) -> Case:
    return Case(
        (groups,),
        (size,),
        {"data": values},
        {"data": np.sort(rows(values, size), axis=1).ravel()},
        tiles={"tile": np.zeros(size, values.dtype)},
    )


def bitonic(random: Random, groups: int, size: int) -> Case:
    return _sorted(whole(random, groups * size), groups, size)


def float_bitonic(random: Random, groups: int, size: int) -> Case:
    return _sorted(quarters(random, groups * size), groups, size)


def unsigned_bitonic(random: Random, groups: int, size: int) -> Case:
    return _sorted(random.integers(0, 2**32, groups * size, dtype=np.uint32), groups, size)


def matmul(random: Random, groups: int, size: int) -> Case:
    """Square matrices of ``groups`` by ``groups`` tiles, of ``size`` threads each."""
    tile = int(np.sqrt(size))
    n = groups * tile
    a, b = quarters(random, n * n), quarters(random, n * n)
    product = a.reshape(n, n).astype(np.float64) @ b.reshape(n, n)
    return Case(
        (groups, groups),
        (tile, tile),
        {"a": a, "b": b, "c": np.zeros(n * n, np.float32)},
        {"c": product.astype(np.float32).ravel()},
        arguments={"n": n},
    )


LENGTH = 16
"""How far a ray goes."""


def raymarch(random: Random, groups: int, size: int) -> Case:
    return _raymarch(random, groups, size, size, np.int32)


def raymarch_by_waves(random: Random, groups: int, size: int) -> Case:
    return _raymarch(random, groups, size, WAVE, np.int32)


def unsigned_raymarch(random: Random, groups: int, size: int) -> Case:
    return _raymarch(random, groups, size, size, np.uint32)


def _raymarch(random: Random, groups: int, size: int, wave: int, count: Any) -> Case:
    rays = groups * size
    free = (random.integers(0, 16, (rays, LENGTH)) / 4).astype(np.float32)
    free[:, :2] += np.float32(0.5)
    depth = np.zeros(rays, np.float32)
    steps = np.zeros(rays, np.int64)
    for ray in range(rays):
        while depth[ray] < LENGTH and free[ray, int(depth[ray])] >= 0.25:
            depth[ray] += free[ray, int(depth[ray])]
            steps[ray] += 1
    together = [[(row >= s).sum() if s else 0 for s in row] for row in rows(steps, min(wave, size))]
    return Case(
        (groups,),
        (size,),
        {
            "distances": free.ravel(),
            "depth": np.zeros(rays, np.float32),
            "together": np.zeros(rays, count),
        },
        {"depth": depth, "together": np.concatenate(together).astype(count)},
        subgroup=wave if wave != WAVE else None,
    )


def spinlock(random: Random, groups: int, size: int) -> Case:
    start = whole(random, 1)
    numbers = np.arange(1, groups * size + 1, dtype=np.int32)
    return Case(
        (groups,),
        (size,),
        {"lock": np.zeros(1, np.int32), "sum": start},
        {"lock": np.zeros(1, np.int32), "sum": start + numbers.sum(dtype=np.int32)},
    )


def _quads(values: Array) -> Array:
    """By quad, row and column."""
    return values.reshape(-1, 2, 2)


def derivatives(random: Random, groups: int, size: int) -> Case:
    values = quarters(random, groups * size)
    across = np.repeat(np.diff(_quads(values), axis=2), 2, axis=2)
    down = np.repeat(np.diff(_quads(values), axis=1), 2, axis=1)
    return Case(
        (groups,),
        (size,),
        {"in": values, "dx": np.zeros_like(values), "dy": np.zeros_like(values)},
        {"dx": across.ravel(), "dy": down.ravel()},
        subgroup=min(size, WAVE),
    )


def fine_and_coarse(random: Random, groups: int, size: int) -> Case:
    """x and y of each pixel; a coarse derivative is that of the quad's first row and first column."""
    case = derivatives(random, groups, size)
    dx, dy = _quads(case.expected["dx"]), _quads(case.expected["dy"])
    first_dx, first_dy = (np.broadcast_to(d[:, :1, :1], d.shape) for d in (dx, dy))
    fine = np.stack([dx.ravel(), dy.ravel()], axis=1).ravel()
    coarse = np.stack([first_dx.ravel(), first_dy.ravel()], axis=1).ravel()
    return Case(
        case.grid,
        case.workgroup,
        {"in": case.buffers["in"], "fine": np.zeros_like(fine), "coarse": np.zeros_like(coarse)},
        {"fine": fine, "coarse": coarse},
        subgroup=size,
    )


LEAST = np.iinfo(np.int32).min


def prefix(random: Random, groups: int, size: int) -> Case:
    values = whole(random, groups * size)
    lanes = rows(values, size)
    largest_before = np.full_like(lanes, LEAST)
    largest_before[:, 1:] = np.maximum.accumulate(lanes, axis=1)[:, :-1]
    empty = np.zeros_like(values)
    return Case(
        (groups,),
        (size,),
        {"in": values, "inclusive": empty, "exclusive": empty, "total": empty},
        {
            "inclusive": np.cumsum(lanes, axis=1, dtype=np.int32).ravel(),
            "exclusive": largest_before.ravel(),
            "total": _in_every_lane(values, size, np.sum),
        },
        subgroup=size,
    )


def prefix_of_waves(random: Random, groups: int, size: int) -> Case:
    values = whole(random, groups * size)
    sums = np.cumsum(rows(values, min(size, WAVE)), axis=1, dtype=np.int32)
    return Case(
        (groups,),
        (size,),
        {"in": values, "out": np.zeros_like(values)},
        {"out": sums.ravel()},
        subgroup=min(size, WAVE),
    )


def nested(random: Random, groups: int, size: int) -> Case:
    outer, inner = whole(random, groups * size, 0, 4), whole(random, groups * size, 0, 4)
    votes = np.zeros(groups * size, np.int32)
    wave = min(size, WAVE)
    for thread in range(groups * size):
        first = thread - thread % wave
        others = slice(first, first + wave)
        for i in range(outer[thread]):
            here = outer[others] > i
            votes[thread] += sum((here & (inner[others] > j)).sum() for j in range(inner[thread]))
            votes[thread] += 100 * here.sum() if i % 2 == 0 else 0
    return Case(
        (groups,),
        (size,),
        {"outer": outer, "inner": inner, "out": np.zeros_like(votes)},
        {"out": votes},
        subgroup=wave,
    )


def float_reduction(random: Random, groups: int, size: int) -> Case:
    values = quarters(random, groups * size)
    return Case(
        (groups,),
        (size,),
        {"in": values, "out": np.zeros(groups, np.float32)},
        {"out": rows(values, size).sum(axis=1)},
    )


@dataclass(frozen=True)
class Kernel:
    """A source on the shelf: what it computes, the launch that is tried, its target, and HLSL's registers."""

    make: Make
    groups: int
    size: int
    target: str
    registers: dict[str, str] = field(default_factory=dict)

    def case(self, seed: int) -> Case:
        return self.make(np.random.default_rng(seed), self.groups, self.size)


DXIL = "dxil-pc-shadermodel6.6-compute"
VULKAN = "spirv-unknown-vulkan1.3-compute"
IN_OUT = {"in": "t0", "out": "u0"}

KERNELS: dict[str, Kernel] = {
    "reduction.cl": Kernel(reduction, 2, 8, "spirv64"),
    "reduction.hip": Kernel(reduction, 2, 64, "gfx1030"),
    "reduction.hlsl": Kernel(float_reduction, 2, 16, VULKAN, IN_OUT),
    "scan.cl": Kernel(scan, 2, 8, "amdgcn-amd-amdhsa"),
    "scan.cu": Kernel(exclusive_scan, 1, 32, "sm_70"),
    "scan.hlsl": Kernel(scan, 2, 16, DXIL, IN_OUT),
    "histogram.cl": Kernel(long_histogram, 2, 8, "amdgcn-amd-amdhsa"),
    "histogram.hip": Kernel(histogram, 2, 32, "gfx1030"),
    "histogram.hlsl": Kernel(voted_histogram, 2, 16, VULKAN, {"in": "t0", "counts": "u0"}),
    "compaction.cl": Kernel(compaction, 2, 8, "spirv64"),
    "compaction.hip": Kernel(compaction, 2, 32, "gfx1030"),
    "compaction.cu": Kernel(compaction, 2, 32, "sm_70"),
    "compaction.hlsl": Kernel(unsigned_compaction, 1, 16, DXIL, {"in": "t0", "out": "u0", "size": "u1"}),
    "butterfly.cl": Kernel(butterfly, 2, 8, "spirv64"),
    "butterfly.hip": Kernel(largest, 1, 32, "gfx1030"),
    "butterfly.cu": Kernel(float_butterfly, 1, 32, "sm_70"),
    "butterfly.hlsl": Kernel(butterfly, 2, 16, VULKAN, IN_OUT),
    "bitonic.cl": Kernel(bitonic, 2, 8, "nvptx64"),
    "bitonic.cu": Kernel(float_bitonic, 1, 32, "sm_70"),
    "bitonic.hlsl": Kernel(unsigned_bitonic, 1, 16, DXIL, {"data": "u0"}),
    "matmul.cl": Kernel(matmul, 2, 4, "spirv64"),
    "matmul.hip": Kernel(matmul, 2, 4, "gfx1030"),
    "matmul.hlsl": Kernel(matmul, 2, 4, VULKAN, {"a": "t0", "b": "t1", "c": "u0", "n": "b0"}),
    "raymarch.cl": Kernel(raymarch, 2, 8, "spirv64"),
    "raymarch.hip": Kernel(raymarch_by_waves, 1, 32, "gfx1030"),
    "raymarch.hlsl": Kernel(
        unsigned_raymarch, 2, 8, VULKAN, {"distances": "t0", "depth": "u0", "together": "u1"}
    ),
    "spinlock.cl": Kernel(spinlock, 2, 4, "spirv64"),
    "spinlock.hip": Kernel(spinlock, 1, 8, "gfx1030"),
    "spinlock.cu": Kernel(spinlock, 2, 4, "sm_70"),
    "derivatives.cl": Kernel(derivatives, 2, 8, "spirv64"),
    "derivatives.hip": Kernel(derivatives, 1, 32, "gfx1030"),
    "derivatives.hlsl": Kernel(fine_and_coarse, 1, 16, DXIL, {"in": "t0", "fine": "u0", "coarse": "u1"}),
    "prefix.cl": Kernel(prefix, 2, 8, "spirv64"),
    "prefix.hip": Kernel(prefix_of_waves, 1, 32, "gfx1030"),
    "prefix.cu": Kernel(prefix_of_waves, 1, 32, "sm_70"),
    "prefix.hlsl": Kernel(prefix_of_waves, 1, 16, DXIL, IN_OUT),
    "nested.cl": Kernel(nested, 2, 8, "spirv64"),
    "nested.hip": Kernel(nested, 1, 32, "gfx1030"),
    "nested.hlsl": Kernel(nested, 2, 8, VULKAN, {"outer": "t0", "inner": "t1", "out": "u0"}),
}
"""Every source of the shelf, and what it computes."""
