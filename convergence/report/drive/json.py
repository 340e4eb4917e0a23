"""``convcheck drive --format json``: the device, the legal outcomes with counts, what is not legal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from ...device.client import DeviceFacts
from ...drive.trial import Driven, ElementDifference, IllegalResult
from ...frozen import Json
from ..parts.endings import words
from ..run.json import buffer, shape
from ..simulate.json import departure_data
from ..verify.json import SCHEMA


def device(facts: DeviceFacts) -> dict[str, Json]:
    """A device as data."""
    return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(facts).items()}


def listed_data(devices: Sequence[DeviceFacts]) -> dict[str, Json]:
    """``--list``."""
    return {"schema": SCHEMA, "command": "drive", "devices": [device(facts) for facts in devices]}


def answer(driven: Driven, shown: Sequence[str]) -> dict[str, Json]:
    """The whole answer. ``buffers`` are those of the result that was seen most often."""
    trial = driven.trial
    return {
        "schema": SCHEMA,
        "command": "drive",
        "verdict": trial.verdict,
        "device": device(driven.facts),
        "module": {"made": driven.origin, "entry": driven.entry, "bytes": driven.size},
        **shape(driven.launch),
        "runs": trial.runs,
        "complete": trial.complete,
        "bound": None if trial.bound is None else words(trial.bound),
        "undefined": trial.undefined,
        "open_reads": list(trial.open_reads),
        "failed": None if trial.failed is None else {"why": trial.failed.why, "stage": trial.failed.stage},
        "legal": [
            {
                "ending": outcome.outcome.ending,
                "seen": outcome.runs,
                "memory": dict(driven.memory_of(outcome.outcome)),
            }
            for outcome in trial.legal
        ],
        "illegal": [_illegal_data(result) for result in trial.illegal],
        "buffers": {held.name: buffer(held) for held in driven.held(shown)},
        "notes": [*driven.notes, *trial.notes],
    }


def _illegal_data(result: IllegalResult) -> dict[str, Json]:
    return {
        "seen": result.runs,
        "memory": dict(result.contents),
        "elements": result.elements,
        "floating": result.floating,
        "differences": [_difference(difference) for difference in result.differences],
        "machines": [
            {
                "policy": difference.policy,
                "departure": None if difference.departure is None else departure_data(difference.departure),
            }
            for difference in result.explanations
        ],
    }


def _difference(difference: ElementDifference) -> dict[str, Json]:
    return {
        "buffer": difference.buffer, "index": difference.index, "legal": difference.legal,
        "seen": difference.value,
        "threads": list(difference.threads), "lanes": list(difference.lanes), "line": difference.line,
        "operation": difference.operation,
    }  # fmt: skip
