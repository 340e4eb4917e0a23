"""Runs frozen command lines in this process, as ``python -m convergence`` would, one answer a line.

A child does the work: it is given up when an answer takes too long inside foreign code, when it dies, or
after :data:`BATCH` answers, and the next child goes on behind it. Limits are processor time, so that a busy
machine changes no answer.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import runpy
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from types import FrameType
from typing import Any

from .answers import answer
from .index import Commands

BATCH = 400
ALONE = "symbolic"
"""The kind that has a child to itself for each answer."""
PATIENCE = 8.0
"""How many times its limit, and seconds more, an answer may take on the clock before its child is killed."""

Record = dict[str, Any]


class OutOfTime(BaseException):
    """Nothing in the package may take this for an error of its own."""


class _Stream(io.TextIOWrapper):
    """A text stream over bytes in memory, so that encodings behave as on a real one."""

    def __init__(self, data: bytes = b"") -> None:
        super().__init__(io.BytesIO(data), encoding="utf-8", newline="")

    def data(self) -> bytes:
        self.flush()
        buffer = self.buffer
        assert isinstance(buffer, io.BytesIO)
        return buffer.getvalue()


def run_line(words: Sequence[str], stdin: bytes = b"") -> tuple[int, bytes, bytes]:
    """Exit code, standard output and standard error of ``convcheck WORDS``, run in this process."""
    out, err = _Stream(), _Stream()
    kept = sys.argv, sys.stdin
    sys.argv, sys.stdin = ["convcheck", *words], _Stream(stdin)
    code: object = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            runpy.run_module("convergence", run_name="__main__")
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.argv, sys.stdin = kept
    number = code if isinstance(code, int) else int(code is not None)
    return number, out.data(), err.data()


def run_pipe(commands: Commands) -> tuple[list[int], bytes, bytes]:
    """Exit codes of all command lines, the last one's output, and everybody's complaints."""
    codes, out, complaints = [], b"", b""
    for words in commands.pipe:
        code, out, err = run_line(words, out)
        codes.append(code)
        complaints += err
    return codes, out, complaints


def _record(commands: Commands) -> Record:
    codes, out, err = run_pipe(commands)
    record: Record = {"code": codes[0] if len(codes) == 1 else codes}
    record["out"] = answer(out.decode("utf-8", "replace"))
    if err:
        record["err"] = answer(err.decode("utf-8", "replace"))
    return record


class _Alarm:
    """Rings when a command line has used up its time; remembers it, as foreign code may turn the exception
    into one of its own. Commands have uses of their own for the other two timers, and for SIGINT."""

    def __init__(self) -> None:
        self.rang = False
        signal.signal(signal.SIGVTALRM, self._ring)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _ring(self, _number: int, _frame: FrameType | None) -> None:
        self.rang = True
        raise OutOfTime

    def start(self, limit: float) -> None:
        """Again and again from then on, as one ring may get lost in a callback from foreign code."""
        self.rang = False
        signal.setitimer(signal.ITIMER_VIRTUAL, limit, 0.5)

    def stop(self) -> None:
        with contextlib.suppress(OutOfTime):
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _child(todo: Sequence[Commands], write: Callable[[str], object]) -> None:
    """Answer one after the other; ends behind the first timeout, as caches may be half written then."""
    alarm = _Alarm()
    for commands in todo:
        record: Record = {}
        try:
            alarm.start(commands.limit)
            record = _record(commands)
        except OutOfTime:
            pass
        finally:
            alarm.stop()
        if alarm.rang:
            record = {"timeout": commands.limit}
        write(json.dumps(record, ensure_ascii=True) + "\n")
        if "timeout" in record:
            return


def execute(todo: Sequence[Commands], batch: int = BATCH) -> Iterator[tuple[Commands, Record, float]]:
    """Every command line with its record and the seconds that it took on the clock, in order."""
    at = 0
    while at < len(todo):
        for record, seconds in _one_child(_together(todo[at : at + batch])):
            yield todo[at], record, seconds
            at += 1


def _together(todo: Sequence[Commands]) -> Sequence[Commands]:
    """What one child does: which input the solver picks depends on all that it was asked before."""
    if todo[0].kind == ALONE:
        return todo[:1]
    return list(takewhile(lambda commands: commands.kind != ALONE, todo))


def _one_child(todo: Sequence[Commands]) -> Iterator[tuple[Record, float]]:
    """The records of one child; the last says so if the child died or was given up. At least one."""
    source, sink = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(source)
        with open(sink, "w", buffering=1) as pipe:
            _child(todo, pipe.write)
            pipe.flush()
        os._exit(0)
    os.close(sink)
    rest = b""
    answered = 0
    try:
        began = time.monotonic()
        while answered < len(todo):
            deadline = began + PATIENCE + PATIENCE * todo[answered].limit
            ready, _, _ = select.select([source], [], [], max(0.0, deadline - time.monotonic()))
            read = os.read(source, 1 << 16) if ready else b""
            if ready and read:
                rest += read
                *lines, rest = rest.split(b"\n")
                for line in lines:
                    now = time.monotonic()
                    yield json.loads(line), now - began
                    answered, began = answered + 1, now
                continue
            seconds = time.monotonic() - began
            if not ready:
                os.kill(child, signal.SIGKILL)
                _, status = os.waitpid(child, 0)
                child = 0
                yield {"timeout": todo[answered].limit}, seconds
                return
            _, status = os.waitpid(child, 0)
            child = 0
            if status != 0 or answered == 0:
                yield {"died": os.waitstatus_to_exitcode(status)}, seconds
            return
    finally:
        os.close(source)
        if child:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
