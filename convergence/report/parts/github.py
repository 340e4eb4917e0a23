"""Diagnostics as GitHub workflow commands, which annotate the lines of a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...diagnostics import Diagnostic
from ...source import NOWHERE, Source, Span
from .printable import printable_lines

if TYPE_CHECKING:
    from ...ir.module import Module
    from ...semantics.errors import Ending


def command_data(text: str) -> str:
    """Escape a command's message."""
    return printable_lines(text).replace("%", "%25").replace("\n", "%0A")


def command_property(text: str) -> str:
    """Escape a command's property, which also must not hold its separators."""
    return command_data(text).replace(":", "%3A").replace(",", "%2C")


def diagnostic_command(name: str, source: Source | None, diagnostic: Diagnostic) -> str:
    """``::error file=...,line=...,col=...,title=S-NEST::message``."""
    level = diagnostic.severity.value
    return workflow_command(level, name, source, diagnostic.span, diagnostic.rule.id, diagnostic.message)


def workflow_command(
    severity: str, name: str, source: Source | None, span: Span, headline: str, message: str
) -> str:
    """A workflow command: ``error``, ``warning`` or ``notice``, at a place of a file or at the file."""
    places = [f"file={command_property(name)}"]
    if source is not None and span.start >= 0:
        start, end = source.position(span.start), source.position(span.end)
        places += [f"line={start.line}", f"col={start.column}"]
        if end.line == start.line:
            places.append(f"endColumn={end.column}")
        else:
            places.append(f"endLine={end.line}")
    places.append(f"title={command_property(headline)}")
    return f"::{severity} {','.join(places)}::{command_data(message)}\n"


def ended_command(name: str, module: Module, ending: Ending, headline: str = "") -> str:
    """How a run ended: an error where it went wrong, a warning where that is not known, else nothing."""
    from ...semantics.errors import ENDING_NAMES, OutOfBound, Unmodelled
    from ..parts.endings import reason

    why = reason(ending)
    if why is None:
        return ""
    severity = "warning" if isinstance(ending, OutOfBound | Unmodelled) else "error"
    title = headline or ENDING_NAMES[type(ending)]
    return workflow_command(severity, name, module.source, _where(ending), title, why)


def _where(ending: Ending) -> Span:
    """The instruction at which it ended: the innermost frame's, or the first waiting thread's."""
    from ...semantics.errors import Deadlock, Endless, OutOfBound, Returned

    if isinstance(ending, Returned):
        return NOWHERE
    if isinstance(ending, Endless):
        return ending.spinning[0].span
    if not isinstance(ending, Deadlock) and ending.stack:
        return ending.stack[0].span
    waiting = ending.waiting if isinstance(ending, Deadlock | OutOfBound) else ()
    return waiting[0].span if waiting else NOWHERE
