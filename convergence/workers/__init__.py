"""Processes of their own for what may end itself or hang, as LLVM does: started when they are asked, and anew
after their end. :mod:`.serving` is what such a process does; :mod:`.scheduler` is for work in many parts.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ..interruption import check_exit

Process = subprocess.Popen[bytes]


class ProcessEnded(Exception):
    """The process ended instead of answering: its exit code, negative for a signal, and what it printed."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(code, words)
        self.code = code
        self.words = words


@dataclass(slots=True)
class Worker:
    """The process, if it runs; ``owner`` is who started it, ``printed`` its standard error, where kept."""

    process: Process | None = None
    owner: int = 0
    printed: IO[bytes] | None = None

    def running(self) -> Process | None:
        """The process of this process (not of one that it was forked from)."""
        if self.process is None or self.owner != os.getpid() or self.process.poll() is not None:
            return None
        return self.process

    def start(self, script: Path, arguments: Sequence[str] = (), keep: bool = False) -> Process:
        """Start a script of this Python's; ``keep`` what it prints on standard error.

        :raises OSError: if no process can be started
        """
        self.stop()
        if not sys.executable:
            raise OSError("this Python does not know its own program")
        if keep:
            import tempfile  # which takes its time, and the parser keeps nothing

            # An appending descriptor: what is written after a truncation stands at the beginning again.
            self.printed = tempfile.TemporaryFile("a+b")  # noqa: SIM115 (closed with the process)
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(script), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.printed if keep else subprocess.DEVNULL,
            env=environment(),
        )
        if self.owner != os.getpid():
            self.owner = os.getpid()
            atexit.register(self.stop)
        return self.process

    def answer_to(self, request: bytes, seconds: float) -> Any:
        """The answer to a request. The process is stopped where there is none.

        :raises TimeoutError: if none begins in time
        :raises ProcessEnded: if the process ends first
        :raises KeyboardInterrupt: if it ended of SIGINT
        """
        end = time.monotonic() + seconds
        self.send(request)
        return self.receive(end)

    def send(self, request: bytes) -> None:
        """Hand over a request, whose answer must be read before the next one. Raises as :meth:`answer_to`."""
        try:
            assert self.process is not None and self.process.stdin is not None
            self.process.stdin.write(len(request).to_bytes(8, "little") + request)
            self.process.stdin.flush()
        except OSError as error:
            raise self._ended(error) from None
        except BaseException:  # an interrupt: half a request may be there
            self.stop()
            raise

    def receive(self, end: float) -> Any:
        """The answer to what was asked, which must begin before a time of the monotonic clock. Raises as
        :meth:`answer_to`."""
        try:
            size = int.from_bytes(self._read(8, end), "little")
            return json.loads(self._read(size, None))
        except (OSError, EOFError) as error:
            raise self._ended(error) from None
        except BaseException:  # an interrupt: what is still to come would be taken for the next answer
            self.stop()
            raise

    def first(self, seconds: float) -> bytes:
        """The byte by which the process says that it is ready. Raises as :meth:`answer_to`."""
        try:
            return self._read(1, time.monotonic() + seconds)
        except (OSError, EOFError) as error:
            raise self._ended(error) from None

    def words(self) -> str:
        """What the process printed since the last look."""
        if self.printed is None:
            return ""
        self.printed.seek(0)
        words = self.printed.read().decode("utf-8", "surrogateescape")
        self.printed.seek(0)
        self.printed.truncate()
        return words

    def stop(self) -> None:
        """End the process; it holds nothing that must be kept."""
        process, self.process = self.process, None
        printed, self.printed = self.printed, None
        if printed is not None:
            printed.close()
        if process is not None and self.owner == os.getpid():
            process.kill()
            while process.returncode is None:
                with suppress(KeyboardInterrupt):  # it is dead: this is no wait that needs an end
                    process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with suppress(OSError):  # what it was not told any more
                        stream.close()

    def _ended(self, error: OSError | EOFError) -> TimeoutError | ProcessEnded:
        """Stop the process, and say why."""
        if isinstance(error, TimeoutError):
            self.stop()
            return error
        assert self.process is not None
        ended = ProcessEnded(self.process.wait(), self.words())
        self.stop()
        check_exit(ended.code)
        return ended

    def _read(self, size: int, end: float | None) -> bytes:
        assert self.process is not None and self.process.stdout is not None
        stream = self.process.stdout
        if end is not None and not _ready(stream, end - time.monotonic()):
            raise TimeoutError
        parts = []
        while size > 0:  # not through the stream's buffer, of which nobody could tell whether it holds more
            part = os.read(stream.fileno(), size)
            if not part:
                raise EOFError
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def environment() -> Mapping[str, str]:
    """The environment of a process of this Python's that is to find the same modules."""
    package = Path(__file__).parents[2]  # which may have been found from the working directory
    return {**os.environ, "PYTHONPATH": os.pathsep.join([*filter(None, sys.path), str(package)])}


def _ready(stream: Any, seconds: float) -> bool:
    """Whether something can be read within some time; where that cannot be told, it is waited for."""
    if os.name != "posix":
        return True
    from select import poll

    waiting = poll()
    waiting.register(stream)
    return bool(waiting.poll(max(0.0, seconds) * 1000))
