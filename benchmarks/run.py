"""How fast runs are: ``python benchmarks/run.py``. Processor time; each figure is the best of three.

The aim is over 300,000 dynamic instructions a second on one core, kernels of 1,024 threads in
seconds, and 4,140 alignments of 8 threads at one anchor in under 3 seconds.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from convergence.parser import parse
from convergence.semantics import Ending, Returned
from convergence.semantics.machine import Chooser, executions
from convergence.semantics.machine.launch import LaunchSpec
from convergence.semantics.machine.machine import Machine
from convergence.semantics.machine.run import Run, prepare_run, run

CONTROL = """
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
"""

ARITHMETIC = """
define i32 @kernel(i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %s = phi i32 [ 0, %entry ], [ %s.next, %body ]
  %c = icmp ult i32 %i, %n
  br i1 %c, label %body, label %exit
body:
  %a = mul i32 %i, 3
  %b = xor i32 %a, %s
  %d = add i32 %b, 7
  %e = shl i32 %d, 1
  %s.next = lshr i32 %e, 1
  %next = add nuw i32 %i, 1
  br label %head
exit:
  ret i32 %s
}
"""

MEMORY = """
@data = global [256 x i32] zeroinitializer
define i32 @kernel(i32 %n) {
entry:
  %sum = alloca i32
  store i32 0, ptr %sum
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %c = icmp ult i32 %i, %n
  br i1 %c, label %body, label %exit
body:
  %k = and i32 %i, 255
  %p = getelementptr [256 x i32], ptr @data, i32 0, i32 %k
  %v = load i32, ptr %p
  %w = add i32 %v, %i
  store i32 %w, ptr %p
  %s = load i32, ptr %sum
  %t = add i32 %s, %w
  store i32 %t, ptr %sum
  %next = add nuw i32 %i, 1
  br label %head
exit:
  %r = load i32, ptr %sum
  ret i32 %r
}
"""

EXCHANGING = (
    """
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
    + CONTROL
)

ANCHOR = (
    """
define i32 @kernel(i32 %x) {
  %t = call token @llvm.experimental.convergence.anchor()
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  ret i32 %s
}
"""
    + CONTROL
)


def best(action: Callable[[], Run]) -> tuple[Run, float]:
    """A run, and the least processor time that it took in three tries."""
    times = []
    for _ in range(3):
        start = time.process_time()
        result = action()
        times.append(time.process_time() - start)
    assert result.ending == Returned(), result.ending
    return result, min(times)


def instructions(title: str, text: str, threads: int, n: int) -> None:
    module = parse(text)
    result, seconds = best(lambda: run(module, threads=threads, arguments={"n": n}, max_steps=10**9))
    rate = result.steps / seconds
    print(f"{title:<44} {threads:>5} threads {result.steps:>9,} instructions {rate:>12,.0f} a second")


def kernels() -> None:
    """1,024 threads, in one launch group and in sixteen; all together, and each with its own count."""
    module = parse(EXCHANGING)
    for size in (1024, 64):
        for title, n in (("together", 20), ("each its own count", [1 + t % 64 for t in range(1024)])):
            result, seconds = best(partial(run, module, threads=1024, subgroup_size=size, arguments={"n": n}))
            groups = sum(g.operation == "%s" for g in result.groups)
            print(
                f"1,024 threads, subgroups of {size:>4}, {title:<19} {groups:>5} exchanges {seconds:>8.2f} s"
            )


def bell() -> None:
    """All alignments of 8 threads that meet one anchor."""
    program, launch = prepare_run(parse(ANCHOR), LaunchSpec(threads=8, arguments={"x": 1}, verified=True))

    def once(chooser: Chooser) -> Ending:
        return Machine(program, launch, chooser).run()

    start = time.process_time()
    count = sum(1 for _ in executions(once))
    print(f"{count:,} alignments of 8 threads at one anchor {time.process_time() - start:>29.2f} s")


def ratio() -> None:
    """A 64-thread program with one legal alignment beside the 2-thread run of it."""
    module = parse(EXCHANGING)
    times = []
    for threads in (2, 64):
        _, seconds = best(partial(run, module, threads=threads, arguments={"n": 200}))
        times.append(seconds)
    print(f"64 threads cost {times[1] / times[0]:.1f} times what 2 threads cost (one legal alignment)")


if __name__ == "__main__":
    for title, text in (("arithmetic in a loop", ARITHMETIC), ("loads and stores in a loop", MEMORY)):
        instructions(title, text, 1, 30_000)
        instructions(title, text, 64, 500)
    instructions("an exchange in each iteration", EXCHANGING, 64, 100)
    kernels()
    bell()
    ratio()
