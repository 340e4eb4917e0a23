"""A campaign that was cut off goes on: what passed is not run again, what failed or was skipped is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.campaigns.record import PART, STATE, done
from tests.meta.package_modules import ROOT

TESTS = """
from pathlib import Path
import pytest

def count(name):
    with Path(__file__).with_name(name).open("a") as out:
        out.write("x")

def test_passes(record_property):
    count("passes")
    record_property("programs", 7)

def test_fails():
    count("fails")
    assert False, "a difference"

def test_skips():
    pytest.skip("not run")
"""


def test_what_passed_is_not_run_again(tmp_path: Path) -> None:
    (tmp_path / "test_two.py").write_text(TESTS, encoding="utf-8")
    state = tmp_path / "state.jsonl"
    for part in (0, 0, 1):
        environment = {k: v for k, v in os.environ.items() if k != "PYTEST_XDIST_WORKER"}
        environment |= {"PYTHONPATH": str(ROOT), STATE: str(state), PART: str(part)}
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "tests.campaigns.record",
            "-p",
            "no:cacheprovider",
        ]
        ran = subprocess.run([*command, str(tmp_path)], cwd=tmp_path, env=environment, check=False)
        assert ran.returncode == 1
    lines = [json.loads(line) for line in state.read_text(encoding="utf-8").splitlines()]
    outcomes = [(part, test.partition("::")[2], outcome) for part, test, outcome, *_ in lines]
    assert outcomes == [
        (0, "test_passes", "passed"),
        (0, "test_fails", "failed"),
        (0, "test_fails", "failed"),
        (1, "test_passes", "passed"),
        (1, "test_fails", "failed"),
    ]
    assert lines[0][4] == {"programs": 7}
    assert "a difference" in lines[1][5]
    assert {test.partition("::")[2] for test in done(state, 0)} == {"test_passes"}
    assert [len((tmp_path / name).read_text()) for name in ("passes", "fails")] == [2, 3]
