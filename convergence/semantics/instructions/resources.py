"""Resources of DirectX and SPIR-V (LLVM's *DXIL Resource Handling*): handles and their accesses.

A handle is the address of the buffer that is bound, so that a pointer into it is an address in it, and an
access out of it is undefined behaviour as any other. What a launch binds are variables of the module
(:mod:`convergence.ir.resources`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import prod

from ...ir import instructions as ir
from ...ir.operands import Bytes, Global, Int
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
from ...ir.types import I1, ArrayType, IntType, StructType, TargetType, Type, VectorType
from ..errors import NotModelled, Undefined
from ..memory.accesses import Access, AccessShape, PrepareAccess, address
from ..memory.allocations import Memory
from ..memory.bytes import typed
from ..values.context import Context, Evaluate
from ..values.value import Bits, Composite, Pointer, RuntimeValue, Value
from .intrinsics_integer import Build, argument, argument_type
from .lifting import int_width
from .memory import contiguous, loaded, prepare_atomicrmw, stored

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
