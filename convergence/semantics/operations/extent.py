"""Counts and coordinates along x, y and z, and the grid of workgroups that a launch is (semantics.md,
D-ENTRY)."""

from __future__ import annotations

from typing import NamedTuple


class Extent(NamedTuple):
    """How many there are along each dimension, or where something is along each, from 0."""

    x: int = 1
    y: int = 1
    z: int = 1

    @property
    def volume(self) -> int:
        """How many there are in all."""
        return self.x * self.y * self.z

    def at(self, number: int) -> Extent:
        """Where number ``number`` is: x grows fastest, then y."""
        rest, x = divmod(number, self.x)
        z, y = divmod(rest, self.y)
        return Extent(x, y, z)

    def scaled(self, other: Extent) -> Extent:
        """The product along each dimension."""
        return Extent(self.x * other.x, self.y * other.y, self.z * other.z)

    def moved(self, other: Extent) -> Extent:
        """The sum along each dimension."""
        return Extent(self.x + other.x, self.y + other.y, self.z + other.z)

    @property
    def dimensions(self) -> int:
        """How many dimensions have more than one: at least 1."""
        return 3 if self.z > 1 else 2 if self.y > 1 else 1

    def __str__(self) -> str:
        """``8``, ``8,4``, ``8,4,2``: as options have it."""
        return ",".join(map(str, self[: self.dimensions]))


SINGLE = Extent(1, 1, 1)
ORIGIN = Extent(0, 0, 0)


class Grid(NamedTuple):
    """A launch as the program sees it: how many ``workgroups``, how many threads each ``workgroup`` has, in
    how many ``dimensions`` (OpenCL's work dimension) the launch was asked for, and how many workgroups are a
    ``cluster``."""

    workgroups: Extent = SINGLE
    workgroup: Extent = SINGLE
    dimensions: int = 1
    cluster: Extent = SINGLE

    @property
    def threads(self) -> Extent:
        """How many threads there are in all."""
        return self.workgroups.scaled(self.workgroup)
