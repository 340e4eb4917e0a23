"""JUnit's XML, as CI systems read it: a test case for each answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .printable import markup


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
