"""What is called endless goes on for ever, on generated programs: without the proof the same run hits its
bound.

The programs have small state: counters modulo a few, flags in memory, exchanges under hearts, calls. So
many of them come back to a state, others end, and some do so late.

covers: semantics.machine.recurrence, semantics.threads.recurrence
"""

from __future__ import annotations

import os
from collections import Counter
from random import Random

from convergence.parser import parse
from convergence.semantics import Endless, OutOfBound, Returned
from convergence.semantics.machine.launch import launch_spec
from convergence.semantics.machine.run import Run, execute

CASES = int(os.environ.get("CONVCHECK_CASES", "60"))
FIRST = int(os.environ.get("CONVCHECK_SEED", "0"))
STEPS = 30_000

DECLARATIONS = """
@flag = global i32 0
@count = global i32 0
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare i32 @subgroupAdd(i32) convergent
declare i32 @unknown(i32)
declare void @seen(i32)
define i32 @helper(i32 %v) convergent {
  %t = call token @llvm.experimental.convergence.entry()
  %slot = alloca i32
  store i32 %v, ptr %slot
  %kept = load i32, ptr %slot
  %sum = call i32 @subgroupAdd(i32 %kept) [ "convergencectrl"(token %t) ]
  ret i32 %sum
}
"""


def program(random: Random) -> str:
    """A loop, perhaps with a loop in it, whose exits depend on small state."""
    modulus = random.choice([2, 3, 5, 16, 700])
    lines = [
        "define i32 @f(i32 %x, i32 %y) convergent {",
        "entry:",
        "  %t = call token @llvm.experimental.convergence.entry()",
        "  br label %head",
        "head:",
        "  %i = phi i32 [ %x, %entry ], [ %next, %latch ]",
        "  %dead = phi i32 [ 0, %entry ], [ %more, %latch ]",
    ]
    if random.random() < 0.7:
        lines.append(
            '  %l = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]'
        )
    lines.append("  %more = add i32 %dead, 1")
    bundle = "%l" if len(lines) > 8 else None
    value = "%i"
    for number in range(random.randrange(4)):
        name = f"%v{number}"
        match random.randrange(8):
            case 0 if bundle:
                lines.append(
                    f'  {name} = call i32 @subgroupAdd(i32 {value}) [ "convergencectrl"(token {bundle}) ]'
                )
            case 1 if bundle:
                lines.append(
                    f'  {name} = call i32 @helper(i32 {value}) [ "convergencectrl"(token {bundle}) ]'
                )
            case 2:
                lines.append(f"  {name} = load atomic i32, ptr @flag monotonic, align 4")
            case 3:
                lines.append(f"  store i32 {value}, ptr @count")
                lines.append(f"  {name} = load i32, ptr @count")
            case 4:
                lines.append("  call void @seen(i32 1)")
                lines.append(f"  {name} = add i32 {value}, %y")
            case 5:
                lines.append(f"  {name} = call i32 @unknown(i32 {value})")
            case 6:
                lines.append(f"  {name} = atomicrmw xchg ptr @flag, i32 {random.randrange(2)} monotonic")
            case _:
                lines.append(f"  {name} = add i32 {value}, {random.randrange(3)}")
        value = name
    inner = random.random() < 0.4
    if inner:
        heart = (
            ['  %m = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %l) ]']
            if bundle
            else []
        )
        exchange = (
            ['  %s = call i32 @subgroupAdd(i32 %j) [ "convergencectrl"(token %m) ]']
            if bundle and random.random() < 0.6
            else ["  %s = add i32 %j, 0"]
        )
        lines += [
            "  br label %inner",
            "inner:",
            "  %j = phi i32 [ 0, %head ], [ %k, %inner ]",
            *heart,
            *exchange,
            "  %k = add i32 %j, 1",
            f"  %again = icmp {random.choice(['ult', 'ne'])} i32 %k, {random.choice(['3', '%y', '%x'])}",
            "  br i1 %again, label %inner, label %latch",
            "latch:",
        ]
    else:
        lines += ["  br label %latch", "latch:"]
    limit = random.choice(["0", "1", "%y", "4", "600", "1000"])
    lines += [
        f"  %sum = add i32 {value}, {random.randrange(1, 3)}",
        f"  %next = urem i32 %sum, {modulus}",
        f"  %done = icmp eq i32 {random.choice(['%next', value, '%sum'])}, {limit}",
        "  br i1 %done, label %out, label %head",
        "out:",
        f"  store i32 {random.randrange(2)}, ptr @flag",
        "  ret i32 %next",
        "}",
    ]
    return DECLARATIONS + "\n".join(lines)


def both(seed: int) -> tuple[Run, Run]:
    random = Random(f"endless {seed}")
    text = program(random)
    threads = random.randrange(1, 4)
    spec = launch_spec(
        function="f",
        threads=threads,
        arguments={name: [random.randrange(4) for _ in range(threads)] for name in "xy"},
        verified=True,
        max_steps=STEPS,
    )
    module = parse(text)
    return execute(module, spec), execute(module, spec, recurrence=False)


def test_what_is_called_endless_hits_the_bound_without_the_proof() -> None:
    seen: Counter[str] = Counter()
    for seed in range(FIRST, FIRST + CASES):
        proved, plain = both(seed)
        seen[type(proved.ending).__name__] += 1
        if isinstance(proved.ending, Endless):
            assert isinstance(plain.ending, OutOfBound), f"seed {seed}: {plain.ending}"
        else:
            assert type(proved.ending) is type(plain.ending), f"seed {seed}"
        if isinstance(proved.ending, Returned):
            assert (proved.outcome, proved.execution) == (plain.outcome, plain.execution), f"seed {seed}"
    assert seen["Endless"] > CASES // 10 and seen["Returned"] > CASES // 10, seen
