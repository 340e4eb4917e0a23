"""The state of a campaign in its folder, from which the same command goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


class NotThisCampaign(Exception):
    """The folder holds another campaign, or something else; the message says what differs."""


def state_file(folder: Path) -> Path:
    """Where a folder has its state."""
    return folder / "state.json"


def open_state(folder: Path, identity: Mapping[str, object], take: Callable[[dict[str, Any]], None]) -> None:
    """Make the folder, or ``take`` the state of the campaign in it, which must have this ``identity``.

    Raises NotThisCampaign and OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    state = state_file(folder)
    if not state.exists():
        return
    try:
        data = json.loads(state.read_text())
        campaign = data["campaign"]
        take(data)
    except (ValueError, KeyError, TypeError) as error:
        raise NotThisCampaign(f"{state} is no state of a campaign: {error}") from None
    differing = [name for name, value in identity.items() if campaign.get(name) != value]
    if differing:
        differs = " and ".join(differing)
        raise NotThisCampaign(f"{folder} holds a campaign that differs in {differs}: take another folder")


def save_state(folder: Path, identity: Mapping[str, object], data: Mapping[str, object]) -> None:
    """Write the state, whole: a reader sees this one or the one before."""
    temporary = state_file(folder).with_suffix(".new")
    whole = {"schema": "convcheck/1", "campaign": identity, **data}
    temporary.write_text(json.dumps(whole, indent=1) + "\n")
    temporary.replace(state_file(folder))
