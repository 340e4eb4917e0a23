"""What a declaration says of a global variable's contents (LangRef, *Global Variables*, *Linkage Types*).

What the module does not say, the environment does: the contents of such a variable are an input.
"""

from __future__ import annotations

from .module import GlobalVariable, Module
from .types import ArrayType, NamedType, StructType, TargetType, Type

WORKGROUP = 3
"""The address space of memory that a group of threads shares (LDS, shared, Workgroup, groupshared): AMDGPU,
NVPTX, SPIR-V and DirectX agree on its number. Nobody initialises it."""
_REPLACEABLE = frozenset({"weak", "linkonce", "common", "extern_weak"})
"""Linkages under which another module's definition may take this one's place."""
_HIDDEN = frozenset({"internal", "private"})


def is_thread_local(variable: GlobalVariable) -> bool:
    """Whether each thread has a variable of its own."""
    return any(word.startswith("thread_local") for word in variable.words)


def is_hidden(variable: GlobalVariable) -> bool:
    """Whether only its module can name it."""
    return not _HIDDEN.isdisjoint(variable.words)


def starts_uninitialised(variable: GlobalVariable) -> bool:
    """Whether it holds undef at the launch: memory of a workgroup that only a declaration names."""
    return variable.initializer is None and variable.address_space == WORKGROUP


_BUILTIN = "__spirv_BuiltIn"


def builtin_name(variable: GlobalVariable) -> str | None:
    """Which of SPIR-V's built-ins a variable is, as its name says, if it is one: the environment says what it
    holds, of each thread."""
    if variable.initializer is not None or not variable.name.startswith(_BUILTIN):
        return None
    return variable.name.removeprefix(_BUILTIN)


def is_input(variable: GlobalVariable) -> bool:
    """Whether the environment chooses what it holds at the launch: it has no initializer here, or one that
    may be overwritten before the start, or that of another module may take its place."""
    if variable.name.startswith("llvm.") or starts_uninitialised(variable):
        return False
    if builtin_name(variable) is not None:
        return False
    replaceable = not _REPLACEABLE.isdisjoint(variable.words)
    return variable.initializer is None or variable.externally_initialized or replaceable


def is_named_barrier(type_: Type, module: Module) -> bool:
    """Whether a type is that of AMDGPU's named barriers, of an array of them, or of a structure with one
    (LLVM's *User Guide for AMDGPU Backend*, *Target Types*): operations on barriers alone look there."""
    names: set[str] = set()
    while True:
        match type_:
            case TargetType("amdgcn.named.barrier"):
                return True
            case ArrayType(_, inner) | StructType((inner,)):
                type_ = inner
            case NamedType(name) if name not in names and (body := module.types.get(name)) is not None:
                names.add(name)
                type_ = body
            case _:
                return False
