"""Faults as passes have them are seen, and transforms that are right are not called wrong.

covers: refine.verdict.compare, refine.inputs.edges
"""

from __future__ import annotations

from typing import Any

import pytest

from convergence import parse, refine

from .planted import Planted, planted

LAUNCH: dict[str, Any] = {"max_launches": 40, "max_executions": 400}


@pytest.mark.parametrize("case", [*planted()], ids=lambda case: case.name)
def test_a_fault_is_seen_and_what_is_right_is_not_called_one(case: Planted) -> None:
    launch = {**LAUNCH, **case.launch}
    same, fault = (parse(case.text(target)) for target in (case.same, case.fault))
    assert refine(same, same, **launch).verdict in ("equal", "refines")
    assert refine(fault, fault, minimise=False, **launch).verdict == "wrong"
