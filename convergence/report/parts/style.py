"""Colour for terminals: plain ANSI, or nothing at all."""

from __future__ import annotations

from ...diagnostics import Severity
from ...frozen import dataclass


@dataclass(frozen=True, slots=True)
class Style:
    """How to dress words. With ``color`` off every method returns its text unchanged."""

    color: bool = False

    def _wrap(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and text else text

    def severity(self, severity: Severity, text: str) -> str:
        return self._wrap("1;31" if severity is Severity.ERROR else "1;35", text)

    def strong(self, text: str) -> str:
        return self._wrap("1", text)

    def gutter(self, text: str) -> str:
        return self._wrap("34", text)

    def secondary(self, text: str) -> str:
        return self._wrap("36", text)

    def good(self, text: str) -> str:
        return self._wrap("32", text)


PLAIN = Style()
