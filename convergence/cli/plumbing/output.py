"""Where answers go: standard output or ``-o FILE``, with or without colour, quietly past a broken pipe."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from ...interruption import noticed
from ...report.parts.printable import printable, printable_lines
from ...report.parts.style import Style
from .exits import InputError
from .interrupts import answering


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
            # What is still in the buffer is written again at exit, and would fail there.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            if not isinstance(error, BrokenPipeError):  # the reader has gone, as in `convcheck ... | head`
                raise InputError("<stdout>", f"cannot write: {error.strerror or error}") from None

    return emit


def complain(line: str) -> None:
    """One line on standard error, as ``convcheck: LINE``."""
    click.echo("convcheck: " + printable(line), err=True)


def complain_of_usage(error: click.ClickException) -> None:
    """What click says of a command line, on standard error."""
    said = io.StringIO()
    error.show(said)
    click.echo(printable_lines(said.getvalue()), err=True, nl=False)
