"""``convcheck enumerate --format json``: the objects A and O of ``convcheck/1``, all of them."""

from __future__ import annotations

from collections.abc import Sequence

from ...frozen import Json
from ...ir.module import Module
from ...sched.enumeration import EnumeratedAlignment, EnumeratedOutcome, Enumeration
from ...semantics.machine.buffers import BufferContents
from ...semantics.machine.launch import Launch, waves_of
from ..parts.endings import details, reason, words
from ..run.json import alignment, buffer, outcome, shape, waves
from ..verify.json import SCHEMA


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
    held = buffers or [()] * len(enumeration.outcomes)
    return {
        "schema": SCHEMA,
        "command": "enumerate",
        "engine": enumeration.engine,
        "complete": enumeration.complete,
        "alignments": [_alignment(a, p) for a, p in zip(enumeration.alignments, pictures, strict=True)],
        "outcomes": [
            _outcome_data(o, module, shown) for o, shown in zip(enumeration.outcomes, held, strict=True)
        ],
        "bound": None if enumeration.bound is None else words(enumeration.bound),
        **shape(launch),
        "wave": waves(waves_of(module, launch)),
        "notes": list(notes),
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
