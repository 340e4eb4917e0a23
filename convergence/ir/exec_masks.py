"""What AMDGPU's lowered control flow says of the exec mask (LLVM 22, ``SIAnnotateControlFlow.cpp``).

The pass ``si-annotate-control-flow`` puts five intrinsics around divergent branches; a mask is an integer of
32 or 64 bits, a bit a lane.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from .calls import callee_name
from .instructions import CallSite, Instruction
from .module import Function, Module


class ExecKind(Enum):
    """The five operations, by what stands between ``llvm.amdgcn.`` and the type of the mask."""

    IF = "if"
    ELSE = "else"
    IF_BREAK = "if.break"
    LOOP = "loop"
    END_CF = "end.cf"


class ExecOperation(NamedTuple):
    """An operation on exec; ``width``: bits of its masks."""

    kind: ExecKind
    width: int


_NAME = re.compile(r"llvm\.amdgcn\.(if|else|if\.break|loop|end\.cf)\.i(32|64)(?:\.i\2)?")


def exec_operation(instruction: Instruction) -> ExecOperation | None:
    """What a call does to exec; ``None`` for any other instruction.

    >>> exec_operation_named("llvm.amdgcn.else.i64.i64")
    ExecOperation(kind=<ExecKind.ELSE: 'else'>, width=64)
    """
    name = callee_name(instruction) if isinstance(instruction, CallSite) else None
    return None if name is None else exec_operation_named(name)


def exec_operation_named(name: str) -> ExecOperation | None:
    """What the declared function of this name does to exec."""
    matched = _NAME.fullmatch(name)
    return None if matched is None else ExecOperation(ExecKind(matched[1]), int(matched[2]))


def exec_operations(function: Function) -> Iterator[tuple[int, ExecOperation]]:
    """The operations on exec of a function, by instruction index."""
    for index, instruction in enumerate(function.instructions):
        if (operation := exec_operation(instruction)) is not None:
            yield index, operation


def is_lowered(module: Module) -> bool:
    """Whether some definition has operations on exec."""
    return any(True for function in module.definitions() for _ in exec_operations(function))
