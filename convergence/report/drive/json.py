"""``convcheck drive --format json``: the device, the legal outcomes with counts, what is not legal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from ...device.client import DeviceFacts
from ...drive.driven import Driven
from ...drive.trial import ElementDifference, IllegalResult
from ..parts.endings import words
from ..run.json import buffer, shape
from ..simulate.json import departure
from ..verify.json import SCHEMA, Json


def device(facts: DeviceFacts) -> dict[str, Json]:
    """A device as data."""
    return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(facts).items()}


def listed(devices: Sequence[DeviceFacts]) -> dict[str, Json]:
    """``--list``."""
    return {"schema": SCHEMA, "command": "drive", "devices": [device(one) for one in devices]}


def answer(driven: Driven, shown: Sequence[str]) -> dict[str, Json]:
    """The whole answer. ``buffers`` are those of the result that was seen most often."""
    trial = driven.trial
    return {
        "schema": SCHEMA,
        "command": "drive",
        "verdict": trial.verdict,
        "device": device(driven.facts),
        "module": {"made": driven.made, "entry": driven.entry, "bytes": driven.size},
        **shape(driven.launch),
        "runs": trial.runs,
        "complete": trial.complete,
        "bound": None if trial.bound is None else words(trial.bound),
        "undefined": trial.undefined,
        "failed": None if trial.failed is None else {"why": trial.failed.why, "stage": trial.failed.stage},
        "legal": [
            {"ending": one.outcome.ending, "seen": one.seen, "memory": dict(driven.memory_of(one.outcome))}
            for one in trial.legal
        ],
        "illegal": [_illegal(result) for result in trial.illegal],
        "buffers": {held.name: buffer(held) for held in driven.held(shown)},
        "notes": [*driven.notes, *trial.notes],
    }


def _illegal(result: IllegalResult) -> dict[str, Json]:
    return {
        "seen": result.seen,
        "memory": dict(result.contents),
        "elements": result.elements,
        "floating": result.floating,
        "differences": [_difference(one) for one in result.differences],
        "machines": [
            {"policy": one.policy, "departure": None if one.departure is None else departure(one.departure)}
            for one in result.explanations
        ],
    }


def _difference(one: ElementDifference) -> dict[str, Json]:
    return {
        "buffer": one.buffer, "index": one.index, "legal": one.legal, "seen": one.seen,
        "threads": list(one.threads), "lanes": list(one.lanes), "line": one.line,
        "operation": one.operation,
    }  # fmt: skip
