"""What a target says of uniformity: whose arguments are uniform, and which memory is each thread's own.

The sources: LLVM's *User Guide for AMDGPU Backend* (*Address Spaces*, *Calling Conventions*), *User Guide for
NVPTX Back-end*, *User Guide for SPIR-V Target*; the CUDA and OpenCL rules that a kernel's arguments are the
same for all threads of a launch.
"""

from __future__ import annotations

from enum import Enum

from ..frozen import dataclass
from ..ir.conventions import convention_of, passes_one_value
from ..ir.module import Function, Module, Parameter


class TargetFamily(Enum):
    """The targets that the rules tell apart; ``OTHER`` for a triple that is none of theirs, or none at
    all."""

    AMDGPU = "amdgcn"
    NVPTX = "nvptx"
    SPIRV = "spirv"
    DIRECTX = "dxil"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Target:
    """``own`` are address spaces whose objects each thread has for itself, generic ones that may point to
    them included; ``constant`` those that nobody writes."""

    family: TargetFamily
    own: frozenset[int]
    constant: frozenset[int]

    def uniform_argument(self, module: Module, function: Function, parameter: Parameter) -> bool:
        """Whether a parameter has the same value in all threads that are launched, or call, together."""
        words = module.resolve(parameter.attributes)
        nvptx = self.family is TargetFamily.NVPTX
        return passes_one_value(convention_of(function.convention), words, nvptx)


_TARGETS = {
    TargetFamily.AMDGPU: Target(TargetFamily.AMDGPU, frozenset((0, 5)), frozenset((4, 6))),
    TargetFamily.NVPTX: Target(TargetFamily.NVPTX, frozenset((0, 5)), frozenset((4, 101))),
    TargetFamily.SPIRV: Target(TargetFamily.SPIRV, frozenset((0, 4, 10)), frozenset((2,))),
    TargetFamily.DIRECTX: Target(TargetFamily.DIRECTX, frozenset((0,)), frozenset()),
    TargetFamily.OTHER: Target(TargetFamily.OTHER, frozenset((0, 4, 5)), frozenset()),
}


def target_of(triple: str | None) -> Target:
    """The target that a triple names."""
    architecture = (triple or "").partition("-")[0]
    if architecture.startswith(("amdgcn", "amdgpu")):
        return _TARGETS[TargetFamily.AMDGPU]
    if architecture.startswith("nvptx"):
        return _TARGETS[TargetFamily.NVPTX]
    if architecture.startswith("spir"):
        return _TARGETS[TargetFamily.SPIRV]
    if architecture.startswith("dxil"):
        return _TARGETS[TargetFamily.DIRECTX]
    return _TARGETS[TargetFamily.OTHER]
