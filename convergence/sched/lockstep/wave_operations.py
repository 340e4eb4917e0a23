"""Operations that a policy performs once for a whole wave: what its lanes bring, and what they get."""

from __future__ import annotations

from collections.abc import Sequence

from ...alignment.instances import operation_name
from ...ir.exec_masks import ExecKind, exec_operation
from ...ir.instructions import CallSite, Instruction, opcode
from ...ir.module import Function
from ...ir.operands import Int, Local, Operand
from ...ir.types import IntType
from ...semantics.errors import Undefined
from ...semantics.instructions import operands
from ...semantics.threads.state import Frame, Thread
from ...semantics.values.value import Composite, Value
from .policy import Mask, Policy, WaveResult

CONDITION = IntType(1)


def perform(
    policy: Policy, index: int, on: Mask, instruction: Instruction, threads: Sequence[Thread]
) -> None:
    """The policy's operation at ``index``, for the lanes that are on: its condition is read from each one's
    registers, its results are written there. Undefined for ``if`` on poison or undef."""
    condition = next((o for o in operands(instruction) if o.type == CONDITION), None)
    conditions: dict[int, bool | None] = {}
    frames = [(thread, thread.frame) for thread in threads if thread.frame is not None]
    if condition is not None:
        conditions = {thread.lane: _truth(frame, condition) for thread, frame in frames}
        operation = exec_operation(instruction)
        if None in conditions.values() and operation is not None and operation.kind is ExecKind.IF:
            raise Undefined("br on poison or undef, by llvm.amdgcn.if", "'br' Instruction")
    wave_result = policy.perform(index, on, conditions)
    for thread, frame in frames:
        if instruction.result is not None:
            frame.registers[frame.code.slots[instruction.result]] = _result(wave_result, thread.lane)


def _truth(frame: Frame, operand: Operand) -> bool | None:
    """An i1 in a frame's registers; ``None`` for poison and undef."""
    match operand:
        case Int(value=value):
            return bool(value & 1)
        case Local(name=name):
            held = frame.registers[frame.code.slots[name]]
            assert isinstance(held, Value)
            return None if held.poison or held.undef else bool(held.bits)
        case _:
            return None


def _result(wave_result: WaveResult, lane: int) -> Value | Composite:
    truth = () if wave_result.truths is None else (Value(int(wave_result.truths[lane])),)
    parts = truth if wave_result.mask is None else (*truth, Value(wave_result.mask))
    return parts[0] if len(parts) == 1 else Composite(parts)


def named_operation(function: Function, index: int) -> str:
    """An operation as answers name it; of a terminator, by its block."""
    if isinstance(function.instructions[index], CallSite):
        return operation_name(function, index)
    last = -1
    for block in function.blocks:
        last += len(block.instructions)
        if index <= last:
            break
    return f"the {opcode(function.instructions[index])} of %{block.name}"
