"""What native code ran of a run, and what it handed back to the reference."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Tally:
    """``instructions`` that ran natively, in how many ``calls`` of native code; seconds spent ``compiling``,
    and how many ``functions`` were; ``handed``: how often an instruction was handed back, by function, opcode
    and why; ``refused``: why a function has no native code; ``unattended``: how many workgroups ran from
    their launch to their end without the reference, or in ``attended`` why none did."""

    instructions: int = 0
    calls: int = 0
    compiling: float = 0.0
    functions: int = 0
    handed: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    refused: dict[str, str] = field(default_factory=dict)
    unattended: int = 0
    attended: str = ""

    @property
    def handed_back(self) -> list[tuple[tuple[str, str, str], int]]:
        """What was handed back, the most frequent first."""
        return sorted(self.handed.items(), key=lambda pair: (-pair[1], pair[0]))
