"""What every test run says at its end, when ``make quick`` stops, and a cluster for whoever needs one."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

STARTED = time.monotonic()
ROOT = Path(__file__).parents[1]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("convcheck")
    group.addoption("--within", type=float, metavar="S", help="start no test after S seconds, and say so")


def pytest_runtest_setup(item: pytest.Item) -> None:
    limit = item.config.getoption("--within")
    if limit is not None and time.monotonic() - STARTED > limit:
        pytest.skip(f"not run: {limit:g} seconds are over")


FROZEN_AFTER = 100
"""Tests between two times that the collector is told to pass over what is there."""

_ended = 0


def pytest_collection_finish() -> None:
    """Collected tests stay to the end: the collector need not walk over thirteen thousand of them again and
    again, which takes a tenth of the time of a test that makes many objects."""
    _freeze()


def pytest_runtest_teardown() -> None:
    """What tests leave behind (modules, compiled functions, caches) stays, too: with it, tests that make many
    objects took up to forty times as long as alone."""
    global _ended
    _ended += 1
    if _ended % FROZEN_AFTER == 0:
        _freeze()


def _freeze() -> None:
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The counts that tests recorded with ``record_property``, added up over all tests and workers."""
    counts: Counter[str] = Counter()
    for report in terminalreporter.stats.get("passed", []) + terminalreporter.stats.get("failed", []):
        for name, value in report.user_properties:
            if isinstance(value, int):
                counts[name] += value
    for name, value in sorted(counts.items()):
        terminalreporter.write_line(f"{name}: {value:,}")


_CLUSTER = """
import sys
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[str]:
    """A dask scheduler of this machine with two worker processes."""
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    script = tmp_path / "cluster.py"
    script.write_text(_CLUSTER)
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        yield process.stdout.readline().strip()
        process.stdin.close()
