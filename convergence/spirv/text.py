"""Disassembly to instructions: what ``spirv-dis`` prints and ``spirv-as`` takes."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator

from .errors import NotSPIRV
from .grammar import grammar
from .instruction import Operand, SPIRVInstruction
from .literals import LiteralTypes

_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s";]+|;.*')
_BEGINNING = re.compile(rb"(?:\s*;[^\n]*\n)*+\s*(?:OpCapability|OpExtension|OpMemoryModel)\b")
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
        word if word[0] == "%" else _string(word) if word[0] == '"' else _operand(word) for word in words
    )


def _operand(word: str) -> Operand:
    return int(word, 0) if _NUMBER.match(word) else word


def _string(word: str) -> str:
    inner = word[1:-1]
    return '"' + (re.sub(r"\\(.)", r"\1", inner) if "\\" in inner else inner)


def literal(word: str, kind: tuple[str, int, bool]) -> int:
    """The bits of a number as text has it: ``-3``, ``1.5``, ``0x1.8p+3``.

    :raises ValueError: if it is none
    """
    form, width, _ = kind
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
