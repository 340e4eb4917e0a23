"""Lane-instructions per second on each machine, beside the interpreter on the same kernel.

What 64 lanes cost in terms of one lane is printed too.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from convergence.parser import parse
from convergence.sched.lockstep.policies import NAMES
from convergence.sched.lockstep.simulate import LANES, simulate
from convergence.semantics.errors import Returned
from convergence.semantics.machine.launch import launch_spec
from convergence.semantics.machine.run import run
from convergence.semantics.machine.start import prepare_run

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
ROUNDS = 300
REPEATS = 3


def best(what: Callable[[], float]) -> float:
    """The shortest of a few runs, in seconds."""
    return min(what() for _ in range(REPEATS))


def main() -> None:
    module = parse(KERNEL)
    instructions = 0

    def launch(lanes: int) -> dict[str, Any]:
        return {"threads": lanes, "arguments": {"x": list(range(7, 7 + lanes)), "n": ROUNDS}}

    def interpreted() -> float:
        began = time.perf_counter()
        done = run(module, **launch(LANES))
        assert isinstance(done.ending, Returned)
        nonlocal instructions
        instructions = done.steps
        return time.perf_counter() - began

    base = best(interpreted)
    print(f"interpreter, {LANES} threads: {instructions / base:,.0f} lane-instructions/s")
    for name in NAMES:
        if name == "predication":
            continue  # 16 lanes at most

        def simulated(lanes: int, name: str = name) -> float:
            program, launched = prepare_run(module, launch_spec(**launch(lanes)))
            began = time.perf_counter()
            found = simulate(program, launched, name)
            assert isinstance(found.ending, Returned)
            nonlocal instructions
            instructions = found.active_lanes
            return time.perf_counter() - began

        one, many = best(lambda: simulated(1)), best(lambda: simulated(LANES))
        rate = instructions / many
        print(
            f"{name:12} {rate:12,.0f} lane-instructions/s, {base / many:5.2f} x the interpreter; "
            f"{LANES} lanes cost {many / one:.1f} x one lane"
        )


if __name__ == "__main__":
    main()
