"""What every test run says at its end, besides pytest's own summary."""

from __future__ import annotations

from collections import Counter
from typing import Any


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The counts that tests recorded with ``record_property``, added up over all tests and workers."""
    counts: Counter[str] = Counter()
    for report in terminalreporter.stats.get("passed", []) + terminalreporter.stats.get("failed", []):
        for name, value in report.user_properties:
            if isinstance(value, int):
                counts[name] += value
    for name, value in sorted(counts.items()):
        terminalreporter.write_line(f"{name}: {value:,}")
