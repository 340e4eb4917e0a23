"""The page on OpenMP: its commands make a module of LLVM's runtime and its kernel, which runs.

LLVM's sources are not here: ``LLVM_SOURCE=path`` says where they are, and without it nothing is run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "run-openmp.md"
SOURCE = os.environ.get("LLVM_SOURCE", "")


def blocks(language: str) -> list[str]:
    """The page's blocks in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)


def test_the_page_has_its_commands() -> None:
    assert len(blocks("shell")) == 3 and len(blocks("c")) == 1


@pytest.mark.skipif(not SOURCE or shutil.which("clang++-22") is None, reason="LLVM_SOURCE, clang 22")
def test_its_commands_make_what_runs(tmp_path: Path) -> None:
    (tmp_path / "saxpy.c").write_text(blocks("c")[0], encoding="utf-8")
    *build, launch = blocks("shell")
    made = subprocess.run(
        ["bash", "-e", "-c", "\n".join(build)],
        cwd=tmp_path, env={**os.environ, "LLVM": SOURCE}, capture_output=True, text=True,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    words = launch.split()
    words[0:2] = [sys.executable, "-m", "convergence", "run", "-q"]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert ran.stdout.startswith("%y = f32[300]: 1.0, 3.0, 5.0, 7.0"), ran.stdout + ran.stderr
    assert ran.stdout.strip().endswith("595.0, 597.0, 599.0")
