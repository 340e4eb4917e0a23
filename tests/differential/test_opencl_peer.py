"""OpenCL kernels that clang 22 compiles: the same numbers as an OpenCL implementation (PoCL) computes.

Skipped, by name, where there is no OpenCL or no clang 22.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import convergence as cc
from convergence.semantics import Returned
from tests.examples.kernel_cases import KERNELS
from tests.examples.kernel_shelf import LEVELS, SHELF, CannotCompile, command, compiled

from .opencl import Job, NoOpenCL, results

Array = NDArray[Any]
PROGRAMS = Path(__file__).parent / "programs"
TARGETS = ("spirv64", "amdgcn-amd-amdhsa", "nvptx64")


@dataclass(frozen=True)
class Launch:
    """One kernel's launch; ``arguments`` by parameter: buffers, numbers, or lengths of ``local`` arrays."""

    source: Path
    target: str
    grid: tuple[int, ...]
    workgroup: tuple[int, ...]
    arguments: dict[str, Array | np.generic | int]
    ulps: int = 0
    """How far numbers may be apart: what OpenCL's table of accuracies allows."""


def parameters(source: Path) -> list[str]:
    text = source.read_text(encoding="utf-8")
    (found,) = re.findall(r"kernel void \w+\(([^)]*)\)", text)
    return [re.split(r"[ *]+", parameter.strip())[-1] for parameter in found.split(",")]


def of_the_shelf(name: str, seed: int) -> Launch:
    kernel = KERNELS[name]
    case = kernel.case(seed)
    tiles = {tile: len(values) for tile, values in case.tiles.items()}
    numbers = {number: np.int32(value) for number, value in case.arguments.items()}
    arguments: dict[str, Array | np.generic | int] = {**case.buffers, **tiles, **numbers}
    return Launch(SHELF / name, kernel.target, case.grid, case.workgroup, arguments)


def particles(random: np.random.Generator, count: int) -> Array:
    """With the padding of OpenCL C's structure."""
    layout = np.dtype(
        {
            "names": ["place", "speed", "alive", "kind"],
            "formats": [("f4", 2), ("f4", 2), "i4", "u1"],
            "offsets": [0, 8, 16, 20],
            "itemsize": 24,
        }
    )
    all_ = np.zeros(count, layout)
    all_["place"] = random.integers(-16, 16, (count, 2)) / 4
    all_["speed"] = random.integers(-16, 16, (count, 2)) / 4
    all_["alive"] = random.integers(0, 3, count)
    all_["kind"] = random.integers(0, 3, count)
    return all_.view(np.uint8)


def programs(seed: int) -> list[Launch]:
    random = np.random.default_rng(seed)
    picture = random.integers(0, 256, 7 * 5 * 4, dtype=np.uint8)
    size = 16
    return [
        Launch(
            PROGRAMS / "life.cl",
            TARGETS[0],
            (2, 2),
            (4, 3),
            {"in": random.integers(0, 2, 48, dtype=np.uint8), "out": np.zeros(48, np.uint8)},
        ),
        Launch(
            PROGRAMS / "blur.cl",
            TARGETS[1],
            (2, 2),
            (4, 4),
            {"in": picture, "out": np.zeros_like(picture), "w": np.int32(7), "h": np.int32(5)},
        ),
        Launch(
            PROGRAMS / "mandelbrot.cl",
            TARGETS[2],
            (2, 3),
            (4, 2),
            {"out": np.zeros(48, np.int32), "scale": np.float32(0.4), "limit": np.int32(25)},
        ),
        Launch(
            PROGRAMS / "particles.cl",
            TARGETS[0],
            (3,),
            (4,),
            {"all": particles(random, 12), "counts": np.zeros(3, np.int32), "dt": np.float32(0.5)},
        ),
        Launch(
            PROGRAMS / "softmax.cl",
            TARGETS[1],
            (2,),
            (size,),
            {
                "in": random.normal(size=2 * size).astype(np.float32),
                "out": np.zeros(2 * size, np.float32),
                "tile": size,
            },
            ulps=3 + 3 + 5 + 3,  # exp here and in the sum, the sum's roundings, and the division's 2.5
        ),
        Launch(
            PROGRAMS / "crc.cl",
            TARGETS[2],
            (2,),
            (3,),
            {
                "in": random.integers(0, 256, 6 * 9, dtype=np.uint8),
                "out": np.zeros(6, np.uint64),
                "size": np.uint32(9),
            },
        ),
    ]


def shelf() -> list[str]:
    """OpenCL's kernels without subgroups, which neither PoCL 3 nor Oclgrind has."""
    return [
        name
        for name in KERNELS
        if name.endswith(".cl") and "sub_group" not in (SHELF / name).read_text(encoding="utf-8")
    ]


SEED = 20
LAUNCHES = [*(of_the_shelf(name, SEED) for name in shelf()), *programs(SEED)]


def job(launch: Launch) -> Job:
    def argument(name: str) -> Array | np.generic | int:
        value = launch.arguments[name]
        return 4 * value if isinstance(value, int) else value

    whole = tuple(groups * size for groups, size in zip(launch.grid, launch.workgroup, strict=True))
    values = tuple(argument(name) for name in parameters(launch.source))
    return Job(launch.source.read_text(encoding="utf-8"), whole, launch.workgroup, values)


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Array]]:
    """By source: the buffers in the end, as the OpenCL implementation leaves them."""
    try:
        _, answers = results([job(launch) for launch in LAUNCHES], tmp_path_factory.mktemp("opencl"))
    except NoOpenCL as why:
        pytest.skip(str(why))
    found = {}
    for launch, answer in zip(LAUNCHES, answers, strict=True):
        assert not isinstance(answer, str), f"{launch.source.name}: {answer}"
        names = [n for n in parameters(launch.source) if isinstance(launch.arguments[n], np.ndarray)]
        found[launch.source.name] = dict(zip(names, answer, strict=True))
    return found


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("launch", LAUNCHES, ids=lambda launch: launch.source.name)
def test_a_real_implementation_agrees(
    launch: Launch, level: str, peer: dict[str, dict[str, Array]], tmp_path: Path
) -> None:
    name = launch.source.name
    try:
        text = compiled(command(name, launch.target, level), launch.source.parent, tmp_path / "k.ll")
    except CannotCompile as why:
        pytest.skip(str(why))
    buffers: dict[str, Any] = {}
    numbers: dict[str, Any] = {}
    for parameter, value in launch.arguments.items():
        if isinstance(value, np.ndarray):
            buffers[parameter] = value
        elif isinstance(value, int):
            buffers[parameter] = f"i32[{value}]"
        else:
            numbers[parameter] = value.item()
    run = cc.run(
        cc.parse(text),
        grid=launch.grid,
        workgroup=launch.workgroup,
        buffers=buffers,
        arguments=numbers,
    )
    assert isinstance(run.ending, Returned), run
    for parameter, theirs in peer[name].items():
        ours = run.buffers[parameter]
        if launch.ulps and theirs.dtype == np.float32:
            np.testing.assert_array_max_ulp(ours, theirs, launch.ulps)
        else:
            np.testing.assert_array_equal(ours, theirs, parameter)


def test_all_of_the_shelf_that_the_peer_can_run_is_compared() -> None:
    assert {name.split(".")[0] for name in shelf()} >= {"reduction", "scan", "histogram", "bitonic", "matmul"}
