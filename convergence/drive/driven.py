"""What a ``drive`` came to, as reports need it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..device.client import DeviceFacts, DeviceFailed, Dispatched
from ..frozen import dataclass
from ..sched.enumeration import EnumeratedOutcome
from ..semantics.machine.buffers import BufferContents
from ..semantics.machine.launch import Launch
from ..semantics.memory.allocations import PackedNumbers
from ..semantics.values.display import Json
from .binding import BoundModule
from .trial import LegalOutcomes, Trial


@dataclass(frozen=True)
class Driven:
    """A launch of a module on a device. ``origin`` says where the module came from, in words."""

    question: LegalOutcomes
    bound: BoundModule
    facts: DeviceFacts
    answer: Dispatched | DeviceFailed | None
    trial: Trial
    origin: str
    notes: tuple[str, ...] = ()

    @property
    def launch(self) -> Launch:
        return self.question.launch

    @property
    def entry(self) -> str:
        """The entry point that ran."""
        return self.bound.dispatch.entry

    @property
    def size(self) -> int:
        """Bytes of the module."""
        return len(self.bound.dispatch.module)

    @property
    def threads(self) -> int:
        """Invocations of a workgroup."""
        return self.launch.workgroup_threads

    @property
    def workgroups(self) -> int:
        return self.launch.workgroups

    @property
    def subgroup_size(self) -> int:
        """Lanes of a subgroup, on both sides."""
        return self.launch.subgroup_size or self.facts.subgroup_size

    def memory_of(self, legal: EnumeratedOutcome) -> Mapping[str, Json]:
        """What the bound buffers hold after a legal outcome; nothing of one without an end."""
        if legal.ending != "returned":
            return {}
        variables = self.question.program.module.globals
        shown = {n: variables[self.launch.buffers[n].variable].label for n in self.bound.names.values()}
        return {name: legal.outcome.memory[variable] for name, variable in shown.items()}

    def held(self, names: Sequence[str]) -> tuple[BufferContents, ...]:
        """What buffers held in the device's most frequent result. Raises KeyError for one that it has not."""
        if not isinstance(self.answer, Dispatched):
            return ()
        result = max(self.answer.results, key=lambda trial: trial.count)
        places = {name: place for place, name in self.bound.names.items()}
        return tuple(
            BufferContents(name, self.launch.buffers[name], PackedNumbers(result.data[places[name]]))
            for name in names
        )
