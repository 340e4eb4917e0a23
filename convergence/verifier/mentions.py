"""Where operands name certain functions: a walk over whatever fields instructions and constants have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from ..frozen import dataclass
from ..ir.instructions import CallSite, Instruction
from ..ir.operands import Global, GlobalWrapper, MetadataOperand
from ..source import Span


@dataclass(frozen=True, slots=True)
class Mention:
    """The name that the instruction at ``span`` in ``block`` has among its operands."""

    name: str
    span: Span
    block: int


def mentions_in(instruction: Instruction, names: frozenset[str], block: int) -> Iterator[Mention]:
    """Each such name among an instruction's operands, a direct call's own callee left out."""
    for field in fields(instruction):
        value = getattr(instruction, field.name)
        if field.name == "callee" and isinstance(instruction, CallSite) and isinstance(value, Global):
            continue
        if field.name == "attachments":
            continue  # metadata uses nothing
        for name in mentions_in_operand(value, names):
            yield Mention(name, instruction.span, block)


def mentions_in_operand(value: object, names: frozenset[str]) -> Iterator[str]:
    """Each such name inside an operand, constants of any depth included; metadata uses nothing."""
    todo: list[Any] = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, Global | GlobalWrapper):
            if item.name in names:
                yield item.name
        elif isinstance(item, tuple):
            todo.extend(item)
        elif is_dataclass(item) and not isinstance(item, MetadataOperand):
            todo.extend(getattr(item, field.name) for field in fields(item))
