"""What all instructions have in common."""

from __future__ import annotations

from dataclasses import field

from ...frozen import dataclass
from ...source import NOWHERE, Span
from ..operands import Metadata

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    result: str | None = None
    attachments: tuple[tuple[str, Metadata], ...] = ()
    span: Span = field(default=NOWHERE, compare=False)
