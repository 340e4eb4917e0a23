"""What is costly to make and made once for all of pytest-xdist's workers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

PATIENCE = 300
"""Seconds that a worker waits for another one's work."""


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A folder that ``make`` has filled: by the first worker that asks, while the others wait.

    Raises what ``make`` raises, and in the others AssertionError.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        folder = factory.mktemp(name)
        make(folder)
        return folder
    folder = factory.getbasetemp().parent / f"once-{name}"
    done, failed = folder.with_suffix(".done"), folder.with_suffix(".failed")
    try:
        folder.mkdir()
    except FileExistsError:
        end = time.monotonic() + PATIENCE
        while not done.exists():
            assert not failed.exists(), f"{name} could not be made: the other worker says why"
            assert time.monotonic() < end, f"{name} was not made in {PATIENCE} seconds"
            time.sleep(0.1)
        return folder
    try:
        make(folder)
    except BaseException:
        failed.touch()
        raise
    done.touch()
    return folder
