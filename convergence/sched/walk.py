"""All lists of choices, depth first: the runners that replay, sample and enumerate.

One run is a function of its choices (semantics.md, §3), so walking the tree of choices needs no
copies of the machine: every run starts afresh and is told what to choose up to the branch that is new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

from ..semantics.choice import Choice, Chooser

T = TypeVar("T")
R = TypeVar("R")


class Branch:
    """A choice on the current path: option number ``taken`` of so many ``options``."""

    __slots__ = ("label", "options", "taken")

    def __init__(self, label: str, options: int) -> None:
        self.label = label
        self.options = options
        self.taken = 0

    def advance(self) -> bool:
        """On to the next option; False if there is none left."""
        self.taken += 1
        return self.taken < self.options


class Walk(Generic[R]):
    """Every run of ``once``, depth first, first options first."""

    def __init__(self, once: Callable[[Chooser], R]) -> None:
        self._once = once
        self.path: list[Branch] = []
        self._at = 0

    def __iter__(self) -> Iterator[R]:
        while True:
            self._at = 0
            yield self._once(self)
            del self.path[self._at :]
            while self.path and not self.path[-1].advance():
                self.path.pop()
            if not self.path:
                return

    def choose(self, label: str, options: Sequence[T]) -> T:
        """Follows the path; where it ends, the first option is new."""
        if self._at == len(self.path):
            self.path.append(Branch(label, len(options)))
        branch = self.path[self._at]
        self._at += 1
        return options[branch.taken]

    @property
    def made(self) -> tuple[Choice, ...]:
        """The choices of the latest run."""
        return tuple(Choice(b.label, b.options, b.taken) for b in self.path[: self._at])
