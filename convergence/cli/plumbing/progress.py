"""How far a long command is: one line on standard error that is written anew, where that is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

WIDTH = 24
"""Characters of a bar."""
PATIENCE, OFTEN = 1.0, 0.2
"""Seconds before a run is said to be on its way, and between two times."""


class Progress:
    """``quiet``: nothing at all."""

    def __init__(self, quiet: bool) -> None:
        self.quiet, self.terminal = quiet, sys.stderr.isatty()
        self._next = time.monotonic() + PATIENCE

    def show(self, text: str) -> None:
        """The line."""
        if self.terminal and not self.quiet:
            sys.stderr.write("\r\x1b[K" + text[:100])
            sys.stderr.flush()

    def bar(self, done: int, of: int, what: str) -> None:
        """The line with a bar: ``done`` ``of`` so many."""
        filled = WIDTH * done // of if of else WIDTH
        self.show(f"[{'#' * filled}{'.' * (WIDTH - filled)}] {done}/{of} {what}")

    def tell(self, done: Callable[[], int], of: int, what: str) -> None:
        """The line with a bar, of a run that has taken a while, now and then."""
        now = time.monotonic()
        if self.terminal and now >= self._next:
            self._next = now + OFTEN
            self.bar(done(), of, what)

    def line(self, text: str) -> None:
        """A line that stays, on no terminal either."""
        if not self.quiet:
            start = "\r\x1b[K" if self.terminal else ""
            sys.stderr.write(f"{start}{text}\n")

    def end(self) -> None:
        """The line goes away."""
        if self.terminal and not self.quiet:
            sys.stderr.write("\r\x1b[K")
