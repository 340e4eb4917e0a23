"""Masks over time as SVG: a row per lane, a column per slot, a colour per block."""

from __future__ import annotations

from collections.abc import Sequence

from ...sched.lockstep.simulate import Simulated
from ..parts.printable import markup, printable
from .text import block, operation, verdict

CELL, LEFT, LETTER = 14, 70, 5.5
SHOWN = 2_000  # slots of a wave that are drawn
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb")


def masks(found: Sequence[Simulated]) -> str:
    """One picture, machine under machine, wave under wave."""
    body: list[str] = []
    height, width = 8, 400
    for one in found:
        machine = one.machine
        said = printable(f"{one.policy}: {verdict(one)}")
        body.append(f'<text x="8" y="{height + 14}" font-weight="bold">{markup(said)}</text>')
        width = max(width, 16 + 8 * len(said))
        height += 24
        if machine is None:
            continue
        for wave, size in one.lanes.items():
            steps = [s for s in one.steps if s.wave == wave][:SHOWN]
            width = max(width, LEFT + CELL * len(steps) + 16)
            last, free = None, 0.0
            for at, step in enumerate(steps):
                name = printable(block(machine.program, step))
                x = LEFT + CELL * at
                here = (step.function, step.block, step.mask)
                if here != last and x >= free:  # names that would run into each other are left out
                    free = x + LETTER * (len(name) + 1)
                    body.append(f'<text x="{x}" y="{height + 10}" font-size="9">{markup(name)}</text>')
                last = here
                colour = COLOURS[step.block % len(COLOURS)]
                label = markup(f"slot {step.slot}: %{name}: {printable(operation(machine.program, step))}")
                for lane in range(size):
                    fill = colour if step.mask >> lane & 1 else "none"
                    body.append(
                        f'<rect x="{x}" y="{height + 14 + CELL * lane}" width="{CELL - 1}" '
                        f'height="{CELL - 1}" fill="{fill}" stroke="#ddd"><title>{label}</title></rect>'
                    )
            for lane in range(size):
                body.append(f'<text x="8" y="{height + 25 + CELL * lane}">lane {lane}</text>')
            height += 20 + CELL * size
        height += 10
    start = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="monospace" font-size="12" role="img" '
        f'aria-label="Masks over time: {", ".join(one.policy for one in found)}">'
    )
    return (
        "\n".join([start, f'<rect width="{width}" height="{height}" fill="white"/>', *body, "</svg>"]) + "\n"
    )
