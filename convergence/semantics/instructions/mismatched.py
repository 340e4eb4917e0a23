"""Calls of another type than their callee has, where targets agree on what they do.

LangRef, *'call' Instruction*: what such a call does is the target's to say, and a significant mismatch is
likely undefined behaviour. Here it is undefined unless the two types differ only in this:

- an argument is a pointer and the parameter an integer that is as wide, or the other way round: both are
  passed in the same place, and LLVM's own passes (instcombine) cast between them;
- an argument is an integer of at most 32 bits and the parameter a narrower one: all targets pass such
  integers in a place of 32 bits or more, of which the callee looks at the low bits;
- the callee gives a result of which the call knows nothing.

So OpenMP's runtime calls the functions that clang outlines: through pointers to functions of pointers.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...ir import instructions as ir
from ...ir.module import Function
from ...ir.types import VOID, IntType, PointerType, Type
from ..values.context import Context, Evaluate
from .conversion import prepare_conversion

WORD = 32
"""Bits of the place in which targets pass a narrower integer, at least."""


def arguments_passed(call: ir.CallSite, callee: Function, context: Context) -> Mapping[int, Evaluate] | None:
    """By its number, what an argument is for a callee whose type is not the call's; ``None`` where the call
    is undefined."""
    wanted, given = callee.type, call.type
    if wanted.variadic or given.variadic or len(wanted.parameters) != len(given.parameters):
        return None
    if given.result not in (wanted.result, VOID):
        return None
    passed: dict[int, Evaluate] = {}
    for number, (argument, parameter) in enumerate(zip(call.arguments, wanted.parameters, strict=True)):
        if argument.value.type == parameter:
            continue
        opcode = _cast(argument.value.type, parameter, context)
        if opcode is None:
            return None
        passed[number] = prepare_conversion(ir.Conversion(opcode, argument.value, parameter), context)
    return passed


def _cast(given: Type, wanted: Type, context: Context) -> str | None:
    """The conversion that passing a value of one type as one of another is; ``None`` if there is none."""
    match given, wanted:
        case IntType(bits), PointerType() if bits == context.layout.pointer(wanted).bits:
            return "inttoptr"
        case PointerType(), IntType(bits) if bits == context.layout.pointer(given).bits:
            return "ptrtoint"
        case IntType(bits), IntType(narrow) if narrow < bits <= WORD:
            return "trunc"
        case _:
            return None
