"""Options of a free label: where there are many groups, all are looked at at once.

covers: semantics.convergence.rules, semantics
"""

from __future__ import annotations

import time
from itertools import islice
from random import Random

import pytest

from convergence.parser import parse
from convergence.semantics import Bound, BoundKind, OutOfBound, Returned
from convergence.semantics.convergence import rules as resolution
from convergence.semantics.convergence.rules import ConvergenceBefore
from convergence.semantics.machine import Chooser, executions
from convergence.semantics.machine.run import Run, run

DECLARATIONS = """
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
declare i32 @subgroupAdd(i32) convergent
declare void @meet() convergent
"""
HEAD = "define i32 @f(i32 %n) convergent {\nA:\n  br label %B\nB:\n  %i = phi i32 [ 0, %A ], [ %m, %B ]\n"
TAIL = (
    "  %m = add i32 %i, 1\n  %c = icmp eq i32 %m, %n\n  br i1 %c, label %C, label %B\nC:\n  ret i32 %i\n}\n"
)
ANCHOR = "  %{} = call token @llvm.experimental.convergence.anchor()\n"
MEET = '  call void @meet() [ "convergencectrl"(token %{}) ]\n'
ADD = '  %s{0} = call i32 @subgroupAdd(i32 %i) [ "convergencectrl"(token %{0}) ]\n'


def text(body: str) -> str:
    return DECLARATIONS + HEAD + body + TAIL


OPEN = text(ANCHOR.format("t") + MEET.format("t"))
"""A loop with an anchor whose groups stay open, for nothing is exchanged."""


def drawn(random: Random) -> str:
    body = ""
    for name in ("t", "u", "v")[: random.randrange(1, 4)]:
        body += ANCHOR.format(name)
        body += random.choice([MEET, ADD, ""]).format(name)
    return text(body)


def below_a_heart(random: Random) -> str:
    """The same in a loop with a heart, whose operations some threads pass before others come there."""
    meet = MEET.format("h")
    body = '  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %e) ]\n'
    body += random.choice([meet, ""])
    for name in ("t", "u")[: random.randrange(1, 3)]:
        body += ANCHOR.format(name) + random.choice([MEET, ADD, ""]).format(name)
        body += random.choice([meet, ""])
    entry = "A:\n  %e = call token @llvm.experimental.convergence.entry()\n"
    return text(body).replace("A:\n", entry)


def choices(source: str, threads: int, n: list[int]) -> list[object]:
    """What some executions choose from what, which rules had a say, and how they end."""
    module = parse(source)

    def once(chooser: Chooser) -> Run:
        return run(module, chooser=chooser, verified=True, threads=threads, arguments={"n": n}, function="f")

    return [
        (made, done.rules, type(done.ending), done.execution.converged)
        for done, made in islice(executions(once), 40)
    ]


@pytest.mark.parametrize("seed", range(12))
def test_all_at_once_is_as_one_by_one(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(f"groups {seed}")
    source, threads = drawn(random), random.randrange(2, 4)
    compare(source, threads, [random.randrange(1, 5) for _ in range(threads)], monkeypatch)


@pytest.mark.parametrize("seed", [2, 3, 5, 7])
def test_all_at_once_is_as_one_by_one_below_a_heart(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has not come to an operation before the group is a hazard only if it is behind the group."""
    random = Random(f"fellows {seed}")
    source, threads = below_a_heart(random), random.randrange(2, 4)
    compare(source, threads, [random.randrange(1, 4) for _ in range(threads)], monkeypatch)


def compare(source: str, threads: int, n: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolution, "FEW", 1_000_000)
    one_by_one = choices(source, threads, n)
    monkeypatch.setattr(resolution, "FEW", 0)
    assert choices(source, threads, n) == one_by_one


def test_a_choice_names_the_operation_the_thread_and_which_time_it_is() -> None:
    module = parse(OPEN)

    def once(chooser: Chooser) -> Run:
        return run(module, chooser=chooser, verified=True, threads=2, arguments={"n": 2}, function="f")

    _, made = next(executions(once))
    assert [choice.label for choice in made] == ["anchor %t thread 1 #1", "anchor %t thread 1 #2"]


def looked_at(n: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many classes are walked over in a run of ``n`` iterations by four threads."""
    count = 0
    walk, comes = ConvergenceBefore._walk, resolution._comes_unchosen

    def walked(self, *given):  # type: ignore[no-untyped-def]
        nonlocal count
        for node in walk(self, *given):
            count += 1
            yield node

    def asked(*given):  # type: ignore[no-untyped-def]
        nonlocal count
        count += 1
        return comes(*given)

    monkeypatch.setattr(ConvergenceBefore, "_walk", walked)
    monkeypatch.setattr(resolution, "_comes_unchosen", asked)
    ran = run(parse(OPEN), function="f", verified=True, threads=4, arguments={"n": n})
    assert ran.ending == Returned()
    monkeypatch.undo()
    return count


def test_groups_that_stay_open_are_looked_at_quadratically(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the iterations: it was cubic, eight times as many for twice the iterations."""
    small, large = looked_at(25, monkeypatch), looked_at(100, monkeypatch)
    assert large < 4 * 4 * 1.3 * small


def test_a_timeout_holds_while_labels_are_chosen() -> None:
    module = parse(OPEN)
    began = time.monotonic()
    ran = run(module, function="f", verified=True, threads=8, arguments={"n": 100_000}, timeout=0.5)
    assert isinstance(ran.ending, OutOfBound) and ran.ending.bound == Bound(BoundKind.TIMEOUT, 0.5)
    assert time.monotonic() - began < 1.5 + 1.0  # a second late, and what a busy machine adds
