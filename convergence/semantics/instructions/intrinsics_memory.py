"""LangRef, *Memory Use Markers*, *llvm.memcpy* and its kin, masked accesses, and those of matrices."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...ir import Int, IntType, PointerType, VectorType
from ...ir import instructions as ir
from ...ir.calls import callee_name
from .. import NotModelled, Undefined
from ..memory import Touch, filled, moved_cells, typed
from ..memory.accesses import Access, AccessShape, Footprint, PrepareAccess, address, touched
from ..memory.allocations import Memory
from ..values import Composite, Pointer, RuntimeValue, Value, elements, scalar
from ..values.context import Context, poison
from ..values.datalayout import ACCESS
from .intrinsics_values import argument, argument_type, flag, matrix_shape, vector_type
from .lifting import element_type, int_width
from .memory import loaded, stored

BuildAccess = Callable[[str, ir.CallSite, Context], PrepareAccess]


def align_attribute(call: ir.CallSite, index: int) -> int:
    """The ``align`` attribute of an argument, 1 without one."""
    for word in call.arguments[index].attributes:
        if word.startswith("align"):
            return int(word.removeprefix("align").strip("( )"))
    return 1


_COPYING = ("llvm.memcpy.", "llvm.memmove.", "llvm.memset.")
"""Their last operand says whether they are volatile."""
_MATRIX = {"llvm.matrix.column.major.load.": 2, "llvm.matrix.column.major.store.": 3}
"""Which of their operands says that."""


def volatile_call(call: ir.CallSite) -> bool:
    """Whether a call is one of a memory intrinsic that says that it is volatile."""
    name = callee_name(call) or ""
    at = next((place for start, place in _MATRIX.items() if name.startswith(start)), 3)
    return name.startswith((*_COPYING, *_MATRIX)) and flag(call, at)


def _length(value: RuntimeValue, memory: Memory, name: str) -> int:
    """How many bytes; poison is undefined behaviour."""
    length, d = scalar(value), memory.domain
    d.require(d.negate(length.poison), f"{name} of a poison number of bytes", f"'{name}' Intrinsic")
    number = d.concrete(length.bits, f"{name} of a symbolic number of bytes")
    if number > ACCESS:
        raise NotModelled(f"{name} of {number} bytes")
    return number


def copy(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """Bytes with their poison and provenance. memcpy: undefined behaviour if the ranges overlap and
    differ."""
    to_align, from_align = align_attribute(call, 0), align_attribute(call, 1)
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
            cells = filled(length, spoiled)
        target.contents()[at : at + length] = cells

    def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
        length = _length(access.operands[1], memory, name)
        source = touched(memory, scalar(access.operands[0]), length, thread, False)
        return (source, touched(memory, address(access), length, thread, True)) if length else ()

    shape = AccessShape(
        name, True, True, perform, align=to_align, volatile=volatile_call(call), footprint=footprint,
        operands=(argument_type(call, 1), argument_type(call, 2)),
    )  # fmt: skip
    return lambda target, source, length, *_: Access(shape, target, (source, length))


def fill(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """Every byte becomes the given one."""
    align = align_attribute(call, 0)

    def perform(access: Access, memory: Memory, thread: int) -> None:
        byte, length = scalar(access.operands[0]), _length(access.operands[1], memory, name)
        if length:
            target, at = memory.locate(address(access), length, align, thread, name, True)
            target.contents()[at : at + length] = filled(length, byte)

    def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
        length = _length(access.operands[1], memory, name)
        return (touched(memory, address(access), length, thread, True),) if length else ()

    shape = AccessShape(
        name, False, True, perform, align=align, volatile=volatile_call(call), footprint=footprint,
        operands=(argument_type(call, 1), argument_type(call, 2)),
    )  # fmt: skip
    return lambda target, value, length, *_: Access(shape, target, (value, length))


def lifetime(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """start: the stack object is alive and uninitialised; end: it is dead. Other objects are not affected."""
    alive = name.endswith(".start")

    def perform(access: Access, memory: Memory, thread: int) -> None:
        memory.set_lifetime(address(access), alive)

    shape = AccessShape(name, False, True, perform)
    return lambda *operands: Access(shape, operands[-1])


def load_relative(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """Reads an i32 at the offset from the pointer; gives the pointer that many bytes from the first one.

    What it reaches is another object, so it may point to whatever lies there.
    """
    d, offset_bits = context.domain, int_width(argument_type(call, 1))
    pointer_type = argument_type(call)
    assert isinstance(pointer_type, PointerType)
    bits = context.layout.pointer(pointer_type).bits
    w, narrow = d.width(bits), IntType(32)
    load = loaded(typed(narrow, context.layout, d), narrow, 4, context.layout, d)
    resize = d.sext(offset_bits, bits) if offset_bits <= bits else d.trunc(offset_bits, bits)
    extend = d.sext(32, bits)

    def at(access: Access) -> Pointer:
        base, offset = address(access), scalar(access.operands[0])
        poison = d.either(base.poison, offset.poison)
        return Pointer(w.add(base.bits, resize(offset.bits)), base.provenance, poison)

    def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue:
        distance = scalar(load(memory, at(access), thread))
        return Pointer(w.add(address(access).bits, extend(distance.bits)), None, distance.poison)

    def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
        return (touched(memory, at(access), 4, thread, False),)

    shape = AccessShape(name, True, False, perform, 4, narrow, 4, footprint=footprint)
    return lambda pointer, offset: Access(shape, pointer, (offset,))


def stack(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """stacksave: how high the thread's stack is; stackrestore: releases what was allocated since. Where it is
    done later than its thread comes to it, the objects of the thread until then are further operands."""
    type_ = call.type.result if name == "llvm.stacksave" else argument_type(call)
    assert isinstance(type_, PointerType)
    layout, d = context.layout.pointer(type_), context.domain

    def save(access: Access, memory: Memory, thread: int) -> RuntimeValue:
        height = memory.stack_height(thread, layout.index)
        return Pointer(d.width(layout.bits).constant(height), None, d.false)

    def restore(access: Access, memory: Memory, thread: int) -> None:
        height = d.concrete(address(access).bits, "a symbolic stack height")
        among = [scalar(pointer) for pointer in access.operands] or None
        memory.release_above(thread, height, layout.index, among)

    if name == "llvm.stacksave":
        shape = AccessShape(name, False, False, save)
        return lambda: Access(shape, None)
    restoring = AccessShape(name, False, True, restore)
    return lambda pointer, *objects: Access(restoring, pointer, objects)


MEMORY: Mapping[str, BuildAccess] = {
    "llvm.memcpy": copy,
    "llvm.memcpy.inline": copy,
    "llvm.memmove": copy,
    "llvm.memset": fill,
    "llvm.memset.inline": fill,
    "llvm.lifetime.start": lifetime,
    "llvm.lifetime.end": lifetime,
    "llvm.spv.lifetime.start": lifetime,
    "llvm.spv.lifetime.end": lifetime,
    "llvm.load.relative": load_relative,
    "llvm.stacksave": stack,
    "llvm.stackrestore": stack,
}


# -- LangRef, *Masked Vector Load and Store*, *Gather and Scatter*, *Expanding Load and Compressing Store*
# Lanes whose mask is not set are not accessed at all.

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

    shape = AccessShape(name, True, False, perform, type=type_, footprint=_footprint(lanes, form.size, False))
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

    shape = AccessShape(name, False, True, perform, type=type_, footprint=_footprint(lanes, form.size, True))
    return lambda value, pointer, *rest: Access(shape, _pointer(pointer), (pointer, rest[-1], value))


MASKED: Mapping[str, Callable[[str, ir.CallSite, Context], PrepareAccess]] = {
    "llvm.masked.load": masked_load,
    "llvm.masked.gather": masked_load,
    "llvm.masked.expandload": masked_load,
    "llvm.masked.store": masked_store,
    "llvm.masked.scatter": masked_store,
    "llvm.masked.compressstore": masked_store,
}


# -- LangRef, *Matrix Intrinsics*: columns that lie so many elements apart


MatrixColumns = Callable[[Access, Memory], list[Value]]


def _columns(call: ir.CallSite, at: int, type_: VectorType, context: Context) -> MatrixColumns:
    """The address of each element, column by column: the pointer is operand ``at``, the stride the next. A
    stride of fewer elements than a column has is not modelled, nor are elements that are no whole bytes: what
    these say is not defined."""
    d, size = context.domain, context.layout.size(type_.element)
    if context.layout.bits(type_.element) != 8 * size:
        raise NotModelled(f"a matrix of {type_.element} in memory")
    pointer_type = argument_type(call, at)
    assert isinstance(pointer_type, PointerType)
    rows, columns = matrix_shape(call, at + 3, type_)
    w, align = d.width(context.layout.pointer(pointer_type).bits), align_attribute(call, at)

    def addresses(access: Access, memory: Memory) -> list[Value]:
        base, stride = address(access), scalar(access.operands[0])
        apart = d.concrete(stride.bits, "a symbolic stride of a matrix")
        if stride.poison is not False or apart < rows:
            what = apart if stride.poison is False else "poison"
            raise NotModelled(f"a matrix of {rows} rows with a stride of {what}")
        if d.concrete(base.bits, "a symbolic address") % align:
            raise Undefined(
                f"misaligned {access.shape.kind}: no multiple of {align}", "'llvm.matrix.*' Intrinsics"
            )
        places = [column * apart + row for column in range(columns) for row in range(rows)]
        return [
            Pointer(w.add(base.bits, w.constant(place * size)), base.provenance, base.poison)
            for place in places
        ]

    return addresses


def _matrix_footprint(columns: MatrixColumns, size: int, write: bool) -> Footprint:
    return lambda access, memory, thread: tuple(
        touched(memory, pointer, size, thread, write) for pointer in columns(access, memory)
    )


def matrix_load(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """A matrix, column by column."""
    type_ = vector_type(call.type.result)
    form = typed(type_.element, context.layout, context.domain)
    load = loaded(form, type_.element, 1, context.layout, context.domain)
    columns = _columns(call, 0, type_, context)

    def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue:
        return Composite(tuple(load(memory, pointer, thread) for pointer in columns(access, memory)))

    shape = AccessShape(
        name, True, False, perform, type=type_, volatile=volatile_call(call),
        footprint=_matrix_footprint(columns, form.size, False), operands=(argument_type(call, 1),),
    )  # fmt: skip
    return lambda pointer, stride, *_: Access(shape, pointer, (stride,))


def matrix_store(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """A matrix is written, column by column."""
    type_ = vector_type(argument_type(call))
    form = typed(type_.element, context.layout, context.domain)
    store, columns = stored(form, 1), _columns(call, 1, type_, context)

    def perform(access: Access, memory: Memory, thread: int) -> None:
        values = elements(access.operands[1])
        for pointer, value in zip(columns(access, memory), values, strict=True):
            store(memory, pointer, value, thread)

    shape = AccessShape(
        name, False, True, perform, type=type_, volatile=volatile_call(call),
        footprint=_matrix_footprint(columns, form.size, True), operands=(argument_type(call, 2), type_),
    )  # fmt: skip
    return lambda value, pointer, stride, *_: Access(shape, pointer, (stride, value))


MATRICES: Mapping[str, BuildAccess] = {
    "llvm.matrix.column.major.load": matrix_load,
    "llvm.matrix.column.major.store": matrix_store,
}
