"""How many program × pass checks a second a campaign makes: ``python benchmarks/bench_fuzz.py [COUNT]``.

The aim: over 100 on 2 cores for ``default<O1>``. A check is all of it: generate, LLVM's pipeline, parse both
sides, the static rules, and ``refine``. The processes are warm: the second that each needs to start is left
out, as is what is done once per finding (blame, reducing). One process alone is measured as well, by the
time on processors of itself and of the two in which LLVM runs for it, whoever else uses the machine.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from convergence.fuzz.generate import Style

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ["PYTHONPATH"] = str(ROOT)

from convergence.fuzz.campaign import CHUNK, CampaignPlan, do_chunk
from convergence.workers.scheduler import local

SETTINGS: tuple[tuple[Style, tuple[str, ...]], ...] = (
    ("controlled", ("default<O1>",)),
    ("controlled", ("simplifycfg", "instcombine", "jump-threading", "loop-rotate")),
    ("uncontrolled", ("default<O1>",)),
    ("reconvergence", ("default<O1>",)),
)
WARM = 8
"""Chunks that are done before the clock starts."""


def chunks(first: int, count: int) -> Iterator[range]:
    for k in range(first, first + count):
        yield range(k * CHUNK, (k + 1) * CHUNK)


def together(plan: CampaignPlan, count: int) -> tuple[float, Counter[str]]:
    """Checks a second of two warm processes, and the answers."""
    answers: Counter[str] = Counter()
    with local(2) as scheduler:
        for _ in scheduler.over(partial(do_chunk, plan), chunks(0, WARM)):
            pass
        start = time.perf_counter()
        for done in scheduler.over(partial(do_chunk, plan), chunks(WARM, count)):
            answers.update(done.answers)
        return sum(answers.values()) / (time.perf_counter() - start), answers


def ticks() -> float:
    """Seconds of processor time of this process and of those that it started and that still run."""
    own = sum(os.times()[:2])
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[1]) == os.getpid():
            own += (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return own


def alone(plan: CampaignPlan, count: int) -> float:
    """Checks per second of processor time."""
    do_chunk(plan, range(CHUNK))
    start, checks = ticks(), 0
    for numbers in chunks(1, count):
        checks += sum(do_chunk(plan, numbers).answers.values())
    return checks / (ticks() - start)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    for style, pipelines in SETTINGS:
        plan = CampaignPlan(7, style, pipelines, 0)
        number = max(1, count // CHUNK // len(pipelines))
        rate, answers = together(plan, number)
        said = ", ".join(f"{n} {kind}" for kind, n in sorted(answers.items()))
        each = f"; {alone(plan, number):.0f} per second of processor time" if Path("/proc/1").exists() else ""
        print(f"{style} × {','.join(pipelines)}: {rate:.0f} checks a second on 2 cores{each} ({said})")


if __name__ == "__main__":
    main()
