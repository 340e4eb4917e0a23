"""What is known of an instruction last: its result and its place.

A statement's name stands outside the rule that makes its instruction, and a number that the text leaves out
is known when the whole body is. They are set before anybody else sees the instruction, which is frozen from
then on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ..ir.instructions import Instruction
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
