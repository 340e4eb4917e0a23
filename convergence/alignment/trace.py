"""One thread's trace in program order: blocks entered, operations executed, callees in between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .instances import BlockVisit, DynamicInstance


class Step(NamedTuple):
    """The thread enters its ``visit``-th block visit (from 0), or executes ``operation`` in it."""

    visit: int
    operation: DynamicInstance | None


class _Activation:
    """A frame on the thread's stack: its current visit and how much of it has been told."""

    __slots__ = ("frame", "told", "visit")

    def __init__(self, frame: int, visit: int) -> None:
        self.frame = frame
        self.visit = visit
        self.told = 0


def program_order(visits: Sequence[BlockVisit]) -> Iterator[Step]:
    """A thread's steps in the order in which it took them.

    A callee's visits stand after the whole visit that calls (``BlockVisit``); here the caller's
    operations behind the call come after the callee has returned. Without a call site in the
    data they all come before the callee.
    """
    stack: list[_Activation] = []
    live: set[int] = set()

    def rest(activation: _Activation, upto: int | None = None) -> Iterable[Step]:
        """What the current visit still has to tell, up to the instruction numbered ``upto``."""
        operations = visits[activation.visit].operations
        while activation.told < len(operations):
            operation = operations[activation.told]
            if upto is not None and operation.site.index > upto:
                return
            activation.told += 1
            yield Step(activation.visit, operation)

    for number, visit in enumerate(visits):
        home = visit.frame if visit.frame in live else visit.caller
        while stack and stack[-1].frame != home:
            live.discard(stack[-1].frame)
            yield from rest(stack.pop())
        if stack and home == visit.frame:
            yield from rest(stack[-1])
            stack[-1].visit, stack[-1].told = number, 0
        else:
            if stack:
                yield from rest(stack[-1], None if visit.call is None else visit.call.index)
            stack.append(_Activation(visit.frame, number))
            live.add(visit.frame)
        yield Step(number, None)
    while stack:
        yield from rest(stack.pop())
