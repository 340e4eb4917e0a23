"""Prepared code that notes what threads touch, to see that no two of them ever meet in memory.

If one execution has no two accesses of different threads that conflict, every order of accesses gives each
read the same value, so there is no other execution by the order of memory (D-MEM), and no race.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ir import instructions as ir
from ...ir.module import Module
from ..instructions import footprint, is_volatile, operands, perform
from ..machine.log import Accessed, Log, touched
from ..memory.allocations import Memory
from ..threads.state import Planned, Registers, Runs, Thread
from ..threads.translation import Translation, done_volatile


class FootprintTranslation(Translation):
    """Accesses are done at once, and logged."""

    def access(self, index: int, instruction: ir.Instruction, prepared: Callable[..., Any]) -> Planned:
        slots, slot = self.slots(operands(instruction)), self.result(instruction)
        volatile = is_volatile(instruction)

        def step(r: Registers) -> None:
            thread: Thread = r[0]
            access = prepared(*[r[s] for s in slots])
            touches = tuple(footprint(access, thread.memory, thread.number))
            thread.log.once(Accessed(thread.number, touches))
            if volatile:
                done_volatile(thread, index, access, slot)
                return
            value = perform(access, thread.memory, thread.number)
            if slot >= 0:
                r[slot] = value

        return Runs(self.refusing(step, slots, f"a memory access in @{self.function.name}"))


def meet(log: Log, memory: Memory) -> bool:
    """Whether two threads touched a byte that one of them wrote, or a thread touched another's stack."""
    objects: dict[int, list[tuple[int, int, int, bool]]] = {}
    for thread, touches in touched(log).items():
        for touch in touches:
            allocation = memory.allocations.get(touch.object)
            if allocation is not None and allocation.owner not in (None, thread):
                return True
            objects.setdefault(touch.object, []).append((touch.start, touch.stop, thread, touch.write))
    return any(_overlap(sorted(places)) for places in objects.values())


def _overlap(places: list[tuple[int, int, int, bool]]) -> bool:
    """Whether two threads' places in one object, by their start, overlap, of which one is written."""
    reached: dict[bool, dict[int, int]] = {True: {}, False: {}}  # by whether written: where each thread's end
    for start, stop, thread, write in places:
        for other_write, stops in reached.items():
            if (write or other_write) and any(end > start for who, end in stops.items() if who != thread):
                return True
        reached[write][thread] = max(stop, reached[write].get(thread, stop))
    return False


def copies_objects(module: Module) -> bool:
    """Whether calls copy objects behind pointers, which is watched by nobody."""
    return any(
        word.startswith("byval") for f in module.definitions() for p in f.parameters for word in p.attributes
    )
