"""Where two engines' answers for one run differ, and what shows it again."""

from __future__ import annotations

from itertools import zip_longest
from json import dumps

from ...ir.module import Module
from ...semantics.machine.launch import LaunchSpec
from ...semantics.machine.log import Accessed, each_visit
from ...semantics.machine.run import Run
from .json import answer


def difference(first: Run, second: Run, module: Module) -> str | None:
    """The first part of the answers that differs, or the first event; ``None`` if all is the same. Which
    engine it was is no part of an answer."""
    mine, its = (answer(run, module, (), run.notes) for run in (first, second))
    for name in mine:
        if name != "engine" and mine[name] != its.get(name):
            return f"{name}: {dumps(mine[name])}\nagainst {dumps(its.get(name))}"
    logs = [map(_event_data, filter(_is_compared, each_visit(run.log))) for run in (first, second)]
    for number, (event, against) in enumerate(zip_longest(*logs)):
        if event != against:
            return f"event {number}: {event}\nagainst {against}"
    return None


def _is_compared(event: object) -> bool:
    """All but who touched shared memory: native code knows whom a thread met there, and no more."""
    return not isinstance(event, Accessed) or event.owner is not None


def _event_data(event: object) -> tuple[str, object]:
    """An event without its key, which each run makes for itself."""
    fields = event._asdict() if hasattr(event, "_asdict") else event
    if isinstance(fields, dict):
        fields = {name: value for name, value in fields.items() if name not in ("key", "together")}
    return type(event).__name__, fields


def reproducer(where: str, spec: LaunchSpec, text: str) -> str:
    """A file's contents: what differs, how it was launched, and the program."""
    report = f"The engines differ. {where}\nThe launch: {spec}"
    return "".join(f"; {line}\n" for line in report.splitlines()) + "\n" + text
