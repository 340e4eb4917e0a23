"""What is still to be checked: dumps in a folder, which processes take from it while the build goes on.

``pending/`` in the folder of results has for each dump ``NAME.dump``, what the tool printed, and
``NAME.json``, what there is to know about it. Who holds the lock on the latter is checking it, so that a
process that ends, however it does, leaves it to others. Both are gone when the dump is checked.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from traceback import format_exception_only
from typing import IO, NamedTuple

from ...workers import environment
from ...workers.scheduler import available_cores

try:
    import fcntl
except ImportError:  # no locks: what there is to check is checked at once
    fcntl = None  # type: ignore[assignment]

TRIES = 2
"""How many processes may end over a dump before it is left."""


class PendingDump(NamedTuple):
    """One dump: ``tool`` whose it is, ``command`` how it was called, the ``budget`` in seconds for a function
    and pass, the ``program`` that the tool is. ``name`` is its own in the folder, once it is there."""

    tool: str
    command: str
    budget: float
    program: str
    name: str = ""


class PendingFolder:
    """The folder ``pending`` in the folder of results."""

    def __init__(self, results: Path) -> None:
        self.path = results / "pending"

    @property
    def possible(self) -> bool:
        """Whether there are locks, without which two would take the same dump."""
        return fcntl is not None

    def __len__(self) -> int:
        """How many dumps are not checked."""
        return len(self._names())

    def _names(self) -> list[str]:
        """Oldest first."""
        with suppress(OSError):
            return sorted(name for name in os.listdir(self.path) if name.endswith(".json"))  # noqa: PTH208
        return []

    def add(self, question: PendingDump, dump: bytes) -> str:
        """Put a dump there; its name."""
        self.path.mkdir(parents=True, exist_ok=True)
        name = f"{time.time_ns():020}-{os.getpid()}"
        (self.path / f"{name}.dump").write_bytes(dump)
        half = self.path / f"{name}.half"
        half.write_text(json.dumps(question._asdict()))
        half.rename(self.path / f"{name}.json")
        return name

    def has(self, name: str) -> bool:
        """Whether it is not checked."""
        return (self.path / f"{name}.json").exists()

    @contextmanager
    def claims(self) -> Iterator[tuple[PendingDump, str | None] | None]:
        """One that nobody is checking, with its dump, for as long as it takes: then it is done with. ``None``
        where there is none; no dump where processes ended over it."""
        for name in self._names():
            stream = locked(self.path / name)
            if stream is None:
                continue
            with stream:
                stem = name.removesuffix(".json")
                tries, dump = self.path / f"{stem}.tries", self.path / f"{stem}.dump"
                if not dump.exists():  # it is done with: its process ended before it had said so
                    self._finish(stem)
                    continue
                with tries.open("ab") as written:
                    written.write(b".")
                try:
                    question = PendingDump(**json.loads(stream.read()))._replace(name=stem)
                    if tries.stat().st_size > TRIES:
                        yield question, None
                    else:
                        yield question, dump.read_bytes().decode("utf-8", "surrogateescape")
                except KeyboardInterrupt:  # nobody's fault
                    tries.unlink(missing_ok=True)
                    raise
                except OSError:  # no room to write to: it may be checked later
                    raise
                except Exception:
                    self._finish(stem)
                    raise
                self._finish(stem)
            return
        yield None

    def _finish(self, stem: str) -> None:
        """A dump is done with: who no longer sees it finds nothing of it, so its name goes last."""
        for ending in ("tries", "dump", "json"):
            (self.path / f"{stem}.{ending}").unlink(missing_ok=True)

    def slot(self, number: int) -> IO[bytes] | None:
        """The right to be the process of this number; ``None`` where another one is. It ends when it is
        closed."""
        with suppress(OSError):
            return locked(self.path / f"slot-{number}", "ab")
        return None

    def has_process(self, number: int) -> bool:
        """Whether there is a process of this number."""
        slot = self.slot(number)
        if slot is not None:
            slot.close()
        return slot is None


def locked(path: Path, mode: str = "rb") -> IO[bytes] | None:
    """A file whose lock is ours; ``None`` where it is another's, or the file is gone."""
    try:
        stream = path.open(mode)
    except OSError:
        return None
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if path.stat().st_ino == os.fstat(stream.fileno()).st_ino:
            return stream
    except OSError:
        pass
    stream.close()
    return None


# ----------------------------------------------------------------------------------------------------------
# Processes that check dumps while a build goes on: as many as there are processors, of the lowest priority.
#
# The first wrapper that leaves something starts one, and so does each that finds fewer of them than there may
# be. One that has had nothing to do for a while ends. They belong to nobody: a build ends without them, and
# ``convcheck report`` waits for what they still have to do.
# ----------------------------------------------------------------------------------------------------------

JOBS = "CONVCHECK_JOBS"
"""The environment's name for how many there may be."""
LINGER = 10.0
"""Seconds without work after which a process ends."""
AGAIN = 5.0
"""Seconds after which who waits looks whether processes have ended."""
PAUSE = 0.02
"""Seconds between two looks for work."""


def jobs() -> int:
    """How many processes there may be."""
    text = os.environ.get(JOBS, "")
    return max(1, int(text)) if text.isdecimal() else available_cores()


def start(pending: PendingFolder, nice: bool = True) -> bool:
    """Start a process, if there may be one more; ``nice``: of the lowest priority, for nobody waits for
    it."""
    number = next((n for n in range(jobs()) if not pending.has_process(n)), None)
    if number is None:
        return False
    script = Path(__file__).with_name("serving.py")
    words = [str(pending.path.parent.absolute()), str(number), *(["nice"] if nice else [])]
    closed = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in range(3)]
    try:  # a child that nobody waits for
        os.posix_spawn(
            sys.executable, [sys.executable, "-P", str(script), *words], environment(), file_actions=closed
        )
    except OSError:
        return False
    return True


def serve(results: Path, number: int) -> None:
    """Be the process of this number: check what there is, until there has been nothing for a while."""
    pending = PendingFolder(results)
    while (slot := pending.slot(number)) is not None:
        with slot:
            last = time.monotonic()
            while time.monotonic() < last + LINGER:
                if check_next(results, pending):
                    last = time.monotonic()
                elif not pending.path.is_dir():
                    return
                else:
                    time.sleep(PAUSE)
        if not len(pending):  # what came while the slot was still ours has nobody else
            return


def wait(pending: PendingFolder, show: Callable[[], None]) -> None:
    """Wait until all is checked, by as many processes as there may be; ``show`` is called now and then. Where
    none can be had, this one does it."""
    looked = -inf
    while left := len(pending):
        show()
        if time.monotonic() > looked + AGAIN:
            looked = time.monotonic()
            started = [start(pending, nice=False) for _ in range(min(jobs(), left))]
            if not any(started) and not any(pending.has_process(n) for n in range(jobs())):
                check_next(pending.path.parent, pending)
        time.sleep(PAUSE)


def check_next(results: Path, pending: PendingFolder) -> bool:
    """Check a dump, if there is one that nobody checks."""
    with pending.claims() as pending_check:
        if pending_check is not None:
            check(*pending_check, results)
        return pending_check is not None


def check(question: PendingDump, dump: str | None, results: Path) -> None:
    """Check a dump; ``None`` for one over which processes ended. What goes wrong is a line of the results."""
    from .checks import Check
    from .store import FindingFolder

    # who comes to a dump over which another one ended begins anew: what both say of a pass counts once
    about = {"dump": question.name} if question.name else {}
    store = FindingFolder(results, about, makes=False)
    if dump is None:
        store.skip(question.tool, "the processes that checked it ended")
        return
    try:
        Check(question.tool, question.command, question.budget, store, program=question.program).dump(dump)
    except OSError:  # the folder cannot be written to, or is gone
        raise
    except Exception as error:  # a fault of ours must not cost a build
        message = " ".join(format_exception_only(error)[-1].split())[:200]
        store.skip(question.tool, f"internal error of convcheck: {message}")
