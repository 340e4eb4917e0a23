"""The mutation score: ``python -m tests.mutation STATE [--jobs N] [--count N] [--only ROOM]``.

A seeded draw from all mutants of the rooms below, one room after the other in turn, so that any number of
them, in its order, is a sample that is fair within each room. For each, first the test files that are about
the mutated module (``tests/meta/subjects.py``), those named after it and the short ones first; where all of
these pass, those about what executes and verifies in general, unless ``--own`` leaves that for another time.
A mutant that a test notices is *killed*; so is one with which the tests take longer than LIMIT. (The tests
are taken to pass without a fault: they are those of ``make test``.)

Each job works in a copy of the repository of its own. Goes on where it was cut off: STATE has a line for
each mutant that is done.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tempfile
from itertools import zip_longest
from pathlib import Path

from tests.meta.package_modules import ROOT, modules
from tests.meta.subjects import files_about
from tests.mutation.mutants import mutants, mutated

ROOMS = (
    "convergence.verifier.",
    "convergence.semantics.convergence.",
    "convergence.semantics.operations.",
    "convergence.sched.constraints.",
    "convergence.alignment.",
    "convergence.sched.lockstep.policies.",
    "convergence.semantics.",
)
"""A module is in the first that fits."""
OUTSIDE = ("convergence.semantics.native.",)
"""Code in which every difference from the reference is looked for by campaigns of its own."""
SEED = 15
LIMIT = 300.0
"""Seconds for the test files about one module, many times what they take."""
GENERAL = (
    "tests/small/test_small_programs.py",
    "tests/properties/test_static_rules.py",
    "tests/properties/test_dynamic_run.py",
    "tests/verifier",
    "tests/alignment",
    "tests/differential/test_llvm_verifier.py",
    "tests/properties/test_picture.py",
    "tests/examples",
    "tests/semantics",
    "tests/sched",
    "tests/properties/test_dynamic_enumerate.py",
)
"""Asked about those that the files about their module let pass."""

Unit = tuple[str, int, int, str]
"""Module, number of the mutant, line, change."""


def population(only: str = "") -> list[Unit]:
    """All mutants, by rooms in turn and in each in a random order that is always the same; a room that has no
    more is left out of the turns that follow."""
    rooms: list[list[Unit]] = [[] for _ in ROOMS]
    for name, file in sorted(modules().items()):
        room = next((n for n, prefix in enumerate(ROOMS) if name.startswith(prefix)), None)
        if room is not None and not name.startswith(OUTSIDE) and name.startswith(only or "convergence"):
            rooms[room] += [(name, *mutant) for mutant in mutants(file.read_text(encoding="utf-8"))]
    for units in rooms:
        random.Random(SEED).shuffle(units)
    return [unit for turn in zip_longest(*rooms) for unit in turn if unit is not None]


class Copy:
    """A copy of the repository in which one module is changed at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if not folder.exists():
            kept = shutil.ignore_patterns(".git", ".venv", ".*cache*", ".hypothesis", "site", "node_modules")
            shutil.copytree(ROOT, folder, ignore=kept)

    def tests(self, files: tuple[str, ...], limit: float) -> tuple[bool, str]:
        """Whether all tests in some files pass, and the first that does not."""
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-n0",
            "-p",
            "no:cacheprovider",
            "--tb=no",
            *files,
        ]
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.folder),
            "HYPOTHESIS_STORAGE_DIRECTORY": str(self.folder / ".h"),
        }
        try:
            done = subprocess.run(
                command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=limit
            )
        except subprocess.TimeoutExpired:
            return False, "takes too long"
        failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return done.returncode == 0, failed[0][:200] if failed else done.stdout[-200:]

    def ask(self, unit: Unit, general: bool) -> dict[str, object]:
        """What the tests make of one mutant."""
        name, number, line, change = unit
        file = modules()[name]
        there = self.folder / file.relative_to(ROOT)
        last = name.rpartition(".")[2]
        first = sorted(files_about(name), key=lambda f: (f.stem != f"test_{last}", f.stat().st_size))
        about = tuple(str(f.relative_to(ROOT)) for f in first)
        answer: dict[str, object] = {"module": name, "number": number, "line": line, "change": change}
        stages: list[tuple[str, tuple[str, ...]]] = [("own", about)]
        if general:
            stages.append(("general", GENERAL))
        original, times = there.read_text(encoding="utf-8"), there.stat()
        for stage, files in stages:
            if not files:
                continue
            try:
                there.write_text(mutated(original, number), encoding="utf-8")
                passed, failure = self.tests(files, LIMIT if stage == "own" else 4 * LIMIT)
            finally:
                there.write_text(original, encoding="utf-8")
                os.utime(there, ns=(times.st_atime_ns, times.st_mtime_ns))
            if not passed:
                return answer | {"verdict": "killed", "by": failure, "stage": stage}
        return answer | {"verdict": "survived", "stage": stages[-1][0]}


_COPY: Copy | None = None


def _begin(folder: str) -> None:
    global _COPY
    _COPY = Copy(Path(folder) / f"{os.getpid()}")


def _ask(task: tuple[Unit, bool]) -> dict[str, object]:
    assert _COPY is not None
    return _COPY.ask(*task)


def _is_done(answer: dict[str, object] | None, own: bool) -> bool:
    if answer is None:
        return False
    return own or answer["verdict"] == "killed" or answer["stage"] == "general"


def main() -> int:
    """Ask about mutants that are not done yet, and say the score."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("state", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--only", default="", help="modules whose names begin so")
    parser.add_argument("--own", action="store_true", help="only the test files about the mutated module")
    options = parser.parse_args()
    every = population(options.only)
    sample = every[: options.count]
    done: dict[tuple[object, object], dict[str, object]] = {}
    if options.state.exists():
        for line in options.state.read_text(encoding="utf-8").splitlines():
            answer = json.loads(line)
            done[answer["module"], answer["number"]] = answer
    tasks = [(unit, not options.own) for unit in sample if not _is_done(done.get(unit[:2]), options.own)]
    with (
        tempfile.TemporaryDirectory() as folder,
        multiprocessing.Pool(options.jobs, _begin, (folder,)) as pool,
        options.state.open("a", encoding="utf-8") as state,
    ):
        for answer in pool.imap_unordered(_ask, tasks):
            print(json.dumps(answer), file=state, flush=True)
            done[answer["module"], answer["number"]] = answer
    report([done[unit[:2]] for unit in sample if unit[:2] in done], len(every))
    return 0


def report(answers: list[dict[str, object]], population: int) -> None:
    """Print who survived, and the score by room."""
    for answer in answers:
        if answer["verdict"] != "killed":
            change = f"{answer['module']}:{answer['line']}: {answer['change']}"
            print(f"{answer['verdict']} ({answer['stage']}): {change}")
    for room in (*ROOMS, ""):
        mine = [a for a in answers if room in ("", next(r for r in ROOMS if str(a["module"]).startswith(r)))]
        verdicts = [a["verdict"] for a in mine]
        killed, survived = verdicts.count("killed"), verdicts.count("survived")
        print(f"{room or 'all'}: {len(mine)} mutants, {killed} killed, {survived} survived")
    print(f"of {population:,} there are")


if __name__ == "__main__":
    sys.exit(main())
