"""Loads that read only to put what they read elsewhere: a front end without optimisation sets one component
of a vector by a load of all, an insertelement, and a store of all.
"""

from __future__ import annotations

from collections.abc import Iterator

from . import instructions as ir
from .escape import locals_of
from .module import Function
from .operands import Local


def moving_loads(function: Function) -> frozenset[str]:
    """The results of loads from which nothing is computed: each goes, as it is or as lanes of vectors, into
    stack objects of the function and nowhere else. Whoever computes from what lies there loads it again."""
    stack = _stack(function)
    if not stack:
        return frozenset()
    moving = {i.result for i in function.instructions if _moves(i)}
    while gone := {name for name in _used_otherwise(function, moving, stack) if name in moving}:
        moving -= gone
    loads = (i.result for i in function.instructions if isinstance(i, ir.Load))
    return frozenset(name for name in loads if name is not None and name in moving)


def _moves(instruction: ir.Instruction) -> bool:
    return isinstance(instruction, ir.Load | ir.InsertElement | ir.ShuffleVector)


def _stack(function: Function) -> frozenset[str]:
    """The addresses of stack objects, and of places in them."""
    names: set[str] = set()
    for instruction in function.instructions:
        match instruction:
            case ir.Alloca(result=str(name)):
                names.add(name)
            case ir.GetElementPtr(result=str(name), pointer=Local(name=base)) if base in names:
                names.add(name)
            case ir.Conversion(result=str(name), opcode="addrspacecast", value=Local(name=base)) if (
                base in names
            ):
                names.add(name)
            case _:
                pass
    return frozenset(names)


def _used_otherwise(function: Function, moving: set[str | None], stack: frozenset[str]) -> Iterator[str]:
    """The values that an instruction uses for more than to put them into the stack, or into a vector that
    goes there."""
    for instruction in function.instructions:
        match instruction:
            case ir.DebugRecord():
                continue
            case ir.Store(value=Local(), pointer=Local(name=place)) if place in stack:
                yield place
            case ir.InsertElement(result=result, index=index) if result in moving:
                if isinstance(index, Local):
                    yield index.name
            case ir.ShuffleVector(result=result) if result in moving:
                continue
            case _:
                yield from (local.name for local in locals_of(instruction))
