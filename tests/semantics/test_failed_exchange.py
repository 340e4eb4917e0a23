"""A ``cmpxchg`` that does not find what it expects: an atomic load with its failure ordering (LangRef,
*'cmpxchg' Instruction*; semantics.md, *Synchronisation*).

covers: semantics.memory.accesses
"""

from __future__ import annotations

from typing import Any

import pytest

from convergence.ir.module import Module
from convergence.parser import parse
from convergence.report.run import difference
from convergence.semantics.machine.program import EngineKind
from convergence.semantics.machine.run import run
from tests.launches import enumerate_axiomatic, explore

# Thread 0 writes @data and raises @flag, which thread 1 looks at by a cmpxchg that finds 1 or 0, never 5; or,
# where it ``releases``, thread 1 writes @data before its cmpxchg, and thread 0, which raised @flag, reads it.
MESSAGE = """
@data = internal global i32 0
@flag = internal global i32 0
define i32 @k(i32 %t) {{
  %first = icmp eq i32 %t, 0
  br i1 %first, label %send, label %receive
send:
  store i32 7, ptr @data
  store atomic i32 1, ptr @flag release, align 4
  ret i32 0
receive:
  %pair = cmpxchg ptr @flag, i32 {expected}, i32 1 {success} {failure}
  %old = extractvalue {{ i32, i1 }} %pair, 0
  %raised = icmp eq i32 %old, 1
  br i1 %raised, label %read, label %out
read:
  %value = load i32, ptr @data
  ret i32 %value
out:
  ret i32 -1
}}
"""
RELEASED = """
@data = internal global i32 0
@flag = internal global i32 {held}
define i32 @k(i32 %t) {{
  %first = icmp eq i32 %t, 0
  br i1 %first, label %receive, label %send
send:
  store i32 7, ptr @data
  %pair = cmpxchg ptr @flag, i32 1, i32 {held} release monotonic
  ret i32 0
receive:
  %old = load atomic i32, ptr @flag acquire, align 4
  %raised = icmp eq i32 %old, 2
  br i1 %raised, label %read, label %out
read:
  %value = load i32, ptr @data
  ret i32 %value
out:
  ret i32 -1
}}
"""
BESIDE = """
@flag = internal global i32 {held}
define i32 @k(i32 %t) {{
  %first = icmp eq i32 %t, 0
  br i1 %first, label %plain, label %exchange
plain:
  %value = load i32, ptr @flag
  ret i32 %value
exchange:
  %pair = cmpxchg ptr @flag, i32 5, i32 6 seq_cst seq_cst
  %old = extractvalue {{ i32, i1 }} %pair, 0
  ret i32 %old
}}
"""

EXCHANGE = (
    "_Z39atomic_compare_exchange_strong_explicitPU3AS4VU7_AtomiciPU3AS4ii12memory_orderS4_12memory_scope"
)
LIBRARY = """
@flag = internal addrspace(1) global i32 {held}
define i32 @k(i32 %t) {{
  %expected = alloca i32
  store i32 5, ptr %expected
  %generic = addrspacecast ptr %expected to ptr addrspace(4)
  %first = icmp eq i32 %t, 0
  br i1 %first, label %plain, label %exchange
plain:
  %value = load i32, ptr addrspace(1) @flag
  ret i32 %value
exchange:
  %done = call i1 @{name}(
      ptr addrspace(1) @flag, ptr addrspace(4) %generic, i32 6, i32 5, i32 0, i32 2)
  %old = load i32, ptr %expected
  ret i32 %old
}}
declare i1 @{name}(
    ptr addrspace(1), ptr addrspace(4), i32, i32, i32, i32)
"""
"""The same with OpenCL C's function, which writes what it found to where it was told what to expect."""


def raced(module: Module) -> bool:
    """Whether some execution of two threads has a race, as all engines say."""
    launch: dict[str, Any] = {"threads": 2, "arguments": {"t": [0, 1]}}
    engines: tuple[EngineKind, ...] = ("reference", "native", "attended")
    runs = [run(module, engine=engine, **launch) for engine in engines]
    assert all(difference(runs[0], other, module) is None for other in runs[1:])
    answer, axiomatic = explore(module, **launch), enumerate_axiomatic(module, **launch)
    races = any("race" in str(note) for note in answer.notes)
    assert answer.complete and axiomatic.complete is not races
    if axiomatic.complete:
        assert [o.outcome for o in axiomatic.outcomes] == [o.outcome for o in answer.outcomes]
    assert races or not runs[0].races
    return races


@pytest.mark.parametrize(
    ("expected", "success", "failure", "races"),
    [
        (5, "acquire", "monotonic", True),  # it fails, and acquires nothing
        (5, "monotonic", "acquire", False),
        (5, "seq_cst", "acquire", False),
        (1, "acquire", "monotonic", False),  # it succeeds
        (1, "monotonic", "acquire", True),
    ],
)
def test_what_a_failed_exchange_orders(expected: int, success: str, failure: str, races: bool) -> None:
    assert raced(parse(MESSAGE.format(expected=expected, success=success, failure=failure))) is races


def test_a_failed_exchange_releases_nothing() -> None:
    """What it finds, a 2, was there before; where it exchanges a 1 for a 2, who sees the 2 sees the data."""
    assert raced(parse(RELEASED.format(held=2)))
    exchanged = RELEASED.format(held=2).replace(
        "@flag = internal global i32 2", "@flag = internal global i32 1"
    )
    assert not raced(parse(exchanged))


def test_a_failed_exchange_races_with_no_read() -> None:
    assert not raced(parse(BESIDE.format(held=0)))
    assert raced(parse(BESIDE.format(held=5)))


def test_a_failed_exchange_of_the_library_races_with_no_read() -> None:
    launch: dict[str, Any] = {"threads": 2, "arguments": {"t": [0, 1]}}
    kept, exchanged = (run(parse(LIBRARY.format(held=held, name=EXCHANGE)), **launch) for held in (0, 5))
    assert not kept.races and [thread.value for thread in kept.outcome.threads] == [0, 0]
    assert exchanged.races


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_a_failed_exchange_leaves_each_byte_as_it_is(engine: EngineKind) -> None:
    """One undefined byte makes what it reads undefined, and not what lies there."""
    text = """@x = global [4 x i8] [i8 undef, i8 3, i8 2, i8 1], align 4
define i8 @k() {
  %pair = cmpxchg ptr @x, i32 7, i32 258 monotonic monotonic
  %last = load i8, ptr getelementptr (i8, ptr @x, i64 3)
  ret i8 %last
}
"""
    outcome = run(parse(text), engine=engine).outcome
    assert outcome.threads[0].value == 1 and outcome.memory["@x"] == ["undef", 3, 2, 1]
