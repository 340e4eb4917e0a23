"""From text through one of LLVM's backends to an object file: in process (llvmlite's LLVM), or by an ``llc``
that is named.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import shutil
from collections.abc import Sequence
from dataclasses import field
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from ..frozen import dataclass
from ..workers.process import ProcessEnded, Worker
from .outside import Kind, PassFailed, crashed, find_tool, llc_output, one_line, version

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
