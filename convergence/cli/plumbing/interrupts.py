"""SIGINT on the command line: what runs is asked to end, then made to, so that each command ends within a
second with what it has."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

from ...interruption import ask, noticed, requested

INTERRUPTED = "interrupted"
"""What a command says that was."""

POLITE = 0.15
"""Seconds in which what runs may end between two of its steps."""
EARNEST = 0.1
"""Seconds between KeyboardInterrupts for what does not; some get lost in finalisers."""
ANSWER = 0.8
"""Seconds of this process's time for making an answer of what there is."""
WRITING = 0.5
"""Seconds in which what is being written is to be read."""

_Handler = Callable[[int, FrameType | None], Any] | int | None


@contextmanager
def heeded() -> Iterator[None]:
    """Takes SIGINT while a command runs, unless this process was started to ignore it, as is what a shell
    runs in the background."""
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None):
        yield
        return
    handlers: dict[int, Callable[[int, FrameType | None], Any]] = {signal.SIGINT: _interrupt}
    if _has_timers():
        handlers |= {signal.SIGALRM: _remind, signal.SIGPROF: _enough}
    before: dict[int, _Handler] = {number: signal.signal(number, new) for number, new in handlers.items()}
    dropped, sys.unraisablehook = sys.unraisablehook, _drop_interrupts
    try:
        yield
    finally:
        quiet()
        sys.unraisablehook = dropped
        for number, handler in before.items():
            signal.signal(number, handler)


def answering() -> None:
    """An answer is being written: it is written to its end, unless nobody reads it."""
    quiet()
    if _has_timers() and requested():
        signal.signal(signal.SIGALRM, _enough)
        signal.setitimer(signal.ITIMER_REAL, WRITING)


def quiet() -> None:
    """No reminders any more."""
    if _has_timers():
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def leave(code: int) -> NoReturn:
    """End the process now: to take apart all that an interrupted command holds may take seconds."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    quiet()
    if _has_timers():
        signal.signal(signal.SIGALRM, lambda *_: os._exit(code))  # for what nobody reads
        signal.setitimer(signal.ITIMER_REAL, WRITING)
    atexit._run_exitfuncs()  # worker processes end here
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _has_timers() -> bool:
    return hasattr(signal, "setitimer")


def _interrupt(number: int, frame: FrameType | None) -> None:
    """The first SIGINT asks; where there are no timers, and from the second on, there is nothing polite."""
    again = requested()
    ask()
    if again or not _has_timers():
        raise KeyboardInterrupt
    signal.setitimer(signal.ITIMER_REAL, POLITE)


def _remind(number: int, frame: FrameType | None) -> None:
    """Who has noticed makes an answer; all others are interrupted."""
    if noticed():
        signal.setitimer(signal.ITIMER_PROF, ANSWER)
        return
    signal.setitimer(signal.ITIMER_REAL, EARNEST)
    raise KeyboardInterrupt


def _enough(number: int, frame: FrameType | None) -> None:
    """There is more to tell than can be told in time."""
    raise KeyboardInterrupt


def _drop_interrupts(lost: Any) -> None:
    """An interrupt that came up in a finaliser is not worth a word: there will be another one."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
