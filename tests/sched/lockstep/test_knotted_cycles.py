"""Every machine computes what the interpreter does, on programs with knotted cycles (oracles/cyclic.py).

The programs have no races, and no choices but where lanes meet: with the interpreter's groups a machine must
give its outcome, and without convergent operations always. ``CONVCHECK_CASES`` and ``CONVCHECK_SEED`` as for
the comparison of runs.

covers: sched.lockstep.masked_code, sched.lockstep.waits
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import pytest

from convergence.parser import parse
from convergence.sched.lockstep.executor import LockstepExecutor
from convergence.sched.lockstep.machine import LockstepMachine
from convergence.sched.lockstep.policies import NAMES, VARIANTS
from convergence.sched.lockstep.policies.exec_mask import ExecMask
from convergence.sched.lockstep.policies.mask_stack import MaskStack, Predication
from convergence.sched.lockstep.policy import MachineOptions, Policy
from convergence.semantics import Returned
from convergence.semantics.machine.run import Group, run
from tests.launches import prepare
from tests.oracles.cyclic import CyclicCase, Knots, cyclic_case
from tests.sched.lockstep.places import Structured
from tests.sched.lockstep.programs import on

CASES = int(os.environ.get("CONVCHECK_CASES", "0")) // 4
FIRST = int(os.environ.get("CONVCHECK_SEED", "0"))
KINDS = {
    "plain": Knots(blocks=11),
    "irreducible": Knots(reducible=False),
    "operations": Knots(operations=True),
    "helper": Knots(operations=True, helper=True),
}
SETUPS: list[tuple[str, MachineOptions]] = [
    # exec-amdgcn is for what LLVM has lowered
    *((name, MachineOptions()) for name in NAMES + VARIANTS if name != "exec-amdgcn"),
    ("exec-mask", MachineOptions(latches="merged")),
    ("exec-mask", MachineOptions(branch_if_none=None)),
    ("exec-mask", MachineOptions(branch_if_none=8)),
    ("mask-stack", MachineOptions(nested=True)),
    ("predication", MachineOptions(short_circuit=True)),
    ("block-ip", MachineOptions(block_order="contiguous")),
    ("barrier", MachineOptions(yields=True)),
]
FORGOTTEN = {"plain": (17, 155)}
"""Seeds of programs in which a jump over an arm came out inside a loop of that arm."""


def launch(case: CyclicCase) -> dict[str, Any]:
    return {"function": "main", "threads": case.threads, "arguments": case.arguments}


def seeds(kind: str, count: int) -> Sequence[int]:
    return [*range(FIRST, FIRST + (CASES or count)), *FORGOTTEN.get(kind, ())]


def together(groups: Sequence[Group]) -> frozenset[object]:
    """Who communicates with whom; a call that only enters a function is no communication."""
    return frozenset(frozenset(g.members) for g in groups if g.callee == "@subgroupAdd")


@pytest.mark.parametrize("kind", KINDS)
def test_machines_compute_what_the_interpreter_computes(kind: str) -> None:
    compared = dict.fromkeys((name for name, _ in SETUPS), 0)
    for seed in seeds(kind, 4):
        case = cyclic_case(seed, KINDS[kind])
        module = parse(case.text)
        done = run(module, **launch(case))
        assert isinstance(done.ending, Returned), case
        for name, options in SETUPS:
            found = on(name, module, options, **launch(case))
            if found.refused is not None:
                assert kind == "irreducible", (name, case)
                continue
            assert isinstance(found.ending, Returned), (name, found.ending, found.waits, case)
            if together(found.groups) == together(done.groups):
                assert found.outcome == done.outcome, (name, options, case)
                compared[name] += 1
            else:
                assert KINDS[kind].operations, (name, case)
    assert compared["heart"] == len(seeds(kind, 4))
    assert compared["exec-mask"]  # of the irreducible kind, some are reducible


MASKED: list[tuple[type[Policy], MachineOptions]] = [
    (ExecMask, MachineOptions()),
    (ExecMask, MachineOptions(latches="merged")),
    (ExecMask, MachineOptions(branch_if_none=6)),
    (MaskStack, MachineOptions(latches="merged")),
    (Predication, MachineOptions(latches="merged", short_circuit=True)),
]


@pytest.mark.parametrize("kind", ["plain", "helper"])
def test_code_on_masks_runs_what_the_model_runs(kind: str) -> None:
    """The same slots for the same lanes as a model without code."""

    def slots(case: CyclicCase, policy: type[Policy], options: MachineOptions) -> tuple[str, list[object]]:
        program, launched = prepare(parse(case.text), **launch(case))
        executor = LockstepExecutor(LockstepMachine(program, launched), policy, options)
        ending = executor.run()
        return str(ending), [(s.wave, s.function, s.block, s.at, s.mask) for s in executor.steps if s.mask]

    for seed in seeds(kind, 4):
        case = cyclic_case(seed, KINDS[kind])
        for policy, options in MASKED:
            expected = slots(case, Structured, options)
            assert slots(case, policy, options) == expected, (policy.name, options, case)


CHAIN = """
head:
  %i = phi i32 [ 0, %choose ], [ %j, %head ], [ %k, %second ], [ %l, %third ]
  %j = add i32 %i, 1
  %c1 = icmp ult i32 %j, 2
  br i1 %c1, label %head, label %second
second:
  %k = add i32 %j, 1
  %c2 = icmp ult i32 %k, 4
  br i1 %c2, label %head, label %third
third:
  %l = add i32 %k, 1
  %c3 = icmp ult i32 %l, 6
  br i1 %c3, label %head, label %join
"""
BEHIND_A_BRANCH = f"""
define i32 @k(i32 %n) {{
choose:
  %around = icmp uge i32 %n, 2
  br i1 %around, label %join, label %head
{CHAIN}
join:
  %r = phi i32 [ 0, %choose ], [ %l, %third ]
  ret i32 %r
}}
"""
IN_A_LOOP = f"""
define i32 @k(i32 %n) {{
pre:
  br label %choose
choose:
  %t = phi i32 [ 0, %pre ], [ %t1, %join ]
  %m = add i32 %t, %n
  %around = icmp uge i32 %m, 2
  br i1 %around, label %join, label %head
{CHAIN}
join:
  %r = phi i32 [ 0, %choose ], [ %l, %third ]
  %t1 = add i32 %t, 1
  %again = icmp ult i32 %t1, 3
  br i1 %again, label %choose, label %out
out:
  ret i32 %r
}}
"""


@pytest.mark.parametrize(
    ("text", "lanes", "results"),
    [
        # the chain, which ends with 6, is run by who has less than 2, in a loop in the last round
        (IN_A_LOOP, [0, 1, 2, 3], [0, 0, 0, 0]),
        (BEHIND_A_BRANCH, [0, 1, 2, 3], [6, 6, 0, 0]),
        (BEHIND_A_BRANCH, [2, 3, 4, 5], [0, 0, 0, 0]),
    ],
)
@pytest.mark.parametrize("name", NAMES)
def test_an_arm_that_is_a_chain_of_loops_is_jumped_over_as_a_whole(
    name: str, text: str, lanes: Sequence[int], results: Sequence[int]
) -> None:
    """Three latches of one header: three loops in each other, of which the inner ones end in the arm."""
    found = on(name, parse(text), threads=len(lanes), arguments={"n": lanes})
    assert isinstance(found.ending, Returned)
    assert found.outcome is not None
    assert [t.value for t in found.outcome.threads] == results
