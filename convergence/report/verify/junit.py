"""``convcheck verify --format junit``: a test case for each file."""

from __future__ import annotations

from collections.abc import Sequence

from ..parts.formats import Case, suite
from .checked import VerifiedFile, count
from .json import SCHEMA, diagnostic_data, dump, line


def junit(files: Sequence[VerifiedFile]) -> str:
    """A file fails if a rule is broken, or if it is no LLVM IR."""
    return suite([_case(file) for file in files])


def _case(file: VerifiedFile) -> Case:
    if file.error is not None:
        return Case(file.name, "convcheck verify", (file.error, file.error))
    if not file.errors:
        return Case(file.name, "convcheck verify")
    lines = []
    for violation in file.errors:
        place = ""
        if file.module is not None and violation.span.start >= 0:
            start = file.module.source.position(violation.span.start)
            place = f"{start.line}:{start.column}: "
        lines.append(f"{place}[{violation.rule.id}] {violation.message}")
    return Case(file.name, "convcheck verify", (count(len(file.errors), "error"), "\n".join(lines)))


def json(files: Sequence[VerifiedFile], on_one_line: bool = False) -> str:
    """``convcheck verify --format json``; ``on_one_line`` where the form is ``jsonl``."""
    return (line if on_one_line else dump)(
        {
            "schema": SCHEMA,
            "command": "verify",
            "files": [
                {
                    "file": file.name,
                    "diagnostics": [
                        diagnostic_data(None if file.module is None else file.module.source, value)
                        for value in file.diagnostics
                    ],
                    "error": file.error,
                    "notes": [] if file.note is None else [file.note],
                }
                for file in files
            ],
        }
    )
