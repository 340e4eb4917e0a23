"""What machine code calls operands, places and operations of the IR."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ....ir.instructions import CondBr, FCmp, ICmp, Instruction, Phi
from ....ir.module import Function
from ....ir.operands import (
    BlockAddress,
    ConstantExpression,
    Float,
    Global,
    GlobalWrapper,
    Int,
    Local,
    Operand,
    Simple,
)
from ....semantics.instructions import operands
from .structure import CodePlace, RegionKind, Structure


def operand(value: Operand) -> str:
    """As the IR spells it: names of values, numbers."""
    match value:
        case Local(_, name):
            return f"%{name}"
        case Int(_, number):
            return str(number)
        case Float(_, bits):
            return f"{bits:#x}"
        case Simple(_, kind):
            return kind
        case Global(name) | GlobalWrapper(_, name):
            return f"@{name}"
        case BlockAddress(function, block):
            return f"@{function}.{block}"
        case ConstantExpression(_, opcode):
            return opcode
        case _:
            return "constant"


def where(structure: Structure, place: CodePlace) -> str:
    """A place in words."""
    facts = structure.facts
    match place.kind:
        case RegionKind.BLOCK:
            return f"%{facts.name(place.number)}"
        case RegionKind.LATCH:
            return f"the latch of %{facts.name(structure.loops[place.number].header)}"
        case RegionKind.FLOW:
            first = structure.regions[place.number].first
            sides = facts.cfg.successors[place.number]
            (other,) = [t for t in sides if structure.goes[place.number, t] != first]
            return f"%{facts.name(other)}"


def uses(function: Function) -> Counter[str]:
    """How often each value is used."""
    return Counter(o.name for i in function.instructions for o in _read(i) if isinstance(o, Local))


def _read(instruction: Instruction) -> tuple[Operand, ...]:
    if isinstance(instruction, Phi):
        return tuple(value for value, _ in instruction.incoming)
    return tuple(operands(instruction))


def compared_in(function: Function, block: int) -> Instruction | None:
    """The comparison in the block that serves its branch alone: it can write the condition register."""
    terminator = function.blocks[block].terminator
    if not isinstance(terminator, CondBr) or not isinstance(terminator.condition, Local):
        return None
    wanted = terminator.condition.name
    for instruction in function.blocks[block].instructions:
        if instruction.result == wanted:
            alone = isinstance(instruction, (ICmp, FCmp)) and uses(function)[wanted] == 1
            return instruction if alone else None
    return None


def numbered(function: Function) -> Iterator[tuple[int, int, Instruction]]:
    """(block, index, instruction), in text order."""
    index = 0
    for number, block in enumerate(function.blocks):
        for instruction in block.instructions:
            yield number, index, instruction
            index += 1
