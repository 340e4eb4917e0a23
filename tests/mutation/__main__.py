"""The mutation score: ``python -m tests.mutation STATE [--jobs N] [--count N] [--only ROOM] [--minutes N]``.

A seeded draw from all mutants of the rooms below, one room after the other in turn, so that any number of
them, in its order, is a sample that is fair within each room. Each is planted in a process that has imported
all, and asked about by the tests that come to its line (``tests/mutation/campaign.py``). A mutant that a test
notices is *killed*; so is one with which a test takes many times longer.

Goes on where it was cut off: STATE has a line for each mutant that is done, and beside it, with the suffix
``.lines``, stands which test comes to which line. A module that has changed since is asked about again, and
for another package the lines are recorded anew.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from itertools import zip_longest
from pathlib import Path

import pytest

from tests.meta.package_modules import modules
from tests.mutation.campaign import Campaign, Unit, digest
from tests.mutation.mutants import mutants

ROOMS = (
    "convergence.verifier",
    "convergence.semantics.convergence",
    "convergence.semantics.operations",
    "convergence.sched.constraints",
    "convergence.alignment",
    "convergence.sched.lockstep.policies",
    "convergence.semantics",
)
"""A module is in the first that fits."""
OUTSIDE = ("convergence.semantics.native",)
"""Code in which every difference from the reference is looked for by campaigns of its own."""
SEED = 15
TESTS = [
    f"tests/{room}"
    for room in (
        *("verifier", "alignment", "semantics", "sched", "small", "properties", "examples", "ir"),
        *("differential", "refine", "front", "transform", "uniformity", "spirv", "report", "cli"),
        *("drive", "native", "fuzz", "lowered"),
    )
]
"""Where those are that may notice."""
BROAD = [
    f"tests/{name}.py"
    for name in (
        "examples/test_examples", "examples/test_acceptance", "cli/test_run", "cli/test_enumerate",
        "cli/test_simulate", "properties/test_static_rules", "properties/test_dynamic_enumerate",
        "properties/test_dynamic_run", "properties/test_memory", "properties/test_picture",
        "sched/test_barriers", "sched/test_search", "sched/test_solve", "sched/test_explore_memory",
        "sched/lockstep/test_machines_are_legal", "sched/lockstep/test_known_answers",
        "semantics/test_run", "semantics/test_queued", "semantics/test_launch", "refine/test_barriers",
        "differential/test_programs",
    )
]  # fmt: skip
"""Files whose tests come to statements of many modules: they are asked about every mutant, beside those that
are about its module."""


def _room(name: str) -> int | None:
    if name.startswith(OUTSIDE):
        return None
    return next((n for n, prefix in enumerate(ROOMS) if name.startswith(prefix)), None)


def population(only: str = "") -> list[Unit]:
    """All mutants, by rooms in turn and in each in a random order that is always the same; a room that has no
    more is left out of the turns that follow."""
    rooms: list[list[Unit]] = [[] for _ in ROOMS]
    for name, file in sorted(modules().items()):
        room = _room(name)
        if room is not None and name.startswith(only or "convergence"):
            rooms[room] += [(name, *mutant) for mutant in mutants(file.read_text(encoding="utf-8"))]
    for units in rooms:
        random.Random(SEED).shuffle(units)
    return [unit for turn in zip_longest(*rooms) for unit in turn if unit is not None]


def main() -> int:
    """Ask about mutants that are not done yet, and say the score."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("state", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--only", default="", help="modules whose names begin so")
    parser.add_argument("--minutes", type=float, default=60.0, help="begin no other mutant after these")
    parser.add_argument("--budget", type=float, default=60.0, help="seconds of tests a mutant")
    parser.add_argument("--survivors", action="store_true", help="ask again about those that survived")
    parser.add_argument(
        "--all", action="store_true", help="record all test files first, not only those about mutated modules"
    )
    parser.add_argument("--broad", nargs="*", default=BROAD, help="test files that are always recorded")
    parser.add_argument("--tests", nargs="*", default=TESTS)
    options = parser.parse_args()
    every = population(options.only)
    sample = every[: options.count]
    done: dict[tuple[object, object], dict[str, object]] = {}
    if options.state.exists():
        for line in options.state.read_text(encoding="utf-8").splitlines():
            answer = json.loads(line)
            if answer["digest"] == digest(modules()[answer["module"]].read_text(encoding="utf-8")):
                done[answer["module"], answer["number"]] = answer
    again = {unit for unit, a in done.items() if options.survivors and a["verdict"] != "killed"}
    units = [unit for unit in sample if unit[:2] not in done or unit[:2] in again]
    if units:
        with tempfile.TemporaryDirectory() as folder, options.state.open("a", encoding="utf-8") as state:
            os.environ["PYTEST_DEBUG_TEMPROOT"] = folder

            def tell(answer: dict[str, object]) -> None:
                print(json.dumps(answer), file=state, flush=True)
                done[answer["module"], answer["number"]] = answer

            campaign = Campaign(
                units,
                [name for name in modules() if _room(name) is not None],
                options.state.with_suffix(".lines"),
                tell,
                jobs=options.jobs,
                budget=options.budget,
                until=time.time() + 60 * options.minutes,
                all_files=options.all,
                broad=options.broad,
                killers=[str(answer.get("by", "")) for answer in done.values()],
            )
            quiet = ["-p", "no:cacheprovider", "-p", "no:terminal", "--capture=sys", "-o", "addopts="]
            pytest.main([*quiet, "--import-mode=importlib", "-m", "not campaign", *options.tests], [campaign])
    report([done[unit[:2]] for unit in sample if unit[:2] in done], len(every))
    return 0


def report(answers: list[dict[str, object]], population: int) -> None:
    """Print who survived, and the score by room."""
    for answer in answers:
        if answer["verdict"] != "killed":
            change = f"{answer['module']}:{answer['line']}: {answer['change']}"
            print(f"{answer['verdict']} ({answer['how']}): {change}")
    for room in (*ROOMS, ""):
        mine = [a for a in answers if room in ("", next(r for r in ROOMS if str(a["module"]).startswith(r)))]
        verdicts = [a["verdict"] for a in mine]
        killed, survived = verdicts.count("killed"), verdicts.count("survived")
        print(f"{room or 'all'}: {len(mine)} mutants, {killed} killed, {survived} survived")
    print(f"of {population:,} there are")


if __name__ == "__main__":
    sys.exit(main())
