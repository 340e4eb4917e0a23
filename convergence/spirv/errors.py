"""Why a file is not read: it is no SPIR-V, or it is SPIR-V that convcheck cannot read."""

from __future__ import annotations


class NotSPIRV(Exception):
    """Input that is not SPIR-V; ``line`` and ``column``, from 1, where the text is at fault. Of a binary the
    message names the byte."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.message, self.line, self.column = message, line, column


class NotCovered(Exception):
    """SPIR-V outside what convcheck reads: ``what``, with the opcode, and ``line`` of the text or listing."""

    def __init__(self, what: str, line: int | None = None) -> None:
        super().__init__(what)
        self.what, self.line = what, line
