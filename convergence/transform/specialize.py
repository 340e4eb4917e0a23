"""Specialization constants of LLVM IR for SPIR-V: calls of ``__spirv_SpecConstant(SpecId, default)``.

clang writes them for HLSL's ``[[vk::constant_id(N)]]``. What a user chooses takes the place of the default
in the text, as an API's choice does in SPIR-V (:mod:`convergence.spirv.constants`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..ir import I1, Float, FloatType, Int, IntType, Operand, Type
from ..ir.calls import callee_name
from ..ir.instructions import CallSite, Instruction
from ..ir.module import Function, Module
from ..spirv.constants import no_constant, specialized_bits
from ..spirv.instruction import NotSpecialized
from .rewrite import with_blocks, with_functions

_NAME = re.compile(r"(?:_Z20)?__spirv_SpecConstant(?:i\w+)?\Z")
_WIDTHS = {"half": 16, "float": 32, "double": 64}


def specialized_module(module: Module, values: Mapping[str, str]) -> Module:
    """The module with values for constants, by their numbers.

    :raises NotSpecialized: for a constant that there is not, and for what is no value of its type
    """
    if not values:
        return module
    constants = [(number, type_) for _, number, type_ in _constants(module)]
    chosen: dict[tuple[int, Type], Operand] = {}
    for name, word in values.items():
        same = [constant for constant in constants if str(constant[0]) == name]
        if not same:
            raise no_constant(name, map(str, sorted(number for number, _ in constants)))
        chosen.update({constant: _value(name, word, constant[1]) for constant in same})
    changed = {function.name: function for function, *_ in _constants(module)}
    return with_functions(module, {name: _specialized(f, chosen) for name, f in changed.items()})


def _constants(module: Module) -> Iterator[tuple[Function, int, Type]]:
    """The constants that functions read: number and type."""
    for function in module.definitions():
        for instruction in function.instructions:
            if (constant := _constant(instruction)) is not None:
                yield function, *constant


def _constant(instruction: Instruction) -> tuple[int, Type] | None:
    """Number and type, of an instruction that reads a specialization constant."""
    if not isinstance(instruction, CallSite) or not _NAME.match(callee_name(instruction) or ""):
        return None
    match [argument.value for argument in instruction.arguments]:
        case [Int(_, number), _]:
            return number, instruction.type.result
        case _:
            return None


def _value(name: str, word: str, type_: Type) -> Operand:
    """What is chosen, as an operand."""
    if type_ == I1:
        return Int(type_, specialized_bits(name, word, None))
    if isinstance(type_, IntType):
        return Int(type_, specialized_bits(name, word, ("int", type_.bits, False)))
    if isinstance(type_, FloatType) and type_.kind in _WIDTHS:
        return Float(type_, specialized_bits(name, word, ("float", _WIDTHS[type_.kind], True)))
    raise NotSpecialized(f"{name} is a {type_}, of which no value can be given")


def _specialized(function: Function, chosen: Mapping[tuple[int, Type], Operand]) -> Function:
    blocks = [
        replace(block, instructions=tuple(_chosen(i, chosen) for i in block.instructions))
        for block in function.blocks
    ]
    return with_blocks(function, blocks)


def _chosen(instruction: Instruction, chosen: Mapping[tuple[int, Type], Operand]) -> Instruction:
    constant = _constant(instruction)
    if constant is None or constant not in chosen or not isinstance(instruction, CallSite):
        return instruction
    number, default = instruction.arguments
    return replace(instruction, arguments=(number, replace(default, value=chosen[constant])))
