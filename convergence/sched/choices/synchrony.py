"""``--synchrony``: memory ordered more strongly than D-CAUSE asks, level by level (docs/synchrony.md).

Each level keeps the executions in which its additional edges, program order and the order of accesses
that conflict are together acyclic. Nothing else has to be looked at: all that D-CAUSE says of two
threads' accesses goes through exchanges, and the first level orders more there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import pairwise

from ...alignment import Execution, controlled_maximal, facts_of
from ...ir.calls import control, is_convergent, token_used
from ...ir.module import Module
from ...semantics import UsageError, option
from ...semantics.convergence import Key, KeyKind, LaunchGroup
from ...semantics.environments.queued import QueuedMachine
from ...semantics.machine import Entered, Executed, Log, Performed, Queued, ReturnEvent, Visited
from ...semantics.memory import conflict
from ...semantics.threads import Thread


class Synchrony(IntEnum):
    """The levels, weakest first; each has the edges of those before it."""

    NONE = 0
    SUBGROUP_OP = 1
    CONTROL_FLOW = 2
    MEMORY = 3
    COLLECTIVE = 4

    @property
    def word(self) -> str:
        """As the command line says it."""
        return self.name.lower().replace("_", "-")


LEVELS = {level.word: level for level in Synchrony}


def level_named(level: Synchrony | str) -> Synchrony:
    """A level, also by its word on the command line. Raises UsageError for what is none."""
    if isinstance(level, Synchrony):
        return level
    if level not in LEVELS:
        known = ", ".join(map(repr, LEVELS))
        raise UsageError(f"{option('synchrony')} is one of {known}, and not {level!r}")
    return LEVELS[level]


def require_controlled(module: Module) -> None:
    """Levels above ``none`` ask for whom an operation waits, which only tokens say.

    Raises UsageError for a module with uncontrolled convergent operations.
    """
    for function in module.definitions():
        for instruction in function.instructions:
            if (
                is_convergent(module, instruction)
                and control(instruction) is None
                and token_used(instruction) is None
            ):
                words = f"@{function.name} has uncontrolled operations, which no level orders"
                raise UsageError(f"{option('synchrony')}: {words}")


def keeps(machine: QueuedMachine, execution: Execution, level: Synchrony) -> bool:
    """Whether an execution keeps the edges of a level."""
    if level is Synchrony.NONE:
        return True
    assert machine.logs_accesses, "nobody asked the machine for its accesses"
    graph = _Graph(machine.log)
    for key in machine.resolved:
        subgroup_op(graph, machine, key)
    if level >= Synchrony.CONTROL_FLOW:
        visits = _visits(machine, execution)
        control_flow(graph, machine, visits)
        if level >= Synchrony.MEMORY:
            memory(graph, machine.log, visits, collective=level is Synchrony.COLLECTIVE)
    return graph.acyclic()


Visit = tuple[Thread, int]
"""A thread and the place of one of its block visits in its trace."""


class _Graph:
    """Accesses and barriers, and what comes before what.

    ``performed``  the accesses, in the order in which they were performed
    ``of``      per thread its accesses, as nodes in program order
    ``same``    the node that stands for a node: members of a collective access are one
    ``after``   edges
    """

    def __init__(self, log: Log) -> None:
        self.performed = performed = [event for event in log if isinstance(event, Performed)]
        self.of: defaultdict[int, list[int]] = defaultdict(list)
        for node in sorted(range(len(performed)), key=lambda node: performed[node].issued):
            self.of[performed[node].thread].append(node)
        self.same = list(range(len(performed)))
        self.after: list[list[int]] = [[] for _ in performed]
        for nodes in self.of.values():  # D-MEM: each thread's accesses in program order
            for early, late in pairwise(nodes):
                self.after[early].append(late)
        for late, access in enumerate(performed):  # and one total order of those that conflict
            for early, before in enumerate(performed[:late]):
                if before.thread != access.thread and conflict(before.touches, access.touches):
                    self.after[early].append(late)

    def barrier(self) -> int:
        """A new node between accesses."""
        self.after.append([])
        self.same.append(len(self.same))
        return len(self.same) - 1

    def before(self, thread: int, count: int, barrier: int) -> None:
        """The thread's first ``count`` accesses come before the barrier."""
        if count:
            self.after[self.of[thread][count - 1]].append(barrier)

    def behind(self, thread: int, count: int, barrier: int) -> None:
        """All of the thread's accesses but the first ``count`` come after the barrier."""
        if count < len(self.of[thread]):
            self.after[barrier].append(self.of[thread][count])

    def until(self, thread: int, place: int) -> int:
        """How many accesses the thread issued before the event at a place in the log."""
        return sum(self.performed[node].issued < place for node in self.of[thread])

    def join(self, nodes: Sequence[int]) -> None:
        """The nodes are one event."""
        for node in nodes[1:]:
            self.same[node] = nodes[0]

    def acyclic(self) -> bool:
        """Whether there is an order that keeps all edges, in which joined nodes are neighbours."""
        after: list[set[int]] = [set() for _ in self.after]
        missing = [0] * len(self.after)
        for node, following in enumerate(self.after):
            representative = self.same[node]
            for other in (self.same[n] for n in following):
                if other != representative and other not in after[representative]:
                    after[representative].add(other)
                    missing[other] += 1
        ready = [n for n in range(len(after)) if self.same[n] == n and not missing[n]]
        passed = 0
        while ready:
            passed += 1
            for other in after[ready.pop()]:
                missing[other] -= 1
                if not missing[other]:
                    ready.append(other)
        return passed == sum(self.same[n] == n for n in range(len(after)))


# -- the levels, one function each --------------------------------------------------------------------------


def subgroup_op(graph: _Graph, machine: QueuedMachine, key: Key) -> None:
    """An operation that exchanges data orders memory among those it waits for: the accesses that each
    participant issued before it, and those that any other thread of the launch group issued before the
    branch after which it could no longer reach it, come before the accesses behind it in each participant."""
    members = [t for t in machine.threads if key in t.keys]
    barrier = graph.barrier()
    for thread in members:
        count = graph.until(thread.number, _executed(machine, thread, key))
        graph.before(thread.number, count, barrier)
        graph.behind(thread.number, count, barrier)
    for thread in machine.members_of(members[0].launch):
        if key not in thread.keys:
            place = _leaving_visit(machine, thread, key)
            if place is not None:
                graph.before(thread.number, graph.until(thread.number, place), barrier)


def control_flow(graph: _Graph, machine: QueuedMachine, visits: Sequence[Sequence[Visit]]) -> None:
    """Threads that are converged in a block leave it together: the accesses that each issued up to the
    block's branch come before the accesses of each behind it."""
    for group in visits:
        leaving = [(thread, _next_visit(machine.log, thread, place)) for thread, place in group]
        barrier = graph.barrier()
        for thread, place in leaving:
            if place is not None:
                count = graph.until(thread.number, place)
                graph.before(thread.number, count, barrier)
                graph.behind(thread.number, count, barrier)


def memory(graph: _Graph, log: Log, visits: Sequence[Sequence[Visit]], collective: bool) -> None:
    """Threads that are converged in a block execute each of its accesses together: all of them do before
    any goes on to its next access. ``collective``: and no other access comes in between."""
    around = _visits_around(log)
    for group in visits:
        by_site: defaultdict[object, list[tuple[int, int]]] = defaultdict(list)
        for thread, place in group:
            for at, node in enumerate(graph.of[thread.number]):
                issued = graph.performed[node].issued
                access = log[issued]
                assert isinstance(access, Queued)
                if around[issued] == place:
                    by_site[access.site].append((thread.number, at))
        for members in by_site.values():
            if len(members) < 2:
                continue
            barrier = graph.barrier()
            for number, at in members:
                graph.before(number, at + 1, barrier)
                graph.behind(number, at + 1, barrier)
            if collective:
                graph.join([graph.of[number][at] for number, at in members])


# -- where threads were -----------------------------------------------------------------------------------


def _visits(machine: QueuedMachine, execution: Execution) -> list[list[Visit]]:
    """The block visits of each class of the controlled maximal converged-with relation (COS)."""
    classes = controlled_maximal(execution, facts_of(machine.program.module, machine.program.settings.dfs))
    visits: defaultdict[int, list[Visit]] = defaultdict(list)
    for thread, numbers in zip(machine.threads, classes, strict=True):
        for (place, _, _), number in zip(_frames(machine.log, thread), numbers, strict=True):
            visits[number].append((thread, place))
    return list(visits.values())


def _frames(log: Log, thread: Thread) -> Iterator[tuple[int, int, str]]:
    """The place in the log of each of a thread's block visits, the number of its frame and its block."""
    frame = -1
    for place, event in enumerate(log):
        match event:
            case Entered(thread.number, inner) | ReturnEvent(thread.number, inner):
                frame = inner
            case Visited(thread.number, _, block):
                yield place, frame, block
            case _:
                pass


def _next_visit(log: Log, thread: Thread, place: int) -> int | None:
    """The place of the next visit in the same frame; ``None`` if the frame ends."""
    home: int | None = None
    for number, frame, _ in _frames(log, thread):
        if number == place:
            home = frame
        elif frame == home:
            return number
    return None


def _visits_around(log: Log) -> Mapping[int, int]:
    """By the places in the log of accesses and instances: the places of the block visits that they are in."""
    counts: dict[int, int] = {}
    frames: dict[int, int] = {}
    visits: dict[tuple[int, int], int] = {}
    for place, event in enumerate(log):
        match event:
            case Entered(thread, frame) | ReturnEvent(thread, frame):
                frames[thread] = frame
            case Visited(thread):
                visits[thread, frames[thread]] = place
            case Executed(thread) | Queued(thread):
                counts[place] = visits[thread, frames[thread]]
            case _:
                pass
    return counts


def _executed(machine: QueuedMachine, thread: Thread, key: Key) -> int:
    """The place in the log at which a thread executed its instance with this key."""
    return next(
        place
        for place, event in enumerate(machine.log)
        if isinstance(event, Executed) and event.thread == thread.number and event.key is key
    )


def _leaving_visit(machine: QueuedMachine, thread: Thread, key: Key) -> int | None:
    """The block visit whose entry settled that the thread does not come to the operation with this key; it
    went past it by the branch before. ``None`` where a label keeps it away: nobody waits for it then.

    The key hangs from others, and the first of these that the thread did not execute decides: where can
    it no longer be reached from, in the frame that holds what it hangs from?
    """
    link = key
    while True:
        above = link.parent
        if above is None or link.kind is KeyKind.FREE:
            return None
        if isinstance(above, LaunchGroup) or above in thread.keys:
            break
        link = above
    if link.kind is KeyKind.ENTRY:
        return 0 if isinstance(above, LaunchGroup) else None
    if link.kind not in (KeyKind.USE, KeyKind.LOOP) or isinstance(above, LaunchGroup):
        return None
    start = _visits_around(machine.log)[_executed(machine, thread, above)]
    code = machine.program.code(link.site.function)
    avoid = frozenset([above.site.index])  # a token that is defined again is another one
    home: int | None = None
    last = 0
    for place, frame, block in _frames(machine.log, thread):
        if place == start:
            home = frame
        elif frame == home:
            first = code.graph.nodes[code.graph.number[block]].first
            if not code.graph.reaches(first, frozenset([link.site.index]), avoid):
                return place
        last = place + 1
    return last
