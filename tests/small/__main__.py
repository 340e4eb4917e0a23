"""The campaign over all small programs: ``python -m tests.small STATE [--jobs N] [--stage NAME]``.

Goes on where it was cut off: STATE has a line for each shape that is done. Ends with a table of what was
covered; exit code 1 if anything differed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from tests.oracles.model import Function
from tests.small import programs, statics, traces


class Stage(NamedTuple):
    """A family of programs up to a size, and what is asked of each: ``shapes`` in order, and the programs
    of one."""

    words: str
    shapes: Callable[[], list[programs.Shape]]
    members: Callable[[programs.Shape], Iterator[programs.Placement]]
    run: bool = False
    engines: bool = False
    quick: bool = False
    """Whether places and witnesses of violations are left out."""
    most: int | None = None
    """Of the launches that both engines enumerate at most so many of two, and of three, threads a program."""


def _everything(shape: programs.Shape) -> Iterator[programs.Placement]:
    for controls in range(3):
        for uses in range(3):
            yield from programs.everything(len(shape.blocks), controls, uses)


def _up_to(blocks: int, connected: bool = True) -> list[programs.Shape]:
    return [s for count in range(1, blocks + 1) for s in programs.shapes(count, connected=connected)]


def _four(controls: int, uses: int) -> Stage:
    return Stage(
        f"one of each kind of program of 4 blocks, up to {controls} control intrinsics and {uses} uses that"
        " breaks no steady rule",
        lambda: list(programs.shapes(4)),
        lambda shape: programs.clean(shape, controls, uses),
        run=True,
        quick=True,
    )


STAGES = {
    "all": Stage(
        "every program of up to 3 blocks, 2 control intrinsics and 2 uses, those with blocks that nothing"
        " reaches among them",
        lambda: _up_to(3, connected=False),
        _everything,
    ),
    "broken": Stage(
        "every smallest program that breaks a steady rule, up to 4 blocks, 3 control intrinsics, 3 uses",
        lambda: _up_to(4),
        lambda shape: programs.smallest_broken(shape, 3, 1),
    ),
    "clean3": Stage(
        "every program of up to 3 blocks, 3 control intrinsics and 3 uses that breaks no steady rule",
        lambda: _up_to(3),
        lambda shape: programs.clean(shape, 3, 3, reduce=False),
    ),
    "run3": Stage(
        "of those one of each kind, run",
        lambda: _up_to(3),
        lambda shape: programs.clean(shape, 3, 3),
        run=True,
        quick=True,
    ),
    "clean4-2-2": _four(2, 2),
    "engines3": Stage(
        "of up to 3 blocks, 2 control intrinsics and 2 uses one of each kind, by both engines: every two and"
        " three threads",
        lambda: _up_to(3),
        lambda shape: programs.clean(shape, 2, 2),
        engines=True,
    ),
    "clean4-3-1": _four(3, 1),
    "clean4-3-2": _four(3, 2),
    "clean4-3-3": _four(3, 3),
    "engines4": Stage(
        "of 4 blocks, 2 control intrinsics and 2 uses, by both engines, a launch of 2 and of 3 threads each",
        lambda: list(programs.shapes(4)),
        lambda shape: programs.clean(shape, 2, 2),
        engines=True,
        most=1,
    ),
    "clean5": Stage(
        "one of each kind of program of 5 blocks with at most 2 successors, 2 control intrinsics and 2 uses",
        lambda: list(programs.shapes(5, 2)),
        lambda shape: programs.clean(shape, 2, 2),
        run=True,
        quick=True,
    ),
}


@cache
def _shapes(stage: str) -> list[programs.Shape]:
    return STAGES[stage].shapes()


def ask(stage: str, number: int) -> Counter[str]:
    """All programs of a stage's ``number``-th shape. Raises Difference, or Disagreement."""
    kind, shape = STAGES[stage], _shapes(stage)[number]
    counts: Counter[str] = Counter({"shapes": 1})
    functions = (programs.function(shape, placement) for placement in kind.members(shape))
    while batch := list(islice(functions, statics.BATCH)):
        counts["programs"] += len(batch)
        verdicts, accepted = statics.compare(batch, llvm=not kind.engines, quick=kind.quick or kind.engines)
        counts += verdicts
        if accepted and (kind.run or kind.engines):
            counts += _executed(accepted, kind)
    return counts


def _executed(accepted: list[Function], kind: Stage) -> Counter[str]:
    counts: Counter[str] = Counter()
    for function in accepted:
        if kind.run:
            threads = traces.check_together(function)
            counts["runs"] += bool(threads)
            counts["threads"] += threads
        if kind.engines:
            launches, complete = traces.check_engines(function, kind.most)
            counts["launches"] += launches
            counts["launches both engines completed"] += complete
    return counts


def _unit(unit: tuple[str, int]) -> tuple[str, int, dict[str, int], str]:
    try:
        return (*unit, dict(ask(*unit)), "")
    except Exception as difference:  # what it is stands in the state
        return (*unit, {}, f"{type(difference).__name__}: {difference}")


def main() -> int:
    """Run what is not done yet, and print what is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("state", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--stage", choices=STAGES, action="append")
    options = parser.parse_args()
    done: dict[tuple[str, int], tuple[dict[str, int], str]] = {}
    if options.state.exists():
        for line in options.state.read_text(encoding="utf-8").splitlines():
            stage, number, counts, difference = json.loads(line)
            if not difference:  # what differed is asked again
                done[stage, number] = counts, difference
    with multiprocessing.Pool(options.jobs) as pool, options.state.open("a", encoding="utf-8") as state:
        for stage in options.stage or STAGES:
            units = [(stage, n) for n in range(len(_shapes(stage))) if (stage, n) not in done]
            for answer in pool.imap_unordered(_unit, units):
                print(json.dumps(answer), file=state, flush=True)
                done[answer[:2]] = answer[2:]
                if answer[3]:
                    print(f"{answer[0]} {answer[1]}: {answer[3]}", flush=True)
    return report(done)


def report(done: dict[tuple[str, int], tuple[dict[str, int], str]]) -> int:
    """Say by stage what was covered; 1 if anything differed, else 0."""
    for stage, kind in STAGES.items():
        units = [value for (name, _), value in done.items() if name == stage]
        if units:
            total: Counter[str] = Counter()
            for counts, _ in units:
                total.update(counts)
            print(f"{stage}: {kind.words}")
            print(f"  {len(units)} of {len(_shapes(stage))} shapes")
            for name in sorted(total.keys() - {"shapes"}):
                print(f"  {name}: {total[name]:,}")
    differences = sum(bool(difference) for _, difference in done.values())
    print(f"differences: {differences}")
    return int(differences > 0)


if __name__ == "__main__":
    sys.exit(main())
