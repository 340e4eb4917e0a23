"""Lane-instructions per second on each machine, by the reference and natively, beside the interpreter by
the reference on the same kernel; natively on a loop of one long block; and on a loop with a heart, an
exchange and, where there are several waves, a barrier of the workgroup.

What 64 lanes cost in terms of one lane is printed too. Seconds are those of the processor; the code is
compiled before, that for vectors as well.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from convergence.ir.module import Module
from convergence.parser import parse
from convergence.sched.lockstep.policies import NAMES
from convergence.sched.lockstep.simulate import LANES, simulate_machine
from convergence.semantics import Returned
from convergence.semantics.machine.launch import Limits, launch_spec
from convergence.semantics.machine.program import EngineKind
from convergence.semantics.machine.run import prepare_run, run

KERNEL = """
define i32 @f(i32 %x, i32 %n) {
A:
  br label %H
H:
  %i = phi i32 [ 0, %A ], [ %i.next, %L ]
  %s = phi i32 [ %x, %A ], [ %s.next, %L ]
  %odd = and i32 %s, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %T, label %F
T:
  %half = lshr i32 %s, 1
  br label %L
F:
  %three = mul i32 %s, 3
  %one = add i32 %three, 1
  br label %L
L:
  %s.next = phi i32 [ %half, %T ], [ %one, %F ]
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %H, label %E
E:
  ret i32 %s.next
}
"""
LONG_BLOCK = """
define i32 @f(i32 %x, i32 %n) {
A:
  br label %H
H:
  %i = phi i32 [ 0, %A ], [ %i.next, %H ]
  %s = phi i32 [ %x, %A ], [ %s.40, %H ]
  %s.0 = add i32 %s, %i
LINES
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %H, label %E
E:
  ret i32 %s.40
}
""".replace(
    "LINES",
    "\n".join(
        f"  %s.{k + 1} = {('mul', 'xor', 'add', 'sub')[k % 4]} i32 %s.{k}, {2 * k + 1}" for k in range(40)
    ),
)
HEART = """
declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
define i32 @f(i32 %x, i32 %n) convergent {
A:
  %T = call token @llvm.experimental.convergence.entry()
  br label %H
H:
  %i = phi i32 [ 0, %A ], [ %i.next, %H ]
  %s = phi i32 [ %x, %A ], [ %s.next, %H ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %T) ]
  %r = call i32 @subgroupAdd(i32 %s) [ "convergencectrl"(token %h) ]
  %m = mul i32 %r, 3
  %s.next = xor i32 %m, %i
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %H, label %E
E:
  ret i32 %s.next
}
"""
BARRIERS = HEART.replace(
    "  %i.next",
    '  call void @llvm.nvvm.barrier.cta.sync.all(i32 0) [ "convergencectrl"(token %h) ]\n  %i.next',
    1,
).replace("declare i32", "declare void @llvm.nvvm.barrier.cta.sync.all(i32) convergent\ndeclare i32", 1)
ROUNDS = 300
"""Times round the loop by the reference; natively there are more."""
MORE = 50
REPEATS = 3
LIMITS = Limits(max_steps=100_000_000)
"""Instructions of a run at most, over all lanes."""


def best(what: Callable[[], tuple[float, int]]) -> tuple[float, int]:
    """The shortest of a few runs: its seconds, and what it executed."""
    return min(what() for _ in range(REPEATS))


ENGINES: tuple[EngineKind, ...] = ("reference", "native")
WAVES = 4
"""Waves of the launch of several."""


def launch(lanes: int, rounds: int) -> dict[str, Any]:
    arguments = {"x": list(range(7, 7 + lanes)), "n": rounds}
    return {"threads": lanes, "subgroup_size": min(lanes, LANES), "arguments": arguments}


def interpreted(module: Module) -> tuple[float, int]:
    """Seconds of the interpreter, and instructions."""
    began = time.process_time()
    done = run(module, engine="reference", **launch(LANES, ROUNDS))
    assert isinstance(done.ending, Returned)
    return time.process_time() - began, done.steps


def simulated(module: Module, name: str, lanes: int, engine: EngineKind) -> tuple[float, int]:
    """Seconds of a machine, and what its lanes executed."""
    rounds = ROUNDS * MORE if engine == "native" else ROUNDS
    program, prepared = prepare_run(module, replace(launch_spec(**launch(lanes, rounds)), engine=engine))
    if engine == "native":
        simulate_machine(program, prepared, name, None, LIMITS)
    began = time.process_time()
    answer = simulate_machine(program, prepared, name, None, LIMITS)
    assert isinstance(answer.ending, Returned)
    return time.process_time() - began, answer.active_lanes


def rates(module: Module, name: str, engine: EngineKind) -> tuple[float, float]:
    """Lane-instructions a second with all lanes, and what they cost in terms of one lane's seconds."""
    one, _ = best(lambda: simulated(module, name, 1, engine))
    many, executed = best(lambda: simulated(module, name, LANES, engine))
    return executed / many, many / one


def main() -> None:
    module = parse(KERNEL)
    seconds, steps = best(lambda: interpreted(module))
    print(f"interpreter, {LANES} threads: {steps / seconds:,.0f} lane-instructions/s")
    rows: list[tuple[str, Module, str, EngineKind]] = [
        (name, module, name, engine)
        for name in NAMES
        if name != "predication"  # 16 lanes at most
        for engine in ENGINES
    ]
    rows.append(("ipdom, a block of 44", parse(LONG_BLOCK), "ipdom", "native"))
    rows += [
        (f"{name}, exchanges", parse(HEART), name, engine)
        for name in ("heart", "ipdom")
        for engine in ENGINES
    ]
    for title, of, name, engine in rows:
        rate, ratio = rates(of, name, engine)
        print(
            f"{title:20} {engine:9} {rate:12,.0f} lane-instructions/s; "
            f"{LANES} lanes cost {ratio:.1f} x one lane"
        )
    several: list[tuple[str, Module, str, EngineKind]] = [("ipdom", module, "ipdom", "native")]
    several += [("heart, barriers", parse(BARRIERS), "heart", engine) for engine in ENGINES]
    for title, of, name, engine in several:
        spent, executed = best(lambda: simulated(of, name, WAVES * LANES, engine))  # noqa: B023
        print(f"{f'{title}, {WAVES} waves':24} {engine:9} {executed / spent:12,.0f} lane-instructions/s")


if __name__ == "__main__":
    main()
