"""llvmlite's passes: the processes in which they run, one per set of LLVM's flags, kept for later."""

from __future__ import annotations

import atexit
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock
from typing import IO, Any

from .failure import PassFailed, crashed, last_words, one_line
from .names import Plan

WORKER = Path(__file__).with_name("worker.py")
PATIENCE = 60.0  # seconds for the process to start
READY = b"+"
"""What the process writes first."""
REQUESTS = 5_000
"""Requests that one process serves: some 30 kB of LLVM's memory stay behind with each."""


class UnknownFlag(Exception):
    """llvmlite's LLVM does not know a flag; the message says which."""


@dataclass(frozen=True, slots=True)
class Made:
    """What LLVM made of a module: its text, what is to be known about how, and what the passes printed."""

    text: str
    notes: tuple[str, ...]
    printed: str


def run(text: str, pipeline: str, plan: Plan, flags: Sequence[str], timeout: float) -> Made:
    """The module after a plan's steps.

    :raises PassFailed: if LLVM ends itself, gives no answer in time, or cannot read the text
    :raises UnknownFlag: if it does not know one of the flags
    """
    triple, rest = _triple(flags)
    steps = [step.level if step.level is not None else step.method for step in plan.steps]
    request = {"text": text, "triple": triple, "steps": steps}
    return _worker(rest).ask(request, pipeline, timeout)


def _triple(flags: Sequence[str]) -> tuple[str | None, tuple[str, ...]]:
    """``-mtriple``, which is a flag of ``opt``'s own, and the other flags.

    :raises UnknownFlag: for a flag that LLVM does not know here (it would pass over it), or that only
        ``opt`` heeds
    """
    triple, rest = None, []
    words = iter(flags)
    for word in words:
        name, equals, value = word.partition("=")
        if name.lstrip("-") == "mtriple" and word.startswith("-"):
            triple = value if equals else next(words, "")
        else:
            if not word.startswith("-") or name.lstrip("-") in _OF_A_TOOL or name.lstrip("-") not in _known():
                raise UnknownFlag(f"llvmlite does not take the flag {word}")
            rest.append(word)
    return triple, tuple(rest)


@dataclass(slots=True)
class _Worker:
    """The process of one set of flags."""

    flags: tuple[str, ...]
    process: subprocess.Popen[bytes] | None = None
    owner: int = 0
    printed: IO[bytes] | None = None
    served: int = 0
    lock: Lock = field(default_factory=Lock)

    def ask(self, request: dict[str, Any], pipeline: str, timeout: float) -> Made:
        with self.lock:
            process = self._started()
            assert process.stdin is not None
            data = json.dumps(request).encode("ascii")
            end = time.monotonic() + timeout
            try:
                process.stdin.write(len(data).to_bytes(8, "little") + data)
                process.stdin.flush()
                size = int.from_bytes(self._read(process, 8, end), "little")
                made = json.loads(self._read(process, size, None))
            except TimeoutError:
                self.stop()
                why = f"LLVM did not end in {timeout:g} s on {pipeline}"
                raise PassFailed(why, "timeout") from None
            except (OSError, EOFError):
                code = process.wait()
                words = self._words()
                self.stop()
                raise crashed(pipeline, code, words) from None
            except BaseException:  # an interrupt: what is still to come would be taken for the next answer
                self.stop()
                raise
            words = self._words()
            self.served += 1
            if self.served >= REQUESTS:
                self.stop()
        if "error" in made:
            why = made["error"].removeprefix("LLVM IR parsing error").strip()
            raise PassFailed(f"LLVM does not read the module: {one_line(why)}", "refused", words)
        return Made(made["text"], tuple(made["notes"]), words)

    def _started(self) -> subprocess.Popen[bytes]:
        """The running process of this process (not of one that it was forked from)."""
        if self.process is not None and self.owner == os.getpid() and self.process.poll() is None:
            return self.process
        self.stop()
        # An appending descriptor: what is written after a truncation stands at the beginning again.
        self.printed = tempfile.TemporaryFile("a+b")  # noqa: SIM115 (closed with the process)
        path = os.pathsep.join(part for part in sys.path if part)
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", str(WORKER), *self.flags], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=self.printed, env={**os.environ, "PYTHONPATH": path},
            )  # fmt: skip
        except OSError as error:
            raise PassFailed(f"no process can be started: {error}", "unavailable") from None
        if self.owner != os.getpid():
            self.owner = os.getpid()
            atexit.register(self.stop)
        try:
            first = self._read(self.process, 1, time.monotonic() + PATIENCE)
        except TimeoutError:
            self.stop()
            raise PassFailed("LLVM's process does not start", "timeout") from None
        except (OSError, EOFError):
            words = self._words()
            self.stop()
            raise UnknownFlag(last_words(words) or "LLVM's process does not start") from None
        if words := self._words():
            self.stop()
            raise UnknownFlag(one_line(words.removeprefix("convcheck: ")))
        if first != READY:  # a flag for which LLVM prints something, and ends
            self.stop()
            raise UnknownFlag(f"llvmlite runs no passes with {' '.join(self.flags)}")
        return self.process

    def _words(self) -> str:
        """What LLVM printed since the last look."""
        assert self.printed is not None
        self.printed.seek(0)
        words = self.printed.read().decode("utf-8", "surrogateescape")
        self.printed.seek(0)
        self.printed.truncate()
        return words

    def stop(self) -> None:
        """End the process; it holds nothing that must be kept."""
        process, self.process = self.process, None
        self.served = 0
        printed, self.printed = self.printed, None
        if printed is not None:
            printed.close()
        if process is not None and self.owner == os.getpid():
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with suppress(OSError):  # what it was not told any more
                        stream.close()

    def _read(self, process: subprocess.Popen[bytes], size: int, end: float | None) -> bytes:
        assert process.stdout is not None
        if end is not None and not _ready(process.stdout, end - time.monotonic()):
            raise TimeoutError
        data = process.stdout.read(size)
        if len(data) < size:
            raise EOFError
        return data


def _ready(stream: Any, seconds: float) -> bool:
    """Whether something can be read within some time; where that cannot be told, it is waited for."""
    if os.name != "posix":
        return True
    from select import poll

    waiting = poll()
    waiting.register(stream)
    return bool(waiting.poll(max(0.0, seconds) * 1000))


_OF_A_TOOL = frozenset(("mcpu", "mattr", "march", "passes", "S", "o", "f", "version"))


@cache
def _known() -> frozenset[str]:
    """The names of all flags of llvmlite's LLVM, by its own list, without dashes."""
    code = "from llvmlite import binding; binding.set_option('convcheck', '--help-list-hidden')"
    command = [sys.executable, "-P", "-c", code]
    path = os.pathsep.join(part for part in sys.path if part)
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": path},
        timeout=PATIENCE,
    )  # fmt: skip
    return frozenset(re.findall(r"^ +--?([-\w.]+)", done.stdout, re.MULTILINE))


@cache
def _worker(flags: tuple[str, ...]) -> _Worker:
    return _Worker(flags)
