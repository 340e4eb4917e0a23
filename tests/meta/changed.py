"""The test files that ``make quick`` runs, one a line: ``python -m tests.meta.changed``.

First those that changed since this branch left main and those that are about a module that did (by
:mod:`tests.meta.subjects`); then a few that touch every room and take no time.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.meta.package_modules import ROOT, modules
from tests.meta.subjects import TESTS, files_about

ALWAYS = (
    "meta/test_circles.py",
    "meta/test_subjects.py",
    "ir/test_cycles.py",
    "verifier/test_closed_paths.py",
    "alignment/test_picture.py",
    "semantics/test_run.py",
    "semantics/test_keys.py",
    "cli/test_verify.py",
)


def changed() -> set[Path]:
    """The files that differ from where this branch left main, and those that git does not know."""
    base = _git("merge-base", "HEAD", "main") or ["HEAD"]
    names = _git("diff", "--name-only", *base) + _git("ls-files", "--others", "--exclude-standard")
    return {ROOT / name for name in names}


def _git(*arguments: str) -> list[str]:
    """The lines that git answers; none where this is no repository."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


def to_run(files: set[Path]) -> list[Path]:
    """The test files to run when ``files`` changed, each once."""
    own = sorted(file for file in files if TESTS in file.parents and file.name.startswith("test_"))
    about = [test for name, file in modules().items() if file in files for test in files_about(name)]
    there = [file for file in [*own, *about] if file.exists()]
    return [*dict.fromkeys([*there, *(TESTS / name for name in ALWAYS)])]


if __name__ == "__main__":
    for test in to_run(changed()):
        print(test.relative_to(ROOT).as_posix())
