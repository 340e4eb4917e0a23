"""No module of the package reaches itself through imports: data first, behaviour above it."""

from __future__ import annotations

from tests.meta.package_modules import circles, imports

STILL_THERE: tuple[tuple[str, frozenset[str]], ...] = (
    (
        "convergence.semantics",
        frozenset(
            """
            convergence.arrival convergence.groups convergence.resolution convergence.rules
            environments.footprints environments.guesses environments.queued environments.queued_code
            environments.speculation
            machine.launch machine.log machine.machine machine.program machine.trace
            operations.amdgcn operations.derivatives operations.lanes operations.model operations.nvvm
            operations.reductions operations.spirv operations.subgroup operations.table
            threads.calls threads.compile threads.state threads.step threads.terminators
            """.split()
        ),
    ),
)
"""The circles that are still to be mended: a room, and its modules that stand in one circle. This table only
shrinks."""


def listed() -> list[frozenset[str]]:
    return [frozenset(f"{room}.{module}" for module in modules) for room, modules in STILL_THERE]


def test_a_circle_is_seen_wherever_the_import_stands() -> None:
    graph = {
        "a": frozenset("b"),
        "b": frozenset("c"),
        "c": frozenset("bd"),
        "d": frozenset("e"),
        "e": frozenset(),
    }
    assert circles({name: frozenset(names) for name, names in graph.items()}) == [frozenset("bc")]
    named = imports()
    assert "convergence.source" in named["convergence.diagnostics"], "at the top"
    assert any(name.startswith("convergence.refine") for name in named["convergence.fuzz.check"]), (
        "in a function"
    )


def test_there_are_no_new_circles() -> None:
    new = [sorted(circle) for circle in circles(imports()) if not any(circle <= known for known in listed())]
    assert not new


def test_what_is_mended_leaves_the_table() -> None:
    standing = frozenset().union(*circles(imports()))
    mended = {module for known in listed() for module in known if module not in standing}
    assert not mended, "take these out of STILL_THERE"
