"""Memory order as a choice (D-MEM, D-CAUSE): litmus tests, and that reductions change no set.

covers: semantics.machine.program, semantics.values
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import islice

import pytest

from convergence.frozen import Json
from convergence.parser import parse
from convergence.semantics import Clock, Ending, Illegal, Returned, UndefinedBehaviour
from convergence.semantics.machine import Chooser, MostConverged, executions
from convergence.semantics.machine.launch import Launch
from convergence.semantics.machine.machine import Machine
from convergence.semantics.machine.program import EnvironmentKind, Program, Uncontrolled
from convergence.semantics.machine.run import finished, start
from tests.launches import prepare

from ..oracles.programs_draw import Shape
from ..oracles.programs_generate import random_case
from .texts import DECLARATIONS


def outcomes(
    body: str, threads: int = 2, prune: bool = True, uncontrolled: Uncontrolled = "maximal"
) -> Counter[tuple[Json, ...]]:
    """How often each tuple of return values comes up; ``body`` is ``@f``'s, with its lane in ``%me``."""
    text = f"""
@x = global i32 0
@y = global i32 0
@own = global [4 x i32] zeroinitializer
define i32 @f(i64 %me) convergent {{
entry:
  %t = call token @llvm.experimental.convergence.entry()
  %you = sub i64 1, %me
  %mine = getelementptr i32, ptr @own, i64 %me
  %peer = getelementptr i32, ptr @own, i64 %you
{body}
}}
{DECLARATIONS}"""
    return returned(text, {"me": list(range(threads))}, threads, prune, uncontrolled)


def returned(
    text: str,
    arguments: Mapping[str, object],
    threads: int,
    prune: bool = True,
    uncontrolled: Uncontrolled = "maximal",
) -> Counter[tuple[Json, ...]]:
    program, launch = prepare(
        parse(text), prune, "queued", function="f", threads=threads, arguments=arguments,
        uncontrolled=uncontrolled, verified=True,
    )  # fmt: skip
    found: Counter[tuple[Json, ...]] = Counter()

    def once(chooser: Chooser) -> tuple[Machine, Ending]:
        machine = start(program, launch, chooser)
        return machine, machine.run()

    for (machine, ending), made in executions(once):
        if isinstance(ending, Illegal):
            assert ending.repeats
            continue
        assert ending == Returned()
        found[tuple(t.value for t in finished(machine, ending, made).outcome.threads)] += 1
    return found


VOTE = '%v = call i64 @subgroupBallot(i1 true) [ "convergencectrl"(token %t) ]'
STORE_BUFFER = """
  store atomic i32 1, ptr %mine monotonic, align 4
  {between}
  %r = load atomic i32, ptr %peer monotonic, align 4
  ret i32 %r"""
LOAD_BUFFER = """
  %r = load atomic i32, ptr %peer monotonic, align 4
  {between}
  store atomic i32 1, ptr %mine monotonic, align 4
  ret i32 %r"""


def test_write_then_read_is_sequentially_consistent() -> None:
    assert set(outcomes(STORE_BUFFER.format(between=""))) == {(0, 1), (1, 0), (1, 1)}


def test_a_vote_between_write_and_read_is_no_barrier() -> None:
    assert set(outcomes(STORE_BUFFER.format(between=VOTE))) == {(0, 1), (1, 0), (1, 1)}


def test_read_then_write_may_see_the_others_write_even_past_a_vote() -> None:
    assert set(outcomes(LOAD_BUFFER.format(between=VOTE))) == {(0, 0), (0, 1), (1, 0)}


def test_a_dependence_through_a_vote_orders() -> None:
    """The write depends on a vote whose operand is what was read: the read cannot see it."""
    body = """
  %r = load atomic i32, ptr %peer monotonic, align 4
  %c = icmp eq i32 %r, 0
  %v = call i64 @subgroupBallot(i1 %c) [ "convergencectrl"(token %t) ]
  %one = trunc i64 %v to i32
  store atomic i32 %one, ptr %mine monotonic, align 4
  ret i32 %r"""
    assert set(outcomes(body)) == {(0, 0)}


def test_a_read_whose_value_nobody_needs_yet_may_come_after_an_exchange() -> None:
    """Thread 1 writes only after its vote; thread 0 reads before its own, and may see the write."""
    body = """
  %first = icmp eq i64 %me, 0
  br i1 %first, label %reader, label %writer
reader:
  %r = load atomic i32, ptr @x monotonic, align 4
  %twice = add i32 %r, %r
  %v = call i64 @subgroupBallot(i1 true) [ "convergencectrl"(token %t) ]
  ret i32 %twice
writer:
  %w = call i64 @subgroupBallot(i1 true) [ "convergencectrl"(token %t) ]
  %w32 = trunc i64 %w to i32
  store atomic i32 %w32, ptr @x monotonic, align 4
  ret i32 0"""
    assert set(outcomes(body)) == {(0, 0), (4, 0)}  # twice the mask of thread 1 alone
    needed = body.replace("i1 true) [", "i1 %c) [", 1).replace(
        "%twice = add", "%c = icmp eq i32 %r, 0\n  %twice = add"
    )
    assert set(outcomes(needed)) == {(0, 0), (4, 0)}  # different sites: the votes are not converged


def test_exchanges_hold_nobody_up_before_the_result_is_needed() -> None:
    """Thread 0 writes behind a vote whose result it does not need; thread 1 reads that before it votes."""
    body = """
  %first = icmp eq i64 %me, 0
  br i1 %first, label %join, label %reader
reader:
  %x = load atomic i32, ptr @x monotonic, align 4
  br label %join
join:
  %p = phi i32 [ 0, %entry ], [ %x, %reader ]
  %c = icmp ne i32 %p, 0
  %v = call i64 @subgroupBallot(i1 %c) [ "convergencectrl"(token %t) ]
  store atomic i32 1, ptr @x monotonic, align 4
  %r = trunc i64 %v to i32
  ret i32 %r"""
    assert set(outcomes(body)) == {(0, 0), (2, 2)}


def test_independent_accesses_give_one_execution() -> None:
    stores = "\n".join(f"  store atomic i32 {n}, ptr %mine monotonic, align 4" for n in range(10))
    found = outcomes(f"{stores}\n  %r = load atomic i32, ptr %mine monotonic, align 4\n  ret i32 %r")
    assert found == {(9, 9): 1}


RACES = """
  store atomic i32 1, ptr @x monotonic, align 4
  %a = load atomic i32, ptr @y monotonic, align 4
  store atomic i32 2, ptr @y monotonic, align 4
  %b = load atomic i32, ptr @x monotonic, align 4
  %c = mul i32 %a, 10
  %d = add i32 %b, %c
  ret i32 %d"""
ANCHORED = """
  %g = call token @llvm.experimental.convergence.anchor()
  %old = atomicrmw add ptr @x, i32 1 monotonic
  %s = call i32 @subgroupAdd(i32 %old) [ "convergencectrl"(token %g) ]
  ret i32 %s"""


@pytest.mark.parametrize("body", [RACES, ANCHORED, STORE_BUFFER.format(between=VOTE)])
def test_reductions_never_change_the_set(body: str) -> None:
    pruned, all_ = outcomes(body), outcomes(body, prune=False)
    assert set(pruned) == set(all_)
    assert sum(pruned.values()) <= sum(all_.values())


def test_compare_and_swap_has_one_winner() -> None:
    body = """
  %p = cmpxchg ptr @x, i32 0, i32 1 monotonic monotonic
  %won = extractvalue { i32, i1 } %p, 1
  %r = zext i1 %won to i32
  ret i32 %r"""
    assert set(outcomes(body, threads=3)) == {(1, 0, 0), (0, 1, 0), (0, 0, 1)}


def test_own_stack_objects_are_no_choice() -> None:
    body = """
  %slot = alloca [2 x i32]
  %second = getelementptr [2 x i32], ptr %slot, i32 0, i32 1
  store i32 5, ptr %slot
  store i32 6, ptr %second
  %a = load i32, ptr %slot
  %b = load i32, ptr %second
  %r = add i32 %a, %b
  ret i32 %r"""
    assert outcomes(body) == {(11, 11): 1}


def test_spinning_on_a_flag_ends() -> None:
    text = """
@flag = global i32 0
define i32 @f(i32 %who) {
entry:
  %setter = icmp eq i32 %who, 1
  br i1 %setter, label %set, label %spin
set:
  store atomic i32 7, ptr @flag monotonic, align 4
  ret i32 0
spin:
  %v = load atomic i32, ptr @flag monotonic, align 4
  %go = icmp eq i32 %v, 7
  br i1 %go, label %end, label %spin
end:
  ret i32 %v
}
"""
    program, launch = prepare(
        parse(text), environment="queued", function="f", threads=2, arguments={"who": [1, 0]}, verified=True
    )
    machine = start(program, launch, MostConverged())
    assert machine.run() == Returned()


def test_undefined_behaviour_of_a_deferred_value_has_its_place() -> None:
    text = """
@x = global i32 0
define i32 @f() {
  %v = load atomic i32, ptr @x monotonic, align 4
  %q = udiv i32 1, %v
  ret i32 0
}
"""
    program, launch = prepare(parse(text), environment="queued", function="f", verified=True)
    ending = start(program, launch, MostConverged()).run()
    assert isinstance(ending, UndefinedBehaviour) and "zero" in ending.reason
    assert ending.stack[0].function == "f"


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.parametrize("kind", ["anchors", "uncontrolled", "mixed"])
def test_without_memory_both_machines_find_the_same(kind: str, seed: int) -> None:
    kinds: dict[str, tuple[Shape, Uncontrolled]] = {
        "anchors": (Shape(anchors=True, threads=2, statements=6), "maximal"),
        "uncontrolled": (Shape(controlled=False, threads=2, statements=4), "any"),
        "mixed": (Shape(mixed=True, threads=3), "maximal"),
    }
    shape, mode = kinds[kind]
    case = random_case(seed, shape)
    names = case.program.launched.parameters
    given = {p: [a[i] for a in case.arguments] for i, p in enumerate(names)}
    found = []
    environments: tuple[EnvironmentKind, ...] = ("direct", "queued")
    for environment in environments:
        program, launch = prepare(
            parse(str(case.program)), environment=environment, function=case.program.launched.name,
            threads=case.threads, arguments=given, uncontrolled=mode, verified=True,
        )  # fmt: skip

        def once(
            chooser: Chooser, program: Program = program, launch: Launch = launch
        ) -> tuple[Machine, Ending]:
            machine = start(program, launch, chooser)
            return machine, machine.run()

        runs = [finished(m, e, made) for (m, e), made in islice(executions(once), 300)]
        if len(runs) == 300:
            return  # too many to compare; few seeds are
        found.append({(r.execution, str(r.outcome)) for r in runs if r.ending == Returned()})
    assert found[0] == found[1]


class CountedClock(Clock):
    """A clock that counts who looks at it, and never ends."""

    __slots__ = ("looks",)
    looks: list[int]

    def __init__(self) -> None:
        super().__init__()
        object.__setattr__(self, "looks", [0])

    def check(self) -> None:
        self.looks[0] += 1


def test_time_is_looked_at_between_accesses_that_are_performed_one_by_one() -> None:
    """A thread may issue as many as it likes in one turn: a loop of 70,000 stores had no bound in time."""
    text = """
@own = global [2 x i32] zeroinitializer
define void @f(i64 %me) {
entry:
  %mine = getelementptr i32, ptr @own, i64 %me
  br label %round
round:
  %n = phi i32 [ 0, %entry ], [ %next, %round ]
  store i32 %n, ptr %mine
  %next = add i32 %n, 1
  %more = icmp ult i32 %next, 300
  br i1 %more, label %round, label %end
end:
  ret void
}"""
    program, launch = prepare(
        parse(text), True, "queued", function="f", threads=2, arguments={"me": [0, 1]}, verified=True
    )
    clock = CountedClock()
    assert isinstance(start(program, launch, MostConverged()).run(until=clock), Returned)
    assert clock.looks[0] >= 600
