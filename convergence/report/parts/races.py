"""Races in words and as data: which variable, and where the two accesses stand (D-SYNC)."""

from __future__ import annotations

from collections.abc import Sequence

from ...frozen import Json
from ...ir.module import Module
from ...semantics.memory.races import Race, RacingAccess
from ...source import Span
from .endings import place

RACES_SHOWN = 8  # pairs of places that are shown


def race_lines(races: Sequence[Race], module: Module) -> list[str]:
    """A line for each two places at which threads race for a variable; the first threads that did."""
    pairs: dict[tuple[object, ...], Race] = {}
    for race in races:
        pairs.setdefault((race.variable, race.first.site, race.second.site), race)
    shown = [
        f"race on {race.variable}: {_access_text(race.first, module)}, {_access_text(race.second, module)}"
        for race in list(pairs.values())[:RACES_SHOWN]
    ]
    if len(pairs) > RACES_SHOWN:
        shown.append(f"races at {len(pairs) - RACES_SHOWN} more pairs of places")
    return shown


def _access_text(access: RacingAccess, module: Module) -> str:
    atomic = "atomic " if access.atomic else ""
    return f"{atomic}{access.kind} by thread {access.thread} ({place(_span(access, module), module)})"


def _span(access: RacingAccess, module: Module) -> Span:
    return module.functions[access.site.function].instructions[access.site.index].span


def race_data(races: Sequence[Race], module: Module) -> list[Json]:
    """Every race, as ``convcheck/1`` has it."""
    return [
        {
            "variable": race.variable,
            "accesses": [_access(race.first, module), _access(race.second, module)],
        }
        for race in races
    ]


def _access(access: RacingAccess, module: Module) -> Json:
    span = _span(access, module)
    position = module.source.position(span.start) if span.start >= 0 else None
    return {
        "thread": access.thread,
        "access": access.kind,
        "atomic": access.atomic,
        "function": "@" + access.site.function,
        "line": None if position is None else position.line,
        "column": None if position is None else position.column,
    }
