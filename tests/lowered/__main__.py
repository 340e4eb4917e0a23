"""The campaign of :mod:`.campaign`; the exit code is 1 if a difference has no known cause."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from .campaign import BATCH, KINDS, LEVELS, Answer, answers, cause, suspicious


def batches(count: int) -> Iterator[tuple[str, int, int]]:
    """Kinds by turns until there are so many programs, each at every level."""
    for at in range(-(-count // BATCH)):
        for level in LEVELS:
            yield KINDS[at % len(KINDS)], at // len(KINDS), level


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lowered")
    parser.add_argument("state", type=Path, help="a line of JSON for each batch that is done")
    parser.add_argument("--count", type=int, default=5000, help="programs")
    parser.add_argument("--llc")
    parser.add_argument("--opt")
    parser.add_argument("--part", default="0/1", help="of every B batches the A-th: A/B")
    given = parser.parse_args()
    part, parts = map(int, given.part.split("/"))
    lines = given.state.read_text(encoding="utf-8").splitlines() if given.state.exists() else []
    done = {tuple(line["batch"]): line["answers"] for line in map(json.loads, lines)}
    for number, batch in enumerate(batches(given.count)):
        if batch in done or number % parts != part:
            continue
        found = answers(*batch, llc=given.llc)
        line = {"batch": batch, "answers": [[a.function, a.verdict, a.words] for a in found]}
        done[batch] = line["answers"]
        with given.state.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    every = [(batch, Answer(*answer)) for batch, answers_ in done.items() for answer in answers_]
    counts = Counter(answer.verdict for _, answer in every)
    print(", ".join(f"{verdict}: {count}" for verdict, count in counts.most_common()))
    causes: Counter[str] = Counter()
    for batch, answer in every:
        if suspicious(answer):
            causes[known := cause(*batch, answer.function, given.opt) or "not explained"] += 1
            if known == "not explained":
                print(*batch, answer.function, answer.verdict, answer.words)
    print(", ".join(f"{name}: {count}" for name, count in causes.most_common()))
    return int(causes["not explained"] > 0)


if __name__ == "__main__":
    sys.exit(main())
