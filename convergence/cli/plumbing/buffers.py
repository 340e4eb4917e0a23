"""``--show`` and ``--save``: what buffers and variables hold at the end of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .launch import each, saved, with_sigil
from .load import launching

if TYPE_CHECKING:
    from ...semantics.machine.buffers import BufferContents
    from ...semantics.machine.run import Run

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
            save(contents, path)
            if contents.missing:
                what = f"{contents.missing} element{'s' * (contents.missing != 1)} of {contents.name}"
                notes.append(f"{what} are poison or undef: {path} has 0 there")
    return BuffersAtEnd(shown, tuple(notes))
