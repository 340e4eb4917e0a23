"""Does the fuzzer find faults that compilers have had? ``python -m tests.historical STATE [--jobs N]``.

For each fault of the shelf: random programs of the fuzzer, which know nothing of it, one after the other; in
each the fault is put at one place that is drawn, and ``refine`` is asked, as ``convcheck fuzz`` asks it. The
campaign of a fault ends with the first finding, or with SECONDS. Goes on where it was cut off.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import sys
import time
from collections import Counter
from pathlib import Path

from convergence.fuzz.campaign import EXECUTIONS, CheckLimits, compare, source_of
from convergence.fuzz.generate import STYLES, generate
from tests.historical.faults import FAULTS, Fault
from tests.historical.shapes import shapes
from tests.historical.text import sound

SECONDS = 180.0
"""For one fault: 40 of them on two cores in an hour."""
LIMITS = CheckLimits(max_executions=EXECUTIONS, timeout=10.0)


def campaign(fault: Fault, seconds: float, seed: int = 15) -> dict[str, object]:
    """Look for one fault; in numbers of programs, of programs that have a place for it, and by answer."""
    start = time.monotonic()
    answers: Counter[str] = Counter()
    programs = 0
    answer: dict[str, object] = {"fault": fault.name, "found": False}
    while time.monotonic() - start < seconds:
        number = seed * 1_000_000 + programs
        style = next(s for s in STYLES if s == fault.styles[programs % len(fault.styles)])
        text = generate(number, style).text
        programs += 1
        targets = list(dict.fromkeys(fault.rewrite(text)))
        random.Random(number).shuffle(targets)
        target = next(filter(sound, targets), None)
        if target is None:
            continue
        result = compare(source_of(text, "main"), target, LIMITS, faults_only=True)
        answers[result.kind.answer] += 1
        if result.bad:
            answer |= {"found": True, "kind": str(result.kind), "seed": number, "style": style}
            break
    seconds = round(time.monotonic() - start, 1)
    return answer | {"programs": programs, "answers": dict(answers), "seconds": seconds}


def _ask(task: tuple[int, float]) -> dict[str, object]:
    return campaign(FAULTS[task[0]], task[1])


def main() -> int:
    """Run the campaigns that have not been run, and say what they found; 1 if less than 90 % was."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("state", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    options = parser.parse_args()
    done: dict[object, dict[str, object]] = {}
    if options.state.exists():
        for line in options.state.read_text(encoding="utf-8").splitlines():
            answer = json.loads(line)
            done[answer["fault"]] = answer
    tasks = [(n, options.seconds) for n, fault in enumerate(FAULTS) if fault.name not in done]
    with multiprocessing.Pool(options.jobs) as pool, options.state.open("a", encoding="utf-8") as state:
        for answer in pool.imap_unordered(_ask, tasks):
            print(json.dumps(answer), file=state, flush=True)
            done[answer["fault"]] = answer
    return report(done)


def report(done: dict[object, dict[str, object]]) -> int:
    """Print what was found of each fault, and how often each shape occurs."""
    for fault in FAULTS:
        answer = done[fault.name]
        words = f"{answer['kind']}, program {answer['programs']}" if answer["found"] else "not found"
        print(f"{fault.name}: {words}, {answer['seconds']} s, {answer['answers']}")
    for group, wanted in (("historical", True), ("controls", False)):
        mine = [done[f.name] for f in FAULTS if bool(f.origin) == wanted]
        print(f"{group}: {sum(bool(a['found']) for a in mine)} of {len(mine)} found")
    total = sum((shapes(generate(15_000_000 + n, "any").text) for n in range(500)), Counter())
    for name, count in sorted(total.items()):
        print(f"operations in 500 programs, {name}: {count:,}")
    historical = [done[f.name] for f in FAULTS if f.origin]
    return int(sum(bool(a["found"]) for a in historical) < 0.9 * len(historical))


if __name__ == "__main__":
    sys.exit(main())
