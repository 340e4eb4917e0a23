"""NVPTX's intrinsics that are plain accesses of memory: scoped atomics, and loads of what nobody writes.

LLVM's *IntrinsicsNVVM.td* (``llvm.nvvm.atomic.*.gen.*``, ``llvm.nvvm.ldu.global.*``,
``llvm.nvvm.ldg.global.*``); PTX ISA, *atom*, *ldu*, *ld.global.nc*. Atomics are relaxed; ``cta`` is the
workgroup's scope, ``sys`` that of all. That nobody writes to what ``ldg`` reads is not checked: it is a load.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ....ir import instructions as ir
from ....ir.operands import Int, Local
from ...memory.accesses import PrepareAccess
from ...values.context import Context
from ..atomics import prepare_atomicrmw, prepare_cmpxchg
from ..intrinsics_memory import BuildAccess
from ..memory import prepare_load
from .outputs import first, with_result

_ATOMIC = re.compile(
    r"llvm\.nvvm\.atomic\.(add|exch|max|min|inc|dec|and|or|xor|cas)\.gen\.([if])\.(cta|sys)(?:\.\w+)*"
)
_LOAD = re.compile(r"llvm\.nvvm\.ld[ug]\.global\.[ifp](?:\.\w+)*")
_OPCODES: Mapping[str, str] = {"exch": "xchg", "inc": "uinc_wrap", "dec": "udec_wrap"}
_SCOPES: Mapping[str, str | None] = {"cta": "block", "sys": None}


def _atomic(operation: str, kind: str, scope: str) -> BuildAccess:
    opcode = "fadd" if (operation, kind) == ("add", "f") else _OPCODES.get(operation, operation)

    def build(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
        pointer, *_ = (argument.value for argument in call.arguments)
        value = Local(call.type.result, "value")
        if operation != "cas":
            instruction = ir.AtomicRMW(opcode, pointer, value, "monotonic", scope=_SCOPES[scope])
            return prepare_atomicrmw(instruction, context)
        exchange = ir.CmpXchg(pointer, value, value, "monotonic", "monotonic", scope=_SCOPES[scope])
        return with_result("atom.cas", prepare_cmpxchg(exchange, context), call.type.result, first)

    return build


def _load(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """The last operand is the alignment."""
    pointer, align = (argument.value for argument in call.arguments)
    known = align.value if isinstance(align, Int) and align.value > 0 else None
    load = prepare_load(ir.Load(call.type.result, pointer, known), context)
    return lambda at, _: load(at)


def nvvm_access(name: str) -> BuildAccess | None:
    """The model of an intrinsic that is an access of memory; ``None`` if it is none."""
    if (atomic := _ATOMIC.fullmatch(name)) is not None:
        return _atomic(atomic[1], atomic[2], atomic[3])
    return _load if _LOAD.fullmatch(name) is not None else None
