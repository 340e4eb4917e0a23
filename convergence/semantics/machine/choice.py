"""Free choices as labelled values: one run is a function of its list of choices.

Choice points are an anchor's label, the label of an uncontrolled operation, which group is closed
when every thread waits and none is certain, and which memory access is performed next. Options
are ordered, option 0 first: it is the most converged one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Protocol, TypeVar

from ...frozen import dataclass

T = TypeVar("T")


class Chooser(Protocol):
    """Answers every choice of a run. ``label`` says what is chosen, such as ``anchor %t thread 2``."""

    def choose(self, label: str, options: Sequence[T]) -> T: ...


class MostConverged:
    """Takes the first option each time."""

    def choose(self, label: str, options: Sequence[T]) -> T:
        return options[0]


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice that was made: what for, how many options there were, and which was taken (from 0)."""

    label: str
    options: int
    option: int


class Replay:
    """Takes the recorded choices, then the first option each time; records what it did.

    Raises ValueError if the recording does not fit the run: it is of another program or launch.
    """

    def __init__(self, recorded: Sequence[int] = ()) -> None:
        self._recorded = tuple(recorded)
        self.choices: list[Choice] = []

    def restart(self) -> None:
        """From the first choice again."""
        self.choices = []

    def choose(self, label: str, options: Sequence[T]) -> T:
        at = len(self.choices)
        taken = self._recorded[at] if at < len(self._recorded) else 0
        if not 0 <= taken < len(options):
            raise ValueError(f"choice {at} is {taken}, but {label} has {len(options)} options")
        self.choices.append(Choice(label, len(options), taken))
        return options[taken]


class Sample(Replay):
    """Takes an option at random each time, the same ones for the same ``seed``; records what it did."""

    def __init__(self, seed: int | str) -> None:
        super().__init__()
        self._seed = seed
        self._random = Random(seed)

    def restart(self) -> None:
        super().restart()
        self._random = Random(self._seed)

    def again(self) -> Sample:
        """The same choices once more."""
        return Sample(self._seed)

    def choose(self, label: str, options: Sequence[T]) -> T:
        taken = self._random.randrange(len(options))
        self.choices.append(Choice(label, len(options), taken))
        return options[taken]


R = TypeVar("R")


def executions(run: Callable[[Chooser], R]) -> Iterator[tuple[R, tuple[Choice, ...]]]:
    """Every run of ``run``, one for each list of choices, depth first, first options first."""
    recorded: list[int] = []
    while True:
        chooser = Replay(recorded)
        yield run(chooser), tuple(chooser.choices)
        choices = chooser.choices
        while choices and choices[-1].option + 1 == choices[-1].options:
            choices.pop()
        if not choices:
            return
        recorded = [c.option for c in choices[:-1]] + [choices[-1].option + 1]
