"""All tests of a suite, so many at a time; it goes on where it was cut off.

A test's lines carry its key, and when it is through a line says so. What a cut left half is asked again.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from pathlib import Path
from threading import local
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ...interruption import notice
from ...workers import ProcessEnded, Worker
from ..wrappers.store import RESULTS, FindingFolder, whole
from . import serving
from .perform import SuiteFile, SuitePlan

if TYPE_CHECKING:
    from ...workers.scheduler import TaskScheduler

T = TypeVar("T")
SPARE = 60.0
"""Seconds that a process has beyond a file's before it is stopped: it looks at the clock itself."""


def resume(store: FindingFolder, files: Sequence[SuiteFile]) -> list[SuiteFile]:
    """The files that are still to be asked; of the results only those of the others are left."""
    path = store.path / RESULTS
    if not path.exists():
        return list(files)
    lines: list[dict[str, Any]] = []
    for line in path.read_text(encoding="utf-8").split("\n")[:-1]:
        try:
            lines.append(json.loads(line))
        except ValueError:
            continue
    done = {line["task"] for line in lines if "done" in line} & {file.key for file in files}
    kept = (json.dumps(line, sort_keys=True) + "\n" for line in lines if line.get("task") in done)
    whole(path, "".join(kept))
    return [file for file in files if file.key not in done]


def performed(
    files: Sequence[SuiteFile], plan: SuitePlan, store: FindingFolder, jobs: int
) -> Iterator[SuiteFile]:
    """The files as they are done, by so many processes; no more of them after an interrupt."""
    pool = _Pool(plan, store)
    with ThreadPoolExecutor(jobs) as threads:
        try:
            for file, _ in _as_they_end(files, lambda file: threads.submit(pool.ask, file), jobs):
                yield file
        finally:
            pool.stop()


def performed_elsewhere(
    files: Sequence[SuiteFile], plan: SuitePlan, store: FindingFolder, elsewhere: TaskScheduler
) -> Iterator[SuiteFile]:
    """The same by other machines' processes, where the files are at the same places. They write to no folder
    of ours: what each comes to is sent back, and kept here."""
    executor = elsewhere.executor
    assert executor is not None

    def submit(file: SuiteFile) -> Future[SuiteTestResult]:
        elsewhere.pending.append(future := executor.submit(answered, file, plan))
        return future

    for file, performed_file in _as_they_end(files, submit, elsewhere.ahead):
        for name, parts in performed_file.findings.items():
            store.finding(name, parts)
        for line in performed_file.lines:
            store.append(line)
        _record(store, file, performed_file.reply)
        yield file


def _as_they_end(
    files: Sequence[SuiteFile], submit: Callable[[SuiteFile], Future[T]], ahead: int
) -> Iterator[tuple[SuiteFile, T]]:
    """Each file with what it came to; so many are asked at a time."""
    waiting = iter(files)
    under_way = {submit(file): file for file in islice(waiting, ahead)}
    while under_way:
        ended, _ = wait(under_way, timeout=0.1, return_when=FIRST_COMPLETED)
        if notice():
            return
        for future in ended:
            file = under_way.pop(future)
            yield file, future.result()
            if (following := next(waiting, None)) is not None:
                under_way[submit(following)] = following


def _record(store: FindingFolder, file: SuiteFile, data: Mapping[str, Any]) -> None:
    """A file is through."""
    if why := data.get("problem") or data.get("error"):
        store.append({"task": file.key, "tool": "suite", "skipped": why, "file": file.name})
    store.append({"task": file.key, "done": file.name, "commands": data.get("commands", 0)})


class _Pool:
    """A process for each thread."""

    def __init__(self, plan: SuitePlan, store: FindingFolder) -> None:
        self.plan, self.store = plan, store
        self.workers: list[Worker] = []
        self.mine = local()
        self.stopped = False

    def ask(self, file: SuiteFile) -> None:
        """One test, in this thread's process."""
        worker: Worker | None = getattr(self.mine, "worker", None)
        if worker is None:
            worker = self.mine.worker = Worker()
            self.workers.append(worker)
        reply = _ask(worker, file, self.plan, self.store.path)
        if not self.stopped:  # what it says then is only that
            _record(self.store, file, reply)

    def stop(self) -> None:
        """End the processes."""
        self.stopped = True
        for worker in self.workers:
            if worker.process is not None:
                worker.process.kill()


def _ask(worker: Worker, file: SuiteFile, plan: SuitePlan, folder: Path) -> dict[str, Any]:
    """What a process says of a test, whose results go to a folder."""
    request = {
        "path": str(file.path), "name": file.name, "key": file.key, "plan": plan.as_json(),
        "folder": str(folder.resolve()),
    }  # fmt: skip
    reply: dict[str, Any]
    try:
        if worker.running() is None:
            worker.start(Path(serving.__file__))
            worker.first(SPARE)
        reply = worker.answer_to(json.dumps(request).encode(), plan.file_limit + SPARE)
    except TimeoutError:
        reply = {"problem": "a file took too long, and was stopped"}
    except ProcessEnded as ended:
        reply = {"problem": f"the process that checked a file ended (exit code {ended.code})"}
    return reply


# -- On another machine


class SuiteTestResult(NamedTuple):
    """What a test came to: the ``reply`` about it, its ``lines`` of results, and its ``findings``, each a
    name and the texts of its files."""

    reply: dict[str, Any]
    lines: tuple[dict[str, Any], ...]
    findings: dict[str, dict[str, str]]


_there = local()


def answered(file: SuiteFile, plan: SuitePlan) -> SuiteTestResult:
    """One test, in a process of this thread's, with a folder of results for itself."""
    worker: Worker | None = getattr(_there, "worker", None)
    if worker is None:
        worker = _there.worker = Worker()
    with tempfile.TemporaryDirectory(prefix="convcheck-suite-") as name:
        folder = Path(name)
        reply = _ask(worker, file, plan, folder)
        written = folder / RESULTS
        lines = written.read_text(encoding="utf-8").splitlines() if written.exists() else []
        findings = {
            path.name: {part.name: part.read_text(encoding="utf-8") for part in sorted(path.iterdir())}
            for path in sorted((folder / "findings").glob("*"))
        }
    return SuiteTestResult(reply, tuple(map(json.loads, lines)), findings)
