"""Diagnostics as GitHub workflow commands, which annotate the lines of a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from ..diagnostics import Diagnostic
from ..source import Source
from .checked import Checked


def data(text: str) -> str:
    """Escape a command's message."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def value(text: str) -> str:
    """Escape a command's property, which also must not hold its separators."""
    return data(text).replace(":", "%3A").replace(",", "%2C")


def diagnostic(name: str, source: Source | None, found: Diagnostic) -> str:
    """``::error file=...,line=...,col=...,title=S-NEST::message``."""
    places = [f"file={value(name)}"]
    if source is not None and found.span.start >= 0:
        start, end = source.position(found.span.start), source.position(found.span.end)
        places += [f"line={start.line}", f"col={start.column}"]
        if end.line == start.line:
            places.append(f"endColumn={end.column}")
        else:
            places.append(f"endLine={end.line}")
    places.append(f"title={value(found.rule.id)}")
    return f"::{found.severity.value} {','.join(places)}::{data(found.message)}\n"


def verify(files: Sequence[Checked]) -> str:
    """``convcheck verify --format github``; a file that is no LLVM IR is an error without a line."""
    said = []
    for file in files:
        source = None if file.module is None else file.module.source
        said += [diagnostic(file.name, source, found) for found in file.diagnostics]
        if file.error is not None:
            said.append(f"::error file={value(file.name)}::{data(file.error)}\n")
    return "".join(said)
