"""A run as data: the objects A (alignment) and O (outcome) of ``convcheck/1``, and the whole answer."""

from __future__ import annotations

from math import isfinite
from typing import Protocol

from ...alignment.instances import Columns, Execution, order
from ...frozen import Json
from ...ir.module import Module
from ...semantics.errors import ENDING_NAMES, Ending, OutOfBound
from ...semantics.machine.buffers import BufferContents
from ...semantics.machine.launch import Launch, Waves
from ...semantics.machine.log import Called, Event
from ...semantics.machine.outcome import Outcome
from ...semantics.machine.run import Group, Run
from ...semantics.operations.model import Extent
from ..parts import endings, races
from ..parts.endings import details, reason, words
from ..verify.json import SCHEMA


class HasAlignment(Protocol):
    """What has an alignment: one run, or one that enumeration found."""

    @property
    def execution(self) -> Execution: ...
    @property
    def groups(self) -> tuple[Group, ...]: ...


def alignment(run: HasAlignment, picture: tuple[str, ...]) -> dict[str, Json]:
    """A: the picture, and per operation its groups. ``column`` is the group's place in
    convergence-before, from 1; ``null`` where that has a cycle."""
    ordered = order(run.execution) if run.groups else None  # a long run without any is answered at once
    column = ordered.column if isinstance(ordered, Columns) else {}
    operations: dict[object, dict[str, Json]] = {}
    groups: dict[object, list[Json]] = {}
    for group in run.groups:
        if group.site not in operations:
            operations[group.site] = {
                "operation": group.operation,
                "callee": group.callee,
                "function": "@" + group.site.function,
            }
        groups.setdefault(group.site, []).append(_group_data(group, column.get(group.members[0])))
    return {
        "picture": list(picture),
        "operations": [{**operation, "groups": groups[site]} for site, operation in operations.items()],
    }


def _group_data(group: Group, column: int | None) -> dict[str, Json]:
    return {
        "column": column,
        "members": [{"thread": member.thread, "nth": member.nth} for member in group.members],
        "results": {str(thread): value for thread, value in group.results.items()},
    }


def event(value: Event) -> dict[str, Json]:
    """An event: what was called or accessed, with what, what came back, and a convergent call's group
    as a map from thread to the number of the event there, from 1."""
    operands = list(value.operands)
    if isinstance(value, Called):
        group = None if value.group is None else {str(t): n for t, n in value.group.items()}
        return {
            "callee": "@" + value.callee.removeprefix("@"),
            "operands": _list(operands),
            "result": _any(value.result),
            "group": None if group is None else dict(group),
        }
    return {
        "callee": f"volatile {value.operation}",
        "operands": _list(operands),
        "result": _any(value.result),
        "group": None,
    }


def _any(value: object) -> Json:
    """Plain data that the machine hands out without its type."""
    return value  # type: ignore[return-value]


def _list(values: list[object]) -> list[Json]:
    return [_any(value) for value in values]


def outcome(value: Outcome) -> dict[str, Json]:
    """O: per thread how it ended, what it returned, its events, its own thread_local memory where there is
    any; and the final shared memory."""
    return {
        "threads": [
            {
                "thread": thread.thread,
                "return": thread.value,
                "events": [event(e) for e in thread.events],
                "ended": thread.ended,
                **({"memory": dict(thread.memory)} if thread.memory else {}),
            }
            for thread in value.threads
        ],
        "memory": dict(value.memory),
    }


def buffer(held: BufferContents) -> dict[str, Json]:
    """What a buffer holds: its type, its shape, its numbers in a row; ``"poison"``, ``"undef"``, and strings
    for infinities and NaN, where JSON has no number."""

    def plain(value: int | float | str) -> Json:
        if not isinstance(value, float) or isfinite(value):
            return value
        return held.placed.element.spelled(value)

    return {
        "type": held.placed.element.name,
        "shape": list(held.placed.shape),
        "values": [plain(value) for value in held.values],
    }


def bound(ending: Ending | None) -> dict[str, Json]:
    """``bound``: the name of the one that was hit, where one was."""
    return {"bound": words(ending.bound)} if isinstance(ending, OutOfBound) else {}


def waves(waves: Waves | None) -> Json:
    """``wave``: how many lanes one has, and how many of each run; ``null`` where the module does not say
    it."""
    return None if waves is None else {"size": waves.size, "lanes": list(waves.lanes)}


def shape(launch: Launch) -> dict[str, Json]:
    """What is launched: the function, how many threads in all, the grid of workgroups and the threads of each
    along x, y and z, and the lanes of a subgroup, if they were asked for."""
    return {
        "function": "@" + launch.function,
        "threads": launch.threads,
        "grid": list(launch.grid),
        "workgroup": list(launch.workgroup or Extent(launch.threads)),
        "subgroup_size": launch.subgroup_size,
    }


def answer(run: Run, module: Module, picture: tuple[str, ...], notes: tuple[str, ...]) -> dict[str, Json]:
    """``convcheck run --format json``."""
    launch = run.machine.launch
    return {
        "schema": SCHEMA,
        "command": "run",
        "ending": ENDING_NAMES[type(run.ending)],
        "alignment": alignment(run, picture),
        "outcome": outcome(run.outcome),
        "rules": [rule.id for rule in run.rules],
        **shape(launch),
        "wave": waves(run.waves),
        "reason": reason(run.ending),
        **bound(run.ending),
        "details": list(details(run.ending, module)),
        "notes": list(notes),
        **({} if run.otherwise is None else {"otherwise": run.otherwise}),
        "races": races.race_data(run.races, module),
        "choices": [
            {"choice": choice.label, "options": choice.options, "taken": choice.option}
            for choice in run.choices
        ],
        "steps": run.steps,
        "engine": endings.engine_data(run.engine),
    }
