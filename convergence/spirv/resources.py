"""Variables of modules: what LLVM IR has in their place, and how buffers are bound.

A buffer is bound as LLVM's SPIR-V backend has it for HLSL, by set and binding and by name, so that
``--buffer`` finds it; a built-in is the variable that LLVM's backend makes of it. SPIR-V, *Storage Class*,
*BuiltIn*; Vulkan, *Shader Resource Interface*.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..frozen import dataclass
from .constants import (
    LARGEST,
    Array,
    Image,
    NoLayout,
    SPIRVFloat,
    SPIRVInt,
    SPIRVPointer,
    Struct,
    Type,
    Vector,
    in_memory,
    llvm,
    memory,
    occupied,
    size,
    zero,
    zeroed,
)
from .instruction import NotCovered, SPIRVInstruction
from .module import SPIRVModule
from .writing import BoundImage, Emit, FunctionWriter, Output, quoted

_STORAGE_BUFFER, _UNIFORM = 12, 2
_SPACES = {_STORAGE_BUFFER: 11, _UNIFORM: 12}
_MASKS = {
    "SubgroupEqMask": "eq", "SubgroupGeMask": "ge", "SubgroupGtMask": "gt", "SubgroupLeMask": "le",
    "SubgroupLtMask": "lt", "SubgroupEqMaskKHR": "eq", "SubgroupGeMaskKHR": "ge",
    "SubgroupGtMaskKHR": "gt", "SubgroupLeMaskKHR": "le", "SubgroupLtMaskKHR": "lt",
}  # fmt: skip
_PRIVATE_CLASSES = {"Workgroup": 3, "Private": 10}


def declare(out: Output, i: SPIRVInstruction) -> None:
    """A variable outside of functions: LLVM's global variable, unless it is a buffer, which functions bind.

    :raises NotCovered: for what has no place in memory
    """
    assert i.result is not None and i.type is not None
    type_ = out.module.types[i.type]
    assert isinstance(type_, SPIRVPointer)
    if is_buffer(out, i.result) or is_image(out, i.result):
        _name_string(out, i)
        return
    if is_aliased(out.module, i):
        return
    builtin = out.module.decoration(i.result, "BuiltIn")
    if builtin is not None and str(builtin[0]) in _MASKS:
        return
    pointee = out.module.types[type_.pointee]
    name = out.names.fresh(
        f"__spirv_BuiltIn{builtin[0]}" if builtin is not None else out.module.name(i.result)
    )
    out.globals[i.result] = f"@{quoted(name)}"
    try:
        text = _declaration(out, i, type_.storage, pointee)
    except NoLayout:
        del out.globals[i.result]  # an image, say: named where it is used
        out.outside.add(i.result)
        return
    out.line(f"@{quoted(name)} = {text}", i.line)


def _declaration(out: Output, i: SPIRVInstruction, storage: str, pointee: Type) -> str:
    """What stands behind a variable's name.

    :raises NoLayout: for a type that is not modelled
    """
    form = memory(pointee)
    value = "undef"
    if len(i.operands) > 1:
        if i.id(1) not in out.constants.values:
            raise NotCovered(f"{i.place}: an initializer that is no constant", i.line)
        value = in_memory(pointee, out.constants.values[i.id(1)]).removeprefix(form).strip()
    match storage:
        case "Workgroup" | "Private":
            return f"internal addrspace({_PRIVATE_CLASSES[storage]}) global {form} {value}"
        case "CrossWorkgroup":
            start = value if len(i.operands) > 1 else "zeroinitializer"
            return f"addrspace(1) global {form} {start}"
        case "UniformConstant" if len(i.operands) > 1:
            return f"internal addrspace(2) constant {form} {value}"
        case "Input" | "PushConstant" | "Uniform" | "StorageBuffer" | "UniformConstant":
            space = llvm(SPIRVPointer(storage, "")).removeprefix("ptr ")
            return f"external {space} global {form}"
        case _:
            raise NoLayout(storage)


def is_aliased(module: SPIRVModule, i: SPIRVInstruction) -> bool:
    """Whether a variable of the workgroup begins where the others that are so do."""
    type_ = module.types[i.type or ""]
    return (
        "WorkgroupMemoryExplicitLayoutKHR" in module.capabilities
        and isinstance(type_, SPIRVPointer)
        and type_.storage == "Workgroup"
        and module.decoration(i.result or "", "Aliased") is not None
    )


def declare_aliased(out: Output) -> None:
    """Variables of the workgroup with an explicit layout that are aliased all begin at the same place
    (SPV_KHR_workgroup_memory_explicit_layout): they are one object, called as the first of them is. It begins
    with zeros where one of them does.

    :raises NotCovered: for an initializer that is not null
    """
    variables = [i for i in out.module.variables if is_aliased(out.module, i)]
    if not variables:
        return
    count, zeros = 0, list[tuple[int, int]]()
    for i in variables:
        type_ = out.module.types[i.type or ""]
        assert isinstance(type_, SPIRVPointer)
        pointee = out.module.types[type_.pointee]
        count = max(count, size(pointee))
        if len(i.operands) > 1:
            if out.constants.values.get(i.id(1)) != zero(pointee):
                raise NotCovered(f"{i.place}: an initializer that is not null", i.line)
            if size(pointee) > LARGEST:
                raise NotCovered(f"{i.place}: an initializer of {size(pointee)} bytes", i.line)
            zeros += occupied(pointee)
    first = variables[0]
    if zeros and count > LARGEST:
        raise NotCovered(f"{first.place}: {count} bytes with an initializer of some", first.line)
    name = "@" + quoted(out.names.fresh(out.module.name(first.result or "")))
    out.globals |= {i.result: name for i in variables if i.result is not None}
    space = _PRIVATE_CLASSES["Workgroup"]
    text = f"{name} = internal addrspace({space}) global {zeroed(count, zeros)}, align 16"
    out.line(text, first.line)


# -- Buffers

LARGEST_TEXEL = 32
"""Bytes: four channels of 64 bits."""


def is_buffer(out: Output, id_: str) -> bool:
    """Whether a variable is bound by set and binding."""
    type_ = out.module.types[out.module.types_of[id_]]
    bound = out.module.decoration(id_, "Binding") is not None
    return isinstance(type_, SPIRVPointer) and type_.storage in ("Uniform", "StorageBuffer") and bound


def is_image(out: Output, id_: str) -> bool:
    """Whether a variable is an image whose texels are modelled, or an array of them."""
    type_ = out.module.types[out.module.types_of[id_]]
    return isinstance(type_, SPIRVPointer) and isinstance(
        _element(out.module.types.get(type_.pointee)), Image
    )


def _element(type_: Type | None) -> Type | None:
    """What an array has, else the type itself."""
    return type_.element if isinstance(type_, Array) else type_


def _block(out: Output, id_: str) -> Type:
    type_ = out.module.types[out.module.types_of[id_]]
    assert isinstance(type_, SPIRVPointer)
    return out.module.types[type_.pointee]


def buffer_name(out: Output, id_: str) -> str:
    """What a buffer is called: the variable's name, or that of its block."""
    if out.module.names.get(id_):
        return out.module.names[id_]
    block = _block(out, id_)
    if isinstance(block, Array):
        block = block.element
    if isinstance(block, Struct) and out.module.names.get(block.id):
        return out.module.names[block.id]
    return out.module.name(id_)


def _name_string(out: Output, i: SPIRVInstruction) -> None:
    assert i.result is not None
    name = buffer_name(out, i.result)
    data = name.encode()
    text = "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in data)
    string = "@" + quoted(out.names.fresh(f"{name}.name"))
    out.globals[i.result] = string
    out.line(f'{string} = private constant [{len(data) + 1} x i8] c"{text}\\00"', i.line)


def _number(out: Output, id_: str, decoration: str) -> int:
    operands = out.module.decoration(id_, decoration)
    return operands[0] if operands and isinstance(operands[0], int) else 0


def _handle_type(out: Output, id_: str) -> tuple[str, str, int]:
    """The handle's type, its suffix in names, and the address space of its contents."""
    type_ = out.module.types[out.module.types_of[id_]]
    assert isinstance(type_, SPIRVPointer)
    pointee = _element(out.module.types[type_.pointee])
    if isinstance(pointee, Image):
        storage = _STORAGE_BUFFER
        writable = int(pointee.writable and out.module.decoration(id_, "NonWritable") is None)
    else:
        storage = _STORAGE_BUFFER if out.module.is_storage(type_) else _UNIFORM
        writable = int(storage == _STORAGE_BUFFER and not out.module.is_read_only(id_, type_))
    return (
        f'target("spirv.VulkanBuffer", [0 x i32], {storage}, {writable})',
        f"tspirv.VulkanBuffer_a0i32_{storage}_{writable}t",
        _SPACES[storage],
    )


def bind(code: FunctionWriter, id_: str) -> None:
    """Makes a variable known to a function's code: a buffer, or an array of them, is bound where the function
    begins, or where an element is taken."""
    out = code.out
    builtin = code.module.decoration(id_, "BuiltIn")
    if builtin is not None and str(builtin[0]) in _MASKS:
        before, code.lines = code.lines, code.prologue
        place = code.step("alloca <4 x i32>, align 16")
        code.emit(f"store <4 x i32> {_mask(code, _MASKS[str(builtin[0])])}, ptr {place}, align 16")
        code.texts[id_] = code.step(f"addrspacecast ptr {place} to {code.llvm(code.type(id_))}")
        code.lines = before
        return
    block = _block(out, id_)
    if is_image(out, id_):
        _bind_image(code, id_, block)
        return
    if not is_buffer(out, id_):
        return
    if isinstance(block, Array):
        many = block.length or 0
        code.descriptors[id_] = lambda index: _pointer(code, id_, _handle(code, id_, many, code.value(index)))
        code.lengths_of[id_] = lambda index: (
            lambda: _bytes(code, id_, _handle(code, id_, many, code.value(index)))
        )
        return
    before, code.lines = code.lines, code.prologue
    handle = _handle(code, id_, 1, "0")
    text = _pointer(code, id_, handle)
    code.lines = before
    code.texts[id_] = text
    code.lengths[id_] = lambda: _bytes(code, id_, handle)


def _bind_image(code: FunctionWriter, id_: str, block: Type) -> None:
    """An image, which is bound where the function begins, or an array of them."""
    kind, ending, space = _handle_type(code.out, id_)
    type_ = f"ptr addrspace({space})"
    before, code.lines = code.lines, code.prologue
    outside = code.step(f"alloca [{LARGEST_TEXEL} x i8], align 16")
    beside = code.step(f"addrspacecast ptr {outside} to {type_}")

    def bound(image: Type, many: int, index: str) -> BoundImage:
        assert isinstance(image, Image)
        handle = _handle(code, id_, many, index)
        start = _place(code, id_, handle)
        return BoundImage(image, f"{type_} {start}", f"{type_} {beside}", f"{kind} {handle}", ending)

    if isinstance(block, Array):
        inner, many = block.element, block.length or 0
        code.image_arrays[id_] = lambda index: bound(inner, many, code.value(index))
    else:
        code.images[id_] = bound(block, 1, "0")
    code.lines = before


def _bytes(code: FunctionWriter, id_: str, handle: str) -> str:
    """How many bytes the buffer of a handle has."""
    kind, ending, _ = _handle_type(code.out, id_)
    name = f"llvm.spv.resource.getdimensions.x.{ending}"
    words = code.step(code.call(name, "i32", [f"{kind} {handle}"]))
    return code.step(f"mul i32 {words}, 4")


def _handle(code: FunctionWriter, id_: str, many: int, index: str) -> str:
    kind, ending, _ = _handle_type(code.out, id_)
    numbers = (_number(code.out, id_, "DescriptorSet"), _number(code.out, id_, "Binding"), many)
    arguments = [*(f"i32 {n}" for n in numbers), f"i32 {index}", f"ptr {code.out.globals[id_]}"]
    name = f"llvm.spv.resource.handlefrombinding.{ending}"
    handle = code.fresh(f"{buffer_name(code.out, id_)}.handle")
    code.emit(f"{handle} = {code.call(name, kind, arguments)}")
    return handle


def _place(code: FunctionWriter, id_: str, handle: str) -> str:
    """Where a resource's contents begin."""
    kind, ending, space = _handle_type(code.out, id_)
    text = code.fresh(buffer_name(code.out, id_))
    name = f"llvm.spv.resource.getpointer.p{space}.{ending}"
    code.emit(f"{text} = {code.call(name, f'ptr addrspace({space})', [f'{kind} {handle}', 'i32 0'])}")
    return text


def _pointer(code: FunctionWriter, id_: str, handle: str) -> str:
    own = code.llvm(code.type(id_))
    result = f"ptr addrspace({_handle_type(code.out, id_)[2]})"
    text = _place(code, id_, handle)
    if own == result:
        return text
    cast = code.fresh(buffer_name(code.out, id_))
    code.emit(f"{cast} = addrspacecast {result} {text} to {own}")
    return cast


def _mask(code: FunctionWriter, which: str) -> str:
    """A mask of lanes, as four numbers: the own lane's bit, those from it on, above, up to it, below."""
    lane = _builtin(code, "SubgroupLocalInvocationId")
    wide = code.step(f"zext i32 {lane} to i128")
    one = code.step(f"shl i128 1, {wide}")
    match which:
        case "eq":
            bits = one
        case "lt":
            bits = code.step(f"sub i128 {one}, 1")
        case "le":
            below = code.step(f"sub i128 {one}, 1")
            bits = code.step(f"or i128 {below}, {one}")
        case _:
            size = _builtin(code, "SubgroupSize")
            number = code.step(f"zext i32 {size} to i128")
            rest = code.step(f"sub i128 128, {number}")
            all_ = code.step(f"lshr i128 -1, {rest}")
            below = code.step(f"sub i128 {one}, 1")
            up_to = below if which == "ge" else code.step(f"or i128 {below}, {one}")
            others = code.step(f"xor i128 {up_to}, -1")
            bits = code.step(f"and i128 {all_}, {others}")
    return code.step(f"bitcast i128 {bits} to <4 x i32>")


def _builtin(code: FunctionWriter, name: str) -> str:
    variable = f"__spirv_BuiltIn{name}"
    decorations = code.module.decorations
    if not any(decorations.get(v.result or "", {}).get("BuiltIn") == (name,) for v in code.module.variables):
        code.out.declarations.setdefault(variable, f"@{variable} = external addrspace(7) global i32")
    return code.step(f"load i32, ptr addrspace(7) @{variable}, align 4")


# ----------------------------------------------------------------------------------------------------------
# Images without a sampler: storage images, and textures of which single texels are fetched.
#
# An image is a buffer of texels, the row of the lowest y first, and how many there are along x, y and z is
# what the launch's shape says. How a texel lies in memory is said by the image's format; where the module
# leaves it open, its channels are of the sampled type, as many as the launch says. A coordinate outside is
# no
# undefined behaviour: nothing is written there, and what is read is undef. SPIR-V, *Image Instructions*,
# *Image Format*; Vulkan, *Image Operations*: *Texel Input Validation*, *Texel Output Validation*, *Format
# Conversion*.
# ----------------------------------------------------------------------------------------------------------


DIMENSIONS = {"1D": 1, "2D": 2, "3D": 3, "Buffer": 1}
"""How many coordinates an image has that is no array."""
_FORMAT = re.compile(r"(Rgba|Rg|R)(64|32|16|8)(f|i|ui|Snorm)?\Z")
_CHANNELS = {"R": 1, "Rg": 2, "Rgba": 4}
OPEN = 0
"""The launch says how many channels there are."""
_FLOATS = {16: "half", 32: "float"}


@dataclass(frozen=True, slots=True)
class Texel:
    """How a texel lies in memory: so many ``channels``, or :data:`OPEN`, of so many ``bits``, which are
    floats (``f``), integers with a sign (``i``) or without one (``ui``), or fractions of the largest integer
    (``Snorm``, and ``Unorm``)."""

    channels: int
    bits: int
    kind: str

    @property
    def channel(self) -> str:
        """A channel's LLVM type."""
        return _FLOATS[self.bits] if self.kind == "f" else f"i{self.bits}"

    @property
    def type(self) -> str:
        """The LLVM type of all channels."""
        return self.channel if self.channels == 1 else f"<{self.channels} x {self.channel}>"


def texel_of(image: Image) -> Texel | None:
    """How an image's texels lie; ``None`` for a format whose channels share a word."""
    if image.format == "Unknown":
        sampled = image.sampled
        assert isinstance(sampled, SPIRVFloat | SPIRVInt)
        kind = "f" if isinstance(sampled, SPIRVFloat) else "i" if sampled.signed else "ui"
        return Texel(OPEN, sampled.bits, kind)
    match = _FORMAT.match(image.format)
    if match is None:
        return None
    return Texel(_CHANNELS[match[1]], int(match[2]), match[3] or "Unorm")


def _texel(code: FunctionWriter, image: Image) -> Texel:
    texel = texel_of(image)
    if texel is None or (texel.kind == "f" and texel.bits not in _FLOATS):
        raise code.refused(f"the image format {image.format}")
    return texel


def _image(code: FunctionWriter, id_: str) -> BoundImage:
    """The image of a variable, or of what was loaded from it."""
    if id_ not in code.images:
        raise code.refused("values of OpTypeImage")
    return code.images[id_]


def _extents(code: FunctionWriter, image: BoundImage) -> tuple[list[str], str]:
    """How many texels there are along x, y, ..., where an array's layers are the last; and how many channels
    each has."""
    count, texel = DIMENSIONS[image.type.dim] + image.type.arrayed, _texel(code, image.type)
    kind = f"<{count + 1} x i32>"
    name = f"llvm.spv.resource.getdimensions.texels.v{count + 1}i32.{image.ending}"
    arguments = [image.handle, f"i32 {texel.bits // 8}", f"i32 {texel.channels}"]
    vector = code.step(code.call(name, kind, arguments))
    *extents, channels = (code.step(f"extractelement {kind} {vector}, i32 {n}") for n in range(count + 1))
    return extents, channels if texel.channels == OPEN else str(texel.channels)


def _coordinates(code: FunctionWriter, id_: str, count: int) -> list[str]:
    element, _ = _parts(code.type(id_))
    if not isinstance(element, SPIRVInt) or element.bits != 32:
        raise code.refused("coordinates that are no 32-bit integers")
    return _elements(code, id_, count)


@dataclass(frozen=True, slots=True)
class _Place:
    """A texel: whether it is in the image, its number there, and how many channels it has, as operands."""

    within: str
    index: str
    channels: str


def _texel_place(code: FunctionWriter, image: BoundImage, at: str) -> _Place:
    extents, channels = _extents(code, image)
    coordinates = _coordinates(code, at, len(extents))
    inside = [code.step(f"icmp ult i32 {c}, {e}") for c, e in zip(coordinates, extents, strict=True)]
    within, index = inside[0], coordinates[-1]
    for one in inside[1:]:
        within = code.step(f"and i1 {within}, {one}")
    for coordinate, extent in reversed(list(zip(coordinates, extents, strict=True))[:-1]):
        rows = code.step(f"mul i32 {index}, {extent}")
        index = code.step(f"add i32 {rows}, {coordinate}")
    return _Place(within, index, channels)


def _address(code: FunctionWriter, image: BoundImage, place: _Place, channel: int | None = None) -> str:
    """The address of a texel, or of one of its channels; outside of the image, or of a channel that it has
    not, that of something else, which nobody looks at again."""
    texel, within, index = _texel(code, image.type), place.within, place.index
    size = texel.bits // 8
    if channel is None:
        size *= texel.channels
    else:
        has = code.step(f"icmp ult i32 {channel}, {place.channels}")
        within = code.step(f"and i1 {within}, {has}")
        first = code.step(f"mul i32 {index}, {place.channels}")
        index = code.step(f"add i32 {first}, {channel}")
    kind = image.pointer.rpartition(" ")[0]
    address = code.step(f"getelementptr [{size} x i8], {image.pointer}, i32 {index}")
    return f"{kind} " + code.step(f"select i1 {within}, {kind} {address}, {image.beside}")


_PLAIN = frozenset(("SignExtend", "ZeroExtend", "NonPrivateTexel", "VolatileTexel", "None"))


def _plain(code: FunctionWriter, i: SPIRVInstruction, at: int) -> None:
    """Refuses image operands that mean anything: a level of detail has to be 0."""
    if len(i.operands) <= at:
        return
    words = set(str(i.operands[at]).split("|")) - _PLAIN
    if words == {"Lod"} and code.number(i.id(at + 1)) == 0:
        return
    if words:
        raise code.refused(f"the image operands {i.operands[at]}")


def _read(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """OpImageRead and OpImageFetch: channels that the format lacks are 0, the fourth 1."""
    image = _image(code, i.id(0))
    _plain(code, i, 2)
    result = code.result_type()
    element, count = _parts(result)
    values = _channels(code, image, _texel_place(code, image, i.id(1)), element, min(count, 4))
    _gives(code, values)


def _gives(code: FunctionWriter, values: Sequence[str]) -> None:
    """The instruction's result: a vector of these values, or, of a scalar, the first."""
    result = code.result_type()
    if isinstance(result, Vector):
        code.alias(_vector(code, code.llvm(result), code.llvm(result.element), values))
    else:
        code.alias(values[0])


def _vector(code: FunctionWriter, type_: str, element: str, values: Sequence[str]) -> str:
    """The vector of these values."""
    text = "poison"
    for n, value in enumerate(values):
        text = code.step(f"insertelement {type_} {text}, {element} {value}, i32 {n}")
    return text


def _elements(code: FunctionWriter, id_: str, count: int) -> list[str]:
    """The first values of a vector, or the only one of a scalar."""
    type_, value = code.type(id_), code.value(id_)
    if not isinstance(type_, Vector):
        return [value]
    return [code.step(f"extractelement {code.llvm(type_)} {value}, i32 {n}") for n in range(count)]


def _parts(type_: Type) -> tuple[Type, int]:
    """A vector's elements and how many there are; of a scalar itself."""
    return (type_.element, type_.count) if isinstance(type_, Vector) else (type_, 1)


def _channels(code: FunctionWriter, image: BoundImage, place: _Place, element: Type, count: int) -> list[str]:
    """The first channels of a texel, as numbers of a type."""
    texel, wanted = _texel(code, image.type), code.llvm(element)
    rest = ["0.0", "0.0", "0.0", "1.0"] if isinstance(element, SPIRVFloat) else ["0", "0", "0", "1"]
    at = texel.bits // 8
    if texel.channels != OPEN:
        loaded = code.step(f"load {texel.type}, {_address(code, image, place)}, align {at}")
        parts = [loaded]
        if texel.channels > 1:
            number = min(count, texel.channels)
            parts = [code.step(f"extractelement {texel.type} {loaded}, i32 {n}") for n in range(number)]
        return [*(_widened(code, texel, part, element) for part in parts), *rest[len(parts) : count]]
    values = []
    for n in range(count):
        loaded = code.step(f"load {texel.channel}, {_address(code, image, place, n)}, align {at}")
        value = _widened(code, texel, loaded, element)
        has = code.step(f"icmp ult i32 {n}, {place.channels}")
        values.append(code.step(f"select i1 {has}, {wanted} {value}, {wanted} {rest[n]}"))
    return values


def _scale(texel: Texel) -> int:
    """What stands for 1."""
    return (1 << texel.bits - (texel.kind == "Snorm")) - 1


def _require_alike(code: FunctionWriter, texel: Texel, element: Type, way: str) -> None:
    """Refuses integers ``of`` or ``into`` channels that are no integers, and others of or into integers."""
    integers = texel.kind in ("i", "ui")
    if isinstance(element, SPIRVInt):
        if not integers:
            raise code.refused(f"integers {way} an image of floats")
    elif integers or code.llvm(element) != "float":
        raise code.refused(f"numbers of this type {way} an image of another")


def _widened(code: FunctionWriter, texel: Texel, value: str, element: Type) -> str:
    """A channel as a number of the sampled type."""
    wanted, t = code.llvm(element), texel.channel
    _require_alike(code, texel, element, "of")
    if isinstance(element, SPIRVInt):
        if texel.bits == element.bits:
            return value
        word = "trunc" if texel.bits > element.bits else "sext" if texel.kind == "i" else "zext"
        return code.step(f"{word} {t} {value} to {wanted}")
    if texel.kind == "f":
        return value if t == wanted else code.step(f"fpext {t} {value} to {wanted}")
    word = "sitofp" if texel.kind == "Snorm" else "uitofp"
    whole = code.step(f"{word} {t} {value} to float")
    part = code.step(f"fdiv float {whole}, {_scale(texel)}.0")
    if texel.kind == "Unorm":
        return part
    return code.step(code.call("llvm.maxnum.f32", "float", [f"float {part}", "float -1.0"]))


def _narrowed(code: FunctionWriter, texel: Texel, value: str, element: Type) -> str:
    """A number as a channel has it: of floats that are fractions the nearest one; of an integer that does
    not fit poison, as the value is undefined (*Texel Output Format Conversion*)."""
    element_type, t = code.llvm(element), texel.channel
    _require_alike(code, texel, element, "into")
    if isinstance(element, SPIRVInt):
        if texel.bits == element.bits:
            return value
        if texel.bits < element.bits:
            return code.step(f"trunc {'nsw' if texel.kind == 'i' else 'nuw'} {element_type} {value} to {t}")
        return code.step(f"{'sext' if texel.kind == 'i' else 'zext'} {element_type} {value} to {t}")
    if texel.kind == "f":
        return value if t == element_type else code.step(f"fptrunc {element_type} {value} to {t}")
    least = "-1.0" if texel.kind == "Snorm" else "0.0"
    above = code.step(code.call("llvm.maxnum.f32", "float", [f"float {value}", f"float {least}"]))
    bounded = code.step(code.call("llvm.minnum.f32", "float", [f"float {above}", "float 1.0"]))
    scaled = code.step(f"fmul float {bounded}, {_scale(texel)}.0")
    whole = code.step(code.call("llvm.roundeven.f32", "float", [f"float {scaled}"]))
    word = "fptosi" if texel.kind == "Snorm" else "fptoui"
    return code.step(f"{word} float {whole} to {t}")


def _write(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """OpImageWrite: of the texel as many channels as the image has."""
    image = _image(code, i.id(0))
    _plain(code, i, 3)
    texel = _texel(code, image.type)
    element, count = _parts(code.type(i.id(2)))
    if texel.channels > count:
        raise code.refused("a texel with fewer channels than the image has")
    values = _elements(code, i.id(2), texel.channels or min(count, 4))
    channels = [_narrowed(code, texel, value, element) for value in values]
    place, at = _texel_place(code, image, i.id(1)), texel.bits // 8
    if texel.channels == OPEN:
        for n, channel in enumerate(channels):
            code.emit(f"store {texel.channel} {channel}, {_address(code, image, place, n)}, align {at}")
        return
    text = channels[0] if texel.channels == 1 else _vector(code, texel.type, texel.channel, channels)
    code.emit(f"store {texel.type} {text}, {_address(code, image, place)}, align {at}")


def _texel_pointer(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """OpImageTexelPointer, for atomic accesses."""
    image = _image(code, i.id(0))
    if code.number(i.id(2)) != 0:
        raise code.refused("a sample of an image")
    channel = 0 if _texel(code, image.type).channels == OPEN else None
    address = _address(code, image, _texel_place(code, image, i.id(1)), channel)
    code.alias(address.rpartition(" ")[2])


def _size(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """OpImageQuerySize, and OpImageQuerySizeLod of the only level."""
    if len(i.operands) > 1 and code.number(i.id(1)) != 0:
        raise code.refused("the size of another level than the first")
    (extents, _), result = _extents(code, _image(code, i.id(0))), code.result_type()
    if code.llvm(_parts(result)[0]) != "i32":
        raise code.refused("an image's size as other numbers than of 32 bits")
    _gives(code, extents)


def _of_sampled(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """OpImage: what there is without its sampler."""
    assert i.result is not None
    code.images[i.result] = _image(code, i.id(0))


IMAGES: Mapping[str, Emit] = {
    "OpImageRead": _read, "OpImageFetch": _read, "OpImageWrite": _write, "OpImageQuerySize": _size,
    "OpImage": _of_sampled, "OpImageQuerySizeLod": _size, "OpImageTexelPointer": _texel_pointer,
}  # fmt: skip
"""By opcode."""
