"""What native code ran of a run, and what it handed back to the reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Tally:
    """``instructions`` that ran natively, in how many ``calls`` of native code; seconds spent ``compiling``,
    and how many ``functions`` were; ``handed``: how often an instruction was handed back, by function, opcode
    and why; ``refused``: why a function has no native code; ``unattended``: how many workgroups ran from
    their launch to their end without the reference, on how many ``cores``, or in ``attended`` why none
    did; ``turns``: those of a lock-step machine that native code took without being asked; ``vectors``: the
    pieces of code that it ran for all lanes of a mask at once."""

    instructions: int = 0
    calls: int = 0
    compiling: float = 0.0
    functions: int = 0
    handed: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    refused: dict[str, str] = field(default_factory=dict)
    unattended: int = 0
    attended: str = ""
    cores: int = 1
    turns: int = 0
    vectors: int = 0

    def add(self, other: Tally) -> None:
        """Counts in what native code ran of another run."""
        self.instructions += other.instructions
        self.calls += other.calls
        self.compiling += other.compiling
        self.functions += other.functions
        self.handed.update(other.handed)
        self.refused.update(other.refused)
        self.unattended += other.unattended
        self.turns += other.turns
        self.vectors += other.vectors
        self.cores = max(self.cores, other.cores)
        self.attended = other.attended or self.attended

    @property
    def handed_back(self) -> list[tuple[tuple[str, str, str], int]]:
        """What was handed back, the most frequent first."""
        return sorted(self.handed.items(), key=lambda pair: (-pair[1], pair[0]))


def summed(tallies: Iterable[Tally]) -> Tally | None:
    """What native code ran of several runs; ``None`` where there are none."""
    whole: Tally | None = None
    for tally in tallies:
        whole = whole or Tally()
        whole.add(tally)
    return whole
