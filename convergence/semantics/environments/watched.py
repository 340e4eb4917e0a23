"""The direct environment, with an eye on races: every access is done at once, and compared with those before.

What a thread reads that races is undef (D-SYNC), also where the other access comes later: then the run is
made again, and that read gives undef from the start.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from ...alignment import StaticInstance
from ...ir.instructions import operands
from ..instructions import is_volatile
from ..machine.machine import Machine
from ..memory.accesses import (
    Access,
    AccessShape,
    WritingCallee,
    fill_footprint,
    footprint,
    perform,
    performed_as,
)
from ..memory.races import RaceDetector, note_races, raced
from ..memory.synchronisation import IssuedFences, MemoryFence
from ..operations import CLUSTER_BARRIER
from ..threads import Exchange, Frame, Planned, Registers, Runs, Thread
from ..threads.translation import Translation, seen_volatile

if TYPE_CHECKING:
    from ...ir import instructions as ir
    from ..convergence import Key
    from ..convergence.rules import PendingGroup
    from ..instructions.promises import ByvalCopy
    from ..machine import Chooser, Log
    from ..machine.launch import Launch
    from ..machine.program import Program
    from ..memory import Touch
    from ..values.context import Context

# ----------------------------------------------------------------------------------------------------------
# What orders memory among the threads of a run (D-SYNC), for the environments that watch for races.
# ----------------------------------------------------------------------------------------------------------


class SynchronisedMachine(Machine):
    """The inventory of :class:`Machine`, and:

    ``fences``  the fences and barriers that threads came to
    ``races``   the accesses that were performed, and which of them race
    ``issued``  per thread how many accesses it issued and exchanges it came to
    """

    def __init__(self, program: Program, launch: Launch, chooser: Chooser, log: Log | None = None) -> None:
        self.issued = [0] * launch.threads
        super().__init__(program, launch, chooser, log)
        standings = [self.standing(t) for t in self.threads]
        self.fences = IssuedFences(standings)
        self.races: RaceDetector = RaceDetector(
            self.memory, standings, equal_writes=program.settings.equal_writes
        )

    @abstractmethod
    def fence(self, thread: Thread, site: StaticInstance, fence: MemoryFence) -> None:
        """A thread comes to a fence."""

    def come(self, thread: Thread, key: Key, exchange: Exchange) -> None:
        """A thread comes to an exchange; of a barrier its release comes before the thread waits."""
        for release in exchange.part(release=True):
            self.fence(thread, exchange.site, release)
        if exchange.fence is not None:
            self.fences.barrier(
                thread.number,
                key,
                self.at_workgroup(thread, exchange),
                exchange.parts,
                exchange.model.arrives,
                self._wide(exchange.workgroup),
            )
        self.issued[thread.number] += 1
        self.races.came(thread.number, self.issued[thread.number], self._meeting_place(thread, key, exchange))

    def _meeting_place(self, thread: Thread, key: Key, exchange: Exchange) -> object:
        """Where threads come together: at a barrier of the workgroup those of all launch groups, for the same
        time; else those of one instance."""
        at = self.at_workgroup(thread, exchange) if exchange.model.arrives else None
        return key if at is None else (self._place_of(thread.launch, at[0]), *at)

    def signal(self, thread: Thread, name: str, members: int | None) -> None:
        super().signal(thread, name, members)
        self.fences.arrive(thread.number, (name, self.barriers[thread.number][name]), self._wide(name))

    @staticmethod
    def _wide(name: str | None) -> bool:
        """Whether a barrier is one of the cluster."""
        return name == CLUSTER_BARRIER


class WatchedMachine(SynchronisedMachine):
    """The inventory of :class:`SynchronisedMachine`. ``own`` are the stack objects that no other thread can
    know: nothing races there."""

    def __init__(self, program: Program, launch: Launch, chooser: Chooser, log: Log | None = None) -> None:
        super().__init__(program, launch, chooser, log)
        self.own: set[int] = set()
        self._exchanged: Key | None = None

    def fence(self, thread: Thread, site: StaticInstance, fence: MemoryFence) -> None:
        """A fence, at once: all that it may meet has happened."""
        if fence.orders:
            self.races.fence(self.fences.fence(thread.number, fence))

    def arrive(
        self, thread: Thread, key: Key, exchange: Exchange, operands: tuple[Any, ...], shown: tuple[Any, ...]
    ) -> Frame | None:
        self.come(thread, key, exchange)
        return super().arrive(thread, key, exchange, operands, shown)

    def deliver(self, thread: Thread, group: PendingGroup, value: Any) -> None:
        """A barrier's acquire comes before its thread goes on."""
        if self._exchanged is not group.key:
            self._exchanged = group.key
            self.fences.happened(group.key)
        super().deliver(thread, group, value)
        for acquire in group.exchange.part(release=False):
            self.fence(thread, group.exchange.site, acquire)


def _watching(thread: Thread) -> WatchedMachine:
    return cast("WatchedMachine", thread.environment)


class WatchedTranslation(Translation):
    """Accesses are done at once, and watched."""

    def alloca(self, instruction: ir.Alloca) -> Callable[[Registers], None]:
        allocate, slot, name = super().alloca(instruction), self.result(instruction), instruction.result
        if name is None or self.program.escapes.escapes(self.function, name):
            return allocate

        def step(r: Registers) -> None:
            allocate(r)
            _watching(r[0]).own.add(r[slot].provenance.id)

        return step

    def fill(self, r: Registers, index: int, writer: WritingCallee, slots: tuple[int, ...]) -> None:
        """What a callee writes may race as any access may."""
        thread: Thread = r[0]
        touches = fill_footprint(thread.memory, writer, self.read(r, slots))
        shape = AccessShape("call", False, True, lambda *_: None)
        super().fill(r, index, writer, slots)
        _is_undefined(thread, StaticInstance(self.code.name, index), shape, touches)

    def access(self, index: int, instruction: ir.Instruction, prepared: Callable[..., Any]) -> Planned:
        slots, slot = self.slots(operands(instruction)), self.result(instruction)
        volatile, site = is_volatile(instruction), StaticInstance(self.code.name, index)
        context = self.program.context

        def step(r: Registers) -> None:
            thread: Thread = r[0]
            access = prepared(*[r[s] for s in slots])
            value = _done(thread, site, access, context)
            if volatile:
                seen_volatile(thread, index, access, slot, value)
            elif slot >= 0:
                r[slot] = value

        return Runs(self.refusing(step, slots, f"a memory access in @{self.function.name}"))

    def copy_argument(self, thread: Thread, index: int, copy: ByvalCopy, source: Any) -> Any:
        """The copy reads what threads may share: it is watched like any other access."""
        own = copy.allocate(thread.memory, thread.number)
        if not copy.escapes and own.provenance is not None:
            _watching(thread).own.add(own.provenance.id)
        site = StaticInstance(self.code.name, index)
        _done(thread, site, copy.access(own, source), self.program.context)
        return own


def _done(thread: Thread, site: StaticInstance, access: Access, context: Context) -> Any:
    """Does an access and compares it with those before: what it gives, undef where it races."""
    memory = thread.memory
    touched = footprint(access, memory, thread.number)
    shape, touches = performed_as(access, touched, memory, thread.number)
    value = perform(access, memory, thread.number)
    if _is_undefined(thread, site, shape, touches):
        return raced(access, value, touches, memory, context)
    return value


def _is_undefined(
    thread: Thread, site: StaticInstance, shape: AccessShape, touches: tuple[Touch, ...]
) -> bool:
    """Notes with what an access races that was done, and says whether it reads undef for that."""
    machine = _watching(thread)
    if all(t.object in machine.own for t in touches):
        return False
    order = machine.issued[thread.number] = machine.issued[thread.number] + 1
    races, undefined = machine.races.performed(thread.number, order, site, shape, touches)
    if races or undefined:
        note_races(thread.memory, races)
    return undefined
