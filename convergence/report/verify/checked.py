"""What ``verify`` found in one file: the value that every renderer of diagnostics takes."""

from __future__ import annotations

from collections.abc import Sequence

from ...diagnostics import Diagnostic, Severity
from ...frozen import dataclass
from ...ir.module import Module


@dataclass(frozen=True, slots=True)
class VerifiedFile:
    """One input file.

    ``name`` is the file as the user wrote it. ``module`` is ``None`` when the file could not be read as
    LLVM IR. ``error`` is then, or when LLVM's own verifier refuses the file for another reason than our
    rules, the one line that says why. ``note`` is something to know about the positions, if anything.
    """

    name: str
    module: Module | None
    diagnostics: tuple[Diagnostic, ...] = ()
    error: str | None = None
    note: str | None = None

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity is Severity.ERROR)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity is Severity.WARNING)


def count(number: int, noun: str) -> str:
    """``1 error``, ``2 errors``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def summary(files: Sequence[VerifiedFile]) -> str:
    """The line that ends ``verify``: how many errors and warnings, in how many functions and files."""
    errors = sum(len(f.errors) for f in files)
    warnings = sum(len(f.warnings) for f in files)
    unread = sum(f.error is not None for f in files)
    counts = [count(errors, "error")] if errors else []
    counts += [count(warnings, "warning")] if warnings else []
    counts_in_words = ", ".join(counts)
    if counts_in_words:
        functions = len({(f.name, d.function) for f in files for d in f.diagnostics})
        counts_in_words += f" in {count(functions, 'function')} of {count(len(files), 'file')}"
    if unread:
        refused = f"{count(unread, 'file')} could not be taken as LLVM IR"
        return f"{counts_in_words}; {refused}" if counts_in_words else refused
    if errors:
        return counts_in_words
    defined = sum(len(f.module.definitions()) for f in files if f.module is not None)
    held = f"ok: {count(defined, 'function')} of {count(len(files), 'file')}"
    return f"{held}, {count(warnings, 'warning')}" if warnings else held
