"""A run for people: the picture, the groups of each operation, what came out, how it ended."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby

from ...alignment.instances import DynamicInstance
from ...diagnostics import Severity
from ...ir.module import Module
from ...semantics.errors import Returned
from ...semantics.machine.buffers import BufferContents
from ...semantics.machine.log import Called, Event
from ...semantics.machine.outcome import Contents, Outcome, ThreadOutcome
from ...semantics.machine.run import Group, Run
from ..parts import endings
from ..parts.endings import details, reason
from ..parts.groups import members, ranges, results, value
from ..parts.html import PLAIN, Style
from ..parts.printable import printable

LONGEST = 120  # characters of a global's contents, or of an event, that are shown
COLUMNS = 500  # columns of a picture that are shown
EVENTS = 20  # events of a thread that are shown


def text(
    run: Run,
    module: Module,
    picture: Sequence[str],
    notes: Sequence[str],
    style: Style = PLAIN,
    quiet: bool = False,
    verbose: bool = False,
    buffers: Sequence[BufferContents] = (),
    caveats: Sequence[str] = (),
) -> str:
    """What ``convcheck run`` prints. The picture, if there is one, comes first. ``quiet`` stops after it
    unless the run failed; ``verbose`` adds the control intrinsics, the rules and the choices. ``buffers`` are
    those that are to be shown; ``caveats`` are said even where ``quiet`` leaves out the notes: why numbers
    that are shown may be others."""
    rows = picture if verbose else [cut(row) for row in picture]
    parts = ["\n".join(f"Thread {number}: {row}" for number, row in enumerate(rows))]
    why = reason(run.ending)
    if not quiet:
        parts.append("" if run.unlisted else group_lines(run.groups, verbose, waiting(run)))
        parts.append(
            outcome_text(
                run.eventless if run.unlisted else run.outcome,
                run.changed_memory,
                frozenset(held.name for held in buffers),
            )
        )
    parts.append("\n".join(map(contents, buffers)))
    if why is not None:
        lines = [style.severity(Severity.ERROR, why[0].upper() + why[1:])]
        parts.append("\n".join([*lines, *(f"  {line}" for line in details(run.ending, module))]))
    shown_notes = notes if not quiet or why is not None else caveats
    if run.unlisted and not quiet:
        shown_notes = [*shown_notes, run.unlisted]
    parts.append("\n".join(f"note: {printable(note)}" for note in shown_notes))
    if verbose:
        parts.append(_verbose(run))
    return "\n\n".join(part for part in parts if part) + "\n"


def cut(row: str) -> str:
    """A row of very many columns without its end."""
    columns = row.split(" ", COLUMNS)
    if len(columns) <= COLUMNS:
        return row
    left = columns.pop().count(" ") + 1
    return " ".join(columns) + f" ... ({left} more columns with -v)"


def waiting(run: Run) -> frozenset[DynamicInstance]:
    """The instances whose group is not complete: their threads were waiting when the run ended."""
    pending = run.machine.pending
    return (
        frozenset(instance for instance, key in run.keys.items() if key in pending)
        if pending
        else frozenset()
    )


def group_lines(
    met: Sequence[Group], control: bool, incomplete: frozenset[DynamicInstance] = frozenset()
) -> str:
    """Each convergent operation, and under it the groups that executed it together."""
    lines: list[str] = []
    several = len({group.site.function for group in met}) > 1
    shown = [group for group in met if control or not group.control]
    for site, groups in groupby(shown, key=lambda group: group.site):
        first, *rest = groups
        callee = "" if first.operation.startswith(first.callee) else f" ({printable(first.callee)})"
        where = f" in @{printable(site.function)}" if several else ""
        lines.append(f"{printable(first.operation)}{callee}{where}:")
        lines += [
            _group_line(group) + (" (waiting)" if group.members[0] in incomplete else "")
            for group in (first, *rest)
        ]
    return "\n".join(lines)


def _group_line(group: Group) -> str:
    group_members = members((member.thread, member.nth) for member in group.members)
    return f"  {group_members}" + (f": {results(group.results)}" if group.results else "")


def contents(held: BufferContents) -> str:
    """What a buffer holds, all of it, in the words in which the command line takes it."""
    element = held.placed.element
    values = (v if isinstance(v, str) else element.spelled(v) for v in held.values)
    return f"{printable(held.name)} = {held.placed.words}: {', '.join(values)}".rstrip()


def outcome_text(outcome: Outcome, changed: Contents, apart: frozenset[str] = frozenset()) -> str:
    """Return values, threads with the same one on one line; events; memory that changed, shared memory
    first, but for what is shown ``apart``."""
    lines: list[str] = []
    for ending, group in groupby(outcome.threads, key=_ended):
        numbers = [thread.thread for thread in group]
        lines.append(f"Thread{'' if len(numbers) == 1 else 's'} {ranges(numbers)} {ending}")
    for thread in outcome.threads:
        if thread.events:
            lines.append(f"Thread {thread.thread} events:")
            lines += [f"  {number} {_event(e)}" for number, e in enumerate(thread.events[:EVENTS], 1)]
            if len(thread.events) > EVENTS:
                lines.append(f"  ... ({len(thread.events) - EVENTS} more in --format json)")
    shared = {name: v for name, v in changed.shared.items() if name not in apart}
    if shared or any(changed.own):
        lines.append("Memory:")
        lines += [f"  {printable(name)} = {_short(value(v))}" for name, v in shared.items()]
    by_value: dict[tuple[str, str], list[int]] = {}
    for thread, own in zip(outcome.threads, changed.own, strict=False):
        for name, v in own.items():
            by_value.setdefault((name, value(v)), []).append(thread.thread)
    for (name, held), numbers in sorted(by_value.items(), key=lambda entry: (entry[0][0], entry[1])):
        whose = f"thread{'s' * (len(numbers) > 1)} {ranges(numbers)}"
        lines.append(f"  {printable(name)} = {_short(held)} in {whose}")
    return "\n".join(lines)


def _ended(thread: ThreadOutcome) -> str:
    if thread.ended == "returned":
        return "returned" if thread.value is None else f"returned {value(thread.value)}"
    return "did not finish" if thread.ended == "unfinished" else thread.ended


def _event(event: Event) -> str:
    operands = ", ".join(value(operand) for operand in event.operands)  # type: ignore[arg-type]
    if isinstance(event, Called):
        call = f"@{printable(event.callee.removeprefix('@'))}({operands})"
    else:
        call = f"volatile {event.operation}({operands})"
    if event.result is not None:
        call += f" => {value(event.result)}"  # type: ignore[arg-type]
    if isinstance(event, Called) and event.group is not None:
        call += f" with {members(event.group.items())}"
    return _short(call)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _verbose(run: Run) -> str:
    lines = ["Rules: " + ", ".join(rule.id for rule in run.rules)]
    lines += [f"Choice: {printable(c.label)}: option {c.option + 1} of {c.options}" for c in run.choices]
    ended = "returned" if isinstance(run.ending, Returned) else "not returned"
    lines.append(f"Steps: {json.dumps(run.steps)} instructions, {ended}")
    lines += endings.engine_lines(run.engine)
    return "\n".join(lines)
