"""Alignments in a form that can be compared, and the names that answers give to operations."""

from __future__ import annotations

from ..ir.calls import callee_name
from ..ir.instructions import CallSite
from ..ir.module import Function
from ..ir.operands import InlineAsm, Local
from .instances import DynamicInstance, Execution

Alignment = tuple[tuple[DynamicInstance, ...], ...]
"""The classes of one converged-with relation, singletons included, each sorted, in sorted order."""


def canonical(execution: Execution) -> Alignment:
    """The alignment of an execution: equal for equal relations, hashable, in no one's order."""
    return tuple(sorted(tuple(sorted(group)) for group in execution.converged.classes))


def operation_name(function: Function, index: int) -> str:
    """``%name``, or, for an operation without a name, ``@callee#k``: the k-th call of that callee in
    its function in text order, from 1. A number is not a name: it changes when code is added."""
    call = _call(function, index)
    if call.result is not None and not call.result.isdecimal():
        return f"%{call.result}"
    callee = callee_text(call)
    before = (i for i in function.instructions[: index + 1] if isinstance(i, CallSite))
    return f"{callee}#{sum(callee_text(other) == callee for other in before)}"


def callee_text(call: CallSite) -> str:
    """What a call names: ``@f``, ``%pointer``, ``asm``, or ``<constant>`` for any other operand."""
    if (name := callee_name(call)) is not None:
        return f"@{name}"
    match call.callee:
        case Local(_, name):
            return f"%{name}"
        case InlineAsm():
            return "asm"
        case _:
            return "<constant>"


def _call(function: Function, index: int) -> CallSite:
    instruction = function.instructions[index]
    assert isinstance(instruction, CallSite), f"@{function.name} instruction {index} is no call"
    return instruction
