"""``allows``: whether an alignment or a state is legal."""

from __future__ import annotations

from collections.abc import Sequence

from ..frozen import Json
from ..ir.module import Module
from ..sched.ask.allows import Allowed
from ..sched.ask.question import Aligned, NoExecution, NoSuchState, NoWay, Obstacle, OtherPath, TwoBlocks
from ..sched.why import operations
from ..semantics.machine.run import contents_at_launch
from .parts import PLAIN, SCHEMA, Style, printable
from .parts.words import ordinal, words
from .run import alignment, cut, group_lines, outcome, outcome_text
from .why import reason

# ----------------------------------------------------------------------------------------------------------
# What stands against an alignment or a state, in words.
# ----------------------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------------------
# ``convcheck allows`` for people.
# ----------------------------------------------------------------------------------------------------------


def text(
    value: Allowed, module: Module, picture: Sequence[str], style: Style = PLAIN, quiet: bool = False
) -> str:
    """The verdict; where it is allowed also the execution that is so, unless ``quiet``."""
    lines = printable(first_line(value, module))
    parts = [style.good(lines) if value else style.strong(lines)]
    if value.verdict == "unknown" and value.enumeration is not None and value.enumeration.bound is not None:
        parts[0] += f" ({words(value.enumeration.bound)})"
    if value.rule is not None:
        parts.append(f"  {value.rule.id}: {value.rule.sentence}")
    if value.alignment is not None and value.outcome is not None and not quiet:
        parts.append("")
        parts += [f"Thread {number}: {cut(row)}" for number, row in enumerate(picture)]
        outcome, final_state = value.outcome.outcome, value.question
        before = (
            outcome.contents
            if final_state is None
            else contents_at_launch(final_state.module, final_state.spec)
        )
        changed = outcome.contents.changed(before)
        parts += ["", group_lines(value.alignment.groups, False), "", outcome_text(outcome, changed)]
    if value.enumeration is not None and value.enumeration.notes:
        parts += ["", *(f"note: {printable(note)}" for note in value.enumeration.notes)]
    return "\n".join(parts).rstrip("\n") + "\n"


# ----------------------------------------------------------------------------------------------------------
# ``convcheck allows --format json``.
# ----------------------------------------------------------------------------------------------------------


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
        "notes": [] if value.enumeration is None else list(value.enumeration.notes),
    }


def _instances(value: Allowed, module: Module) -> Json:
    if not isinstance(value.obstacle, Aligned):
        return []
    names = operations(module)
    return [
        {"operation": names.get(i.site), "function": f"@{i.site.function}", "thread": i.thread, "nth": i.nth}
        for i in value.obstacle.pair
    ]
