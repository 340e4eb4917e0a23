"""Where predication needs a mask on a write (*Branch Divergence*, ``assignLocalVariable``).

A mask "only need be applied when a value is written back to a local variable": in SSA, where a value goes
into a phi, or is stored to an alloca. With an empty mask stack there is no blend. A blend is folded into the
operation that makes the value where it is that operation's only use; else it is a ``move_mask``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....ir.instructions import Alloca, Binary, Conversion, FNeg, Instruction, Phi, Select, Store
from ....ir.operands import Local, Operand, Simple
from .structure import CodePlace, RegionKind, Structure
from .words import uses

ARITHMETIC = (Binary, FNeg, Conversion, Select)


class Blends:
    """``masked``: the variables that operations write with a mask, by the names of their values. ``apart``:
    by block, the blends that need an operation of their own: (variable, value).

    On any machine: ``into``: the phis that operations can write at once, by the names of their values;
    ``copied``: by block what must be copied into phis.
    """

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.function = structure.facts.function
        self.used = uses(self.function)
        self.home: dict[str, int] = {}
        self.blends: dict[str, Instruction] = {}
        for number, block in enumerate(self.function.blocks):
            for instruction in block.instructions:
                if instruction.result is not None:
                    self.home[instruction.result] = number
                    self.blends[instruction.result] = instruction
        self.into: dict[str, str] = {}
        self.copied: dict[int, list[tuple[str, Operand]]] = {}
        self.masked: dict[str, str] = {}
        self.apart: dict[int, list[tuple[str, Operand]]] = {}
        for at, variable, value in self._assignments():
            if isinstance(self.blends.get(variable), Phi):
                if self._folds(at, value):
                    self.into[_name(value)] = variable
                elif not isinstance(value, Simple) and _name(value) != variable:
                    self.copied.setdefault(at, []).append((variable, value))
            if not self.stack(at) or isinstance(value, Simple):
                continue
            if self._folds(at, value):
                self.masked[_name(value)] = variable
            elif _name(value) != variable:
                self.apart.setdefault(at, []).append((variable, value))

    def operations(self, block: int) -> Sequence[str]:
        """The machine operations that the blends of a block need."""
        return ["move_mask"] * len(self.apart.get(block, ()))

    def stack(self, block: int) -> bool:
        """Whether the mask stack is not empty in the block: it is inside a region, or a loop."""
        structure = self.structure
        here = structure.index.get(CodePlace(RegionKind.BLOCK, block))
        if here is None:
            return False
        return structure.around(CodePlace(RegionKind.BLOCK, block)) is not None or any(
            block in loop.body for loop in structure.loops
        )

    def _assignments(self) -> Iterator[tuple[int, str, Operand]]:
        """(block, local variable, value)."""
        number = self.structure.facts.cfg.index
        for at, block in enumerate(self.function.blocks):
            for instruction in block.instructions:
                match instruction:
                    case Phi(_, incoming) if instruction.result is not None:
                        for value, source in incoming:
                            yield number[source], instruction.result, value
                    case Store(value, Local(_, name)) if isinstance(self.blends.get(name), Alloca):
                        yield at, name, value

    def _folds(self, block: int, value: Operand) -> bool:
        """Whether the operation that makes the value can write the variable itself."""
        if not isinstance(value, Local) or self.used[value.name] != 1:
            return False
        return isinstance(self.blends.get(value.name), ARITHMETIC) and self.home[value.name] == block


def _name(value: Operand) -> str:
    return value.name if isinstance(value, Local) else ""
