"""Enumeration against D-MEM and D-CAUSE, on generated programs with memory, votes and branches.

A longer campaign: ``CONVCHECK_CASES=5000 python -m pytest tests/properties/test_memory.py``.
"""

from __future__ import annotations

import os
import re
from random import Random
from typing import Any

from convergence.parser import parse
from tests.launches import enumerate_axiomatic, explore
from tests.oracles.memory import Program, llvm, outcomes, random_program

CASES = int(os.environ.get("CONVCHECK_CASES", "21"))
FIRST = int(os.environ.get("CONVCHECK_SEED", "0"))


def enumerated(program: Program, prune: bool = True, reduce: bool = True) -> frozenset[tuple[int, ...]]:
    threads = range(program.threads)
    found = explore(
        parse(llvm(program)),
        threads=program.threads,
        arguments={
            "tid": list(threads),
            "next": [(t + 1) % program.threads for t in threads],
            "arg": list(program.arguments),
        },
        verified=True,
        prune=prune,
        reduce=reduce,
        max_executions=20_000,
    )
    assert found.complete, (found.bound, program)
    assert all(o.ending == "returned" for o in found.outcomes), (found.outcomes, program)
    returned = [tuple(t.value for t in o.outcome.threads) for o in found.outcomes]
    assert all(isinstance(value, int) for values in returned for value in values)
    return frozenset(returned)  # type: ignore[arg-type]


def test_enumeration_finds_what_the_definition_allows() -> None:
    several = 0
    for seed in range(FIRST, FIRST + CASES):
        program = random_program(seed)
        expected = outcomes(program)
        found = enumerated(program)
        assert found == expected, (seed, len(found - expected), len(expected - found), program)
        several += len(expected) > 1
    assert several > CASES // 5


def test_reductions_change_nothing() -> None:
    for seed in range(FIRST + CASES, FIRST + CASES + CASES // 3):
        program = random_program(seed)
        found = enumerated(program)
        for prune, reduce in ((True, False), (False, True), (False, False)):
            assert enumerated(program, prune, reduce) == found, (seed, prune, reduce, program)


def test_reductions_change_nothing_below_an_anchor() -> None:
    """Labels, closings and accesses are chosen side by side: all three kinds of choice at once."""
    compared = 0
    for seed in range(FIRST + 300, FIRST + 300 + CASES // 3):
        program = random_program(seed)
        threads = range(program.threads)
        module = parse(llvm(program).replace("convergence.entry", "convergence.anchor"))
        given: dict[str, Any] = {
            "threads": program.threads,
            "arguments": {
                "tid": list(threads),
                "next": [(t + 1) % program.threads for t in threads],
                "arg": list(program.arguments),
            },
            "max_executions": 1_000,
        }
        found = explore(module, **given)
        for prune, reduce in ((True, False), (False, True)):
            other = explore(module, prune=prune, reduce=reduce, **given)
            if found.complete and other.complete:
                assert found == other, (seed, prune, reduce, program)
                compared += len(found.outcomes) > 1
    assert compared > CASES // 10


def divided(text: str, rng: Random) -> str:
    """A program in which some results are divided by, less a number, and some of the quotients stand for
    what they were made of from there on."""
    lines: list[str] = []
    instead: dict[str, str] = {}
    for n, line in enumerate(text.split("\n")):
        for name, other in instead.items():
            line = re.sub(rf"{name}\b", other, line)
        lines.append(line)
        if (match := re.match(r"  (%r\d+) = ", line)) and rng.random() < 0.25:
            lines.append(f"  %v{n} = sub i32 {match[1]}, {rng.randrange(4)}")
            lines.append(f"  %u{n} = udiv i32 1, %v{n}")
            if rng.random() < 0.5:
                instead[match[1]] = f"%u{n}"
    return "\n".join(lines)


def test_what_is_undefined_hides_no_other_execution() -> None:
    """A division by what was read or voted, less a number, ends an execution before the others have shown
    what they would have done: they may have written something else there. What it gives may be what is
    written, or where, so that an access waits for it."""
    compared = several = 0
    for seed in range(FIRST + 600, FIRST + 600 + CASES * 2):
        program = random_program(seed)
        rng = Random(f"undefined {seed}")
        text = divided(llvm(program), rng)
        if " udiv " not in text:
            continue
        threads = range(program.threads)
        arguments = {
            "tid": list(threads),
            "next": [(t + 1) % program.threads for t in threads],
            "arg": list(program.arguments),
        }
        launch: dict[str, Any] = {"threads": program.threads, "arguments": arguments, "verified": True}
        module = parse(text)
        answer = explore(module, **launch, max_executions=2_000)
        others = [
            explore(module, prune=prune, reduce=reduce, **launch, max_executions=2_000)
            for prune, reduce in ((True, False), (False, True))
        ]
        others.append(enumerate_axiomatic(module, **launch, timeout=4.0))
        for other in others:
            if answer.complete and other.complete:
                assert {o.identity for o in answer.outcomes} == {o.identity for o in other.outcomes}, (
                    seed,
                    text,
                )
                compared += 1
        several += len(answer.outcomes) > 1 and any(o.ending != "returned" for o in answer.outcomes)
    assert compared > CASES
    assert several > CASES // 30
