"""What a wrong mask does to a lane, on machines whose code says which lanes are on (D-THREAD)."""

from __future__ import annotations

from ...frozen import dataclass
from .policy import Mask


@dataclass(frozen=True, slots=True)
class Unmasked:
    """A branch that no mask goes with sends the lane to ``block``, and the wave to ``wave``."""

    block: str
    wave: str


@dataclass(frozen=True, slots=True)
class Misled:
    """A mask puts the lane on in ``block``; the lane is at ``at``, or has ended (``None``)."""

    block: str
    at: str | None


@dataclass(frozen=True, slots=True)
class Stranded:
    """The wave returns, and the lane is still off: it would have gone on at ``at``."""

    at: str


class WrongMask(Exception):
    """Which instruction of ``function`` goes wrong at its ``nth`` time, for which ``lane``; ``ran`` are the
    lanes that are on then, ``rightly`` those that should be."""

    def __init__(
        self,
        function: str,
        operation: int,
        nth: int,
        lane: int,
        ran: Mask,
        rightly: Mask,
        because: Unmasked | Misled | Stranded,
    ) -> None:
        super().__init__(because)
        self.function, self.operation, self.nth = function, operation, nth
        self.lane, self.ran, self.rightly, self.because = lane, ran, rightly, because
