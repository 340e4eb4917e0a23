"""The log of a run: a step for every IR instruction that was issued for a mask.

No phi and no control intrinsic is one: a phi is a part of the branch that leads to it, and control
intrinsics are no machine's operations.
"""

from __future__ import annotations

from ...ir.calls import control
from ...ir.instructions import Phi
from ...ir.module import Module
from ...semantics.threads.state import Code, Segment
from .policy import Mask
from .waves import Activation, Step, WarpSplit


class Log:
    """``steps`` in order of time; ``executed`` counts instructions over all lanes."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.executed = 0
        self._silent: dict[str, frozenset[int]] = {}

    def silent(self, code: Code) -> frozenset[int]:
        """The indices of a function's control intrinsics."""
        known = self._silent.get(code.name)
        if known is None:
            known = self._silent[code.name] = frozenset(
                i for i, instruction in enumerate(code.instructions) if control(instruction) is not None
            )
        return known

    def issue(self, split: WarpSplit, index: int, count: int, mask: Mask | None = None) -> None:
        """The instruction at ``index`` is issued for ``count`` lanes: a split's, or those of ``mask``."""
        activation: Activation = split.activation
        wave = activation.wave
        name = activation.code.name
        mask = split.mask if mask is None else mask
        self.steps.append(Step(wave.issues, wave.number, name, split.block, index, mask))
        wave.issues += 1
        self.executed += count

    def for_nobody(self, split: WarpSplit) -> None:
        """A block is issued with an empty mask: slots, and nothing else happens."""
        segment: Segment | None = split.segment
        silent = self.silent(split.activation.code)
        while segment is not None:
            for index in segment.indices:
                if index not in silent:
                    self.issue(split, index, 0)
            if segment.cost:
                self.issue(split, segment.last, 0)
            segment = segment.after


def code_size(module: Module) -> int:
    """The instructions of a module that take a slot when they are issued."""
    return sum(
        not isinstance(instruction, Phi) and control(instruction) is None
        for function in module.definitions()
        for instruction in function.instructions
    )
