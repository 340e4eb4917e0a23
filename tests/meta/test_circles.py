"""No module of the package reaches itself through imports: data first, behaviour above it."""

from __future__ import annotations

import ast

from tests.meta.package_modules import ROOT, circles, imports


def test_a_circle_is_seen_wherever_the_import_stands() -> None:
    graph = {"a": "b", "b": "c", "c": "bd", "d": "e", "e": ""}
    assert circles({name: frozenset(names) for name, names in graph.items()}) == [frozenset("bc")]
    named = imports()
    assert "convergence.source" in named["convergence.diagnostics"], "at the top"
    assert "convergence.refine" in named["convergence.fuzz.campaign"], "under TYPE_CHECKING"
    assert "convergence.sched.constraints.search" in named["convergence.sched.engines"], "in a function"


def test_there_is_no_circle() -> None:
    """``TYPE_CHECKING`` and imports in functions count."""
    assert not [sorted(circle) for circle in circles(imports())]


def test_oracles_know_nothing_of_the_package() -> None:
    """They are written without sight of it: their agreement means something then."""
    for file in sorted((ROOT / "tests" / "oracles").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.split(".")[0] == "convergence"], file.name
