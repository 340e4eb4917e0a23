"""Calls of intrinsics, by an open table from name (without type suffix) to model."""

from __future__ import annotations

from collections.abc import Container, Mapping

from ...ir import instructions as ir
from ...ir.calls import callee_name
from ..errors import NotModelled, Undefined
from ..memory.accesses import PrepareAccess, failing_access
from ..values.context import Context, Evaluate
from .intrinsics_float import FLOATING
from .intrinsics_hints import HINTS
from .intrinsics_integer import INTEGER, Build
from .intrinsics_masked import MASKED
from .intrinsics_memory import MEMORY as WHOLE
from .intrinsics_memory import BuildAccess
from .intrinsics_vector import VECTOR
from .lifting import failing
from .limits import refuse_large

PURE: Mapping[str, Build] = {**INTEGER, **FLOATING, **VECTOR, **HINTS}
MEMORY: Mapping[str, BuildAccess] = {**WHOLE, **MASKED}

ENDS_THREAD: Mapping[str, str] = {
    "llvm.trap": "llvm.trap",
    "llvm.ubsantrap": "llvm.ubsantrap",
}
"""Intrinsics that end the thread that calls them, and what the ending is called."""


def base_name(name: str, table: Container[str]) -> str | None:
    """The entry of the table that a name is, up to type suffixes: ``llvm.smax.v4i32`` is ``llvm.smax``."""
    while name not in table:
        name, dot, _ = name.rpartition(".")
        if not dot:
            return None
    return name


def prepare_intrinsic(call: ir.CallSite, context: Context) -> Evaluate | None:
    """A direct call of a pure intrinsic as a function of its arguments; ``None`` if there is no model."""
    name = base_name(callee_name(call) or "", PURE)
    if name is None:
        return None
    try:
        refuse_large(call, context)
        return PURE[name](call, context)
    except (NotModelled, Undefined) as problem:
        return failing(problem)


def prepare_intrinsic_access(call: ir.CallSite, context: Context) -> PrepareAccess | None:
    """A direct call of a memory intrinsic as a function from its arguments to an access; ``None`` for all
    others."""
    name = base_name(callee_name(call) or "", MEMORY)
    if name is None:
        return None
    try:
        refuse_large(call, context)
        return MEMORY[name](name, call, context)
    except (NotModelled, Undefined) as problem:
        return failing_access(problem)
