"""A pytest plugin: what is done of a campaign is written down, and not done again.

The file is named in CONVCHECK_CAMPAIGN, the part in CONVCHECK_CAMPAIGN_PART. A test that was skipped is not
done.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

import pytest

STATE = "CONVCHECK_CAMPAIGN"
PART = "CONVCHECK_CAMPAIGN_PART"


class Done(NamedTuple):
    """A test of a part: ``passed`` or ``failed``, its seconds, what it counted (``record_property``), and
    what it says where it failed."""

    part: int
    test: str
    outcome: str
    seconds: float
    counts: dict[str, int]
    words: str = ""


def done(state: Path, part: int) -> set[str]:
    """The tests of a part that passed."""
    if not state.exists():
        return set()
    lines = [Done(*json.loads(line)) for line in state.read_text(encoding="utf-8").splitlines()]
    return {each.test for each in lines if each.part == part and each.outcome == "passed"}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is done. (Workers read the same file, before any test of theirs is.)"""
    if STATE in os.environ:
        known = done(Path(os.environ[STATE]), int(os.environ[PART]))
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in known])
        items[:] = [item for item in items if item.nodeid not in known]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Write down a test that is done; where there are workers, the process that leads them does."""
    leads = "PYTEST_XDIST_WORKER" not in os.environ
    if STATE in os.environ and leads and (report.when == "call" or report.failed) and not report.skipped:
        counts = {name: value for name, value in report.user_properties if isinstance(value, int)}
        words = report.longreprtext[-4000:] if report.failed else ""
        part, seconds = int(os.environ[PART]), round(report.duration, 2)
        with Path(os.environ[STATE]).open("a", encoding="utf-8") as out:
            print(
                json.dumps(Done(part, report.nodeid, report.outcome, seconds, counts, words)),
                file=out,
                flush=True,
            )
