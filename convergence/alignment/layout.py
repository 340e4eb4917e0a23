"""The columns of block visits: one column holds one class, in topological order.

What must hold: a thread's visits stand from left to right, and a class in one column. What should
hold, and does unless it closes a cycle: visits that share some, but not all of their convergent
operations follow convergence-before through these; and visits without any follow the classes given.
"""

from __future__ import annotations

from collections import defaultdict
from heapq import heappop, heappush

from .controlled import VisitClasses
from .instances import Execution

Layout = tuple[tuple[int, ...], ...]
"""Per thread and visit its column, from 1."""


class _Layout:
    """Threads walk through their visits and wait at each for the rest of its class.

    ``at``        each thread's next visit
    ``here``      per class the threads that wait at it
    ``missing``   per class how many are still on their way
    ``shut``      per class how many of its gates are shut
    ``ready``     classes that can take a column, by lowest thread

    A gate is a class of operations whose members stand in visits of several classes. It lets the
    first of these visits pass when all threads have come to theirs, and what follows them when
    all have passed; ``coming`` and ``passing`` count who has not.
    """

    def __init__(self, execution: Execution, classes: VisitClasses) -> None:
        self.classes = classes
        self.soft = {
            c
            for row, visits in zip(classes, execution.visits, strict=True)
            for c, visit in zip(row, visits, strict=True)
            if not visit.operations
        }
        self.columns = [[0] * len(row) for row in classes]
        self.column = 0
        self.at = [0] * len(classes)
        self.here: defaultdict[int, list[int]] = defaultdict(list)
        self.missing: defaultdict[int, int] = defaultdict(int)
        self.shut: defaultdict[int, int] = defaultdict(int)
        self.ready: list[tuple[int, int]] = []
        for row in classes:
            for number in row:
                self.missing[number] += 1
        self.gates = self.find_gates(execution)
        self.coming = [len(gate) for gate in self.gates]
        self.passing = list(self.coming)
        self.gates_of: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        self.before: list[set[int]] = [set() for _ in self.gates]
        self.after: list[set[int]] = [set() for _ in self.gates]
        for gate, visits_at in enumerate(self.gates):
            for thread, number in visits_at:
                self.gates_of[thread, number].append(gate)
                self.before[gate].add(classes[thread][number])
                if number + 1 < len(classes[thread]):
                    self.after[gate].add(classes[thread][number + 1])
        for waiters in (*self.before, *self.after):
            for number in waiters:
                self.shut[number] += 1

    def find_gates(self, execution: Execution) -> list[list[tuple[int, int]]]:
        """Per gate the visits, as (thread, number), that share the operation."""
        class_of = {
            m: n for n, group in enumerate(execution.converged.classes) if len(group) > 1 for m in group
        }
        shared: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for thread, visits in enumerate(execution.visits):
            for number, visit in enumerate(visits):
                for operation in visit.operations:
                    if operation in class_of:
                        shared[class_of[operation]].append((thread, number))
        return [
            members
            for members in shared.values()
            if len({self.classes[thread][number] for thread, number in members}) > 1
        ]

    def run(self) -> Layout:
        for thread in range(len(self.classes)):
            self.arrive(thread)
        while any(at < len(row) for at, row in zip(self.at, self.classes, strict=True)):
            while self.ready:
                _, number = heappop(self.ready)
                if self.here[number]:
                    self.place(number)
            self.give_way()
        return tuple(map(tuple, self.columns))

    def arrive(self, thread: int) -> None:
        """The thread has come to its next visit."""
        number = self.at[thread]
        if number == len(self.classes[thread]):
            return
        mine = self.classes[thread][number]
        self.here[mine].append(thread)
        self.missing[mine] -= 1
        for gate in self.gates_of.get((thread, number), ()):
            self.coming[gate] -= 1
            if not self.coming[gate]:
                self.open(self.before[gate])
        self.check(mine)

    def open(self, waiters: set[int]) -> None:
        for number in sorted(waiters):
            self.shut[number] -= 1
            self.check(number)

    def check(self, number: int) -> None:
        """Put a class on the list when nothing is in its way any more."""
        if not self.missing[number] and not self.shut[number] and self.here[number]:
            heappush(self.ready, (min(self.here[number]), number))

    def place(self, number: int) -> None:
        """Give the threads that wait at a class the next column, and let them go on."""
        self.column += 1
        threads, self.here[number] = sorted(self.here[number]), []
        for thread in threads:
            at = self.at[thread]
            self.columns[thread][at] = self.column
            for gate in self.gates_of.get((thread, at), ()):
                self.passing[gate] -= 1
                if not self.passing[gate]:
                    self.open(self.after[gate])
            self.at[thread] += 1
        for thread in threads:
            self.arrive(thread)

    def give_way(self) -> None:
        """Nothing can go on: pass a shut gate, else leave the latecomers of some class behind.

        That is a class without convergent operations if the cycle has one, else (the relation
        itself breaks D-ORDER) any.
        """
        waiting = [t for t, row in enumerate(self.classes) if self.at[t] < len(row)]
        if not waiting:
            return
        for thread in waiting:
            number = self.classes[thread][self.at[thread]]
            if not self.missing[number]:
                self.place(number)
                return
        cycle = self.cycle(waiting)
        soft = [number for number in cycle if number in self.soft]
        self.place(min(soft or cycle, key=lambda number: min(self.here[number])))

    def cycle(self, waiting: list[int]) -> list[int]:
        """Follow whom the lowest waiting thread waits for until a class comes round again."""
        later: dict[int, list[int]] = defaultdict(list)
        for thread in waiting:
            for number in set(self.classes[thread][self.at[thread] + 1 :]):
                later[number].append(thread)
        walk: list[int] = []
        number = self.classes[waiting[0]][self.at[waiting[0]]]
        while number not in walk:
            walk.append(number)
            thread = later[number][0]
            number = self.classes[thread][self.at[thread]]
        return walk[walk.index(number) :]


def lay_out(execution: Execution, classes: VisitClasses) -> Layout:
    """The column of each visit; of two classes that could come next, the one with the lowest thread does."""
    return _Layout(execution, classes).run()
