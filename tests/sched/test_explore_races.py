"""Data races in enumeration: reported, and read as undef (LangRef, *Memory Model for Concurrent ...*).

covers: sched.choices.states, semantics.memory.races
"""

from __future__ import annotations

from typing import Any

import pytest

import convergence as cc
from convergence.parser import parse
from convergence.sched.choices.states import reads_decide
from tests.launches import explore

PEERS: dict[str, Any] = {"threads": 2, "arguments": {"own": ["@x", "@y"], "peer": ["@y", "@x"]}}
HEAD = "@x = global i32 0\n@y = global i32 0\ndefine i32 @f(ptr %own, ptr %peer) {\n"
PASSING = """@data = global i32 0
@flag = global i32 0
define i32 @f(i1 %writer) {
entry:
  br i1 %writer, label %w, label %r
w:
  store i32 7, ptr @data
  store atomic i32 1, ptr @flag release, align 4
  ret i32 0
r:
  %f = load atomic i32, ptr @flag acquire, align 4
  %c = icmp eq i32 %f, 1
  br i1 %c, label %g, label %n
g:
  %d = load i32, ptr @data
  ret i32 %d
n:
  ret i32 99
}
"""
RELAXED = PASSING.replace("release", "monotonic").replace("acquire", "monotonic")
FENCED = RELAXED.replace("  store atomic", "  fence release\n  store atomic").replace(
    "g:\n", "g:\n  fence acquire\n"
)


def returned(text: str, **given: Any) -> tuple[set[tuple[Any, ...]], tuple[str, ...]]:
    """What the threads return, whatever is reduced; and the notes."""
    module = parse(text)
    answers = [explore(module, reduce=reduce, **given) for reduce in (True, False)]
    assert answers[0] == answers[1]
    assert answers[0].complete
    return {tuple(t.value for t in o.outcome.threads) for o in answers[0].outcomes}, answers[0].notes


@pytest.mark.parametrize(
    "body",
    [
        "  store i32 1, ptr %own\n  %r = load i32, ptr %peer\n",
        "  %r = load i32, ptr %peer\n  store i32 1, ptr %own\n",  # each read before the write that it races
        "  store i32 1, ptr %own\n  %r = load atomic i32, ptr %peer seq_cst, align 4\n",
        "  store atomic i32 1, ptr %own seq_cst, align 4\n  %r = load i32, ptr %peer\n",
    ],
)
def test_a_read_that_races_gives_undef(body: str) -> None:
    values, notes = returned(f"{HEAD}{body}  ret i32 %r\n}}\n", **PEERS)
    assert values == {("undef", "undef")}
    assert sum("race" in note for note in notes) == 2  # @x and @y


def test_atomic_accesses_do_not_race() -> None:
    body = "  store atomic i32 1, ptr %own monotonic, align 4\n"
    body += "  %r = load atomic i32, ptr %peer monotonic, align 4\n"
    values, notes = returned(f"{HEAD}{body}  ret i32 %r\n}}\n", **PEERS)
    assert values == {(0, 1), (1, 0), (1, 1)}
    assert not notes


@pytest.mark.parametrize(("text", "read"), [(PASSING, 7), (FENCED, 7), (RELAXED, "undef")])
def test_message_passing(text: str, read: object) -> None:
    """A release that an acquire reads, by fences, too, orders the data; monotonic accesses do not."""
    values, notes = returned(text, threads=2, arguments={"writer": [1, 0]})
    assert values == {(0, 99), (0, read)}
    assert bool(notes) == (read == "undef")


def test_a_vote_orders_no_memory() -> None:
    text = (
        "declare token @llvm.experimental.convergence.entry()\ndeclare i32 @subgroupAdd(i32) convergent\n"
        + HEAD.replace(") {", ") convergent {\n  %t = call token @llvm.experimental.convergence.entry()")
        + "  store i32 1, ptr %own\n"
        '  %v = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]\n'
        "  %r = load i32, ptr %peer\n  ret i32 %r\n}\n"
    )
    assert returned(text, **PEERS)[0] == {("undef", "undef")}


def test_reads_of_what_nobody_writes_do_not_race() -> None:
    values, notes = returned(f"{HEAD}  %r = load i32, ptr %peer\n  ret i32 %r\n}}\n", **PEERS)
    assert (values, notes) == ({(0, 0)}, ())


def test_two_writes_that_race_leave_undef_to_whoever_comes_after_both() -> None:
    """Both writers count themselves off with a release; the reader acquires both."""
    text = """@x = global i32 0
@done = global i32 0
define i32 @f(i32 %id) {
entry:
  %reader = icmp eq i32 %id, 2
  br i1 %reader, label %r, label %w
w:
  store i32 %id, ptr @x
  %n = atomicrmw add ptr @done, i32 1 acq_rel
  ret i32 0
r:
  %d = load atomic i32, ptr @done acquire, align 4
  %both = icmp eq i32 %d, 2
  br i1 %both, label %read, label %none
read:
  %v = load i32, ptr @x
  ret i32 %v
none:
  ret i32 99
}
"""
    values, notes = returned(text, threads=3, arguments={"id": [0, 1, 2]})
    assert values == {(0, 0, 99), (0, 0, "undef")}
    assert notes


EITHER = """@g = global [2 x i32] [i32 0, i32 1]
define i32 @f() {
entry:
  %p = getelementptr i32, ptr @g, i32 1
  %d = load i32, ptr %p
  %f = freeze i32 %d
  BODY
  ret i32 %d
}
"""
BY_ADDRESS = "%q = getelementptr i32, ptr @g, i32 %f\n  store i32 7, ptr %q"
BY_BRANCH = (
    "%c = icmp eq i32 %f, 1\n  br i1 %c, label %a, label %b\na:\n  store i32 7, ptr %p\n  br label %b\nb:"
)


@pytest.mark.parametrize("body", [BY_ADDRESS, BY_BRANCH])
def test_of_two_reads_either_may_be_the_one_that_gives_undef(body: str) -> None:
    """The write of a thread that read 1 races with the other's read, which then writes elsewhere, or not."""
    values, _ = returned(EITHER.replace("BODY", body), threads=2)
    assert values == {("undef", 1), (1, "undef")}


def test_reads_do_not_make_each_other_undef() -> None:
    """Each thread would write only if its own read gave undef, which only the other's write can make it."""
    body = "  %d = load i32, ptr %own\n  %r = freeze i32 %d\n  %c = icmp eq i32 %r, 0\n"
    body += "  br i1 %c, label %a, label %b\na:\n  store i32 5, ptr %peer\n  br label %b\nb:\n"
    text = HEAD.replace("i32 0", "i32 1") + body + "  ret i32 %r\n}\n"
    assert returned(text, **PEERS) == ({(1, 1)}, ())


def test_a_read_that_came_to_another_place_does_not_race_any_more() -> None:
    """Where the first read gives undef the second one reads @g[0], which nobody writes."""
    text = """@g = global [2 x i32] [i32 0, i32 1]
define i32 @f(i32 %t) {
  %p = getelementptr i32, ptr @g, i32 1
  store i32 %t, ptr %p
  %d = load i32, ptr %p
  %f = freeze i32 %d
  %i = and i32 %f, 1
  %q = getelementptr i32, ptr @g, i32 %i
  %e = load i32, ptr %q
  ret i32 %e
}
"""
    given: dict[str, Any] = {"threads": 2, "arguments": {"t": [1, 2]}}
    assert returned(text, **given)[0] == {(0, 0)}
    run = cc.run(parse(text), **given)
    assert [thread.value for thread in run.outcome.threads] == [0, 0]


@pytest.mark.parametrize(
    ("body", "decides"),
    [
        ("  %s = add i32 %d, %t\n  store i32 %s, ptr @x\n", False),
        (
            "  %s = call i32 @subgroupAdd(i32 %t)\n  %p = getelementptr i8, ptr @x, i32 %s\n"
            "  store i8 1, ptr %p\n",
            True,
        ),
        ("  %q = getelementptr i8, ptr @x, i32 %d\n  store i8 1, ptr %q\n", True),
        ("  %s = udiv i32 %t, %d\n", True),
        ("  switch i32 %d, label %e []\ne:\n", True),
        ("  call void @f(i32 %t)\n", True),
    ],
)
def test_what_a_read_decides(body: str, decides: bool) -> None:
    text = "@x = global i32 0\ndeclare i32 @subgroupAdd(i32) convergent\ndefine void @f(i32 %t) {\n"
    assert reads_decide(parse(f"{text}  %d = load i32, ptr @x\n{body}  ret void\n}}\n")) is decides


def test_a_call_that_reads_a_variable_by_its_name_decides() -> None:
    load = "_Z11atomic_loadPU3AS1VU7_Atomici"
    text = f"""@x = addrspace(1) global i32 0
declare i32 @{load}(ptr addrspace(1))
define void @f() {{
  %d = call i32 @{load}(ptr addrspace(1) @x)
  %q = getelementptr i8, ptr addrspace(1) @x, i32 %d
  store i8 1, ptr addrspace(1) %q
  ret void
}}
"""
    assert reads_decide(parse(text))


EXCHANGED = """@x = global i32 5
declare i32 @getThreadId()
define {i32, i32} @k() {
  %id = call i32 @getThreadId()
  %first = icmp eq i32 %id, 0
  br i1 %first, label %a, label %b
a:
  %old = load atomic i32, ptr @x monotonic, align 4
  %was = atomicrmw xchg ptr @x, i32 9 monotonic
  br label %out
b:
  %read = load i32, ptr @x
  %pair = cmpxchg ptr @x, i32 %read, i32 3 monotonic monotonic
  %did = extractvalue {i32, i1} %pair, 1
  %done = zext i1 %did to i32
  br label %out
out:
  %v = phi i32 [ %old, %a ], [ %read, %b ]
  %w = phi i32 [ %was, %a ], [ %done, %b ]
  %l = insertvalue {i32, i32} zeroinitializer, i32 %v, 0
  %r = insertvalue {i32, i32} %l, i32 %w, 1
  ret {i32, i32} %r
}
"""


def test_whether_an_exchange_writes_hangs_from_what_was_read() -> None:
    """The load gives 5 where the other thread's write comes behind the exchange that it lets happen."""
    answer = explore(parse(EXCHANGED), threads=2)
    outcomes = [[t.value for t in each.outcome.threads] for each in answer.outcomes]
    assert answer.complete and [[5, 3], [5, 1]] in outcomes and len(outcomes) == 3


def test_which_ordering_an_exchange_has_hangs_from_what_it_reads() -> None:
    """It fails behind the other thread's release, and has acquired then: nothing races."""
    text = """@x = global i32 0
declare i32 @getThreadId()
define i32 @k() {
  %id = call i32 @getThreadId()
  %first = icmp eq i32 %id, 0
  br i1 %first, label %a, label %b
a:
  %pair = cmpxchg ptr @x, i32 0, i32 5 monotonic seq_cst
  store i32 255, ptr @x
  %old = extractvalue {i32, i1} %pair, 0
  ret i32 %old
b:
  store i32 5, ptr @x
  %read = load atomic i32, ptr @x monotonic, align 4
  store atomic i32 %read, ptr @x release, align 4
  ret i32 %read
}
"""
    answer = explore(parse(text), threads=2)
    assert answer.complete and [5, 5] in [[t.value for t in each.outcome.threads] for each in answer.outcomes]
