"""Which order of memory accesses is worth trying: dynamic partial-order reduction.

After Flanagan and Godefroid, *Dynamic Partial-Order Reduction for Model Checking Software* (POPL 2005):
where an execution performed one access and later, in another thread, one that conflicts with it, the
other thread is tried before the first one, too; nothing else is. What was tried sleeps in the other
branches until something conflicts with it (Godefroid's sleep sets, in the machine). So accesses that
commute are performed in one order only, and the alignments and outcomes stay the same.

A group that could be closed by choice is tried closed first. Otherwise it has to grow, and any access
may make it: closing early allows whatever closing late does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...semantics.convergence.resolution import Closing
from ...semantics.environments.queued import Perform, conflict
from ...semantics.memory.synchronisation import join


class ExploredStep:
    """A choice of what happens next, on the current path.

    ``options``  what could happen: accesses, one per thread at most, and closings of groups
    ``order_tried``    places of those that were taken, in order, the last one now
    ``todo``     places of those that are to be taken
    ``undefined`` whether what is taken is a read that gives undef, for it raced in some execution from here
    ``doubtful``  whether it did not in another one
    ``settled``   whether it gives no undef: executions in which it races are none
    """

    __slots__ = ("doubtful", "options", "order_tried", "settled", "todo", "undefined")

    def __init__(self, options: Sequence[Perform | Closing], reduce: bool) -> None:
        self.options = tuple(options)
        closings = [n for n, option in enumerate(options) if isinstance(option, Closing)]
        accesses = [n for n, option in enumerate(options) if isinstance(option, Perform)]
        self.undefined = self.doubtful = self.settled = False
        self.order_tried: list[int] = []
        self.todo = [*closings, *(accesses[:1] if reduce else accesses)]
        self.advance()

    def advance(self) -> bool:
        """On to the next place that is worth it; False if there is none left. A read that races in some
        executions from here and not in others comes a second time."""
        self.settled = self.undefined and self.doubtful
        self.undefined = self.doubtful = False
        if self.settled:
            return True
        if not self.todo:
            return False
        self.order_tried.append(self.todo.pop(0))
        return True

    @property
    def taken(self) -> Perform | Closing:
        return self.options[self.order_tried[-1]]

    def passed_over(self) -> list[Any]:
        """What was tried before."""
        return [self.options[n] for n in self.order_tried[:-1]]

    def add(self, thread: int) -> None:
        """Try the thread's access here, too; all of them if it has none that could be performed."""
        own = [n for n, o in enumerate(self.options) if isinstance(o, Perform) and o.thread == thread]
        for n in own or [n for n, o in enumerate(self.options) if isinstance(o, Perform)]:
            if n not in self.order_tried and n not in self.todo:
                self.todo.append(n)

    def add_all(self) -> None:
        """Try every access here."""
        self.add(-1)


def find_races(steps: Sequence[ExploredStep], pending: Sequence[Perform]) -> None:
    """Marks on the path where another order of two accesses is to be tried.

    What a barrier orders (D-SYNC) is no race: an access behind a barrier's acquire fence cannot be performed
    before what the members released, however their accesses are ordered, so no order of the two is missed;
    that another order of *other* accesses brings other members is found where those race.

    ``steps`` are the choices of one execution in order; ``pending`` the accesses that could still have
    been performed when it ended. The last conflicting access of another thread is the one to go before,
    unless an access of the same thread in between already depends on it.
    """
    clocks: dict[int, dict[int, int]] = {}  # per thread: how much of each thread's accesses it depends on
    done: list[tuple[int, Perform, int, dict[int, int]]] = []
    counts: dict[int, int] = {}
    own: dict[int, list[dict[int, int]]] = {}  # per thread: what each of its accesses depends on

    def clock_of(next_: Perform) -> dict[int, int]:
        """What an access depends on before it is performed."""
        clock = dict(clocks.get(next_.thread, {}))
        for thread, number in next_.after.items():
            if number > clock.get(thread, 0):
                join(clock, own[thread][number - 1])
        return clock

    def race(next_: Perform) -> None:
        mine = clock_of(next_)
        for place, earlier, number, _ in reversed(done):
            if earlier.thread == next_.thread or not conflict(earlier.touches, next_.touches):
                continue
            if mine.get(earlier.thread, 0) < number:
                steps[place].add(next_.thread)
                return

    for place, step in enumerate(steps):
        taken = step.taken
        if not isinstance(taken, Perform):
            continue
        race(taken)
        thread = taken.thread
        clock = clock_of(taken)
        for _, earlier, _, theirs in done:
            if earlier.thread != thread and conflict(earlier.touches, taken.touches):
                join(clock, theirs)
        counts[thread] = clock[thread] = counts.get(thread, 0) + 1
        clocks[thread] = clock
        own.setdefault(thread, []).append(clock)
        done.append((place, taken, counts[thread], clock))
    for waiting in pending:
        race(waiting)
