"""Which number type the literals of an instruction have: those of OpConstant and OpSwitch say it by ids."""

from __future__ import annotations

from .instruction import SPIRVInstruction


class LiteralTypes:
    """What is known of ids while a module is read from front to back: the number types, and the types of
    what integer operations give, which an OpSwitch may select by."""

    def __init__(self) -> None:
        self.numbers: dict[str, tuple[str, int, bool]] = {}
        self._types: dict[str, str] = {}

    def note(self, instruction: SPIRVInstruction) -> None:
        """Remember an instruction's result."""
        op, type_, result = instruction[:3]
        if result is None:
            return
        if type_ is not None:
            self._types[result] = type_
        elif op == "OpTypeInt":
            self.numbers[result] = ("int", instruction.number(0), bool(instruction.number(1)))
        elif op == "OpTypeFloat":
            self.numbers[result] = ("float", instruction.number(0), True)

    def of(self, type_: str | None) -> tuple[str, int, bool]:
        """Kind, width in bits and sign of a number type; ints of 32 bits where nothing is known."""
        return self.numbers.get(type_ or "", ("int", 32, False))

    def of_value(self, id_: str) -> tuple[str, int, bool]:
        """The number type of a value."""
        return self.of(self._types.get(id_))
