"""What a run leaves: ``--show`` and ``--save`` of buffers and variables, and the exit code of an ending."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ...semantics.errors import (
    Deadlock,
    Ending,
    Endless,
    Illegal,
    OutOfBound,
    Returned,
    UndefinedBehaviour,
    Unmodelled,
)
from .load import launching
from .options import each, saved, with_sigil
from .output import Exit

if TYPE_CHECKING:
    from ...sched.enumeration import Enumeration
    from ...semantics.machine.buffers import BufferContents
    from ...semantics.machine.launch import Launch
    from ...semantics.machine.program import Program
    from ...semantics.machine.run import Run

# ----------------------------------------------------------------------------------------------------------
# ``--show`` and ``--save``: what buffers and variables hold at the end of a run.
# ----------------------------------------------------------------------------------------------------------

F = TypeVar("F", bound=Callable[..., Any])


def buffers(function: F) -> F:
    """Add the options to a command."""
    save = click.option(
        "--save",
        metavar="%x=FILE.npy",
        multiple=True,
        callback=each(saved),
        help="Write what a buffer or variable holds at the end.",
    )
    show = click.option(
        "--show",
        metavar="%x",
        multiple=True,
        callback=each(with_sigil),
        help="Print what a buffer or variable (@g) holds at the end.",
    )
    return show(save(function))


@dataclass(frozen=True, slots=True)
class BuffersAtEnd:
    """What is to be shown of a run's buffers; ``notes`` say what was saved as something else."""

    shown: tuple[BufferContents, ...] = ()
    notes: tuple[str, ...] = ()


def at_end(run: Run, options: Mapping[str, Any], name: str) -> BuffersAtEnd:
    """What the options ask of a run of the file called ``name``; what is to be saved is.

    :raises InputError: for what is no buffer, or cannot be written
    """
    if not (options.get("show") or options.get("save")):
        return BuffersAtEnd()
    from ...semantics.machine.buffers import save

    notes: list[str] = []
    with launching(name):
        shown = tuple(run.held(buffer) for buffer in dict.fromkeys(options["show"]))
        for buffer, path in options["save"]:
            contents = run.held(buffer)
            save(contents.array, path)
            if contents.missing:
                what = f"{contents.missing} element{'s' * (contents.missing != 1)} of {contents.name}"
                notes.append(f"{what} are poison or undef: {path} has 0 there")
    return BuffersAtEnd(shown, tuple(notes))


def at_ends(
    enumeration: Enumeration, program: Program, launch: Launch, options: Mapping[str, Any], name: str
) -> list[BuffersAtEnd]:
    """As :func:`at_end`, for each outcome. What is saved has a row for each that has contents."""
    outcomes = enumeration.outcomes
    if not (options["show"] or options["save"]):
        return [BuffersAtEnd()] * len(outcomes)
    from ...packages import required
    from ...semantics.errors import UsageError
    from ...semantics.machine.buffers import buffer_placed, save, shown_contents

    module, notes = program.module, list[str]()
    by_name: dict[str, list[BufferContents | None]] = {}
    with launching(name):
        for buffer in dict.fromkeys([*options["show"], *(saved for saved, _ in options["save"])]):
            called, placed = buffer_placed(module, launch.buffers, buffer)
            label = module.globals[placed.variable].label
            held = by_name[buffer] = []
            for item in outcomes:
                if item.ending == "returned" and label not in item.outcome.memory:
                    raise UsageError(f"{called}: each workgroup has its own")
                values = item.outcome.memory.get(label)
                held.append(None if values is None else shown_contents(called, placed, values))
        for buffer, path in options["save"]:
            rows = [held for held in by_name[buffer] if held is not None]
            if not rows:
                raise UsageError(f"{path}: no outcome has contents")
            save(required("numpy", "a buffer as an array").stack([row.array for row in rows]), path)
            missing = sum(row.missing for row in rows)
            if missing:
                what = f"{missing} element{'s' * (missing != 1)} of {rows[0].name}"
                notes.append(f"{what} are poison or undef: {path} has 0 there")
    shown = [by_name[buffer] for buffer in dict.fromkeys(options["show"])]
    of_outcomes = [[held[n] for held in shown] for n in range(len(outcomes))]
    return [
        BuffersAtEnd(tuple(held for held in row if held is not None), () if n else tuple(notes))
        for n, row in enumerate(of_outcomes)
    ]


# ----------------------------------------------------------------------------------------------------------
# The exit code that says how an execution ended. Imported where there is one: it knows all endings.
# ----------------------------------------------------------------------------------------------------------


def ending_code(ending: Ending, otherwise: int | None = None) -> Exit:
    """0: every thread returned. 1: undefined behaviour, no end, no legal execution. 3: a bound was hit, or
    something has no model; or with a number ``otherwise`` in the place of stand-ins it would not end so
    (:attr:`.Run.otherwise`)."""
    if otherwise is not None:
        return Exit.UNKNOWN
    match ending:
        case Returned():
            return Exit.HOLDS
        case UndefinedBehaviour() | Deadlock() | Endless() | Illegal():
            return Exit.FAILS
        case OutOfBound() | Unmodelled():
            return Exit.UNKNOWN
