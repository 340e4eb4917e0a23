"""The tools that are stood for: which program it is, and how it is asked to print its modules."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

from ...frozen import dataclass

_MODULES = "-print-module-scope"
_CHANGED = ("-print-changed", _MODULES)
_FIRST = "pre-isel-intrinsic-lowering"
"""The first pass of every code generator (``TargetPassConfig::addIRPasses``): without the module before it
nothing could be said of it."""
_OURS = ("convcheck-", "front.sh")
"""How our scripts are called: installed, and in a checkout, whose ``bin`` has links."""
_ALL = ("-print-after-all", f"-print-before={_FIRST}", _MODULES)
_ASKS = (
    "--version",
    "-version",
    "--help",
    "-help",
    "-h",
    "--help-list",
    "-###",
    "--print-passes",
    "-print-passes",
)
_GPU = ("amdgcn", "amdgpu", "nvptx", "spirv", "spir", "dxil", "r600")
_GPU_LANGUAGES = ("cl", "clcpp", "hip", "cuda", "hlsl")
_GPU_ENDINGS = (".cl", ".clcpp", ".hip", ".cu", ".hlsl")
_SOURCES = (*_GPU_ENDINGS, ".c", ".cc", ".cpp", ".cxx", ".C", ".ll", ".bc")
_DEVICE = "--offload-arch="
_DEVICE_ONLY = frozenset(("--cuda-device-only", "--offload-device-only"))
_NAMES_ANOTHER = ("-MF", "-MT", "-MQ", "-MJ")
_NAMES_A_FILE = (
    *_NAMES_ANOTHER,
    "-o",
    "-include",
    "-imacros",
    "-include-pch",
    "-Xclang",
    "-mllvm",
    "-I",
    "-isystem",
)
_PRINTING = (
    "print-after", "print-before", "print-changed", "print-module-scope", "filter-print-funcs=",
    "filter-passes=", "info-output-file=",
)  # fmt: skip
"""LLVM's options that say what is printed, and where to: the second run has its own."""
_WRITING = (
    "-M", "-save-temps", "--save-temps", "-ftime-trace", "-fsave-optimization-record", "-gsplit-dwarf",
    "-fstack-usage", "-fproc-stat-report", "--serialize-diagnostics",
)  # fmt: skip
"""Compilers' options that write more files than the output."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of LLVM's.

    ``name`` is its own, ``variable`` the environment's that names the program. ``dumping`` gives from its
    arguments those with which it prints its modules and writes no output; ``None`` where there is nothing to
    check (it only says its version, compiles for a host, ...). One that ``compiles`` reads a language,
    and no IR.
    """

    name: str
    variable: str
    dumping: Callable[[Sequence[str]], list[str] | None]
    compiles: bool = False

    def program(self) -> str | None:
        """The real one: the environment's, else the first on PATH of its name, with 22 behind it or not, that
        is not this wrapper."""
        return program_of(self.name, self.variable)


def program_of(name: str, variable: str | None = None) -> str | None:
    """The program of a tool: the environment's, else the first on PATH of its name, with 22 behind it or
    not, that is no wrapper."""
    if variable is not None and (path := os.environ.get(variable)):
        return shutil.which(path)
    return next((p for known in (name, f"{name}-22") if (p := _real(known)) is not None), None)


def _real(name: str) -> str | None:
    """The first program of this name on PATH that is no wrapper of ours under the tool's own name."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = shutil.which(name, path=folder)
        if path is not None and not Path(path).resolve().name.startswith(_OURS):
            return path
    return None


def without_output(arguments: Sequence[str]) -> list[str]:
    """Arguments without ``-o FILE``, ``-o=FILE`` and ``-oFILE``."""
    kept: list[str] = []
    skip = False
    for argument in arguments:
        if skip:
            skip = False
        elif argument in ("-o", "--o"):
            skip = True
        elif not argument.startswith(("-o=", "--o=")):
            kept.append(argument)
    return kept


def reads_standard_input(tool: Tool, arguments: Sequence[str]) -> bool:
    """Whether a tool may read its input from there: it is named, or no file is. A compiler reads it only
    where it is named."""
    words = without_output(arguments)
    return "-" in words or not (tool.compiles or inputs(arguments))


def overwrites(arguments: Sequence[str]) -> bool:
    """Whether a tool writes to a file that it reads: then it can be asked only before."""
    outputs = {a.partition("=")[2] for a in arguments if a.startswith(("-o=", "--o="))}
    outputs |= {following for a, following in pairwise(arguments) if a in ("-o", "--o")}
    written = {Path(name).resolve() for name in outputs}
    return any(path.resolve() in written for path in inputs(arguments))


def inputs(arguments: Sequence[str]) -> list[Path]:
    """The files among the arguments."""
    return [Path(a) for a in without_output(arguments) if not a.startswith("-") and Path(a).is_file()]


def _without_printing(arguments: Sequence[str]) -> list[str]:
    """Arguments without those that have LLVM print modules otherwise, or less of them, than is read here, or
    add to a file that the tool itself has written."""
    kept: list[str] = []
    for argument in arguments:
        option = argument.removeprefix("-mllvm=")
        if option.startswith("-") and option.lstrip("-").startswith(_PRINTING):
            if kept[-1:] == ["-mllvm"]:
                kept.pop()
        else:
            kept.append(argument)
    return kept


def _opt(arguments: Sequence[str]) -> list[str] | None:
    if any(argument in _ASKS for argument in arguments):
        return None
    words = _without_printing(without_output(arguments))
    kept = [a for a in words if a.lstrip("-") != "disable-output"]
    return [*kept, "-disable-output", *_CHANGED]


def _llc(arguments: Sequence[str]) -> list[str] | None:
    if any(argument in _ASKS for argument in arguments):
        return None
    return [*_without_printing(without_output(arguments)), "-o", os.devnull, *_ALL]


def _clang(arguments: Sequence[str]) -> list[str] | None:
    """Only what compiles for a GPU, and does compile: nothing on a host has convergent operations."""
    stops = ("-E", "-M", "-MM", "-fsyntax-only", *_ASKS)
    if any(argument in stops for argument in arguments) or not _for_gpu(arguments):
        return None
    flags = [word for flag in _CHANGED for word in ("-mllvm", flag)]
    kept, skip = [], False
    for argument in _without_printing(without_output(arguments)):
        if not skip and not argument.startswith(_WRITING):
            kept.append(argument)
        skip = not skip and argument in _NAMES_ANOTHER
    compiled = kept if any(a in ("-c", "-S", "-emit-llvm") for a in kept) else [*kept, "-c"]
    return [*compiled, "-o", os.devnull, *flags]


def with_response_files(arguments: Sequence[str]) -> list[str]:
    """Arguments with those that stand in files (``@FILE``), as the tools read them; a name that is no file's
    stays."""
    result: list[str] = []
    for argument in arguments:
        path = Path(argument[1:])
        if argument.startswith("@") and path.is_file():
            words = shlex.split(path.read_text(encoding="utf-8", errors="surrogateescape"))
            result += words if argument in words else with_response_files(words)
        else:
            result.append(argument)
    return result


def singly(tool: Tool, arguments: Sequence[str]) -> list[list[str]]:
    """The arguments, for one source and one device at a time where a compiler is given several: it would have
    several outputs, and no name for all of them."""
    if not tool.compiles:
        return [list(arguments)]
    sources = [
        a
        for before, a in pairwise(["", *arguments])
        if before not in _NAMES_A_FILE
        and not a.startswith("-")
        and a.endswith(_SOURCES)
        and Path(a).is_file()
    ]
    devices = [a for a in arguments if a.startswith(_DEVICE)] if _DEVICE_ONLY & {*arguments} else []
    names = [name for a in devices for name in a.removeprefix(_DEVICE).split(",")]
    return [
        [*(a for a in arguments if a not in devices and (a == source or a not in sources)), *device]
        for source in sources or [""]
        for device in ([_DEVICE + name] for name in names or [""])
        for device in [device if names else []]
    ]


def _for_gpu(arguments: Sequence[str]) -> bool:
    """Whether a target, a language or an ending says that a GPU's code is compiled."""
    for argument, following in pairwise([*arguments, ""]):
        target = argument.partition("=")[2] if argument.startswith(("--target=", "-target=")) else ""
        if argument in ("-target", "--target", "-triple"):
            target = following
        if target.startswith(_GPU) or argument.startswith(("--offload", "--driver-mode=dxc")):
            return True
        if (argument == "-x" and following in _GPU_LANGUAGES) or argument.removeprefix(
            "-x"
        ) in _GPU_LANGUAGES:
            return True
        if not argument.startswith("-") and argument.endswith(_GPU_ENDINGS):
            return True
    return False


OPT = Tool("opt", "CONVCHECK_OPT", _opt)
LLC = Tool("llc", "CONVCHECK_LLC", _llc)
CLANG = Tool("clang", "CONVCHECK_CLANG", _clang, True)
CLANGXX = Tool("clang++", "CONVCHECK_CLANGXX", _clang, True)
