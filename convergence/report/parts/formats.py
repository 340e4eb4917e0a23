"""What CI systems read: JUnit's XML, what all SARIF documents have alike, and GitHub's workflow commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from ...diagnostics import Diagnostic
from ...frozen import Json
from ...packages import HOMEPAGE, __version__
from ...rules import Rule
from ...source import NOWHERE, Source, Span
from . import markup, printable_lines

if TYPE_CHECKING:
    from ...ir.module import Module
    from ...semantics import Ending

# ----------------------------------------------------------------------------------------------------------
# What CI systems read: what all our documents of a form have alike.
# ----------------------------------------------------------------------------------------------------------

# ----------------------------------------------------------------------------------------------------------
# JUnit's XML, as CI systems read it: a test case for each answer.
# ----------------------------------------------------------------------------------------------------------


class Case(NamedTuple):
    """A test case: ``failure`` is a headline and all there is to say, ``skipped`` why nothing is known."""

    classname: str
    name: str
    failure: tuple[str, str] | None = None
    skipped: str | None = None
    seconds: float | None = None


def suite(cases: Sequence[Case]) -> str:
    """The document of one suite."""
    failures = sum(case.failure is not None for case in cases)
    skipped = sum(case.skipped is not None for case in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="0" skipped="{skipped}"'
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuite name="convcheck" {counts}>\n' + "\n".join(map(_case, cases)) + "\n</testsuite>\n"
    )


def _case(case: Case) -> str:
    body = ""
    if case.failure is not None:
        headline, words = case.failure
        marks = f'type="{attribute(case.name)}" message="{attribute(headline)}"'
        body = f"<failure {marks}>{markup(words)}</failure>"
    elif case.skipped is not None:
        body = f'<skipped message="{attribute(case.skipped)}"/>'
    time = "" if case.seconds is None else f' time="{case.seconds:.3f}"'
    names = f'classname="{attribute(case.classname)}" name="{attribute(case.name)}"'
    return f"<testcase {names}{time}>{body}</testcase>"


def attribute(text: str) -> str:
    """Text inside the quotes of an attribute."""
    return markup(text).replace('"', "&quot;")


# ----------------------------------------------------------------------------------------------------------
# What every SARIF 2.1.0 document of ours has alike: who made it, the rules' texts, fingerprints.
#
# OASIS, *Static Analysis Results Interchange Format*: §3.19 ``toolComponent``, §3.49 ``reportingDescriptor``,
# §3.27.17 ``partialFingerprints``.
# ----------------------------------------------------------------------------------------------------------

FINGERPRINT = "convcheck/v1"
"""The name of our fingerprints: another way to make them gets another name."""


def driver(rules: Sequence[Json]) -> dict[str, Json]:
    """``tool.driver``."""
    return {
        "name": "convcheck",
        "version": __version__,
        "semanticVersion": __version__,
        "informationUri": HOMEPAGE,
        "rules": list(rules),
    }


def rule(value: Rule, level: str) -> Json:
    """A rule's title, sentence and reason: what a viewer shows beside a result."""
    from ..explain import why

    reason = why(value)
    return {
        "id": value.id,
        "name": "".join(word.capitalize() for word in value.id.split("-")),
        "shortDescription": {"text": value.title},
        "fullDescription": {"text": value.sentence},
        "help": {
            "text": f"{value.sentence}\n\n{reason}\n\nconvcheck explain {value.id}",
            "markdown": f"**{value.sentence}**\n\n{reason}\n\n`convcheck explain {value.id}` has examples; "
            f"[{value.authority}'s document]({value.link}).",
        },
        "helpUri": value.link,
        "defaultConfiguration": {"level": level},
        "properties": {"tags": ["convergence"]},
    }


class Fingerprints:
    """Fingerprints of one document's results. They hold when lines are added elsewhere: the place in the
    text is no part of them, but which of several equal results it is."""

    def __init__(self) -> None:
        self._times: Counter[str] = Counter()

    def of(self, parts: Iterable[str]) -> Json:
        """``partialFingerprints`` of a result that ``parts`` say: rule, function, the line's words."""
        key = "\0".join(" ".join(part.split()) for part in parts)
        self._times[key] += 1
        text = f"{key}\0{self._times[key]}".encode("utf-8", "backslashreplace")
        return {FINGERPRINT: sha256(text).hexdigest()[:32]}


# ----------------------------------------------------------------------------------------------------------
# Diagnostics as GitHub workflow commands, which annotate the lines of a pull request.
# ----------------------------------------------------------------------------------------------------------


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
    from ...semantics import ENDING_NAMES, OutOfBound, Unmodelled
    from .words import reason

    why = reason(ending)
    if why is None:
        return ""
    severity = "warning" if isinstance(ending, OutOfBound | Unmodelled) else "error"
    title = headline or ENDING_NAMES[type(ending)]
    return workflow_command(severity, name, module.source, _where(ending), title, why)


def _where(ending: Ending) -> Span:
    """The instruction at which it ended: the innermost frame's, or the first waiting thread's."""
    from ...semantics import Deadlock, Endless, OutOfBound, Returned

    if isinstance(ending, Returned):
        return NOWHERE
    if isinstance(ending, Endless):
        return ending.spinning[0].span
    if not isinstance(ending, Deadlock) and ending.stack:
        return ending.stack[0].span
    waiting = ending.waiting if isinstance(ending, Deadlock | OutOfBound) else ()
    return waiting[0].span if waiting else NOWHERE
