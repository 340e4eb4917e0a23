"""All lists of choices, depth first: the runner that enumerates.

One run is a function of its choices (semantics.md, §3), so walking the tree of choices needs no
copies of the machine: every run starts afresh and is told what to choose up to the branch that is new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from ..rules import Rule
from ..semantics.choice import Chooser
from ..semantics.closing import Closing
from ..semantics.deferred_accesses import Perform, Scheduler
from ..semantics.deferred_machine import DeferredMachine
from ..semantics.errors import IllegalExecution
from ..semantics.races import Read
from .reduction import Step
from .states import States

T = TypeVar("T")
R = TypeVar("R")


class Branch:
    """A choice on the current path: option number ``taken`` of so many ``options``."""

    __slots__ = ("options", "taken", "undefined")

    def __init__(self, options: int) -> None:
        self.undefined = False
        self.options = options
        self.taken = 0

    def advance(self) -> bool:
        """On to the next option; False if there is none left."""
        self.taken += 1
        return self.taken < self.options


class Walk(Scheduler, Generic[R]):
    """Every run of ``once``, depth first, first options first.

    ``path``   the choices of the latest run
    ``states`` watches for whole states that come back, where threads may spin; then ``machine`` is the
               one that runs
    ``reduce`` whether what happens next is chosen with partial-order reduction (:mod:`reduction`);
               it never changes which alignments and outcomes there are
    """

    def __init__(self, once: Callable[[Chooser], R], reduce: bool = True) -> None:
        self._once = once
        self.reduce = reduce
        self.path: list[Branch | Step] = []
        self.states: States | None = None
        self.machine: DeferredMachine | None = None
        self._at = 0

    def __iter__(self) -> Iterator[R]:
        while True:
            self._begin()
            yield self._once(self)
            del self.path[self._at :]
            while self.path and not self.path[-1].advance():
                self.path.pop()
            if not self.path:
                return

    def _begin(self) -> None:
        self._at = 0
        if self.states is not None:
            self.states.begin()

    def restart(self, undefined: frozenset[Read]) -> None:
        """The run that is under way begins again, for these reads give undef: what came after the first of
        them may be something else now, and is forgotten."""
        keep = len(self.path)
        for place, read in self._accesses():
            if read in undefined and not self.path[place].undefined:
                self.path[place].undefined = True
                keep = min(keep, place + 1)
        del self.path[keep:]
        self._begin()

    def undefined(self) -> frozenset[Read]:
        """The accesses on the path that are reads known to race."""
        return frozenset(read for place, read in self._accesses() if self.path[place].undefined)

    def _accesses(self) -> Iterator[tuple[int, Read]]:
        """The accesses on the path, by their places in it."""
        counts: dict[int, int] = {}
        for place, step in enumerate(self.path):
            if isinstance(step, Step) and isinstance(step.taken, Perform):
                thread = step.taken.thread
                counts[thread] = counts.get(thread, 0) + 1
                yield place, Read(thread, counts[thread])

    def choose(self, label: str, options: Sequence[T]) -> T:
        """Follows the path; where it ends, the first option is new."""
        if self._at == len(self.path):
            self.path.append(Branch(len(options)))
        branch = self.path[self._at]
        assert isinstance(branch, Branch)
        self._at += 1
        return options[branch.taken]

    def next(self, options: list[Perform | Closing]) -> tuple[Perform | Closing, list[Any]]:
        if self.states is not None and self.machine is not None:
            steps = [step for step in self.path[: self._at] if isinstance(step, Step)]
            if self.states.came(self.machine, steps):
                raise IllegalExecution(Rule.D_CAUSE, "the execution comes back to where it was", repeats=True)
        if self._at == len(self.path):
            self.path.append(Step(options, self.reduce))
        step = self.path[self._at]
        assert isinstance(step, Step)
        step.options = tuple(options)  # the run's own, which is not the one that was here before
        self._at += 1
        return step.taken, step.passed_over()

    def steps(self) -> list[Step]:
        """The choices of the latest run that say what happens next."""
        return [step for step in self.path if isinstance(step, Step)]
