"""What enumeration found, for people: each alignment's picture and groups, the outcomes, a last line."""

from __future__ import annotations

from collections.abc import Sequence

from ...diagnostics import Severity
from ...ir.module import Module
from ...sched.enumeration import Enumeration, FoundOutcome
from ...semantics.machine.outcome import Contents
from ..parts.endings import details, reason, words
from ..parts.groups import ranges
from ..parts.html import PLAIN, Style
from ..parts.printable import printable
from ..run.text import cut, operations, seen


def text(
    found: Enumeration,
    module: Module,
    pictures: Sequence[tuple[str, ...]],
    before: Contents,
    notes: Sequence[str],
    style: Style = PLAIN,
    quiet: bool = False,
    verbose: bool = False,
) -> str:
    """What ``convcheck enumerate`` prints: ``before`` is memory at the launch, for only what an
    execution changes is shown. ``quiet`` prints the last line alone; ``verbose`` adds the control
    intrinsics and shows pictures of any width in full."""
    parts = [] if quiet else _alignments(found, pictures, verbose)
    if not quiet:
        parts += [_outcome(n, o, module, before, style) for n, o in enumerate(found.outcomes, 1)]
    parts.append("\n".join(f"note: {printable(note)}" for note in notes))
    parts.append(summary(found))
    return "\n\n".join(part for part in parts if part) + "\n"


def summary(found: Enumeration) -> str:
    """``Alignments: 6 (complete)   Outcomes: 6``."""
    how = "complete" if found.bound is None else f"not complete: {printable(words(found.bound))}"
    return f"Alignments: {len(found.alignments)} ({how})   Outcomes: {len(found.outcomes)}"


def _alignments(found: Enumeration, pictures: Sequence[tuple[str, ...]], verbose: bool) -> list[str]:
    parts = []
    for number, (alignment, picture) in enumerate(zip(found.alignments, pictures, strict=True), 1):
        rows = picture if verbose else [cut(row) for row in picture]
        lines = [f"Alignment {number}:", *(f"Thread {n}: {row}" for n, row in enumerate(rows))]
        if groups := operations(alignment.groups, verbose):
            lines.append(groups)
        if len(found.outcomes) > 1:
            places = [place + 1 for place in alignment.outcomes]
            lines.append(f"Outcome{'' if len(places) == 1 else 's'}: {ranges(places)}")
        parts.append("\n".join(lines))
    return parts


def _outcome(number: int, found: FoundOutcome, module: Module, before: Contents, style: Style) -> str:
    lines = [f"Outcome {number}:"]
    why = reason(found.found)
    if why is None:
        lines.append(seen(found.outcome, found.outcome.contents.changed(before)))
    else:
        lines.append(style.severity(Severity.ERROR, why[0].upper() + why[1:]))
        lines += [f"  {line}" for line in details(found.found, module)]
    return "\n".join(lines)
