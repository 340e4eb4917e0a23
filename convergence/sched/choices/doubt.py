"""Whether what a read gives may decide that an access comes, by what the text has."""

from __future__ import annotations

from collections.abc import Iterator

from ...ir import instructions as ir
from ...ir.calls import callee_name
from ...ir.module import Function, Module
from ...ir.operands import Local
from ...semantics.instructions import operands
from ...semantics.instructions.intrinsics import is_memory_call
from ...semantics.threads.liveness import computed_from, only_computes, uses

_READS = ir.Load, ir.AtomicRMW, ir.CmpXchg, ir.VAArg
_ACCESSES = ir.Load, ir.Store, ir.AtomicRMW, ir.CmpXchg


def reads_decide(module: Module) -> bool:
    """Whether some read may decide which accesses a thread makes, and where, or that it goes no further. The
    answer may err only towards yes."""
    return any(_read_decides(module, function) for function in module.definitions())


def _read_decides(module: Module, function: Function) -> bool:
    calls = [i for i in function.instructions if isinstance(i, ir.CallSite)]
    if any(_enters(module, call) for call in calls):
        return True
    if any(isinstance(i, ir.Load) and "noundef" in dict(i.attachments) for i in function.instructions):
        return True
    read = {i.result for i in function.instructions if isinstance(i, _READS)}
    read |= {c.result for c in calls if is_memory_call(c) or any(isinstance(o, Local) for o in operands(c))}
    deciding = (name for i in function.instructions for name in _deciding(i))
    return not read.isdisjoint(computed_from(function, deciding))


def _deciding(instruction: ir.Instruction) -> Iterator[str]:
    """The values that decide where an instruction's thread goes, what it accesses, or whether it goes on."""
    if isinstance(instruction, _ACCESSES):
        if isinstance(instruction.pointer, Local):
            yield instruction.pointer.name
    elif not isinstance(instruction, ir.Ret) and not only_computes(instruction):
        yield from uses(instruction)


def _enters(module: Module, call: ir.CallSite) -> bool:
    """Whether a call may enter a definition: what it passes and gets is not followed."""
    name = callee_name(call)
    return name is None or name not in module.functions or not module.functions[name].is_declaration
