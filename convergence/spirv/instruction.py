"""Instructions of SPIR-V: the grammar, words and disassembly to instructions and back, and why a file is
not read.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ..frozen import dataclass

# ----------------------------------------------------------------------------------------------------------
# Why a file is not read: it is no SPIR-V, or none that convcheck reads, or not to be specialized so.
# ----------------------------------------------------------------------------------------------------------


class NotSPIRV(Exception):
    """Input that is not SPIR-V; ``line`` and ``column``, from 1, where the text is at fault. Of a binary the
    message names the byte."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.message, self.line, self.column = message, line, column


class NotSpecialized(ValueError):
    """A specialization constant that a module does not have, or a value that it cannot have."""


class NotCovered(Exception):
    """SPIR-V outside what convcheck reads: ``feature`` names it and its opcode; ``line`` of the text or
    listing."""

    def __init__(self, what: str, line: int | None = None) -> None:
        super().__init__(what)
        self.feature, self.line = what, line


# ----------------------------------------------------------------------------------------------------------
# One instruction of a module, whether it came from words or from disassembly.
# ----------------------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------------------
# SPIR-V's grammar: what opcodes and enumerants are called, and which operands they take.
#
# SPIR-V, *Binary Form*; the table is made of Khronos' machine-readable grammar (``make spirv-grammar``).
# ----------------------------------------------------------------------------------------------------------

TABLE = Path(__file__).with_name("grammar.txt")


class OperandKind(NamedTuple):
    """A kind of operand, as the grammar names it; ``""`` once, ``?`` perhaps, ``*`` any number of times."""

    name: str
    times: str = ""


@dataclass(frozen=True, slots=True)
class Opcode:
    """An instruction: its operands without those for the result and its type."""

    name: str
    number: int
    typed: bool
    gives: bool
    operands: tuple[OperandKind, ...]

    @property
    def least(self) -> int:
        """How many operands there are at least."""
        return sum(1 for kind in self.operands if not kind.times)


@dataclass(frozen=True, slots=True)
class Enumerants:
    """The enumerants of a kind, by name and by number, and the parameters that each takes."""

    name: str
    bits: bool
    numbers: dict[str, int] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    parameters: dict[str, tuple[OperandKind, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Grammar:
    """``opcodes`` by name, ``by_number`` by number; enumerations by kind; extended instruction sets."""

    opcodes: Mapping[str, Opcode]
    by_number: Mapping[int, Opcode]
    kinds: Mapping[str, Enumerants]
    sets: Mapping[str, Enumerants]


def _kind(word: str) -> OperandKind:
    return OperandKind(word[:-1], word[-1]) if word[-1] in "?*" else OperandKind(word)


@cache
def grammar() -> Grammar:
    """The table, read once."""
    opcodes: dict[str, Opcode] = {}
    by_number: dict[int, Opcode] = {}
    kinds: dict[str, Enumerants] = {}
    sets: dict[str, Enumerants] = {}
    current = Enumerants("", False)
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        match line.split():
            case ["op", name, number, *operands]:
                typed, gives = "IdResultType" in operands, "IdResult" in operands
                rest = tuple(_kind(o) for o in operands if o not in ("IdResultType", "IdResult"))
                opcode = opcodes[name] = Opcode(name, int(number), typed, gives, rest)
                by_number.setdefault(opcode.number, opcode)
            case ["kind", name, category]:
                current = kinds[name] = Enumerants(name, category == "bits")
            case ["set", name]:
                current = sets[name] = Enumerants(name, False)
            case ["=", name, number, *parameters]:
                current.numbers[name] = int(number)
                current.names.setdefault(int(number), name)
                if parameters:
                    current.parameters[name] = tuple(_kind(p) for p in parameters)
            case _:
                pass
    return Grammar(opcodes, by_number, kinds, sets)


# ----------------------------------------------------------------------------------------------------------
# Which number type the literals of an instruction have: those of OpConstant and OpSwitch say it by ids.
# ----------------------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------------------
# Words to instructions (SPIR-V, *Physical Layout of a SPIR-V Module and Instruction*).
# ----------------------------------------------------------------------------------------------------------

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
    """The instructions of a binary. Lines are those of its :func:`~convergence.spirv.instruction.listing`.

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


# ----------------------------------------------------------------------------------------------------------
# Disassembly to instructions: what ``spirv-dis`` prints and ``spirv-as`` takes.
# ----------------------------------------------------------------------------------------------------------

_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s";]+|;.*')
_BEGINNING = re.compile(rb"(?:\s*;[^\n]*\n)*+\s*(?:OpCapability|OpExtension|OpMemoryModel)\b")
_DECORATION_AT = {"OpDecorate": 1, "OpMemberDecorate": 2}
"""Which operand is the decoration; those behind it are its own."""
_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|[0-9]+)\Z")
_FORMATS = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}


def is_text(data: bytes) -> bool:
    """Whether a text begins as SPIR-V's disassembly does, behind any number of comments."""
    return _BEGINNING.match(data) is not None


def directives(data: bytes) -> Iterator[tuple[str, int]]:
    """The CONVCHECK lines among a disassembly's comments, and their numbers."""
    if b"CONVCHECK:" in data and not data.startswith((b"\x03\x02", b"\x07\x23")):
        for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
            if line.startswith(";") and line[1:].lstrip().startswith("CONVCHECK:"):
                yield line, number


def parse(text: str) -> Iterator[SPIRVInstruction]:
    """The instructions of a disassembly.

    :raises NotSPIRV: at a line that is none
    """
    opcodes, types = grammar().opcodes, LiteralTypes()
    for number, line in enumerate(text.split("\n"), 1):
        if '"' in line:
            words = [word for word in _WORD.findall(line) if word[0] != ";"]
        else:
            words = line.partition(";")[0].split()
        if not words:
            continue
        result = None
        if len(words) > 2 and words[1] == "=":
            result, start = words[0], 2
        else:
            start = 0
        opcode = opcodes.get(words[start])
        if opcode is None:
            raise NotSPIRV(f"no instruction of SPIR-V: {words[start]}", number, _column(line, words[start]))
        rest = words[start + 1 :]
        if opcode.gives != (result is not None):
            problem = "gives no result" if result is not None else "lacks a result"
            raise NotSPIRV(f"{opcode.name} {problem}", number, _column(line, words[0]))
        type_ = None
        if opcode.typed:
            if not rest or rest[0][0] != "%":
                raise NotSPIRV(f"{opcode.name} lacks the type of its result", number)
            type_ = rest.pop(0)
        if len(rest) < opcode.least:
            raise NotSPIRV(f"{opcode.name} lacks operands", number, _column(line, words[start]))
        try:
            operands = _operands(opcode.name, type_, rest, types)
        except ValueError:
            raise NotSPIRV(f"a literal of {opcode.name} is no number", number) from None
        except NotCovered as error:
            raise NotCovered(f"{opcode.name}: {error.feature}", number) from None
        if (behind := _DECORATION_AT.get(opcode.name)) is not None and len(operands) > behind:
            parameters = grammar().kinds["Decoration"].parameters.get(str(operands[behind]), ())
            if len(operands) - behind - 1 < sum(1 for kind in parameters if not kind.times):
                raise NotSPIRV(f"{opcode.name} lacks operands of {operands[behind]}", number)
        instruction = SPIRVInstruction(opcode.name, type_, result, operands, number)
        if opcode.gives:
            types.note(instruction)
        yield instruction


def _column(line: str, word: str) -> int:
    return line.find(word) + 1


def _operands(op: str, type_: str | None, words: list[str], types: LiteralTypes) -> tuple[Operand, ...]:
    if op in ("OpConstant", "OpSpecConstant"):
        return (literal(words[0], types.of(type_)),)
    if op == "OpSwitch":
        kind = types.of_value(words[0])
        return tuple(w if w[0] == "%" else literal(w, kind) for w in words)
    return tuple(
        word if word[0] == "%" else _string(word) if word[0] == '"' else _read_operand(word) for word in words
    )


def _read_operand(word: str) -> Operand:
    return int(word, 0) if _NUMBER.match(word) else word


def _string(word: str) -> str:
    inner = word[1:-1]
    return '"' + (re.sub(r"\\(.)", r"\1", inner) if "\\" in inner else inner)


def literal(word: str, kind: tuple[str, int, bool]) -> int:
    """The bits of a number as text has it: ``-3``, ``1.5``, ``0x1.8p+3``.

    :raises ValueError: if it is none
    :raises NotCovered: for a type that is not read, whose bits may be too many to count
    """
    form, width, _ = kind
    if width > 64 or (form == "float" and width not in _FORMATS):
        raise NotCovered(f"a literal of the type {form} of {width} bits")
    if form == "int":
        return int(word, 0) & ((1 << width) - 1)
    hexadecimal = "0x" in word.lower()
    if hexadecimal and (special := _special(word, width)) is not None:
        return special
    value = float.fromhex(word) if hexadecimal else float(word)
    pack, unpack = _FORMATS[width]
    try:
        return int(struct.unpack(unpack, struct.pack(pack, value))[0])
    except OverflowError:
        return int(struct.unpack(unpack, struct.pack(pack, math.copysign(math.inf, value)))[0])


_TOPS = {16: (16, 10), 32: (128, 23), 64: (1024, 52)}


def _special(word: str, width: int) -> int | None:
    """Infinities and NaNs, written with one exponent more than there is: ``0x1.8p+128``."""
    parts = re.fullmatch(r"(-?)0[xX]1(?:\.([0-9a-fA-F]*))?[pP]\+?(\d+)", word)
    top, fraction = _TOPS[width]
    if parts is None or int(parts[3]) != top:
        return None
    digits = parts[2] or ""
    bits = int(digits or "0", 16) << max(0, fraction - 4 * len(digits)) >> max(0, 4 * len(digits) - fraction)
    return (parts[1] == "-") << (width - 1) | ((1 << (width - 1 - fraction)) - 1) << fraction | bits


# ----------------------------------------------------------------------------------------------------------
# Instructions to disassembly, an instruction a line: what a binary is shown as.
# ----------------------------------------------------------------------------------------------------------

WIDTH = 15


def listing(data: bytes, instructions: Iterable[SPIRVInstruction]) -> str:
    """A binary's instructions as text, each with its byte offset behind it; the lines are those that the
    instructions name."""
    words = words_of(data)
    major, minor = version_of(words)
    head = [
        "; SPIR-V", f"; Version: {major}.{minor}", f"; Generator: {words[2]:#010x}", f"; Bound: {words[3]}",
        "; Schema: 0",
    ]  # fmt: skip
    return "\n".join([*head, *(f"{instruction_text(i)}  ; {i.offset:#x}" for i in instructions), ""])


def instruction_text(instruction: SPIRVInstruction) -> str:
    """An instruction as ``spirv-dis`` has it; literals of types are their bits."""
    op, type_, result, operands = instruction[:4]
    words = [op] if type_ is None else [op, type_]
    words += map(_written_operand, operands)
    text = " ".join(words)
    return f"{result:>{WIDTH - 3}} = {text}" if result is not None else " " * WIDTH + text


def _written_operand(operand: Operand) -> str:
    if isinstance(operand, int):
        return str(operand)
    if operand[0] == '"':
        inner = operand[1:].replace("\\", "\\\\").replace('"', '\\"')
        return f'"{inner}"'
    return operand
