"""What can be wrong with an input, as exceptions that say where."""

from __future__ import annotations

from ..source import Source, Span


class NotLLVM(Exception):
    """The input is not LLVM IR. ``message`` is LLVM's own where it was LLVM that said so.

    ``line`` and ``column`` count from 1 and ``span`` covers the place; all three are ``None``
    where the fault has no place.
    """

    def __init__(
        self, message: str, line: int | None = None, column: int | None = None, span: Span | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.span = span


class Unsupported(Exception):
    """LLVM accepts the input but convcheck cannot read it. ``offset`` is the place in the text."""

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.line: int | None = None
        self.column: int | None = None

    def locate(self, source: Source) -> Unsupported:
        """The same, with line and column."""
        if self.offset is not None:
            self.line, self.column = source.position(self.offset)
        return self
