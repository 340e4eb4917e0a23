"""When every thread waits and no group is certain: a group is closed by choice, against who might still come.

Safe closings come first: those against threads that may come only by a label that they need not
choose. A forced one is a guess; if a thread then comes after all, the run is no execution. Programs
that keep the static rules and have no free labels never get here (semantics.md, §2, fact 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..rules import Rule
from .arrival import may_come
from .errors import IllegalExecution, Waiting
from .groups import PendingGroup
from .resolving import resolve
from .threads import Thread

if TYPE_CHECKING:
    from .machine import Machine


@dataclass(frozen=True, slots=True)
class Closing:
    """The option to go on with the threads that are at an operation, without any other. ``guesses``: another
    may still come without choosing to."""

    operation: str
    threads: tuple[int, ...]
    pending: PendingGroup
    guesses: bool = False


def closings(machine: Machine) -> list[Closing]:
    """The groups that can be closed: safe ones first, then large ones, then by lowest thread."""
    candidates = [
        g for g in machine.pending.values() if len(g.operands) > g.passed_over and machine.complete(g)
    ]
    forced = {g.key: bool(awaited(machine, g)) for g in candidates}
    candidates.sort(key=lambda g: (forced[g.key], -len(g.operands), min(g.operands)))
    return [Closing(g.exchange.name, tuple(sorted(g.operands)), g, forced[g.key]) for g in candidates]


def close(machine: Machine, taken: Closing, passed_over: Sequence[Closing]) -> None:
    """Closes a group. Those that were passed over must grow before they are closed: without growing
    they commute with this one, so that the execution is found when they are closed first (the
    sleep sets of Godefroid, *Partial-Order Methods for the Verification of Concurrent Systems*)."""
    if machine.program.settings.prune:
        for option in passed_over:
            option.pending.passed_over = len(option.pending.operands)
    if taken.guesses:
        machine.guesses.extend(w for w in waiting(machine) if w.thread in taken.pending.operands)
    resolve(machine, taken.pending)


def repeated(group: PendingGroup) -> IllegalExecution:
    """A group is closed with the threads with which it could have been closed before."""
    words = f"{group.exchange.name} could have been closed before: the same execution in another order"
    return IllegalExecution(Rule.D_ORDER, words, repeats=True)


def waiting(machine: Machine) -> tuple[Waiting, ...]:
    """Who waits, at what, and for whom."""
    found = []
    for group in machine.pending.values():
        others = tuple(
            t.number
            for t in machine.members_of(group.launch)
            if t.alive and t.number not in group.operands and may_come(machine, t, group.key)
        )
        site = group.exchange.site
        for number in group.operands:
            found.append(Waiting(number, site, group.exchange.name, others, machine.program.span(site)))
    return tuple(sorted(found, key=lambda w: w.thread))


def awaited(machine: Machine, group: PendingGroup) -> list[Thread]:
    """The threads that may come to the group's operation without choosing to."""
    return [
        t
        for t in machine.members_of(group.launch)
        if t.alive and t.number not in group.operands and may_come(machine, t, group.key, by_choice=False)
    ]
