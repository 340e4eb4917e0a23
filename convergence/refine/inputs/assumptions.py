"""What the caller promises about inputs: ``uniform:%x``, ``range:%n=0..8``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...semantics.errors import UsageError

_WORDS = re.compile(
    r"(?:uniform:%?(?P<uniform>[^=\s]+)"
    r"|range:%?(?P<range>[^=\s]+)=(?P<low>-?\d+)\.\.(?P<high>-?\d+))\Z"
)


@dataclass(frozen=True, slots=True)
class Assumption:
    """``uniform``: all threads of a launch get the same ``parameter``. Else its integers lie between ``low``
    and ``high``, both included."""

    parameter: str
    uniform: bool = False
    low: int = 0
    high: int = 0

    def __str__(self) -> str:
        if self.uniform:
            return f"uniform:%{self.parameter}"
        return f"range:%{self.parameter}={self.low}..{self.high}"


def parse_assumption(text: str) -> Assumption:
    """``uniform:%x`` or ``range:%n=0..8`` (both ends included). Raises UsageError."""
    found = _WORDS.match(text.strip())
    if found is None:
        raise UsageError(f"{text!r} is no assumption: write uniform:%x or range:%n=0..8")
    if found["uniform"] is not None:
        return Assumption(found["uniform"], True)
    low, high = int(found["low"]), int(found["high"])
    if low > high:
        raise UsageError(f"{text!r}: the range is empty")
    return Assumption(found["range"], False, low, high)


def check(assumptions: Sequence[Assumption], parameters: Sequence[str]) -> None:
    """Raises UsageError for an assumption about what is no parameter."""
    for assumption in assumptions:
        if assumption.parameter not in parameters:
            shown = ", ".join(f"%{name}" for name in parameters) or "none"
            raise UsageError(f"{assumption}: there is no such parameter; there are: {shown}")
