"""What ``enumerate`` says, in each format."""

from __future__ import annotations

from collections.abc import Sequence

from ..diagnostics import Severity
from ..frozen import Json
from ..ir.module import Module
from ..sched.enumeration import EnumeratedAlignment, EnumeratedOutcome, Enumeration
from ..semantics.machine.buffers import BufferContents
from ..semantics.machine.launch import Launch, waves_of
from ..semantics.machine.run import Contents
from ..source import NOWHERE
from .parts import PLAIN, SCHEMA, Style, printable
from .parts.formats import ended_command, workflow_command
from .parts.words import details, ranges, reason, words
from .run import alignment, buffer, contents, cut, group_lines, outcome, outcome_text, shape, waves

# ----------------------------------------------------------------------------------------------------------
# What enumeration found, for people: each alignment's picture and groups, the outcomes, a last line.
# ----------------------------------------------------------------------------------------------------------


def text(
    enumeration: Enumeration,
    module: Module,
    pictures: Sequence[tuple[str, ...]],
    before: Contents,
    notes: Sequence[str],
    style: Style = PLAIN,
    quiet: bool = False,
    verbose: bool = False,
    buffers: Sequence[Sequence[BufferContents]] = (),
) -> str:
    """What ``convcheck enumerate`` prints: ``before`` is memory at the launch, for only what an
    execution changes is shown. ``buffers`` is what is to be shown of each outcome's memory. ``quiet`` prints
    them and the last line alone; ``verbose`` adds the control
    intrinsics and shows pictures of any width in full."""
    parts = [] if quiet else _alignments(enumeration, pictures, verbose)
    if not quiet:
        held = buffers or [()] * len(enumeration.outcomes)
        parts += [
            _outcome(n, o, module, before, style, shown)
            for n, (o, shown) in enumerate(zip(enumeration.outcomes, held, strict=True), 1)
        ]
    else:
        parts += ["\n".join(contents(held) for held in shown) for shown in buffers]
    parts.append("\n".join(f"note: {printable(note)}" for note in notes))
    parts.append(summary(enumeration))
    return "\n\n".join(part for part in parts if part) + "\n"


def summary(enumeration: Enumeration) -> str:
    """``Alignments: 6 (complete)   Outcomes: 6``."""
    how = "complete" if enumeration.bound is None else f"not complete: {printable(words(enumeration.bound))}"
    return f"Alignments: {len(enumeration.alignments)} ({how})   Outcomes: {len(enumeration.outcomes)}"


def _alignments(enumeration: Enumeration, pictures: Sequence[tuple[str, ...]], verbose: bool) -> list[str]:
    parts = []
    for number, (listed, picture) in enumerate(zip(enumeration.alignments, pictures, strict=True), 1):
        rows = picture if verbose else [cut(row) for row in picture]
        lines = [f"Alignment {number}:", *(f"Thread {n}: {row}" for n, row in enumerate(rows))]
        if groups := group_lines(listed.groups, verbose):
            lines.append(groups)
        if len(enumeration.outcomes) > 1:
            places = [place + 1 for place in listed.outcomes]
            lines.append(f"Outcome{'' if len(places) == 1 else 's'}: {ranges(places)}")
        parts.append("\n".join(lines))
    return parts


def _outcome(
    number: int, outcome: EnumeratedOutcome, module: Module, before: Contents, style: Style,
    buffers: Sequence[BufferContents],
) -> str:  # fmt: skip
    lines = [f"Outcome {number}:"]
    why = reason(outcome.example)
    if why is None:
        apart = frozenset(held.name for held in buffers)
        lines.append(outcome_text(outcome.outcome, outcome.outcome.contents.changed(before), apart))
        lines += map(contents, buffers)
    else:
        lines.append(style.severity(Severity.ERROR, why[0].upper() + why[1:]))
        lines += [f"  {line}" for line in details(outcome.example, module)]
    return "\n".join(lines)


def github(name: str, module: Module, enumeration: Enumeration) -> str:
    """``convcheck enumerate --format github``: executions that go wrong, and what was cut."""
    lines = [ended_command(name, module, outcome.example) for outcome in enumeration.outcomes]
    if enumeration.bound is not None:
        bound = f"not complete: {words(enumeration.bound)}"
        lines.append(workflow_command("warning", name, None, NOWHERE, "not complete", bound))
    elif not enumeration.alignments and not enumeration.outcomes:
        lines.append(
            workflow_command("error", name, None, NOWHERE, "no legal execution", "no execution is legal")
        )
    return "".join(dict.fromkeys(lines))


# ----------------------------------------------------------------------------------------------------------
# ``convcheck enumerate --format json``: the objects A and O of ``convcheck/1``, all of them.
# ----------------------------------------------------------------------------------------------------------


def answer(
    enumeration: Enumeration,
    module: Module,
    launch: Launch,
    pictures: Sequence[tuple[str, ...]],
    notes: Sequence[str],
    buffers: Sequence[Sequence[BufferContents]] = (),
) -> dict[str, Json]:
    """The whole answer. ``pictures`` are the alignments', in their order, ``buffers`` what is to be shown of
    each outcome's memory. An alignment's ``outcomes`` are places in the list of outcomes, from 0."""
    return {
        "schema": SCHEMA,
        "command": "enumerate",
        "engine": enumeration.engine,
        "complete": enumeration.complete,
        **_listed(enumeration, module, pictures, buffers),
        "bound": None if enumeration.bound is None else words(enumeration.bound),
        **shape(launch),
        "wave": waves(waves_of(module, launch)),
        "notes": list(notes),
    }


def disagreement(other: Enumeration, module: Module, pictures: Sequence[tuple[str, ...]]) -> dict[str, Json]:
    """What another engine says to the same question where it says something else, which is our own bug."""
    return {"engine": other.engine, **_listed(other, module, pictures)}


def _listed(
    enumeration: Enumeration,
    module: Module,
    pictures: Sequence[tuple[str, ...]],
    buffers: Sequence[Sequence[BufferContents]] = (),
) -> dict[str, Json]:
    held = buffers or [()] * len(enumeration.outcomes)
    return {
        "alignments": [_alignment(a, p) for a, p in zip(enumeration.alignments, pictures, strict=True)],
        "outcomes": [
            _outcome_data(o, module, shown) for o, shown in zip(enumeration.outcomes, held, strict=True)
        ],
    }


def _alignment(item: EnumeratedAlignment, picture: tuple[str, ...]) -> dict[str, Json]:
    return {**alignment(item, picture), "outcomes": list(item.outcomes)}


def _outcome_data(
    item: EnumeratedOutcome, module: Module, buffers: Sequence[BufferContents]
) -> dict[str, Json]:
    return {
        **outcome(item.outcome),
        "ending": item.ending,
        "reason": reason(item.example),
        "details": list(details(item.example, module)),
        **({"buffers": {held.name: buffer(held) for held in buffers}} if buffers else {}),
    }
