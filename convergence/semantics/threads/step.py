"""A thread of the program under test: it runs alone until it ends or stops at an exchange."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from ...alignment import StaticInstance
from ...ir.instructions import Phi
from .. import BoundHit, IllegalExecution, NotModelled, StackEntry, Undefined, UsageError
from ..machine import Entered
from . import UNEXECUTED, UNSET, Frame, Segment, Thread

if TYPE_CHECKING:
    from ...source import Span

QUANTUM = 10_000
"""Instructions that a thread runs before another one has its turn: spinning threads let others go on."""
PATIENCE = 300
"""Instructions that a thread executes before anybody asks whether it goes round."""


def start_thread(thread: Thread, code: Any, arguments: Any) -> None:
    """D-ENTRY: the environment starts a thread in the launched function."""
    registers = code.initial.copy()
    registers[0] = thread
    for slot, value in zip(code.parameters, arguments, strict=False):
        registers[slot] = value
    frame = Frame(code, registers, None, 0, thread.launch)
    thread.frame = thread.bottom = frame
    thread.frames_made = thread.depth = 1
    log = thread.log
    log.append(Entered(thread.number, 0, None, None))
    frame.visit = len(log)
    log.append(code.blocks[0].visited[thread.number])


class TurnEnd(Protocol):
    """Where a turn may end early: at a ``segment``, if the thread ``came_back`` to what it was. A place in
    fewer activations than ``floor`` is better than this one."""

    segment: Segment
    floor: int

    def shallower(self, thread: Thread) -> None: ...

    def came_back(self, thread: Thread) -> bool: ...


def advance(thread: Thread, budget: int) -> None:
    """Runs the thread alone for about ``budget`` instructions, or until it stops.

    What makes a run end is raised, with the place noted in ``thread.at``.
    """
    frame = thread.frame
    assert frame is not None
    left = budget
    segment = frame.segment
    steps: Any = None
    try:
        while left > 0:
            segment = frame.segment
            registers = frame.registers
            steps = iter(segment.steps)
            for step in steps:
                step(registers)
            steps = None
            left -= segment.cost
            following = segment.finish(thread, frame)
            if following is None:
                break
            frame = following
    except Exception as error:
        thread.at = _place(segment.indices, segment.last, steps)
        explain(thread, frame, error)
        raise
    finally:
        thread.steps += budget - left
        thread.epoch += 1


def advance_watched(thread: Thread, budget: int, place: TurnEnd) -> None:
    """As :func:`advance`, or until the thread comes back to a place."""
    frame = thread.frame
    assert frame is not None
    left = budget
    segment = frame.segment
    steps: Any = None
    try:
        while left > 0:
            segment = frame.segment
            registers = frame.registers
            steps = iter(segment.steps)
            for step in steps:
                step(registers)
            steps = None
            left -= segment.cost
            following = segment.finish(thread, frame)
            if following is None:
                break
            if following is not frame:
                frame = following
                if thread.depth < place.floor:
                    place.shallower(thread)
                    continue
            if frame.segment is place.segment and place.came_back(thread):
                break
    except Exception as error:
        thread.at = _place(segment.indices, segment.last, steps)
        explain(thread, frame, error)
        raise
    finally:
        thread.steps += budget - left
        thread.epoch += 1


def advance_traced(thread: Thread, budget: int, place: TurnEnd | None = None) -> None:
    """As :func:`advance` and :func:`advance_watched`, logging every step."""
    from ..machine import trace

    frame = thread.frame
    assert frame is not None
    left = budget
    segment = frame.segment
    steps: Any = None
    try:
        while left > 0:
            segment = frame.segment
            registers = frame.registers
            steps = iter(segment.steps)
            for at, (step, index, slot) in enumerate(zip(steps, segment.indices, segment.slots, strict=True)):
                since = len(thread.log)
                if at in segment.promises:
                    value = registers[slot]
                    step(registers)
                    trace.promise(thread, frame, index, slot, value)
                    continue
                step(registers)
                trace.step(thread, frame, index, registers[slot] if slot >= 0 else None, since)
            steps = None
            left -= segment.cost
            since, visit = len(thread.log), frame.visit
            following = segment.finish(thread, frame)
            if following is None and thread.alive:
                break
            if segment.cost:
                trace.step(thread, frame, segment.last, None, since)
            if following is None:
                break
            if following is frame and frame.visit != visit:
                trace.phis(thread, frame)
            came, frame = following is not frame, following
            if place is not None and came and thread.depth < place.floor:
                place.shallower(thread)
            elif place is not None and frame.segment is place.segment and place.came_back(thread):
                break
    except Exception as error:
        thread.at = _place(segment.indices, segment.last, steps)
        explain(thread, frame, error)
        raise
    finally:
        thread.steps += budget - left
        thread.epoch += 1


def _place(indices: tuple[int, ...], last: int, steps: Any) -> int:
    """The instruction at which an exception arose: ``steps`` is what is left of the segment's
    iterator, ``None`` when its finish was running."""
    if steps is None:
        return last
    left: int = steps.__length_hint__()
    return indices[len(indices) - left - 1]


def explain(thread: Thread, frame: Frame, error: Exception) -> None:
    """Turns a fault of broken SSA into NotModelled: a value was used before its definition ran."""
    if isinstance(error, Undefined | NotModelled | IllegalExecution | BoundHit | UsageError):
        return
    if isinstance(error, AttributeError | TypeError | AssertionError) and _reads_unset(frame, thread.at):
        raise NotModelled(UNEXECUTED) from error


def _reads_unset(frame: Frame, index: int) -> bool:
    code = frame.code
    names = code.reads(index)
    return any(frame.registers[code.slots[n]] is UNSET for n in names if n in code.slots)


def _stands(thread: Thread, frame: Frame) -> int:
    """The instruction that is executed next in the innermost frame; phis take their values on the way in."""
    at = thread.position(frame)
    while thread.at < 0 and isinstance(frame.code.instructions[at], Phi):
        at += 1
    return at


def stack_of(thread: Thread, span: Callable[[StaticInstance], Span]) -> tuple[StackEntry, ...]:
    """A thread's call stack, innermost first; at most the innermost and outermost hundred frames."""
    entries = []
    frame = thread.frame
    at = -1 if frame is None else _stands(thread, frame)
    while frame is not None:
        site = StaticInstance(frame.code.name, at)
        entries.append(StackEntry(frame.code.name, site, span(site)))
        at = frame.call
        frame = frame.caller
    return tuple(entries) if len(entries) <= 200 else (*entries[:100], *entries[-100:])
