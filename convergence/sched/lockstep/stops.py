"""What ends a run from inside, as an ending."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...semantics.outcome import Ending, Illegal, NotModelled, OutOfBound, UndefinedBehaviour
from ...semantics.threads import BoundHit, IllegalExecution, Thread
from ...semantics.values import NotModelled as Unmodelled
from ...semantics.values import Undefined

if TYPE_CHECKING:
    from .machine import LockstepMachine

Stop = IllegalExecution | Undefined | Unmodelled | BoundHit
STOPS = (IllegalExecution, Undefined, Unmodelled, BoundHit)


def ending_of(stop: Stop, lane: Thread | None, machine: LockstepMachine) -> Ending:
    """The ending, with the lane that was acting and its call stack."""
    who, stack = 0 if lane is None else lane.number, machine.stack(lane)
    match stop:
        case IllegalExecution():
            return Illegal(stop.rule, stop.words, who, stack, stop.repeats)
        case Undefined():
            return UndefinedBehaviour(stop.reason, stop.section, who, stack)
        case Unmodelled():
            return NotModelled(stop.what, who, stack)
        case BoundHit():
            return OutOfBound(stop.bound, None)
