"""Machines side by side in figures: slots, active lanes, masks saved, the first departure."""

from __future__ import annotations

from collections.abc import Sequence

from ...frozen import Json
from ...sched.lockstep.simulate import Figures, Simulated, figures
from .text import word

_HEAD = (
    "machine", "wave", "slots", "active lanes", "utilisation", "machine operations", "masks saved",
    "first departure", "verdict",
)  # fmt: skip
_RIGHT = range(1, 7)


def figures_text(machines: Sequence[Simulated]) -> str:
    """A line per machine and wave, and one for all waves where there are several."""
    rows: list[tuple[str, ...]] = [_HEAD]
    for machine in machines:
        lines = figures(machine)
        if not lines:
            rows.append((machine.policy, *["-"] * (len(_HEAD) - 2), word(machine)))
        for line in lines if len(lines) > 2 else lines[-1:]:
            verdict = word(machine) if line.wave is None else ""
            rows.append((machine.policy, *_cells(line), verdict))
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    return "".join(
        "  ".join(
            cell.rjust(width) if column in _RIGHT else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        + "\n"
        for row in rows
    )


def _cells(line: Figures) -> tuple[str, ...]:
    return (
        "all" if line.wave is None else str(line.wave),
        str(line.slots),
        f"{line.active}/{line.room}",
        f"{100 * line.utilisation:.0f} %",
        str(line.operations),
        str(line.saved),
        "-" if line.departure is None else f"slot {line.departure}",
    )


def figures_data(machine: Simulated) -> list[Json]:
    """The same as data: the waves in order, then all of them (``wave`` is ``null``)."""
    return [
        {
            "wave": line.wave,
            "issues": line.slots,
            "active_lanes": line.active,
            "lane_slots": line.room,
            "utilisation": round(line.utilisation, 6),
            "machine_operations": line.operations,
            "masks_saved": line.saved,
            "departure_slot": line.departure,
        }
        for line in figures(machine)
    ]
