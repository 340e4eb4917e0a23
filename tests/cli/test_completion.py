"""Shell completion: click's scripts for three shells, and what they are told."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def asked(instruction: str, words: str = "convcheck ", **extra: str) -> str:
    """What convcheck answers to a shell that completes the last of ``words``."""
    parts = words.split(" ")
    environment = {
        **os.environ,
        "_CONVCHECK_COMPLETE": instruction,
        "COMP_WORDS": words,
        "COMP_CWORD": parts[-1] if instruction.startswith("fish") else str(len(parts) - 1),
        **extra,
    }
    done = subprocess.run(
        [sys.executable, "-c", "from convergence.cli import main; main()"],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_script_of_a_shell_defines_the_completion(shell: str) -> None:
    script = asked(f"{shell}_source")
    assert "_CONVCHECK_COMPLETE" in script and "convcheck" in script
    if (found := shutil.which(shell)) is not None:
        subprocess.run([found, "-n"], input=script, text=True, check=True, capture_output=True)


def test_bash_takes_its_script_and_completes_with_it(tmp_path: Path) -> None:
    """bash itself: sourced, then the function that it defines is called as at the prompt."""
    bash = shutil.which("bash")
    assert bash is not None
    command = tmp_path / "convcheck"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m convergence "$@"\n')
    command.chmod(0o755)
    script = """
        source <(_CONVCHECK_COMPLETE=bash_source convcheck)
        COMP_WORDS=(convcheck ver); COMP_CWORD=1; _convcheck_completion convcheck
        echo "${COMPREPLY[@]}"
    """
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [bash, "-ec", script], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "verify"), done.stderr


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("convcheck e", {"plain,enumerate", "plain,explain"}),
        ("convcheck explain s-n", {"plain,S-NEST"}),
        ("convcheck verify --format s", {"plain,sarif"}),
        ("convcheck simulate --policy m", {"plain,mask-stack"}),
        ("convcheck verify a", {"file,a"}),
        ("convcheck run examples", {"file,examples"}),
    ],
)
def test_what_can_come_next(words: str, wanted: set[str]) -> None:
    assert wanted <= set(asked("bash_complete", words).split())
