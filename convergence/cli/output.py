"""Where answers go: standard output or ``-o FILE``, with or without colour, quietly past a broken pipe."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from ..report.style import Style
from .exits import InputError


def style(color: str, output: str | None) -> Style:
    """``always`` and ``never`` decide; ``auto`` colours a terminal unless ``NO_COLOR`` is set."""
    if color == "auto":
        plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
        return Style(output in (None, "-") and not plain and sys.stdout.isatty())
    return Style(color == "always")


def write(text: str, output: str | None) -> None:
    """Write an answer to ``output``, or to standard output.

    :raises InputError: when the file cannot be written
    """
    if output not in (None, "-"):
        try:
            Path(output).write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
        except OSError as error:
            raise InputError(output, f"cannot write: {error.strerror or error}") from None
        return
    stream = sys.stdout
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        # The reader has gone, as in `convcheck ... | head`. Nothing is left to say, also not at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def complain(line: str) -> None:
    """One line on standard error, as ``convcheck: LINE``."""
    click.echo("convcheck: " + line, err=True)
