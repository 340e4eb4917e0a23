"""The listing of a machine's code, with the mask behind each operation, and the structured CFG."""

from __future__ import annotations

from collections.abc import Sequence

from ...frozen import Json
from ...sched.lockstep.masked.listing import Line, Listing
from ...sched.lockstep.policy import Mask
from ..parts.printable import printable

ROWS_SHOWN = 6  # so many of the times that an operation ran are shown
TEXT = 34  # columns of an operation
NAMES = {"exec-mask": "exec"}


def listing_text(policy: str, listings: Sequence[Listing], listing: bool, structured: bool) -> str:
    """What was asked for, function by function; masks in binary, lane 0 last, one for each time."""
    parts = []
    for item in listings:
        if structured:
            head = f"Structured CFG of @{printable(item.function)}:"
            parts.append("\n".join([head, *(printable(line) for line in item.structured)]))
        if listing:
            name = NAMES.get(policy, "mask")
            head = f"Listing of @{printable(item.function)}:"
            rows = [_row(line, item.lanes) for line in item.lines]
            width = max([len(name), *(len(masks) for _, masks, _ in rows)])
            wide = max([TEXT, *(len(t) for t, _, _ in rows)])
            lines = [f"{head:<{wide}}  {name}"]
            lines += [f"{t:<{wide}}  {m:<{width}}  {n}".rstrip() for t, m, n in rows]
            parts.append("\n".join(lines))
    if not parts:
        return f"{policy} has no code on masks to list"
    return "\n\n".join(parts)


def _row(line: Line, lanes: int) -> tuple[str, str, str]:
    if line.label is not None:
        return f"{line.label}:", "", ""
    note = f"// {printable(line.note)}" if line.note else ""
    return f"    {printable(line.text)}", _masks(line.masks, lanes), note


def _masks(masks: Sequence[Mask], lanes: int) -> str:
    """``-`` for what never ran."""
    shown = " ".join(f"{mask & (1 << lanes) - 1:0{lanes}b}" for mask in masks[:ROWS_SHOWN])
    more = f" ... (+{len(masks) - ROWS_SHOWN})" if len(masks) > ROWS_SHOWN else ""
    return f"{shown}{more}" if masks else "-"


def as_json(listings: Sequence[Listing]) -> Json:
    """The same for programs: masks as integers, bit i for lane i."""
    return [
        {
            "function": "@" + listing.function,
            "structured": [line.strip() for line in listing.structured],
            "lines": [
                {"label": line.label, "operation": line.text, "machine": line.extra,
                 "masks": [mask & (1 << listing.lanes) - 1 for mask in line.masks]}
                for line in listing.lines
            ],
        }
        for listing in listings
    ]  # fmt: skip
