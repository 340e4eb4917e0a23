"""Diagnostics as GitHub workflow commands, which annotate the lines of a pull request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...diagnostics import Diagnostic
from ...source import NOWHERE, Source, Span
from ..parts.endings import words
from ..parts.printable import printable_lines
from .checked import VerifiedFile

if TYPE_CHECKING:
    from ...ir.module import Module
    from ...sched.enumeration import Enumeration
    from ...sched.lockstep.simulate import Simulated
    from ...semantics.errors import Ending


def data(text: str) -> str:
    """Escape a command's message."""
    return printable_lines(text).replace("%", "%25").replace("\n", "%0A")


def value(text: str) -> str:
    """Escape a command's property, which also must not hold its separators."""
    return data(text).replace(":", "%3A").replace(",", "%2C")


def diagnostic(name: str, source: Source | None, found: Diagnostic) -> str:
    """``::error file=...,line=...,col=...,title=S-NEST::message``."""
    said = found.severity.value
    return command(said, name, source, found.span, found.rule.id, found.message)


def command(severity: str, name: str, source: Source | None, span: Span, headline: str, message: str) -> str:
    """A workflow command: ``error``, ``warning`` or ``notice``, at a place of a file or at the file."""
    places = [f"file={value(name)}"]
    if source is not None and span.start >= 0:
        start, end = source.position(span.start), source.position(span.end)
        places += [f"line={start.line}", f"col={start.column}"]
        if end.line == start.line:
            places.append(f"endColumn={end.column}")
        else:
            places.append(f"endLine={end.line}")
    places.append(f"title={value(headline)}")
    return f"::{severity} {','.join(places)}::{data(message)}\n"


def verify(files: Sequence[VerifiedFile]) -> str:
    """``convcheck verify --format github``; a file that is no LLVM IR is an error without a line."""
    said = []
    for file in files:
        source = None if file.module is None else file.module.source
        said += [diagnostic(file.name, source, found) for found in file.diagnostics]
        if file.error is not None:
            said.append(f"::error file={value(file.name)}::{data(file.error)}\n")
    return "".join(said)


def ended(name: str, module: Module, ending: Ending, headline: str = "") -> str:
    """How a run ended: an error where it went wrong, a warning where that is not known, else nothing."""
    from ...semantics.errors import ENDING_NAMES, OutOfBound, Unmodelled
    from ..parts.endings import reason

    why = reason(ending)
    if why is None:
        return ""
    severity = "warning" if isinstance(ending, OutOfBound | Unmodelled) else "error"
    title = headline or ENDING_NAMES[type(ending)]
    return command(severity, name, module.source, _where(ending), title, why)


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


def enumeration(name: str, module: Module, found: Enumeration) -> str:
    """``convcheck enumerate --format github``: executions that go wrong, and what was cut."""
    said = [ended(name, module, outcome.found) for outcome in found.outcomes]
    if found.bound is not None:
        bound = f"not complete: {words(found.bound)}"
        said.append(command("warning", name, None, NOWHERE, "not complete", bound))
    elif not found.alignments and not found.outcomes:
        said.append(command("error", name, None, NOWHERE, "no legal execution", "no execution is legal"))
    return "".join(dict.fromkeys(said))


def simulations(name: str, module: Module, found: Sequence[Simulated]) -> str:
    """``convcheck simulate --format github``: of one machine alone a departure or a hang is an error, of
    several a notice, for they need not all conform."""
    from ..simulate.text import verdict

    severity = "error" if len(found) == 1 else "notice"
    said = []
    for one in found:
        if one.refused is not None:
            said.append(command("warning", name, None, NOWHERE, one.policy, verdict(one)))
        elif one.departure is not None or one.ending is None:
            span = _operation(one) if one.departure is not None else NOWHERE
            said.append(command(severity, name, module.source, span, one.policy, verdict(one)))
        else:
            said.append(ended(name, module, one.ending, one.policy))
    return "".join(said)


def _operation(one: Simulated) -> Span:
    """Where the operation stands at which a machine departs."""
    assert one.departure is not None and one.machine is not None
    for group in one.groups:
        if group.operation == one.departure.operation:
            return one.machine.program.span(group.site)
    return NOWHERE
