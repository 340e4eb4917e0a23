"""The search that a question directs, held against all executions: the same verdict, rule and place.

covers: sched.ask.allows, sched.ask.question
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

import convergence as cc
from convergence.sched.ask.allows import Allowed, AskEngine
from convergence.sched.ask.question import Aligned
from convergence.sched.enumeration import Enumeration
from tests.cli.cli_harness import ROOT
from tests.oracles.programs_generate import random_case
from tests.properties.test_dynamic_run import CASES, FIRST, KINDS, Both


def other_pictures(rows: list[str], random: Random) -> Iterator[tuple[str, ...]]:
    """The paths of a picture in other columns: drawn so that a column is of one block."""
    paths = [[word for word in row.split() if word != "-"] for row in rows]
    for _ in range(2):
        left = [list(path) for path in paths]
        made: list[list[str]] = [[] for _ in paths]
        while any(left):
            block = random.choice([path[0] for path in left if path])
            for path, row in zip(left, made, strict=True):
                takes = bool(path) and path[0] == block and random.random() < 0.7
                row.append(path.pop(0) if takes else "-")
        yield tuple(" ".join(row) for row in made)


def same(module: cc.Module, engines: tuple[AskEngine, AskEngine], *asked: Any, **launch: Any) -> str:
    """Both ways give the same answer, which this is."""
    one, other = (cc.allows(module, *asked, engine=engine, **launch) for engine in engines)
    assert summary(one) == summary(other), (asked, launch, str(module))
    return one.verdict


def summary(answer: Allowed) -> object:
    """What both ways must say. Of instances that are apart, which two is left open; so is the rule where two
    labels and a count can say it."""
    if isinstance(answer.obstacle, Aligned):
        return answer.verdict, answer.obstacle.column, answer.obstacle.together
    return answer.verdict, answer.obstacle


def questions(module: cc.Module, found: Enumeration, random: Random) -> Iterator[dict[str, Any]]:
    """Pictures, pairs and states, of which some hold."""
    names = [f"%{g.operation.removeprefix('%')}" for a in found for g in a.groups if g.operation[0] == "%"]
    members = [m for a in found for g in a.groups for m in g.members]
    values = [t.value for o in found.outcomes for t in o.outcome.threads]
    for alignment in found.alignments[:3]:
        rows = alignment.to_dict()["picture"]
        for picture in (tuple(rows), *other_pictures(rows, random)):
            yield {"alignment": picture}
    for _ in range(3 if names and len(members) > 1 else 0):
        one, other = random.sample(members, 2)
        pair = f"{random.choice(names)} thread {one.thread} #{one.nth}, thread {other.thread} #{other.nth}"
        yield {random.choice(["together", "apart"]): pair}
    for _ in range(2 if values else 0):
        yield {"state": f"0:return={random.choice(values)} and 1:return={random.choice(values)}"}


def compared(module: cc.Module, launch: dict[str, Any], seed: int) -> list[str]:
    """All questions about a program; the verdicts. None if it has too many executions."""
    found = cc.enumerate(module, max_executions=300 if CASES else 40, **launch)
    if not found.complete:
        return []
    verdicts = []
    for asked in questions(module, found, Random(seed)):
        if len(found.alignments[0].execution.visits) < 2 and "state" in asked:
            continue
        try:
            verdicts.append(same(module, ("directed", "operational"), **asked, **launch))
        except cc.UsageError:
            continue  # the name is of several operations, or of none of that thread
    return verdicts


@pytest.mark.parametrize("kind", KINDS)
def test_generated_programs(kind: str) -> None:
    shape, mode = KINDS[kind]
    for seed in range(FIRST, FIRST + (CASES or 1)):
        both = Both(random_case(3_000_000 + seed, shape), mode, (None, None, None, 2)[seed % 4])
        compared(both.module, both.launch(), seed)


EXAMPLES = ["litmus/sm-write-read.ll", "litmus/sso-write-read.ll", "alignments/nested-anchor.ll"]


@pytest.mark.parametrize("name", [name for name in EXAMPLES if (ROOT / "examples_ll" / name).exists()])
def test_examples_with_memory(name: str) -> None:
    module = cc.parse_file(ROOT / "examples_ll" / name)
    words = [word for line in module.directives for word in line.words()]
    launch: dict[str, Any] = {"threads": 2}
    if paths := [words[n + 1] for n, word in enumerate(words) if word == "--path"]:
        launch["paths"] = paths
    given = [words[n + 1].removeprefix("%").split("=") for n, word in enumerate(words) if word == "--arg"]
    launch["arguments"] = {key: [int(one) for one in value.split(",")] for key, value in given}
    assert len(compared(module, launch, 1)) > 3


ROUNDS, THREADS = 4, 24
ANCHORED = """
define void @f(i32 %n) convergent {
A:
  br label %B
B:
  %i = phi i32 [ 0, %A ], [ %j, %C ]
  %t = call token @llvm.experimental.convergence.anchor()
  call void @use() [ "convergencectrl"(token %t) ]
  br label %C
C:
  %c = call i32 @sum(i32 1) [ "convergencectrl"(token %t) ]
  store i32 %c, ptr @g
  %j = add i32 %i, 1
  %again = icmp slt i32 %j, %n
  br i1 %again, label %B, label %D
D:
  ret void
}
@g = global i32 0
declare void @use() convergent
declare i32 @sum(i32) convergent
declare token @llvm.experimental.convergence.anchor()
"""


def anchored(parts: list[list[int]], meet: bool) -> tuple[str, ...]:
    """A picture: in each round a thread is in its part; ``meet`` draws what anchors parted together again."""
    rows: list[list[str]] = [["A"] for _ in range(THREADS)]
    for part in parts:
        for block, classes in (("B", part), ("C", [0] * THREADS if meet else part)):
            for one in sorted(set(classes)):
                for row, mine in zip(rows, classes, strict=True):
                    row.append(block if mine == one else "-")
    return tuple(" ".join([*row, "D"]) for row in rows)


@pytest.mark.parametrize("given", [{}, {"arguments": {"n": ROUNDS}}])
def test_a_program_whose_executions_nobody_counts(given: dict[str, Any]) -> None:
    random, module = Random(5), cc.parse(ANCHORED)
    parts = [[random.randrange(3) for _ in range(THREADS)] for _ in range(ROUNDS)]
    began = time.monotonic()
    right = cc.allows(module, anchored(parts, False), threads=THREADS, **given)
    assert right.alignment is not None
    together = [{m.thread for m in group.members} for group in right.alignment if group.callee == "@sum"]
    drawn = [{t for t in range(THREADS) if part[t] == one} for part in parts for one in sorted(set(part))]
    assert sorted(map(sorted, together)) == sorted(map(sorted, drawn))
    wrong = cc.allows(module, anchored(parts, True), threads=THREADS, **given)
    assert (wrong.verdict, wrong.rule) == ("forbidden", cc.Rule.D_USE)
    assert isinstance(wrong.obstacle, Aligned) and wrong.obstacle.column == 5
    assert time.monotonic() - began < 30, "there are more alignments than atoms"


def test_a_bound_is_named() -> None:
    module = cc.parse(ANCHORED)
    picture = anchored([[0] * THREADS] * ROUNDS, True)
    assert cc.allows(module, picture, threads=THREADS, max_steps=10).verdict == "unknown"


def test_no_engine_of_another_name() -> None:
    with pytest.raises(cc.UsageError, match="engine is one of 'directed', 'operational'"):
        cc.allows(cc.parse(ANCHORED), "A B C D", engine="quick")  # type: ignore[arg-type]
