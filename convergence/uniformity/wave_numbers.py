"""Numbers of work-items without what tells the lanes of a wave from each other (LLVM's *User Guide for AMDGPU
Backend*, ``reqd_work_group_size``; LLVM 22, ``GCNTTIImpl::isAlwaysUniform``).

The lanes of a wave are consecutive work-items, x counting fastest. If x does not begin anew within a wave,
the bits of x above those of the lane are the same in all its lanes; if x fills whole waves, y and z are.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..frozen import dataclass
from ..ir import instructions as ir
from ..ir.calls import callee_name
from ..ir.module import Function, Module
from ..ir.operands import Int, Local, Operand
from ..ir.waves import metadata_numbers, wave_size
from ..semantics.instructions.operands import operands
from .target import Target, TargetFamily

_NUMBER = "llvm.amdgcn.workitem.id."
_LARGEST_WAVE = 64
_DEPTH = 6
"""Operands of operands that are looked at for zeros."""


@dataclass(frozen=True, slots=True)
class WaveNumbers:
    """Of one kernel whose workgroups have ``size`` work-items along x, y and z, in waves of ``wave`` lanes at
    most: ``definitions`` by name."""

    size: tuple[int, int, int]
    wave: int
    definitions: Mapping[str, ir.Instruction]

    @property
    def runs_on(self) -> bool:
        """Whether x does not begin anew within a wave."""
        x, y, z = self.size
        return (y == 1 and z == 1) or _power_of_two(x)

    def same_in_wave(self, instruction: ir.Instruction) -> bool:
        """Whether the number that is asked for is the same in all lanes of a wave."""
        name = callee_name(instruction) if isinstance(instruction, ir.CallSite) else None
        if name is None or not name.startswith(_NUMBER):
            return False
        axis = "xyz".find(name.removeprefix(_NUMBER))
        if axis < 0:
            return False
        filled = _power_of_two(self.size[0]) and self.size[0] >= self.wave
        return self.size[axis] == 1 or (axis > 0 and filled)

    def unread(self, instruction: ir.Instruction) -> frozenset[str]:
        """The number x among the operands of an instruction that keeps none of the lane's bits of it."""
        if not self.runs_on or not isinstance(instruction, ir.Binary):
            return frozenset()
        bits = self.wave.bit_length() - 1
        match instruction:
            case ir.Binary(opcode="lshr" | "ashr", lhs=Local(name=name), rhs=Int(value=count)):
                if self.is_x(name) and count >= bits:
                    return frozenset((name,))
            case ir.Binary(opcode="and", lhs=lhs, rhs=rhs):
                for number, mask in ((lhs, rhs), (rhs, lhs)):
                    if isinstance(number, Local) and self.is_x(number.name) and self.zeros(mask) >= bits:
                        return frozenset((number.name,))
        return frozenset()

    def is_x(self, name: str) -> bool:
        entry = self.definitions.get(name)
        return isinstance(entry, ir.CallSite) and callee_name(entry) == _NUMBER + "x"

    def zeros(self, value: Operand, depth: int = _DEPTH) -> int:
        """How many of the lowest bits are certainly zero."""
        if isinstance(value, Int):
            return 64 if value.value == 0 else (value.value & -value.value).bit_length() - 1
        entry = self.definitions.get(value.name) if isinstance(value, Local) else None
        if entry is None or depth == 0:
            return 0
        of = [self.zeros(operand, depth - 1) for operand in operands(entry)]
        match entry:
            case ir.Binary(opcode="shl", rhs=Int(value=count)):
                return of[0] + count
            case ir.Binary(opcode="shl"):
                return of[0]
            case ir.Binary(opcode="and"):
                return max(of)
            case ir.Binary(opcode="or" | "xor" | "add" | "sub"):
                return min(of)
            case ir.Binary(opcode="mul"):
                return sum(of)
            case ir.Conversion(opcode="zext" | "sext" | "trunc"):
                return of[0]
            case ir.Select():
                return min(of[1:])
            case _:
                return 0


def wave_numbers(module: Module, function: Function, target: Target) -> WaveNumbers | None:
    """``None`` where the target counts otherwise, or the size of a workgroup is not known."""
    if target.family is not TargetFamily.AMDGPU:
        return None
    sizes = metadata_numbers(module, function, "reqd_work_group_size")
    if len(sizes) != 3:
        return None
    x, y, z = sizes
    definitions = {i.result: i for i in function.instructions if i.result is not None}
    return WaveNumbers((x, y, z), wave_size(module, function) or _LARGEST_WAVE, definitions)


def _power_of_two(number: int) -> bool:
    return number & (number - 1) == 0
