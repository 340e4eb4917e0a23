"""Why two instances are converged or not, as data: the entries of ``why`` in ``run --format json``."""

from __future__ import annotations

from ...alignment.instances import DynamicInstance
from ...ir.module import Module
from ...sched.why.explanation import Apart, Why
from ...sched.why.query import times_executed
from ...sched.why.search import Alternatives
from ...source import Span
from ..verify.json import Json
from .json import alignment
from .why import choices, cycle, keys, marks, reason, rule, verdict


def answer(value: Why, module: Module, question: str, picture: tuple[str, ...]) -> dict[str, Json]:
    """One question and its answer. ``picture`` is that of the execution in which they meet, if any."""
    by = rule(value)
    return {
        "question": question,
        "instances": [_instance(value, instance) for instance in (value.one, value.other)],
        "verdict": verdict(value).replace(" ", "-"),
        "rule": None if by is None else by.id,
        "reason": reason(value),
        "places": [_place(module, mark.span, mark.message) for mark in marks(value) if mark.span.start >= 0],
        "keys": list(keys(value)),
        "alternatives": _alternatives(value, picture),
    }


def _instance(value: Why, instance: DynamicInstance) -> dict[str, Json]:
    run = value.run
    return {
        "operation": run.machine.program.name(instance.site),
        "function": "@" + instance.site.function,
        "thread": instance.thread,
        "nth": instance.nth,
        "executed": times_executed(run, instance.thread, instance.site),
    }


def _place(module: Module, span: Span, message: str) -> dict[str, Json]:
    position = module.source.position(span.start)
    return {"line": position.line, "column": position.column, "message": message}


def _alternatives(value: Why, picture: tuple[str, ...]) -> Json:
    """What other choices do; ``null`` where no choice put the two apart."""
    match value.answer:
        case Apart(_, _, Alternatives() as found):
            return {
                "summary": choices(found).rstrip(":"),
                "meeting": None if found.meeting is None else alignment(found.meeting, picture),
                "choices": None
                if found.meeting is None
                else [
                    {"choice": c.label, "options": c.options, "taken": c.taken} for c in found.meeting.choices
                ],
                "cycle": None if found.cycle is None else list(cycle(found.cycle, value.run)),
                "searched": found.searched,
                "complete": found.complete,
            }
        case _:
            return None
