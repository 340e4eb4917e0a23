"""How clang 22 makes the kernels of examples_ll/kernels/ from their sources."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

from .kernel_cases import KERNELS, Array, Case

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


TYPES = {"int32": "i32", "uint32": "u32", "float32": "f32", "uint8": "u8"}
"""What ``--buffer`` calls numpy's types."""


def buffer_name(source: str, parameter: str) -> str:
    """What a launch calls the buffer of a parameter: by its name, or by HLSL's register."""
    return KERNELS[source].registers.get(parameter, f"%{parameter}")


def _type(values: Array) -> str:
    return f"{TYPES[str(values.dtype)]}[{len(values)}]"


def _numbers(values: Array) -> list[str]:
    return [str(value) for value in values.tolist()]


def flags(source: str, case: Case) -> list[str]:
    """The launch's options, and a line for each buffer."""
    sizes = (("--grid", case.grid), ("--workgroup", case.workgroup))
    launch = [f"{flag} {','.join(map(str, size))}" for flag, size in sizes]
    if case.subgroup is not None:
        launch.append(f"--subgroup-size {case.subgroup}")
    lines = []
    for name, values in case.buffers.items():
        contents = ":" + ",".join(_numbers(values)) if values.any() else ""
        lines.append(f"--buffer {buffer_name(source, name)}={_type(values)}{contents}")
    if source.endswith(".cl"):
        lines += [f"--buffer %{name}={_type(values)}" for name, values in case.tiles.items()]
    for name, value in case.arguments.items():
        if source.endswith(".hlsl"):
            lines.append(f"--buffer {buffer_name(source, name)}=u32[1]:{value}")
        else:
            launch.append(f"--arg %{name}={value}")
    return [" ".join(launch), *lines, *(f"--show {buffer_name(source, name)}" for name in case.expected)]


def head(source: str, level: str, case: Case) -> str:
    """The comments above a module: how it was made, how it is launched, and what its buffers hold then."""
    lines = [command(source, KERNELS[source].target, level), "", "RUN: convcheck run -q %s | FileCheck %s"]
    lines += [f"CONVCHECK: {line}" for line in flags(source, case)]
    for name, values in case.expected.items():
        if name not in case.unordered:
            shown = ", ".join(_numbers(values))
            lines.append(f"CHECK: {buffer_name(source, name)} = {_type(values)}: {shown}")
    return "".join(f"; {line}".rstrip() + "\n" for line in lines) + "\n"


def split(text: str) -> tuple[str, str]:
    """The comments that we wrote above a module, and the module."""
    start = text.index("source_filename")
    return text[:start], text[start:]
