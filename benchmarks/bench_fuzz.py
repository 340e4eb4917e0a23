"""How many program × pass checks a second a campaign makes: ``python benchmarks/bench_fuzz.py [COUNT]``.

The aim: over 100 on 2 cores for ``default<O1>``. A check is all of it: generate, LLVM's pipeline, parse both sides,
the static rules, and ``refine``; finding whom to blame is counted in, reducing is not. Wall time depends on
who else uses the machine; processor time, of all processes, does not: its rate is for 2 cores that do nothing else.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ["PYTHONPATH"] = str(ROOT)

from convergence.fuzz.campaign import Plan, local

SETTINGS = (
    ("controlled", ("default<O1>",)),
    ("controlled", ("simplifycfg", "instcombine", "jump-threading", "loop-rotate")),
    ("uncontrolled", ("default<O1>",)),
    ("reconvergence", ("default<O1>",)),
)


def measure(plan: Plan, jobs: int = 2) -> tuple[float, float, Counter[str]]:
    """Seconds of the wall and of processors for a campaign, start-up of its processes included; answers."""
    answers: Counter[str] = Counter()
    before, start = os.times(), time.perf_counter()
    with local(jobs) as scheduler:
        for done in scheduler.over(plan, plan.chunks()):
            answers.update(done.answers)
    wall, after = time.perf_counter() - start, os.times()
    used = sum(after[:4]) - sum(before[:4])
    return wall, used, answers


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    for style, pipelines in SETTINGS:
        plan = Plan(7, style, pipelines, count // len(pipelines))
        wall, used, answers = measure(plan)
        checks = sum(answers.values())
        said = ", ".join(f"{n} {kind}" for kind, n in sorted(answers.items()))
        print(
            f"{style} × {','.join(pipelines)}: {checks / wall:.0f} checks a second; "
            f"{2 * checks / used:.0f} by processor time on 2 cores ({said})"
        )


if __name__ == "__main__":
    main()
