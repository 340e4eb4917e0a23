"""Why a file is not read: it is no SPIR-V, or none that convcheck reads, or not to be specialized so."""

from __future__ import annotations


class NotSPIRV(Exception):
    """Input that is not SPIR-V; ``line`` and ``column``, from 1, where the text is at fault. Of a binary the
    message names the byte."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.message, self.line, self.column = message, line, column


class NotSpecialized(ValueError):
    """A specialization constant that a module does not have, or a value that it cannot have."""


class NotCovered(Exception):
    """SPIR-V outside what convcheck reads: ``feature`` names it and its opcode; ``line`` of the text or
    listing."""

    def __init__(self, what: str, line: int | None = None) -> None:
        super().__init__(what)
        self.feature, self.line = what, line
