"""An interrupt (Ctrl-C, or SIGTERM) is a bound that is hit: what is under way ends with what it has.

The command line asks, and what runs long looks here wherever it looks at the clock, between two steps, so
that what it has is whole. Only what does not look in time gets Python's KeyboardInterrupt, and gets it again
until somebody stops: Python drops one that comes up in a finaliser. Of a library nobody asks this:
KeyboardInterrupt is what its callers get, but for enumeration and ``refine``, which answer all the same.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager


class _State:
    """``requested``: an interrupt came. ``noticed``: somebody has seen it, and ends."""

    __slots__ = ("noticed", "requested")

    def __init__(self) -> None:
        self.requested = self.noticed = False


_state = _State()


def ask() -> None:
    """All that is under way shall end."""
    _state.requested = True


def requested() -> bool:
    """Whether an interrupt came."""
    return _state.requested


def notice() -> bool:
    """Whether to end now; who is told so does."""
    _state.noticed = _state.requested
    return _state.requested


def noticed() -> bool:
    """Whether somebody was told, and is about to end."""
    return _state.noticed


@contextmanager
def spared() -> Iterator[None]:
    """What runs inside is needed for the answer, and is not told to end; it should be short."""
    before, _state.requested = _state.requested, False
    try:
        yield
    finally:
        _state.requested = _state.requested or before


def check_exit(code: int) -> None:
    """Of the exit code of a process of ours, negative for a signal: a terminal sends SIGINT to us and to all
    that we run, ``timeout`` SIGTERM, and which of us takes it first is a race. Ending of it is no fault of
    what was run.

    :raises KeyboardInterrupt: if the process ended of SIGINT; or of SIGTERM, which others may send to it
        alone, and we got that, too
    """
    if code == -signal.SIGINT or (code == -signal.SIGTERM and _comes()):
        raise KeyboardInterrupt


SOON = 0.1
"""Seconds within which a signal comes to all to whom it was sent, and is handed on."""


def _comes() -> bool:
    """Whether an interrupt came, or comes now."""
    end = time.monotonic() + SOON
    while not _state.requested and time.monotonic() < end:
        time.sleep(SOON / 10)
    return _state.requested


def forget() -> None:
    """As if nothing had been asked, for the next command in this process."""
    _state.requested = _state.noticed = False
