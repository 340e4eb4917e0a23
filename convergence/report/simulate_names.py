"""What answers about lock-step machines call a slot's operation."""

from __future__ import annotations

from ..alignment.instances import StaticInstance
from ..ir.instructions import Binary, CallSite, CondBr, Conversion, Instruction
from ..ir.module import Module
from ..sched.lockstep.claims import Parted
from ..sched.lockstep.policy import lanes
from ..sched.lockstep.strands import Step
from ..semantics.program import Program


def operation(program: Program, step: Step) -> str:
    """``%name`` for an instruction with a name, ``@callee#k`` for a call without, else its opcode."""
    instruction = program.module.functions[step.function].instructions[step.at]
    if instruction.result is not None and not instruction.result.isdecimal():
        return f"%{instruction.result}"
    if isinstance(instruction, CallSite):
        return program.name(StaticInstance(step.function, step.at))
    return _opcode(instruction)


def _opcode(instruction: Instruction) -> str:
    match instruction:
        case Binary(opcode) | Conversion(opcode):
            return opcode
        case CondBr():
            return "br"
        case _:
            return type(instruction).__name__.lower()


def block(program: Program, step: Step) -> str:
    """The name of a slot's block."""
    return program.module.functions[step.function].blocks[step.block].name


def targets(module: Module, parted: Parted) -> dict[str, str]:
    """Where a branch that parted its lanes sent each of them."""
    blocks = module.functions[parted.step.function].blocks
    found = [(lane, blocks[target].name) for target, mask in parted.targets.items() for lane in lanes(mask)]
    return {str(lane): name for lane, name in sorted(found)}
