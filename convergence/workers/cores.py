"""The cores of this machine."""

from __future__ import annotations

import os


def available_cores() -> int:
    """How many this process may use; all that there are where the system does not say (macOS, Windows)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
