"""What orders memory among the threads of a run (D-SYNC), for the environments that watch for races."""

from __future__ import annotations

from abc import abstractmethod

from ...alignment.instances import StaticInstance
from ..convergence.keys import Key
from ..machine.choice import Chooser
from ..machine.launch import Launch
from ..machine.log import Log
from ..machine.machine import Machine
from ..machine.program import Program
from ..memory.races import RaceDetector
from ..memory.synchronisation import IssuedFences, MemoryFence
from ..operations.model import CLUSTER_BARRIER
from ..threads.state import Exchange, Thread


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
        self.races.came(thread.number, self.issued[thread.number], key)

    def signal(self, thread: Thread, name: str, members: int | None) -> None:
        super().signal(thread, name, members)
        self.fences.arrive(thread.number, (name, self.barriers[thread.number][name]), self._wide(name))

    @staticmethod
    def _wide(name: str | None) -> bool:
        """Whether a barrier is one of the cluster."""
        return name == CLUSTER_BARRIER
