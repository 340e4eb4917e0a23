"""What the outside can see of an execution, and when one outcome is refined by another (semantics.md, §6).

Seen are, per thread, how it ends, its return value and its events in order, and the final contents of
shared memory. An event is its callee, operands, result and group, the group as thread → the number of
that thread's event: no name or place of an instruction. A scalar that is poison is refined by every
value of its type, one that is undef by every value that is not poison; elements of vectors, arrays and
structs, and of memory by the variable's type, are scalars of their own. Undef is not told apart by bit.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..ir.module import Module
from ..semantics.events import Called, Event
from ..semantics.outcome import Outcome, ThreadOutcome
from .mismatch import (
    EndMismatch,
    EventMismatch,
    EventPart,
    ExtraEvent,
    MemoryMismatch,
    Mismatch,
    ReturnMismatch,
)

_HIDDEN = frozenset({"internal", "private"})


def visible(module: Module) -> frozenset[str]:
    """The shared variables that the outside can look at, as :attr:`Outcome.memory` names them: not those with
    internal or private linkage, which a transform may rewrite or remove."""
    return frozenset(
        f"@{name}" for name, variable in module.globals.items() if not _HIDDEN & set(variable.words)
    )


def limited(outcome: Outcome, names: frozenset[str]) -> Outcome:
    """The outcome with no other memory than these variables."""
    if names.issuperset(outcome.memory):
        return outcome
    return Outcome(outcome.threads, {n: v for n, v in outcome.memory.items() if n in names})


def difference(source: Outcome, target: Outcome) -> Mismatch | None:
    """Why the target's outcome does not refine the source's; ``None`` if it does."""
    for one, other in zip(source.threads, target.threads, strict=True):
        found = _thread_difference(one, other)
        if found is not None:
            return found
    for name, value in source.memory.items():
        if name in target.memory and not refined(value, target.memory[name]):
            return MemoryMismatch(name, value, target.memory[name])
    return None


def _thread_difference(source: ThreadOutcome, target: ThreadOutcome) -> Mismatch | None:
    thread = source.thread
    for number, (one, other) in enumerate(zip(source.events, target.events, strict=False), 1):
        if (found := _event_difference(thread, number, one, other)) is not None:
            return found
    ours, theirs = len(source.events), len(target.events)
    if ours > theirs:
        return ExtraEvent("source", thread, theirs + 1, _name(source.events[theirs]))
    if theirs > ours:
        return ExtraEvent("target", thread, ours + 1, _name(target.events[ours]))
    if source.ended != target.ended:
        return EndMismatch(thread, source.ended, target.ended)
    if not refined(source.value, target.value):
        return ReturnMismatch(thread, source.value, target.value)
    return None


def _event_difference(thread: int, number: int, source: Event, target: Event) -> EventMismatch | None:
    one, other = _name(source), _name(target)

    def differ(part: EventPart, ours: object, theirs: object) -> EventMismatch:
        return EventMismatch(thread, number, part, one, ours, theirs)

    if type(source) is not type(target) or one != other:
        return EventMismatch(thread, number, "callee", "", one, other)
    if len(source.operands) != len(target.operands):
        return differ("operand count", len(source.operands), len(target.operands))
    for a, b in zip(source.operands, target.operands, strict=True):
        if not refined(a, b):
            return differ("operand", a, b)
    if isinstance(source, Called) and isinstance(target, Called) and source.group != target.group:
        return differ("group", _members(source.group), _members(target.group))
    if not refined(source.result, target.result):
        return differ("result", source.result, target.result)
    return None


def _members(group: Mapping[int, int] | None) -> tuple[tuple[int, int], ...] | None:
    return None if group is None else tuple(group.items())


def _name(event: Event) -> str:
    return f"@{event.callee}" if isinstance(event, Called) else f"volatile {event.operation}"


def refined(source: object, target: object) -> bool:
    """Whether plain data of the source is refined by that of the target."""
    if source == "poison":
        return True
    if isinstance(source, list | tuple) and isinstance(target, list | tuple):
        return len(source) == len(target) and all(map(refined, source, target))
    if source == "undef":
        return target != "poison"
    return type(source) is type(target) and repr(source) == repr(target)
