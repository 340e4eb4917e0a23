"""All tests of a suite, so many at a time; it goes on where it was cut off.

A test's lines carry its key, and when it is through a line says so. What a cut left half is asked again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from itertools import islice
from pathlib import Path
from threading import local
from typing import Any

from ...interruption import notice
from ...workers.process import ProcessEnded, Worker
from ..wrappers.store import RESULTS, Store, whole
from . import serving
from .questions import SuiteFile, SuitePlan

SPARE = 60.0
"""Seconds that a process has beyond a file's before it is stopped: it looks at the clock itself."""


def resume(store: Store, files: Sequence[SuiteFile]) -> list[SuiteFile]:
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


def performed(files: Sequence[SuiteFile], plan: SuitePlan, store: Store, jobs: int) -> Iterator[SuiteFile]:
    """The files as they are done; no more of them after an interrupt."""
    pool = _Pool(plan, store)
    waiting = iter(files)
    with ThreadPoolExecutor(jobs) as threads:
        under_way = {threads.submit(pool.ask, file): file for file in islice(waiting, jobs)}
        try:
            while under_way:
                ended, _ = wait(under_way, timeout=0.1, return_when=FIRST_COMPLETED)
                if notice():
                    break
                for future in ended:
                    file = under_way.pop(future)
                    future.result()
                    yield file
                    if (following := next(waiting, None)) is not None:
                        under_way[threads.submit(pool.ask, following)] = following
        finally:
            pool.stop()


class _Pool:
    """A process for each thread."""

    def __init__(self, plan: SuitePlan, store: Store) -> None:
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
        request = {
            "path": str(file.path), "name": file.name, "key": file.key, "plan": self.plan.as_json(),
            "folder": str(self.store.path.resolve()),
        }  # fmt: skip
        said: dict[str, Any]
        try:
            if worker.running() is None:
                worker.start(Path(serving.__file__))
                worker.first(SPARE)
            said = worker.answer_to(json.dumps(request).encode(), self.plan.file_limit + SPARE)
        except TimeoutError:
            said = {"problem": "a file took too long, and was stopped"}
        except ProcessEnded as ended:
            said = {"problem": f"the process that checked a file ended (exit code {ended.code})"}
        if self.stopped:  # what it says then is only that
            return
        if why := said.get("problem") or said.get("error"):
            self.store.append({"task": file.key, "tool": "suite", "skipped": why, "file": file.name})
        self.store.append({"task": file.key, "done": file.name, "commands": said.get("commands", 0)})

    def stop(self) -> None:
        """End the processes."""
        self.stopped = True
        for worker in self.workers:
            if worker.process is not None:
                worker.process.kill()
