"""Who does the parts of a long work: processes of this machine, or dask's workers on others.

Parts are done at once and their results come in the parts' order, so that what comes of the work does not
depend on how many do it.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeVar

from ..collector import look_at_all
from ..interruption import notice, requested
from ..packages import __version__

P = TypeVar("P")
T = TypeVar("T")


@dataclass
class TaskScheduler:
    """Processes that do parts of a work: ``executor`` is a pool of this machine or a dask client's, ``None``
    this process. ``ahead``: how many parts are handed out at a time."""

    executor: Executor | None
    ahead: int = 4
    pending: deque[Future[Any]] = field(default_factory=deque)

    def over(self, work: Callable[[P], T], parts: Iterable[P]) -> Iterator[T]:
        """What ``work``, which can be pickled, makes of each part, in the parts' order; an interrupt ends
        it."""
        if self.executor is None:
            try:
                for part in parts:
                    result = work(part)
                    if notice():  # what it says of some programs is only that
                        return
                    yield result
            finally:
                look_at_all()
            return
        waiting = iter(parts)
        while True:
            for part in islice(waiting, self.ahead - len(self.pending)):
                with _unheard():
                    self.pending.append(self.executor.submit(work, part))
            if not self.pending:
                return
            while not wait([self.pending[0]], timeout=0.2).done:
                if notice():
                    return
            try:
                result = self.pending.popleft().result()
            except BrokenExecutor:
                if requested():  # at a terminal the others get the signal, too
                    raise KeyboardInterrupt from None
                raise
            yield result

    def stop(self) -> None:
        """Forget what has not begun."""
        for future in self.pending:
            future.cancel()


@contextmanager
def local(jobs: int) -> Iterator[TaskScheduler]:
    """So many processes of this machine; one job runs in this process."""
    if jobs <= 1:
        yield TaskScheduler(None)
        return
    from multiprocessing import get_context

    executor = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_alone)
    scheduler = TaskScheduler(executor, 4 * jobs)
    try:
        yield scheduler
    except BaseException:
        _kill(executor)
        raise
    else:
        if requested():
            _kill(executor)
        else:
            scheduler.stop()
    finally:
        executor.shutdown()


@contextmanager
def _unheard() -> Iterator[None]:
    """A process that is started here gets no SIGINT before it has made a group of its own."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _alone() -> None:
    """In a process of the pool: it and all that it starts make a group, which an interrupt at the terminal
    does not reach, and which ends as a whole when this campaign's process is gone, whatever ended it."""
    if os.name != "posix":
        return
    from multiprocessing import parent_process
    from threading import Thread

    os.setpgid(0, 0)
    parent = parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os.killpg(0, signal.SIGKILL)

    Thread(target=follow, daemon=True).start()


def _kill(executor: ProcessPoolExecutor) -> None:
    """End the pool's processes now, with what they started."""
    for process in list((executor._processes or {}).values()):
        with suppress(OSError):
            if process.pid is None:
                continue
            if os.name == "posix" and os.getpgid(process.pid) == process.pid:
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()


class NoDask(Exception):
    """dask.distributed is not installed, or its scheduler cannot be reached, or it has not this convcheck."""


def _version() -> str:
    """What a worker answers with."""
    return __version__


@contextmanager
def remote(address: str, timeout: float = 10) -> Iterator[TaskScheduler]:
    """The workers of a dask scheduler; each needs convcheck installed. Raises NoDask."""
    try:
        from distributed import Client
        from distributed.comm.addressing import get_address_host_port
    except ImportError:
        raise NoDask("--scheduler needs dask.distributed: pip install 'convcheck[dask]'") from None
    try:
        get_address_host_port(address)  # a client that finds it wrong is half made, and does not end for long
        client = Client(address, timeout=timeout, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise NoDask(f"no dask scheduler answers at {address}: {error}") from None
    with client:
        try:
            theirs = client.submit(_version, pure=False).result(timeout)
        except Exception as error:  # whatever dask makes of a module that is not there
            reason = f"{address} cannot run convcheck ({type(error).__name__}): is it installed there?"
            raise NoDask(reason) from None
        if theirs != __version__:
            raise NoDask(f"the workers of {address} have convcheck {theirs}, here it is {__version__}")
        threads = sum(client.nthreads().values())
        scheduler = TaskScheduler(client.get_executor(pure=False), max(4, 4 * threads))
        try:
            yield scheduler
        finally:
            scheduler.stop()


# ----------------------------------------------------------------------------------------------------------
# The cores of this machine.
# ----------------------------------------------------------------------------------------------------------


def available_cores() -> int:
    """How many this process may use; all that there are where the system does not say (macOS, Windows)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
