"""LangRef, *Memory Use Markers*, *llvm.memcpy* and its kin, *Masked Vector Load and Store*."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...ir import instructions as ir
from ...ir.types import IntType, PointerType
from ..context import Context
from ..memory import Memory
from ..memory_pieces import filled, moved_cells, typed
from ..values import Composite, Pointer, RuntimeValue, Undefined, Value, elements, scalar
from ..values_of_types import poison
from .access import Access, PrepareAccess, Shape, Touch, address, touched
from .intrinsics_integer import argument_type, flag
from .intrinsics_vector import vector_type
from .memory import loaded, stored

BuildAccess = Callable[[str, ir.CallSite, Context], PrepareAccess]


def _align(call: ir.CallSite, index: int) -> int:
    """The ``align`` attribute of an argument, 1 without one."""
    for word in call.arguments[index].attributes:
        if word.startswith("align"):
            return int(word.removeprefix("align").strip("( )"))
    return 1


def _length(value: RuntimeValue, memory: Memory, name: str) -> int:
    """How many bytes; poison is undefined behaviour."""
    length, d = scalar(value), memory.domain
    d.require(d.negate(length.poison), f"{name} of a poison number of bytes", f"'{name}' Intrinsic")
    return d.concrete(length.bits, f"{name} of a symbolic number of bytes")


def copy(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """Bytes with their poison and provenance. memcpy: undefined behaviour if the ranges overlap and
    differ."""
    to_align, from_align = _align(call, 0), _align(call, 1)
    may_overlap = name == "llvm.memmove"
    spoiled = scalar(poison(IntType(8), context.layout, context.domain))

    def perform(access: Access, memory: Memory, thread: int) -> None:
        length = _length(access.operands[1], memory, name)
        if not length:
            return
        source, start = memory.locate(scalar(access.operands[0]), length, from_align, thread, name, False)
        target, at = memory.locate(address(access), length, to_align, thread, name, True)
        if target is source and not may_overlap and 0 < abs(at - start) < length:
            raise Undefined(f"{name} of ranges that overlap", f"'{name}' Intrinsic")
        if source.alive:
            cells = moved_cells(source.contents()[start : start + length], at - start)
        else:  # every byte outside an object's lifetime is poison
            cells = filled(at, length, spoiled)
        target.contents()[at : at + length] = cells

    def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
        length = _length(access.operands[1], memory, name)
        source = touched(memory, scalar(access.operands[0]), length, thread, False)
        return (source, touched(memory, address(access), length, thread, True)) if length else ()

    shape = Shape(name, True, True, perform, align=to_align, volatile=flag(call, 3), footprint=footprint)
    return lambda target, source, length, *_: Access(shape, target, (source, length))


def fill(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """Every byte becomes the given one."""
    align = _align(call, 0)

    def perform(access: Access, memory: Memory, thread: int) -> None:
        byte, length = scalar(access.operands[0]), _length(access.operands[1], memory, name)
        if length:
            target, at = memory.locate(address(access), length, align, thread, name, True)
            target.contents()[at : at + length] = filled(at, length, byte)

    def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
        length = _length(access.operands[1], memory, name)
        return (touched(memory, address(access), length, thread, True),) if length else ()

    shape = Shape(name, False, True, perform, align=align, volatile=flag(call, 3), footprint=footprint)
    return lambda target, value, length, *_: Access(shape, target, (value, length))


def lifetime(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """start: the stack object is alive and uninitialised; end: it is dead. Other objects are not affected."""
    alive = name == "llvm.lifetime.start"

    def perform(access: Access, memory: Memory, thread: int) -> None:
        memory.set_lifetime(address(access), alive)

    shape = Shape(name, False, True, perform)
    return lambda *operands: Access(shape, operands[-1])


def _lane_pointer(pointer: Value, lane: int, stride: int, context: Context) -> Pointer:
    w = context.domain.width(context.layout.pointers[0].bits)
    return Pointer(w.add(pointer.bits, w.constant(lane * stride)), pointer.provenance, pointer.poison)


def _enabled(mask: RuntimeValue, memory: Memory, name: str) -> list[bool]:
    """Which lanes take part; a poison mask lane is undefined behaviour."""
    d, lanes = memory.domain, [scalar(lane) for lane in elements(mask)]
    for lane in lanes:
        d.require(d.negate(lane.poison), f"{name} with a poison mask", f"'{name}' Intrinsics")
    return [bool(d.concrete(lane.bits, "a symbolic mask")) for lane in lanes]


def masked_load(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """The lanes whose mask is set, from memory; the others from the last operand. No access for them."""
    type_ = vector_type(call.type.result)
    form = typed(type_.element, context.layout, context.domain)
    load = loaded(form, type_.element, 1, context.layout, context.domain)

    def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue:
        mask, passed = access.operands
        return Composite(
            tuple(
                load(memory, _lane_pointer(address(access), i, form.size, context), thread) if on else other
                for i, (on, other) in enumerate(
                    zip(_enabled(mask, memory, name), elements(passed), strict=True)
                )
            )
        )

    shape = Shape(name, True, False, perform, type=type_, footprint=_lanes(name, form.size, False, context))
    return lambda pointer, *rest: Access(shape, pointer, rest[-2:])


def masked_store(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """The lanes whose mask is set are written; the others are not touched."""
    type_ = vector_type(argument_type(call))
    form = typed(type_.element, context.layout, context.domain)
    store = stored(form, 1)

    def perform(access: Access, memory: Memory, thread: int) -> None:
        mask, value = access.operands
        for i, (on, lane) in enumerate(zip(_enabled(mask, memory, name), elements(value), strict=True)):
            if on:
                store(memory, _lane_pointer(address(access), i, form.size, context), lane, thread)

    shape = Shape(name, False, True, perform, type=type_, footprint=_lanes(name, form.size, True, context))
    return lambda value, pointer, *rest: Access(shape, pointer, (rest[-1], value))


def _lanes(
    name: str, size: int, write: bool, context: Context
) -> Callable[[Access, Memory, int], tuple[Touch, ...]]:
    def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
        pointer = address(access)
        return tuple(
            touched(memory, _lane_pointer(pointer, i, size, context), size, thread, write)
            for i, on in enumerate(_enabled(access.operands[0], memory, name))
            if on
        )

    return footprint


def stack(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """stacksave: how high the thread's stack is; stackrestore: releases what was allocated since."""
    type_ = call.type.result if name == "llvm.stacksave" else argument_type(call)
    assert isinstance(type_, PointerType)
    layout, d = context.layout.pointer(type_), context.domain

    def save(access: Access, memory: Memory, thread: int) -> RuntimeValue:
        height = memory.stack_height(thread, layout.index)
        return Pointer(d.width(layout.bits).constant(height), None, d.false)

    def restore(access: Access, memory: Memory, thread: int) -> None:
        memory.release_above(
            thread, d.concrete(address(access).bits, "a symbolic stack height"), layout.index
        )

    if name == "llvm.stacksave":
        shape = Shape(name, False, False, save)
        return lambda: Access(shape, None)
    restoring = Shape(name, False, True, restore)
    return lambda pointer: Access(restoring, pointer)


MEMORY: Mapping[str, BuildAccess] = {
    "llvm.memcpy": copy,
    "llvm.memcpy.inline": copy,
    "llvm.memmove": copy,
    "llvm.memset": fill,
    "llvm.memset.inline": fill,
    "llvm.lifetime.start": lifetime,
    "llvm.lifetime.end": lifetime,
    "llvm.masked.load": masked_load,
    "llvm.masked.store": masked_store,
    "llvm.stacksave": stack,
    "llvm.stackrestore": stack,
}
