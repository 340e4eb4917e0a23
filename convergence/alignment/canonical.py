"""Alignments in a form that can be compared, and their groups operation by operation for reports."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from ..ir.calls import callee_name
from ..ir.instructions import CallSite
from ..ir.module import Function, Module
from ..ir.operands import InlineAsm, Local
from .instances import DynamicInstance, Execution, StaticInstance
from .order import Columns, order

Alignment = tuple[tuple[DynamicInstance, ...], ...]
"""The classes of one converged-with relation, singletons included, each sorted, in sorted order."""


def canonical(execution: Execution) -> Alignment:
    """The alignment of an execution: equal for equal relations, hashable, in no one's order."""
    return tuple(sorted(tuple(sorted(group)) for group in execution.converged.classes))


@dataclass(frozen=True, slots=True)
class OperationGroup:
    """Threads that communicate: a class of an operation's instances, by thread.

    ``column`` is its place in convergence-before (D-ORDER), ``None`` if that has a cycle.
    """

    column: int | None
    members: tuple[DynamicInstance, ...]


@dataclass(frozen=True, slots=True)
class OperationGroups:
    """One convergent operation or control intrinsic of the text and the groups that executed it.

    ``operation`` is its name as in ``operation_name``, ``callee`` as it is written.
    """

    site: StaticInstance
    operation: str
    callee: str
    groups: tuple[OperationGroup, ...]


def operation_groups(execution: Execution, module: Module) -> tuple[OperationGroups, ...]:
    """The groups of every operation that was executed, in text order; groups in column order."""
    ordered = order(execution)
    column = ordered.column if isinstance(ordered, Columns) else {}
    groups: defaultdict[StaticInstance, list[OperationGroup]] = defaultdict(list)
    for members in canonical(execution):
        groups[members[0].site].append(OperationGroup(column.get(members[0]), members))
    place = {name: number for number, name in enumerate(module.functions)}
    return tuple(
        OperationGroups(
            site,
            operation_name(module.functions[site.function], site.index),
            callee_text(_call(module.functions[site.function], site.index)),
            tuple(sorted(groups[site], key=lambda group: (group.column or 0, group.members))),
        )
        for site in sorted(groups, key=lambda site: (place[site.function], site.index))
    )


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
