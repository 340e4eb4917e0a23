"""The kernels of examples_ll/kernels/: what clang makes of them, and that each command takes them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import convergence as cc
from convergence.semantics import Returned
from tests.cli.cli_harness import convcheck

from .kernel_cases import KERNELS, Case
from .kernel_shelf import LEVELS, SHELF, CannotCompile, buffer_name, command, compiled, head, split

FILES = [(source, level) for source in KERNELS for level in LEVELS]

ALONE = {"spinlock.hip", "spinlock.cu", "derivatives.hlsl"}
"""No convergent operations: only atomics; or, in LLVM 22's table, no convergent derivatives."""


def file(source: str, level: str) -> Path:
    return SHELF / f"{source}.{level}.ll"


def test_every_source_has_its_files_and_its_numbers() -> None:
    suffixes = {".cl", ".hip", ".cu", ".hlsl"}
    assert {path.name for path in SHELF.iterdir() if path.suffix in suffixes} == set(KERNELS)
    assert set(SHELF.glob("*.ll")) == {file(*names) for names in FILES}
    assert len({source.split(".")[0] for source in KERNELS}) >= 12


SEED = 0
"""Of the numbers that the files' own launches have."""

UPDATE = os.environ.get("CONVCHECK_UPDATE_KERNELS")
"""Whether to write the files anew: their comments, and what clang makes of the sources."""


@pytest.mark.parametrize(("source", "level"), FILES)
def test_the_file_is_what_its_command_makes(source: str, level: str, tmp_path: Path) -> None:
    path = file(source, level)
    try:
        made = compiled(command(source, KERNELS[source].target, level), SHELF, tmp_path / "made.ll")
    except CannotCompile as why:
        pytest.skip(str(why))
    if UPDATE:
        path.write_text(head(source, level, KERNELS[source].case(SEED)) + made, encoding="utf-8")
    assert split(path.read_text(encoding="utf-8"))[1] == made


@pytest.mark.parametrize(("source", "level"), FILES)
def test_the_file_launches_itself_and_says_what_numpy_says(source: str, level: str) -> None:
    """(That it computes that is checked by its RUN line, as for every example.)"""
    above, _ = split(file(source, level).read_text(encoding="utf-8"))
    assert above == head(source, level, KERNELS[source].case(SEED))


def launched(path: Path, source: str, case: Case) -> cc.Run:
    buffers: dict[str, object] = {buffer_name(source, n).lstrip("%"): v for n, v in case.buffers.items()}
    numbers: dict[str, object] = dict(case.arguments)
    if source.endswith(".cl"):
        buffers |= {name: f"i32[{len(values)}]" for name, values in case.tiles.items()}
    if source.endswith(".hlsl"):
        buffers |= {buffer_name(source, n): np.array([v], np.uint32) for n, v in numbers.items()}
        numbers = {}
    return cc.run(
        cc.parse_file(path),
        grid=case.grid,
        workgroup=case.workgroup,
        subgroup_size=case.subgroup,
        buffers=buffers,
        arguments=numbers,
    )


def agrees(run: cc.Run, source: str, case: Case) -> None:
    assert isinstance(run.ending, Returned), run
    for name in case.expected:
        ours = run.buffers[buffer_name(source, name).lstrip("%")]
        assert case.agrees(name, ours), (name, ours, case.expected[name])


@pytest.mark.parametrize("source", KERNELS)
def test_fresh_numbers_give_what_numpy_says(source: str) -> None:
    """Other numbers than the files have."""
    case = KERNELS[source].case(sum(source.encode()))
    agrees(launched(file(source, "O2"), source, case), source, case)


@pytest.mark.parametrize("source", KERNELS)
def test_machines_run_it(source: str) -> None:
    """And show the fault of the spin lock: once it is optimised, some keep the lock's owner waiting."""
    ran = convcheck("simulate", "-q", "--policy", "ipdom", file(source, "O2"))
    hangs = source.startswith("spinlock.")
    assert ("hangs" in ran.out, ran.code) == (hangs, int(hangs)), ran


def test_a_lock_that_is_not_optimised_can_be_lucky() -> None:
    ran = convcheck("simulate", "-q", "--policy", "ipdom", file("spinlock.cu", "O0"))
    assert ("hangs" in ran.out, ran.code) == (False, 0)


@pytest.mark.parametrize("source", [source for source in KERNELS if source.endswith(".cl")])
def test_the_explorer_shows_it(source: str, tmp_path: Path) -> None:
    """In one language, which has all twelve: it shows what run and simulate find."""
    options = ("--alignments", "1", "--policy", "ipdom", "--timeout", "0.5")
    ran = convcheck("explore", *options, "-o", page := tmp_path / "page.html", file(source, "O2"))
    assert ran.code in (0, 3), ran.err  # 3: there was no time for every alignment
    assert f"{source}.O2.ll" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("source", KERNELS)
def test_tokens_can_be_inferred(source: str, tmp_path: Path) -> None:
    """And change no number."""
    inferred = tmp_path / "inferred.ll"
    ran = convcheck("infer", file(source, "O0"), "-o", inferred)
    assert ran.code == 0, ran.err
    ran = convcheck("verify", inferred)
    assert (ran.code, "uncontrolled" in ran.out) == (0, False), ran.out
    text = inferred.read_text(encoding="utf-8")
    assert ("@llvm.experimental.convergence.entry()" in text) is (source not in ALONE)
    case = KERNELS[source].case(len(source))
    agrees(launched(inferred, source, case), source, case)
