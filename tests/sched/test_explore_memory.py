"""Memory in enumeration: every order that matters, no order twice, and threads that wait for memory.

covers: sched.choices.states
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import convergence as cc
from convergence.sched.choices.search import Explorer
from convergence.sched.enumeration import Enumeration
from convergence.semantics import Cut, Deadlock
from tests.launches import explore

ROOT = Path(__file__).resolve().parents[2]
VOTE = """
declare token @llvm.experimental.convergence.entry()
declare i32 @subgroupAdd(i32) convergent
"""
PEERS: dict[str, Any] = {"threads": 2, "arguments": {"own": ["@x", "@y"], "peer": ["@y", "@x"]}}


def kernel(body: str) -> str:
    return (
        f"@x = global i32 0\n@y = global i32 0\n{VOTE}"
        "define i32 @f(ptr %own, ptr %peer) convergent {\n"
        "  %t = call token @llvm.experimental.convergence.entry()\n"
        f"{body}  ret i32 %r\n}}\n"
    )


WRITE = "  store atomic i32 1, ptr %own monotonic, align 4\n"
READ = "  %r = load atomic i32, ptr %peer monotonic, align 4\n"


def vote(operand: str) -> str:
    return f'  %v = call i32 @subgroupAdd(i32 {operand}) [ "convergencectrl"(token %t) ]\n'


@contextmanager
def counted() -> Iterator[list[int]]:
    """How many runs the explorations in here made."""
    made: list[int] = []
    finish = Explorer._finish

    def watched(self: Explorer, bound: Cut | None) -> Enumeration:
        made.append(self.executions)
        return finish(self, bound)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Explorer, "_finish", watched)
        yield made


def returned(found: Enumeration) -> set[tuple[Any, ...]]:
    assert found.complete, found.bound
    assert all(o.ending == "returned" for o in found.outcomes), found.outcomes
    return {tuple(t.value for t in o.outcome.threads) for o in found.outcomes}


def everywhere(text: str, **given: Any) -> set[tuple[Any, ...]]:
    """What the threads return; the same whatever is reduced."""
    module = cc.parse(text)
    answers = [explore(module, prune=p, reduce=r, **given) for p in (True, False) for r in (True, False)]
    assert all(answer == answers[0] for answer in answers)
    return returned(answers[0])


def test_independent_accesses_give_one_execution() -> None:
    """Ten stores in each of two threads, in 184,756 orders that nobody can tell apart."""
    body = "".join(
        f"  %q{n} = getelementptr i32, ptr %p, i32 {n}\n  store i32 {n}, ptr %q{n}\n" for n in range(10)
    )
    arrays = "@a = global [10 x i32] zeroinitializer\n@b = global [10 x i32] zeroinitializer\n"
    module = cc.parse(f"{arrays}define void @f(ptr %p) {{\n{body}  ret void\n}}\n")
    with counted() as made:
        found = explore(module, threads=2, arguments={"p": ["@a", "@b"]}, quick=False)
    assert made == [1]
    assert found.complete
    assert len(found.outcomes) == 1


def test_many_threads_with_accesses_of_their_own_give_one_execution() -> None:
    text = "@a = global [16 x i32] zeroinitializer\ndefine void @f(i32 %i) {\n"
    text += "  %p = getelementptr i32, ptr @a, i32 %i\n  store i32 1, ptr %p\n  ret void\n}\n"
    with counted() as made:
        assert explore(cc.parse(text), threads=16, arguments={"i": list(range(16))}, quick=False).complete
    assert made == [1]


def test_store_buffering_is_sequentially_consistent() -> None:
    assert everywhere(kernel(WRITE + READ), **PEERS) == {(0, 1), (1, 0), (1, 1)}


def test_a_vote_is_no_barrier_between_write_and_read() -> None:
    """The peer's store may be performed after the vote; but not both peers' can."""
    assert everywhere(kernel(WRITE + vote("1") + READ), **PEERS) == {(0, 1), (1, 0), (1, 1)}


def test_a_vote_is_no_barrier_between_read_and_write() -> None:
    """The read's value is needed by nobody at the vote, so it may be performed after the peer's store."""
    assert everywhere(kernel(READ + vote("1") + WRITE), **PEERS) == {(0, 0), (0, 1), (1, 0)}


def test_a_store_that_needs_nothing_of_the_vote_may_come_before_it() -> None:
    """Even if the vote needs the value that the peer reads: nothing here goes round in a circle."""
    assert everywhere(kernel(READ + vote("%r") + WRITE), **PEERS) == {(0, 0), (0, 1), (1, 0)}


def test_nothing_comes_before_its_cause() -> None:
    """Now the stored value is the vote's result, which needs both reads (D-CAUSE)."""
    body = READ + vote("%r") + WRITE.replace("i32 1", "i32 %v")
    assert everywhere(kernel(body), **PEERS) == {(0, 0)}
    body = READ + vote("1") + WRITE.replace("i32 1", "i32 %v")
    assert everywhere(kernel(body), **PEERS) == {(0, 0), (0, 2), (2, 0)}


def test_what_decides_arrival_comes_before_the_result() -> None:
    """Thread 1 comes to the vote only if it reads 0, so thread 0's result waits for that; a store of
    the result cannot be what thread 1 reads, a store of 5 can."""
    text = (
        "@x = global i32 0\n"
        + VOTE
        + """
define i32 @f(i1 %writer) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  br i1 %writer, label %V, label %R
R:
  %r = load atomic i32, ptr @x monotonic, align 4
  %zero = icmp eq i32 %r, 0
  br i1 %zero, label %V, label %D
V:
  %v = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
  br i1 %writer, label %W, label %D
W:
  store atomic i32 %v, ptr @x monotonic, align 4
  br label %D
D:
  %s = phi i32 [ 0, %R ], [ %v, %V ], [ %v, %W ]
  ret i32 %s
}
"""
    )
    assert everywhere(text, threads=2, arguments={"writer": [1, 0]}) == {(2, 2)}
    early = text.replace("store atomic i32 %v", "store atomic i32 5")
    assert everywhere(early, threads=2, arguments={"writer": [1, 0]}) == {(2, 2), (1, 0)}


@pytest.mark.parametrize("threads", [2, 3, 4])
def test_atomic_increments_hand_out_every_permutation(threads: int) -> None:
    body = "  %r = atomicrmw add ptr @x, i32 1 monotonic\n  ret i32 %r\n"
    text = "@x = global i32 0\ndefine i32 @f() {\n" + body + "}\n"
    assert everywhere(text, threads=threads) == set(permutations(range(threads)))


@pytest.mark.parametrize("threads", [2, 3, 4])
def test_the_append_buffer_hands_out_a_permutation(threads: int) -> None:
    """Whatever the anchor's partition and the order of the atomic operations; and each one is there."""
    module = cc.parse_file(str(ROOT / "examples_ll" / "langref" / "append-buffer.ll"))
    found = explore(module, threads=threads, arguments={"lane": list(range(threads))})
    assert len(found.alignments) == [1, 2, 5, 15][threads - 1]
    assert returned(found) == set(permutations(range(threads)))
    assert all(o.outcome.memory["@allocated"] == threads for o in found.outcomes)


# -- threads that wait for memory --------------------------------------------------------------------------

SPIN = """@flag = global i32 0
@data = global i32 0
define i32 @f(i1 %producer) {
entry:
  br i1 %producer, label %set, label %spin
set:
  store atomic i32 7, ptr @data monotonic, align 4
  store atomic i32 1, ptr @flag release, align 4
  ret i32 0
spin:
  %v = load atomic i32, ptr @flag acquire, align 4
  %z = icmp eq i32 %v, 0
  br i1 %z, label %spin, label %go
go:
  %d = load atomic i32, ptr @data monotonic, align 4
  ret i32 %d
}
"""


def test_a_flag_that_comes_ends_the_wait() -> None:
    assert everywhere(SPIN, threads=3, arguments={"producer": [0, 0, 1]}) == {(7, 7, 0)}


def test_a_flag_that_never_comes_is_a_deadlock() -> None:
    """Two threads spin, each in its own circle of states and in one together."""
    found = explore(cc.parse(SPIN), threads=3, arguments={"producer": [0, 0, 0]})
    assert found.complete
    assert [o.ending for o in found.outcomes] == ["deadlock"]
    ending = found.outcomes[0].example
    assert isinstance(ending, Deadlock)
    assert [(w.thread, w.name) for w in ending.waiting] == [(n, "a load of @flag") for n in range(3)]


def test_a_lock_lets_one_after_the_other_in() -> None:
    text = """@l = global i32 0
@n = global i32 0
define i32 @f() {
entry:
  br label %spin
spin:
  %v = cmpxchg ptr @l, i32 0, i32 1 acquire monotonic
  %ok = extractvalue { i32, i1 } %v, 1
  br i1 %ok, label %critical, label %spin
critical:
  %o = load i32, ptr @n
  %p = add i32 %o, 1
  store i32 %p, ptr @n
  store atomic i32 0, ptr @l release, align 4
  ret i32 %o
}
"""
    assert everywhere(text, threads=2) == {(0, 1), (1, 0)}
    assert returned(explore(cc.parse(text), threads=3)) == set(permutations(range(3)))


def test_a_group_that_an_endless_thread_could_join_is_never_complete() -> None:
    """Thread 0's vote waits for thread 1, which spins for what thread 0 stores after the vote."""
    text = (
        "@flag = global i32 0\n"
        + VOTE
        + """
define i32 @f(i1 %producer) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  br i1 %producer, label %vote, label %spin
spin:
  %v = load atomic i32, ptr @flag monotonic, align 4
  %z = icmp eq i32 %v, 0
  br i1 %z, label %spin, label %vote
vote:
  %s = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
  store atomic i32 %s, ptr @flag monotonic, align 4
  ret i32 %s
}
"""
    )
    found = explore(cc.parse(text), threads=2, arguments={"producer": [1, 0]})
    assert found.complete
    assert [o.ending for o in found.outcomes] == ["deadlock"]
    ending = found.outcomes[0].example
    assert isinstance(ending, Deadlock)
    assert [(w.thread, w.for_threads) for w in ending.waiting] == [(0, (1,)), (1, ())]
    early = text.replace("i32 %s, ptr @flag", "i32 1, ptr @flag")
    assert returned(explore(cc.parse(early), threads=2, arguments={"producer": [1, 0]})) == {(2, 2)}
