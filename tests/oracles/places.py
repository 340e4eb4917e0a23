"""What the machines whose code works on masks do, without code: lanes wait at places of one line.

How lanes move along the line is the package's own (``policies/structured.py``, on which gen-structured
stands); the line is made here, as their code has it. Independent of those machines is all that makes and
executes code: the structuring, the masks and their registers (``lockstep/masked``).
"""

from __future__ import annotations

from collections.abc import Collection

from convergence.ir.cfg import depth_first
from convergence.sched.lockstep.policies import structured
from convergence.sched.lockstep.policies.orders import contiguous


class Structured(structured.Structured):
    """The line in which ties are as in a walk that takes the last successor first, reversed."""

    def order(self, together: Collection[frozenset[int]]) -> tuple[int, ...]:
        ties = tuple(reversed(depth_first(self.facts.cfg.successors, backwards=True)[1]))
        return contiguous(self.facts, together, ties)
