"""Which programs access memory, by what their text has."""

from __future__ import annotations

from .calls import callee_name
from .instructions import AtomicRMW, CallSite, CmpXchg, Instruction, Load, Store
from .module import Module
from .types import PointerType, TargetType, Type, VectorType

_ACCESSES = ("llvm.mem", "llvm.masked.", "llvm.dx.resource.", "llvm.spv.resource.", "llvm.amdgcn.raw.",
             "llvm.amdgcn.struct.", "llvm.amdgcn.s.buffer.load", "llvm.amdgcn.load.to.lds",
             "llvm.amdgcn.global.load.lds")  # fmt: skip


def accesses_memory(module: Module) -> bool:
    """Whether some definition has an instruction that may access memory: else accesses have no order."""
    return any(
        isinstance(instruction, Load | Store | AtomicRMW | CmpXchg)
        or (isinstance(instruction, CallSite) and _may_access(module, instruction))
        for function in module.definitions()
        for instruction in function.instructions
    )


def _may_access(module: Module, call: CallSite) -> bool:
    """Whether what a call does itself, other than by a definition's instructions, may be an access: libraries
    and targets have functions that are, and these are given the place."""
    name = callee_name(call)
    if name is not None and name in module.functions and not module.functions[name].is_declaration:
        return False
    return (name or "").startswith(_ACCESSES) or any(map(_is_place, call.type.parameters))


def _is_place(type_: Type) -> bool:
    match type_:
        case PointerType() | TargetType():
            return True
        case VectorType(element=element):
            return _is_place(element)
        case _:
            return False


def is_atomic(instruction: Instruction) -> bool:
    """Whether an instruction is an atomic access."""
    match instruction:
        case AtomicRMW() | CmpXchg():
            return True
        case Load(ordering=ordering) | Store(ordering=ordering):
            return ordering is not None
        case _:
            return False
