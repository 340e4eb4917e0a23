"""Resources of shaders: which buffers a module of DirectX's or SPIR-V's intrinsics binds, and where.

``llvm.dx.resource.handlefrombinding`` and its kin name a range of registers. Their operands are constants
that compilers may leave in stack objects and parameters; those are followed. What a resource is called here
is what HLSL calls it: a register, ``u0``, ``t1``, ``b0``, in another space than the first ``u0.space1``;
where nobody chose a register, the resource's name, ``Out``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Literal

from ..frozen import dataclass
from . import (
    ArrayType,
    Bytes,
    Global,
    Int,
    Local,
    Metadata,
    MetadataTuple,
    MetadataValue,
    NamedType,
    Operand,
    StructType,
    TargetType,
    Type,
    is_handle,
)
from .calls import callee_name
from .instructions import Alloca, CallSite, Instruction, Load, Store
from .module import Function, GlobalVariable, Module, is_hidden

EXPLICIT, IMPLICIT = "handlefrombinding", "handlefromimplicitbinding"
_VULKAN = "llvm.spv.resource."
_PREFIXES = ("llvm.dx.resource.", _VULKAN)
_POINTING = tuple(f"{prefix}getpointer" for prefix in _PREFIXES)
_WRITING = tuple(f"{prefix}{word}" for prefix in _PREFIXES for word in ("store.", "updatecounter"))
Letter = Literal["u", "t", "b", "s"]
"""The kinds of registers: what may be written, what may only be read, constants, samplers."""
LETTERS: tuple[Letter, ...] = ("u", "t", "b", "s")
_UNIFORM, _BUFFER, _READ_WRITE = 2, 5, 2


def letter_of(type_: Type) -> Letter:
    """The kind of register that a handle's type is bound to."""
    match type_:
        case TargetType("dx.CBuffer"):
            return "b"
        case TargetType("dx.Sampler" | "spirv.Sampler"):
            return "s"
        case TargetType("dx.RawBuffer" | "dx.TypedBuffer" | "dx.Texture", _, (writable, *_)):
            return "u" if writable else "t"
        case TargetType("spirv.VulkanBuffer", _, (storage, writable, *_)):
            return "b" if storage == _UNIFORM else "u" if writable else "t"
        case TargetType("spirv.Image" | "spirv.SignedImage", _, (_, _, _, _, sampled, *_)):
            return "u" if sampled == _READ_WRITE else "t"
        case _:
            return "t"


def is_buffer(type_: Type) -> bool:
    """Whether a handle is one of a buffer: images and samplers are not modelled."""
    match type_:
        case TargetType("dx.RawBuffer" | "dx.TypedBuffer" | "dx.CBuffer" | "spirv.VulkanBuffer"):
            return True
        case TargetType("spirv.Image" | "spirv.SignedImage", _, (dimension, *_)):
            return dimension == _BUFFER
        case _:
            return False


def is_structured(type_: Type) -> bool:
    """Whether it is a buffer of structures, which may have a counter."""
    match type_:
        case TargetType("dx.RawBuffer", (element, *_)):
            return str(element) != "i8"
        case TargetType("spirv.VulkanBuffer", (ArrayType(_, element),), (storage, *_)):
            return storage != _UNIFORM and str(element) != "i8"
        case _:
            return False


def register_name(letter: str, space: int, number: int) -> str:
    """``u0``, or ``u0.space1``."""
    return f"{letter}{number}" + (f".space{space}" if space else "")


_REGISTER = re.compile(
    r"([utbs])(0|[1-9][0-9]*)(?:\.space([1-9][0-9]*))?(?:\[(0|[1-9][0-9]*)\])?(\.counter)?\Z"
)


def is_register(name: str) -> bool:
    """Whether a name is that of a register, or of a register's counter."""
    return _REGISTER.match(name) is not None


@dataclass(frozen=True, slots=True)
class RegisterRange:
    """``count`` resources from the register ``lower`` of a ``space`` on; without an end where that is no
    positive number. DirectX gives a range as many registers as it has elements; an array of SPIR-V has
    one ``binding``, whose elements are ``u0[0]``, ``u0[1]``, ...: ``u1`` is another."""

    letter: Letter
    space: int
    lower: int
    count: int
    binding: bool

    def register(self, index: int) -> str:
        """What an element is called."""
        if not self.binding:
            return register_name(self.letter, self.space, self.lower + index)
        name = register_name(self.letter, self.space, self.lower)
        return name if self.count == 1 else f"{name}[{index}]"

    def index(self, register: str) -> int | None:
        """The element that is called so, if one is."""
        parts = _REGISTER.match(register)
        if parts is None or (parts[1], int(parts[3] or 0), parts[5]) != (self.letter, self.space, None):
            return None
        index = int(parts[4] or 0) if self.binding else int(parts[2]) - self.lower
        ends = not is_endless(self.count) and index >= self.count
        return None if ends or index < 0 or self.register(index) != register else index


def is_endless(count: int) -> bool:
    """Whether so many are an array without an end: LLVM writes -1, and SPIR-V's arrays have 0."""
    return not 0 < count < 1 << 31


_BINDING = re.compile(r"(\d+):(\d+)(\[\d+\])?(\.counter)?\Z")


def of_binding(name: str) -> tuple[str, ...]:
    """The registers that ``SET:BINDING`` may be, which is how Vulkan names a resource, with ``[N]`` behind it
    one of an array, with ``.counter`` its counter; else none."""
    parts = _BINDING.match(name)
    if parts is None:
        return ()
    behind = (parts[3] or "") + (parts[4] or "")
    return tuple(register_name(letter, int(parts[1]), int(parts[2])) + behind for letter in LETTERS)


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource of the ``type`` of its handle, or an array of ``count`` of them, at ``registers``; where
    nobody chose any, under its ``name``. Of an array without an end, ``used`` are the elements that the text
    says."""

    type: TargetType
    name: str
    count: int = 1
    registers: RegisterRange | None = None
    used: tuple[int, ...] = ()

    def key(self, index: int) -> str:
        """What the buffer of an element is called."""
        if self.registers is not None:
            return self.registers.register(index)
        return self.name if self.count == 1 else f"{self.name}[{index}]"

    @property
    def keys(self) -> tuple[str, ...]:
        """What each of its buffers is called, as far as they are taken one by one."""
        indices = self.used if is_endless(self.count) else range(min(self.count, MOST))
        return tuple(map(self.key, indices))

    def has(self, key: str) -> bool:
        """Whether one of its buffers is called so."""
        if self.registers is not None:
            return self.registers.index(key) is not None
        return key == (self.name if self.count == 1 else self._element(key))

    def _element(self, key: str) -> str | None:
        """What ``NAME[N]`` is called, if there is such an element."""
        array, bracket, rest = key.partition("[")
        if array != self.name or not bracket or not rest.removesuffix("]").isdecimal():
            return None
        index = int(rest[:-1])
        there = (is_endless(self.count) or index < self.count) and key == f"{array}[{index}]"
        return self.key(index) if there else None

    def called(self, key: str) -> str | None:
        """What one of its buffers is called, by a name that people may give it: its own, ``SET:BINDING``,
        the resource's name if it is one buffer, ``NAME[N]`` for an element."""
        for candidate in (key, *of_binding(key)):
            if self.has(candidate):
                return candidate
        return self.key(0) if self.count == 1 and key == self.name else self._element(key)


@dataclass(frozen=True, slots=True)
class Resources:
    """``entries`` are the resources whose places the text says; ``open``: it has others, too."""

    entries: tuple[Resource, ...] = ()
    open: bool = False
    counters: bool = False

    def named(self, name: str) -> Resource | None:
        """The resource of a name, where that is the only one."""
        resources = {resource for resource in self.entries if resource.name == name}
        return resources.pop() if len(resources) == 1 else None

    def buffer(self, name: str) -> tuple[str, Resource] | None:
        """A buffer's own name and its resource, by any name that people may give it: a register or
        ``SET:BINDING`` before a name, which counts where it is the only one."""
        for resource in self.entries:
            for candidate in (name, *of_binding(name)):
                if is_buffer(resource.type) and resource.has(candidate):
                    return candidate, resource
        array = self.named(name.partition("[")[0])
        key = None if array is None or not is_buffer(array.type) else array.called(name)
        return None if key is None or array is None else (key, array)


def variable_of(key: str) -> str:
    """The variable that is the buffer of that name, in a module that a launch was given buffers for: no name
    of a program has a space."""
    return f"resource {key}"


def nameless(order: int) -> str:
    """What a resource is called that has neither a register nor a name: by its place in the order in which
    registers will be given."""
    return f"implicit{order}"


COUNTER = ".counter"


def counter_of(key: str) -> str:
    """What the counter of a buffer is called."""
    return key + COUNTER


MOST = 64
"""Resources of an array that are taken one by one."""


def binding(call: CallSite) -> str | None:
    """Which of the two ways of binding a call is, if it is one."""
    name = callee_name(call) or ""
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            kind = name.removeprefix(prefix).partition(".")[0]
            return kind if kind in (EXPLICIT, IMPLICIT) else None
    return None


def points_to_resource(instruction: Instruction | None) -> bool:
    """Whether an instruction gives an address in a resource."""
    name = callee_name(instruction) if isinstance(instruction, CallSite) else None
    return name is not None and name.startswith(_POINTING)


def writes_resource(instruction: Instruction) -> bool:
    """Whether an instruction writes to a resource, without an address."""
    name = callee_name(instruction) if isinstance(instruction, CallSite) else None
    return name is not None and name.startswith(_WRITING)


def has_resources(module: Module) -> bool:
    """Whether a module may bind resources."""
    return any(name.startswith(_PREFIXES) for name in module.functions)


def resources_of(module: Module) -> Resources:
    """The resources that the definitions of a module bind."""
    if not has_resources(module):
        return Resources()
    resources: dict[Resource, set[int]] = {}
    left_open = False
    for function in module.definitions():
        calls = [c for c in function.instructions if isinstance(c, CallSite) and binding(c) is not None]
        if not calls:
            continue
        for context in _contexts(module, function, 0):
            for call in calls:
                resource = _resource(module, function, call, context)
                if resource is None:
                    left_open = True
                else:
                    resources.setdefault(replace(resource, used=()), set()).update(resource.used)
    counters = any("resource.updatecounter" in n or "resource.counterhandle" in n for n in module.functions)
    entries = tuple(replace(resource, used=tuple(sorted(used))) for resource, used in resources.items())
    return Resources(entries, left_open, counters)


_REGISTERS = (1 << 32) - 1
"""Registers and spaces are unsigned; the text may have them as negative numbers."""
Given = Mapping[str, Operand | None]
"""What parameters are, by name."""
_DEEPEST = 4


def _contexts(module: Module, function: Function, depth: int) -> Iterator[Given]:
    """What the parameters of a function are at each call of it; nothing where nobody calls it."""
    called = False
    if function.parameters and depth < _DEEPEST:
        for caller in module.definitions():
            for call in caller.instructions:
                if isinstance(call, CallSite) and callee_name(call) == function.name:
                    called = True
                    for context in _contexts(module, caller, depth + 1):
                        values = [_constant(a.value, caller, context) for a in call.arguments]
                        yield {p.name: v for p, v in zip(function.parameters, values, strict=False)}
    if not called:
        yield {}


def _constant(operand: Operand, function: Function, context: Given) -> Operand | None:
    """The constant that an operand is: through parameters, and stack objects that are written once."""
    for _ in range(_DEEPEST):
        if not isinstance(operand, Local):
            return operand
        if operand.name in context:
            return context[operand.name]
        definition = next((i for i in function.instructions if i.result == operand.name), None)
        if not (isinstance(definition, Load) and isinstance(definition.pointer, Local)):
            return None
        place = definition.pointer.name
        stack = next((i for i in function.instructions if i.result == place), None)
        stores = [
            i
            for i in function.instructions
            if isinstance(i, Store) and isinstance(i.pointer, Local) and i.pointer.name == place
        ]
        if not isinstance(stack, Alloca) or len(stores) != 1:
            return None
        operand = stores[0].value
    return None


def constant_operands(module: Module, call: CallSite) -> tuple[Operand | None, ...]:
    """What the operands of a call are where they are constants, or such as lie in stack objects; ``None`` for
    each other one."""
    for function in module.definitions():
        if any(instruction is call for instruction in function.instructions):
            return tuple(_constant(argument.value, function, {}) for argument in call.arguments)
    return (None,) * len(call.arguments)


def _resource(module: Module, function: Function, call: CallSite, context: Given) -> Resource | None:
    """The resource that a call binds, where its operands are constants; the index need be none."""
    type_ = call.type.result
    if not isinstance(type_, TargetType) or len(call.arguments) < 4:
        return None
    constants = [_constant(argument.value, function, context) for argument in call.arguments]
    name = text_at(module, constants[4]) if len(constants) > 4 else ""
    match constants:
        case [Int(_, first), Int(_, second), Int(_, count), index, *_]:
            used = (index.value,) if is_endless(count) and isinstance(index, Int) else ()
        case _:
            return None
    first, second = first & _REGISTERS, second & _REGISTERS
    if binding(call) == IMPLICIT:
        return Resource(type_, name or nameless(first), count, None, used)
    return Resource(type_, name, count, register_range(call, first, second, count), used)


def register_range(call: CallSite, space: int, lower: int, count: int) -> RegisterRange:
    """The registers that a call of ``handlefrombinding`` names."""
    vulkan = (callee_name(call) or "").startswith(_VULKAN)
    return RegisterRange(letter_of(call.type.result), space, lower, count, vulkan)


def text_at(module: Module, operand: Operand | None) -> str:
    """The text of a constant C string; nothing for anything else."""
    variable = module.globals.get(operand.name) if isinstance(operand, Global) else None
    if variable is None or not isinstance(variable.initializer, Bytes):
        return ""
    return variable.initializer.data.rstrip(b"\0").decode(errors="replace")


# -- Constant buffers: variables that are parts of one, as the module's metadata says


@dataclass(frozen=True, slots=True)
class ConstantBuffer:
    """A constant buffer: the ``name`` of the resource, its ``layout``, and its ``members``, each with its
    place among the parts of the layout that are no padding."""

    name: str
    layout: Type
    members: tuple[tuple[int, str], ...]


def constant_buffers(module: Module) -> tuple[ConstantBuffer, ...]:
    """What ``!hlsl.cbs`` says: the variable that holds the handle, then the members, ``null`` for those that
    nobody uses."""
    buffers = []
    for named in module.named_metadata.get("hlsl.cbs", ()):
        match module.referenced(named):
            case MetadataTuple((MetadataValue(Global(name=handle)), *members)):
                variable = module.globals.get(handle)
                type_ = None if variable is None else variable.type
                if isinstance(type_, TargetType) and type_.types:
                    parts = tuple((n, m) for n, m in enumerate(map(_member, members)) if m is not None)
                    buffers.append(ConstantBuffer(handle.removesuffix(".cb"), type_.types[0], parts))
            case _:
                pass
    return tuple(buffers)


def _member(node: Metadata | None) -> str | None:
    return node.value.name if isinstance(node, MetadataValue) and isinstance(node.value, Global) else None


def holds_handle(type_: Type, module: Module) -> bool:
    """Whether a handle is among the parts of a type. Types may be nested deeply, and one name may stand in
    many places: each is looked at once."""
    left, known = [type_], set[str]()
    while left:
        match part := left.pop():
            case NamedType(name):
                body = module.types.get(name)
                if body is not None and name not in known:
                    known.add(name)
                    left.append(body)
            case ArrayType(_, element):
                left.append(element)
            case StructType(parts):
                left += parts
            case _:
                if is_handle(part):
                    return True
    return False


_PRIVATE = 10
"""SPIR-V's Private storage class, as LLVM numbers it."""


def is_shader(module: Module) -> bool:
    """Whether a module is for Vulkan or DirectX, as its triple says."""
    return any("vulkan" in part or part.startswith("dxil") for part in (module.triple or "").split("-"))


def is_private(variable: GlobalVariable, module: Module) -> bool:
    """Whether a shader's variable is one that each thread has for itself: HLSL's ``static`` ones, and those
    that hold handles."""
    if variable.constant or variable.buffer:
        return False
    if holds_handle(variable.type, module):
        return True
    own = variable.address_space in (0, _PRIVATE)
    return is_shader(module) and own and is_hidden(variable)
