"""Which register holds whose mask: nested regions need several at a time."""

from __future__ import annotations

from collections.abc import Mapping

from .structure import Kind, Place, Structure

Register = int
"""A register (or an entry of the stack) that holds a mask, from 0."""


class Registers:
    """Which register holds the masks of which region or place: the lowest that is free while it is used."""

    def __init__(self, structure: Structure, homes: Mapping[Place, tuple[int | None, bool]]) -> None:
        self.of_region: dict[int, Register] = {}
        self.of_place: dict[Place, Register] = {}
        index = structure.index
        wanted: list[tuple[int, int, int, int | Place]] = []
        for block, region in structure.regions.items():
            wanted.append((index[Place(Kind.BLOCK, block)], 1, index[region.join], block))
        for place, (loop, _) in homes.items():
            start = 0 if loop is None else structure.stretch(loop)[0]
            wanted.append((start, 0, index[place], place))
        busy: list[int] = []
        for start, _, end, user in sorted(wanted, key=lambda w: (w[0], w[1], -w[2])):
            free = next((r for r, until in enumerate(busy) if until <= start), len(busy))
            if free == len(busy):
                busy.append(end)
            busy[free] = end
            if isinstance(user, Place):
                self.of_place[user] = free
            else:
                self.of_region[user] = free
