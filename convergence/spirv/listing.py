"""Instructions to disassembly, an instruction a line: what a binary is shown as."""

from __future__ import annotations

from collections.abc import Iterable

from .binary import version_of, words_of
from .instruction import Operand, SPIRVInstruction

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
    words += map(_operand, operands)
    text = " ".join(words)
    return f"{result:>{WIDTH - 3}} = {text}" if result is not None else " " * WIDTH + text


def _operand(operand: Operand) -> str:
    if isinstance(operand, int):
        return str(operand)
    if operand[0] == '"':
        inner = operand[1:].replace("\\", "\\\\").replace('"', '\\"')
        return f'"{inner}"'
    return operand
