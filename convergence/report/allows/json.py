"""``convcheck allows --format json``."""

from __future__ import annotations

from ...frozen import Json
from ...ir.module import Module
from ...sched.ask.allows import Allowed
from ...sched.ask.question import Aligned
from ...sched.why import operations
from ..parts.endings import words
from ..run.json import alignment, outcome
from ..verify.json import SCHEMA
from .words import sentence


def answer(value: Allowed, module: Module, picture: tuple[str, ...]) -> dict[str, Json]:
    """The whole answer. ``instances`` are the two that are not as asked for, if it is they."""
    bound = None if value.enumeration is None else value.enumeration.bound
    return {
        "schema": SCHEMA,
        "command": "allows",
        "verdict": value.verdict,
        "rule": None if value.rule is None else value.rule.id,
        "reason": None if value.obstacle is None else sentence(value.obstacle, module),
        "instances": _instances(value, module),
        "alignment": None if value.alignment is None else alignment(value.alignment, picture),
        "outcome": None if value.outcome is None else outcome(value.outcome.outcome),
        "complete": value.enumeration is None or value.enumeration.complete,
        "bound": None if bound is None else words(bound),
    }


def _instances(value: Allowed, module: Module) -> Json:
    if not isinstance(value.obstacle, Aligned):
        return []
    names = operations(module)
    return [
        {"operation": names.get(i.site), "function": f"@{i.site.function}", "thread": i.thread, "nth": i.nth}
        for i in value.obstacle.pair
    ]
