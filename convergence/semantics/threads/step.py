"""A thread of the program under test: it runs alone until it ends or stops at an exchange."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from ...alignment.instances import DynamicInstance, StaticInstance
from ...source import Span
from ..errors import BoundHit, IllegalExecution, NotModelled, StackEntry, Undefined, UsageError
from .state import UNSET, CodeBlock, Frame

if TYPE_CHECKING:
    from ..convergence.keys import Key, LaunchGroup
    from ..machine.machine import Machine


class Status(Enum):
    """``READY`` to run, ``WAITING`` at an exchange, ``BLOCKED``: needs a value that is not there yet,
    ``RETURNED`` from the launched function, ``EXITED`` by a call that ends it, ``OFF``: never launched, as
    its quad has no covered lane."""

    READY = "ready"
    WAITING = "waiting"
    BLOCKED = "blocked"
    RETURNED = "returned"
    EXITED = "exited"
    OFF = "off"


class Record(NamedTuple):
    """A dynamic instance of a convergent operation or control intrinsic, where it was, and its key."""

    visit: int
    site: StaticInstance
    nth: int
    key: Key


class Thread:
    """One thread.

    ``number``   from 0, over all launch groups
    ``launch``   its launch group
    ``frame``    the innermost activation; ``bottom`` the launched function's
    ``depth``    how many activations there are
    ``status``   whether it can run; ``alive`` whether it may still execute something
    ``at``       the instruction index of the operation at which it waits or accesses memory
    ``keys``     the key of each instance that it executed -> nth
    ``holders``  a key that others hang from -> the frame in which they do: a token's, a call's
    ``counts``   how often it executed each static instance that is recorded
    ``records``  those instances, in order
    ``visits``   its blocks in order; a frame stands before the visits that are in it
    ``events``   what the outside saw, in order
    ``calls``    how often it called each declared function that has no model
    ``epoch``    grows whenever it has moved
    ``last``     the class of its latest instance in convergence-before
    """

    __slots__ = (
        "alive", "at", "bottom", "calls", "counts", "depth", "epoch", "events", "frame", "frames_made",
        "holders", "keys", "last", "launch", "machine", "memory", "number", "path", "path_at", "pending",
        "records", "status", "steps", "value", "visits",
    )  # fmt: skip

    def __init__(self, number: int, launch: LaunchGroup, machine: Machine) -> None:
        self.number = number
        self.launch = launch
        self.machine = machine
        self.memory: Any = machine.memory
        self.status = Status.READY
        self.alive = True
        self.bottom: Frame | None = None
        self.frame: Frame | None = None
        self.depth = 0
        self.frames_made = 0
        self.at = -1
        self.pending: Any = None
        self.keys: dict[Key, int] = {}
        self.holders: dict[Any, Frame] = {}
        self.counts: dict[StaticInstance, int] = {}
        self.records: list[Record] = []
        self.visits: list[CodeBlock | Frame] = []
        self.events: list[Any] = []
        self.calls: dict[str, int] = {}
        self.epoch = 0
        self.last: int = -1
        self.value: Any = None
        self.steps = 0
        self.path: Sequence[str] | None = None
        self.path_at = 0

    def end(self, status: Status) -> None:
        """It returned or exited."""
        self.status = status
        self.alive = False

    @property
    def lane(self) -> int:
        """Its number within its launch group."""
        return self.number - self.launch.first

    def next_instance(self, site: StaticInstance) -> DynamicInstance:
        """The dynamic instance that executing ``site`` now would be."""
        return DynamicInstance(self.number, site, self.counts.get(site, 0) + 1)

    def record(self, frame: Frame, site: StaticInstance, key: Key) -> None:
        """Executes an instance of a convergent operation or control intrinsic with this key.

        Raises IllegalExecution when the thread has met the key before, or the order has a cycle.
        """
        nth = self.counts.get(site, 0) + 1
        self.counts[site] = nth
        self.machine.execute(self, Record(frame.visit, site, nth, key))

    def position(self, frame: Frame) -> int:
        """The instruction index that ``frame``, one of its own, executes next."""
        return self.at if frame is self.frame and self.at >= 0 else frame.segment.first


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
        _explain(thread, frame, error)
        raise
    finally:
        thread.steps += budget - left
        thread.epoch += 1


def advance_traced(thread: Thread, budget: int) -> None:
    """As :func:`advance`, telling the tracer every step."""
    telling = thread.machine.telling
    frame = thread.frame
    assert frame is not None and telling is not None
    left = budget
    segment = frame.segment
    steps: Any = None
    try:
        while left > 0:
            segment = frame.segment
            registers = frame.registers
            steps = iter(segment.steps)
            for step, index, slot in zip(steps, segment.indices, segment.slots, strict=True):
                known = len(thread.records)
                step(registers)
                telling.step(thread, frame, index, registers[slot] if slot >= 0 else None, known)
            steps = None
            left -= segment.cost
            known, visit = len(thread.records), frame.visit
            following = segment.finish(thread, frame)
            if following is None and thread.alive:
                break
            if segment.cost:
                telling.step(thread, frame, segment.last, None, known)
            if following is None:
                break
            if following is frame and frame.visit != visit:
                telling.phis(thread, frame)
            frame = following
    except Exception as error:
        thread.at = _place(segment.indices, segment.last, steps)
        _explain(thread, frame, error)
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


def _explain(thread: Thread, frame: Frame, error: Exception) -> None:
    """Turns a fault of broken SSA into NotModelled: a value was used before its definition ran."""
    if isinstance(error, Undefined | NotModelled | IllegalExecution | BoundHit | UsageError):
        return
    if isinstance(error, AttributeError | TypeError | AssertionError) and _reads_unset(frame, thread.at):
        raise NotModelled("a use of a value whose definition was not executed") from error


def _reads_unset(frame: Frame, index: int) -> bool:
    code = frame.code
    names = code.reads(index)
    return any(frame.registers[code.slots[n]] is UNSET for n in names if n in code.slots)


def stack_of(thread: Thread, span: Callable[[StaticInstance], Span]) -> tuple[StackEntry, ...]:
    """A thread's call stack, innermost first; at most the innermost and outermost hundred frames."""
    entries = []
    frame, at = thread.frame, thread.at
    while frame is not None:
        site = StaticInstance(frame.code.name, max(at, 0))
        entries.append(StackEntry(frame.code.name, site, span(site)))
        at = frame.call
        frame = frame.caller
    return tuple(entries) if len(entries) <= 200 else (*entries[:100], *entries[-100:])
