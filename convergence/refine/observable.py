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


def difference(source: Outcome, target: Outcome) -> str | None:
    """Why the target's outcome does not refine the source's, in words; ``None`` if it does."""
    for one, other in zip(source.threads, target.threads, strict=True):
        found = _thread_difference(one, other)
        if found is not None:
            return found
    for name, value in source.memory.items():
        if name in target.memory and (found := _value(value, target.memory[name])):
            return f"at the end {name} is {found}"
    return None


def _thread_difference(source: ThreadOutcome, target: ThreadOutcome) -> str | None:
    thread = f"thread {source.thread}"
    for number, (one, other) in enumerate(zip(source.events, target.events, strict=False), 1):
        found = _event_difference(one, other)
        if found is not None:
            return f"event {number} of {thread}: {found}"
    if len(source.events) != len(target.events):
        longer, side, more = (
            (source, "source", len(target.events))
            if len(source.events) > len(target.events)
            else (target, "target", len(source.events))
        )
        return f"event {more + 1} of {thread}, {_name(longer.events[more])}, is only in the {side}"
    if source.ended != target.ended:
        return f"{thread} {source.ended} in the source, {target.ended} in the target"
    found = _value(source.value, target.value)
    return None if found is None else f"{thread} returns {found}"


def _event_difference(source: Event, target: Event) -> str | None:
    one, other = _name(source), _name(target)
    if type(source) is not type(target) or one != other:
        return f"{one} in the source, {other} in the target"
    if len(source.operands) != len(target.operands):
        counts = f"{len(source.operands)} operands in the source, {len(target.operands)} in the target"
        return f"{one} has {counts}"
    for a, b in zip(source.operands, target.operands, strict=True):
        if found := _value(a, b):
            return f"{one} with {found}"
    if isinstance(source, Called) and isinstance(target, Called) and source.group != target.group:
        return f"{one} by {_group(source.group)} in the source, by {_group(target.group)} in the target"
    if found := _value(source.result, target.result):
        return f"{one} gives {found}"
    return None


def _name(event: Event) -> str:
    return f"@{event.callee}" if isinstance(event, Called) else f"volatile {event.operation}"


def _group(group: Mapping[int, int] | None) -> str:
    """``thread 0 (event 2) and thread 1 (event 3)``."""
    if group is None:
        return "one thread alone, no convergent operation"
    return " and ".join(f"thread {t} (event {n})" for t, n in group.items())


def _value(source: object, target: object) -> str | None:
    if refined(source, target):
        return None
    return f"{_shown(source)} in the source, {_shown(target)} in the target"


def refined(source: object, target: object) -> bool:
    """Whether plain data of the source is refined by that of the target."""
    if source == "poison":
        return True
    if isinstance(source, list | tuple) and isinstance(target, list | tuple):
        return len(source) == len(target) and all(map(refined, source, target))
    if source == "undef":
        return target != "poison"
    return type(source) is type(target) and repr(source) == repr(target)


def _shown(value: object) -> str:
    if isinstance(value, list | tuple) and len(value) > 16:
        return f"[{', '.join(map(_shown, value[:16]))}, ...]"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_shown, value))}]"
    return str(value)

