"""How clang 22 makes the kernels of examples_ll/kernels/ from their sources."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

SHELF = Path(__file__).resolve().parents[2] / "examples_ll" / "kernels"
CLANG = "clang-22"
LEVELS = ("O0", "O2")
COMMON = "-fno-discard-value-names -emit-llvm -S"

OPTIONS = {
    ".cl": "-x cl -cl-std=CL2.0 -target {target} -nogpulib -Xclang -finclude-default-header",
    ".hip": "-x hip --offload-arch={target} --offload-device-only -nogpuinc -nogpulib -fuse-cuid=none",
    ".cu": "-x cuda --cuda-gpu-arch={target} --cuda-device-only -nocudainc -nocudalib",
    ".hlsl": "-x hlsl -target {target}",
}
"""clang's options by the source's language, without an SDK."""


class CannotCompile(Exception):
    """There is no clang 22, or it lacks a header; says which."""


def command(source: str, target: str, level: str) -> str:
    """The command, in the shelf's folder, that makes one file from a source."""
    options = OPTIONS[Path(source).suffix].format(target=target)
    return f"{CLANG} {options} {COMMON} -{level} {source} -o {source}.{level}.ll"


def compiled(line: str, folder: Path, made: Path) -> str:
    """What a command makes, less what names the machine.

    Raises CannotCompile where clang 22 is not there, or has no header for HLSL.
    """
    if shutil.which(CLANG) is None:
        raise CannotCompile(f"no {CLANG}")
    words = shlex.split(line)
    words[words.index("-o") + 1] = str(made)
    ran = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if "'hlsl.h' file not found" in ran.stderr:
        raise CannotCompile(f"{CLANG} has no hlsl.h")
    assert ran.returncode == 0, ran.stderr
    return portable(made.read_text(encoding="utf-8"))


def portable(text: str) -> str:
    """Without the module's name, and with LLVM's version alone for who made it."""
    text = re.sub(r"^; ModuleID = .*\n", "", text)
    return re.sub(r'!"\w+ clang version (\d+\.\d+\.\d+)[^"]*"', r'!"clang version \1"', text)


def split(text: str) -> tuple[str, str]:
    """The comments that we wrote above a module, and the module."""
    start = text.index("source_filename")
    return text[:start], text[start:]
