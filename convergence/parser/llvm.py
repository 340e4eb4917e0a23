"""Everything that LLVM itself is asked, through llvmlite, in a process of its own.

LLVM 22 as llvmlite ships it checks assertions and ends its process on some inputs; here that is one
more answer. The process is started at the first question and serves until this one ends.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from ..source import Source, Span
from .errors import NotLLVM
from .guards import refuse_unreadable

WORKER = Path(__file__).with_name("llvm_worker.py")
_PLACE = re.compile(r"^[^\n]*?:(\d+):(\d+): error: ", re.MULTILINE)
_WORD = re.compile(r"[^\s()]+(?:\([^()]*\))?")


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """What LLVM's own table says of an intrinsic: its attribute words and its function type's text."""

    attributes: frozenset[str]
    type: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What LLVM says of a module that it takes.

    ``intrinsics`` are those that the text mentions; one that LLVM upgraded is there under its old
    name, with the attributes of what LLVM put in its place, and no attribute if that is no intrinsic.
    ``upgraded`` are those names. ``verdict`` are its verifier's messages. ``text`` is LLVM's own
    print of a bitcode file.
    """

    intrinsics: Mapping[str, Intrinsic]
    upgraded: frozenset[str] = frozenset()
    verdict: tuple[str, ...] = ()
    text: str | None = None


def ask(text: str) -> Answer:
    """LLVM's answer on a text; ``NotLLVM`` with its message if it takes it for none."""
    refuse_unreadable(text)
    return _worker().ask(text)


def llvm_verdict(text: str) -> tuple[str, ...]:
    """The messages of LLVM's own verifier; empty if it accepts the module."""
    return ask(text).verdict


def disassemble(bitcode: bytes) -> str:
    """The text that LLVM prints for a ``.bc`` file; ``NotLLVM`` with its message if it cannot read it."""
    made = _worker().request(b"b", bitcode)
    if "error" in made:
        said = " ".join(made["error"].removeprefix("LLVM bitcode parsing error").lstrip(":").split())
        raise NotLLVM(f"LLVM cannot read the bitcode: {said}")
    text: str = made["text"]
    return text


def start() -> None:
    """Start the process now, so that it is ready at the first question."""
    with suppress(OSError):
        _worker().started()


def _attributes(groups: list[str]) -> frozenset[str]:
    return frozenset(word for group in groups for word in _WORD.findall(group))


def _answer(made: dict[str, Any]) -> Answer:
    known = {n: Intrinsic(_attributes(f["attributes"]), f["type"]) for n, f in made["intrinsics"].items()}
    upgraded: dict[str, str | None] = made["upgraded"]
    for old, new in upgraded.items():
        known[old] = Intrinsic(frozenset(), "") if new is None else known[new]
    for new in upgraded.values():
        if new is not None:
            known.pop(new, None)
    return Answer(known, frozenset(upgraded), messages(made["verdict"]), made.get("text"))


def refusal(message: str, text: str) -> NotLLVM:
    """LLVM's message that it cannot read a text, with its place."""
    found = _PLACE.search(message)
    if found is None:
        return NotLLVM(" ".join(message.removeprefix("LLVM IR parsing error").split()))
    rest = message[found.end() :].partition("\n")[0]
    source = Source("", text)
    line = source.line(int(found[1]))
    before = line.encode("utf-8", "surrogateescape")[: int(found[2]) - 1]
    column = len(before.decode("utf-8", "replace")) + 1
    at = source.offset(int(found[1]), column)
    end = at + max(1, len(re.match(r"[%@!#$]?[\w.]*", text[at:])[0]))  # type: ignore[index]
    return NotLLVM(rest, int(found[1]), column, Span(at, min(end, len(text))))


# -- the verifier's messages ----------------------------------------------------------------------


def messages(printed: str | None) -> tuple[str, ...]:
    """The sentences among what the verifier prints; it prints under each what it is about."""
    if printed is None:
        return ()
    first, *rest = [line for line in printed.splitlines() if line.strip()] or ["no message"]
    return (first, *(line for line in rest if _is_message(line)))


def _is_message(line: str) -> bool:
    """Whether a line of the verifier is a sentence, and not what it is about: an instruction, a block,
    a value, a cycle."""
    if not (line[0].isalpha() or line[0] in "'\"") or any(sign in line for sign in "%@="):
        return False
    return line[0].isupper() or len(line.split()) > 2


# -- the process ----------------------------------------------------------------------------------


@dataclass(slots=True)
class _Worker:
    """The process, and the last answer: the verdict is asked for after the module."""

    process: subprocess.Popen[bytes] | None = None
    owner: int = 0
    lock: Lock = field(default_factory=Lock)
    last: tuple[str, Answer | NotLLVM] | None = None

    def started(self) -> subprocess.Popen[bytes]:
        """The running process of this process (not of one that it was forked from)."""
        if self.process is None or self.owner != os.getpid() or self.process.poll() is not None:
            self.stop()
            if not sys.executable:
                raise OSError("this Python does not know its own program")
            path = os.pathsep.join(part for part in sys.path if part)
            self.process = subprocess.Popen(
                [sys.executable, "-P", str(WORKER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": path},
            )  # fmt: skip
            if self.owner != os.getpid():
                self.owner = os.getpid()
                atexit.register(self.stop)
        return self.process

    def stop(self) -> None:
        """End the process; it holds nothing that must be kept."""
        process, self.process = self.process, None
        if process is not None and self.owner == os.getpid():
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with suppress(OSError):  # what it was not told any more
                        stream.close()

    def ask(self, text: str) -> Answer:
        if self.last is None or self.last[0] != text:
            made = self.request(b"a", text.encode("utf-8", "surrogateescape"))
            self.last = text, refusal(made["error"], text) if "error" in made else _answer(made)
        answer = self.last[1]
        if isinstance(answer, NotLLVM):
            raise NotLLVM(answer.message, answer.line, answer.column, answer.span)
        return answer

    def request(self, kind: bytes, data: bytes) -> dict[str, Any]:
        """One question; an end of the process is an answer with ``error``."""
        with self.lock:
            try:
                process = self.started()
            except OSError:  # no more processes here
                from .llvm_worker import answer, binding

                return answer(binding(), kind, data)
            assert process.stdin is not None and process.stdout is not None
            try:
                process.stdin.write(kind + len(data).to_bytes(8, "little") + data)
                process.stdin.flush()
                size = self._read(process, 8, _patience(len(data)))
                made: dict[str, Any] = json.loads(self._read(process, int.from_bytes(size, "little"), None))
                return made
            except TimeoutError:
                self.stop()
                return {"error": "LLVM gave no answer in time"}
            except (OSError, EOFError):
                code = process.wait()
                self.stop()
                return {"error": f"LLVM breaks down on it ({_ending(code)})"}

    def _read(self, process: subprocess.Popen[bytes], size: int, seconds: float | None) -> bytes:
        assert process.stdout is not None
        if seconds is not None and not _ready(process.stdout, seconds):
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
    return bool(waiting.poll(seconds * 1000))


def _patience(size: int) -> float:
    """Seconds that LLVM is given: it reads some ten million bytes a second."""
    return 60 + size / 100_000


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


@cache
def _worker() -> _Worker:
    return _Worker()
