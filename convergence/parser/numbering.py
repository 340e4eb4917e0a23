"""What is known of instructions last: their places, their results' names, and the numbers of what has none.

One counter a function: parameters first, then blocks and results in text order. A number that the text
spells moves the counter, which may leave gaps (LangRef, *Identifiers*). An instruction is frozen once
``finish`` and ``blocks`` are done with it; nobody else sees it before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar, get_args

from ..ir import instructions as ir
from ..ir.instructions import CallSite, Instruction, Terminator
from ..ir.module import Block
from ..ir.types import VOID
from ..source import Span

I = TypeVar("I", bound=Instruction)  # noqa: E741
_set_result: Callable[[Instruction, str | None], None] = vars(Instruction)["result"].__set__
_set_span: Callable[[Instruction, Span], None] = vars(Instruction)["span"].__set__


def finish(instruction: I, result: str | None, span: Span) -> I:
    """The instruction itself, with its result and its place."""
    _set_result(instruction, result)
    _set_span(instruction, span)
    return instruction


def number(instruction: I, result: str) -> I:
    """The instruction itself, with a result that the text leaves unnamed."""
    _set_result(instruction, result)
    return instruction


_NO_VALUE = (
    ir.Ret, ir.Br, ir.CondBr, ir.Switch, ir.IndirectBr, ir.Resume, ir.CatchRet, ir.CleanupRet, ir.Unreachable,
    ir.Store, ir.Fence, ir.DebugRecord,
)  # fmt: skip


TERMINATORS = get_args(Terminator)


def has_value(instruction: Instruction) -> bool:
    """Whether an instruction defines a value, named or not."""
    if isinstance(instruction, CallSite):
        return instruction.type.result != VOID
    return not isinstance(instruction, _NO_VALUE)


class BlockLabel:
    """Where a block begins: its name, and the span of ``name:``."""

    __slots__ = ("name", "span")

    def __init__(self, name: str, span: Span) -> None:
        self.name = name
        self.span = span


class Numbering:
    """The counter of one function."""

    __slots__ = ("next",)

    def __init__(self, first: int = 0) -> None:
        self.next = first

    def take(self, name: str | None) -> str:
        """The name of the next value: the one given, else the next number."""
        if name is None:
            name = str(self.next)
        elif not name.isdigit():
            return name
        self.next = int(name) + 1
        return name


def blocks(first: int, items: Iterable[BlockLabel | Instruction]) -> tuple[Block, ...]:
    """A body's labels and instructions, in text order, as named blocks; ``first`` is the number after the
    parameters'."""
    numbering = Numbering(first)
    blocks: list[Block] = []
    name: str | None = None
    start = 0
    current: list[Instruction] = []
    ended = True
    for item in items:
        if isinstance(item, BlockLabel):
            if name is not None:
                blocks.append(Block(name, tuple(current), Span(start, max(start, _end(current, start)))))
            name, start, current = numbering.take(item.name), item.span.start, []
            ended = False
            continue
        if ended:
            if name is not None:
                blocks.append(Block(name, tuple(current), Span(start, _end(current, start))))
            name, start, current = numbering.take(None), item.span.start, []
        if item.result is not None:
            numbering.take(item.result)
        elif has_value(item):
            number(item, numbering.take(None))
        ended = isinstance(item, TERMINATORS)
        current.append(item)
    if name is not None:
        blocks.append(Block(name, tuple(current), Span(start, _end(current, start))))
    return tuple(blocks)


def _end(instructions: list[Instruction], default: int) -> int:
    return instructions[-1].span.end if instructions else default
