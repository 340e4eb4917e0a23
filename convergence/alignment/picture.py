"""The columns of block visits: one column holds one class, in topological order.

What must hold: a thread's visits stand from left to right, and a class in one column. What should
hold, and does unless it closes a cycle: visits that share some, but not all of their convergent
operations follow convergence-before through these; and visits without any follow the classes given.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from heapq import heappop, heappush

from ..ir.calls import control, way_of
from ..ir.cfg import Order
from ..ir.instructions import Br, CondBr, DebugRecord, IndirectBr, Instruction, Phi, Switch
from ..ir.module import Block, Function, Module
from .controlled import VisitClasses, controlled_maximal, facts_of
from .instances import BlockVisit, Execution

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


# -- The picture of an alignment (semantics.md §5): a row per thread, a column per class of block visits

ABSENT = "-"


def picture(
    execution: Execution,
    module: Module,
    function: str,
    all_blocks: bool = False,
    search: Order = Order.TEXT,
) -> tuple[str, ...]:
    """One string per thread: the blocks of ``function``, with or without ``@``, in their columns, one space
    between, ``-`` where the thread is absent.

    One column holds one class of block visits; columns are classes in topological order, ties by
    lowest thread. Two visits of a block share a column iff all their convergent operations (and
    control intrinsics) are converged, as far as both came; a block without any follows COS's
    controlled maximal converged-with relation, for the cycle hierarchy of ``search``, unless that
    closes a cycle.

    Blocks that hold only control intrinsics and a branch are left out, except the function's
    entry block, which no one added; ``all_blocks`` shows them. Phis belong to the branches that
    lead to them and debug records execute as nothing: neither keeps a block in the picture.

    Shown are the activations of ``function`` that were launched; if none was, all of them, so
    that a callee has a picture of its own. In either case what happens in other functions still
    orders the columns.
    """
    function = function.removeprefix("@")
    rows = cells(execution, module, function, all_blocks, search)
    used = sorted({column for row in rows for column in row})
    names = {block.name: _spelled(block.name) for block in module.functions[function].blocks}
    return tuple(
        " ".join(names[row[column].block] if column in row else ABSENT for column in used) for row in rows
    )


def cells(
    execution: Execution,
    module: Module,
    function: str,
    all_blocks: bool = False,
    search: Order = Order.TEXT,
) -> tuple[Mapping[int, BlockVisit], ...]:
    """What :func:`picture` draws: per thread the block visits that are shown, by column, from left to
    right. Columns that are not shown leave gaps in the numbers."""
    columns = lay_out(execution, controlled_maximal(execution, facts_of(module, search)))
    hidden = frozenset() if all_blocks else left_out(module.functions[function])
    launched = any(visits and visits[0].function == function for visits in execution.visits)

    def shown(visit: BlockVisit) -> bool:
        return (
            visit.function == function
            and visit.block not in hidden
            and (visit.caller is None or not launched)
        )

    return tuple(
        {column: visit for column, visit in zip(row, visits, strict=True) if shown(visit)}
        for row, visits in zip(columns, execution.visits, strict=True)
    )


def left_out(function: Function) -> frozenset[str]:
    """The blocks that a picture leaves out: only control intrinsics and a branch, not the entry block."""
    return frozenset(block.name for block in function.blocks[1:] if _is_control_only(block))


def _is_control_only(block: Block) -> bool:
    # Anchors of ways (R-UNIFORM) are in no SPIR-V: a block that has nothing else is the program's.
    instructions = [
        i for i in block.instructions if not isinstance(i, Phi | DebugRecord) and way_of(i) is None
    ]
    return (
        len(instructions) > 1
        and all(control(instruction) is not None for instruction in instructions[:-1])
        and _is_branch(instructions[-1])
    )


def _is_branch(instruction: Instruction) -> bool:
    return isinstance(instruction, Br | CondBr | Switch | IndirectBr)


def _spelled(name: str) -> str:
    """A block's name, in quotes where it would be mistaken for several words or for an absence."""
    return f'"{name}"' if name == ABSENT or not name or any(c.isspace() for c in name) else name
