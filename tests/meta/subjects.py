"""Which test files are about which modules of the package: CONTRIBUTING.md, *Where the tests are*.

``tests/<room>/test_<module>.py`` is about the module of that name in the room, which is the package below
``convergence`` or one deeper inside; where a room has two modules of one name, that rule holds for neither.
A line ``covers: a.b, a.c`` at the end of a test file's docstring names further modules, from ``convergence``.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tests.meta.package_modules import ROOT, modules

TESTS = ROOT / "tests"
_COVERS = re.compile(r"^covers: ([\w.,\s]+)\Z", re.MULTILINE)


@cache
def subjects() -> Mapping[Path, frozenset[str]]:
    """Per test file the modules that it is about, with ``convergence.`` in front."""
    return {file: named(file) | by_path(file) for file in sorted(TESTS.rglob("test_*.py"))}


def by_path(file: Path) -> frozenset[str]:
    """The module that a test file's path says, if there is just one."""
    *rooms, _ = file.relative_to(TESTS).parts
    name = file.stem.removeprefix("test_")
    prefix = ".".join(["convergence", *rooms])
    fitting = [m for m in modules() if m.startswith(prefix + ".") and m.rpartition(".")[2] == name]
    exact = f"{prefix}.{name}"
    if exact in fitting:
        return frozenset([exact])
    return frozenset(fitting) if len(fitting) == 1 else frozenset()


def named(file: Path) -> frozenset[str]:
    """The modules of a test file's ``covers:`` line. Raises ValueError for one that is named twice."""
    said = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    match = _COVERS.search(said)
    names = re.split(r",\s*", match[1].strip()) if match else []
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise ValueError(f"{file.name} names {twice[0]} twice")
    return frozenset(name if name == "convergence" else f"convergence.{name}" for name in names)


def files_about(module: str) -> list[Path]:
    """The test files that are about a module."""
    return [file for file, about in subjects().items() if module in about]
