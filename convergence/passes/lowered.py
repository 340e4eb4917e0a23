"""From text through one of LLVM's backends to an object file: in process (llvmlite's LLVM), or by an ``llc``
that is named."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from ..workers.process import ProcessEnded, Worker
from .outside import Kind, PassFailed, crashed, llc_output, one_line, version

WORKER = Path(__file__).with_name("backend_worker.py")
PATIENCE = 60.0  # seconds for the process to start
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


@dataclass(slots=True)
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
                    self.first(PATIENCE)
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
