"""The first operation whose group differs between source and target, and why."""

from __future__ import annotations

from ..ir.module import Module
from .result import Departure, Side


def departure(source: Module, one: Side, target: Module, other: Side) -> Departure | None:
    """To come."""
    return None
