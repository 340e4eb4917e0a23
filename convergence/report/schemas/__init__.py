"""The JSON Schemas of ``convcheck/1``, one per command, as package data."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def schema(command: str) -> dict[str, Any]:
    """The schema of ``convcheck COMMAND --format json``.

    :raises FileNotFoundError: for a command without one
    """
    text = files(__name__).joinpath(f"{command}.schema.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data
