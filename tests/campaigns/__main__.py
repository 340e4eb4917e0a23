"""The long comparisons, part by part: ``python -m tests.campaigns NAME STATE [--jobs N] [--minutes N]
[--first PART]``.

A *part* is one run of the campaign's tests with seeds of its own. Goes on where it was cut off: STATE has a
line for each test of each part that is done (``tests/campaigns/record.py``), and those are not run again, nor
is a test begun after ``--minutes``. Parts before ``--first`` are left out. Ends with what was compared; exit
code 1 if anything differed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from tests.campaigns.record import PART, STATE, Done
from tests.meta.package_modules import ROOT


class Campaign(NamedTuple):
    """``cases`` programs of each kind in each of the ``parts`` of some test files; or, without cases, the
    tests with the mark ``campaign``, which have parts of their own."""

    words: str
    files: tuple[str, ...]
    cases: int = 0
    parts: int = 1


CAMPAIGNS = {
    "agreement": Campaign(
        "both engines and generated programs against the brute-force oracles",
        (
            "tests/properties/test_dynamic_enumerate.py",
            "tests/properties/test_synchronisation.py",
            "tests/sched/test_addresses_to_come.py",
        ),
        cases=60,
        parts=15,
    ),
    "machines": Campaign(
        "generated programs on the lock-step machines",
        (
            "tests/sched/lockstep/test_machines_are_legal.py",
            "tests/sched/lockstep/test_knotted_cycles.py",
        ),
        cases=200,
        parts=15,
    ),
    "native": Campaign(
        "generated programs by the reference and natively",
        ("tests/native/test_generated_programs.py",),
        cases=50,
        parts=250,
    ),
    "kernels": Campaign(
        "random kernels, as clang compiles them for four targets, against C run by the processor",
        ("tests/kernels",),
        cases=25,
        parts=40,
    ),
    "campaign": Campaign("every test that is marked as a campaign: a million functions", ("tests",)),
}


def _environment(campaign: Campaign, part: int, state: Path) -> dict[str, str]:
    said = {**os.environ, STATE: str(state.resolve()), PART: str(part)}
    if campaign.cases:
        said |= {"CONVCHECK_CASES": str(campaign.cases), "CONVCHECK_SEED": str(campaign.cases * part)}
    return said


def main() -> int:
    """Run what is not done yet, and print what is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=CAMPAIGNS)
    parser.add_argument("state", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=600.0)
    parser.add_argument("--first", type=int, default=0, metavar="PART")
    options = parser.parse_args()
    campaign = CAMPAIGNS[options.name]
    if not 0 <= options.first < campaign.parts:
        parser.error(f"--first: there are parts 0 to {campaign.parts - 1}")
    end = time.monotonic() + 60 * options.minutes
    for part in range(options.first, campaign.parts):
        if (left := end - time.monotonic()) <= 0:
            break
        command = [sys.executable, "-m", "pytest", "-q", f"-n{options.jobs}", "--tb=short"]
        command += ["-p", "tests.campaigns.record", f"--within={left:.0f}", *campaign.files]
        marked = [] if campaign.cases else ["-m", "campaign"]
        environment = _environment(campaign, part, options.state)
        code = subprocess.run([*command, *marked], cwd=ROOT, env=environment, check=False).returncode
        if code not in (0, 1, 5):  # passed, failed, nothing left to run
            return code
    return report(options.name, campaign, options.state)


def report(name: str, campaign: Campaign, state: Path) -> int:
    """Say what was compared in the parts that were begun; 1 if anything differed, else 0."""
    lines = state.read_text(encoding="utf-8").splitlines() if state.exists() else []
    done = [Done(*json.loads(line)) for line in lines]
    last = {(each.part, each.test): each for each in done}
    counts: Counter[str] = Counter()
    for each in last.values():
        counts[each.outcome] += 1
        counts.update(each.counts)
    print(f"{name}: {campaign.words}: {len({part for part, _ in last})} of {campaign.parts} parts begun")
    for words, number in sorted(counts.items()):
        print(f"  {words}: {number:,}")
    differing = [each for each in last.values() if each.outcome == "failed"]
    for each in differing:
        print(f"part {each.part}: {each.test}\n{each.words}")
    return int(bool(differing))


if __name__ == "__main__":
    sys.exit(main())
