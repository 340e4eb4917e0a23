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

from collections.abc import Iterator, Sequence
from typing import Any

from ...ir import instructions as ir
from ...ir.calls import callee_name
from ...ir.module import Function, Module
from ...ir.operands import Local
from ...semantics.convergence.resolution import Closing
from ...semantics.environments.queued import Perform, conflict
from ...semantics.instructions import operands
from ...semantics.instructions.intrinsics import is_memory_call
from ...semantics.memory.synchronisation import join
from ...semantics.threads.recurrence import computed_from, only_computes, uses


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
    for access in pending:
        race(access)


# ----------------------------------------------------------------------------------------------------------
# Whether what a read gives may decide that an access comes, by what the text has.
# ----------------------------------------------------------------------------------------------------------

_READS = ir.Load, ir.AtomicRMW, ir.CmpXchg, ir.VAArg
_ACCESSES = ir.Load, ir.Store, ir.AtomicRMW, ir.CmpXchg


def reads_decide(module: Module) -> bool:
    """Whether some read may decide which accesses a thread makes, and where, or that it goes no further. The
    answer may err only towards yes."""
    return any(_read_decides(module, function) for function in module.definitions())


def _read_decides(module: Module, function: Function) -> bool:
    calls = [i for i in function.instructions if isinstance(i, ir.CallSite)]
    if any(_enters(module, call) for call in calls):
        return True
    if any(isinstance(i, ir.Load) and "noundef" in dict(i.attachments) for i in function.instructions):
        return True
    read = {i.result for i in function.instructions if isinstance(i, _READS)}
    read |= {c.result for c in calls if is_memory_call(c) or any(isinstance(o, Local) for o in operands(c))}
    deciding = (name for i in function.instructions for name in _deciding(i))
    return not read.isdisjoint(computed_from(function, deciding))


def _deciding(instruction: ir.Instruction) -> Iterator[str]:
    """The values that decide where an instruction's thread goes, what it accesses, or whether it goes on."""
    if isinstance(instruction, _ACCESSES):
        if isinstance(instruction.pointer, Local):
            yield instruction.pointer.name
    elif not isinstance(instruction, ir.Ret) and not only_computes(instruction):
        yield from uses(instruction)


def _enters(module: Module, call: ir.CallSite) -> bool:
    """Whether a call may enter a definition: what it passes and gets is not followed."""
    name = callee_name(call)
    return name is None or name not in module.functions or not module.functions[name].is_declaration
