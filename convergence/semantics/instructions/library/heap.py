"""C's and C++'s memory management: ``malloc``, ``calloc``, ``aligned_alloc``, ``free``, ``new``, ``delete``.

C17, 7.22.3, *Memory management functions*; C++, *Storage allocation and deallocation*, by the Itanium ABI's
names; CUDA C++ programming guide, *Dynamic Global Memory Allocation and Operations*: device code has them,
too, as functions that are declared only. What they give lies in memory that all threads share, and there is
always enough of it: null is never given. Each thread's objects have addresses of their own, so that they do
not depend on how threads interleave. To free an object is to write to all of it: what nothing orders with
that races.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ....ir import instructions as ir
from ....ir.module import Module
from ....ir.types import VOID, IntType, PointerType
from ...errors import NotModelled, Undefined
from ...memory.accesses import Access, AccessShape, PrepareAccess, address, touched
from ...memory.allocations import Memory
from ...memory.bytes import UNINITIALISED, ZERO, Touch
from ...values.context import Context
from ...values.value import NULL, Pointer, Value, scalar
from ..intrinsics_memory import BuildAccess
from .kit import parameter_types

FREE = "C17, 7.22.3.3"
ALIGNMENT = 16
"""Bytes: that of ``max_align_t`` in the 64-bit ABIs, and of what CUDA's ``malloc`` gives."""


class _Allocator(NamedTuple):
    """Which operands say the ``size`` in bytes, whose product it is, and the alignment; whether there are
    zeros in it."""

    size: tuple[int, ...]
    align: int | None = None
    zeroed: bool = False


_ALLOCATORS: Mapping[str, tuple[int, _Allocator]] = {
    "malloc": (1, _Allocator((0,))),
    "calloc": (2, _Allocator((0, 1), zeroed=True)),
    "aligned_alloc": (2, _Allocator((1,), align=0)),
    "_Znwm": (1, _Allocator((0,))),
    "_Znam": (1, _Allocator((0,))),
    "_ZnwmSt11align_val_t": (2, _Allocator((0,), align=1)),
    "_ZnamSt11align_val_t": (2, _Allocator((0,), align=1)),
}
"""By name: how many operands there are, and what they say."""
_DEALLOCATORS: Mapping[str, int] = {
    "free": 1, "_ZdlPv": 1, "_ZdaPv": 1, "_ZdlPvm": 2, "_ZdaPvm": 2,
    "_ZdlPvSt11align_val_t": 2, "_ZdaPvSt11align_val_t": 2, "_ZdlPvmSt11align_val_t": 3,
    "_ZdaPvmSt11align_val_t": 3,
}  # fmt: skip
"""By name: how many operands there are. (What size and alignment a sized ``delete`` says is not checked.)"""


def heap_access(name: str, module: Module | None) -> BuildAccess | None:
    """The model of such a function, by its name, in a module; ``None`` if it is none of these, or frees what
    only somebody else can have allocated, as the module declares nothing that does: nobody knows that."""
    if name in _ALLOCATORS:
        return _allocation
    if module is not None and module.functions.keys().isdisjoint(_ALLOCATORS):
        return None
    return _deallocation if name in _DEALLOCATORS else None


def _allocation(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    count, allocator = _ALLOCATORS[name]
    types, result, d = parameter_types(call), call.type.result, context.domain
    if len(types) != count or not all(isinstance(t, IntType) for t in types):
        raise NotModelled(f"@{name} with other operands than it has")
    if not isinstance(result, PointerType):
        raise NotModelled(f"@{name} with another result than it has")
    if context.layout.pointer(result).index < Memory.HEAP_BITS:
        raise NotModelled(f"@{name} in addresses of {context.layout.pointer(result).bits} bits")
    space = result.address_space

    def number(operands: Sequence[Value], at: int) -> int:
        operand = operands[at]
        d.require(d.negate(operand.poison), f"{name} of a poison number", "Poison Values")
        return d.concrete(operand.bits, f"{name} of a symbolic number")

    def perform(access: Access, memory: Memory, thread: int) -> Pointer:
        operands = [scalar(operand) for operand in access.operands]
        size = 1
        for at in allocator.size:
            size *= number(operands, at)
        align = ALIGNMENT
        if allocator.align is not None:
            align = number(operands, allocator.align)
            if align & (align - 1) or not align:
                raise Undefined(f"{name} to a multiple of {align}, which is no power of two", "C17, 7.22.3.1")
        default = ZERO if allocator.zeroed else UNINITIALISED
        return memory.allocate(size, max(align, ALIGNMENT), thread, name, space, heap=True, default=default)

    shape = AccessShape(name, False, False, perform, operands=types, result=result, heap=True)
    return lambda *operands: Access(shape, None, operands)


def _deallocation(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    types, d = parameter_types(call), context.domain
    if len(types) != _DEALLOCATORS[name] or not isinstance(types[0], PointerType):
        raise NotModelled(f"@{name} with other operands than it has")

    def is_null(pointer: Value) -> bool:
        d.require(d.negate(pointer.poison), f"{name} of a poison pointer", "Poison Values")
        return pointer.provenance in (None, NULL) and d.concrete(pointer.bits, "a symbolic address") == 0

    def size(pointer: Value, memory: Memory) -> int:
        """Of the object that the pointer is the start of."""
        allocation = memory.object_at(pointer)
        if allocation is None or not allocation.heap:
            raise Undefined(f"{name} of what no such function has given, or of what was freed", FREE)
        return allocation.provenance.size

    def perform(access: Access, memory: Memory, thread: int) -> None:
        pointer = address(access)
        if is_null(pointer):
            return
        allocation, _ = memory.locate(pointer, size(pointer, memory), 1, thread, name, True)
        memory.release(Pointer(pointer.bits, allocation.provenance, d.false))

    def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
        pointer = address(access)
        if is_null(pointer):
            return ()
        return (touched(memory, pointer, size(pointer, memory), thread, True),)

    shape = AccessShape(
        name, False, True, perform, footprint=footprint, operands=types[1:], result=VOID,
        heap=True,
    )  # fmt: skip
    return lambda pointer, *rest: Access(shape, pointer, rest)
