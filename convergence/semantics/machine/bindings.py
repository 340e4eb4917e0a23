"""The objects of a launch, in its module: behind parameters, in place of variables, and bound as resources.

They are variables like any other, so that whatever executes a module knows them (semantics.md, §2).
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import field, replace
from typing import NamedTuple

from ...frozen import dataclass
from ...ir import (
    ArrayType,
    ConstantExpression,
    Global,
    Int,
    IntType,
    NamedType,
    Packed,
    PointerType,
    Simple,
    StructType,
    TargetType,
    Type,
    VectorType,
    data_type,
    is_padding,
)
from ...ir.module import WORKGROUP, Alias, Function, GlobalVariable, Module, Parameter, is_thread_local
from ...ir.resources import (
    COUNTER,
    ConstantBuffer,
    Resource,
    Resources,
    constant_buffers,
    counter_of,
    has_resources,
    is_buffer,
    is_endless,
    is_private,
    is_register,
    is_structured,
    letter_of,
    resources_of,
    variable_of,
)
from ...ir.targets import is_shader
from .. import NotModelled, UsageError, option
from ..memory.globals import given_variable
from ..values.datalayout import Layout, layout_of
from .buffers import (
    ADDRESSED,
    COERCED,
    Buffer,
    PlacedBuffer,
    SameBuffer,
    element_of,
    needed,
    require_room,
    resolved,
)

ALIGNMENT = 256
"""Of what the environment allocates: as CUDA's and most OpenCL's allocators do."""


@dataclass(frozen=True, slots=True)
class BoundLaunch:
    """A module with the buffers of a launch: the ``arguments`` that point to them, and each by its name; and
    the ``contents`` of the variables that hold what is passed by value."""

    module: Module
    arguments: Mapping[str, str]
    buffers: Mapping[str, PlacedBuffer]
    contents: Mapping[str, object] = field(default_factory=dict)


def with_buffers(
    module: Module,
    function: Function,
    buffers: Mapping[str, object],
    named: Function | None = None,
    apart: Container[str] = (),
    by_value: Mapping[str, PassedByValue] | None = None,
) -> BoundLaunch:
    """The module with the objects that a launch of ``function`` is given: of ``%x`` or ``x`` behind a pointer
    parameter, of ``@g`` in place of a variable, of ``u0`` or ``Out`` as the resource at that register or of
    that name, of ``+x`` anywhere, for those who have its address. Resources that are given nothing are
    variables without an initializer. Where two modules are compared, ``named`` is the other one's function,
    which says what parameters are called; variables and resources that only the other one has are left away.
    Variables ``apart`` are given otherwise: they are no part of a constant buffer. What is passed
    ``by_value`` lies in variables, too.

    Raises UsageError for a name that is no pointer parameter, variable or resource, for what does not fit
    there, and for more than memory holds.
    """
    own = {name: _own(v) for name, v in module.globals.items() if is_private(v, module)}
    if not buffers and not own and not by_value and not has_resources(module):
        return BoundLaunch(module, {}, {})
    launch = _Launch(module, function, named, resources_of(module))
    for key, value in buffers.items():
        launch.give(key, value)
    for name, aggregate in (by_value or {}).items():
        launch.pass_by_value(name, aggregate)
    launch.share()
    require_room(launch.total, launch.needed)
    launch.complete(buffers, apart)
    variables = {**module.globals, **own, **launch.variables}
    aliases = {**module.aliases, **launch.members}
    for name in launch.members:
        del variables[name]
    bound_module = replace(module, globals=variables, aliases=aliases)
    return BoundLaunch(bound_module, launch.arguments, launch.placed, launch.contents)


def parameters_by_source(function: Function) -> dict[str, str]:
    """The parameters' names, in order, by what the source calls them."""
    names = [parameter.name for parameter in function.parameters]
    plain = {name: name.removesuffix(COERCED) for name in names}
    return {name if plain[name] in names else plain[name]: name for name in names}


class _Launch:
    """What a launch makes, in the making: ``variables``, ``members`` that are aliases into constant buffers,
    ``same`` names for buffers of others, each with an offset; ``total`` and ``needed`` bytes of buffers, and
    of our memory."""

    def __init__(
        self, module: Module, function: Function, named: Function | None, resources: Resources
    ) -> None:
        self.module, self.function, self.resources = module, function, resources
        self.compared = named is not None
        self.parameters = parameters_by_source(named or function)
        self.names = list(self.parameters)
        self.layout = layout_of(module)
        self.variables: dict[str, GlobalVariable] = {}
        self.members: dict[str, Alias] = {}
        self.arguments: dict[str, str] = {}
        self.placed: dict[str, PlacedBuffer] = {}
        self.same: dict[str, tuple[str, int]] = {}
        self.contents: dict[str, object] = {}
        self.total = self.needed = 0
        self.constants = {} if not resources.entries else {c.name: c for c in constant_buffers(module)}
        self.bound = {key: r for r in resources.entries if is_buffer(r.type) for key in r.keys}

    def give(self, key: str, value: object) -> None:
        """One buffer, by the name that people give it."""
        shown = key if key[:1] in ("%", "@", ADDRESSED) or self._is_resource(key) else f"%{key}"
        if shown[0] == "%" and shown[1:] not in self.names and shown[1:] in self.parameters.values():
            shown = shown.removesuffix(COERCED)
        if shown in self.placed or shown in self.same:
            raise UsageError(f"{option('buffer', key=shown)}: given twice")
        if self.compared and not self._is_there(shown):
            return
        buffer = resolved(value, option("buffer", key=shown))
        if shown.startswith("%") and shown[1:] not in self.names:
            raise UsageError(f"@{self.function.name} has no parameter {shown}; it has: {self._parameters()}")
        if isinstance(buffer, SameBuffer):
            self.same[shown] = f"%{buffer.name}", buffer.offset
            return
        if shown.startswith("@"):
            variable = _in_place(self.module, shown[1:], buffer, self.layout)
        elif shown.startswith("%"):
            place = self.names.index(shown[1:])
            pointer = _pointer(self.function, place, shown)
            variable = _behind(pointer, shown, buffer, words_behind(self.function.parameters[place]))
            if shown in self.module.globals:
                raise UsageError(f"the module has a variable that is called {shown} itself")
            self.arguments[self.parameters[shown[1:]]] = f"@{variable.name}"
        elif shown.startswith(ADDRESSED):
            variable = _behind(PointerType(), shown, buffer, ())
        else:
            variable = self._resource(shown, buffer)
            if variable.name in self.variables:
                raise UsageError(f"{option('buffer', key=shown)}: {variable.buffer} is given twice")
        self.total += buffer.size
        self.needed += needed(buffer.element, buffer.count, buffer.data is not None)
        self.variables[variable.name] = variable
        self.placed[shown] = PlacedBuffer(variable.name, buffer.element, buffer.shape, buffer.record)

    def pass_by_value(self, name: str, aggregate: PassedByValue) -> None:
        """A structure or array, by the parameter that points to it."""
        shown = f"%{name}"
        if shown in self.placed or shown in self.same:
            raise UsageError(f"{shown} is given a value and a buffer")
        parameter = self.function.parameters[self.names.index(name)]
        assert isinstance(parameter.type, PointerType)
        type_ = ArrayType(1, aggregate.type)
        zero = Simple(type_, "zeroinitializer")
        self.variables[shown] = _placed(parameter.type, shown, type_, zero, words_behind(parameter))
        self.arguments[name] = f"@{shown}"
        self.contents[shown] = [[aggregate.value]]  # of each thread, an array of one

    def _parameters(self) -> str:
        """The parameters; and, where the compiler threw their names away, how to keep them."""
        there = ", ".join(f"%{name}" for name in self.names) or "none"
        if self.names and all(name.isdecimal() for name in self.names):
            return f"{there} (clang keeps names with -fno-discard-value-names)"
        return there

    def _is_resource(self, key: str) -> bool:
        """Whether a name without a sigil is one of a resource, and not of a parameter."""
        if key in self.names or key in self.parameters.values():
            return False
        known = bool(self.resources.entries or self.resources.open)
        return self.compared or is_register(key) or known or is_shader(self.module, self.function)

    def _is_there(self, shown: str) -> bool:
        """Whether a module has what a name is for: a pass may have removed it."""
        if shown[0] == "@":
            return shown[1:] in self.module.globals
        name = shown.removesuffix(COUNTER)
        return (
            shown[0] in ("%", ADDRESSED)
            or self.resources.buffer(name) is not None
            or self.resources.named(name) is not None
        )

    def _resource(self, key: str, buffer: Buffer) -> GlobalVariable:
        """The variable for a resource, by its register or name. A constant buffer has whole rows."""
        name = key.removesuffix(COUNTER)
        bound, sole = self.resources.buffer(name), self.resources.named(name)
        if bound is not None:
            own, resource = bound
            self.bound.setdefault(own, resource)
            counter = name != key
            if counter and not (self.resources.counters and is_structured(resource.type)):
                raise UsageError(f"there is no resource {key}; there are: {self._bound()}")
            key = counter_of(own) if counter else own
        elif sole is not None:
            several = ", ".join((*sole.keys, "...") if is_endless(sole.count) else sole.keys)
            raise UsageError(f"{option('buffer', key=key)}: it is several resources: {several}")
        elif not (self.resources.open and is_register(key)):
            raise UsageError(f"there is no resource {key}; there are: {self._bound()}")
        space: int | str = 0
        if bound is not None and letter_of(resource.type) == "b":
            constant = self.constants.get(resource.name)
            space = self._space(constant)
            buffer = self._rows(key, buffer, resource)
        type_ = ArrayType(buffer.count, buffer.element.type)
        variable = _resource_variable(key, type_, _initial(type_, buffer), space)
        return replace(variable, shape=buffer.shape)

    def _bound(self) -> str:
        """Which resources there are."""
        there = [key if not r.name or r.name == key else f"{key} ({r.name})" for key, r in self.bound.items()]
        endless = (r for r in self.resources.entries if is_buffer(r.type) and is_endless(r.count))
        there += [f"{r.key(0)}, {r.key(1)}, ..." for r in endless]
        return ", ".join(there) or "none"

    def _rows(self, key: str, buffer: Buffer, resource: Resource) -> Buffer:
        """A constant buffer with zeros up to the end of its last row."""
        size = self.layout.size(resource.type.types[0])
        if buffer.size < size:
            raise UsageError(
                f"buffer {key} has {buffer.size} bytes: the constant buffer {resource.name} has {size}"
            )
        more = -buffer.size % ROW // buffer.element.size
        if buffer.data is None or not more:
            return replace(buffer, shape=(buffer.count + more,))
        return replace(
            buffer, shape=(buffer.count + more,), data=buffer.data + bytes(more * buffer.element.size)
        )

    def _space(self, constant: ConstantBuffer | None) -> int | str:
        """The address space in which a constant buffer's members are declared."""
        variables = (
            () if constant is None else [self.module.globals.get(name) for _, name in constant.members]
        )
        return next((v.address_space for v in variables if v is not None), 0)

    def share(self) -> None:
        """Parameters that point to what others point to."""
        for shown, (other, offset) in self.same.items():
            if other not in self.placed:
                raise UsageError(f"{option('buffer', other, shown)}: {other} is given no buffer")
            _pointer(self.function, self.names.index(shown[1:]) if shown[0] == "%" else -1, shown)
            behind = f"+{offset}" if offset else ""
            self.arguments[self.parameters[shown[1:]]] = f"@{self.placed[other].variable}{behind}"
            self.placed[shown] = self.placed[other]

    def complete(self, names: Container[str], apart: Container[str]) -> None:
        """Resources that are given nothing, counters, and the members of constant buffers."""
        for key, resource in self.bound.items():
            if variable_of(key) not in self.variables:
                self.variables[variable_of(key)] = self._unknown(key, resource)
            if self.resources.counters and is_structured(resource.type):
                counter = counter_of(key)
                single = ArrayType(1, IntType(32))
                zero = _resource_variable(counter, single, Simple(single, "zeroinitializer"), 0)
                self.variables.setdefault(zero.name, zero)
        for constant in self.constants.values():
            buffer = self.resources.named(constant.name)
            if buffer is None:
                continue
            starts = _starts(constant.layout, self.layout)
            for place, name in constant.members:
                if name in apart or f"@{name}" in apart or f"@{name}" in names or place >= len(starts):
                    continue
                if (member := self.module.globals.get(name)) is not None:
                    self.members[name] = _member(member, variable_of(buffer.keys[0]), starts[place])

    def _unknown(self, key: str, resource: Resource) -> GlobalVariable:
        """A resource whose contents are an input, and whose size is open."""
        type_: Type = resource.type.types[0]
        if letter_of(resource.type) == "b":
            space = self._space(self.constants.get(resource.name))
            rows = -(-self.layout.size(type_) // ROW)
            return _resource_variable(key, ArrayType(rows, VectorType(4, IntType(32))), None, space)
        element = type_.element if isinstance(type_, ArrayType) else type_
        if element == IntType(8) or isinstance(element, TargetType):
            element = IntType(32)
        return _resource_variable(key, ArrayType(0, element), None, 0)


ROW = 16
"""Bytes of a row of a constant buffer."""


def _resource_variable(
    key: str, type_: ArrayType, initializer: Packed | Simple | None, space: int | str
) -> GlobalVariable:
    """The variable for a resource. It is ``relaxed``: clang aligns what lies there by its type, and HLSL's
    layouts pack it."""
    return GlobalVariable(
        variable_of(key), type_, False, initializer, address_space=space, tail=(f"align {ALIGNMENT}",),
        buffer=key, relaxed=True,
    )  # fmt: skip


def _own(variable: GlobalVariable) -> GlobalVariable:
    """A shader's variable that each thread has for itself, as LLVM says it of others."""
    words = variable.words if is_thread_local(variable) else (*variable.words, "thread_local")
    return replace(variable, words=words)


def _starts(type_: Type, layout: Layout) -> tuple[int, ...]:
    """Where each part of a constant buffer's layout begins that is no padding."""
    if isinstance(type_, TargetType) and type_.name == "dx.Layout":
        return type_.numbers[1:]
    body = layout.resolve(type_)
    assert isinstance(body, StructType)
    pairs = zip(body.elements, layout.offsets(body), strict=False)
    return tuple(start for part, start in pairs if not is_padding(part))


def _member(member: GlobalVariable, buffer: str, start: int) -> Alias:
    """A member of a constant buffer, as an alias of its place there."""
    type_ = PointerType(member.address_space)
    place = ConstantExpression(
        type_, "getelementptr", (), (Global(buffer, type_), Int(IntType(32), start)), IntType(8)
    )
    return Alias(member.name, "alias", member.type, place)


def with_arguments(arguments: Mapping[str, object], pointers: Mapping[str, str]) -> dict[str, object]:
    """Arguments with those that point to buffers. A parameter may be given a buffer and, by
    arguments, places in buffers: ``@%x`` is where that of ``%x`` begins, ``@%x+64`` 64 bytes behind. Raises
    UsageError for one that is given a buffer and anything else."""
    placed = {name for name in pointers if name in arguments or f"%{name}" in arguments}
    for name in placed:
        value = arguments.get(name, arguments.get(f"%{name}"))
        if not all(map(_is_place, value if isinstance(value, list | tuple) else [value])):
            raise UsageError(
                f"%{name} is given an argument and a buffer: its places are @%{name}, @%{name}+4, ..."
            )
    return {**arguments, **{name: place for name, place in pointers.items() if name not in placed}}


def _is_place(value: object) -> bool:
    """Whether an argument is a place in a parameter's buffer."""
    return isinstance(value, str) and value.startswith("@%")


RESOURCES = (VectorType(4, IntType(32)), PointerType(8))
"""What AMDGPU's buffer resources are passed as: the argument says where a buffer is and how large."""


def _pointer(function: Function, place: int, shown: str) -> PointerType:
    """The type of a pointer parameter."""
    if place < 0:
        raise UsageError(f"{option('buffer', key=shown)}: another buffer is named for a parameter only")
    if place >= len(function.parameters):
        raise UsageError(f"@{function.name} has no parameter {place + 1}")
    type_ = function.parameters[place].type
    if type_ in RESOURCES:
        return PointerType(1)
    if not isinstance(type_, PointerType):
        raise UsageError(f"{shown} is no pointer but {type_}: {option('arg')} gives values")
    return type_


class PassedByValue(NamedTuple):
    """What a kernel is passed by value through a pointer (``byval``, ``byref``): its type, and its parts as
    plain data, nested."""

    type: Type
    value: object


_BY_VALUE = re.compile(r"(?:byval|byref)\((.*)\)")


def passed_by_value(
    module: Module, function: Function, arguments: Mapping[str, object]
) -> dict[str, PassedByValue]:
    """By the parameter, the structures and arrays that arguments are for pointers to what is passed by value;
    places in buffers are none."""
    by_value: dict[str, PassedByValue] = {}
    for parameter in function.parameters:
        named = next((m for word in parameter.attributes if (m := _BY_VALUE.fullmatch(word))), None)
        value = arguments.get(parameter.name, arguments.get(f"%{parameter.name}"))
        if (
            named is None
            or not isinstance(value, list | tuple)
            or not isinstance(parameter.type, PointerType)
        ):
            continue
        type_ = data_type(named[1])
        if type_ is None or not isinstance(layout_of(module).resolve(type_), StructType | ArrayType):
            continue
        if len(value) == 1 and isinstance(value[0], list | tuple):
            value = value[0]
        elif all(isinstance(part, str) and part.startswith("@") for part in value):
            continue  # where it lies, of each thread
        by_value[parameter.name] = PassedByValue(type_, value)
    return by_value


def words_behind(parameter: Parameter) -> tuple[str, ...]:
    """What is said of the variable that a parameter points to: whether each thread has a copy of its own, to
    which it may write."""
    words = parameter.attributes
    copied = any(word.startswith("byval") for word in words) and not {"readonly", "readnone"} & set(words)
    return ("internal", "thread_local") if copied else ()


def _behind(pointer: PointerType, shown: str, buffer: Buffer, words: tuple[str, ...]) -> GlobalVariable:
    """The variable that a parameter points to, or who else has its address. Memory of a workgroup holds
    nothing at the launch, unless somebody says what is left there: a caller may have written to it, and
    ``refine`` tries small numbers."""
    type_ = ArrayType(buffer.count, buffer.element.type)
    nothing = pointer.address_space == WORKGROUP and buffer.data is None
    return _placed(pointer, shown, type_, None if nothing else _initial(type_, buffer), words)


def _placed(
    pointer: PointerType,
    shown: str,
    type_: ArrayType,
    initial: Packed | Simple | None,
    words: tuple[str, ...],
) -> GlobalVariable:
    """A variable where a pointer of such a type goes."""
    return GlobalVariable(
        shown, type_, False, initial, address_space=pointer.address_space,
        tail=(f"align {ALIGNMENT}",), buffer=shown, words=words,
    )  # fmt: skip


def _initial(type_: ArrayType, buffer: Buffer) -> Packed | Simple:
    if buffer.data is not None:
        return Packed(type_, buffer.data)
    return Simple(type_, "undef" if buffer.undefined else "zeroinitializer")


_REPLACED = frozenset({"external", "extern_weak", "common", "weak", "linkonce"})
"""Linkages of variables that somebody else may define: here the environment does."""


def _in_place(module: Module, name: str, buffer: Buffer, layout: Layout) -> GlobalVariable:
    """A variable of the module that holds a buffer: no smaller than its type without the padding at its end,
    and of its numbers, where its type says of which."""
    variable = given_variable(module, name)
    if is_thread_local(variable):
        raise UsageError(f"@{name} is thread_local: {option('global')} gives each thread's own")
    local = variable.address_space == WORKGROUP
    if local and buffer.data is not None:
        raise UsageError(f"@{name} is workgroup memory, which holds nothing at the launch")
    try:
        size = _extent(variable.type, layout)
    except NotModelled:
        size = 0
    if buffer.size < size:
        raise UsageError(f"buffer @{name} has {buffer.size} bytes: {variable.type} has {size}")
    inner = _leaf(variable.type, layout)
    if inner is not None and inner != buffer.element.type and buffer.element.size != 1:
        raise UsageError(f"buffer @{name} is of {buffer.element.name}: @{name} is {variable.type}")
    type_ = ArrayType(buffer.count, buffer.element.type)
    words = tuple(word for word in variable.words if word not in _REPLACED)
    tail = variable.tail if any(word.startswith("align ") for word in variable.tail) else (
        *variable.tail, f"align {ALIGNMENT}",
    )  # fmt: skip
    return replace(
        variable, type=type_, initializer=None if local else _initial(type_, buffer), words=words,
        externally_initialized=False, tail=tail, buffer=f"@{name}",
    )  # fmt: skip


def _extent(type_: Type, layout: Layout) -> int:
    """The bytes up to the end of a type's last part: what pads it behind that nobody reads, and an API takes
    a block of push constants without it.

    :raises NotModelled: for a type of no known size
    """
    type_ = layout.resolve(type_)
    match type_:
        case StructType(parts) if parts:
            return layout.offsets(type_)[len(parts) - 1] + _extent(parts[-1], layout)
        case ArrayType(count, element) if count:
            return (count - 1) * layout.size(element) + _extent(element, layout)
        case StructType() | ArrayType():
            return layout.size(type_)
        case _:
            return layout.store_size(type_)


def _leaf(type_: Type, layout: Layout) -> Type | None:
    """The one scalar type of which a type consists, if it is an array of one."""
    while isinstance(type_, ArrayType | VectorType | NamedType):
        try:
            type_ = layout.resolve(type_) if isinstance(type_, NamedType) else type_.element
        except NotModelled:
            return None
    return type_ if element_of(type_) is not None else None
