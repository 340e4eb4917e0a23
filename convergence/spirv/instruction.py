"""One instruction of a module, whether it came from words or from disassembly."""

from __future__ import annotations

from typing import NamedTuple

from .errors import NotSPIRV

Operand = str | int
"""``%5``: an id; ``"text``: a literal string behind a quote; a number; any other word: an enumerant, those of
a mask joined by ``|``. A literal of a type (OpConstant, OpSwitch) is its bits, as a number without a sign."""


class SPIRVInstruction(NamedTuple):
    """``result = op type operands``. ``line`` counts from 1 in the text, or in the listing that a binary is
    shown as; ``offset`` is the byte in a binary, -1 of a text. Parameters of enumerants are operands behind
    them."""

    op: str
    type: str | None
    result: str | None
    operands: tuple[Operand, ...]
    line: int
    offset: int = -1

    def id(self, at: int) -> str:
        """The operand at a place, which is an id or another word.

        :raises NotSPIRV: if it is none
        """
        operand = self._operand(at)
        if not isinstance(operand, str):
            raise NotSPIRV(f"{self.place}: an operand is {operand}, and no id or name", self.line)
        return operand

    def number(self, at: int) -> int:
        """The operand at a place, which is a number.

        :raises NotSPIRV: if it is none
        """
        operand = self._operand(at)
        if not isinstance(operand, int):
            raise NotSPIRV(f"{self.place}: an operand is {operand}, and no number", self.line)
        return operand

    def _operand(self, at: int) -> Operand:
        if at >= len(self.operands):
            raise NotSPIRV(f"{self.place} lacks operands", self.line)
        return self.operands[at]

    def text(self, at: int) -> str:
        """The literal string at a place."""
        return self.id(at)[1:]

    @property
    def place(self) -> str:
        """``OpKill`` or ``OpKill at byte 0x1c4``."""
        return self.op if self.offset < 0 else f"{self.op} at byte {self.offset:#x}"
