"""Inputs guided by what threads did: where an input led somewhere new, its neighbours are tried next.

Where all inputs fit they are tried as they stand. Else half of them are a selection, and half are
neighbours of inputs that took a branch, or went round a loop so often, or parted the threads, as none
before them. What is tried depends on the seed and the programs alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator
from dataclasses import replace
from itertools import pairwise
from random import Random

from ..semantics.frames import CodeBlock
from ..semantics.machine import Machine
from .inputs import Selection, Space
from .launch import Argument, Input

NEIGHBOURS = 4
"""Neighbours of an input that led somewhere new."""
OFTEN = 5
"""Times round a loop that are told apart."""


def covered(machine: Machine) -> frozenset[Hashable]:
    """Where the threads of a run went: the steps from block to block, how often a thread made each of them,
    and how many threads made it."""
    found: set[Hashable] = set()
    threads: dict[Hashable, int] = {}
    for thread in machine.threads:
        counts: dict[tuple[str, int, int], int] = {}
        blocks = [visit for visit in thread.visits if isinstance(visit, CodeBlock)]
        for one, other in pairwise(blocks):
            step = (one.function, one.number, other.number)
            counts[step] = counts.get(step, 0) + 1
        for step, count in counts.items():
            found.add((step, min(count, OFTEN)))
            threads[step] = threads.get(step, 0) + 1
    found.update(("threads", *pair) for pair in threads.items())
    return frozenset(found)


class Guide:
    """The inputs in the order in which they are tried; what one covered is to be told before the next."""

    def __init__(self, selection: Selection, space: Space, seed: int) -> None:
        self._chosen = selection.chosen
        self._fixed = selection.all_tuples
        self._space = space
        self._random = Random(f"guide {seed}")
        self._known: set[Hashable] = set()
        self._next: deque[Input] = deque()

    def __iter__(self) -> Iterator[Input]:
        if self._fixed:
            yield from self._chosen
            return
        rest = iter(self._chosen)
        seen: set[Input] = set()
        while len(seen) < len(self._chosen):
            input_ = self._next.popleft() if self._next and len(seen) % 2 else next(rest, None)
            if input_ is None:
                if not self._next:
                    return
                input_ = self._next.popleft()
            if input_ not in seen:
                seen.add(input_)
                yield input_

    def learn(self, input_: Input, where: frozenset[Hashable]) -> None:
        """Where an input led."""
        if where <= self._known:
            return
        self._known |= where
        if not self._fixed:
            found = [n for n in self._neighbours(input_) if self._space.allows(n)]
            self._next.extendleft(reversed(found))

    def _neighbours(self, input_: Input) -> Iterator[Input]:
        """Inputs with one argument of one thread changed: one step up or down among what is tried for it, or
        what another thread has."""
        places = [
            (place, domain)
            for place, (domain, given) in enumerate(
                zip(self._space.domains, self._space.given, strict=True)
            )
            if domain is not None and given is None and input_.arguments[place] is not None
        ]
        for _ in range(NEIGHBOURS if places else 0):
            place, domain = self._random.choice(places)
            values = input_.arguments[place]
            assert values is not None
            thread = self._random.randrange(len(values))
            value = self._stepped(values[thread], domain.values, values)
            changed = (*values[:thread], value, *values[thread + 1 :])
            if domain.uniform:
                changed = (value,) * len(values)
            arguments = (*input_.arguments[:place], changed, *input_.arguments[place + 1 :])
            yield replace(input_, arguments=arguments)

    def _stepped(
        self, value: Argument, tried: tuple[Argument, ...], others: tuple[Argument, ...]
    ) -> Argument:
        if self._random.random() < 0.3:
            return self._random.choice(others)
        at = tried.index(value) if value in tried else 0
        return tried[(at + self._random.choice((1, -1))) % len(tried)]
