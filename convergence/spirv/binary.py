"""Words to instructions (SPIR-V, *Physical Layout of a SPIR-V Module and Instruction*)."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from .errors import NotCovered, NotSPIRV
from .grammar import Enumerants, Grammar, Opcode, OperandKind, grammar
from .instruction import Operand, SPIRVInstruction
from .literals import LiteralTypes

MAGIC = 0x07230203
_HEADER = 5


def is_binary(data: bytes) -> bool:
    """Whether bytes begin with SPIR-V's magic number, in either order of bytes."""
    return data[:4] in (MAGIC.to_bytes(4, "little"), MAGIC.to_bytes(4, "big"))


def words_of(data: bytes) -> tuple[int, ...]:
    """The words of a module.

    :raises NotSPIRV: where the magic number is missing, or bytes are left over
    """
    if not is_binary(data):
        raise NotSPIRV("not a SPIR-V binary: its magic number is missing")
    if len(data) % 4:
        raise NotSPIRV(f"not a SPIR-V binary: {len(data)} bytes are no whole number of words")
    order = "<" if data[0] == MAGIC & 0xFF else ">"
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    if len(words) < _HEADER:
        raise NotSPIRV("not a SPIR-V binary: the header is cut off")
    return words


def version_of(words: tuple[int, ...]) -> tuple[int, int]:
    """The version that the header names."""
    return words[1] >> 16 & 0xFF, words[1] >> 8 & 0xFF


def decode(data: bytes) -> Iterator[SPIRVInstruction]:
    """The instructions of a binary. Lines are those of its :func:`~convergence.spirv.listing.listing`.

    :raises NotSPIRV: if words are cut off or operands are missing
    :raises NotCovered: for an opcode that the grammar does not have
    """
    words = words_of(data)
    table, types, sets = grammar(), LiteralTypes(), dict[str, str]()
    at, line = _HEADER, _HEADER
    while at < len(words):
        count, number = words[at] >> 16, words[at] & 0xFFFF
        opcode = table.by_number.get(number)
        name = f"opcode {number}" if opcode is None else opcode.name
        if count == 0 or at + count > len(words):
            raise NotSPIRV(
                f"byte {at * 4:#x}: {name} has {count} words, and the module {len(words) - at} more"
            )
        if opcode is None:
            raise NotCovered(f"{name} at byte {at * 4:#x}")
        line += 1
        reader = _Reader(words, at + 1, at + count, table, types, sets)
        try:
            instruction = reader.instruction(opcode, line, at * 4)
        except _Short as error:
            raise NotSPIRV(f"byte {at * 4:#x}: {opcode.name} {error}") from None
        types.note(instruction)
        if opcode.name == "OpExtInstImport" and instruction.result is not None:
            sets[instruction.result] = instruction.text(0)
        yield instruction
        at += count


class _Short(Exception):
    """Operands are missing, or there are too many."""


class _Reader:
    """The operands of one instruction, from ``at`` to ``end``."""

    def __init__(
        self,
        words: tuple[int, ...],
        at: int,
        end: int,
        table: Grammar,
        types: LiteralTypes,
        sets: dict[str, str],
    ) -> None:
        self.words, self.at, self.end, self.table, self.types, self.sets = words, at, end, table, types, sets

    def word(self) -> int:
        if self.at >= self.end:
            raise _Short("lacks an operand")
        self.at += 1
        return self.words[self.at - 1]

    def instruction(self, opcode: Opcode, line: int, offset: int) -> SPIRVInstruction:
        type_ = f"%{self.word()}" if opcode.typed else None
        result = f"%{self.word()}" if opcode.gives else None
        operands: list[Operand] = []
        self.operands(opcode, opcode.operands, operands, type_)
        if self.at != self.end:
            raise _Short("has more operands than it takes")
        return SPIRVInstruction(opcode.name, type_, result, tuple(operands), line, offset)

    def operands(
        self, opcode: Opcode, kinds: tuple[OperandKind, ...], operands: list[Operand], type_: str | None
    ) -> None:
        for name, times in kinds:
            if times == "*":
                while self.at < self.end:
                    self.operand(opcode, name, operands, type_)
            elif not times or self.at < self.end:
                self.operand(opcode, name, operands, type_)

    def operand(self, opcode: Opcode, kind: str, operands: list[Operand], type_: str | None) -> None:
        match kind:
            case "IdRef" | "IdScope" | "IdMemorySemantics":
                operands.append(f"%{self.word()}")
            case "LiteralInteger" | "LiteralFloat":
                operands.append(self.word())
            case "LiteralString":
                operands.append(self.string())
            case "LiteralContextDependentNumber":
                operands.append(self.number(self.types.of(type_)[1]))
            case "LiteralExtInstInteger":
                number = self.word()
                names = self.table.sets.get(self.sets.get(str(operands[0]), ""))
                operands.append(number if names is None else names.names.get(number, number))
            case "LiteralSpecConstantOpInteger":
                number = self.word()
                inner = self.table.by_number.get(number)
                if inner is None:
                    raise NotCovered(f"opcode {number} in OpSpecConstantOp")
                operands.append(inner.name.removeprefix("Op"))
                self.operands(inner, inner.operands, operands, type_)
            case "PairIdRefIdRef":
                operands += (f"%{self.word()}", f"%{self.word()}")
            case "PairIdRefLiteralInteger":
                operands += (f"%{self.word()}", self.word())
            case "PairLiteralIntegerIdRef":
                operands.append(self.number(self.types.of_value(str(operands[0]))[1]))
                operands.append(f"%{self.word()}")
            case _:
                self.enumerant(opcode, self.table.kinds[kind], operands, type_)

    def enumerant(self, opcode: Opcode, kind: Enumerants, operands: list[Operand], type_: str | None) -> None:
        number = self.word()
        names = enumerants(kind, number)
        operands.append("|".join(names) if names is not None else number)
        for name in names or ():
            self.operands(opcode, kind.parameters.get(name, ()), operands, type_)

    def number(self, bits: int) -> int:
        low = self.word()
        return low | self.word() << 32 if bits > 32 else low & ((1 << bits) - 1)

    def string(self) -> str:
        data = bytearray()
        while True:
            data += self.word().to_bytes(4, "little")
            if (end := data.find(0)) != -1:
                return '"' + data[:end].decode("utf-8", "replace")


def enumerants(kind: Enumerants, number: int) -> tuple[str, ...] | None:
    """The names of a value, or of the bits of a mask from the lowest on; ``None`` if one has no name."""
    if not kind.bits or number == 0:
        name = kind.names.get(number)
        return None if name is None else (name,)
    names = [kind.names.get(1 << bit) for bit in range(number.bit_length()) if number >> bit & 1]
    return None if None in names else tuple(n for n in names if n is not None)
