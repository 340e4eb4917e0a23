"""What Vulkan leaves open of a program: the remainder of a negative number.

Vulkan, appendix *Vulkan Environment for SPIR-V*, *Precision and Operation of SPIR-V Instructions*: the
result of OpSRem and OpSMod is undefined if either operand is negative. SPIR-V itself defines it, and so does
LLVM IR, whose ``srem`` LLVM's back end lowers to OpSRem. Any number that a device gives there is legal, so
that the legal outcomes have poison: the same program, with poison chosen where an operand is negative.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..ir.instructions import Binary, ICmp, Instruction, Select
from ..ir.module import Function, Module
from ..ir.operands import Local, Simple
from ..ir.types import I1, VectorType
from ..transform.rewrite import Names, with_blocks, with_functions

OPCODE = "srem"
"""What OpSRem is in LLVM IR, and what OpSMod is computed from."""


def with_open_remainders(module: Module) -> Module:
    """The module, with poison for each signed remainder of which an operand is negative."""
    changed = {
        function.name: _open(function)
        for function in module.definitions()
        if any(isinstance(i, Binary) and i.opcode == OPCODE for i in function.instructions)
    }
    return with_functions(module, changed)


def _open(function: Function) -> Function:
    names = Names(function)
    return with_blocks(
        function,
        (
            replace(block, instructions=tuple(i for old in block.instructions for i in _opened(old, names)))
            for block in function.blocks
        ),
    )


def _opened(instruction: Instruction, names: Names) -> Iterator[Instruction]:
    """An instruction; of a remainder: the number itself, whether an operand is negative, and the choice."""
    if not isinstance(instruction, Binary) or instruction.opcode != OPCODE:
        yield instruction
        return
    assert instruction.result is not None
    type_ = instruction.lhs.type
    truth = VectorType(type_.count, I1, type_.scalable) if isinstance(type_, VectorType) else I1
    zero = Simple(type_, "zeroinitializer")

    def named(words: str) -> Local:
        return Local(truth, names.new(f"{instruction.result}.{words}"))

    left, right, either = named("left.negative"), named("right.negative"), named("negative")
    number = Local(type_, names.new(f"{instruction.result}.number"))
    span = instruction.span
    yield replace(instruction, result=number.name)
    yield ICmp("slt", instruction.lhs, zero, result=left.name, span=span)
    yield ICmp("slt", instruction.rhs, zero, result=right.name, span=span)
    yield Binary("or", left, right, result=either.name, span=span)
    yield Select(either, Simple(type_, "poison"), number, result=instruction.result, span=span)
