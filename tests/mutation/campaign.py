"""Many mutants in one process that has imported and collected the tests once.

A pytest plugin in place of its loop over tests. *Recording*: for each test file a forked child that runs it
and writes down which test came to which statements, and how long it took (``tests/mutation/reaching.py``).
*Asking*: for each mutant a forked child that plants it and runs the tests that come to its line, the shortest
first, those about its module and those that noticed others before the rest, until one fails. So a mutant
costs a fork and, mostly, one short test.

A test counts as noticing only if it passes in such a child without a mutant (looked for once a test).
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import json
import os
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.meta.package_modules import ROOT, modules
from tests.meta.subjects import files_about
from tests.mutation.planting import VARIABLE, Living
from tests.mutation.reaching import Marks

Unit = tuple[str, int, int, str]
"""Module, number of the mutant, line, change."""

Say = Callable[[str], None]

FILE_LIMIT = 8.0
"""Seconds of CPU after which no more tests of a file are recorded: those that are not are not asked."""
TEST_LIMIT = 0.5
"""Seconds of CPU after which a test that is recorded is cut off."""
LONG = 4.0
"""What is taken for the seconds of one that was cut off."""
GRACE = 5.0
"""Seconds of CPU that a test may take with a mutant beyond five times what it takes without."""
MEMORY = 3 << 30
"""Bytes of address space that a mutant may take in addition."""
SLOW = 90.0
"""Seconds for the test files about a module that has to be imported in its changed form."""


def digest(*texts: str) -> str:
    """A short name of some texts' contents."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def package_digest() -> str:
    """Of the whole package: what was recorded holds for it alone."""
    return digest(*(file.read_text(encoding="utf-8") for _, file in sorted(modules().items())))


class Reaching(NamedTuple):
    """A test, the seconds of CPU that it takes, and the runs of statements that it comes to, as a mask."""

    name: str
    seconds: float
    runs: int


@dataclass
class Recording:
    """What was recorded, in a file with a line for each test file; the first line says of which package."""

    path: Path

    def load(self) -> dict[str, tuple[str, list[Reaching]]]:
        """By test file its digest and what was recorded; nothing if the package is another one now."""
        try:
            first, *rest = self.path.read_text(encoding="utf-8").splitlines()
        except (FileNotFoundError, ValueError):
            return {}
        if json.loads(first) != package_digest():
            return {}
        result = {}
        for line in rest:
            file, name, tests = json.loads(line)
            result[file] = name, [Reaching(test, took, int(mask, 16)) for test, took, mask in tests]
        return result

    def begin(self) -> None:
        """Forget what is there."""
        self.path.write_text(json.dumps(package_digest()) + "\n", encoding="utf-8")

    def add(self, file: str, name: str, tests: list[Reaching]) -> None:
        """Write one test file's line."""
        masks = [(test.name, test.seconds, f"{test.runs:x}") for test in tests]
        with self.path.open("a", encoding="utf-8") as out:
            print(json.dumps([file, name, masks]), file=out, flush=True)


def _file(test: str) -> str:
    return test.partition("::")[0]


def _about(module: str) -> list[str]:
    return [str(f.relative_to(ROOT)) for f in files_about(module)]


def _digest_of(file: str) -> str:
    return digest((ROOT / file).read_text(encoding="utf-8"))


class Campaign:
    """The plugin: records what is not recorded, then asks about ``units`` and hands each answer to ``tell``.

    ``targets`` are the modules whose lines are recorded. ``jobs`` children at a time; a mutant is asked no
    more tests than take ``budget`` seconds together without it. ``until``: a ``time.time()`` after which no
    other mutant is begun. Of the test files those about a mutant's module are recorded, and those that are
    ``broad``, or ``all_files``. ``killers``: tests that noticed mutants before.
    """

    def __init__(
        self,
        units: Sequence[Unit],
        targets: Sequence[str],
        recording: Path,
        tell: Callable[[dict[str, object]], None],
        *,
        jobs: int,
        budget: float,
        until: float,
        all_files: bool,
        broad: Iterable[str] = (),
        killers: Iterable[str] = (),
    ) -> None:
        self.units, self.recording = units, Recording(recording)
        self.marks = Marks(targets)
        self.tell, self.jobs, self.budget, self.until = tell, jobs, budget, until
        self.all_files, self.broad = all_files, broad
        self.killers = set(killers)
        self.items: dict[str, dict[str, pytest.Item]] = {}
        self.trusted: dict[str, bool] = {}
        self.failures: list[str] = []
        self.recorded: dict[str, list[Reaching]] = {}

    # -- hooks

    def pytest_configure(self) -> None:
        """What is drawn in tests is always the same, a busy machine fails none of them, and what fails is not
        made small."""
        from hypothesis import Phase, settings  # not before pytest has prepared the imports of its plugins

        fixed = settings(deadline=None, database=None, derandomize=True, report_multiple_bugs=False)
        settings.register_profile("mutation", fixed, phases=[Phase.explicit, Phase.generate])
        settings.load_profile("mutation")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """In a child: what failed."""
        if report.failed:
            self.failures.append(report.nodeid)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """In place of pytest's own loop."""
        for item in session.items:
            self.items.setdefault(_file(item.nodeid), {})[item.nodeid] = item
        for name in self.marks.trees:
            importlib.import_module(name)  # also what is imported only when it is needed
        living = Living()
        gc.collect()
        gc.freeze()  # children share the memory of what is there now
        self._start_recording(living)
        known = self.recording.load()
        if not known:
            self.recording.begin()
        self.recorded = {f: t for f, (name, t) in known.items() if f in self.items and name == _digest_of(f)}
        self.record(self.items if self.all_files else self.broad)
        waiting = iter(self.units)
        children: dict[int, tuple[Unit, Child]] = {}
        while True:
            while len(children) < self.jobs and time.time() < self.until:
                unit = next(waiting, None)
                if unit is None:
                    break
                self.record(_about(unit[0]))
                child = self.begin(unit, living)
                children[child.pipe] = unit, child
            if not children:
                return True
            ready, _, _ = select.select(list(children), [], [], 5.0)
            for pipe in ready:
                unit, child = children[pipe]
                if child.read():
                    del children[pipe]
                    self.tell(self.answer(unit, child, living))

    # -- recording

    def _start_recording(self, living: Living) -> None:
        """Begin a child that records the test files that it is asked for."""
        requests, self.requests = os.pipe()

        def act(say: Say) -> None:
            os.close(self.requests)
            for name, tree in self.marks.trees.items():
                living.exchange(name, tree)
            self.marks.install()
            with os.fdopen(requests) as files:
                for line in files:
                    say(self._record(line.strip()))

        self.recorder = iter(Child(act))
        os.close(requests)

    def record(self, files: Iterable[str]) -> None:
        """Record each of these test files that was not recorded as it is now."""
        for file in files:
            if file in self.items and file not in self.recorded:
                _write(self.requests, file)
                print(next(self.recorder), flush=True)
                self.recorded[file] = self.recording.load()[file][1]

    def _record(self, file: str) -> str:
        """In a child: record one file, and say what of it was."""
        begun, items = time.time(), list(self.items[file].values())
        reaching: list[Reaching] = []
        while items and sum(min(test.seconds, TEST_LIMIT) for test in reaching) < FILE_LIMIT:
            lines = list(Child(lambda say, items=items: self._mark(items, say)))  # type: ignore[misc]
            reaching += [Reaching(test, took, int(runs, 16)) for test, took, runs in map(json.loads, lines)]
            items = items[max(len(lines), 1) :]
        reaching = [test for test in reaching if test.runs]
        self.recording.add(file, _digest_of(file), reaching)
        left = f", {len(items)} left out" if items else ""
        return f"{file}: {len(reaching)} tests{left}, {time.time() - begun:.0f} s"

    def _mark(self, items: list[pytest.Item], say: Say) -> None:
        """In a child: run tests one by one, and say of each what it reached; ends with one that is long."""
        for item, following in zip(items, [*items[1:], None], strict=True):

            def end(*_: object, item: pytest.Item = item) -> None:
                say(json.dumps([item.nodeid, LONG, self.marks.take()]))
                os._exit(0)

            signal.signal(signal.SIGPROF, end)
            signal.setitimer(signal.ITIMER_PROF, TEST_LIMIT)
            self.marks.take()
            before = time.process_time()
            self.failures.clear()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            took = round(time.process_time() - before, 4)
            say(json.dumps([item.nodeid, took, "0" if self.failures else self.marks.take()]))

    # -- asking

    def tests_of(self, module: str, line: int) -> list[Reaching]:
        """The tests that come to a line, in the order in which they are asked."""
        run = self.marks.run_of(module, line)
        if run is None:
            return []
        about = _about(module)

        def cost(test: Reaching) -> float:
            asked_first = (_file(test.name) in about) + (test.name in self.killers)
            return (test.seconds + 0.005) * 0.2**asked_first

        return sorted((t for tests in self.recorded.values() for t in tests if t.runs >> run & 1), key=cost)

    def begin(self, unit: Unit, living: Living) -> Child:
        """A child about one mutant."""
        module, number, line, _ = unit

        def act(say: Say) -> None:
            tests = self.tests_of(module, line)
            if not tests or not living.plant(module, number):
                say(_imported(module, number))
                return
            living.forget()
            _limit_memory()
            self.run(self._within(tests), say)

        return Child(act)

    def _within(self, tests: Iterable[Reaching]) -> Iterator[Reaching]:
        left = self.budget
        for test in tests:
            left -= test.seconds
            if left < 0:
                return
            yield test

    def run(self, tests: Iterable[Reaching], say: Say) -> None:
        """In a child: run tests until one fails, and say which, or how many passed."""
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        passed = 0
        for test in tests:
            if self.trusted.get(test.name) is False:
                continue
            item = self.items[_file(test.name)][test.name]
            say(f"test {test.name}")
            end = time.process_time() + 5 * test.seconds + GRACE
            resource.setrlimit(resource.RLIMIT_CPU, (int(end) + 1, hard))
            signal.alarm(int(20 * (5 * test.seconds + GRACE)))
            self.failures.clear()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            if self.failures:
                say("failed")
                return
            passed += 1
        say(f"passed {passed}")

    def answer(self, unit: Unit, child: Child, living: Living) -> dict[str, object]:
        """What came of one mutant. Where the test that noticed does not pass without a mutant either, it is
        asked no more, and the mutant is asked again."""
        module, number, line, change = unit
        answer: dict[str, object] = {"module": module, "number": number, "line": line, "change": change}
        answer["digest"] = digest(modules()[module].read_text(encoding="utf-8"))
        while True:
            outcome, test, how = verdict(child.lines())
            if outcome != "killed" or not test or self.trust(test, living):
                self.killers.add(test)
                break
            child = self.begin(unit, living)
            list(child)
        answer |= {"verdict": outcome, "by": test, "how": how}
        answer["seconds"] = round(time.time() - child.begun, 1)
        return answer

    def trust(self, test: str, living: Living) -> bool:
        """Whether a test passes by itself without a mutant."""
        if test not in self.trusted:

            def act(say: Say) -> None:
                living.forget()
                self.run([Reaching(test, LONG, 0)], say)

            self.trusted[test] = verdict(Child(act))[0] == "survived"
            if not self.trusted[test]:
                print(f"{test}: fails without a mutant, not counted", flush=True)
        return self.trusted[test]


class Child:
    """A forked process that does one thing and says lines about it; what tests print reaches nobody."""

    def __init__(self, act: Callable[[Say], None]) -> None:
        self.begun, self.text = time.time(), b""
        self.pipe, end = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(self.pipe)
                null = os.open(os.devnull, os.O_RDWR)
                for stream in (0, 1, 2):
                    os.dup2(null, stream)
                act(lambda words: _write(end, words))
            finally:
                os._exit(0)
        os.close(end)

    def read(self) -> bool:
        """Take what the child said by now, waiting for some; whether it has ended."""
        data = os.read(self.pipe, 1 << 20)
        self.text += data
        if data:
            return False
        os.close(self.pipe)
        os.waitpid(self.pid, 0)
        return True

    def __iter__(self) -> Iterator[str]:
        """The lines, as they are said."""
        number = 0
        while not self.read():
            *lines, _ = self.text.split(b"\n")
            yield from (line.decode() for line in lines[number:])
            number = len(lines)

    def lines(self) -> list[str]:
        """What it said by now."""
        return self.text.decode().splitlines()


def _write(pipe: int, words: str) -> None:
    data = (words + "\n").encode()
    while data:
        data = data[os.write(pipe, data) :]


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def verdict(lines: Iterable[str]) -> tuple[str, str, str]:
    """Of what a child said: ``killed``, ``survived`` or ``unreached``, by which test, and how."""
    test = ""
    for line in lines:
        kind, _, rest = line.partition(" ")
        match kind:
            case "test":
                test = rest
            case "passed" if rest == "0":
                return "unreached", "", ""
            case "passed":
                return "survived", "", f"{rest} tests passed"
            case "imported" if rest == "passed":
                return "survived", "", "the files about it passed"
            case "imported":
                return "killed", "", rest
            case "failed":
                return "killed", test, "failed"
    return "killed", test, "ended or took too long"


def _imported(module: str, number: int) -> str:
    """What the test files about a module say where it is imported in its changed form, in another process."""
    about = _about(module)
    if not about:
        return "imported passed"
    command = [
        sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "tests.mutation.planting", "-p",
        "no:cacheprovider", "--tb=no", *about,
    ]  # fmt: skip
    environment: Mapping[str, str] = {**os.environ, "PYTHONPATH": str(ROOT), VARIABLE: f"{module}:{number}"}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SLOW, check=False
        )
    except subprocess.TimeoutExpired:
        return "imported takes too long"
    if done.returncode == 0:
        return "imported passed"
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return "imported " + (failed[0][:200] if failed else "cannot be imported")
