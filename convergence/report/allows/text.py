"""``convcheck allows`` for people."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.module import Module
from ...sched.ask.allows import Allowed
from ...semantics.machine.start import contents_at_launch
from ..parts.endings import words
from ..parts.html import PLAIN, Style
from ..parts.printable import printable
from ..run.text import cut, group_lines, outcome_text
from .words import first_line


def text(
    value: Allowed, module: Module, picture: Sequence[str], style: Style = PLAIN, quiet: bool = False
) -> str:
    """The verdict; where it is allowed also the execution that is so, unless ``quiet``."""
    lines = printable(first_line(value, module))
    parts = [style.good(lines) if value else style.strong(lines)]
    if value.verdict == "unknown" and value.enumeration is not None and value.enumeration.bound is not None:
        parts[0] += f" ({words(value.enumeration.bound)})"
    if value.rule is not None:
        parts.append(f"  {value.rule.id}: {value.rule.sentence}")
    if value.alignment is not None and value.outcome is not None and not quiet:
        parts.append("")
        parts += [f"Thread {number}: {cut(row)}" for number, row in enumerate(picture)]
        outcome, final_state = value.outcome.outcome, value.question
        before = (
            outcome.contents
            if final_state is None
            else contents_at_launch(final_state.module, final_state.spec)
        )
        changed = outcome.contents.changed(before)
        parts += ["", group_lines(value.alignment.groups, False), "", outcome_text(outcome, changed)]
    return "\n".join(parts).rstrip("\n") + "\n"
