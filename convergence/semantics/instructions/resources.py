"""Accesses through resources: AMDGPU's buffers, and the handles of DirectX and SPIR-V."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from ...ir import (
    I1,
    ArrayType,
    Bytes,
    Global,
    Int,
    IntType,
    Local,
    PointerType,
    StructType,
    TargetType,
    Type,
    VectorType,
)
from ...ir import instructions as ir
from ...ir.resources import (
    EXPLICIT,
    binding,
    constant_operands,
    counter_of,
    is_buffer,
    is_endless,
    nameless,
    register_range,
    text_at,
    variable_of,
)
from .. import NotModelled, Undefined
from ..memory import Touch, moved_cells, typed
from ..memory.accesses import Access, AccessShape, PrepareAccess, address, touched
from ..values import Bits, Composite, Pointer, Provenance, RuntimeValue, Value, elements, scalar
from ..values.context import Context, Evaluate, zero
from .intrinsics_values import Build, argument, argument_type
from .lifting import FAT, int_width
from .memory import contiguous, loaded, prepare_atomicrmw, prepare_cmpxchg, stored

if TYPE_CHECKING:
    from ..memory.allocations import Memory

# ----------------------------------------------------------------------------------------------------------
# AMDGPU's buffer accesses (LLVM's *User Guide for AMDGPU Backend*, *Buffer Resource*; the ISA documents,
# *Buffer Addressing* and *Range checking*).
#
# A buffer resource is 128 bits, as ``ptr addrspace(8)`` or ``<4 x i32>``: from the lowest bit on 48 of
# address, 14 of stride, two of swizzling, 32 of records, 32 of flags. An access is the resource's address,
# ``soffset``, ``voffset``, and of a structured buffer the index times the stride. What lies beyond the
# records, ``soffset`` left out, reads zero and is not written, four bytes at a time: that is what hardware
# does. What lies in them and in no object is undefined behaviour. Swizzled buffers are not modelled, nor
# are the flags: a format is taken as that of 32-bit values, as they are.
# ----------------------------------------------------------------------------------------------------------

BuildAccess = Callable[[str, ir.CallSite, Context], PrepareAccess]

_ADDRESS, _STRIDE, _SWIZZLE, _RECORDS, _FLAGS = 0, 48, 62, 64, 96
"""Where the parts of a resource begin, in bits."""
WIDTH = 128
"""Bits of a resource, and of a pointer of address space 7, which has an offset, too."""
_WORD = 4
"""Bytes that are checked together."""
POISON = "Poison Values"


class _Resource(NamedTuple):
    """A resource's parts; ``records`` are bytes, of a structured buffer structures."""

    address: int
    stride: int
    records: int
    provenance: Provenance | None


def make(call: ir.CallSite, context: Context) -> Evaluate:
    """``make.buffer.rsrc(base, stride, records, flags)``."""
    d, type_ = context.domain, call.type.result
    width = context.layout.bits(type_)
    if width not in (WIDTH, FAT):
        raise NotModelled(f"a buffer resource of {width} bits, as {type_}")
    w = d.width(WIDTH)
    base_bits = context.layout.bits(argument_type(call))
    parts = ((base_bits, 48, _ADDRESS), (int_width(argument_type(call, 1)), 14, _STRIDE),
             (int_width(argument_type(call, 2)), 32, _RECORDS), (32, 32, _FLAGS))  # fmt: skip
    cuts = [(d.zext(n, WIDTH), w.constant((1 << kept) - 1), w.constant(at)) for n, kept, at in parts]

    def evaluate(*operands: Value) -> Pointer:
        bits, poison = w.constant(0), d.false
        for operand, (widen, mask, at) in zip(operands, cuts, strict=True):
            bits = w.or_(bits, w.shl(w.and_(widen(operand.bits), mask), at))
            poison = d.either(poison, operand.poison)
        pointer = Pointer(bits, operands[0].provenance, poison)
        return pointer if width == WIDTH else fat(pointer, context)

    return evaluate


def fat(resource: Value, context: Context) -> Pointer:
    """The pointer of address space 7 to a resource's first byte: the resource above 32 bits of offset. It may
    point to whatever lies there."""
    d = context.domain
    bits = d.concat((d.width(32).constant(0), resource.bits), (32, WIDTH))
    return Pointer(bits, None, resource.poison)


def _resource(value: RuntimeValue, context: Context) -> _Resource:
    """What a resource says; a poison one is undefined behaviour."""
    d, bits = context.domain, 0
    words = [value] if isinstance(value, Value) else [scalar(word) for word in value.elements]
    for number, word in enumerate(words):
        d.require(d.negate(word.poison), "a buffer access through a poison resource", POISON)
        bits |= d.concrete(word.bits, "a symbolic buffer resource") << (32 * number)
    if bits >> _SWIZZLE & 3:
        raise NotModelled("a swizzled buffer resource")
    provenance = words[0].provenance if len(words) == 1 else None
    stride = bits >> _STRIDE & 0x3FFF
    return _Resource(bits & (1 << 48) - 1, stride, bits >> _RECORDS & 0xFFFFFFFF, provenance)


class _Place(NamedTuple):
    """Where an access begins, and how many bytes from there on are in the records."""

    pointer: Pointer
    room: int


def _number(value: RuntimeValue, context: Context) -> int:
    d, number = context.domain, scalar(value)
    d.require(d.negate(number.poison), "a buffer access at a poison offset", POISON)
    return int(d.concrete(number.bits, "a symbolic buffer offset"))


def _place(structured: bool, context: Context, operands: tuple[RuntimeValue, ...], more: int = 0) -> _Place:
    """``(resource, [vindex,] voffset, soffset)``; ``more`` is added to voffset."""
    resource, *rest = operands
    resource_value = _resource(resource, context)
    numbers = [_number(value, context) for value in rest[: 3 if structured else 2]]
    offset, fixed = numbers[-2] + more, numbers[-1]
    start = resource_value.address + offset + fixed
    if structured:
        start += numbers[0] * resource_value.stride
    if structured and resource_value.stride:
        room = resource_value.stride - offset if numbers[0] < resource_value.records else 0
    else:
        room = resource_value.records - offset
    w = context.domain.width(_address_bits(context))
    return _Place(Pointer(w.constant(start), resource_value.provenance, context.domain.false), max(0, room))


def _address_bits(context: Context) -> int:
    return context.layout.pointer(PointerType(1)).bits


Locate = Callable[..., _Place]


# -- Loads and stores


def _loading(type_: Type, place: Locate, context: Context, atomic: bool, align: int = 1) -> PrepareAccess:
    """A load of a type: of the words that are in the records, zero for the others."""
    layout, d = context.layout, context.domain
    status = isinstance(type_, StructType)  # the value, and 0: all pages were there
    value_type = type_.elements[0] if isinstance(type_, StructType) else type_
    form = typed(value_type, layout, d)
    load, nothing = loaded(form, value_type, align, layout, d), zero(value_type, layout, d)
    vector = isinstance(value_type, VectorType)
    element = value_type.element if isinstance(value_type, VectorType) else value_type
    step = typed(element, layout, d)
    load_one, nothing_one = loaded(step, element, 1, layout, d), zero(element, layout, d)
    size, unit = form.size, max(step.size, min(_WORD, form.size)) if vector else form.size

    def result(value: RuntimeValue) -> RuntimeValue:
        return Composite((value, Value(d.width(32).constant(0), d.false))) if status else value

    def whole(access: Access, memory: Memory, thread: int) -> RuntimeValue:
        return result(load(memory, address(access), thread))

    def outside(access: Access, memory: Memory, thread: int) -> RuntimeValue:
        return result(nothing)

    def partly(room: int, access: Access, memory: Memory, thread: int) -> RuntimeValue:
        start, w = address(access), d.width(_address_bits(context))
        elements = []
        for at in range(0, size, step.size):
            there = (at // unit + 1) * unit <= room
            pointer = Pointer(w.add(start.bits, w.constant(at)), start.provenance, d.false)
            elements.append(load_one(memory, pointer, thread) if there else nothing_one)
        return result(Composite(tuple(elements)))

    ordering = "monotonic" if atomic else None
    full = AccessShape("load", True, False, whole, size, value_type, align, ordering,
                       footprint=contiguous(size, False), result=type_)  # fmt: skip
    none = AccessShape("load", True, False, outside, 0, value_type, result=type_)

    def access(*operands: RuntimeValue) -> Access:
        pointer, room = place(operands)
        if room >= size:
            return Access(full, pointer)
        within = room // unit * unit
        if not vector or not within:
            return Access(none, None)
        shape = replace(full, perform=partial(partly, room), footprint=contiguous(within, False))
        return Access(shape, pointer)

    return access


def _storing(type_: Type, place: Locate, context: Context) -> PrepareAccess:
    """A store of a type's words that are in the records."""
    layout, d = context.layout, context.domain
    form = typed(type_, layout, d)
    element = type_.element if isinstance(type_, VectorType) else type_
    step = typed(element, layout, d)
    store, store_one = stored(form, 1), stored(step, 1)
    vector = isinstance(type_, VectorType)
    size, unit = form.size, max(step.size, min(_WORD, form.size)) if vector else form.size

    def whole(access: Access, memory: Memory, thread: int) -> None:
        store(memory, address(access), access.operands[0], thread)

    def outside(access: Access, memory: Memory, thread: int) -> None:
        pass

    def partly(within: int, access: Access, memory: Memory, thread: int) -> None:
        start, w = address(access), d.width(_address_bits(context))
        parts = elements(access.operands[0])
        for number, at in enumerate(range(0, within, step.size)):
            pointer = Pointer(w.add(start.bits, w.constant(at)), start.provenance, d.false)
            store_one(memory, pointer, parts[number], thread)

    full = AccessShape("store", False, True, whole, size, type_, 1, footprint=contiguous(size, True))
    none = AccessShape("store", False, True, outside, 0, type_)

    def access(value: RuntimeValue, *operands: RuntimeValue) -> Access:
        pointer, room = place(operands)
        if room >= size:
            return Access(full, pointer, (value,))
        within = room // unit * unit
        if not vector or not within:
            return Access(none, None, (value,))
        shape = replace(full, perform=partial(partly, within), footprint=contiguous(within, True))
        return Access(shape, pointer, (value,))

    return access


def _plain(type_: Type) -> None:
    """Raises NotModelled for a type of which a format makes something else."""
    element = type_.elements[0] if isinstance(type_, StructType) else type_
    element = element.element if isinstance(element, VectorType) else element
    if str(element) not in ("i32", "float"):
        raise NotModelled(f"buffer formats of {element}")


def load(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """``{raw,struct}[.ptr][.atomic].buffer.load[.format](resource, [vindex,] voffset, soffset, policy)``."""
    if ".format" in name:
        _plain(call.type.result)
    place = partial(_place, ".struct." in name, context)
    return _loading(call.type.result, place, context, ".atomic." in name)


def store(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """``{raw,struct}[.ptr].buffer.store[.format](value, resource, [vindex,] voffset, soffset, policy)``."""
    if ".format" in name:
        _plain(argument_type(call))
    return _storing(argument_type(call), partial(_place, ".struct." in name, context), context)


def scalar_load(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """``s.buffer.load(resource, offset, policy)``: of a structured buffer in bytes, too."""

    def place(operands: tuple[RuntimeValue, ...]) -> _Place:
        resource, offset = _resource(operands[0], context), _number(operands[1], context)
        room = resource.records * max(1, resource.stride) - offset
        w = context.domain.width(_address_bits(context))
        start = w.constant(resource.address + offset)
        return _Place(Pointer(start, resource.provenance, context.domain.false), max(0, room))

    return _loading(call.type.result, place, context, False)


# -- Atomic accesses

_OPERATIONS = {
    "swap": "xchg", "add": "add", "sub": "sub", "smin": "min", "umin": "umin", "smax": "max", "umax": "umax",
    "and": "and", "or": "or", "xor": "xor", "inc": "uinc_wrap", "dec": "udec_wrap", "fadd": "fadd",
    "fmin": "fmin", "fmax": "fmax", "cond.sub.u32": "usub_cond", "sub.clamp.u32": "usub_sat",
}  # fmt: skip


def atomic(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """``buffer.atomic.*(value, [compare,] resource, ...)``: gives the value before; zero beyond the records.
    It is monotonic."""
    operation = name.partition(".buffer.atomic.")[2]
    type_, d = argument_type(call), context.domain
    form, place = typed(type_, context.layout, d), partial(_place, ".struct." in name, context)
    operand = Local(type_, "")
    compares = operation == "cmpswap"
    if compares:
        swap = ir.CmpXchg(operand, operand, operand, "monotonic", "monotonic", align=1)
        modify = prepare_cmpxchg(swap, context)
    else:
        update = ir.AtomicRMW(_OPERATIONS[operation], operand, operand, "monotonic", align=1)
        modify = prepare_atomicrmw(update, context)
    nothing = zero(type_, context.layout, d)
    none = AccessShape("atomicrmw", True, True, lambda *_: nothing, 0, type_, ordering="monotonic")

    def first(shape: AccessShape) -> AccessShape:
        def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue:
            old = shape.perform(access, memory, thread)
            assert isinstance(old, Composite)
            return old.elements[0]

        return replace(shape, perform=perform, result=type_)

    def access(value: RuntimeValue, *rest: Any) -> Access:
        compare, operands = (rest[0], rest[1:]) if compares else (None, rest)
        pointer, room = place(operands)
        if room < form.size:
            return Access(none, None, (value,))
        if compare is None:
            return modify(pointer, value)
        old = modify(pointer, compare, value)
        return old._replace(shape=first(old.shape))

    return access


# -- Accesses through pointers of address space 7


def _fat_place(context: Context, operands: tuple[RuntimeValue, ...]) -> _Place:
    """Where a pointer of address space 7 points to: of a buffer without structures."""
    d, pointer = context.domain, scalar(operands[0])
    d.require(d.negate(pointer.poison), "an access through a poison pointer", POISON)
    bits = d.concrete(pointer.bits, "a symbolic address")
    w = d.width(WIDTH)
    resource = Pointer(w.constant(bits >> 32), None, d.false)
    offset = Value(d.width(32).constant(bits), d.false)
    return _place(False, context, (resource, offset, Value(d.width(32).constant(0), d.false)))


def fat_access(instruction: ir.Instruction, context: Context) -> PrepareAccess:
    """A load, store or atomicrmw, as the accesses of buffers that LLVM makes of it."""
    place = partial(_fat_place, context)
    match instruction:
        case ir.Load(type=type_, ordering=None, volatile=False) if not isinstance(type_, StructType):
            return _loading(type_, place, context, False)
        case ir.Store(ordering=None, volatile=False) if not isinstance(instruction.value.type, StructType):
            store = _storing(instruction.value.type, place, context)
            return lambda value, pointer: store(value, pointer)
        case ir.AtomicRMW():
            type_ = instruction.value.type
            size = typed(type_, context.layout, context.domain).size
            modify = prepare_atomicrmw(replace(instruction, align=1), context)
            nothing = zero(type_, context.layout, context.domain)
            none = AccessShape(
                "atomicrmw", True, True, lambda *_: nothing, 0, type_, ordering=instruction.ordering
            )

            def access(pointer: RuntimeValue, value: RuntimeValue) -> Access:
                place_there, room = place((pointer,))
                return Access(none, None, (value,)) if room < size else modify(place_there, value)

            return access
        case _:
            raise NotModelled("such an access through a pointer into a buffer resource")


# -- Loads into workgroup memory: each lane's bytes lie behind those of the lane before


class _Copy(NamedTuple):
    """From where, where to for lane 0, how many bytes, and how many there are in the records."""

    pointer: Pointer
    base: Pointer
    size: int
    room: int


def _lane(memory: Memory, thread: int) -> int:
    if memory.lane is None:
        raise NotModelled("loads into workgroup memory, here")
    return memory.lane(thread)


def _copying(
    name: str, context: Context, copy: Callable[..., tuple[Pointer, Value, int, int]]
) -> PrepareAccess:
    """From a place to the wave's base, further on by lane; zeros where the records end. ``copy`` is made
    from the operands."""
    d = context.domain
    local = d.width(context.layout.pointer(PointerType(3)).bits)

    def target(access: Access, memory: Memory, thread: int) -> Pointer:
        base, size = scalar(access.operands[0]), access.operands[1]
        at = local.constant(_lane(memory, thread) * _number(size, context))
        return Pointer(local.add(base.bits, at), base.provenance, base.poison)

    def perform(access: Access, memory: Memory, thread: int) -> None:
        size, room = (_number(access.operands[n], context) for n in (1, 2))
        to, at = memory.locate(target(access, memory, thread), size, 1, thread, "store", True)
        if room < size:
            zeros = zero(IntType(8 * size), context.layout, d)
            typed(IntType(8 * size), context.layout, d).write(to.contents(), at, zeros)
            return
        source, start = memory.locate(address(access), size, 1, thread, "load", False)
        to.contents()[at : at + size] = moved_cells(source.contents()[start : start + size], at - start)

    def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
        size, room = (_number(access.operands[n], context) for n in (1, 2))
        written = touched(memory, target(access, memory, thread), size, thread, True)
        if room < size:
            return (written,)
        return (touched(memory, address(access), size, thread, False), written)

    i32 = IntType(32)
    shape = AccessShape(name, True, True, perform, footprint=footprint,
                        operands=(PointerType(3), i32, i32))  # fmt: skip
    w32 = d.width(32)

    def access(*operands: Any) -> Access:
        pointer, base, size, room = copy(*operands)
        sizes = (Value(w32.constant(size), d.false), Value(w32.constant(min(room, 1 << 30)), d.false))
        return Access(shape, pointer, (base, *sizes))

    return access


def load_to_local(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """``load.to.lds`` and ``global.load.lds(from, base, size, offset, policy)``: the offset is added to both
    addresses."""
    d = context.domain
    w = d.width(context.layout.bits(argument_type(call)))
    if context.layout.bits(argument_type(call)) > 64:
        raise NotModelled(f"{name} through a buffer resource")

    def copy(
        source: Value, base: Value, size: Value, offset: Value, *_: Value
    ) -> tuple[Pointer, Value, int, int]:
        length, more = _number(size, context), _number(offset, context)
        pointer = Pointer(w.add(source.bits, w.constant(more)), source.provenance, source.poison)
        return _Copy(pointer, _local(base, more, context), length, length)

    return _copying(name, context, copy)


def buffer_load_to_local(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """``{raw,struct}[.ptr].buffer.load.lds(resource, base, size, [vindex,] voffset, soffset, offset,
    policy)``."""
    structured = ".struct." in name

    def copy(
        resource: RuntimeValue, base: Value, size: Value, *rest: Value
    ) -> tuple[Pointer, Value, int, int]:
        more = _number(rest[3 if structured else 2], context)
        pointer, room = _place(structured, context, (resource, *rest), more)
        return _Copy(pointer, _local(base, more, context), _number(size, context), room)

    return _copying(name, context, copy)


def _local(base: Value, more: int, context: Context) -> Pointer:
    w = context.domain.width(context.layout.pointer(PointerType(3)).bits)
    return Pointer(w.add(base.bits, w.constant(more)), base.provenance, base.poison)


# -- The tables

_FORMS = ("raw", "raw.ptr", "struct", "struct.ptr")
AMD_RESOURCES: Mapping[str, Build] = {"llvm.amdgcn.make.buffer.rsrc": make}
BUFFERS: Mapping[str, BuildAccess] = {
    **{f"llvm.amdgcn.{form}.buffer.load{more}": load for form in _FORMS for more in ("", ".format")},
    **{f"llvm.amdgcn.{form}.atomic.buffer.load": load for form in _FORMS},
    **{f"llvm.amdgcn.{form}.buffer.store{more}": store for form in _FORMS for more in ("", ".format")},
    **{f"llvm.amdgcn.{form}.buffer.load.lds": buffer_load_to_local for form in _FORMS},
    **{f"llvm.amdgcn.{form}.buffer.atomic.{name}": atomic for form in _FORMS
       for name in (*_OPERATIONS, "cmpswap")},
    "llvm.amdgcn.s.buffer.load": scalar_load,
    "llvm.amdgcn.load.to.lds": load_to_local,
    "llvm.amdgcn.global.load.lds": load_to_local,
}  # fmt: skip


# ----------------------------------------------------------------------------------------------------------
# Resources of DirectX and SPIR-V (LLVM's *DXIL Resource Handling*): handles and their accesses.
#
# A handle is the address of the buffer that is bound, so that a pointer into it is an address in it, and an
# access out of it is undefined behaviour as any other. What a launch binds are variables of the module
# (:mod:`convergence.ir.resources`).
# ----------------------------------------------------------------------------------------------------------


I8, I32 = IntType(8), IntType(32)
ROW = 16
"""Bytes of a row of a constant buffer."""
CHOSEN = 16
"""Resources of a range at most among which a number chooses that is known when code runs only."""


# -- Handles


def handle(call: ir.CallSite, context: Context) -> Evaluate:
    """``handlefrombinding(space, lower bound, size of the range, index, name)``, and
    ``handlefromimplicitbinding(order, space, size of the range, index, name)``."""
    type_, d = call.type.result, context.domain
    if not is_buffer(type_):
        raise NotModelled(f"resources of type {type_}")
    explicit = binding(call) == EXPLICIT
    constants = constant_operands(context.module, call)
    guesses = [c.value if isinstance(c, Int) else None for c in constants]
    text = text_at(context.module, constants[4]) if len(constants) > 4 else ""

    def evaluate(*operands: Value) -> RuntimeValue:
        for operand in operands[:4]:
            sound = d.negate(operand.poison)
            d.require(sound, "a resource of a poison register", "Poison Values")
        first, second, count = (
            d.concrete(o.bits, "a symbolic register", guess)
            for o, guess in zip(operands[:3], guesses[:3], strict=True)
        )

        def resource(index: int) -> Value:
            if explicit:
                return _bound(register_range(call, first, second, count).register(index), context)
            name = text or (_text(operands[4], context) if len(operands) > 4 else "") or nameless(first)
            return _bound(name if count == 1 else f"{name}[{index}]", context)

        number = operands[3].bits
        if not isinstance(number, int) and guesses[3] is None and 1 < count <= CHOSEN:
            return _chosen([resource(index) for index in range(count)], number, context)
        index = d.concrete(number, "a symbolic register", guesses[3])
        if not is_endless(count) and index >= count:
            reason = f"index {index} of a range of {count} resources"
            raise Undefined(reason, "DirectX Resources")
        return resource(index)

    return evaluate


def _chosen(resources: Sequence[Value], number: Bits, context: Context) -> RuntimeValue:
    """The one of some resources that a computed number says."""
    d, w = context.domain, context.domain.width(32)
    d.require(w.ult(number, w.constant(len(resources))), "an index out of a range", "DirectX Resources")
    chosen: RuntimeValue = resources[-1]
    for index, resource in enumerate(resources[:-1]):
        chosen = d.choose(w.eq(number, w.constant(index)), resource, chosen)
    return chosen


def _bound(key: str, context: Context) -> Value:
    """The address of what is bound there."""
    name = variable_of(key)
    if name not in context.module.globals:
        raise NotModelled(f"the resource {key}, which is given no buffer")
    known = context.address_of(name)
    w = context.domain.width(context.layout.pointers[0].bits)
    address = w.constant(known.bits)  # of a width, as it may be chosen among others
    return Pointer(address, known.provenance, known.poison)


def _text(pointer: Value, context: Context) -> str:
    """The constant text that a pointer points to."""
    address = context.domain.concrete(pointer.bits, "the name of a resource that is computed")
    for name, variable in context.module.globals.items():
        if isinstance(variable.initializer, Bytes) and context.address_of(name).bits == address:
            return text_at(context.module, Global(name))
    return ""


def same_handle(call: ir.CallSite, context: Context) -> Evaluate:
    """The operand: a handle seen as another type, an index that may differ between lanes."""
    return lambda operand, *_: operand


def counter(call: ir.CallSite, context: Context) -> Evaluate:
    """The handle of a buffer's counter."""
    return lambda buffer, *_: _counter(buffer, context)


def _counter(buffer: Value, context: Context) -> Value:
    """The handle of the counter of the buffer that a handle stands for, which is the buffer's address."""
    d, known = context.domain, context.domain.false
    chosen: RuntimeValue | None = None
    w = d.width(context.layout.pointers[0].bits)
    for name, variable in context.module.globals.items():
        if not variable.buffer:
            continue
        same = w.eq(buffer.bits, context.address_of(name).bits)
        if same is d.false:
            continue
        if same is d.true:
            return _bound(counter_of(variable.buffer), context)
        if variable_of(counter_of(variable.buffer)) in context.module.globals:
            counter = _bound(counter_of(variable.buffer), context)
            chosen = counter if chosen is None else d.choose(same, counter, chosen)
            known = d.either(known, same)
    if chosen is None:
        raise NotModelled("the counter of what is no resource")
    d.require(known, "the counter of what is no resource", "DirectX Resources")
    assert isinstance(chosen, Value)
    return chosen


# -- Elements

_CHANNELS = {
    1: 4, 2: 4, 3: 1, 6: 2, 7: 2, 9: 1, 21: 4, 22: 4, 24: 1, 25: 2, 26: 2, 28: 1, 30: 4, 31: 4, 33: 1, 35: 2,
    36: 2, 38: 1, 40: 1, 41: 1,
}  # fmt: skip
"""SPIR-V's image formats whose channels have the width of what is read: how many there are."""


def element_of_handle(type_: Type) -> Type:
    """What a buffer is an array of; a type of another kind is one object."""
    match type_:
        case TargetType("spirv.VulkanBuffer", (ArrayType(_, element), *_)):
            return element
        case TargetType("spirv.Image" | "spirv.SignedImage", (scalar, *_), (_, _, _, _, _, image_format)):
            channels = _CHANNELS.get(image_format)
            if channels is None:
                raise NotModelled(f"the image format {image_format} of {type_}")
            return scalar if channels == 1 else VectorType(channels, scalar)
        case TargetType(_, (element, *_)):
            return element
        case _:
            raise NotModelled(f"a handle of type {type_}")


Place = Callable[..., Value]
"""From the handle and the operands behind it to the address."""


def _moved(context: Context, index_type: Type, scale: int) -> Callable[[Value, Value], Pointer]:
    """So many elements further on, without a sign."""
    d = context.domain
    bits = context.layout.pointers[0].bits
    w, n = d.width(bits), int_width(index_type)
    resize, stride = d.zext(n, bits) if n <= bits else d.trunc(n, bits), w.constant(scale)

    def move(base: Value, index: Value) -> Pointer:
        poison = d.either(base.poison, index.poison)
        return Pointer(w.add(base.bits, w.mul(resize(index.bits), stride)), base.provenance, poison)

    return move


def _places(call: ir.CallSite, context: Context) -> Place:
    """The address of the element that an index says: of a structure that is no array, of its member."""
    type_ = argument_type(call)
    element = _element(call, type_, context)
    body = context.layout.resolve(element)
    index = argument(call, 1)
    if type_.name == "spirv.VulkanBuffer" and not isinstance(type_.types[0], ArrayType):  # type: ignore[union-attr]
        start = 0
        if isinstance(body, StructType):
            if not isinstance(index, Int):
                raise NotModelled("a member of a constant buffer that is computed")
            start = context.layout.offsets(body)[index.value]
        offset = Value(context.domain.width(32).constant(start), context.domain.false)
        member = _moved(context, I32, 1)
        return lambda base, *_: member(base, offset)
    move = _moved(context, argument_type(call, 1), _stride(type_, element, context))
    return lambda base, index, *_: move(base, index)


def _stride(type_: Type, element: Type, context: Context) -> int:
    """How many bytes an element is behind the one before it. In a storage buffer of Vulkan vectors lie side
    by side, as LLVM's back end says there (*ArrayStride*): three words take twelve bytes, and sixteen
    everywhere else."""
    if isinstance(type_, TargetType) and type_.name == "spirv.VulkanBuffer":
        if isinstance(element, VectorType):
            return element.count * context.layout.size(element.element)
    return context.layout.size(element)


_DEREFERENCEABLE = re.compile(r"dereferenceable\((\d+)\)\Z")


def _element(call: ir.CallSite, type_: Type, context: Context) -> Type:
    """What an index counts. An image may not say its format: then clang's call says how large a value is."""
    match type_:
        case TargetType("spirv.Image" | "spirv.SignedImage", (scalar, *_), (_, _, _, _, _, 0)):
            words = context.module.resolve(call.return_attributes)
            sizes = [int(size[1]) for word in words if (size := _DEREFERENCEABLE.match(word)) is not None]
            if sizes:
                return ArrayType(sizes[0] // context.layout.size(scalar), scalar)
    return element_of_handle(type_)


def pointer(call: ir.CallSite, context: Context) -> Evaluate:
    """``getpointer(handle, index)``: where an element is."""
    return _places(call, context)


def _raw_places(call: ir.CallSite, context: Context) -> Place:
    """``(handle, index, offset)``: of a buffer of bytes the index is the byte, and there is no offset."""
    element = element_of_handle(argument_type(call))
    size = 1 if element == I8 else context.layout.size(element)
    move = _moved(context, argument_type(call, 1), size)
    if element == I8:
        return lambda base, index, *_: move(base, index)
    into = _moved(context, argument_type(call, 2), 1)
    return lambda base, index, offset, *_: into(move(base, index), offset)


def _row_places(call: ir.CallSite, context: Context) -> Place:
    """``(handle, row)``: sixteen bytes a row."""
    move = _moved(context, argument_type(call, 1), ROW)
    return lambda base, row, *_: move(base, row)


def dimensions(call: ir.CallSite, context: Context) -> Evaluate:
    """``getdimensions.x``: how many elements a buffer has; of one of bytes, how many bytes."""
    d, type_ = context.domain, argument_type(call)
    size = max(1, _stride(type_, element_of_handle(type_), context))
    w = d.width(int_width(call.type.result))
    elements = w.constant(size)

    def evaluate(base: Value) -> Value:
        if base.provenance is None:
            raise NotModelled("the size of what is no resource")
        return Value(w.udiv(w.constant(base.provenance.size), elements), base.poison)

    return evaluate


def texels(call: ir.CallSite, context: Context) -> Evaluate:
    """``getdimensions.texels(handle, bytes of a channel, channels)``: how many texels an image has along x, y
    and z, and how many channels each, by the shape that the launch gives its buffer; 0 channels ask for
    those. Where there are several, they are the shape's last dimension."""
    result, size, channels = call.type.result, argument(call, 1), argument(call, 2)
    if not isinstance(result, VectorType) or not isinstance(size, Int) or not isinstance(channels, Int):
        raise NotModelled("an image whose texels have a computed size")
    count, w, d = result.count - 1, context.domain.width(32), context.domain
    texel = size.value, channels.value

    def evaluate(base: Value, *_: Value) -> RuntimeValue:
        extents, number = _image_extents(base, count, texel, context)
        return Composite(tuple(Value(w.constant(n), d.false) for n in (*reversed(extents), number)))

    return evaluate


def _image_extents(
    base: Value, count: int, texel: tuple[int, int], context: Context
) -> tuple[tuple[int, ...], int]:
    """The texels along the dimensions of the image at an address, the slowest first, and their channels. The
    numbers of the launch may be wider than a channel, or narrower, as long as a texel is as large."""
    size, channels = texel
    for name, variable in context.module.globals.items():
        if not variable.buffer or context.address_of(name).provenance != base.provenance:
            continue
        if not variable.shape or not isinstance(variable.type, ArrayType):
            raise NotModelled(f"the image {variable.buffer}, which is given no buffer")
        number, shape = context.layout.size(variable.type.element), variable.shape
        extents, last = shape[:count], shape[count:]
        bytes_ = number * prod(last)
        there = channels or bytes_ // size
        if len(extents) == count and len(last) < 2 and there in range(1, 5) and there * size == bytes_:
            return extents, there
        wanted = f"{channels or '1 to 4'} channel{'' if channels == 1 else 's'} of {size} bytes"
        raise NotModelled(
            f"the image {variable.buffer} as [{','.join(map(str, shape))}] numbers of {number} bytes: it has "
            f"{count} dimension{'' if count == 1 else 's'} of texels of {wanted}"
        )
    raise NotModelled("the size of what is no image")


# -- Accesses


def _load(name: str, call: ir.CallSite, context: Context, place: Place) -> PrepareAccess:
    """A load at the place. DirectX also says whether all of it was mapped: it was."""
    result = call.type.result
    checked = isinstance(result, StructType) and len(result.elements) == 2 and result.elements[1] == I1
    type_ = result.elements[0] if checked and isinstance(result, StructType) else result
    layout, d = context.layout, context.domain
    form = typed(type_, layout, d)
    load, mapped = loaded(form, type_, 1, layout, d), Value(d.bit(True), d.false)

    def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue:
        value = load(memory, address(access), thread)
        return Composite((value, mapped)) if checked else value

    shape = AccessShape(
        "load",
        True,
        False,
        perform,
        form.size,
        type_,
        1,
        footprint=contiguous(form.size, False),
        result=result,
    )
    return lambda *operands: Access(shape, place(*operands))


def _store(name: str, call: ir.CallSite, context: Context, place: Place) -> PrepareAccess:
    """A store of the last operand at the place."""
    type_ = argument_type(call, len(call.arguments) - 1)
    form = typed(type_, context.layout, context.domain)
    store = stored(form, 1)

    def perform(access: Access, memory: Memory, thread: int) -> None:
        store(memory, address(access), access.operands[0], thread)

    shape = AccessShape(
        "store", False, True, perform, form.size, type_, footprint=contiguous(form.size, True)
    )
    return lambda *operands: Access(shape, place(*operands), (operands[-1],))


def load_element(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    return _load(name, call, context, _places(call, context))


def load_raw(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    return _load(name, call, context, _raw_places(call, context))


def load_row(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    return _load(name, call, context, _row_places(call, context))


def store_element(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    return _store(name, call, context, _places(call, context))


def store_raw(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    return _store(name, call, context, _raw_places(call, context))


def update_counter(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """One up gives the value before, one down the value after; threads do it one after the other."""
    d, delta = context.domain, argument(call, 1)
    if not isinstance(delta, Int) or delta.value not in (1, -1, 255):
        raise NotModelled(f"{name} by what is neither 1 nor -1")
    step = 1 if delta.value == 1 else -1
    own = argument_type(call).name.startswith("spirv.")  # type: ignore[union-attr]
    change = Value(d.width(32).constant(step), d.false)
    update = ir.AtomicRMW("add", argument(call, 0), Int(I32, step), "monotonic", align=4)
    count = prepare_atomicrmw(update, context)
    w = d.width(32)

    def access(buffer: Value, *_: Value) -> Access:
        before = count(buffer if own else _counter(buffer, context), change)
        if step == 1:
            return before

        def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue:
            old = before.shape.perform(access, memory, thread)
            assert isinstance(old, Value)
            return Value(w.add(old.bits, change.bits), old.poison)

        return before._replace(shape=replace(before.shape, perform=perform))

    return access


HANDLES: Mapping[str, Build] = {
    f"llvm.{target}.resource.{name}": build
    for target in ("dx", "spv")
    for name, build in (
        ("handlefrombinding", handle),
        ("handlefromimplicitbinding", handle),
        ("counterhandlefrombinding", counter),
        ("counterhandlefromimplicitbinding", counter),
        ("casthandle", same_handle),
        ("nonuniformindex", same_handle),
        ("getpointer", pointer),
        ("getdimensions.x", dimensions),
        ("getdimensions.texels", texels),
    )
}
RESOURCES: Mapping[str, Callable[[str, ir.CallSite, Context], PrepareAccess]] = {
    f"llvm.{target}.resource.{name}": build
    for target in ("dx", "spv")
    for name, build in (
        ("load.typedbuffer", load_element),
        ("load.rawbuffer", load_raw),
        ("load.cbufferrow", load_row),
        ("store.typedbuffer", store_element),
        ("store.rawbuffer", store_raw),
        ("updatecounter", update_counter),
    )
}
