"""Masks over time as SVG, in the style of alignments: a row per lane, a column per issue slot, a colour with
a pattern per block. A filled cell is a lane that is on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ...sched.lockstep.simulate import Simulated
from ...semantics.machine.log import Issued
from ..parts.printable import markup, printable
from ..parts.svg import (
    SIZE,
    document,
    element,
    length,
    paint,
    pattern,
    sheet,
    shortened,
    text_line,
    title,
)
from .text import block, operation, verdict

CELL, GAP, MARGIN, LINE, SMALL = 14.0, 2.0, 16.0, 20.0, 11.0
LANES_SHOWN = 2_000  # slots of a wave that are drawn
LONG = 110  # display cells of a verdict
TICK = 10  # slots from number to number


def masks_svg(machines: Sequence[Simulated], prefix: str = "convcheck") -> str:
    """One picture, machine under machine, wave under wave."""
    drawing = _Masks(prefix)
    for machine in machines:
        drawing.machine(machine)
    return drawing.document(machines)


class _Masks:
    """The picture in the making: ``y`` is where it goes on."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.parts: list[str] = []
        self.y, self.right = MARGIN, 400.0
        self.paints: dict[tuple[str, int], int] = {}
        self.names: dict[tuple[str, int], str] = {}

    def document(self, machines: Sequence[Simulated]) -> str:
        """The whole text."""
        self._blocks()
        names = ", ".join(machine.policy for machine in machines)
        title = ". ".join(printable(f"{machine.policy}: {verdict(machine)}") for machine in machines)
        width, height = self.right + MARGIN, self.y + MARGIN
        head = [
            element("title", markup(printable(f"Masks over time: {names}")), id=f"{self.prefix}-title"),
            element("desc", markup(title), id=f"{self.prefix}-desc"),
            sheet(self.prefix),
            element("defs", *(pattern(self.prefix, n) for n in sorted(set(self.paints.values())))),
            element("rect", width=width, height=height, class_="paper"),
        ]
        return document(self.prefix, width, height, [*head, *self.parts])

    def machine(self, machine: Simulated) -> None:
        """A machine: its verdict, and its waves."""
        heading = shortened(printable(f"{machine.policy}: {verdict(machine)}"), LONG)
        self._line(heading)
        if machine.machine is None:
            return
        for wave, size in machine.lanes.items():
            steps = [step for step in machine.steps if step.wave == wave]
            self._wave(machine, wave, size, steps[:LANES_SHOWN], len(steps))

    def _line(self, text: str, kind: str = "ink", size: float = SIZE) -> None:
        self.y += LINE
        self.parts.append(text_line(text, MARGIN, self.y, size, kind=kind))
        self.right = max(self.right, MARGIN + length(text, size))

    def _wave(self, machine: Simulated, wave: int, size: int, steps: Sequence[Issued], of: int) -> None:
        assert machine.machine is not None
        program = machine.machine.program
        left = f" of {of}" if of > len(steps) else ""
        many = f"wave {wave}: " if len(machine.lanes) > 1 else ""
        self._line(
            f"{many}{len(steps)}{left} issue slots, time to the right; filled: the lane is on", "faint", SMALL
        )
        start = MARGIN + length(f"lane {size - 1}") + MARGIN / 2
        self.y += 4
        self._labels(machine, start, steps)
        top = self.y
        for lane in range(size):
            middle = top + (CELL + GAP) * lane + CELL / 2 + SMALL * 0.35
            self.parts.append(text_line(f"lane {lane}", MARGIN, middle, SMALL))
        for at, step in enumerate(steps):
            key = step.function, step.block
            if key not in self.paints:
                self.paints[key] = paint(len(self.paints))
                self.names[key] = printable(block(program, step))
            x = start + (CELL + GAP) * at
            tooltip = f"slot {step.slot}: %{self.names[key]}: {printable(operation(program, step))}"
            row = [title(tooltip)]
            for lane in range(size):
                box = {"x": x, "y": top + (CELL + GAP) * lane, "width": CELL, "height": CELL, "rx": 2.0}
                on = step.mask >> lane & 1
                fill = f"url(#{self.prefix}-p{self.paints[key]})" if on else "none"
                row.append(element("rect", **box, fill=fill, class_="" if on else "alone"))
            self.parts.append(element("g", *row))
        self.y = top + (CELL + GAP) * size
        self._ticks(start, len(steps))
        self.right = max(self.right, start + (CELL + GAP) * len(steps))

    def _labels(self, machine: Simulated, start: float, steps: Sequence[Issued]) -> None:
        """Block names above the first slot of each stay, in as many lines as they need not to run into each
        other: none is left out."""
        assert machine.machine is not None
        program = machine.machine.program
        ends: list[float] = []
        stays = []
        at = 0
        for _, stay in groupby(steps, key=lambda step: (step.function, step.block, step.mask)):
            run = list(stay)
            stays.append((at, printable(block(program, run[0]))))
            at += len(run)
        placed = []
        for at, name in stays:
            x = start + (CELL + GAP) * at
            line = next((n for n, end in enumerate(ends) if end <= x), len(ends))
            if line == len(ends):
                ends.append(0.0)
            ends[line] = x + length(name, SMALL) + GAP * 2
            self.right = max(self.right, ends[line])
            placed.append((x, line, name))
        height = (SMALL + 3) * len(ends)
        for x, line, name in placed:
            base = self.y + height - (SMALL + 3) * line - 2
            if line:
                self.parts.append(
                    element("line", x1=x + 1, y1=base + 2, x2=x + 1, y2=self.y + height, class_="lane")
                )
            self.parts.append(text_line(name, x, base, SMALL))
        self.y += height + 3

    def _ticks(self, start: float, slots: int) -> None:
        """The slots' numbers below."""
        self.y += SMALL + 1
        for at in range(0, slots, TICK):
            x = start + (CELL + GAP) * at + CELL / 2
            self.parts.append(text_line(str(at), x, self.y, SMALL, "middle", "faint"))
        self.y += 4

    def _blocks(self) -> None:
        """What each paint stands for."""
        if not self.paints:
            return
        self.y += LINE
        x = MARGIN
        several = len({function for function, _ in self.paints}) > 1
        for (function, number), kind in self.paints.items():
            name = self.names[function, number]
            label = shortened(f"@{function} %{name}" if several else f"%{name}", 40)
            width = CELL + 6 + length(label, SMALL) + MARGIN
            if x > MARGIN and x + width > max(self.right, 640.0):
                x, self.y = MARGIN, self.y + LINE
            fill = f"url(#{self.prefix}-p{kind})"
            self.parts.append(
                element("rect", x=x, y=self.y - CELL + 3, width=CELL, height=CELL, rx=2.0, fill=fill)
            )
            self.parts.append(text_line(label, x + CELL + 6, self.y, SMALL))
            x += width
            self.right = max(self.right, x)
