"""Compilers of shaders and kernels, Khronos' tools for SPIR-V, and LLVM's back ends, where they are on
this machine.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, Literal

from ..frozen import dataclass
from ..vulkan import VULKAN, VULKAN_TRIPLE
from ..workers import ProcessEnded, Worker
from .outside import Kind, PassFailed, crashed, find_tool, llc_output, one_line, version

# ----------------------------------------------------------------------------------------------------------
# Sources of shaders and kernels, by the compilers that are here: clang for HLSL and OpenCL C, glslang for
# GLSL, and for HLSL where clang lacks the header that it needs (Debian's does).
# ----------------------------------------------------------------------------------------------------------

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


# ----------------------------------------------------------------------------------------------------------
# From text through one of LLVM's backends to an object file: in process (llvmlite's LLVM), or by an ``llc``
# that is named.
# ----------------------------------------------------------------------------------------------------------


WORKER = Path(__file__).with_name("backend_worker.py")
STARTING = 60.0  # seconds for the process to start
REQUESTS = 5_000
"""Requests that one process serves, as LLVM's memory stays behind with each."""


@dataclass(frozen=True, slots=True)
class ObjectFile:
    """An object file, and who made it: ``llvmlite``, ``llc (LLVM 22.1.8)``."""

    data: bytes
    by: str


def lower(
    text: str,
    triple: str | None,
    *,
    level: int = 0,
    llc: str | None = None,
    flags: Sequence[str] = (),
    timeout: float = 60.0,
) -> ObjectFile:
    """The object file that LLVM makes of a module, for a ``triple`` (``None``: the module's own), at the
    level of ``llc -O``.

    :raises PassFailed: if LLVM ends itself, gives no answer in time, or refuses the text or the triple
    """
    if llc is not None:
        return _outside(text, triple, level, llc, flags, timeout)
    request = {"text": text, "triple": triple, "level": level}
    data = base64.b64decode(_worker(tuple(flags)).output(request, timeout)["object"])
    return ObjectFile(data, "llvmlite")


def _outside(
    text: str, triple: str | None, level: int, llc: str, flags: Sequence[str], timeout: float
) -> ObjectFile:
    program = shutil.which(llc)
    if program is None:
        raise PassFailed(f"{llc}: no program", "unavailable")
    wanted = [] if triple is None else [f"-mtriple={triple}"]
    command = (f"-O{level}", *wanted, *flags, "-filetype=obj", "-o", "-", "-")
    return ObjectFile(llc_output(program, text, command, timeout), version(program))


@dataclasses.dataclass(slots=True)
class _BackendWorker(Worker):
    """The process of one set of flags, and how many requests it served."""

    flags: tuple[str, ...] = ()
    served: int = 0
    lock: Lock = field(default_factory=Lock)

    def output(self, request: dict[str, Any], timeout: float) -> dict[str, Any]:
        with self.lock:
            try:
                if self.running() is None:
                    self.served = 0
                    self.start(WORKER, self.flags, keep=True)
                    self.first(STARTING)
                    self.words()
                reply: dict[str, Any] = self.answer_to(json.dumps(request).encode("ascii"), timeout)
            except OSError as error:
                if isinstance(error, TimeoutError):
                    raise PassFailed(f"LLVM's backend did not end in {timeout:g} s", "timeout") from None
                raise PassFailed(f"no process can be started: {error}", "unavailable") from None
            except ProcessEnded as end:
                raise crashed("LLVM's backend", end.code, end.words) from None
            words = self.words()
            if "ended" in reply:
                raise crashed("LLVM's backend", reply["ended"], words)
            self.served += 1
            if self.served >= REQUESTS:
                self.stop()
        if "error" in reply:
            kind: Kind = "refused" if reply.get("refused") else "crash"
            why = one_line(reply["error"].removeprefix("LLVM IR parsing error").strip())
            raise PassFailed(f"LLVM's backend refuses the module: {why}", kind, words)
        return reply


@cache
def _worker(flags: tuple[str, ...]) -> _BackendWorker:
    return _BackendWorker(flags=flags)


# ----------------------------------------------------------------------------------------------------------
# AMDGPU's control flow as its back end lowers it, in LLVM IR: what ``llc`` has after the pass that does it.
#
# ``llc -stop-after=PASS`` prints machine IR, whose first document is the module. The arguments of kernels
# stay arguments: the pass that reads them from memory instead is switched off, for it has nothing to do with
# control flow.
# ----------------------------------------------------------------------------------------------------------

LAST = "si-annotate-control-flow"
FLAGS = (f"-stop-after={LAST}", "-amdgpu-ir-lower-kernel-arguments=0", "-o", "-", "-")
TRIPLE = "amdgcn-amd-amdhsa"


@dataclass(frozen=True, slots=True)
class Annotated:
    """The module, and who made it."""

    text: str
    by: str


def annotated(
    text: str,
    *,
    level: int = 2,
    llc: str | None = None,
    flags: Sequence[str] = (),
    timeout: float = 60.0,
) -> Annotated:
    """The module with its control flow lowered to operations on exec, by ``llc -O`` at a ``level`` from 0 to
    3; for the module's own triple, else for ``TRIPLE``.

    :raises PassFailed: if there is no ``llc``, or it ends itself, takes too long or refuses the module
    """
    program = _program(llc)
    triple = () if "\ntarget triple" in f"\n{text}" else (f"-mtriple={TRIPLE}",)
    printed = llc_output(program, text, (f"-O{level}", *triple, *flags, *FLAGS), timeout)
    return Annotated(module_of(printed.decode("utf-8", "surrogateescape")), version(program))


def _program(llc: str | None) -> str:
    program = find_tool("llc", llc)
    if program is None:
        raise PassFailed("there is no llc: install LLVM 22, or say --llc PATH", "unavailable")
    return program


def module_of(printed: str) -> str:
    """The LLVM IR in machine IR: its first document, less the indentation.

    >>> module_of("--- |\\n  define void @f() {\\n    ret void\\n  }\\n...\\n---\\nname: f\\n...\\n")
    'define void @f() {\\n  ret void\\n}\\n'
    """
    _, _, rest = printed.partition("--- |\n")
    document = rest.partition("\n...\n")[0]
    return "".join(f"{line.removeprefix('  ')}\n" for line in document.split("\n"))
