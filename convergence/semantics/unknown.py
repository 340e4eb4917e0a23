"""Values that nobody gave: arguments that a run may not need (``--path`` decides branches instead)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unknown:
    """What stands in a register for a value that is not known; ``name`` is the argument it comes from."""

    name: str


def needed(unknown: Unknown, by: str) -> str:
    """The message when an unknown value matters."""
    return (
        f"argument %{unknown.name} has no value, but {by} needs it: give it with --arg %{unknown.name}=VALUE"
    )
