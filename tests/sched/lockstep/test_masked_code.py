"""The code of exec-mask, mask-stack and predication against a model without code (tests/oracles/places.py):
lanes at places of one line, the lowest place runs next. A longer campaign: ``CONVCHECK_CASES=400``.

covers: sched.lockstep.listing, sched.lockstep.policies.mask_stack
"""

from __future__ import annotations

import os

import pytest

from convergence.sched.lockstep.executor import LockstepExecutor
from convergence.sched.lockstep.machine import LockstepMachine
from convergence.sched.lockstep.policies.exec_mask import ExecMask
from convergence.sched.lockstep.policies.mask_stack import MaskStack, Predication
from convergence.sched.lockstep.policy import MachineOptions, Policy, Refused
from tests.launches import prepare
from tests.oracles.programs_generate import random_case
from tests.properties.test_dynamic_run import KINDS, Both
from tests.sched.lockstep.places import Structured

CASES = int(os.environ.get("CONVCHECK_CASES", "5"))
SETUPS: list[tuple[type[Policy], MachineOptions]] = [
    (ExecMask, MachineOptions()),
    (ExecMask, MachineOptions(latches="merged")),
    (ExecMask, MachineOptions(branch_if_none=None)),
    (ExecMask, MachineOptions(branch_if_none=6)),
    (ExecMask, MachineOptions(spill="early")),
    (MaskStack, MachineOptions(latches="merged")),
    (MaskStack, MachineOptions(nested=True)),
    (Predication, MachineOptions(latches="merged")),
    (Predication, MachineOptions(latches="merged", short_circuit=True)),
]


Slot = tuple[int, str, int, int, int]


def steps(case: Both, policy: type[Policy], options: MachineOptions) -> tuple[str, list[Slot]]:
    """How it ended, and every slot that some lane had."""
    program, launch = prepare(case.module, **case.launch())
    executor = LockstepExecutor(LockstepMachine(program, launch), policy, options)
    ending = executor.run(200_000)
    return str(ending), [(s.wave, s.function, s.block, s.at, s.mask) for s in executor.steps if s.mask]


@pytest.mark.parametrize("kind", KINDS)
def test_code_on_masks_runs_what_the_model_runs(kind: str) -> None:
    shape, mode = KINDS[kind]
    compared = 0
    for seed in range(CASES):
        case = Both(random_case(seed, shape), mode, (None, None, 1, 2)[seed % 4])
        for policy, options in SETUPS:
            try:
                expected = steps(case, Structured, options)
            except Refused:
                with pytest.raises(Refused):
                    steps(case, policy, options)
                continue
            assert steps(case, policy, options) == expected, (kind, seed, policy.name, options)
            compared += 1
    assert compared >= CASES or kind == "irreducible"
