"""Whoever changes a module finds the test file to open."""

from __future__ import annotations

from pathlib import Path

from tests.meta.changed import ALWAYS, to_run
from tests.meta.package_modules import ROOT, modules
from tests.meta.subjects import TESTS, files_about, subjects

SMALL = 40
"""Lines up to which a module may go without a test file that names it."""


def test_every_module_is_named_by_a_test_file() -> None:
    def lines(file: Path) -> int:
        return len(file.read_text(encoding="utf-8").splitlines())

    orphans = [name for name, file in modules().items() if lines(file) > SMALL and not files_about(name)]
    assert not orphans, "name them in a test file's docstring: covers: ..."


def test_what_is_named_is_there() -> None:
    gone = {
        (file.relative_to(ROOT).as_posix(), name)
        for file, about in subjects().items()
        for name in about
        if name not in modules()
    }
    assert not gone


def test_make_quick_takes_the_tests_of_what_changed_first() -> None:
    always = [TESTS / name for name in ALWAYS]
    assert to_run(set()) == always and all(file.exists() for file in always)
    reachability = ROOT / "convergence" / "semantics" / "convergence" / "reachability.py"
    own = TESTS / "alignment" / "test_order.py"
    assert to_run({reachability, own}) == [own, TESTS / "semantics" / "test_arrival.py", *always]
