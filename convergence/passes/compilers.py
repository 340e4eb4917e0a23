"""Sources of shaders and kernels, by the compilers that are here: clang for HLSL and OpenCL C, glslang for
GLSL, and for HLSL where clang lacks the header that it needs (Debian's does).
"""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from ..frozen import dataclass
from ..vulkan import VULKAN, VULKAN_TRIPLE
from .outside import PassFailed, find_tool, one_line, version

PATIENCE = 60.0  # seconds for one source
CLANG: dict[str, tuple[str, ...]] = {
    ".hlsl": ("-x", "hlsl", "-target", VULKAN_TRIPLE),
    ".cl": (
        "-x", "cl", "-cl-std=CL2.0", "-target", "spirv64", "-Xclang", "-finclude-default-header",
    ),
}  # fmt: skip
"""How clang is called for a source, by how its name ends."""
GLSLANG = ("glslangValidator", "glslang")


@dataclass(frozen=True, slots=True)
class CompiledSource:
    """What a compiler made: SPIR-V (``.spv``) or LLVM IR (``.ll``), and who made it."""

    data: bytes
    suffix: Literal[".spv", ".ll"]
    by: str


def is_source(name: str) -> bool:
    """Whether a file is one that is compiled here, by its name."""
    return Path(name).suffix in (*CLANG, ".comp")


def compiled_source(path: str, level: int = 0) -> CompiledSource:
    """What the compiler makes of a source.

    :raises PassFailed: if there is no compiler for it here, or it does not take the source
    """
    suffix = Path(path).suffix
    if suffix == ".comp":
        return _by_glslang(path, suffix)
    clang = find_tool("clang", None)
    if clang is None and suffix == ".hlsl" and _glslang() is not None:
        return _by_glslang(path, suffix)
    if clang is None:
        raise PassFailed(f"clang (LLVM 18 or newer) is not on PATH, which compiles {suffix}", "unavailable")
    flags = (*CLANG[suffix], "-fno-discard-value-names", "-emit-llvm", "-S", f"-O{level}")
    try:
        return CompiledSource(_compile([clang, *flags], path), ".ll", version(clang))
    except PassFailed as error:
        if suffix != ".hlsl" or "'hlsl.h' file not found" not in error.detail:
            raise
    if _glslang() is None:
        raise PassFailed(f"{Path(clang).name} has no hlsl.h, without which it takes no HLSL", "unavailable")
    return _by_glslang(path, suffix)


def _glslang() -> str | None:
    return next((there for name in GLSLANG if (there := shutil.which(name))), None)


def _by_glslang(path: str, suffix: str) -> CompiledSource:
    program = _glslang()
    if program is None:
        raise PassFailed("glslang is not on PATH, which compiles GLSL", "unavailable")
    language = ("-D", "-S", "comp", "-e", "main") if suffix == ".hlsl" else ()
    command = [program, *language, "-V", "--target-env", VULKAN]
    return CompiledSource(_compile(command, path), ".spv", "glslang")


def _compile(command: list[str], path: str) -> bytes:
    name = Path(command[0]).name
    with TemporaryDirectory() as folder:
        output = Path(folder) / "made"
        try:
            done = subprocess.run(
                [*command, path, "-o", str(output)], capture_output=True, timeout=PATIENCE, check=False
            )
        except subprocess.TimeoutExpired:
            raise PassFailed(f"{name} did not end in {PATIENCE:g} s", "timeout") from None
        except OSError as error:
            raise PassFailed(f"{name} cannot be started: {one_line(str(error))}", "unavailable") from None
        printed = (done.stderr + done.stdout).decode("utf-8", "replace")
        if done.returncode != 0 or not output.exists():
            lines = [line.strip() for line in printed.splitlines()]
            message = next((line for line in lines if "error" in line.lower()), "it says nothing")
            raise PassFailed(f"{name} refuses it: {one_line(message)}", "refused", printed)
        return output.read_bytes()


# ----------------------------------------------------------------------------------------------------------
# Khronos' own tools for SPIR-V, where they are on PATH: what the validator says of a module, another's word
# beside ours, and the assembler.
# ----------------------------------------------------------------------------------------------------------

VALIDATOR_PATIENCE = 30.0  # seconds for one module


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
        done = subprocess.run(
            command, input=data, capture_output=True, timeout=VALIDATOR_PATIENCE, check=False
        )
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
        done = subprocess.run(
            command, input=text, capture_output=True, timeout=VALIDATOR_PATIENCE, check=False
        )
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
