"""The kernels of examples_ll/kernels/: what clang makes of them, and that each command takes them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.cli_harness import convcheck

from .kernel_cases import KERNELS
from .kernel_shelf import LEVELS, SHELF, CannotCompile, command, compiled, split

FILES = [(source, level) for source in KERNELS for level in LEVELS]

ALONE = {"spinlock.hip", "spinlock.cu", "derivatives.hlsl"}
"""No convergent operations: only atomics; or, in LLVM 22's table, no convergent derivatives."""


def file(source: str, level: str) -> Path:
    return SHELF / f"{source}.{level}.ll"


def test_every_source_has_its_files_and_its_numbers() -> None:
    suffixes = {".cl", ".hip", ".cu", ".hlsl"}
    assert {path.name for path in SHELF.iterdir() if path.suffix in suffixes} == set(KERNELS)
    assert set(SHELF.glob("*.ll")) == {file(*names) for names in FILES}
    assert len({source.split(".")[0] for source in KERNELS}) == 12


@pytest.mark.parametrize(("source", "level"), FILES)
def test_the_file_is_what_its_command_makes(source: str, level: str, tmp_path: Path) -> None:
    """``CONVCHECK_UPDATE_KERNELS=1`` writes the file instead, below its comments."""
    path = file(source, level)
    above, module = split(path.read_text(encoding="utf-8"))
    line = command(source, KERNELS[source].target, level)
    assert above.startswith(f"; {line}\n")
    try:
        made = compiled(line, SHELF, tmp_path / "made.ll")
    except CannotCompile as why:
        pytest.skip(str(why))
    if os.environ.get("CONVCHECK_UPDATE_KERNELS"):
        path.write_text(above + made, encoding="utf-8")
    else:
        assert module == made


@pytest.mark.parametrize(("source", "level"), FILES)
def test_tokens_can_be_inferred(source: str, level: str, tmp_path: Path) -> None:
    inferred = tmp_path / "inferred.ll"
    ran = convcheck("infer", file(source, level), "-o", inferred)
    assert ran.code == 0, ran.err
    ran = convcheck("verify", inferred)
    assert (ran.code, "uncontrolled" in ran.out) == (0, False), ran.out
    text = inferred.read_text(encoding="utf-8")
    assert ("@llvm.experimental.convergence.entry()" in text) is (source not in ALONE)
