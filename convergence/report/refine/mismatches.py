"""A mismatch between source and target, and a group that differs between them, in words."""

from __future__ import annotations

from typing import Any

from ...refine.sides.observable import (
    EndMismatch,
    EventMismatch,
    ExtraEvent,
    MaskFault,
    MemoryMismatch,
    Mismatch,
    NoOutcome,
    OnlyEndless,
    OnlyUndefined,
    ReturnMismatch,
)
from ...refine.verdict.result import GroupDeparture, NoCall, NotConverged, TwoOperations
from ..parts.groups import difference_words, ordinal
from ..simulate.text import departure as machine_departure

LONG = 16
"""Elements of an aggregate that are shown."""


def mismatch_reason(departure: GroupDeparture) -> str:
    """Why the group is another one on one of the sides; empty if nothing is known."""
    match departure.why:
        case None:
            return ""
        case NoCall(side, thread, number, _, other=True):
            return f"in the {side} thread {thread} makes no {ordinal(number)} call of it"
        case NoCall(side, thread, number, callee, begun):
            which = f"{ordinal(number)} call of {callee} in the {side}"
            return f"thread {thread} {'is not done with its' if begun else 'makes no'} {which}"
        case TwoOperations(side, (thread, name), (other, theirs)):
            return f"in the {side} it is {name} in thread {thread}, {theirs} in thread {other}"
        case NotConverged(side, (thread, other), difference, names):
            if difference is None:
                return f"in the {side} they are not converged"
            reason = difference_words(difference, names.__getitem__, (f"thread {thread}", f"thread {other}"))
            return f"in the {side} {reason} ({difference.rule.id})"


def words(mismatch: Mismatch) -> str:
    """``thread 1 returns 0 in the source, 1 in the target``."""
    match mismatch:
        case OnlyUndefined(side, reason):
            return f"undefined behaviour only in the {side}: {reason}"
        case OnlyEndless(side, waits):
            if waits:
                return f"only the {side} may run without an end"
            return f"only the {side} has no execution that is complete"
        case MaskFault(side, left):
            return f"a wrong mask in the {side}: {machine_departure(left)}"
        case NoOutcome(side):
            return f"the {side} has no outcome"
        case ExtraEvent(side, thread, number, event):
            return f"event {number} of thread {thread}, {event}, is only in the {side}"
        case EventMismatch(thread, number):
            return f"event {number} of thread {thread}: {_event(mismatch)}"
        case EndMismatch(thread, source, target):
            return f"thread {thread} {_sides(source, target)}"
        case ReturnMismatch(thread, source, target):
            return f"thread {thread} returns {_sides(_value_text(source), _value_text(target))}"
        case MemoryMismatch(name, source, target, thread):
            whose = "" if thread is None else f" of thread {thread}"
            return f"at the end {name}{whose} is {_sides(_value_text(source), _value_text(target))}"


def _event(mismatch: EventMismatch) -> str:
    event, source, target = mismatch.event, mismatch.source, mismatch.target
    match mismatch.part:
        case "callee":
            return _sides(str(source), str(target))
        case "operand count":
            return f"{event} has {source} operands in the source, {target} in the target"
        case "operand":
            return f"{event} with {_sides(_value_text(source), _value_text(target))}"
        case "group":
            return f"{event} by {_group(source)} in the source, by {_group(target)} in the target"
        case "memory":
            return f"{event} may read {_place(source)} in the source, {_place(target)} in the target"
        case "result":
            return f"{event} gives {_sides(_value_text(source), _value_text(target))}"


def _place(read: Any) -> str:
    """``7 in byte 0 of @out``; a number stands for what the pointer operand of that number points to."""
    what, offset, byte = read
    where = what if isinstance(what, str) else f"what pointer operand {what + 1} points to"
    return f"{'what was there before' if byte is None else _value_text(byte)} in byte {offset} of {where}"


def _sides(source: str, target: str) -> str:
    return f"{source} in the source, {target} in the target"


def _group(group: Any) -> str:
    """``thread 0 (event 2) and thread 1 (event 3)``."""
    if group is None:
        return "one thread alone, no convergent operation"
    return " and ".join(f"thread {thread} (event {number})" for thread, number in group)


def _value_text(value: object) -> str:
    if isinstance(value, list | tuple):
        left = ", ..." if len(value) > LONG else ""
        return f"[{', '.join(map(_value_text, value[:LONG]))}{left}]"
    return str(value)
