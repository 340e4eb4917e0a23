"""Inputs guided by what threads did: where an input led somewhere new, its neighbours are tried next.

Where all inputs fit they are tried as they stand. Else half of them are a selection, and half are
neighbours of inputs that took a branch, or went round a loop so often, or parted the threads, as none
before them. What is tried depends on the seed and the programs alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator
from dataclasses import replace
from random import Random

from ...semantics.machine.log import Log, Visited, each_visit
from .inputs import Selection, Space
from .launch import Argument, Input

MANY, FEW = 96, 4
"""Neighbours at most of an input that took a step that none took before; of one that took known steps more
often, or with other threads."""
OFTEN = 5
"""Times round a loop that are told apart."""


Covered = frozenset[tuple[Hashable, int]]
"""Steps from block to block of a program, each with how often a thread made it, or, negated, how many threads
did."""


Neighbour = tuple[Input, int, tuple[Argument, ...]]
"""An input, and the values by thread of the argument at one place that its neighbour has instead: few of
them are tried, so an input is made of it then."""


def covered(program: Hashable, log: Log) -> Covered:
    """Where the threads of a run of what ``program`` stands for went: the steps from block to block, how
    often a thread made each of them, and how many threads made it. Raises Forgotten where native code only
    counted."""
    last: dict[int, Visited] = {}
    counts: dict[tuple[Visited, Visited], int] = {}  # by the blocks between which a thread goes
    for event in each_visit(log):
        if isinstance(event, Visited):
            before = last.get(event.thread)
            if before is not None:
                counts[before, event] = counts.get((before, event), 0) + 1
            last[event.thread] = event
    pairs: set[tuple[Hashable, int]] = set()
    threads: dict[Hashable, int] = {}
    for (before, event), count in counts.items():
        taken = program, before.function, before.block, event.function, event.block
        pairs.add((taken, min(count, OFTEN)))
        threads[taken] = threads.get(taken, 0) + 1
    pairs.update((step, -count) for step, count in threads.items())
    return frozenset(pairs)


def guides(selection: Selection, space: Space) -> bool:
    """Whether what inputs covered has a say in what is tried next."""
    free = zip(space.domains, space.fixed, strict=True)
    return not selection.all_tuples and any(d is not None and value is None for d, value in free)


class Guide:
    """The inputs in the order in which they are tried; what one covered is to be told before the next."""

    def __init__(self, selection: Selection, space: Space, seed: int) -> None:
        self._inputs = selection.inputs
        self._all = selection.all_tuples
        self._guides = guides(selection, space)
        self._space = space
        self._random = Random(f"guide {seed}")
        self._covered: set[tuple[Hashable, int]] = set()
        self._next: deque[Neighbour] = deque()
        self._given = 0

    def __iter__(self) -> Iterator[Input]:
        if self._all:
            yield from self._inputs
            return
        rest = iter(self._inputs)
        inputs: set[Input] = set()
        self._given = 0
        while len(inputs) < len(self._inputs):
            input_ = self._neighbour() if len(inputs) % 2 else None
            if input_ is None and (input_ := next(rest, None) or self._neighbour()) is None:
                return
            if input_ not in inputs:
                inputs.add(input_)
                self._given = len(inputs)
                yield input_

    @property
    def learns(self) -> bool:
        """Whether what the latest input covers still has a say in what comes."""
        return self._guides and self._given < len(self._inputs)

    def learn(self, input_: Input, where: Covered) -> None:
        """Where an input led."""
        if not self._guides or where <= self._covered:
            return
        steps = {step for step, _ in self._covered}
        far = any(step not in steps for step, _ in where)
        self._covered |= where
        neighbours = self._neighbours(input_, MANY if far else FEW)
        if far:
            self._next.extendleft(reversed(neighbours))
        else:
            self._next.extend(neighbours)

    def _neighbour(self) -> Input | None:
        """The neighbour to try next, if there is one."""
        while self._next:
            input_, place, changed = self._next.popleft()
            arguments = (*input_.arguments[:place], changed, *input_.arguments[place + 1 :])
            neighbour = replace(input_, arguments=arguments)
            if self._space.allows(neighbour):
                return neighbour
        return None

    def _neighbours(self, input_: Input, most: int) -> list[Neighbour]:
        """Inputs with one argument of one thread changed to another value that is tried for it, in an order
        of chance; for a uniform one, that of all threads."""
        changes: list[tuple[int, tuple[Argument, ...]]] = []
        for place, values in enumerate(input_.arguments):
            domain = self._space.domains[place]
            if domain is None or values is None or self._space.fixed[place] is not None:
                continue
            for value in domain.values:
                if domain.uniform:
                    changes.append((place, (value,) * len(values)))
                    continue
                for thread in range(len(values)):
                    changes.append((place, (*values[:thread], value, *values[thread + 1 :])))
        self._random.shuffle(changes)
        return [(input_, place, changed) for place, changed in changes[:most]]
