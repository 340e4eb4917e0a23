"""How fast enumeration is: ``python benchmarks/enumerate.py``. Processor time; the best of three.

The aims: 4,140 alignments of 8 threads at one anchor in under 3 seconds; a program of 64 threads with
one legal alignment for at most 40 times the cost of its 2-thread run; over 2,000 executions a second
on the RFC's program. Ratios are between figures of this one run.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from convergence.files import parse_file
from convergence.ir.module import Module
from convergence.parser import parse
from convergence.sched.choices.search import Explorer
from convergence.sched.enumeration import Enumeration
from convergence.semantics.machine.launch import launch_spec
from convergence.semantics.machine.program import EnvironmentKind
from convergence.semantics.machine.run import prepare_run

CONTROL = """
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
"""
ANCHOR = (
    CONTROL
    + """
define i32 @kernel(i32 %x) {
  %t = call token @llvm.experimental.convergence.anchor()
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  ret i32 %s
}
"""
)
HEART = (
    CONTROL
    + """
define i32 @kernel(i32 %n) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %head ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %s = call i32 @subgroupAdd(i32 %i) [ "convergencectrl"(token %h) ]
  %next = add i32 %i, 1
  %c = icmp ult i32 %next, %n
  br i1 %c, label %head, label %exit
exit:
  ret i32 %s
}
"""
)
COUNTER = """
@x = global i32 0
define i32 @kernel() {
  %r = atomicrmw add ptr @x, i32 1 monotonic
  ret i32 %r
}
"""
RFC = ROOT / "examples_ll" / "alignments" / "uncontrolled.ll"


def enumerate_with(
    module: Module, environment: EnvironmentKind = "direct", reduce: bool = True, **given: Any
) -> tuple[Enumeration, int]:
    """The answer, and how many executions were looked at."""
    spec = launch_spec(**given, verified=True)
    program, launch = prepare_run(module, spec, environment=environment)
    explorer = Explorer(program, launch, spec.limits)
    return explorer.enumerate(reduce), explorer.executions


def best(action: Callable[[], tuple[Enumeration, int]]) -> tuple[Enumeration, int, float]:
    times = []
    for _ in range(3):
        start = time.process_time()
        answer, executions = action()
        times.append(time.process_time() - start)
    assert answer.complete, answer.bound
    return answer, executions, min(times)


def line(what: str, answer: Enumeration, executions: int, seconds: float) -> None:
    rate = executions / seconds
    print(
        f"{what:<50} {len(answer.alignments):>6,} alignments {len(answer.outcomes):>6,} outcomes "
        f"{executions:>6,} executions {seconds:>8.3f} s {rate:>8,.0f} a second"
    )


def bell() -> None:
    module = parse(ANCHOR)
    for threads in (4, 6, 8):
        line(
            f"{threads} threads at one anchor",
            *best(partial(enumerate_with, module, threads=threads, arguments={"x": 1})),
        )


def rfc() -> None:
    """The six alignments, and longer paths through the same loop for a rate that no start-up hides."""
    module = parse_file(str(RFC))
    for rounds in (2, 6):
        paths = ["A B B C D".split(), "A B C B C D".split()]
        if rounds > 2:
            paths = [["A", *["B"] * rounds, "C", "D"], ["A", *["B", "C"] * rounds, "D"]]
        given: dict[str, Any] = {
            "arguments": {"x": [1, 10]},
            "paths": paths,
            "uncontrolled": "any",
            "threads": 2,
        }
        line(f"the RFC's program, {rounds} rounds, any", *best(partial(enumerate_with, module, **given)))


def unique() -> None:
    module = parse(HEART)
    seconds = []
    for threads in (2, 64):
        answer, executions, took = best(
            partial(enumerate_with, module, threads=threads, arguments={"n": 200})
        )
        line(f"one legal alignment, {threads} threads, 200 rounds", answer, executions, took)
        seconds.append(took)
    print(f"  64 threads cost {seconds[1] / seconds[0]:.1f} times what 2 threads cost")


def memory() -> None:
    """Two threads with ten stores each to places of their own; atomic increments of one place."""
    body = "".join(
        f"  %q{n} = getelementptr i32, ptr %p, i32 {n}\n  store i32 {n}, ptr %q{n}\n" for n in range(10)
    )
    arrays = "@a = global [10 x i32] zeroinitializer\n@b = global [10 x i32] zeroinitializer\n"
    module = parse(f"{arrays}define void @kernel(ptr %p) {{\n{body}  ret void\n}}\n")
    given: dict[str, Any] = {"threads": 2, "arguments": {"p": ["@a", "@b"]}, "environment": "queued"}
    for reduce in (True, False):
        what = f"10 stores in each of 2 threads, {'reduced' if reduce else 'sleep sets only'}"
        line(what, *best(partial(enumerate_with, module, reduce=reduce, **given)))
    counter = parse(COUNTER)
    line(
        "6 threads increment one place",
        *best(lambda: enumerate_with(counter, threads=6, environment="queued")),
    )


if __name__ == "__main__":
    bell()
    rfc()
    unique()
    memory()
