"""No module of the package reaches itself through imports: data first, behaviour above it."""

from __future__ import annotations

from tests.meta.package_modules import circles, imports


def test_a_circle_is_seen_wherever_the_import_stands() -> None:
    graph = {"a": "b", "b": "c", "c": "bd", "d": "e", "e": ""}
    assert circles({name: frozenset(names) for name, names in graph.items()}) == [frozenset("bc")]
    named = imports()
    assert "convergence.source" in named["convergence.diagnostics"], "at the top"
    assert "convergence.refine" in named["convergence.fuzz.check"], "under TYPE_CHECKING"
    assert "convergence.sched.constraints.search" in named["convergence.sched.engines"], "in a function"


def test_there_is_no_circle() -> None:
    """``TYPE_CHECKING`` and imports in functions count."""
    assert not [sorted(circle) for circle in circles(imports())]
