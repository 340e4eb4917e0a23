"""Threads that do not keep together, natively: who meets whom, and in which order turns are, is the
reference's.

covers: semantics.native.jit, semantics.native.scheduler
"""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from convergence.cli import plumbing
from convergence.parser import parse
from convergence.semantics.machine.launch import launch_spec
from convergence.semantics.machine.run import execute

from .test_unattended import HEAD, both, unattended

RAGGED = """
define i32 @f(i32 %n) convergent {
entry:
  %me = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %me, 1
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  %v = phi i32 [ %me, %entry ], [ %w, %latch ]
  %rounds = xor i32 %i, %me
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %on ]
  %u = phi i32 [ %v, %outer ], [ %t, %on ]
  %s = call i32 @subgroupAdd(i32 %u)
  %skip = icmp eq i32 %s, 7
  br i1 %skip, label %latch, label %on
on:
  %t = add i32 %s, %j
  %j1 = add i32 %j, 1
  %again = icmp ult i32 %j, %rounds
  br i1 %again, label %inner, label %latch
latch:
  %x = phi i32 [ %u, %inner ], [ %t, %on ]
  %big = icmp ugt i32 %x, 20
  %b = call i32 @subgroupBallot(i1 %big)
  %w = xor i32 %x, %b
  %i1 = add i32 %i, 1
  %last = add i32 %n, %odd
  %more = icmp ult i32 %i1, %last
  br i1 %more, label %outer, label %done
done:
  %e = call i32 @subgroupAdd(i32 %w)
  %o = call i32 @subgroupShuffle(i32 %e, i32 1)
  ret i32 %o
}
"""

DEEP = """
define internal i32 @leaf(i32 %v, i32 %times) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %u = phi i32 [ %v, %entry ], [ %s, %loop ]
  %l = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %s = call i32 @subgroupAdd(i32 %u) [ "convergencectrl"(token %l) ]
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %times
  br i1 %more, label %loop, label %out
out:
  %r = call i32 @subgroupAdd(i32 %s) [ "convergencectrl"(token %t) ]
  ret i32 %r
}
define i32 @f(i32 %n) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  %me = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  %v = phi i32 [ %me, %entry ], [ %w, %latch ]
  %l = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %two = and i32 %v, 2
  %is = icmp eq i32 %two, 0
  br i1 %is, label %then, label %else
then:
  %times = add i32 %me, 1
  %a = call i32 @leaf(i32 %v, i32 %times) [ "convergencectrl"(token %l) ]
  br label %latch
else:
  %b = call i32 @leaf(i32 %i, i32 2) [ "convergencectrl"(token %l) ]
  %c = call i32 @leaf(i32 %b, i32 %me) [ "convergencectrl"(token %l) ]
  br label %latch
latch:
  %w = phi i32 [ %a, %then ], [ %c, %else ]
  %i1 = add i32 %i, 1
  %last = add i32 %n, %me
  %more = icmp ult i32 %i1, %last
  br i1 %more, label %outer, label %done
done:
  %r = call i32 @subgroupAdd(i32 %w) [ "convergencectrl"(token %t) ]
  ret i32 %r
}
"""

KNOT = """
define i32 @f(i32 %n) convergent {
entry:
  %me = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %me to i1
  br i1 %odd, label %left, label %right
left:
  %i = phi i32 [ 0, %entry ], [ %j1, %right ]
  %a = call i32 @subgroupAdd(i32 %i)
  %stop = icmp ugt i32 %a, %n
  br i1 %stop, label %done, label %right
right:
  %j = phi i32 [ %me, %entry ], [ %a, %left ]
  %b = call i32 @subgroupAdd(i32 %j)
  %j1 = add i32 %b, 1
  %far = icmp ugt i32 %j1, %n
  br i1 %far, label %done, label %left
done:
  %r = phi i32 [ %a, %left ], [ %b, %right ]
  ret i32 %r
}
"""

COMPACT = """
define i32 @f() convergent {
entry:
  %me = call i64 @_Z13get_global_idj(i32 0)
  %n = trunc i64 %me to i32
  %low = and i32 %n, 5
  %keep = icmp ne i32 %low, 1
  br i1 %keep, label %in, label %out
in:
  %mask = call i32 @subgroupBallot(i1 true)
  %first = call i32 @subgroupBroadcastFirst(i32 %n)
  %lead = icmp eq i32 %first, %n
  br i1 %lead, label %add, label %given
add:
  %old = atomicrmw add ptr @flag, i32 %mask monotonic
  br label %given
given:
  %o = phi i32 [ %old, %add ], [ 0, %in ]
  %place = call i32 @subgroupBroadcastFirst(i32 %o)
  br label %out
out:
  %r = phi i32 [ %place, %given ], [ -1, %entry ]
  ret i32 %r
}
"""

HALVES = """
define i32 @f() convergent {
entry:
  %me = call i64 @_Z12get_local_idj(i32 0)
  %n = trunc i64 %me to i32
  %own = getelementptr [16 x i32], ptr addrspace(3) @tile, i64 0, i64 %me
  %odd = trunc i32 %n to i1
  br i1 %odd, label %vote, label %all
vote:
  %b = call i32 @subgroupBallot(i1 true)
  br label %all
all:
  %v = phi i32 [ %b, %vote ], [ 0, %entry ]
  store i32 %v, ptr addrspace(3) %own
  call void @_Z7barrierj(i32 1)
  %across = sub i64 7, %me
  %other = getelementptr [16 x i32], ptr addrspace(3) @tile, i64 0, i64 %across
  %got = load i32, ptr addrspace(3) %other
  ret i32 %got
}
"""

WAITING = """
define i32 @f() convergent {
entry:
  %me = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %zero = icmp eq i32 %me, 0
  br i1 %zero, label %spin, label %vote
spin:
  %seen = load atomic i32, ptr @flag monotonic, align 4
  %no = icmp eq i32 %seen, 0
  br i1 %no, label %spin, label %done
vote:
  %b = call i32 @subgroupBallot(i1 true)
  store atomic i32 %b, ptr @flag monotonic, align 4
  br label %done
done:
  %r = phi i32 [ %seen, %spin ], [ 0, %vote ]
  ret i32 %r
}
"""

DECLARED = """
declare i32 @subgroupBroadcastFirst(i32) convergent
"""


@pytest.mark.parametrize(("text", "n"), [(RAGGED, 3), (DEEP, 2), (KNOT, 40)])
@pytest.mark.parametrize("subgroup", [None, 3])
def test_threads_part_and_meet(text: str, n: int, subgroup: int | None) -> None:
    """In loops that each leaves in its own time, in callees, and where a cycle has two entries."""
    _, run = both(text, grid=2, workgroup=6, subgroup_size=subgroup, arguments={"n": n})
    assert unattended(run) == 2 and not run.machine.program.at_once
    sizes = {len(group.members) for group in run.groups}
    assert len(sizes) > 1  # some with all, some without


def test_who_is_first_is_seen() -> None:
    _, run = both(DECLARED + COMPACT, grid=3, workgroup=8, subgroup_size=4)
    assert unattended(run) == 3 and run.machine.program.at_once


@pytest.mark.parametrize("subgroup", [None, 4])
def test_some_vote_and_all_wait(subgroup: int | None) -> None:
    _, run = both(HALVES, grid=2, workgroup=8, subgroup_size=subgroup)
    assert unattended(run) == 2


def test_a_group_is_done_while_others_run() -> None:
    """One waits in a loop for what others do behind an exchange to which it never comes: only the reference
    says for how long."""
    _, run = both(WAITING, threads=4)
    assert unattended(run) == 0 and "order" in run.machine.program.attended
    assert [t.value for t in run.outcome.threads] == [14, 0, 0, 0]


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_somebody_is_told_how_far_a_run_is(engine: str) -> None:
    told: list[tuple[int, int, str]] = []
    spec = launch_spec(function="f", grid=3, workgroup=4, arguments={"n": 2}, verified=True)
    spec = replace(spec, engine=engine)  # type: ignore[arg-type]
    execute(parse(HEAD + RAGGED), spec, tell=lambda done, of, what: told.append((done(), of, what)))
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told) and len(told) > 2
    assert told[-1] == (12, 12, "threads") and {of for _, of, _ in told} == {12}


def test_a_bar_stands_on_a_terminal_once_a_run_takes_long(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for terminal, quiet, seconds, bars in (
        (True, False, 5, 1),
        (True, True, 5, 0),
        (False, False, 5, 0),
        (True, False, 0, 0),
    ):
        bar = plumbing.Progress(quiet)
        bar.terminal = terminal
        now = time.monotonic()
        with monkeypatch.context() as patched:
            patched.setattr(time, "monotonic", lambda now=now, s=seconds: now + s)
            bar.tell(lambda: 3, 12, "threads")
            bar.tell(lambda: 4, 12, "threads")
        assert capsys.readouterr().err.count("3/12 threads") == bars
