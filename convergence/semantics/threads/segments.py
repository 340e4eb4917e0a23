"""A block of prepared code on its way into segments: straight runs of steps, each with what ends it."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import NotModelled, Undefined
from .state import Finish, Frame, Planned, Registers, Runs, Segment, Step, Stops, Thread, as_finish


class SegmentBuilder:
    """A block on its way into segments."""

    def __init__(self, entry: Segment, first: int) -> None:
        self.segment = entry
        entry.first = first
        self._begun = first
        self._steps: list[Step] = []
        self._indices: list[int] = []
        self._slots: list[int] = []
        self._promises: list[int] = []

    def add(self, index: int, planned: Planned, slot: int) -> None:
        """An instruction that is not the block's terminator."""
        match planned:
            case Runs(step):
                self.step(index, step, slot)
            case Stops(make):
                self.stop(index, make)

    def step(self, index: int, step: Step, slot: int) -> None:
        """An instruction that runs on within the segment."""
        self._steps.append(step)
        self._indices.append(index)
        self._slots.append(slot)

    def promise(self, index: int, step: Step, slot: int) -> None:
        """What looks after a promise of the value in a register, behind or before the instruction there."""
        self._promises.append(len(self._steps))
        self.step(index, step, slot)

    def stop(self, index: int, make: Callable[[Segment], Finish]) -> None:
        """An instruction that ends the segment; ``make`` is given the segment after it."""
        after = Segment(index + 1)
        done = self.segment
        self.finish(index, make(after))
        done.after = after
        self.segment = after
        self._begun = index + 1
        self._steps, self._indices, self._slots, self._promises = [], [], [], []

    def cut(self, index: int) -> None:
        """The instruction at ``index`` begins a segment."""
        if self._steps:
            after = Segment(index)
            self.finish(index - 1, as_finish(Runs(_nothing), after))
            self.segment = after
            self._begun = index
            self._steps, self._indices, self._slots, self._promises = [], [], [], []

    def finish(self, index: int, finish: Finish) -> None:
        """The instruction that ends the block."""
        segment = self.segment
        segment.steps, segment.indices, segment.slots = (
            tuple(self._steps),
            tuple(self._indices),
            tuple(self._slots),
        )
        segment.promises = frozenset(self._promises)
        segment.finish = finish
        segment.last = index
        segment.cost = index + 1 - self._begun


def _nothing(r: Registers) -> None:
    """A step that does nothing."""


def failing(problem: NotModelled | Undefined) -> Step:
    def fail(r: Registers) -> None:
        raise problem.with_traceback(None)

    return fail


def failing_finish(problem: NotModelled | Undefined) -> Finish:
    def fail(thread: Thread, frame: Frame) -> Frame | None:
        raise problem.with_traceback(None)

    return fail
