"""LangRef, *Masked Vector Load and Store*, *Gather and Scatter*, *Expanding Load and Compressing Store*.

Lanes whose mask is not set are not accessed at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...ir import instructions as ir
from ...ir.operands import Int
from ...ir.types import PointerType
from ..errors import Undefined
from ..memory.accesses import Access, PrepareAccess, Shape, Touch, touched
from ..memory.allocations import Memory
from ..memory.bytes import typed
from ..values.context import Context
from ..values.value import Composite, Pointer, RuntimeValue, Value, elements, scalar
from .intrinsics_integer import argument, argument_type
from .intrinsics_memory import align_attribute
from .intrinsics_vector import vector_type
from .lifting import element_type
from .memory import loaded, stored

Lane = tuple[int, Pointer | Value]
"""A lane that takes part, and its address."""
Lanes = Callable[[Access, Memory], list[Lane]]


def _enabled(mask: RuntimeValue, memory: Memory, name: str) -> list[int]:
    """Which lanes take part; a poison mask lane is undefined behaviour."""
    d, lanes = memory.domain, [scalar(lane) for lane in elements(mask)]
    for lane in lanes:
        d.require(d.negate(lane.poison), f"{name} with a poison mask", f"'{name}' Intrinsics")
    return [i for i, lane in enumerate(lanes) if d.concrete(lane.bits, "a symbolic mask")]


def _lanes(name: str, call: ir.CallSite, position: int, stride: int, context: Context) -> Lanes:
    """The addresses of the lanes: a vector's elements, or one lane after the other from a pointer on;
    expandload and compressstore count only lanes that take part."""
    type_, d = argument_type(call, position), context.domain
    pointer_type = element_type(type_)
    assert isinstance(pointer_type, PointerType)
    w, align = d.width(context.layout.pointer(pointer_type).bits), _align(call, position)
    dense = name in ("llvm.masked.expandload", "llvm.masked.compressstore")

    def aligned(pointer: Value) -> Value:
        if d.concrete(pointer.bits, "a symbolic address") % align:
            raise Undefined(f"misaligned {name}: no multiple of {align}", f"'{name}' Intrinsics")
        return pointer

    def gathered(access: Access, memory: Memory) -> list[Lane]:
        pointers, mask = elements(access.operands[0]), access.operands[1]
        return [(i, aligned(scalar(pointers[i]))) for i in _enabled(mask, memory, name)]

    def contiguous(access: Access, memory: Memory) -> list[Lane]:
        base, taking_part = scalar(access.operands[0]), _enabled(access.operands[1], memory, name)
        lanes: list[Lane] = []
        for rank, i in enumerate(taking_part):
            bits = w.add(aligned(base).bits, w.constant((rank if dense else i) * stride))
            lanes.append((i, Pointer(bits, base.provenance, base.poison)))
        return lanes

    return contiguous if type_ == pointer_type else gathered


def _align(call: ir.CallSite, position: int) -> int:
    """An attribute of the pointer; before LLVM 22, an operand after it."""
    following = argument(call, position + 1)
    return following.value if isinstance(following, Int) else align_attribute(call, position)


def _footprint(lanes: Lanes, size: int, write: bool) -> Callable[[Access, Memory, int], tuple[Touch, ...]]:
    return lambda access, memory, thread: tuple(
        touched(memory, pointer, size, thread, write) for _, pointer in lanes(access, memory)
    )


def _pointer(value: RuntimeValue) -> Value | None:
    return value if isinstance(value, Value) else None


def masked_load(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """The lanes whose mask is set, from memory; the others from the last operand."""
    type_ = vector_type(call.type.result)
    form = typed(type_.element, context.layout, context.domain)
    load = loaded(form, type_.element, 1, context.layout, context.domain)
    lanes = _lanes(name, call, 0, form.size, context)

    def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue:
        result = list(elements(access.operands[2]))
        for i, pointer in lanes(access, memory):
            result[i] = load(memory, pointer, thread)
        return Composite(tuple(result))

    shape = Shape(name, True, False, perform, type=type_, footprint=_footprint(lanes, form.size, False))
    return lambda pointer, *rest: Access(shape, _pointer(pointer), (pointer, *rest[-2:]))


def masked_store(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """The lanes whose mask is set are written, from the first one on."""
    type_ = vector_type(argument_type(call))
    form = typed(type_.element, context.layout, context.domain)
    store, lanes = stored(form, 1), _lanes(name, call, 1, form.size, context)

    def perform(access: Access, memory: Memory, thread: int) -> None:
        values = elements(access.operands[2])
        for i, pointer in lanes(access, memory):
            store(memory, pointer, values[i], thread)

    shape = Shape(name, False, True, perform, type=type_, footprint=_footprint(lanes, form.size, True))
    return lambda value, pointer, *rest: Access(shape, _pointer(pointer), (pointer, rest[-1], value))


MASKED: Mapping[str, Callable[[str, ir.CallSite, Context], PrepareAccess]] = {
    "llvm.masked.load": masked_load,
    "llvm.masked.gather": masked_load,
    "llvm.masked.expandload": masked_load,
    "llvm.masked.store": masked_store,
    "llvm.masked.scatter": masked_store,
    "llvm.masked.compressstore": masked_store,
}
