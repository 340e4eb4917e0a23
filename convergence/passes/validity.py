"""Khronos' own tools for SPIR-V, where they are on PATH: what the validator says of a module, another's word
beside ours, and the assembler."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache

from ..vulkan import VULKAN

PATIENCE = 30.0  # seconds for one module


@cache
def validator() -> str | None:
    """``spirv-val``, if there is one."""
    return shutil.which("spirv-val")


def invalid(data: bytes, environment: str = VULKAN) -> str | None:
    """The first complaint about a module on one line; ``None`` if there is none, or nobody to ask."""
    program = validator()
    if program is None:
        return None
    command = [program, "--target-env", environment, "-"]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode == 0:
        return None
    lines = (done.stderr or done.stdout).decode("utf-8", "replace").splitlines()
    first = next((line for line in lines if line.strip()), "it says nothing")
    return re.sub(r"^error: (?:line \d+: )?", "", first).strip()


def assembled(text: bytes, environment: str = "spv1.6") -> bytes | None:
    """The module that ``spirv-as`` makes of disassembly; ``None`` if there is none, or it does not."""
    program = shutil.which("spirv-as")
    if program is None:
        return None
    command = [
        program,
        "--preserve-numeric-ids",
        "--target-env",
        _version(text) or environment,
        "-",
        "-o",
        "-",
    ]
    try:
        done = subprocess.run(command, input=text, capture_output=True, timeout=PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _version(text: bytes) -> str | None:
    """The version that a comment of the disassembler says."""
    match = re.search(rb"^; Version: (\d\.\d)", text, re.MULTILINE)
    return None if match is None else f"spv{match[1].decode('ascii')}"


_NAMES = re.compile(r"<ID> '?\d+(?:\[[^\]]*\])?'?|'\d+\[[^\]]*\]'|\d+\[%[^\]]*\]|%\w+|<ID>|\b\d+\b")


def cause(complaint: str) -> str:
    """A complaint without the names and numbers of one module: what complaints of one cause share."""
    return re.sub(r"(?:_ ?)+", "_", _NAMES.sub("_", complaint)).strip()
