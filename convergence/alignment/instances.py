"""Dynamic instances, their converged-with relation, and what one execution left behind.

Terms as in LLVM's *Convergence And Uniformity* (*Dynamic Instances*, *Convergence*).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..frozen import dataclass
from ..ir.calls import callee_name
from ..ir.instructions import CallSite
from ..ir.module import Function
from ..ir.operands import InlineAsm, Local


class StaticInstance(NamedTuple):
    """One instruction in the text: its function's name and its index in ``Function.instructions``."""

    function: str
    index: int  # type: ignore[assignment]  # tuple.index is not used on it


class DynamicInstance(NamedTuple):
    """A thread's ``nth`` execution (from 1, over the whole run) of a static instance."""

    thread: int
    site: StaticInstance
    nth: int


class BlockVisit(NamedTuple):
    """One pass of a thread through a block.

    ``frame`` is unique per activation within the thread, 0 for the launched function; ``caller``
    is the frame that called it (``None`` at the launch). ``operations`` are the convergent
    operations and control intrinsics that it executed in the block, in order; when the block
    calls, visits of the callee come after this one in the thread's list. ``call`` is the call
    site in the caller that made the frame, ``None`` at the launch.
    """

    frame: int
    caller: int | None
    function: str
    block: str
    operations: tuple[DynamicInstance, ...]
    call: StaticInstance | None = None


Group = frozenset[DynamicInstance]


@dataclass(frozen=True, slots=True)
class ConvergedWith:
    """The relation as its classes, singletons included; canonical, so that equality is equality."""

    classes: frozenset[Group]

    def class_of(self) -> Mapping[DynamicInstance, Group]:
        """Each dynamic instance's class."""
        return {member: group for group in self.classes for member in group}


@dataclass(frozen=True, slots=True)
class Execution:
    """One execution: per thread its trace of block visits, and the relation over all of them.

    ``launch_groups`` gives each thread's launch group by number; empty when there is one for all.
    """

    visits: tuple[tuple[BlockVisit, ...], ...]
    converged: ConvergedWith
    launch_groups: tuple[int, ...] = ()


# -- Alignments in a form that can be compared, and the names that answers give to operations

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
