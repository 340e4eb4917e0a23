"""What the outside can see of an execution without an end (semantics.md, §6): events, some of which come
again for ever.

A thread's events are a beginning and a *period* that is repeated. Two such threads show the same exactly if
their events agree up to where both are in their periods, and for two rounds of both from there on: the
numbers in the groups of events, too, for these grow by the same in each round of both periods.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import lcm

from ...semantics.errors import Endless
from ...semantics.machine.log import Called, Event
from ...semantics.machine.outcome import Outcome, ThreadOutcome

ENDED = "endless"
"""How a thread ends that does not: it goes round, or waits for what never comes."""
LONGEST = 200
"""Events of one thread in one period that are compared."""


def endless_outcome(ending: Endless, outcome: Outcome) -> Outcome | None:
    """What is seen of an execution that goes round; ``outcome`` is what was seen of it until that was known.
    Memory is looked at when an execution is over, so nobody looks at it. ``None`` where periods are not
    known, or one is too long, or where threads wait: what these may show is left open."""
    if ending.waiting or not ending.periods or any(period > LONGEST for _, period in ending.periods):
        return None
    threads = []
    for thread, (before, period) in zip(outcome.threads, ending.periods, strict=True):
        if thread.ended == "unfinished":
            events = thread.events[: before + period]
            threads.append(ThreadOutcome(thread.thread, ENDED, None, events, period=period))
        else:
            threads.append(thread)
    return Outcome(tuple(threads), {})


def is_endless(outcome: Outcome) -> bool:
    """Whether some thread never ends."""
    return any(thread.ended == ENDED for thread in outcome.threads)


def unrolled(outcome: Outcome, other: Outcome) -> tuple[Outcome, Outcome]:
    """Two outcomes with so many events of endless threads that they show the same if these are the same."""
    if not (is_endless(outcome) or is_endless(other)):
        return outcome, other
    endings, others = [], []
    for mine, theirs in zip(outcome.threads, other.threads, strict=True):
        beginning = max(len(mine.events), len(theirs.events))
        length = beginning + 2 * lcm(max(1, mine.period), max(1, theirs.period))
        common = min(len(mine.events), len(theirs.events))
        endings.append(_without_results(_until(mine, length, outcome.threads), common))
        others.append(_without_results(_until(theirs, length, other.threads), common))
    return Outcome(tuple(endings), outcome.memory), Outcome(tuple(others), other.memory)


def _until(thread: ThreadOutcome, length: int, threads: Sequence[ThreadOutcome]) -> ThreadOutcome:
    if not thread.period:
        return thread
    events = list(thread.events)
    again = thread.events[len(events) - thread.period :]
    rounds = 0
    while len(events) < length:
        rounds += 1
        events += [_later(event, rounds, threads) for event in again]
    return replace(thread, events=tuple(events[:length]), period=0)


def _without_results(thread: ThreadOutcome, since: int) -> ThreadOutcome:
    """The thread with no results of calls behind so many events: of what has no model they depend on how many
    calls went before, so that a round's are not the next one's; of all else they follow from the operands."""
    later = (replace(e, result=None) if isinstance(e, Called) else e for e in thread.events[since:])
    return replace(thread, events=(*thread.events[:since], *later))


def _later(event: Event, rounds: int, threads: Sequence[ThreadOutcome]) -> Event:
    """The event so many rounds later: the numbers in its group are those of that round."""
    if not isinstance(event, Called) or event.group is None:
        return event
    group = {thread: number + rounds * threads[thread].period for thread, number in event.group.items()}
    return replace(event, group=group)
