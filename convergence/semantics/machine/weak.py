"""Symbols that may not be there: ``extern_weak``, whose address is null then (LangRef, *Linkage Types*).

Whether they are is an input, where a program looks at the address itself: to load from it, to store there,
or to call it is undefined without.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...ir import instructions as ir
from ...ir.module import Function, Module
from ...ir.operands import Operand, named_globals
from ..instructions import operands

ABSENT, PRESENT = "absent", "present"
"""What is given for a symbol: it is not there; a function is."""


def is_weak(module: Module, name: str) -> bool:
    """Whether a symbol need not be there."""
    variable, function = module.globals.get(name), module.functions.get(name)
    return any(symbol is not None and "extern_weak" in symbol.words for symbol in (variable, function))


def weak_symbols(module: Module, functions: Iterable[Function]) -> frozenset[str]:
    """The symbols that need not be there and at whose address ``functions`` look."""
    if not any(is_weak(module, name) for name in (*module.globals, *module.functions)):
        return frozenset()
    names: set[str] = set()
    for function in functions:
        for instruction in function.instructions:
            names.update(name for operand in _looked_at(instruction) for name in named_globals(operand))
    return frozenset(name for name in names if is_weak(module, name))


def _looked_at(instruction: ir.Instruction) -> Iterable[Operand]:
    """The operands whose value matters, not only what is behind it."""
    match instruction:
        case ir.Load():
            return ()
        case ir.Store():
            return (instruction.value,)
        case ir.Phi():
            return [value for value, _ in instruction.incoming]
        case _:
            return operands(instruction)
