"""What every test run says at its end, and when ``make quick`` stops."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import pytest

STARTED = time.monotonic()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("convcheck")
    group.addoption("--within", type=float, metavar="S", help="start no test after S seconds, and say so")


def pytest_runtest_setup(item: pytest.Item) -> None:
    limit = item.config.getoption("--within")
    if limit is not None and time.monotonic() - STARTED > limit:
        pytest.skip(f"not run: {limit:g} seconds are over")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The counts that tests recorded with ``record_property``, added up over all tests and workers."""
    counts: Counter[str] = Counter()
    for report in terminalreporter.stats.get("passed", []) + terminalreporter.stats.get("failed", []):
        for name, value in report.user_properties:
            if isinstance(value, int):
                counts[name] += value
    for name, value in sorted(counts.items()):
        terminalreporter.write_line(f"{name}: {value:,}")
