"""Asking z3, which takes SIGINT from Python for as long as it thinks, and says so in its answer alone."""

from __future__ import annotations

import signal
from typing import Any

import z3


def check(solver: z3.Solver, *assumptions: Any) -> z3.CheckSatResult:
    """``solver.check``. An interrupt is handed back to Python.

    :raises KeyboardInterrupt: if the answer was cut short by one
    """
    answer = solver.check(*assumptions)
    if answer == z3.unknown and solver.reason_unknown() == "interrupted from keyboard":
        signal.raise_signal(signal.SIGINT)
        raise KeyboardInterrupt
    return answer
