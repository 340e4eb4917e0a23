"""What stands against an alignment or a state, in words."""

from __future__ import annotations

from ...ir.module import Module
from ...sched.ask.allows import Allowed
from ...sched.ask.question import (
    Aligned,
    NoExecution,
    NoSuchState,
    NoWay,
    Obstacle,
    OtherPath,
    TwoBlocks,
)
from ...sched.why import operations
from ..parts.groups import ordinal
from ..run.why import reason


def sentence(obstacle: Obstacle, module: Module) -> str:
    """One sentence."""
    match obstacle:
        case TwoBlocks(column, (objection, other)):
            blocks = f"%{objection} and %{other}"
            return f"column {column} holds {blocks}, which are two blocks: no operation is in both"
        case NoWay(thread, None, None):
            return f"thread {thread} takes no block at all"
        case NoWay(thread, None, block):
            return f"thread {thread} cannot begin with %{block}, which is not the entry block"
        case NoWay(thread, before, None):
            return f"thread {thread} cannot end behind %{before}"
        case NoWay(thread, before, block):
            return f"thread {thread} cannot go from %{before} to %{block}"
        case OtherPath(thread, request, taken):
            return f"thread {thread} takes {' '.join(taken)}, and not {' '.join(request)}"
        case Aligned(pair, together, _, column, why):
            name = operations(module).get(pair[0].site, "the operation")
            first, second = (f"the {ordinal(i.nth)} time of thread {i.thread}" for i in pair)
            which = f"{first} and {second}"
            place = "" if column is None else f"column {column}: "
            verb = "are never converged" if together else "are always converged"
            because = "" if why is None else f": {reason(why)}"
            return f"{place}at {name}, {which} {verb}{because}"
        case NoSuchState(outcomes):
            return f"none of the {outcomes} outcomes is so" if outcomes > 1 else "the only outcome is not so"
        case NoExecution():
            return "no legal execution returns"


def first_line(value: Allowed, module: Module) -> str:
    """The first line of the answer."""
    match value.verdict, value.obstacle:
        case "allowed", _:
            return "allowed: a legal execution is so"
        case "unknown", _:
            return "unknown: none was found before a bound was hit"
        case _, obstacle:
            assert obstacle is not None
            assert value.rule is not None
            return f"forbidden [{value.rule.id}]: {sentence(obstacle, module)}"
