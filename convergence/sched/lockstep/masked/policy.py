"""A machine that executes code on masks: the policy of exec-mask, mask-stack and predication."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import cast

from ..naming import Loop, loops_by_latch
from ..policy import Mask, Policy
from .code import Coder, Dialect, Masks, Op
from .structure import Structure


class Masked(Policy):
    """``masks``: exec and the registers; ``at``: the operation that is next."""

    def begin(self, mask: Mask) -> None:
        self.ops = self.code()
        self.masks = Masks(mask, accesses=self.accesses)
        self.at = 0

    def structure(self) -> Structure:
        """The structured CFG; it is made once for a function. Raises Refused."""
        entry = self.facts.derived.get("structure")
        if entry is None:
            entry = self.facts.derived["structure"] = Structure(self.facts, self.loops())
        return cast(Structure, entry)

    def code(self) -> Sequence[Op]:
        """The function's code, made once."""
        entry = self.facts.derived.get("code")
        if entry is None:
            structure = self.structure()
            dialect = self.facts.derived["dialect"] = self.dialect(structure)
            entry = self.facts.derived["code"] = Coder(structure, dialect).code()
            self.facts.derived["labels"] = {op.label: n for n, op in enumerate(entry) if op.label is not None}
        return cast(Sequence[Op], entry)

    def loops(self) -> tuple[Loop, ...]:
        """The loops, outer ones before inner ones."""
        return loops_by_latch(self.facts)

    @abstractmethod
    def dialect(self, structure: Structure) -> Dialect:
        """How the machine says what the structured CFG asks for."""

    def pick(self) -> tuple[int, Mask] | None:
        while self.at < len(self.ops):
            op = self.ops[self.at]
            if op.block is not None:
                self.issues(op.block)
                return op.block, self.masks.exec
            self._execute(op)
        return None

    def issues(self, block: int) -> None:
        """What a block needs beside its own instructions."""

    def _execute(self, op: Op) -> None:
        here, masks = self.at, self.masks
        self.at += 1
        if op.do is not None:
            op.do(masks)
        if op.jump is not None and op.jumps is not None and op.jumps(masks):
            self.at = self.facts.derived["labels"][op.jump]
        if op.text:
            self.did(op.name)
            self.issued.executed(self.facts.function.name, here, masks.exec)

    def after(self, block: int, targets: Mapping[int, Mask], gone: Mask) -> None:
        self.masks.exec &= ~gone
        self.masks.targets = targets
        self.at += 1

    def state(self) -> Hashable:
        masks = self.masks
        return self.at, masks.exec, masks.vcc, tuple(sorted(masks.saved.items()))
