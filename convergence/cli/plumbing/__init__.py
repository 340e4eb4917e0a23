"""Files, options, launches, output and exit codes: what the subcommands share.

Here: what a command writes and how it ends: SIGINT, exit codes, progress, files.
"""

from __future__ import annotations

import atexit
import io
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from enum import IntEnum
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ...interruption import ask, noticed, requested
from ...report.parts import Style, printable, printable_lines

if TYPE_CHECKING:
    from ...semantics import UsageError

# ----------------------------------------------------------------------------------------------------------
# SIGINT on the command line, and SIGTERM: what runs is asked to end, then made to, so that each command ends
# within a second with what it has.
# ----------------------------------------------------------------------------------------------------------

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
    """Takes SIGINT and SIGTERM while a command runs, unless this process was started to ignore SIGINT, as is
    what a shell runs in the background."""
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None):
        yield
        return
    handlers: dict[int, Callable[[int, FrameType | None], Any]] = {signal.SIGINT: _interrupt}
    if _has_timers():
        handlers |= {signal.SIGALRM: _remind, signal.SIGPROF: _enough}
    before: dict[int, _Handler] = {number: signal.signal(number, new) for number, new in handlers.items()}
    dropped, sys.unraisablehook = sys.unraisablehook, _drop_interrupts
    try:
        with _sigterm_taken_for_sigint():
            yield
    finally:
        quiet()
        sys.unraisablehook = dropped
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _sigterm_taken_for_sigint() -> Iterator[None]:
    """SIGTERM is what ``timeout`` and batch systems send. Python's handlers wait until what is under way in C
    has ended, and z3 hears SIGINT alone: so a thread hands on what comes."""
    if not _has_timers() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    come, wake = os.pipe()
    os.set_blocking(wake, False)

    def hand_on() -> None:
        while numbers := os.read(come, 64):
            if signal.SIGTERM in numbers:
                os.kill(os.getpid(), signal.SIGINT)
        os.close(come)

    before = signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGTERM, lambda *_: None)
    threading.Thread(target=hand_on, daemon=True).start()
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.set_wakeup_fd(before)
        os.close(wake)


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
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
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


# ----------------------------------------------------------------------------------------------------------
# Exit codes, and the ways in which a command ends before it has an answer.
# ----------------------------------------------------------------------------------------------------------


class Exit(IntEnum):
    """What the process's exit code says. Never the program's own value."""

    HOLDS = 0
    FAILS = 1
    INPUT = 2
    UNKNOWN = 3
    OUR_BUG = 4


_WORST_FIRST = (Exit.OUR_BUG, Exit.INPUT, Exit.FAILS, Exit.UNKNOWN, Exit.HOLDS)


def worst(codes: Iterable[Exit]) -> Exit:
    """The code for several files: 4 > 2 > 1 > 3 > 0.

    >>> worst([Exit.UNKNOWN, Exit.FAILS, Exit.HOLDS])
    <Exit.FAILS: 1>
    """
    return min(codes, key=_WORST_FIRST.index, default=Exit.HOLDS)


class InputError(Exception):
    """The input cannot be used: one line ``convcheck: FILE: why``, and the exit code that goes with it.

    ``place`` is the file, with line and column where they are known. ``detail`` is more for ``-v``.
    ``usage`` is the same as data, where the launch is at fault.
    """

    def __init__(
        self,
        place: str,
        why: str,
        code: Exit = Exit.INPUT,
        detail: str = "",
        usage: UsageError | None = None,
    ) -> None:
        super().__init__(f"{place}: {why}")
        self.place = place
        self.why = why
        self.code = code
        self.detail = detail
        self.usage = usage


# -- Where answers go: standard output or ``-o FILE``, with or without colour, quietly past a broken pipe


def style(color: str, output: str | None) -> Style:
    """``always`` and ``never`` decide; ``auto`` colours a terminal unless ``NO_COLOR`` is set."""
    if color == "auto":
        plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
        return Style(output in (None, "-") and not plain and sys.stdout.isatty())
    return Style(color == "always")


@contextmanager
def opened(output: str | None) -> Iterator[Callable[[str], None]]:
    """What writes pieces of an answer to ``output``, or to standard output, as they come.

    :raises InputError: when the file cannot be written
    """
    if output in (None, "-"):
        yield _to_stdout()
        return
    try:
        with Path(output).open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
            yield lambda text: _ignore(stream.write(text))
    except OSError as error:
        raise InputError(output, f"cannot write: {error.strerror or error}") from None


def write(text: str, output: str | None) -> None:
    """Write a whole answer. :raises InputError: when the file cannot be written"""
    with opened(output) as emit:
        emit(text)


def _ignore(_: int) -> None:
    return None


def _to_stdout() -> Callable[[str], None]:
    stream = sys.stdout
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")

    def emit(text: str) -> None:
        if noticed():
            answering()
        try:
            stream.write(text)
            stream.flush()
        except OSError as error:
            give_up(error)

    return emit


def give_up(error: OSError) -> None:
    """Standard output takes no more. That a reader has gone, as in ``convcheck ... | head``, is no error.

    :raises InputError: for every other cause
    """
    # What is still in the buffer is written again at exit, and would fail there.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if not isinstance(error, BrokenPipeError):
        raise InputError("<stdout>", f"cannot write: {error.strerror or error}") from None


def hold_standard_streams() -> None:
    """Gives the standard streams that this process was started without (``>&-``) descriptors on which reading
    and writing fail as on closed ones; else the next file that is opened would stand in for them."""
    for number, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # the lowest free descriptor: this one
    sys.stdin = sys.stdin or os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8", closefd=False)


def complain(line: str) -> None:
    """One line on standard error, as ``convcheck: LINE``."""
    click.echo("convcheck: " + printable(line), err=True)


def complain_of_usage(error: click.ClickException) -> None:
    """What click says of a command line, on standard error."""
    stream = io.StringIO()
    error.show(stream)
    click.echo(printable_lines(stream.getvalue()), err=True, nl=False)


# ----------------------------------------------------------------------------------------------------------
# How far a long command is: one line on standard error that is written anew, where that is a terminal.
# ----------------------------------------------------------------------------------------------------------

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
