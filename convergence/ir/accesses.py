"""Which programs access memory, by what their text has."""

from __future__ import annotations

from .calls import callee_name
from .instructions import AtomicRMW, CallSite, CmpXchg, Load, Store
from .module import Module

_ACCESSES = ("llvm.mem", "llvm.masked.", "llvm.dx.resource.", "llvm.spv.resource.", "llvm.amdgcn.raw.",
             "llvm.amdgcn.struct.", "llvm.amdgcn.s.buffer.load", "llvm.amdgcn.load.to.lds",
             "llvm.amdgcn.global.load.lds")  # fmt: skip


def accesses_memory(module: Module) -> bool:
    """Whether some definition has an instruction that accesses memory: else there is no order of accesses."""
    return any(
        isinstance(instruction, Load | Store | AtomicRMW | CmpXchg)
        or (isinstance(instruction, CallSite) and (callee_name(instruction) or "").startswith(_ACCESSES))
        for function in module.definitions()
        for instruction in function.instructions
    )
