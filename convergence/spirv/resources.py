"""Variables of modules: what LLVM IR has in their place, and how buffers are bound.

A buffer is bound as LLVM's SPIR-V backend has it for HLSL, by set and binding and by name, so that
``--buffer`` finds it; a built-in is the variable that LLVM's backend makes of it. SPIR-V, *Storage Class*,
*BuiltIn*; Vulkan, *Shader Resource Interface*.
"""

from __future__ import annotations

from .constants import in_memory, zero, zeroed
from .errors import NotCovered
from .instruction import SPIRVInstruction
from .module import SPIRVModule
from .types import Array, Image, NoLayout, SPIRVPointer, Struct, Type, llvm, memory, occupied, size
from .writing import BoundImage, FunctionWriter, Output, quoted

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
            zeros += occupied(pointee)
    first = variables[0]
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
