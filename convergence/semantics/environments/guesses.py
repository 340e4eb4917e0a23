"""Groups that are closed although another thread might still have come, where the memory order is a choice.

D-CAUSE asks that no access to shared memory is its own cause: neither by what threads read, nor by who
stays away from an exchange. A circle of exchanges and branches alone is none of that: there a thread stays
away from a group because of something that the group's result has brought about, and keys and columns are
all that says whether that is legal (D-EQ, D-ORDER). Such a circle has no access in it, so it can always be
run as one stretch: a group is closed by guess, and until everyone who was waited for can come no more, no
shared access is performed. If one of them comes, or waits for a read, the run is no execution.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...rules import Rule
from ..convergence.arrival import may_come
from ..convergence.keys import Key
from ..convergence.resolution import Closing, awaited
from ..errors import IllegalExecution
from ..values.pending import Pending

if TYPE_CHECKING:
    from .queued import DeferredMachine


@dataclass(frozen=True, slots=True)
class Guess:
    """A group, with ``key``, that was closed although ``threads`` might still have come to it."""

    key: Key
    threads: tuple[int, ...]


def unconfirmed(machine: DeferredMachine) -> list[Guess]:
    """The guesses of which it is not certain yet that they were right."""

    def may(number: int, key: Key) -> bool:
        thread = machine.threads[number]
        return thread.alive and may_come(machine, thread, key, by_choice=False)

    return [g for g in machine.guessed if any(may(number, g.key) for number in g.threads)]


def worth_a_guess(machine: DeferredMachine, options: Sequence[Closing]) -> list[Closing]:
    """The closings by guess that can be confirmed: none that waits for a thread which waits for a read."""
    if not options or machine.order is None:  # nobody has to guess (semantics.md, §2, fact 2)
        return []
    reads = {id(i.result) for queue in machine.queues for i in queue if i.result is not None}
    owed = {id(value): key for (key, _), value in machine.owed.items()}
    return [
        option
        for option in options
        if not any(
            _needs_a_read(machine, machine.needs.get(thread.number), reads, owed)
            for thread in awaited(machine, option.pending)
        )
    ]


def _needs_a_read(machine: DeferredMachine, value: Any, reads: set[int], owed: dict[int, Key]) -> bool:
    """Whether a value cannot come before some access is performed, whatever groups are closed."""
    work, known = [value], set[int]()
    while work:
        top = work.pop()
        if top.__class__ is not Pending or top.ready or id(top) in known:
            continue
        known.add(id(top))
        if id(top) in reads:
            return True
        work += top.operands
        key = owed.get(id(top))
        if key is not None and key in machine.pending:
            work += _operands(machine, key)
    return False


def _operands(machine: DeferredMachine, key: Key) -> Iterable[Any]:
    return [v for values in machine.pending[key].operands.values() for v in values]


def wrong(machine: DeferredMachine, words: str) -> IllegalExecution:
    """A guess cannot be confirmed any more. Where there were other ways to go on, those show what this run
    would have shown."""
    return IllegalExecution(Rule.D_CAUSE, words, repeats=not machine.only_guesses)
