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


def diagnostic(name: str, source: Source | None, diagnostic: Diagnostic) -> str:
    """``::error file=...,line=...,col=...,title=S-NEST::message``."""
    level = diagnostic.severity.value
    return command(level, name, source, diagnostic.span, diagnostic.rule.id, diagnostic.message)


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
    lines = []
    for file in files:
        source = None if file.module is None else file.module.source
        lines += [diagnostic(file.name, source, violation) for violation in file.diagnostics]
        if file.error is not None:
            lines.append(f"::error file={value(file.name)}::{data(file.error)}\n")
    return "".join(lines)


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


def enumeration(name: str, module: Module, enumeration: Enumeration) -> str:
    """``convcheck enumerate --format github``: executions that go wrong, and what was cut."""
    lines = [ended(name, module, outcome.example) for outcome in enumeration.outcomes]
    if enumeration.bound is not None:
        bound = f"not complete: {words(enumeration.bound)}"
        lines.append(command("warning", name, None, NOWHERE, "not complete", bound))
    elif not enumeration.alignments and not enumeration.outcomes:
        lines.append(command("error", name, None, NOWHERE, "no legal execution", "no execution is legal"))
    return "".join(dict.fromkeys(lines))


def simulations(name: str, module: Module, machines: Sequence[Simulated]) -> str:
    """``convcheck simulate --format github``: of one machine alone a departure or a hang is an error, of
    several a notice, for they need not all conform."""
    from ..simulate.text import verdict

    severity = "error" if len(machines) == 1 else "notice"
    lines = []
    for machine in machines:
        if machine.refused is not None:
            lines.append(command("warning", name, None, NOWHERE, machine.policy, verdict(machine)))
        elif machine.departure is not None or machine.ending is None:
            span = _operation(machine) if machine.departure is not None else NOWHERE
            lines.append(command(severity, name, module.source, span, machine.policy, verdict(machine)))
        else:
            lines.append(ended(name, module, machine.ending, machine.policy))
    return "".join(lines)


def _operation(machine: Simulated) -> Span:
    """Where the operation stands at which a machine departs."""
    assert machine.departure is not None and machine.machine is not None
    for group in machine.groups:
        if group.operation == machine.departure.operation:
            return machine.machine.program.span(group.site)
    return NOWHERE
