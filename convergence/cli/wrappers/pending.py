"""What is still to be checked: dumps in a folder, which processes take from it while the build goes on.

``pending/`` in the folder of results has for each dump ``NAME.dump``, what the tool printed, and
``NAME.json``, what there is to know about it. Who holds the lock on the latter is checking it, so that a
process that ends, however it does, leaves it to others. Both are gone when the dump is checked."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

try:
    import fcntl
except ImportError:  # no locks: what there is to check is checked at once
    fcntl = None  # type: ignore[assignment]

TRIES = 2
"""How many processes may end over a dump before it is left."""


class PendingDump(NamedTuple):
    """One dump: ``tool`` whose it is, ``command`` how it was called, the ``budget`` in seconds for a function
    and pass, the ``program`` that the tool is."""

    tool: str
    command: str
    budget: float
    program: str


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
            stream = _locked(self.path / name)
            if stream is None:
                continue
            with stream:
                stem = name.removesuffix(".json")
                tries, dump = self.path / f"{stem}.tries", self.path / f"{stem}.dump"
                with tries.open("ab") as written:
                    written.write(b".")
                try:
                    question = PendingDump(**json.loads(stream.read()))
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
        for ending in ("json", "dump", "tries"):
            (self.path / f"{stem}.{ending}").unlink(missing_ok=True)

    def slot(self, number: int) -> IO[bytes] | None:
        """The right to be the process of this number; ``None`` where another one is. It ends when it is
        closed."""
        with suppress(OSError):
            return _locked(self.path / f"slot-{number}", "ab")
        return None

    def has_process(self, number: int) -> bool:
        """Whether there is a process of this number."""
        slot = self.slot(number)
        if slot is not None:
            slot.close()
        return slot is None


def _locked(path: Path, mode: str = "rb") -> IO[bytes] | None:
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
