"""Which library function a name is: families by prefix, each read when one of its names is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ...operations import PRINTF_BUFFER

if TYPE_CHECKING:
    from ....ir.instructions import Call, CallSite
    from ....ir.module import Module
    from ...memory.accesses import PrepareAccess
    from ...values.context import Context, Evaluate
    from ..intrinsics_memory import BuildAccess
    from ..intrinsics_values import Build


def _shader() -> Mapping[str, Build]:
    from .shader import SHADER

    return SHADER


def _amdgcn() -> Mapping[str, Build]:
    from .amdgcn import AMDGCN

    return AMDGCN


_PURE: tuple[tuple[str, Callable[[], Mapping[str, Build]]], ...] = (
    ("llvm.spv.", _shader),
    ("llvm.dx.", _shader),
    ("llvm.amdgcn.", _amdgcn),
)


_TYPE = re.compile(r"(?:[anv]\d+)*(?:i|f|bf|p)\d+|isVoid|s_\w+|sl_\w+|t\w+")
"""What the end of an intrinsic's name says of its types."""


def library_function(name: str) -> Build | None:
    """The model of a pure function, by its name with or without type suffixes; ``None`` if there is none."""
    if name.startswith("_Z"):
        from .opencl import opencl_function

        return opencl_function(name)
    if name.startswith(("__ocml_", "__ockl_", "__nv_")):
        from .c_library import library_of_device

        return library_of_device(name)
    if name == PRINTF_BUFFER:
        from .amdgcn import no_printf_buffer

        return no_printf_buffer
    if name in ("__nvvm_reflect", "llvm.nvvm.reflect"):
        from .nvvm import reflected

        return reflected
    if name == "llvm.nvvm.mbarrier.pending.count":
        from .nvvm_memory import pending_count

        return pending_count
    if name.startswith("llvm.nvvm."):
        from .nvvm import nvvm_function

        return nvvm_function(name)
    for prefix, family in _PURE:
        if name.startswith(prefix):
            table = family()
            while name not in table:
                name, _, suffix = name.rpartition(".")
                if _TYPE.fullmatch(suffix) is None:
                    return None
            return table[name]
    return None


def function_of_c(name: str, call: CallSite) -> Build | None:
    """The model of a function of C's that touches no memory, by its plain name and the types of its operands:
    any function may have such a name. ``None`` if there is none."""
    if not name.isalnum():
        return None
    from .c_library import c_math_function

    return c_math_function(name, call)


def library_access(name: str, module: Module | None = None) -> BuildAccess | None:
    """The model of a function that touches memory, by its name, in a ``module`` if it says of which;
    ``None`` if there is none."""
    if name.startswith(("malloc", "calloc", "aligned_alloc", "free", "_Zn", "_Zd")):
        from .c_library import heap_access

        return heap_access(name, module)
    if name.startswith("_Z"):
        from .opencl_memory import opencl_access

        return opencl_access(name)
    if name.startswith(("__ocml_", "__nv_")):
        from .c_library import access_of_device

        return access_of_device(name)
    if name.startswith("llvm.nvvm."):
        from .nvvm_memory import nvvm_access

        return nvvm_access(name)
    if name.startswith(("str", "mem", "stpcpy", "bcmp")):
        from .c_library import c_string_access

        return c_string_access(name)
    if name.isalnum():
        from .c_library import c_math_access

        return c_math_access(name)
    return None


def assembly_function(call: CallSite, context: Context) -> Evaluate | None:
    """Inline assembly that only computes; ``None`` if there is no model."""
    from .ptx import ptx_function

    return ptx_function(call, context)


def assembly_access(call: CallSite, context: Context) -> PrepareAccess | None:
    """Inline assembly that touches memory; ``None`` if there is no model."""
    from .ptx import ptx_access

    return ptx_access(call, context)


def assembly_operation(call: CallSite, context: Context) -> Call | None:
    """The call of an intrinsic that inline assembly is; ``None`` if it is none."""
    from .ptx import ptx_operation

    return ptx_operation(call, context)
