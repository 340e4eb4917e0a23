"""What a transform says about what it did and what it left alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..ir.module import Module

Kind = Literal["changed", "kept", "refused"]
"""``changed``: what was done. ``kept``: what needed nothing. ``refused``: what cannot be done, and why."""


@dataclass(frozen=True, slots=True)
class Note:
    """One sentence about ``@function``; ``operation`` names the call (``%x`` or ``@callee#k``)."""

    kind: Kind
    function: str
    words: str
    operation: str | None = None

    def __str__(self) -> str:
        at = "" if self.operation is None else f", {self.operation}"
        return f"@{self.function}{at}: {self.words}"


@dataclass(frozen=True, slots=True)
class Transformed:
    """A module after a transform, and what there is to say about it.

    Instructions that were there before keep their spans, which are places in the text that was read.
    """

    module: Module
    notes: tuple[Note, ...]


class CannotTransform(Exception):
    """A function has something that the transform cannot take; ``words`` name it."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words
