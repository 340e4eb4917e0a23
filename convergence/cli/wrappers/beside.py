"""Processes that check dumps while a build goes on: as many as there are processors, of the lowest priority.

The first wrapper that leaves something starts one, and so does each that finds fewer of them than there may
be. One that has had nothing to do for a while ends. They belong to nobody: a build ends without them, and
``convcheck report`` waits for what they still have to do."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from math import inf
from pathlib import Path
from traceback import format_exception_only

from ...workers.process import environment
from ...workers.scheduler import available_cores
from .pending import PendingDump, PendingFolder

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

    store = FindingFolder(results, makes=False)
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
