"""What a call of a function without a model may read, as data (:mod:`.own_writes` finds it)."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..values.display import Json
from ..values.pending import settled


class ReadDependence(NamedTuple):
    """What a call that only reads depends on besides its operands: how many calls of its thread may have
    written something, and what the thread ``changed`` of the memory that the callee may read."""

    calls: int
    changed: list[tuple[str | int, int, Json]]


class Reading(NamedTuple):
    """Among what an event is made of: what its callee may read, a :class:`ReadDependence`, known or to
    come."""

    value: Any

    @property
    def places(self) -> tuple[tuple[str | int, int, Json], ...]:
        """The bytes that the thread had changed, by object and offset. How many calls wrote somewhere is left
        out: they are events themselves, in order. Nothing in a run that stopped before."""
        value = settled(self.value)
        if not isinstance(value, ReadDependence):
            return ()
        return tuple((name, offset, byte) for name, offset, byte in value.changed if offset >= 0)
