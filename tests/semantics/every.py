"""All executions of a program, and what tests ask of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from convergence.alignment import Alignment, canonical, picture
from convergence.parser import parse
from convergence.semantics import Ending, Illegal
from convergence.semantics.machine import Chooser, executions
from convergence.semantics.machine.machine import Machine
from convergence.semantics.machine.program import Uncontrolled
from convergence.semantics.machine.run import Run, finished, run
from tests.launches import prepare

AA, AB = ["A", "B", "B", "C", "D"], ["A", "B", "C", "B", "C", "D"]
"""The two paths of semantics.md §5, for the natural loop."""
OA, OB = ["A", "O", "B", "B", "C", "D"], ["A", "O", "B", "C", "O", "B", "C", "D"]
"""The same through the nested loops' header."""


def first(text: str, **given: Any) -> Run:
    """The run that ``convcheck run`` shows."""
    return run(parse(text), **given)


def every(
    text: str,
    *,
    threads: int = 1,
    arguments: Mapping[str, object] | None = None,
    paths: Sequence[Sequence[str]] | None = None,
    uncontrolled: Uncontrolled = "maximal",
    function: str | None = None,
) -> Iterator[Run]:
    """Every execution, one for each list of choices, the illegal ones too."""
    program, launch = prepare(
        parse(text),
        function=function,
        threads=threads,
        arguments=arguments,
        paths=paths,
        uncontrolled=uncontrolled,
    )

    def once(chooser: Chooser) -> tuple[Machine, Ending]:
        machine = Machine(program, launch, chooser)
        return machine, machine.run()

    for (machine, ending), choices in executions(once):
        yield finished(machine, ending, choices)


def alignments(runs: Iterator[Run]) -> list[Alignment]:
    """The alignments of the legal ones, as they come."""
    return [canonical(r.execution) for r in runs if not isinstance(r.ending, Illegal)]


def shown(result: Run) -> list[str]:
    """The picture's rows."""
    return list(picture(result.execution, result.machine.program.module, result.machine.launch.function))


def results(result: Run, operation: str) -> list[Mapping[int, object]]:
    """What each group of an operation got, in order."""
    return [g.results for g in result.groups if g.operation == operation]
